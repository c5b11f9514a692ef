#include "core/numeric/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kir {
namespace {

std::uint64_t bits_of(std::string_view text, DType t) {
  std::optional<Scalar> s = parse_literal(text, t);
  EXPECT_TRUE(s.has_value()) << text;
  return s ? s->bits : 0xdead;
}

TEST(Scalar, IntegersWrapAndExtend) {
  EXPECT_EQ(Scalar::of_int(DType::i8, 300).bits, 44u);
  EXPECT_EQ(Scalar::of_int(DType::i8, -1).bits, 255u);
  EXPECT_EQ(Scalar::of_int(DType::i8, -1).as_signed(), -1);
  EXPECT_EQ(Scalar::of_int(DType::i8, -1).as_unsigned(), 255u);
  EXPECT_EQ(Scalar::of_int(DType::i1, 3).bits, 1u);
  EXPECT_EQ(Scalar::of_int(DType::i64, std::numeric_limits<std::int64_t>::min()).as_signed(),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Scalar, LiteralsAreRoundedOnceIntoTheirType) {
  EXPECT_EQ(bits_of("0.1", DType::f32), 0x3dcccccdu);
  EXPECT_EQ(bits_of("0.1", DType::f64), 0x3fb999999999999aull);
  // Just above the midpoint of 1 and its f32 successor: rounding through double would fall on the tie, hence to 1.
  EXPECT_EQ(bits_of("1.000000059604644775390625", DType::f32), 0x3f800000u);
  EXPECT_EQ(bits_of("1.00000005960464477539062500000000000000001", DType::f32), 0x3f800001u);
  EXPECT_EQ(bits_of("1.00048828125", DType::f16), 0x3c00u);
  EXPECT_EQ(bits_of("1.0004882812500000000000000000000000001", DType::f16), 0x3c01u);
  EXPECT_EQ(bits_of("4.9e-324", DType::f64), 1u);
  EXPECT_EQ(bits_of("2e-324", DType::f64), 0u);
  EXPECT_EQ(bits_of("-1e-1000", DType::f32), 0x80000000u);
  EXPECT_EQ(bits_of("448", DType::f8e4m3), 0x7eu);
  EXPECT_EQ(bits_of("464", DType::f8e4m3), 0x7eu);  // the tie below NaN goes to the even 448
  EXPECT_EQ(bits_of("57344.0", DType::f8e5m2), 0x7bu);
  EXPECT_EQ(bits_of("0x1.8p1", DType::f32), 0x40400000u);
  EXPECT_EQ(bits_of("1_000.5", DType::f64), 0x408f440000000000ull);
  EXPECT_EQ(bits_of("1.0001", DType::tf32), 0x3f800000u);
}

TEST(Scalar, LiteralsOutsideTheTypeAreRefused) {
  for (std::string_view text :
       {"", "-", ".", "e5", "1e", "0x", "1__0.0", "_1", "1.0f", "infinity", "+1.0", "1e39", "nan(0)", "nan(1", "0x1.0e5z"})
    EXPECT_FALSE(parse_literal(text, DType::f32)) << text;
  EXPECT_FALSE(parse_literal("inf", DType::f8e4m3));
  EXPECT_FALSE(parse_literal("480", DType::f8e4m3));
  for (std::string_view text : {"256", "-129", "1.0", "true", "0x100", "- 1", "99999999999999999999"})
    EXPECT_FALSE(parse_literal(text, DType::i8)) << text;
  EXPECT_FALSE(parse_literal("-1", DType::u64));
  EXPECT_FALSE(parse_literal("1", DType::i1));
}

TEST(Scalar, SpecialLiterals) {
  EXPECT_EQ(bits_of("nan", DType::f32), 0x7fc00000u);
  EXPECT_EQ(bits_of("-inf", DType::f16), 0xfc00u);
  EXPECT_EQ(bits_of("-0.0", DType::bf16), 0x8000u);
  EXPECT_EQ(bits_of("0x7fc0_0000", DType::i32), 0x7fc00000u);
  EXPECT_EQ(bits_of("-128", DType::i8), 0x80u);
  EXPECT_EQ(bits_of("255", DType::i8), 0xffu);
  EXPECT_EQ(literal_text({DType::f32, 0x7fc00001}), "nan(0x7fc00001)");
  EXPECT_EQ(literal_text(Scalar::of_f32(1)), "1.0");
  EXPECT_EQ(literal_text(Scalar::of_f64(1e300)), "1e+300");
  EXPECT_EQ(literal_text(Scalar::of_f32(0.1f)), "0.1");
  EXPECT_EQ(literal_text(Scalar::of_f64(-HUGE_VAL)), "-inf");
  EXPECT_EQ(literal_text({DType::f16, 0x2e66}), "0.1");
  EXPECT_EQ(literal_text({DType::u64, ~0ull}), "18446744073709551615");
  EXPECT_EQ(literal_text({DType::i64, ~0ull}), "-1");
}

TEST(Scalar, EveryNarrowValuePrintsAndReadsBack) {
  for (DType t : {DType::i1, DType::i8, DType::i16, DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16})
    for (std::uint64_t b = 0; b < (1ull << bit_width(t)); ++b) {
      const Scalar s{t, b};
      ASSERT_EQ(parse_literal(literal_text(s), t), s) << name(t) << " " << b << " " << literal_text(s);
    }
}

TEST(Scalar, WideValuesPrintAndReadBack) {
  std::uint64_t x = 88172645463325252ull;
  for (int i = 0; i < 20000; ++i) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    for (Scalar s : {Scalar{DType::f64, x}, Scalar{DType::f32, x >> 32}, Scalar{DType::tf32, (x >> 32) & ~0x1fffull},
                     Scalar{DType::f32, x & 0x807fffff}, Scalar{DType::i64, x}, Scalar{DType::u64, x}})
      ASSERT_EQ(parse_literal(literal_text(s), s.type), s) << literal_text(s);
  }
}

}  // namespace
}  // namespace kir
