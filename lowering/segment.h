// Segments: the program space of a launch (founding document, section 4). The launch-visible instance domain of each group is
// flattened row-major into one run of work ids; the runs follow each other.
//
//   L_g  product of the extents of the instance axes, 1 when there is none
//   O_g  O_(g-1) + L_(g-1), O_0 = 0
//   G    ceildiv(O_last + L_last, pack), 0 without groups
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/pir/program.h"
#include "lowering/group.h"

namespace kir::lowering {

struct SegmentPlan {
  std::string group, length_name, offset_name;
  std::vector<std::string> axes;
  std::vector<Expr> lo, hi, extent;  // program's pool; extent is max(0, hi - lo), written as short as it is sure
  Expr length, offset;               // values of the definitions
};

struct SpacePlan {
  std::vector<SegmentPlan> segments;
  std::string grid_name;
  Expr grid;
  std::int64_t pack = 128;
};

// Names that the ABI has are avoided.
SpacePlan plan_space(const KernelFacts& facts, std::span<const GroupPlan> groups, ExprPool& pool);

// Coordinates of member number `local` (0 <= local < product of the extents), last axis fastest; with no axis, nothing.
std::vector<Expr> decode(std::span<const Expr> lo, std::span<const Expr> extent, Expr local);
// The member number of coordinates: the inverse of decode.
Expr flatten(std::span<const Expr> lo, std::span<const Expr> extent, std::span<const Expr> coordinates, ExprPool& pool);
// e0 * e1 * ...; 1 for none.
Expr product(std::span<const Expr> extents, ExprPool& pool);

// A name that starts with `wanted` and is not in the ABI.
std::string free_name(const Abi& abi, std::string wanted);

}  // namespace kir::lowering
