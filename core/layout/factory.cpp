#include "core/layout/factory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "core/base/check.h"

namespace kir::layout {
namespace {

Axis on(std::string_view name) {
  std::optional<Axis> axis = Axis::find(name);
  KIR_CHECK(axis.has_value(), "the axis table has no {}", name);
  return *axis;
}

Axis m() { return Axis::memory(); }

template <class... Args>
Error wrong(fmt::format_string<Args...> text, Args&&... args) {
  return Error(fmt::format(text, std::forward<Args>(args)...));
}

// Extents at least 1 whose product fits 63 bits.
Result<std::int64_t> total_of(std::span<const std::int64_t> shape) {
  std::int64_t total = 1;
  for (std::int64_t e : shape) {
    if (e < 1) return wrong("the extent {} is less than 1", e);
    if (__builtin_mul_overflow(total, e, &total)) return wrong("the shape has more than 2^63 - 1 elements");
  }
  return total;
}

// Row-major iters of these extents on one axis.
void append_row_major(std::vector<Iter>& out, std::span<const std::int64_t> extents, std::int64_t unit, Axis axis) {
  Size stride = unit;
  std::vector<Iter> iters(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    iters[d] = {extents[d], stride, axis};
    stride = stride * extents[d];
  }
  out.insert(out.end(), iters.begin(), iters.end());
}

Result<std::int64_t> neighbours_of(int bits) {
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 32)
    return wrong("multiplicands of {} bits: the fragments are of 1, 4, 8, 16 or 32 bits", bits);
  return 32 / bits;
}

// Runs of k that a lane holds: `e` neighbours, four lanes side by side, once or twice.
Result<std::int64_t> runs_of(std::int64_t k, std::int64_t e) {
  if (k != 4 * e && k != 8 * e) return wrong("k = {}: with {} bits it is {} or {}", k, 32 / e, 4 * e, 8 * e);
  return k / (4 * e);
}

// The rows of a fragment with 16 rows a warp: 8 over the lanes, twice in registers.
std::vector<Iter> a_iters(std::int64_t runs, std::int64_t e) {
  return {{2, e, m()}, {8, 4, on("laneid")}, {runs, 2 * e, m()}, {4, 1, on("laneid")}, {e, 1, m()}};
}

}  // namespace

Result<TileLayout> mma_fragment(std::int64_t k, int bits, MmaOperand operand) {
  const Result<std::int64_t> e = neighbours_of(bits);
  if (!e) return Error(e.error());
  const Result<std::int64_t> runs = runs_of(k, *e);
  if (!runs) return Error(runs.error());
  switch (operand) {
    case MmaOperand::a: return TileLayout::make(a_iters(*runs, *e));
    case MmaOperand::b: return TileLayout::make({{*runs, *e, m()}, {4, 1, on("laneid")}, {*e, 1, m()}, {8, 4, on("laneid")}});
    case MmaOperand::c: return TileLayout::make({{2, 2, m()}, {8, 4, on("laneid")}, {4, 1, on("laneid")}, {2, 1, m()}});
  }
  KIR_UNREACHABLE("no such operand");
}

Result<TileLayout> wgmma_accumulator(std::int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0) return wrong("n = {}: it is a multiple of 8 from 8 to 256", n);
  return TileLayout::make(
      {{4, 1, on("wid_in_wg")}, {2, 2, m()}, {8, 4, on("laneid")}, {n / 8, 4, m()}, {4, 1, on("laneid")}, {2, 1, m()}});
}

Result<TileLayout> wgmma_a_fragment(std::int64_t k, int bits) {
  const Result<std::int64_t> e = neighbours_of(bits);
  if (!e) return Error(e.error());
  if (k != 8 * *e) return wrong("k = {}: with {} bits it is {}", k, bits, 8 * *e);
  std::vector<Iter> iters = a_iters(2, *e);
  iters.insert(iters.begin(), {4, 1, on("wid_in_wg")});
  return TileLayout::make(std::move(iters));
}

Result<TileLayout> ldmatrix_fragment(std::int64_t matrices, bool transposed) {
  if (matrices != 1 && matrices != 2 && matrices != 4) return wrong("ldmatrix loads 1, 2 or 4 matrices, not {}", matrices);
  const Iter register_of{matrices, 2, m()}, group{8, 4, on("laneid")}, in_group{4, 1, on("laneid")}, half{2, 1, m()};
  if (transposed) return TileLayout::make({register_of, in_group, half, group});
  return TileLayout::make({register_of, group, in_group, half});
}

