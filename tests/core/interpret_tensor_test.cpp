// Tensors made of other tensors, parts of axes, random numbers: their meaning and each erroneous execution. Values are those of
// NumPy's reshape, concatenate, arange and take, and of the known answers of Random123.
#include <array>

#include "core/numeric/philox.h"
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

// shows: K1.3
TEST(InterpretTensor, ReshapeKeepsTheRowMajorOrderOfItsSource) {
  auto k = parse_kernel(R"(kernel k(x: in i32[A, B], y: out i32[B, A], z: out i32[A * B]) {
    let r = reshape x to [B, A]
    let turned = transpose x perm(1, 0)
    let flat = reshape turned to [A * B]
    parallel b in 0..B, a in 0..A { y[b, a] = r[b, a] }
    parallel i in 0..A * B { z[i] = flat[i] }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}, {"1", "2", "3", "4", "5", "6"})
      .tensor("y", DType::i32, {3, 2})
      .tensor("z", DType::i32, {6});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(a.elements("z"), (Words{"1", "4", "2", "5", "3", "6"}));
}

TEST(InterpretTensor, ReshapedViewsAreWrittenAndReshapedTensorsCarried) {
  auto k = parse_kernel(R"(kernel k(y: out i32[A, B], n: index) where n == A * B {
    let flat = reshape y to [n]
    let zero: i32[A, B] = tensor (i in 0..A, j in 0..B) { 0 }
    let start = reshape zero to [n]
    let t: i32[n] = for s in 0..3 carry (u: i32[n] = start) {
      let v: i32[n] = tensor (i in 0..n) { u[i] + to_i32(i) }
      next v
    }
    parallel i in 0..n { flat[i] = t[i] }
  })");
  Arguments a;
  a.tensor("y", DType::i32, {3, 2}).symbol("n", 6);
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"0", "3", "6", "9", "12", "15"}));
}

TEST(InterpretTensor, ReshapeToAnotherNumberOfElementsIsErroneous) {
  auto k = parse_kernel(
      "kernel k(x: in i32[A, B], y: out i32[N]) { let r = reshape x to [N]\n"
      "parallel i in 0..N { y[i] = r[i] } }");
  Arguments a, empty, none;
  a.tensor("x", DType::i32, {2, 3}).tensor("y", DType::i32, {5});
  RuntimeError e = run_badly(k, a, shape_mismatch, {"from [2, 3] to [5]", "6 elements to 5"});
  EXPECT_GT(e.range.begin, 0u);
  empty.tensor("x", DType::i32, {0, 3}).tensor("y", DType::i32, {1});
  run_badly(k, empty, shape_mismatch);
  none.tensor("x", DType::i32, {0, 3}).tensor("y", DType::i32, {0});
  run_well(k, none);
}

TEST(InterpretTensor, ReshapeIndexErrorsNameEachLevel) {
  auto k = parse_kernel("kernel k(x: in i32[A, B], y: out i32[1], i: index) { let r = reshape x to [A * B]\ny[0] = r[i] }");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}).tensor("y", DType::i32, {1}).symbol("i", 6);
  run_badly(k, a, out_of_bounds, {"load r[6] is outside [0, 6)"});
}

TEST(InterpretTensor, ConcatPutsItsOperandsBehindOneAnother) {
  auto k = parse_kernel(R"(kernel k(a: in i32[A, N], b: in i32[B, N], y: out i32[A + B, N], z: out i32[A, N + 2]) {
    let rows = concat axis(0) a, b
    let two: i32[A, 2] = tensor (i in 0..A, j in 0..2) { to_i32(10 * i + j) }
    let columns: i32[A, N + 2] = concat axis(1) a, two
    parallel i in 0..A + B, j in 0..N { y[i, j] = rows[i, j] }
    parallel i in 0..A, j in 0..N + 2 { z[i, j] = columns[i, j] }
  })");
  Arguments a;
  a.tensor("a", DType::i32, {2, 2}, {"1", "2", "3", "4"})
      .tensor("b", DType::i32, {1, 2}, {"5", "6"})
      .tensor("y", DType::i32, {3, 2})
      .tensor("z", DType::i32, {2, 4});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(a.elements("z"), (Words{"1", "2", "0", "1", "3", "4", "10", "11"}));
  Arguments empty;
  empty.tensor("a", DType::i32, {0, 2})
      .tensor("b", DType::i32, {1, 2}, {"5", "6"})
      .tensor("y", DType::i32, {1, 2})
      .tensor("z", DType::i32, {0, 4});
  run_well(k, empty);
  EXPECT_EQ(empty.elements("y"), (Words{"5", "6"}));
}

TEST(InterpretTensor, ConcatOfUnwrittenMemoryOrANegativeExtentIsErroneous) {
  auto k = parse_kernel("kernel k(x: in i32[N], y: out i32[N]) { let c = concat axis(0) x, y\ny[0] = c[0] }");
  Arguments a;
  a.tensor("x", DType::i32, {2}).tensor("y", DType::i32, {2});
  run_badly(k, a, uninitialized_read, {"concat y", "never written"});
  auto short_one = parse_kernel(R"(kernel k(x: in i32[N], y: out i32[1], m: index) {
    let s = slice x [m..N]
    let c = concat axis(0) x, s
    y[0] = c[0]
  })");
  Arguments b;
  b.tensor("x", DType::i32, {2}).tensor("y", DType::i32, {1}).symbol("m", 5);
  run_badly(short_one, b, shape_mismatch, {"s has the extent -3 along axis 0"});
}

