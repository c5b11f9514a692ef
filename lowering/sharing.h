// Buffers at the top level of a kernel that its instances share: one memory for the launch, of which each instance accesses a
// slice of its own (founding document, section 5). That no two instances meet in an element is what keeps the axes in a
// workset; here it is told which slice an instance owns, since it has to make the initial value of just that.
#pragma once

#include <span>

#include "lowering/workset.h"

namespace kir::lowering {

// A buffer that can lie beside all instances: at the top level, of launch-visible extents.
bool is_shareable(const KernelFacts& facts, OpId op);

// Lists the shareable buffers among the statements of a group in its workset. Of one with an initial value an axis stays
// only if all accesses have it in one dimension, in one way, and its members go through the dimension.
void share_buffers(const KernelFacts& facts, std::span<const OpId> statements, Workset& workset);

// "b[m, :]": the elements of the buffer that an instance owns.
std::string slice_text(const KernelFacts& facts, const Workset& workset, const SharedBuffer& shared);

}  // namespace kir::lowering
