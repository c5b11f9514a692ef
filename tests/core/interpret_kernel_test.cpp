// The reference interpreter: meaning of each construct, and each erroneous execution at its place.
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

TEST(InterpretKernel, PointwiseOverATwoDimensionalDomain) {
  auto k = parse_kernel(
      "kernel k(x: in f32[M, N], y: out f32[M, N], a: f32) { parallel m in 0..M, n in 0..N { y[m, n] = a * x[m, n] + 1.0 } }");
  Arguments a;
  a.tensor("x", DType::f32, {2, 3}, {"1", "2", "3", "4", "5", "nan"})
      .tensor("y", DType::f32, {2, 3})
      .scalar("a", DType::f32, "2");
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"3.0", "5.0", "7.0", "9.0", "11.0", "nan"}));
}

// shows: K1.4
TEST(InterpretKernel, EveryOrderOfMembersGivesTheSame) {
  auto k =
      parse_kernel("kernel k(x: in i32[M, N], y: out i32[M, N]) { parallel m in 0..M, n in 0..N { y[m, n] = x[m, n] * 3 } }");
  Arguments first;
  first.random("x", DType::i32, {7, 5}, 1).tensor("y", DType::i32, {7, 5});
  run_well(k, first);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    Arguments a;
    a.random("x", DType::i32, {7, 5}, 1).tensor("y", DType::i32, {7, 5});
    run_well(k, a, {.order_seed = seed});
    EXPECT_EQ(a.elements("y"), first.elements("y"));
  }
}

// shows: K1.4 K7.11
TEST(InterpretKernel, OrderedLoopsCarryTheirState) {
  auto k = parse_kernel(R"(kernel fib(y: out i64[N]) {
    let one = i64(1)
    let zero = i64(0)
    let (p, q) = for i in 0..N carry (a: i64 = zero, b: i64 = one) {
      y[i] = a
      next b, a + b
    }
  })");
  Arguments a;
  a.tensor("y", DType::i64, {8});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0", "1", "1", "2", "3", "5", "8", "13"}));
}

TEST(InterpretKernel, StepsAndBounds) {
  auto k = parse_kernel("kernel k(y: inout i32[N], s: index) { for i in 1..N step s { y[i] = i32(7) } }");
  Arguments a;
  a.tensor("y", DType::i32, {6}).symbol("s", 2);
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0", "7", "0", "7", "0", "7"}));
  Arguments b;
  b.tensor("y", DType::i32, {6}).symbol("s", 0);
  run_badly(k, b, bad_step, {"the step is 0"});
}

// shows: K1.4 K7.11
TEST(InterpretKernel, WhileAndIf) {
  auto k = parse_kernel(R"(kernel collatz(x: in i64[N], y: out i64[N]) {
    parallel n in 0..N {
      let start = x[n]
      let zero = i64(0)
      let (v, steps) = while carry (v: i64 = start, steps: i64 = zero) when {
        let c = v != 1
        yield c
      } do {
        let odd = and(v, 1) == 1
        let w: i64 = if odd { yield 3 * v + 1 } else { yield divt(v, 2) }
        next w, steps + 1
      }
      y[n] = steps
    }
  })");
  Arguments a;
  a.tensor("x", DType::i64, {3}, {"1", "6", "27"}).tensor("y", DType::i64, {3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0", "8", "111"}));
}

TEST(InterpretKernel, ReductionsStartWithInitOnceAndElseWithTheFirstMember) {
  auto k = parse_kernel(R"(kernel k(x: in f32[M, N], s: out f32[M], p: out f32[M], c: out f32[M]) {
    parallel m in 0..M {
      s[m] = reduce add order(strict) over n in 0..N { x[m, n] }
      p[m] = reduce max.nan order(any) over n in 0..N { x[m, n] }
      let hundred = f32(100.0)
      let t: f32 = reduce (n in 0..N) map { let v = x[m, n]  yield v }
        combine order(strict) (a: f32, b: f32) { let d = a - b  yield d } init (hundred)
      c[m] = t
    }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {2, 3}, {"1", "2", "4", "-1", "-2", "-4"});
  for (const char* n : {"s", "p", "c"}) a.tensor(n, DType::f32, {2});
  run_well(k, a);
  EXPECT_EQ(a.elements("s"), (Words{"7.0", "-7.0"}));
  EXPECT_EQ(a.elements("p"), (Words{"4.0", "-1.0"}));
  EXPECT_EQ(a.elements("c"), (Words{"93.0", "107.0"}));
  Arguments none;
  none.tensor("x", DType::f32, {1, 0});
  for (const char* n : {"s", "p", "c"}) none.tensor(n, DType::f32, {1});
  run_well(k, none);
  EXPECT_EQ(none.elements("s"), (Words{"0.0"}));
  EXPECT_EQ(none.elements("p"), (Words{"-inf"}));  // no member: the identity
  EXPECT_EQ(none.elements("c"), (Words{"100.0"}));
}

TEST(InterpretKernel, ReductionsOfSeveralComponentsVisitMembersInRowMajorOrder) {
  auto k = parse_kernel(R"(kernel k(x: in i32[M, N], v: out i32[], at: out i64[]) {
    let (best: i32, place: i64) = reduce (m in 0..M, n in 0..N) map { yield x[m, n], to_i64(m * N + n) }
      combine order(strict) (a: i32, i: i64, b: i32, j: i64) {
        let later = b > a
        yield select(later, b, a), select(later, j, i)
      }
    v[] = best
    at[] = place
  })");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}, {"1", "9", "2", "9", "0", "3"}).tensor("v", DType::i32, {}).tensor("at", DType::i64, {});
  run_well(k, a);
  EXPECT_EQ(a.elements("v"), (Words{"9"}));
  EXPECT_EQ(a.elements("at"), (Words{"1"}));
  Arguments none;
  none.tensor("x", DType::i32, {2, 0}).tensor("v", DType::i32, {}).tensor("at", DType::i64, {});
  run_badly(k, none, empty_reduction, {"without members"});
}

