#include <fmt/format.h>

#include <algorithm>

#include "core/ir/derived_shape.h"
#include "core/ir/verify_body.h"

namespace kir {

void BodyVerifier::operation(OpId, const Op& o) {
  switch (o.kind) {
    case OpKind::constant: return constant(o);
    case OpKind::index: return index(o);
    case OpKind::cmp: return cmp(o);
    case OpKind::select: return select(o);
    case OpKind::convert: return convert(o);
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
    case OpKind::shra: return pointwise(o);
    case OpKind::load:
    case OpKind::store:
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas: return access(o);
    case OpKind::assume_in_bounds: return assume_in_bounds(o);
    case OpKind::buffer: return buffer(o);
    case OpKind::scatter: return scatter(o);
    case OpKind::histogram: return histogram(o);
    case OpKind::tensor: return tensor(o);
    case OpKind::elem: return elem(o);
    case OpKind::view: return view(o);
    case OpKind::transpose: return transpose(o);
    case OpKind::slice: return slice(o);
    case OpKind::broadcast: return broadcast(o);
    case OpKind::parallel: return parallel(o);
    case OpKind::for_loop: return for_loop(o);
    case OpKind::while_loop: return while_loop(o);
    case OpKind::if_else: return if_else(o);

    // tensors and random numbers
    case OpKind::philox4x32_10: return philox(o);
    case OpKind::reshape: return reshape(o);
    case OpKind::concat: return concat(o);
    case OpKind::iota: return iota(o);
    case OpKind::gather: return gather(o);
    case OpKind::part: return part(o);

    case OpKind::reduce: return reduce(o);
    case OpKind::arg_reduce: return arg_reduce(o);
    case OpKind::scan: return scan(o);
    case OpKind::contract: return contract(o);

    // folds and scans over regions
    case OpKind::region_fold: return region_fold(o);
    case OpKind::region_scan: return region_scan(o);

    case OpKind::yield:
    case OpKind::next: return;  // checked by their owner
    case OpKind::break_loop:
    case OpKind::continue_loop: return loop_exit(o);
    case OpKind::assume:
      if (!operand(o, 0).is_scalar(DType::i1)) error("V-13", o, fmt::format("takes an i1, not {}", text(operand(o, 0))));
      return;
    case OpKind::splat: return splat(o);
    case OpKind::tile_reduce: return tile_reduce(o);
  }
}

void BodyVerifier::results(const Op& o, const std::vector<Type>& types) {
  if (o.results.size() != types.size())
    return error("V-14", o, fmt::format("has {} results instead of {}", o.results.size(), types.size()));
  for (std::size_t i = 0; i < types.size(); ++i)
    if (body_.type(o.results[i]) != types[i])
      error("V-14", o, fmt::format("the result is {}, not {}", text(types[i]), text(body_.type(o.results[i]))));
}

void BodyVerifier::pointwise(const Op& o) {
  const Type& t = operand(o, 0);
  for (std::size_t i = 0; i < o.operands.size(); ++i) {
    if (!is_data(operand(o, i)))
      return error("V-13", o, fmt::format("works on data, not on {}", text(operand(o, i))),
                   operand(o, i).is(TypeKind::index) ? "index arithmetic is written with + - * floordiv mod min max" : "");
    if (operand(o, i) != t)
      return error("V-13", o, fmt::format("operands of types {} and {}", text(t), text(operand(o, i))), "convert one of them");
  }
  ElementClass c = row(o.kind).elements;
  if (c == ElementClass::floating && !is_float(t.dtype))
    return error("V-12", o, fmt::format("works on floats, not on {}", name(t.dtype)));
  if (c == ElementClass::integer && !is_integer(t.dtype))
    return error("V-12", o, fmt::format("works on integers, not on {}", name(t.dtype)));
  results(o, {t});
}

void BodyVerifier::constant(const Op& o) {
  const Scalar& s = o.attrs.get<Scalar>(AttrKey::literal);
  const Type& t = body_.type(o.results[0]);
  int width = bit_width(s.type);
  if (!t.is_scalar(s.type))
    error("V-25", o, fmt::format("a literal of type {} as {}", name(s.type), text(t)));
  else if (width < 64 && s.bits >> width != 0)
    error("V-25", o, "the literal has bits beyond its width");
}

void BodyVerifier::index(const Op& o) {
  Expr e = o.attrs.get<Expr>(AttrKey::expr);
  if (e == Expr()) return;  // V-18
  const WrittenOut size = written_out(e, [&](Expr leaf) {
    return leaf.is(ExprKind::value) && leaf.value().index < sizes_.size() ? sizes_[leaf.value().index] : WrittenOut{};
  });
  const bool deep = size.levels > kMaxLevels;
  if (deep || size.nodes > kMaxNodes)
    return error("V-34", o,
                 fmt::format("with the index values in it written out, the expression has more than {} {}",
                             deep ? kMaxLevels : kMaxNodes, deep ? "levels" : "terms"),
                 "carry the value in a loop, or take it from a view");
  if (o.results[0].index < sizes_.size()) sizes_[o.results[0].index] = size;
  const Type& t = body_.type(o.results[0]);
  bool boolean = e.sort() == Sort::boolean;
  if (!context_.physical) return results(o, {boolean ? Type::scalar(DType::i1) : Type::index()});
  if (!is_data(t) || (boolean ? t.dtype != DType::i1 : t.dtype != DType::i32 && t.dtype != DType::i64))
    return error("V-14", o, fmt::format("{} cannot have type {}", boolean ? "a truth value" : "an integer", text(t)),
                 boolean ? "" : "declare i64 or i32");
  for (Expr leaf : leaves(e)) {
    if (leaf.is(ExprKind::position)) {
      if (!t.is(TypeKind::fragment)) return error("W-09", o, "pos(k) needs a fragment as result");
      if (leaf.number() < 0 || leaf.number() >= static_cast<std::int64_t>(t.rank()))
        return error("W-09", o, fmt::format("pos({}) of a fragment with {} axes", leaf.number(), t.rank()));
    }
    if (!leaf.is(ExprKind::value) || leaf.value().index >= body_.value_count()) continue;
    const Type& l = body_.type(leaf.value());
    if (l.is(TypeKind::fragment) && (!t.is(TypeKind::fragment) || l.shape != t.shape || l.layout != t.layout))
      return error("W-09", o, fmt::format("a fragment {} in an expression of type {}", text(l), text(t)));
  }
}

void BodyVerifier::cmp(const Op& o) {
  const Type& t = operand(o, 0);
  if (!is_data(t) || operand(o, 1) != t)
    return error("V-13", o, fmt::format("operands of types {} and {}", text(t), text(operand(o, 1))));
  CmpPredicate p = o.attrs.get<CmpPredicate>(AttrKey::predicate);
  if (is_float_predicate(p) != is_float(t.dtype))
    return error("V-23", o, fmt::format("the predicate '{}' does not compare {}", name(p), name(t.dtype)));
  results(o, {t.with(DType::i1)});
}

void BodyVerifier::select(const Op& o) {
  const Type &c = operand(o, 0), &t = operand(o, 1);
  if (!is_data(t) || operand(o, 2) != t)
    return error("V-13", o, fmt::format("selects between {} and {}", text(t), text(operand(o, 2))));
  if (!c.is_scalar(DType::i1) && c != t.with(DType::i1))
    return error("V-13", o, fmt::format("the condition is {}, not i1", text(c)));
  results(o, {t});
}

void BodyVerifier::convert(const Op& o) {
  const Type &from = operand(o, 0), &to = body_.type(o.results[0]);
  bool index = from.is(TypeKind::index);
  ConvertMode mode = o.attrs.get<ConvertMode>(AttrKey::mode);
  if (to.is(TypeKind::index) && !context_.physical) {
    if (!from.is(TypeKind::scalar) || !is_integer(from.dtype))
      return error("V-13", o, fmt::format("an index is made of a scalar integer, not of {}", text(from)));
    if (mode != ConvertMode::sint && mode != ConvertMode::uint)
      error("V-24", o, fmt::format("the mode '{}' makes no index", name(mode)), "sint or uint");
    return;
  }
  if ((!is_data(from) && !index) || !is_data(to)) return error("V-13", o, fmt::format("from {} to {}", text(from), text(to)));
  if (index ? !to.is(TypeKind::scalar) : from.with(to.dtype) != to)
    return error("V-14", o, fmt::format("from {} to {} changes more than the element type", text(from), text(to)));
  bool from_float = !index && is_float(from.dtype), to_float = is_float(to.dtype);
  bool from_int = !index && !from_float, to_int = !to_float;
  int from_width = index ? 0 : bit_width(from.dtype), to_width = bit_width(to.dtype);
  auto fits = [&] {
    switch (mode) {
      case ConvertMode::rn:
      case ConvertMode::sat_rn: return from_float && to_float;
      case ConvertMode::sint: return (index && to_float) || (from_int && (to_float || to_width > from_width));
      case ConvertMode::uint: return from_int && (to_float || to_width > from_width);
      case ConvertMode::wrap: return to_int && (index || (from_int && to_width <= from_width));
      case ConvertMode::to_sint:
      case ConvertMode::to_uint:
      case ConvertMode::sat_to_sint:
      case ConvertMode::sat_to_uint: return from_float && to_int;
      case ConvertMode::to_bool: return to.dtype == DType::i1;
      case ConvertMode::bits: return !index && from_width == to_width;
    }
    return false;
  };
  if (!fits()) error("V-24", o, fmt::format("the mode '{}' does not convert {} to {}", name(mode), text(from), text(to)));
}

bool BodyVerifier::is_integer_variable(const Type& t) const {
  if (!context_.physical) return t.is(TypeKind::index);
  return t.is_scalar(DType::i32) || t.is_scalar(DType::i64);
}

void BodyVerifier::elem(const Op& o) {
  if (o.operands.empty() || !operand(o, 0).is(TypeKind::tensor)) return error("V-27", o, "the first operand is no tensor");
  const Type& source = operand(o, 0);
  if (o.operands.size() != source.rank() + 1)
    return error("V-19", o, fmt::format("has {} coordinates for a tensor of rank {}", o.operands.size() - 1, source.rank()));
  for (std::size_t i = 1; i < o.operands.size(); ++i)
    if (!operand(o, i).is(TypeKind::index))
      return error("V-19", o, fmt::format("coordinate {} is {}", i - 1, text(operand(o, i))));
  results(o, {Type::scalar(source.dtype)});
}

void BodyVerifier::tensor(const Op& o) {
  const Region& region = body_.region(o.regions[0]);
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  if (!domain(o, o.regions[0], 0)) return;
  std::vector<Expr> extents;
  for (std::size_t i = 0; i < ranges.size(); i += 2) {
    if (ranges[i] == Expr() || !ranges[i].is_constant(0)) return error("V-27", o, "the domain of a tensor begins at 0");
    extents.push_back(ranges[i + 1]);
  }
  if (!is_terminated(o.regions[0], OpKind::yield)) return;  // V-16
  std::span<const ValueId> yields = body_.op(region.ops.back()).operands;
  if (yields.size() != 1 || !body_.type(yields[0]).is(TypeKind::scalar))
    return error("V-27", o, "the region yields one data value");
  results(o, {Type::tensor(body_.type(yields[0]).dtype, std::move(extents))});
}

void BodyVerifier::view(const Op& o) {
  const Type& source = operand(o, 0);
  if (!source.is(TypeKind::view) && !source.is(TypeKind::tensor))
    return error("V-26", o, "the source is neither a view nor a tensor");
  const ExprList& extents = o.attrs.get<ExprList>(AttrKey::extents);
  const Region& region = body_.region(o.regions[0]);
  if (region.args.size() != extents.size())
    return error("V-17", o, fmt::format("{} arguments for {} axes", region.args.size(), extents.size()));
  for (ValueId a : region.args)
    if (!body_.type(a).is(TypeKind::index)) return error("V-17", o, "the arguments are indices");
  if (!is_terminated(o.regions[0], OpKind::yield)) return;  // V-16
  std::span<const ValueId> yields = body_.op(region.ops.back()).operands;
  if (yields.size() != source.rank())
    return error("V-26", o, fmt::format("{} coordinates for a source of rank {}", yields.size(), source.rank()));
  for (ValueId y : yields)
    if (!body_.type(y).is(TypeKind::index)) return error("V-26", o, "the yielded coordinates are indices");
  Type derived = source;
  derived.shape = extents;
  if (body_.type(o.results[0]) != derived)
    error("V-26", o, fmt::format("the result is {}, not {}", text(derived), text(body_.type(o.results[0]))));
}

void BodyVerifier::transpose(const Op& o) {
  const Type& source = operand(o, 0);
  if (!source.is(TypeKind::view) && !source.is(TypeKind::tensor))
    return error("V-26", o, "the operand is neither a view nor a tensor");
  std::optional<Type> derived = transposed(source, o.attrs.get<IntList>(AttrKey::axes));
  if (!derived) return error("V-26", o, fmt::format("perm must name each of the {} axes once", source.rank()));
  if (body_.type(o.results[0]) != *derived)
    error("V-26", o, fmt::format("the result is {}, not {}", text(*derived), text(body_.type(o.results[0]))));
}

void BodyVerifier::slice(const Op& o) {
  const Type &source = operand(o, 0), &result = body_.type(o.results[0]);
  if (!source.is(TypeKind::view) && !source.is(TypeKind::tensor))
    return error("V-26", o, "the operand is neither a view nor a tensor");
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  if (ranges.size() != 2 * source.rank())
    return error("V-26", o, fmt::format("{} bounds for {} axes", ranges.size(), source.rank()));
  bool fits = result.kind == source.kind && result.dtype == source.dtype && result.rank() == source.rank();
  for (std::size_t i = 0; fits && i < source.rank(); ++i) {
    if (ranges[2 * i] == Expr() || ranges[2 * i + 1] == Expr() || result.shape[i] == Expr()) return;  // V-18, V-32
    fits = is_range_extent(result.shape[i], ranges[2 * i], ranges[2 * i + 1]);
  }
  if (!fits)
    error("V-26", o, fmt::format("{} is not the derived type: each extent is end - begin", text(result)), "leave the type out");
}

void BodyVerifier::broadcast(const Op& o) {
  const Type& source = operand(o, 0);
  if (!source.is(TypeKind::view) && !source.is(TypeKind::tensor))
    return error("V-26", o, "the operand is neither a view nor a tensor");
  const IntList& axes = o.attrs.get<IntList>(AttrKey::axes);
  const ExprList& extents = o.attrs.get<ExprList>(AttrKey::extents);
  if (axes.size() != source.rank())
    return error("V-26", o, fmt::format("{} axes for an operand of rank {}", axes.size(), source.rank()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= static_cast<std::int64_t>(extents.size()) || (i > 0 && axes[i] <= axes[i - 1]))
      return error("V-26", o, "the axes must ascend and lie in the result");
    Expr from = source.shape[i], to = extents[static_cast<std::size_t>(axes[i])];
    if (from != to && !from.is_constant(1))
      return error("V-26", o, fmt::format("axis {} of the operand neither has the result's extent nor extent 1", i));
  }
  Type derived = source;
  derived.shape = extents;
  if (body_.type(o.results[0]) != derived)
    error("V-26", o, fmt::format("the result is {}, not {}", text(derived), text(body_.type(o.results[0]))));
}

}  // namespace kir
