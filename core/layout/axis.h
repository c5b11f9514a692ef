// Named axes of a layout: what a stride counts. An axis has a class; an axis of threads also says which execution scope it
// enumerates the parts of ("laneid": the threads of a warp), so that axes with different meanings are never mixed up. The
// table is closed: an unknown name is an error of the text, not a new axis.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kir::layout {

enum class AxisClass : std::uint8_t { memory, thread, device };
std::string_view name_of(AxisClass c);

// Execution scopes, inner to outer.
enum class Scope : std::uint8_t { thread, warp, warpgroup, cta, cluster, kernel, mesh };
std::string_view name_of(Scope s);
// How many `inner` an `outer` has, where the machine fixes it: 32 threads a warp, 4 warps a warpgroup; 0: it does not.
std::int64_t parts(Scope outer, Scope inner);

struct AxisRow {
  std::string_view name;
  AxisClass cls;
  std::optional<Scope> scope;     // of what it enumerates the parts; none for memory
  std::optional<Scope> subscope;  // the parts
  char dimension;                 // 'x', 'y', 'z' where the parts form a grid and the axis is one side of it; else 0
  std::string_view meaning;       // one line
};

// A row of the table, as a value. The order is the table's.
class Axis {
 public:
  static std::optional<Axis> find(std::string_view name);
  static Axis memory();  // "m", the default: the linear address (in elements), or the register of a thread
  static std::string_view nearest(std::string_view name);  // the name in the table with the fewest edits to it

  const AxisRow& row() const;
  std::size_t index() const { return index_; }  // in the table
  std::string_view name() const { return row().name; }
  bool is_memory() const { return row().cls == AxisClass::memory; }
  bool is_thread() const { return row().cls == AxisClass::thread; }
  friend auto operator<=>(Axis, Axis) = default;

 private:
  explicit constexpr Axis(std::uint8_t index) : index_(index) {}
  std::uint8_t index_ = 0;
};

std::span<const AxisRow> axes();

}  // namespace kir::layout
