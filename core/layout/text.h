// The text form of layouts, and of the numbers in it.
//
//   layout  = "swizzle" "(" n "," n "," n [ "," "outer" ] ")" [ "o" tile ] | tile
//   tile    = "S" "[" iters "]" { "+" ( "R" "[" iters "]" | product [ "@" axis ] ) }
//   iters   = [ list of sizes [ ":" list of strides ] ]     a list may stand in parentheses
//   stride  = size [ "@" axis ] | '"' axis '"'              a name alone is stride 1; no axis is m
//   size    = product { ( "+" | "-" ) product }
//   product = factor { "*" factor }
//   factor  = number | symbol | "-" factor | "(" size ")"
//
// Several "+ R[...]" give one replica. Extents without strides are row-major on m. Blanks are free: "2 @ warpid". A sum as an
// offset needs parentheses, "+ (8*K+4)@m", since "+ 8*K + 4@laneid" is two offsets. A lone swizzle is the swizzle of one period
// in a row. The printed form is S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[2:4@warpid] + 5@warpid.
#pragma once

#include <string>
#include <string_view>

#include "core/layout/swizzle.h"

namespace kir::layout {

// Errors say the column (from 1), what was expected and, for unknown axes, the nearest name. Names have at most kMaxName
// characters, parentheses in sizes nest at most kMaxNesting deep. O(length) for layouts without symbols; with symbols each
// operation besides costs the terms of its operands, at most Size::kMaxTerms.
inline constexpr std::size_t kMaxName = 64;
inline constexpr int kMaxNesting = 64;
Result<Layout> parse_layout(std::string_view text);
Result<TileLayout> parse_tile_layout(std::string_view text);
Result<Size> parse_size(std::string_view text);

// For texts inside a larger one: where the error is.
struct TextError {
  std::size_t column = 0;  // from 1, in bytes; 0: the layout as a whole is wrong
  std::string why;
};
tl::expected<TileLayout, TextError> read_tile_layout(std::string_view text);

std::string to_string(const TileLayout& l);
std::string to_string(const Swizzle& s);
std::string to_string(const Layout& l);

}  // namespace kir::layout
