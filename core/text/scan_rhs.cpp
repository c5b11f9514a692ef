#include "core/ir/derived_shape.h"
#include "core/text/parser.h"

namespace kir::text {

// scan inclusive forward (NAME in a..b, ...) map block combine order(o) (...) block [identity (...)] [init (...)]
// physical: ... result (%n: i64, ..., %s: T, ...) block, which stores what a member's result is
// scan OP inclusive forward order(o) over NAME in a..b, ... block
std::vector<ValueId> Parser::scan_rhs(const std::vector<LetName>& names) {
  std::uint32_t begin = tok_.begin;
  advance();
  std::optional<BuiltIn> op;
  if (const WordInfo* w = word(); w && w->op) op = built_in("scan");
  const Inclusion inclusion = choice({Inclusion::inclusive, Inclusion::exclusive});
  const Direction direction = choice({Direction::forward, Direction::reverse});
  // The declared type of a result says the type of its component.
  std::vector<std::optional<Type>> expected;
  for (std::size_t i = 0; i < (physical_ ? names.size() : names.size() / 2); ++i)
    expected.push_back(names[i].type ? std::optional(Type::scalar(names[i].type->dtype)) : std::nullopt);
  RegionId map;
  FoldText f;
  if (op) {
    const Type* wish = !expected.empty() && expected[0] ? &*expected[0] : nullptr;
    ShortFold s = short_fold(*op, wish, begin);
    if (s.where) fail("P-04", since(begin), "a scan has a result for each member", "let the map give what changes nothing");
    map = s.map;
    f = std::move(s.fold);
  } else {
    Domain d = domain(true);
    expect(Word::map, "after the domain");
    const bool ok = member_block(d, map, std::move(expected));
    f = fold_clauses();
    if (!ok) throw Recover{};
    f.attrs.set(AttrKey::ranges, std::move(d.ranges));
  }
  f.attrs.set(AttrKey::inclusion, inclusion);
  f.attrs.set(AttrKey::direction, direction);
  std::vector<RegionId> regions{map, f.combine};
  if (physical_) {
    expect(Word::result, "and the block that stores the result of a member");
    std::vector<Token> arguments;
    std::vector<Type> types;
    typed_arguments(arguments, types);
    Scope scope(*this);
    regions.push_back(open_region(arguments, types));
    if (!block(regions.back(), {})) throw Recover{};
    scope.close();
    return builder_->peek()
        .op(emit(OpKind::scan, std::move(f.init), std::move(f.attrs), std::move(regions), f.components, since(begin)))
        .results;
  }
  const ExprList& ranges = f.attrs.get<ExprList>(AttrKey::ranges);
  std::vector<Expr> extents;
  for (std::size_t i = 0; i < ranges.size(); i += 2) extents.push_back(range_extent(*pool_, ranges[i], ranges[i + 1]));
  std::vector<Type> results;
  for (const Type& t : f.components) results.push_back(Type::tensor(t.dtype, extents));
  results.insert(results.end(), f.components.begin(), f.components.end());
  OpId scan = emit(OpKind::scan, std::move(f.init), std::move(f.attrs), std::move(regions), std::move(results), since(begin));
  return builder_->peek().op(scan).results;
}

}  // namespace kir::text
