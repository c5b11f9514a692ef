// An untrusted solver for index equations: proposes, never proves. What it returns goes into obligations (range, round
// trips); a wrong proposal makes them fail.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/index/expr.h"

namespace kir::proof {

struct Equation {
  Expr left;   // over the unknowns
  Expr right;  // over known leaves only
};

using Assignment = std::unordered_map<const ExprNode*, Expr>;  // unknown -> expression over known leaves

// A work list over linear and mixed-radix patterns:
//   c*x = K                     x = K floordiv c
//   c*x + rest = K              x = K floordiv c, rest = K mod c          (c the largest coefficient; first where the
//                               ranges of the unknowns in rest keep it below c, else only where nothing else is left)
//   x floordiv d = q, x mod d = r         x = q*d + r
//   x floordiv (e*f) = q, (x floordiv e) mod f = r     x floordiv e = q*f + r
// Unknowns that no equation determines are absent from the result. `below`: of unknowns that are at least 0, what they are
// less than. O(equations^2 * size).
Assignment solve(const std::vector<Expr>& unknowns, std::vector<Equation> equations, ExprPool& pool,
                 const Assignment& below = {});

// For unknowns that the equations left open: one that the range of a determined unknown begins with (the iteration of an outer
// loop whose inner one starts there) is taken as if that range began at the determined value. `ranges`: (unknown, lower bound).
void solve_ranges(const std::vector<std::pair<Expr, Expr>>& ranges, Assignment& at, ExprPool& pool);

// Whether two expressions are one polynomial over their atoms; false also where coefficients leave 64 bits.
bool same_polynomial(Expr a, Expr b);

}  // namespace kir::proof
