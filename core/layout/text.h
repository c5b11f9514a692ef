// The text form of layouts, and of the numbers in it.
//
//   layout  = [ "swizzle" "(" n "," n "," n [ "," "outer" ] ")" [ "o" tile ] ] | tile
//   tile    = "S" "[" iters "]" { "+" ( "R" "[" iters "]" | size [ "@" axis ] ) }
//   iters   = size list [ ":" stride list ]        one item may stand without parentheses
//   stride  = size [ "@" axis ] | '"' axis '"'     a name alone is stride 1; no axis is m
//   size    = integer polynomial: + - * ( ) numbers, symbols
//
// Several "+ R[...]" give one replica. Extents without strides are row-major on m. Blanks are free: "2 @ warpid". A lone swizzle
// is the swizzle of one period in a row. The printed form is S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[2:4@warpid] + 5@warpid.
#pragma once

#include <string>
#include <string_view>

#include "core/layout/swizzle.h"

namespace kir::layout {

// Errors say the column (from 1), what was expected and, for unknown axes, the nearest name. O(length).
Result<Layout> parse_layout(std::string_view text);
Result<TileLayout> parse_tile_layout(std::string_view text);
Result<Size> parse_size(std::string_view text);

std::string to_string(const TileLayout& l);
std::string to_string(const Swizzle& s);
std::string to_string(const Layout& l);

}  // namespace kir::layout
