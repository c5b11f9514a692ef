// The buffers of a body, those of a program's workspace among them, and which are told by their stores.
//
// A load of a buffer is *told* when each store that can precede it has been evaluated before it: then its value is a term over
// the stored values (denote_buffer.cpp). That is so unless a store stands behind it in a region that runs repeatedly within
// the buffer's life. Nor is it told where data decides in which iterations a store happens: which was the last no expression
// says. A buffer of which some load is not told is opaque: its loads are terms of their own, and its accesses are
// paired with those of the other side as accesses of views are. The life of a workspace is the launch: within an instance what
// precedes a load has been evaluated before it, and the accesses of other instances are owed not to meet it (R6).
#pragma once

#include <span>
#include <vector>

#include "core/ir/body.h"

namespace kir::proof {

struct BufferSite {
  ValueId view;
  bool told = true;
};

// In order of the text, the workspace before all, those that are not told first. O(operations * nesting).
std::vector<BufferSite> buffer_sites(const Body& body, std::span<const ValueId> workspace);

// The view of the ABI or the buffer that a chain of relations ends in.
ValueId memory_below(const Body& body, ValueId view);

}  // namespace kir::proof