Result<TileLayout> ldmatrix_rows(std::int64_t matrices) {
  if (matrices != 1 && matrices != 2 && matrices != 4) return wrong("ldmatrix loads 1, 2 or 4 matrices, not {}", matrices);
  return TileLayout::make({{matrices, 8, on("laneid")}, {8, 1, on("laneid")}});
}

Result<Layout> mma_shared(int dtype_bits, int swizzle_bytes, std::span<const std::int64_t> shape) {
  const Result<Swizzle> swizzle = swizzle_of(dtype_bits, swizzle_bytes);
  if (!swizzle) return Error(swizzle.error());
  if (shape.size() < 2) return wrong("an operand has at least two dimensions, this has {}", shape.size());
  if (const Result<std::int64_t> total = total_of(shape); !total) return Error(total.error());
  const std::int64_t width = std::int64_t{swizzle_bytes} * 8 / dtype_bits, rows = shape[shape.size() - 2],
                     columns = shape.back();
  if (rows % 8 != 0) return wrong("{} rows: the swizzle repeats every 8, so they are a multiple of 8", rows);
  if (columns % width != 0)
    return wrong("{} columns: {} bytes are {} elements of {} bits, so they are a multiple of {}", columns, swizzle_bytes, width,
                 dtype_bits, width);
  std::vector<Iter> iters;
  append_row_major(iters, shape.first(shape.size() - 2), rows * columns, m());
  iters.push_back({rows, width, m()});
  iters.push_back({columns / width, rows * width, m()});
  iters.push_back({width, 1, m()});
  const Result<TileLayout> tile = TileLayout::make(std::move(iters));
  if (!tile) return Error(tile.error());
  return compose(*swizzle, *tile);
}

namespace {

struct Datapath {
  std::int64_t rows, folds;  // folds: parts of the columns that lie in lanes of their own
  bool scattered;            // 16 rows to a warp's 32 lanes
};

std::optional<Datapath> datapath_of(std::string_view letter) {
  if (letter == "A" || letter == "D") return Datapath{128, 1, false};
  if (letter == "B" || letter == "E") return Datapath{64, 2, false};
  if (letter == "C" || letter == "F") return Datapath{64, 1, true};
  if (letter == "G") return Datapath{32, 4, false};
  return std::nullopt;
}

Result<TileLayout> folded(const Datapath& d, std::int64_t columns, std::span<const std::int64_t> group) {
  std::int64_t outer = 1, inner = columns / d.folds;
  if (!group.empty()) {
    if (group.size() != 3 || group[1] != d.folds)
      return wrong("group is (outer, {}, inner), with {} parts of the columns in lanes of their own", d.folds, d.folds);
    if (total_of(group).value_or(0) != columns) return wrong("group has not the {} columns", columns);
    outer = group[0];
    inner = group[2];
  }
  std::vector<Iter> iters = {{d.rows, 1, on("TLane")}};
  if (outer > 1) iters.push_back({outer, inner, on("TCol")});
  iters.push_back({d.folds, d.rows, on("TLane")});
  iters.push_back({inner, 1, on("TCol")});
  return TileLayout::make(std::move(iters));
}

Result<TileLayout> datapath_layout(std::string_view letter, std::int64_t rows, std::int64_t columns, std::int64_t sub_slab,
                                   std::span<const std::int64_t> group) {
  const std::optional<Datapath> d = datapath_of(letter);
  if (!d) return wrong("unknown datapath {}: they are A to G", letter);
  if (rows != d->rows) return wrong("datapath {} has {} rows, not {}", letter, d->rows, rows);
  if (columns < 1) return wrong("{} columns", columns);
  if (columns % d->folds != 0)
    return wrong("datapath {} keeps its columns in {} parts, so {} is not a number of them", letter, d->folds, columns);
  if (sub_slab != 0 && !(d->scattered && sub_slab == 1))
    return wrong("sub_slab {}: {}", sub_slab, d->scattered ? "0 or 1" : "only datapaths C and F use half of a warp's lanes");
  if (!group.empty() && d->folds == 1) return wrong("datapath {} keeps its columns together: it takes no group", letter);
  if (d->folds > 1) return folded(*d, columns, group);
  if (d->scattered)
    return TileLayout::make({{4, 32, on("TLane")}, {16, 1, on("TLane")}, {columns, 1, on("TCol")}}, {},
                            {{on("TLane"), 16 * sub_slab}});
  return TileLayout::make({{rows, 1, on("TLane")}, {columns, 1, on("TCol")}});
}

}  // namespace

Result<TileLayout> tmem_datapath(std::string_view letter, std::int64_t rows, std::int64_t columns, std::int64_t sub_slab) {
  return datapath_layout(letter, rows, columns, sub_slab, {});
}

