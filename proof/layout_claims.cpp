#include "proof/layout_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/base/check.h"
#include "core/index/parse_expr.h"
#include "core/layout/text.h"

namespace kir::proof {
namespace {

using layout::Axis;
using layout::Iter;
using layout::Layout;
using layout::Size;
using layout::TileLayout;

Expr expr_of(const Size& s, ExprPool& pool) {
  KIR_CHECK(s.ok(), "a size that overflowed");
  std::string error;
  const Expr e = parse_expr(pool, s.text(), &error);
  KIR_CHECK(e, "the size {}: {}", s.text(), error);
  return e;
}

// Digits of one layout, or of the differences of two copies: variables with their ranges.
class Digits {
 public:
  Digits(const TileLayout& l, ExprPool& pool, bool differences) : layout_(l), pool_(pool), differences_(differences) {}

  Expr add(const Iter& i, std::string_view hint) {
    const Expr v = pool_.fresh(hint), extent = expr_of(i.extent, pool_);
    ranges.push_back(less_equal(differences_ ? pool_.constant(1) - extent : pool_.constant(0), v));
    ranges.push_back(less(v, extent));
    all.push_back(v);
    auto [at, fresh] = sums_.try_emplace(i.axis, v * expr_of(i.stride, pool_));
    if (!fresh) at->second = at->second + v * expr_of(i.stride, pool_);
    return v;
  }
  void shard(std::string_view hint) {
    for (const Iter& i : layout_.shard()) add(i, hint);
  }
  void replica(std::string_view hint) {
    for (const Iter& i : layout_.replica()) add(i, hint);
  }
  // The sum on an axis; with the offset for digits.
  Expr on(Axis a) const {
    const auto at = sums_.find(a);
    Expr e = at == sums_.end() ? pool_.constant(0) : at->second;
    return differences_ ? e : e + expr_of(layout_.offset_on(a), pool_);
  }
  // The linear position of the element; the shard's digits come first.
  Expr position() const {
    Expr x = pool_.constant(0);
    for (std::size_t k = 0; k < layout_.shard().size(); ++k) x = x * expr_of(layout_.shard()[k].extent, pool_) + all[k];
    return x;
  }

  std::vector<Expr> all, ranges;

