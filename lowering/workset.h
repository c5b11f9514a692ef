// Logical worksets: which axes of a piece of a kernel become instance axes, which stay inside an instance, and the fact that
// decided each (founding document, section 2).
//
// Instance axes come from unordered parallel loops with launch-visible bounds. Through an ordered loop, a branch, or a
// sequence of statements they are kept only where every pair of accesses that may touch one element, one of them writing,
// is proven to agree in the axis. Everything else - ordered loops, reductions, data-dependent bounds - stays inside.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lowering/facts.h"

namespace kir::lowering {

struct InstanceAxis {
  std::string name;
  Expr lo, hi;                // facts' pool, symbols only
  std::vector<ValueId> args;  // the arguments of parallels that are this axis, one for each merged piece
  OpId parallel;              // the first of them
};

// A buffer of the launch, for all instances (sharing.h).
struct SharedBuffer {
  struct Owner {
    std::size_t axis;
    Expr coordinate;  // facts' pool: the axis, as position 0, plus a launch-visible integer
  };
  OpId buffer;
  std::vector<std::optional<Owner>> owner;  // of each dimension that an axis decides in all accesses
};

struct Workset {
  std::vector<InstanceAxis> axes;         // outermost first
  std::vector<std::string> reasons;       // one line for each decision against an axis, with places
  std::vector<SharedBuffer> shared = {};  // in source order
};

// The argument that is the axis in the operation where the access is; none: the access is made for all members.
ValueId argument_of(const KernelFacts& facts, const InstanceAxis& axis, const Access& access);

// The workset of statements of one region that must run together, in source order. `pure` are the producers among them.
Workset workset_of(const KernelFacts& facts, std::span<const OpId> statements);

}  // namespace kir::lowering
