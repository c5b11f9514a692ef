#include "tools/mutants/selection.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kir::mutants {
namespace {

// FNV-1a, then the finalizer of SplitMix64: equal on every platform.
std::uint64_t hash(std::uint64_t seed, std::string_view name, Form form, std::uint64_t number) {
  std::uint64_t h = 0xcbf29ce484222325ull ^ seed;
  const auto eat = [&](std::uint64_t byte) { h = (h ^ byte) * 0x100000001b3ull; };
  for (char c : name) eat(static_cast<unsigned char>(c));
  eat(static_cast<std::uint64_t>(form) + 1);
  for (int i = 0; i < 64; i += 8) eat(number >> i & 255);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

}  // namespace

std::vector<Choice> select(const std::vector<Subject>& subjects, const SelectionOptions& options) {
  struct Ranked {
    Choice choice;
    std::uint64_t hash;
    std::size_t rank = 0;  // within its group
  };
  std::vector<Ranked> all;
  for (std::size_t s = 0; s < subjects.size(); ++s)
    for (Form form : subjects[s].forms) {
      const std::vector<Mutant> mutants =
          form == Form::physical ? mutants_of(*subjects[s].program) : mutants_of(*subjects[s].kernel);
      for (std::size_t i = 0; i < mutants.size(); ++i) {
        const Damage& d = mutants[i].damage;
        if (!options.families.empty() && std::ranges::find(options.families, d.family) == options.families.end()) continue;
        all.push_back({{s, form, i, d}, hash(options.seed, subjects[s].name, form, i)});
      }
    }
  const auto group = [](const Ranked& r) { return std::tuple(r.choice.subject, r.choice.form, r.choice.damage.family); };
  std::ranges::sort(all, [](const Ranked& a, const Ranked& b) { return a.hash < b.hash; });
  std::map<std::tuple<std::size_t, Form, std::string_view>, std::size_t> members;
  for (Ranked& r : all) r.rank = members[group(r)]++;
  std::ranges::stable_sort(all, {}, &Ranked::rank);
  if (options.count > 0 && all.size() > options.count) all.resize(options.count);
  std::vector<Choice> out;
  for (const Ranked& r : all) out.push_back(r.choice);
  std::ranges::sort(out, [](const Choice& a, const Choice& b) {
    return std::tuple(a.subject, a.form, a.number) < std::tuple(b.subject, b.form, b.number);
  });
  return out;
}

}  // namespace kir::mutants
