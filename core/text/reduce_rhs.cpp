#include <fmt/format.h>

#include <algorithm>

#include "core/text/parser.h"

namespace kir::text {

Order Parser::order_clause() {
  expect(Word::order, "(strict, tree or any)");
  expect(Tok::lparen, "after 'order'");
  Order o = Order::strict;
  if (accept(Word::strict))
    o = Order::strict;
  else if (accept(Word::tree))
    o = Order::tree;
  else if (accept(Word::any))
    o = Order::any;
  else
    fail("P-03", tok_.range(), fmt::format("expected strict, tree or any, found {}", found()));
  expect(Tok::rparen, "after the order");
  return o;
}

// "(a: T, ..., b: T, ...) block": the first half are the accumulators. Fills in the component types.
RegionId Parser::combine_region(std::vector<Type>& components) {
  expect(Tok::lparen, "before the combine's arguments");
  std::vector<Token> names;
  std::vector<Type> types;
  std::uint32_t begin = tok_.begin;
  do {
    names.push_back(fresh_name("an argument"));
    expect(Tok::colon, "and a type after the argument");
    types.push_back(parse_type());
  } while (accept(Tok::comma));
  expect(Tok::rparen, "after the combine's arguments");
  if (types.size() % 2 != 0)
    fail("T-08", since(begin), "a combine takes its accumulators, then as many elements", "(a: f32, b: f32)");
  components.assign(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(types.size() / 2));
  Scope scope(*this);
  RegionId region = open_region(names, types);
  bool ok = block(region, spec_of(OpKind::yield, components));
  scope.close();
  if (!ok) throw Recover{};
  return region;
}

void Parser::identity_clause(const std::vector<Type>& components, Attrs& attrs) {
  if (!accept(Word::identity)) return;
  if (accept(Word::assumed)) attrs.set(AttrKey::identity_assumed, true);
  std::uint32_t begin = tok_.begin;
  expect(Tok::lparen, "before the identity");
  std::vector<NodeId> nodes = expression_list(Tok::rparen);
  if (nodes.size() != components.size())
    fail("T-08", since(begin), fmt::format("{} identity literals for {} components", nodes.size(), components.size()));
  ScalarList list;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = syntax_.nodes[nodes[i]];
    if (n.kind != NodeKind::literal) fail("P-03", n.range, "an identity is a literal");
    if (components[i].is(TypeKind::index)) fail("T-03", n.range, "components of a reduction are data, not index");
    list.push_back(literal_scalar(n, components[i].dtype));
  }
  attrs.set(AttrKey::identity, std::move(list));
}

std::vector<ValueId> Parser::reduce_rhs(const std::vector<LetName>& names) {
  std::uint32_t begin = tok_.begin;
  advance();
  if (!at(Tok::lparen)) return reduce_sugar(begin, names.size() == 1 && names[0].type ? &*names[0].type : nullptr);
  Domain d = domain(true);
  expect(Word::map, "after the domain");
  BlockSpec spec{.terminator = OpKind::yield, .values = true, .expected = {}};
  for (const LetName& n : names) spec.expected.push_back(n.type);
  Scope scope(*this);
  RegionId map = open_region(d.names, d.types);
  bool ok = block(map, spec);
  scope.close();
  expect(Word::combine, "after the map");
  Attrs attrs;
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  attrs.set(AttrKey::order, order_clause());
  std::vector<Type> components;
  RegionId combine = combine_region(components);
  identity_clause(components, attrs);
  std::vector<ValueId> init;
  if (accept(Word::init)) {
    expect(Tok::lparen, "before the initial values");
    std::size_t i = 0;
    do {
      init.push_back(value_of(expression(), i < components.size() ? &components[i] : nullptr));
      ++i;
    } while (accept(Tok::comma));
    expect(Tok::rparen, "after the initial values");
  }
  if (!ok) throw Recover{};
  return builder_->peek()
      .op(emit(OpKind::reduce, std::move(init), std::move(attrs), {map, combine}, components, since(begin)))
      .results;
}

namespace {

// What `reduce OP` stands for.
struct SugarRow {
  OpKind op;
  const char* identity;  // float literal; for integers "0", "1", "min", "max", "ones"
  const char* init;      // "" for none
};
constexpr SugarRow kFloatSugar[] = {
    {OpKind::add, "-0.0", "0.0"}, {OpKind::mul, "1.0", "1.0"},  {OpKind::max_nan, "-inf", ""},
    {OpKind::max_num, "nan", ""}, {OpKind::min_nan, "inf", ""}, {OpKind::min_num, "nan", ""},
};
constexpr SugarRow kIntegerSugar[] = {
    {OpKind::add, "0", "0"},       {OpKind::mul, "1", "1"},     {OpKind::min_s, "max", ""},
    {OpKind::max_s, "min", ""},    {OpKind::min_u, "ones", ""}, {OpKind::max_u, "0", ""},
    {OpKind::bit_and, "ones", ""}, {OpKind::bit_or, "0", ""},   {OpKind::bit_xor, "0", ""},
};

Scalar sugar_literal(std::string_view text, DType t) {
  std::uint64_t ones = bit_width(t) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(t)) - 1;
  std::uint64_t sign = std::uint64_t{1} << (bit_width(t) - 1);
  if (text == "ones") return {t, ones};
  if (text == "min") return {t, sign};
  if (text == "max") return {t, ones & ~sign};
  if (is_integer(t)) return {t, static_cast<std::uint64_t>(text[0] - '0')};
  return *parse_literal(text, t);
}

}  // namespace

