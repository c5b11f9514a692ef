#include "core/numeric/dtype.h"

#include "core/base/check.h"

namespace kir {
namespace {

struct DTypeRow {
  DType type;
  std::string_view name;
  int bits;
  int bytes;
};

constexpr DTypeRow kRows[kDTypeCount] = {
    {DType::i1, "i1", 1, 1},    {DType::i8, "i8", 8, 1},      {DType::i16, "i16", 16, 2},      {DType::i32, "i32", 32, 4},
    {DType::i64, "i64", 64, 8}, {DType::u64, "u64", 64, 8},   {DType::f8e4m3, "f8e4m3", 8, 1}, {DType::f8e5m2, "f8e5m2", 8, 1},
    {DType::f16, "f16", 16, 2}, {DType::bf16, "bf16", 16, 2}, {DType::tf32, "tf32", 32, 4},    {DType::f32, "f32", 32, 4},
    {DType::f64, "f64", 64, 8},
};

constexpr bool complete() {
  for (int i = 0; i < kDTypeCount; ++i)
    if (static_cast<int>(kRows[i].type) != i) return false;
  return true;
}
static_assert(complete(), "one row per type, in the order of DType");

}  // namespace

std::string_view name(DType t) { return kRows[static_cast<int>(t)].name; }
int bit_width(DType t) { return kRows[static_cast<int>(t)].bits; }
int byte_size(DType t) { return kRows[static_cast<int>(t)].bytes; }

std::optional<DType> dtype_from_name(std::string_view text) {
  for (const DTypeRow& r : kRows)
    if (r.name == text) return r.type;
  return std::nullopt;
}

}  // namespace kir
