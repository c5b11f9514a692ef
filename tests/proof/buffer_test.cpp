// Buffers: loads that stores tell, buffers paired with those of the kernel, and programs whose memory does something else.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

constexpr const char* kAbi =
    "  x: view f32[M, N] strides(N, 1) in align 4\n  y: view f32[M, N] strides(N, 1) out align 4\n  dims M: i64, N: i64\n";

// --- what a loop collects

constexpr const char* kProducts = R"(kir 1
kernel products(x: in f32[M, N], y: out f32[M, N]) {
  parallel m in 0..M {
    let (last, all) = for n in 0..N carry (p = f32(1.0)) collect (f32) {
      let q = p * x[m, n]
      next q, q
    }
    parallel n in 0..N { y[m, n] = all[n] }
  }
}
)";

const std::string kKeep = R"(  kept: view f32[N] = buffer [N] scope(private)
  %one: f32 = constant 1.0
  %last: f32 = for %n: i64 in 0..N carry (%p: f32 = %one) {
    %v: f32 = load x[%m, %n]
    %q: f32 = mul %p, %v
    store kept[%n] = %q
    next %q
  }
)";
const std::string kRead = R"(  for %k: i64 in 0..N {
    %r: f32 = load kept[%k]
    store y[%m, %k] = %r
  }
)";

Verdicts products(const std::string& body) { return check_refinement(kProducts, one_group("products", kAbi, body)); }

// shows: K5.2 K7.11 K9.3
TEST(Buffers, ALoadIsTheStoredValueOfItsElement) {
  Verdicts v = products(kKeep + kRead);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Buffers, AnElementThatNoStoreWritesIsNotRead) {
  EXPECT_TRUE(products(replaced(kKeep, "for %n: i64 in 0..N carry", "for %n: i64 in 0..N - 1 carry") + kRead)
                  .fails(ObligationKind::initialization));
  EXPECT_TRUE(
      products(replaced(kKeep, "store kept[%n] = %q", "%even: i1 = index %n mod 2 == 0\n    store kept[%n] = %q where %even") +
               kRead)
          .fails(ObligationKind::initialization));
}

TEST(Buffers, AReadBeforeTheWriteSeesNothing) {
  const std::string early = replaced(kRead, "for %k", "for %e");
  std::string body = replaced(
      kKeep, "  %one: f32", "  for %e: i64 in 0..N {\n    %r: f32 = load kept[%e]\n    store y[%m, %e] = %r\n  }\n  %one: f32");
  EXPECT_TRUE(products(body).fails(ObligationKind::initialization));
}

TEST(Buffers, AStoreInBetweenCounts) {
  EXPECT_FALSE(products(kKeep + "  for %j: i64 in 0..N {\n    store kept[%j] = %one\n  }\n" + kRead).all_proved());
  // Only behind the reads it does not.
  Verdicts v = products(kKeep + kRead + "  for %j: i64 in 0..N {\n    store kept[%j] = %one\n  }\n");
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Buffers, OfOverlappingStoresTheLastOneCounts) {
  // The second store of an iteration writes the element that the next iteration writes again.
  const std::string wide = replaced(replaced(kKeep, "buffer [N]", "buffer [N + 1]"), "view f32[N] = ", "view f32[N + 1] = ");
  std::string body =
      replaced(wide, "store kept[%n] = %q", "%next: i64 = index %n + 1\n    store kept[%n] = %q\n    store kept[%next] = %one");
  EXPECT_TRUE(products(body + kRead).fails(ObligationKind::load_stable));
  // In the other order each element is written by its own iteration last.
  body = replaced(wide, "store kept[%n] = %q", "%same: i64 = index %n\n    store kept[%n] = %one\n    store kept[%same] = %q");
  Verdicts v = products(body + kRead);
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Buffers, TwoMembersOfOneElementAreToldApart) {
  EXPECT_FALSE(
      products(replaced(kKeep, "store kept[%n] = %q", "%half: i64 = index %n floordiv 2\n    store kept[%half] = %q") + kRead)
          .all_proved());
}

