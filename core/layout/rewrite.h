// A layout with its strides and offsets changed one by one.
#pragma once

#include "core/layout/tile_layout.h"

namespace kir::layout {

// `change(axis, value)` of each stride and each offset, in place; it answers what is wrong, nothing when all is well.
template <class Change>
Result<TileLayout> rewrite(const TileLayout& l, Change change) {
  std::vector<Iter> shard = l.shard(), replica = l.replica();
  std::vector<Offset> offset = l.offset();
  std::string why;
  for (auto* iters : {&shard, &replica})
    for (Iter& i : *iters)
      if (why.empty()) why = change(i.axis, i.stride);
  for (Offset& o : offset)
    if (why.empty()) why = change(o.axis, o.value);
  if (!why.empty()) return Error(std::move(why));
  return TileLayout::make(std::move(shard), std::move(replica), std::move(offset));
}

}  // namespace kir::layout
