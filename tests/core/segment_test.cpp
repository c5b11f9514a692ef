// Folds and scans over segments: text, rules, values and licences.

#include <cmath>

#include "core/interp/oracle.h"
#include "interp_support.h"
#include "op_samples.h"
#include "text_support.h"

namespace kir {
namespace {

using testing::Arguments;
using testing::parse_kernel;
using testing::parse_program;
using testing::run_badly;
using testing::run_well;
using testing::Words;

// The running maximum and the sum of exponentials below it, in segments.
std::string softmax_sum(const std::string& order, const std::string& where = "") {
  return R"(
kernel t(x: in f32[N], y: out f32[2], n: index) {
  let (m, s) = region_fold [0..n] uses (x) )" +
         where + R"( summarize [lo..hi] {
    let peak = reduce max.nan order(any) over j in lo..hi { x[j] }
    let total = reduce add order(strict) over j in lo..hi { exp(x[j] - peak) }
    yield peak, total
  } combine order()" +
         order + R"() (m0: f32, s0: f32, m1: f32, s1: f32) {
    let m = max.nan(m0, m1)
    yield m, s0 * exp(m0 - m) + s1 * exp(m1 - m)
  } identity (-inf, 0.0)
  y[0] = m
  y[1] = s
})";
}

Arguments numbers(Words x, std::int64_t n) {
  Arguments a;
  a.tensor("x", DType::f32, {static_cast<std::int64_t>(x.size())}, x).tensor("y", DType::f32, {2}).symbol("n", n);
  return a;
}

// shows: K1.5 K7.13
TEST(Segments, AFoldCombinesTheSummariesOfItsMembers) {
  for (const char* order : {"strict", "tree"}) {
    auto k = parse_kernel(softmax_sum(order));
    Arguments a = numbers({"1.0", "2.0", "2.0", "1.0"}, 4);
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), (Words{"2.0", "2.7357588"}));  // 2 + 2 / e
    a = numbers({"1.0", "3.5"}, 1);
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), (Words{"1.0", "1.0"}));
    a = numbers({"1.0"}, 0);
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), (Words{"-inf", "0.0"}));
    a = numbers({"1.0"}, -3);
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), (Words{"-inf", "0.0"}));
    a = numbers({"1.0", "nan", "2.0"}, 3);
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), (Words{"nan", "nan"}));
  }
}

TEST(Segments, ALongFoldStaysWithinItsBound) {
  auto k = parse_kernel(softmax_sum("tree"));
  Arguments a;
  a.random("x", DType::f32, {1025}, 3).tensor("y", DType::f32, {2}).symbol("n", 1025);
  run_well(k, a);
}

TEST(Segments, OnlyActiveMembersLieInSegments) {
  // Members 0, 1, 3, 4: two ranges, so that no segment holds member 2, whose element is NaN.
  auto k = parse_kernel(softmax_sum("tree", "where (j) { yield j != 2 }"));
  Arguments a = numbers({"0.0", "0.0", "nan", "0.0", "0.0"}, 5);
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0.0", "4.0"}));
  k = parse_kernel(softmax_sum("tree", "where (j) { yield j < 0 }"));
  a = numbers({"1.0", "2.0"}, 2);
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"-inf", "0.0"}));
  // The predicate may come from data and guard what the summary reads.
  k = parse_kernel(R"(
kernel t(p: in i32[N], x: in i32[M], y: out i32[1]) {
  let s = region_fold [0..N] uses (p, x) where (j) { yield p[j] >= 0 } summarize [lo..hi] {
    let s = reduce add order(any) over j in lo..hi { let i = to_index(p[j])  x[i] }
    yield s
  } combine order(tree) (a: i32, b: i32) { yield a + b } identity (0)
  y[0] = s
})");
  Arguments b;
  b.tensor("p", DType::i32, {5}, {"2", "-1", "0", "0", "-7"}).tensor("x", DType::i32, {3}, {"1", "10", "100"});
  b.tensor("y", DType::i32, {1});
  run_well(k, b);
  EXPECT_EQ(b.elements("y"), Words{"102"});
}

