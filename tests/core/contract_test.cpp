// Contractions: exact and custom products, every division of axes, extents 0, accumulator types.
#include <cmath>

#include "core/interp/oracle.h"
#include "core/numeric/scalar_ops.h"
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;

// c[M, N] of a[M, K] and b[K, N] with the given element types.
std::shared_ptr<const Kernel> gemm(const std::string& in, const std::string& out, const std::string& product) {
  return parse_kernel(
      "kernel k(a: in " + in + "[M, K], b: in " + in + "[K, N], c: out " + out +
      "[M, N]) {\n let r = contract free(m in 0..M | n in 0..N) paired(k in 0..K) lhs { a[m, k] } rhs { b[k, n] } product " +
      product + "\n parallel m in 0..M, n in 0..N { c[m, n] = r[m, n] } }");
}

Words multiplied(const std::shared_ptr<const Kernel>& k, DType in, DType out, std::int64_t m, std::int64_t kk, std::int64_t n,
                 Words a, Words b) {
  Arguments args;
  args.tensor("a", in, {m, kk}, a).tensor("b", in, {kk, n}, b).tensor("c", out, {m, n});
  run_well(k, args);
  return args.elements("c");
}

const char* kExact = "exact accumulate f32 order(strict) init (0.0)";

TEST(Widening, KeepsEveryValue) {
  for (int from = 0; from < kDTypeCount; ++from)
    for (int to = 0; to < kDTypeCount; ++to) {
      const DType a = static_cast<DType>(from), b = static_cast<DType>(to);
      if (!holds_every(b, a)) continue;
      EXPECT_EQ(is_float(a), is_float(b));
      // All patterns of 8 and 16 bits, the ends of wider ones.
      const int width = bit_width(a), shift = a == DType::tf32 ? 13 : 0;
      for (std::uint64_t n = 0; n < (width >= 16 ? 65536u : 1u << width); ++n) {
        const std::uint64_t bits = width > 16 ? (n >> 8 << (width - 8) | (n & 255) << shift) : n;
        const Scalar x{a, bits}, y = widen(x, b);
        EXPECT_EQ(y.type, b);
        if (is_float(a)) {
          EXPECT_TRUE((x.is_nan() && y.is_nan()) || (x.as_double() == y.as_double())) << literal_text(x) << " as " << name(b);
        } else if (a == DType::i1 || a == DType::u64) {
          EXPECT_EQ(x.as_unsigned(), y.as_unsigned());
        } else {
          EXPECT_EQ(x.as_signed(), bit_width(b) == 64 ? static_cast<std::int64_t>(y.bits) : y.as_signed());
        }
      }
    }
  EXPECT_TRUE(holds_every(DType::f16, DType::f8e4m3) && holds_every(DType::bf16, DType::f8e5m2));
  EXPECT_TRUE(holds_every(DType::tf32, DType::f16) && holds_every(DType::tf32, DType::bf16) &&
              holds_every(DType::f32, DType::tf32));
  EXPECT_FALSE(holds_every(DType::bf16, DType::f16) || holds_every(DType::f16, DType::bf16) ||
               holds_every(DType::f32, DType::f64));
  EXPECT_FALSE(holds_every(DType::f8e4m3, DType::f8e5m2) || holds_every(DType::f8e5m2, DType::f8e4m3));
  EXPECT_FALSE(holds_every(DType::f32, DType::i8) || holds_every(DType::i32, DType::f16) || holds_every(DType::i8, DType::i16));
}

// shows: K7.6
TEST(Contract, MultipliesMatrices) {
  for (const char* product : {kExact, "exact accumulate f32 order(any) unit(0.001) identity (-0.0) init (0.0)",
                              "(x: f32, y: f32) { x * y } combine order(strict) (s: f32, p: f32) { s + p } init (0.0)"})
    // NumPy: [[1, 2, 3], [4, 5, 6]] @ [[7, 8], [9, 10], [11, 12]]
    EXPECT_EQ(multiplied(gemm("f32", "f32", product), DType::f32, DType::f32, 2, 3, 2, {"1", "2", "3", "4", "5", "6"},
                         {"7", "8", "9", "10", "11", "12"}),
              (Words{"58.0", "64.0", "139.0", "154.0"}));
}

