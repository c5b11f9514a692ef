// `break` and `continue`: the ends of a branch of an if that leave the loop around it, or its iteration.
#pragma once

#include "core/ir/body.h"

namespace kir {

inline bool is_loop_exit(OpKind k) { return k == OpKind::break_loop || k == OpKind::continue_loop; }

// The region ends in an exit, so that nothing runs behind its owner from there.
bool leaves_loop(const Body& body, RegionId r);

// The loop whose body holds the exit with nothing but ifs in between; none when there is none. O(depth).
OpId loop_of_exit(const Body& body, const Op& exit);

}  // namespace kir
