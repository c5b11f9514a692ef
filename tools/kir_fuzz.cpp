#include <fmt/format.h>
#include <map>
#include <cstdlib>
#include <cstdio>
#include "tools/fuzz/trial.h"
int main(int argc, char** argv) {
  using namespace kir::fuzz;
  std::uint64_t from = std::strtoull(argv[1], nullptr, 10), to = std::strtoull(argv[2], nullptr, 10);
  TrialOptions o;
  o.prove = argc > 3 && argv[3][0] == 'p';
  std::map<std::pair<std::string,std::string>, int> count; std::map<std::pair<std::string,std::string>, std::string> example;
  for (auto s = from; s < to; ++s) {
    if (argc > 4) { fmt::print(stderr, "{}\n", s); }
    auto r = run_trial(words_of(s), o);
    auto key = std::pair{std::string(name(r.verdict)), r.reason.substr(0, 60)};
    if (!count[key]++) example[key] = fmt::format("seed {}: {}", s, r.detail.substr(0, 300));
    if (argc > 4) fmt::print("{}\n{} {} {}\n", r.text, name(r.verdict), r.reason, r.detail);
  }
  for (auto& [k, n] : count) fmt::print("{:6} {:10} {}   [{}]\n", n, k.first, k.second, example[k]);
}
