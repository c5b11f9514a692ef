// What a physical program owes for its layouts.
#include <gtest/gtest.h>

#include "proof/refinement.h"
#include "support.h"

namespace kir::test {
namespace {

using proof::ObligationKind;
using proof::Verdict;

const char* kRows = R"(kir 1
kernel rows(x: in f32[M, 4], y: out f32[M, 4])
{
  parallel m in 0..M, n in 0..4 { y[m, n] = x[m, n] }
}
)";

std::string rows(const std::string& layout, const std::string& body) {
  return R"(pir 1
program rows implements "rows"
abi {
  x: view f32[M, 4] strides(4, 1) in align 4
  y: view f32[M, 4] strides(4, 1) out align 4
  dims M: i64
}
launch { threads 8 grid G = L0 }
layout @L = )" +
         layout + R"(
space {
  g0: (m in 0..M) length L0 = M offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  else -> exit
}
group g0 (%m: i64 in 0..M) {
  %e: i64<4; @L> = index pos(0)
  %v: f32<4; @L> = load x[%m, %e]
)" + body +
         "}\n";
}
const char* kStore = "  store y[%m, %e] = %v\n";

int count(const Verdicts& v, Verdict verdict, ObligationKind k) {
  const auto at = v.by_kind.find(verdict);
  if (at == v.by_kind.end()) return 0;
  const auto of = at->second.find(std::string(proof::name(k)));
  return of == at->second.end() ? 0 : of->second;
}

// Copies, offsets and several iters on one axis are decided, not refused: the meaning of a program gives each element one
// value, and its store to the first copy. shows: K9.2 L3.2 L1.4
TEST(LayoutObligations, CopiesAndOffsetsAreDecided) {
  for (const char* layout :
       {"S[4:1@tid]", "S[4:1@tid] + 4@tid", "S[4:1@tid] + R[2:4@tid]", "S[4:2@tid] + R[2:1@tid]", "S[(2,2):(2@tid,1@m)]",
        "S[(2,2):(1@m,1@tid)] + R[(2,2):(2@tid,4@tid)]", "S[4:-1@tid] + 3@tid", "S[4:1@m] + R[8:1@tid]"}) {
    const Verdicts v = check_refinement(kRows, rows(layout, kStore));
    EXPECT_TRUE(v.all_proved()) << layout << "\n" << v.failures;
    EXPECT_EQ(count(v, Verdict::proved, ObligationKind::layout_injective), 1) << layout;
    EXPECT_EQ(count(v, Verdict::proved, ObligationKind::layout_admissible), 1) << layout;
    EXPECT_EQ(count(v, Verdict::proved, ObligationKind::replica_consistent),
              std::string(layout).find("R[") != std::string::npos)
        << layout;
  }
}

// shows: K9.2 L3.2
TEST(LayoutObligations, ElementsThatMeetAreNamed) {
  struct Case {
    const char *layout, *why;
    ObligationKind kind;
  };
  for (const Case& c :
       {Case{"S[4:0@tid]", "a stride of 0: elements 1 and 0 at origin", ObligationKind::layout_injective},
        Case{"S[(2,2):(1@tid,1@tid)]", "strides 1 and 1 have a common multiple: elements 2 and 1 at tid 1",
             ObligationKind::layout_injective},
        Case{"S[4:1@tid] + R[2:3@tid]", "elements 3 (copy 0) and 0 (copy 1) at tid 3", ObligationKind::layout_injective},
        Case{"S[4:1@tid] + R[2:0@tid]", "a stride of 0: elements 0 (copy 1) and 0 (copy 0) at origin",
             ObligationKind::replica_consistent}}) {
    const Verdicts v = check_refinement(kRows, rows(c.layout, kStore));
    EXPECT_EQ(count(v, Verdict::refuted, c.kind), 1) << c.layout << "\n" << v.failures;
    EXPECT_NE(v.failures.find(c.why), std::string::npos) << c.layout << "\n" << v.failures;
  }
}

// Every copy of a thread loads, so a copy may read what another thread's first copy stored: without a barrier that is a race,
// and it is only known to be none when the elements have one owner. shows: K9.4 L3.2
TEST(LayoutObligations, ALoadOfCopiesIsOfNoKnownThread) {
  const std::string kir = R"(kir 1
kernel rows(x: in f32[M, 4], y: inout f32[M, 4])
{
  parallel m in 0..M, n in 0..4 { y[m, n] = x[m, n] + y[m, n] }
}
)";
  const auto again = [&](const std::string& layout) {
    std::string pir =
        rows(layout, "  %u: f32<4; @L> = load y[%m, %e]\n  %s: f32<4; @L> = add %v, %u\n  store y[%m, %e] = %s\n");
    pir.replace(pir.find(") out align"), 5, ") inout");
    return check_refinement(kir, pir);
  };
  EXPECT_FALSE(again("S[4:1@tid]").fails(ObligationKind::barrier_separation)) << again("S[4:1@tid]").failures;
  EXPECT_TRUE(again("S[4:1@tid] + R[2:4@tid]").fails(ObligationKind::barrier_separation));
}

}  // namespace
}  // namespace kir::test
