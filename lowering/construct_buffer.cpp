// What keeps elements: buffers, what loops collect, scans, and tensors that cannot be read again. Each becomes memory of the
// program instance, made anew in each iteration of the loops around it, and its readers load from it. A buffer that instances
// share lies in the workspace of the launch, and each makes its part of the initial value.
#include "lowering/relation.h"
#include "lowering/translate.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/ir/derived_shape.h"

namespace kir::lowering {

ValueId Translator::allocate(ValueId kir, OpId origin, std::vector<RegionId> initial) {
  const Value& v = b_.value(kir);
  Attrs attrs;
  ExprList extents;
  bool visible = true;
  Expr elements;
  for (Expr e : v.type.shape) {
    extents.push_back(expr(e));
    const Expr known = facts_.expand(e);
    visible = visible && KernelFacts::launch_visible(known);
    const Expr most = facts_.bounds(known).hi;
    if (!most) {
      diagnostics_.error("L-06", b_.op(origin).range,
                         fmt::format("how many elements {} may have is not known before the launch", facts_.name(kir)),
                         "bound its extents by integers of the launch, as in min(n, N)");
      continue;
    }
    const Expr factor = max(pool_.constant(0), pool_.import(most, {}));
    elements = elements ? elements * factor : factor;
  }
  attrs.set(AttrKey::scope, repeats_ ? BufferScope::iteration : BufferScope::program);
  if (!visible && elements) attrs.set(AttrKey::capacity, elements);
  attrs.set(AttrKey::extents, extents);
  OpId made = builder_.emit_with_regions(OpKind::buffer, {}, std::move(attrs), std::move(initial),
                                         {Type::view(v.type.dtype, std::move(extents))}, b_.op(origin).range, origin,
                                         {fresh_name(v.name.empty() ? "kept" : v.name)});
  const ValueId view = builder_.result(made);
  builder_.set_value_origin(view, kir);
  map_[kir] = view;
  return view;
}

void Translator::buffer(OpId id) {
  for (const SharedBuffer& s : workset_->shared)
    if (s.buffer == id) return own_slice(s);
  const Op& op = b_.op(id);
  std::vector<RegionId> initial;
  for (RegionId r : op.regions) initial.push_back(mirror(r));
  allocate(op.results[0], id, std::move(initial));
}

void Translator::own_slice(const SharedBuffer& shared) {
  const Op& op = b_.op(shared.buffer);
  if (op.regions.empty()) return;
  const Region& initial = b_.region(op.regions[0]);
  const ExprList& extents = op.attrs.get<ExprList>(AttrKey::extents);
  std::vector<OpenLoop> loops;
  for (std::size_t d = 0; d < initial.args.size(); ++d) {
    if (const auto& owner = shared.owner[d]) {
      const Expr axis = pool_.value(axis_of_.at(workset_->axes[owner->axis].args[0]));
      const Expr at = pool_.import(owner->coordinate, [&](Expr l) { return l.is(ExprKind::position) ? axis : Expr(); });
      map_[initial.args[d]] = materialise(at, shared.buffer);
      claims_.bind_spec(initial.args[d], claims_.phys(map_[initial.args[d]]));
    } else {
      open_loop(loops, initial.args[d], {pool_.constant(0), expr(extents[d])});
    }
  }
  ops(initial);
  std::vector<ValueId> operands = {map_.at(op.results[0])};
  for (ValueId c : initial.args) operands.push_back(value(c));
  operands.push_back(value(b_.yields(op.regions[0])[0]));
  builder_.emit(OpKind::store, std::move(operands), {}, {}, op.range, shared.buffer);
  close_loops(loops, shared.buffer);
}

void Translator::kept(OpId id) {
  const Op& op = b_.op(id);
  if (op.kind == OpKind::tensor) {
    allocate(op.results[0], id, {mirror(op.regions[0])});
    return;
  }
  const RegionId region = builder_.new_region();
  enter(region);
  Coordinates at;
  for (std::size_t k = 0; k < b_.type(op.results[0]).rank(); ++k) {
    const ValueId a = builder_.add_argument(region, Type::scalar(DType::i64), fresh_name("c"));
    at.physical.push_back(pool_.value(a));
    at.spec.push_back(claims_.phys(a));
  }
  const TensorElement element = compute(id, std::move(at), id);
  builder_.emit(OpKind::yield, {element.value}, {}, {}, op.range, id);
  leave();
  allocate(op.results[0], id, {region});
}

// Stores the element of member `variables` of a domain with these lower bounds.
void Translator::store_element(ValueId kir, std::span<const ValueId> variables, std::span<const Expr> lows, ValueId element,
                               OpId origin) {
  auto place = places_.find(kir);
  std::vector<ValueId> operands = {map_.at(place == places_.end() ? kir : place->second.result)};
  for (std::size_t k = 0; k < variables.size(); ++k) {
    Expr at = pool_.value(variables[k]), low = lows[k];
    if (k == 0 && place != places_.end()) {
      const auto& [result, lo, begin] = place->second;
      low = low == lo ? begin : low - lo + begin;
    }
    operands.push_back(materialise(low.is_constant(0) ? at : at - low, origin));
  }
  operands.push_back(element);
  builder_.emit(OpKind::store, std::move(operands), {}, {}, b_.op(origin).range, origin);
}

void Translator::collecting_loop(OpId id) {
  const Op& op = b_.op(id);
  const std::size_t carried = op.operands.size();
  for (std::size_t k = carried; k < op.results.size(); ++k)
    if (facts_.is_used(op.results[k]) && !places_.contains(op.results[k])) allocate(op.results[k], id, {});
  std::vector<ValueId> operands = values(op.operands);
  Attrs attrs = attributes(op);
  const ExprList range = attrs.get<ExprList>(AttrKey::ranges);
  const Region& body = b_.region(op.regions[0]);
  RegionId region = open_mirror(op.regions[0]);
  ops(body);
  const Op& end = b_.terminator(op.regions[0]);
  for (std::size_t k = carried; k < op.results.size(); ++k)
    if (facts_.is_used(op.results[k]))
      store_element(op.results[k], std::vector{value(body.args[0])}, std::vector{range[0]}, value(end.operands[k]), id);
  builder_.emit(OpKind::next, values(std::span(end.operands).first(carried)), {}, {}, end.range, body.ops.back());
  close_mirror(op.regions[0]);
  finish(id, std::move(operands), std::move(attrs), {region}, 0, carried);
}

void Translator::scan(OpId id) {
  const Op& op = b_.op(id);
  const std::size_t components = op.results.size() / 2;
  for (std::size_t k = 0; k < components; ++k)
    if (facts_.is_used(op.results[k]) && !places_.contains(op.results[k])) allocate(op.results[k], id, {});
  std::vector<ValueId> operands = values(op.operands);
  Attrs attrs = attributes(op);
  const ExprList ranges = attrs.get<ExprList>(AttrKey::ranges);
  std::vector<RegionId> regions = {mirror(op.regions[0]), mirror(op.regions[1])};
  RegionId result = builder_.new_region();
  enter(result);
  std::vector<ValueId> variables, states;
  std::vector<Expr> lows;
  for (std::size_t k = 0; k < b_.region(op.regions[0]).args.size(); ++k) {
    const Value& v = b_.value(b_.region(op.regions[0]).args[k]);
    variables.push_back(builder_.add_argument(result, type(v.type), fresh_name(v.name), v.range));
    lows.push_back(ranges[2 * k]);
  }
  for (std::size_t k = 0; k < components; ++k)
    states.push_back(builder_.add_argument(result, type(b_.type(op.results[components + k])), fresh_name("state"), op.range));
  for (std::size_t k = 0; k < components; ++k)
    if (facts_.is_used(op.results[k])) store_element(op.results[k], variables, lows, states[k], id);
  builder_.emit(OpKind::yield, {}, {}, {}, op.range);
  leave();
  regions.push_back(result);
  finish(id, std::move(operands), std::move(attrs), std::move(regions), components, components);
}

}  // namespace kir::lowering