Result<TileLayout> tmem_operand(std::string_view operand, std::span<const std::int64_t> shape, std::int64_t m,
                                std::int64_t cta_group, bool ws, std::span<const std::int64_t> group) {
  if (operand != "A" && operand != "D") return wrong("operand {}: A and D can lie in tensor memory", operand);
  if (cta_group != 1 && cta_group != 2) return wrong("cta_group {}: 1 or 2", cta_group);
  if (ws && !(cta_group == 1 && (m == 64 || m == 32))) return wrong("ws needs M = 64 (or 32) and cta_group 1");
  if (shape.size() != 2) return wrong("the data path layout needs two dimensions, the shape has {}", shape.size());
  std::string_view letter;
  if (cta_group == 2)
    letter = m == 256 ? "A" : m == 128 ? "B" : "";
  else
    letter = m == 128 ? "D" : m == 64 ? (ws ? "E" : "F") : m == 32 && ws ? "G" : "";
  if (letter.empty()) return wrong("M = {} with cta_group {} has no data path", m, cta_group);
  if (operand == "A" && datapath_of(letter)->rows != 128)
    return wrong("operand A in tensor memory has a lane for each of 128 rows");
  return datapath_layout(letter, shape[0], shape[1], 0, group);
}

Result<TileLayout> scale_factor_atom(std::int64_t per_mma) {
  if (per_mma != 1 && per_mma != 2 && per_mma != 4)
    return wrong("a multiplication uses 1, 2 or 4 factors a row, not {}", per_mma);
  return TileLayout::make({{32, 1, on("TLane")}, {per_mma, 1, on("TCol")}}, {{4, 32, on("TLane")}});
}

Result<TileLayout> scale_factors(const ScaleFactors& s) {
  if (s.bits != 8 && s.bits != 16 && s.bits != 32) return wrong("factors of {} bits: they are of 8, 16 or 32", s.bits);
  const std::int64_t cell = 32 / s.bits, groups = s.rows / 32;
  if (s.rows < 32 || s.rows % 32 != 0) return wrong("{} rows: they are a multiple of 32", s.rows);
  if (s.factors < 1 || s.factors % cell != 0)
    return wrong("{} factors a row: a 32-bit cell holds {} of {} bits, so they are a multiple of {}", s.factors, cell, s.bits,
                 cell);
  if (s.reuse < 1 || s.stages < 1) return wrong("reuse and stages are at least 1");
  const Size stage = Size(s.rows) * s.factors;
  if (!(stage * s.stages).ok()) return wrong("more than 2^63 - 1 factors");
  std::vector<Iter> iters;
  if (s.stages > 1) iters.push_back({s.stages, Size(groups) * s.factors, on("TCol")});
  iters.push_back({groups, cell, on("TCol")});
  iters.push_back({32, 1, on("TLane")});
  iters.push_back({s.factors / cell, groups * cell, on("TCol")});
  iters.push_back({cell, 1, on("TCol")});
  if (s.reuse > 1) iters.push_back({s.reuse, 0, on("TCol")});
  return TileLayout::make(std::move(iters), {{4, 32, on("TLane")}});
}

Result<TileLayout> trainium(std::string_view letters, std::span<const std::int64_t> shape) {
  constexpr std::int64_t kPartitions = 128;
  if (letters.size() != shape.size()) return wrong("{} letters for {} dimensions", letters.size(), shape.size());
  if (const Result<std::int64_t> total = total_of(shape); !total) return Error(total.error());
  std::int64_t partitions = 1, free = 1, partition_dims = 0;
  for (std::size_t d = 0; d < letters.size(); ++d) {
    if (letters[d] != 'P' && letters[d] != 'F') return wrong("{} in {}: only the letters P and F", letters[d], letters);
    (letters[d] == 'P' ? partitions : free) *= shape[d];
    partition_dims += letters[d] == 'P';
  }
  if (partitions > kPartitions && partition_dims > 1)
    return wrong("several P extents multiply to at most 128, these to {}", partitions);
  if (partitions > kPartitions && partitions % kPartitions != 0)
    return wrong("P = {}: more than 128 partitions come in whole multiples of 128", partitions);
  std::vector<Iter> iters;
  std::int64_t p = partitions, f = free;
  for (std::size_t d = 0; d < letters.size(); ++d) {
    if (letters[d] == 'F') {
      f /= shape[d];
      iters.push_back({shape[d], f, on("F")});
    } else if (shape[d] > kPartitions) {
      iters.push_back({shape[d] / kPartitions, free, on("F")});
      iters.push_back({kPartitions, 1, on("P")});
    } else {
      p /= shape[d];
      iters.push_back({shape[d], p, on("P")});
    }
  }
  return TileLayout::make(std::move(iters));
}

