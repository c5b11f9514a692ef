// Running error bounds: they contain what other orders and other correctly classed functions give, and are not vacuous.
#include "core/interp/oracle.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;

Reference reference(const std::shared_ptr<const Kernel>& k, const Arguments& a) {
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, d);
  EXPECT_TRUE(launch.has_value());
  return interpret_reference(*k, *launch);
}

const char* kSum = "kernel sum(x: in f32[N], s: out f32[]) { let t = reduce add order(any) over n in 0..N { x[n] }  s[] = t }";

TEST(Oracle, SaysWhichKernelsHaveOneAnswer) {
  auto several = [](const std::string& body) {
    return has_several_answers(
        *parse_kernel("kernel k(x: in f32[N], i: in i32[N], y: out f32[N], s: out f32[]) { " + body + " }"));
  };
  EXPECT_FALSE(several("parallel n in 0..N { y[n] = sqrt(x[n]) / 3.0 }"));
  EXPECT_TRUE(several("parallel n in 0..N { y[n] = exp(x[n]) }"));
  EXPECT_TRUE(several("let t = reduce add order(any) over n in 0..N { x[n] }  s[] = t"));
  EXPECT_FALSE(several("let t = reduce add order(strict) over n in 0..N { x[n] }  s[] = t"));
  EXPECT_FALSE(several("let t = reduce max.nan order(any) over n in 0..N { x[n] }"));
  EXPECT_FALSE(several("let t = reduce add order(any) over n in 0..N { i[n] }"));
  EXPECT_TRUE(several("let t = reduce mul order(tree) over n in 0..N { x[n] }  s[] = t"));
}

TEST(Oracle, ReshapeConcatAndGatherCarryTheRadius) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], y: out f32[N], z: out f32[N + N], n: out f32[N]) {
    let e = tensor (i in 0..N) { exp(x[i]) }
    let flat = reshape e to [1, N]
    let both = concat axis(1) flat, flat
    let turned = gather both[0, i + 1] for (i in 0..N)
    let number: f32[N] = iota axis(0) to [N]
    parallel i in 0..N { y[i] = turned[i] }
    parallel i in 0..N + N { z[i] = both[0, i] }
    parallel i in 0..N { n[i] = number[i] }
  })");
  Arguments a;
  a.random("x", DType::f32, {6}, 3).tensor("y", DType::f32, {6}).tensor("z", DType::f32, {12}).tensor("n", DType::f32, {6});
  Reference r = reference(k, a);
  ASSERT_TRUE(r.result.ok()) << r.result.error->message;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_GT(r.radius[2][i], 0);
    EXPECT_EQ(r.radius[2][i + 6], r.radius[2][i]);
    EXPECT_EQ(r.radius[1][i], r.radius[2][i + 1]);
    EXPECT_EQ(r.radius[3][i], 0);
  }
  // A gather of memory that holds several answers.
  auto from_memory = parse_kernel(R"(kernel k(x: in f32[N], y: out f32[N], z: out f32[N]) {
    parallel i in 0..N { y[i] = exp(x[i]) }
    let g = gather y[N - 1 - i] for (i in 0..N)
    parallel i in 0..N { z[i] = g[i] }
  })");
  Arguments b;
  b.random("x", DType::f32, {6}, 3).tensor("y", DType::f32, {6}).tensor("z", DType::f32, {6});
  Reference m = reference(from_memory, b);
  ASSERT_TRUE(m.result.ok());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(m.radius[2][i], m.radius[1][5 - i]);
  EXPECT_GT(m.radius[2][0], 0);
}

// A random word that depends on which way a rounding went has no bound.
TEST(Oracle, RandomWordsOfUndecidedCountersAreUndecided) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], y: out i32[N]) {
    parallel i in 0..N {
      let (a, b, c, d) = philox4x32_10(0, 0, to_i32(exp(x[i]) * 1000000.0), 0, 0, 0)
      y[i] = a
    }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {1}, {"0.7"}).tensor("y", DType::i32, {1});
  Reference r = reference(k, a);
  ASSERT_TRUE(r.result.ok());
  EXPECT_TRUE(std::isinf(r.radius[1][0]));
}

TEST(Oracle, ExactSumsHaveOneAnswer) {
  auto k = parse_kernel(kSum);
  Arguments a;
  a.random("x", DType::f32, {1000}, 2).tensor("s", DType::f32, {});
  Reference r = reference(k, a);
  EXPECT_TRUE(r.result.ok());
  EXPECT_FALSE(r.exact);
  EXPECT_EQ(r.radius[1][0], 0.0);
  EXPECT_EQ(r.basis, "every partial result is exact");
}

