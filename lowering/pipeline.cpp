#include "lowering/pipeline.h"

#include "core/base/check.h"
#include "core/ir/verify.h"
#include "core/text/text.h"

namespace kir::lowering {
namespace {

constexpr Pass kPasses[] = {
    {"construct", "worksets, execution groups, segments and decode, one instance per member; complete, unoptimised", nullptr},
    {"drop-dead-values", "operations without effect whose results nothing uses", drop_dead_values},
};

void check(const Pass& pass, const PhysicalProgram& program) {
  Diagnostics problems;
  if (verify(program, problems)) return;
  std::string text;
  for (const Diagnostic& d : problems.all()) text += d.id + ": " + d.message + "\n";
  KIR_UNREACHABLE("pass {} made a malformed program:\n{}{}", pass.name, text, print(program));
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  for (const Pass& p : kPasses)
    if (p.name == name) return &p;
  return nullptr;
}

std::optional<Construction> compile(const Kernel& kernel, const PipelineOptions& options, Diagnostics& diagnostics) {
  std::optional<Construction> result = construct(kernel, diagnostics);
  if (!result) return std::nullopt;
  for (const Pass& pass : kPasses) {
    if (pass.run) result->program = pass.run(*result->program, result->ledger);
    check(pass, *result->program);
    if (options.after) options.after(pass, result->program);
    if (options.stop_after == pass.name) break;
  }
  return result;
}

}  // namespace kir::lowering
