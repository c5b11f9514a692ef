// Control: parallel axes are instance axes or ordered loops (any order is a legal one); for, while and if keep their
// regions, carried values and terminators.
#include "lowering/translate.h"

#include "core/base/check.h"
#include "core/ir/op_table.h"

namespace kir::lowering {

void Translator::parallel(OpId id) {
  members(id, [&] { ops(b_.region(b_.op(id).regions[0])); });
}

void Translator::members(OpId id, const std::function<void()>& body_of_member) {
  const Op& op = b_.op(id);
  const Region& region = b_.region(op.regions[0]);
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  std::vector<OpenLoop> loops;
  for (std::size_t k = 0; k < region.args.size(); ++k)
    if (!axis_of_.contains(region.args[k])) open_loop(loops, region.args[k], {expr(ranges[2 * k]), expr(ranges[2 * k + 1])});
  body_of_member();
  close_loops(loops, id);
}

void Translator::open_loop(std::vector<OpenLoop>& loops, ValueId variable, ExprList range) {
  const Value& kir = b_.value(variable);
  RegionId body = builder_.new_region();
  builder_.set_region_origin(body, kir.region);
  enter(body);
  ++repeats_;
  bind(variable, builder_.add_argument(body, Type::scalar(DType::i64), fresh_name(kir.name), kir.range, variable));
  loops.push_back({body, std::move(range)});
}

void Translator::close_loops(std::vector<OpenLoop>& loops, OpId origin) {
  const SourceRange range = b_.op(origin).range;
  for (; !loops.empty(); loops.pop_back()) {
    builder_.emit(OpKind::next, {}, {}, {}, range, origin);
    leave();
    --repeats_;
    Attrs attrs;
    attrs.set(AttrKey::ranges, std::move(loops.back().range));
    builder_.emit_with_regions(OpKind::for_loop, {}, std::move(attrs), {loops.back().region}, {}, range, origin);
  }
}

RegionId Translator::open_mirror(RegionId kir) {
  const Region& region = b_.region(kir);
  RegionId out = builder_.new_region();
  builder_.set_region_origin(out, kir);
  enter(out);
  for (ValueId a : region.args) {
    const Value& v = b_.value(a);
    bind(a, builder_.add_argument(out, type(v.type), fresh_name(v.name), v.range, a));
  }
  if (b_.op(region.parent).kind != OpKind::if_else) ++repeats_;
  return out;
}

void Translator::close_mirror(RegionId kir) {
  if (b_.op(b_.region(kir).parent).kind != OpKind::if_else) --repeats_;
  leave();
}

RegionId Translator::mirror(RegionId kir) {
  RegionId out = open_mirror(kir);
  for (OpId o : b_.region(kir).ops) op(o);
  close_mirror(kir);
  return out;
}

void Translator::structured(OpId id) {
  const Op& op = b_.op(id);
  if (facts_.keeps(id)) return collecting_loop(id);
  // Operands and bounds belong to the outside of the regions: their values are those of before.
  std::vector<ValueId> operands = values(op.operands);
  Attrs attrs = attributes(op);
  std::vector<RegionId> regions;
  for (RegionId r : op.regions) regions.push_back(mirror(r));
  finish(id, std::move(operands), std::move(attrs), std::move(regions), 0, op.results.size());
}

void Translator::finish(OpId id, std::vector<ValueId> operands, Attrs attrs, std::vector<RegionId> regions, std::size_t first,
                        std::size_t count) {
  const Op& op = b_.op(id);
  const std::span<const ValueId> results = std::span(op.results).subspan(first, count);
  std::vector<Type> types;
  std::vector<std::string> names;
  for (ValueId r : results) {
    types.push_back(type(b_.type(r)));
    names.push_back(fresh_name(b_.value(r).name));
  }
  bind_results(results, builder_.emit_with_regions(op.kind, std::move(operands), std::move(attrs), std::move(regions),
                                                   std::move(types), op.range, id, std::move(names)));
}

void Translator::assume(OpId id) { emit_like(id); }

void Translator::terminator(OpId id) {
  const Op& op = b_.op(id);
  builder_.emit(op.kind, values(op.operands), {}, {}, op.range, id);
}

}  // namespace kir::lowering
