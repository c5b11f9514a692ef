// Where the buffers of a program lie. Of those of an instance a small one of known size is local to the thread, unless atomics
// access it. The others lie in memory that the launcher allocates as one piece for a launch: the buffers that all instances
// share, then a slice for each instance. Hidden arguments say where each shared buffer and the slices begin and how long a
// slice is. Buffers of different groups share the bytes of a slice, since an instance runs one group; one that is made anew in
// each iteration of a loop has one place for all of them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/pir/program.h"
#include "emit/runtime/launch_values.h"

namespace kir::emit {

struct Workspace {
  struct Place {
    bool local = false;
    std::int64_t elements = 0;  // local
    Expr offset;                // else: bytes from the begin of the slice
  };
  std::unordered_map<ValueId, Place> places;
  runtime::WorkspaceSize size;
};

// Expressions are of the program's pool. O(operations).
Workspace plan_workspace(const PhysicalProgram& program);

}  // namespace kir::emit
