// Instance axes that come from updates and atomics; loops that keep everything inside.
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

using Axes = std::vector<std::string>;
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// shows: K2.6
TEST(Updates, MembersOfAnAtomicUpdateAreInstances) {
  Built b = build(
      "kernel k(x: in i32[M, N], b: inout i32[B]) {\n"
      "  histogram b (m in 0..M, n in 0..N) { yield to_index(x[m, n]), 1 } out_of_range(clamp) }");
  EXPECT_EQ(axes(b), (Axes{"m, n"}));
  EXPECT_SAYS(text(b), "atomic_rmw.add b[");
  EXPECT_SAYS(text(b), "scope(gpu)");
}

// shows: K2.6
TEST(Updates, StoresOfOneElementEachAreInstances) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) {\n"
      "  scatter unique y (i in 0..N) { yield N - 1 - i, x[i] } }");
  EXPECT_EQ(axes(b), (Axes{"i"}));
  EXPECT_EQ(shape(b), "index load store yield");
}

// shows: K2.3
TEST(Updates, MembersOfAnOrderedUpdateComeOneAfterTheOther) {
  Built b = build(
      "kernel k(x: in f32[N], p: in i32[N], y: inout f32[M]) where M >= 1 {\n"
      "  scatter reduce order(strict) y (i in 0..N) { let q = to_index(p[i])\n yield max(min(q, M - 1), 0), x[i] }\n"
      "  combine (a: f32, v: f32) { a + v } }");
  EXPECT_EQ(axes(b), (Axes{""}));
  EXPECT_EQ(text(b).find("atomic"), std::string::npos);
  EXPECT_SAYS(explanation(b), "come one after the other");
}

// shows: K2.6 K5.6
TEST(Atomics, TheScopeFollowsFromTheMapping) {
  Built b = build(
      "kernel k(c: inout i32[4], N: index) {\n"
      "  parallel i in 0..N { let a = atomic_rmw.add c[0], 1 order(relaxed) }\n}");
  EXPECT_EQ(axes(b), (Axes{"i"}));
  EXPECT_SAYS(text(b), "scope(gpu)");
  b = build("kernel k(c: inout i32[4]) { let a = atomic_rmw.add c[0], 1 order(relaxed) }");
  EXPECT_SAYS(text(b), "scope(cta)");
  b = build("kernel k(c: inout i32[4]) { let a = atomic_rmw.add c[0], 1 order(relaxed) share(system) }");
  EXPECT_SAYS(text(b), "scope(system)");
}

// shows: K2.3
TEST(Atomics, TwoStatementsOnOneElementAreOrdered) {
  Built b = build(
      "kernel k(c: inout i32[4], N: index) {\n"
      "  parallel i in 0..N { let a = atomic_rmw.add c[0], 1 order(relaxed) }\n"
      "  parallel j in 0..N { let b = atomic_rmw.max.s c[0], 1 order(relaxed) }\n}");
  EXPECT_EQ(axes(b), (Axes{""}));
}

// Found by kir-fuzz.
// shows: K3.4 K5.6
TEST(Atomics, OneThatReleasesStaysWithWhatCameBefore) {
  const std::string head =
      "kernel k(x: in f32[N], y: out f32[N], flag: inout i32[1]) {\n  parallel i in 0..N { y[i] = x[i] }\n";
  Built b = build(head + "  atomic_store flag[0] = 1 order(release)\n}");
  EXPECT_EQ(axes(b), (Axes{""}));
  EXPECT_SAYS(explanation(b), "accessed in order with all others");
  EXPECT_EQ(axes(build(head + "  atomic_store flag[0] = 1 order(relaxed)\n}")), (Axes{"i", ""}));
}

TEST(Loops, OneThatCanEndEarlyKeepsItsAxesInside) {
  Built b = build(
      "kernel k(x: in i32[N], y: inout i32[M]) {\n"
      "  for n in 0..N {\n    if x[n] < 0 { break }\n"
      "    parallel m in 0..M { y[m] = y[m] + x[n] }\n  }\n}");
  EXPECT_EQ(axes(b), (Axes{""}));
  EXPECT_SAYS(explanation(b), "one decision");
  EXPECT_SAYS(shape(b), "if(break)");
}

}  // namespace
}  // namespace kir::lowering::testing
