// Launches artifacts on a GPU through the CUDA driver API, loaded at run time. No LLVM, no Z3 behind it.
//
// Artifact folder: kernel.ptx, kernel.cubin (when assembled), program.pir, launch.json (launch description) and, when proofs
// were made, certificate.json. See emit/artifact.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/interp/launch_args.h"
#include "core/ir/abi.h"
#include "emit/runtime/launch_values.h"

namespace kir::runtime {

// Everything a launch needs, read from launch.json (expressions as text, parsed back into `pool`).
struct LaunchDescription {
  int version = 1;
  std::string kernel_name;  // entry point
  std::string target;       // "sm_90a"
  Abi abi;                  // where: every precondition that the proofs assumed
  std::vector<std::pair<std::string, Expr>> definitions;
  std::string grid;  // name of the definition
  std::int64_t threads = 1, pack = 1, shared_bytes = 0;
  WorkspaceSize workspace;            // what the launcher allocates beside the views, in one piece
  std::vector<std::string> asserted;  // what code generation was told beyond the program; information only
  ExprPoolPtr pool;
};

std::string to_json(const LaunchDescription& d);
std::optional<LaunchDescription> from_json(const std::string& text, std::string* error,
                                           const std::string& name = "launch description");

// The launch description and the code (cubin if there, else PTX) of an artifact folder. "" on success.
std::string read_artifact(const std::string& folder, LaunchDescription* launch, std::string* image);

class Gpu {
 public:
  static std::unique_ptr<Gpu> open(std::string* error);  // empty when no driver or device: *error says which
  std::string device_name() const;
  // Loads code (cubin preferred, else PTX), checks every precondition, copies in, launches once, copies back. Grid 0: no
  // launch. "" on success.
  std::string run(const LaunchDescription& d, const std::string& image, const LaunchArgs& args,
                  double* kernel_milliseconds = nullptr);
  ~Gpu();

 private:
  struct Impl;
  explicit Gpu(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kir::runtime
