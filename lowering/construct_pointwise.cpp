// Pointwise operations: the same operation on translated operands. Index values are i64 in the program, so that a conversion
// from an index starts at i64 and one to an index ends there.
#include "lowering/translate.h"

namespace kir::lowering {

void Translator::pointwise(OpId id) { bind_results(id, emit_like(id)); }

void Translator::index(OpId id) {
  const Op& op = b_.op(id);
  Expr kir = op.attrs.get<Expr>(AttrKey::expr);
  Expr e = expr(kir);
  OpId made = emit_like(id);
  ValueId v = builder_.result(made);
  builder_.set_value_origin(v, op.results[0]);
  map_[op.results[0]] = v;
  claims_.define(v, e);
  claims_.define_spec(op.results[0], kir);
}

void Translator::part(OpId id) {
  const Op& op = b_.op(id);
  const ExprList& range = op.attrs.get<ExprList>(AttrKey::ranges);
  const Expr lo = expr(range[0]), hi = expr(range[1]);
  const Expr meant_lo = claims_.spec(range[0]), meant_hi = claims_.spec(range[1]);
  map_[op.results[0]] = materialise(lo, id, b_.value(op.results[0]).name);
  map_[op.results[1]] = materialise(max(lo, hi), id, b_.value(op.results[1]).name);
  claims_.bind_spec(op.results[0], meant_lo);
  claims_.bind_spec(op.results[1], max(meant_lo, meant_hi));
}

void Translator::convert(OpId id) {
  const Op& op = b_.op(id);
  const Type& from = b_.type(op.operands[0]);
  const Type& to = b_.type(op.results[0]);
  const auto mode = op.attrs.get<ConvertMode>(AttrKey::mode);
  const bool same_bits =
      (from.is(TypeKind::index) && to.is_scalar(DType::i64)) || (to.is(TypeKind::index) && from.is_scalar(DType::i64));
  if (same_bits && (mode == ConvertMode::sint || mode == ConvertMode::wrap)) {
    bind(op.results[0], value(op.operands[0]));
    return;
  }
  // As i64, the bits of u64 read with a sign are a `wrap`.
  if (to.is(TypeKind::index) && mode == ConvertMode::sint && from.is_scalar(DType::u64)) {
    bind_results(id, builder_.emit(OpKind::convert, {value(op.operands[0])}, Attrs{{AttrKey::mode, ConvertMode::wrap}},
                                   {type(to)}, op.range, id, {fresh_name(b_.value(op.results[0]).name)}));
    return;
  }
  if (to.is(TypeKind::index) && mode == ConvertMode::uint && bit_width(from.dtype) == 64) {
    diagnostics_.error("L-04", op.range, "an unsigned 64-bit integer as an index may exceed the 64-bit indices of a program",
                       "convert it as a signed integer (sint)");
  }
  bind_results(id, emit_like(id));
}

}  // namespace kir::lowering
