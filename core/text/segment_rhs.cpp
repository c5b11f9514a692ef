// Folds and scans over segments.
#include <fmt/format.h>

#include "core/ir/derived_shape.h"
#include "core/text/parser.h"

namespace kir::text {

// "[a..b]", or "[r]" of a part: the axis that is cut.
ExprList Parser::segment_axis() {
  expect(Tok::lbracket, "before the bounds of the axis");
  ExprList range;
  bounds(range);
  expect(Tok::rbracket, "after the bounds");
  return range;
}

// ["uses" "(" v, ... ")"]: what the regions may use from outside.
std::vector<ValueId> Parser::uses_clause() {
  std::vector<ValueId> out;
  if (!accept(Word::uses)) return out;
  expect(Tok::lparen, "before the captured values");
  comma_list(Tok::rparen, [&] {
    const Token name = tok_;
    const bool percent = physical_ && at(Tok::value);
    if (percent)
      advance();
    else
      plain_name("a captured value");
    const Binding& b = slot(name.name, percent);
    if (b.kind == BindingKind::poison) throw Recover{};
    if (b.kind == BindingKind::none) fail("T-01", name.range(), fmt::format("'{}' is not bound here", text_of(name.range())));
    if (b.kind != BindingKind::value)
      fail("T-03", name.range(), fmt::format("'{}' is no value", text_of(name.range())),
           "symbols and constexprs need no listing");
    out.push_back(b.value);
  });
  expect(Tok::rparen, "after the captured values");
  return out;
}

// NAME, in a physical program NAME: type.
void Parser::segment_variable(const char* what, std::vector<Token>& names, std::vector<Type>& types) {
  names.push_back(fresh_name(what));
  types.push_back(Type::index());
  if (!physical_) return;
  expect(Tok::colon, "and a type after the variable");
  types.back() = parse_type();
}

// "(" NAME ":" type, ... ")"
void Parser::typed_arguments(std::vector<Token>& names, std::vector<Type>& types) {
  expect(Tok::lparen, "before the arguments");
  comma_list(Tok::rparen, [&] {
    names.push_back(fresh_name("an argument"));
    expect(Tok::colon, "and a type after the argument");
    types.push_back(parse_type());
  });
  expect(Tok::rparen, "after the arguments");
}

// "[lo..hi]" ["(" arguments ")"] block
RegionId Parser::segment_region(bool with_arguments, bool with_values) {
  std::vector<Token> names;
  std::vector<Type> types;
  expect(Tok::lbracket, "before the names of the segment's bounds");
  segment_variable("the segment's begin", names, types);
  expect(Tok::dots, "between the names of the segment's bounds");
  segment_variable("the segment's end", names, types);
  expect(Tok::rbracket, "after the names of the segment's bounds");
  if (with_arguments) typed_arguments(names, types);
  if (with_values) return value_region(names, types, {});
  Scope scope(*this);
  RegionId region = open_region(names, types);
  if (!block(region, {})) throw Recover{};
  return region;
}

RegionId Parser::value_region(const std::vector<Token>& names, const std::vector<Type>& types,
                              const std::vector<Type>& yielded) {
  Scope scope(*this);
  RegionId region = open_region(names, types);
  BlockSpec spec = spec_of(OpKind::yield, yielded);
  spec.values = true;
  if (!block(region, spec)) throw Recover{};
  return region;
}

// region_fold [a..b] [uses] ["where" "(" NAME ")" block] "summarize" [lo..hi] block "combine" order arguments block [identity]
std::vector<ValueId> Parser::region_fold_rhs() {
  std::uint32_t begin = tok_.begin;
  advance();
  Attrs attrs;
  attrs.set(AttrKey::ranges, segment_axis());
  std::vector<ValueId> captures = uses_clause();
  std::vector<RegionId> where;
  if (accept(Word::where)) {
    std::vector<Token> names;
    std::vector<Type> types;
    expect(Tok::lparen, "before the member's name");
    segment_variable("the member's name", names, types);
    expect(Tok::rparen, "after the member's name");
    where.push_back(value_region(names, types, {Type::scalar(DType::i1)}));
  }
  expect(Word::summarize, "and the block that summarizes a segment");
  std::vector<RegionId> regions{segment_region(false)};
  std::vector<Type> components;
  expect(Word::combine, "after the summary");
  attrs.set(AttrKey::order, order_clause());
  regions.push_back(combine_region(components));
  identity_clause(components, attrs);
  regions.insert(regions.end(), where.begin(), where.end());
  return builder_->peek()
      .op(emit(OpKind::region_fold, std::move(captures), std::move(attrs), std::move(regions), components, since(begin)))
      .results;
}

// region_scan [a..b] [uses] "init" "(" e, ... ")" "summarize" [lo..hi] block "combine" order arguments block [identity]
//   "apply" arguments block "emit" [lo..hi] arguments block
std::vector<ValueId> Parser::region_scan_rhs() {
  std::uint32_t begin = tok_.begin;
  advance();
  ExprList range = segment_axis();
  Attrs attrs;
  attrs.set(AttrKey::ranges, range);
  std::vector<ValueId> operands = uses_clause();
  std::vector<Type> results, state;
  expect(Word::init, "and the state before the first segment");
  expect(Tok::lparen, "before the initial state");
  do {
    operands.push_back(value_of(expression(), nullptr));
    state.push_back(type(operands.back()));
  } while (accept(Tok::comma));
  expect(Tok::rparen, "after the initial state");
  expect(Word::summarize, "and the block that summarizes a segment");
  std::vector<RegionId> regions{segment_region(false)};
  std::vector<Type> components;
  expect(Word::combine, "after the summary");
  attrs.set(AttrKey::order, order_clause());
  regions.push_back(combine_region(components));
  identity_clause(components, attrs);
  expect(Word::apply, "and the block that applies a summary to a state");
  std::vector<Token> names;
  std::vector<Type> types;
  typed_arguments(names, types);
  regions.push_back(value_region(names, types, state));
  expect(Word::emit, "and the block that emits a segment's slice");
  const std::uint32_t slice = tok_.begin;
  regions.push_back(segment_region(true, !physical_));
  if (!physical_)
    for (Type t : yield_types(regions.back())) {
      if (!t.is(TypeKind::tensor) || t.rank() == 0)
        fail("T-08", {slice, slice + 1}, "what is emitted is a tensor whose first axis is the segment",
             "for t in lo..hi ... collect (f32) { ... }");
      t.shape[0] = range_extent(*pool_, range[0], range[1]);
      results.push_back(std::move(t));
    }
  results.insert(results.end(), state.begin(), state.end());
  return builder_->peek()
      .op(emit(OpKind::region_scan, std::move(operands), std::move(attrs), std::move(regions), std::move(results),
               since(begin)))
      .results;
}

}  // namespace kir::text
