// Buffers, scatter and histogram in the reference interpreter.
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

// shows: K5.3 K5.7
TEST(Buffers, AreFreshForEachExecutionOfTheirBlock) {
  auto k = parse_kernel(R"(kernel k(y: out i32[N]) {
    for i in 0..N {
      let b = buffer i32[2]
      b[0] = to_i32(i)
      let v: i32 = if i == 2 { yield b[1] } else { yield b[0] }
      y[i] = v
      b[1] = v
    }
  })");
  Arguments a;
  a.tensor("y", DType::i32, {2});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0", "1"}));
  Arguments b;
  b.tensor("y", DType::i32, {3});  // b[1] was written in iteration 1, but not in iteration 2
  run_badly(k, b, uninitialized_read, {"load b[1]", "an element of b", "i = 2"});
}

TEST(Buffers, BelongToTheInstanceThatMakesThem) {
  auto k = parse_kernel(R"(kernel k(x: in i32[M, N], y: out i32[M, N]) {
    parallel m in 0..M {
      let b = buffer i32[N]
      parallel n in 0..N { b[n] = x[m, n] }
      parallel n in 0..N { y[m, n] = b[N - 1 - n] }
    }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}, {"1", "2", "3", "4", "5", "6"}).tensor("y", DType::i32, {2, 3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"3", "2", "1", "6", "5", "4"}));
  auto shared = parse_kernel(R"(kernel k(y: out i32[N]) {
    let b = buffer i32[1]
    parallel n in 0..N { b[0] = to_i32(n) }
    y[0] = b[0]
  })");
  Arguments b;
  b.tensor("y", DType::i32, {1});
  run_well(shared, b);
  Arguments c;
  c.tensor("y", DType::i32, {2});
  run_badly(shared, c, race, {"store b[0]", "the instance n = 0 writes", "n = 1"});
}

// shows: K5.2
TEST(Buffers, BeginWithTheirInitialValue) {
  auto k = parse_kernel(R"(kernel k(x: in i32[N], y: out i32[N, 3]) {
    let b: view i32[N, 3] = buffer [N, 3] init (i, j) { x[i] + to_i32(10 * j) }
    b[0, 0] = i32(7)
    let t = transpose b perm(1, 0)
    parallel i in 0..N, j in 0..3 { y[i, j] = t[j, i] }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {2}, {"1", "2"}).tensor("y", DType::i32, {2, 3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"7", "11", "21", "2", "12", "22"}));
  Arguments empty;
  empty.tensor("x", DType::i32, {0}).tensor("y", DType::i32, {0, 3});
  run_badly(k, empty, out_of_bounds, {"store b[0, 0]", "[0, 0) x [0, 3)"});
}

TEST(Buffers, OfNoOneAndTooManyElements) {
  auto k = parse_kernel(R"(kernel k(y: inout i32[], n: index) {
    let b = buffer i32[n - 1, n * n] init (i, j) { 5 }
    let c = buffer i32[]
    c[] = i32(3)
    y[] = y[] + c[]
  })");
  for (std::int64_t n : {0, 1, 3}) {
    Arguments a;
    a.tensor("y", DType::i32, {}, {"1"}).symbol("n", n);
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), Words{"4"});
  }
  Arguments much;
  much.tensor("y", DType::i32, {}).symbol("n", 2000000000);
  run_badly(k, much, unsupported, {"more than this machine holds"});
  Arguments steps;
  steps.tensor("y", DType::i32, {}).symbol("n", 100);
  run_badly(k, steps, step_limit, {}, {.max_steps = 1000});
}

TEST(Scatter, UniqueMembersPermute) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], idx: in i32[N], y: inout f32[N], place: inout i32[N]) {
    scatter unique y, place (e in 0..N) { yield to_index(idx[e]), x[e], to_i32(e) where x[e] >= 0.0 }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {4}, {"1.5", "-1.0", "0.5", "nan"})
      .tensor("idx", DType::i32, {4}, {"3", "77", "0", "-1"})
      .tensor("y", DType::f32, {4}, {"9.0", "9.0", "9.0", "9.0"})
      .tensor("place", DType::i32, {4}, {"9", "9", "9", "9"});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0.5", "9.0", "9.0", "1.5"}));
  EXPECT_EQ(a.elements("place"), (Words{"2", "9", "9", "0"}));
  Arguments none;
  none.tensor("x", DType::f32, {0})
      .tensor("idx", DType::i32, {0})
      .tensor("y", DType::f32, {0})
      .tensor("place", DType::i32, {0});
  run_well(k, none);
}

// shows: K9.4
TEST(Scatter, TwoMembersOnOneElementAreErroneous) {
  auto k =
      parse_kernel("kernel k(idx: in i32[N], y: out i32[N]) { scatter unique y (e in 0..N) { yield to_index(idx[e]), 7 } }");
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Arguments a;
    a.tensor("idx", DType::i32, {3}, {"2", "0", "2"}).tensor("y", DType::i32, {3});
    run_badly(k, a, race, {"scatter y[2]", "the member e = "}, {.order_seed = seed});
  }
  Arguments far;
  far.tensor("idx", DType::i32, {2}, {"0", "2"}).tensor("y", DType::i32, {2});
  run_badly(k, far, out_of_bounds, {"scatter y[2]", "[0, 2)", "e = 1"});
}

