// Data preconditions and what authors vouch for: hypotheses of the kernel, goals of a program.
#include "lowering/pipeline.h"
#include "smt/run.h"
#include "tests/proof/support.h"

namespace kir::test {
namespace {

using proof::ObligationKind;
using proof::Verdict;

const char* kGather = R"(kir 1
kernel k(x: in f32[V], t: in i32[M], y: out f32[M])
  where in_range(t, 0, V)
{
  parallel m in 0..M { y[m] = x[to_index(t[m])] }
}
)";

std::string gather(const std::string& where) {
  return one_group("k",
                   "  x: view f32[V] strides(1) in align 4\n  t: view i32[M] strides(1) in align 4\n"
                   "  y: view f32[M] strides(1) out align 4\n  dims V: i64, M: i64\n  " +
                       where,
                   "  %a: i32 = load t[%m]\n  %i: i64 = convert.sint %a\n  %v: f32 = load x[%i]\n  store y[%m] = %v");
}

// shows: K9.12
TEST(DataFacts, ElementsInRangeAreInBounds) {
  EXPECT_TRUE(check_kir(kGather).all_proved()) << check_kir(kGather).failures;
  EXPECT_TRUE(check_kir(replaced(kGather, "in_range(t, 0, V)", "in_range(t, 0, V + 1)")).fails(ObligationKind::kir_safe));
  EXPECT_TRUE(check_kir(replaced(kGather, "in_range(t, 0, V)", "in_range(t, -1, V)")).fails(ObligationKind::kir_safe));
  EXPECT_TRUE(check_kir(replaced(kGather, "in_range(t, 0, V)", "unique(t)")).fails(ObligationKind::kir_safe));
  // Of another view nothing is known.
  const std::string other =
      replaced(replaced(kGather, "t: in i32[M]", "t: in i32[M], u: in i32[M]"), "x[to_index(t[m])]", "x[to_index(u[m])]");
  EXPECT_TRUE(check_kir(other).fails(ObligationKind::kir_safe));
}

// shows: K1.2 K9.12
TEST(DataFacts, AProgramStatesWhatTheKernelStates) {
  for (const char* where : {"", "where in_range(t, 0, V)", "where in_range(t, -3, V + 2)"}) {
    Verdicts v = check_refinement(kGather, gather(where));
    EXPECT_TRUE(v.all_proved()) << where << v.failures;
  }
  for (const char* where :
       {"where in_range(t, 1, V)", "where in_range(t, 0, V - 1)", "where unique(t)", "where nondecreasing(t)"})
    EXPECT_TRUE(check_refinement(kGather, gather(where)).fails(ObligationKind::precondition_implied)) << where;
  // A program's own statement is no hypothesis.
  const std::string unbounded = replaced(kGather, "\n  where in_range(t, 0, V)", "");
  EXPECT_TRUE(check_refinement(unbounded, gather("where in_range(t, 0, V)")).fails(ObligationKind::access_bounds));
}

// Launches that are tried have contents that the preconditions permit.
TEST(DataFacts, AWrongProgramIsRefutedByALaunchThatIsPermitted) {
  const std::string wrong = replaced(gather("where in_range(t, 0, V)"), "  %v: f32 = load x[%i]",
                                     "  %j: i64 = index max(%i - 1, 0)\n  %v: f32 = load x[%j]");
  auto k = kernel(kGather);
  auto p = program(wrong);
  smt::RunOptions options;
  options.decide.rlimit = 2'000'000;
  smt::Outcome o = smt::run(*k, p.get(), nullptr, options);
  EXPECT_EQ(o.exit_code, 1);
  ASSERT_FALSE(o.counterexamples.empty());
  EXPECT_NE(one_line(o.counterexamples[0]).find("the kernel defines"), std::string::npos);
}

const char* kSegments = R"(kir 1
kernel k(x: in f32[N], o: in i32[S + 1], y: inout f32[N], S: index)
  where nondecreasing(o), in_range(o, 0, N + 1)
{
  parallel s in 0..S {
    let r = part x.0 [to_index(o[s])..to_index(o[s + 1])]
    parallel j in r { y[j] = x[j] }
  }
}
)";

