// Which element of one shape is an element of another one with as many elements, in row-major order.
#pragma once

#include <span>
#include <vector>

#include "core/index/expr.h"

namespace kir {

// The coordinates in shape `from` of the element at coordinates `at` of shape `to`. Both shapes have one number of elements,
// and `at` lies in `to`. Axes whose products agree from the front are converted on their own, so that an axis that stays, or is
// only split or merged, costs no division by what stands behind it. No extent that may be 0 is divided by where `masked`: the
// coordinates may then lie anywhere. O(axes^2) products.
std::vector<Expr> reshaped(std::span<const Expr> from, std::span<const Expr> to, std::span<const Expr> at, ExprPool& pool,
                           bool masked = false);

}  // namespace kir
