// Sequential structured folds: nested loops over a domain in row-major order, accumulators carried. Whatever the order licence,
// members are combined from the left in the given order, which every licence allows.
#include "core/base/check.h"
#include "emit/emitter.h"

namespace kir::emit {

Emitter::Accumulators Emitter::accumulators(const Op& op, RegionId combine, std::span<const ValueId> init,
                                            const ScalarList* identity) {
  static const Type kFlag = Type::scalar(DType::i1);
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

void Emitter::emit_reduce(const Op& op) {
  if (op.regions.size() > 2) return error("E-09", op.range, "`reduce` with `where` has no code yet");
  const Accumulators a = accumulators(op, op.regions[1], op.operands, op.attrs.find<ScalarList>(AttrKey::identity));
  std::vector<Lowered> results = over_members(op, op.regions[0], true, a, [&](std::vector<Lowered> state) {
    return fold_in(a, std::move(state), emit_region(op.regions[0]));
  });
  if (failed_) return;
  for (std::size_t i = 0; i < a.components; ++i) define(op.results[i], results[i]);
}

}  // namespace kir::emit
