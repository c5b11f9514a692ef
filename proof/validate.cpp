// What both derivations share, and the aliasing cases around the refinement.
#include "proof/validate.h"

#include <fmt/format.h>

#include <algorithm>

#include "proof/derive.h"

namespace kir::proof {

void add_claims(const std::vector<Claim>& claims, const std::vector<Expr>& base, const std::vector<Expr>& equations, Side side,
                const std::vector<Expr>& sizes, const std::string& prefix, const std::string& note, const TermPool& terms,
                Ledger& ledger) {
  std::size_t n = 0;
  for (const Claim& c : claims) {
    Obligation o{.kind = c.kind,
                 .key = fmt::format("{}/{}/{}", prefix, name(c.kind), n++),
                 .sentence = note.empty() ? c.what : fmt::format("{} ({})", c.what, note),
                 .side = side,
                 .range = c.range,
                 .hypotheses = c.from_equations ? equations : base,
                 .goal = c.goal,
                 .preset = c.preset,
                 .otherwise_unsupported = c.otherwise_unsupported};
    append(o.hypotheses, context(c.binders, c.guards));
    if (c.kind == ObligationKind::index_no_overflow) append(o.hypotheses, sizes);
    auto holds_data = [&](Expr e) { return mentions(e, [&](Expr l) { return terms.term_of_leaf(l) != nullptr; }); };
    o.concrete = !o.preset && o.otherwise_unsupported.empty() && !holds_data(o.goal) &&
                 std::none_of(o.hypotheses.begin(), o.hypotheses.end(), holds_data);
    ledger.add(std::move(o));
  }
}

EventCopy copy(const Event& e, std::size_t keep, TermPool& terms) {
  TermPool::Substitution s;
  EventCopy out;
  for (std::size_t i = 0; i < e.binders.size(); ++i) {
    Interval b = e.binders[i].range;
    b.lo = terms.substitute(b.lo, s);
    b.hi = terms.substitute(b.hi, s);
    if (i >= keep) {
      Expr v = terms.exprs().fresh(b.var.name() + "'");
      s.exprs.emplace(b.var.node(), v);
      b.var = v;
    }
    out.binders.push_back({b, e.binders[i].kind});
  }
  for (Expr g : e.guards) out.guards.push_back(terms.substitute(g, s));
  for (Expr c : e.coordinates) out.coordinates.push_back(terms.substitute(c, s));
  for (Expr a : e.allocation) out.allocation.push_back(terms.substitute(a, s));
  if (e.thread) out.thread = terms.substitute(e.thread, s);
  out.path = terms.substitute(e.path, s);
  return out;
}

void append(std::vector<Expr>& to, const std::vector<Expr>& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace kir::proof
