// Buffers, atomics, scatter and histogram.
#include <fmt/format.h>

#include "core/ir/memory_access.h"
#include "core/text/parser.h"
#include "core/text/type_name.h"

namespace kir::text {
namespace {

constexpr MemoryOrder kMemoryOrders[] = {MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::release,
                                         MemoryOrder::acq_rel};
constexpr Sharing kSharings[] = {Sharing::invocation, Sharing::system};
constexpr AtomicScope kScopes[] = {AtomicScope::cta, AtomicScope::gpu, AtomicScope::system};
constexpr Collision kCollisions[] = {Collision::unique, Collision::reduce};
constexpr OutOfRange kOutOfRange[] = {OutOfRange::drop, OutOfRange::clamp, OutOfRange::error};

}  // namespace

// buffer [extents] [init (k, ...) block]; `buffer f32[extents]` says the element type where no declared type does
// physical: buffer [extents] scope(private | iteration) [capacity (c)] [init (%k: i64, ...) block]
ValueId Parser::buffer_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  std::optional<DType> element = accept_dtype();
  const bool written = element.has_value();
  if (!element && declared) element = declared->dtype;
  std::vector<Expr> extents = shape();
  Attrs attrs;
  if (physical_) {
    expect(Word::scope, "(private or iteration)");
    expect(Tok::lparen, "after 'scope'");
    attrs.set(AttrKey::scope, choice({BufferScope::program, BufferScope::iteration}));
    expect(Tok::rparen, "after the scope");
    if (accept(Word::capacity)) {
      expect(Tok::lparen, "after 'capacity'");
      attrs.set(AttrKey::capacity, parse_index());
      expect(Tok::rparen, "after the capacity");
    }
  }
  SourceRange head = since(begin);
  std::vector<RegionId> regions;
  if (accept(Word::init)) {
    std::vector<Token> names;
    std::vector<Type> types;
    expect(Tok::lparen, "before the names of the coordinates");
    comma_list(Tok::rparen, [&] { segment_variable("a coordinate", names, types); });
    expect(Tok::rparen, "after the names of the coordinates");
    if (names.size() != extents.size())
      fail("T-08", since(begin), fmt::format("{} coordinates for {} axes", names.size(), extents.size()));
    Scope scope(*this);
    RegionId region = open_region(names, types);
    BlockSpec spec{.terminator = OpKind::yield, .values = true, .expected = {}};
    if (element) spec.expected.emplace_back(Type::scalar(*element));
    bool ok = block(region, spec);
    scope.close();
    if (!ok) throw Recover{};
    const std::vector<Type> got = yield_types(region);
    if (!element && got.size() == 1) element = got[0].dtype;
    regions.push_back(region);
  }
  if (!element) fail("T-06", head, "a buffer needs an element type", "write buffer f32[...]");
  attrs.set(AttrKey::extents, ExprList(extents));
  Type result = declared && !written ? *declared : Type::view(*element, std::move(extents));
  return builder_->result(emit(OpKind::buffer, {}, std::move(attrs), std::move(regions), {std::move(result)}, head));
}

// NAME "[" coordinates "]" of a view; the view and its coordinates become operands
std::vector<ValueId> Parser::place() {
  std::uint32_t begin = tok_.begin;
  std::string name = text_of(tok_.range());
  ValueId view = resource("a view");
  if (!type(view).is(TypeKind::view)) fail("T-03", since(begin), fmt::format("'{}' is a tensor, not a view", name));
  std::vector<NodeId> at = coordinates();
  if (at.size() != type(view).rank())
    fail("T-08", since(begin), fmt::format("'{}' has rank {}, not {}", name, type(view).rank(), at.size()));
  std::vector<ValueId> operands{view};
  for (NodeId n : at) operands.push_back(coordinate(n));
  return operands;
}

// "order" "(" success ["," failure] ")" ["share" "(" ... ")"], in a physical program ["scope" "(" ... ")"]
void Parser::memory_order_clause(bool failure, Attrs& attrs) {
  expect(Word::order, "(relaxed, acquire, release or acq_rel)");
  expect(Tok::lparen, "after 'order'");
  attrs.set(AttrKey::memory_order, choice<MemoryOrder>(kMemoryOrders));
  if (failure) {
    expect(Tok::comma, "before the order of a failed compare-exchange");
    attrs.set(AttrKey::failure_order, choice<MemoryOrder>(kMemoryOrders));
  }
  expect(Tok::rparen, "after the order");
  Sharing sharing = Sharing::invocation;
  if (accept(Word::share)) {
    expect(Tok::lparen, "after 'share'");
    sharing = choice<Sharing>(kSharings);
    expect(Tok::rparen, "after who shares the location");
  }
  attrs.set(AttrKey::sharing, sharing);
  if (physical_ && accept(Word::scope)) {
    expect(Tok::lparen, "after 'scope'");
    attrs.set(AttrKey::atomic_scope, choice<AtomicScope>(kScopes));
    expect(Tok::rparen, "after the scope");
  }
}

