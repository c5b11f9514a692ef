// Faults of other systems about loops: trips, carried values, exits. The right values were computed by hand.
#include "interp_support.h"

namespace kir {
namespace {

using testing::Arguments;
using testing::parse_kernel;
using testing::run_badly;
using testing::run_well;
using testing::Words;

Words numbers(int first, int last) {
  Words out;
  for (int i = first; i <= last; ++i) out.push_back(std::to_string(i) + ".0");
  return out;
}

// shows: K7.11
TEST(Faults, BR07_TheSignOfAStepIsTakenAtRunTime) {
  auto k = parse_kernel(R"(
kernel walk(x: in f32[96], acc: out f32[1], trips: out i32[1], start: index, stop: index, step: index) {
  let (i, sum, n) = while carry (i = start, sum = f32(0.0), n = i32(0))
    when { (step > 0 and i < stop) or (step < 0 and i > stop) }
    do { next i + step, sum + x[i], n + 1 }
  acc[0] = sum
  trips[0] = n
})");
  struct Case {
    std::int64_t start, stop, step;
    const char *acc, *trips;
  };
  for (const Case& c : {Case{88, -1, -8, "540.0", "12"},
                        {10, 5, -3, "19.0", "2"},
                        {5, 10, -3, "0.0", "0"},
                        {0, 9, 0, "0.0", "0"},
                        {1, 8, 3, "15.0", "3"}}) {
    Arguments a;
    a.tensor("x", DType::f32, {96}, numbers(1, 96)).tensor("acc", DType::f32, {1}).tensor("trips", DType::i32, {1});
    a.symbol("start", c.start).symbol("stop", c.stop).symbol("step", c.step);
    run_well(k, a);
    EXPECT_EQ(a.elements("acc"), Words{c.acc});
    EXPECT_EQ(a.elements("trips"), Words{c.trips});
  }
}

TEST(Faults, BR07_ACountedLoopRefusesAStepBelowOne) {
  auto k = parse_kernel(R"(
kernel walk(y: out i32[1], step: index) {
  let n = for i in 88..96 step step carry (n = i32(0)) { next n + 1 }
  y[0] = n
})");
  for (std::int64_t step : {-8, 0}) {
    Arguments a;
    a.tensor("y", DType::i32, {1}).symbol("step", step);
    run_badly(k, a, RuntimeErrorKind::bad_step, {std::to_string(step)});
  }
}

// shows: K7.11
TEST(Faults, BR08_CarriedValuesAreCopiedAtOnce) {
  auto with_while = parse_kernel(R"(
kernel swap(y: out i32[2], a: i32, b: i32, c: i32) {
  let (p, q, n) = while carry (p = a, q = b, n = c) when { n > 0 } do { next q, p, n - 1 }
  y[0] = p
  y[1] = q
})");
  auto with_for = parse_kernel(R"(
kernel swap(y: out i32[2], a: i32, b: i32, c: i32) {
  let n = to_index(c)
  let (p, q) = for i in 0..n carry (p = a, q = b) { next q, p }
  y[0] = p
  y[1] = q
})");
  auto with_exits = parse_kernel(R"(
kernel swap(y: out i32[2], a: i32, b: i32, c: i32) {
  let (p, q, n) = while carry (p = a, q = b, n = i32(0)) when { n < c } do {
    if n == 2 { break q, p, n }
    if n == 0 { continue q, p, n + 1 }
    next q, p, n + 1
  }
  y[0] = p
  y[1] = q
})");
  struct Case {
    const char* c;
    Words right;
  };
  for (const auto& k : {with_while, with_for, with_exits})
    for (const Case& c : {Case{"0", {"3", "7"}}, {"1", {"7", "3"}}, {"3", {"7", "3"}}}) {
      Arguments a;
      a.tensor("y", DType::i32, {2}).scalar("a", DType::i32, "3").scalar("b", DType::i32, "7").scalar("c", DType::i32, c.c);
      run_well(k, a);
      EXPECT_EQ(a.elements("y"), c.right) << c.c;
    }
  Arguments a;
  a.tensor("y", DType::i32, {2}).scalar("a", DType::i32, "3").scalar("b", DType::i32, "7").scalar("c", DType::i32, "4");
  run_well(with_while, a);
  EXPECT_EQ(a.elements("y"), (Words{"3", "7"}));
}

TEST(Faults, BR09_WhatALoopHandsOnIsTheLastIterationsValue) {
  auto k = parse_kernel(R"(
kernel last(a: in f64[6], y: out i64[6]) {
  parallel k in 0..6 {
    let bound: i64 = convert.to_sint a[k]
    let n = to_index(bound)
    let x = for i in 0..n carry (x = i64(0)) { next to_i64(i) }
    y[k] = x
  }
})");
  Arguments a;
  a.tensor("a", DType::f64, {6}, {"0.5", "1.0", "2.0", "2.9", "3.0", "4.0"}).tensor("y", DType::i64, {6});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0", "0", "1", "1", "2", "3"}));
}

// shows: K7.11
TEST(Faults, BR10_AConditionIsAskedBeforeEachTrip) {
  // The second test only where the first holds, so that nothing is read at x[N].
  auto k = parse_kernel(R"(
kernel length(x: in i32[N], y: out i32[1]) {
  let n = while carry (i: index = 0) when {
    let more = if i < N { yield x[i] != 0 } else { yield false }
    yield more
  } do { next i + 1 }
  y[0] = to_i32(n)
})");
  struct Case {
    Words x;
    const char* right;
  };
  for (const Case& c : {Case{{"4", "4", "0", "9"}, "2"}, {{"4", "4", "5", "9"}, "4"}, {{}, "0"}}) {
    Arguments a;
    a.tensor("x", DType::i32, {static_cast<std::int64_t>(c.x.size())}, c.x).tensor("y", DType::i32, {1});
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), Words{c.right});
  }
  // Asked the other way round, the read beyond the end is an error, not a value.
  auto careless = parse_kernel(R"(
kernel length(x: in i32[N], y: out i32[1]) {
  let n = while carry (i: index = 0) when { x[i] != 0 and i < N } do { next i + 1 }
  y[0] = to_i32(n)
})");
  Arguments a;
  a.tensor("x", DType::i32, {2}, {"4", "4"}).tensor("y", DType::i32, {1});
  run_badly(careless, a, RuntimeErrorKind::out_of_bounds, {"x[2]", "[0, 2)"});

