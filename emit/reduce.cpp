// Sequential structured folds: nested loops over a domain in row-major order, accumulators carried. Whatever the order licence,
// members are combined from the left in the given order, which every licence allows. A member whose `where` is false is neither
// mapped nor combined.
#include "core/base/check.h"
#include "core/numeric/scalar_ops.h"
#include "emit/emitter.h"

namespace kir::emit {
namespace {

const Type kFlag = Type::scalar(DType::i1);

}  // namespace

Emitter::Accumulators Emitter::accumulators(const Op& op, RegionId combine, std::span<const ValueId> init,
                                            const ScalarList* identity) {
  Accumulators a{combine, op.results.size(), {}, {}};
  KIR_CHECK(body_.region(combine).args.size() == 2 * a.components, "shape of a fold");
  for (ValueId r : op.results) a.types.push_back(&body_.type(r));
  // They start as init, else as the identity (which may be inserted anywhere), else as the first member.
  for (std::size_t i = 0; i < a.components; ++i) {
    if (!init.empty())
      a.start.push_back(values_[init[i].index]);
    else if (identity)
      a.start.push_back({{literal((*identity)[i])}, nullptr});
    else
      a.start.push_back(undefined(*a.types[i], op.range));
  }
  if (init.empty() && !identity) {
    a.types.push_back(&kFlag);
    a.start.push_back({{b_.getInt1(false)}, nullptr});
  }
  return a;
}

std::vector<Lowered> Emitter::fold_in(const Accumulators& a, std::vector<Lowered> state, std::vector<Lowered> element) {
  if (failed_) return state;
  const Region& combine = body_.region(a.combine);
  const std::size_t k = a.components;
  auto combined = [&] {
    for (std::size_t i = 0; i < k; ++i) {
      define(combine.args[i], state[i]);
      define(combine.args[k + i], element[i]);
    }
    return emit_region(a.combine);
  };
  if (a.types.size() == k) return combined();
  std::vector<Lowered> out = choose(state[k].lanes[0], std::span(a.types).first(k), combined, element);
  out.push_back({{b_.getInt1(true)}, nullptr});
  return out;
}

std::vector<Lowered> Emitter::over_members(const Op& op, RegionId domain, bool forward, const Accumulators& a,
                                           const std::function<std::vector<Lowered>(std::vector<Lowered>)>& member) {
  const Region& region = body_.region(domain);
  const auto& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  std::function<std::vector<Lowered>(std::size_t, std::vector<Lowered>)> nest = [&](std::size_t axis,
                                                                                    std::vector<Lowered> state) {
    if (2 * axis == ranges.size()) return member(std::move(state));
    const Value& arg = body_.value(region.args[axis]);
    const auto width = static_cast<unsigned>(bit_width(arg.type.dtype));
    llvm::Value* lo = expression(ranges[2 * axis], width);
    llvm::Value* hi = expression(ranges[2 * axis + 1], width);
    llvm::Value* one = b_.getIntN(width, 1);
    return counted_loop(lo, hi, one, a.types, state, arg.name, [&](llvm::Value* iv, std::vector<Lowered> inner) {
      define(region.args[axis], forward ? iv : b_.CreateSub(b_.CreateSub(hi, one), b_.CreateSub(iv, lo)));
      return nest(axis + 1, std::move(inner));
    });
  };
  ++loop_depth_;
  std::vector<Lowered> results = nest(0, a.start);
  --loop_depth_;
  return results;
}

// The variables of `other` are those of the domain.
void Emitter::same_variables(RegionId domain, RegionId other) {
  const std::vector<ValueId>&from = body_.region(domain).args, &to = body_.region(other).args;
  for (std::size_t i = 0; i < to.size(); ++i) define(to[i], values_[from[i].index]);
}

std::vector<Lowered> Emitter::if_active(const Op& op, std::size_t where, const Accumulators& a, std::vector<Lowered> state,
                                        const std::function<std::vector<Lowered>(std::vector<Lowered>)>& member) {
  if (op.regions.size() <= where) return member(std::move(state));
  same_variables(op.regions[0], op.regions[where]);
  const std::vector<Lowered> active = emit_region(op.regions[where]);
  if (failed_) return state;
  return choose(active[0].lanes[0], a.types, [&] { return member(state); }, state);
}

void Emitter::emit_reduce(const Op& op) {
  const Accumulators a = accumulators(op, op.regions[1], op.operands, op.attrs.find<ScalarList>(AttrKey::identity));
  std::vector<Lowered> results = over_members(op, op.regions[0], true, a, [&](std::vector<Lowered> state) {
    return if_active(op, 2, a, std::move(state),
                     [&](std::vector<Lowered> before) { return fold_in(a, std::move(before), emit_region(op.regions[0])); });
  });
  if (failed_) return;
  for (std::size_t i = 0; i < a.components; ++i) define(op.results[i], results[i]);
}

// Whether a member's value replaces the best one so far. A NaN wins over every number, or where it is ignored is no member:
// only an initial value may then be one, and loses.
llvm::Value* Emitter::wins(const Op& op, DType t, llvm::Value* later, llvm::Value* best) {
  const bool maximum = op.attrs.get<Extreme>(AttrKey::extreme) == Extreme::max;
  const bool ties = op.attrs.get<TieRule>(AttrKey::tie) == TieRule::last;
  using P = CmpPredicate;
  if (!is_float(t)) {
    if (t == DType::i1 || t == DType::u64)
      return compare(maximum ? (ties ? P::uge : P::ugt) : (ties ? P::ule : P::ult), t, later, best);
    return compare(maximum ? (ties ? P::sge : P::sgt) : (ties ? P::sle : P::slt), t, later, best);
  }
  llvm::Value* beyond = compare(maximum ? (ties ? P::oge : P::ogt) : (ties ? P::ole : P::olt), t, later, best);
  switch (op.attrs.get<NanRule>(AttrKey::nan)) {
    case NanRule::first:
      return b_.CreateOr(beyond, b_.CreateAnd(compare(P::uno, t, later, later), compare(P::ord, t, best, best)));
    case NanRule::last: return b_.CreateOr(beyond, compare(P::uno, t, later, later));
    case NanRule::ignore: return b_.CreateOr(beyond, compare(P::uno, t, best, best));
  }
  KIR_UNREACHABLE("NaN rule");
}

// The best value and its coordinates are carried, without an initial value also whether there is one yet.
void Emitter::emit_arg_reduce(const Op& op) {
  const std::vector<ValueId>& variables = body_.region(op.regions[0]).args;
  const DType t = body_.type(op.results[0]).dtype;
  const bool has_start = !op.operands.empty();
  Accumulators a{{}, op.results.size(), types_of(op.results), {}};
  for (std::size_t i = 0; i < a.components; ++i)
    a.start.push_back(has_start ? values_[op.operands[i].index] : undefined(*a.types[i], op.range));
  if (!has_start) {
    a.types.push_back(&kFlag);
    a.start.push_back({{b_.getInt1(false)}, nullptr});
  }
  auto member = [&](std::vector<Lowered> best) {
    std::vector<Lowered> candidate = emit_region(op.regions[0]);
    if (failed_) return best;
    for (ValueId v : variables) candidate.push_back(values_[v.index]);
    llvm::Value *later = candidate[0].lanes[0], *now = best[0].lanes[0];
    llvm::Value* taken = wins(op, t, later, now);
    if (!has_start) {
      taken = b_.CreateOr(b_.CreateNot(best.back().lanes[0]), taken);
      candidate.push_back({{b_.getInt1(true)}, nullptr});
    }
    if (is_float(t) && op.attrs.get<NanRule>(AttrKey::nan) == NanRule::ignore)
      taken = b_.CreateAnd(compare(CmpPredicate::ord, t, later, later), taken);
    for (std::size_t i = 0; i < best.size(); ++i)
      best[i].lanes[0] = b_.CreateSelect(taken, candidate[i].lanes[0], best[i].lanes[0]);
    return best;
  };
  std::vector<Lowered> results = over_members(
      op, op.regions[0], true, a, [&](std::vector<Lowered> state) { return if_active(op, 1, a, std::move(state), member); });
  if (failed_) return;
  for (std::size_t i = 0; i < a.components; ++i) define(op.results[i], results[i]);
}

// One element: the products of both sides over the paired members. An exact product enters the sum unrounded.
void Emitter::emit_contract(const Op& op) {
  const auto* identity = op.attrs.find<ScalarList>(AttrKey::identity);
  const DType t = body_.type(op.results[0]).dtype;
  const bool exact = op.regions.size() == 2;
  Accumulators a;
  if (exact) {
    // The sum starts at the initial value, else at the one that leaves the first product as it is.
    const Scalar neutral{t, is_float(t) ? std::uint64_t{1} << (bit_width(t) - 1) : 0};
    a = {{}, 1, types_of(op.results), {}};
    a.start.push_back(op.operands.empty() ? Lowered{{literal(neutral)}, nullptr} : values_[op.operands[0].index]);
  } else {
    a = accumulators(op, op.regions[3], op.operands, identity);
  }
  auto member = [&](std::vector<Lowered> state) -> std::vector<Lowered> {
    llvm::Value* factors[2] = {};
    same_variables(op.regions[0], op.regions[1]);
    for (std::size_t s = 0; s < 2; ++s) {
      const std::vector<Lowered> yielded = emit_region(op.regions[s]);
      if (failed_) return state;
      factors[s] = yielded[0].lanes[0];
      if (!exact) define(body_.region(op.regions[2]).args[s], factors[s]);
    }
    if (!exact) return fold_in(a, std::move(state), emit_region(op.regions[2]));
    for (std::size_t s = 0; s < 2; ++s) {
      const DType from = body_.type(body_.yields(op.regions[s])[0]).dtype;
      if (from != t) factors[s] = convert(widening(from, t), from, t, factors[s]);
    }
    llvm::Value*& sum = state[0].lanes[0];
    sum = is_float(t) ? fused(t, factors[0], factors[1], sum) : b_.CreateAdd(sum, b_.CreateMul(factors[0], factors[1]));
    return state;
  };
  std::vector<Lowered> results = over_members(op, op.regions[0], true, a, member);
  if (failed_) return;
  if (exact && identity && op.operands.empty()) {
    const auto& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
    llvm::Value* some = b_.getInt1(true);
    for (std::size_t k = 0; k < ranges.size(); k += 2)
      some = b_.CreateAnd(some, b_.CreateICmpSLT(expression(ranges[k], 64), expression(ranges[k + 1], 64)));
    results[0].lanes[0] = b_.CreateSelect(some, results[0].lanes[0], literal((*identity)[0]));
  }
  define(op.results[0], results[0]);
}

}  // namespace kir::emit
