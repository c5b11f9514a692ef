// Folds and scans over segments.
#include "core/interp/decoder.h"

namespace kir {

Instr Decoder::segments(const Op& op, Instr i) {
  const bool scan = op.kind == OpKind::region_scan;
  i.kind = scan ? InstrKind::region_scan : InstrKind::region_fold;
  SegmentPlan plan;
  for (RegionId r : op.regions) region(r);
  auto args = [&](std::size_t k) { return std::span<const ValueId>(body_.region(op.regions[k]).args); };
  const ExprList& range = op.attrs.get<ExprList>(AttrKey::ranges);
  const IndexCode::Limits limits = limits_for(body_.type(args(0)[0]));
  plan.low = expression(range[0], limits);
  plan.high = expression(range[1], limits);
  plan.order = op.attrs.get<Order>(AttrKey::order);
  if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) plan.identity = *identity;
  plan.summarize = {op.regions[0], slots(args(0)), slots(yields(op.regions[0]))};
  plan.combine = {op.regions[1], slots(args(1)), slots(yields(op.regions[1]))};
  plan.physical = in_.physical;
  if (!scan) {
    plan.results = slots(op.results);
    if (op.regions.size() > 2) plan.where = {op.regions[2], slots(args(2)), slots(yields(op.regions[2]))};
  } else {
    plan.apply = {op.regions[2], slots(args(2)), slots(yields(op.regions[2]))};
    plan.emit = {op.regions[3], slots(args(3)), {}};
    const std::size_t states = plan.apply.yields.size(), slices = yields(op.regions[3]).size();
    plan.init = slots(std::span(op.operands).last(states));
    plan.results = slots(std::span(op.results).last(states));
    for (std::size_t k = 0; k < slices; ++k) {
      SegmentPlan::Slice s;
      s.emitted = moves(yields(op.regions[3]).subspan(k, 1), std::span(op.results).subspan(k, 1));
      s.result = slot(op.results[k]);
      const std::vector<Expr>& shape = body_.type(op.results[k]).shape;
      for (std::size_t axis = 1; axis < shape.size(); ++axis) s.rest.push_back(expression(shape[axis], limits));
      plan.slices.push_back(std::move(s));
    }
  }
  i.plan = keep(code_.segments, std::move(plan));
  return i;
}

}  // namespace kir
