// The closed tables of laws and neutral elements, exhaustively on small types.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "core/ir/op_table.h"
#include "core/numeric/scalar_ops.h"

namespace kir {
namespace {

constexpr std::uint16_t kErroneous = 0xffff;

struct Table {
  OpKind op;
  DType t;
  std::vector<std::uint16_t> results;  // NaNs canonical
  std::uint64_t at(std::uint64_t a, std::uint64_t b) const { return results[a * size() + b]; }
  std::uint64_t size() const { return std::uint64_t{1} << bit_width(t); }
  std::uint64_t normal(std::uint64_t a) const { return Scalar{t, a}.is_nan() ? canonical_nan(t).bits : a; }
};

Table tabulate(OpKind op, DType t) {
  Table table{op, t, {}};
  PointwiseFunction f = pointwise_function(op, t);
  for (std::uint64_t a = 0; a < table.size(); ++a)
    for (std::uint64_t b = 0; b < table.size(); ++b) {
      std::uint64_t x[] = {a, b};
      ScalarError error = ScalarError::none;
      std::uint64_t r = f(x, error);
      table.results.push_back(error == ScalarError::none ? static_cast<std::uint16_t>(table.normal(r)) : kErroneous);
    }
  return table;
}

std::vector<OpKind> binary_ops(DType t) {
  std::vector<OpKind> out;
  for (const OpRow& r : op_table())
    if (r.family == Family::pointwise && r.operands == 2 && pointwise_function(r.kind, t)) out.push_back(r.kind);
  return out;
}

const std::vector<DType> kSmall = {DType::i1, DType::i8, DType::f8e4m3, DType::f8e5m2};

// Operations whose algebraic laws the table leaves out although they hold on one-bit words.
bool one_bit_accident(const Table& t) {
  return t.t == DType::i1 && (t.op == OpKind::sub || t.op == OpKind::shl || t.op == OpKind::shrl || t.op == OpKind::shra);
}

TEST(Laws, ClaimsAreExactlyWhatHoldsOnEightBits) {
  for (DType t : kSmall)
    for (OpKind op : binary_ops(t)) {
      const Table table = tabulate(op, t);
      const std::uint64_t n = table.size();
      bool commutative = true, idempotent = true, associative = true;
      for (std::uint64_t a = 0; a < n; ++a) {
        idempotent = idempotent && table.at(a, a) == table.normal(a);
        for (std::uint64_t b = 0; b < n; ++b) {
          commutative = commutative && table.at(a, b) == table.at(b, a);
          if (table.at(a, b) == kErroneous) associative = commutative = false;
        }
      }
      for (std::uint64_t a = 0; associative && a < n; ++a)
        for (std::uint64_t b = 0; b < n; ++b) {
          const std::uint16_t *left = &table.results[table.at(a, b) * n], *right = &table.results[b * n],
                              *outer = &table.results[a * n];
          bool row_holds = true;
          for (std::uint64_t c = 0; c < n; ++c) row_holds &= left[c] == outer[right[c]];
          associative = associative && row_holds;
        }
      if (one_bit_accident(table)) continue;
      EXPECT_EQ(is_commutative(op, t), commutative) << row(op).name << " " << name(t);
      EXPECT_EQ(is_associative(op, t), associative) << row(op).name << " " << name(t);
      EXPECT_EQ(is_idempotent(op, t), idempotent) << row(op).name << " " << name(t);
    }
}

// What a fold can reach: from the initial value by any elements, or without one from any element.
std::vector<std::uint64_t> reachable(const Table& table, const std::optional<Scalar>& init) {
  const std::uint64_t n = table.size();
  std::vector<bool> seen(n, !init);
  std::vector<std::uint64_t> out;
  if (!init) {
    for (std::uint64_t a = 0; a < n; ++a) out.push_back(a);
    return out;
  }
  seen[init->bits] = true;
  out.push_back(init->bits);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::uint64_t b = 0; b < n; ++b)
      if (std::uint64_t r = table.at(out[i], b); r < n && !seen[r]) seen[r] = true, out.push_back(r);
  return out;
}

TEST(Laws, NeutralElementsAreExactlyThoseThatHoldOnEightBits) {
  for (DType t : kSmall)
    for (OpKind op : binary_ops(t)) {
      const Table table = tabulate(op, t);
      for (std::uint64_t e = 0; e < table.size(); ++e) {
        bool neutral = true;
        for (std::uint64_t a = 0; a < table.size(); ++a)
          neutral = neutral && table.at(a, e) == table.normal(a) && table.at(e, a) == table.normal(a);
        if (one_bit_accident(table)) continue;
        EXPECT_EQ(is_neutral(op, {t, e}, std::nullopt), neutral)
            << row(op).name << " " << literal_text({t, e}) << " " << name(t);
      }
    }
}

TEST(Laws, NeutralElementsUnderAnInitialValueHoldOnEightBits) {
  int conditional = 0;
  for (DType t : kSmall)
    for (OpKind op : binary_ops(t)) {
      const Table table = tabulate(op, t);
      for (std::uint64_t i = 0; i < table.size(); ++i) {
        std::vector<std::uint64_t> accumulators;
        for (std::uint64_t e = 0; e < table.size(); ++e) {
          const Scalar init{t, i}, element{t, e};
          if (!is_neutral(op, element, init)) continue;
          if (accumulators.empty()) accumulators = reachable(table, init);
          if (!is_neutral(op, element, std::nullopt)) ++conditional;
          for (std::uint64_t a : accumulators) {
            ASSERT_EQ(table.at(a, e), table.normal(a)) << row(op).name << " " << literal_text(element);
            ASSERT_EQ(table.at(e, a), table.normal(a)) << row(op).name << " " << literal_text(element);
          }
        }
      }
    }
  EXPECT_EQ(conditional, 2 * 3);  // +0 of add, the extremes of min.num and max.num, in both float formats
}

TEST(Laws, NeutralElementsHoldOnSixteenBits) {
  for (DType t : {DType::i16, DType::f16, DType::bf16})
    for (OpKind op : binary_ops(t)) {
      PointwiseFunction f = pointwise_function(op, t);
      for (std::uint64_t e = 0; e < 65536; ++e) {
        if (!is_neutral(op, {t, e}, std::nullopt)) continue;
        if (Scalar{t, e}.is_nan() && e != canonical_nan(t).bits && e % 512 != 1) continue;  // a few payloads are enough
        for (std::uint64_t a = 0; a < 65536; ++a) {
          ScalarError error = ScalarError::none;
          const std::uint64_t left[] = {a, e}, right[] = {e, a};
          const bool nan = Scalar{t, a}.is_nan();
          const Scalar l{t, f(left, error)}, r{t, f(right, error)};
          ASSERT_TRUE(nan ? l.is_nan() && r.is_nan() : l.bits == a && r.bits == a)
              << row(op).name << " " << literal_text({t, e}) << " " << a;
        }
      }
    }
}

TEST(Laws, TheNamedNeutralElements) {
  auto neutral = [](OpKind op, std::string_view e, DType t, std::optional<std::string_view> init = {}) {
    return is_neutral(op, *parse_literal(e, t), init ? parse_literal(*init, t) : std::nullopt);
  };
  for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::tf32, DType::f8e5m2}) {
    EXPECT_TRUE(neutral(OpKind::add, "-0.0", t));
    EXPECT_FALSE(neutral(OpKind::add, "0.0", t));
    EXPECT_TRUE(neutral(OpKind::add, "0.0", t, "0.0"));
    EXPECT_FALSE(neutral(OpKind::add, "0.0", t, "-0.0"));
    EXPECT_TRUE(neutral(OpKind::mul, "1.0", t));
    EXPECT_TRUE(neutral(OpKind::max_nan, "-inf", t));
    EXPECT_TRUE(neutral(OpKind::min_nan, "inf", t));
    EXPECT_FALSE(neutral(OpKind::max_num, "-inf", t));
    EXPECT_TRUE(neutral(OpKind::max_num, "nan", t));
    EXPECT_TRUE(neutral(OpKind::max_num, "-inf", t, "-inf"));
    EXPECT_TRUE(neutral(OpKind::min_num, "inf", t, "inf"));
    EXPECT_FALSE(neutral(OpKind::min_num, "inf", t, "1.0"));
    EXPECT_FALSE(neutral(OpKind::sub, "0.0", t));
  }
  for (DType t : {DType::i32, DType::i64, DType::u64}) {
    EXPECT_TRUE(neutral(OpKind::add, "0", t));
    EXPECT_TRUE(neutral(OpKind::mul, "1", t));
    EXPECT_TRUE(neutral(OpKind::bit_or, "0", t));
    EXPECT_FALSE(neutral(OpKind::bit_and, "0", t));
  }
  EXPECT_TRUE(neutral(OpKind::max_s, "-2147483648", DType::i32));
  EXPECT_TRUE(neutral(OpKind::min_u, "0xffff_ffff", DType::i32));
  EXPECT_FALSE(is_neutral(OpKind::divt, {DType::i32, 1}, std::nullopt));
}

