// Which axes become instance axes, and which facts keep others inside.
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

using Axes = std::vector<std::string>;

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// shows: K2.1 K7.1 K4.1
TEST(Workset, PointwiseWritesMakeEveryAxisAnInstanceAxis) {
  Built b = build("kernel k(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M, n in 0..N { y[m, n] = exp(x[m, n]) } }");
  EXPECT_EQ(axes(b), Axes{"m, n"});
  EXPECT_EQ(definition(b, "L0"), "M * N");
  EXPECT_EQ(shape(b), "load exp store yield");
}

// shows: K2.8
TEST(Workset, NestedParallelsEqualOneParallel) {
  Built flat =
      build("kernel k(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M, n in 0..N { y[m, n] = x[m, n] * 2.0 } }");
  Built nested = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M { parallel n in 0..N { y[m, n] = x[m, n] * 2.0 } } }");
  Built tensor = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N]) { let t = tensor (m in 0..M, n in 0..N) { x[m, n] * 2.0 }\n"
      "parallel m in 0..M, n in 0..N { y[m, n] = t[m, n] } }");
  Built inner = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M { let t = tensor (n in 0..N) { x[m, n] * 2.0 }\n"
      "parallel n in 0..N { y[m, n] = t[n] } } }");
  EXPECT_EQ(text(flat), text(nested));
  EXPECT_EQ(text(flat), text(tensor));
  EXPECT_EQ(text(flat), text(inner));
}

// shows: K7.2 K2.7 K2.5 K3.6 K6.1
TEST(Workset, SharedProducersKeepTheInnerAxisInside) {
  Built b = build_kernel(parse_one(read_corpus("softmax.kir")));
  EXPECT_EQ(axes(b), Axes{"m"});
  EXPECT_EQ(shape(b).find("reduce("), 0u) << shape(b);
  EXPECT_SAYS(shape(b), "for(");
  EXPECT_SAYS(explanation(b), "axis m in 0..M is an instance axis");
  EXPECT_SAYS(explanation(b), "peak (the reduce at test.kir:");
  EXPECT_SAYS(explanation(b), "axis n stays inside: the reduce at");
}

// shows: K7.7 K2.7 K4.6
TEST(Workset, OrderedRecurrenceKeepsItsAxis) {
  Built b = build_kernel(parse_one(read_corpus("affine_recurrence.kir")));
  EXPECT_EQ(axes(b), Axes{"r"});
  EXPECT_EQ(shape(b), "load for(load mul load add store next) yield");
  EXPECT_SAYS(explanation(b), "axis t stays inside: the for at");
}

// shows: K2.6 K7.7 K4.14
TEST(Workset, IndependentAxisUnderAnOrderedLoopEntersWhenAnElementDecidesIt) {
  Built b = build(
      "kernel k(x: in f32[T, M], h: inout f32[M]) { for t in 0..T { parallel m in 0..M { h[m] = h[m] * 0.5 + x[t, m] } } }");
  EXPECT_EQ(axes(b), Axes{"m"});
  EXPECT_EQ(shape(b).find("for("), 0u) << shape(b);
}

// shows: K2.2 K3.3 K3.4 K4.11
TEST(Workset, DependenceAcrossInstancesThroughAnOrderedLoopMergesThem) {
  Built b = build(
      "kernel k(h: inout f32[M]) where M >= 1 { for t in 0..8 { parallel m in 1..M { h[m] = 1.0 }\n"
      "parallel m in 1..M { h[m - 1] = 2.0 } } }");
  EXPECT_EQ(axes(b), Axes{""});
  EXPECT_EQ(definition(b, "L0"), "1");
  EXPECT_SAYS(explanation(b), "an element does not decide m");
  EXPECT_SAYS(explanation(b), "one instance runs the whole group");
}

// shows: K2.2 K2.7 K3.4
TEST(Workset, ElementsThatMoveWithAnOrderedLoopKeepTheAxisInside) {
  Built b =
      build("kernel k(a: inout f32[N]) where N >= 3 { for t in 0..3 { parallel m in 0..N - 3 { a[m + t] = to_f32(t) } } }");
  EXPECT_EQ(axes(b), Axes{""});
  EXPECT_SAYS(explanation(b), "a is written at");
  Built second = build(
      "kernel k(a: inout f32[N], b: out f32[N]) where N >= 3 { for t in 0..3 { parallel m in 0..N - 3 { b[m] = 1.0 }\n"
      "parallel m in 0..N - 3 { a[m + t] = to_f32(t) } } }");
  EXPECT_EQ(axes(second), Axes{""});
}

// shows: K4.5 K4.15
TEST(Workset, DataDependentBoundsStayInside) {
  Built b = build(
      "kernel k(count: in i64[B], y: out f32[B, N]) { parallel b in 0..B { let c = count[b]\n let e: index = convert.sint c\n"
      "parallel j in 0..min(max(e, 0), N) { y[b, j] = 1.0 } } }");
  EXPECT_EQ(axes(b), Axes{"b"});
  Built whole = build(
      "kernel k(count: in i64[1], y: out f32[N]) where N >= 1 { let z: index = index 0\n let c = count[z]\n"
      "let e: index = convert.sint c\n parallel j in 0..min(max(e, 0), N) { y[j] = 1.0 } }");
  EXPECT_EQ(axes(whole), Axes{""});
  EXPECT_EQ(definition(whole, "L0"), "1");
  EXPECT_SAYS(explanation(whole), "not known before the launch");
}

// shows: K4.5
TEST(Workset, TriangularBoundsKeepTheInnerAxisInside) {
  Built b = build("kernel k(y: out f32[N, N]) { parallel i in 0..N { parallel j in 0..i { y[i, j] = 1.0 } } }");
  EXPECT_EQ(axes(b), Axes{"i"});
  EXPECT_EQ(shape(b), "for(constant store next) yield");
}

// shows: K4.14
TEST(Workset, ATopLevelProducerIsRepeatedRatherThanLosingTheAxis) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) { let s = reduce add order(any) over i in 0..N { x[i] }\n"
      "parallel i in 0..N { y[i] = x[i] / s } }");
  EXPECT_EQ(axes(b), Axes{"i"});
  EXPECT_EQ(shape(b).find("constant reduce("), 0u) << shape(b);
}

// shows: K2.2 K3.4 K4.14
TEST(Workset, AProducerThatReadsWhatTheGroupWritesForcesOneInstance) {
  Built b = build(
      "kernel k(x: inout f32[N]) { let s = reduce add order(any) over i in 0..N { x[i] }\n"
      "parallel i in 0..N { x[i] = x[i] / s } }");
  EXPECT_EQ(axes(b), Axes{""});
  EXPECT_SAYS(explanation(b), "x is read at");
}

// shows: K4.6 K2.6
TEST(Workset, ABranchKeepsTheAxesOfItsSides) {
  Built b = build(
      "kernel k(y: out f32[N], f: index) { if f > 3 { parallel i in 0..N { y[i] = 1.0 } } else { parallel i in 0..N { y[i] = "
      "2.0 } } }");
  EXPECT_EQ(axes(b), Axes{"i"});
  EXPECT_SAYS(shape(b), "if(");
}

}  // namespace
}  // namespace kir::lowering::testing
