// The case studies of docs/layouts.md, as the page and `kir-layout presets` show them.
#pragma once

#include <span>
#include <string_view>

namespace kir::tools {

struct Preset {
  std::string_view name;   // "tensor-core-tile"
  std::string_view title;  // "Tensor-core tile"
  std::string_view layout, shape;
  int dtype_bits, mode_bytes;  // mode_bytes 0: no swizzle
  std::string_view note;       // what to look at, one or two sentences
};

std::span<const Preset> presets();

}  // namespace kir::tools
