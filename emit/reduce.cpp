// The sequential structured reduction: nested loops over its domain in row-major order, accumulators carried. Whatever the
// order licence, members are combined from the left in the given order, which every licence allows.
#include "core/base/check.h"
#include "emit/emitter.h"

namespace kir::emit {

void Emitter::emit_reduce(const Op& op) {
  if (op.regions.size() > 2) return error("E-09", op.range, "`reduce` with `where` has no code yet");
  const Region& map = body_.region(op.regions[0]);
  const Region& combine = body_.region(op.regions[1]);
  const auto& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  const auto* identity = op.attrs.find<ScalarList>(AttrKey::identity);
  const std::size_t k = op.results.size();
  const std::size_t rank = map.args.size();
  KIR_CHECK(ranges.size() == 2 * rank && combine.args.size() == 2 * k, "shape of a reduce");

  std::vector<const Type*> types;
  for (ValueId r : op.results) types.push_back(&body_.type(r));

  // The accumulators start as init, else as the identity (which may be inserted anywhere), else as the first member: then a
  // flag, carried last, says whether there is a value yet.
  const bool has_start = !op.operands.empty() || identity;
  std::vector<Lowered> start;
  for (std::size_t i = 0; i < k; ++i) {
    if (!op.operands.empty())
      start.push_back(values_[op.operands[i].index]);
    else if (identity)
      start.push_back({{literal((*identity)[i])}, nullptr});
    else
      start.push_back(undefined(*types[i], op.range));  // no member, no init, no identity is erroneous
  }
  static const Type kFlag = Type::scalar(DType::i1);
  if (!has_start) {
    types.push_back(&kFlag);
    start.push_back({{b_.getInt1(false)}, nullptr});
  }

  auto member = [&](std::vector<Lowered> acc) -> std::vector<Lowered> {
    std::vector<Lowered> element = emit_region(op.regions[0]);
    if (failed_) return {};
    auto combined = [&] {
      for (std::size_t i = 0; i < k; ++i) {
        define(combine.args[i], acc[i]);
        define(combine.args[k + i], element[i]);
      }
      return emit_region(op.regions[1]);
    };
    if (has_start) return combined();
    llvm::BasicBlock* later = new_block("combine");
    llvm::BasicBlock* join = new_block("combined");
    std::vector<Slot> slots = make_slots(std::span(types).first(k), join);
    llvm::BasicBlock* from = b_.GetInsertBlock();
    assign(slots, element);
    b_.SetInsertPoint(from);
    b_.CreateCondBr(acc[k].lanes[0], later, join);
    b_.SetInsertPoint(later);
    std::vector<Lowered> both = combined();
    if (failed_) return {};
    assign(slots, both);
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
    std::vector<Lowered> out = values_of(slots);
    out.push_back({{b_.getInt1(true)}, nullptr});
    return out;
  };

  std::function<std::vector<Lowered>(std::size_t, std::vector<Lowered>)> nest = [&](std::size_t axis,
                                                                                    std::vector<Lowered> acc) {
    if (axis == rank) return member(std::move(acc));
    const Value& arg = body_.value(map.args[axis]);
    const auto width = static_cast<unsigned>(bit_width(arg.type.dtype));
    llvm::Value* lo = expression(ranges[2 * axis], width);
    llvm::Value* hi = expression(ranges[2 * axis + 1], width);
    return counted_loop(lo, hi, b_.getIntN(width, 1), types, acc, arg.name, [&](llvm::Value* iv, std::vector<Lowered> inner) {
      define(map.args[axis], iv);
      return nest(axis + 1, std::move(inner));
    });
  };
  ++loop_depth_;
  std::vector<Lowered> results = nest(0, std::move(start));
  --loop_depth_;
  if (failed_) return;
  for (std::size_t i = 0; i < k; ++i) define(op.results[i], results[i]);
}

}  // namespace kir::emit
