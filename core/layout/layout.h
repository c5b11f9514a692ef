// Tile layouts over named axes: shard iters, replica iters, offsets. L(x) is a set of coordinates: the shard maps the
// row-major linear position to one coordinate per axis, the replica adds its own offsets, the offset moves all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kir {

struct LayoutIter {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  std::string axis = "m";  // "m" is memory (here: the register index); "tid" a thread of the program
  friend bool operator==(const LayoutIter&, const LayoutIter&) = default;
};

struct LayoutOffset {
  std::int64_t value = 0;
  std::string axis;
  friend bool operator==(const LayoutOffset&, const LayoutOffset&) = default;
};

struct Layout {
  std::vector<LayoutIter> shard;  // first: slowest
  std::vector<LayoutIter> replica;
  std::vector<LayoutOffset> offset;

  std::int64_t size() const;  // product of the shard extents; the shapes admitted have this size
  using Coordinate = std::map<std::string, std::int64_t>;
  Coordinate apply(std::int64_t linear) const;  // of replica 0
  friend bool operator==(const Layout&, const Layout&) = default;
};

// "S[(8,128):(1@m,1@tid)] + R[2:4@warpid] + 5@warpid"; blanks allowed. On failure: empty, and *error says why.
std::optional<Layout> parse_layout(std::string_view text, std::string* error = nullptr);
std::string to_string(const Layout& layout);

}  // namespace kir