TEST(ScalarOps, ExtremesKeepTheOrderOfZerosAndNans) {
  const Scalar nan{DType::f32, 0xffc00123}, plus = Scalar::of_f32(0.0f), minus = Scalar::of_f32(-0.0f), one = Scalar::of_f32(1);
  auto f = [](OpKind op, Scalar a, Scalar b) { return evaluate_pointwise(op, std::vector{a, b}).value; };
  for (OpKind op : {OpKind::max_nan, OpKind::max_num}) {
    EXPECT_EQ(f(op, plus, minus), plus);
    EXPECT_EQ(f(op, minus, plus), plus);
  }
  for (OpKind op : {OpKind::min_nan, OpKind::min_num}) {
    EXPECT_EQ(f(op, plus, minus), minus);
    EXPECT_EQ(f(op, minus, plus), minus);
  }
  EXPECT_EQ(f(OpKind::max_nan, one, nan), canonical_nan(DType::f32));
  EXPECT_EQ(f(OpKind::max_num, one, nan), one);
  EXPECT_EQ(f(OpKind::max_num, nan, one), one);
  EXPECT_EQ(f(OpKind::min_num, nan, nan), canonical_nan(DType::f32));
  const Scalar negated = evaluate_pointwise(OpKind::neg, std::vector{nan}).value;
  EXPECT_EQ(negated.bits, 0x7fc00123u);  // neg keeps the payload
  EXPECT_EQ(evaluate_pointwise(OpKind::rsqrt, std::vector{minus}).value, Scalar::of_f32(-HUGE_VALF));
}

