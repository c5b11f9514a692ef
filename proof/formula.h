// The formula of an obligation as text that does not depend on names or on the pool it lives in: equal texts are equal
// formulas up to the renaming of their leaves. The digest of it stands in certificates.
#pragma once

#include <string>
#include <vector>

#include "proof/obligation.h"

namespace kir::proof {

// Leaves in the order in which canonical_text numbers them: first visits of the goal, then of the hypotheses.
std::vector<Expr> formula_leaves(const Obligation& o);

// One line per distinct node, operands before their users, then the hypotheses and the goal. O(distinct nodes).
std::string canonical_text(const Obligation& o);

std::string formula_digest(const Obligation& o);  // SHA-256 of the canonical text; of the preset's words for a preset

std::string_view name(ExprKind k);  // "floordiv"

}  // namespace kir::proof
