#include <fmt/format.h>

#include "core/base/check.h"
#include "core/interp/bound_rules.h"
#include "core/interp/machine.h"
#include "core/ir/op_table.h"

namespace kir {

bool Machine::element_operation(const Instr& i, const std::uint64_t* in, std::uint64_t& out, ScalarError& error) const {
  switch (i.inner) {
    case InstrKind::pointwise:
    case InstrKind::select: out = i.function(in, error); break;
    case InstrKind::cmp: out = evaluate_cmp(static_cast<CmpPredicate>(i.word), {i.from, in[0]}, {i.from, in[1]}); break;
    case InstrKind::convert: {
      const ScalarResult r = evaluate_convert(static_cast<ConvertMode>(i.word), {i.from, in[0]}, i.type);
      out = r.value.bits;
      error = r.error;
      break;
    }
    default: KIR_UNREACHABLE("no operation on elements");
  }
  return error == ScalarError::none;
}

bool Machine::scalar_fault(const Instr& i, ScalarError error, Taint taint, const std::uint64_t* in) {
  const std::string_view name = row(body_.op(i.op).kind).name;
  if (taint) return check_observed(taint, i.op, fmt::format("an operand of {}", name));
  auto text = [&](int k) { return literal_text({i.from, in[k]}); };
  switch (error) {
    case ScalarError::division_by_zero:
      return fail(RuntimeErrorKind::division, i.op, fmt::format("{} {} by zero", name, text(0)));
    case ScalarError::division_overflow:
      return fail(RuntimeErrorKind::division, i.op,
                  fmt::format("the quotient of {} {} by {} does not fit", name, text(0), text(1)));
    case ScalarError::conversion_out_of_range:
      return fail(RuntimeErrorKind::conversion, i.op, fmt::format("{} is outside {}", text(0), kir::name(i.type)));
    case ScalarError::none: break;
  }
  KIR_UNREACHABLE("no fault");
}

// Whether operands that may hold other words decide about a fault that these words do not have: a divisor may be zero, a
// dividend of -1 the minimum, a converted float a NaN.
bool Machine::may_fault(const Instr& i, const std::uint64_t* in, const Taint* taints) const {
  constexpr Taint open = kArbitrary | kUndecided;
  if (i.inner == InstrKind::convert) {
    const auto mode = static_cast<ConvertMode>(i.word);
    return (taints[0] & open) != 0 && (mode == ConvertMode::to_sint || mode == ConvertMode::to_uint);
  }
  if (i.inner != InstrKind::pointwise) return false;
  switch (body_.op(i.op).kind) {
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf: return (taints[1] & open) != 0 || ((taints[0] & open) != 0 && Scalar{i.from, in[1]}.as_signed() == -1);
    case OpKind::divu:
    case OpKind::remu: return (taints[1] & open) != 0;
    default: return false;
  }
}

bool Machine::pointwise(const Instr& i) {
  std::uint64_t in[3] = {words_[i.a]};
  Taint taint = taint_[i.a];
  switch (i.operands) {
    case 1: break;
    case 2:
      in[1] = words_[i.b];
      taint |= taint_[i.b];
      break;
    default:
      in[1] = words_[i.b];
      in[2] = words_[i.c];
      // The arm that is not chosen does not matter.
      taint |= i.inner != InstrKind::select ? taint_[i.b] | taint_[i.c] : in[0] ? taint_[i.b] : taint_[i.c];
      break;
  }
  ScalarError error = ScalarError::none;
  if (i.inner == InstrKind::pointwise)
    words_[i.dst] = i.function(in, error);
  else
    element_operation(i, in, words_[i.dst], error);
  if (error != ScalarError::none) return scalar_fault(i, error, taint, in);
  if (taint != 0) {
    const Taint taints[] = {taint_[i.a], i.operands > 1 ? taint_[i.b] : Taint{0}};
    if (may_fault(i, in, taints)) return scalar_fault(i, error, taint, in);
  }
  taint_[i.dst] = taint;
  if (bounds_) bounds_->pointwise(i, in);
  return true;
}

bool Machine::index(const Instr& i) {
  IndexCode::Result r;
  if (!code_.expressions[i.plan].evaluate(environment_, r)) return index_fault(r, i.op);
  set_integer(i.dst, r.value);
  taint_[i.dst] = r.taint;
  radius_[i.dst] = 0;
  return true;
}

bool Machine::convert_index(const Instr& i) {
  switch (i.kind) {
    case InstrKind::select_index: {
      const Slot chosen = words_[i.a] ? i.b : i.c;
      integers_[i.dst] = integers_[chosen];
      taint_[i.dst] = taint_[i.a] | taint_[chosen];
      return true;
    }
    case InstrKind::convert_from_index:
      words_[i.dst] = evaluate_convert_integer(static_cast<ConvertMode>(i.word), integers_[i.a], i.type).value.bits;
      taint_[i.dst] = taint_[i.a];
      radius_[i.dst] = 0;
      return true;
    default: {
      const Scalar v{i.from, words_[i.a]};
      integers_[i.dst] =
          static_cast<ConvertMode>(i.word) == ConvertMode::uint ? static_cast<Integer>(v.as_unsigned()) : v.as_signed();
      taint_[i.dst] = taint_[i.a];
      return true;
    }
  }
}

bool Machine::tensor_pointwise(const Instr& i) {
  const TensorPointwisePlan& plan = code_.tensor_operations[i.plan];
  const Slot operands[] = {i.a, i.b, i.c};
  std::shared_ptr<TensorValue> tensors[3];
  auto result = std::make_shared<TensorValue>();
  bool first = true;
  for (std::size_t k = 0; k < i.operands; ++k) {
    if (plan.accesses[k] == kNoSlot) continue;
    if (!materialize(code_.accesses[plan.accesses[k]], i.op, tensors[k])) return false;
    if (first)
      result->shape = tensors[k]->shape;
    else if (result->shape != tensors[k]->shape)
      return fail(
          RuntimeErrorKind::unsupported, i.op,
          fmt::format("operands of extents ({}) and ({})", fmt::join(result->shape, ", "), fmt::join(tensors[k]->shape, ", ")));
    if (first) result->words.resize(tensors[k]->words.size());
    first = false;
  }
  const std::size_t count = result->words.size();
  result->taint.resize(count);
  if (bounds_) result->radius.resize(count);
  if (!count_step(i.op, count)) return false;
  for (std::size_t e = 0; e < count; ++e) {
    std::uint64_t in[3] = {};
    Taint taints[3] = {};
    double radii[3] = {};
    for (std::size_t k = 0; k < i.operands; ++k) {
      in[k] = tensors[k] ? tensors[k]->words[e] : words_[operands[k]];
      taints[k] = tensors[k] ? tensors[k]->taint[e] : taint_[operands[k]];
      if (bounds_) radii[k] = !tensors[k] ? radius_[operands[k]] : tensors[k]->radius.empty() ? 0 : tensors[k]->radius[e];
    }
    Taint taint = taints[0] | taints[1] | taints[2];
    if (i.inner == InstrKind::select) taint = taints[0] | (in[0] ? taints[1] : taints[2]);
    ScalarError error = ScalarError::none;
    if (!element_operation(i, in, result->words[e], error) || (taint != 0 && may_fault(i, in, taints)))
      return scalar_fault(i, error, taint, in);
    if (bounds_) result->radius[e] = bounds_->element(i, in, taints, radii, result->words[e], taint);
    result->taint[e] = taint;
  }
  tensors_[i.dst] = std::move(result);
  return true;
}

}  // namespace kir
