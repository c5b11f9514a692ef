#include "core/numeric/scalar_ops.h"

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "core/numeric/float_ops.h"
#include "core/numeric/integer_ops.h"

namespace kir {
namespace {

std::uint64_t select_word(const std::uint64_t* x, ScalarError&) { return x[0] ? x[1] : x[2]; }

template <DType T>
using Ops = std::conditional_t<is_float(T), FloatOps<T>, IntegerOps<T>>;

template <DType T>
PointwiseFunction float_function(OpKind kind) {
  using F = FloatOps<T>;
  switch (kind) {
    case OpKind::div: return &F::div;
    case OpKind::fma: return &F::fma;
    case OpKind::min_nan: return &F::min_nan;
    case OpKind::max_nan: return &F::max_nan;
    case OpKind::min_num: return &F::min_num;
    case OpKind::max_num: return &F::max_num;
    case OpKind::sqrt: return &F::sqrt;
    case OpKind::floor: return &F::floor;
    case OpKind::ceil: return &F::ceil;
    case OpKind::trunc: return &F::trunc;
    case OpKind::round_even: return &F::round_even;
    case OpKind::exp: return &F::template transcendental<OpKind::exp>;
    case OpKind::exp2: return &F::template transcendental<OpKind::exp2>;
    case OpKind::log: return &F::template transcendental<OpKind::log>;
    case OpKind::log2: return &F::template transcendental<OpKind::log2>;
    case OpKind::rsqrt: return &F::template transcendental<OpKind::rsqrt>;
    case OpKind::sin: return &F::template transcendental<OpKind::sin>;
    case OpKind::cos: return &F::template transcendental<OpKind::cos>;
    case OpKind::tanh: return &F::template transcendental<OpKind::tanh>;
    case OpKind::erf: return &F::template transcendental<OpKind::erf>;
    default: KIR_UNREACHABLE("no float operation");
  }
}

template <DType T>
PointwiseFunction integer_function(OpKind kind) {
  using I = IntegerOps<T>;
  switch (kind) {
    case OpKind::divt: return &I::divt;
    case OpKind::remt: return &I::remt;
    case OpKind::divf: return &I::divf;
    case OpKind::remf: return &I::remf;
    case OpKind::divu: return &I::divu;
    case OpKind::remu: return &I::remu;
    case OpKind::min_s: return &I::min_s;
    case OpKind::max_s: return &I::max_s;
    case OpKind::min_u: return &I::min_u;
    case OpKind::max_u: return &I::max_u;
    case OpKind::bit_and: return &I::bit_and;
    case OpKind::bit_or: return &I::bit_or;
    case OpKind::bit_xor: return &I::bit_xor;
    case OpKind::bit_not: return &I::bit_not;
    case OpKind::shl: return &I::shl;
    case OpKind::shrl: return &I::shrl;
    case OpKind::shra: return &I::shra;
    default: KIR_UNREACHABLE("no integer operation");
  }
}

template <DType T>
PointwiseFunction function_for(OpKind kind) {
  switch (kind) {
    case OpKind::add: return &Ops<T>::add;
    case OpKind::sub: return &Ops<T>::sub;
    case OpKind::mul: return &Ops<T>::mul;
    case OpKind::neg: return &Ops<T>::neg;
    case OpKind::abs: return &Ops<T>::abs;
    case OpKind::select: return &select_word;
    case OpKind::div:
    case OpKind::fma:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
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
      if constexpr (is_float(T))
        return float_function<T>(kind);
      else
        return nullptr;
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u:
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
      if constexpr (is_integer(T))
        return integer_function<T>(kind);
      else
        return nullptr;
    case OpKind::constant:
    case OpKind::index:
    case OpKind::cmp:
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
    case OpKind::tile_reduce: return nullptr;
  }
  KIR_UNREACHABLE("operation kind");
}

enum class Ordering : std::uint8_t { less, equal, greater, unordered };

template <class T>
Ordering compare(T a, T b) {
  return a < b ? Ordering::less : a > b ? Ordering::greater : a == b ? Ordering::equal : Ordering::unordered;
}

}  // namespace

PointwiseFunction pointwise_function(OpKind kind, DType t) {
  switch (t) {
    case DType::i1: return function_for<DType::i1>(kind);
    case DType::i8: return function_for<DType::i8>(kind);
    case DType::i16: return function_for<DType::i16>(kind);
    case DType::i32: return function_for<DType::i32>(kind);
    case DType::i64: return function_for<DType::i64>(kind);
    case DType::u64: return function_for<DType::u64>(kind);
    case DType::f8e4m3: return function_for<DType::f8e4m3>(kind);
    case DType::f8e5m2: return function_for<DType::f8e5m2>(kind);
    case DType::f16: return function_for<DType::f16>(kind);
    case DType::bf16: return function_for<DType::bf16>(kind);
    case DType::tf32: return function_for<DType::tf32>(kind);
    case DType::f32: return function_for<DType::f32>(kind);
    case DType::f64: return function_for<DType::f64>(kind);
  }
  KIR_UNREACHABLE("element type");
}

ScalarResult evaluate_pointwise(OpKind kind, std::span<const Scalar> operands) {
  KIR_CHECK(!operands.empty() && operands.size() <= 3 && static_cast<int>(operands.size()) == row(kind).operands,
            "operands of {}", row(kind).name);
  const DType t = operands.back().type;
  std::uint64_t words[3] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    KIR_CHECK(operands[i].type == (kind == OpKind::select && i == 0 ? DType::i1 : t), "operand types of {}", row(kind).name);
    words[i] = operands[i].bits;
  }
  PointwiseFunction f = pointwise_function(kind, t);
  KIR_CHECK(f != nullptr, "{} does not take {}", row(kind).name, name(t));
  ScalarResult r;
  r.value.type = t;
  r.value.bits = f(words, r.error);
  return r;
}

