// Execution groups and segments.
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

using Axes = std::vector<std::string>;
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// shows: K3.2 K3.5 K4.2 K4.4 K6.2 K1.6
TEST(Group, IndependentStatementsAreGroupsWithTheirOwnSegments) {
  Built b = build_kernel(parse_one(read_corpus("two_groups.kir")));
  EXPECT_EQ(axes(b), (Axes{"m", "k"}));
  EXPECT_EQ(definition(b, "L0"), "M");
  EXPECT_EQ(definition(b, "O0"), "0");
  EXPECT_EQ(definition(b, "L1"), "K");
  EXPECT_EQ(definition(b, "O1"), "O0 + L0");
  EXPECT_EQ(definition(b, "G"), "ceildiv(O1 + L1, 128)");
  EXPECT_EQ(b.program().launch.threads, 1);
  EXPECT_EQ(b.program().launch.pack, 128);
  ASSERT_EQ(b.program().arms.size(), 2u);
  auto named = [&](Expr e) { return describe(b.program(), e); };
  EXPECT_SAYS(text(b), "O0 <= %");
  EXPECT_EQ(b.program().arms[1].group, 1u);
  EXPECT_SAYS(named(b.program().arms[1].coordinates[0]), " - O1");
}

// shows: K3.1 K6.5
TEST(Group, OutputsOfOneProducerShareAGroup) {
  Built b = build_kernel(parse_one(read_corpus("two_outputs.kir")));
  EXPECT_EQ(axes(b), Axes{"m"});
  Built top = build(
      "kernel k(x: in f32[N], a: out f32[N], b: out f32[N]) { let t = tensor (i in 0..N) { exp(x[i]) }\n"
      "parallel i in 0..N { a[i] = t[i] }\n parallel j in 0..N { b[j] = t[j] } }");
  EXPECT_EQ(axes(top), Axes{"i"});
  EXPECT_SAYS(explanation(top), "both use t (the tensor at");
  EXPECT_EQ(shape(top), "load exp store store yield");
}

// shows: K3.1 K6.5 K3.3
TEST(Group, OutputsOfUnlikeShapeWithOneProducerAreOneInstanceInOrder) {
  Built b = build(
      "kernel k(x: in f32[N], a: out f32[N], b: out f32[M]) { let s = reduce add order(any) over i in 0..N { x[i] }\n"
      "parallel i in 0..N { a[i] = s }\n parallel j in 0..M { b[j] = s } }");
  EXPECT_EQ(axes(b), Axes{""});
  EXPECT_SAYS(explanation(b), "has no such axis of the domain");
}

TEST(Group, WhatIsFreeToRepeatConnectsNothing) {
  Built b = build(
      "kernel k(a: out f32[N], b: out f32[M], s: f32) { let c = s * 2.0\n let z: f32 = constant 1.0\n"
      "parallel i in 0..N { a[i] = c + z }\n parallel j in 0..M { b[j] = c - z } }");
  EXPECT_EQ(axes(b), (Axes{"i", "j"}));
}

// shows: K3.1 K3.4 K5.4
TEST(Group, DependenceThroughAViewMergesAndAlignedElementsKeepTheAxis) {
  Built same = build(
      "kernel k(x: in f32[N], t: inout f32[N], y: out f32[N]) { parallel i in 0..N { t[i] = x[i] }\n"
      "parallel i in 0..N { y[i] = t[i] } }");
  EXPECT_EQ(axes(same), Axes{"i"});
  EXPECT_SAYS(explanation(same), "t is written at");
  Built reversed = build(
      "kernel k(x: in f32[N], t: inout f32[N], y: out f32[N]) { parallel i in 0..N { t[i] = x[i] }\n"
      "parallel i in 0..N { y[i] = t[N - 1 - i] } }");
  EXPECT_EQ(axes(reversed), Axes{""});
  EXPECT_EQ(shape(reversed), "for(load store next) for(index load store next) yield");
  EXPECT_SAYS(explanation(reversed), "an element does not decide i");
}

