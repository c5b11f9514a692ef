#include "lowering/segment.h"

#include <fmt/format.h>

#include <algorithm>

namespace kir::lowering {
namespace {

bool taken(const Abi& abi, const std::string& name) {
  auto is = [&](const auto& item) { return item.name == name; };
  return std::ranges::any_of(abi.views, is) || std::ranges::any_of(abi.scalars, is) || std::ranges::any_of(abi.symbols, is);
}

Expr extent_of(const KernelFacts& facts, const InstanceAxis& axis, ExprPool& pool) {
  auto import = [&](Expr e) { return pool.import(e, {}); };
  const bool from_zero = axis.lo.is_constant(0);
  const bool plain = facts.is_extent(axis.hi) || facts.never_negative(axis.hi);
  if (from_zero && plain) return import(axis.hi);
  if (axis.lo.is(ExprKind::constant) && axis.hi.is(ExprKind::constant)) {
    std::int64_t size = 0;
    if (!__builtin_sub_overflow(axis.hi.number(), axis.lo.number(), &size))
      return pool.constant(std::max<std::int64_t>(0, size));
  }
  return max(pool.constant(0), from_zero ? import(axis.hi) : import(axis.hi) - import(axis.lo));
}

Expr plus_lo(Expr c, Expr lo) { return lo.is_constant(0) ? c : c + lo; }

}  // namespace

std::string free_name(const Abi& abi, std::string wanted) {
  while (taken(abi, wanted)) wanted += '_';
  return wanted;
}

Expr product(std::span<const Expr> extents, ExprPool& pool) {
  Expr out;
  for (Expr e : extents) out = out ? out * e : e;
  return out ? out : pool.constant(1);
}

std::vector<Expr> decode(std::span<const Expr> lo, std::span<const Expr> extent, Expr local) {
  std::vector<Expr> out;
  for (std::size_t k = 0; k < extent.size(); ++k) {
    Expr c = local;
    if (k + 1 < extent.size()) c = floordiv(c, product(extent.subspan(k + 1), local.pool()));
    if (k > 0) c = mod(c, extent[k]);
    out.push_back(plus_lo(c, lo[k]));
  }
  return out;
}

Expr flatten(std::span<const Expr> lo, std::span<const Expr> extent, std::span<const Expr> at, ExprPool& pool) {
  Expr out;
  for (std::size_t k = 0; k < extent.size(); ++k) {
    Expr c = lo[k].is_constant(0) ? at[k] : at[k] - lo[k];
    if (k + 1 < extent.size()) c = c * product(extent.subspan(k + 1), pool);
    out = out ? out + c : c;
  }
  return out ? out : pool.constant(0);
}

SpacePlan plan_space(const KernelFacts& facts, std::span<const GroupPlan> groups, ExprPool& pool) {
  const Abi& abi = facts.kernel().abi;
  SpacePlan space;
  space.grid_name = free_name(abi, "G");
  Expr end;  // of the segments so far, by the names of their definitions
  for (std::size_t g = 0; g < groups.size(); ++g) {
    SegmentPlan s;
    s.group = free_name(abi, fmt::format("g{}", g));
    s.length_name = free_name(abi, fmt::format("L{}", g));
    s.offset_name = free_name(abi, fmt::format("O{}", g));
    for (const InstanceAxis& axis : groups[g].workset.axes) {
      s.axes.push_back(axis.name);
      s.lo.push_back(pool.import(axis.lo, {}));
      s.hi.push_back(pool.import(axis.hi, {}));
      s.extent.push_back(extent_of(facts, axis, pool));
    }
    s.length = product(s.extent, pool);
    s.offset = end ? end : pool.constant(0);
    end = pool.symbol(s.offset_name) + pool.symbol(s.length_name);
    space.segments.push_back(std::move(s));
  }
  space.grid = end ? ceildiv(end, pool.constant(space.pack)) : pool.constant(0);
  return space;
}

}  // namespace kir::lowering
