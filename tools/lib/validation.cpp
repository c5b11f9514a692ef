#include "tools/lib/validation.h"

#include <fmt/format.h>

#include "core/base/netstrings.h"
#include "core/base/sha256.h"
#include "core/text/text.h"
#include "smt/memory.h"

namespace kir::tools {
namespace {

void append_source(std::string& to, const SourcePtr& source) {
  append_netstring(to, source ? source->path() : "");
  append_netstring(to, source ? source->text() : "");
}

}  // namespace

std::string validation_key(const Subject& subject, const smt::RunOptions& options, const smt::Engine& engine,
                           std::string_view sources) {
  // Each new option has a part in the key.
  const auto& [decide, derive, replay_attempts, minimise] = options;
  const auto& [allow_restrictions] = derive;
  std::string all = join_netstrings(
      {"kir validation 1", sources, engine.sources, engine.solver, engine.solver_library, smt::deciding_options(decide),
       fmt::format("{} {} {} {}", allow_restrictions, replay_attempts, minimise.replays, minimise.steps)});
  append_source(all, subject.kernel->source);
  append_netstring(all, subject.kernel->id());
  append_netstring(all, print(*subject.kernel));
  append_netstring(all, !subject.program ? "none" : subject.constructed ? "constructed" : "given");
  append_source(all, subject.program ? subject.program->source : nullptr);
  append_netstring(all, subject.program ? print(*subject.program) : "");
  return sha256_hex(all);
}

bool is_final(const smt::Outcome& outcome) {
  if (!outcome.malformed.empty()) return false;
  for (std::size_t i = 0; i < outcome.decisions.size(); ++i) {
    const proof::Verdict v = outcome.decisions[i].verdict;
    const bool refuted = v == proof::Verdict::refuted && outcome.counterexample_of[i] != smt::Outcome::kNone;
    if ((v != proof::Verdict::proved && !refuted) || outcome.decisions[i].runaway) return false;
  }
  return !outcome.decisions.empty();
}

Rendering validate(const Subject& subject, const smt::RunOptions& options,
                   const std::function<void(const smt::Outcome&)>& outcome_wanted) {
  ContentStore* store = outcome_wanted ? nullptr : options.decide.store;
  const std::string key = store != nullptr ? validation_key(subject, options, smt::this_engine(), report_sources()) : "";
  if (store != nullptr)
    if (const std::optional<std::string> known = store->get(key))
      if (std::optional<Rendering> r = Rendering::from_bytes(*known)) return std::move(*r);
  const smt::Outcome outcome = smt::run(*subject.kernel, subject.program.get(), nullptr, options);
  Rendering r = Report(subject, outcome, options).rendering();
  if (outcome_wanted) outcome_wanted(outcome);
  if (store != nullptr && is_final(outcome)) store->put(key, r.bytes());
  return r;
}

}  // namespace kir::tools
