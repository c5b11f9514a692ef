// Buffers at the top level: which of them instances share, which slices they own, and what brings all into one instance.
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

using Axes = std::vector<std::string>;

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// shows: K5.5 K5.1 K5.8
TEST(Workspace, SlicesWithUniqueOwners) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) { let row = buffer f32[N]\n parallel n in 0..N { row[n] = x[n] }\n"
      " parallel n in 0..N { y[n] = row[n] } }");
  EXPECT_EQ(axes(b), Axes{"n"});
  EXPECT_SAYS(text(b), "workspace {\n  row: view f32[N]\n}\n");
  EXPECT_EQ(shape(b), "load store load store yield");
  EXPECT_SAYS(explanation(b), "the buffer at test.kir:2:51 lies in the workspace of the launch: each instance owns row[n]");
}

// shows: K5.5
TEST(Workspace, AxesThatAnElementDoesNotDecideStayInside) {
  Built b = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N]) { let b = buffer f32[M + 1, N]\n"
      "parallel m in 0..M, n in 0..N { b[m + 1, n] = x[m, n] }\n"
      "parallel m in 0..M, n in 0..N { y[m, n] = b[m + 1, N - 1 - n] } }");
  EXPECT_EQ(axes(b), Axes{"m"});
  EXPECT_SAYS(explanation(b), "each instance owns b[m + 1, :]");
  EXPECT_SAYS(explanation(b), "an element does not decide n");
}

// shows: K5.2 K5.8
TEST(Workspace, AnOwnerMakesItsPartOfTheInitialValue) {
  Built b = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N]) { let b = buffer f32[M, N] init (i, j) { x[i, j] * 2.0 }\n"
      "parallel m in 0..M { for n in 0..N { b[m, n] = b[m, n] + b[m, 0] } }\n"
      "parallel m in 0..M, n in 0..N { y[m, n] = b[m, n] } }");
  EXPECT_EQ(axes(b), Axes{"m"});
  EXPECT_EQ(shape(b).find("for(load constant mul store next) for("), 0u) << shape(b);
  EXPECT_SAYS(text(b), "store b[%m, %j] =");
  Built all = build(
      "kernel k(y: inout f32[M, N]) { let b = buffer f32[N, M] init (i, j) { 1.0 }\n"
      "for t in 0..3 { parallel m in 0..M, n in 0..N { b[n, m] = b[n, m] + y[m, n] } }\n"
      "parallel m in 0..M, n in 0..N { y[m, n] = b[n, m] } }");
  EXPECT_EQ(axes(all), Axes{"m, n"});
  EXPECT_SAYS(text(all), "store b[%n, %m] =");
}

// shows: K5.2 K5.4
TEST(Workspace, AnInitialValueThatNoOwnerHasNeedsOneInstance) {
  // Rows beside those of the members have no owner.
  Built wide = build(
      "kernel k(x: in f32[M], y: out f32[M]) { let b = buffer f32[M + 1] init (i) { 0.0 }\n"
      "parallel m in 0..M { b[m] = b[m] + x[m] }\n parallel m in 0..M { y[m] = b[m] } }");
  EXPECT_EQ(axes(wide), Axes{""});
  EXPECT_SAYS(explanation(wide),
              "which instance makes the initial value of the buffer at test.kir:2:49, its elements do not decide");
  EXPECT_SAYS(text(wide), "scope(private) init");
  // Nor has an element that data chooses.
  Built counted = build(
      "kernel k(x: in i32[M], y: inout i32[4]) where in_range(x, 0, 4) { let b = buffer i32[4] init (i) { 0 }\n"
      "histogram b (m in 0..M) { yield to_index(x[m]), 1 } out_of_range(error)\n parallel i in 0..4 { y[i] = b[i] } }");
  EXPECT_EQ(axes(counted), Axes{""});
}

// shows: K5.4
TEST(Workspace, AnElementThatAnotherMemberReadsNeedsOneInstance) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) { let row = buffer f32[N]\n parallel n in 0..N { row[n] = x[n] }\n"
      " parallel n in 0..N { y[n] = row[N - 1 - n] } }");
  EXPECT_EQ(axes(b), Axes{""});
  EXPECT_SAYS(text(b), "scope(private)");
  Built read = build(
      "kernel k(x: in f32[N], y: out f32[N]) where N >= 1 { let row = buffer f32[N] init (i) { x[i] }\n let s = row[0]\n"
      " parallel n in 0..N { y[n] = row[n] + s } }");
  EXPECT_EQ(axes(read), Axes{""});
}

TEST(Workspace, ABufferWhoseSizeIsDataIsNotShared) {
  Built b = build(
      "kernel k(c: in i32[1], x: in f32[N], y: out f32[N]) where in_range(c, 0, 9) { let e = to_index(c[0])\n"
      "let b = buffer f32[min(max(e, 0), N) + N]\n parallel n in 0..N { b[n] = x[n] }\n parallel n in 0..N { y[n] = b[n] } }");
  EXPECT_EQ(axes(b), Axes{""});
}

TEST(Workspace, WhatNothingReadsIsNotStored) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) { let b = buffer f32[N]\n parallel n in 0..N { b[n] = x[n]\n y[n] = 1.0 } }");
  EXPECT_EQ(axes(b), Axes{"n"});
  EXPECT_EQ(shape(b), "constant store yield");
}

TEST(Workspace, BuffersHaveNamesOfTheirOwn) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) { let L0 = buffer f32[N]\n parallel n in 0..N { L0[n] = x[n] }\n"
      " parallel n in 0..N { y[n] = L0[n] } }");
  EXPECT_SAYS(text(b), "workspace {\n  L0_: view f32[N]\n}\n");
}

}  // namespace
}  // namespace kir::lowering::testing
