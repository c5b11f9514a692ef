// Scalar operations against tables computed by NumPy, ml_dtypes and mpmath (scripts/make-numeric-tables).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/base/sha256.h"
#include "core/ir/op_table.h"
#include "core/numeric/float_format.h"
#include "core/numeric/scalar_ops.h"
#include "core/numeric/transcendental.h"

namespace kir {
namespace {

const std::vector<DType> kFloats = {DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16, DType::f32, DType::f64};
const std::vector<DType> kNarrow = {DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16};
constexpr std::uint64_t kError = ~std::uint64_t{0};

class NumericTables : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ifstream in(KIR_SOURCE_DIR "/tests/core/data/numeric_hashes.txt");
    for (std::string line; std::getline(in, line);)
      if (!line.starts_with('#')) expected_[line.substr(0, line.rfind(' '))] = line.substr(line.rfind(' ') + 1);
  }
  void check(const std::string& key, int word_bytes, const std::vector<std::uint64_t>& words) {
    std::string bytes;
    for (std::uint64_t w : words)
      for (int i = 0; i < word_bytes; ++i) bytes += static_cast<char>(w >> (8 * i));
    ASSERT_TRUE(expected_.contains(key)) << key;
    EXPECT_EQ(sha256_hex(bytes), expected_[key]) << key;
  }
  static std::map<std::string, std::string> expected_;
};
std::map<std::string, std::string> NumericTables::expected_;

std::uint64_t mask_of(DType t) { return bit_width(t) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(t)) - 1; }

std::uint64_t splitmix(std::uint64_t i, std::uint64_t stream) {
  std::uint64_t z = (i + (stream << 32)) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::uint64_t canonical(const Scalar& s) { return s.is_nan() ? canonical_nan(s.type).bits : s.bits; }

std::vector<std::uint64_t> all_words(DType t) {
  std::vector<std::uint64_t> out(std::size_t{1} << bit_width(t));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

std::vector<std::uint64_t> sample(DType source, DType target, std::uint64_t n, std::uint64_t stream) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t r = splitmix(i, stream), raw = r & mask_of(source);
    const std::uint64_t d = (r >> 7) & mask_of(target), d1 = (d + 1) & mask_of(target);
    const double a = format_to_double(target, d), b = format_to_double(target, d1);
    const std::uint64_t s0 = round_double_to_format(float_format(source), a),
                        s1 = round_double_to_format(float_format(source), b);
    const std::uint64_t middle = (s0 + ((s1 - s0) & mask_of(source)) / 2 + (r >> 50) % 3 - 1) & mask_of(source);
    out.push_back(!std::isfinite(a) || !std::isfinite(b) || i % 4 == 0 ? raw : i % 4 == 1 ? s0 : middle);
  }
  return out;
}

std::vector<std::uint64_t> converted(ConvertMode mode, DType from, DType to, const std::vector<std::uint64_t>& words) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t w : words) {
    ScalarResult r = evaluate_convert(mode, {from, w}, to);
    out.push_back(r.ok() ? canonical(r.value) : kError);
  }
  return out;
}

std::string key(std::string_view a, DType b) { return std::string(a) + " " + std::string(name(b)); }

TEST_F(NumericTables, FloatConversionsOfEveryNarrowPattern) {
  for (DType s : kNarrow)
    for (DType t : kFloats)
      if (s != t) check(key(key("rn", s), t), byte_size(t), converted(ConvertMode::rn, s, t, all_words(s)));
}

TEST_F(NumericTables, FloatConversionsAroundMidpoints) {
  for (DType s : {DType::f32, DType::f64})
    for (DType t : {DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16, DType::f32})
      if (s != t) check(key(key("rn", s), t), byte_size(t), converted(ConvertMode::rn, s, t, sample(s, t, 1 << 15, 1)));
}

TEST_F(NumericTables, FloatToInteger) {
  for (DType s : kNarrow)
    for (DType t : {DType::i8, DType::i16, DType::i32, DType::i64})
      for (ConvertMode m : {ConvertMode::to_sint, ConvertMode::to_uint, ConvertMode::sat_to_sint, ConvertMode::sat_to_uint})
        check(key(key(name(m), s), t), 8, converted(m, s, t, all_words(s)));
}

