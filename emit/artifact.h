// An artifact: a folder that the launcher (emit/runtime) runs on a machine with nothing but a GPU driver.
//
//   kernel.ptx         for a GPU
//   kernel.ll          for the host
//   kernel.cubin       when ptxas was there
//   program.pir        the physical program, as text
//   kernel.kir         of a release: the file of the kernel, which the certificate is about
//   launch.json        the launch description: ABI, preconditions, extents and grid as expressions
//   certificate.json   when a certificate was handed in
#pragma once

#include <optional>
#include <string>

#include "core/base/file.h"
#include "core/pir/program.h"
#include "emit/emit.h"
#include "emit/runtime/launcher.h"

namespace kir::emit {

struct Artifact {
  std::string ptx;
  std::string cubin;  // "" for none
  std::string llvm;   // host code, "" for none
  std::string program_text;
  std::string kernel_text;  // "" for none
  std::string certificate;  // "" for none
  runtime::LaunchDescription launch;
};

// The launch description of a program emitted as `module` for `target` ("sm_90a").
runtime::LaunchDescription describe_launch(const PhysicalProgram& program, const Module& module, const std::string& target);

// Writes it beside its place; empty with *error set. An artifact that is there already will be replaced; any other existing
// folder with something in it, or a file, is refused.
std::optional<StagedFolder> stage_artifact(const std::string& folder, const Artifact& artifact, std::string* error);

// Stages and commits: "" on success, else what went wrong. The folder appears whole or not at all.
std::string write_artifact(const std::string& folder, const Artifact& artifact);

}  // namespace kir::emit
