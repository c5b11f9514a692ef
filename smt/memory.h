// Decisions of earlier runs, in a content store: what is PROVED by the same engine, with the same options, about the same
// formula is not asked again. A decision is a function of these three, so a hit gives what deciding would give.
#pragma once

#include <optional>
#include <string>

#include "proof/obligation.h"
#include "smt/decide.h"
#include "smt/engine.h"

namespace kir::smt {

// All options that a decision depends on, as text.
std::string deciding_options(const DecideOptions& options);

class Memory {
 public:
  // Of options.store; without one nothing is remembered. Options and store outlive the memory.
  explicit Memory(const DecideOptions& options);
  Memory(const DecideOptions& options, const Engine& engine);

  // `canonical`: proof::canonical_text of an obligation. The decision has no model and no time.
  std::optional<proof::Decision> recall(const std::string& canonical) const;
  // Keeps a proof that took some milliseconds and that nothing but its own resource limits held up (no runaway). How long it
  // took is no part of a decision: whether it is kept changes how soon the next run ends, nothing else. Throws StoreError.
  void keep(const std::string& canonical, const proof::Decision& decision) const;

 private:
  std::string key(const std::string& canonical) const;

  ContentStore* store_;
  std::string prefix_;
};

}  // namespace kir::smt
