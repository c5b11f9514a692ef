// Coordinate relations: what view, transpose, slice, broadcast and reshape name in the end. A view or tensor value is followed
// to the value that holds the elements (an ABI view, or the result of an operation that makes a tensor), and the coordinates
// are rewritten on the way; so a relation leaves nothing behind but integer expressions.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/kir/kernel.h"

namespace kir::lowering {

// Gives the expression, in the target pool, that stands for a value leaf of the kernel's expressions.
using LeafMap = std::function<Expr(Expr leaf)>;

struct Place {
  ValueId base;                   // a region argument of type view, or the result of an operation that is no relation
  std::vector<Expr> coordinates;  // of the target pool
};

bool is_relation(OpKind kind);
// tensor, gather, concat, iota, contract: they make a tensor whose elements are computed where they are read.
bool is_read_in_place(OpKind kind);

// The element of `resource` at `coordinates` (one per axis, of `pool`), told as an element of the base. O(chain of
// relations times expression size). The coordinates lie in the resource, or (`masked`) perhaps not: then nothing of the result
// is divided by an extent that may be 0.
Place resolve(const Kernel& kernel, ValueId resource, std::vector<Expr> coordinates, ExprPool& pool, const LeafMap& leaf,
              bool masked = false);

// The base alone.
ValueId base_of(const Kernel& kernel, ValueId resource);

}  // namespace kir::lowering
