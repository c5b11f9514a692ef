// Arrays written out: nested lists of literals, as [[1, 2.5], [nan, -inf]].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/interp/tensor.h"

namespace kir {

// The dense row-major tensor that a text writes out; its shape is that of the lists ([] has shape [0], [[], []] has shape
// [2, 0]), a lone literal is a tensor of rank 0. Elements are literals of the type (parse_literal). With nothing, `error`
// says what is wrong and where (counting characters from 1). Linear in the text.
std::optional<Tensor> parse_tensor(std::string_view text, DType dtype, std::string* error);

}  // namespace kir