bool evaluate_cmp(CmpPredicate predicate, const Scalar& a, const Scalar& b) {
  KIR_CHECK(a.type == b.type && is_float_predicate(predicate) == is_float(a.type), "operands of a comparison");
  Ordering s = Ordering::equal, u = Ordering::equal;  // as signed integers or floats, as unsigned integers
  if (is_float(a.type)) {
    s = compare(a.as_double(), b.as_double());
  } else {
    s = compare(a.as_signed(), b.as_signed());
    u = compare(a.as_unsigned(), b.as_unsigned());
  }
  using enum Ordering;
  switch (predicate) {
    case CmpPredicate::eq:
    case CmpPredicate::oeq: return s == equal;
    case CmpPredicate::ne:
    case CmpPredicate::une: return s != equal;
    case CmpPredicate::slt:
    case CmpPredicate::olt: return s == less;
    case CmpPredicate::sle:
    case CmpPredicate::ole: return s == less || s == equal;
    case CmpPredicate::sgt:
    case CmpPredicate::ogt: return s == greater;
    case CmpPredicate::sge:
    case CmpPredicate::oge: return s == greater || s == equal;
    case CmpPredicate::ult: return u == less;
    case CmpPredicate::ule: return u != greater;
    case CmpPredicate::ugt: return u == greater;
    case CmpPredicate::uge: return u != less;
    case CmpPredicate::one: return s == less || s == greater;
    case CmpPredicate::ord: return s != unordered;
    case CmpPredicate::ueq: return s == equal || s == unordered;
    case CmpPredicate::fult: return s == less || s == unordered;
    case CmpPredicate::fule: return s != greater;
    case CmpPredicate::fugt: return s == greater || s == unordered;
    case CmpPredicate::fuge: return s != less;
    case CmpPredicate::uno: return s == unordered;
  }
  KIR_UNREACHABLE("comparison predicate");
}

Scalar canonical_nan(DType t) { return {t, float_format(t).quiet_nan()}; }

}  // namespace kir
