#include "emit/llvm_support.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

namespace kir::emit {
namespace {

struct Handler : llvm::DiagnosticHandler {
  explicit Handler(LlvmDiagnostics& sink) : sink(sink) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error && info.getSeverity() != llvm::DS_Warning) return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    sink.add(text);
    return true;
  }
  LlvmDiagnostics& sink;
};

}  // namespace

LlvmDiagnostics::LlvmDiagnostics(llvm::LLVMContext& context) : context_(context) {
  context.setDiagnosticHandler(std::make_unique<Handler>(*this));
}

LlvmDiagnostics::~LlvmDiagnostics() { context_.setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>()); }

bool LlvmDiagnostics::clean(Diagnostics& diagnostics) {
  if (messages_.empty()) return true;
  diagnostics.error("E-01", {}, "LLVM: " + messages_);
  messages_.clear();
  return false;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

std::string print(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace kir::emit