 private:
  const TileLayout& layout_;
  ExprPool& pool_;
  const bool differences_;
  std::map<Axis, Expr> sums_;
};

std::vector<Axis> axes_of(const LayoutQuestion& q) {
  std::set<Axis> out;
  for (const Axis a : q.layout.tile.axes()) out.insert(a);
  if (q.other)
    for (const Axis a : q.other->tile.axes()) out.insert(a);
  return {out.begin(), out.end()};
}

std::vector<std::string> symbols_of(const LayoutQuestion& q) {
  std::set<std::string> out;
  for (std::string& s : q.layout.tile.symbols()) out.insert(std::move(s));
  if (q.other)
    for (std::string& s : q.other->tile.symbols()) out.insert(std::move(s));
  return {out.begin(), out.end()};
}

// The number of places in the box of the reach; none where the sign of a stride is not known.
std::optional<Size> box_size(const TileLayout& l) {
  Size out = 1;
  for (const Axis a : l.axes()) {
    Size side = 1;
    for (const auto* iters : {&l.shard(), &l.replica()})
      for (const Iter& i : *iters) {
        if (i.axis != a) continue;
        if (at_least(i.stride, 0))
          side = side + (i.extent - 1) * i.stride;
        else if (at_least(-i.stride, 0))
          side = side - (i.extent - 1) * i.stride;
        else
          return std::nullopt;
      }
    out = out * side;
  }
  return out.ok() ? std::optional(out) : std::nullopt;
}

bool same_replicas(const TileLayout& a, const TileLayout& b) {
  std::vector<Iter> rest = b.replica();
  for (const Iter& i : a.replica()) {
    const auto at = std::ranges::find(rest, i);
    if (at == rest.end()) return false;
    rest.erase(at);
  }
  return rest.empty();
}

layout::Result<LayoutQuestion> at_sizes(const LayoutQuestion& q, const layout::Binding& sizes) {
  LayoutQuestion out = q;
  layout::Result<TileLayout> bound = q.layout.tile.bind(sizes);
  if (!bound) return layout::Error(bound.error());
  out.layout.tile = *bound;
  if (q.other) {
    bound = q.other->tile.bind(sizes);
    if (!bound) return layout::Error(bound.error());
    out.other->tile = *bound;
  }
  return out;
}

layout::Decision refutation(layout::Witness w, std::string what) {
  what += layout::to_string(w);
  return {layout::Outcome::refuted, layout::By::solver, std::move(w), std::move(what)};
}

std::int64_t flat_of(const std::vector<Iter>& iters, const std::vector<std::int64_t>& digits) {
  std::int64_t x = 0;
  for (std::size_t k = 0; k < iters.size(); ++k) x = x * *iters[k].extent.constant() + digits[k];
  return x;
}

// The digits of a model, of a question without symbols, as copies; checked by the forward map.
std::optional<layout::Decision> checked(const LayoutQuestion& q, const std::vector<std::int64_t>& digits) {
  const TileLayout& tile = q.layout.tile;
  const std::size_t n = tile.shard().size(), r = tile.replica().size();
  layout::Witness w;
  const auto inside = [](const std::vector<Iter>& iters, const std::vector<std::int64_t>& d) {
    for (std::size_t k = 0; k < iters.size(); ++k)
      if (d[k] < 0 || d[k] >= *iters[k].extent.constant()) return false;
    return true;
  };
  switch (q.claim) {
    case LayoutClaim::injective:
    case LayoutClaim::exclusive:
    case LayoutClaim::replica_consistent: {
      std::vector<std::int64_t> x(n), y(n), cx, cy;
      std::size_t at = 0;
      if (q.claim != LayoutClaim::replica_consistent)
        for (std::size_t k = 0; k < n; ++k, ++at) (digits[at] > 0 ? x : y)[k] = std::abs(digits[at]);
      if (q.claim != LayoutClaim::injective) {
        cx.resize(r);
        cy.resize(r);
        for (std::size_t t = 0; t < r; ++t, ++at) (digits[at] > 0 ? cx : cy)[t] = std::abs(digits[at]);
      }
      if (!inside(tile.shard(), x) || !inside(tile.shard(), y) ||
          (!cx.empty() && (!inside(tile.replica(), cx) || !inside(tile.replica(), cy))))
        return {};
      w = {{}, flat_of(tile.shard(), x), flat_of(tile.shard(), y), cx, cy, {}};
      w.place = copy_place(q.layout, w.x, cx);
      const bool differ = q.claim == LayoutClaim::replica_consistent ? cx != cy : w.x != w.y;
      if (!differ || !(w.place == copy_place(q.layout, w.y, cy))) return {};
      return refutation(std::move(w), "");
    }
    case LayoutClaim::disjoint: {
      const TileLayout& other = q.other->tile;
      const auto begin = digits.begin();
      const auto part = [&](std::size_t from, std::size_t count) {
        return std::vector<std::int64_t>(begin + static_cast<std::ptrdiff_t>(from),
                                         begin + static_cast<std::ptrdiff_t>(from + count));
      };
      const std::vector<std::int64_t> x = part(0, n), cx = part(n, r), y = part(n + r, other.shard().size()),
                                      cy = part(n + r + other.shard().size(), other.replica().size());
      if (!inside(tile.shard(), x) || !inside(tile.replica(), cx) || !inside(other.shard(), y) || !inside(other.replica(), cy))
        return {};
      w = {{}, flat_of(tile.shard(), x), flat_of(other.shard(), y), cx, cy, {}};
      w.place = copy_place(q.layout, w.x, cx);
      if (!(w.place == copy_place(*q.other, w.y, cy))) return {};
      return refutation(std::move(w), "of the first and the second layout, ");
    }
    case LayoutClaim::covering:
    case LayoutClaim::equal:
    case LayoutClaim::bijective: return {};  // by its sizes alone
  }
  KIR_UNREACHABLE("claim");
}

}  // namespace

std::string_view name(LayoutClaim c) {
  switch (c) {
    case LayoutClaim::injective: return "injective";
    case LayoutClaim::exclusive: return "exclusive";
    case LayoutClaim::replica_consistent: return "replica-consistent";
    case LayoutClaim::covering: return "covering";
    case LayoutClaim::equal: return "equal";
    case LayoutClaim::disjoint: return "disjoint";
    case LayoutClaim::bijective: return "bijective";
  }
  KIR_UNREACHABLE("claim");
}

ObligationKind kind_of(LayoutClaim c) {
  switch (c) {
    case LayoutClaim::injective:
    case LayoutClaim::exclusive:
    case LayoutClaim::disjoint: return ObligationKind::layout_injective;
    case LayoutClaim::replica_consistent: return ObligationKind::replica_consistent;
    case LayoutClaim::covering: return ObligationKind::layout_covering;
    case LayoutClaim::equal: return ObligationKind::relation_equal;
    case LayoutClaim::bijective: return ObligationKind::swizzle_bijective;
  }
  KIR_UNREACHABLE("claim");
}

std::string sentence(const LayoutQuestion& q) {
  const std::string l = to_string(q.layout), other = q.other ? to_string(*q.other) : "";
  switch (q.claim) {
    case LayoutClaim::injective: return l + " gives different elements different base places";
    case LayoutClaim::exclusive: return l + " has copies of two elements at no place";
    case LayoutClaim::replica_consistent: return l + " has the copies of an element at different places";
    case LayoutClaim::covering:
      return l + (q.box ? " has an element at each place of the box" : " has an element at each place of its reach");
    case LayoutClaim::equal: return fmt::format("{} and {} give each element the same places", l, other);
    case LayoutClaim::disjoint: return fmt::format("{} and {} have no place in common", l, other);
    case LayoutClaim::bijective:
      return fmt::format("{} permutes each block of {} addresses that starts at a multiple of {}", to_string(*q.layout.swizzle),
                         q.block, q.alignment);
  }
  KIR_UNREACHABLE("claim");
}

layout::Decision decide_by_arguments(const LayoutQuestion& q) {
  switch (q.claim) {
    case LayoutClaim::injective: return layout::injective(q.layout);
    case LayoutClaim::exclusive: return layout::exclusive(q.layout);
    case LayoutClaim::replica_consistent: return layout::replica_consistent(q.layout);
    case LayoutClaim::covering: return layout::covering(q.layout, q.box);
    case LayoutClaim::equal: return layout::equal(q.layout, *q.other);
    case LayoutClaim::disjoint: return layout::disjoint(q.layout, *q.other);
    case LayoutClaim::bijective: return layout::bijective(*q.layout.swizzle, q.block, q.alignment);
  }
  KIR_UNREACHABLE("claim");
}

Expr swizzled(const layout::Swizzle& s, Expr address) {
  ExprPool& pool = address.pool();
  const auto power = [&](int bits) { return pool.constant(std::int64_t{1} << bits); };
  const auto bit = [&](int b) { return mod(floordiv(address, power(b)), power(1)); };
  const int low = s.per_element(), high = low + s.atom_len();  // where the two groups begin
  const int to = s.inner() ? low : high, from = s.inner() ? high : low;
  Expr out = floordiv(address, power(to + s.swizzle_len())) * power(to + s.swizzle_len());
  for (int b = s.swizzle_len(); b-- > 0;) out = out + mod(bit(to + b) + bit(from + b), power(1)) * power(to + b);
  return out + mod(address, power(to));
}

std::optional<LayoutFormula> formula_of(const LayoutQuestion& q, ExprPool& pool, std::string* why) {
  LayoutFormula out;
  Obligation& o = out.obligation;
  o.kind = kind_of(q.claim);
  o.key = fmt::format("layout {}", name(q.claim));
  o.sentence = sentence(q);
  for (const std::string& s : symbols_of(q)) o.hypotheses.push_back(less_equal(pool.constant(1), pool.symbol(s)));
  const Expr zero = pool.constant(0);
  const auto supposes = [&](const std::vector<Expr>& e) { o.hypotheses.insert(o.hypotheses.end(), e.begin(), e.end()); };
  const bool swizzle_matters = q.other && q.other->swizzle != q.layout.swizzle;
  const auto place = [&](const Layout& l, const Digits& d, Axis a) {
    return swizzle_matters && l.swizzle && a == Axis::memory() ? swizzled(*l.swizzle, d.on(a)) : d.on(a);
  };

  switch (q.claim) {
    case LayoutClaim::injective:
    case LayoutClaim::exclusive:
    case LayoutClaim::replica_consistent:
    case LayoutClaim::covering: {
      if (q.box || (q.claim == LayoutClaim::covering && q.layout.swizzle)) {
        *why = "a box, or a swizzle, has no formula";
        return std::nullopt;
      }
      Digits d(q.layout.tile, pool, true);
      if (q.claim != LayoutClaim::replica_consistent) d.shard("d");
      const std::size_t elements = d.all.size();
      if (q.claim != LayoutClaim::injective) d.replica("r");
      supposes(d.ranges);
      for (const Axis a : axes_of(q)) o.hypotheses.push_back(equal(d.on(a), zero));
      std::vector<Expr> goals;
      for (std::size_t i = 0; i < (q.claim == LayoutClaim::exclusive ? elements : d.all.size()); ++i)
        goals.push_back(equal(d.all[i], zero));
      if (q.claim == LayoutClaim::covering) {
        const std::optional<Size> box = box_size(q.layout.tile);
        const Size places = q.layout.tile.size() * q.layout.tile.copies();
        if (!box || !places.ok()) {
          *why = "a stride may have either sign, or the box is too large";
          return std::nullopt;
        }
        goals.push_back(equal(expr_of(places, pool), expr_of(*box, pool)));
      }
      out.digits = d.all;
      o.goal = pool.all_of(goals);
      return out;
    }
    case LayoutClaim::equal:
    case LayoutClaim::disjoint: {
      const bool equal_claim = q.claim == LayoutClaim::equal;
      if (equal_claim && (!(q.layout.tile.size() == q.other->tile.size()) || !same_replicas(q.layout.tile, q.other->tile) ||
                          (swizzle_matters && !q.layout.tile.replica().empty()))) {
        *why = "the sizes or the replicas differ in form";
        return std::nullopt;
      }
      Digits a(q.layout.tile, pool, false), b(q.other->tile, pool, false);
      for (Digits* d : {&a, &b}) {
        d->shard("c");
        if (!equal_claim) d->replica("r");
        supposes(d->ranges);
        out.digits.insert(out.digits.end(), d->all.begin(), d->all.end());
      }
      std::vector<Expr> goals;
      for (const Axis x : axes_of(q)) goals.push_back(equal(place(q.layout, a, x), place(*q.other, b, x)));
      if (equal_claim) o.hypotheses.push_back(equal(a.position(), b.position()));
      o.goal = equal_claim ? pool.all_of(goals) : negation(pool.all_of(goals));
      return out;
    }
    case LayoutClaim::bijective: {
      // Two addresses of one block; addresses are below 2^62.
      const Expr block = pool.fresh("q"), u = pool.fresh("u"), v = pool.fresh("v"), start = block * pool.constant(q.alignment);
      const Expr most = pool.constant(std::int64_t{1} << 62);
      std::vector<Expr> goals;
      o.hypotheses.push_back(less_equal(zero, block));
      std::vector<Expr> moved;
      for (Expr w : {u, v}) {
        supposes({less_equal(zero, w), less(w, pool.constant(q.block)), less(start + w, most)});
        moved.push_back(swizzled(*q.layout.swizzle, start + w));
        goals.push_back(both(less_equal(start, moved.back()), less(moved.back(), start + pool.constant(q.block))));
      }
      goals.push_back(implies(equal(moved[0], moved[1]), equal(u, v)));
      o.goal = pool.all_of(goals);
      return out;
    }
  }
  KIR_UNREACHABLE("claim");
}

std::optional<layout::Decision> refutation_of(const LayoutQuestion& q, const LayoutFormula& f,
                                              const std::vector<Binding>& model) {
  const auto value = [&](const std::string& leaf) -> std::optional<std::int64_t> {
    for (const Binding& b : model) {
      if (b.leaf != leaf) continue;
      std::int64_t n = 0;
      const auto [end, error] = std::from_chars(b.value.data(), b.value.data() + b.value.size(), n);
      return error == std::errc() && end == b.value.data() + b.value.size() ? std::optional(n) : std::nullopt;
    }
    return 0;  // no leaf of the formula
  };
  layout::Binding sizes;
  for (const std::string& s : symbols_of(q)) {
    const std::optional<std::int64_t> n = value(s);
    if (!n || *n < 1) return std::nullopt;
    sizes[s] = *n;
  }
  const layout::Result<LayoutQuestion> bound = at_sizes(q, sizes);
  if (!bound) return std::nullopt;
  std::vector<std::int64_t> digits;
  for (Expr d : f.digits) {
    const std::optional<std::int64_t> n = value(to_string(d));
    if (!n) return std::nullopt;
    digits.push_back(*n);
  }
  std::optional<layout::Decision> out = checked(*bound, digits);
  if (!out) out = decide_by_arguments(*bound);  // at the model's sizes it may be decided
  if (out->outcome != layout::Outcome::refuted) return std::nullopt;
  out->by = layout::By::solver;
  const std::size_t before = layout::to_string(*out->witness).size();
  out->witness->sizes = sizes;
  out->why += layout::to_string(*out->witness).substr(before);
  return out;
}

}  // namespace kir::proof