bool is_trainium(const TileLayout& l) {
  for (const Iter& i : l.shard())
    if (i.axis.is_memory() && i.axis != on("P") && i.axis != on("F") && i.axis != on("Bank")) return false;
  return true;
}

namespace {

constexpr std::int64_t kBankElements = 512;

// An iter on F as one on Bank and one on F. Errors: its steps do not meet the edges of banks.
Result<std::vector<Iter>> bank_iters(const Iter& i) {
  const std::optional<std::int64_t> extent = i.extent.constant(), stride = i.stride.constant();
  if (!extent || !stride)
    return wrong("{} is not known: the banks of a symbolic position are not", extent ? "a stride" : "an extent");
  if (*extent == 1 || *stride == 0) return std::vector<Iter>{i};
  if (*stride < 0) return wrong("the stride {} on F runs backwards", *stride);
  if (*stride % kBankElements == 0) return std::vector<Iter>{{*extent, *stride / kBankElements, on("Bank")}};
  if (kBankElements % *stride != 0) return wrong("the stride {} on F does not divide a bank of {}", *stride, kBankElements);
  const std::int64_t inside = kBankElements / *stride;
  if (*extent <= inside) return std::vector<Iter>{i};
  if (*extent % inside != 0) return wrong("{} steps of {} on F end inside a bank", *extent, *stride);
  return std::vector<Iter>{{*extent / inside, 1, on("Bank")}, {inside, *stride, on("F")}};
}

}  // namespace

Result<TileLayout> to_psum(const TileLayout& l) {
  std::vector<Iter> parts[2];
  for (int part = 0; part < 2; ++part)
    for (const Iter& i : part == 0 ? l.shard() : l.replica()) {
      if (i.axis != on("F")) {
        parts[part].push_back(i);
        continue;
      }
      const Result<std::vector<Iter>> cut = bank_iters(i);
      if (!cut) return Error(cut.error());
      parts[part].insert(parts[part].end(), cut->begin(), cut->end());
    }
  std::vector<Offset> offset;
  std::int64_t reach = 0;  // inside a bank: what lies beyond would carry into the next
  for (const Offset& o : l.offset()) {
    if (o.axis != on("F")) {
      offset.push_back(o);
      continue;
    }
    const std::optional<std::int64_t> value = o.value.constant();
    if (!value || *value < 0) return wrong("the offset {} on F is no position", o.value.text());
    offset.push_back({on("Bank"), *value / kBankElements});
    offset.push_back({on("F"), *value % kBankElements});
    reach = *value % kBankElements;
  }
  for (const std::vector<Iter>& part : parts)
    for (const Iter& i : part)
      if (i.axis == on("F")) reach += (*i.extent.constant() - 1) * *i.stride.constant();
  if (reach >= kBankElements) return wrong("positions inside a bank reach {}, beyond its {} elements", reach, kBankElements);
  return TileLayout::make(std::move(parts[0]), std::move(parts[1]), std::move(offset));
}

Result<TileLayout> mesh_sharding(std::span<const std::int64_t> shape, std::span<const std::int64_t> mesh,
                                 std::span<const std::optional<std::size_t>> cut) {
  if (cut.size() != shape.size()) return wrong("{} cuts for {} dimensions", cut.size(), shape.size());
  for (std::span<const std::int64_t> s : {shape, mesh})
    if (const Result<std::int64_t> total = total_of(s); !total) return Error(total.error());
  std::vector<Iter> devices;
  append_row_major(devices, mesh, 1, on("pid"));
  std::vector<bool> used(mesh.size(), false);
  std::vector<std::int64_t> local(shape.begin(), shape.end());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!cut[d]) continue;
    if (*cut[d] >= mesh.size()) return wrong("the mesh has no dimension {}", *cut[d]);
    if (used[*cut[d]]) return wrong("mesh dimension {} cuts two dimensions", *cut[d]);
    used[*cut[d]] = true;
    if (shape[d] % mesh[*cut[d]] != 0) return wrong("{} devices do not divide the extent {}", mesh[*cut[d]], shape[d]);
    local[d] /= mesh[*cut[d]];
  }
  std::vector<Iter> inside, shard, replica;
  append_row_major(inside, local, 1, m());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (cut[d]) shard.push_back(devices[*cut[d]]);
    shard.push_back(inside[d]);
  }
  for (std::size_t i = 0; i < mesh.size(); ++i)
    if (!used[i]) replica.push_back(devices[i]);
  return TileLayout::make(std::move(shard), std::move(replica));
}

}  // namespace kir::layout
