#include "tools/layout/presets.h"

namespace kir::tools {

std::span<const Preset> presets() {
  static constexpr Preset all[] = {
      {"tensor-core-tile", "Tensor-core tile", "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid",
       "8, 16", 16, 0,
       "Two warps of 32 lanes hold a tile; the replica copies it to the warps four further on. Each element has two owners."},
      {"tensor-memory", "Tensor memory, 224 columns", "S[(2,128,112):(112@TCol,1@TLane,1@TCol)]", "2, 128, 112", 32, 0,
       "A placement in the 2-D tensor memory: 128 lanes, and 224 columns, which is no power of two."},
      {"scale-factors", "Scale factors with a replica", "S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]", "32, 4", 8, 0,
       "One group of 32 rows of scale factors is routed to the lanes of all four warps: each factor lies in four places."},
      {"swizzle-128b", "128B swizzle, 16-bit", "S[(8,64):(64@m,1@m)]", "8, 64", 16, 128,
       "Each row is one bank line. Set the mode to none and a column falls into one bank; with the swizzle it scatters."},
      {"mesh", "Sharding over a mesh of devices", "S[(2,8,2,4):(2@pid,8@m,1@pid,1@m)]", "16, 8", 32, 0,
       "A 16 x 8 tensor over a 2 x 2 mesh: rows are cut over the first mesh dimension, columns over the second."},
      {"mesh-replica", "Mesh with copies", "S[(2,8,8):(2@pid,8@m,1@m)] + R[2:1@pid]", "16, 8", 32, 0,
       "Rows are cut over the first mesh dimension; the second cuts nothing, so each half lies on two devices."},
      {"scratchpad", "P/F scratchpad", "S[(4,128,64):(64@F,1@P,1@F)]", "512, 64", 16, 0,
       "512 rows in a scratchpad of 128 partitions: four blocks of rows side by side on the free dimension."},
      {"mma-a", "mma.m16n8k16, operand A", "S[(2,8,2,4,2):(2@m,4@laneid,4@m,1@laneid,1@m)]", "16, 16", 16, 0,
       "Which lane holds which element of A, and in which of its eight registers m."},
      {"bad", "A bad layout", "S[(8,16):(12@m,1@m)]", "8, 16", 16, 0,
       "The row stride is 12 for rows of 16: the end of a row and the start of the next share places. The pair is shown."},
      {"bad-replica", "A bad replica", "S[(8,4):(4@laneid,1@laneid)] + R[2:16@laneid]", "8, 4", 32, 0,
       "The second copy of one element lies where another element lives: not injective modulo replicas."},
  };
  return all;
}

}  // namespace kir::tools
