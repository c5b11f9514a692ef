#include <fmt/format.h>

#include "core/ir/derived_shape.h"
#include "core/text/parser.h"

namespace kir::text {

// contract [batch(b in a..b, ...)] free(m in a..b, ... | n in a..b, ...) paired(k in a..b, ...) lhs block rhs block
//   product (a: T, b: T) block combine order(o) (acc: T, p: T) block [identity (...)] [init (...)]
//   | product exact accumulate T order(o) [unit(u)] [identity (...)] [init (...)]
ValueId Parser::contract_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  Domain batch, left, right, paired;
  if (accept(Word::batch)) {
    expect(Tok::lparen, "after 'batch'");
    axes(batch, Tok::rparen);
    expect(Tok::rparen, "after the batch axes");
  }
  expect(Word::free, "and the free axes of both sides");
  expect(Tok::lparen, "after 'free'");
  axes(left, Tok::bar);
  expect(Tok::bar, "between the free axes of the left and of the right side");
  axes(right, Tok::rparen);
  expect(Tok::rparen, "after the free axes");
  expect(Word::paired, "and the axes that both sides share");
  expect(Tok::lparen, "after 'paired'");
  axes(paired, Tok::rparen);
  expect(Tok::rparen, "after the paired axes");
  const Domain all = joined({&batch, &left, &right, &paired});
  {
    Scope names(*this);  // a name stands for one axis
    for (const Token& n : all.names) bind(n, {.kind = BindingKind::symbol});
  }
  Attrs attrs;
  attrs.set(AttrKey::axes,
            IntList{static_cast<std::int64_t>(batch.names.size()), static_cast<std::int64_t>(left.names.size()),
                    static_cast<std::int64_t>(right.names.size()), static_cast<std::int64_t>(paired.names.size())});
  std::vector<RegionId> regions(2);
  expect(Word::lhs, "and the left side's block");
  bool ok = member_block(joined({&batch, &left, &paired}), regions[0], {});
  expect(Word::rhs, "and the right side's block");
  ok = member_block(joined({&batch, &right, &paired}), regions[1], {}) && ok;
  expect(Word::product, "after the sides");
  FoldText f;
  if (accept(Word::exact)) {
    expect(Word::accumulate, "and the accumulator's type");
    f.components = {Type::scalar(dtype("of the accumulator"))};
    attrs.set(AttrKey::exact_product, true);
    attrs.set(AttrKey::order, order_clause());
    if (accept(Word::unit)) attrs.set(AttrKey::unit, unit_literal());
    identity_clause(f.components, attrs);
    f.init = init_clause(f.components);
  } else {
    regions.push_back(product_region(declared));
    f = fold_clauses();
    regions.push_back(f.combine);
    for (const auto& [key, value] : f.attrs.all()) attrs.set(key, value);
    if (f.components.size() != 1) fail("T-08", since(begin), "a contraction sums one component", "(acc: f32, p: f32)");
  }
  if (!ok) throw Recover{};
  if (declared && declared->dtype != f.components[0].dtype)
    fail("T-04", since(begin),
         fmt::format("a sum of {} is declared with elements of {}", name(f.components[0].dtype), name(declared->dtype)));
  std::vector<Expr> extents;
  for (std::size_t i = 0; i + paired.names.size() < all.names.size(); ++i)
    extents.push_back(range_extent(*pool_, all.ranges[2 * i], all.ranges[2 * i + 1]));
  attrs.set(AttrKey::ranges, all.ranges);
  Type result = declared ? *declared : physical_ ? f.components[0] : Type::tensor(f.components[0].dtype, std::move(extents));
  return builder_->result(
      emit(OpKind::contract, std::move(f.init), std::move(attrs), std::move(regions), {std::move(result)}, since(begin)));
}

// (a: T, b: T) block
RegionId Parser::product_region(const Type* declared) {
  expect(Tok::lparen, "before the product's arguments, or 'exact'");
  std::vector<Token> names;
  std::vector<Type> types;
  comma_list(Tok::rparen, [&] {
    names.push_back(fresh_name("an argument"));
    expect(Tok::colon, "and a type after the argument");
    types.push_back(parse_type());
  });
  expect(Tok::rparen, "after the product's arguments");
  Scope scope(*this);
  RegionId region = open_region(names, types);
  BlockSpec spec{.terminator = OpKind::yield, .values = true, .expected = {}};
  if (declared && (declared->is(TypeKind::tensor) || declared->is(TypeKind::scalar)))
    spec.expected.emplace_back(Type::scalar(declared->dtype));
  const bool ok = block(region, spec);
  scope.close();
  if (!ok) throw Recover{};
  return region;
}

Scalar Parser::unit_literal() {
  expect(Tok::lparen, "after 'unit'");
  const Node n = syntax_.nodes[unary()];
  if (n.kind != NodeKind::literal) fail("P-03", n.range, "a unit is a literal", "unit(1e-6)");
  const Scalar unit = literal_scalar(n, DType::f64);
  expect(Tok::rparen, "after the unit");
  return unit;
}

Parser::Domain Parser::joined(std::initializer_list<const Domain*> parts) {
  Domain all;
  for (const Domain* d : parts) {
    all.names.insert(all.names.end(), d->names.begin(), d->names.end());
    all.types.insert(all.types.end(), d->types.begin(), d->types.end());
    all.ranges.insert(all.ranges.end(), d->ranges.begin(), d->ranges.end());
  }
  return all;
}

}  // namespace kir::text