// Which store was the last one, data of other iterations decides: no expression says it, but the same stores give the same
// element.
TEST(Buffers, WhatEarlierIterationsStoredIsNotForgotten) {
  auto held = [](const std::string& body) {
    return "kir 1\nkernel held(x: in f32[N], s: in i32[N], y: out f32[N]) {\n  let b = buffer f32[4] init (k) { 0.0 }\n"
           "  for t in 0..N carry (c = i32(0)) {\n    let k = to_index(c)\n" +
           body + "    next s[t]\n  }\n}\n";
  };
  const std::pair<const char*, const char*> cases[] = {
      {"if c > 2 { b[0] = x[t] }\n", "c > 2"},
      {"if k > 2 { b[0] = x[t] }\n", "k > 2"},
      {"b[min(max(k, 0), 3)] = x[t]\n", "min(max(k, 0), 3) == 0"},
      {"for j in 0..min(k, 4) { b[j] = x[t] }\n", "k > 0"},
  };
  for (auto [stores, now] : cases) {
    const std::string kir = held(stores + std::string("    y[t] = b[0]\n"));
    Verdicts v = check_refinement(kir, constructed(kir));
    EXPECT_TRUE(v.all_proved()) << stores << v.failures;
    const std::string wrong = constructed(held(fmt::format("    y[t] = select({}, x[t], 0.0)\n", now)));
    EXPECT_FALSE(check_refinement(kir, wrong).all_proved()) << stores;
  }
}

// Two iterations store to one element: what is proposed for the last store has to be that, in the kernel and in a program.
TEST(Buffers, AProposalThatIsNotTheLastStoreIsNotTaken) {
  const std::string kir =
      "kir 1\nkernel halves(x: in f32[N], y: out f32[N]) {\n  let b = buffer f32[N] init (k) { 0.0 }\n"
      "  for t in 0..N { b[t floordiv 2] = x[t] }\n  for k in 0..N { y[k] = b[k] }\n}\n";
  EXPECT_TRUE(check_kir(kir).fails(ObligationKind::load_stable));
  EXPECT_TRUE(check_refinement(kir, constructed(kir)).fails(ObligationKind::load_stable));
}

TEST(Buffers, AStoreBeyondTheExtentIsRefused) {
  std::string body = replaced(replaced(kKeep, "buffer [N]", "buffer [N - 1]"), "view f32[N] = ", "view f32[N - 1] = ");
  EXPECT_TRUE(products(body + kRead).fails(ObligationKind::access_bounds));
}

// shows: K5.1
TEST(Buffers, TheCapacityHoldsEveryInstance) {
  const std::string body = R"(  for %n: i64 in 0..N {
    b: view f32[%n + 1] = buffer [%n + 1] scope(iteration) capacity (N)
    %v: f32 = load x[%m, %n]
    store b[%n] = %v
    %r: f32 = load b[%n]
    store y[%m, %n] = %r
  }
)";
  const std::string kir = R"(kir 1
kernel copy(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M, n in 0..N { y[m, n] = x[m, n] } }
)";
  Verdicts v = check_refinement(kir, one_group("copy", kAbi, body));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(check_refinement(kir, one_group("copy", kAbi, replaced(body, "capacity (N)", "capacity (N - 1)")))
                  .fails(ObligationKind::workspace_fits));
}

// --- initial values, and the life of an allocation

constexpr const char* kFresh = R"(kir 1
kernel fresh(x: in f32[M, N], y: out f32[M, N]) {
  parallel m in 0..M {
    for t in 0..N {
      let b = buffer f32[1] init (k) { f32(0.0) }
      b[0] = b[0] + x[m, t]
      y[m, t] = b[0]
    }
  }
}
)";

const std::string kFreshBody = R"(  for %t: i64 in 0..N {
    b: view f32[1] = buffer [1] scope(iteration) init (%k: i64) {
      %z: f32 = constant 0.0
      yield %z
    }
    %zero: i64 = index 0
    %old: f32 = load b[%zero]
    %v: f32 = load x[%m, %t]
    %s: f32 = add %old, %v
    store b[%zero] = %s
    %r: f32 = load b[%zero]
    store y[%m, %t] = %r
  }
)";

Verdicts fresh(const std::string& body) { return check_refinement(kFresh, one_group("fresh", kAbi, body)); }