  auto counter = parse_kernel(R"(
kernel counter(y: out i32[1], n: i32) {
  let i = while carry (i = i32(0)) when { i < n } do { next i + 1 }
  y[0] = i
})");
  for (auto [n, right] : {std::pair{"0", "0"}, {"3", "3"}, {"-2", "0"}}) {
    Arguments b;
    b.tensor("y", DType::i32, {1}).scalar("n", DType::i32, n);
    run_well(counter, b);
    EXPECT_EQ(b.elements("y"), Words{right});
  }
}

TEST(Faults, BR35_AnIterationUsesItsOwnIndex) {
  auto k = parse_kernel(R"(
kernel place(p: in i32[N], c: in i1[N], y: inout i32[N]) {
  for i in 0..N {
    let j = to_index(p[i])
    if c[i] { y[j] = to_i32(i + 1) }
  }
})");
  struct Case {
    Words c, right;
  };
  for (const Case& c : {Case{{"true", "true", "true", "true", "true"}, {"1", "2", "3", "4", "5"}},
                        {{"true", "false", "true", "false", "true"}, {"1", "0", "3", "0", "5"}}}) {
    Arguments a;
    a.tensor("p", DType::i32, {5}, {"0", "1", "2", "3", "4"}).tensor("c", DType::i1, {5}, c.c);
    a.tensor("y", DType::i32, {5}, {"0", "0", "0", "0", "0"});
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), c.right);
  }
}

TEST(Faults, BR39_AnEmptyGroupTakesPartInNoStep) {
  auto k = parse_kernel(R"(
kernel group_sums(size: in i32[G], a: in i32[R], y: out i32[G]) {
  let end = for g in 0..G carry (lo: index = 0) {
    let hi = lo + to_index(size[g])
    let acc = for k in lo..hi carry (acc = i32(0)) { next acc + a[k] }
    y[g] = acc
    next hi
  }
})");
  struct Case {
    Words size, right;
  };
  for (const Case& c : {Case{{"2", "0", "1"}, {"3", "0", "4"}}, {{"0", "0", "0"}, {"0", "0", "0"}}}) {
    Arguments a;
    a.tensor("size", DType::i32, {3}, c.size).tensor("a", DType::i32, {3}, {"1", "2", "4"}).tensor("y", DType::i32, {3});
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), c.right);
  }
}

TEST(Faults, BR44_TwoLoopsThatDifferByOneTrip) {
  auto source = parse_kernel(R"(
kernel trips(y: out i32[1], m: i32) {
  let (k, r) = while carry (k = i32(0), m1 = m) when { m1 > 0 } do { next k + 1, m1 - 1 }
  y[0] = k
})");
  auto target = parse_kernel(R"(
kernel trips(y: out i32[1], m: i32) {
  let (k, r) = while carry (k = i32(0), m1 = m) when { m1 > 1 } do { next k + 1, m1 - 1 }
  y[0] = k
})");
  for (auto [m, right, other] : {std::tuple{"5", "5", "4"}, {"1", "1", "0"}, {"0", "0", "0"}, {"-3", "0", "0"}}) {
    Arguments a;
    a.tensor("y", DType::i32, {1}).scalar("m", DType::i32, m);
    run_well(source, a);
    EXPECT_EQ(a.elements("y"), Words{right});
    run_well(target, a);
    EXPECT_EQ(a.elements("y"), Words{other});
  }
}

}  // namespace
}  // namespace kir