TEST(InterpretKernel, RelationsOverViews) {
  auto k = parse_kernel(R"(kernel k(x: in i32[M, N], b: in i32[N], y: out i32[N, M], z: out i32[M, N]) {
    let xt = transpose x perm(1, 0)
    let row = broadcast b axes(1) to [M, N]
    let shifted = view x (i in 0..M, j in 0..N) { yield i, (j + 1) mod N }
    let back = transpose xt perm(1, 0)
    parallel n in 0..N, m in 0..M { y[n, m] = xt[n, m] }
    parallel m in 0..M, n in 0..N { z[m, n] = back[m, n] * 100 + row[m, n] * 10 + shifted[m, n] }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}, {"1", "2", "3", "4", "5", "6"}).tensor("b", DType::i32, {3}, {"7", "8", "9"});
  a.tensor("y", DType::i32, {3, 2}).tensor("z", DType::i32, {2, 3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"1", "4", "2", "5", "3", "6"}));
  EXPECT_EQ(a.elements("z"), (Words{"172", "283", "391", "475", "586", "694"}));
}

TEST(InterpretKernel, StoresGoThroughRelations) {
  auto k = parse_kernel(R"(kernel k(x: in i32[M, N], y: inout i32[N, M]) {
    let yt = transpose y perm(1, 0)
    let inner = slice yt [0..M, 1..N]
    parallel m in 0..M, n in 0..N - 1 { inner[m, n] = x[m, n] }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}, {"1", "2", "3", "4", "5", "6"})
      .tensor("y", DType::i32, {3, 2}, {"9", "9", "9", "9", "9", "9"});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"9", "9", "1", "4", "2", "5"}));
}

TEST(InterpretKernel, TensorsAreSnapshots) {
  auto k = parse_kernel(R"(kernel reverse(x: inout i32[N]) {
    let copy: i32[N] = tensor (n in 0..N) { x[n] }
    parallel n in 0..N { x[n] = copy[N - 1 - n] }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {4}, {"1", "2", "3", "4"});
  run_well(k, a);
  EXPECT_EQ(a.elements("x"), (Words{"4", "3", "2", "1"}));
}

TEST(InterpretKernel, StridesAndInPlaceUpdates) {
  auto k = parse_kernel("kernel k(x: inout f64[N] strides(S)) where S >= 1 { parallel n in 0..N { x[n] = sqrt(x[n]) } }");
  Arguments a;
  a.strided("x", DType::f64, {3}, {2}, {"4", "9", "16"});
  a.args.views["x"]->store(1, Scalar::of_f64(-5));
  run_well(k, a);
  EXPECT_EQ(a.elements("x"), (Words{"2.0", "3.0", "4.0"}));
  EXPECT_EQ(a.args.views["x"]->load(1), Scalar::of_f64(-5));  // between the elements nothing is touched
}