TEST(InterpretTensor, IotaConvertsTheCoordinate) {
  auto k = parse_kernel(R"(kernel k(a: out i32[2, 3], b: out f8e4m3[20], c: out i8[300], d: out i1[4]) {
    let i: i32[2, 3] = iota axis(1) to [2, 3]
    let f: f8e4m3[20] = iota axis(0) to [20]
    let w: i8[300] = iota axis(0) to [300]
    let p: i1[4] = iota axis(0) to [4]
    parallel m in 0..2, n in 0..3 { a[m, n] = i[m, n] }
    parallel m in 0..20 { b[m] = f[m] }
    parallel m in 0..300 { c[m] = w[m] }
    parallel m in 0..4 { d[m] = p[m] }
  })");
  Arguments a;
  a.tensor("a", DType::i32, {2, 3}).tensor("b", DType::f8e4m3, {20}).tensor("c", DType::i8, {300}).tensor("d", DType::i1, {4});
  run_well(k, a);
  EXPECT_EQ(a.elements("a"), (Words{"0", "1", "2", "0", "1", "2"}));
  EXPECT_EQ(a.elements("b")[17], "16.0");  // 17 is a tie of f8e4m3, to even
  EXPECT_EQ(a.elements("b")[19], "20.0");
  EXPECT_EQ(a.elements("c")[128], "-128");
  EXPECT_EQ(a.elements("c")[299], "43");
  EXPECT_EQ(a.elements("d"), (Words{"false", "true", "false", "true"}));
}

// shows: K1.3
TEST(InterpretTensor, GatherTakesCoordinatesFromMemory) {
  auto k = parse_kernel(R"(kernel k(x: in f32[V, D], idx: in i64[E], y: out f32[E, D]) {
    let g = gather x[to_index(idx[e]), d] for (e in 0..E, d in 0..D)
    parallel e in 0..E, d in 0..D { y[e, d] = g[e, d] }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {3, 2}, {"0", "1", "10", "nan", "20", "-0.0"})
      .tensor("idx", DType::i64, {4}, {"2", "0", "2", "1"})
      .tensor("y", DType::f32, {4, 2});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"20.0", "-0.0", "0.0", "1.0", "20.0", "-0.0", "10.0", "nan"}));
  for (const char* bad : {"3", "-1", "4611686018427387904", "-9223372036854775808"}) {
    Arguments b;
    b.tensor("x", DType::f32, {3, 2}).tensor("idx", DType::i64, {4}, {"2", bad, "2", "1"}).tensor("y", DType::f32, {4, 2});
    run_badly(k, b, out_of_bounds, {"gather x[" + std::string(bad) + ", 0] is outside [0, 3) x [0, 2)", "e = 1, d = 0"});
  }
  Arguments none;
  none.tensor("x", DType::f32, {0, 2}).tensor("idx", DType::i64, {0}).tensor("y", DType::f32, {0, 2});
  run_well(k, none);
}

TEST(InterpretTensor, GatherOfTensorsAndRelations) {
  auto k = parse_kernel(R"(kernel k(x: in i32[M, N], y: out i32[M]) {
    let doubled: i32[M, N] = tensor (m in 0..M, n in 0..N) { x[m, n] * 2 }
    let turned = transpose doubled perm(1, 0)
    let diagonal: i32[M] = gather turned (m in 0..M) { yield m, m }
    parallel m in 0..M { y[m] = diagonal[m] }
  })");
  Arguments a, b;
  a.tensor("x", DType::i32, {2, 3}, {"1", "2", "3", "4", "5", "6"}).tensor("y", DType::i32, {2});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"2", "10"}));
  b.tensor("x", DType::i32, {3, 2}).tensor("y", DType::i32, {3});
  run_badly(k, b, out_of_bounds, {"gather turned[2, 2] is outside [0, 2) x [0, 3) with m = 2"});
}

TEST(InterpretTensor, AnArbitraryCoordinateOfAGatherIsErroneous) {
  auto k = parse_kernel(R"(kernel k(x: in f32[V], idx: in i32[E], y: out f32[E]) {
    let g: f32[E] = gather x (e in 0..E) {
      let v = load idx[e] where e < 1
      yield to_index(v)
    }
    parallel e in 0..E { y[e] = g[e] }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {3}).tensor("idx", DType::i32, {2}).tensor("y", DType::f32, {2});
  run_badly(k, a, arbitrary_value, {"a coordinate", "e = 1"});
}

