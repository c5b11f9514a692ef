// Claims about layouts, decided: by the procedures of core/layout first, then by the tiers. A refutation is a counterexample
// that the forward map confirms.
#pragma once

#include "proof/layout_claims.h"
#include "smt/decide.h"

namespace kir::smt {

struct LayoutDecision {
  layout::Decision decision;
  std::string
      tier;  // "stride", "F2 rank", "enumeration", ... of core/layout; else the tier of decide(): "smt", "lemma:f2-rank"
};
LayoutDecision decide_layout(const proof::LayoutQuestion& q, const DecideOptions& options = {});

// By the tiers alone.
LayoutDecision decide_layout_by_formula(const proof::LayoutQuestion& q, const DecideOptions& options = {});

}  // namespace kir::smt