TEST(InterpretKernel, MaskedAccesses) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], y: inout f32[N + 2]) {
    parallel n in 0..N + 2 {
      let inside = 1 <= n < N + 1
      let v = load x[n - 1] where inside fill 5.0
      y[n] = v where n != 0
    }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {2}, {"1", "2"}).tensor("y", DType::f32, {4}, {"9", "9", "9", "9"});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"9.0", "1.0", "2.0", "5.0"}));
}

TEST(InterpretKernel, IndexArithmeticIsExact) {
  auto k = parse_kernel("kernel k(y: out i64[], p: index) { let v = to_i64((p * p * p * p) mod 1000000007)  y[] = v }");
  Arguments a;
  a.tensor("y", DType::i64, {}).symbol("p", 2000000000);
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"38416"}));  // 2 * 10^9 is -14 modulo 10^9 + 7
  Arguments huge;                                // an index has no width; what the interpreter cannot compute it says
  huge.tensor("y", DType::i64, {}).symbol("p", 4000000000000000000);
  run_badly(k, huge, index_overflow, {"p * p * p leaves the 128 bits in which the interpreter computes indices"});
}

// --- erroneous executions ---------------------------------------------------------------------------------------------

TEST(InterpretKernelErrors, OutOfBounds) {
  auto k =
      parse_kernel("kernel k(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M, n in 0..N { y[m, n] = x[m, n + 1] } }");
  Arguments a;
  a.random("x", DType::f32, {3, 4}, 0).tensor("y", DType::f32, {3, 4});
  const RuntimeError e = run_badly(k, a, out_of_bounds, {"load x[0, 4]", "[0, 3) x [0, 4)", "m = 0, n = 3"});
  EXPECT_EQ(k->source->text().substr(e.range.begin, 4), "x[m,");
}

TEST(InterpretKernelErrors, OutOfBoundsBelowAndThroughRelations) {
  auto below = parse_kernel("kernel k(y: out f32[N]) { parallel n in 0..N { y[n - 1] = f32(0.0) } }");
  Arguments a;
  a.tensor("y", DType::f32, {2});
  run_badly(below, a, out_of_bounds, {"store y[-1]", "n = 0"});
  auto slice =
      parse_kernel("kernel k(x: in f32[N], y: out f32[N]) { let s = slice x [1..N + 1]  parallel n in 0..N { y[n] = s[n] } }");
  Arguments b;
  b.random("x", DType::f32, {3}, 0).tensor("y", DType::f32, {3});
  run_badly(slice, b, out_of_bounds, {"load s reaches x[3]", "[0, 3)", "n = 2"});
  auto outer =
      parse_kernel("kernel k(x: in f32[N], y: out f32[N]) { let s = slice x [1..N - 1]  parallel n in 0..N { y[n] = s[n] } }");
  Arguments c;
  c.random("x", DType::f32, {4}, 0).tensor("y", DType::f32, {4});
  run_badly(outer, c, out_of_bounds, {"load s[2] is outside [0, 2)"});
  auto element = parse_kernel(
      "kernel k(x: in f32[N], y: out f32[N]) { let t = tensor (i in 0..N) { x[i] }  parallel n in 0..N { y[n] = t[n + 1] } }");
  Arguments d;
  d.random("x", DType::f32, {4}, 0).tensor("y", DType::f32, {4});
  run_badly(element, d, out_of_bounds, {"elem t[4] is outside [0, 4)"});
}

TEST(InterpretKernelErrors, UninitializedRead) {
  auto k = parse_kernel("kernel k(y: out f32[N]) { for n in 0..N { y[n] = y[n] + 1.0 } }");
  Arguments a;
  a.tensor("y", DType::f32, {2});
  run_badly(k, a, uninitialized_read, {"load y[0]", "never written", "n = 0"});
  auto later =
      parse_kernel("kernel k(y: out f32[N]) { parallel n in 0..N { y[n] = f32(2.0) }  for n in 0..N { y[n] = y[n] + 1.0 } }");
  Arguments b;
  b.tensor("y", DType::f32, {2});
  run_well(later, b);
  EXPECT_EQ(b.elements("y"), (Words{"3.0", "3.0"}));
}

