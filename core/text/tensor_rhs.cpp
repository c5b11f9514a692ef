#include <fmt/format.h>

#include "core/ir/derived_shape.h"
#include "core/text/elaborate.h"

namespace kir::text {

// axis(k) of a tensor of this rank
std::int64_t Parser::axis_clause(std::int64_t rank) {
  expect(Word::axis, "and the number of an axis");
  expect(Tok::lparen, "before the number of an axis");
  if (rank < 1) fail("T-08", tok_.range(), "there is no axis: the rank is 0");
  const std::int64_t axis = integer("the number of an axis", 0, rank - 1);
  expect(Tok::rparen, "after the number of an axis");
  return axis;
}

// reshape NAME to [extents]
ValueId Parser::reshape_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = resource("a view or tensor");
  expect(Word::to, "before the result shape");
  Type derived = type(source);
  derived.shape = shape();
  Attrs attrs;
  attrs.set(AttrKey::extents, ExprList(derived.shape));
  return builder_->result(
      emit(OpKind::reshape, {source}, std::move(attrs), {}, {declared ? *declared : derived}, since(begin)));
}

// concat axis(k) NAME, ...
ValueId Parser::concat_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  const std::uint32_t clause = tok_.begin;
  const std::int64_t axis = axis_clause(static_cast<std::int64_t>(kMaxAxes));
  std::vector<ValueId> sources;
  do {
    if (sources.size() == kMaxConcatTerms)
      fail("P-05", tok_.range(), fmt::format("concat takes at most {} operands", kMaxConcatTerms));
    sources.push_back(resource("a view or tensor"));
  } while (accept(Tok::comma));
  const Type first = type(sources[0]);
  if (axis >= static_cast<std::int64_t>(first.rank()))
    fail("T-08", since(clause), fmt::format("axis {} of operands of rank {}", axis, first.rank()), "axes count from 0");
  std::vector<Expr> extents;
  for (ValueId v : sources) {
    if (type(v).rank() != first.rank())
      fail("T-08", since(begin), fmt::format("operands {} and {}", type_name(first), type_name(type(v))),
           "they differ along the axis only");
    extents.push_back(type(v).shape[static_cast<std::size_t>(axis)]);
  }
  Type derived = Type::tensor(first.dtype, first.shape);
  Expr& sum = derived.shape[static_cast<std::size_t>(axis)];
  sum = concat_extent(*pool_, extents);
  if (written_out(sum).nodes > 2 * kMaxConcatTerms)
    fail("P-05", since(begin), fmt::format("the extent along the axis is a sum of more than {} terms", kMaxConcatTerms),
         "put the parts together in a view");
  Attrs attrs;
  attrs.set(AttrKey::axis, axis);
  return builder_->result(
      emit(OpKind::concat, std::move(sources), std::move(attrs), {}, {declared ? *declared : derived}, since(begin)));
}

// iota axis(k) to [extents]
ValueId Parser::iota_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  if (!declared || !declared->is(TypeKind::tensor))
    fail("T-06", since(begin), "iota needs a declared tensor type", "let i: i32[N] = iota axis(0) to [N]");
  const std::int64_t axis = axis_clause(static_cast<std::int64_t>(declared->rank()));
  expect(Word::to, "before the result shape");
  Attrs attrs;
  attrs.set(AttrKey::axis, axis);
  attrs.set(AttrKey::extents, ExprList(shape()));
  return builder_->result(emit(OpKind::iota, {}, std::move(attrs), {}, {*declared}, since(begin)));
}

// gather NAME (i in 0..e, ...) block   |   gather NAME[coordinates] for (i in 0..e, ...)
ValueId Parser::gather_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = resource("a view or tensor");
  const bool is_short = at(Tok::lbracket);
  std::vector<NodeId> short_form;
  if (is_short) {
    short_form = coordinates();
    if (!at_op(OpKind::for_loop)) fail("P-03", tok_.range(), fmt::format("expected 'for (i in 0..e, ...)', found {}", found()));
    advance();
  }
  Domain d = domain(true);
  std::vector<Expr> extents = extents_of(d);
  SourceRange head = since(begin);
  Scope scope(*this);
  RegionId region = open_region(d.names, d.types);
  const std::vector<Type> indices(type(source).rank(), Type::index());
  bool ok = true;
  if (is_short) {
    builder_->enter(region);
    try {
      std::vector<ValueId> yields;
      const Type index = Type::index();
      for (NodeId n : short_form) yields.push_back(value_of(n, &index));
      emit(OpKind::yield, std::move(yields), {}, {}, {}, head);
    } catch (const Recover&) {
      ok = false;
    }
    builder_->leave();
  } else {
    ok = block(region, spec_of(OpKind::yield, indices));
  }
  scope.close();
  if (!ok) throw Recover{};
  Attrs attrs;
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  Type result = declared ? *declared : Type::tensor(type(source).dtype, std::move(extents));
  return builder_->result(emit(OpKind::gather, {source}, std::move(attrs), {region}, {std::move(result)}, head));
}

