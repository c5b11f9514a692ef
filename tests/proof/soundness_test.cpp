// Programs and kernels that must not pass: each is one class of unsoundness, beside a sound neighbour.
#include "tests/proof/support.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

constexpr const char* kCopy = R"(kir 1
kernel copy(x: in f32[N], y: out f32[N], M: index)
{
  parallel i in 0..N { y[i] = x[i] }
}
)";

constexpr const char* kCopyProgram = R"(pir 1
program copy implements "copy"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[N] strides(1) out align 4
  M: index
  dims N: i64, M: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (i in 0..N) length L0 = N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%i = %w - O0)
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %v: f32 = load x[%i]
  store y[%i] = %v
}
)";

// shows: K9.13
TEST(Soundness, AnIndexConvertedToSixtyFourBitsWraps) {
  const std::string kir = R"(kir 1
kernel wrap(y: out f32[N], P: index, Q: index)
  where P >= 0, Q >= 0
{
  parallel i in 0..N {
    let a = to_i64(P * Q)
    y[i] = select(a < 0, f32(1.0), f32(2.0))
  }
}
)";
  const std::string pir = R"(pir 1
program wrap implements "wrap"
abi {
  y: view f32[N] strides(1) out align 4
  P: index
  Q: index
  dims N: i64, P: i64, Q: i64
  where P >= 0, Q >= 0
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (i in 0..N) length L0 = N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%i = %w - O0)
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %v: f32 = constant 2.0
  store y[%i] = %v
}
)";
  // P * Q may lie beyond 2^63, where the converted value is negative.
  EXPECT_TRUE(check_refinement(kir, pir).fails(ObligationKind::value_equal));
  std::string bounded = replaced(kir, "where P >= 0, Q >= 0", "where P >= 0, Q >= 0, P <= 65536, Q <= 65536");
  Verdicts v = check_refinement(bounded, pir);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K4.1 K9.13
