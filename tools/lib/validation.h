// A validation as the tools show it, taken from the cache where the same was validated before.
#pragma once

#include <functional>

#include "core/base/content_store.h"
#include "smt/engine.h"
#include "smt/run.h"
#include "tools/lib/rendering.h"
#include "tools/lib/report.h"

namespace kir::tools {

// SHA-256 of the sources that a validation and its report come of (core/, proof/, smt/, lowering/, tools/lib/).
std::string_view report_sources();

// The key of a validation: everything that its rendering depends on.
std::string validation_key(const Subject& subject, const smt::RunOptions& options, const smt::Engine& engine,
                           std::string_view sources);

// Is every obligation PROVED, or REFUTED by an execution? What is undecided, unsupported or inconsistent, or was held up by a
// clock, is not remembered.
bool is_final(const smt::Outcome& outcome);

// Looks in options.decide.store (may be null) first, and keeps there what is final. `outcome_wanted` (may be empty) gets the
// outcome itself, which is not remembered: with it the validation is always run. Throws StoreError.
Rendering validate(const Subject& subject, const smt::RunOptions& options,
                   const std::function<void(const smt::Outcome&)>& outcome_wanted = {});

}  // namespace kir::tools
