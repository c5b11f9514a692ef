#include "smt/layout.h"

namespace kir::smt {

using layout::Outcome;

LayoutDecision decide_layout_by_formula(const proof::LayoutQuestion& q, const DecideOptions& options) {
  LayoutDecision out;
  proof::Ledger ledger;
  std::optional<proof::LayoutFormula> f = proof::formula_of(q, *ledger.pool, &out.decision.why);
  if (!f) return out;
  ledger.add(f->obligation);
  const proof::Decision d = decide(ledger, options).at(0);
  out.tier = d.tier;
  out.decision.by = layout::By::solver;
  out.decision.why = d.reason;
  if (d.verdict == proof::Verdict::proved) {
    out.decision.outcome = Outcome::proved;
    out.decision.why = "proven for all sizes: " + d.tier;
  } else if (d.verdict == proof::Verdict::refuted) {
    if (std::optional<layout::Decision> refutation = proof::refutation_of(q, *f, d.model))
      out.decision = *std::move(refutation);
    else
      out.decision.why = "the formula has a model that is no counterexample of the claim";
  }
  return out;
}

LayoutDecision decide_layout(const proof::LayoutQuestion& q, const DecideOptions& options) {
  layout::Decision d = proof::decide_by_arguments(q);
  if (d.outcome != Outcome::undecided) {
    std::string tier(layout::name_of(d.by));
    return {std::move(d), std::move(tier)};
  }
  LayoutDecision out = decide_layout_by_formula(q, options);
  if (out.decision.outcome == Outcome::undecided) out.decision.why = d.why + "; " + out.decision.why;
  return out;
}

}  // namespace kir::smt
