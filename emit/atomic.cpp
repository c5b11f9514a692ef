// Atomics. Elements are handled as their bits; what a provider has no instruction for is a loop around its compare-exchange,
// which loses no subnormal and rounds as the operation of that name does.
//
// Nothing happens where the predicate is false: the old contents are the fill there (0 without one), and nothing was written.
#include "core/base/check.h"
#include "core/ir/memory_access.h"
#include "emit/emitter.h"

namespace kir::emit {

llvm::Value* Emitter::to_bits(DType t, llvm::Value* x) {
  return b_.CreateBitCast(x, b_.getIntNTy(static_cast<unsigned>(bit_width(t))));
}

llvm::Value* Emitter::of_bits(DType t, llvm::Value* bits) { return b_.CreateBitCast(bits, value_type(t)); }

// What is stored where `old` was found.
llvm::Value* Emitter::updated(AtomicOp op, DType t, llvm::Value* old, llvm::Value* x) {
  auto smaller = [&](llvm::CmpInst::Predicate p) { return b_.CreateSelect(b_.CreateICmp(p, old, x), old, x); };
  switch (op) {
    case AtomicOp::add:
      return is_float(t) ? from_compute(t, b_.CreateFAdd(to_compute(t, old), to_compute(t, x))) : b_.CreateAdd(old, x);
    case AtomicOp::min_s: return smaller(llvm::CmpInst::ICMP_SLT);
    case AtomicOp::max_s: return smaller(llvm::CmpInst::ICMP_SGT);
    case AtomicOp::min_u: return smaller(llvm::CmpInst::ICMP_ULT);
    case AtomicOp::max_u: return smaller(llvm::CmpInst::ICMP_UGT);
    case AtomicOp::min_num: return min_max(OpKind::min_num, t, old, x);
    case AtomicOp::max_num: return min_max(OpKind::max_num, t, old, x);
    case AtomicOp::bit_and: return b_.CreateAnd(old, x);
    case AtomicOp::bit_or: return b_.CreateOr(old, x);
    case AtomicOp::bit_xor: return b_.CreateXor(old, x);
    case AtomicOp::exchange: return x;
  }
  KIR_UNREACHABLE("atomic operation");
}

// The old contents, as bits.
llvm::Value* Emitter::read_modify_write(AtomicOp op, DType t, llvm::Value* address, llvm::Value* x, const AtomicPlace& place) {
  if (llvm::Value* old =
          is_float(t) && op != AtomicOp::exchange ? nullptr : provider_.atomic_rmw(b_, op, address, to_bits(t, x), place))
    return old;
  const AtomicPlace look{MemoryOrder::relaxed, place.scope};
  llvm::Type* bits = b_.getIntNTy(static_cast<unsigned>(bit_width(t)));
  llvm::Value* first = provider_.atomic_load(b_, bits, address, look);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* again = new_block("again");
  llvm::BasicBlock* done = new_block("exchanged");
  b_.CreateBr(again);
  b_.SetInsertPoint(again);
  llvm::PHINode* old = b_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  llvm::Value* wanted = to_bits(t, updated(op, t, of_bits(t, old), x));
  llvm::Value* found = provider_.atomic_cas(b_, address, old, wanted, place);
  old->addIncoming(found, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpEQ(found, old), done, again);
  b_.SetInsertPoint(done);
  return old;
}

void Emitter::emit_atomic(const Op& op) {
  const MemoryAccess access = as_access(body_, op);
  if (threads() > 1) return error("E-09", op.range, "an atomic of a program of several threads has no code");
  for (ValueId v : op.operands)
    if (body_.type(v).is(TypeKind::fragment)) return error("E-09", op.range, "an atomic of a fragment has no code");
  const DType t = body_.type(access.view).dtype;
  const AtomicScope* scope = op.attrs.find<AtomicScope>(AttrKey::atomic_scope);
  AtomicPlace place{op.attrs.get<MemoryOrder>(AttrKey::memory_order), scope ? *scope : AtomicScope::system};
  // One order for both outcomes of a compare-exchange: the weakest that is each of them.
  if (const MemoryOrder* failed = op.attrs.find<MemoryOrder>(AttrKey::failure_order); failed && *failed == MemoryOrder::acquire)
    place.order = place.order == MemoryOrder::relaxed   ? MemoryOrder::acquire
                  : place.order == MemoryOrder::release ? MemoryOrder::acq_rel
                                                        : place.order;

  std::vector<llvm::Value*> results;
  auto perform = [&] {
    llvm::Value* address = element_address(access.view, access.coordinates, nullptr);
    switch (op.kind) {
      case OpKind::atomic_load:
        results = {of_bits(t, provider_.atomic_load(b_, b_.getIntNTy(static_cast<unsigned>(bit_width(t))), address, place))};
        return;
      case OpKind::atomic_store: provider_.atomic_store(b_, to_bits(t, scalar(access.values[0])), address, place); return;
      case OpKind::atomic_rmw: {
        const AtomicOp operation = op.attrs.get<AtomicOp>(AttrKey::atomic_op);
        results = {of_bits(t, read_modify_write(operation, t, address, scalar(access.values[0]), place))};
        return;
      }
      case OpKind::atomic_cas: {
        llvm::Value* expected = to_bits(t, scalar(access.values[0]));
        llvm::Value* found = provider_.atomic_cas(b_, address, expected, to_bits(t, scalar(access.values[1])), place);
        results = {of_bits(t, found), b_.CreateICmpEQ(found, expected)};
        return;
      }
      default: KIR_UNREACHABLE("no atomic");
    }
  };
  if (!access.where) {
    perform();
  } else {
    std::vector<llvm::Value*> masked;
    if (!op.results.empty()) masked.push_back(access.fill ? scalar(access.fill) : llvm::Constant::getNullValue(value_type(t)));
    if (op.results.size() > 1) masked.push_back(b_.getInt1(false));
    llvm::Value* active = scalar(access.where);
    llvm::BasicBlock* skipped = b_.GetInsertBlock();
    llvm::BasicBlock* inside = new_block("active");
    llvm::BasicBlock* after = new_block("after");
    b_.CreateCondBr(active, inside, after);
    b_.SetInsertPoint(inside);
    perform();
    llvm::BasicBlock* performed = b_.GetInsertBlock();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    for (std::size_t i = 0; i < masked.size(); ++i) {
      llvm::PHINode* phi = b_.CreatePHI(masked[i]->getType(), 2);
      phi->addIncoming(masked[i], skipped);
      phi->addIncoming(results[i], performed);
      results[i] = phi;
    }
  }
  for (std::size_t i = 0; i < op.results.size(); ++i) define(op.results[i], results[i]);
}

}  // namespace kir::emit