TEST(ScalarOps, FloatComparisons) {
  const Scalar nan = canonical_nan(DType::f32), single = Scalar::of_f32(1), two = Scalar::of_f32(2);
  struct Case {
    CmpPredicate p;
    bool lt, eq, gt, un;
  };
  using enum CmpPredicate;
  for (Case c : {Case{oeq, 0, 1, 0, 0},
                 {CmpPredicate::one, 1, 0, 1, 0},
                 {olt, 1, 0, 0, 0},
                 {ole, 1, 1, 0, 0},
                 {ogt, 0, 0, 1, 0},
                 {oge, 0, 1, 1, 0},
                 {ord, 1, 1, 1, 0},
                 {ueq, 0, 1, 0, 1},
                 {une, 1, 0, 1, 1},
                 {fult, 1, 0, 0, 1},
                 {fule, 1, 1, 0, 1},
                 {fugt, 0, 0, 1, 1},
                 {fuge, 0, 1, 1, 1},
                 {uno, 0, 0, 0, 1}}) {
    EXPECT_EQ(evaluate_cmp(c.p, single, two), c.lt) << name(c.p);
    EXPECT_EQ(evaluate_cmp(c.p, two, two), c.eq) << name(c.p);
    EXPECT_EQ(evaluate_cmp(c.p, two, single), c.gt) << name(c.p);
    EXPECT_EQ(evaluate_cmp(c.p, nan, single), c.un) << name(c.p);
    EXPECT_EQ(evaluate_cmp(c.p, single, nan), c.un) << name(c.p);
  }
  EXPECT_TRUE(evaluate_cmp(oeq, Scalar::of_f32(0.0f), Scalar::of_f32(-0.0f)));
}