TEST(Segments, AFoldOverNoMemberNeedsAnIdentity) {
  auto k = parse_kernel(R"(
kernel t(x: in i32[N], y: out i32[1]) {
  let s = region_fold [0..N] uses (x) where (j) { yield x[j] > 0 } summarize [lo..hi] {
    let s = reduce max.s order(any) over j in lo..hi { x[j] }
    yield s
  } combine order(tree) (a: i32, b: i32) { yield max.s(a, b) }
  y[0] = s
})");
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"0", "-1", "-2"}).tensor("y", DType::i32, {1});
  run_badly(k, a, RuntimeErrorKind::empty_reduction, {"no active member"});
}

// shows: K9.8
TEST(Segments, ASummaryThatDependsOnItsSegmentViolatesTheLicence) {
  const char* text = R"(
kernel t(x: in f32[N], y: out f32[1]) {
  let (s, n) = region_fold [0..N] uses (x) summarize [lo..hi] {
    let (s, n) = for j in lo..hi carry (s = f32(0.0), n = f32(0.0)) { next s + x[j], n + 1.0 }
    yield s, n
  } combine order(%) (s0: f32, n0: f32, s1: f32, n1: f32) { yield s0 + s1, max.nan(n0, n1) }
  y[0] = n
})";
  std::string tree = text, strict = text;
  tree.replace(tree.find('%'), 1, "tree");
  strict.replace(strict.find('%'), 1, "strict");
  Arguments a;
  a.tensor("x", DType::f32, {4}, {"1.0", "2.0", "3.0", "4.0"}).tensor("y", DType::f32, {1});
  // The length of the longest segment is no property of the members.
  run_badly(parse_kernel(tree), a, RuntimeErrorKind::violated_licence,
            {"[0..4]", "n = 4.0", "single members 1.0", "order(tree)"});
  run_well(parse_kernel(strict), a);
  EXPECT_EQ(a.elements("y"), Words{"1.0"});
}

TEST(Segments, IntegersMustAgreeExactlyAndRoundingsAreNoViolation) {
  auto skewed = parse_kernel(R"(
kernel t(x: in i32[N], y: out i32[1]) {
  let s = region_fold [0..N] uses (x) summarize [lo..hi] {
    let s = reduce add order(any) over j in lo..hi { x[j] }
    yield s
  } combine order(tree) (a: i32, b: i32) { yield a + b + 1 }
  y[0] = s
})");
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"1", "2", "3"}).tensor("y", DType::i32, {1});
  run_badly(skewed, a, RuntimeErrorKind::violated_licence, {"s = 6", "single members 8"});
  // Cancellation: the sums differ by far more than their own last place, but not by more than their roundings allow.
  auto sum = parse_kernel(R"(
kernel t(x: in f32[N], y: out f32[1]) {
  let s = region_fold [0..N] uses (x) summarize [lo..hi] {
    let s = for j in lo..hi carry (s = f32(0.0)) { next s + x[j] }
    yield s
  } combine order(tree) (a: f32, b: f32) { yield a + b }
  y[0] = s
})");
  Arguments b;
  b.tensor("x", DType::f32, {6}, {"1.0", "1.0e8", "3.0", "-1.0e8", "0.1", "-4.1"}).tensor("y", DType::f32, {1});
  run_well(sum, b);
}

TEST(Segments, BoundsOfALicensedFoldHoldItsOtherCuts) {
  auto k = parse_kernel(softmax_sum("tree"));
  ASSERT_TRUE(has_several_answers(*k));
  Arguments a;
  a.random("x", DType::f32, {33}, 5).tensor("y", DType::f32, {2}).symbol("n", 33);
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, d);
  ASSERT_TRUE(launch);
  Reference r = interpret_reference(*k, *launch);
  ASSERT_FALSE(r.result.error) << r.result.error->message;
  EXPECT_FALSE(r.undecided);
  EXPECT_EQ(r.radius[1][0], 0) << "the maximum is one value";
  EXPECT_GT(r.radius[1][1], 0);
  EXPECT_LT(r.radius[1][1], 1e-3);
  EXPECT_NE(r.basis.find("sampled"), std::string::npos) << r.basis;
}

