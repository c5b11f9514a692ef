// The factories against the vendor's maps, written here as the documents state them: for each lane and register, which element.
#include "core/layout/factory.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/layout/decide.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

struct Spot2 {
  std::int64_t row, col;
};
// Element i of the fragment of a lane.
using Formula = std::function<Spot2(std::int64_t lane, std::int64_t i)>;

// Each lane and register holds the element that the formula says, and nothing else lies anywhere.
void expect_fragment(const Result<TileLayout>& made, std::int64_t rows, std::int64_t cols, std::int64_t lanes,
                     std::int64_t registers, const Formula& formula, const char* lane_axis = "laneid") {
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(number(made->size()), rows * cols);
  ASSERT_EQ(lanes * registers, rows * cols);
  const std::vector<Spot> bases = all_bases(*made);
  for (std::int64_t lane = 0; lane < lanes; ++lane)
    for (std::int64_t i = 0; i < registers; ++i) {
      const Spot2 e = formula(lane, i);
      ASSERT_TRUE(e.row >= 0 && e.row < rows && e.col >= 0 && e.col < cols);
      Spot want;
      if (lane_axis == std::string("laneid")) {
        move(want, *Axis::find("laneid"), lane % 32);
        move(want, *Axis::find("wid_in_wg"), lane / 32);
      } else {
        move(want, *Axis::find(lane_axis), lane);
      }
      move(want, Axis::memory(), i);
      EXPECT_EQ(bases[static_cast<std::size_t>(e.row * cols + e.col)], want) << "lane " << lane << " i " << i;
    }
  EXPECT_EQ(exclusive({*made, {}}).outcome, Outcome::proved);
  EXPECT_EQ(covering({*made, {}}).outcome, Outcome::proved);
}

// PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type".
// shows: L3.4
TEST(LayoutFactory, MmaM16N8K16) {
  expect_fragment(mma_fragment(16, 16, MmaOperand::a), 16, 16, 32, 8, [](std::int64_t lane, std::int64_t i) {
    const std::int64_t group = lane >> 2, thread = lane % 4;
    return Spot2{(0 <= i && i < 2) || (4 <= i && i < 6) ? group : group + 8,
                 i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8};
  });
  expect_fragment(mma_fragment(16, 16, MmaOperand::b), 16, 8, 32, 4, [](std::int64_t lane, std::int64_t i) {
    const std::int64_t group = lane >> 2, thread = lane % 4;
    return Spot2{i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8, group};
  });
  expect_fragment(mma_fragment(16, 16, MmaOperand::c), 16, 8, 32, 4, [](std::int64_t lane, std::int64_t i) {
    const std::int64_t group = lane >> 2, thread = lane % 4;
    return Spot2{i < 2 ? group : group + 8, thread * 2 + (i & 1)};
  });
}

