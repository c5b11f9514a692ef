// Helper functions: written out at their calls, told of where they stand, refused where they grow without bound.
#include <fmt/format.h>

#include "tests/core/interp_support.h"
#include "tests/core/text_support.h"

namespace kir::test {
namespace {

using namespace kir::testing;
using enum RuntimeErrorKind;

constexpr const char* kHelpers = R"(
fn clamp01(a: f32) -> f32 { min.num(max.num(a, 0.0), 1.0) }
fn wrap(i: index, n: index) -> index { i mod n }
fn blend(a: f32, b: f32, i: index) -> f32 {
  let t = clamp01(to_f32(i) * 0.25)
  let far = if i < 2 { yield a } else { yield b }
  yield a + t * (far - a)
}
)";

// shows: K2.8
TEST(Helpers, AreWrittenOutAtTheirCalls) {
  const std::string with = std::string("kir 1\n") + kHelpers + R"(
kernel k(x: in f32[N], y: out f32[N]) {
  parallel i in 0..N { y[i] = blend(x[i], x[wrap(i + 1, N)], i) }
})";
  const std::string printed = expect_kir_round_trip(with);
  EXPECT_EQ(printed.find("fn "), std::string::npos) << printed;
  const std::string by_hand = R"(kir 1
kernel k(x: in f32[N], y: out f32[N]) {
  parallel i in 0..N {
    let a = x[i]
    let n: index = index N
    let j: index = index i + 1
    let w = x[j mod n]
    let t = min.num(max.num(to_f32(i) * 0.25, 0.0), 1.0)
    let far = if i < 2 { yield a } else { yield w }
    y[i] = a + t * (far - a)
  }
})";
  for (const std::string& text : {with, by_hand}) {
    auto k = kir_of(text).module->kernels[0];
    Arguments a;
    a.tensor("x", DType::f32, {5}, {"0", "8", "16", "24", "32"}).tensor("y", DType::f32, {5});
    run_well(k, a);
    EXPECT_EQ(a.elements("y"), (Words{"0.0", "8.0", "20.0", "30.0", "0.0"}));
  }
}

TEST(Helpers, TwoCallsAndSpecializationsShareNothing) {
  expect_kir_round_trip(R"(kir 1
fn twice(a: f32) -> f32 { let s = a + a
  yield s }
kernel k<T: dtype in {f32, f16}, n: i32 in {1, 2}>(x: in f32[N], y: out f32[N]) {
  parallel i in 0..N {
    let s = twice(x[i])
    let t = twice(twice(s))
    y[i] = t
  }
}
fn later(a: i1, b: i64) -> i64 { select(a, b, 0) }
kernel l(y: out i64[N]) { parallel i in 0..N { y[i] = later(i < 1, 7) } })");
}

struct Refusal {
  const char* what;
  const char* text;
  const char* rule;
  const char* part;
};

TEST(Helpers, MistakesAreToldOnceWhereTheyStand) {
  const Refusal cases[] = {
      {"an unknown operation", "fn f(a: f32) -> f32 { foo(a) }\nkernel k(y: out f32[N]) { y[0] = f(1.0)\ny[1] = f(2.0) }",
       "P-07", "no operation 'foo'"},
      {"itself", "fn f(a: f32) -> f32 { f(a) }\nkernel k(y: out f32[N]) { y[0] = f(1.0) }", "P-07", "'f' calls itself"},
      {"one that stands behind",
       "fn f(a: f32) -> f32 { g(a) }\nfn g(a: f32) -> f32 { a }\nkernel k(y: out f32[N]) { y[0] = f(1.0) }", "P-07",
       "no operation 'g'"},
      {"a name of the kernel", "fn f(a: f32) -> f32 { a + x[0] }\nkernel k(x: in f32[N], y: out f32[N]) { y[0] = f(1.0) }",
       "T-01", "'x' is not bound"},
      {"types", "fn f(a: f32, b: f64) -> f32 { a + b }\nkernel k(y: out f32[N]) { y[0] = f(1.0, 2.0) }", "T-04", "f32 and f64"},
      {"the verifier's", "fn f(a: i32) -> i32 { exp(a) }\nkernel k(y: out i32[N]) { y[0] = f(1) }", "V-12", "works on floats"},
      {"the result", "fn f(a: f32) -> f64 { a }\nkernel k(y: out f64[N]) { y[0] = f(1.0) }", "T-04", "gives f32"},
      {"two values", "fn f(a: f32) -> f32 { yield a, a }\nkernel k(y: out f32[N]) { y[0] = f(1.0) }", "T-08", "2 values"},
      {"no value", "fn f(a: f32) -> f32 { }\nkernel k(y: out f32[N]) { y[0] = f(1.0) }", "P-08", "must end in"},
      {"a view", "fn f(a: view f32[4]) -> f32 { a[0] }\nkernel k(y: out f32[N]) { y[0] = 1.0 }", "T-03",
       "data scalar or an index"},
      {"twice", "fn f(a: f32) -> f32 { a }\nfn f(a: f32) -> f32 { a }\nkernel k(y: out f32[N]) { y[0] = f(1.0) }", "T-02",
       "two helpers"},
      {"parameters", "fn f(a: f32, a: f32) -> f32 { a }\nkernel k(y: out f32[N]) { y[0] = f(1.0, 2.0) }", "T-02",
       "already bound"},
      {"arguments", "fn f(a: f32) -> f32 { a }\nkernel k(y: out f32[N]) { y[0] = f(1.0, 2.0) }", "P-04",
       "takes 1 operand, not 2"},
      {"their types", "fn f(a: f32) -> f32 { a }\nkernel k(x: in f64[N], y: out f32[N]) { y[0] = f(x[0]) }", "T-04",
       "takes f32 here, not f64"},
      {"no integer", "fn f(a: f32) -> f32 { a }\nkernel k(y: out f32[N]) { y[f(1.0)] = 1.0 }", "T-03", "'f' gives f32"},
      {"a call in an extent", "fn f(i: index) -> index { i }\nkernel k(y: out f32[N], z: out f32[f(N)]) { y[0] = 1.0 }", "T-03",
       "in the head"},
      {"a call in a relation", "fn f(i: index) -> index { i }\nkernel k(y: out f32[N]) where f(N) >= 1 { y[0] = 1.0 }", "T-03",
       "in the head"},
      {"an open block", "fn f(a: f32) -> f32 { a\nkernel k(y: out f32[N]) { y[0] = f(1.0) }", "P-03", "to close the block"},
  };
  for (const Refusal& c : cases) {
    SCOPED_TRACE(c.what);
    KirResult r = kir_of(std::string("kir 1\n") + c.text);
    EXPECT_FALSE(r.module);
    EXPECT_TRUE(r.has(c.rule)) << r.text();
    EXPECT_NE(r.text().find(c.part), std::string::npos) << r.text();
    EXPECT_EQ(r.diagnostics.error_count(), 1u) << r.text();
  }
}

