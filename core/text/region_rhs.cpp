#include <fmt/format.h>

#include "core/ir/derived_shape.h"
#include "core/text/parser.h"
#include "core/text/type_name.h"

namespace kir::text {

// NAME in a..b, ...   (physical: %NAME: i64 in a..b)
Parser::Domain Parser::domain(bool parenthesised) {
  Domain d;
  if (parenthesised) expect(Tok::lparen, "before the domain");
  comma_list(parenthesised ? Tok::rparen : Tok::end, [&] {
    d.names.push_back(fresh_name("a variable of the domain"));
    if (physical_) {
      expect(Tok::colon, "and a type after the variable");
      d.types.push_back(parse_type());
    } else {
      d.types.push_back(Type::index());
    }
    expect(Word::in, "before the range");
    d.ranges.push_back(parse_index());
    expect(Tok::dots, "between the bounds");
    d.ranges.push_back(parse_index());
  });
  if (parenthesised) expect(Tok::rparen, "after the domain");
  return d;
}

RegionId Parser::open_region(const std::vector<Token>& names, const std::vector<Type>& types) {
  RegionId region = builder_->new_region();
  for (std::size_t i = 0; i < names.size(); ++i) {
    ValueId v = builder_->add_argument(region, types[i], std::string(names_.text(names[i].name)), names[i].range());
    bind(names[i], {.kind = BindingKind::value, .value = v});
  }
  return region;
}

std::vector<Type> Parser::yield_types(RegionId region) const {
  std::vector<Type> out;
  for (ValueId v : builder_->peek().yields(region)) out.push_back(type(v));
  return out;
}

Parser::BlockSpec Parser::spec_of(OpKind terminator, const std::vector<Type>& types) const {
  BlockSpec spec{.terminator = terminator, .values = !types.empty(), .expected = {}};
  for (const Type& t : types) spec.expected.emplace_back(t);
  return spec;
}

Parser::Carries Parser::carries() {
  Carries c;
  if (!accept(Word::carry)) return c;
  expect(Tok::lparen, "before the carried values");
  do {
    c.names.push_back(fresh_name("a carried value"));
    std::optional<Type> declared;
    if (accept(Tok::colon)) declared = parse_type();
    expect(Tok::assign, "before the initial value");
    NodeId e = expression();
    c.init.push_back(value_of(e, declared ? &*declared : nullptr));
    c.types.push_back(declared ? *declared : type(c.init.back()));
  } while (accept(Tok::comma));
  expect(Tok::rparen, "after the carried values");
  return c;
}

std::vector<ValueId> Parser::for_rhs() {
  std::uint32_t begin = tok_.begin;
  advance();
  Token variable = fresh_name("the loop variable");
  Type variable_type = Type::index();
  if (physical_) {
    expect(Tok::colon, "and a type after the loop variable");
    variable_type = parse_type();
  }
  expect(Word::in, "before the range");
  Expr lo = parse_index();
  expect(Tok::dots, "between the bounds");
  Expr hi = parse_index();
  Attrs attrs;
  attrs.set(AttrKey::ranges, ExprList{lo, hi});
  if (accept(Word::step)) attrs.set(AttrKey::step, parse_index());
  Carries c = carries();
  SourceRange head = since(begin);
  Scope scope(*this);
  std::vector<Token> names{variable};
  std::vector<Type> types{variable_type};
  names.insert(names.end(), c.names.begin(), c.names.end());
  types.insert(types.end(), c.types.begin(), c.types.end());
  RegionId region = open_region(names, types);
  bool ok = block(region, spec_of(OpKind::next, c.types));
  scope.close();
  if (!ok) throw Recover{};
  return builder_->peek().op(emit(OpKind::for_loop, c.init, std::move(attrs), {region}, c.types, head)).results;
}

std::vector<ValueId> Parser::while_rhs() {
  std::uint32_t begin = tok_.begin;
  advance();
  Carries c = carries();
  SourceRange head = since(begin);
  expect(Word::when, "before the condition's block");
  Scope scope(*this);
  RegionId condition = open_region(c.names, c.types);
  bool ok = block(condition, spec_of(OpKind::yield, {Type::scalar(DType::i1)}));
  scope.close();
  expect(Word::do_, "before the loop's block");
  RegionId body = open_region(c.names, c.types);
  ok = block(body, spec_of(OpKind::next, c.types)) && ok;
  scope.close();
  if (!ok) throw Recover{};
  return builder_->peek().op(emit(OpKind::while_loop, c.init, {}, {condition, body}, c.types, head)).results;
}

std::vector<ValueId> Parser::if_rhs(const std::vector<LetName>* names) {
  std::uint32_t begin = tok_.begin;
  advance();
  Type i1 = Type::scalar(DType::i1);
  ValueId condition = value_of(expression(), &i1);
  SourceRange head = since(begin);
  BlockSpec spec;
  if (names) {
    spec.values = true;
    for (const LetName& n : *names) spec.expected.push_back(n.type);
  }
  RegionId then_region = builder_->new_region();
  bool ok = block(then_region, spec);
  std::vector<Type> types;
  if (ok && names) {
    types = yield_types(then_region);
    spec = spec_of(OpKind::yield, types);
    spec.values = true;
  }
  RegionId else_region = builder_->new_region();
  if (accept(Word::else_)) {
    ok = block(else_region, spec) && ok;
  } else if (names) {
    fail("P-08", since(begin), "an if with results needs an else");
  } else {
    builder_->enter(else_region);
    emit(OpKind::yield, {}, {}, {}, {}, since(begin));
    builder_->leave();
  }
  if (!ok) throw Recover{};
  return builder_->peek().op(emit(OpKind::if_else, {condition}, {}, {then_region, else_region}, types, head)).results;
}

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

std::vector<Expr> Parser::extents_of(const Domain& d) {
  std::vector<Expr> out;
  for (std::size_t i = 0; i < d.ranges.size(); i += 2) {
    if (!d.ranges[i].is_constant(0)) fail("T-08", d.names[i / 2].range(), "this domain begins at 0", "write 0..e");
    out.push_back(d.ranges[i + 1]);
  }
  return out;
}

ValueId Parser::tensor_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  Domain d = domain(true);
  std::vector<Expr> extents = extents_of(d);
  Scope scope(*this);
  RegionId region = open_region(d.names, d.types);
  BlockSpec spec{.terminator = OpKind::yield, .values = true, .expected = {}};
  if (declared && declared->is(TypeKind::tensor)) spec.expected.emplace_back(Type::scalar(declared->dtype));
  SourceRange head = since(begin);
  bool ok = block(region, spec);
  scope.close();
  if (!ok) throw Recover{};
  std::vector<Type> element = yield_types(region);
  if (element.size() != 1 || !element[0].is(TypeKind::scalar)) fail("T-08", head, "a tensor's block yields one data value");
  Attrs attrs;
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  Type result = declared ? *declared : Type::tensor(element[0].dtype, std::move(extents));
  return builder_->result(emit(OpKind::tensor, {}, std::move(attrs), {region}, {std::move(result)}, head));
}

// view NAME (i in 0..e, ...) block   |   view NAME[coordinates] for (i in 0..e, ...)
ValueId Parser::view_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = resource("a view or tensor");
  std::vector<NodeId> short_form;
  bool is_short = at(Tok::lbracket);
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
  BlockSpec spec{.terminator = OpKind::yield, .values = true, .expected = {}};
  spec.expected.assign(type(source).rank(), Type::index());
  bool ok = true;
  if (is_short) {
    builder_->enter(region);
    try {
      std::vector<ValueId> yields;
      for (NodeId n : short_form) yields.push_back(coordinate(n));
      emit(OpKind::yield, std::move(yields), {}, {}, {}, head);
    } catch (const Recover&) {
      ok = false;
    }
    builder_->leave();
  } else {
    spec.values = type(source).rank() > 0;
    ok = block(region, spec);
  }
  scope.close();
  if (!ok) throw Recover{};
  Attrs attrs;
  attrs.set(AttrKey::extents, ExprList(extents));
  Type derived = type(source);
  derived.shape = std::move(extents);
  return builder_->result(emit(OpKind::view, {source}, std::move(attrs), {region}, {declared ? *declared : derived}, head));
}

}  // namespace kir::text