TEST(Soundness, ProgramIdsFitTheirType) {
  Verdicts v = check_refinement(kCopy, kCopyProgram);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  std::string narrow = replaced(kCopyProgram, "%w: i64 = program_id", "%w: i32 = program_id");
  EXPECT_TRUE(check_refinement(kCopy, narrow).fails(ObligationKind::index_no_overflow));
  // One instance to a block: the provider's limit on the grid is the type's.
  std::string unpacked = replaced(replaced(narrow, " pack 128", ""), "ceildiv(O0 + L0, 128)", "O0 + L0");
  v = check_refinement(kCopy, unpacked);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K9.10 K9.12
TEST(Soundness, WhatTheLauncherComputesHasAValue) {
  const std::pair<const char*, const char*> faults[] = {
      {"length L0 = N", "length L0 = N + 0 * (N floordiv M)"},
      {"grid G = ceildiv(O0 + L0, 128)", "grid G = ceildiv(O0 + L0, 128) + 0 * (N mod M)"},
      {"space {\n  g0: (i in 0..N)", "space {\n  g0: (i in 0..N + 0 * (N floordiv M))"},
      {"group g0 (%i: i64 in 0..N)", "group g0 (%i: i64 in 0..N + 0 * ceildiv(N, M))"},
      {"dims N: i64, M: i64", "dims N: i64, M: i64 where N floordiv M == N floordiv M"},
  };
  for (auto [from, to] : faults)
    EXPECT_TRUE(check_refinement(kCopy, replaced(kCopyProgram, from, to)).fails(ObligationKind::launch_extent)) << to;
  // A relation of the kernel holds only where it has a value.
  std::string divides = replaced(kCopy, "\n{", "\n  where N mod M == 0\n{");
  Verdicts v = check_refinement(divides, replaced(kCopyProgram, "length L0 = N", "length L0 = N + 0 * (N floordiv M)"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// Otherwise the launcher's refusal, a hypothesis of everything, would make each obligation vacuous.
// shows: K4.2
TEST(Soundness, SmallLaunchesAreNotRefused) {
  const std::pair<const char*, const char*> faults[] = {
      {"grid G = ceildiv(O0 + L0, 128)", "grid G = ceildiv(O0 + L0, 128) + 2147483648"},
      {"grid G = ceildiv(O0 + L0, 128)", "grid G = ceildiv(O0 + L0, 128) + max(0, N - 1000000) * 1000000"},
  };
  for (auto [from, to] : faults)
    EXPECT_TRUE(check_refinement(kCopy, replaced(kCopyProgram, from, to)).fails(ObligationKind::resource_limit)) << to;
  std::string wide =
      replaced(kCopyProgram, "(i in 0..N) length L0 = N", "(i in 0..N, z in 0..1099511627776) length L0 = N * 1099511627776");
  wide = replaced(wide, "g0(%i = %w - O0)", "g0(%i = (%w - O0) floordiv 1099511627776, %z = (%w - O0) mod 1099511627776)");
  wide = replaced(wide, "(%i: i64 in 0..N)", "(%i: i64 in 0..N, %z: i64 in 0..1099511627776)");
  EXPECT_TRUE(check_refinement(kCopy, wide).fails(ObligationKind::resource_limit));
}

// shows: K9.6
TEST(Soundness, ReadsWithoutEffectAreInitializedToo) {
  std::string dead = replaced(kCopyProgram, "  store y", "  %d: f32 = load y[%i]\n  store y");
  EXPECT_TRUE(check_refinement(kCopy, dead).fails(ObligationKind::initialization));
  std::string after = replaced(kCopyProgram, "  store y[%i] = %v\n", "  store y[%i] = %v\n  %d: f32 = load y[%i]\n");
  Verdicts v = check_refinement(kCopy, after);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K9.12
TEST(Soundness, ConversionsWithoutEffectStayInRange) {
  std::string dead = replaced(kCopyProgram, "  store y", "  %d: i32 = convert.to_sint %v\n  store y");
  EXPECT_TRUE(check_refinement(kCopy, dead).fails(ObligationKind::kir_safe));
}

// shows: K9.5
TEST(Soundness, ArbitraryValuesDecideNothing) {
  const std::string masked = "  %no: i1 = constant false\n  %a: f32 = load x[%i] where %no\n  %c: i1 = cmp.oeq %a, %a\n";
  for (const char* use : {"  if %c {\n  }\n", "  %d: f32 = load x[%i] where %c fill %v\n"})
    EXPECT_TRUE(check_refinement(kCopy, replaced(kCopyProgram, "  store y", masked + use + "  store y"))
                    .fails(ObligationKind::inactive_unused))
        << use;
  const char* uses[] = {"for n in 0..b { }",
                        "if b > 3 { }",
                        "let d = x[b - b]",
                        "let d = select(a * 0 < 3, i32(7), i32(7))",
                        "let d = for n in 0..2 carry (c: i32 = a) { if c > 3 { } next c }",
                        "let d = load x[0] where b > 3 fill 0",
                        "let d = reduce add order(any) over n in 0..min(b, 0) { x[0] }",
                        "let d = tensor (n in 0..max(b, 0)) { x[0] }"};
  for (const char* use : uses) {
    Verdicts v = check_kir(std::string("kir 1\nkernel k(x: in i32[N], y: out i32[N]) where N >= 1 {\n  parallel i in 0..N {\n"
                                       "    let a = load x[i] where i < N - 1\n    let b: index = to_index(a)\n    ") +
                           use + "\n    y[i] = 0\n  }\n}\n");
    EXPECT_TRUE(v.fails(ObligationKind::kir_safe)) << use;
  }
}

// shows: K9.2 K9.4
TEST(Soundness, PositionsOfOneStoreAreDifferentElements) {
  const std::string kir = R"(kir 1
kernel lanes(x: in f32[4], y: out f32[N])
{
  parallel i in 0..N {
    for n in 0..4 { y[i] = x[n] }
  }
}
)";
  const std::string pir = R"(pir 1
program lanes implements "lanes"
abi {
  x: view f32[4] strides(1) in align 4
  y: view f32[N] strides(1) out align 4
  dims N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
layout @L = S[(4):(1@m)]
space {
  g0: (i in 0..N) length L0 = N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%i = %w - O0)
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %e: i64<4; @L> = index pos(0)
  %z: i64<4; @L> = index %i + 0 * pos(0)
  %v: f32<4; @L> = load x[%e]
  store y[%z] = %v
}
)";
  EXPECT_TRUE(check_refinement(kir, pir).fails(ObligationKind::ownership_disjoint));
}

// shows: K9.7
TEST(Soundness, OnlyTheKernelVouchesForAnIdentity) {
  const std::string kir = R"(kir 1
kernel ident(x: in f32[N], y: out f32[1])
  where N >= 1
{
  let s: f32 = reduce (n in 0..N) map { yield x[n] } combine order(any) (a: f32, b: f32) { yield a + b }
  y[0] = s
}
)";
  const std::string pir = R"(pir 1
program ident implements "ident"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[1] strides(1) out align 4
  dims N: i64
  where N >= 1
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
  %zero: i64 = index 0
  %s: f32 = reduce (%t: i64 in 0..ceildiv(N, 4) + 1) map {
    %u: f32 = reduce (%n: i64 in 4*%t..min(4*%t+4, N)) map {
      %v: f32 = load x[%n]
      yield %v
    } combine order(any) (%p: f32, %q: f32) {
      %r: f32 = add %p, %q
      yield %r
    } identity assumed (5.0)
    yield %u
  } combine order(any) (%p2: f32, %q2: f32) {
    %r2: f32 = add %p2, %q2
    yield %r2
  }
  store y[%zero] = %s
}
)";
  EXPECT_FALSE(check_refinement(kir, pir).all_proved());
  EXPECT_FALSE(check_refinement(kir, replaced(pir, "identity assumed (5.0)", "identity assumed (0.0)")).all_proved());
}

