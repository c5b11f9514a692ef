// Buffers that program instances share: slices with unique owners are proven, and each way to leave one's slice is refused by
// the obligation that speaks of it.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

constexpr const char* kBackwards = R"(kir 1
kernel backwards(x: in f32[M, N], y: out f32[M, N]) {
  let b = buffer f32[M, N]
  parallel m in 0..M, n in 0..N { b[m, n] = x[m, n] }
  parallel m in 0..M, n in 0..N { y[m, n] = b[m, N - 1 - n] }
}
)";
constexpr const char* kAbi =
    "  x: view f32[M, N] strides(N, 1) in align 4\n  y: view f32[M, N] strides(N, 1) out align 4\n  dims M: i64, N: i64\n";
const std::string kBody = R"(  for %n: i64 in 0..N {
    %v: f32 = load x[%m, %n]
    store b[%m, %n] = %v
  }
  for %n: i64 in 0..N {
    %v: f32 = load b[%m, N - 1 - %n]
    store y[%m, %n] = %v
  }
)";

Verdicts backwards(const std::string& body, const std::string& buffer = "b: view f32[M, N]") {
  return check_refinement(kBackwards,
                          replaced(one_group("backwards", kAbi, body), "dispatch", "workspace { " + buffer + " }\ndispatch"));
}

// shows: K5.5 K5.1 K5.8
TEST(Workspace, SlicesWithUniqueOwners) {
  Verdicts v = backwards(kBody);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  // More room than the kernel's buffer has is none of its business.
  for (const char* larger : {"b: view f32[L0, N]", "b: view f32[M, max(N, 8)]", "b: view f32[G * 128, N]"}) {
    v = backwards(kBody, larger);
    EXPECT_TRUE(v.all_proved()) << larger << "\n" << v.failures;
  }
}

// shows: K5.5 K9.4
TEST(Workspace, SlicesThatOverlapAreRefused) {
  EXPECT_TRUE(backwards(replaced(kBody, "store b[%m, %n]", "store b[0, %n]")).fails(ObligationKind::ownership_disjoint));
  EXPECT_TRUE(
      backwards(replaced(kBody, "store b[%m, %n]", "store b[%m floordiv 2, %n]")).fails(ObligationKind::ownership_disjoint));
}

// shows: K5.5 K5.4
TEST(Workspace, TheSliceOfAnotherInstanceIsNotRead) {
  EXPECT_TRUE(
      backwards(replaced(kBody, "load b[%m, N", "load b[(%m + 1) mod M, N")).fails(ObligationKind::read_write_independence));
  EXPECT_TRUE(
      backwards(replaced(kBody, "load b[%m, N", "load b[max(%m - 1, 0), N")).fails(ObligationKind::read_write_independence));
}

// shows: K5.3 K5.8
TEST(Workspace, NothingIsThereBeforeItsOwnerWroteIt) {
  EXPECT_TRUE(backwards(replaced(kBody, "0..N {\n    %v: f32 = load x", "1..N {\n    %v: f32 = load x"))
                  .fails(ObligationKind::initialization));
  const std::size_t second = kBody.find("  for %n", 3);
  EXPECT_TRUE(backwards(kBody.substr(second) + kBody.substr(0, second)).fails(ObligationKind::initialization));
}

// shows: K9.11
TEST(Workspace, ItsExtentsHoldEverySlice) {
  EXPECT_TRUE(backwards(kBody, "b: view f32[M, N - 1]").fails(ObligationKind::access_bounds));
  EXPECT_TRUE(backwards(kBody, "b: view f32[M - 1, N]").fails(ObligationKind::access_bounds));
  EXPECT_TRUE(backwards(kBody, "b: view f32[M floordiv (N - 7), N]").fails(ObligationKind::index_no_overflow));
}

// A launch that the KIR fills without trouble is not refused for want of memory.
TEST(Workspace, ItIsNoLargerThanTheLaunchGrants) {
  EXPECT_TRUE(backwards(kBody, "b: view f32[M * M * M, N]").fails(ObligationKind::workspace_fits));
}

TEST(Workspace, AnotherValueInTheSliceIsAnotherProgram) {
  EXPECT_FALSE(backwards(replaced(kBody, "N - 1 - %n", "%n")).all_proved());
  EXPECT_FALSE(backwards(replaced(kBody, "load x[%m, %n]", "load x[%m, N - 1 - %n]")).all_proved());
}

// The kernel need not have the buffer: loads that stores tell stand for values.
TEST(Workspace, StandsForNoBufferOfTheKernel) {
  const char* plain =
      "kir 1\nkernel backwards(x: in f32[M, N], y: out f32[M, N]) {\n"
      "  parallel m in 0..M, n in 0..N { y[m, n] = x[m, N - 1 - n] }\n}\n";
  const std::string pir =
      replaced(one_group("backwards", kAbi, kBody), "dispatch", "workspace { b: view f32[M, N] }\ndispatch");
  Verdicts v = check_refinement(plain, pir);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_FALSE(check_refinement(plain, replaced(pir, "N - 1 - %n", "%n")).all_proved());
}

constexpr const char* kSums = R"(kir 1
kernel sums(x: in f32[M, N], y: out f32[M]) {
  let s = buffer f32[M] init (m) { 0.0 }
  for n in 0..N { parallel m in 0..M { s[m] = s[m] + x[m, n] } }
  parallel m in 0..M { y[m] = s[m] }
}
)";

// shows: K5.2 K5.5 K5.8 K9.6
TEST(Workspace, EachOwnerMakesItsPartOfTheInitialValue) {
  const std::string good = constructed(kSums);
  EXPECT_NE(good.find("workspace {\n  s: view f32[M]\n}"), std::string::npos) << good;
  const std::string zero = "  store s[%m] = %t0\n";
  expect_only_undamaged(kSums, {{zero.c_str(), ""},
                                {"store s[%m]", "store s[0]"},
                                {"constant 0.0", "constant 1.0"},
                                {"view f32[M]\n}\ndispatch", "view f32[M - 1]\n}\ndispatch"}});
  // Not once for all by one of them, either.
  EXPECT_FALSE(
      check_refinement(kSums, replaced(good, zero, "  for %k: i64 in 0..M {\n    store s[%k] = %t0\n  }\n")).all_proved());
  EXPECT_TRUE(check_refinement(kSums, replaced(good, zero, "  for %k: i64 in 0..M {\n    store s[%k] = %t0\n  }\n"))
                  .fails(ObligationKind::ownership_disjoint));
}

// shows: K5.5
TEST(Workspace, RowsOfTwoSharedBuffersArePairedWithTheKernels) {
  expect_only_undamaged(R"(kir 1
kernel smooth(x: in f32[M, N], y: out f32[M, N]) {
  let a = buffer f32[M, N] init (m, n) { x[m, n] }
  let b = buffer f32[M, N]
  for s in 0..3 {
    parallel m in 0..M, n in 0..N { b[m, n] = a[m, max(n - 1, 0)] + a[m, n] }
    parallel m in 0..M, n in 0..N { a[m, n] = b[m, n] }
  }
  parallel m in 0..M, n in 0..N { y[m, n] = a[m, n] }
}
)",
                        {{"store a[%m, %n]", "store b[%m, %n]"}, {"load b[%m, %n]", "load a[%m, %n]"}});
}

}  // namespace
}  // namespace kir::test
