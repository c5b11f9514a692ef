// Execution order of program points.
#pragma once

#include "proof/term.h"

namespace kir::proof {

// True exactly when a point with path a executes before one with path b, in one instance: lexicographic, static positions
// and ordered iterations by <; points of different unordered iterations are unrelated (false both ways).
Expr before(const Path& a, const Path& b, ExprPool& pool);

}  // namespace kir::proof
