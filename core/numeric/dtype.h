// Scalar element types. Signedness is in the operation, not in the type; u64 exists where RNG and atomics need it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kir {

enum class DType : std::uint8_t { i1, i8, i16, i32, i64, u64, f8e4m3, f8e5m2, f16, bf16, tf32, f32, f64 };
inline constexpr int kDTypeCount = 13;

std::string_view name(DType t);  // "f32"
std::optional<DType> dtype_from_name(std::string_view);
int bit_width(DType t);  // of the value: i1 is 1, tf32 is 32 (stored as f32)
int byte_size(DType t);  // in memory: i1 is one byte holding 0 or 1
constexpr bool is_float(DType t) { return t >= DType::f8e4m3; }
constexpr bool is_integer(DType t) { return t < DType::f8e4m3; }

}  // namespace kir
