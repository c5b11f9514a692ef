// What is computed: operations, operands, literals, bounds, predicates, states.
#include <optional>

#include "core/ir/op_table.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;

namespace {

// A kind of the same operands and result, but another meaning; none where there is no such.
std::optional<OpKind> sibling(OpKind k) {
  switch (k) {
    case OpKind::add: return OpKind::sub;
    case OpKind::sub: return OpKind::add;
    case OpKind::mul: return OpKind::add;
    case OpKind::div: return OpKind::mul;
    case OpKind::neg: return OpKind::abs;
    case OpKind::abs: return OpKind::neg;
    case OpKind::min_nan: return OpKind::min_num;
    case OpKind::max_nan: return OpKind::max_num;
    case OpKind::min_num: return OpKind::max_num;
    case OpKind::max_num: return OpKind::max_nan;
    case OpKind::sqrt: return OpKind::rsqrt;
    case OpKind::rsqrt: return OpKind::sqrt;
    case OpKind::floor: return OpKind::trunc;
    case OpKind::ceil: return OpKind::floor;
    case OpKind::trunc: return OpKind::round_even;
    case OpKind::round_even: return OpKind::floor;
    case OpKind::exp: return OpKind::exp2;
    case OpKind::exp2: return OpKind::exp;
    case OpKind::log: return OpKind::log2;
    case OpKind::log2: return OpKind::log;
    case OpKind::sin: return OpKind::cos;
    case OpKind::cos: return OpKind::sin;
    case OpKind::tanh: return OpKind::erf;
    case OpKind::erf: return OpKind::tanh;
    case OpKind::divt: return OpKind::divf;
    case OpKind::remt: return OpKind::remf;
    case OpKind::divf: return OpKind::divt;
    case OpKind::remf: return OpKind::remt;
    case OpKind::divu: return OpKind::divt;
    case OpKind::remu: return OpKind::remt;
    case OpKind::min_s: return OpKind::min_u;
    case OpKind::max_s: return OpKind::max_u;
    case OpKind::min_u: return OpKind::min_s;
    case OpKind::max_u: return OpKind::max_s;
    case OpKind::bit_and: return OpKind::bit_or;
    case OpKind::bit_or: return OpKind::bit_and;
    case OpKind::bit_xor: return OpKind::bit_or;
    case OpKind::shl: return OpKind::shrl;
    case OpKind::shrl: return OpKind::shra;
    case OpKind::shra: return OpKind::shrl;
    default: return std::nullopt;
  }
}

bool ordered_pair(OpKind k) {  // exchanging the operands matters
  switch (k) {
    case OpKind::sub:
    case OpKind::div:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra: return true;
    default: return false;
  }
}

Scalar other_literal(const Scalar& s) {
  if (s.type == DType::i1) return Scalar::of_int(DType::i1, s.as_signed() == 0 ? 1 : 0);
  if (is_integer(s.type)) return Scalar::of_int(s.type, s.as_signed() == 1 ? 2 : 1);
  return parse_literal(s.as_double() == 1.0 ? "2.0" : "1.0", s.type).value();
}

}  // namespace

void Mutator::op(OpId id) {
  const Op& o = b_.op(id);
  if (auto other = sibling(o.kind)) add(kOperation, id, [&](lowering::OpEdit& e) { e.kind = *other; });
  if (ordered_pair(o.kind)) add(kOperands, id, [](lowering::OpEdit& e) { std::swap(e.operands[0], e.operands[1]); });
  attributes(id, o);
  if (o.results.size() == 1) retype(id, o);
  parts(id, o);
  switch (o.kind) {
    case OpKind::store: return store(id, o);
    case OpKind::load: return load(id, o);
    case OpKind::buffer: return buffer(id, o);
    case OpKind::region_fold:
    case OpKind::region_scan: return segments(id, o);
    case OpKind::if_else:
      // The condition's negation is no value of the program: another condition in its place.
      if (!inside_segments(id)) replace_operand(id, o, 0, kPredicate);
      return;
    case OpKind::for_loop:
    case OpKind::while_loop: return loop(id, o);
    case OpKind::next:
    case OpKind::yield:
    case OpKind::break_loop:
    case OpKind::continue_loop: return hand_on(id, o);
    case OpKind::reduce:
    case OpKind::scan:
    case OpKind::contract:
    case OpKind::arg_reduce:
      if (!o.operands.empty()) add(kInit, id, [](lowering::OpEdit& e) { e.operands.clear(); });
      return;
    case OpKind::atomic_load:
    case OpKind::atomic_rmw:
    case OpKind::atomic_store:
    case OpKind::atomic_cas: return access(id, o);
    case OpKind::select: return add(kOperands, id, [](lowering::OpEdit& e) { std::swap(e.operands[1], e.operands[2]); });
    default: break;
  }
  if (is_pointwise(o.kind)) replace_operand(id, o, 0, kOperand);
}

