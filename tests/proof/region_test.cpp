// Folds and scans over segments: the kernel's against a program's, and programs that cut or start elsewhere.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

constexpr const char* kFoldAbi =
    "  x: view f32[M, N] strides(N, 1) in align 4\n  y: view f32[M] strides(1) out align 4\n  dims M: i64, N: i64\n";

std::string fold_kernel(const std::string& where, const std::string& order) {
  return "kir 1\nkernel fold(x: in f32[M, N], y: out f32[M]) {\n  parallel m in 0..M {\n    let p = region_fold [0..N] uses "
         "(x, m) " +
         where +
         "summarize [lo..hi] {\n      let s = for n in lo..hi carry (t = f32(0.0)) { next t + x[m, n] * x[m, n] }\n      yield "
         "s\n"
         "    } combine order(" +
         order + ") (a: f32, b: f32) { yield a + b } identity (-0.0)\n    y[m] = p\n  }\n}\n";
}

std::string fold_program(const std::string& where, const std::string& order) {
  return "  %p: f32 = region_fold [0..N] " + where +
         "summarize [%lo: i64..%hi: i64] {\n    %z: f32 = constant 0.0\n    %s: f32 = for %n: i64 in %lo..%hi carry (%t: f32 = "
         "%z) {\n"
         "      %v: f32 = load x[%m, %n]\n      %q: f32 = mul %v, %v\n      %u: f32 = add %t, %q\n      next %u\n    }\n    "
         "yield %s\n"
         "  } combine order(" +
         order + ") (%a: f32, %b: f32) {\n    %c: f32 = add %a, %b\n    yield %c\n  } identity (-0.0)\n  store y[%m] = %p\n";
}

const char* kWhere = "where (j) { x[m, j] > 0.0 } ";
const std::string kWhereProgram =
    "where (%j: i64) {\n    %e: f32 = load x[%m, %j]\n    %zero: f32 = constant 0.0\n    %on: i1 = cmp.ogt %e, %zero\n    "
    "yield %on\n  } ";

Verdicts fold(const std::string& where, const std::string& kir_order, const std::string& body) {
  return check_refinement(fold_kernel(where, kir_order), one_group("fold", kFoldAbi, body));
}