TEST(InterpretKernelErrors, Division) {
  auto k =
      parse_kernel("kernel k(a: in i32[N], b: in i32[N], q: out i32[N]) { parallel n in 0..N { q[n] = divt(a[n], b[n]) } }");
  Arguments zero, least;
  zero.tensor("a", DType::i32, {1}, {"5"}).tensor("b", DType::i32, {1}, {"0"}).tensor("q", DType::i32, {1});
  run_badly(k, zero, division, {"divt 5 by zero"});
  least.tensor("a", DType::i32, {1}, {"-2147483648"}).tensor("b", DType::i32, {1}, {"-1"}).tensor("q", DType::i32, {1});
  run_badly(k, least, division, {"-2147483648 by -1"});
}

TEST(InterpretKernelErrors, Conversion) {
  auto k = parse_kernel("kernel k(x: in f32[N], y: out i32[N]) { parallel n in 0..N { y[n] = to_i32(x[n]) } }");
  Arguments good, nan, large;
  good.tensor("x", DType::f32, {2}, {"-1.9", "2147483520"}).tensor("y", DType::i32, {2});
  run_well(k, good);
  EXPECT_EQ(good.elements("y"), (Words{"-1", "2147483520"}));
  nan.tensor("x", DType::f32, {1}, {"nan"}).tensor("y", DType::i32, {1});
  run_badly(k, nan, conversion, {"nan is outside i32"});
  large.tensor("x", DType::f32, {1}, {"2147483648"}).tensor("y", DType::i32, {1});
  run_badly(k, large, conversion);
}

TEST(InterpretKernelErrors, FailedAssume) {
  auto k = parse_kernel(
      "kernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N { let v = x[n]  let p = v > 0.0  assume p  y[n] = log(v) } "
      "}");
  Arguments a;
  a.tensor("x", DType::f32, {2}, {"1", "-1"}).tensor("y", DType::f32, {2});
  run_badly(k, a, failed_assume, {"p is false", "n = 1"});
}

TEST(InterpretKernelErrors, ZeroDivisor) {
  auto k = parse_kernel("kernel k(x: in f32[N], y: out f32[N], d: index) { parallel n in 0..N { y[n] = x[n floordiv d] } }");
  Arguments a;
  a.random("x", DType::f32, {2}, 0).tensor("y", DType::f32, {2}).symbol("d", 0);
  run_badly(k, a, zero_divisor, {"n floordiv d", "n = 0"});
}

TEST(InterpretKernel, BoundsNearTheEndOfTheIntegers) {
  const std::string top = "9223372036854775807", head = "kernel k(y: out i32[1]) { let s = " + top + " * " + top + "  ";
  Arguments a;
  a.tensor("y", DType::i32, {1});
  // The iteration after the last one would be beyond 128 bits: 0, s, 2 s.
  auto k = parse_kernel(head + "let n = for i in 0..2 * s + 1 step s carry (n = i32(0)) { next n + 1 }  y[0] = n }");
  run_well(k, a, {.max_steps = 1000});
  EXPECT_EQ(a.elements("y"), std::vector<std::string>{"3"});
  // So would the number of members be.
  for (const char* endless :
       {"parallel i in -2 * s..2 * s { }", "let t = reduce add order(any) over i in -2 * s..2 * s { i32(1) }",
        "let t = for i in -2 * s..2 * s collect (i32) { next i32(1) }"})
    run_badly(parse_kernel(head + endless + "  y[0] = 1 }"), a, step_limit, {"more than 1000 steps"}, {.max_steps = 1000});
}

TEST(InterpretKernelErrors, StepLimit) {
  auto k = parse_kernel(
      "kernel k(y: out i32[]) { let one = i32(1)  let r = while carry (v: i32 = one) when { let c = v == v  yield c } do { "
      "next v }  y[] = r }");
  Arguments a;
  a.tensor("y", DType::i32, {});
  run_badly(k, a, step_limit, {"more than 1000 steps"}, {.max_steps = 1000});
  auto huge = parse_kernel(
      "kernel k(y: out i32[], n: index) { for i in 0..n { for j in 0..n * n * n { let z = i32(0) } }  y[] = i32(0) }");
  Arguments b;
  b.tensor("y", DType::i32, {}).symbol("n", 4000000000000);
  run_badly(huge, b, step_limit, {}, {.max_steps = 1000});
}

