// How the execution scopes of a layout's thread axes connect (tile_layout.h).
#include <fmt/format.h>

#include <algorithm>

#include "core/layout/tile_layout.h"

namespace kir::layout {

Result<std::optional<ScopeSpan>> scope_of(const TileLayout& l) {
  std::vector<Axis> chain = l.axes();
  std::erase_if(chain, [](Axis a) { return !a.is_thread(); });
  if (chain.empty()) return std::nullopt;
  std::ranges::stable_sort(chain, {}, [](Axis a) { return std::pair(*a.row().subscope, *a.row().scope); });
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const AxisRow &inner = chain[i - 1].row(), &outer = chain[i].row();
    const bool sides = inner.scope == outer.scope && inner.subscope == outer.subscope && inner.dimension && outer.dimension;
    if (sides || inner.scope == outer.subscope) continue;
    if (outer.subscope < inner.scope)
      return Error(fmt::format("axes {} and {} overlap: {} counts the {}s of a {}, {} those of a {}", inner.name, outer.name,
                               inner.name, name_of(*inner.subscope), name_of(*inner.scope), outer.name, name_of(*outer.scope)));
    return Error(fmt::format("axes {} and {} do not connect: nothing says which {} of a {}", inner.name, outer.name,
                             name_of(*inner.scope), name_of(*outer.subscope)));
  }
  return ScopeSpan{*chain.front().row().subscope, *chain.back().row().scope};
}

}  // namespace kir::layout
