#include "core/base/check.h"
#include "core/interp/decoder.h"

namespace kir {

Code Decoder::run(std::span<const RegionId> roots) {
  code_.regions.resize(body_.region_count());
  code_.integer_width.resize(body_.value_count());
  code_.tile_shapes.resize(body_.value_count());
  hidden_ = static_cast<Slot>(body_.value_count());
  for (std::uint32_t i = 0; i < body_.value_count(); ++i) {
    const Type& t = body_.type(ValueId(i));
    if (t.is(TypeKind::scalar)) code_.integer_width[i] = static_cast<std::uint8_t>(bit_width(t.dtype));
    if (t.is(TypeKind::fragment))
      for (Expr e : t.shape) code_.tile_shapes[i].push_back(e.is(ExprKind::constant) ? e.number() : 0);
  }
  for (ValueId v : in_.workspace) buffer_view(v);
  for (RegionId r : roots) region(r);
  code_.integer_slots = hidden_;
  return std::move(code_);
}

std::vector<Slot> Decoder::slots(std::span<const ValueId> values) const {
  std::vector<Slot> out;
  for (ValueId v : values) out.push_back(slot(v));
  return out;
}

std::span<const ValueId> Decoder::yields(RegionId r) const {
  const Region& region = body_.region(r);
  if (region.ops.empty() || !row(body_.op(region.ops.back()).kind).terminator) return {};
  return body_.op(region.ops.back()).operands;
}

std::uint32_t Decoder::expression(Expr e, IndexCode::Limits limits) {
  code_.expressions.emplace_back(e, body_, *in_.symbols, limits);
  return static_cast<std::uint32_t>(code_.expressions.size() - 1);
}

IndexCode::Limits Decoder::limits_for(const Type& t) const {
  if (!in_.physical || t.is(TypeKind::index)) return IndexCode::Limits::exact();
  return IndexCode::Limits::width(t.dtype == DType::i32 ? DType::i32 : DType::i64);
}

void Decoder::region(RegionId r) {
  for (OpId id : body_.region(r).ops) {
    if (row(body_.op(id).kind).terminator) continue;
    Instr instr = decode(id);
    instr.op = id;
    code_.regions[r.index].instrs.push_back(instr);
  }
}

Instr Decoder::decode(OpId id) {
  const Op& op = body_.op(id);
  Instr i;
  if (!op.results.empty()) {
    i.dst = slot(op.results[0]);
    i.type = body_.type(op.results[0]).dtype;
  }
  switch (op.kind) {
    case OpKind::constant:
      i.kind = InstrKind::constant;
      i.word = op.attrs.get<Scalar>(AttrKey::literal).bits;
      return i;
    case OpKind::index: {
      const Type& t = body_.type(op.results[0]);
      i.plan = expression(op.attrs.get<Expr>(AttrKey::expr), limits_for(t));
      i.kind = t.is(TypeKind::fragment) ? InstrKind::tile_index : InstrKind::index;
      return i;
    }
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::div:
    case OpKind::fma:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
    case OpKind::sqrt:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u:
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
    case OpKind::cmp:
    case OpKind::select:
    case OpKind::convert: return pointwise(op, i);
    case OpKind::load:
    case OpKind::store:
    case OpKind::elem: return access(op, i);
    case OpKind::assume_in_bounds: return in_bounds(op, i);
    case OpKind::buffer: return buffer(op, i);
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas: return atomic(op, i);
    case OpKind::scatter: return scatter(op, i);
    case OpKind::histogram: return histogram(op, i);
    case OpKind::view:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::broadcast:
      i.kind = InstrKind::extents;
      i.plan = relation(op);
      for (RegionId r : op.regions) region(r);
      return i;
    case OpKind::tensor:
      i.kind = InstrKind::tensor_compute;
      region(op.regions[0]);
      i.plan = keep(code_.tensors, {domain(op, op.regions[0]), op.regions[0], slot(yields(op.regions[0])[0])});
      return i;
    case OpKind::parallel:
      i.kind = InstrKind::parallel;
      region(op.regions[0]);
      i.plan = keep(code_.parallels, {domain(op, op.regions[0]), op.regions[0], stored_views(op.regions[0])});
      return i;
    case OpKind::for_loop: return for_loop(op, i);
    case OpKind::while_loop: return while_loop(op, i);
    case OpKind::if_else: return if_else(op, i);
    case OpKind::assume:
      i.kind = InstrKind::assume;
      i.a = slot(op.operands[0]);
      return i;
    case OpKind::splat:
      i.kind = InstrKind::splat;
      i.a = slot(op.operands[0]);
      return i;
    case OpKind::tile_reduce: return tile_reduce(op, i);

    // tensors and random numbers
    case OpKind::philox4x32_10: return philox(op, i);
    case OpKind::reshape: return reshape(op, i);
    case OpKind::concat: return concat(op, i);
    case OpKind::iota: return iota(op, i);
    case OpKind::gather: return gather(op, i);
    case OpKind::part: return part(op, i);

    case OpKind::reduce: return reduce(op, i);
    case OpKind::arg_reduce: return arg_reduce(op, i);
    case OpKind::scan: return scan(op, i);
    case OpKind::contract: return contract(op, i);

    // folds and scans over regions
    case OpKind::region_fold:
    case OpKind::region_scan: return segments(op, i);

    case OpKind::break_loop:
    case OpKind::continue_loop:
    case OpKind::yield:
    case OpKind::next: KIR_UNREACHABLE("terminators are no instructions");
  }
  KIR_UNREACHABLE("operation kind");
}

Instr Decoder::pointwise(const Op& op, Instr i) {
  i.operands = static_cast<std::uint8_t>(op.operands.size());
  Slot* to[] = {&i.a, &i.b, &i.c};
  bool tile = false, tensor = false;
  for (std::size_t k = 0; k < op.operands.size() && k < 3; ++k) {
    *to[k] = slot(op.operands[k]);
    tile = tile || body_.type(op.operands[k]).is(TypeKind::fragment);
    tensor = tensor || body_.type(op.operands[k]).is(TypeKind::tensor);
  }
  const Type &result = body_.type(op.results[0]), &first = body_.type(op.operands[0]);
  i.from = first.dtype;
  if (op.kind == OpKind::cmp) {
    i.inner = InstrKind::cmp;
    i.word = static_cast<std::uint64_t>(op.attrs.get<CmpPredicate>(AttrKey::predicate));
    if (first.is(TypeKind::index)) return i;
  } else if (op.kind == OpKind::convert) {
    i.inner = result.is(TypeKind::index)  ? InstrKind::convert_to_index
              : first.is(TypeKind::index) ? InstrKind::convert_from_index
                                          : InstrKind::convert;
    i.word = static_cast<std::uint64_t>(op.attrs.get<ConvertMode>(AttrKey::mode));
  } else if (op.kind == OpKind::select && result.is(TypeKind::index)) {
    i.inner = InstrKind::select_index;
  } else {
    i.inner = op.kind == OpKind::select ? InstrKind::select : InstrKind::pointwise;
    i.function = pointwise_function(op.kind, i.type);
    if (!i.function || result.is(TypeKind::index)) return i;
  }
  i.kind = tile ? InstrKind::tile_pointwise : tensor ? InstrKind::tensor_pointwise : i.inner;
  if (tensor) {
    TensorPointwisePlan plan;
    for (std::size_t k = 0; k < op.operands.size() && k < 3; ++k)
      if (body_.type(op.operands[k]).is(TypeKind::tensor)) plan.accesses[k] = access_of(op.operands[k]);
    i.plan = keep(code_.tensor_operations, plan);
  }
  return i;
}

Code decode(const DecodeInput& input, std::span<const RegionId> roots) { return Decoder(input).run(roots); }

}  // namespace kir