TEST(ScalarOps, IntegerComparisonsTakeTheirSignFromThePredicate) {
  const Scalar minus = Scalar::of_int(DType::i32, -1), one = Scalar::of_int(DType::i32, 1);
  EXPECT_TRUE(evaluate_cmp(CmpPredicate::slt, minus, one));
  EXPECT_FALSE(evaluate_cmp(CmpPredicate::ult, minus, one));
  EXPECT_TRUE(evaluate_cmp(CmpPredicate::uge, minus, one));
  EXPECT_TRUE(evaluate_cmp(CmpPredicate::ne, minus, one));
}

TEST(ScalarOps, ConversionsOfSpecialValues) {
  const Scalar inf = Scalar::of_f32(HUGE_VALF), nan = canonical_nan(DType::f32);
  EXPECT_EQ(evaluate_convert(ConvertMode::sat_rn, inf, DType::f16).value.bits, 0x7bffu);
  EXPECT_EQ(evaluate_convert(ConvertMode::rn, inf, DType::f8e4m3).value, canonical_nan(DType::f8e4m3));
  EXPECT_EQ(evaluate_convert(ConvertMode::sat_rn, Scalar::of_f32(-1e9f), DType::f8e4m3).value.bits, 0xfeu);
  EXPECT_EQ(evaluate_convert(ConvertMode::sat_rn, nan, DType::f8e5m2).value, canonical_nan(DType::f8e5m2));
  EXPECT_EQ(evaluate_convert(ConvertMode::to_sint, nan, DType::i32).error, ScalarError::conversion_out_of_range);
  EXPECT_EQ(evaluate_convert(ConvertMode::to_sint, Scalar::of_f32(2147483648.0f), DType::i32).error,
            ScalarError::conversion_out_of_range);
  EXPECT_EQ(evaluate_convert(ConvertMode::sat_to_sint, inf, DType::i64).value.as_signed(), INT64_MAX);
  EXPECT_EQ(evaluate_convert(ConvertMode::sat_to_uint, inf, DType::i64).value.bits, ~0ull);
  EXPECT_EQ(evaluate_convert(ConvertMode::to_bool, nan, DType::i1).value.bits, 1u);
  EXPECT_EQ(evaluate_convert(ConvertMode::to_bool, Scalar::of_f32(-0.0f), DType::i1).value.bits, 0u);
  EXPECT_EQ(evaluate_convert(ConvertMode::bits, Scalar::of_f32(1), DType::i32).value.bits, 0x3f800000u);
  EXPECT_EQ(evaluate_convert_integer(ConvertMode::sint, static_cast<__int128>(1) << 100, DType::f64).value,
            Scalar::of_f64(0x1p100));
  // 2^64 + 2^11 + 1 is above the midpoint in f64, a view of its upper 64 bits alone is not.
  EXPECT_EQ(evaluate_convert_integer(ConvertMode::sint, (static_cast<__int128>(1) << 64) + 2049, DType::f64).value,
            Scalar::of_f64(0x1.0000000000001p64));
  EXPECT_EQ(evaluate_convert_integer(ConvertMode::wrap, -(static_cast<__int128>(1) << 64) - 5, DType::i32).value.as_signed(),
            -5);
}

TEST(ScalarOps, EveryOperationIsDefinedForItsElementClass) {
  for (const OpRow& r : op_table())
    for (int i = 0; i < kDTypeCount; ++i) {
      const DType t = static_cast<DType>(i);
      const bool by_name =
          r.kind == OpKind::constant || r.kind == OpKind::index || r.kind == OpKind::cmp || r.kind == OpKind::convert;
      bool wanted = r.family == Family::pointwise && !by_name;
      if (r.elements == ElementClass::floating) wanted = wanted && is_float(t);
      if (r.elements == ElementClass::integer) wanted = wanted && is_integer(t);
      EXPECT_EQ(pointwise_function(r.kind, t) != nullptr, wanted) << r.name << " " << name(t);
    }
}

}  // namespace
}  // namespace kir
