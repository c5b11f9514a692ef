// Physical program to LLVM, for the host (ORC) and for NVIDIA GPUs (NVPTX). Includes nothing of the KIR vocabulary.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/diagnostics.h"
#include "core/interp/launch_args.h"
#include "core/pir/program.h"
#include "emit/asserted_facts.h"

namespace kir::emit {

// Kernel ABI, in this order: each view's base pointer (of element (0,...,0)); each data scalar by value (i1 as i8); each
// symbol of abi.symbols as i64; each definition of program.definitions as i64; each buffer of program.workspace, aligned to 16
// bytes; where buffers of the instances lie in slices (workspace.h), the begin of the slices, aligned likewise, and the bytes
// of a slice as i64: instance i has those from i slices on.
struct Module {
  std::string llvm_ir;  // textual
  std::string ptx;      // nvptx only
  std::string kernel_name;
  AssertedFacts facts;  // what LLVM was told beyond the program's operations
};

// An operation or shape of program that this provider cannot emit is an error in `diagnostics` (E-nn), never a crash.
std::optional<Module> emit_host(const PhysicalProgram& program, Diagnostics& diagnostics);
std::optional<Module> emit_nvptx(const PhysicalProgram& program, const std::string& sm, Diagnostics& diagnostics);

// "" when code can be made for the target, "host" or an NVIDIA architecture that LLVM knows; else why not.
std::string target_problem(const std::string& target);

// Compiles for the host and runs in process. Views of the launch are updated in place.
class HostKernel {
 public:
  static std::unique_ptr<HostKernel> compile(const PhysicalProgram& program, Diagnostics& diagnostics);
  // The launch's definitions are evaluated in checked arithmetic; an error text on refusal, "" on success.
  std::string run(const BoundLaunch& launch) const;
  ~HostKernel();

 private:
  struct Impl;
  explicit HostKernel(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

// ptxas of the CUDA Toolkit when found: "" on success with *cubin filled, else the error text.
bool toolkit_available();
std::string toolkit_version();  // of ptxas, "" when not found
std::string assemble(const std::string& ptx, const std::string& sm, std::string* cubin, std::string* log);

}  // namespace kir::emit
