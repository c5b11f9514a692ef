// Ranges of atoms and polynomials, from constant bounds and from what composite atoms are.
#include <algorithm>

#include "core/index/simplify_engine.h"

namespace kir {

Range intersect(Range a, Range b) {
  if (b.lo && (!a.lo || *b.lo > *a.lo)) a.lo = b.lo;
  if (b.hi && (!a.hi || *b.hi < *a.hi)) a.hi = b.hi;
  return a;
}

namespace {

// Bounds beyond this are no bounds: what is left can be negated, and the length of an interval fits.
constexpr Integer kMostBound = Integer{1} << 125;
std::optional<Integer> kept(Integer v) { return v > kMostBound || v < -kMostBound ? std::optional<Integer>() : v; }

std::optional<Integer> add(std::optional<Integer> a, std::optional<Integer> b) {
  Integer r;
  if (!a || !b || __builtin_add_overflow(*a, *b, &r)) return {};
  return kept(r);
}

std::optional<Integer> multiply(Integer a, Integer b) {
  Integer r;
  return __builtin_mul_overflow(a, b, &r) ? std::optional<Integer>() : kept(r);
}

// The product of two intervals, exact where both are finite or both are one-sided with known signs.
Range times(const Range& a, const Range& b) {
  auto zero = [](const Range& r) { return r.lo && r.hi && *r.lo == 0 && *r.hi == 0; };
  if (zero(a) || zero(b)) return {0, 0};
  Range out;
  if (a.lo && a.hi && b.lo && b.hi) {
    std::optional<Integer> least, most;
    for (Integer x : {*a.lo, *a.hi})
      for (Integer y : {*b.lo, *b.hi}) {
        const std::optional<Integer> v = multiply(x, y);
        if (!v) return out;
        least = least ? std::min(*least, *v) : *v;
        most = most ? std::max(*most, *v) : *v;
      }
    return {least, most};
  }
  auto flip = [](const Range& r) {
    Range f;
    if (r.hi) f.lo = -*r.hi;
    if (r.lo) f.hi = -*r.lo;
    return f;
  };
  auto negative = [](const Range& r) { return r.hi && *r.hi <= 0 && !(r.lo && *r.lo >= 0); };
  if (negative(a)) return flip(times(flip(a), b));
  if (negative(b)) return flip(times(a, flip(b)));
  bool a_pos = a.lo && *a.lo >= 0, b_pos = b.lo && *b.lo >= 0;
  if (a_pos && b_pos) {
    out.lo = multiply(*a.lo, *b.lo).value_or(0);
    if (a.hi && b.hi) out.hi = multiply(*a.hi, *b.hi);
  } else if (a_pos && a.hi) {  // b crosses zero and is open on one side
    if (b.lo) out.lo = multiply(*a.hi, *b.lo);
    if (b.hi) out.hi = multiply(*a.hi, *b.hi);
  } else if (b_pos && b.hi) {
    return times(b, a);
  }
  return out;
}

}  // namespace

Range SimplifyEngine::atom_range(Expr a) {
  if (auto it = atom_ranges_.find(a); it != atom_ranges_.end()) return it->second;
  Range r;
  if (auto it = ranges_.find(a); it != ranges_.end()) r = it->second;
  atom_ranges_[a] = r;  // while the operands are looked at
  if (auto rem = remainders_.find(a); rem != remainders_.end()) {
    const Division division = divisions_.at(rem->second);
    Range d = range(division.divisor), n = range(division.dividend);
    r = intersect(r, {0, add(d.hi, -1)});
    if (n.lo && *n.lo >= 0) r = intersect(r, {{}, n.hi});
  } else if (auto quo = divisions_.find(a); quo != divisions_.end()) {
    const Division division = quo->second;
    Range d = range(division.divisor), n = range(division.dividend);
    Integer smallest = d.lo && *d.lo > 1 ? *d.lo : 1;
    // The divisor is positive; where its range says otherwise, the facts contradict each other and nobody has seen it yet.
    if (n.lo && *n.lo >= 0)
      r = intersect(r, {d.hi && *d.hi >= 1 ? *n.lo / *d.hi : 0, {}});
    else if (n.lo)
      r = intersect(r, {floor_quotient(*n.lo, smallest), {}});
    if (n.hi && *n.hi >= 0)
      r = intersect(r, {{}, *n.hi / smallest});
    else if (n.hi)
      r = intersect(r, {{}, -1});
  } else if (a.is(ExprKind::min) || a.is(ExprKind::max)) {
    Range x = range(flat(a.kid(0))), y = range(flat(a.kid(1)));
    bool smaller = a.is(ExprKind::min);
    auto both = [&](std::optional<Integer> u, std::optional<Integer> v, bool least) -> std::optional<Integer> {
      if (!u || !v) return {};
      return least ? std::min(*u, *v) : std::max(*u, *v);
    };
    if (smaller) {
      r = intersect(r, {both(x.lo, y.lo, true), x.hi});
      r = intersect(r, {{}, y.hi});
    } else {
      r = intersect(r, {x.lo, both(x.hi, y.hi, false)});
      r = intersect(r, {y.lo, {}});
    }
  } else if (a.is(ExprKind::ite)) {
    Range x = range(flat(a.kid(1))), y = range(flat(a.kid(2)));
    Range u;
    if (x.lo && y.lo) u.lo = std::min(*x.lo, *y.lo);
    if (x.hi && y.hi) u.hi = std::max(*x.hi, *y.hi);
    r = intersect(r, u);
  }
  atom_ranges_[a] = r;
  return r;
}

Range SimplifyEngine::range(const Polynomial& p) {
  if (!p.ok()) return {};
  Range sum{0, 0};
  for (const auto& [m, c] : p.terms()) {
    Range t{c, c};
    for (std::size_t i = 0; i < m.size();) {
      std::size_t power = 0;
      while (i + power < m.size() && m[i + power] == m[i]) ++power;
      Range a = atom_range(m[i]), product{1, 1};
      for (std::size_t k = 0; k < power; ++k) product = times(product, a);
      if (power % 2 == 0) product = intersect(product, {0, {}});
      t = times(t, product);
      i += power;
    }
    sum = {add(sum.lo, t.lo), add(sum.hi, t.hi)};
  }
  return sum;
}

}  // namespace kir
