#include "emit/ptx_atomic.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include <string>

#include "core/base/check.h"

namespace kir::emit::ptx {
namespace {

unsigned width(llvm::Value* x) { return x->getType()->getIntegerBitWidth(); }

// The register class of an operand.
char constraint(unsigned bits) { return bits == 16 ? 'h' : bits == 32 ? 'r' : 'l'; }

std::string_view order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed: return "relaxed";
    case MemoryOrder::acquire: return "acquire";
    case MemoryOrder::release: return "release";
    case MemoryOrder::acq_rel: return "acq_rel";
  }
  KIR_UNREACHABLE("memory order");
}

std::string_view scope_name(AtomicScope scope) {
  switch (scope) {
    case AtomicScope::cta: return "cta";
    case AtomicScope::gpu: return "gpu";
    case AtomicScope::system: return "sys";
  }
  KIR_UNREACHABLE("scope");
}

std::string qualified(std::string_view instruction, const AtomicPlace& place) {
  return fmt::format("{}.{}.{}.global", instruction, order_name(place.order), scope_name(place.scope));
}

// The operation of `atom` and the letter of its type; empty: not one instruction.
struct Operation {
  std::string_view name;
  char type;
};
Operation operation(AtomicOp op) {
  switch (op) {
    case AtomicOp::add: return {"add", 'u'};
    case AtomicOp::min_s: return {"min", 's'};
    case AtomicOp::max_s: return {"max", 's'};
    case AtomicOp::min_u: return {"min", 'u'};
    case AtomicOp::max_u: return {"max", 'u'};
    case AtomicOp::bit_and: return {"and", 'b'};
    case AtomicOp::bit_or: return {"or", 'b'};
    case AtomicOp::bit_xor: return {"xor", 'b'};
    case AtomicOp::exchange: return {"exch", 'b'};
    case AtomicOp::min_num:
    case AtomicOp::max_num: return {};
  }
  KIR_UNREACHABLE("atomic operation");
}

llvm::Value* emit(llvm::IRBuilder<>& b, llvm::Type* result, const std::string& text, const std::string& constraints,
                  std::initializer_list<llvm::Value*> operands) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* v : operands) types.push_back(v->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  auto* code = llvm::InlineAsm::get(type, text, constraints + ",~{memory}", /*hasSideEffects=*/true);
  return b.CreateCall(type, code, std::vector<llvm::Value*>(operands));
}

}  // namespace

llvm::Value* load(llvm::IRBuilder<>& b, llvm::Type* bits, llvm::Value* address, const AtomicPlace& place) {
  const unsigned n = bits->getIntegerBitWidth();
  return emit(b, bits, fmt::format("{}.b{} $0, [$1];", qualified("ld", place), n), fmt::format("={},l", constraint(n)),
              {address});
}

void store(llvm::IRBuilder<>& b, llvm::Value* bits, llvm::Value* address, const AtomicPlace& place) {
  const unsigned n = width(bits);
  emit(b, b.getVoidTy(), fmt::format("{}.b{} [$0], $1;", qualified("st", place), n), fmt::format("l,{}", constraint(n)),
       {address, bits});
}

llvm::Value* compare_exchange(llvm::IRBuilder<>& b, llvm::Value* address, llvm::Value* expected, llvm::Value* desired,
                              const AtomicPlace& place) {
  const unsigned n = width(expected);
  const char c = constraint(n);
  return emit(b, expected->getType(), fmt::format("{}.cas.b{} $0, [$1], $2, $3;", qualified("atom", place), n),
              fmt::format("={},l,{},{}", c, c, c), {address, expected, desired});
}

llvm::Value* read_modify_write(llvm::IRBuilder<>& b, AtomicOp op, llvm::Value* address, llvm::Value* x,
                               const AtomicPlace& place) {
  const Operation o = operation(op);
  const unsigned n = width(x);
  if (o.name.empty() || n == 16) return nullptr;
  return emit(b, x->getType(), fmt::format("{}.{}.{}{} $0, [$1], $2;", qualified("atom", place), o.name, o.type, n),
              fmt::format("={},l,{}", constraint(n), constraint(n)), {address, x});
}

}  // namespace kir::emit::ptx