// shows: K2.2 K9.4
TEST(InterpretKernelErrors, RaceOfTwoWrites) {
  auto k = parse_kernel("kernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N { y[n floordiv 2] = x[n] } }");
  Arguments a;
  a.random("x", DType::f32, {4}, 0).tensor("y", DType::f32, {4});
  run_badly(k, a, race, {"store y[0]", "the instance n = 0 writes", "n = 1"});
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Arguments b;
    b.random("x", DType::f32, {4}, 0).tensor("y", DType::f32, {4});
    run_badly(k, b, race, {}, {.order_seed = seed});
  }
  run_well(k, a, {.detect_races = false});
}

TEST(InterpretKernelErrors, EqualValuesRaceToo) {
  auto k = parse_kernel("kernel k(y: out f32[]) { parallel n in 0..2 { y[] = f32(1.0) } }");
  Arguments a;
  a.tensor("y", DType::f32, {});
  run_badly(k, a, race, {"the instance n = 0 writes"});
}

TEST(InterpretKernelErrors, RaceOfAReadWithALaterAndAnEarlierWrite) {
  auto left = parse_kernel(
      "kernel k(y: inout f32[N]) { parallel n in 0..N { let v = load y[n - 1] where n >= 1 fill 0.0  y[n] = v } }");
  Arguments a;
  a.random("y", DType::f32, {4}, 0);
  run_badly(left, a, race, {"load y[0]", "n = 0 writes", "n = 1"});
  auto right = parse_kernel(
      "kernel k(y: inout f32[N]) { parallel n in 0..N { let v = load y[n + 1] where n + 1 < N fill 0.0  y[n] = v } }");
  Arguments b;
  b.random("y", DType::f32, {4}, 0);
  run_badly(right, b, race, {"store y[1]", "n = 0 reads", "n = 1"});
}

TEST(InterpretKernelErrors, RacesFollowTheNest) {
  // Instances of an inner parallel race with each other, not with the statements before and after it.
  auto inner = parse_kernel(R"(kernel k(y: inout f32[M]) {
    parallel m in 0..M {
      y[m] = f32(1.0)
      parallel n in 0..3 { let v = y[m] }
      y[m] = f32(2.0)
      for n in 0..3 { y[m] = f32(3.0) }
    }
    parallel m in 0..M { y[M - 1 - m] = f32(4.0) }
  })");
  Arguments a;
  a.random("y", DType::f32, {4}, 0);
  run_well(inner, a);
  EXPECT_EQ(a.elements("y"), (Words{"4.0", "4.0", "4.0", "4.0"}));
  auto written = parse_kernel("kernel k(y: inout f32[M]) { parallel m in 0..M { parallel n in 0..3 { y[m] = f32(1.0) } } }");
  Arguments b;
  b.random("y", DType::f32, {4}, 0);
  run_badly(written, b, race, {"the instance n = 0 writes", "m = 0, n = 1"});
  // Cousins: the inner parallels of two instances of the outer one.
  auto cousins = parse_kernel("kernel k(y: inout f32[M]) { parallel m in 0..M { parallel n in 0..M { y[n] = f32(1.0) } } }");
  Arguments c;
  c.random("y", DType::f32, {4}, 0);
  run_badly(cousins, c, race, {"the instance m = 0 writes", "m = 1, n = 0"});
  // A read by one instance must be remembered although another, ordered, read follows.
  auto remembered = parse_kernel(R"(kernel k(y: inout f32[M]) {
    parallel m in 0..2 {
      let v = y[0]
      parallel n in 0..2 { let w = y[0] }
      let last = m == 1
      if last { y[0] = f32(1.0) }
    }
  })");
  Arguments d;
  d.random("y", DType::f32, {1}, 0);
  run_badly(remembered, d, race, {"m = 0 reads", "m = 1"});
}

TEST(InterpretKernelErrors, RacesThroughAliases) {
  auto k = parse_kernel(
      "kernel k(x: in f32[N], y: inout f32[N]) alias { may_alias(x, y) } { parallel n in 0..N { y[n] = x[N - 1 - n] } }");
  Arguments apart, together;
  apart.random("x", DType::f32, {4}, 0).tensor("y", DType::f32, {4});
  run_well(k, apart);
  together.random("x", DType::f32, {4}, 0);
  together.args.views["y"] = together.args.views["x"];
  run_badly(k, together, race, {"load x[1]", "n = 1 writes", "n = 2"});
}

}  // namespace
}  // namespace kir
