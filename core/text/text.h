// The two text forms. Laws: parse(print(m)) == m (structurally_equal, equal ABI), print(parse(print(m))) == print(m).
// Parsing collects all errors of a file (recovering at statement and kernel boundaries), never throws, never recurses
// deeper than kMaxDepth, and refuses texts over kMaxBytes. A result is empty exactly when diagnostics has errors; it
// is structurally verified (verify.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/diagnostics.h"
#include "core/kir/kernel.h"
#include "core/pir/program.h"

namespace kir {

inline constexpr std::size_t kMaxBytes = 64u << 20;
inline constexpr int kMaxDepth = 200;

std::optional<Module> parse_kir(SourcePtr source, Diagnostics& diagnostics);
PhysicalPtr parse_pir(SourcePtr source, Diagnostics& diagnostics);

std::string print(const Kernel& kernel);  // one kernel, without the "kir 1" line
std::string print(const Plan& plan);
std::string print(const Module& module);  // with it, the kernels first
struct PrintOptions {
  bool origins = true;
};
std::string print(const PhysicalProgram& program, PrintOptions options = {});

// SHA-256 of the printed text without origins, in hex: the content hash.
std::string content_hash(const Kernel& kernel);
std::string content_hash(const PhysicalProgram& program);

// "%e < N" with the program's names, for messages.
std::string describe(const Kernel& kernel, Expr e);
std::string describe(const PhysicalProgram& program, Expr e);

}  // namespace kir
