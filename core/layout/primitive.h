// Tile primitives: what the hardware does with whole tiles, and which layouts, spaces and types it wants for that. Legality is
// decided here, at dispatch, and not in the layout: an axis says what it counts, so "1@tid" never passes for "1@tid_in_wg".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/axis.h"
#include "core/layout/swizzle.h"

namespace kir::layout {

enum class Space : std::uint8_t { global, shared, registers, tensor_memory, scratchpad, accumulator_banks };
std::string_view name_of(Space s);
std::optional<Space> space_of(std::string_view name);

// One operand of a call.
struct OperandUse {
  Space space = Space::global;
  std::string dtype;  // "f16"
  std::vector<std::int64_t> shape;
  Layout layout;
};
struct PrimitiveUse {
  std::string operation;  // "gemm"
  Scope scope = Scope::thread;
  std::vector<OperandUse> operands;
};

struct OperandRow {
  std::string_view name;
  Space space;
  std::string_view dtypes;  // "f16 bf16"
  std::string_view layout;  // in words
  // The layouts that it takes, one of which the operand has to equal; an error says why there is none.
  Result<std::vector<Layout>> (*wanted)(const OperandUse& operand);
};
struct PrimitiveRow {
  std::string_view name;
  std::string_view operation;
  Scope scope;
  std::span<const OperandRow> operands;  // in the order of a call
  // What keeps operands that are right one by one from being those of one call (extents, types); "" when nothing does.
  std::string (*agree)(const PrimitiveUse& use);
};
std::span<const PrimitiveRow> primitives();

// The row that serves the call, the first of the table. Error: the nearest row and all that differs from it.
Result<const PrimitiveRow*> dispatch(const PrimitiveUse& use);

// A warp moves a tile of 32 * per_lane elements from one layout to another through its registers: element slot r of a lane is
// slot r xor (the lane's upper bits). The least number of such bits for which the 32 lanes of every slot hit 32 different
// banks, reading the source as well as writing the destination; none: there is none. Errors: the tile or the layouts are of
// another form.
Result<std::optional<int>> permute_xor_bits(const TileLayout& source, const TileLayout& destination,
                                            std::span<const std::int64_t> shape, std::int64_t dtype_bytes,
                                            std::int64_t per_lane);

}  // namespace kir::layout