// shows: K5.2 K5.7
TEST(Buffers, AnAllocationIsFreshInEachIteration) {
  Verdicts v = fresh(kFreshBody);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(check_kir(kFresh).all_proved());
}

TEST(Buffers, AnAllocationThatSurvivesAnIterationIsNotIt) {
  std::string hoisted = R"(  b: view f32[1] = buffer [1] scope(private) init (%k: i64) {
    %z: f32 = constant 0.0
    yield %z
  }
  for %t: i64 in 0..N {
    %zero: i64 = index 0
    %old: f32 = load b[%zero]
    %v: f32 = load x[%m, %t]
    %s: f32 = add %old, %v
    store b[%zero] = %s
    %r: f32 = load b[%zero]
    store y[%m, %t] = %r
  }
)";
  EXPECT_FALSE(fresh(hoisted).all_proved());
}

TEST(Buffers, ADroppedInitialValueIsMissed) {
  std::string body = replaced(kFreshBody, R"( init (%k: i64) {
      %z: f32 = constant 0.0
      yield %z
    })",
                              "");
  EXPECT_TRUE(fresh(body).fails(ObligationKind::initialization));
  EXPECT_FALSE(fresh(replaced(kFreshBody, "constant 0.0", "constant 1.0")).all_proved());
}

// --- buffers that loops read and write

constexpr const char* kSum = R"(kir 1
kernel sum(x: in f32[M, N], y: out f32[M]) {
  parallel m in 0..M {
    let b = buffer f32[2] init (k) { f32(0.0) }
    for t in 0..N { b[t mod 2] = b[t mod 2] + x[m, t] }
    y[m] = b[0]
  }
}
)";
constexpr const char* kSumAbi =
    "  x: view f32[M, N] strides(N, 1) in align 4\n  y: view f32[M] strides(1) out align 4\n  dims M: i64, N: i64\n";
const std::string kSumBody = R"(  b: view f32[2] = buffer [2] scope(private) init (%k: i64) {
    %z: f32 = constant 0.0
    yield %z
  }
  for %t: i64 in 0..N {
    %at: i64 = index %t mod 2
    %old: f32 = load b[%at]
    %v: f32 = load x[%m, %t]
    %s: f32 = add %old, %v
    store b[%at] = %s
  }
  %zero: i64 = index 0
  %r: f32 = load b[%zero]
  store y[%m] = %r
)";

Verdicts sum(const std::string& body) { return check_refinement(kSum, one_group("sum", kSumAbi, body)); }

// shows: K5.2 K5.3
TEST(Buffers, ABufferThatALoopReadsAndWritesIsPairedWithTheKernels) {
  Verdicts v = sum(kSumBody);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  Verdicts k = check_kir(kSum);
  EXPECT_TRUE(k.all_proved()) << k.failures;
}

TEST(Buffers, AnInitialValueIsAppliedOnce) {
  // Dropped, given twice, or another one.
  EXPECT_FALSE(sum(replaced(kSumBody, " init (%k: i64) {\n    %z: f32 = constant 0.0\n    yield %z\n  }", "")).all_proved());
  EXPECT_FALSE(sum(replaced(kSumBody, "  %zero: i64 = index 0\n",
                            "  %zero: i64 = index 0\n  %again: f32 = constant 0.0\n  store b[%zero] = %again\n"))
                   .all_proved());
  EXPECT_FALSE(sum(replaced(kSumBody, "constant 0.0", "constant 0.5")).all_proved());
  // Made anew in each iteration.
  std::string inner =
      replaced(kSumBody, "    %at: i64 = index %t mod 2\n",
               "    c: view f32[2] = buffer [2] scope(iteration) init (%k: i64) {\n      %z: f32 = constant 0.0\n"
               "      yield %z\n    }\n    %at: i64 = index %t mod 2\n");
  EXPECT_FALSE(sum(replaced(inner, "%old: f32 = load b[%at]", "%old: f32 = load c[%at]")).all_proved());
}