TEST_F(NumericTables, IntegerToFloat) {
  for (ConvertMode m : {ConvertMode::sint, ConvertMode::uint})
    for (DType t : kFloats) {
      for (DType s : {DType::i8, DType::i16}) check(key(key(name(m), s), t), byte_size(t), converted(m, s, t, all_words(s)));
      std::vector<std::uint64_t> words;
      for (std::uint64_t i = 0; i < (1 << 15); ++i) words.push_back(splitmix(i, 2) >> (i % 60));
      check(key(key(name(m), DType::i64), t), byte_size(t), converted(m, DType::i64, t, words));
    }
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs(DType t, std::uint64_t n, std::uint64_t stream) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  const std::uint64_t near = (1ull << (bit_width(t) - 1)) | ((1ull << (float_format(t).mantissa_bits + 2)) - 1);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t a = splitmix(i, stream), b = splitmix(i, stream + 1);
    out.emplace_back(a & mask_of(t), (i % 2 ? a ^ (b & near) : b) & mask_of(t));
  }
  return out;
}

std::uint64_t evaluate(OpKind op, DType t, std::initializer_list<std::uint64_t> words) {
  std::vector<Scalar> operands;
  for (std::uint64_t w : words) operands.push_back({t, w});
  ScalarResult r = evaluate_pointwise(op, operands);
  return r.ok() ? canonical(r.value) : kError;
}

TEST_F(NumericTables, FloatArithmetic) {
  for (DType t : kFloats) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> inputs;
    if (bit_width(t) == 8) {
      for (std::uint64_t i = 0; i < 65536; ++i) inputs.emplace_back(i >> 8, i & 255);
    } else {
      inputs = pairs(t, 1 << 16, 3);
    }
    for (OpKind op : {OpKind::add, OpKind::sub, OpKind::mul, OpKind::div}) {
      std::vector<std::uint64_t> out;
      for (auto [a, b] : inputs) out.push_back(evaluate(op, t, {a, b}));
      check(key(row(op).name, t), byte_size(t), out);
    }
  }
}

TEST_F(NumericTables, FusedMultiplyAdd) {
  for (DType t : kFloats) {
    const auto inputs = pairs(t, 1 << 14, 5);
    std::vector<std::uint64_t> out;
    for (std::uint64_t i = 0; i < inputs.size(); ++i) {
      auto [a, b] = inputs[i];
      std::uint64_t c = splitmix(i, 7) & mask_of(t);
      const double x = format_to_double(t, a), y = format_to_double(t, b);
      const double minus = -(x * y);
      const double close = bit_width(t) < 32 ? static_cast<double>(static_cast<float>(minus)) : minus;
      const std::uint64_t rounded = round_double_to_format(float_format(t), close);
      if (i % 3 == 0 && std::isfinite(format_to_double(t, rounded))) c = rounded;
      if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(format_to_double(t, c))) continue;
      out.push_back(evaluate(OpKind::fma, t, {a, b, c}));
    }
    check(key("fma", t), byte_size(t), out);
  }
}

TEST_F(NumericTables, EightBitIntegers) {
  for (OpKind op : {OpKind::add, OpKind::sub, OpKind::mul, OpKind::bit_and, OpKind::bit_or, OpKind::bit_xor, OpKind::min_s,
                    OpKind::max_s, OpKind::min_u, OpKind::max_u, OpKind::shl, OpKind::shrl, OpKind::shra, OpKind::divt,
                    OpKind::remt, OpKind::divf, OpKind::remf}) {
    std::vector<std::uint64_t> out;
    for (std::uint64_t i = 0; i < 65536; ++i) out.push_back(evaluate(op, DType::i8, {i >> 8, i & 255}));
    check(key(row(op).name, DType::i8), 8, out);
  }
}

