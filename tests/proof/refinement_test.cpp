// The validator against hand-written programs: what must be proven, and one-token faults that must not.
#include "tests/proof/support.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

// shows: D1 K7.2 K9.1
TEST(Refinement, HandWrittenTiledSoftmaxIsProved) {
  Verdicts v = check_refinement(read_file("corpus/softmax.kir"), read_file("corpus/physical/softmax_tiled.pir"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_GT(v.total, 20);
}

// shows: K9.1 K9.2 K9.12 K9.13 K9.14
TEST(Refinement, OneTokenFaultsOfTheTiledSoftmaxAreNotProved) {
  const std::string kir = read_file("corpus/softmax.kir"), good = read_file("corpus/physical/softmax_tiled.pir");
  const std::pair<const char*, const char*> faults[] = {
      {"index %e < N", "index %e <= N"},
      {"index %e2 < N", "index %e2 < N - 1"},
      {"where %in2 fill %low", "where %in2 fill %zero"},
      {"1024 * %t + pos(0)", "1023 * %t + pos(0)"},
      {"1024 * %t3 + pos(0)", "1024 * %t3 + pos(0) + 1"},
      {"max.nan %a, %v", "min.nan %a, %v"},
      {"identity (-inf)", "identity (0.0)"},
      {"grid G = M", "grid G = M - 1"},
      {"(%row = %w - O0)", "(%row = %w - O0 - 1)"},
      {"exp %d2", "exp2 %d2"},
      {"init (%zero)", "init (%low)"},
      {"select %in2, %x2, %nones", "select %in2, %nones, %x2"},
      {"0..ceildiv(N, 1024) carry (%a2", "1..ceildiv(N, 1024) carry (%a2"},
  };
  for (auto [from, to] : faults) {
    Verdicts v = check_refinement(kir, replaced(good, from, to));
    // A fill through exp(-inf - peak) that the mask removes again changes nothing: not a fault.
    if (std::string(from) == "where %in2 fill %low")
      EXPECT_TRUE(v.all_proved()) << v.failures;
    else
      EXPECT_FALSE(v.all_proved()) << from << " -> " << to;
  }
}

constexpr const char* kAdd = R"(kir 1
kernel plus(x: in f32[N], y: in f32[N], z: out f32[N]) {
  parallel i in 0..N { z[i] = x[i] + y[i] }
}
)";

constexpr const char* kAddProgram = R"(pir 1
program plus implements "plus"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[N] strides(1) in align 4
  z: view f32[N] strides(1) out align 4
  dims N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space { g0: (i in 0..N) length L0 = N offset O0 = 0 }
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%i = %w - O0)
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %a: f32 = load x[%i]
  %b: f32 = load y[%i]
  %c: f32 = add %a, %b
  store z[%i] = %c
}
)";

