#include "tools/mutants/judge.h"

#include <fmt/format.h>

#include "core/interp/launch_input.h"
#include "core/interp/oracle.h"
#include "smt/construction.h"
#include "tools/fuzz/inputs.h"
#include "tools/fuzz/trial.h"

namespace kir::mutants {
namespace {

// "" when no run tells the program from the kernel, else the run that does.
std::string told_apart(const Kernel& kernel, const PhysicalProgram& program, const JudgeOptions& options) {
  for (int i = 0; i < options.launches; ++i) {
    fuzz::Choices choices(fuzz::words_of(options.seed + static_cast<std::uint64_t>(i)));
    auto args = fuzz::draw_arguments(kernel, choices, options.largest_extent);
    if (!args) continue;
    LaunchArgs wanted = copy_arguments(*args), got = copy_arguments(*args);
    Diagnostics ignored;
    auto reference_launch = bind_launch(kernel.abi, wanted, ignored);
    if (!reference_launch) continue;
    const Reference reference = interpret_reference(kernel, *reference_launch, {.max_steps = options.max_steps});
    if (!reference.result.ok()) continue;
    std::string symbols;
    for (const auto& [symbol, value] : args->symbols)
      symbols += fmt::format("{}{} = {}", symbols.empty() ? "" : ", ", symbol, value);
    auto launch = bind_launch(program.abi, got, ignored);
    if (!launch) return symbols + ": the launch is refused";
    const InterpretResult r = interpret(program, *launch, {.max_steps = options.max_steps * 8});
    if (!r.ok()) return fmt::format("{}: {}", symbols, r.error->message);
    for (std::size_t v = 0; v < launch->views.size(); ++v) {
      const Comparison c =
          compare(*reference_launch->views[v], *launch->views[v], reference.exact ? nullptr : &reference.radius[v]);
      if (c.verdict == Comparison::Verdict::different)
        return fmt::format("{}: {}: {}", symbols, kernel.abi.views[v].name, describe(c));
    }
  }
  return {};
}

}  // namespace

std::string_view name(Fate f) {
  switch (f) {
    case Fate::malformed: return "malformed";
    case Fate::refuted: return "refuted";
    case Fate::unproved: return "not proved";
    case Fate::equivalent: return "equivalent";
    case Fate::survivor: return "survivor";
  }
  return "?";
}

Judgement judge(const Kernel& kernel, const Mutant& mutant, const JudgeOptions& options) {
  Judgement out;
  smt::RunOptions run;
  run.decide.rlimit = options.rlimit;
  const smt::ConstructionVerdict v = smt::verify_construction(kernel, *mutant.program, run);
  for (const proof::CheckResult& r : v.checks)
    if (r.failed()) out.refused_by.push_back(r.check->id);
  if (v.structure.has_errors()) {
    out.reason = v.structure.all()[0].id;
    out.told = true;
    return out;
  }
  out.run = told_apart(kernel, *mutant.program, options);
  out.told = !out.run.empty();
  if (v.holds()) {
    out.fate = out.told ? Fate::survivor : Fate::equivalent;
    return out;
  }
  out.fate = v.outcome.verdict == proof::Verdict::refuted ? Fate::refuted : Fate::unproved;
  for (std::size_t i = 0; i < v.outcome.decisions.size() && out.reason.empty(); ++i)
    if (v.outcome.decisions[i].verdict == v.outcome.verdict)
      out.reason = fmt::format("{} {}", proof::name(v.outcome.verdict), proof::name(v.outcome.ledger.obligations[i].kind));
  return out;
}

}  // namespace kir::mutants
