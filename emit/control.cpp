#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "emit/emitter.h"

namespace kir::emit {

std::vector<Lowered> Emitter::emit_region(RegionId region) {
  for (OpId id : body_.region(region).ops) {
    const Op& op = body_.op(id);
    if (row(op.kind).terminator) {
      std::vector<Lowered> out;
      for (ValueId v : op.operands) out.push_back(values_[v.index]);
      if (op.kind == OpKind::yield || op.kind == OpKind::next) return out;
      const Join& way = op.kind == OpKind::break_loop ? loops_.back().after : loops_.back().next;
      assign(way.slots, out);
      b_.CreateBr(way.block);
      return {};
    }
    if (!failed_) emit_op(op);
    if (failed_) break;
  }
  return {};  // no terminator, hence nothing to hand on; or an error, which callers look for
}

void Emitter::emit_op(const Op& op) {
  switch (op.kind) {
    case OpKind::constant:
    case OpKind::index:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::div:
    case OpKind::fma:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
    case OpKind::sqrt:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u:
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
    case OpKind::cmp:
    case OpKind::select:
    case OpKind::convert: return emit_pointwise(op);
    case OpKind::load: return emit_load(op);
    case OpKind::store: return emit_store(op);
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas: return emit_atomic(op);
    case OpKind::for_loop: return emit_for(op);
    case OpKind::while_loop: return emit_while(op);
    case OpKind::if_else: return emit_if(op);
    case OpKind::assume:
    case OpKind::assume_in_bounds: return;  // a claim about the program, proven elsewhere; LLVM is not told
    case OpKind::reduce: return emit_reduce(op);
    case OpKind::scan: return emit_scan(op);
    case OpKind::region_fold: return emit_region_fold(op);
    case OpKind::region_scan: return emit_region_scan(op);
    case OpKind::buffer: return emit_buffer(op);
    case OpKind::arg_reduce: return emit_arg_reduce(op);
    case OpKind::contract: return emit_contract(op);
    case OpKind::philox4x32_10: return emit_philox(op);
    case OpKind::splat: return emit_splat(op);
    case OpKind::tile_reduce: return emit_tile_reduce(op);
    case OpKind::tensor:
    case OpKind::elem:
    case OpKind::view:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::broadcast:
    case OpKind::reshape:
    case OpKind::concat:
    case OpKind::iota:
    case OpKind::gather:
    case OpKind::part:
    case OpKind::scatter:
    case OpKind::histogram:
    case OpKind::parallel:
      return error("E-02", op.range, fmt::format("`{}` does not exist in a physical program", row(op.kind).name));
    case OpKind::break_loop:
    case OpKind::continue_loop:
    case OpKind::yield:
    case OpKind::next: KIR_UNREACHABLE("a terminator amid a region");
  }
  KIR_UNREACHABLE("operation kind");
}

std::vector<Emitter::Slot> Emitter::make_slots(std::span<const Type* const> types, llvm::BasicBlock* join) {
  std::vector<Slot> slots;
  Builder at(join, join->begin());
  for (const Type* t : types) {
    Slot slot;
    slot.type = t;
    std::int64_t registers = 1;
    if (t->is(TypeKind::fragment)) {
      const Shape* shape = shape_of(*t, {});
      registers = shape ? shape->lanes : 1;
      if (!provider_.has_threads()) {
        slot.array = new_array(*t, registers, {});
        registers = 0;
      }
    }
    for (std::int64_t i = 0; i < registers; ++i) slot.phis.push_back(at.CreatePHI(value_type(t->dtype), 2));
    slots.push_back(std::move(slot));
  }
  return slots;
}

void Emitter::assign(std::span<const Slot> slots, std::span<const Lowered> values) {
  KIR_CHECK(slots.size() == values.size(), "{} values for {} slots", values.size(), slots.size());
  auto copy = [&](llvm::Value* to, llvm::Value* from, const Type& type) {
    const Shape* shape = shape_of(type, {});
    llvm::Type* element = memory_type(type.dtype);
    std::uint64_t bytes =
        module_.getDataLayout().getTypeAllocSize(element) * static_cast<std::uint64_t>(shape ? shape->lanes : 1);
    b_.CreateMemCpy(to, llvm::Align(16), from, llvm::Align(16), bytes);
  };
  // An array that is a slot of this join may be overwritten before it is read: such values go through a copy.
  std::vector<llvm::Value*> source(values.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    source[i] = values[i].array;
    if (!slots[i].array || source[i] == slots[i].array) continue;
    for (const Slot& other : slots)
      if (other.array == source[i]) {
        const Shape* shape = shape_of(*slots[i].type, {});
        llvm::Value* temporary = new_array(*slots[i].type, shape ? shape->lanes : 1, {});
        copy(temporary, source[i], *slots[i].type);
        source[i] = temporary;
        break;
      }
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].array) {
      if (source[i] != slots[i].array) copy(slots[i].array, source[i], *slots[i].type);
      continue;
    }
    KIR_CHECK(slots[i].phis.size() == values[i].lanes.size(), "registers of a carried value");
    for (std::size_t k = 0; k < slots[i].phis.size(); ++k)
      slots[i].phis[k]->addIncoming(values[i].lanes[k], b_.GetInsertBlock());
  }
}