// shows: K4.2 K4.3 K4.4 K9.1
TEST(Refinement, VectorAddIsProved) {
  Verdicts v = check_refinement(kAdd, kAddProgram);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

struct Fault {
  const char* from;
  const char* to;
  ObligationKind kind;
};

// Each obligation kind of this slice has a fault that makes it fail.
// shows: K4.3 K9.2 K9.12 K9.13
TEST(Refinement, FaultsOfVectorAddFailTheRightObligation) {
  const Fault faults[] = {
      {"O0 <= %w < O0 + L0 -> g0", "O0 <= %w < O0 + L0 + 1 -> g0", ObligationKind::access_bounds},
      {"O0 <= %w < O0 + L0 -> g0", "O0 <= %w < O0 + L0 + 1 -> g0", ObligationKind::segment_partition},
      {"O0 <= %w < O0 + L0 -> g0", "O0 <= %w < O0 + L0 - 1 -> g0", ObligationKind::coverage},
      {"length L0 = N offset", "length L0 = N - 1 offset", ObligationKind::launch_extent},
      {"grid G = ceildiv(O0 + L0, 128)", "grid G = (O0 + L0) floordiv 128", ObligationKind::coverage},
      {"load y[%i]", "load x[%i]", ObligationKind::value_equal},
      {"add %a, %b", "sub %a, %b", ObligationKind::value_equal},
      {"%i = %w - O0", "%i = (%w - O0) floordiv 2", ObligationKind::ownership_disjoint},
      {"%i = %w - O0", "%i = %w - O0 - 1", ObligationKind::decode_bijection},
      {"dims N: i64", "dims N: i64 in 0..=1000", ObligationKind::precondition_implied},
      {"dims N: i64", "dims N: i64 where N >= 1", ObligationKind::precondition_implied},
      {"align 4\n  y", "align 16\n  y", ObligationKind::alignment},
      {"group g0 (%i: i64 in 0..N) {", "group g0 (%i: i64 in 0..N) {\n  %f: i1 = index 1 < 0\n  assume %f",
       ObligationKind::precondition_implied},
  };
  for (const Fault& f : faults) {
    Verdicts v = check_refinement(kAdd, replaced(kAddProgram, f.from, f.to));
    EXPECT_TRUE(v.fails(f.kind)) << f.from << " -> " << f.to << " should fail " << proof::name(f.kind) << "\n" << v.failures;
  }
}

// shows: K9.4
TEST(Refinement, AStoreWithoutAPartnerIsNotProved) {
  std::string extra = replaced(kAddProgram, "store z[%i] = %c", "store z[%i] = %a\n  store z[%i] = %c");
  EXPECT_FALSE(check_refinement(kAdd, extra).all_proved());
}

TEST(Refinement, ExchangedOperandsOfACommutativeOperationAreProved) {
  Verdicts v = check_refinement(kAdd, replaced(kAddProgram, "add %a, %b", "add %b, %a"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Refinement, RestrictionsBecomeAssumptionsUnderThePolicy) {
  std::string restricted = replaced(kAddProgram, "dims N: i64", "dims N: i64 in 0..=1000");
  EXPECT_FALSE(check_refinement(kAdd, restricted).all_proved());
  Verdicts v = check_refinement(kAdd, restricted, {.allow_restrictions = true});
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Refinement, ThirtyTwoBitIndicesOverflow) {
  std::string narrow = replaced(replaced(kAddProgram, "(%i: i64 in", "(%i: i32 in"), "%w: i64", "%w: i64");
  Verdicts v = check_refinement(kAdd, narrow);
  EXPECT_TRUE(v.fails(ObligationKind::index_no_overflow)) << v.failures;
}

constexpr const char* kSum = R"(kir 1
kernel sum(x: in f32[M, N], s: out f32[M]) {
  parallel m in 0..M {
    s[m] = reduce add order(ORDER) over n in 0..N { x[m, n] }
  }
}
)";

constexpr const char* kSumHead = R"(pir 1
program sum implements "sum"
abi {
  x: view f32[M, N] strides(N, 1) in align 4
  s: view f32[M] strides(1) out align 4
  dims M: i64, N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space { g0: (m in 0..M) length L0 = M offset O0 = 0 }
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  else -> exit
}
)";

std::string sum(const char* order) { return replaced(kSum, "ORDER", order); }

const std::string kSerialSum = std::string(kSumHead) + R"(group g0 (%m: i64 in 0..M) {
  %z: f32 = constant 0.0
  %r: f32 = for %n: i64 in 0..N carry (%a: f32 = %z) {
    %v: f32 = load x[%m, %n]
    %b: f32 = add %a, %v
    next %b
  }
  store s[%m] = %r
}
)";

// Two levels of loops, the inner one going on from the outer accumulator: the same left fold.
const std::string kBlockedSum = std::string(kSumHead) + R"(group g0 (%m: i64 in 0..M) {
  %z: f32 = constant 0.0
  %r: f32 = for %t: i64 in 0..ceildiv(N, 4) carry (%a: f32 = %z) {
    %q: f32 = for %u: i64 in 4 * %t..min(4 * %t + 4, N) carry (%c: f32 = %a) {
      %v: f32 = load x[%m, %u]
      %b: f32 = add %c, %v
      next %b
    }
    next %q
  }
  store s[%m] = %r
}
)";

// Each block summed on its own first: another bracketing.
const std::string kBracketedSum = std::string(kSumHead) + R"(group g0 (%m: i64 in 0..M) {
  %z: f32 = constant 0.0
  %e: f32 = constant -0.0
  %r: f32 = for %t: i64 in 0..ceildiv(N, 4) carry (%a: f32 = %z) {
    %q: f32 = for %u: i64 in 4 * %t..min(4 * %t + 4, N) carry (%c: f32 = %e) {
      %v: f32 = load x[%m, %u]
      %b: f32 = add %c, %v
      next %b
    }
    %s2: f32 = add %a, %q
    next %s2
  }
  store s[%m] = %r
}
)";

// shows: K7.12 K1.7
TEST(Folds, SerialSumRefinesEveryOrder) {
  for (const char* order : {"strict", "tree", "any"}) {
    Verdicts v = check_refinement(sum(order), kSerialSum);
    EXPECT_TRUE(v.all_proved()) << order << "\n" << v.failures;
  }
}

