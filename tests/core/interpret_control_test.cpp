// Exits from loops and what loops collect, in the reference interpreter and in the text forms.
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

std::vector<std::string> values_of(const std::string& body, Words x) {
  auto k = parse_kernel("kernel t(x: in i32[N], y: inout i32[4]) {\n" + body + "\n}");
  Arguments a;
  a.tensor("x", DType::i32, {static_cast<std::int64_t>(x.size())}, x).tensor("y", DType::i32, {4}, {"9", "9", "9", "9"});
  run_well(k, a);
  return a.elements("y");
}

// shows: K7.11
TEST(InterpretControl, BreakEndsTheInnermostLoopWithItsOperands) {
  const char* first = "let p = for i in 0..N carry (p: i32 = -1) { if x[i] == 7 { break to_i32(i) }\n next p }\n y[0] = p";
  EXPECT_EQ(values_of(first, {"1", "7", "7"})[0], "1");
  EXPECT_EQ(values_of(first, {"1", "2"})[0], "-1");
  EXPECT_EQ(values_of(first, {})[0], "-1");
  // Only the inner loop ends: rows 0, 1, 2 count 0, 1, 2.
  EXPECT_EQ(values_of("let s = for i in 0..3 carry (s: i32 = 0) {\n"
                      "  let n = for j in 0..10 carry (n: i32 = 0) { if j == i { break n }\n next n + 1 }\n next s * 10 + n }\n"
                      " y[0] = s",
                      {})[0],
            "12");
}

TEST(InterpretControl, ContinueHandsItsOperandsToTheNextIteration) {
  const char* positive = "let s = for i in 0..N carry (s: i32 = 0) { if x[i] < 0 { continue s }\n next s + x[i] }\n y[0] = s";
  EXPECT_EQ(values_of(positive, {"1", "-5", "2"})[0], "3");
  EXPECT_EQ(values_of(positive, {"-5"})[0], "0");
  // In a while the condition is asked again.
  EXPECT_EQ(values_of("let (n, s) = while carry (n: i32 = 0, s: i32 = 0) when { n < 5 } do {\n"
                      "  if n == 3 { continue n + 2, s }\n next n + 1, s + n }\n y[0] = n\n y[1] = s",
                      {}),
            (Words{"5", "3", "9", "9"}));
}

TEST(InterpretControl, ExitsLeaveSeveralIfsAtOnceAndEffectsBeforeThemStay) {
  EXPECT_EQ(values_of("for i in 0..4 {\n y[i] = to_i32(i)\n if i > 0 { if x[0] == 1 { y[3] = 5\n if i == 2 { break } } }\n"
                      " if i == 1 { continue }\n y[i] = 20 + to_i32(i)\n }",
                      {"1"}),
            (Words{"20", "1", "2", "5"}));
}

TEST(InterpretControl, AnIfWithResultsMayLeaveInOneBranch) {
  const char* body =
      "let s = for i in 0..N carry (s: i32 = 0) {\n let v: i32 = if x[i] < 0 { break s } else { yield x[i] }\n next s + v }\n"
      " y[0] = s";
  EXPECT_EQ(values_of(body, {"1", "2", "-1", "5"})[0], "3");
  EXPECT_EQ(values_of(body, {"1", "2"})[0], "3");
}

TEST(InterpretControl, PhysicalProgramsHaveExitsToo) {
  auto p = parse_program(R"(program t
abi {
  y: view i32[4] inout
}
launch { threads 1 grid G = 1 }
space {
  g: (m in 0..1) length L0 = 1 offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g(%m = %w - O0)
  else -> exit
}
group g (%m: i64 in 0..1) {
  %z: i32 = constant 0
  %o: i32 = constant 1
  for %i: i64 in 0..4 {
    %c: i1 = index %i == 1
    if %c { continue }
    %d: i1 = index %i == 3
    if %d { break }
    store y[%i] = %o
  }
})");
  Arguments a;
  a.tensor("y", DType::i32, {4}, {"0", "0", "0", "0"});
  run_well(p, a);
  EXPECT_EQ(a.elements("y"), (Words{"1", "0", "1", "0"}));
}

TEST(InterpretControl, CollectedValuesMakeUpTensors) {
  EXPECT_EQ(values_of("let (p, t) = for i in 1..4 carry (p: i32 = 1) collect (i32) { let q = p * x[i]\n next q, q }\n"
                      " for i in 0..3 { y[i] = t[i] }\n y[3] = p",
                      {"5", "2", "3", "4"}),
            (Words{"2", "6", "24", "24"}));
  // What is collected is the value of the iteration, before the carried values move on.
  EXPECT_EQ(
      values_of("let (p, t) = for i in 0..2 carry (p: i32 = 3) collect (i32) { next p + 1, p }\n y[0] = t[0]\n y[1] = t[1]",
                {}),
      (Words{"3", "4", "9", "9"}));
  EXPECT_EQ(values_of("let (t, u) = for i in 0..2 collect (i32, i1) { next to_i32(i), i > 0 }\n y[0] = t[1]\n"
                      " y[1] = to_i32(u[0])\n y[2] = to_i32(u[1])",
                      {}),
            (Words{"1", "0", "1", "9"}));
}