// shows: K1.3
TEST(InterpretTensor, PartsOfAnAxisComeFromData) {
  auto k = parse_kernel(R"(kernel k(x: in i32[N], o: in i32[S + 1], y: out i32[S], z: out i64[S]) {
    parallel s in 0..S {
      let r = part x.0 [to_index(o[s])..to_index(o[s + 1])]
      y[s] = reduce add order(any) over j in r { x[j] }
      z[s] = to_i64(size(r))
    }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {5}, {"1", "2", "3", "4", "5"})
      .tensor("o", DType::i32, {5}, {"0", "2", "2", "5", "5"})
      .tensor("y", DType::i32, {4})
      .tensor("z", DType::i64, {4})
      .symbol("S", 4);
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"3", "0", "12", "0"}));
  EXPECT_EQ(a.elements("z"), (Words{"2", "0", "3", "0"}));
}

TEST(InterpretTensor, PartsThatLeaveTheirAxisAreErroneousAndReversedOnesEmpty) {
  auto k = parse_kernel(R"(kernel k(x: in i32[N], y: out i64[3], a: index, b: index) {
    let r = part x.0 [a..b]
    let n: i64 = for j in r carry (c: i64 = 0) { next c + 1 }
    y[0] = n
    y[1] = to_i64(size(r))
    let whole = slice x [r]
    y[2] = for j in 0..size(r) carry (c: i64 = 0) { next c + to_i64(whole[j]) }
  })");
  auto with = [](std::int64_t lo, std::int64_t hi) {
    Arguments a;
    a.tensor("x", DType::i32, {4}, {"1", "10", "100", "1000"}).tensor("y", DType::i64, {3}).symbol("a", lo).symbol("b", hi);
    return a;
  };
  Arguments good = with(1, 3), reversed = with(7, 2), beyond = with(9, 9);
  run_well(k, good);
  EXPECT_EQ(good.elements("y"), (Words{"2", "2", "110"}));
  run_well(k, reversed);
  EXPECT_EQ(reversed.elements("y"), (Words{"0", "0", "0"}));
  run_well(k, beyond);
  run_badly(k, with(2, 5), out_of_bounds, {"part x.0 [2..5] is outside [0, 4)"});
  run_badly(k, with(-1, 1), out_of_bounds, {"part x.0 [-1..1] is outside [0, 4)"});
}

// shows: K1.3
TEST(InterpretTensor, APartIsAnAxisOfEveryFold) {
  auto k = parse_kernel(R"(kernel k(x: in i32[N], y: out i32[3], z: out i64[2], a: index, b: index) {
    let r = part x.0 [a..b]
    let (top, at) = arg_reduce max tie(first) nan(first) over j in r { x[j] } init (0, 0)
    y[0] = top
    z[0] = to_i64(at)
    y[1] = region_fold [r] uses (x) summarize [lo..hi] {
      let s = reduce add order(any) over j in lo..hi { x[j] }
      yield s
    } combine order(tree) (u: i32, v: i32) { yield u + v } identity (0)
    let (s, t) = scan add inclusive forward order(any) over j in r { x[j] }
    y[2] = t
    z[1] = for j in r carry (c: i64 = 0) { next c + to_i64(j) }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {5}, {"1", "20", "3", "40", "5"}).tensor("y", DType::i32, {3}).tensor("z", DType::i64, {2});
  a.symbol("a", 1).symbol("b", 4);
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"40", "63", "63"}));
  EXPECT_EQ(a.elements("z"), (Words{"3", "6"}));
}

// The known answers of philox4x32 with ten rounds in Random123's kat_vectors: counter, key, result.
TEST(Philox, KnownAnswers) {
  using Words4 = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox4x32_10({0, 0}, {0, 0, 0, 0}), (Words4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32_10({~0u, ~0u}, {~0u, ~0u, ~0u, ~0u}), (Words4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Words4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// shows: K1.5
TEST(InterpretTensor, PhiloxTakesTheKeyThenTheCounter) {
  auto k = parse_kernel(R"(kernel k(y: out i32[4], u: out f32[4]) {
    let (a, b, c, d) = philox4x32_10(0xa4093822, 0x299f31d0, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344)
    y[0] = a
    y[1] = b
    y[2] = c
    y[3] = d
    u[0] = uniform01_24(a)
    u[1] = uniform01_24(i32(-1))
    u[2] = uniform01_24(i32(255))
    u[3] = uniform01_24(i32(256))
  })");
  Arguments a;
  a.tensor("y", DType::i32, {4}).tensor("u", DType::f32, {4});
  run_well(k, a);
  std::vector<std::uint64_t> bits;
  for (const std::string& w : a.elements("y")) bits.push_back(parse_literal(w, DType::i32)->bits);
  EXPECT_EQ(bits, (std::vector<std::uint64_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  auto real = [&](int i) { return *parse_literal(a.elements("u")[static_cast<std::size_t>(i)], DType::f32); };
  EXPECT_EQ(real(0), Scalar::of_f32(static_cast<float>(0xd16cfe) / 16777216.0f));
  EXPECT_EQ(real(1), Scalar::of_f32(16777215.0f / 16777216.0f));
  EXPECT_EQ(a.elements("u")[2], "0.0");
  EXPECT_EQ(real(3), Scalar::of_f32(1.0f / 16777216.0f));
}

}  // namespace
}  // namespace kir
