// Members left out, choices, random words and contractions: known answers on the host, and code for the GPU.
#include <cmath>

#include "run_pir.h"

namespace kir {
namespace {

using namespace testing;

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

// One instance writes what the body makes of x.
std::string of_x(const std::string& body) {
  std::string text = one_group(" x: view f32[M] strides(1) in align 4\n y: view f32[N] strides(1) out align 4", body);
  return text.replace(text.find("dims N: i64"), 11, "dims N: i64, M: i64");
}

std::vector<double> run(const std::string& text, std::initializer_list<float> x, std::int64_t results) {
  auto p = parse_program(text);
  EXPECT_NE(gpu_code(*p), "");
  auto y = zeros(DType::f32, {results});
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", tensor(DType::f32, {static_cast<std::int64_t>(x.size())}, x)}, {"y", y}}}), "");
  return floats(*y);
}

// shows: K7.12
TEST(Folds, AMemberWhosePredicateIsFalseIsNeitherMappedNorCombined) {
  // Elements outside x are never loaded; NaN and what is not above 0 is no member.
  const std::string sum = of_x(R"(
    %z: f32 = constant 0.0
    %s: f32 = reduce (%n: i64 in -3..M + 3) where {
      %in: i1 = index 0 <= %n < M
      %p: i1 = if %in { %e: f32 = load x[%n]  %g: i1 = cmp.ogt %e, %z  yield %g } else { yield %in }
      yield %p
    } map { %e: f32 = load x[%n]  yield %e } combine order(strict) (%a: f32, %b: f32) { %r: f32 = add %a, %b  yield %r } init (%z)
    store y[%i] = %s)");
  EXPECT_EQ(run(sum, {1, -2, kNan, 4, 0.5f}, 1), std::vector<double>{5.5});
  EXPECT_EQ(run(sum, {-1, kNan}, 1), std::vector<double>{0});
  // Without an initial value the first member that is there begins.
  const std::string product = of_x(R"(
    %s: f32 = reduce (%n: i64 in 0..M) where { %p: i1 = index %n mod 2 == 1  yield %p } map { %e: f32 = load x[%n]  yield %e }
      combine order(strict) (%a: f32, %b: f32) { %r: f32 = sub %a, %b  yield %r }
    store y[%i] = %s)");
  EXPECT_EQ(run(product, {9, 1, 9, 10, 9}, 1), std::vector<double>{-9});
}

std::string choice(const std::string& rules, const std::string& init) {
  return of_x("%bad: f32 = constant 7.0\n%none: i64 = constant -1\n(%v: f32, %n: i64) = arg_reduce " + rules +
              " (%k: i64 in 0..M) map { %e: f32 = load x[%k]  yield %e }" + init +
              "\n%f: f32 = convert.sint %n\n%c: i1 = index %i == 0\n%s: f32 = select %c, %v, %f\nstore y[%i] = %s");
}

// shows: K7.12
TEST(Folds, AChoiceFollowsItsRulesForTiesAndNan) {
  auto at = [&](const char* rules, std::initializer_list<float> x, const char* init = "") {
    return run(choice(rules, init), x, 2)[1];
  };
  EXPECT_EQ(at("max tie(first) nan(first)", {1, 3, 2, 3}), 1);
  EXPECT_EQ(at("max tie(last) nan(first)", {1, 3, 2, 3}), 3);
  EXPECT_EQ(at("min tie(first) nan(first)", {2, 1, 3, 1}), 1);
  EXPECT_EQ(at("min tie(last) nan(first)", {2, 1, 3, 1}), 3);
  EXPECT_EQ(at("max tie(first) nan(first)", {-0.0f, 0.0f}), 0);  // zeros are equal
  EXPECT_EQ(at("max tie(last) nan(first)", {0.0f, -0.0f}), 1);
  EXPECT_EQ(at("max tie(last) nan(first)", {1, kNan, 3, kNan}), 1);
  EXPECT_EQ(at("max tie(first) nan(last)", {1, kNan, kInf, kNan, 2}), 3);
  EXPECT_EQ(at("min tie(first) nan(ignore)", {kNan, 5, kNan, 4, kNan}), 3);
  EXPECT_EQ(at("max tie(first) nan(ignore)", {kNan, kNan}, " init (%bad, %none)"), -1);
  EXPECT_EQ(at("max tie(first) nan(ignore)", {8, 9}, " init (%bad, %none)"), 1);
  EXPECT_EQ(at("max tie(first) nan(ignore)", {7, 7}, " init (%bad, %none)"), -1);  // the initial one is the first
  EXPECT_EQ(at("max tie(last) nan(ignore)", {7, 6}, " init (%bad, %none)"), 0);
  EXPECT_EQ(run(choice("min tie(first) nan(ignore)", ""), {kNan, 5, 4}, 2)[0], 4);
}

// The known answers of philox4x32 with ten rounds in Random123's kat_vectors.
TEST(Folds, RandomWordsAreTheKnownAnswers) {
  const std::uint32_t known[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0xa4093822, 0x299f31d0, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  auto p =
      parse_program(one_group(" k: view i32[N, 6] strides(6, 1) in align 4\n y: view i32[N, 4] strides(4, 1) out align 4", R"(
    %a: i32 = load k[%i, 0]
    %b: i32 = load k[%i, 1]
    %c: i32 = load k[%i, 2]
    %d: i32 = load k[%i, 3]
    %e: i32 = load k[%i, 4]
    %f: i32 = load k[%i, 5]
    (%r0: i32, %r1: i32, %r2: i32, %r3: i32) = philox4x32_10 %a, %b, %c, %d, %e, %f
    store y[%i, 0] = %r0
    store y[%i, 1] = %r1
    store y[%i, 2] = %r2
    store y[%i, 3] = %r3)"));
  auto k = zeros(DType::i32, {3, 6}), y = zeros(DType::i32, {3, 4});
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 6; ++j) k->store(6 * i + j, {DType::i32, known[i][j]});
  ASSERT_EQ(run_on_host(*p, {.views = {{"k", k}, {"y", y}}}), "");
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 4; ++j) EXPECT_EQ(y->load(4 * i + j).bits, known[i][6 + j]) << i << " " << j;
  EXPECT_NE(gpu_code(*p), "");
}

// shows: K7.6
TEST(Folds, AnExactProductEntersTheSumUnrounded) {
  auto sum = [&](const std::string& product) {
    return of_x(
        "%m: f32 = constant -1.0\n%v: f32 = contract batch() free( | ) paired(%k: i64 in 0..M) lhs { %a: f32 = load x[%k]  "
        "yield %a } rhs { %b: f32 = load x[%k]  yield %b } product " +
        product + "\nstore y[%i] = %v");
  };
  const float x = 1.0f + 0x1p-12f;
  EXPECT_EQ(run(sum("exact accumulate f32 order(strict) init (%m)"), {x}, 1), std::vector<double>{0x1p-11 + 0x1p-24});
  const std::string rounded =
      "(%p: f32, %q: f32) { %r: f32 = mul %p, %q  yield %r } combine order(strict) (%s: f32, %t: f32) { %r: f32 = add %s, %t  "
      "yield "
      "%r } init (%m)";
  EXPECT_EQ(run(sum(rounded), {x}, 1), std::vector<double>{0x1p-11});
  // Without an initial value the first product is rounded by itself; without a member it is the identity.
  EXPECT_EQ(run(sum("exact accumulate f32 order(strict) identity (-0.0)"), {3, 4}, 1), std::vector<double>{25});
  EXPECT_TRUE(std::signbit(run(sum("exact accumulate f32 order(strict) identity (-0.0)"), {}, 1)[0]));
  EXPECT_EQ(run(sum("exact accumulate f32 order(strict) init (%m)"), {}, 1), std::vector<double>{-1});
}

TEST(Folds, SidesOfNarrowTypesAreWidenedExactly) {
  struct Case {
    DType side, sum;
    double expected;
  };
  // 3 * 3 + 5 * 5 in each type.
  for (Case c : {Case{DType::f16, DType::f32, 34},
                 {DType::bf16, DType::f32, 34},
                 {DType::f8e4m3, DType::f32, 34},
                 {DType::f8e5m2, DType::f16, 34},
                 {DType::f32, DType::f64, 34},
                 {DType::tf32, DType::f32, 34},
                 {DType::f16, DType::f16, 34},
                 {DType::i8, DType::i32, 34},
                 {DType::i32, DType::i64, 34}}) {
    const std::string side(name(c.side)), total(name(c.sum));
    auto p = parse_program(one_group(" x: view " + side + "[N, 2] strides(2, 1) in\n y: view " + total + "[N] strides(1) out",
                                     "%z: " + total + " = constant " + (is_float(c.sum) ? "0.0" : "0") + "\n%v: " + total +
                                         " = contract batch() free( | ) paired(%k: i32 in 0..2) lhs { %a: " + side +
                                         " = load x[%i, %k]  yield %a } rhs { %b: " + side +
                                         " = load x[%i, %k]  yield %b } product exact accumulate " + total +
                                         " order(any) init (%z)\nstore y[%i] = %v"));
    EXPECT_NE(gpu_code(*p), "");
    auto x = zeros(c.side, {1, 2}), y = zeros(c.sum, {1});
    for (std::int64_t k = 0; k < 2; ++k)
      x->store(k, is_float(c.side) ? *parse_literal(k ? "5.0" : "3.0", c.side) : Scalar::of_int(c.side, k ? 5 : 3));
    ASSERT_EQ(run_on_host(*p, {.views = {{"x", x}, {"y", y}}}), "");
    const Scalar got = y->load(0);
    EXPECT_EQ(is_float(c.sum) ? got.as_double() : static_cast<double>(got.as_signed()), c.expected) << side << " in " << total;
  }
}

}  // namespace
}  // namespace kir