// part NAME.axis [a..b]; the bounds may be conversions of data: part v.0 [to_index(o[s])..to_index(o[s + 1])]
std::vector<ValueId> Parser::part_rhs() {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = resource("a view or tensor");
  expect(Tok::dot, "and the number of an axis, as in v.0");
  const std::int64_t rank = static_cast<std::int64_t>(type(source).rank());
  if (rank == 0) fail("T-08", since(begin), "there is no axis: the rank is 0");
  Attrs attrs;
  attrs.set(AttrKey::axis, integer("the number of an axis", 0, rank - 1));
  expect(Tok::lbracket, "before the bounds");
  auto bound = [&] { return term_expr(elaborate(expression(), nullptr), Sort::integer); };
  Expr lo = bound();
  expect(Tok::dots, "between the bounds");
  Expr hi = bound();
  expect(Tok::rbracket, "after the bounds");
  attrs.set(AttrKey::ranges, ExprList{lo, hi});
  return builder_->peek()
      .op(emit(OpKind::part, {source}, std::move(attrs), {}, {Type::index(), Type::index()}, since(begin)))
      .results;
}

// let r = part ...: one name for both bounds.
void Parser::part_names(const LetName& name, const std::vector<ValueId>& bounds) {
  const std::string base(names_.text(name.name));
  builder_->set_name(bounds[0], base + "_lo");
  builder_->set_name(bounds[1], base + "_hi");
  bind({Tok::name, name.range.begin, name.range.end, name.name},
       {.kind = BindingKind::part, .value = bounds[0], .second = bounds[1]});
}

// philox4x32_10 k0, k1, c0, c1, c2, c3, or with parentheses
std::vector<ValueId> Parser::philox_rhs() {
  std::uint32_t begin = tok_.begin;
  advance();
  const bool call = accept(Tok::lparen);
  const std::vector<NodeId> nodes = operand_list();
  if (call) expect(Tok::rparen, "after the operands");
  const std::size_t wanted = static_cast<std::size_t>(row(OpKind::philox4x32_10).operands);
  if (nodes.size() != wanted)
    fail("P-04", since(begin), fmt::format("philox4x32_10 takes {} operands, not {}", wanted, nodes.size()),
         "two words of the key, then four of the counter");
  const Type word = Type::scalar(DType::i32);
  std::vector<ValueId> operands;
  for (NodeId n : nodes) operands.push_back(value_of(n, &word));
  return builder_->peek()
      .op(emit(OpKind::philox4x32_10, std::move(operands), {}, {}, {word, word, word, word}, since(begin)))
      .results;
}

// uniform01_24(r): the upper 24 bits of a random word as a float in [0, 1).
ValueId Parser::uniform_call(NodeId id) {
  const Node n = syntax_.nodes[id];
  const Type word = Type::scalar(DType::i32);
  if (n.kid_count != 1) fail("P-04", n.range, "'uniform01_24' takes one operand");
  ValueId r = value_of(syntax_.kid(id, 0), &word);
  if (type(r) != word)
    fail("T-04", n.range, fmt::format("'uniform01_24' takes a random word of type i32, not {}", type_name(type(r))));
  const Type real = Type::scalar(DType::f32);
  ValueId high = pointwise(OpKind::shrl, {r, constant_op(Scalar::of_int(DType::i32, 8), n.range)}, {}, nullptr, n.range);
  Attrs attrs;
  attrs.set(AttrKey::mode, ConvertMode::uint);
  ValueId integer = pointwise(OpKind::convert, {high}, std::move(attrs), &real, n.range);
  ValueId unit = constant_op(Scalar::of_f32(0x1p-24f), n.range);
  return pointwise(OpKind::mul, {integer, unit}, {}, nullptr, n.range);
}

}  // namespace kir::text
