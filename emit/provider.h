// What differs between the host and a GPU, for the code that emits operations.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "core/ir/op_kind.h"
#include "core/numeric/dtype.h"

namespace kir::emit {

// Order and scope of an atomic.
struct AtomicPlace {
  MemoryOrder order = MemoryOrder::relaxed;
  AtomicScope scope = AtomicScope::system;
};

class Provider {
 public:
  virtual ~Provider() = default;

  virtual unsigned view_address_space() const = 0;
  // Whether the threads of a program instance exist. Without them an instance is one thread whatever `launch` says, and
  // fragments are whole arrays in memory; with them fragments are registers, spread over the threads by their layouts.
  virtual bool has_threads() const = 0;

  // One of exp ... erf of a float or double within its accuracy class. Empty: not available, and *why says what is missing.
  virtual llvm::Value* math(llvm::IRBuilder<>& builder, OpKind kind, llvm::Value* x, std::string* why) const = 0;
  // Correctly rounded conversions between float and f16/bf16 bits where the provider has instructions, else empty.
  virtual llvm::Value* widen(llvm::IRBuilder<>& builder, DType from, llvm::Value* bits) const = 0;
  virtual llvm::Value* round(llvm::IRBuilder<>& builder, llvm::Value* x, DType to) const = 0;
  // maximum/minimum with NaN propagation and -0 below +0 of two floats or doubles, in one instruction; else empty.
  virtual llvm::Value* min_max_nan(llvm::IRBuilder<>& builder, bool maximum, llvm::Value* a, llvm::Value* b) const = 0;

  // Atomics on integers of 16, 32 or 64 bits at an address. A read-modify-write gives the old contents, or null where the
  // provider has no instruction for it.
  virtual llvm::Value* atomic_load(llvm::IRBuilder<>& builder, llvm::Type* bits, llvm::Value* address,
                                   const AtomicPlace& place) const = 0;
  virtual void atomic_store(llvm::IRBuilder<>& builder, llvm::Value* bits, llvm::Value* address,
                            const AtomicPlace& place) const = 0;
  virtual llvm::Value* atomic_cas(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Value* expected, llvm::Value* desired,
                                  const AtomicPlace& place) const = 0;
  virtual llvm::Value* atomic_rmw(llvm::IRBuilder<>& builder, AtomicOp op, llvm::Value* address, llvm::Value* x,
                                  const AtomicPlace& place) const = 0;

  // Only with threads:
  virtual llvm::Value* thread_index(llvm::IRBuilder<>& builder) const = 0;  // i32, in the block
  virtual llvm::Value* block_index(llvm::IRBuilder<>& builder) const = 0;   // i32
  virtual void barrier(llvm::IRBuilder<>& builder) const = 0;               // all threads of the block
  // The value of thread (index xor mask) of the warp; x is i32; `members` are the threads that take part.
  virtual llvm::Value* shuffle_xor(llvm::IRBuilder<>& builder, llvm::Value* x, unsigned mask, unsigned members) const = 0;
};

}  // namespace kir::emit
