// What reduce, scan and contract share: predicates on members, combine, identity and initial values, and short forms.
#include <fmt/format.h>

#include "core/text/parser.h"

namespace kir::text {

Order Parser::order_clause() {
  expect(Word::order, "(strict, tree or any)");
  expect(Tok::lparen, "after 'order'");
  const Order o = choice({Order::strict, Order::tree, Order::any});
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

std::vector<ValueId> Parser::init_clause(const std::vector<Type>& components) {
  std::vector<ValueId> init;
  if (!accept(Word::init)) return init;
  expect(Tok::lparen, "before the initial values");
  do init.push_back(value_of(expression(), init.size() < components.size() ? &components[init.size()] : nullptr));
  while (accept(Tok::comma));
  expect(Tok::rparen, "after the initial values");
  return init;
}

// combine order(o) (a: T, ..., b: T, ...) block [identity (...)] [init (...)]
Parser::FoldText Parser::fold_clauses() {
  FoldText f;
  expect(Word::combine, "before the order");
  f.attrs.set(AttrKey::order, order_clause());
  f.combine = combine_region(f.components);
  identity_clause(f.components, f.attrs);
  f.init = init_clause(f.components);
  return f;
}

// The block of a domain's members, in a scope of its own. False: unusable, told already.
bool Parser::member_block(const Domain& d, RegionId& region, std::vector<std::optional<Type>> expected) {
  Scope scope(*this);
  region = open_region(d.names, d.types);
  return block(region, {.terminator = OpKind::yield, .values = true, .expected = std::move(expected)});
}

// [where block] | [where expression]
bool Parser::where_clause(const Domain& d, std::optional<RegionId>& region) {
  if (!accept(Word::where)) return true;
  region.emplace();
  const Type i1 = Type::scalar(DType::i1);
  if (at(Tok::lbrace)) return member_block(d, *region, {i1});
  Scope scope(*this);
  *region = open_region(d.names, d.types);
  builder_->enter(*region);
  bool ok = true;
  try {
    NodeId e = expression();
    ValueId v = value_of(e, &i1);
    emit(OpKind::yield, {v}, {}, {}, {}, syntax_.nodes[e].range);
  } catch (const Recover&) {
    ok = false;
  }
  builder_->leave();
  if (!ok) throw Recover{};
  return true;
}

namespace {

// What the operation of a short form stands for.
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

bool has_short_form(OpKind op) {
  const auto is_it = [op](const SugarRow& r) { return r.op == op; };
  return std::any_of(std::begin(kFloatSugar), std::end(kFloatSugar), is_it) ||
         std::any_of(std::begin(kIntegerSugar), std::end(kIntegerSugar), is_it);
}

// The short form that other languages call so.
std::string_view short_form_like(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"sum", "add"}, {"plus", "add"},    {"prod", "mul"},    {"product", "mul"},     {"all", "and"},
      {"any", "or"},  {"max", "max.nan"}, {"min", "min.nan"}, {"maximum", "max.nan"}, {"minimum", "min.nan"},
  };
  for (auto [other, ours] : kNames)
    if (other == name) return ours;
  return {};
}

}  // namespace

// OP, the combine of a short form.
Parser::BuiltIn Parser::built_in(std::string_view form) {
  const WordInfo* w = word();
  if (!w || !w->op) {
    std::string_view near;
    if (at(Tok::name)) {
      near = short_form_like(names_.text(tok_.name));
      if (near.empty()) near = words_.nearest_operation(names_.text(tok_.name));
      if (const OpRow* op = find_op(near); !op || !has_short_form(op->kind)) near = {};
    }
    fail("P-07", tok_.range(), fmt::format("expected a domain or an operation after {}, found {}", form, found()),
         near.empty() ? fmt::format("{} add ... over n in 0..N {{ ... }}", form) : fmt::format("did you mean '{}'?", near));
  }
  BuiltIn b{.op = w->op->kind, .form = form, .range = tok_.range()};
  advance();
  return b;
}

// order(o) over NAME in a..b, ... [where ...] block, and what the operation stands for.
Parser::ShortFold Parser::short_fold(const BuiltIn& b, const Type* expected, std::uint32_t begin) {
  if (!at(Word::order))
    fail("P-03", tok_.range(), fmt::format("expected order(...) after '{} {}', found {}", b.form, row(b.op).name, found()),
         "order(strict), order(tree) or order(any): it changes results, so it has no default");
  ShortFold s;
  Order order = order_clause();
  expect(Word::over, "before the domain");
  Domain d = domain(false);
  const bool predicate = where_clause(d, s.where);
  std::vector<std::optional<Type>> wish;
  if (expected) wish.emplace_back(*expected);
  if (!member_block(d, s.map, std::move(wish)) || !predicate) throw Recover{};
  SourceRange range = since(begin);
  FoldText& f = s.fold;
  f.components = yield_types(s.map);
  if (f.components.size() != 1 || !f.components[0].is(TypeKind::scalar))
    fail("T-08", range, fmt::format("'{} {}' combines one data value for each member", b.form, row(b.op).name));
  DType t = f.components[0].dtype;
  const SugarRow* sugar = nullptr;
  for (const SugarRow& r : is_float(t) ? std::span<const SugarRow>(kFloatSugar) : std::span<const SugarRow>(kIntegerSugar))
    if (r.op == b.op) sugar = &r;
  if (!sugar)
    fail("T-05", b.range, fmt::format("'{} {}' has no short form over {}", b.form, row(b.op).name, name(t)),
         is_float(t) ? "short forms: add mul max.nan max.num min.nan min.num; else write map and combine"
                     : "short forms: add mul min.s max.s min.u max.u and or xor; else write map and combine");
  if (*sugar->init) f.init.push_back(constant_op(sugar_literal(sugar->init, t), range));
  f.combine = builder_->new_region();
  ValueId left = builder_->add_argument(f.combine, f.components[0], "", range);
  ValueId right = builder_->add_argument(f.combine, f.components[0], "", range);
  builder_->enter(f.combine);
  ValueId combined = builder_->result(emit(b.op, {left, right}, {}, {}, f.components, b.range));
  emit(OpKind::yield, {combined}, {}, {}, {}, b.range);
  builder_->leave();
  f.attrs.set(AttrKey::ranges, std::move(d.ranges));
  f.attrs.set(AttrKey::order, order);
  f.attrs.set(AttrKey::identity, ScalarList{sugar_literal(sugar->identity, t)});
  return s;
}

}  // namespace kir::text