TEST(Segments, AFoldMayStandInASummary) {
  auto k = parse_kernel(R"(
kernel t(x: in i32[M, N], y: out i32[1]) {
  let s = region_fold [0..M] uses (x) summarize [lo..hi] {
    let s = for i in lo..hi carry (s = i32(0)) {
      let row = region_fold [0..N] uses (x, i) summarize [from..to_] {
        let r = reduce add order(any) over j in from..to_ { x[i, j] }
        yield r
      } combine order(tree) (a: i32, b: i32) { yield a + b } identity (0)
      next s + row
    }
    yield s
  } combine order(tree) (a: i32, b: i32) { yield a + b } identity (0)
  y[0] = s
})");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}, {"1", "2", "3", "4", "5", "6"}).tensor("y", DType::i32, {1});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), Words{"21"});
}

// g = a[t] g + b[t]; emits c[t] g.
std::string recurrence(const std::string& order, const std::string& emitted = "c[t] * g2",
                       const std::string& applied = "p * g + q") {
  return R"(
kernel t(a: in f32[L], b: in f32[L], c: in f32[L], y: out f32[L], last: out f32[1], h0: f32) {
  let (o, h) = region_scan [0..L] uses (a, b, c) init (h0) summarize [lo..hi] {
    let (p, q) = for t in lo..hi carry (p = f32(1.0), q = f32(0.0)) { next a[t] * p, a[t] * q + b[t] }
    yield p, q
  } combine order()" +
         order + R"() (p0: f32, q0: f32, p1: f32, q1: f32) { yield p1 * p0, p1 * q0 + q1 } identity (1.0, 0.0)
  apply (p: f32, q: f32, g: f32) { yield )" +
         applied + R"( }
  emit [lo..hi] (g: f32) {
    let (e, s) = for t in lo..hi carry (g1 = g) collect (f32) {
      let g2 = a[t] * g1 + b[t]
      next g2, )" +
         emitted + R"(
    }
    yield s
  }
  parallel t in 0..L { y[t] = o[t] }
  last[0] = h
})";
}

Arguments series(Words a, Words b, Words c) {
  const auto n = static_cast<std::int64_t>(a.size());
  Arguments out;
  out.tensor("a", DType::f32, {n}, a).tensor("b", DType::f32, {n}, b).tensor("c", DType::f32, {n}, c);
  out.tensor("y", DType::f32, {n}).tensor("last", DType::f32, {1}).scalar("h0", DType::f32, "1.0");
  return out;
}

// shows: K1.5 K7.13
TEST(Segments, AScanHandsItsStateFromSegmentToSegment) {
  for (const char* order : {"strict", "tree"}) {
    auto k = parse_kernel(recurrence(order));
    Arguments a = series({"2.0", "0.5", "1.0", "-1.0"}, {"1.0", "0.0", "2.0", "3.0"}, {"1.0", "10.0", "2.0", "4.0"});
    run_well(k, a);
    // g = 3, 1.5, 3.5, -0.5
    EXPECT_EQ(a.elements("y"), (Words{"3.0", "15.0", "7.0", "-2.0"}));
    EXPECT_EQ(a.elements("last"), Words{"-0.5"});
    a = series({"3.0"}, {"1.0"}, {"2.0"});
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), Words{"8.0"});
    a = series({}, {}, {});
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), Words{});
    EXPECT_EQ(a.elements("last"), Words{"1.0"});
  }
}