// shows: K2.2 K9.12
TEST(DataFacts, SegmentsInOrderAreDisjoint) {
  Verdicts v = check_kir(kSegments);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(check_kir(replaced(kSegments, "nondecreasing(o), ", "")).fails(ObligationKind::kir_race_free));
  EXPECT_TRUE(check_kir(replaced(kSegments, ", in_range(o, 0, N + 1)", "")).fails(ObligationKind::kir_safe));
  EXPECT_TRUE(check_kir(replaced(kSegments, "in_range(o, 0, N + 1)", "in_range(o, 0, N + 2)")).fails(ObligationKind::kir_safe));
  EXPECT_TRUE(
      check_kir(replaced(kSegments, "parallel j in r { y[j] = x[j] }", "parallel j in r { y[j + 1 - 1] = x[j]\n y[0] = 1.0 }"))
          .fails(ObligationKind::kir_race_free));
}

const char* kPermuted = R"(kir 1
kernel k(x: in f32[N], p: in i32[N], y: inout f32[N])
  where unique(p), in_range(p, 0, N)
{
  parallel i in 0..N { y[to_index(p[i])] = x[i] }
}
)";

TEST(DataFacts, DifferentElementsAreDifferentPlaces) {
  Verdicts v = check_kir(kPermuted);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(check_kir(replaced(kPermuted, "unique(p), ", "")).fails(ObligationKind::kir_race_free));
  EXPECT_TRUE(check_kir(replaced(kPermuted, "y[to_index(p[i])]", "let j = to_index(p[i])\n y[j floordiv 2]"))
                  .fails(ObligationKind::kir_race_free));
}

const char* kVouched = R"(kir 1
kernel k(x: in f32[V], t: in i32[M], y: out f32[M])
{
  parallel m in 0..M {
    let i = to_index(t[m])
    assume_in_bounds x[i]
    y[m] = x[i]
  }
}
)";

smt::Outcome judged(const std::string& text) {
  auto k = kernel(text);
  Diagnostics diagnostics;
  auto built = lowering::compile(*k, {}, diagnostics);
  EXPECT_TRUE(built);
  smt::RunOptions options;
  options.decide.rlimit = 4'000'000;
  return smt::run(*k, built ? built->program.get() : nullptr, nullptr, options);
}

// shows: K9.12
TEST(DataFacts, WhatAnAuthorVouchesForIsAssumedAndListed) {
  smt::Outcome o = judged(kVouched);
  EXPECT_EQ(o.exit_code, 0);
  int listed = 0;
  for (const proof::Assumption& a : o.ledger.assumptions)
    listed += a.category == "assume" && a.text.find("assume_in_bounds at test.kir:6") != std::string::npos;
  EXPECT_EQ(listed, 1);
  for (const proof::Obligation& obligation : o.ledger.obligations) EXPECT_NE(obligation.kind, ObligationKind::assumed);
  // It says nothing of another place, of what stands before it, nor to a kernel that does not have it.
  EXPECT_EQ(judged(replaced(kVouched, "y[m] = x[i]", "y[m] = x[i + 1]")).exit_code, 1);
  EXPECT_EQ(judged(replaced(kVouched, "    assume_in_bounds x[i]\n", "")).exit_code, 1);
  EXPECT_EQ(judged(replaced(replaced(kVouched, "    assume_in_bounds x[i]\n", ""), "y[m] = x[i]",
                            "y[m] = x[i]\n    assume_in_bounds x[i]"))
                .exit_code,
            1);
  // A program cannot vouch for itself.
  const std::string bare = replaced(gather(""), "  %v: f32 = load x[%i]", "  assume_in_bounds x[%i]\n  %v: f32 = load x[%i]");
  Verdicts alone = check_refinement(replaced(kGather, "\n  where in_range(t, 0, V)", ""), bare);
  EXPECT_TRUE(alone.fails(ObligationKind::precondition_implied) && alone.fails(ObligationKind::access_bounds))
      << alone.failures;
  Verdicts owed = check_refinement(kVouched, bare);
  EXPECT_TRUE(owed.all_proved()) << owed.failures;
}

