// Launch-visible bounds of integer expressions, by intervals: how large a buffer may be whose extents are not known before the
// launch.
#include <algorithm>

#include "lowering/facts.h"

namespace kir::lowering {
namespace {

// The operation whose region the value is a variable of, with the position among its ranges.
const Op* ranging(const Body& b, const Value& v) {
  if (!v.region || !b.region(v.region).parent) return nullptr;
  const Op& op = b.op(b.region(v.region).parent);
  const ExprList* ranges = op.attrs.find<ExprList>(AttrKey::ranges);
  const bool own = op.kind == OpKind::parallel || op.kind == OpKind::tensor || op.kind == OpKind::reduce ||
                   op.kind == OpKind::scan || op.kind == OpKind::for_loop;
  return own && ranges && 2 * v.position + 1 < ranges->size() ? &op : nullptr;
}

// The fold or scan whose segment has this extent: hi - lo.
const Op* segment(const Body& b, Expr extent) {
  if (!extent.kid(0).is(ExprKind::value) || !extent.kid(1).is(ExprKind::value)) return nullptr;
  const Value &hi = b.value(extent.kid(0).value()), &lo = b.value(extent.kid(1).value());
  if (!hi.region || hi.region != lo.region || !b.region(hi.region).parent || hi.position != 1 || lo.position != 0)
    return nullptr;
  const Op& op = b.op(b.region(hi.region).parent);
  return op.kind == OpKind::region_fold || op.kind == OpKind::region_scan ? &op : nullptr;
}

}  // namespace

KernelFacts::Bounds KernelFacts::bounds(Expr e) const {
  if (launch_visible(e)) return {e, e};
  auto kid = [&](std::size_t i) { return bounds(e.kid(i)); };
  switch (e.kind()) {
    case ExprKind::value: {
      const Value& v = body().value(e.value());
      const Op* op = ranging(body(), v);
      if (!op) return {};
      const ExprList& ranges = op->attrs.get<ExprList>(AttrKey::ranges);
      Bounds lo = bounds(expand(ranges[2 * v.position])), hi = bounds(expand(ranges[2 * v.position + 1]));
      return {lo.lo, hi.hi ? hi.hi - 1 : Expr()};
    }
    case ExprKind::add: {
      Bounds a = kid(0), b = kid(1);
      return {a.lo && b.lo ? a.lo + b.lo : Expr(), a.hi && b.hi ? a.hi + b.hi : Expr()};
    }
    case ExprKind::sub: {
      if (const Op* op = segment(body(), e)) {
        const ExprList& range = op->attrs.get<ExprList>(AttrKey::ranges);
        Bounds axis_lo = bounds(expand(range[0])), axis_hi = bounds(expand(range[1]));
        if (!axis_lo.lo || !axis_hi.hi) return {};
        return {pool_.constant(1), axis_lo.lo.is_constant(0) ? axis_hi.hi : axis_hi.hi - axis_lo.lo};
      }
      Bounds a = kid(0), b = kid(1);
      return {a.lo && b.hi ? a.lo - b.hi : Expr(), a.hi && b.lo ? a.hi - b.lo : Expr()};
    }
    case ExprKind::mul: {
      const std::size_t constant = e.kid(0).is(ExprKind::constant) ? 0 : 1;
      if (!e.kid(constant).is(ExprKind::constant)) return {};
      const std::int64_t factor = e.kid(constant).number();
      Bounds a = kid(1 - constant);
      if (factor < 0) std::swap(a.lo, a.hi);
      return {a.lo ? a.lo * factor : Expr(), a.hi ? a.hi * factor : Expr()};
    }
    case ExprKind::floordiv:
    case ExprKind::ceildiv: {
      if (!e.kid(1).is(ExprKind::constant) || e.kid(1).number() < 1) return {};
      Bounds a = kid(0);
      auto divided = [&](Expr x) { return e.is(ExprKind::floordiv) ? floordiv(x, e.kid(1)) : ceildiv(x, e.kid(1)); };
      return {a.lo ? divided(a.lo) : Expr(), a.hi ? divided(a.hi) : Expr()};
    }
    case ExprKind::mod:
      if (!e.kid(1).is(ExprKind::constant) || e.kid(1).number() < 1) return {};
      return {pool_.constant(0), pool_.constant(e.kid(1).number() - 1)};
    case ExprKind::min: {
      Bounds a = kid(0), b = kid(1);
      return {a.lo && b.lo ? min(a.lo, b.lo) : Expr(), a.hi && b.hi ? min(a.hi, b.hi) : a.hi ? a.hi : b.hi};
    }
    case ExprKind::max: {
      Bounds a = kid(0), b = kid(1);
      return {a.lo && b.lo ? max(a.lo, b.lo) : a.lo ? a.lo : b.lo, a.hi && b.hi ? max(a.hi, b.hi) : Expr()};
    }
    case ExprKind::ite: {
      Bounds a = kid(1), b = kid(2);
      return {a.lo && b.lo ? min(a.lo, b.lo) : Expr(), a.hi && b.hi ? max(a.hi, b.hi) : Expr()};
    }
    default: return {};
  }
}

}  // namespace kir::lowering