// reduce OP order(o) over NAME in a..b, ... block
std::vector<ValueId> Parser::reduce_sugar(std::uint32_t begin, const Type* expected) {
  const WordInfo* w = word();
  if (!w || !w->op) {
    std::string_view near = at(Tok::name) ? words_.nearest_operation(names_.text(tok_.name)) : std::string_view{};
    fail("P-07", tok_.range(), fmt::format("expected a domain or an operation after reduce, found {}", found()),
         near.empty() ? "reduce add order(any) over n in 0..N { ... }" : fmt::format("did you mean '{}'?", near));
  }
  OpKind op = w->op->kind;
  Token op_token = tok_;
  advance();
  if (!at(Word::order))
    fail("P-03", tok_.range(), fmt::format("expected order(...) after 'reduce {}', found {}", row(op).name, found()),
         "order(strict), order(tree) or order(any): it changes results, so it has no default");
  Order order = order_clause();
  expect(Word::over, "before the domain");
  Domain d = domain(false);
  Scope scope(*this);
  RegionId map = open_region(d.names, d.types);
  BlockSpec spec{.terminator = OpKind::yield, .values = true, .expected = {}};
  if (expected) spec.expected.emplace_back(*expected);
  bool ok = block(map, spec);
  scope.close();
  if (!ok) throw Recover{};
  SourceRange range = since(begin);
  std::vector<Type> components = yield_types(map);
  if (components.size() != 1 || !components[0].is(TypeKind::scalar))
    fail("T-08", range, fmt::format("'reduce {}' combines one data value for each member", row(op).name));
  DType t = components[0].dtype;
  const SugarRow* sugar = nullptr;
  for (const SugarRow& r : is_float(t) ? std::span<const SugarRow>(kFloatSugar) : std::span<const SugarRow>(kIntegerSugar))
    if (r.op == op) sugar = &r;
  if (!sugar)
    fail("T-05", op_token.range(), fmt::format("'reduce {}' has no short form over {}", row(op).name, name(t)),
         is_float(t) ? "short forms: add mul max.nan max.num min.nan min.num; else write map and combine"
                     : "short forms: add mul min.s max.s min.u max.u and or xor; else write map and combine");
  std::vector<ValueId> init;
  if (*sugar->init) init.push_back(constant_op(sugar_literal(sugar->init, t), range));
  RegionId combine = builder_->new_region();
  ValueId a = builder_->add_argument(combine, components[0], "", range);
  ValueId b = builder_->add_argument(combine, components[0], "", range);
  builder_->enter(combine);
  ValueId c = builder_->result(emit(op, {a, b}, {}, {}, components, op_token.range()));
  emit(OpKind::yield, {c}, {}, {}, {}, op_token.range());
  builder_->leave();
  Attrs attrs;
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  attrs.set(AttrKey::order, order);
  attrs.set(AttrKey::identity, ScalarList{sugar_literal(sugar->identity, t)});
  return builder_->peek()
      .op(emit(OpKind::reduce, std::move(init), std::move(attrs), {map, combine}, components, range))
      .results;
}

ValueId Parser::tile_reduce_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = value_of(expression(), nullptr);
  const Type from = type(source);
  Type element = Type::scalar(from.dtype);
  expect(Word::axes, "after the fragment");
  IntList axes = int_list("an axis");
  Attrs attrs;
  attrs.set(AttrKey::order, order_clause());
  identity_clause({element}, attrs);
  std::vector<ValueId> operands{source};
  if (accept(Word::init)) {
    expect(Tok::lparen, "before the initial value");
    operands.push_back(value_of(expression(), &element));
    expect(Tok::rparen, "after the initial value");
  }
  expect(Word::combine, "before the combine");
  std::vector<Type> components;
  RegionId combine = combine_region(components);
  Type result = element;
  if (declared) {
    result = *declared;
  } else {
    std::vector<Expr> rest;
    for (std::size_t i = 0; i < from.rank(); ++i)
      if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) == axes.end()) rest.push_back(from.shape[i]);
    if (!rest.empty()) result = Type::fragment(from.dtype, std::move(rest), "");
  }
  attrs.set(AttrKey::axes, std::move(axes));
  return builder_->result(emit(OpKind::tile_reduce, std::move(operands), std::move(attrs), {combine}, {result}, since(begin)));
}

}  // namespace kir::text