TEST(Segments, AScanWhosePartsDoNotFitViolatesTheLicence) {
  Arguments a = series({"2.0", "0.5", "1.0", "-1.0"}, {"1.0", "0.0", "2.0", "3.0"}, {"1.0", "10.0", "2.0", "4.0"});
  // The emitted slice begins from the segment's state, not from the member's.
  run_badly(parse_kernel(recurrence("tree", "c[t] * g")), a, RuntimeErrorKind::violated_licence, {"[0..4]", "o[1]"});
  // apply forgets the state.
  run_badly(parse_kernel(recurrence("tree", "c[t] * g2", "q")), a, RuntimeErrorKind::violated_licence);
  // A combine in the wrong order shows in no sequential cut, only where summaries are combined.
  std::string text = recurrence("tree");
  const std::string right = "p1 * p0, p1 * q0 + q1";
  text.replace(text.find(right), right.size(), "p1 * p0, p0 * q1 + q0");
  run_badly(parse_kernel(text), a, RuntimeErrorKind::violated_licence, {"order(tree)"});
  text.replace(text.find("order(tree)"), 11, "order(strict)");
  run_well(parse_kernel(text), a);
}

TEST(Segments, AScanOverIntegersAndTheBoundsOfOneOverFloats) {
  auto k = parse_kernel(R"(
kernel t(x: in i32[L], y: out i32[L, 2], last: out i32[1]) {
  let (o, h) = region_scan [0..L] uses (x) init (i32(0)) summarize [lo..hi] {
    let s = reduce add order(any) over t in lo..hi { x[t] }
    yield s
  } combine order(tree) (a: i32, b: i32) { yield a + b } identity (0)
  apply (s: i32, g: i32) { yield s + g }
  emit [lo..hi] (g: i32) {
    let (e, s) = for t in lo..hi carry (g1 = g) collect (i32) { let g2 = g1 + x[t]  next g2, g2 }
    yield s
  }
  parallel t in 0..L { y[t, 0] = o[t]  y[t, 1] = x[t] }
  last[0] = h
})");
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"1", "2", "3"}).tensor("y", DType::i32, {3, 2}).tensor("last", DType::i32, {1});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"1", "1", "3", "2", "6", "3"}));
  auto f = parse_kernel(recurrence("tree"));
  ASSERT_TRUE(has_several_answers(*f));
  Arguments b = series({"0.3", "0.7", "1.1", "-0.9"}, {"1.3", "0.1", "2.7", "3.3"}, {"1.0", "1.0", "1.0", "1.0"});
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(f->abi, b.args, d);
  ASSERT_TRUE(launch);
  Reference r = interpret_reference(*f, *launch);
  ASSERT_FALSE(r.result.error) << r.result.error->message;
  for (double radius : r.radius[3]) {
    EXPECT_GT(radius, 0);
    EXPECT_LT(radius, 1e-5);
  }
}

// A finite value against a NaN breaks the law (BR40); beyond the finite numbers the laws of affine maps fail by themselves.
TEST(Segments, OfTwoValuesThatAreNotFiniteNothingIsSaid) {
  auto k = parse_kernel(recurrence("tree"));
  auto inputs = [] { return series({"0.0", "inf", "1.0"}, {"1.0", "0.0", "2.0"}, {"1.0", "1.0", "1.0"}); };
  Arguments a = inputs();
  run_well(k, a);  // inf by single steps, NaN where inf * 0 enters a summary
  Arguments b = inputs();
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, b.args, d);
  ASSERT_TRUE(launch);
  Reference r = interpret_reference(*k, *launch);
  ASSERT_FALSE(r.result.error) << r.result.error->message;
  EXPECT_TRUE(std::isinf(r.radius[3][2]) || a.elements("y")[2] == "nan");
}