TEST(Helpers, WhatGoesWrongAtACallNamesTheCallAndPointsIntoTheHelper) {
  // A view's block holds only `index` operations; the helper is sound by itself.
  KirResult r = kir_of(R"(kir 1
fn scaled(i: index) -> index { to_index(to_i32(i) * 2) }
fn outer(i: index) -> index { scaled(i) + 1 }
kernel k(x: in f32[N], y: out f32[N]) {
  let v = view x[outer(i)] for (i in 0..N)
  parallel i in 0..N { y[i] = v[i] }
})");
  EXPECT_FALSE(r.module);
  EXPECT_TRUE(r.has("V-28")) << r.text();
  EXPECT_NE(r.text().find("test.kir:2:"), std::string::npos) << r.text();
  EXPECT_NE(r.text().find("in 'scaled', called at line 3, in 'outer', called at line 5"), std::string::npos) << r.text();
}

// shows: K8.5
TEST(Helpers, ErrorsOfAnExecutionNameTheCalls) {
  auto k = parse_kernel(R"(fn ratio(a: i32, b: i32) -> i32 { divf(a, b) }
fn shifted(a: i32, b: i32) -> i32 { ratio(a, b - 1) }
kernel k(x: in i32[N], y: out i32[N]) {
  parallel i in 0..N { y[i] = ratio(x[i], 3) + shifted(x[i], x[i]) }
})");
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"5", "7", "1"}).tensor("y", DType::i32, {3});
  RuntimeError e =
      run_badly(k, a, division, {"divf 1 by zero", "i = 2", "in 'ratio', called at line 3, in 'shifted', called at line 5"});
  EXPECT_EQ(k->source->text().substr(e.range.begin, e.range.end - e.range.begin), "divf(a, b)");
}

// A chain of helpers that doubles at each step would fill the memory.
TEST(Helpers, AnExponentialChainIsRefused) {
  for (const char* result : {"f32", "index"}) {
    std::string text = fmt::format("kir 1\nfn h0(a: {0}) -> {0} {{ a + a }}\n", result);
    for (int i = 1; i < 30; ++i) text += fmt::format("fn h{0}(a: {2}) -> {2} {{ h{1}(h{1}(a)) }}\n", i, i - 1, result);
    text += std::string(result) == "f32" ? "kernel k(x: in f32[N], y: out f32[N]) { y[0] = h29(x[0]) }"
                                         : "kernel k(x: in f32[N], y: out f32[N]) { y[h29(1)] = x[0] }";
    KirResult r = kir_of(text);
    EXPECT_FALSE(r.module);
    EXPECT_TRUE(r.has("P-05")) << r.text().substr(0, 2000);
    EXPECT_NE(r.text().find("called at line"), std::string::npos);
    EXPECT_LE(r.diagnostics.error_count(), 40u);
  }
}

TEST(Helpers, DeepChainsAreRefused) {
  std::string text = "kir 1\nfn h0(a: f32) -> f32 { a }\n";
  for (int i = 1; i < 300; ++i) text += fmt::format("fn h{0}(a: f32) -> f32 {{ h{1}(a) }}\n", i, i - 1);
  KirResult deep = kir_of(text + "kernel k(x: in f32[N], y: out f32[N]) { y[0] = h299(x[0]) }");
  EXPECT_TRUE(deep.has("P-05")) << deep.text();
  EXPECT_TRUE(kir_of(text + "kernel k(x: in f32[N], y: out f32[N]) { y[0] = h20(x[0]) }").module);

  // Helpers whose expressions are as high as they may be, inside one another.
  std::string high = "kir 1\nfn g0(a: f32) -> f32 { a }\n";
  for (int i = 1; i < 20; ++i) {
    high += fmt::format("fn g{}(a: f32) -> f32 {{ g{}(a)", i, i - 1);
    for (int k = 0; k < 900; ++k) high += " + a";
    high += " }\n";
  }
  KirResult levels = kir_of(high + "kernel k(x: in f32[N], y: out f32[N]) { y[0] = g19(x[0]) }");
  EXPECT_TRUE(levels.has("P-05")) << levels.text();
}

}  // namespace
}  // namespace kir::test