TEST(Contract, ExtentsOfZero) {
  auto k = gemm("f32", "f32", kExact);
  EXPECT_EQ(multiplied(k, DType::f32, DType::f32, 2, 0, 2, {}, {}), (Words{"0.0", "0.0", "0.0", "0.0"}));
  EXPECT_EQ(multiplied(k, DType::f32, DType::f32, 0, 3, 2, {}, {"1", "2", "3", "4", "5", "6"}), Words{});
  EXPECT_EQ(multiplied(k, DType::f32, DType::f32, 1, 2, 0, {"1", "2"}, {}), Words{});
  auto identity = gemm("f32", "f32", "exact accumulate f32 order(any) identity (-0.0)");
  EXPECT_EQ(multiplied(identity, DType::f32, DType::f32, 1, 0, 1, {}, {}), Words{"-0.0"});
  for (const char* product :
       {"exact accumulate f32 order(any)", "(x: f32, y: f32) { x * y } combine order(any) (s: f32, p: f32) { s + p }"}) {
    auto bare = gemm("f32", "f32", product);
    Arguments none;
    none.tensor("a", DType::f32, {1, 0}).tensor("b", DType::f32, {0, 1}).tensor("c", DType::f32, {1, 1});
    run_badly(bare, none, RuntimeErrorKind::empty_reduction, {"contraction without members"});
    Arguments empty;  // no element asks for a member
    empty.tensor("a", DType::f32, {0, 0}).tensor("b", DType::f32, {0, 1}).tensor("c", DType::f32, {0, 1});
    run_well(bare, empty);
  }
}

// However many members one side has: no element asks for them.
TEST(Contract, WithoutElementsEndsAtOnce) {
  for (const char* product :
       {kExact, "(p: f32, q: f32) { p * q } combine order(strict) (a: f32, b: f32) { a + b } init (0.0)"}) {
    Arguments args;
    args.symbol("M", std::int64_t{1} << 62).symbol("N", 0);
    run_well(
        parse_kernel("kernel k(M: index, N: index) {\n let r = contract free(m in 0..M | n in 0..N) paired(k in 0..N) lhs { "
                     "f32(1.0) } rhs { f32(2.0) } product " +
                     std::string(product) + "\n }"),
        args);
  }
}

// (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24; a product rounded to f32 first gives 0.
TEST(Contract, AnExactProductEntersTheSumUnrounded) {
  const Words a = {"1", "1.000244140625"}, b = {"-1.00048828125", "1.000244140625"};
  EXPECT_EQ(multiplied(gemm("f32", "f32", "exact accumulate f32 order(strict)"), DType::f32, DType::f32, 1, 2, 1, a, b),
            Words{"5.9604645e-08"});
  EXPECT_EQ(multiplied(gemm("f32", "f32", "(x: f32, y: f32) { x * y } combine order(strict) (s: f32, p: f32) { s + p }"),
                       DType::f32, DType::f32, 1, 2, 1, a, b),
            Words{"0.0"});
  // The first product is rounded by itself: without an initial value its sign of zero stays.
  EXPECT_EQ(
      multiplied(gemm("f32", "f32", "exact accumulate f32 order(strict)"), DType::f32, DType::f32, 1, 1, 1, {"-0.0"}, {"1"}),
      Words{"-0.0"});
  EXPECT_EQ(multiplied(gemm("f32", "f32", kExact), DType::f32, DType::f32, 1, 1, 1, {"-0.0"}, {"1"}), Words{"0.0"});
}

TEST(Contract, SpecialValues) {
  auto k = gemm("f32", "f32", kExact);
  auto one = [&](Words a, Words b) { return multiplied(k, DType::f32, DType::f32, 1, 2, 1, a, b)[0]; };
  EXPECT_EQ(one({"inf", "1"}, {"2", "3"}), "inf");
  EXPECT_EQ(one({"inf", "1"}, {"0", "3"}), "nan");
  EXPECT_EQ(one({"inf", "-inf"}, {"1", "1"}), "nan");
  EXPECT_EQ(one({"nan", "1"}, {"0", "1"}), "nan");
  EXPECT_EQ(one({"1e38", "-1e38"}, {"10", "10"}), "inf");  // the chain overflows before it comes back
}

