// Accesses of memory, and what makes memory: buffers.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/memory_access.h"
#include "core/ir/verify_body.h"

namespace kir {
namespace {

std::string_view value_name(OpKind k, std::size_t i) {
  if (k == OpKind::atomic_rmw) return "combined value";
  if (k == OpKind::atomic_cas) return i == 0 ? "expected value" : "desired value";
  return "stored value";
}

}  // namespace

bool BodyVerifier::coordinates(const Op& o, std::size_t rank) {
  for (std::size_t i = 1; i <= rank; ++i) {
    const Type& c = operand(o, i);
    const bool fits =
        context_.physical ? is_data(c) && (c.dtype == DType::i32 || c.dtype == DType::i64) : c.is(TypeKind::index);
    if (fits) continue;
    error("V-19", o, fmt::format("coordinate {} is {}", i - 1, text(c)));
    return false;
  }
  return true;
}

void BodyVerifier::access(const Op& o) {
  if (o.operands.empty() || !operand(o, 0).is(TypeKind::view)) return error("V-19", o, "the first operand is no view");
  const Type& source = operand(o, 0);
  const std::size_t rank = source.rank(), values = value_count(o.kind), where = 1 + rank + values;
  if (o.operands.size() < where || o.operands.size() > where + (has_fill(o.kind) ? 2 : 1))
    return error("V-19", o, fmt::format("has {} operands for a view of rank {}", o.operands.size(), rank));
  if (!coordinates(o, rank)) return;

  Type container = Type::scalar(DType::i64);
  bool agree = true;
  auto merge = [&](const Type& t) {
    if (!t.is(TypeKind::fragment)) return;
    if (container.is(TypeKind::fragment))
      agree = agree && t.shape == container.shape && t.layout == container.layout;
    else
      container = t;
  };
  auto element = [&](const Type& t, std::string_view what) {
    merge(t);
    if (is_data(t) && t.dtype == source.dtype) return true;
    error("V-20", o, fmt::format("the {} is {}, the elements are {}", what, text(t), name(source.dtype)));
    return false;
  };
  for (std::size_t i = 1; i <= rank; ++i) merge(operand(o, i));
  const bool fragment_coordinates = container.is(TypeKind::fragment);
  for (std::size_t i = 0; i < values; ++i)
    if (!element(operand(o, 1 + rank + i), value_name(o.kind, i))) return;
  if (where < o.operands.size()) {
    const Type& p = operand(o, where);
    merge(p);
    if (!is_data(p) || p.dtype != DType::i1) return error("V-20", o, fmt::format("the predicate is {}, not i1", text(p)));
  }
  if (where + 1 < o.operands.size() && !element(operand(o, where + 1), "fill")) return;
  if (!agree) return error("V-13", o, "the fragments differ in shape or layout");
  if (const std::int64_t* v = o.attrs.find<std::int64_t>(AttrKey::vector); v && (*v < 1 || *v > 16 || (*v & (*v - 1)) != 0))
    return error("W-12", o, fmt::format("vec {} is none of 1, 2, 4, 8, 16", *v));
  if (is_atomic(o.kind)) atomic(o, source.dtype);
  const Type old = container.with(source.dtype);
  if (o.kind == OpKind::atomic_cas)
    results(o, {old, container.with(DType::i1)});
  else if (has_fill(o.kind))
    results(o, {old});
  if (!writes_element(o.kind)) return;
  if (container.is(TypeKind::fragment) && !fragment_coordinates)
    return error("V-19", o, "a fragment is stored to one element", "give it fragment coordinates");
  written_view(o, o.operands[0]);
}

void BodyVerifier::atomic(const Op& o, DType element) {
  const AtomicOp* operation = o.attrs.find<AtomicOp>(AttrKey::atomic_op);
  if (!has_atomic(o.kind, operation, element))
    error(
        "V-37", o,
        fmt::format("{} is not done on elements of type {} in one step", operation ? name(*operation) : "this", name(element)),
        "docs/kir.md has a table of the element types");
  const MemoryOrder order = o.attrs.get<MemoryOrder>(AttrKey::memory_order);
  auto reading = [](MemoryOrder m) { return m == MemoryOrder::relaxed || m == MemoryOrder::acquire; };
  if (o.kind == OpKind::atomic_load && !reading(order))
    error("V-36", o, fmt::format("a load cannot be {}", name(order)), "relaxed or acquire");
  if (o.kind == OpKind::atomic_store && order != MemoryOrder::relaxed && order != MemoryOrder::release)
    error("V-36", o, fmt::format("a store cannot be {}", name(order)), "relaxed or release");
  if (const MemoryOrder* failed = o.attrs.find<MemoryOrder>(AttrKey::failure_order); failed && !reading(*failed))
    error("V-36", o, fmt::format("a compare-exchange that fails writes nothing, so it cannot be {}", name(*failed)),
          "relaxed or acquire");
}

// Walks from the view to its ABI view or buffer, of the workspace perhaps.
void BodyVerifier::written_view(const Op& o, ValueId v) {
  while (body_.value(v).op) {
    const Op& relation = body_.op(body_.value(v).op);
    if (relation.kind == OpKind::buffer) return;
    if (relation.kind == OpKind::broadcast)
      return error("V-22", o, "the view is a broadcast, whose coordinates share addresses", "broadcast views are read only");
    if (relation.operands.empty()) return error("V-21", o, "the view stands for no parameter");
    v = relation.operands[0];
  }
  if (std::ranges::find(context_.workspace, v) != context_.workspace.end()) return;
  const ViewParam* param = context_.abi->find_view(v);
  if (!param) return error("V-21", o, "the view stands for no parameter");
  if (param->access == Access::in)
    return error("V-21", o, fmt::format("'{}' is an `in` view and cannot be written", param->name), "declare it out or inout");
  for (std::size_t i = 0; i < param->rank() && i < param->strides.size(); ++i) {
    Expr extent = param->shape[i];
    bool single = extent.is(ExprKind::constant) && extent.number() <= 1;
    if (param->strides[i].is_constant(0) && !single)
      return error("V-22", o, fmt::format("'{}' has stride 0 in axis {}: its coordinates share addresses", param->name, i));
  }
}

void BodyVerifier::assume_in_bounds(const Op& o) {
  if (o.operands.empty() || !operand(o, 0).is(TypeKind::view)) return error("V-19", o, "the first operand is no view");
  const std::size_t rank = operand(o, 0).rank();
  if (o.operands.size() != rank + 1)
    return error("V-19", o, fmt::format("has {} coordinates for a view of rank {}", o.operands.size() - 1, rank));
  coordinates(o, rank);
}

void BodyVerifier::buffer(const Op& o) {
  const Type& t = body_.type(o.results[0]);
  const ExprList& extents = o.attrs.get<ExprList>(AttrKey::extents);
  if (!t.is(TypeKind::view) || t.shape != extents)
    return error("V-35", o, fmt::format("{} is no view of the written extents", text(t)), "let b: view f32[D] = buffer [D]");
  if (context_.physical) allocation(o, extents);
  if (o.regions.empty()) return;
  const Type coordinate = context_.physical ? Type::scalar(DType::i64) : Type::index();
  if (!arguments(o.regions[0], 0, std::vector<Type>(extents.size(), coordinate), o, "the initial value") ||
      !is_terminated(o.regions[0], OpKind::yield))
    return;  // V-16, V-17
  const std::vector<Type> got = types(body_.yields(o.regions[0]));
  if (got.size() != 1 || !got[0].is_scalar(t.dtype))
    error("V-35", o, fmt::format("the initial value is not one {}", name(t.dtype)));
}

// Whose memory a physical buffer is and how much of it there may be.
void BodyVerifier::allocation(const Op& o, const ExprList& extents) {
  bool repeated = false;
  for (OpId at = body_.region(o.parent).parent; at; at = body_.region(body_.op(at).parent).parent)
    repeated = repeated || body_.op(at).kind != OpKind::if_else;
  const BufferScope* scope = o.attrs.find<BufferScope>(AttrKey::scope);
  const BufferScope wanted = repeated ? BufferScope::iteration : BufferScope::program;
  if (!scope || *scope != wanted)
    error("W-13", o, fmt::format("a buffer {} has scope({})", repeated ? "inside a loop" : "outside of loops", name(wanted)));
  const Expr* capacity = o.attrs.find<Expr>(AttrKey::capacity);
  auto launch_visible = [](Expr e) { return !mentions(e, [](Expr leaf) { return !leaf.is(ExprKind::symbol); }); };
  if (capacity && *capacity != Expr() && !launch_visible(*capacity))
    return error("W-13", o, "the capacity of a buffer is an integer of the launch");
  if (!capacity && std::any_of(extents.begin(), extents.end(), [&](Expr e) { return e != Expr() && !launch_visible(e); }))
    error("W-13", o, "an extent is no integer of the launch, so the buffer states its capacity",
          "buffer [%n] ... capacity (N)");
}

}  // namespace kir
