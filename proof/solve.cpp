#include "proof/solve.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kir::proof {
namespace {

using Monomial = std::vector<Expr>;  // sorted factors
using Polynomial = std::map<Monomial, std::int64_t>;

std::optional<Polynomial> add(Polynomial a, const Polynomial& b, std::int64_t scale) {
  for (const auto& [m, c] : b) {
    std::int64_t product, sum;
    if (__builtin_mul_overflow(c, scale, &product) || __builtin_add_overflow(a[m], product, &sum)) return std::nullopt;
    if (sum)
      a[m] = sum;
    else
      a.erase(m);
  }
  return a;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [m, c] : a)
    for (const auto& [n, d] : b) {
      Monomial mn = m;
      mn.insert(mn.end(), n.begin(), n.end());
      std::sort(mn.begin(), mn.end());
      std::int64_t product, sum;
      if (__builtin_mul_overflow(c, d, &product) || __builtin_add_overflow(out[mn], product, &sum)) return std::nullopt;
      if (sum)
        out[mn] = sum;
      else
        out.erase(mn);
    }
  return out;
}

std::optional<Polynomial> polynomial(Expr e) {
  switch (e.kind()) {
    case ExprKind::constant: return e.number() ? Polynomial{{{}, e.number()}} : Polynomial{};
    case ExprKind::add:
    case ExprKind::sub: {
      auto a = polynomial(e.kid(0)), b = polynomial(e.kid(1));
      if (!a || !b) return std::nullopt;
      return add(*a, *b, e.is(ExprKind::add) ? 1 : -1);
    }
    case ExprKind::neg: {
      auto a = polynomial(e.kid(0));
      return a ? add({}, *a, -1) : std::nullopt;
    }
    case ExprKind::mul: {
      auto a = polynomial(e.kid(0)), b = polynomial(e.kid(1));
      return a && b ? multiply(*a, *b) : std::nullopt;
    }
    default: return Polynomial{{{e}, 1}};
  }
}

Expr to_expr(const Polynomial& p, ExprPool& pool) {
  Expr out;
  for (const auto& [m, c] : p) {
    Expr term;
    for (Expr f : m) term = term ? term * f : f;
    if (!term)
      term = pool.constant(c);
    else if (c != 1)
      term = pool.constant(c) * term;
    out = out ? out + term : term;
  }
  return out ? out : pool.constant(0);
}

std::size_t degree(const Polynomial& p) {
  std::size_t d = 0;
  for (const auto& [m, c] : p) d = std::max(d, m.size());
  return d;
}

std::int64_t weight(const Polynomial& p) {
  std::int64_t w = 0;
  for (const auto& [m, c] : p) w = std::max(w, c < 0 ? (c == INT64_MIN ? INT64_MAX : -c) : c);
  return w;
}

}  // namespace

void solve_ranges(const std::vector<std::pair<Expr, Expr>>& ranges, Assignment& at, ExprPool& pool) {
  for (const auto& [outer, ignored] : ranges)
    for (const auto& [inner, lo] : ranges) {
      auto value = at.find(inner.node());
      if (at.contains(outer.node()) || value == at.end()) continue;
      Assignment found = solve({outer}, {{lo, value->second}}, pool);
      if (auto it = found.find(outer.node()); it != found.end()) at.emplace(outer.node(), it->second);
    }
}

bool same_polynomial(Expr a, Expr b) {
  auto p = polynomial(a), q = polynomial(b);
  return p && q && *p == *q;
}

namespace {

class Solver {
 public:
  Solver(const std::vector<Expr>& unknowns, ExprPool& pool, const Assignment& below) : pool_(pool), below_(below) {
    for (Expr u : unknowns) unknown_.insert(u.node());
  }

  Assignment run(std::vector<Equation> equations) {
    work_ = std::move(equations);
    // The surest first, since what it tells may be what another equation needs; a guess at a time.
    for (int round = 0; round < 64 && !work_.empty(); ++round)
      if (!advance(Step::certain) && !advance(Step::digits) && !advance(Step::guess)) break;
    return found_;
  }

 private:
  enum class Step : std::uint8_t {
    certain,  // one unknown atom
    digits,   // several, the last ones below the coefficient of the first
    guess     // several, perhaps so
  };

  bool advance(Step kind) {
    std::vector<Equation> now = std::exchange(work_, {});
    bool progress = false;
    for (Equation& e : now) {
      if (progress && kind != Step::certain)
        work_.push_back(e);
      else
        progress |= step(e, kind);
    }
    progress |= combine_atoms();
    return progress;
  }

  // The largest value of the sum without one of its atoms, for coefficients that are not negative.
  std::optional<Polynomial> most(const std::map<Expr, Polynomial>& by_atom, Expr without) const {
    Polynomial sum;
    for (const auto& [atom, c] : by_atom) {
      if (atom == without) continue;
      auto limit = below_.find(atom.node());
      auto end = limit == below_.end() ? std::nullopt : polynomial(limit->second - 1);
      auto product = end ? multiply(c, *end) : std::nullopt;
      auto next = product ? add(sum, *product, 1) : std::nullopt;
      if (!next) return std::nullopt;
      sum = *next;
    }
    return sum;
  }