// "Matrix fragments for mma.m16n8k8": .f16/.bf16 and .tf32; "mma.m16n8k4" .tf32.
TEST(LayoutFactory, MmaM16N8K8AndK4) {
  expect_fragment(mma_fragment(8, 16, MmaOperand::a), 16, 8, 32, 4, [](std::int64_t lane, std::int64_t i) {
    return Spot2{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
  });
  expect_fragment(mma_fragment(8, 16, MmaOperand::b), 8, 8, 32, 2,
                  [](std::int64_t lane, std::int64_t i) { return Spot2{lane % 4 * 2 + i, lane / 4}; });
  expect_fragment(mma_fragment(8, 32, MmaOperand::a), 16, 8, 32, 4, [](std::int64_t lane, std::int64_t i) {
    return Spot2{i == 0 || i == 2 ? lane / 4 : lane / 4 + 8, i < 2 ? lane % 4 : lane % 4 + 4};
  });
  expect_fragment(mma_fragment(8, 32, MmaOperand::b), 8, 8, 32, 2,
                  [](std::int64_t lane, std::int64_t i) { return Spot2{i == 0 ? lane % 4 : lane % 4 + 4, lane / 4}; });
  expect_fragment(mma_fragment(4, 32, MmaOperand::a), 16, 4, 32, 2,
                  [](std::int64_t lane, std::int64_t i) { return Spot2{i == 0 ? lane / 4 : lane / 4 + 8, lane % 4}; });
}

// "Matrix fragments for mma.m16n8k32" (.s8, .u8, .e4m3, .e5m2), "m16n8k16 with integer type", "m16n8k64" (.s4, .u4),
// "m16n8k256" (.b1).
TEST(LayoutFactory, MmaOfNarrowTypes) {
  expect_fragment(mma_fragment(32, 8, MmaOperand::a), 16, 32, 32, 16, [](std::int64_t lane, std::int64_t i) {
    return Spot2{(0 <= i && i < 4) || (8 <= i && i < 12) ? lane / 4 : lane / 4 + 8,
                 i < 8 ? lane % 4 * 4 + (i & 3) : lane % 4 * 4 + (i & 3) + 16};
  });
  expect_fragment(mma_fragment(32, 8, MmaOperand::b), 32, 8, 32, 8, [](std::int64_t lane, std::int64_t i) {
    return Spot2{i < 4 ? lane % 4 * 4 + (i & 3) : lane % 4 * 4 + (i & 3) + 16, lane / 4};
  });
  expect_fragment(mma_fragment(16, 8, MmaOperand::a), 16, 16, 32, 8, [](std::int64_t lane, std::int64_t i) {
    return Spot2{i < 4 ? lane / 4 : lane / 4 + 8, lane % 4 * 4 + (i & 3)};
  });
  expect_fragment(mma_fragment(64, 4, MmaOperand::a), 16, 64, 32, 32, [](std::int64_t lane, std::int64_t i) {
    return Spot2{(0 <= i && i < 8) || (16 <= i && i < 24) ? lane / 4 : lane / 4 + 8,
                 i < 16 ? lane % 4 * 8 + (i & 7) : lane % 4 * 8 + (i & 7) + 32};
  });
  expect_fragment(mma_fragment(128, 1, MmaOperand::a), 16, 128, 32, 64, [](std::int64_t lane, std::int64_t i) {
    return Spot2{i < 32 ? lane / 4 : lane / 4 + 8, lane % 4 * 32 + (i & 31)};
  });
  expect_fragment(mma_fragment(256, 1, MmaOperand::b), 256, 8, 32, 64, [](std::int64_t lane, std::int64_t i) {
    return Spot2{lane % 4 * 32 + (i & 31) + (i < 32 ? 0 : 128), lane / 4};
  });
}

// "Register fragments for wgmma.mma_async.m64nNk16": accumulator D of a warpgroup.
TEST(LayoutFactory, Wgmma) {
  for (std::int64_t n : {8, 16, 24, 64, 128, 200, 256})
    expect_fragment(wgmma_accumulator(n), 64, n, 128, n / 2, [](std::int64_t thread, std::int64_t i) {
      const std::int64_t lane = thread % 32, warp = thread / 32;
      return Spot2{16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
    });
  expect_fragment(wgmma_a_fragment(16, 16), 64, 16, 128, 8, [](std::int64_t thread, std::int64_t i) {
    const std::int64_t lane = thread % 32, warp = thread / 32;
    return Spot2{16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
  });
}

// "Warp-level matrix load: ldmatrix": thread t of a matrix's row group holds elements 2 * (t % 4) and the next of row t / 4;
// with .trans of the column. Register k is of matrix k.
TEST(LayoutFactory, Ldmatrix) {
  for (std::int64_t matrices : {1, 2, 4})
    for (bool transposed : {false, true})
      expect_fragment(ldmatrix_fragment(matrices, transposed), 8 * matrices, 8, 32, 2 * matrices,
                      [&](std::int64_t lane, std::int64_t i) {
                        const std::int64_t along = 2 * (lane % 4) + i % 2, across = lane / 4, matrix = i / 2;
                        return transposed ? Spot2{8 * matrix + along, across} : Spot2{8 * matrix + across, along};
                      });
  // Threads 0 to 7 give the rows of matrix 0, 8 to 15 those of matrix 1, and so on.
  const TileLayout rows = must(ldmatrix_rows(4));
  for (std::int64_t matrix = 0; matrix < 4; ++matrix)
    for (std::int64_t row = 0; row < 8; ++row)
      EXPECT_EQ(base_place(rows, 8 * matrix + row)[*Axis::find("laneid")], 8 * matrix + row);
}

// "Data path layouts" of tcgen05.mma, by the row's lane and the column.
TEST(LayoutFactory, TensorMemoryDatapaths) {
  struct Row {
    const char* letter;
    std::int64_t rows;
    std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t r, std::int64_t c, std::int64_t cols)> at;  // lane, column
  };
  const auto same = [](std::int64_t r, std::int64_t c, std::int64_t) { return std::pair(r, c); };
  const auto halves = [](std::int64_t r, std::int64_t c, std::int64_t n) {
    return std::pair(r + 64 * (c / (n / 2)), c % (n / 2));
  };
  const auto sixteen = [](std::int64_t r, std::int64_t c, std::int64_t) { return std::pair(r / 16 * 32 + r % 16, c); };
  const auto quarters = [](std::int64_t r, std::int64_t c, std::int64_t n) {
    return std::pair(r + 32 * (c / (n / 4)), c % (n / 4));
  };
  for (const Row& row : std::vector<Row>{{"A", 128, same},
                                         {"D", 128, same},
                                         {"B", 64, halves},
                                         {"E", 64, halves},
                                         {"C", 64, sixteen},
                                         {"F", 64, sixteen},
                                         {"G", 32, quarters}})
    for (std::int64_t cols : {8, 64, 224}) {
      const TileLayout l = must(tmem_datapath(row.letter, row.rows, cols));
      const std::vector<Spot> bases = all_bases(l);
      for (std::int64_t r = 0; r < row.rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) {
          const auto [lane, column] = row.at(r, c, cols);
          Spot want;
          move(want, *Axis::find("TLane"), lane);
          move(want, *Axis::find("TCol"), column);
          ASSERT_EQ(bases[static_cast<std::size_t>(r * cols + c)], want) << row.letter;
        }
    }
}

// shows: L1.7
TEST(LayoutFactory, ScaleFactors) {
  EXPECT_EQ(must(scale_factor_atom(4)), T("S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]"));
  // Row r of 128 and factor k: lane r % 32 of each warp; cells of four factors, first over the row groups, then along k.
  const TileLayout l = must(scale_factors({128, 8, 8, 1, 1}));
  const std::vector<std::set<Spot>> all = all_places(l);
  for (std::int64_t r = 0; r < 128; ++r)
    for (std::int64_t k = 0; k < 8; ++k) {
      std::set<Spot> want;
      for (std::int64_t warp = 0; warp < 4; ++warp) {
        Spot s;
        move(s, *Axis::find("TLane"), r % 32 + 32 * warp);
        move(s, *Axis::find("TCol"), 4 * (r / 32) + 16 * (k / 4) + k % 4);
        want.insert(s);
      }
      ASSERT_EQ(all[static_cast<std::size_t>(r * 8 + k)], want);
    }
  // Two stages in a row, and a factor used twice lies once.
  const TileLayout deep = must(scale_factors({128, 4, 8, 2, 2}));
  EXPECT_EQ(number(deep.size()), 2 * 128 * 4 * 2);
  EXPECT_EQ(base_place(deep, 0), base_place(deep, 1));
  EXPECT_EQ(base_place(deep, 128 * 4 * 2)[*Axis::find("TCol")], 16);
  EXPECT_EQ(injective({deep, {}}).outcome, Outcome::refuted);
}

// shows: L1.8
TEST(LayoutFactory, MeshAndScratchpad) {
  // 16 x 8 over a 2 x 2 mesh: rows over the first mesh dimension, columns over the second; then only rows, with copies.
  const std::vector<std::int64_t> shape = {16, 8}, mesh = {2, 2};
  const std::vector<std::optional<std::size_t>> both = {0, 1}, rows = {0, std::nullopt};
  const TileLayout cut = must(mesh_sharding(shape, mesh, both)), half = must(mesh_sharding(shape, mesh, rows));
  for (std::int64_t r = 0; r < 16; ++r)
    for (std::int64_t c = 0; c < 8; ++c) {
      const Place p = base_place(cut, 8 * r + c);
      EXPECT_EQ(p[*Axis::find("pid")], r / 8 * 2 + c / 4);
      EXPECT_EQ(p[Axis::memory()], r % 8 * 4 + c % 4);
      const std::vector<Place> copies = places(half, 8 * r + c);
      std::set<std::int64_t> devices;
      for (const Place& copy : copies) devices.insert(copy[*Axis::find("pid")]);
      EXPECT_EQ(devices, (std::set<std::int64_t>{r / 8 * 2, r / 8 * 2 + 1}));
    }
  const std::vector<std::int64_t> tall = {512, 64};
  const TileLayout pf = must(trainium("PF", tall));
  for (std::int64_t r = 0; r < 512; ++r)
    for (std::int64_t c = 0; c < 64; ++c) {
      const Place p = base_place(pf, 64 * r + c);
      EXPECT_EQ(p[*Axis::find("P")], r % 128);
      EXPECT_EQ(p[*Axis::find("F")], r / 128 * 64 + c);
    }
  const std::vector<std::int64_t> wide = {128, 2048};
  const TileLayout flat = must(trainium("PF", wide)), banks = must(to_psum(flat));
  for (std::int64_t c = 0; c < 2048; ++c) {
    EXPECT_EQ(base_place(banks, c)[*Axis::find("Bank")], c / 512);
    EXPECT_EQ(base_place(banks, c)[*Axis::find("F")], c % 512);
  }
}

// The address of (r, c) in a block of columns as wide as the swizzle.
TEST(LayoutFactory, SharedOperand) {
  for (int bits : {8, 16, 32})
    for (int bytes : {32, 64, 128}) {
      const std::int64_t width = bytes * 8 / bits;
      const std::vector<std::int64_t> shape = {16, 2 * width};
      const Layout l = must(mma_shared(bits, bytes, shape));
      for (std::int64_t r = 0; r < 16; ++r)
        for (std::int64_t c = 0; c < 2 * width; ++c) {
          const std::int64_t linear = c / width * 16 * width + r * width + c % width;
          // Bytes of the 16-byte chunk number, XORed by the upper bits: 128 bytes by 8 rows, 64 by 4, 32 by 2.
          const std::int64_t chunk = linear * bits / 8 / 16, swizzled = chunk ^ (chunk >> 3 & (bytes / 16 - 1));
          EXPECT_EQ(base_place(l, r * 2 * width + c)[Axis::memory()], swizzled * 16 * 8 / bits + linear % (128 / bits));
        }
    }
}

TEST(LayoutFactory, SizesThatTheHardwareDoesNotHaveAreErrors) {
  EXPECT_FALSE(mma_fragment(24, 16, MmaOperand::a));
  EXPECT_FALSE(mma_fragment(16, 12, MmaOperand::a));
  EXPECT_FALSE(wgmma_accumulator(12));
  EXPECT_FALSE(wgmma_accumulator(264));
  EXPECT_FALSE(wgmma_accumulator(0));
  EXPECT_FALSE(ldmatrix_fragment(3, false));
  EXPECT_FALSE(tmem_datapath("H", 64, 32));
  EXPECT_FALSE(tmem_datapath("B", 64, 31));
  EXPECT_FALSE(tmem_datapath("D", 128, 0));
  EXPECT_FALSE(tmem_datapath("D", 128, 32, 1));
  EXPECT_FALSE(tmem_operand("B", std::vector<std::int64_t>{128, 64}, 128, 1));
  EXPECT_FALSE(tmem_operand("A", std::vector<std::int64_t>{64, 64}, 64, 1));
  EXPECT_FALSE(scale_factor_atom(3));
  EXPECT_FALSE(scale_factors({100, 4, 8, 1, 1}));
  EXPECT_FALSE(scale_factors({128, 3, 8, 1, 1}));
  EXPECT_FALSE(trainium("PX", std::vector<std::int64_t>{8, 8}));
  EXPECT_FALSE(trainium("PF", std::vector<std::int64_t>{200, 8}));
  EXPECT_FALSE(trainium("PF", std::vector<std::int64_t>{std::int64_t{1} << 62, 8}));
  EXPECT_FALSE(to_psum(T("S[(3,500):(500@F,1@F)]")));
  EXPECT_FALSE(to_psum(T("S[512:1@F] + 1@F")));
  EXPECT_FALSE(mma_shared(16, 128, std::vector<std::int64_t>{8, 65}));
  EXPECT_FALSE(mma_shared(16, 128, std::vector<std::int64_t>{7, 64}));
  EXPECT_FALSE(mma_shared(16, 128, std::vector<std::int64_t>{64}));
  const std::vector<std::int64_t> shape = {16, 8}, mesh = {3};
  EXPECT_FALSE(mesh_sharding(shape, mesh, std::vector<std::optional<std::size_t>>{0, std::nullopt}));
  EXPECT_FALSE(mesh_sharding(shape, mesh, std::vector<std::optional<std::size_t>>{0, 0}));
}

TEST(LayoutFactory, ByName) {
  const auto message = [](std::string_view name, std::vector<Argument> arguments) {
    const Result<Layout> l = build(name, arguments);
    return l ? to_string(*l) : l.error();
  };
  EXPECT_EQ(
      message("tmem_datapath_layout", {{"datapath", {}, "F"}, {"rows", {64}, ""}, {"cols", {32}, ""}, {"sub_slab", {1}, ""}}),
      "S[(4,16,32):(32@TLane,1@TLane,1@TCol)] + 16@TLane");
  EXPECT_NE(message("mma", {}).find("there is no factory mma; there are mma_fragment"), std::string::npos);
  EXPECT_EQ(message("mma_fragment", {{"k", {16}, ""}}), "mma_fragment: the argument operand is missing");
  EXPECT_EQ(message("ldmatrix_rows", {{"matrices", {4}, ""}, {"x", {1}, ""}}), "ldmatrix_rows: there is no argument x");
  EXPECT_EQ(message("ldmatrix_rows", {{"matrices", {4, 4}, ""}}), "ldmatrix_rows: matrices is one number");
  EXPECT_EQ(message("ldmatrix_rows", {{"matrices", {4}, ""}, {"matrices", {4}, ""}}), "ldmatrix_rows: matrices is given twice");
}

}  // namespace
}  // namespace kir::layout
