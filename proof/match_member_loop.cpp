// Rule M6 against a loop: a fold over one axis is the loop that takes in its members one by one, in order.
#include <algorithm>

#include "proof/match.h"

namespace kir::proof {
namespace {

// The loop of component `number` of r: of its carries those that the component depends on, itself first. Null when r has more
// than one axis, or no way to start. Where there is no initial value the identity may stand for it, being neutral (but not one
// that is the value of no member alone); else the fold starts with its first member, which is there.
std::shared_ptr<const LoopNode> member_loop(const ReduceNode& r, std::size_t number, TermPool& terms) {
  if (r.members.size() != 1) return nullptr;
  const Interval& member = r.members[0];
  const std::size_t k = r.combine.results.size();
  std::vector<Term> start = r.init, step;
  Expr lo = member.lo;
  if (start.empty()) {
    if (r.identity_if_empty && !r.identity.empty()) return nullptr;
    for (const Scalar& s : r.identity) start.push_back(terms.literal(s));
    if (start.empty() && (r.where || r.map.size() != k)) return nullptr;
    if (start.empty()) {
      TermPool::Substitution first;
      first.exprs.emplace(member.var.node(), member.lo);
      for (Term t : r.map) start.push_back(terms.substitute(t, first));
      lo = lo + 1;
    }
  }
  TermPool::Substitution mapped;
  for (std::size_t i = 0; i < r.map.size(); ++i) mapped.terms.emplace(r.combine.arguments[k + i], r.map[i]);
  for (std::size_t i = 0; i < k; ++i) {
    Term next = terms.substitute(r.combine.results[i], mapped);
    step.push_back(r.where ? terms.select(r.where, next, r.combine.arguments[i]) : next);
  }
  std::vector<std::size_t> slice{number};
  for (std::size_t i = 0; i < slice.size(); ++i)
    for (std::size_t j = 0; j < k; ++j)
      if (std::find(slice.begin(), slice.end(), j) == slice.end() &&
          terms.mentions(step[slice[i]], [&](Term x) { return x == r.combine.arguments[j]; }))
        slice.push_back(j);
  auto loop = std::make_shared<LoopNode>();
  loop->lo = lo;
  loop->upto = member.hi;
  loop->var = member.var;
  for (std::size_t i : slice) {
    loop->init.push_back(start[i]);
    loop->arguments.push_back(r.combine.arguments[i]);
    loop->step.push_back(step[i]);
  }
  return loop;
}

}  // namespace

bool Matcher::match_member_loop(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site) {
  ReduceNode r = terms_.open(*k->reduce);
  auto loop = member_loop(r, static_cast<std::size_t>(k->number), terms_);
  if (!loop) return false;
  if (!match_loops(terms_.iterate(loop, 0, k->type), p, context, site)) return false;
  if (!is_licensed(r)) return true;
  LoopNode l = terms_.open(*p->loop);
  Piece kir{r.members, r.where ? std::vector<Expr>{r.where} : std::vector<Expr>{}, {}, {}, {}};
  Piece physical{{{l.var, l.lo, l.upto}}, {}, {}, {}, {}};
  Pairing pair;
  pair.to_kir.exprs.emplace(r.members[0].var.node(), l.lo == loop->lo ? l.var : l.var - l.lo + loop->lo);
  return one_schedule(k, "members", {kir}, {physical}, {pair}, context, site);
}

}  // namespace kir::proof
