// Layouts on axis m that are linear over GF(2): extents are powers of two, and no two digits' multiples of their strides share
// a bit, nor with the offset; so sums are XORs, and a swizzle behind them is one more linear map.
#pragma once

#include <optional>

#include "core/layout/f2.h"
#include "core/layout/swizzle.h"

namespace kir::layout {

// L(x) = { origin ^ elements(x) ^ copies(r) | r }; column j is bit j of the element's linear position, or of the copy's.
struct LinearView {
  F2Map elements, copies;
  std::uint64_t origin;
};
std::optional<LinearView> linear_view(const Layout& l);  // none: it is not so, or not constant

F2Map swizzle_map(const Swizzle& s, int bits);  // of addresses below 2^bits

}  // namespace kir::layout
