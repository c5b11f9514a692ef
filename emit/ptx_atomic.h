// Ordered atomics as PTX instructions. LLVM's own atomics are not used on NVPTX: some of them lose their order and scope.
//
// Each is `atom`, `ld` or `st` with its order and scope written out, on global memory, as an instruction that LLVM neither
// moves memory accesses across nor removes. Elements are integers of 16, 32 or 64 bits.
#pragma once

#include "emit/provider.h"

namespace kir::emit::ptx {

llvm::Value* load(llvm::IRBuilder<>& b, llvm::Type* bits, llvm::Value* address, const AtomicPlace& place);
void store(llvm::IRBuilder<>& b, llvm::Value* bits, llvm::Value* address, const AtomicPlace& place);
llvm::Value* compare_exchange(llvm::IRBuilder<>& b, llvm::Value* address, llvm::Value* expected, llvm::Value* desired,
                              const AtomicPlace& place);
// Of integers; null for what is no one instruction.
llvm::Value* read_modify_write(llvm::IRBuilder<>& b, AtomicOp op, llvm::Value* address, llvm::Value* x,
                               const AtomicPlace& place);

}  // namespace kir::emit::ptx
