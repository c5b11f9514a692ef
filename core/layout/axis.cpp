#include "core/layout/axis.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "core/base/check.h"

namespace kir::layout {

namespace {

constexpr AxisRow thread_axis(std::string_view name, Scope scope, Scope subscope, std::string_view meaning,
                              char dimension = 0) {
  return {name, AxisClass::thread, scope, subscope, dimension, meaning};
}
constexpr AxisRow memory_axis(std::string_view name, std::string_view meaning) {
  return {name, AxisClass::memory, std::nullopt, std::nullopt, 0, meaning};
}

constexpr std::array kAxes = {
    thread_axis("laneid", Scope::warp, Scope::thread, "thread of a warp"),
    thread_axis("tid_in_wg", Scope::warpgroup, Scope::thread, "thread of a warpgroup"),
    thread_axis("tid", Scope::cta, Scope::thread, "thread of a block, all its dimensions in one number"),
    thread_axis("tx", Scope::cta, Scope::thread, "thread of a block", 'x'),
    thread_axis("wid_in_wg", Scope::warpgroup, Scope::warp, "warp of a warpgroup"),
    thread_axis("warpid", Scope::cta, Scope::warp, "warp of a block"),
    thread_axis("wgid", Scope::cta, Scope::warpgroup, "warpgroup of a block"),
    thread_axis("cbx", Scope::cluster, Scope::cta, "block of a cluster, first dimension", 'x'),
    thread_axis("cby", Scope::cluster, Scope::cta, "block of a cluster, second dimension", 'y'),
    thread_axis("cbz", Scope::cluster, Scope::cta, "block of a cluster, third dimension", 'z'),
    thread_axis("bx", Scope::kernel, Scope::cta, "block of the grid, first dimension", 'x'),
    thread_axis("by", Scope::kernel, Scope::cta, "block of the grid, second dimension", 'y'),
    thread_axis("bz", Scope::kernel, Scope::cta, "block of the grid, third dimension", 'z'),
    AxisRow{"pid", AxisClass::device, Scope::mesh, Scope::kernel, 0, "device of a mesh"},
    memory_axis("m", "linear address in elements; of a register tile, the register of a thread"),
    memory_axis("P", "partition of a two-dimensional scratchpad"),
    memory_axis("F", "free dimension of a two-dimensional scratchpad, in elements"),
    memory_axis("Bank", "bank of an accumulation buffer"),
    memory_axis("TLane", "lane (row) of tensor memory"),
    memory_axis("TCol", "column of tensor memory"),
};

constexpr std::size_t find_index(std::string_view name) {
  std::size_t i = 0;
  while (i < kAxes.size() && kAxes[i].name != name) ++i;
  return i;
}
constexpr std::size_t kMemory = find_index("m");
static_assert(kMemory < kAxes.size());

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view name_of(AxisClass c) {
  switch (c) {
    case AxisClass::memory: return "memory";
    case AxisClass::thread: return "thread";
    case AxisClass::device: return "device";
  }
  KIR_UNREACHABLE("axis class {}", static_cast<int>(c));
}

std::string_view name_of(Scope s) {
  switch (s) {
    case Scope::thread: return "thread";
    case Scope::warp: return "warp";
    case Scope::warpgroup: return "warpgroup";
    case Scope::cta: return "cta";
    case Scope::cluster: return "cluster";
    case Scope::kernel: return "kernel";
    case Scope::mesh: return "mesh";
  }
  KIR_UNREACHABLE("scope {}", static_cast<int>(s));
}

std::int64_t parts(Scope outer, Scope inner) {
  if (outer < inner || outer > Scope::warpgroup) return outer == inner;
  constexpr std::int64_t threads[] = {1, 32, 128};
  return threads[static_cast<int>(outer)] / threads[static_cast<int>(inner)];
}

std::optional<Axis> Axis::find(std::string_view name) {
  const std::size_t i = find_index(name);
  return i < kAxes.size() ? std::optional(Axis(static_cast<std::uint8_t>(i))) : std::nullopt;
}

Axis Axis::memory() { return Axis(static_cast<std::uint8_t>(kMemory)); }

std::string_view Axis::nearest(std::string_view name) {
  return std::ranges::min_element(kAxes, {}, [&](const AxisRow& row) { return edits(row.name, name); })->name;
}

const AxisRow& Axis::row() const { return kAxes[index_]; }

std::span<const AxisRow> axes() { return kAxes; }

}  // namespace kir::layout
