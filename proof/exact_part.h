// The components of a combine that no float enters: what a licence says of them is not about rounding, and is owed.
#pragma once

#include <vector>

#include "proof/term.h"

namespace kir::proof {

std::vector<std::size_t> exact_components(const Combine& c, TermPool& terms);
// The combine of these components alone; none of them reads another.
Combine restricted(const Combine& c, const std::vector<std::size_t>& components);

}  // namespace kir::proof
