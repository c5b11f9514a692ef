#include <fmt/format.h>

#include "core/ir/derived_shape.h"
#include "core/ir/loop_exit.h"
#include "core/text/parser.h"

namespace kir::text {

// NAME in a..b, ...   (physical: %NAME: i64 in a..b)
void Parser::axes(Domain& d, Tok close) {
  comma_list(close, [&] {
    d.names.push_back(fresh_name("a variable of the domain"));
    if (physical_) {
      expect(Tok::colon, "and a type after the variable");
      d.types.push_back(parse_type());
    } else {
      d.types.push_back(Type::index());
    }
    expect(Word::in, "before the range");
    bounds(d.ranges);
  });
}

Parser::Domain Parser::domain(bool parenthesised) {
  Domain d;
  if (parenthesised) expect(Tok::lparen, "before the domain");
  axes(d, parenthesised ? Tok::rparen : Tok::end);
  if (parenthesised) expect(Tok::rparen, "after the domain");
  return d;
}

void Parser::bounds(ExprList& ranges) {
  if (const Binding* b = at(Tok::name) ? &slot(tok_.name, false) : nullptr; b && b->kind == BindingKind::part) {
    advance();
    ranges.push_back(pool_->value(b->value));
    ranges.push_back(pool_->value(b->second));
    return;
  }
  ranges.push_back(parse_index());
  expect(Tok::dots, "between the bounds");
  ranges.push_back(parse_index());
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
  ExprList range;
  bounds(range);
  const Expr lo = range[0], hi = range[1];
  Attrs attrs;
  attrs.set(AttrKey::ranges, std::move(range));
  if (accept(Word::step)) attrs.set(AttrKey::step, parse_index());
  Carries c = carries();
  std::vector<Type> handed = c.types, results = c.types;
  if (accept(Word::collect)) {
    expect(Tok::lparen, "before the types of the collected values");
    do {
      const std::uint32_t at = tok_.begin;
      handed.push_back(parse_type());
      if (!handed.back().is(TypeKind::scalar)) fail("T-08", since(at), "collected values are data scalars");
      results.push_back(Type::tensor(handed.back().dtype, {range_extent(*pool_, lo, hi)}));
    } while (accept(Tok::comma));
    expect(Tok::rparen, "after the types of the collected values");
  }
  SourceRange head = since(begin);
  Scope scope(*this);
  std::vector<Token> names{variable};
  std::vector<Type> types{variable_type};
  names.insert(names.end(), c.names.begin(), c.names.end());
  types.insert(types.end(), c.types.begin(), c.types.end());
  RegionId region = open_region(names, types);
  bool ok = block(region, spec_of(OpKind::next, handed));
  scope.close();
  if (!ok) throw Recover{};
  return builder_->peek().op(emit(OpKind::for_loop, c.init, std::move(attrs), {region}, std::move(results), head)).results;
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
  spec.branch = true;
  if (names) {
    spec.values = true;
    for (const LetName& n : *names) spec.expected.push_back(n.type);
  }
  RegionId then_region = builder_->new_region();
  bool ok = block(then_region, spec);
  std::vector<Type> types;
  bool known = false;  // the results' types, from a branch that yields
  auto learn = [&](RegionId branch) {
    if (!ok || !names || known || leaves_loop(builder_->peek(), branch)) return;
    types = yield_types(branch);
    known = true;
  };
  learn(then_region);
  if (known) {
    spec = spec_of(OpKind::yield, types);
    spec.values = spec.branch = true;
  }
  RegionId else_region = builder_->new_region();
  if (accept(Word::else_)) {
    if (at_op(OpKind::if_else)) fail("P-03", tok_.range(), "expected '{' after 'else', found 'if'", "else { if ... { ... } }");
    ok = block(else_region, spec) && ok;
  } else if (names) {
    fail("P-08", since(begin), "an if with results needs an else");
  } else {
    builder_->enter(else_region);
    emit(OpKind::yield, {}, {}, {}, {}, since(begin));
    builder_->leave();
  }
  if (!ok) throw Recover{};
  learn(else_region);
  if (names && !known)
    fail("P-08", head, "both branches leave the loop, so that the if has no results", "leave it in one, go on behind the if");
  return builder_->peek().op(emit(OpKind::if_else, {condition}, {}, {then_region, else_region}, types, head)).results;
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
      yields.reserve(short_form.size());
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