// shows: K7.4
TEST(Segments, AFoldIsMatchedRegionByRegion) {
  Verdicts v = fold("", "tree", fold_program("", "tree"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  v = fold("", "strict", fold_program("", "strict"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  for (const char* order : {"tree", "strict"}) {
    v = fold(kWhere, order, fold_program(kWhereProgram, order));
    EXPECT_TRUE(v.all_proved()) << order << v.failures;
    EXPECT_TRUE(check_kir(fold_kernel("", order)).all_proved());
    EXPECT_TRUE(check_kir(fold_kernel(kWhere, order)).all_proved());
  }
}

// Exact summaries must not depend on how the axis is cut.
TEST(Segments, AnExactSummaryIsTheSameForEveryCut) {
  auto kernel = [](const std::string& summary, const std::string& combine) {
    return "kir 1\nkernel cut(x: in i32[N], y: out i32[1]) {\n  let (n, most) = region_fold [0..N] uses (x) summarize [lo..hi] "
           "{\n" +
           summary + "    yield n, most\n  } combine order(tree) (a: i32, b: i32, c: i32, d: i32) { yield " + combine +
           " } identity (0, -2147483648)\n  y[0] = n + most\n}\n";
  };
  const std::string n = "    let n = reduce add order(any) over i in lo..hi { i32(1) }\n";
  const std::string most = "    let most = reduce max.s order(any) over i in lo..hi { x[i] }\n";
  Verdicts v = check_kir(kernel(n + most, "a + c, max.s(b, d)"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  const std::pair<std::string, const char*> cuts[] = {
      {n + most, "max.s(a, c), max.s(b, d)"},
      {n + most, "a + c, b"},
      {"    let one = i32(1)\n    let n = reduce (i in lo..hi) map { one } combine order(any) (a: i32, b: i32) { a + b } init "
       "(one)\n" +
           most,
       "a + c, max.s(b, d)"},
  };
  for (const auto& [summary, combine] : cuts)
    EXPECT_FALSE(check_kir(kernel(summary, combine)).all_proved()) << summary << combine;
}

// Integer recurrences, modulo 2^32, are composed exactly.
TEST(Segments, AnIntegerRecurrenceIsComposedOfItsParts) {
  auto kernel = [](const std::string& step, const std::string& compose) {
    return "kir 1\nkernel affine(x: in i32[N], y: out i32[2]) {\n  let (p, q) = region_fold [0..N] uses (x) summarize [lo..hi] "
           "{\n"
           "    let (a, b) = for t in lo..hi carry (a = i32(1), b = i32(0)) { next " +
           step + " }\n    yield a, b\n  } combine order(tree) (p0: i32, q0: i32, p1: i32, q1: i32) { yield " + compose +
           " } identity (1, 0)\n  y[0] = p\n  y[1] = q\n}\n";
  };
  Verdicts v = check_kir(kernel("x[t] * a, x[t] * b + 1", "p1 * p0, p1 * q0 + q1"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  const std::pair<const char*, const char*> wrong[] = {{"x[t] * a, x[t] * b + 1", "p1 * p0, p0 * q0 + q1"},
                                                       {"x[t] * a, x[t] * b + 1", "p1 * p0, p1 * q1 + q0"},
                                                       {"x[t] * a, b + 1", "p1 * p0, p1 * q0 + q1"},
                                                       {"x[t] * a + 1, x[t] * b + 1", "p1 * p0, p1 * q0 + q1"},
                                                       {"max.s(x[t], a), x[t] * b", "p1 * p0, p1 * q0 + q1"}};
  for (const auto& [step, compose] : wrong) EXPECT_FALSE(check_kir(kernel(step, compose)).all_proved()) << step << compose;
}

TEST(Segments, AWholeAxisIsOneSegment) {
  // The loop that the summary of the whole axis is.
  Verdicts v = fold("", "tree", R"(  %some: i1 = index 0 < N
  %none: f32 = constant -0.0
  %z: f32 = constant 0.0
  %s: f32 = for %n: i64 in 0..N carry (%t: f32 = %z) {
    %v: f32 = load x[%m, %n]
    %q: f32 = mul %v, %v
    %u: f32 = add %t, %q
    next %u
  }
  %r: f32 = select %some, %s, %none
  store y[%m] = %r
)");
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

TEST(Segments, AnotherFoldIsNotTheKernels) {
  EXPECT_FALSE(fold("", "strict", fold_program("", "tree")).all_proved());
  EXPECT_FALSE(fold("", "tree", replaced(fold_program("", "tree"), "[0..N]", "[0..N - 1]")).all_proved());
  EXPECT_FALSE(fold("", "tree", replaced(fold_program("", "tree"), "in %lo..%hi", "in %lo + 1..%hi")).all_proved());
  EXPECT_FALSE(fold("", "tree", replaced(fold_program("", "tree"), "mul %v, %v", "add %v, %v")).all_proved());
  EXPECT_FALSE(fold("", "tree", replaced(fold_program("", "tree"), "identity (-0.0)", "identity (0.0)")).all_proved());
  EXPECT_FALSE(fold(kWhere, "tree", fold_program("", "tree")).all_proved());
  EXPECT_FALSE(fold(kWhere, "tree", replaced(fold_program(kWhereProgram, "tree"), "add %a, %b", "mul %a, %b")).all_proved());
  EXPECT_FALSE(fold(kWhere, "tree", replaced(fold_program(kWhereProgram, "tree"), "cmp.ogt", "cmp.oge")).all_proved());
}

// The strict order folds the summaries of single active members, the left one first.
TEST(Segments, AStrictFoldTakesTheActiveMembersOneByOne) {
  EXPECT_FALSE(fold(kWhere, "strict", fold_program("", "strict")).all_proved());
  EXPECT_FALSE(fold("", "strict", fold_program(kWhereProgram, "strict")).all_proved());
  const std::string program = fold_program(kWhereProgram, "strict");
  const std::pair<const char*, const char*> faults[] = {
      {"cmp.ogt", "cmp.oge"},   {"add %a, %b", "sub %a, %b"}, {"load x[%m, %j]", "load x[0, %j]"},
      {"[0..N]", "[0..N - 1]"}, {"mul %v, %v", "mul %v, %t"}, {"order(strict)", "order(tree)"}};
  for (const auto& [from, to] : faults)
    EXPECT_FALSE(fold(kWhere, "strict", replaced(program, from, to)).all_proved()) << from << " -> " << to;
  // Without an identity somebody has to be there: that the first member is shows it, and nothing says so here.
  EXPECT_TRUE(check_kir(replaced(fold_kernel(kWhere, "strict"), " identity (-0.0)", "")).fails(ObligationKind::kir_safe));
}

// The identity is the value where there is no member, and need not be neutral: nothing may put it in elsewhere.
TEST(Segments, TheIdentityOfAFoldIsOfNoMemberAlone) {
  const std::string kir =
      "kir 1\nkernel weigh(x: in i32[M, N], y: out i32[M]) {\n  parallel m in 0..M {\n    let c = region_fold [0..N] uses (x, "
      "m) summarize [lo..hi] {\n      let n = reduce add order(any) over j in lo..hi { x[m, j] }\n      yield n\n"
      "    } combine order(strict) (a: i32, b: i32) { yield a * 2 + b } identity (7)\n    y[m] = c\n  }\n}\n";
  const char* abi = "  x: view i32[M, N] in\n  y: view i32[M] out\n  dims M: i64, N: i64\n";
  const std::string summary =
      "    %z: i32 = constant 0\n    %v: i32 = reduce (%k: i64 in %j..%j + 1) map { %t: i32 = load x[%m, %k]  yield %t } "
      "combine "
      "order(any) (%p: i32, %q: i32) { %r: i32 = add %p, %q  yield %r } identity (0) init (%z)\n";
  const std::string combine = "%two: i32 = mul %a, 2\n    %n: i32 = add %two, %v\n";
  auto check = [&](const std::string& body) { return check_refinement(kir, one_group("weigh", abi, body)); };
  EXPECT_TRUE(check_kir(kir).all_proved());
  Verdicts v = check_refinement(kir, constructed(kir));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_FALSE(check("  %s: i32 = constant 7\n  %c: i32 = for %j: i64 in 0..N carry (%a: i32 = %s) {\n" + summary + "    " +
                     combine + "    next %n\n  }\n  store y[%m] = %c")
                   .all_proved());
  for (const char* identity : {"identity (7)", "identity assumed (7)"})
    EXPECT_FALSE(check("  %c: i32 = reduce (%j: i64 in 0..N) map {\n" + summary +
                       "    yield %v\n  } combine order(strict) (%a: i32, %v: i32) {\n    " + combine + "    yield %n\n  } " +
                       identity + "\n  store y[%m] = %c")
                     .all_proved());
}

// An axis may be as long as an integer; only where runs are looked for does a program count past its end.
TEST(Segments, TheEndOfTheLongestAxisIsReached) {
  auto kernel = [](const std::string& where, const std::string& order) {
    return "kir 1\nkernel long(y: out i32[1], N: index) where N >= 0 {\n  let q = tensor (k in 0..N) { to_i32(k) }\n"
           "  let p = region_fold [0..N] uses (q) " +
           where +
           "summarize [lo..hi] {\n    let s = reduce max.s order(any) over n in lo..hi { q[n] }\n    yield s\n  } combine "
           "order(" +
           order + ") (a: i32, b: i32) { yield max.s(a, b) } identity (-2147483648)\n  y[0] = p\n}\n";
  };
  const std::string where = "where (j) { q[j] > 1 } ";
  for (const std::string& kir : {kernel("", "tree"), kernel("", "strict"), kernel(where, "strict")}) {
    Verdicts v = check_refinement(kir, constructed(kir));
    EXPECT_TRUE(v.all_proved()) << v.failures;
  }
  const std::string runs = kernel(where, "tree");
  EXPECT_TRUE(check_refinement(runs, constructed(runs)).fails(ObligationKind::index_no_overflow));
}

TEST(Segments, WhatASegmentMayTouchIsOwedForEverySegment) {
  const std::string kernel = replaced(fold_kernel("", "tree"), "x[m, n] * x[m, n]", "x[m, n + 1]");
  EXPECT_TRUE(check_kir(kernel).fails(ObligationKind::kir_safe));
  EXPECT_TRUE(fold("", "tree", replaced(fold_program("", "tree"), "load x[%m, %n]", "load x[%m, %n + 1]"))
                  .fails(ObligationKind::access_bounds));
}

TEST(Segments, ExactSummariesAreNotTakenOnTrust) {
  const std::string kernel =
      "kir 1\nkernel count(x: in i32[N], y: out i32[1]) {\n  let p = region_fold [0..N] uses (x) summarize [lo..hi] {\n"
      "    let s = reduce max.s order(any) over n in lo..hi { x[n] }\n    yield s\n  } combine order(tree) (a: i32, b: i32) { "
      "yield "
      "min.s(a, b) } identity (2147483647)\n  y[0] = p\n}\n";
  EXPECT_TRUE(check_kir(kernel).fails(ObligationKind::segment_independence));
  EXPECT_FALSE(check_kir(replaced(kernel, "order(tree)", "order(strict)")).fails(ObligationKind::segment_independence));
}

// --- scans

constexpr const char* kScanAbi =
    "  a: view f32[M, N] strides(N, 1) in align 4\n  h: view f32[M, N] strides(N, 1) out align 4\n  last: view f32[M] "
    "strides(1) out "
    "align 4\n  dims M: i64, N: i64\n";

std::string scan_kernel(const std::string& order) {
  return "kir 1\nkernel recur(a: in f32[M, N], h: out f32[M, N], last: out f32[M]) {\n  parallel m in 0..M {\n    let one = "
         "f32(1.0)\n"
         "    let (states, final) = region_scan [0..N] uses (a, m) init (one) summarize [lo..hi] {\n"
         "      let p = for t in lo..hi carry (p = f32(1.0)) { next a[m, t] * p }\n      yield p\n"
         "    } combine order(" +
         order +
         ") (p: f32, q: f32) { yield q * p } identity (1.0) apply (p: f32, g: f32) { yield p * g } emit [lo..hi] (g: f32) {\n"
         "      let (end, slice_) = for t in lo..hi carry (s = g) collect (f32) {\n        let n = a[m, t] * s\n        next "
         "n, n\n"
         "      }\n      yield slice_\n    }\n    parallel t in 0..N { h[m, t] = states[t] }\n    last[m] = final\n  }\n}\n";
}

std::string scan_program(const std::string& order) {
  return "  kept: view f32[N] = buffer [N] scope(private)\n  %one: f32 = constant 1.0\n  %final: f32 = region_scan [0..N] init "
         "(%one) "
         "summarize [%lo: i64..%hi: i64] {\n    %c: f32 = constant 1.0\n    %p: f32 = for %t: i64 in %lo..%hi carry (%q: f32 = "
         "%c) {\n"
         "      %v: f32 = load a[%m, %t]\n      %u: f32 = mul %v, %q\n      next %u\n    }\n    yield %p\n  } combine order(" +
         order +
         ") (%p: f32, %q: f32) {\n    %r: f32 = mul %q, %p\n    yield %r\n  } identity (1.0) apply (%p: f32, %g: f32) {\n    "
         "%r: f32 = mul "
         "%p, %g\n    yield %r\n  } emit [%lo: i64..%hi: i64] (%g: f32) {\n    %end: f32 = for %t: i64 in %lo..%hi carry (%s: "
         "f32 = %g) "
         "{\n      %v: f32 = load a[%m, %t]\n      %n: f32 = mul %v, %s\n      store kept[%t] = %n\n      next %n\n    }\n  }\n"
         "  for %t: i64 in 0..N {\n    %e: f32 = load kept[%t]\n    store h[%m, %t] = %e\n  }\n  store last[%m] = %final\n";
}

Verdicts scan(const std::string& order, const std::string& body) {
  return check_refinement(scan_kernel(order), one_group("recur", kScanAbi, body));
}

// shows: K7.4
TEST(Segments, WhatASegmentEmitsIsStored) {
  for (const char* order : {"tree", "strict"}) {
    Verdicts v = scan(order, scan_program(order));
    EXPECT_TRUE(v.all_proved()) << order << "\n" << v.failures;
    Verdicts k = check_kir(scan_kernel(order));
    EXPECT_TRUE(k.all_proved()) << order << "\n" << k.failures;
  }
}

TEST(Segments, AScanThatEmitsOtherThingsIsRefused) {
  EXPECT_FALSE(scan("strict", scan_program("tree")).all_proved());
  EXPECT_FALSE(scan("tree", replaced(scan_program("tree"), "store kept[%t] = %n", "store kept[%t] = %s")).all_proved());
  EXPECT_FALSE(scan("tree", replaced(scan_program("tree"), "carry (%s: f32 = %g)", "carry (%s: f32 = %one)")).all_proved() &&
               scan("strict", replaced(scan_program("strict"), "carry (%s: f32 = %g)", "carry (%s: f32 = %one)")).all_proved());
  EXPECT_TRUE(scan("tree", replaced(scan_program("tree"), "%end: f32 = for %t: i64 in %lo..%hi",
                                    "%end: f32 = for %t: i64 in %lo + 1..%hi"))
                  .fails(ObligationKind::initialization));
  EXPECT_FALSE(scan("tree", replaced(scan_program("tree"), "%p, %g\n", "%g, %g\n")).all_proved());
}

}  // namespace
}  // namespace kir::test