TEST(InterpretControl, ALoopWithoutTripsCollectsNothing) {
  auto k = parse_kernel(R"(
kernel t(y: out f32[1], lo: index, hi: index) {
  let v = for i in lo..hi collect (f32) { next to_f32(i) }
  y[0] = v[0]
})");
  for (auto [lo, hi] : {std::pair{0, 0}, {3, 1}}) {
    Arguments a;
    a.tensor("y", DType::f32, {1}).symbol("lo", lo).symbol("hi", hi);
    run_badly(k, a, RuntimeErrorKind::out_of_bounds, {"v[0]", "[0, 0)"});
  }
  Arguments a;
  a.tensor("y", DType::f32, {1}).symbol("lo", 0).symbol("hi", INT64_MAX);
  InterpretOptions few;
  few.max_steps = 1000;
  run_badly(k, a, RuntimeErrorKind::step_limit, {}, few);
}

TEST(InterpretControl, WhatWasExecutedCanBeAskedFor) {
  auto k = parse_kernel(R"(
kernel t(x: in f32[1], y: out f32[1]) {
  if x[0] > 0.0 { y[0] = 1.0 } else { y[0] = 2.0 }
})");
  for (const bool positive : {true, false}) {
    Arguments a;
    a.tensor("x", DType::f32, {1}, {positive ? "1.0" : "-1.0"}).tensor("y", DType::f32, {1});
    std::vector<bool> executed(k->body.op_count());
    InterpretOptions options;
    options.executed = &executed;
    EXPECT_FALSE(testing::run(k, a, options).error);
    std::vector<bool> stores;
    for (std::uint32_t i = 0; i < executed.size(); ++i)
      if (k->body.op(OpId(i)).kind == OpKind::store) stores.push_back(executed[i]);
    EXPECT_EQ(stores, (std::vector<bool>{positive, !positive}));
  }
}

// A replay that leaves iterations out cannot tell whether a later one is reached.
TEST(InterpretControl, ReplaysDoNotJumpOverExits) {
  auto k = parse_kernel(R"(
kernel t(x: in f32[N], y: out f32[N]) {
  for i in 0..N {
    if i == 2 { break }
    y[i + 1] = x[i]
  }
})");
  ValueId i;
  for (std::uint32_t v = 0; v < k->body.value_count(); ++v)
    if (k->body.value(ValueId(v)).name == "i") i = ValueId(v);
  ReplayResult r = interpret_instances(*k, {.symbols = {{"N", 8}}}, {{i, {7}}});
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, RuntimeErrorKind::unsupported) << r.error->message;
  r = interpret_instances(*k, {.symbols = {{"N", 1}}}, {{i, {0}}});
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, RuntimeErrorKind::out_of_bounds) << r.error->message;
}

struct Refused {
  const char* body;
  const char* rule;
};

TEST(TextControl, ExitsStandInIfsOfLoopBodiesOnly) {
  for (const Refused& r : {
           Refused{"for j in 0..N { break }", "P-08"},
           {"if p { break }", "P-08"},
           {"for j in 0..N { parallel l in 0..2 { if p { break } } }", "P-08"},
           {"for j in 0..N { let t = tensor (l in 0..2) { let v: f32 = if p { break } else { yield a }\n yield v } }", "P-08"},
           {"while when { let v: i1 = if p { break } else { yield p }\n yield v } do { }", "P-08"},
           {"for j in 0..N { if p { break } else { continue } }", "V-56"},
           {"for j in 0..N { let v: f32 = if p { break } else { continue } }", "P-08"},
           {"for j in 0..N { if p { break\n y[0] = a } }", "P-08"},
           {"let r = for j in 0..N carry (u = a) { if p { break }\n next u }", "V-55"},
           {"let r = for j in 0..N carry (u = a) { if p { break c }\n next u }", "V-55"},
           {"let r = for j in 0..N carry (u = a) { if p { continue u, u }\n next u }", "V-55"},
           {"let t = for j in 0..N collect (f32) { if p { continue }\n next a }", "V-57"},
           {"let t = for j in 0..N step 2 collect (f32) { next a }", "V-57"},
           {"let t = for j in 0..N collect (index) { next j }", "T-08"},
           {"let t = for j in 0..N collect (f32) { next c }", "V-30"},
           {"let t: f32[3] = for j in 0..N collect (f32) { next a }", "T-04"},
           {"let t = for j in 0..N collect (f32) { let g = a }", "P-08"},
       }) {
    test::KirResult k = test::kir_of(test::kernel_around(r.body));
    EXPECT_FALSE(k.module) << r.body;
    EXPECT_TRUE(k.has(r.rule)) << r.body << "\n" << k.text();
  }
}

TEST(TextControl, ExitsAndCollectionsRoundTrip) {
  for (const char* body : {
           "for j in 0..N { if p { break } else { store y[j] = a } }",
           "for j in 0..N { if p { let v: f32 = add a, b\n store y[j] = v\n continue } }",
           "let (r: f32, u: f32[N - 1]) = for j in 1..N carry (v: f32 = a) collect (f32) { next b, v }",
           "let u: f32[4] = for j in 0..4 collect (f32) { next a }",
           "let (u, v) = for j in i..N collect (f32, i32) { next a, 1 }",
           "let (r, t) = while carry (u = a, v = c) when { yield u < b } do { if p { if u < 1.0 { break 2.0, 7 } }\n next u, v "
           "}",
       }) {
    test::expect_kir_round_trip(test::kernel_around(body));
  }
}

}  // namespace
}  // namespace kir