// shows: K4.14 K2.6
TEST(Group, AxesAreMatchedByWhatTheyTouch) {
  Built swapped = build(
      "kernel k(t: inout f32[M, N], y: out f32[M, N]) { parallel m in 0..M, n in 0..N { t[m, n] = 1.0 }\n"
      "parallel n in 0..N, m in 0..M { y[m, n] = t[m, n] } }");
  EXPECT_EQ(axes(swapped), Axes{"m, n"});
  Built square = build(
      "kernel k(t: inout f32[N, N], y: out f32[N, N]) { parallel i in 0..N, j in 0..N { t[i, j] = 1.0 }\n"
      "parallel p in 0..N, q in 0..N { y[p, q] = t[q, p] } }");
  EXPECT_EQ(axes(square), Axes{"i, j"});
  EXPECT_SAYS(text(square), "store y[%j, %i]");
  Built column = build(
      "kernel k(t: inout f32[M, N], y: out f32[M, N]) { parallel m in 0..M, n in 0..N { t[m, n] = 1.0 }\n"
      "parallel m in 0..M, n in 0..N { y[m, n] = t[m, N - 1 - n] } }");
  EXPECT_EQ(axes(column), Axes{"m"});
  EXPECT_EQ(shape(column), "for(constant store next) for(index load store next) yield");
}

// shows: K2.3 K3.4
TEST(Group, OverlappingWritesAreNotSplit) {
  Built b = build(
      "kernel k(y: out f32[N]) where N >= 2 { parallel i in 0..N { y[i] = 1.0 }\n parallel i in 0..N - 1 { y[i + 1] = 2.0 } }");
  EXPECT_EQ(axes(b), Axes{""});
  EXPECT_EQ(b.program().groups.size(), 1u);
}

// shows: K1.2 K3.4
TEST(Group, AliasFactsCountAsOneResource) {
  const char* body = "{ parallel i in 0..N { y[i] = 1.0 }\n parallel i in 0..N { z[i] = x[N - 1 - i] } }";
  Built apart = build(std::string("kernel k(x: in f32[N], y: out f32[N], z: out f32[N]) ") + body);
  EXPECT_EQ(axes(apart).size(), 2u);
  Built may = build(std::string("kernel k(x: in f32[N], y: out f32[N], z: out f32[N]) alias { may_alias(x, y) } ") + body);
  EXPECT_EQ(axes(may), Axes{""});
  Built same = build(std::string("kernel k(x: in f32[N], y: out f32[N], z: out f32[N]) alias { same(x, y) } ") + body);
  EXPECT_EQ(axes(same), Axes{""});
}

// shows: K4.11 K3.3
TEST(Group, OneOrderedPieceIsOneInstance) {
  Built b = build_kernel(parse_one(read_corpus("dot.kir")));
  EXPECT_EQ(axes(b), Axes{""});
  EXPECT_EQ(definition(b, "L0"), "1");
  EXPECT_EQ(shape(b).find("constant reduce("), 0u) << shape(b);
}

// shows: K4.3
TEST(Group, ExtentsAreNeverNegative) {
  Built b = build("kernel k(y: out f32[N]) where N >= 4 { parallel i in 2..N - 1 { y[i] = 1.0 } }");
  EXPECT_EQ(definition(b, "L0"), "max(0, N - 1 - 2)");
  EXPECT_SAYS(describe(b.program(), b.program().arms[0].coordinates[0]), " - O0 + 2");
  Built parameter = build("kernel k(y: out f32[N], n: index) where n <= N { parallel i in 0..n { y[i] = 1.0 } }");
  EXPECT_EQ(definition(parameter, "L0"), "max(0, n)");
  Built constant = build("kernel k(y: out f32[8]) { parallel i in 3..7 { y[i] = 1.0 }  }");
  EXPECT_EQ(definition(constant, "L0"), "4");
}

TEST(Group, NamesOfTheLaunchAvoidThoseOfTheKernel) {
  Built b = build("kernel k(w: out f32[L0, G]) { parallel i in 0..L0, j in 0..G { w[i, j] = 1.0 } }");
  EXPECT_EQ(definition(b, "L0_"), "L0 * G");
  EXPECT_EQ(b.program().launch.grid, "G_");
}

TEST(Group, AKernelWithoutEffectsLaunchesNothing) {
  Built b = build("kernel k(x: in f32[N]) { let s = reduce add order(any) over i in 0..N { x[i] } }");
  EXPECT_EQ(b.program().groups.size(), 0u);
  EXPECT_EQ(definition(b, "G"), "0");
}

}  // namespace
}  // namespace kir::lowering::testing