// Operand types narrower than the accumulator; every product is exact there.
TEST(Contract, AccumulatorsHoldEveryOperand) {
  // 0.1 in each type, squared in f64 and rounded to f32 (NumPy, ml_dtypes).
  EXPECT_EQ(multiplied(gemm("f16", "f32", kExact), DType::f16, DType::f32, 1, 1, 1, {"0.1"}, {"0.1"}), Words{"0.009995118"});
  EXPECT_EQ(multiplied(gemm("bf16", "f32", kExact), DType::bf16, DType::f32, 1, 1, 1, {"0.1"}, {"0.1"}), Words{"0.010019541"});
  EXPECT_EQ(multiplied(gemm("f8e4m3", "f32", kExact), DType::f8e4m3, DType::f32, 1, 1, 1, {"0.1"}, {"0.1"}),
            Words{"0.010314941"});
  EXPECT_EQ(multiplied(gemm("f8e5m2", "f16", "exact accumulate f16 order(strict) init (0.0)"), DType::f8e5m2, DType::f16, 1, 1,
                       1, {"0.1"}, {"0.1"}),
            Words{"0.00879"});
  EXPECT_EQ(multiplied(gemm("tf32", "f32", kExact), DType::tf32, DType::f32, 1, 1, 1, {"0.1"}, {"0.1"}), Words{"0.009995118"});
  // A sum of 2049 ones sticks at 2048 in an accumulator of f16, not in one of f32.
  const Words ones(2049, "1");
  EXPECT_EQ(multiplied(gemm("f16", "f16", "exact accumulate f16 order(strict) init (0.0)"), DType::f16, DType::f16, 1, 2049, 1,
                       ones, ones),
            Words{"2048.0"});
  EXPECT_EQ(multiplied(gemm("f16", "f32", kExact), DType::f16, DType::f32, 1, 2049, 1, ones, ones), Words{"2049.0"});
}

TEST(Contract, IntegersAreSignedAndWrapInTheAccumulator) {
  auto k = gemm("i8", "i32", "exact accumulate i32 order(any) init (0)");
  EXPECT_EQ(multiplied(k, DType::i8, DType::i32, 1, 3, 1, {"-128", "-128", "127"}, {"-128", "127", "127"}), Words{"16257"});
  auto narrow = gemm("i8", "i8", "exact accumulate i8 order(any) init (0)");
  EXPECT_EQ(multiplied(narrow, DType::i8, DType::i8, 1, 2, 1, {"100", "100"}, {"2", "1"}), Words{"44"});  // 300 mod 256
  auto truth = gemm("i1", "i32", "exact accumulate i32 order(any) init (0)");
  EXPECT_EQ(multiplied(truth, DType::i1, DType::i32, 1, 3, 1, {"true", "true", "false"}, {"true", "true", "true"}), Words{"2"});
}

// shows: K7.6
TEST(Contract, BatchAndSeveralAxesOnEachSide) {
  auto k = parse_kernel(R"(kernel k(a: in i32[B, I, J, K], b: in i32[B, N, K, J], c: out i32[B, I, N]) {
    let r: i32[B, I, N] = contract batch(e in 0..B) free(i in 0..I | n in 0..N) paired(j in 0..J, k in 1..K)
      lhs { a[e, i, j, k] } rhs { b[e, n, k, j] } product exact accumulate i32 order(any) init (0)
    parallel e in 0..B, i in 0..I, n in 0..N { c[e, i, n] = r[e, i, n] }
  })");
  Arguments args;
  args.random("a", DType::i32, {2, 2, 3, 4}, 2).random("b", DType::i32, {2, 5, 4, 3}, 4).tensor("c", DType::i32, {2, 2, 5});
  run_well(k, args);
  auto at = [&](const char* view, std::vector<std::int64_t> c) {
    const Tensor& t = *args.args.views[view];
    return t.load(t.address(c)).as_signed();
  };
  for (std::int64_t e = 0; e < 2; ++e)
    for (std::int64_t i = 0; i < 2; ++i)
      for (std::int64_t n = 0; n < 5; ++n) {
        std::int64_t sum = 0;
        for (std::int64_t j = 0; j < 3; ++j)
          for (std::int64_t q = 1; q < 4; ++q) sum += at("a", {e, i, j, q}) * at("b", {e, n, q, j});
        EXPECT_EQ(at("c", {e, i, n}), sum);
      }
}

