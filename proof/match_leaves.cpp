// Data leaves of the KIR's expressions and of the program's: which of them are the same.
#include <algorithm>

#include "proof/match.h"
#include "proof/solve.h"

namespace kir::proof {

std::vector<Term> Matcher::data(const std::vector<Expr>& from) const {
  std::vector<Term> out;
  for (Expr e : from)
    for (Expr l : leaves(e))
      if (Term t = terms_.term_of_leaf(l); t && std::find(out.begin(), out.end(), t) == out.end()) out.push_back(t);
  return out;
}

void Matcher::relate_guards(const std::vector<Expr>& kir, const std::vector<Expr>& physical, std::vector<Expr>& context,
                            const MatchSite& site) {
  std::vector<Expr> kl, pl;
  auto collect = [&](const std::vector<Expr>& from, std::vector<Expr>& to) {
    for (Expr g : from)
      for (Expr l : leaves(g))
        if (terms_.term_of_leaf(l) && std::find(to.begin(), to.end(), l) == to.end()) to.push_back(l);
  };
  collect(kir, kl);
  collect(physical, pl);
  // What is one leaf on both sides needs no partner. Each other one of the KIR is paired with the first of the program's that
  // matches without a doubt, else with the first that matches: a wrong pair only makes what it owes unprovable. What a match
  // owes is emitted under the same context, so the equation may be used there.
  auto in = [](const std::vector<Expr>& list, Expr l) { return std::ranges::find(list, l) != list.end(); };
  for (Expr a : kl) {
    if (in(pl, a)) continue;
    auto matches = [&](Expr b, std::size_t most_doubts) {
      return a.sort() == b.sort() && !in(kl, b) && attempt([&] {
               const std::size_t before = out_.size();
               return match(terms_.term_of_leaf(a), terms_.term_of_leaf(b), context, site) && doubts(before) <= most_doubts;
             });
    };
    auto partner = std::ranges::find_if(pl, [&](Expr b) { return matches(b, 0); });
    if (partner == pl.end()) partner = std::ranges::find_if(pl, [&](Expr b) { return matches(b, SIZE_MAX); });
    if (partner == pl.end()) continue;
    context.push_back(equal(a, *partner));
    pl.erase(partner);
  }
}

std::size_t Matcher::doubts(std::size_t from) const {
  return static_cast<std::size_t>(
      std::count_if(out_.begin() + static_cast<std::ptrdiff_t>(from), out_.end(), [](const Obligation& o) {
        const bool equation = o.goal.is(ExprKind::eq) && o.goal.kid(0).sort() == Sort::integer;
        return o.goal.is_false() || (equation && !same_polynomial(o.goal.kid(0), o.goal.kid(1)));
      }));
}

std::vector<Expr> Matcher::related(Expr k, Expr p, const std::vector<Expr>& context, const MatchSite& site) {
  std::vector<Expr> out = context;
  relate_guards({k}, {p}, out, site);
  return out;
}

}  // namespace kir::proof