constexpr const char* kShared = R"(kir 1
kernel rot(x: in f32[N], y: out f32[M])
{
  let s = reduce add order(any) over n in 0..N { x[n] }
  parallel m in 0..M { y[m] = s }
}
)";

constexpr const char* kRotated = R"(pir 1
program rot implements "rot"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[M] strides(1) out align 4
  dims N: i64, M: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (m in 0..M) length L0 = M offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  else -> exit
}
group g0 (%m: i64 in 0..M) {
  %c: f32 = constant 0.0
  %k: i64 = index min(%m, N)
  %h: f32 = for %i: i64 in %k..N carry (%p: f32 = %c) {
     %v: f32 = load x[%i]
     %n: f32 = add %p, %v
     next %n
  }
  %s: f32 = for %i: i64 in 0..%k carry (%p: f32 = %h) {
     %v: f32 = load x[%i]
     %n: f32 = add %p, %v
     next %n
  }
  store y[%m] = %s
}
)";

// shows: K1.7
TEST(Soundness, OneEvaluationOfALicensedFoldHasOneSchedule) {
  // Each instance sums all of x, beginning at an element of its own: the roundings differ from instance to instance.
  EXPECT_TRUE(check_refinement(kShared, kRotated).fails(ObligationKind::licence_refines));
  Verdicts v = check_refinement(kShared, replaced(kRotated, "index min(%m, N)", "index min(3, N)"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  // The same with the map of the members instead of the bounds.
  std::string permuted = replaced(kRotated, "index min(%m, N)", "index 0");
  permuted = replaced(permuted, "%v: f32 = load x[%i]",
                      "%j: i64 = index ite(%m mod 2 == 0, %i, N - 1 - %i)\n     %v: f32 = load x[%j]");
  EXPECT_FALSE(check_refinement(kShared, permuted).all_proved());
  // A sum for each instance of the kernel is a choice for each.
  const std::string own =
      replaced(kShared, "  let s = reduce add order(any) over n in 0..N { x[n] }\n  parallel m in 0..M { y[m] = s }",
               "  parallel m in 0..M { y[m] = reduce add order(any) over n in 0..N { x[n] } }");
  v = check_refinement(own, kRotated);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K1.7
TEST(Soundness, TwoPlacesOfALicensedFoldAreBracketedAlike) {
  const std::string kir = R"(kir 1
kernel two(x: in f32[4], y: out f32[1], z: out f32[1])
{
  let s = reduce add order(any) over n in 0..4 { x[n] }
  y[0] = s
  z[0] = s
}
)";
  const std::string pir = R"(pir 1
program two implements "two"
abi {
  x: view f32[4] strides(1) in align 4
  y: view f32[1] out align 4
  z: view f32[1] out align 4
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
  %zero: i64 = index 0
  %one: i64 = index 1
  %c: f32 = constant 0.0
  %a: f32 = for %i: i64 in 0..2 carry (%p: f32 = %c) {
     %v: f32 = load x[%i]
     %n: f32 = add %p, %v
     next %n
  }
  %a2: f32 = for %i: i64 in 2..4 carry (%p: f32 = %c) {
     %v: f32 = load x[%i]
     %n: f32 = add %p, %v
     next %n
  }
  %b: f32 = for %i: i64 in 0..3 carry (%p: f32 = %c) {
     %v: f32 = load x[%i]
     %n: f32 = add %p, %v
     next %n
  }
  %b2: f32 = for %i: i64 in 3..4 carry (%p: f32 = %c) {
     %v: f32 = load x[%i]
     %n: f32 = add %p, %v
     next %n
  }
  %s1: f32 = add %a, %a2
  %s2: f32 = add %b, %b2
  store y[%zero] = %s1
  store z[%zero] = %s2
}
)";
  EXPECT_TRUE(check_refinement(kir, pir).fails(ObligationKind::licence_refines));
  std::string alike = replaced(replaced(pir, "in 0..3 carry", "in 0..2 carry"), "in 3..4 carry", "in 2..4 carry");
  Verdicts v = check_refinement(kir, alike);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K1.7
TEST(Soundness, AFoldThatBeginsAtALicensedFoldTakesItsValue) {
  const std::string kir = R"(kir 1
kernel chain(x: in f32[4], u: in f32[4], y: out f32[1], z: out f32[1])
{
  let s = reduce add order(any) over n in 0..4 { x[n] }
  y[0] = s
  let t = for n in 0..4 carry (a: f32 = s) { next a + u[n] }
  z[0] = t
}
)";
  const std::string pir = R"(pir 1
program chain implements "chain"
abi {
  x: view f32[4] strides(1) in align 4
  u: view f32[4] strides(1) in align 4
  y: view f32[1] strides(1) out align 4
  z: view f32[1] strides(1) out align 4
}
launch { threads 1 grid G = 1 }
space { g0: () length L0 = 1 offset O0 = 0 }
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0()
  else -> exit
}
group g0 () {
  %c: f32 = constant 0.0
  %a: f32 = for %i: i64 in 0..4 carry (%p: f32 = %c) {
    %v: f32 = load x[3 - %i]
    %n: f32 = add %p, %v
    next %n
  }
  store y[0] = %a
  %b: f32 = for %i: i64 in 0..4 carry (%p: f32 = %c) {
    %v: f32 = load x[%i]
    %n: f32 = add %p, %v
    next %n
  }
  %s: f32 = for %i: i64 in 0..4 carry (%p: f32 = %b) {
    %v: f32 = load u[%i]
    %n: f32 = add %p, %v
    next %n
  }
  store z[0] = %s
}
)";
  EXPECT_FALSE(check_refinement(kir, pir).all_proved());
  Verdicts v = check_refinement(kir, replaced(pir, "carry (%p: f32 = %b)", "carry (%p: f32 = %a)"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Soundness, StoresToDifferentConstantElementsFindTheirPartners) {
  const std::string kir = "kir 1\nkernel k(x: in f32[2], y: out f32[2]) {\n  y[0] = x[0]\n  y[1] = x[1]\n}\n";
  const std::string pir = R"(pir 1
program k implements "k"
abi {
  x: view f32[2] strides(1) in align 4
  y: view f32[2] strides(1) out align 4
}
launch { threads 1 grid G = 1 }
space { g0: () length L0 = 1 offset O0 = 0 }
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0()
  else -> exit
}
group g0 () {
  %b: f32 = load x[1]
  store y[1] = %b
  %a: f32 = load x[0]
  store y[0] = %a
}
)";
  Verdicts v = check_refinement(kir, pir);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

}  // namespace
}  // namespace kir::test
