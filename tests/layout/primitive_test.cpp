#include "core/layout/primitive.h"

#include <gtest/gtest.h>

#include "core/layout/factory.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

OperandUse operand(Space space, const char* dtype, std::vector<std::int64_t> shape, Layout layout) {
  return {space, dtype, std::move(shape), std::move(layout)};
}
OperandUse fragment(const char* dtype, std::vector<std::int64_t> shape, MmaOperand which) {
  return operand(Space::registers, dtype, std::move(shape), {must(mma_fragment(16, 16, which)), {}});
}
PrimitiveUse mma() {
  return {"gemm",
          Scope::warp,
          {fragment("f32", {16, 8}, MmaOperand::c), fragment("bf16", {16, 16}, MmaOperand::a),
           fragment("bf16", {16, 8}, MmaOperand::b)}};
}
std::string result(const PrimitiveUse& use) {
  const Result<const PrimitiveRow*> row = dispatch(use);
  return row ? std::string((*row)->name) : row.error();
}
void expect_miss(const PrimitiveUse& use, std::string_view nearest, std::string_view difference) {
  const std::string found = result(use);
  EXPECT_NE(found.find(fmt::format("the nearest is {}, but", nearest)), std::string::npos) << found;
  EXPECT_NE(found.find(difference), std::string::npos) << found;
}

// shows: L3.7
TEST(LayoutPrimitive, Dispatch) {
  EXPECT_EQ(result(mma()), "mma.m16n8k16");
  // The same map written in another way serves as well.
  PrimitiveUse use = mma();
  use.operands[0].layout = L("S[(2,8,8):(2@m,4@laneid,1@m)]");
  expect_miss(use, "mma.m16n8k16", "c has the layout S[(2,8,8):(2@m,4@laneid,1@m)], it wants S[(2,8,4,2):");
  use.operands[0].layout = L("S[(2,4,2,1,4,2):(2@m,8@laneid,4@laneid,9@m,1@laneid,1@m)]");
  EXPECT_EQ(result(use), "mma.m16n8k16");

  const Layout shared = must(mma_shared(16, 64, std::vector<std::int64_t>{64, 64}));
  const Layout accumulator = {must(wgmma_accumulator(64)), {}};
  PrimitiveUse wgmma{"gemm",
                     Scope::warpgroup,
                     {operand(Space::registers, "f32", {64, 64}, accumulator), operand(Space::shared, "f16", {64, 64}, shared),
                      operand(Space::shared, "f16", {64, 64}, shared)}};
  EXPECT_EQ(result(wgmma), "wgmma.m64nNk16");
  const OperandUse of_16 = operand(Space::registers, "f16", {64, 16}, {must(wgmma_a_fragment(16, 16)), {}});
  wgmma.operands[1] = of_16;
  expect_miss(wgmma, "wgmma.m64nNk16.register-a", "(64, 16) and (64, 64) are no operands of a product (64, 64)");
  wgmma.operands[2] = operand(Space::shared, "f16", {64, 16}, must(mma_shared(16, 32, std::vector<std::int64_t>{64, 16})));
  EXPECT_EQ(result(wgmma), "wgmma.m64nNk16.register-a");

  EXPECT_EQ(result({"copy",
                    Scope::warp,
                    {operand(Space::registers, "f16", {4, 8, 8}, {must(ldmatrix_fragment(4, true)), {}}),
                     operand(Space::shared, "f16", {4, 8, 8}, L("S[4,8,8]"))}}),
            "ldmatrix");
  EXPECT_EQ(result({"copy",
                    Scope::warpgroup,
                    {operand(Space::registers, "f32", {128, 224}, L("S[(128,224):(1@tid_in_wg,1@m)]")),
                     operand(Space::tensor_memory, "f32", {128, 224}, L("S[(128,224):(1@TLane,1@TCol)]"))}}),
            "tcgen05.ld.32x32b");
}

// shows: L3.3 L3.7
TEST(LayoutPrimitive, AMissSaysWhatDiffers) {
  PrimitiveUse use = mma();
  use.scope = Scope::warpgroup;
  expect_miss(use, "mma.m16n8k16", "the scope is warpgroup, it works for a warp");
  use = mma();
  use.operands[1].dtype = "f64";
  expect_miss(use, "mma.m16n8k16", "a is f64, it wants one of f16 bf16");
  use = mma();
  use.operands[2].space = Space::shared;
  expect_miss(use, "mma.m16n8k16", "b lies in shared, it wants registers");
  use = mma();
  use.operation = "convolve";
  expect_miss(use, "mma.m16n8k16", "the operation is convolve, it does gemm");
  use = mma();
  use.operands.pop_back();
  expect_miss(use, "mma.m16n8k16", "2 operands, it takes 3");
  // Rows by the thread of the block are not rows by the thread of the warpgroup.
  for (const char* axis : {"tid", "tx", "laneid"})
    expect_miss({"copy",
                 Scope::warpgroup,
                 {operand(Space::registers, "f32", {128, 32}, L(fmt::format("S[(128,32):(1@{},1@m)]", axis))),
                  operand(Space::tensor_memory, "f32", {128, 32}, L("S[(128,32):(1@TLane,1@TCol)]"))}},
                "tcgen05.ld.32x32b", "it wants S[(128,32):(1@tid_in_wg,1@m)]");
}

