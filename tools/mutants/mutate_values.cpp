// What is computed: operations, operands, states.
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

}  // namespace

void Mutator::op(OpId id) {
  const Op& o = b_.op(id);
  if (auto other = sibling(o.kind)) add(kOperation, id, [&](lowering::OpEdit& e) { e.kind = *other; });
  if (ordered_pair(o.kind)) add(kOperands, id, [](lowering::OpEdit& e) { std::swap(e.operands[0], e.operands[1]); });
  attributes(id, o);
  if (o.results.size() == 1) retype(id, o);
  parts(id, o);
  effect(id, o);
  switch (o.kind) {
    case OpKind::load: return load(id, o);
    case OpKind::store:
    case OpKind::atomic_load:
    case OpKind::atomic_rmw:
    case OpKind::atomic_store:
    case OpKind::atomic_cas: return access(id, o);
    case OpKind::elem: coordinates(id, o, o.operands.size() - 1, kCoordinate); return replace_operand(id, o, 0, kOperand);
    case OpKind::assume: add(kAssume, id, [](lowering::OpEdit& e) { e.times = 0; }); return replace_operand(id, o, 0, kAssume);
    case OpKind::assume_in_bounds:
      add(kAssume, id, [](lowering::OpEdit& e) { e.times = 0; });
      return coordinates(id, o, o.operands.size() - 1, kAssume);
    case OpKind::buffer:
    case OpKind::view:
    case OpKind::broadcast:
    case OpKind::iota: return buffer(id, o);
    case OpKind::region_fold:
    case OpKind::region_scan: return segments(id, o);
    case OpKind::if_else: return branches(id, o);
    case OpKind::for_loop:
    case OpKind::while_loop:
      for (std::size_t i = 0; i < o.operands.size(); ++i) replace_operand(id, o, i, kStartState);
      return;
    case OpKind::next:
    case OpKind::yield:
    case OpKind::break_loop:
    case OpKind::continue_loop: return hand_on(id, o);
    case OpKind::reduce:
    case OpKind::scan:
    case OpKind::contract:
    case OpKind::arg_reduce:
    case OpKind::tile_reduce:
      if (o.operands.size() > (o.kind == OpKind::tile_reduce ? 1 : 0))
        add(kInit, id, [](lowering::OpEdit& e) { e.operands.pop_back(); });
      return;
    case OpKind::concat:
      for (std::size_t i = 0; i + 1 < o.operands.size(); ++i)
        add(kOperands, id, [i](lowering::OpEdit& e) { std::swap(e.operands[i], e.operands[i + 1]); });
      return;
    case OpKind::select:
      add(kOperands, id, [](lowering::OpEdit& e) { std::swap(e.operands[1], e.operands[2]); });
      return replace_operand(id, o, 0, kPredicate);
    default: break;
  }
  if (is_pointwise(o.kind))
    for (std::size_t i = 0; i < o.operands.size(); ++i) replace_operand(id, o, i, kOperand);
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
