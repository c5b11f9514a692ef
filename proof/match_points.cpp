#include "proof/match_points.h"

#include <algorithm>
#include <unordered_set>

#include "core/index/simplify.h"

namespace kir::proof {
namespace {

// A proposal for the only value of a binder: a lower bound that a guard gives without other binders, else its own.
Expr least(const Interval& b, const std::vector<Expr>& guards, const std::vector<Expr>& vars) {
  std::vector<Expr> all;
  for (Expr g : guards) append_conjuncts(g, all);
  auto closed = [&](Expr e) {
    return !kir::mentions(e, [&](Expr l) { return std::find(vars.begin(), vars.end(), l) != vars.end(); });
  };
  for (Expr g : all) {
    if (g.is(ExprKind::le) && g.kid(1) == b.var && closed(g.kid(0))) return g.kid(0);
    if (g.is(ExprKind::eq) && g.kid(0) == b.var && closed(g.kid(1))) return g.kid(1);
    if (g.is(ExprKind::eq) && g.kid(1) == b.var && closed(g.kid(0))) return g.kid(0);
  }
  return b.lo;
}

std::size_t divisions(Expr e) {
  std::unordered_set<Expr> seen;
  std::size_t count = 0;
  auto visit = [&](auto& self, Expr x) -> void {
    if (!seen.insert(x).second) return;
    if (x.is(ExprKind::floordiv) || x.is(ExprKind::mod)) ++count;
    for (Expr k : x.kids()) self(self, k);
  };
  visit(visit, e);
  return count;
}

// The map from the k-th unknown to the k-th point, where it satisfies the equations as polynomials; else nothing.
Assignment by_position(const std::vector<Expr>& unknowns, const std::vector<Expr>& points,
                       const std::vector<Equation>& equations) {
  if (unknowns.size() != points.size()) return {};
  for (Expr unknown : unknowns)  // what no equation speaks of it does not explain
    if (std::ranges::none_of(equations,
                             [&](const Equation& e) { return kir::mentions(e.left, [&](Expr l) { return l == unknown; }); }))
      return {};
  Assignment map;
  for (std::size_t i = 0; i < unknowns.size(); ++i) map.emplace(unknowns[i].node(), points[i]);
  for (const Equation& e : equations) {
    Expr left = kir::substitute(e.left, [&](Expr l) {
      auto it = map.find(l.node());
      return it == map.end() ? Expr() : it->second;
    });
    if (!same_polynomial(left, e.right)) return {};
  }
  return map;
}

// For the unknowns that no equation tells: iterations of one range, in their order.
void by_range(const Piece& k, const Piece& p, Assignment& phi) {
  std::unordered_set<const ExprNode*> used;
  for (const auto& [unknown, value] : phi) used.insert(value.node());
  auto mapped = [&](Expr e) {
    return kir::substitute(e, [&](Expr l) {
      auto it = phi.find(l.node());
      return it == phi.end() ? Expr() : it->second;
    });
  };
  for (std::size_t i = 0; i < k.binders.size(); ++i) {
    const Interval& unknown = k.binders[i];
    if (phi.contains(unknown.var.node())) continue;
    for (const Interval& point : p.binders)
      if (mapped(unknown.lo) == point.lo && mapped(unknown.hi) == point.hi && used.insert(point.var.node()).second) {
        phi.emplace(unknown.var.node(), point.var);
        break;
      }
  }
}

// Simplified below its divisions, which keep their shape.
Expr tidy(Expr e, Facts& facts) {
  if (divisions(e) == 0) return facts.simplify(e);
  std::vector<Expr> kids;
  for (Expr k : e.kids()) kids.push_back(tidy(k, facts));
  return e.pool().make(e.kind(), kids);
}

// Without the divisions that cancel: (x floordiv d) * d + x mod d, written with another d, is x. Where none does the quotients
// and remainders stay as they are, in the shape that solve() inverts.
void simplify_divisions(Assignment& map, const std::vector<Expr>& facts_text) {
  std::optional<Facts> facts;
  for (auto& [unknown, value] : map) {
    if (divisions(value) == 0) continue;
    if (!facts) {
      facts.emplace(value.pool());
      for (Expr f : facts_text) facts->assume(f);
    }
    value = tidy(value, *facts);
    if (Expr simpler = facts->simplify(value); divisions(simpler) < divisions(value)) value = simpler;
  }
}

// psi(phi(v)) is seen to be v for every point v of the program.
bool inverts(const Assignment& psi, const Assignment& phi, const std::vector<Expr>& points, const std::vector<Expr>& under) {
  std::optional<Facts> facts;
  for (Expr v : points) {
    auto it = psi.find(v.node());
    if (it == psi.end()) return false;
    Expr again = kir::substitute(it->second, [&](Expr l) {
      auto known = phi.find(l.node());
      return known == phi.end() ? Expr() : known->second;
    });
    if (same_polynomial(again, v)) continue;
    if (!facts) {
      facts.emplace(v.pool());
      for (Expr f : under) facts->assume(f);
    }
    if (!facts->decide(equal(again, v)).value_or(false)) return false;
  }
  return true;
}

// What the equations say where both sides are alike: of the outermost divisions, minima and choices of each kind, if there are
// as many, operand by operand, and so on inside.
std::vector<Equation> by_shape(const std::vector<Equation>& equations, const std::vector<Expr>& unknowns) {
  constexpr ExprKind kKinds[] = {ExprKind::floordiv, ExprKind::mod, ExprKind::min, ExprKind::max, ExprKind::ite};
  constexpr std::size_t kMost = 256;
  auto is_open = [&](Expr e) {
    return kir::mentions(e, [&](Expr l) { return std::find(unknowns.begin(), unknowns.end(), l) != unknowns.end(); });
  };
  auto outermost = [&](Expr e, ExprKind kind, bool open) {
    std::vector<Expr> out;
    auto visit = [&](auto& self, Expr x) -> void {
      if (open && !is_open(x)) return;
      if (x.is(kind)) return out.push_back(x);
      for (Expr k : x.kids()) self(self, k);
    };
    visit(visit, e);
    return out;
  };
  std::vector<Equation> all = equations;
  for (std::size_t i = 0; i < all.size() && all.size() < kMost; ++i) {
    const Equation e = all[i];
    for (ExprKind kind : kKinds) {
      const std::vector<Expr> left = outermost(e.left, kind, true), right = outermost(e.right, kind, false);
      if (left.size() != right.size()) continue;
      for (std::size_t n = 0; n < left.size(); ++n) {
        std::vector<Expr> a(left[n].kids().begin(), left[n].kids().end()), b(right[n].kids().begin(), right[n].kids().end());
        if (kind == ExprKind::min || kind == ExprKind::max)  // their operands come in no order
          std::erase_if(a, [&](Expr x) { return std::erase(b, x) > 0; });
        for (std::size_t k = 0; k < a.size() && a.size() == b.size(); ++k)
          if (a[k].sort() == Sort::integer && b[k].sort() == Sort::integer && is_open(a[k])) all.push_back({a[k], b[k]});
      }
    }
  }
  return all;
}

// What the points are below, of those that begin at 0.
Assignment limits(const Piece& p) {
  Assignment out;
  for (const Interval& b : p.binders)
    if (b.lo.is_constant(0)) out.emplace(b.var.node(), b.hi);
  return out;
}

std::vector<Expr> variables(const Piece& p) {
  std::vector<Expr> out;
  for (const Interval& b : p.binders) out.push_back(b.var);
  return out;
}

}  // namespace

std::optional<PointMap> propose_points(const Piece& k, const Piece& p, std::vector<Equation> equations,
                                       const Assignment& elsewhere, const std::vector<Expr>& under, ExprPool& pool) {
  const std::vector<Expr> k_vars = variables(k), p_vars = variables(p);
  // The coordinates of a buffer's element do not tell its allocation.
  if (!k.allocation.empty() || !p.allocation.empty())
    for (Expr v : k_vars)
      if (auto it = elsewhere.find(v.node()); it != elsewhere.end()) equations.push_back({v, it->second});
  // Point for point where that explains the equations; else what they say.
  Assignment phi = by_position(k_vars, p_vars, equations);
  if (phi.empty()) phi = solve(k_vars, equations, pool, limits(k));
  if (phi.size() < k_vars.size())
    for (const auto& [unknown, value] : solve(k_vars, by_shape(equations, k_vars), pool, limits(k)))
      phi.emplace(unknown, value);
  if (phi.size() < k_vars.size()) {
    phi.insert(elsewhere.begin(), elsewhere.end());
    by_range(k, p, phi);
  }
  // Nothing tells them apart: by position, each counted from where it begins, the innermost first, since the program id may
  // stand for none of them.
  if (phi.size() < k_vars.size() && k_vars.size() <= p_vars.size())
    for (std::size_t i = 0; i < k_vars.size(); ++i) {
      const Interval& point = p.binders[p_vars.size() - k_vars.size() + i];
      const Expr from = least(point, p.guards, p_vars), to = k.binders[i].lo;
      phi.emplace(k_vars[i].node(), from == to ? point.var : point.var - from + to);
    }
  if (phi.size() < k_vars.size()) return std::nullopt;
  // Quotients are inverted as they are where that works out, else in the simplifier's form.
  auto inverse = [&](const Assignment& map) {
    std::vector<Equation> back;
    for (Expr v : k_vars) back.push_back({map.at(v.node()), v});
    return solve(p_vars, back, pool, limits(p));
  };
  Assignment psi = inverse(phi);
  if (!inverts(psi, phi, p_vars, under)) {
    simplify_divisions(phi, under);
    psi = inverse(phi);
  }
  std::vector<std::pair<Expr, Expr>> ranges;
  for (const Interval& b : p.binders) ranges.emplace_back(b.var, b.lo);
  solve_ranges(ranges, psi, pool);
  // What the KIR's point does not tell can only be one point: the least that a guard or the range allows.
  for (const Interval& b : p.binders)
    if (!psi.contains(b.var.node())) psi.emplace(b.var.node(), least(b, p.guards, p_vars));
  return PointMap{std::move(phi), std::move(psi)};
}

}  // namespace kir::proof
