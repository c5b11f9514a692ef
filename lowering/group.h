// Execution groups: the connected components of a kernel's top-level statements under shared producers and dependence
// through views (founding document, section 3). A group is one dispatch region of the one launch.
//
//   connected by   a value that one statement makes and another uses
//                  a producer (load, reduce, loop, branch, tensor) that both use; what is free to repeat does not count
//                  a view, aliases included, that one writes and the other reads or writes
//
// A group holds its writing statements and every pure producer they need, in source order. Groups are numbered by their
// first writing statement.
#pragma once

#include <string>
#include <vector>

#include "lowering/facts.h"
#include "lowering/workset.h"

namespace kir::lowering {

struct GroupPlan {
  std::vector<OpId> statements;  // operations of the root region, in source order
  Workset workset;
  std::vector<std::string> lines;  // why it is one group and has these axes
};

std::vector<GroupPlan> form_groups(const KernelFacts& facts);

}  // namespace kir::lowering