// The chosen coordinate is a member's.
TEST(DataFacts, AChosenCoordinateLiesInItsDomain) {
  const char* text = R"(kir 1
kernel k(x: in f32[N], y: out f32[1]) where N >= 1 {
  let (v, n) = arg_reduce max tie(first) nan(first) over n in 0..N { x[n] }
  y[0] = x[n]
}
)";
  EXPECT_TRUE(check_kir(text).all_proved()) << check_kir(text).failures;
  EXPECT_TRUE(check_kir(replaced(text, "x[n]\n}", "x[n + 1]\n}")).fails(ObligationKind::kir_safe));
  // An initial one may lie anywhere.
  EXPECT_TRUE(check_kir(replaced(text, "{ x[n] }\n", "{ x[n] } init (0.0, -1)\n")).fails(ObligationKind::kir_safe));
}

constexpr const char* kRotate = R"(kir 1
kernel rotate(x: in f32[M, 4], r: in i32[M], y: out f32[M, 4]) {
  parallel m in 0..M, k in 0..4 {
    y[m, (k + to_index(r[m])) mod 4] = x[m, k]
  }
}
)";

// Two members that read one element find one value there.
TEST(DataFacts, EqualPlacesOfOneViewHoldOneValue) {
  EXPECT_EQ(judged(kRotate).exit_code, 0);
  const std::string shared =
      replaced(replaced(kRotate, "m in 0..M, k in 0..4 {", "m in 0..M {\n    let s = to_index(r[m])\n    parallel k in 0..4 {"),
               "(k + to_index(r[m])) mod 4] = x[m, k]", "(k + s) mod 4] = x[m, k] }");
  EXPECT_EQ(judged(shared).exit_code, 0) << shared;
  // Where a place is data itself.
  EXPECT_EQ(
      judged(replaced(replaced(replaced(kRotate, "r: in i32[M]", "r: in i32[N], p: in i32[M]"), "r[m]", "r[to_index(p[m])]"),
                      "y: out f32[M, 4])", "y: out f32[M, 4])\n  where in_range(p, 0, N)\n"))
          .exit_code,
      0);
  // Not elements of different places, of a view that is written meanwhile, nor what two executions of an atomic find.
  EXPECT_EQ(judged(replaced(replaced(kRotate, "r: in i32[M]", "r: in i32[M, 4]"), "r[m]", "r[m, k]")).exit_code, 1);
  EXPECT_NE(
      judged(replaced(replaced(kRotate, "r: in i32[M]", "r: inout i32[M]"), "    y[m, (k + to_index(r[m])) mod 4] = x[m, k]",
                      "    let v = atomic_load r[m] order(relaxed)\n    y[m, (k + to_index(v)) mod 4] = x[m, k]"))
          .exit_code,
      0);
  EXPECT_NE(
      judged(replaced(replaced(kRotate, "r: in i32[M]", "r: inout i32[M]"), "    y[m, (k + to_index(r[m])) mod 4] = x[m, k]",
                      "    let v = atomic_rmw.add r[m], 1 order(relaxed)\n    y[m, (k + to_index(v)) mod 4] = x[m, k]"))
          .exit_code,
      0);
}

// An extent is an integer of 64 bits, or there is no such view.
TEST(DataFacts, ExtentsFitTheirType) {
  const char* text = R"(kir 1
kernel sizes(a: in f32[M, A], b: in f32[M, B], x: in f32[M, 2 * A + B], n: out i64[1]) {
  n[0] = to_i64(2 * A + B)
}
)";
  EXPECT_EQ(judged(text).exit_code, 0);
  EXPECT_NE(judged(replaced(text, "to_i64(2 * A + B)", "to_i64(2 * A + 2 * B)")).exit_code, 0);
}

}  // namespace
}  // namespace kir::test
