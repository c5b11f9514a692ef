// Buffers, atomics, scatter and histogram.
#include "core/interp/decoder.h"
#include "core/ir/fold.h"
#include "core/ir/memory_access.h"

namespace kir {
namespace {

// Exchange combines nothing.
OpKind operation_of(AtomicOp op) {
  switch (op) {
    case AtomicOp::add: return OpKind::add;
    case AtomicOp::min_s: return OpKind::min_s;
    case AtomicOp::max_s: return OpKind::max_s;
    case AtomicOp::min_u: return OpKind::min_u;
    case AtomicOp::max_u: return OpKind::max_u;
    case AtomicOp::min_num: return OpKind::min_num;
    case AtomicOp::max_num: return OpKind::max_num;
    case AtomicOp::bit_and: return OpKind::bit_and;
    case AtomicOp::bit_or: return OpKind::bit_or;
    case AtomicOp::bit_xor: return OpKind::bit_xor;
    case AtomicOp::exchange: break;
  }
  return OpKind::yield;
}

bool acquires(MemoryOrder m) { return m == MemoryOrder::acquire || m == MemoryOrder::acq_rel; }
bool releases(MemoryOrder m) { return m == MemoryOrder::release || m == MemoryOrder::acq_rel; }

}  // namespace

std::size_t Decoder::buffer_view(ValueId v) {
  auto [it, fresh] = buffer_views_.emplace(v, in_.abi->views.size() + buffer_views_.size());
  if (fresh) code_.buffer_types.push_back(body_.type(v).dtype);
  return it->second;
}

Instr Decoder::buffer(const Op& op, Instr i) {
  BufferPlan plan;
  plan.view = buffer_view(op.results[0]);
  for (Expr e : op.attrs.get<ExprList>(AttrKey::extents)) plan.extents.push_back(expression(e, IndexCode::Limits::exact()));
  if (plan.extents.size() > kMaxRank) return i;
  if (const Expr* capacity = op.attrs.find<Expr>(AttrKey::capacity))
    plan.capacity = expression(*capacity, IndexCode::Limits::width(DType::i64));
  if (!op.regions.empty()) {
    plan.region = op.regions[0];
    region(plan.region);
    plan.arguments = slots(body_.region(plan.region).args);
    plan.yield = slot(yields(plan.region)[0]);
  }
  i.kind = InstrKind::buffer;
  i.plan = keep(code_.buffers, std::move(plan));
  return i;
}

Instr Decoder::atomic(const Op& op, Instr i) {
  const MemoryAccess access = as_access(body_, op);
  AtomicPlan plan;
  plan.access.coordinates = slots(access.coordinates);
  plan.access.where = slot(access.where);
  plan.access.fill = slot(access.fill);
  for (ValueId v : op.operands)
    if (body_.type(v).is(TypeKind::fragment)) return i;
  if (!follow(op.operands[0], plan.access) || !plan.access.on_memory) return i;
  plan.reads = op.kind != OpKind::atomic_store;
  if (!access.values.empty()) plan.access.value = slot(access.values.back());
  const MemoryOrder order = op.attrs.get<MemoryOrder>(AttrKey::memory_order);
  plan.acquires = plan.failure_acquires = acquires(order);
  plan.releases = releases(order);
  if (op.kind == OpKind::atomic_cas) {
    plan.expected = slot(access.values[0]);
    plan.succeeded = slot(op.results[1]);
    plan.failure_acquires = acquires(op.attrs.get<MemoryOrder>(AttrKey::failure_order));
  }
  if (const AtomicOp* operation = op.attrs.find<AtomicOp>(AttrKey::atomic_op)) {
    plan.operation = operation_of(*operation);
    if (plan.operation != OpKind::yield) i.function = pointwise_function(plan.operation, i.type);
  }
  i.type = body_.type(op.operands[0]).dtype;
  code_.follows_releases = code_.follows_releases || plan.acquires || plan.failure_acquires || plan.releases;
  i.kind = InstrKind::atomic;
  i.plan = keep(code_.atomics, std::move(plan));
  return i;
}

Instr Decoder::in_bounds(const Op& op, Instr i) {
  AccessPlan plan;
  plan.coordinates = slots(std::span(op.operands).subspan(1));
  for (ValueId v : op.operands)
    if (body_.type(v).is(TypeKind::fragment)) return i;
  if (!follow(op.operands[0], plan) || !plan.on_memory) return i;
  i.kind = InstrKind::in_bounds;
  i.plan = keep(code_.accesses, std::move(plan));
  return i;
}

// The member's region: domain, yields, and one target for each view.
bool Decoder::update(const Op& op, UpdatePlan& plan) {
  plan.member = op.regions[0];
  region(plan.member);
  plan.domain = domain(op, plan.member);
  const std::span<const ValueId> member = yields(plan.member);
  const std::size_t rank = body_.type(op.operands[0]).rank(), values = op.operands.size();
  if (member.size() > rank + values) plan.where = slot(member[rank + values]);
  for (std::size_t k = 0; k < values; ++k) {
    AccessPlan target;
    target.coordinates = slots(member.first(rank));
    target.value = slot(member[rank + k]);
    if (!follow(op.operands[k], target) || !target.on_memory) return false;
    plan.targets.push_back(std::move(target));
  }
  return true;
}

Instr Decoder::scatter(const Op& op, Instr i) {
  UpdatePlan plan;
  if (!update(op, plan)) return i;
  if (op.regions.size() > 1) {
    plan.combine = op.regions[1];
    region(plan.combine);
    const std::vector<Slot> arguments = slots(body_.region(plan.combine).args);
    const auto half = arguments.begin() + static_cast<std::ptrdiff_t>(plan.targets.size());
    plan.old.assign(arguments.begin(), half);
    plan.fresh.assign(half, arguments.end());
    plan.merged = slots(yields(plan.combine));
    plan.order = op.attrs.get<Order>(AttrKey::order);
    plan.single = single_operation(body_, plan.combine).value_or(OpKind::yield);
  }
  i.kind = InstrKind::scatter;
  i.plan = keep(code_.updates, std::move(plan));
  return i;
}

Instr Decoder::histogram(const Op& op, Instr i) {
  UpdatePlan plan;
  if (!update(op, plan)) return i;
  plan.order = Order::any;
  plan.single = OpKind::add;
  plan.out_of_range = op.attrs.get<OutOfRange>(AttrKey::out_of_range);
  i.function = pointwise_function(OpKind::add, body_.type(op.operands[0]).dtype);
  i.kind = InstrKind::histogram;
  i.plan = keep(code_.updates, std::move(plan));
  return i;
}

}  // namespace kir