TEST(Folds, BlockedSumFromTheOuterAccumulatorRefinesStrict) {
  Verdicts v = check_refinement(sum("strict"), kBlockedSum);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Folds, BracketingNeedsTheLicence) {
  EXPECT_FALSE(check_refinement(sum("strict"), kBracketedSum).all_proved());
  Verdicts v = check_refinement(sum("tree"), kBracketedSum);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Folds, ReversedOrderNeedsAny) {
  std::string reversed = replaced(kSerialSum, "load x[%m, %n]", "load x[%m, N - 1 - %n]");
  EXPECT_FALSE(check_refinement(sum("strict"), reversed).all_proved());
  EXPECT_FALSE(check_refinement(sum("tree"), reversed).all_proved());
  Verdicts v = check_refinement(sum("any"), reversed);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Folds, FaultsInMembersAndInitialValuesAreNotProved) {
  const std::pair<const char*, const char*> faults[] = {
      {"in 0..N carry", "in 1..N carry"}, {"in 0..N carry", "in 0..N - 1 carry"},    {"constant 0.0", "constant 1.0"},
      {"constant 0.0", "constant -0.0"},  {"load x[%m, %n]", "load x[%m, %n - %n]"}, {"next %b", "next %v"},
  };
  for (auto [from, to] : faults)
    EXPECT_FALSE(check_refinement(sum("any"), replaced(kSerialSum, from, to)).all_proved()) << from << " -> " << to;
}

// shows: K1.7
TEST(Folds, ALicensedFoldHasOneSchedule) {
  const std::string two = R"(kir 1
kernel two(x: in f32[M, N], s: out f32[M], u: out f32[M]) {
  parallel m in 0..M {
    let t = reduce add order(any) over n in 0..N { x[m, n] }
    s[m] = t
    u[m] = t
  }
}
)";
  std::string head = replaced(kSumHead, "s: view f32[M] strides(1) out align 4",
                              "s: view f32[M] strides(1) out align 4\n  u: view f32[M] strides(1) out align 4");
  const std::string once = head + R"(group g0 (%m: i64 in 0..M) {
  %z: f32 = constant 0.0
  %r: f32 = for %n: i64 in 0..N carry (%a: f32 = %z) {
    %v: f32 = load x[%m, %n]
    %b: f32 = add %a, %v
    next %b
  }
  store s[%m] = %r
  store u[%m] = %r
}
)";
  Verdicts v = check_refinement(two, once);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  std::string twice = replaced(once, "  store u[%m] = %r\n", R"(  %r2: f32 = for %n2: i64 in 0..N carry (%a2: f32 = %z) {
    %v2: f32 = load x[%m, N - 1 - %n2]
    %b2: f32 = add %a2, %v2
    next %b2
  }
  store u[%m] = %r2
)");
  EXPECT_FALSE(check_refinement(two, twice).all_proved());
}

constexpr const char* kPrefix = R"(kir 1
kernel prefix(x: in f32[M, N], y: out f32[M, N]) {
  parallel m in 0..M {
    for n in 0..N {
      if n > 0 { y[m, n] = y[m, n - 1] + x[m, n] } else { y[m, n] = x[m, n] }
    }
  }
}
)";

const std::string kPrefixProgram =
    replaced(replaced(kSumHead, "s: view f32[M] strides(1) out", "y: view f32[M, N] strides(N, 1) out"), "implements \"sum\"",
             "implements \"prefix\"") +
    R"(group g0 (%m: i64 in 0..M) {
  for %n: i64 in 0..N {
    %p: i1 = index %n > 0
    if %p {
      %k: i64 = index %n - 1
      %a: f32 = load y[%m, %k]
      %b: f32 = load x[%m, %n]
      %c: f32 = add %a, %b
      store y[%m, %n] = %c
    } else {
      %d: f32 = load x[%m, %n]
      store y[%m, %n] = %d
    }
  }
}
)";

// shows: K4.6 K9.3
TEST(Memory, ARecurrenceThroughMemoryIsProvedInOrder) {
  Verdicts v = check_refinement(kPrefix, kPrefixProgram);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K9.3
TEST(Memory, ABrokenRecurrenceIsNotProved) {
  // Backwards, the load sees what was there before the launch.
  std::string backwards = kPrefixProgram;
  for (const char* from : {"index %n > 0"}) backwards = replaced(backwards, from, "index N - 1 - %n > 0");
  std::size_t at;
  while ((at = backwards.find("[%m, %n]")) != std::string::npos) backwards.replace(at, 8, "[%m, %r]");
  backwards = replaced(backwards, "index %n - 1", "index %r - 1");
  backwards = replaced(backwards, "  for %n: i64 in 0..N {\n", "  for %n: i64 in 0..N {\n    %r: i64 = index N - 1 - %n\n");
  EXPECT_FALSE(check_refinement(kPrefix, backwards).all_proved());
}

}  // namespace
}  // namespace kir::test