std::vector<Lowered> Emitter::choose(llvm::Value* condition, std::span<const Type* const> types,
                                     const std::function<std::vector<Lowered>()>& then, std::span<const Lowered> otherwise) {
  llvm::BasicBlock* chosen = new_block("chosen");
  llvm::BasicBlock* join = new_block("joined");
  std::vector<Slot> slots = make_slots(types, join);
  assign(slots, otherwise);
  b_.CreateCondBr(condition, chosen, join);
  b_.SetInsertPoint(chosen);
  std::vector<Lowered> values = then();
  if (failed_) values = {otherwise.begin(), otherwise.end()};  // the function is thrown away; keep it well formed
  assign(slots, values);
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  return values_of(slots);
}

Lowered Emitter::value_of(const Slot& slot) const {
  return {std::vector<llvm::Value*>(slot.phis.begin(), slot.phis.end()), slot.array};
}

std::vector<Lowered> Emitter::values_of(std::span<const Slot> slots) const {
  std::vector<Lowered> out;
  for (const Slot& s : slots) out.push_back(value_of(s));
  return out;
}

Emitter::Join Emitter::make_join(const std::string& name, std::span<const Type* const> types) {
  llvm::BasicBlock* block = new_block(name);
  return {block, make_slots(types, block)};
}

// From the builder's block to the join, and on from there with the values that meet.
std::vector<Lowered> Emitter::go_to(const Join& join, std::span<const Lowered> values) {
  assign(join.slots, values);
  b_.CreateBr(join.block);
  b_.SetInsertPoint(join.block);
  return values_of(join.slots);
}

std::vector<Lowered> Emitter::counted_loop(
    llvm::Value* lo, llvm::Value* hi, llvm::Value* step, std::span<const Type* const> types, std::span<const Lowered> initial,
    const std::string& name, const std::function<std::vector<Lowered>(llvm::Value*, std::vector<Lowered>)>& body) {
  llvm::BasicBlock* inside = new_block(name + ".body");
  llvm::BasicBlock* ended = new_block(name + ".ended");
  llvm::BasicBlock* before = b_.GetInsertBlock();
  const Join header = make_join(name, types);
  loops_.push_back({make_join(name + ".next", types), make_join(name + ".end", types)});
  // The iterations that are left decide, counted without a sign: hi - lo may take one bit more than an index, and the value
  // after the last iteration may not fit.
  llvm::Value* zero = llvm::ConstantInt::get(lo->getType(), 0);
  llvm::Value* one = llvm::ConstantInt::get(lo->getType(), 1);
  llvm::Value* steps = b_.CreateUDiv(b_.CreateSub(b_.CreateSub(hi, lo), one), step);
  llvm::Value* count = b_.CreateSelect(b_.CreateICmpSLT(lo, hi), b_.CreateAdd(steps, one), zero);
  Builder phis(header.block, header.block->begin());
  llvm::PHINode* iv = phis.CreatePHI(lo->getType(), 2, name);
  llvm::PHINode* left = phis.CreatePHI(lo->getType(), 2, name + ".left");
  iv->addIncoming(lo, before);
  left->addIncoming(count, before);
  const std::vector<Lowered> carried = go_to(header, initial);
  b_.CreateCondBr(b_.CreateICmpNE(left, zero), inside, ended);

  b_.SetInsertPoint(inside);
  std::vector<Lowered> next = body(iv, carried);
  if (failed_) next = {initial.begin(), initial.end()};  // the function is thrown away; keep it well formed
  next = go_to(loops_.back().next, next);
  iv->addIncoming(b_.CreateAdd(iv, step), b_.GetInsertBlock());
  left->addIncoming(b_.CreateSub(left, one), b_.GetInsertBlock());
  assign(header.slots, next);
  b_.CreateBr(header.block);

  b_.SetInsertPoint(ended);
  const Join after = std::move(loops_.back().after);
  loops_.pop_back();
  return go_to(after, carried);
}

