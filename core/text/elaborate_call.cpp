#include <fmt/format.h>

#include <algorithm>

#include "core/text/elaborate.h"

namespace kir::text {

Term Parser::elaborate_call(NodeId id, const Type* expected) {
  const Node n = syntax_.nodes[id];
  std::string_view name = names_.text(n.name);
  auto value = [&](ValueId v) { return Term{.kind = Term::value, .v = v, .e = {}, .node = id, .range = n.range}; };
  const std::span<const NodeId> kids = syntax_.children(id);
  const WordInfo* w = words_.find(n.name);
  Word word = static_cast<Word>(n.name);

  if (const Helper* h = find_helper(n.name)) return value(helper_call(*h, id));
  if (word == Word::size) return {.kind = Term::index, .v = {}, .e = size_of_part(id), .node = id, .range = n.range};
  if (word == Word::uniform01_24) return value(uniform_call(id));

  constexpr int kNone = -1;
  int literal_type = w && w->dtype ? static_cast<int>(*w->dtype) : kNone;
  int to = w && w->to ? static_cast<int>(*w->to) : kNone;
  if (!w || (!w->op && !w->dtype && !w->to)) {
    const Binding& b = slot(n.name, false);
    if (b.kind == BindingKind::constexpr_dtype) literal_type = static_cast<int>(b.dtype);
    if (name.starts_with("to_")) {
      const Binding& t = slot(names_.intern(name.substr(3)), false);
      if (t.kind == BindingKind::constexpr_dtype) to = static_cast<int>(t.dtype);
    }
  }
  if (literal_type != kNone || to != kNone) {
    if (kids.size() != 1) fail("P-04", n.range, fmt::format("'{}' takes one operand", name));
    if (to != kNone) return value(convert_call(kids[0], static_cast<DType>(to)));
    const Node k = syntax_.nodes[kids[0]];
    bool constexpr_int = k.kind == NodeKind::name && slot(k.name, k.percent).kind == BindingKind::constexpr_int;
    if (k.kind != NodeKind::literal && !constexpr_int)
      fail("T-03", k.range, fmt::format("'{}' makes a literal of a number", name),
           fmt::format("to convert a value write to_{}", name));
    return value(constant_op(literal_scalar(k, static_cast<DType>(literal_type)), n.range));
  }
  if (word == Word::to_index) {
    if (kids.size() != 1) fail("P-04", n.range, "'to_index' takes one operand");
    ValueId v = value_of(kids[0], nullptr);
    if (!type(v).is(TypeKind::scalar) || !is_integer(type(v).dtype) || physical_)
      fail("T-03", n.range, fmt::format("to_index makes an index of a KIR integer, not of {}", type_name(type(v))));
    Attrs attrs;
    attrs.set(AttrKey::mode, type(v).dtype == DType::i1 || type(v).dtype == DType::u64 ? ConvertMode::uint : ConvertMode::sint);
    Type index = Type::index();
    return value(pointwise(OpKind::convert, {v}, std::move(attrs), &index, n.range));
  }
  if (word == Word::ceildiv || word == Word::min || word == Word::max || word == Word::ite || word == Word::pos) {
    if (word == Word::min || word == Word::max)
      for (NodeId k : kids) {
        const Node& x = syntax_.nodes[k];
        const Binding* b = x.kind == NodeKind::name ? &slot(x.name, x.percent) : nullptr;
        if (x.kind == NodeKind::access || (b && b->kind == BindingKind::value && !mixes(b->value)))
          fail("T-05", n.range, fmt::format("'{}' is about indices", name),
               fmt::format("data has {0}.nan, {0}.num (floats) and {0}.s, {0}.u (integers)", name));
      }
    return {.kind = Term::index, .v = {}, .e = index_expr(id, sort_of(id)), .node = id, .range = n.range};
  }
  if (!w || !w->op) {
    if (checked_helper_ == n.name)
      fail("P-07", n.name_range, fmt::format("'{}' calls itself", name),
           "a helper may call those before it; repeat with for or while");
    if (std::ranges::any_of(all_convert_modes(), [&](ConvertMode m) { return kir::name(m) == name; }))
      fail("P-07", n.name_range, fmt::format("there is no operation '{}'", name),
           fmt::format("a conversion says its result's type: let v: i32 = convert.{} x", name));
    std::string_view near = words_.nearest_operation(name);
    fail("P-07", n.name_range, fmt::format("there is no operation '{}'", name),
         near.empty() ? "helpers are declared before their use" : fmt::format("did you mean '{}'?", near));
  }
  OpKind kind = w->op->kind;
  if (!is_pointwise(kind) || kind == OpKind::constant || kind == OpKind::index)
    fail("P-04", n.range, fmt::format("'{}' cannot stand inside an expression", name), "give it a let of its own");
  return value(pointwise_operands(kind, w->suffix, kids, expected, nullptr, n.range));
}

// One pointwise operation from operand trees. `declared` is the written result type, `expected` a wish for literals.
ValueId Parser::pointwise_operands(OpKind kind, std::string_view suffix, std::span<const NodeId> kids, const Type* expected,
                                   const Type* declared, SourceRange range) {
  int wanted = row(kind).operands;
  if (static_cast<int>(kids.size()) != wanted)
    fail("P-04", range,
         fmt::format("'{}' takes {} operand{}, not {}", row(kind).name, wanted, wanted == 1 ? "" : "s", kids.size()));
  Attrs attrs;
  switch (kind) {
    case OpKind::cmp: {
      if (suffix.empty()) fail("P-04", range, "cmp needs a predicate", "write cmp.slt a, b");
      std::vector<ValueId> v = operands_of_one_type(kind, kids, nullptr);
      attrs.set(AttrKey::predicate, predicate(suffix, type(v[0]).dtype, range));
      return pointwise(kind, std::move(v), std::move(attrs), declared, range);
    }
    case OpKind::select: {
      Term c = elaborate(kids[0], nullptr);
      ValueId condition = term_value(c, c.kind == Term::literal ? &kI1 : nullptr);
      std::vector<ValueId> v = operands_of_one_type(kind, kids.subspan(1), expected);
      return pointwise(kind, {condition, v[0], v[1]}, {}, declared, range);
    }
    case OpKind::convert: {
      if (suffix.empty()) fail("P-04", range, "convert needs a mode", "write convert.rn a");
      const Type* result = declared ? declared : expected;
      if (!result) fail("T-06", range, "the result type of a conversion must be declared", "or write to_f32(a)");
      ConvertMode mode = ConvertMode::rn;
      for (ConvertMode m : all_convert_modes())
        if (name(m) == suffix) mode = m;
      attrs.set(AttrKey::mode, mode);
      ValueId v = term_value(elaborate(kids[0], nullptr), nullptr);
      return pointwise(kind, {v}, std::move(attrs), result, range);
    }
    default: {
      const Type* wish = row(kind).result == ResultRule::same ? (declared ? declared : expected) : nullptr;
      std::vector<ValueId> v = operands_of_one_type(kind, kids, wish);
      return pointwise(kind, std::move(v), {}, declared, range);
    }
  }
}

ValueId Parser::convert_call(NodeId id, DType to) {
  const Node n = syntax_.nodes[id];
  Term t = elaborate(id, nullptr);
  if (t.kind == Term::literal && n.kind == NodeKind::literal && n.literal != LiteralKind::integer)
    fail("T-06", n.range, fmt::format("'{}' has no type to convert from", text_of(n.range)),
         fmt::format("write {}({})", name(to), text_of(n.range)));
  if (t.kind == Term::literal)
    t = {.kind = Term::index, .v = {}, .e = pool_->constant(index_literal(n)), .node = id, .range = n.range};
  ValueId v = term_value(t, nullptr);
  const Type from = type(v);
  ConvertMode mode;
  if (from.is(TypeKind::index)) {
    mode = is_float(to) ? ConvertMode::sint : to == DType::i1 ? ConvertMode::to_bool : ConvertMode::wrap;
  } else if (is_data(from)) {
    if (from.dtype == to) return v;
    // i1 is 0 or 1 here, not 0 or -1, and u64 is unsigned by its name.
    bool is_unsigned = from.dtype == DType::i1 || from.dtype == DType::u64;
    if (to == DType::i1)
      mode = ConvertMode::to_bool;
    else if (is_float(from.dtype))
      mode = is_float(to) ? ConvertMode::rn : to == DType::u64 ? ConvertMode::to_uint : ConvertMode::to_sint;
    else if (is_float(to) || bit_width(to) > bit_width(from.dtype))
      mode = is_unsigned ? ConvertMode::uint : ConvertMode::sint;
    else
      mode = ConvertMode::wrap;
  } else {
    fail("T-03", n.range, fmt::format("a value of type {} cannot be converted", type_name(from)));
  }
  Attrs attrs;
  attrs.set(AttrKey::mode, mode);
  Type result = from.is(TypeKind::index) ? Type::scalar(to) : from.with(to);
  return pointwise(OpKind::convert, {v}, std::move(attrs), &result, n.range);
}

ValueId Parser::access_value(NodeId id, const Type* expected) {
  const Node n = syntax_.nodes[id];
  const Binding b = slot(n.name, false);
  std::string name(names_.text(n.name));
  if (b.kind == BindingKind::poison) throw Recover{};
  if (b.kind == BindingKind::none) fail("T-01", n.name_range, fmt::format("'{}' is not bound here", name));
  bool view = b.kind == BindingKind::value && type(b.value).is(TypeKind::view);
  bool tensor = b.kind == BindingKind::value && type(b.value).is(TypeKind::tensor);
  if (!view && !tensor) fail("T-03", n.name_range, fmt::format("'{}' is neither a view nor a tensor", name));
  if (n.kind == NodeKind::load && !view)
    fail("T-03", n.name_range, fmt::format("'{}' is a tensor, not a view", name), "use elem");
  if (n.kind == NodeKind::elem && !tensor)
    fail("T-03", n.name_range, fmt::format("'{}' is a view, not a tensor", name), "use load");
  std::uint32_t count = n.kid_count - (n.has_where ? 1 : 0) - (n.has_fill ? 1 : 0);
  const DType element_type = type(b.value).dtype;
  if (const std::size_t rank = type(b.value).rank(); count != rank)
    fail("T-08", n.range, fmt::format("'{}' has rank {}, not {}", name, rank, count));
  std::vector<ValueId> operands;
  operands.reserve(n.kid_count + 1);
  operands.push_back(b.value);
  Type result = Type::scalar(element_type);
  auto take = [&](ValueId v) {
    operands.push_back(v);
    if (type(v).is(TypeKind::fragment) && result.is(TypeKind::scalar)) {
      Type f = type(v);
      result = f.with(element_type);
    }
  };
  for (std::uint32_t i = 0; i < count; ++i) take(coordinate(syntax_.kid(id, i)));
  if (n.has_where) {
    Term where = elaborate(syntax_.kid(id, count), nullptr);
    take(term_value(where, where.kind == Term::literal ? &kI1 : nullptr));
  }
  if (n.has_fill) {
    Type element = Type::scalar(element_type);
    take(term_value(elaborate(syntax_.kid(id, count + 1), &element), &element));
  }
  Attrs attrs;
  if (n.vec) attrs.set(AttrKey::vector, std::int64_t{n.vec});
  if (physical_ && expected && expected->is(TypeKind::fragment) && result.is(TypeKind::fragment))
    result = expected->with(element_type);
  return builder_->result(
      emit(view ? OpKind::load : OpKind::elem, std::move(operands), std::move(attrs), {}, {result}, n.range));
}

}  // namespace kir::text