TEST(Oracle, SumsInAnyOrderStayWithinTheRadius) {
  auto k = parse_kernel(kSum);
  std::mt19937 random(7);
  for (std::uint64_t seed = 1; seed < 40; seed += 2) {
    Arguments a;
    a.random("x", DType::f32, {257}, seed).tensor("s", DType::f32, {});
    Reference r = reference(k, a);
    const double radius = r.radius[1][0], value = a.args.views["s"]->load(0).as_double();
    EXPECT_GT(radius, 0);
    EXPECT_LT(radius, 0.05) << value;
    EXPECT_EQ(r.basis, "any order of up to 258 terms");  // the initial value is one of them
    std::vector<float> terms;
    for (std::int64_t i = 0; i < 257; ++i) terms.push_back(static_cast<float>(a.args.views["x"]->load(i).as_double()));
    for (int round = 0; round < 50; ++round) {
      std::vector<float> row = terms;
      std::shuffle(row.begin(), row.end(), random);
      while (row.size() > 1) {
        const std::size_t at = random() % (row.size() - 1);
        row[at] += row[at + 1];
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
      EXPECT_LE(std::fabs(static_cast<double>(row[0]) - value), radius);
    }
  }
}

TEST(Oracle, InfinitiesAndNansInSumsAreSettled) {
  auto k = parse_kernel(kSum);
  for (auto [text, wanted] : {std::pair<const char*, const char*>{"inf", "inf"}, {"nan", "nan"}}) {
    Arguments a;
    a.tensor("x", DType::f32, {3}, {"0.1", text, "1e10"}).tensor("s", DType::f32, {});
    Reference r = reference(k, a);
    EXPECT_EQ(r.radius[1][0], 0.0);
    EXPECT_EQ(a.elements("s"), Words{wanted});
  }
  Arguments large;  // some orders overflow, others do not
  large.tensor("x", DType::f32, {3}, {"3e38", "3e38", "-3e38"}).tensor("s", DType::f32, {});
  EXPECT_TRUE(std::isinf(reference(k, large).radius[1][0]));
}

TEST(Oracle, FunctionsMayDifferByTheirClass) {
  auto k = parse_kernel("kernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N { y[n] = exp(x[n]) * 2.0 } }");
  Arguments a;
  a.random("x", DType::f32, {200}, 1).tensor("y", DType::f32, {200});
  Reference r = reference(k, a);
  EXPECT_EQ(r.basis, "functions within 2 ulp");
  Tensor other = *a.args.views["y"];
  for (std::int64_t i = 0; i < 200; ++i) {
    const Scalar v = other.load(i);
    other.store(i, {DType::f32, v.bits + (i % 2 ? 2 : -2)});  // two ulp of the product are two ulp of the exponential
  }
  Comparison within = compare(*a.args.views["y"], other, &r.radius[1]);
  EXPECT_EQ(within.verdict, Comparison::Verdict::within) << describe(within);
  EXPECT_EQ(compare(*a.args.views["y"], *a.args.views["y"], &r.radius[1]).verdict, Comparison::Verdict::equal);
  EXPECT_EQ(compare(*a.args.views["y"], other, nullptr).verdict, Comparison::Verdict::different);
  other.store(5, {DType::f32, a.args.views["y"]->load(5).bits + 20});
  Comparison beyond = compare(*a.args.views["y"], other, &r.radius[1]);
  EXPECT_EQ(beyond.verdict, Comparison::Verdict::different);
  EXPECT_EQ(beyond.coordinate, std::vector<std::int64_t>{5});
  EXPECT_NE(describe(beyond).find("first at (5)"), std::string::npos);
}

// Softmax in double with a different order must be within the radius; the radius must be small.
TEST(Oracle, PropagatesThroughAKernel) {
  auto k = parse_kernel(R"(kernel softmax(x: in f32[M, N], y: out f32[M, N]) {
    parallel m in 0..M {
      let peak = reduce max.nan order(any) over n in 0..N { x[m, n] }
      let total = reduce add order(any) over n in 0..N { exp(x[m, n] - peak) }
      parallel n in 0..N { y[m, n] = exp(x[m, n] - peak) / total }
    }
  })");
  Arguments a;
  a.random("x", DType::f32, {4, 100}, 1).tensor("y", DType::f32, {4, 100});
  Reference r = reference(k, a);
  ASSERT_TRUE(r.result.ok());
  EXPECT_EQ(r.basis, "any order of up to 101 terms, functions within 2 ulp");
  for (std::int64_t m = 0; m < 4; ++m) {
    double peak = -HUGE_VAL, total = 0;
    auto x = [&](std::int64_t n) { return a.args.views["x"]->load(m * 100 + n).as_double(); };
    for (std::int64_t n = 0; n < 100; ++n) peak = std::max(peak, x(n));
    for (std::int64_t n = 100; n-- > 0;)
      total += std::exp(static_cast<double>(static_cast<float>(x(n)) - static_cast<float>(peak)));
    for (std::int64_t n = 0; n < 100; ++n) {
      const double exact = std::exp(static_cast<double>(static_cast<float>(x(n)) - static_cast<float>(peak))) / total;
      const double got = a.args.views["y"]->load(m * 100 + n).as_double(),
                   radius = r.radius[1][static_cast<std::size_t>(m * 100 + n)];
      EXPECT_LE(std::fabs(got - exact), radius);
      EXPECT_LT(radius, 1e-4 * got + 1e-30);
    }
  }
}

