// Folds and scans over segments. Under the licence `tree` the whole axis is one segment, with a predicate each maximal run of
// active members; `strict` segments are single members.
#include "core/base/check.h"
#include "emit/emitter.h"

namespace kir::emit {

// What region `r` gives for a segment.
std::vector<Lowered> Emitter::of_segment(RegionId r, llvm::Value* lo, llvm::Value* hi, std::span<const Lowered> states) {
  const Region& region = body_.region(r);
  define(region.args[0], lo);
  define(region.args[1], hi);
  for (std::size_t i = 0; i < states.size(); ++i) define(region.args[2 + i], states[i]);
  return emit_region(r);
}

void Emitter::emit_region_fold(const Op& op) {
  const auto& range = op.attrs.get<ExprList>(AttrKey::ranges);
  const auto* identity = op.attrs.find<ScalarList>(AttrKey::identity);
  const bool strict = op.attrs.get<Order>(AttrKey::order) == Order::strict, predicate = op.regions.size() > 2;
  llvm::Value *begin = expression(range[0], 64), *end = expression(range[1], 64), *one = b_.getInt64(1);
  const Accumulators a = accumulators(op, op.regions[1], {}, nullptr);
  auto active = [&](llvm::Value* member) {
    define(body_.region(op.regions[2]).args[0], member);
    std::vector<Lowered> yielded = emit_region(op.regions[2]);
    return failed_ ? static_cast<llvm::Value*>(b_.getInt1(false)) : yielded.at(0).lanes.at(0);
  };
  auto folded = [&](std::vector<Lowered> state, llvm::Value* lo, llvm::Value* hi) {
    return fold_in(a, std::move(state), of_segment(op.regions[0], lo, hi, {}));
  };
  std::vector<Lowered> state;
  ++loop_depth_;
  if (!strict && !predicate) {
    state = choose(b_.CreateICmpSLT(begin, end), a.types, [&] { return folded(a.start, begin, end); }, a.start);
  } else if (strict) {
    state = counted_loop(begin, end, one, a.types, a.start, "member", [&](llvm::Value* j, std::vector<Lowered> inner) {
      auto single = [&] { return folded(inner, j, b_.CreateAdd(j, one)); };
      return predicate ? choose(active(j), a.types, single, inner) : single();
    });
  } else {
    // Behind the last member no run is open any more.
    static const Type kFlag = Type::scalar(DType::i1), kPlace = Type::scalar(DType::i64);
    std::vector<const Type*> types = a.types;
    types.insert(types.end(), {&kFlag, &kPlace});
    std::vector<Lowered> start = a.start;
    start.push_back({{b_.getInt1(false)}, nullptr});
    start.push_back({{begin}, nullptr});
    const std::size_t n = a.types.size();
    state = counted_loop(begin, b_.CreateAdd(end, one), one, types, start, "member",
                         [&](llvm::Value* j, std::vector<Lowered> inner) -> std::vector<Lowered> {
                           static const Type* const kFlags[] = {&kFlag};
                           auto member = [&] { return std::vector<Lowered>{{{active(j)}, nullptr}}; };
                           const std::vector<Lowered> none = {{{b_.getInt1(false)}, nullptr}};
                           llvm::Value* in = choose(b_.CreateICmpSLT(j, end), kFlags, member, none)[0].lanes[0];
                           llvm::Value *open = inner[n].lanes[0], *since = inner[n + 1].lanes[0];
                           const std::vector<Lowered> before(inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(n));
                           std::vector<Lowered> next = choose(
                               b_.CreateAnd(open, b_.CreateNot(in)), a.types, [&] { return folded(before, since, j); }, before);
                           next.push_back({{in}, nullptr});
                           next.push_back({{b_.CreateSelect(b_.CreateAnd(in, b_.CreateNot(open)), j, since)}, nullptr});
                           return next;
                         });
  }
  --loop_depth_;
  if (failed_) return;
  for (std::size_t i = 0; i < a.components; ++i) {
    llvm::Value* v = state[i].lanes[0];
    define(op.results[i], identity ? b_.CreateSelect(state[a.components].lanes[0], v, literal((*identity)[i])) : v);
  }
}

void Emitter::emit_region_scan(const Op& op) {
  const auto& range = op.attrs.get<ExprList>(AttrKey::ranges);
  const std::size_t states = op.results.size();
  llvm::Value *begin = expression(range[0], 64), *end = expression(range[1], 64), *one = b_.getInt64(1);
  std::vector<const Type*> types;
  std::vector<Lowered> start;
  for (std::size_t i = 0; i < states; ++i) {
    types.push_back(&body_.type(op.results[i]));
    start.push_back(values_[op.operands[op.operands.size() - states + i].index]);
  }
  const Region& apply = body_.region(op.regions[2]);
  auto segment = [&](const std::vector<Lowered>& state, llvm::Value* lo, llvm::Value* hi) -> std::vector<Lowered> {
    of_segment(op.regions[3], lo, hi, state);
    std::vector<Lowered> summary = of_segment(op.regions[0], lo, hi, {});
    if (failed_) return {};
    for (std::size_t i = 0; i < summary.size(); ++i) define(apply.args[i], summary[i]);
    for (std::size_t i = 0; i < states; ++i) define(apply.args[summary.size() + i], state[i]);
    return emit_region(op.regions[2]);
  };
  ++loop_depth_;
  std::vector<Lowered> last;
  if (op.attrs.get<Order>(AttrKey::order) == Order::strict)
    last = counted_loop(begin, end, one, types, start, "member",
                        [&](llvm::Value* j, std::vector<Lowered> state) { return segment(state, j, b_.CreateAdd(j, one)); });
  else
    last = choose(b_.CreateICmpSLT(begin, end), types, [&] { return segment(start, begin, end); }, start);
  --loop_depth_;
  if (failed_) return;
  for (std::size_t i = 0; i < states; ++i) define(op.results[i], last[i]);
}

}  // namespace kir::emit
