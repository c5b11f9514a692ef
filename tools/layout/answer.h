// Questions about layouts and their answers as JSON: what the page asks. The page runs this very code as WebAssembly, and a
// test compares it with the native one, byte by byte.
//
// A request is an object; "op" says what is asked, "layout", "shape", "sizes", "dtype_bits" and "mode" name the subject
// (subject.h).
//   presets    the case studies
//   describe   text, size, copies, axes with class, meaning and reach, the claims with verdicts and colliding pairs
//   window     row0, col0, rows, cols: each element of a part of the logical grid and its places
//   element    flat: digits, base place, all owners, bank
//   physical   row_axis, col_axis, row0, col0, rows, cols: which elements lie in a part of the physical grid
//   banks      line0, lines, flat, access: words of shared memory, line x bank, and the conflicts of an access at that element
// The answer is {"ok":true,...} or {"ok":false,"error":{"field","column","message"}}. No request makes it enumerate more than
// kDrawn places; what is larger is answered by parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kir::tools {

inline constexpr std::int64_t kDrawn = std::int64_t{1} << 16;

std::string answer(std::string_view request);

}  // namespace kir::tools
