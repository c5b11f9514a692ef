// Relations and made tensors: reshape, concat, iota, gather.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

// shows: K7.9 K9.13
TEST(Relations, AReshapeSplitsAndMergesAxes) {
  expect_only_undamaged(R"(kir 1
kernel split(x: in f32[S, H * D], y: out f32[S, H, D], z: out f32[M * N], v: in f32[M, N], H: index, D: index)
  where H >= 1, D >= 1
{
  let s = reshape x to [S, H, D]
  let f = reshape z to [M, N]
  parallel a in 0..S, h in 0..H, d in 0..D { y[a, h, d] = s[a, h, d] }
  parallel m in 0..M, n in 0..N { f[m, n] = v[m, n] }
}
)",
                        {{"%h * D + %d", "%d * H + %h"}, {"%m * N + %n", "%n * M + %m"}});
}

// The extent K twice in one axis, and a load at a sum that has no digits.
TEST(Relations, AnExtentMayStandTwiceInAnAxis) {
  expect_only_undamaged(R"(kir 1
kernel windows(x: in f32[C, L], y: out f32[C * K * K], K: index, S: index) where K >= 0, S >= 1, K * S + K <= L + S {
  let p = reshape y to [C, K, K]
  parallel c in 0..C, i in 0..K, j in 0..K { p[c, i, j] = x[c, i * S + j] }
}
)",
                        {{"%i * K + %j", "%j * K + %i"}, {"%i * S + %j", "%j * S + %i"}});
}

TEST(Relations, AnotherNumberOfElementsIsAnError) {
  Verdicts v = check_kir(R"(kir 1
kernel k(x: in f32[N], y: out f32[A, B], A: index, B: index) where A >= 0, B >= 0 {
  let s = reshape x to [A, B]
  parallel a in 0..A, b in 0..B { y[a, b] = s[a, b] }
}
)");
  EXPECT_TRUE(v.fails(proof::ObligationKind::kir_safe));
  v = check_kir(R"(kir 1
kernel k(x: in f32[N], y: out f32[A, B], A: index, B: index) where A >= 0, B >= 0, N == A * B {
  let s = reshape x to [A, B]
  parallel a in 0..A, b in 0..B { y[a, b] = s[a, b] }
}
)");
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K7.9
TEST(Relations, AConcatReadsTheOperandThatHoldsTheElement) {
  expect_only_undamaged(R"(kir 1
kernel behind(a: in f16[A], b: in f16[B], y: out f16[A + B]) {
  let whole = concat axis(0) a, b
  parallel m in 0..A + B { y[m] = whole[m] }
}
)",
                        {{"%m < A", "%m <= A"}, {"%m - A", "%m"}, {"load b", "load a"}});
}

// shows: K7.9
TEST(Relations, AnIotaIsItsCoordinateConverted) {
  expect_only_undamaged(R"(kir 1
kernel k(x: in f32[M, N], y: out f32[M, N], z: out i64[N]) {
  let r: f32[M, N] = iota axis(0) to [M, N]
  let c: i64[N] = iota axis(0) to [N]
  parallel m in 0..M, n in 0..N { y[m, n] = x[m, n] + r[m, n] }
  parallel n in 0..N { z[n] = c[n] }
}
)",
                        {{"convert.sint %m", "convert.sint %n"}});
}

// shows: K7.9 K9.12
TEST(Relations, AGatherReadsWhereItsRegionSays) {
  expect_only_undamaged(R"(kir 1
kernel k(t: in f32[V, D], idx: in i32[E], y: out f32[E, D]) where V >= 1 {
  let rows = gather t (e in 0..E, d in 0..D) {
    let v = to_index(idx[e])
    yield min(max(v, 0), V - 1), d
  }
  parallel e in 0..E, d in 0..D { y[e, d] = rows[e, d] }
}
)",
                        {{"load idx[%e]", "load idx[0]"}, {"V - 1", "V - 2"}, {"store y[%e, %d]", "store y[%e, D - 1 - %d]"}});
  Verdicts v = check_kir(R"(kir 1
kernel k(t: in f32[V], idx: in i32[E], y: out f32[E]) {
  let rows = gather t[to_index(idx[e])] for (e in 0..E)
  parallel e in 0..E { y[e] = rows[e] }
}
)");
  EXPECT_TRUE(v.fails(proof::ObligationKind::kir_safe));
}

}  // namespace
}  // namespace kir::test
