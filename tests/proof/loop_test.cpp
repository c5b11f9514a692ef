// Loops that can end early: their exits, what happens before them, and that they end.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

// shows: K7.11 K9.4
TEST(Loops, AWhileOfCarriedIndicesAndStores) {
  expect_only_undamaged(R"(kir 1
kernel down(x: in i32[N], y: inout i32[N], last: out i32[1]) {
  let (k, v) = while carry (k = N - 1, v = i32(0)) when { k >= 0 and v < 10 } do {
    y[k] = x[k] + v
    if x[k] == 3 { continue k - 1, v }
    if x[k] == 7 {
      if v == 2 { break k, 5 }
      y[k] = 1
    }
    next k - 1, v + 1
  }
  last[0] = v
}
)",
                        {{"%k >= 0", "%k > 0"},
                         {"constant 10", "constant 11"},
                         {"constant 7", "constant 8"},
                         {"constant 2", "constant 4"},
                         {"constant 3", "constant 4"},
                         {"constant 5", "constant 6"},
                         {"N - 1", "N - 2"},
                         {"continue", "break"},
                         {"index %k - 1", "index %k - 2"}});
}

// shows: K7.11
TEST(Loops, ARowEndsWhereItsKernelSays) {
  expect_only_undamaged(R"(kir 1
kernel rows(x: in f32[M, N], y: out f32[M, N], count: out i32[M]) {
  parallel m in 0..M {
    let last = for n in 0..N step 2 carry (l = i32(0)) {
      y[m, n] = x[m, n]
      if x[m, n] < 0.0 { break to_i32(n) }
      if x[m, n] > 5.0 { continue l + 1 }
      y[m, n] = x[m, n] * 2.0
      next l
    }
    count[m] = last
  }
}
)",
                        {{"cmp.olt", "cmp.ole"},
                         {"constant 5.0", "constant 4.0"},
                         {"continue", "break"},
                         {"break", "continue"},
                         {"step 2", "step 1"},
                         {"constant 2.0", "constant 3.0"}});
}

// shows: K7.11 K9.1
TEST(Loops, NewtonsIterationEndsAsItsKernelDoes) {
  expect_only_undamaged(read_file("corpus/control/newton_sqrt.kir"),
                        {{"cmp.olt", "cmp.ole"}, {"constant 0.5", "constant 0.25"}});
  expect_only_undamaged(read_file("corpus/control/newton_fixed.kir"), {{"cmp.oeq", "cmp.une"}, {"0..most", "0..most + 1"}});
}

constexpr const char* kCopy = R"(kir 1
kernel copy(x: in i32[N], y: out i32[N]) {
  parallel i in 0..N { y[i] = x[i] }
}
)";

// A loop that no loop of the kernel explains is not taken to end, whether something depends on it or not.
// shows: K9.1
TEST(Loops, AWhileOfTheProgramAloneIsRefused) {
  const std::string good = constructed(kCopy);
  const std::string loop = "  while when {\n    %yes: i1 = constant true\n    yield %yes\n  } do {\n    next\n  }\n";
  Verdicts v = check_refinement(kCopy, replaced(good, "  store y", loop + "  store y"));
  EXPECT_TRUE(v.fails(proof::ObligationKind::loop_matched)) << v.failures;
}

// The kernel's loop bounds its own instance only: another one's may run longer.
TEST(Loops, ALoopEndsBecauseTheKernelsLoopAtThatPointDoes) {
  const std::string kir = R"(kir 1
kernel halve(x: in i32[N], y: out i32[N]) {
  parallel i in 0..N {
    let last = while carry (v = x[i]) when { v > 1 } do { next shra(v, 1) }
    y[i] = last
  }
}
)";
  expect_only_undamaged(kir, {{"cmp.sgt", "cmp.sge"}, {"load x[%i]", "load x[N - 1 - %i]"}});
  // Guarded by less than the kernel's domain it still ends; run where the kernel does not go, nothing says so.
  const std::string hot = R"(kir 1
kernel halve(x: in i32[N], y: out i32[N]) {
  parallel i in 0..N {
    if x[i] > 0 {
      let last = while carry (v = x[i]) when { v != 0 } do { next shra(v, 1) }
      y[i] = last
    }
  }
}
)";
  expect_only_undamaged(hot, {{"cmp.sgt %t0, %t1", "cmp.sge %t0, %t1"}});
}

// No rule says what a tensor is that control flow chose; whoever asks is told so.
TEST(Loops, TensorsOfControlFlowAreNotExplained) {
  const std::string made = "    let a = tensor (i in 0..N) { x[i] }\n    yield a\n";
  for (
      const std::string& body :
      {std::string(
           "  let a = tensor (i in 0..N) { x[i] }\n  let b: i32[N] = for t in 0..T carry (c: i32[N] = a) {\n    next c\n  }\n"),
       std::string(
           "  let a = tensor (i in 0..N) { x[i] }\n  let (n, b) = while carry (n = i32(0), c: i32[N] = a) when { n < 3 } do {\n"
           "    if n == 1 { break n, c }\n    next n + 1, c\n  }\n"),
       "  let b = if T > 2 {\n" + made + "  } else {\n" + made + "  }\n"}) {
    Verdicts v = check_kir("kir 1\nkernel k(x: in i32[N], y: out i32[N], T: index) {\n" + body +
                           "  parallel i in 0..N { y[i] = b[i] }\n}\n");
    EXPECT_TRUE(v.by_kind.contains(proof::Verdict::unsupported)) << body;
    EXPECT_FALSE(v.by_kind.contains(proof::Verdict::missing)) << body;
  }
}

// A loop computes nothing behind its last value, so a step may be as large as an index.
// shows: K9.13
TEST(Loops, AStepMayReachBehindTheLargestIndex) {
  expect_only_undamaged(R"(kir 1
kernel strided(y: inout i32[N], last: out i1[], M: index, S: index) where S >= 1, M >= 0 {
  for t in 0..N step S { y[t] = to_i32(t) }
  for t in 5..N step S { y[t] = y[t] + to_i32(t) }
  last[] = for t in 0..M step 2 carry (c = true) { next t > 0 }
}
)",
                        {{"step S", "step S + 1"}, {"step 2", "step 3"}, {"5..N", "4..N"}, {"0..M", "1..M"}});
}

}  // namespace
}  // namespace kir::test
