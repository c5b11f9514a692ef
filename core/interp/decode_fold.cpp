// Reductions, scans and contractions.
#include "core/interp/decoder.h"
#include "core/ir/fold.h"

namespace kir {

// `values` are what a member brings; none for exact products, which reach the accumulator without slots between.
FoldPlan Decoder::fold(const Op& op, std::span<const ValueId> values) {
  const Fold f = *as_fold(body_, op);
  FoldPlan plan;
  plan.combine = f.combine;
  plan.has_init = !f.init.empty();
  plan.order = f.order;
  plan.type = f.type;
  if (f.identity) plan.identity = *f.identity;
  if (!f.combine) return plan;
  region(f.combine);
  const std::span<const ValueId> arguments = body_.region(f.combine).args;
  const std::span<const ValueId> accumulators = arguments.first(f.components), elements = arguments.subspan(f.components);
  plan.accumulators = slots(accumulators);
  plan.elements = slots(elements);
  plan.from_init = moves(f.init, accumulators);
  plan.from_first = moves(values, accumulators);
  plan.element = moves(values, elements);
  plan.again = moves(yields(f.combine), accumulators);
  plan.single = single_operation(body_, f.combine);
  return plan;
}

WherePlan Decoder::where(const Op& op, std::size_t which) {
  WherePlan plan;
  if (which >= op.regions.size()) return plan;
  plan.region = op.regions[which];
  region(plan.region);
  plan.enter = moves(body_.region(op.regions[0]).args, body_.region(plan.region).args);
  plan.test = slot(yields(plan.region)[0]);
  return plan;
}

Instr Decoder::reduce(const Op& op, Instr i) {
  i.kind = InstrKind::reduce;
  ReducePlan plan;
  plan.map = op.regions[0];
  plan.domain = domain(op, plan.map);
  plan.where = where(op, 2);
  region(plan.map);
  plan.fold = fold(op, yields(plan.map));
  plan.finish = moves(std::span(body_.region(plan.fold.combine).args).first(op.results.size()), op.results);
  i.plan = keep(code_.reductions, std::move(plan));
  return i;
}

Instr Decoder::arg_reduce(const Op& op, Instr i) {
  i.kind = InstrKind::arg_reduce;
  ArgReducePlan plan;
  plan.map = op.regions[0];
  plan.domain = domain(op, plan.map);
  plan.where = where(op, 1);
  region(plan.map);
  plan.value = slot(yields(plan.map)[0]);
  plan.type = body_.type(yields(plan.map)[0]).dtype;
  plan.extreme = op.attrs.get<Extreme>(AttrKey::extreme);
  plan.tie = op.attrs.get<TieRule>(AttrKey::tie);
  plan.nan = op.attrs.get<NanRule>(AttrKey::nan);
  plan.init = slots(op.operands);
  plan.results = slots(op.results);
  i.plan = keep(code_.arg_reductions, std::move(plan));
  return i;
}

Instr Decoder::scan(const Op& op, Instr i) {
  i.kind = InstrKind::scan;
  ScanPlan plan;
  plan.map = op.regions[0];
  plan.domain = domain(op, plan.map);
  region(plan.map);
  plan.fold = fold(op, yields(plan.map));
  plan.inclusive = op.attrs.get<Inclusion>(AttrKey::inclusion) == Inclusion::inclusive;
  plan.forward = op.attrs.get<Direction>(AttrKey::direction) == Direction::forward;
  const std::size_t k = in_.physical ? op.results.size() : op.results.size() / 2;
  if (in_.physical) {
    plan.result = op.regions[2];
    region(plan.result);
    const std::span<const ValueId> arguments = body_.region(plan.result).args;
    plan.enter_variables = moves(body_.region(plan.map).args, arguments);
    plan.states = slots(arguments.last(k));
  } else {
    plan.tensors = slots(std::span(op.results).first(k));
  }
  plan.finish = moves(std::span(body_.region(plan.fold.combine).args).first(k), std::span(op.results).last(k));
  i.plan = keep(code_.scans, std::move(plan));
  return i;
}

Instr Decoder::contract(const Op& op, Instr i) {
  i.kind = InstrKind::contract;
  ContractPlan plan;
  const ContractAxes axes = *contract_axes(op);
  plan.batch = axes.batch;
  plan.left = axes.left;
  plan.right = axes.right;
  plan.paired = axes.paired;
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  auto bounds = [&](ContractPlan::Side& side, std::size_t first, std::size_t count) {
    for (std::size_t k = first; k < first + count; ++k) {
      const Type& variable = body_.type(body_.region(side.region).args[side.domain.low.size()]);
      side.domain.low.push_back(expression(ranges[2 * k], limits_for(variable)));
      side.domain.high.push_back(expression(ranges[2 * k + 1], limits_for(variable)));
    }
  };
  for (std::size_t s = 0; s < 2; ++s) {
    ContractPlan::Side& side = plan.sides[s];
    side.region = op.regions[s];
    bounds(side, 0, axes.batch);
    bounds(side, axes.batch + (s == 0 ? 0 : axes.left), s == 0 ? axes.left : axes.right);
    bounds(side, axes.batch + axes.left + axes.right, axes.paired);
    side.domain.arguments = slots(body_.region(side.region).args);
    for (std::size_t k = 0; k < side.domain.arguments.size(); ++k) {
      const ValueId bound = bound_with(body_, op, s, k);  // batch and paired variables are those of the left side
      side.domain.focus.push_back(bound ? slot(bound) : side.domain.arguments[k]);
    }
    region(side.region);
    side.yield = slot(yields(side.region)[0]);
    side.type = body_.type(yields(side.region)[0]).dtype;
  }
  if (op.regions.size() == 4) {
    plan.product = op.regions[2];
    region(plan.product);
    for (std::size_t s = 0; s < 2; ++s) plan.sides[s].argument = slot(body_.region(plan.product).args[s]);
    plan.fold = fold(op, yields(plan.product));
  } else {
    plan.fold = fold(op, {});
    plan.multiply = pointwise_function(is_float(i.type) ? OpKind::fma : OpKind::mul, i.type);
    plan.add = pointwise_function(OpKind::add, i.type);
    if (const Scalar* unit = op.attrs.find<Scalar>(AttrKey::unit)) {
      plan.has_unit = true;
      plan.unit = unit->as_double();
    }
    if (!plan.multiply || !plan.add) i.kind = InstrKind::unsupported;
  }
  i.a = op.operands.empty() ? kNoSlot : slot(op.operands[0]);
  i.plan = keep(code_.contractions, std::move(plan));
  return i;
}

}  // namespace kir