TEST_F(NumericTables, Functions) {
  for (DType t : kFloats) {
    std::vector<std::uint64_t> inputs;
    if (bit_width(t) <= 16) {
      inputs = all_words(t);
    } else {
      const FloatFormat& f = float_format(t);
      for (std::uint64_t i = 0; i < 3000; ++i) {
        const std::uint64_t r = splitmix(i, 8);
        const std::uint64_t exponent = (static_cast<std::uint64_t>(f.bias() - 20) + (r >> 58) % 32) << f.mantissa_bits;
        const std::uint64_t near = (r & ((1ull << f.mantissa_bits) - 1)) | exponent | ((r >> 57) & 1) << (bit_width(t) - 1);
        inputs.push_back(i % 3 == 0 ? r & mask_of(t) : near);
      }
    }
    for (OpKind op : {OpKind::exp, OpKind::exp2, OpKind::log, OpKind::log2, OpKind::rsqrt, OpKind::sqrt, OpKind::sin,
                      OpKind::cos, OpKind::tanh, OpKind::erf}) {
      std::vector<std::uint64_t> out;
      for (std::uint64_t x : inputs) out.push_back(evaluate(op, t, {x}));
      check(key(row(op).name, t), byte_size(t), out);
    }
  }
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> all_pairs(DType t) {
  if (bit_width(t) != 8) return pairs(t, 1 << 16, 3);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  for (std::uint64_t i = 0; i < 65536; ++i) out.emplace_back(i >> 8, i & 255);
  return out;
}

// The answers of all predicates as the bits of one word.
std::uint64_t answers(bool floating, const Scalar& a, const Scalar& b) {
  std::uint64_t out = 0;
  int k = 0;
  for (CmpPredicate p : all_cmp_predicates())
    if (is_float_predicate(p) == floating) out |= static_cast<std::uint64_t>(evaluate_cmp(p, a, b)) << k++;
  return out;
}

TEST_F(NumericTables, ExtremesAndComparisonsOfFloats) {
  for (DType t : kFloats) {
    const auto inputs = all_pairs(t);
    for (OpKind op : {OpKind::min_nan, OpKind::min_num, OpKind::max_nan, OpKind::max_num}) {
      std::vector<std::uint64_t> out;
      for (auto [a, b] : inputs) out.push_back(evaluate(op, t, {a, b}));
      check(key(row(op).name, t), byte_size(t), out);
    }
    std::vector<std::uint64_t> out;
    for (auto [a, b] : inputs) out.push_back(answers(true, {t, a}, {t, b}));
    check(key("cmp", t), 2, out);
  }
}

std::vector<std::uint64_t> function_inputs(DType t) {
  if (bit_width(t) <= 16) return all_words(t);
  std::vector<std::uint64_t> out;
  const FloatFormat& f = float_format(t);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint64_t r = splitmix(i, 8);
    const std::uint64_t exponent = (static_cast<std::uint64_t>(f.bias() - 20) + (r >> 58) % 32) << f.mantissa_bits;
    const std::uint64_t near = (r & ((1ull << f.mantissa_bits) - 1)) | exponent | ((r >> 57) & 1) << (bit_width(t) - 1);
    out.push_back(i % 3 == 0 ? r & mask_of(t) : near);
  }
  return out;
}

TEST_F(NumericTables, RoundingToIntegersAndSigns) {
  for (DType t : kFloats) {
    const std::vector<std::uint64_t> inputs = function_inputs(t);
    for (OpKind op : {OpKind::floor, OpKind::ceil, OpKind::trunc, OpKind::round_even}) {
      std::vector<std::uint64_t> out;
      for (std::uint64_t x : inputs) out.push_back(evaluate(op, t, {x}));
      check(key(row(op).name, t), byte_size(t), out);
    }
    for (OpKind op : {OpKind::neg, OpKind::abs}) {  // keep the bits of a NaN
      std::vector<std::uint64_t> out;
      for (std::uint64_t x : inputs) out.push_back(evaluate_pointwise(op, std::vector<Scalar>{{t, x}}).value.bits);
      check(key(row(op).name, t), byte_size(t), out);
    }
    check(key("to_bool", t), 1, converted(ConvertMode::to_bool, t, DType::i1, inputs));
  }
}

TEST_F(NumericTables, SaturatingConversions) {
  for (DType s : kFloats)
    for (DType t : kNarrow)
      if (s != t)
        check(key(key("sat_rn", s), t), byte_size(t),
              converted(ConvertMode::sat_rn, s, t, bit_width(s) <= 16 ? all_words(s) : sample(s, t, 1 << 15, 1)));
}

// Words at the edges of the type, of its halves and of shift amounts.
std::vector<std::uint64_t> edges(DType t) {
  const int bits = bit_width(t);
  std::set<std::uint64_t> near;
  auto add = [&](__int128 v) { near.insert(static_cast<std::uint64_t>(v) & mask_of(t)); };
  for (int v : {0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000}) add(v);
  for (int k : {7, 8, 15, 16, 31, 32, bits - 1, bits})
    for (int d : {-2, -1, 0, 1, 2}) {
      add((static_cast<__int128>(1) << k) + d);
      add(-(static_cast<__int128>(1) << k) + d);
    }
  return {near.begin(), near.end()};
}