void Mutator::attributes(OpId id, const Op& o) {
  for (const auto& [key, attr] : o.attrs.all()) {
    const AttrKey k = key;
    const auto set = [&](const Damage& d, AttrValue v) { add(d, id, [&, v](lowering::OpEdit& e) { e.attrs.set(k, v); }); };
    switch (key) {
      case AttrKey::expr: {
        const Expr e = std::get<Expr>(attr);
        if (e.sort() == Sort::integer) {
          set(kIndex, e + 1);
          set(kIndex, e - 1);
        } else {
          set(kPredicate, negation(e));
          set(kUnguarded, pool_.boolean(true));
          set(kPredicate, pool_.boolean(false));
          weaken(id, e);
        }
        break;
      }
      case AttrKey::ranges:
        for (std::size_t i = 0; i < std::get<ExprList>(attr).size(); ++i)
          for (std::int64_t by : {-1, 1}) {
            ExprList list = std::get<ExprList>(attr);
            list[i] = list[i] + by;
            set(kBounds, list);
          }
        break;
      case AttrKey::step: set(kBounds, std::get<Expr>(attr) + 1); break;
      case AttrKey::order:
        if (std::get<Order>(attr) != Order::any) set(kOrder, Order::any);
        break;
      case AttrKey::identity: {
        ScalarList list = std::get<ScalarList>(attr);
        for (std::size_t i = 0; i < list.size(); ++i) {
          ScalarList changed = list;
          changed[i] = other_literal(list[i]);
          set(kIdentity, changed);
        }
        break;
      }
      case AttrKey::literal: set(kLiteral, other_literal(std::get<Scalar>(attr))); break;
      case AttrKey::predicate: {
        const CmpPredicate p = std::get<CmpPredicate>(attr);
        for (CmpPredicate other : all_cmp_predicates())
          if (other != p && is_float_predicate(other) == is_float_predicate(p)) {
            set(kMode, other);
            break;
          }
        break;
      }
      case AttrKey::mode: {
        const ConvertMode m = std::get<ConvertMode>(attr);
        if (m == ConvertMode::sint) set(kMode, ConvertMode::uint);
        if (m == ConvertMode::uint) set(kMode, ConvertMode::sint);
        if (m == ConvertMode::rn) set(kMode, ConvertMode::sat_rn);
        if (m == ConvertMode::sat_rn) set(kMode, ConvertMode::rn);
        break;
      }
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
      default: break;
    }
  }
  if (o.attrs.has(AttrKey::identity)) {
    add(kIdentity, id, [](lowering::OpEdit& e) {
      Attrs left;
      for (const auto& [key, attr] : e.attrs.all())
        if (key != AttrKey::identity && key != AttrKey::identity_assumed) left.set(key, attr);
      e.attrs = std::move(left);
    });
  }
}

// One comparison of a conjunction off by one, either way.
void Mutator::weaken(OpId id, Expr e) {
  std::vector<Expr> parts;
  append_conjuncts(e, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].is(ExprKind::lt) && !parts[i].is(ExprKind::le)) continue;
    for (std::int64_t by : {-1, 1}) {
      std::vector<Expr> changed = parts;
      changed[i] = pool_.make(parts[i].kind(), {parts[i].kid(0), parts[i].kid(1) + by});
      add(by < 0 ? kPredicate : kUnguarded, id,
          [&](lowering::OpEdit& edit) { edit.attrs.set(AttrKey::expr, pool_.all_of(changed)); });
    }
  }
}

void Mutator::loop(OpId id, const Op& o) {
  for (std::size_t i = 0; i < o.operands.size(); ++i) replace_operand(id, o, i, kStartState);
}

void Mutator::hand_on(OpId id, const Op& o) {
  if (!b_.region(o.parent).parent) return;
  const Damage& d = inside_segments(id) ? kCapture : kNextState;
  for (std::size_t i = 0; i < o.operands.size(); ++i) replace_operand(id, o, i, d);
  for (std::size_t i = 0; i + 1 < o.operands.size(); ++i)
    if (b_.type(o.operands[i]) == b_.type(o.operands[i + 1]))
      add(d, id, [i](lowering::OpEdit& e) { std::swap(e.operands[i], e.operands[i + 1]); });
}

void Mutator::replace_operand(OpId id, const Op& o, std::size_t i, const Damage& d) {
  if (i >= o.operands.size()) return;
  const ValueId old = o.operands[i];
  if (auto other = visible_before(id, b_.type(old), old)) add(d, id, [&](lowering::OpEdit& e) { e.operands[i] = *other; });
}

}  // namespace kir::mutants
