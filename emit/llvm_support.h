// What both targets need of LLVM: diagnostics made fatal, and the optimisation pipeline.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

#include "core/base/diagnostics.h"

namespace kir::emit {

// Collects every error and warning that LLVM reports in `context` while it lives. LLVM goes on after some errors (a math
// function without a library call, say) and writes nonsense, so each of them fails the emission (E-01).
class LlvmDiagnostics {
 public:
  explicit LlvmDiagnostics(llvm::LLVMContext& context);
  ~LlvmDiagnostics();
  LlvmDiagnostics(const LlvmDiagnostics&) = delete;
  LlvmDiagnostics& operator=(const LlvmDiagnostics&) = delete;
  void add(std::string message) { messages_ += (messages_.empty() ? "" : "; ") + message; }
  // True when there was none; else the messages go into `diagnostics`.
  bool clean(Diagnostics& diagnostics);

 private:
  llvm::LLVMContext& context_;
  std::string messages_;
};

// default<O3> for the target.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

std::string print(const llvm::Module& module);

}  // namespace kir::emit