TEST(Oracle, StraddledBranchesAreNotDecided) {
  auto branch = parse_kernel(
      "kernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N { let v = exp(x[n])  if v > 1.0 { y[n] = f32(1.0) } else { "
      "y[n] = f32(0.0) } } }");
  Arguments near, far;
  near.tensor("x", DType::f32, {1}, {"0.0"}).tensor("y", DType::f32, {1});
  far.tensor("x", DType::f32, {2}, {"1.0", "-1.0"}).tensor("y", DType::f32, {2});
  EXPECT_TRUE(reference(branch, near).undecided);
  Reference decided = reference(branch, far);
  EXPECT_FALSE(decided.undecided);
  EXPECT_EQ(decided.radius[1][0], 0.0);
  auto chosen = parse_kernel(
      "kernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N { let v = exp(x[n])  y[n] = select(v > 1.0, 1.0, 0.0) } }");
  Reference r = reference(chosen, near);
  EXPECT_FALSE(r.undecided);
  EXPECT_GE(r.radius[1][0], 1.0);
  auto converted = parse_kernel("kernel k(x: in f32[N], y: out i32[N]) { parallel n in 0..N { y[n] = to_i32(exp(x[n])) } }");
  Arguments ints;
  ints.tensor("x", DType::f32, {2}, {"0.0", "0.5"}).tensor("y", DType::i32, {2});
  Reference c = reference(converted, ints);
  EXPECT_TRUE(std::isinf(c.radius[1][0]));  // exp(0) may come out just below 1
  EXPECT_EQ(c.radius[1][1], 0.0);
  Tensor other = *ints.args.views["y"];
  other.store(0, Scalar::of_int(DType::i32, 0));
  Comparison with = compare(*ints.args.views["y"], other, &c.radius[1]);
  EXPECT_EQ(with.verdict, Comparison::Verdict::undecided);
  EXPECT_EQ(with.undecided, 1);
  EXPECT_EQ(describe(with), "not decided: 1 of 2 elements differ where permitted executions are not bounded");
  // The reference's own bits are a permitted answer, whatever the radius.
  EXPECT_EQ(compare(*ints.args.views["y"], *ints.args.views["y"], &c.radius[1]).verdict, Comparison::Verdict::equal);
  // A difference outweighs what is not decided.
  other.store(1, Scalar::of_int(DType::i32, 7));
  EXPECT_EQ(compare(*ints.args.views["y"], other, &c.radius[1]).verdict, Comparison::Verdict::different);
}

TEST(Oracle, CustomCombinesAreSampled) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], s: out f32[], c: out i32[]) {
    let one = i32(1)
    let (t: f32, n: i32) = reduce (n in 0..N) map { yield x[n], one }
      combine order(tree) (a: f32, i: i32, b: f32, j: i32) { yield a + b, i + j }
    s[] = t
    c[] = n
  })");
  Arguments a;
  a.random("x", DType::f32, {100}, 1).tensor("s", DType::f32, {}).tensor("c", DType::i32, {});
  Reference r = reference(k, a);
  ASSERT_TRUE(r.result.ok());
  EXPECT_EQ(r.basis, "sampled orders of up to 100 terms");
  EXPECT_GT(r.radius[1][0], 0);
  EXPECT_LT(r.radius[1][0], 0.1);
  EXPECT_EQ(r.radius[2][0], 0.0);
  EXPECT_EQ(a.elements("c"), Words{"100"});
}

TEST(Oracle, ProductsInAnyOrder) {
  auto k =
      parse_kernel("kernel k(x: in f32[N], s: out f32[]) { let t = reduce mul order(any) over n in 0..N { x[n] }  s[] = t }");
  auto radius = [&](Words elements) {
    Arguments a;
    a.tensor("x", DType::f32, {static_cast<std::int64_t>(elements.size())}, elements).tensor("s", DType::f32, {});
    return reference(k, a).radius[1][0];
  };
  EXPECT_EQ(radius({"2", "3", "0.5", "-7"}), 0.0);
  EXPECT_EQ(radius({"1.1", "0", "3"}), 0.0);
  EXPECT_GT(radius({"1.1", "1.3", "1.7"}), 0.0);
  EXPECT_LT(radius({"1.1", "1.3", "1.7"}), 2e-6);
  EXPECT_TRUE(std::isinf(radius({"1e30", "1.1e30", "1e-30"})));
}

TEST(Oracle, NanPayloadsAndZerosAreCompared) {
  Tensor a = Tensor::row_major(DType::f32, {2}), b = a;
  a.store(0, {DType::f32, 0x7fc00001});
  b.store(0, {DType::f32, 0xffc00000});
  EXPECT_EQ(compare(a, b, nullptr).verdict, Comparison::Verdict::equal);
  b.store(1, Scalar::of_f32(-0.0f));
  EXPECT_EQ(describe(compare(a, b, nullptr)), "different: first at (1): 0.0 and -0.0");
}

}  // namespace
}  // namespace kir
