// The passes of a compilation, in order. Each takes a program and gives a new one; the structural verifier runs after each,
// and a violation there is a bug of the pass (internal error, with the program printed).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lowering/construct.h"

namespace kir::lowering {

struct Pass {
  std::string_view name;
  std::string_view what;
  PhysicalPtr (*run)(const PhysicalProgram& program, proof::Ledger& ledger);  // null: construct, which starts from the kernel
};

std::span<const Pass> passes();
const Pass* find_pass(std::string_view name);

struct PipelineOptions {
  std::string stop_after;                                                   // name of the last pass to run; "": all
  std::function<void(const Pass& pass, const PhysicalPtr& program)> after;  // called after each pass
};

std::optional<Construction> compile(const Kernel& kernel, const PipelineOptions& options, Diagnostics& diagnostics);

PhysicalPtr drop_dead_values(const PhysicalProgram& program, proof::Ledger& ledger);

}  // namespace kir::lowering
