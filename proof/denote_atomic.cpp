// Atomics: events that read, or read and write, an element as one step.
//
// What an atomic finds is a value of its own for each execution. Whether a compare-exchange wrote is a function of it: the
// bits are those expected.
#include <fmt/format.h>

#include "core/ir/memory_access.h"
#include "proof/denote_body.h"

namespace kir::proof {
namespace {

// What two atomics must have in common to be one.
std::string signature(const Op& op) {
  std::string s(row(op.kind).name);
  if (const AtomicOp* operation = op.attrs.find<AtomicOp>(AttrKey::atomic_op)) s += fmt::format(".{}", name(*operation));
  s += fmt::format(" order({}", name(op.attrs.get<MemoryOrder>(AttrKey::memory_order)));
  if (const MemoryOrder* failed = op.attrs.find<MemoryOrder>(AttrKey::failure_order)) s += fmt::format(", {}", name(*failed));
  return s + fmt::format(") share({})", name(op.attrs.get<Sharing>(AttrKey::sharing)));
}

DType bits_of(DType t) {
  switch (bit_width(t)) {
    case 16: return DType::i16;
    case 32: return DType::i32;
    default: return DType::i64;
  }
}

}  // namespace

void BodyDenoter::run_atomic(const Op& op) {
  if (in_value_region_) return run_unsupported(op, "an atomic inside a reduce or tensor region");
  if (physical_ && physical_->launch.threads > 1)
    return run_unsupported(op, "no rule says which of a program's threads an atomic is of");
  for (ValueId v : op.operands)
    if (type(v).is(TypeKind::fragment)) return run_unsupported(op, "no rule says what an atomic of a fragment does");
  const auto& relation = values_[op.operands[0].index].relation;
  if (!relation) return run_unsupported(op, "what its view is, no rule says");
  const MemoryAccess parts = as_access(body_, op);
  std::vector<Expr> at_view;
  for (ValueId v : parts.coordinates) at_view.push_back(expr_of(v));
  const Expr active = parts.where ? expr_of(parts.where) : pool_.boolean(true);
  decides(active, op.range);

  const std::size_t guard_depth = guards.size();
  if (!active.is_true()) guards.push_back(active);
  Event event = access(op, *relation, at_view);
  event.store = writes_element(op.kind);
  event.atomic = signature(op);
  event.reads = op.kind != OpKind::atomic_store;
  event.ordered = is_ordered(op);
  event.sharing = op.attrs.get<Sharing>(AttrKey::sharing);
  if (const AtomicScope* scope = op.attrs.find<AtomicScope>(AttrKey::atomic_scope)) event.scope = *scope;
  claim_bounds(op, row(op.kind).name, *relation, at_view, binders, guards, {});
  for (const auto* list : {&at_view, &event.coordinates})
    for (Expr c : *list) decides(c, op.range);
  if (!parts.values.empty()) event.value = term_of(parts.values.back());
  if (op.kind == OpKind::atomic_cas) event.expected = term_of(parts.values[0]);
  guards.resize(guard_depth);

  if (event.reads) {
    std::vector<Expr> element = relation->allocation;
    element.insert(element.end(), event.coordinates.begin(), event.coordinates.end());
    const Term found = terms_.load(static_cast<std::int64_t>(relation->memory), relation->dtype, std::move(element), path,
                                   relation->allocation.size(), event.atomic);
    Term old = found;
    if (parts.where) {
      std::vector<Expr> varies;
      for (const Binder& b : binders) varies.push_back(b.range.var);
      old = terms_.select(
          active, found,
          parts.fill ? term_of(parts.fill) : terms_.arbitrary(next_arbitrary_++, relation->dtype, std::move(varies)));
    }
    define(op.results[0], old);
    if (op.kind == OpKind::atomic_cas) {
      auto bits = [&](Term t) { return is_integer(t->type) ? t : terms_.convert(ConvertMode::bits, bits_of(t->type), t); };
      const Term equal_bits = terms_.cmp(CmpPredicate::eq, bits(found), bits(event.expected));
      define(op.results[1], terms_.boolean(both(active, terms_.leaf_of(equal_bits))));
    }
  }
  out_.events.push_back(std::move(event));
}

}  // namespace kir::proof