// Member by member the state becomes -0, in one segment 0. No error of rounding tells of it.
TEST(Segments, TheSignOfAZeroMayDependOnTheCuts) {
  auto k = parse_kernel(recurrence("tree"));
  Arguments a = series({"1.0", "-1.0"}, {"-0.0", "-0.0"}, {"1.0", "1.0"});
  a.scalar("h0", DType::f32, "-0.0");
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, d);
  ASSERT_TRUE(launch);
  const Reference r = interpret_reference(*k, *launch);
  ASSERT_FALSE(r.result.error) << r.result.error->message;
  const std::size_t last = launch->views.size() - 1;
  Tensor zero = *launch->views[last], other = zero;
  zero.store(0, *parse_literal(a.elements("last") == Words{"0.0"} ? "-0.0" : "0.0", DType::f32));
  other.store(0, *parse_literal("1.0e-40", DType::f32));
  EXPECT_EQ(compare(*launch->views[last], zero, &r.radius[last]).verdict, Comparison::Verdict::within);
  EXPECT_EQ(compare(*launch->views[last], other, &r.radius[last]).verdict, Comparison::Verdict::different);
}

TEST(Segments, HugeAxesEndAtTheStepLimit) {
  InterpretOptions few;
  few.max_steps = 10000;
  InterpretResult r = testing::run(parse_kernel(R"(
kernel t(y: out i32[1], n: index) {
  let s = region_fold [0..n] summarize [lo..hi] { yield i32(1) } combine order(tree) (a: i32, b: i32) { yield a + b }
  y[0] = s
})"),
                                   Arguments().tensor("y", DType::i32, {1}).symbol("n", INT64_MAX), few);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, RuntimeErrorKind::step_limit);
}

TEST(Segments, ErrorsInASegmentNameIt) {
  auto k = parse_kernel(R"(
kernel t(x: in i32[N], y: out i32[1]) {
  let s = region_fold [0..N] uses (x) summarize [lo..hi] {
    let s = reduce add order(any) over j in lo..hi { x[j + 1] }
    yield s
  } combine order(strict) (a: i32, b: i32) { yield a + b } identity (0)
  y[0] = s
})");
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"1", "2", "3"}).tensor("y", DType::i32, {1});
  run_badly(k, a, RuntimeErrorKind::out_of_bounds, {"x[3]", "lo = 2", "hi = 3", "j = 2"});
}

const char* kFold =
    "let r: f32 = region_fold [0..N] uses (x) summarize [lo..hi] {\n let v = reduce add order(any) over j in lo..hi { x[j] }\n"
    " yield v } combine order(tree) (u: f32, v: f32) { yield u + v } identity (-0.0)";

// The fold with one part replaced by another.
std::string fold_with(const std::string& part, const std::string& other) {
  std::string s = kFold;
  s.replace(s.find(part), part.size(), other);
  return s;
}