TEST(Buffers, AMissingOrDisplacedStoreIsSeen) {
  EXPECT_FALSE(sum(replaced(kSumBody, "    store b[%at] = %s\n", "")).all_proved());
  EXPECT_FALSE(sum(replaced(kSumBody, "    store b[%at] = %s\n", "    %o: i64 = index 1 - %t mod 2\n    store b[%o] = %s\n"))
                   .all_proved());
  EXPECT_FALSE(sum(replaced(kSumBody, "for %t: i64 in 0..N {", "for %t: i64 in 1..N {")).all_proved());
  // The load behind the store sees what the store wrote.
  EXPECT_FALSE(
      sum(replaced(kSumBody, "    store b[%at] = %s\n",
                   "    store b[%at] = %v\n    %w: f32 = load b[%at]\n    %u: f32 = add %w, %old\n    store b[%at] = %u\n"))
          .all_proved());
}

// An allocation of the program serves one of the kernel's, not two.
TEST(Buffers, AllocationsCorrespondOneToOne) {
  const std::string kir = R"(kir 1
kernel pairs(x: in f32[M, N], y: out f32[M, N]) {
  parallel m in 0..M {
    for t in 0..N {
      let b = buffer f32[1] init (k) { x[m, t] }
      for s in 0..2 { b[0] = b[0] * f32(2.0) }
      y[m, t] = b[0]
    }
  }
}
)";
  const std::string body = R"(  for %t: i64 in 0..N {
    b: view f32[1] = buffer [1] scope(iteration) init (%k: i64) {
      %v: f32 = load x[%m, %t]
      yield %v
    }
    %zero: i64 = index 0
    for %s: i64 in 0..2 {
      %old: f32 = load b[%zero]
      %two: f32 = constant 2.0
      %d: f32 = mul %old, %two
      store b[%zero] = %d
    }
    %r: f32 = load b[%zero]
    store y[%m, %t] = %r
  }
)";
  Verdicts v = check_refinement(kir, one_group("pairs", kAbi, body));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  std::string hoisted =
      replaced(replaced(body,
                        "    b: view f32[1] = buffer [1] scope(iteration) init (%k: i64) {\n      %v: f32 = load "
                        "x[%m, %t]\n      yield %v\n    }\n",
                        "    %z: i64 = index 0\n    %v: f32 = load x[%m, %t]\n    store b[%z] = %v\n"),
               "  for %t: i64 in 0..N {", "  b: view f32[1] = buffer [1] scope(private)\n  for %t: i64 in 0..N {");
  EXPECT_FALSE(check_refinement(kir, one_group("pairs", kAbi, hoisted)).all_proved());
}

// --- scans

constexpr const char* kScan = R"(kir 1
kernel cumsum(x: in f32[M, N], y: out f32[M, N]) {
  parallel m in 0..M {
    let (sum, last) = scan add inclusive forward order(any) over n in 0..N { x[m, n] }
    parallel n in 0..N { y[m, n] = sum[n] }
  }
}
)";
const std::string kScanBody = R"(  kept: view f32[N] = buffer [N] scope(private)
  %init: f32 = constant 0.0
  %last: f32 = scan inclusive forward (%n: i64 in 0..N) map {
    %v: f32 = load x[%m, %n]
    yield %v
  } combine order(any) (%a: f32, %b: f32) {
    %c: f32 = add %a, %b
    yield %c
  } identity (-0.0) init (%init) result (%k: i64, %s: f32) {
    store kept[%k] = %s
  }
)";

Verdicts scan(const std::string& body) { return check_refinement(kScan, one_group("cumsum", kAbi, body)); }

// shows: K7.3
TEST(Scans, TheElementOfAMemberIsTheFoldUpToIt) {
  Verdicts v = scan(kScanBody + kRead);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  // A loop that carries the sum is the same fold.
  Verdicts loop = scan(R"(  %init: f32 = constant 0.0
  %last: f32 = for %n: i64 in 0..N carry (%p: f32 = %init) {
    %v: f32 = load x[%m, %n]
    %q: f32 = add %p, %v
    store y[%m, %n] = %q
    next %q
  }
)");
  EXPECT_TRUE(loop.all_proved()) << loop.failures;
}