TEST(Scatter, ReducesWithTheOldContents) {
  auto k = parse_kernel(R"(kernel k(x: in i32[N], idx: in i32[N], y: inout i32[M]) {
    scatter reduce order(any) y (e in 0..N) { yield to_index(idx[e]), x[e] } combine (a: i32, b: i32) { a + b }
  })");
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Arguments a;
    a.tensor("x", DType::i32, {5}, {"1", "2", "3", "4", "5"})
        .tensor("idx", DType::i32, {5}, {"1", "0", "1", "1", "0"})
        .tensor("y", DType::i32, {3}, {"10", "20", "30"});
    run_well(k, a, {.order_seed = seed});
    EXPECT_EQ(a.elements("y"), (Words{"17", "28", "30"}));
  }
  auto fresh = parse_kernel(R"(kernel k(y: out i32[M]) {
    scatter reduce order(any) y (e in 0..3) { yield 0, 1 } combine (a: i32, b: i32) { a + b }
  })");
  Arguments b;
  b.tensor("y", DType::i32, {1});
  run_badly(fresh, b, uninitialized_read, {"scatter y[0]", "never written", "e = 0"});
}

TEST(Scatter, StrictVisitsMembersInOrder) {
  // Horner's scheme per element: neither associative nor commutative.
  auto k = parse_kernel(R"(kernel k(x: in i32[N], idx: in i32[N], y: inout i32[2]) {
    scatter reduce order(strict) y (e in 0..N) { yield to_index(idx[e]), x[e] } combine (old: i32, digit: i32) { old * 10 + digit }
  })");
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Arguments a;
    a.tensor("x", DType::i32, {6}, {"1", "2", "3", "4", "5", "6"})
        .tensor("idx", DType::i32, {6}, {"0", "1", "0", "0", "1", "0"})
        .tensor("y", DType::i32, {2});
    run_well(k, a, {.order_seed = seed});
    EXPECT_EQ(a.elements("y"), (Words{"1346", "25"}));
  }
}

TEST(Scatter, MembersOfOneOperationMergeOthersRace) {
  auto rows = parse_kernel(R"(kernel k(y: inout i32[2]) {
    parallel i in 0..2 { scatter reduce order(any) y (e in 0..3) { yield 0, 1 } combine (a: i32, b: i32) { a + b } }
  })");
  Arguments a;
  a.tensor("y", DType::i32, {2});
  run_badly(rows, a, race, {"scatter y[0]", "the instance i = 0 writes", "i = 1"});
  // A member that looks at an element which another one updates.
  auto looks = parse_kernel(R"(kernel k(y: inout i32[4]) {
    scatter reduce order(any) y (e in 0..4) { yield 0, y[e] } combine (a: i32, b: i32) { a + b }
  })");
  Arguments b;
  b.tensor("y", DType::i32, {4});
  run_badly(looks, b, race, {"scatter y[0]", "the member e = 0 reads", "e = 1"});
  // Ordered before and after.
  auto ordered = parse_kernel(R"(kernel k(y: inout i32[1]) {
    y[0] = i32(5)
    scatter reduce order(tree) y (e in 0..3) { yield 0, 1 } combine (a: i32, b: i32) { a + b }
    y[0] = y[0] * 2
    parallel i in 0..2 { let v = y[0] }
    scatter reduce order(any) y (e in 0..3) { yield 0, 1 } combine (a: i32, b: i32) { a + b }
  })");
  Arguments c;
  c.tensor("y", DType::i32, {1});
  run_well(ordered, c);
  EXPECT_EQ(c.elements("y"), Words{"19"});
}

TEST(Scatter, TargetsThatAreOneMemory) {
  auto k = parse_kernel(R"(kernel k(x: inout i32[N], y: inout i32[N]) alias { may_alias(x, y) } {
    scatter unique x, y (e in 0..N) { yield e, 1, 2 }
  })");
  Arguments apart, together;
  apart.tensor("x", DType::i32, {2}).tensor("y", DType::i32, {2});
  run_well(k, apart);
  EXPECT_EQ(apart.elements("y"), (Words{"2", "2"}));
  together.tensor("x", DType::i32, {2});
  together.args.views["y"] = together.args.views["x"];
  run_badly(k, together, race, {"scatter y[0] is also an element of x", "e = 0"});
}