std::vector<const Type*> Emitter::types_of(std::span<const ValueId> values) const {
  std::vector<const Type*> out;
  for (ValueId v : values) out.push_back(&body_.type(v));
  return out;
}

void Emitter::emit_for(const Op& op) {
  const Region& region = body_.region(op.regions[0]);
  const Type& type = body_.type(region.args[0]);
  const auto width = static_cast<unsigned>(bit_width(type.dtype));
  const auto& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  llvm::Value* lo = expression(ranges[0], width);
  llvm::Value* hi = expression(ranges[1], width);
  const Expr* step = op.attrs.find<Expr>(AttrKey::step);
  llvm::Value* stride = step ? expression(*step, width) : b_.getIntN(width, 1);
  std::vector<Lowered> initial;
  for (ValueId v : op.operands) initial.push_back(values_[v.index]);
  std::span<const ValueId> carried = std::span(region.args).subspan(1);
  auto types = types_of(carried);
  ++loop_depth_;
  auto results = counted_loop(lo, hi, stride, types, initial, body_.value(region.args[0]).name,
                              [&](llvm::Value* iv, std::vector<Lowered> values) {
                                define(region.args[0], iv);
                                for (std::size_t i = 0; i < carried.size(); ++i) define(carried[i], values[i]);
                                return emit_region(op.regions[0]);
                              });
  --loop_depth_;
  for (std::size_t i = 0; i < op.results.size(); ++i) define(op.results[i], results[i]);
}

void Emitter::emit_while(const Op& op) {
  const Region& test = body_.region(op.regions[0]);
  const Region& step = body_.region(op.regions[1]);
  llvm::BasicBlock* inside = new_block("while.body");
  llvm::BasicBlock* ended = new_block("while.ended");
  const std::vector<const Type*> types = types_of(op.operands);
  const Join header = make_join("while", types);
  loops_.push_back({make_join("while.next", types), make_join("while.end", types)});
  std::vector<Lowered> initial;
  for (ValueId v : op.operands) initial.push_back(values_[v.index]);
  const std::vector<Lowered> carried = go_to(header, initial);
  ++loop_depth_;
  for (std::size_t i = 0; i < test.args.size(); ++i) define(test.args[i], carried[i]);
  std::vector<Lowered> condition = emit_region(op.regions[0]);
  b_.CreateCondBr(failed_ ? b_.getInt1(false) : condition.at(0).lanes.at(0), inside, ended);

  b_.SetInsertPoint(inside);
  for (std::size_t i = 0; i < step.args.size(); ++i) define(step.args[i], carried[i]);
  std::vector<Lowered> next = emit_region(op.regions[1]);
  if (failed_) next = initial;
  assign(header.slots, go_to(loops_.back().next, next));
  b_.CreateBr(header.block);
  --loop_depth_;

  b_.SetInsertPoint(ended);
  const Join after = std::move(loops_.back().after);
  loops_.pop_back();
  const std::vector<Lowered> results = go_to(after, carried);
  for (std::size_t i = 0; i < op.results.size(); ++i) define(op.results[i], results[i]);
}

void Emitter::emit_if(const Op& op) {
  llvm::BasicBlock* blocks[2] = {new_block("then"), new_block("else")};
  auto types = types_of(op.results);
  const Join join = make_join("endif", types);
  b_.CreateCondBr(scalar(op.operands[0]), blocks[0], blocks[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    b_.SetInsertPoint(blocks[i]);
    std::vector<Lowered> values;
    if (i < op.regions.size()) values = emit_region(op.regions[i]);
    if (b_.GetInsertBlock()->getTerminator()) continue;  // it left the loop or the iteration
    if (failed_) {
      values.clear();
      for (const Type* t : types) values.push_back(undefined(*t, op.range));
    }
    assign(join.slots, values);
    b_.CreateBr(join.block);
  }
  b_.SetInsertPoint(join.block);
  for (std::size_t i = 0; i < op.results.size(); ++i) define(op.results[i], value_of(join.slots[i]));
}

}  // namespace kir::emit
