// Indices of a kernel have no width: one that control flow or a conversion hands on may lie beyond 64 bits, and what a proof
// says of it as a number of 64 bits is owed.
#include "tests/proof/support.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

// The kernel writes beside y where k exceeds every number of 64 bits.
std::string kernel_with(const std::string& index, const std::string& where = "") {
  return "kir 1\nkernel wide(u: in u64[1], v: in i64[1], y: out i32[1], N: index) " + where + " {\n  " + index +
         "\n  if k > 9223372036854775807 { y[1] = 2 } else { y[0] = 1 }\n}\n";
}

// The program believes that it never does.
const char* kProgram = R"(pir 1
program wide implements "wide"
abi {
  u: view u64[1] in
  v: view i64[1] in
  y: view i32[1] out
  N: index
  dims N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: () length L0 = 1 offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0()
  else -> exit
}
group g0 () {
  %one: i32 = constant 1
  store y[0] = %one
}
)";

TEST(IndexWidth, AnIndexBeyond64BitsIsNotTakenForOneOf64) {
  const char* beyond[] = {
      "let k: index = if N > 5 { yield N * N } else { yield 0 }",
      "let k = for t in 0..100 carry (k: index = N) { next k * 2 }",
      "let k = for t in 0..1 carry (k: index = N * N) { next k }",
      "let k = for t in 0..9 carry (k: index = 1) { if N > 5 { break N * N } next k }",
      "let k = for t in 0..9 carry (k: index = 1) { if N > 5 { continue N * N } next k }",
      "let k = while carry (k: index = 1) when { yield k < N } do { next k * N }",
      "let k: index = convert.uint u[0]",
      "let k: index = convert.uint v[0]",
  };
  for (const char* index : beyond) {
    Verdicts v = check_kir(kernel_with(index));
    EXPECT_TRUE(v.fails(ObligationKind::index_no_overflow)) << index << "\n" << v.failures;
  }
}

TEST(IndexWidth, OneWithin64BitsIs) {
  const char* within[] = {
      "let k: index = if N > 5 { yield N * N } else { yield 0 }",
      "let k = for t in 0..50 carry (k: index = N) { next k + 3 }",
      "let k = for t in 0..9 carry (k: index = 1) { if N > 5 { break N * N } next k }",
      "let k = while carry (k: index = 1) when { yield k < N } do { next k + 1 }",
      "let k: index = convert.sint u[0]",
      "let k: index = convert.sint v[0]",
  };
  for (const char* index : within) {
    const std::string kir = kernel_with(index, "where 0 <= N < 1000000");
    Verdicts own = check_kir(kir);
    EXPECT_TRUE(own.all_proved()) << index << "\n" << own.failures;
    // Of an endless loop there is none in the program, and this one needs none.
    Verdicts v = check_refinement(kir, kProgram);
    EXPECT_TRUE(v.all_proved()) << index << "\n" << v.failures;
  }
}

}  // namespace
}  // namespace kir::test