TEST(Scans, AnotherInclusionDirectionOrderOrOperationIsAnotherScan) {
  EXPECT_FALSE(scan(replaced(kScanBody, "inclusive", "exclusive") + kRead).all_proved());
  EXPECT_FALSE(scan(replaced(kScanBody, "forward", "reverse") + kRead).all_proved());
  EXPECT_FALSE(scan(replaced(kScanBody, "add %a, %b", "mul %a, %b") + kRead).all_proved());
  EXPECT_FALSE(scan(replaced(kScanBody, "%init: f32 = constant 0.0", "%init: f32 = constant 1.0") + kRead).all_proved());
  EXPECT_FALSE(scan(replaced(kScanBody, "store kept[%k] = %s", "store kept[%k] = %init") + kRead).all_proved());
  const std::string strict = replaced(kScan, "order(any)", "order(strict)");
  EXPECT_FALSE(check_refinement(strict, one_group("cumsum", kAbi, kScanBody + kRead)).all_proved());
  Verdicts v = check_refinement(strict, one_group("cumsum", kAbi, replaced(kScanBody, "order(any)", "order(strict)") + kRead));
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// Two axes, two states, a combine of its own, from the far end.
TEST(Scans, SeveralAxesAreMetInRowMajorOrder) {
  auto kernel = [](const std::string& kind) {
    return "kir 1\nkernel plane(x: in f32[M, N, 3], y: out f32[M, N, 3]) {\n  parallel m in 0..M {\n    let (p, q, s, t) = "
           "scan " +
           kind +
           " (n in 0..N, k in 0..3) map {\n      yield x[m, n, k], x[m, n, k]\n    } combine order(tree) (a1: f32, b1: f32, "
           "a2: f32, "
           "b2: f32) {\n      yield a2 * a1, a2 * b1 + b2\n    } identity assumed (1.0, 0.0)\n    parallel n in 0..N, k in "
           "0..3 { y[m, n, "
           "k] = q[n, k] }\n  }\n}\n";
  };
  const std::string abi =
      "  x: view f32[M, N, 3] strides(3 * N, 3, 1) in align 4\n  y: view f32[M, N, 3] strides(3 * N, 3, 1) out align 4\n  dims "
      "M: "
      "i64, N: i64\n";
  auto body = [](const std::string& kind) {
    return "  q: view f32[N, 3] = buffer [N, 3] scope(private)\n  (%s: f32, %t: f32) = scan " + kind +
           " (%n: i64 in 0..N, %k: i64 in 0..3) map {\n    %v: f32 = load x[%m, %n, %k]\n    yield %v, %v\n  } combine "
           "order(tree) "
           "(%a1: f32, %b1: f32, %a2: f32, %b2: f32) {\n    %a: f32 = mul %a2, %a1\n    %u: f32 = mul %a2, %b1\n    %b: f32 = "
           "add %u, "
           "%b2\n    yield %a, %b\n  } identity assumed (1.0, 0.0) result (%n: i64, %k: i64, %e: f32, %f: f32) {\n    store "
           "q[%n, %k] = "
           "%f\n  }\n  for %n: i64 in 0..N {\n    for %k: i64 in 0..3 {\n      %e: f32 = load q[%n, %k]\n      store y[%m, %n, "
           "%k] = %e\n "
           "   }\n  }\n";
  };
  for (const char* kind : {"inclusive forward", "exclusive forward", "inclusive reverse", "exclusive reverse"}) {
    Verdicts v = check_refinement(kernel(kind), one_group("plane", abi, body(kind)));
    EXPECT_TRUE(v.all_proved()) << kind << "\n" << v.failures;
  }
  EXPECT_FALSE(check_refinement(kernel("inclusive forward"), one_group("plane", abi, body("inclusive reverse"))).all_proved());
  EXPECT_FALSE(check_refinement(kernel("inclusive forward"), one_group("plane", abi, body("exclusive forward"))).all_proved());
  EXPECT_FALSE(check_refinement(
                   kernel("inclusive forward"),
                   one_group("plane", abi, replaced(body("inclusive forward"), "store q[%n, %k] = %f", "store q[%n, %k] = %e")))
                   .all_proved());
}

}  // namespace
}  // namespace kir::test
