// Attributes: bounds, index expressions, predicates, orders, identities, rules.
#include <algorithm>
#include <optional>

#include "core/ir/op_table.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;

namespace {

Scalar other_literal(const Scalar& s) {
  if (s.type == DType::i1) return Scalar::of_int(DType::i1, s.as_signed() == 0 ? 1 : 0);
  if (is_integer(s.type)) return Scalar::of_int(s.type, s.as_signed() == 1 ? 2 : 1);
  return parse_literal(s.as_double() == 1.0 ? "2.0" : "1.0", s.type).value();
}

struct Siblings {
  std::optional<CmpPredicate> strictness, other;
};

// The predicate with < for <=, and one of another meaning for the same operands.
Siblings siblings(CmpPredicate p) {
  using P = CmpPredicate;
  switch (p) {
    case P::eq: return {{}, P::ne};
    case P::ne: return {{}, P::eq};
    case P::slt: return {P::sle, P::ult};
    case P::sle: return {P::slt, P::ule};
    case P::sgt: return {P::sge, P::ugt};
    case P::sge: return {P::sgt, P::uge};
    case P::ult: return {P::ule, P::slt};
    case P::ule: return {P::ult, P::sle};
    case P::ugt: return {P::uge, P::sgt};
    case P::uge: return {P::ugt, P::sge};
    case P::oeq: return {{}, P::ueq};
    case P::one: return {{}, P::une};
    case P::olt: return {P::ole, P::fult};
    case P::ole: return {P::olt, P::fule};
    case P::ogt: return {P::oge, P::fugt};
    case P::oge: return {P::ogt, P::fuge};
    case P::ord: return {{}, P::uno};
    case P::ueq: return {{}, P::oeq};
    case P::une: return {{}, P::one};
    case P::fult: return {P::fule, P::olt};
    case P::fule: return {P::fult, P::ole};
    case P::fugt: return {P::fuge, P::ogt};
    case P::fuge: return {P::fugt, P::oge};
    case P::uno: return {{}, P::ord};
  }
  return {};
}

std::optional<ConvertMode> other_mode(ConvertMode m) {
  switch (m) {
    case ConvertMode::rn: return ConvertMode::sat_rn;
    case ConvertMode::sat_rn: return ConvertMode::rn;
    case ConvertMode::sint: return ConvertMode::uint;
    case ConvertMode::uint: return ConvertMode::sint;
    case ConvertMode::to_sint: return ConvertMode::sat_to_sint;
    case ConvertMode::to_uint: return ConvertMode::sat_to_uint;
    case ConvertMode::sat_to_sint: return ConvertMode::sat_to_uint;
    case ConvertMode::sat_to_uint: return ConvertMode::sat_to_sint;
    case ConvertMode::wrap:
    case ConvertMode::to_bool:
    case ConvertMode::bits: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void Mutator::attributes(OpId id, const Op& o) {
  for (const auto& [key, attr] : o.attrs.all()) {
    const AttrKey k = key;
    const auto set = [&](const Damage& d, AttrValue v) { add(d, id, [&, v](lowering::OpEdit& e) { e.attrs.set(k, v); }); };
    switch (key) {
      case AttrKey::expr: expression(id, std::get<Expr>(attr)); break;
      case AttrKey::ranges: ranges(id, std::get<ExprList>(attr)); break;
      case AttrKey::step: set(kBounds, std::get<Expr>(attr) + 1); break;
      case AttrKey::order:
        for (Order other : {Order::strict, Order::tree, Order::any})
          if (other != std::get<Order>(attr)) set(kOrder, other);
        break;
      case AttrKey::unit: set(kOrder, other_literal(std::get<Scalar>(attr))); break;
      case AttrKey::identity: {
        const ScalarList list = std::get<ScalarList>(attr);
        for (std::size_t i = 0; i < list.size(); ++i) {
          ScalarList changed = list;
          changed[i] = other_literal(list[i]);
          set(kIdentity, changed);
        }
        add(kIdentity, id, [](lowering::OpEdit& e) {
          Attrs left;
          for (const auto& [other, value] : e.attrs.all())
            if (other != AttrKey::identity && other != AttrKey::identity_assumed) left.set(other, value);
          e.attrs = std::move(left);
        });
        break;
      }
      case AttrKey::identity_assumed: leave_out(kIdentity, id, key); break;
      case AttrKey::literal: set(kLiteral, other_literal(std::get<Scalar>(attr))); break;
      case AttrKey::predicate: {
        const Siblings s = siblings(std::get<CmpPredicate>(attr));
        if (s.strictness) set(kStrict, *s.strictness);
        if (s.other) set(kComparison, *s.other);
        break;
      }
      case AttrKey::mode:
        if (auto other = other_mode(std::get<ConvertMode>(attr))) set(kConversion, *other);
        break;
      case AttrKey::extreme: set(kRule, std::get<Extreme>(attr) == Extreme::min ? Extreme::max : Extreme::min); break;
      case AttrKey::tie: set(kRule, std::get<TieRule>(attr) == TieRule::first ? TieRule::last : TieRule::first); break;
      case AttrKey::nan:
        for (NanRule r : {NanRule::first, NanRule::last, NanRule::ignore})
          if (r != std::get<NanRule>(attr)) set(kRule, r);
        break;
      case AttrKey::inclusion:
        set(kRule, std::get<Inclusion>(attr) == Inclusion::inclusive ? Inclusion::exclusive : Inclusion::inclusive);
        break;
      case AttrKey::direction:
        set(kRule, std::get<Direction>(attr) == Direction::forward ? Direction::reverse : Direction::forward);
        break;
      case AttrKey::out_of_range:
        for (OutOfRange r : {OutOfRange::drop, OutOfRange::clamp, OutOfRange::error})
          if (r != std::get<OutOfRange>(attr)) set(kRule, r);
        break;
      case AttrKey::atomic_op:
        set(kAtomic, std::get<AtomicOp>(attr) == AtomicOp::add ? AtomicOp::exchange : AtomicOp::add);
        break;
      case AttrKey::memory_order:
      case AttrKey::failure_order:
        for (MemoryOrder m : {MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::release, MemoryOrder::acq_rel})
          if (m != std::get<MemoryOrder>(attr)) set(kMemoryOrder, m);
        break;
      case AttrKey::sharing:
        set(kMemoryOrder, std::get<Sharing>(attr) == Sharing::system ? Sharing::invocation : Sharing::system);
        break;
      case AttrKey::atomic_scope:
        for (AtomicScope scope : {AtomicScope::cta, AtomicScope::gpu, AtomicScope::system})
          if (scope < std::get<AtomicScope>(attr)) set(kMemoryOrder, scope);
        break;
      case AttrKey::axes: axes(id, o, std::get<IntList>(attr)); break;
      case AttrKey::axis:
        if (o.kind == OpKind::iota && b_.type(o.results[0]).rank() > 1)
          set(kAxes, (std::get<std::int64_t>(attr) + 1) % static_cast<std::int64_t>(b_.type(o.results[0]).rank()));
        break;
      case AttrKey::extents:
      case AttrKey::scope:
      case AttrKey::capacity: break;  // of buffers: mutate_structure.cpp
      case AttrKey::collision:
      case AttrKey::exact_product:
      case AttrKey::vector: break;  // another value asks for another form of the operation
    }
  }
}

// A bound one off; where it is an extent of a result, that too.
void Mutator::ranges(OpId id, const ExprList& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::int64_t by : {-1, 1}) {
      ExprList changed = list;
      changed[i] = changed[i] + by;
      add(kBounds, id, [&](lowering::OpEdit& e) {
        e.attrs.set(AttrKey::ranges, changed);
        for (Type& t : e.types)
          if (i % 2 == 1 && i / 2 < t.rank() && t.shape[i / 2] == list[i]) t.shape[i / 2] = changed[i];
      });
    }
}

void Mutator::axes(OpId id, const Op& o, const IntList& list) {
  if (o.kind == OpKind::transpose)
    for (std::size_t k = 0; k + 1 < list.size(); ++k)
      add(kAxes, id, [&](lowering::OpEdit& e) {
        IntList changed = list;
        std::swap(changed[k], changed[k + 1]);
        e.attrs.set(AttrKey::axes, changed);
        std::swap(e.types[0].shape[k], e.types[0].shape[k + 1]);
      });
  if (o.kind != OpKind::broadcast) return;
  const std::int64_t rank = static_cast<std::int64_t>(b_.type(o.results[0]).rank());
  for (std::size_t k = 0; k < list.size(); ++k)
    for (std::int64_t by : {-1, 1}) {
      IntList changed = list;
      changed[k] += by;
      if (changed[k] < 0 || changed[k] >= rank || !std::ranges::is_sorted(changed, std::less_equal<>())) continue;
      add(kAxes, id, [&](lowering::OpEdit& e) { e.attrs.set(AttrKey::axes, changed); });
    }
}

void Mutator::expression(OpId id, Expr e) {
  const auto set = [&](const Damage& d, Expr v) { add(d, id, [&](lowering::OpEdit& o) { o.attrs.set(AttrKey::expr, v); }); };
  for (Expr changed : with_another_operation(e)) set(kArithmetic, changed);
  if (e.sort() == Sort::integer) {
    set(kIndex, e + 1);
    set(kIndex, e - 1);
    return;
  }
  set(kPredicate, negation(e));
  set(kUnguarded, pool_.boolean(true));
  set(kPredicate, pool_.boolean(false));
  comparisons(id, e);
}

// One comparison of a conjunction off by one, either way, or left out.
void Mutator::comparisons(OpId id, Expr e) {
  std::vector<Expr> parts;
  append_conjuncts(e, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto set = [&](const Damage& d, Expr part) {
      std::vector<Expr> changed = parts;
      changed[i] = part;
      add(d, id, [&](lowering::OpEdit& edit) { edit.attrs.set(AttrKey::expr, pool_.all_of(changed)); });
    };
    if (parts.size() > 1) set(kUnguarded, pool_.boolean(true));
    const std::optional<OffByOne> off = off_by_one(parts[i]);
    if (!off) continue;
    set(kPredicateBound, off->less);
    set(kPredicateBound, off->more);
    set(kStrict, off->other_strictness);
  }
}

}  // namespace kir::mutants
