// Scans, member by member from the left: each member's state goes to the region that stores its result.
#include "emit/emitter.h"

namespace kir::emit {

void Emitter::emit_scan(const Op& op) {
  const bool inclusive = op.attrs.get<Inclusion>(AttrKey::inclusion) == Inclusion::inclusive;
  const bool forward = op.attrs.get<Direction>(AttrKey::direction) == Direction::forward;
  const Accumulators a = accumulators(op, op.regions[1], op.operands, op.attrs.find<ScalarList>(AttrKey::identity));
  const Region &map = body_.region(op.regions[0]), &result = body_.region(op.regions[2]);
  auto store = [&](const std::vector<Lowered>& state) {
    if (failed_) return;
    for (std::size_t i = 0; i < map.args.size(); ++i) define(result.args[i], values_[map.args[i].index]);
    for (std::size_t i = 0; i < a.components; ++i) define(result.args[map.args.size() + i], state[i]);
    emit_region(op.regions[2]);
  };
  std::vector<Lowered> results = over_members(op, op.regions[0], forward, a, [&](std::vector<Lowered> state) {
    std::vector<Lowered> element = emit_region(op.regions[0]);
    if (!inclusive) store(state);
    state = fold_in(a, std::move(state), std::move(element));
    if (inclusive) store(state);
    return state;
  });
  if (failed_) return;
  for (std::size_t i = 0; i < a.components; ++i) define(op.results[i], results[i]);
}

}  // namespace kir::emit
