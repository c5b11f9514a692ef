#include <fmt/format.h>

#include <algorithm>

#include "core/text/parser.h"

namespace kir::text {

std::vector<ValueId> Parser::reduce_rhs(const std::vector<LetName>& names) {
  std::uint32_t begin = tok_.begin;
  advance();
  auto finish = [&](std::optional<RegionId> where, RegionId map, FoldText f) {
    std::vector<RegionId> regions{map, f.combine};
    if (where) regions.push_back(*where);
    OpId op = emit(OpKind::reduce, std::move(f.init), std::move(f.attrs), std::move(regions), f.components, since(begin));
    return builder_->peek().op(op).results;
  };
  if (!at(Tok::lparen)) {
    const Type* expected = names.size() == 1 && names[0].type ? &*names[0].type : nullptr;
    ShortFold s = short_fold(built_in("reduce"), expected, begin);
    return finish(s.where, s.map, std::move(s.fold));
  }
  Domain d = domain(true);
  std::optional<RegionId> where;
  RegionId map;
  bool ok = where_clause(d, where);
  expect(Word::map, "after the domain");
  std::vector<std::optional<Type>> expected;
  for (const LetName& n : names) expected.push_back(n.type);
  ok = member_block(d, map, std::move(expected)) && ok;
  FoldText f = fold_clauses();
  if (!ok) throw Recover{};
  f.attrs.set(AttrKey::ranges, std::move(d.ranges));
  return finish(where, map, std::move(f));
}

// arg_reduce max tie(first) nan(first) (NAME in a..b, ...) [where ...] map block [init (v, i, ...)]
//                                      over NAME in a..b, ... [where ...] block
std::vector<ValueId> Parser::arg_reduce_rhs(const std::vector<LetName>& names) {
  std::uint32_t begin = tok_.begin;
  advance();
  Attrs attrs;
  attrs.set(AttrKey::extreme, choice({Extreme::min, Extreme::max}));
  expect(Word::tie, "(first or last)");
  expect(Tok::lparen, "after 'tie'");
  attrs.set(AttrKey::tie, choice({TieRule::first, TieRule::last}));
  expect(Tok::rparen, "after the rule for ties");
  expect(Word::nan, "(first, last or ignore)");
  expect(Tok::lparen, "after 'nan'");
  attrs.set(AttrKey::nan, choice({NanRule::first, NanRule::last, NanRule::ignore}));
  expect(Tok::rparen, "after the rule for NaN");
  const bool is_short = accept(Word::over);
  Domain d = domain(!is_short);
  std::optional<RegionId> where;
  bool ok = where_clause(d, where);
  if (!is_short) expect(Word::map, "after the domain");
  RegionId map;
  std::vector<std::optional<Type>> expected;
  if (!names.empty()) expected.push_back(names[0].type);
  ok = member_block(d, map, std::move(expected)) && ok;
  if (!ok) throw Recover{};
  std::vector<Type> types = yield_types(map);
  if (types.size() != 1 || !types[0].is(TypeKind::scalar))
    fail("T-08", since(begin), "an arg_reduce compares one data value for each member");
  types.insert(types.end(), d.types.begin(), d.types.end());
  std::vector<ValueId> init = init_clause(types);
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  std::vector<RegionId> regions{map};
  if (where) regions.push_back(*where);
  OpId op = emit(OpKind::arg_reduce, std::move(init), std::move(attrs), std::move(regions), std::move(types), since(begin));
  return builder_->peek().op(op).results;
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
