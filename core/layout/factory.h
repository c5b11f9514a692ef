// Layouts that hardware fixes: where an instruction keeps the elements of its operands. Each builder says whose document it
// follows; sizes that the hardware does not have are errors that say which it has. Registers count elements of the operand's
// own type on axis m: the element i of a fragment in the vendor's numbering, so register i / (32 / bits) of 32 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/swizzle.h"

namespace kir::layout {

// ---- Tensor cores with registers (PTX ISA, matrix fragments of mma.m16n8k* and wgmma)
enum class MmaOperand : std::uint8_t { a, b, c };  // c: the accumulator, also d
// Of mma.m16n8k<k> with multiplicands of 1, 4, 8, 16 or 32 bits: a is (16, k), b is (k, 8), c is (16, 8), over laneid and m. A
// lane holds 32 / bits neighbours along k, and k is 4 or 8 times as many.
Result<TileLayout> mma_fragment(std::int64_t k, int bits, MmaOperand operand);
// Of wgmma.m64n<n>k*: (64, n) over wid_in_wg, laneid and m; n a multiple of 8 up to 256.
Result<TileLayout> wgmma_accumulator(std::int64_t n);
// Multiplicand a of wgmma.m64n*k<k> in registers: (64, k).
Result<TileLayout> wgmma_a_fragment(std::int64_t k, int bits);
// What ldmatrix.x<matrices> delivers, elements of 16 bits: (matrices, 8, 8) over laneid and m.
Result<TileLayout> ldmatrix_fragment(std::int64_t matrices, bool transposed);
// Which lane gives the address of each row: (matrices, 8) on laneid.
Result<TileLayout> ldmatrix_rows(std::int64_t matrices);

// ---- Shared memory as an operand of the tensor cores: the last two dimensions in column blocks as wide as the swizzle (32, 64
// or 128 bytes), each block row-major and swizzled; further dimensions in front are row-major copies.
Result<Layout> mma_shared(int dtype_bits, int swizzle_bytes, std::span<const std::int64_t> shape);

// ---- Tensor memory (PTX ISA, data path layouts of tcgen05.mma): (rows, columns) over TLane and TCol
//   A, D  128 rows, each its lane
//   B, E  64 rows; the second half of the columns lies in lanes 64 to 127
//   C, F  64 rows, 16 to a warp's 32 lanes; sub_slab 1: the upper 16 of them
//   G     32 rows; the four quarters of the columns lie in the four groups of 32 lanes
Result<TileLayout> tmem_datapath(std::string_view letter, std::int64_t rows, std::int64_t columns, std::int64_t sub_slab = 0);
// Operand A or D of tcgen05.mma in tensor memory: the datapath that m, cta_group and ws choose. `group` cuts the columns of B,
// E and G into (outer, folded, inner), the folded ones over the lanes; without it each half or quarter is one run.
Result<TileLayout> tmem_operand(std::string_view operand, std::span<const std::int64_t> shape, std::int64_t m,
                                std::int64_t cta_group, bool ws = false, std::span<const std::int64_t> group = {});

// ---- Scale factors of a block-scaled multiplication in tensor memory
// 32 rows x per_mma factors, copied to the lanes of all four warps: S[(32,per_mma):(1@TLane,1@TCol)] + R[4:32@TLane].
Result<TileLayout> scale_factor_atom(std::int64_t per_mma);
struct ScaleFactors {
  std::int64_t rows = 128, factors = 4;  // of the operand's rows, a multiple of 32; along k
  int bits = 8;                          // of a factor
  std::int64_t reuse = 1;                // multiplications that use the same factor (stride 0, last)
  std::int64_t stages = 1;               // pipeline depth (first)
};
// (stages, rows, factors, reuse), stages and reuse only where they are more than one. 32 / bits factors make a 32-bit cell;
// TCol counts factors.
Result<TileLayout> scale_factors(const ScaleFactors& s);

// ---- Two-dimensional scratchpads: partition P (128) and free F
// One letter a dimension, each row-major. A single P dimension of a multiple of 128 folds its outer part into F.
Result<TileLayout> trainium(std::string_view letters, std::span<const std::int64_t> shape);
bool is_trainium(const TileLayout& l);            // memory axes of the shard are P, F and Bank only
Result<TileLayout> to_psum(const TileLayout& l);  // positions on F split into banks of 512 on Bank

// ---- Meshes of devices: pid is row-major over the mesh. `cut[d]` is the mesh dimension that dimension d is cut over, or none;
// a mesh dimension that cuts nothing holds copies. The part of a device is row-major on m.
Result<TileLayout> mesh_sharding(std::span<const std::int64_t> shape, std::span<const std::int64_t> mesh,
                                 std::span<const std::optional<std::size_t>> cut);

// ---- By name, as text has them: `factory tmem_datapath_layout datapath=F rows=64 cols=32 sub_slab=1`.
struct Argument {
  std::string name;
  std::vector<std::int64_t> numbers;  // one or more
  std::string word;                   // or a word
};
struct FactoryRow {
  std::string_view name;
  std::string_view arguments;  // "k= bits= operand=a|b|c", optional ones in brackets
  std::string_view meaning;    // one line
  Result<Layout> (*build)(std::span<const Argument> arguments);
};
std::span<const FactoryRow> factories();
// Unknown names, arguments that are missing, of another kind or left over are errors.
Result<Layout> build(std::string_view factory, std::span<const Argument> arguments);

}  // namespace kir::layout
