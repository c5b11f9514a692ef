// Proposals for how the points of two pieces belong together (M8). A wrong one makes what match_pieces() owes unprovable.
#pragma once

#include <optional>
#include <vector>

#include "proof/match.h"
#include "proof/solve.h"

namespace kir::proof {

struct PointMap {
  Assignment phi;  // KIR binder -> expression over the program's binders
  Assignment psi;  // and back
};

// From `equations` (left over the KIR's binders, right over the program's) that hold for points that belong together; where
// they leave a binder open, from what stood for it `elsewhere`, from equal ranges, then from positions. `under`: what is known
// of the program's points. Nothing when some binder of the KIR stays open.
std::optional<PointMap> propose_points(const Piece& kir, const Piece& physical, std::vector<Equation> equations,
                                       const Assignment& elsewhere, const std::vector<Expr>& under, ExprPool& pool);

}  // namespace kir::proof
