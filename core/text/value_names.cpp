#include "core/text/value_names.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/text/words.h"

namespace kir::text {
namespace {

class Namer {
 public:
  Namer(const Body& body, const NamingRules& rules) : body_(body), rules_(rules), names_(body.value_count()) {
    if (!rules.percent) visible_.insert(rules.taken.begin(), rules.taken.end());
    for (ValueId v : rules.fixed) {
      names_[v.index] = body.value(v).name;
      visible_.insert(names_[v.index]);
    }
  }

  void region(RegionId r, bool root) {
    std::vector<std::string> bound;
    auto bind = [&](ValueId v) {
      if (!names_[v.index].empty()) return;
      names_[v.index] = choose(body_.value(v).name);
      visible_.insert(names_[v.index]);
      bound.push_back(names_[v.index]);
    };
    for (ValueId a : body_.region(r).args) bind(a);
    for (OpId o : body_.region(r).ops) {
      for (RegionId inner : body_.op(o).regions) region(inner, false);
      for (ValueId v : body_.op(o).results) bind(v);
    }
    if (!root)
      for (const std::string& n : bound) visible_.erase(n);
  }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  bool free(const std::string& name) const {
    return !visible_.contains(name) && (rules_.percent || !WordTable::get().is_reserved(name));
  }

  std::string choose(const std::string& wish) {
    if (wish.empty()) {
      std::string name;
      do name = fmt::format("t{}", next_temporary_++);
      while (!free(name));
      return name;
    }
    std::string base;
    for (char c : wish) base += is_identifier(std::string("a") + c) ? c : '_';
    if (!is_identifier(base)) base = fmt::format("v{}", base);
    if (free(base)) return base;
    for (int i = 1;; ++i)
      if (std::string name = fmt::format("{}_{}", base, i); free(name)) return name;
  }

  const Body& body_;
  const NamingRules& rules_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> visible_;
  int next_temporary_ = 0;
};

}  // namespace

std::vector<std::string> value_names(const Body& body, std::span<const RegionId> roots, const NamingRules& rules) {
  Namer namer(body, rules);
  // The first root's arguments are visible in the other roots.
  for (std::size_t i = 0; i < roots.size(); ++i) namer.region(roots[i], i == 0);
  return namer.take();
}

}  // namespace kir::text
