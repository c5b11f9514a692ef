// Algebraic laws of the operations on scalars. A law that is claimed holds for every bit pattern, NaN payloads aside;
// tests/core/laws_test.cpp checks each claim exhaustively on the 8-bit types and the neutral elements on the 16-bit ones.
#include "core/base/check.h"
#include "core/numeric/float_format.h"
#include "core/numeric/scalar_ops.h"

namespace kir {
namespace {

// The least (or with `greatest` the greatest) value in the order of min and max.
std::uint64_t float_extreme(DType t, bool greatest) {
  const FloatFormat& f = float_format(t);
  const std::uint64_t magnitude = f.infinities ? f.infinity() : f.max_finite();
  return greatest ? magnitude : magnitude | f.sign_bit();
}

enum class Shape : std::uint8_t { none, sum, product, nan_extreme, num_extreme, integer_extreme, bitwise };

Shape shape_of(OpKind op) {
  switch (op) {
    case OpKind::add: return Shape::sum;
    case OpKind::mul: return Shape::product;
    case OpKind::min_nan:
    case OpKind::max_nan: return Shape::nan_extreme;
    case OpKind::min_num:
    case OpKind::max_num: return Shape::num_extreme;
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u: return Shape::integer_extreme;
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor: return Shape::bitwise;
    case OpKind::constant:
    case OpKind::index:
    case OpKind::sub:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::div:
    case OpKind::fma:
    case OpKind::sqrt:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
    case OpKind::cmp:
    case OpKind::select:
    case OpKind::convert:
    case OpKind::load:
    case OpKind::store:
    case OpKind::tensor:
    case OpKind::elem:
    case OpKind::view:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::broadcast:
    case OpKind::parallel:
    case OpKind::for_loop:
    case OpKind::while_loop:
    case OpKind::if_else:
    case OpKind::yield:
    case OpKind::next:
    case OpKind::assume:
    case OpKind::reduce:
    case OpKind::splat:
    case OpKind::philox4x32_10:
    case OpKind::buffer:
    case OpKind::scatter:
    case OpKind::histogram:
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas:
    case OpKind::assume_in_bounds:
    case OpKind::reshape:
    case OpKind::concat:
    case OpKind::iota:
    case OpKind::gather:
    case OpKind::part:
    case OpKind::break_loop:
    case OpKind::continue_loop:
    case OpKind::arg_reduce:
    case OpKind::scan:
    case OpKind::region_fold:
    case OpKind::region_scan:
    case OpKind::contract:
    case OpKind::tile_reduce: return Shape::none;
  }
  KIR_UNREACHABLE("operation kind");
}

bool takes(OpKind op, DType t) { return pointwise_function(op, t) != nullptr; }

}  // namespace

bool is_neutral(OpKind op, const Scalar& e, const std::optional<Scalar>& init) {
  const DType t = e.type;
  if (!takes(op, t) || (init && init->type != t)) return false;
  const int width = bit_width(t);
  const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  switch (shape_of(op)) {
    case Shape::none: return false;
    case Shape::sum:
      if (is_integer(t)) return e.bits == 0;
      // -0 + +0 is +0. A sum that starts at +0 never becomes -0, since only -0 + -0 does.
      return e.bits == sign || (e.bits == 0 && init && init->bits == 0);
    case Shape::product: return is_integer(t) ? e.bits == 1 : e.bits == round_double_to_format(float_format(t), 1.0);
    case Shape::nan_extreme: return e.bits == float_extreme(t, op == OpKind::min_nan);
    case Shape::num_extreme:
      // Absorbing a NaN accumulator would change the result of an all-NaN fold; one that starts at the extreme has none.
      return e.is_nan() || (e.bits == float_extreme(t, op == OpKind::min_num) && init && init->bits == e.bits);
    case Shape::integer_extreme:
      if (op == OpKind::min_u) return e.bits == ones;
      if (op == OpKind::max_u) return e.bits == 0;
      return e.bits == (op == OpKind::min_s ? sign - 1 : sign);
    case Shape::bitwise: return e.bits == (op == OpKind::bit_and ? ones : 0);
  }
  KIR_UNREACHABLE("law");
}

bool is_associative(OpKind op, DType t) {
  if (!takes(op, t)) return false;
  switch (shape_of(op)) {
    case Shape::none: return false;
    case Shape::sum:
    case Shape::product: return is_integer(t);
    case Shape::nan_extreme:
    case Shape::num_extreme:
    case Shape::integer_extreme:
    case Shape::bitwise: return true;
  }
  KIR_UNREACHABLE("law");
}

bool is_commutative(OpKind op, DType t) { return takes(op, t) && shape_of(op) != Shape::none; }

bool is_idempotent(OpKind op, DType t) {
  if (!takes(op, t)) return false;
  switch (shape_of(op)) {
    case Shape::none:
    case Shape::sum: return false;
    case Shape::product: return t == DType::i1;
    case Shape::nan_extreme:
    case Shape::num_extreme:
    case Shape::integer_extreme: return true;
    case Shape::bitwise: return op != OpKind::bit_xor;
  }
  KIR_UNREACHABLE("law");
}

}  // namespace kir
