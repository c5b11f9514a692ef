// The physical program: one launch, complete without KIR.
//
// A launch has `grid` blocks of `threads * pack` threads; a program instance is `threads` threads, and a block holds
// `pack` instances, so program ids run over 0 <= id < grid * pack. Work ids are what segments range over; the dispatch
// maps program ids to work ids (now: the identity) and work ids to groups with their logical coordinates.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/abi.h"
#include "core/ir/body.h"
#include "core/layout/tile_layout.h"

namespace kir {

// A launch-visible integer computed once, on the host, in checked arithmetic, and handed to the program: the wrapper's
// grid and the body's dispatch use this one value. May use symbols and earlier definitions.
struct Definition {
  std::string name;  // L0, O0, G
  Expr value;
  SourceRange range;
};

struct Segment {
  std::string group;              // name of the group
  std::vector<std::string> axes;  // names of the logical coordinates
  std::vector<Expr> lo, hi;       // their half-open ranges, launch-visible
  std::string length, offset;     // names of definitions
  SourceRange range;
};

struct DispatchArm {
  Expr guard;  // over symbols and the work id
  std::size_t group = 0;
  std::vector<Expr> coordinates;  // of the group's arguments, over symbols and the work id
  SourceRange range;
};

struct Group {
  std::string name;
  RegionId region;           // arguments: the logical coordinates, type i32 or i64
  std::vector<Expr> lo, hi;  // declared range of each argument: a claim
  SourceRange range;
};

struct LaunchShape {
  std::int64_t threads = 1;  // per program instance
  std::int64_t pack = 1;     // program instances per block
  std::string grid = "G";    // name of the definition of the number of blocks
};

struct NamedLayout {
  std::string name;
  layout::TileLayout layout;  // without symbols, on the axes m (register) and tid (thread of the program)
};

struct PhysicalProgram {
  std::string name;
  std::string implements;  // diagnostics only
  Abi abi;                 // where: restrictions the program claims (goals of precondition-implied)
  LaunchShape launch;
  std::vector<Definition> definitions;  // space lengths and offsets in order, then the grid
  std::vector<Segment> segments;
  std::string work_id;  // printed name
  ValueId work;         // root region argument: the work id, type i64 (or i32)
  std::vector<DispatchArm> arms;
  std::vector<NamedLayout> layouts;
  // Buffers that all program instances see: arguments of the root region of type view, with launch-visible extents. They lie
  // row-major in memory that the runtime allocates for each launch, and are without contents when it begins.
  std::vector<ValueId> workspace;
  std::vector<Group> groups;
  ExprPoolPtr pool;
  Body body;
  RegionId root;              // arguments: views, data scalars, the workspace, then the work id; no operations
  std::string origin_kernel;  // KernelID of the KIR it was built from, "" when foreign or stripped
  SourcePtr source;

  const Definition* find_definition(std::string_view name) const;
};

using PhysicalPtr = std::shared_ptr<const PhysicalProgram>;

}  // namespace kir