  // Whether the rest of a sum lies below the coefficient of its first atom, extents being at least 0.
  bool is_digit(const std::map<Expr, Polynomial>& by_atom, Expr first) const {
    auto rest = most(by_atom, first);
    auto gap = rest ? add(by_atom.at(first), *rest, -1) : std::nullopt;
    gap = gap ? add(*gap, Polynomial{{{}, 1}}, -1) : std::nullopt;
    return gap && std::all_of(gap->begin(), gap->end(), [](const auto& term) { return term.second >= 0; });
  }

  bool is_unknown(Expr e) const {
    return kir::mentions(e, [&](Expr l) { return unknown_.contains(l.node()) && !found_.contains(l.node()); });
  }

  void know(Expr atom, Expr value) {
    if (unknown_.contains(atom.node()))
      found_.emplace(atom.node(), value);
    else
      atoms_.emplace_back(atom, value);
  }

  // The value of an atom over unknowns, where an equation gave it.
  Expr atom_value(Expr atom) const {
    for (const auto& [known, value] : atoms_)
      if (known == atom) return value;
    return {};
  }

  bool step(Equation& e, Step kind) {
    Expr left = kir::substitute(e.left, [&](Expr l) {
      auto it = found_.find(l.node());
      return it == found_.end() ? Expr() : it->second;
    });
    if (!is_unknown(left)) return false;
    auto p = polynomial(left);
    if (!p) return false;
    std::map<Expr, Polynomial> by_atom;
    Polynomial known;
    Expr told;  // what known atoms add
    for (const auto& [m, c] : *p) {
      Expr atom, value;
      Monomial rest;
      int count = 0;
      for (Expr f : m) {
        if (Expr v = is_unknown(f) ? atom_value(f) : Expr()) {
          value = value ? value * v : v;
        } else if (is_unknown(f)) {
          atom = f;
          ++count;
        } else {
          rest.push_back(f);
        }
      }
      if (count > 1 || (count == 1 && value)) return false;
      if (value) {
        Expr term = to_expr(Polynomial{{rest, c}}, pool_) * value;
        told = told ? told + term : term;
      } else if (count == 0)
        known[m] = c;
      else
        by_atom[atom][rest] = c;
    }
    if (by_atom.empty()) return false;  // the unknowns cancel: nothing is learnt
    Expr right = known.empty() ? e.right : e.right - to_expr(known, pool_);
    if (told) right = right - told;
    if (by_atom.size() == 1) {
      auto& [atom, coefficient] = *by_atom.begin();
      know(atom, quotient(right, coefficient));
      return true;
    }
    if (kind == Step::certain) {
      work_.push_back(e);
      return false;
    }
    auto largest = by_atom.begin();
    bool unique = true;
    for (auto it = std::next(by_atom.begin()); it != by_atom.end(); ++it) {
      auto rank = [](const Polynomial& q) { return std::pair(degree(q), weight(q)); };
      if (rank(it->second) > rank(largest->second)) {
        largest = it;
        unique = true;
      } else if (rank(it->second) == rank(largest->second)) {
        unique = false;
      }
    }
    if (!unique || (kind == Step::digits && !is_digit(by_atom, largest->first))) {
      work_.push_back(e);  // perhaps another equation gives one of them
      return false;
    }
    Expr divisor = to_expr(largest->second, pool_);
    know(largest->first, floordiv(right, divisor));
    Polynomial rest;
    for (auto it = by_atom.begin(); it != by_atom.end(); ++it) {
      if (it == largest) continue;
      auto product = multiply(it->second, Polynomial{{{it->first}, 1}});
      auto sum = product ? add(rest, *product, 1) : std::nullopt;
      if (!sum) return false;
      rest = *sum;
    }
    work_.push_back({to_expr(rest, pool_), mod(right, divisor)});
    return true;
  }

  Expr quotient(Expr right, const Polynomial& c) {
    if (c == Polynomial{{{}, 1}}) return right;
    if (c == Polynomial{{{}, -1}}) return -right;
    return floordiv(right, to_expr(c, pool_));
  }

  bool combine_atoms() {
    bool progress = false;
    for (std::size_t i = 0; i < atoms_.size(); ++i)
      for (std::size_t j = 0; j < atoms_.size(); ++j) {
        auto [quot, q] = atoms_[i];
        auto [rem, r] = atoms_[j];
        if (!quot.is(ExprKind::floordiv) || !rem.is(ExprKind::mod)) continue;
        Expr x = quot.kid(0), d = quot.kid(1), y = rem.kid(0), f = rem.kid(1);
        if (is_unknown(d) || is_unknown(f)) continue;
        Expr solved;
        if (same_polynomial(x, y) && same_polynomial(d, f))
          solved = x;
        else if (y.is(ExprKind::floordiv) && same_polynomial(x, y.kid(0)) && same_polynomial(d, y.kid(1) * f))
          solved = y;
        if (solved == Expr() || !is_unknown(solved) || !done_.insert({quot.node(), rem.node()}).second) continue;
        work_.push_back({solved, q * f + r});
        progress = true;
      }
    return progress;
  }

  ExprPool& pool_;
  const Assignment& below_;
  std::set<const ExprNode*> unknown_;
  Assignment found_;
  std::vector<std::pair<Expr, Expr>> atoms_;
  std::set<std::pair<const ExprNode*, const ExprNode*>> done_;
  std::vector<Equation> work_;
};

}  // namespace

Assignment solve(const std::vector<Expr>& unknowns, std::vector<Equation> equations, ExprPool& pool, const Assignment& below) {
  return Solver(unknowns, pool, below).run(std::move(equations));
}

}  // namespace kir::proof