TEST(Scatter, WhatIsArbitraryMayNotDecideOrBeStored) {
  auto with = [](const char* member) {
    return parse_kernel(
        "kernel k(x: in i32[N], y: inout i32[N]) { scatter reduce order(any) y (e in 0..N) { "
        "let v = load x[e] where e > 0\n" +
        std::string(member) + " } combine (a: i32, b: i32) { a + b } }");
  };
  Arguments a;
  a.tensor("x", DType::i32, {2}, {"1", "1"}).tensor("y", DType::i32, {2});
  run_badly(with("yield e, v"), a, arbitrary_value, {"the stored value", "e = 0"});
  run_badly(with("yield to_index(v), 1"), a, arbitrary_value, {"a coordinate", "e = 0"});
  run_badly(with("yield e, 1 where v > 0"), a, arbitrary_value, {"the predicate of a member", "e = 0"});
  run_well(with("yield to_index(v), v where e > 0"), a);
  EXPECT_EQ(a.elements("y"), (Words{"0", "1"}));
}

// shows: K1.5
TEST(Histogram, KeysOutsideTheBins) {
  auto with = [](const char* rule) {
    return parse_kernel(
        "kernel k(x: in i32[N], h: inout i32[B]) { histogram h (i in 0..N) { yield to_index(x[i]), 1 } "
        "out_of_range(" +
        std::string(rule) + ") }");
  };
  auto run_on = [](const auto& k, std::int64_t bins) {
    Arguments a;
    a.tensor("x", DType::i32, {5}, {"3", "9", "-1", "0", "8"}).tensor("h", DType::i32, {bins});
    run_well(k, a);
    return a.elements("h");
  };
  EXPECT_EQ(run_on(with("drop"), 4), (Words{"1", "0", "0", "1"}));
  EXPECT_EQ(run_on(with("clamp"), 4), (Words{"2", "0", "0", "3"}));
  EXPECT_EQ(run_on(with("drop"), 0), Words{});
  Arguments error, none;
  error.tensor("x", DType::i32, {5}, {"3", "9", "-1", "0", "8"}).tensor("h", DType::i32, {4});
  run_badly(with("error"), error, out_of_bounds, {"histogram h[9]", "[0, 4)", "i = 1"});
  none.tensor("x", DType::i32, {1}, {"3"}).tensor("h", DType::i32, {0});
  run_badly(with("clamp"), none, out_of_bounds, {"histogram h[3]", "[0, 0)", "i = 0"});
}

TEST(Histogram, WeightsOfEveryTypeIntoAPartOfAView) {
  auto run_on = [](DType t, std::vector<std::string> weights, std::vector<std::string> bins) {
    const std::string T(name(t));
    auto k = parse_kernel("kernel k(w: in " + T + "[N], h: inout " + T +
                          "[2, 3]) { let row = slice h [1..2, 0..3]\n"
                          "let bins = view row[0, b + 1] for (b in 0..2)\n"
                          "histogram bins (i in 0..N) { yield i mod 2, w[i], i < 4 } out_of_range(error) }");
    Arguments a;
    a.tensor("w", t, {5}, std::move(weights)).tensor("h", t, {2, 3}, std::move(bins));
    run_well(k, a);
    return a.elements("h");
  };
  EXPECT_EQ(run_on(DType::i32, {"2147483647", "2", "1", "3", "99"}, {"0", "0", "0", "0", "1", "5"}),
            (Words{"0", "0", "0", "0", "-2147483647", "10"}));
  EXPECT_EQ(run_on(DType::u64, {"18446744073709551615", "2", "1", "3", "99"}, {"0", "0", "0", "0", "1", "5"}),
            (Words{"0", "0", "0", "0", "1", "10"}));
  // 2048 + 1 rounds to 2048 in f16, to the even one of its neighbours.
  EXPECT_EQ(run_on(DType::f16, {"1.0", "nan", "3.0", "1.0", "1.0"}, {"0.0", "0.0", "0.0", "0.0", "2048.0", "0.0"}),
            (Words{"0.0", "0.0", "0.0", "0.0", "2052.0", "nan"}));
  EXPECT_EQ(run_on(DType::f64, {"-0.0", "0.1", "-0.0", "0.2", "1.0"}, {"0.0", "0.0", "0.0", "0.0", "-0.0", "0.0"}),
            (Words{"0.0", "0.0", "0.0", "0.0", "-0.0", "0.30000000000000004"}));
}

TEST(AssumeInBounds, OfAViewAndOfRelations) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], y: out f32[], i: index) {
    let tail = slice x [1..N]
    assume_in_bounds tail[i]
    y[] = tail[i]
  })");
  for (std::int64_t i : {0, 1}) {
    Arguments a;
    a.tensor("x", DType::f32, {3}, {"1.0", "2.0", "3.0"}).tensor("y", DType::f32, {}).symbol("i", i);
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), Words{i == 0 ? "2.0" : "3.0"});
  }
  Arguments b;
  b.tensor("x", DType::f32, {3}).tensor("y", DType::f32, {}).symbol("i", 2);
  run_badly(k, b, out_of_bounds, {"assume_in_bounds tail[2]", "[0, 2)"});
}

}  // namespace
}  // namespace kir