struct Call {
  const char* name;
  std::vector<std::pair<const char*, std::vector<std::int64_t>>> operands;  // type and shape
};
const std::vector<Call> kCalls = {
    {"mma.m16n8k16", {{"f32", {16, 8}}, {"bf16", {16, 16}}, {"bf16", {16, 8}}}},
    {"mma.m16n8k32", {{"s32", {16, 8}}, {"s8", {16, 32}}, {"u8", {32, 8}}}},
    {"mma.m16n8k8.tf32", {{"f32", {16, 8}}, {"tf32", {16, 8}}, {"tf32", {8, 8}}}},
    {"wgmma.m64nNk16", {{"f32", {64, 128}}, {"f16", {64, 64}}, {"f16", {128, 64}}}},
    {"wgmma.m64nNk16.register-a", {{"f16", {64, 64}}, {"f16", {64, 16}}, {"f16", {64, 16}}}},
    {"tcgen05.mma", {{"f32", {128, 256}}, {"bf16", {128, 64}}, {"bf16", {256, 64}}}},
    {"nc.matmul", {{"f32", {64, 512}}, {"bf16", {128, 64}}, {"bf16", {128, 512}}}},
    {"ldmatrix", {{"f16", {4, 8, 8}}, {"f16", {4, 8, 8}}}},
    {"tcgen05.ld.32x32b", {{"f32", {128, 32}}, {"f32", {128, 32}}}},
    {"cp.async.bulk.tensor", {{"bf16", {128, 64}}, {"bf16", {128, 64}}}},
};
PrimitiveUse use_of(const PrimitiveRow& row, const Call& call) {
  PrimitiveUse use{std::string(row.operation), row.scope, {}};
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    OperandUse o = operand(row.operands[i].space, call.operands.at(i).first, call.operands[i].second, {});
    o.layout = must(row.operands[i].wanted(o)).front();
    use.operands.push_back(std::move(o));
  }
  return use;
}

// shows: L3.7
TEST(LayoutPrimitive, EveryRowIsReachedByItsOwnLayouts) {
  ASSERT_EQ(primitives().size(), kCalls.size());
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    const PrimitiveRow& row = primitives()[i];
    ASSERT_EQ(row.name, kCalls[i].name);
    const PrimitiveUse use = use_of(row, kCalls[i]);
    EXPECT_EQ(result(use), row.name);
    // And not with any of them moved by one.
    for (std::size_t k = 0; k < use.operands.size(); ++k) {
      PrimitiveUse moved = use;
      TileLayout& t = moved.operands[k].layout.tile;
      t = must(TileLayout::make(t.shard(), t.replica(), {{t.shard().front().axis, 1}}));
      EXPECT_FALSE(dispatch(moved)) << row.name << " with operand " << k << " moved";
    }
  }
}

// Operands that are right one by one, and no operands of one call.
TEST(LayoutPrimitive, OperandsBelongTogether) {
  auto with = [](std::size_t row, std::size_t k, const char* dtype, std::vector<std::int64_t> shape) {
    Call call = kCalls[row];
    call.operands[k] = {dtype, std::move(shape)};
    return use_of(primitives()[row], call);
  };
  expect_miss(with(0, 2, "f16", {16, 8}), "mma.m16n8k16", "bf16 is not multiplied by f16");
  expect_miss(with(0, 0, "f16", {16, 8}), "mma.m16n8k16", "products of bf16 and bf16 are not summed in f16");
  expect_miss(with(1, 0, "f32", {16, 8}), "mma.m16n8k32", "products of s8 and u8 are not summed in f32");
  expect_miss(with(1, 1, "f8e4m3", {16, 32}), "mma.m16n8k32", "f8e4m3 is not multiplied by u8");
  expect_miss(with(3, 2, "f16", {128, 32}), "wgmma.m64nNk16", "are no operands of a product (64, 128) in steps of 16");
  expect_miss(with(5, 1, "bf16", {64, 64}), "tcgen05.mma", "(64, 64) and (256, 64) are no operands of a product (128, 256)");
  expect_miss(with(6, 1, "bf16", {64, 64}), "nc.matmul", "are no operands of a product (64, 512)");
  expect_miss(with(7, 1, "f16", {2, 8, 8}), "ldmatrix", "not one tile");
  expect_miss(with(8, 1, "s32", {128, 32}), "tcgen05.ld.32x32b", "converts");
  EXPECT_EQ(result(with(1, 1, "u8", {16, 32})), "mma.m16n8k32");
}

TEST(LayoutPrimitive, PermuteXorBits) {
  const std::vector<std::int64_t> shape = {4, 32};
  const TileLayout rows = T("S[(4,32):(32,1)]"), columns = T("S[(4,32):(1,4)]");
  EXPECT_EQ(must(permute_xor_bits(rows, columns, shape, 4, 4)), std::optional(2));
  EXPECT_EQ(must(permute_xor_bits(rows, columns, shape, 2, 4)), std::nullopt);
  EXPECT_EQ(must(permute_xor_bits(rows, rows, shape, 4, 4)), std::optional(0));
  EXPECT_FALSE(permute_xor_bits(rows, columns, shape, 4, 3));
  EXPECT_FALSE(permute_xor_bits(rows, T("S[(4,32):(1@laneid,4)]"), shape, 4, 4));
  EXPECT_FALSE(permute_xor_bits(rows, columns, std::vector<std::int64_t>{64}, 4, 4));
  EXPECT_FALSE(permute_xor_bits(rows, T("S[(4,32):(1,-4)]"), shape, 4, 4));
}

}  // namespace
}  // namespace kir::layout
