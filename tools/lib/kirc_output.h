// What kirc writes. Everything is made in memory first; commit() writes it, each file or artifact folder
// whole or not at all; none is replaced before all are written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "emit/artifact.h"
#include "tools/lib/report.h"

namespace kir::tools {

class KircOutput {
 public:
  struct Request {
    std::string emit;      // physical, llvm, ptx, cubin, artifact
    std::string target;    // host, or an NVIDIA architecture
    std::string folder;    // "" for standard output
    bool several = false;  // several kernels: each artifact has a folder of its own in `folder`
  };
  explicit KircOutput(Request request) : request_(std::move(request)) {}

  // "" when the request makes sense, else why not.
  std::string check() const;

  // Makes everything of one kernel. `report` (may be null) gives the certificate; it is told the digests of the code (SHA-256
  // of kernel.ptx followed by kernel.cubin, or of kernel.ll) and of the launch description. `kernel_text`
  // (may be empty) goes into an artifact as it is. False when the provider cannot
  // emit the program; messages are in `diagnostics`.
  bool add(const PhysicalProgram& program, const std::string& id, Report* report, std::string_view kernel_text,
           Diagnostics& diagnostics);

  // "" on success.
  std::string commit() const;

 private:
  struct Item {
    std::string id, text;
    emit::Artifact artifact;
    bool is_artifact = false;
  };
  std::string suffix() const;

  Request request_;
  std::vector<Item> items_;
};

}  // namespace kir::tools