// shows: K7.13 K9.8
TEST(Segments, WhatLeaksOrIsNotListedIsRefused) {
  struct Case {
    std::string text;
    const char* rule;
  };
  const std::string body = "let v = reduce add order(any) over j in lo..hi { x[j] }";
  for (const Case& c : {
           Case{fold_with(body, "let n: index = index hi - lo\n let v = to_f32(n)"), "V-60"},
           {fold_with(body, "let v = to_f32(lo)"), "V-60"},
           {fold_with(body, "let v = x[lo]"), "V-60"},
           {fold_with(body, "let v = reduce add order(any) over j in lo..N { x[j] }"), "V-60"},
           {fold_with(body, "let v = reduce add order(any) over j in 0..hi { x[j] }"), "V-60"},
           {fold_with(body, "let v = reduce add order(any) over j in 0..hi - lo { x[j] }"), "V-60"},
           {fold_with(body, "let v = reduce add order(any) over j in hi..lo { x[j] }"), "V-60"},
           {fold_with(body, "let v = for j in lo..hi step 2 carry (v = f32(0.0)) { next v + x[j] }"), "V-60"},
           {fold_with(body, "let w1 = tensor (j in 0..hi - lo) { x[j] }\n let v = w1[0]"), "V-60"},
           {fold_with(body, "let w1 = view x[j] for (j in 0..hi - lo)\n let v = w1[0]"), "V-60"},
           {fold_with(body, "let w1 = slice x [lo..N]\n let v = w1[0]"), "V-60"},
           {fold_with(body, "let v = reduce add order(any) over j in lo..hi { x[j] * b }"), "V-59"},
           {fold_with(body, "let v = reduce add order(any) over j in lo..hi { x[j] + x[i] }"), "V-59"},
           {fold_with(body, "let v = reduce add order(any) over j in lo..hi { load m[j, 0] }"), "V-59"},
           {fold_with("yield u + v", "yield u + v * b"), "V-59"},
           {fold_with("uses (x)", ""), "V-59"},
           {fold_with("uses (x)", "uses (x, x)"), "V-58"},
           {fold_with("uses (x)", "uses (x, N)"), "T-03"},
           {fold_with("uses (x)", "uses (x, nothing)"), "T-01"},
           {fold_with("order(tree)", "order(any)"), "V-58"},
           {fold_with("let r: f32 = region_fold [0..N]", "let r: f32 = region_fold (j in 0..N)"), "P-03"},
           {fold_with("yield v }", "yield v, v }"), "V-17"},
           {fold_with("(u: f32, v: f32)", "(u: f64, v: f64)"), "T-04"},
           {fold_with("yield v }", "yield c }"), "V-59"},
           {fold_with("identity (-0.0)", "identity (-0.0, 1.0)"), "T-08"},
           {fold_with("let r: f32", "let r: f64"), "T-04"},
           {fold_with(body, "y[0] = 1.0\n let v = x[0]"), "V-29"},
           {fold_with("yield u + v", "let g = x[0]\n yield u + v"), "V-29"},
           {fold_with("uses (x)", "uses (x) where (j) { yield j }"), "V-30"},
           {fold_with("uses (x)", "uses (x) where (j) { yield c < 0 }"), "V-59"},
       }) {
    test::KirResult k = test::kir_of(test::kernel_around(c.text));
    EXPECT_FALSE(k.module) << c.text;
    EXPECT_TRUE(k.has(c.rule)) << c.text << "\n" << k.text();
  }
}

TEST(Segments, FormsRoundTrip) {
  const std::string body = "let v = reduce add order(any) over j in lo..hi { x[j] }";
  for (const std::string& text : {
           std::string(kFold),
           fold_with("uses (x)", "uses (x, i) where (j) { yield j <= i }"),
           fold_with("order(tree)", "order(strict)"),
           fold_with("identity (-0.0)", "identity assumed (0.0)"),
           fold_with(body, "let z = slice x [lo..hi]\n let v = z[0]"),
           fold_with(body, "let e = for j in lo..hi collect (f32) { next x[j] }\n let v = x[0]"),
       }) {
    test::expect_kir_round_trip(test::kernel_around(text));
  }
  test::expect_kir_round_trip("kir 1\n" + recurrence("tree"));
  test::expect_kir_round_trip("kir 1\n" + recurrence("strict"));
}

TEST(Segments, PhysicalProgramsHaveFoldsOverSegmentsToo) {
  const char* body =
      "%n: i64 = index 8 * %m\n"
      "%r: f32 = region_fold [0..N] uses (x, %n) where (%j: i64) { %p: i1 = index %j < %n\n yield %p } summarize [%lo: "
      "i64..%hi: "
      "i64] { %v: f32 = reduce (%j: i64 in %lo..%hi) map { %q: f32 = load x[%j]\n yield %q } combine order(any) (%a: f32, %b: "
      "f32) { %d: f32 = add %a, %b\n yield %d } identity (-0.0)\n yield %v } combine order(tree) (%a: f32, %b: f32) { %d: f32 "
      "= "
      "add %a, %b\n yield %d } identity (-0.0)\n store y[%m] = %r";
  test::expect_pir_round_trip(test::program_around(body));
}

}  // namespace
}  // namespace kir