// atomic_load x[i] ...   atomic_store x[i] = v ...   atomic_rmw.OP x[i], v ...   atomic_cas x[i], expected, desired ...
std::vector<ValueId> Parser::atomic_rhs() {
  std::uint32_t begin = tok_.begin;
  const OpKind kind = word()->op->kind;
  const std::string_view suffix = word()->suffix;
  advance();
  Attrs attrs;
  if (kind == OpKind::atomic_rmw) {
    if (suffix.empty()) fail("P-04", since(begin), "atomic_rmw needs an operation", "write atomic_rmw.add x[i], a");
    for (AtomicOp op : all_atomic_ops())
      if (name(op) == suffix) attrs.set(AttrKey::atomic_op, op);
  }
  std::vector<ValueId> operands = place();
  const Type element = Type::scalar(type(operands[0]).dtype);
  for (std::size_t i = 0; i < value_count(kind); ++i) {
    expect(kind == OpKind::atomic_store ? Tok::assign : Tok::comma, "before the value");
    operands.push_back(value_of(expression(), &element));
  }
  if (accept(Word::where)) {
    const Type i1 = Type::scalar(DType::i1);
    operands.push_back(value_of(expression(), &i1));
    if (has_fill(kind) && accept(Word::fill)) operands.push_back(value_of(expression(), &element));
  }
  memory_order_clause(kind == OpKind::atomic_cas, attrs);
  Type container = element;
  for (ValueId v : operands)
    if (type(v).is(TypeKind::fragment) && container.is(TypeKind::scalar)) container = type(v);
  std::vector<Type> types;
  if (has_fill(kind)) types.push_back(container.with(element.dtype));
  if (kind == OpKind::atomic_cas) types.push_back(container.with(DType::i1));
  OpId op = emit(kind, std::move(operands), std::move(attrs), {}, std::move(types), since(begin));
  return builder_->peek().op(op).results;
}

void Parser::assume_in_bounds_statement() {
  std::uint32_t begin = tok_.begin;
  advance();
  std::vector<ValueId> operands = place();
  emit(OpKind::assume_in_bounds, std::move(operands), {}, {}, {}, since(begin));
  origin_clause();
}

// The region of a member, with names for its variables; it yields the given types and perhaps a predicate.
RegionId Parser::member_region(const Domain& d, const std::vector<Type>& types) {
  Scope scope(*this);
  RegionId region = open_region(d.names, d.types);
  BlockSpec spec = spec_of(OpKind::yield, types);
  spec.expected.emplace_back(Type::scalar(DType::i1));
  spec.values = spec.masked = true;
  bool ok = block(region, spec);
  scope.close();
  if (!ok) throw Recover{};
  return region;
}

// scatter unique NAME, ... (i in a..b, ...) block   |   scatter reduce order(o) NAME, ... (...) block combine (...) block
void Parser::scatter_statement() {
  std::uint32_t begin = tok_.begin;
  if (physical_) fail("P-04", tok_.range(), "a physical program has no 'scatter'");
  advance();
  Attrs attrs;
  const Collision collision = choice<Collision>(kCollisions);
  attrs.set(AttrKey::collision, collision);
  if (collision == Collision::reduce) attrs.set(AttrKey::order, order_clause());
  std::vector<ValueId> views;
  std::vector<Type> values;
  do {
    views.push_back(resource("a view"));
    values.push_back(Type::scalar(type(views.back()).dtype));
  } while (accept(Tok::comma));
  Domain d = domain(true);
  SourceRange head = since(begin);
  std::vector<Type> yields(type(views[0]).rank(), Type::index());
  yields.insert(yields.end(), values.begin(), values.end());
  std::vector<RegionId> regions{member_region(d, yields)};
  if (collision == Collision::reduce) {
    expect(Word::combine, "after the member's block");
    regions.push_back(combine_region(values));
  }
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  emit(OpKind::scatter, std::move(views), std::move(attrs), std::move(regions), {}, head);
}

// histogram NAME (i in a..b, ...) block out_of_range(drop | clamp | error)
void Parser::histogram_statement() {
  std::uint32_t begin = tok_.begin;
  if (physical_) fail("P-04", tok_.range(), "a physical program has no 'histogram'");
  advance();
  ValueId bins = resource("the view of the bins");
  // Told before its members are read: they would be written for as many coordinates as the view has.
  if (type(bins).rank() != 1)
    fail("V-41", since(begin), fmt::format("the bins are {}, not a view of rank 1", type_name(type(bins))),
         "of more axes: scatter reduce order(any) v (...) { yield i, j, weight } combine (a: i32, b: i32) { yield a + b }");
  Domain d = domain(true);
  SourceRange head = since(begin);
  RegionId member = member_region(d, {Type::index(), Type::scalar(type(bins).dtype)});
  expect(Word::out_of_range, "(drop, clamp or error)");
  expect(Tok::lparen, "after 'out_of_range'");
  Attrs attrs;
  attrs.set(AttrKey::out_of_range, choice<OutOfRange>(kOutOfRange));
  expect(Tok::rparen, "after what keys out of range do");
  attrs.set(AttrKey::ranges, std::move(d.ranges));
  emit(OpKind::histogram, {bins}, std::move(attrs), {member}, {}, head);
}

}  // namespace kir::text