TEST_F(NumericTables, IntegersAtTheirEdges) {
  const DType integers[] = {DType::i1, DType::i8, DType::i16, DType::i32, DType::i64, DType::u64};
  for (DType t : integers) {
    const std::vector<std::uint64_t> words = edges(t);
    for (const OpRow& r : op_table()) {
      if (r.result != ResultRule::same || r.elements == ElementClass::floating) continue;
      std::vector<std::uint64_t> out;
      for (std::uint64_t a : words) {
        if (r.operands == 1) out.push_back(evaluate(r.kind, t, {a}));
        for (std::size_t k = 0; r.operands == 2 && k < words.size(); ++k) out.push_back(evaluate(r.kind, t, {a, words[k]}));
      }
      check(key(r.name, t) + " edges", 8, out);
    }
    std::vector<std::uint64_t> compared;
    for (std::uint64_t a : words)
      for (std::uint64_t b : words) compared.push_back(answers(false, {t, a}, {t, b}));
    check(key("cmp", t) + " edges", 8, compared);
    check(key("to_bool", t) + " edges", 8, converted(ConvertMode::to_bool, t, DType::i1, words));
    for (DType to : integers) {
      const bool widens = bit_width(to) > bit_width(t);
      for (ConvertMode m : {ConvertMode::sint, ConvertMode::uint, ConvertMode::wrap})
        if (widens == (m != ConvertMode::wrap)) check(key(key(name(m), t), to), 8, converted(m, t, to, words));
    }
  }
}

TEST_F(NumericTables, Tf32) {
  for (DType s : kFloats)
    check(key(key("rn", s), DType::tf32), 4,
          converted(ConvertMode::rn, s, DType::tf32, bit_width(s) <= 16 ? all_words(s) : sample(s, DType::f16, 1 << 15, 1)));
  std::vector<std::uint64_t> a, b;
  for (std::uint64_t i = 0; i < (1 << 13); ++i) {
    const std::uint64_t x = splitmix(i, 11) & 0xffffe000, y = splitmix(i, 12) & 0xffffe000;
    a.push_back(x);
    b.push_back(i % 2 ? x ^ (y & 0x8001e000) : y);
  }
  for (OpKind op : {OpKind::add, OpKind::sub, OpKind::mul, OpKind::div}) {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < a.size(); ++i) out.push_back(evaluate(op, DType::tf32, {a[i], b[i]}));
    check(key(row(op).name, DType::tf32), 4, out);
  }
  for (DType t : kFloats) check(key("rn tf32", t), byte_size(t), converted(ConvertMode::rn, DType::tf32, t, a));
}

TEST_F(NumericTables, BitsAreKept) {
  for (auto [s, t] : {std::pair(DType::f16, DType::bf16), std::pair(DType::i16, DType::f16), std::pair(DType::bf16, DType::i16),
                      std::pair(DType::f8e4m3, DType::i8), std::pair(DType::i8, DType::f8e5m2)})
    for (std::uint64_t w : all_words(s)) EXPECT_EQ(evaluate_convert(ConvertMode::bits, {s, w}, t).value, (Scalar{t, w}));
}

TEST_F(NumericTables, EveryTableIsUsed) {
  const std::size_t old = 32u - 12 + 64 + 9 + 24 + 12 + 24 + 6 + 17 + 60;
  const std::size_t extremes = 6 * 5, signs = 6 * 7, saturating = 6 * 4 - 4;
  // Of each integer type: 22 operations, cmp and to_bool; conversions: 36 pairs, and two ways for each that widens.
  const std::size_t edges = 6 * 24 + 36 + 14;
  EXPECT_EQ(expected_.size(), old + extremes + signs + saturating + edges + 6 + 4 + 6);
}

TEST(Transcendental, TheFastPathAgreesWithMpfr) {
  for (OpKind op : {OpKind::exp, OpKind::exp2, OpKind::log, OpKind::log2, OpKind::rsqrt, OpKind::sin, OpKind::cos, OpKind::tanh,
                    OpKind::erf})
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const std::uint64_t r = splitmix(i, 20);
      const std::uint64_t x = i % 2 ? r & 0xffffffff : (r & 0x807fffff) | ((117 + (r >> 40) % 20) << 23);
      ASSERT_EQ(transcendental(op, DType::f32, x), transcendental_by_mpfr(op, DType::f32, x)) << row(op).name << " " << x;
    }
}

}  // namespace
}  // namespace kir
