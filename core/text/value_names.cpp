#include "core/text/value_names.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/ir/fold.h"
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
      if (names_[v.index].empty()) names_[v.index] = choose(body_.value(v).name);
      if (visible_.insert(names_[v.index]).second) bound.push_back(names_[v.index]);
    };
    for (ValueId a : body_.region(r).args) bind(a);
    for (OpId o : body_.region(r).ops) {
      regions_of(body_.op(o));
      for (ValueId v : body_.op(o).results) bind(v);
    }
    if (!root)
      for (const std::string& n : bound) visible_.erase(n);
  }

  std::vector<std::string> take() { return std::move(names_); }

 private:
  // Variables that the text binds once have one name in all the regions that have them, and one of their own beside others.
  void regions_of(const Op& op) {
    // In the order of the text: a predicate stands before what it guards.
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < op.regions.size(); ++k) order.insert(is_predicate(op, k) ? order.begin() : order.end(), k);
    for (std::size_t which : order) {
      const std::vector<ValueId>& args = body_.region(op.regions[which]).args;
      bool shares = false;
      for (std::size_t k = 0; k < args.size(); ++k)
        if (ValueId v = bound_with(body_, op, which, k)) {
          if (names_[v.index].empty()) names_[v.index] = choose(body_.value(v).name);
          names_[args[k].index] = names_[v.index];
          shares = true;
        }
      std::vector<std::string> held;
      if (shares)
        for (ValueId v : body_.region(op.regions[0]).args)
          if (visible_.insert(names_[v.index]).second) held.push_back(names_[v.index]);
      region(op.regions[which], false);
      for (const std::string& n : held) visible_.erase(n);
    }
  }

  static bool is_predicate(const Op& op, std::size_t region) {
    const RegionRules& rules = row(op.kind).regions;
    return region < static_cast<std::size_t>(rules.count) && rules[region].name == "where";
  }

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