TEST(Contract, ACustomProductAndCombine) {
  // Shortest paths of one step: min over k of a + b.
  auto k =
      gemm("f32", "f32", "(x: f32, y: f32) { x + y } combine order(any) (s: f32, p: f32) { min.nan(s, p) } identity (inf)");
  EXPECT_EQ(multiplied(k, DType::f32, DType::f32, 1, 3, 2, {"1", "2", "inf"}, {"5", "1", "3", "7", "0", "-inf"}),
            (Words{"5.0", "nan"}));
  EXPECT_EQ(multiplied(k, DType::f32, DType::f32, 1, 0, 1, {}, {}), Words{"inf"});
}

TEST(Contract, SidesAreEvaluatedOnlyWhereAProductNeedsThem) {
  auto k = parse_kernel(R"(kernel k(a: in i32[K], c: out i32[N]) {
    let r = contract free( | n in 0..N) paired(k in 0..K) lhs { a[k + 5] } rhs { to_i32(n) } product exact accumulate i32 order(any) init (0)
    parallel n in 0..N { c[n] = r[n] }
  })");
  Arguments none;
  none.tensor("a", DType::i32, {3}).tensor("c", DType::i32, {0});
  run_well(k, none);
  Arguments some;
  some.tensor("a", DType::i32, {3}).tensor("c", DType::i32, {1});
  run_badly(k, some, RuntimeErrorKind::out_of_bounds, {"a[5]", "k = 0"});
}

TEST(Contract, ErrorsInAProductNameBothMembers) {
  auto k = gemm("i32", "i32", "(x: i32, y: i32) { divt(x, y) } combine order(any) (s: i32, p: i32) { s + p }");
  Arguments args;
  args.tensor("a", DType::i32, {2, 1}, {"6", "7"}).tensor("b", DType::i32, {1, 2}, {"1", "0"}).tensor("c", DType::i32, {2, 2});
  run_badly(k, args, RuntimeErrorKind::division, {"divt 6 by zero", "m = 0, k = 0", "n = 1"});
}

// The oracle's radius.
double radius(const std::string& product, Words a, Words b) {
  auto k = gemm("f32", "f32", product);
  Arguments args;
  const std::int64_t n = static_cast<std::int64_t>(a.size());
  args.tensor("a", DType::f32, {1, n}, a).tensor("b", DType::f32, {n, 1}, b).tensor("c", DType::f32, {1, 1});
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, args.args, d);
  Reference r = interpret_reference(*k, *launch);
  EXPECT_TRUE(r.result.ok());
  return r.exact ? -1 : r.radius[2][0];
}

TEST(ContractBounds, OrdersAndUnits) {
  EXPECT_EQ(radius("exact accumulate f32 order(strict)", {"0.1", "0.3"}, {"0.7", "1.1"}), -1);  // one answer
  EXPECT_EQ(radius("exact accumulate f32 order(any)", {"1", "3"}, {"2", "5"}), 0.0);
  const double r = radius("exact accumulate f32 order(any)", {"0.1", "0.3", "0.7"}, {"0.7", "1.1", "-2.3"});
  EXPECT_GT(r, 0);
  EXPECT_LT(r, 3 * 2 * 6e-8 * 2.1);
  const double unit = radius("exact accumulate f32 order(any) unit(0.001)", {"1", "3"}, {"2", "5"});
  EXPECT_NEAR(unit, 0.017, 1e-4);
  EXPECT_GT(radius("exact accumulate f32 order(strict) unit(0.001)", {"1", "3"}, {"2", "5"}), 0.0169);
  EXPECT_TRUE(std::isinf(radius("exact accumulate f32 order(any)", {"1e30", "1e30"}, {"1e30", "-1e30"})));
  // A product so small that it is lost bounds nothing.
  EXPECT_GT(radius("exact accumulate f32 order(any)", {"1e-30", "1"}, {"1e-30", "1"}), 0.0);
  EXPECT_EQ(radius("(x: f32, y: f32) { x * y } combine order(any) (s: f32, p: f32) { s + p }", {"1", "3"}, {"2", "5"}), 0.0);
  EXPECT_GT(radius("(x: f32, y: f32) { x * y } combine order(any) (s: f32, p: f32) { s + p }", {"0.1", "3"}, {"0.2", "5"}),
            0.0);
}

}  // namespace
}  // namespace kir
