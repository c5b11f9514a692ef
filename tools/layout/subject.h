// What a person asks about: a layout as text, the logical shape that it is seen in, values of its size symbols, and for shared
// memory the element's width and the swizzle mode. The command line and the page read the same texts by this.
//
// Everything in tools/layout except the command line is also compiled to WebAssembly, without exceptions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/swizzle.h"

namespace kir::tools {

// Where a text is wrong: the field ("layout", "shape", "sizes", "swizzle", ...), the column from 1 where one is known (else 0),
// and what is wrong.
struct Complaint {
  std::string field;
  std::size_t column = 0;
  std::string message;
};
template <class T>
using Checked = tl::expected<T, Complaint>;

// "column 7: expected ..." of the layout texts, apart.
Complaint complaint_of(std::string field, const std::string& error);

struct SubjectText {
  std::string layout;
  std::string shape;  // "8, 16", "(8, 16)"; empty: the shard extents
  std::string sizes;  // "N=4, K=8"
  int dtype_bits = 16;
  int mode_bytes = 0;  // of the swizzle that is put behind the layout; 0: none
};

// A layout without symbols in a shape that it admits.
struct Subject {
  layout::Layout layout;
  std::vector<std::int64_t> shape;
  int dtype_bits = 16;

  std::int64_t size() const { return *layout.tile.size().constant(); }
  std::int64_t columns() const { return shape.empty() ? 1 : shape.back(); }  // the last dimension
  std::int64_t rows() const { return size() / columns(); }                   // all others, row-major
  std::vector<std::int64_t> coordinate(std::int64_t flat) const;
};

// "f16", "bf16", "f8e4m3", "s8", or a number of bits.
Checked<int> read_dtype(std::string_view text);
Checked<int> read_mode(std::string_view text);  // "none", "32B", "64B", "128B"
Checked<layout::Binding> read_sizes(std::string_view text);
Checked<std::vector<layout::Size>> read_shape(std::string_view text);
Checked<std::vector<std::int64_t>> read_numbers(std::string_view field, std::string_view text);  // "3, -4", "(3, 4)"
// The layout with the swizzle of its mode, symbols left in.
Checked<layout::Layout> read_layout(const SubjectText& text);
Checked<Subject> read_subject(const SubjectText& text);

}  // namespace kir::tools
