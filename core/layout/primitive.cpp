#include "core/layout/primitive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/layout/decide.h"
#include "core/layout/factory.h"
#include "core/layout/text.h"

namespace kir::layout {
namespace {

using Wanted = Result<std::vector<Layout>>;

Wanted one(Result<TileLayout> tile) {
  if (!tile) return Error(tile.error());
  return std::vector<Layout>{Layout{*tile, {}}};
}

int bits_of(std::string_view dtype) {
  int bits = 0;
  for (char c : dtype.substr(0, dtype.find('e')))  // "f8e4m3": 8
    if (c >= '0' && c <= '9') bits = bits * 10 + (c - '0');
  return dtype == "tf32" ? 32 : bits;
}

Wanted need_shape(const OperandUse& o, std::vector<std::int64_t> shape, Result<TileLayout> tile) {
  if (o.shape != shape)
    return Error(fmt::format("its shape is ({}), not ({})", fmt::join(shape, ", "), fmt::join(o.shape, ", ")));
  return one(std::move(tile));
}

// Fragments of mma.m16n8k<256 / bits>: k is 8 runs of 32 bits.
std::int64_t mma_k(const OperandUse& o) { return 256 / std::max(bits_of(o.dtype), 1); }
Wanted mma_a(const OperandUse& o) {
  return need_shape(o, {16, mma_k(o)}, mma_fragment(mma_k(o), bits_of(o.dtype), MmaOperand::a));
}
Wanted mma_b(const OperandUse& o) {
  return need_shape(o, {mma_k(o), 8}, mma_fragment(mma_k(o), bits_of(o.dtype), MmaOperand::b));
}
Wanted mma_c(const OperandUse& o) { return need_shape(o, {16, 8}, mma_fragment(16, 16, MmaOperand::c)); }

// Operands of the tensor cores in shared memory, in any of the swizzle modes that the shape has room for.
Wanted shared_operand(const OperandUse& o) {
  std::vector<Layout> out;
  std::string why;
  for (int bytes : {128, 64, 32})
    if (Result<Layout> l = mma_shared(bits_of(o.dtype), bytes, o.shape))
      out.push_back(std::move(*l));
    else
      why = l.error();
  if (out.empty()) return Error(why);
  return out;
}

Wanted wgmma_c(const OperandUse& o) {
  if (o.shape.size() != 2 || o.shape[0] != 64) return Error("its shape is (64, n)");
  return one(wgmma_accumulator(o.shape[1]));
}
Wanted wgmma_a(const OperandUse& o) {
  if (o.shape.size() != 2 || o.shape[0] != 64) return Error("its shape is (64, k)");
  return one(wgmma_a_fragment(o.shape[1], bits_of(o.dtype)));
}
Wanted tmem_d(const OperandUse& o) {
  if (o.shape.size() != 2) return Error("it has two dimensions");
  return one(tmem_operand("D", o.shape, o.shape[0], 1));
}
Wanted tmem_rows(const OperandUse& o) {
  if (o.shape.size() != 2 || o.shape[0] != 128) return Error("its shape is (128, columns)");
  return one(tmem_datapath("D", 128, o.shape[1]));
}
// A thread of a warpgroup owns a row.
Wanted row_of_thread(const OperandUse& o) {
  if (o.shape.size() != 2 || o.shape[0] != 128) return Error("its shape is (128, columns)");
  return one(TileLayout::make({{128, 1, *Axis::find("tid_in_wg")}, {o.shape[1], 1, Axis::memory()}}));
}
Wanted ldmatrix(const OperandUse& o) {
  if (o.shape.size() != 3 || o.shape[1] != 8 || o.shape[2] != 8) return Error("its shape is (matrices, 8, 8)");
  std::vector<Layout> out;
  for (bool transposed : {false, true}) {
    const Result<TileLayout> l = ldmatrix_fragment(o.shape[0], transposed);
    if (!l) return Error(l.error());
    out.push_back({*l, {}});
  }
  return out;
}
Wanted row_major(const OperandUse& o) {
  std::vector<Iter> iters(o.shape.size());
  Size stride = 1;
  for (std::size_t d = o.shape.size(); d-- > 0; stride = stride * o.shape[d]) iters[d] = {o.shape[d], stride, Axis::memory()};
  return one(TileLayout::make(std::move(iters)));
}
Wanted partitions(const OperandUse& o) {
  if (o.shape.size() != 2) return Error("it has two dimensions");
  return one(trainium("PF", o.shape));
}
Wanted psum(const OperandUse& o) {
  if (o.shape.size() != 2) return Error("it has two dimensions");
  const Result<TileLayout> l = trainium("PF", o.shape);
  if (!l) return Error(l.error());
  return one(to_psum(*l));
}

// ---- How the operands of a call belong together: "" where they do.

std::string shape_text(const OperandUse& o) { return fmt::format("({})", fmt::join(o.shape, ", ")); }

std::string same_tile(const PrimitiveUse& use) {
  const OperandUse &to = use.operands[0], &from = use.operands[1];
  if (to.dtype != from.dtype) return fmt::format("a copy of {} to {} converts, which no copy does", from.dtype, to.dtype);
  if (to.shape != from.shape) return fmt::format("{} elements go to {}: not one tile", shape_text(from), shape_text(to));
  return {};
}

// Which products of types the hardware forms, and in what it sums them.
std::string types_multiply(const PrimitiveUse& use) {
  const std::string &d = use.operands[0].dtype, &a = use.operands[1].dtype, &b = use.operands[2].dtype;
  const bool integers = a[0] == 's' || a[0] == 'u', bytes = a.starts_with("f8");
  const bool of_a_kind = a == b || (integers && (b[0] == 's' || b[0] == 'u')) || (bytes && b.starts_with("f8"));
  if (!of_a_kind) return fmt::format("{} is not multiplied by {}", a, b);
  if (integers != (d == "s32") || (d == "f16" && a != "f16"))
    return fmt::format("products of {} and {} are not summed in {}", a, b, d);
  return {};
}

// Whether the dimension that is summed over is an operand's last, its first, or either.
enum class Summed : std::uint8_t { last, first, either };

std::vector<std::int64_t> summed_extents(const OperandUse& o, std::int64_t kept, Summed summed) {
  std::vector<std::int64_t> out;
  if (o.shape.size() != 2) return out;
  if (summed != Summed::first && o.shape[0] == kept) out.push_back(o.shape[1]);
  if (summed != Summed::last && o.shape[1] == kept) out.push_back(o.shape[0]);
  return out;
}

// d (m, n) is the sum over k of a, over m and k, times b, over k and n.
template <Summed kOfA, Summed kOfB, std::int64_t kStep>
std::string contraction(const PrimitiveUse& use) {
  const OperandUse &d = use.operands[0], &a = use.operands[1], &b = use.operands[2];
  if (std::string why = types_multiply(use); !why.empty()) return why;
  for (std::int64_t k : summed_extents(a, d.shape[0], kOfA))
    for (std::int64_t other : summed_extents(b, d.shape[1], kOfB))
      if (k == other && k % kStep == 0) return {};
  return fmt::format("{} and {} are no operands of a product {}{}", shape_text(a), shape_text(b), shape_text(d),
                     kStep > 1 ? fmt::format(" in steps of {}", kStep) : "");
}

constexpr std::string_view kHalf = "f16 bf16", kByte = "s8 u8 f8e4m3 f8e5m2";

constexpr OperandRow kMmaHalf[] = {{"c", Space::registers, "f32 f16", "mma fragment of (16, 8)", mma_c},
                                   {"a", Space::registers, kHalf, "mma fragment of (16, 16)", mma_a},
                                   {"b", Space::registers, kHalf, "mma fragment of (16, 8)", mma_b}};
constexpr OperandRow kMmaByte[] = {{"c", Space::registers, "s32 f32", "mma fragment of (16, 8)", mma_c},
                                   {"a", Space::registers, kByte, "mma fragment of (16, 32)", mma_a},
                                   {"b", Space::registers, kByte, "mma fragment of (32, 8)", mma_b}};
constexpr OperandRow kMmaTf32[] = {{"c", Space::registers, "f32", "mma fragment of (16, 8)", mma_c},
                                   {"a", Space::registers, "tf32", "mma fragment of (16, 8)", mma_a},
                                   {"b", Space::registers, "tf32", "mma fragment of (8, 8)", mma_b}};
constexpr OperandRow kWgmmaShared[] = {{"d", Space::registers, "f32 f16", "wgmma accumulator (64, n)", wgmma_c},
                                       {"a", Space::shared, kHalf, "swizzled operand, 32B, 64B or 128B", shared_operand},
                                       {"b", Space::shared, kHalf, "swizzled operand, 32B, 64B or 128B", shared_operand}};
constexpr OperandRow kWgmmaRegister[] = {{"d", Space::registers, "f32 f16", "wgmma accumulator (64, n)", wgmma_c},
                                         {"a", Space::registers, kHalf, "wgmma fragment (64, 16)", wgmma_a},
                                         {"b", Space::shared, kHalf, "swizzled operand, 32B, 64B or 128B", shared_operand}};
constexpr OperandRow kTcgen[] = {{"d", Space::tensor_memory, "f32 f16", "data path D (128 rows) or F (64 rows)", tmem_d},
                                 {"a", Space::shared, kHalf, "swizzled operand, 32B, 64B or 128B", shared_operand},
                                 {"b", Space::shared, kHalf, "swizzled operand, 32B, 64B or 128B", shared_operand}};
constexpr OperandRow kTrnMatmul[] = {{"d", Space::accumulator_banks, "f32", "P and banks of 512", psum},
                                     {"a", Space::scratchpad, "f32 bf16 f16", "partition and free", partitions},
                                     {"b", Space::scratchpad, "f32 bf16 f16", "partition and free", partitions}};
constexpr OperandRow kLdmatrix[] = {{"destination", Space::registers, kHalf, "ldmatrix fragment (matrices, 8, 8)", ldmatrix},
                                    {"source", Space::shared, kHalf, "row-major", row_major}};
constexpr OperandRow kTcgenLoad[] = {
    {"destination", Space::registers, "f32 s32 u32", "row r in thread r of the warpgroup", row_of_thread},
    {"source", Space::tensor_memory, "f32 s32 u32", "data path D (128 rows)", tmem_rows}};
constexpr OperandRow kTma[] = {
    {"destination", Space::shared, "f16 bf16 f32 s8 u8 f8e4m3 f8e5m2", "swizzled operand, 32B, 64B or 128B", shared_operand},
    {"source", Space::global, "f16 bf16 f32 s8 u8 f8e4m3 f8e5m2", "row-major", row_major}};

constexpr PrimitiveRow kPrimitives[] = {
    {"mma.m16n8k16", "gemm", Scope::warp, kMmaHalf, contraction<Summed::last, Summed::first, 1>},
    {"mma.m16n8k32", "gemm", Scope::warp, kMmaByte, contraction<Summed::last, Summed::first, 1>},
    {"mma.m16n8k8.tf32", "gemm", Scope::warp, kMmaTf32, contraction<Summed::last, Summed::first, 1>},
    {"wgmma.m64nNk16", "gemm", Scope::warpgroup, kWgmmaShared, contraction<Summed::either, Summed::either, 16>},
    {"wgmma.m64nNk16.register-a", "gemm", Scope::warpgroup, kWgmmaRegister, contraction<Summed::last, Summed::either, 16>},
    {"tcgen05.mma", "gemm", Scope::cta, kTcgen, contraction<Summed::either, Summed::either, 16>},
    {"nc.matmul", "gemm", Scope::kernel, kTrnMatmul, contraction<Summed::first, Summed::first, 1>},
    {"ldmatrix", "copy", Scope::warp, kLdmatrix, same_tile},
    {"tcgen05.ld.32x32b", "copy", Scope::warpgroup, kTcgenLoad, same_tile},
    {"cp.async.bulk.tensor", "copy", Scope::cta, kTma, same_tile},
};

bool lists(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// What keeps an operand from being one of the row's: nothing when it fits.
std::vector<std::string> misfits(const OperandUse& o, const OperandRow& row) {
  std::vector<std::string> out;
  if (o.space != row.space)
    out.push_back(fmt::format("{} lies in {}, it wants {}", row.name, name_of(o.space), name_of(row.space)));
  if (!lists(row.dtypes, o.dtype)) out.push_back(fmt::format("{} is {}, it wants one of {}", row.name, o.dtype, row.dtypes));
  if (!out.empty()) return out;  // the layout depends on both
  const Wanted wanted = row.wanted(o);
  if (!wanted) {
    out.push_back(fmt::format("{}: {}", row.name, wanted.error()));
    return out;
  }
  for (const Layout& l : *wanted)
    if (equal(o.layout, l).outcome == Outcome::proved) return out;
  out.push_back(fmt::format("{} has the layout {}, it wants {}{}", row.name, to_string(o.layout), to_string(wanted->front()),
                            wanted->size() > 1 ? fmt::format(" or {} others ({})", wanted->size() - 1, row.layout) : ""));
  return out;
}

// Each difference weighs by how much of the row it puts in question.
struct Miss {
  int weight = 0;
  std::vector<std::string> differences;
};

Miss compare(const PrimitiveUse& use, const PrimitiveRow& row) {
  Miss miss;
  auto differs = [&](int weight, std::string text) {
    miss.weight += weight;
    miss.differences.push_back(std::move(text));
  };
  if (use.operation != row.operation)
    differs(100, fmt::format("the operation is {}, it does {}", use.operation, row.operation));
  if (use.scope != row.scope)
    differs(10, fmt::format("the scope is {}, it works for a {}", name_of(use.scope), name_of(row.scope)));
  if (use.operands.size() != row.operands.size())
    differs(50, fmt::format("{} operands, it takes {}", use.operands.size(), row.operands.size()));
  for (std::size_t i = 0; i < std::min(use.operands.size(), row.operands.size()); ++i)
    for (std::string& text : misfits(use.operands[i], row.operands[i])) differs(4, std::move(text));
  if (miss.differences.empty())
    if (std::string text = row.agree(use); !text.empty()) differs(2, std::move(text));
  return miss;
}

}  // namespace

std::string_view name_of(Space s) {
  switch (s) {
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::registers: return "registers";
    case Space::tensor_memory: return "tensor-memory";
    case Space::scratchpad: return "scratchpad";
    case Space::accumulator_banks: return "accumulator-banks";
  }
  KIR_UNREACHABLE("no such space");
}

std::optional<Space> space_of(std::string_view name) {
  for (Space s :
       {Space::global, Space::shared, Space::registers, Space::tensor_memory, Space::scratchpad, Space::accumulator_banks})
    if (name_of(s) == name) return s;
  return std::nullopt;
}

std::span<const PrimitiveRow> primitives() { return kPrimitives; }

Result<const PrimitiveRow*> dispatch(const PrimitiveUse& use) {
  const PrimitiveRow* nearest = nullptr;
  Miss least;
  for (const PrimitiveRow& row : kPrimitives) {
    Miss miss = compare(use, row);
    if (miss.differences.empty()) return &row;
    if (nearest && miss.weight >= least.weight) continue;
    nearest = &row;
    least = std::move(miss);
  }
  return Error(
      fmt::format("no primitive does this; the nearest is {}, but {}", nearest->name, fmt::join(least.differences, "; ")));
}

Result<std::optional<int>> permute_xor_bits(const TileLayout& source, const TileLayout& destination,
                                            std::span<const std::int64_t> shape, std::int64_t dtype_bytes,
                                            std::int64_t per_lane) {
  constexpr std::int64_t kLanes = 32;
  constexpr int kLaneBits = 5;
  constexpr std::int64_t kFurthest = std::int64_t{1} << 32;
  const Shape sizes(shape.begin(), shape.end());
  if (per_lane < 1 || per_lane > kLanes || (per_lane & (per_lane - 1)) != 0)
    return Error(fmt::format("{} elements a lane: they are a power of two up to 32", per_lane));
  if (dtype_bytes < 1 || dtype_bytes > 16 || (dtype_bytes & (dtype_bytes - 1)) != 0)
    return Error(fmt::format("elements of {} bytes: they are of 1, 2, 4, 8 or 16", dtype_bytes));
  for (const TileLayout* l : {&source, &destination}) {
    if (!l->is_constant() || l->axes() != std::vector<Axis>{Axis::memory()} || !l->replica().empty())
      return Error(fmt::format("{} is no placement on axis m alone", to_string(*l)));
    if (!admits(*l, sizes) || !l->size().is(kLanes * per_lane))
      return Error(fmt::format("{} has not the tile's 32 * {} elements", to_string(*l), per_lane));
    const TileLayout::Reach reach = l->reach(Axis::memory());
    if (reach.low < 0 || reach.high > kFurthest) return Error(fmt::format("{} lies outside of shared memory", to_string(*l)));
  }
  auto free_of_conflicts = [&](const TileLayout& l, int bits) {
    for (std::int64_t slot = 0; slot < per_lane; ++slot) {
      std::set<std::int64_t> banks;
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const std::int64_t j = slot ^ (bits == 0 ? 0 : lane >> (kLaneBits - bits));
        banks.insert(bank_of(base_place(l, lane + j * kLanes)[Axis::memory()], static_cast<int>(8 * dtype_bytes)).bank);
      }
      if (banks.size() != kLanes) return false;
    }
    return true;
  };
  for (int bits = 0; (std::int64_t{1} << bits) <= per_lane; ++bits)
    if (free_of_conflicts(source, bits) && free_of_conflicts(destination, bits)) return std::optional<int>(bits);
  return std::optional<int>();
}

}  // namespace kir::layout
