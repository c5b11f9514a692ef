// Where the buffers of a program lie. A small one of known size is local to the thread. The others lie in the workspace, one
// slice for each program instance, which the launcher allocates as one piece: two hidden arguments say where it begins and how
// long a slice is. Buffers of different groups share the bytes of a slice, since an instance runs one group; one that is made
// anew in each iteration of a loop has one place for all of them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/pir/program.h"

namespace kir::emit {

struct Workspace {
  struct Place {
    bool local = false;
    std::int64_t elements = 0;  // local
    Expr offset;                // else: bytes from the begin of the slice
  };
  std::unordered_map<ValueId, Place> places;
  Expr slice;  // bytes of an instance, launch-visible; empty: nothing lies there
};

// Expressions are of the program's pool. O(operations).
Workspace plan_workspace(const PhysicalProgram& program);

}  // namespace kir::emit
