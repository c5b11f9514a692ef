// Rules V-65 to V-70: tensors made of other tensors, parts of axes, random numbers.
#include <fmt/format.h>

#include "core/ir/derived_shape.h"
#include "core/ir/verify_body.h"

namespace kir {

bool BodyVerifier::is_source(const Op& o, std::size_t i, const char* rule) {
  const Type& t = operand(o, i);
  if (t.is(TypeKind::view) || t.is(TypeKind::tensor)) return true;
  error(rule, o, fmt::format("operand {} is {}, neither a view nor a tensor", i, text(t)));
  return false;
}

void BodyVerifier::reshape(const Op& o) {
  if (!is_source(o, 0, "V-65")) return;
  Type derived = operand(o, 0);
  derived.shape = o.attrs.get<ExprList>(AttrKey::extents);
  if (body_.type(o.results[0]) != derived)
    error("V-65", o, fmt::format("the result is {}, not {}", text(derived), text(body_.type(o.results[0]))));
}

void BodyVerifier::concat(const Op& o) {
  if (o.operands.empty() || o.operands.size() > kMaxConcatTerms)
    return error("V-66", o, fmt::format("has {} operands; 1 to {} are possible", o.operands.size(), kMaxConcatTerms));
  for (std::size_t i = 0; i < o.operands.size(); ++i)
    if (!is_source(o, i, "V-66")) return;
  const Type &first = operand(o, 0), &result = body_.type(o.results[0]);
  const std::int64_t axis = o.attrs.get<std::int64_t>(AttrKey::axis);
  if (axis < 0 || axis >= static_cast<std::int64_t>(first.rank()))
    return error("V-66", o, fmt::format("axis {} of operands of rank {}", axis, first.rank()));
  const std::size_t along = static_cast<std::size_t>(axis);
  std::vector<Expr> extents;
  for (std::size_t i = 0; i < o.operands.size(); ++i) {
    const Type& t = operand(o, i);
    if (t.dtype != first.dtype || t.rank() != first.rank())
      return error("V-66", o, fmt::format("operands {} and {} differ in element type or rank", text(first), text(t)));
    for (std::size_t k = 0; k < t.rank(); ++k) {
      if (t.shape[k] == Expr()) return;  // V-32
      if (k != along && t.shape[k] != first.shape[k])
        return error("V-66", o, fmt::format("operands {} and {} differ in the extent of axis {}", text(first), text(t), k));
    }
    extents.push_back(t.shape[along]);
  }
  bool fits = result.is(TypeKind::tensor) && result.dtype == first.dtype && result.rank() == first.rank();
  for (std::size_t k = 0; fits && k < result.rank(); ++k) {
    if (result.shape[k] == Expr()) return;  // V-32
    fits = k == along ? is_concat_extent(result.shape[k], extents) : result.shape[k] == first.shape[k];
  }
  if (!fits) return error("V-66", o, "the result is not the derived tensor: its extent is the sum of the operands' extents");
  if (written_out(result.shape[along]).nodes > 2 * kMaxConcatTerms)
    error("V-66", o, fmt::format("the extent along the axis is a sum of more than {} terms", kMaxConcatTerms));
}

void BodyVerifier::iota(const Op& o) {
  const Type& result = body_.type(o.results[0]);
  const ExprList& extents = o.attrs.get<ExprList>(AttrKey::extents);
  const std::int64_t axis = o.attrs.get<std::int64_t>(AttrKey::axis);
  if (axis < 0 || axis >= static_cast<std::int64_t>(extents.size()))
    return error("V-67", o, fmt::format("axis {} of a tensor of rank {}", axis, extents.size()));
  if (!result.is(TypeKind::tensor) || result.shape != extents)
    error("V-67", o, fmt::format("the result is {}, no tensor of the declared extents", text(result)));
}

void BodyVerifier::gather(const Op& o) {
  if (!is_source(o, 0, "V-68") || !domain(o, o.regions[0], 0)) return;
  const Type& source = operand(o, 0);
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  std::vector<Expr> extents;
  for (std::size_t i = 0; i < ranges.size(); i += 2) {
    if (ranges[i] == Expr() || !ranges[i].is_constant(0)) return error("V-68", o, "the domain of a gather begins at 0");
    extents.push_back(ranges[i + 1]);
  }
  if (!is_terminated(o.regions[0], OpKind::yield)) return;  // V-16
  std::span<const ValueId> yields = body_.op(body_.region(o.regions[0]).ops.back()).operands;
  if (yields.size() != source.rank())
    return error("V-68", o, fmt::format("{} coordinates for a source of rank {}", yields.size(), source.rank()));
  for (ValueId y : yields)
    if (!body_.type(y).is(TypeKind::index))
      return error("V-68", o, fmt::format("a coordinate is {}", text(body_.type(y))), "make an index of it: to_index(k)");
  results(o, {Type::tensor(source.dtype, std::move(extents))});
}

void BodyVerifier::part(const Op& o) {
  if (!is_source(o, 0, "V-69")) return;
  const std::int64_t axis = o.attrs.get<std::int64_t>(AttrKey::axis);
  if (axis < 0 || axis >= static_cast<std::int64_t>(operand(o, 0).rank()))
    return error("V-69", o, fmt::format("axis {} of a source of rank {}", axis, operand(o, 0).rank()));
  if (o.attrs.get<ExprList>(AttrKey::ranges).size() != 2) return error("V-69", o, "takes one pair of bounds");
  results(o, {Type::index(), Type::index()});
}

void BodyVerifier::philox(const Op& o) {
  const Type word = Type::scalar(DType::i32);
  for (std::size_t i = 0; i < o.operands.size(); ++i)
    if (operand(o, i) != word) return error("V-70", o, fmt::format("operand {} is {}, not i32", i, text(operand(o, i))));
  results(o, {word, word, word, word});
}

}  // namespace kir
