// What a licence `tree` of a fold or scan over segments owes where nothing is rounded: that the cut does not matter.
#include "tests/proof/support.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

std::string fold_of(const std::string& summary) {
  return "kir 1\nkernel cut(x: in i32[N], y: out i32[1]) {\n  let c = region_fold [0..N] uses (x) summarize [lo..hi] {\n" +
         summary + "    yield n\n  } combine order(tree) (a: i32, b: i32) { yield a + b } identity (0)\n  y[0] = c\n}\n";
}

// Which members are taken, and how many there are, may not depend on the segment, by whatever way.
TEST(Cuts, WhatAMemberIsDoesNotDependOnItsSegment) {
  const std::string tail = "combine order(any) (a: i32, b: i32) { yield a + b } identity (0)\n";
  auto counted = [&](const std::string& where) {
    return fold_of("    let n = reduce (j in lo..hi) where { " + where + " } map { yield i32(1) } " + tail);
  };
  Verdicts v = check_kir(counted("yield x[j] == 7"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(check_kir(counted("let m = reduce max.s order(any) over k in lo..hi { x[k] }\n yield x[j] == m"))
                  .fails(ObligationKind::segment_independence));
  // The extent of another axis.
  EXPECT_TRUE(check_kir(fold_of("    let m = reduce max.s order(any) over k in lo..hi { x[k] }\n"
                                "    let n = reduce (j in lo..hi, i in 0..to_index(m)) map { yield i32(1) } " +
                                tail))
                  .fails(ObligationKind::segment_independence));
}

// A float beside it does not make an integer a matter of rounding.
TEST(Cuts, AnIntegerBesideAFloatOwesItsLaws) {
  auto fold = [](const std::string& n) {
    return "kir 1\nkernel mix(x: in f32[N], q: in i32[N], y: out f32[1], z: out i32[1]) {\n  let (n, s) = reduce (i in 0..N) "
           "map { yield q[i], x[i] } combine order(any) (a: i32, b: f32, c: i32, d: f32) { yield " +
           n + ", b + d } identity assumed (0, -0.0)\n  y[0] = s\n  z[0] = n\n}\n";
  };
  Verdicts v = check_kir(fold("a + c"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(check_kir(fold("select(a == 77777777, a, a + c)")).fails(ObligationKind::combine_laws));
  EXPECT_TRUE(check_kir(fold("a - c")).fails(ObligationKind::combine_laws));

  auto segments = [](const std::string& n) {
    return "kir 1\nkernel mix(x: in f32[N], q: in i32[N], y: out f32[1], z: out i32[1]) {\n  let (n, s) = region_fold [0..N] "
           "uses (x, q) summarize [lo..hi] {\n    let s = reduce add order(any) over i in lo..hi { x[i] }\n    let n = " +
           n +
           "\n    yield n, s\n  } combine order(tree) (a: i32, b: f32, c: i32, d: f32) { yield a + c, b + d } identity (0, "
           "-0.0)\n  y[0] = s\n  z[0] = n\n}\n";
  };
  v = check_kir(segments("reduce add order(any) over i in lo..hi where x[i] > 0.0 { i32(1) }"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(
      check_kir(segments("reduce max.s order(any) over i in lo..hi { q[i] }")).fails(ObligationKind::segment_independence));
}

struct Scan {
  std::string step = "x[t] * a, x[t] * b + 1", combine = "p1 * p0, p1 * q0 + q1", apply = "p * g + q", begin = "g",
              next = "x[t] * c + 1", slice = "n";
};

std::string scan_of(const Scan& s) {
  return "kir 1\nkernel affine(x: in i32[N], y: out i32[N], z: out i32[1]) {\n"
         "  let (states, last) = region_scan [0..N] uses (x) init (i32(7)) summarize [lo..hi] {\n"
         "    let (a, b) = for t in lo..hi carry (a = i32(1), b = i32(0)) { next " +
         s.step + " }\n    yield a, b\n  } combine order(tree) (p0: i32, q0: i32, p1: i32, q1: i32) { yield " + s.combine +
         " } identity (1, 0) apply (p: i32, q: i32, g: i32) { yield " + s.apply +
         " } emit [lo..hi] (g: i32) {\n    let (e, all) = for t in lo..hi carry (c = " + s.begin +
         ") collect (i32) {\n      let n = " + s.next + "\n      next n, " + s.slice +
         "\n    }\n    yield all\n  }\n  z[0] = last\n  parallel i in 0..N { y[i] = states[i] }\n}\n";
}

TEST(Cuts, AnExactScanIsTheSameForEveryCut) {
  for (const Scan& s : {Scan{}, Scan{.slice = "c"}, Scan{.slice = "c * x[t] + to_i32(t)"}}) {
    Verdicts v = check_kir(scan_of(s));
    EXPECT_TRUE(v.all_proved()) << scan_of(s) << v.failures;
  }
  const Scan wrong[] = {
      {.apply = "p * g + q + 1"},  // no action
      {.apply = "p + g * q"},      //
      {.apply = "p * g"},          // an action, but not what is emitted
      {.begin = "g + 1"},          // starts elsewhere
      {.begin = "i32(7)"},         //
      {.next = "x[t] * c + 2"},    // goes elsewhere
      {.next = "c"},               //
      {.slice = "g"},              // tells the state before the segment
      {.slice = "n + to_i32(t) * g"},
  };
  for (const Scan& s : wrong) EXPECT_TRUE(check_kir(scan_of(s)).fails(ObligationKind::segment_independence)) << scan_of(s);
  // A strict one goes from member to member, whatever it says.
  EXPECT_TRUE(check_kir(replaced(scan_of({.apply = "p * g + q + 1"}), "order(tree)", "order(strict)")).all_proved());
}

TEST(Cuts, ASumIsAnAction) {
  auto sums = [](const std::string& apply, const std::string& slice) {
    return "kir 1\nkernel sums(x: in i32[N], y: out i32[N], z: out i32[1]) {\n"
           "  let (s, last) = region_scan [0..N] uses (x) init (i32(1)) summarize [lo..hi] {\n"
           "    let n = reduce add order(any) over j in lo..hi { x[j] }\n    yield n\n"
           "  } combine order(tree) (a: i32, b: i32) { yield a + b } apply (p: i32, g: i32) { yield " +
           apply +
           " } emit [lo..hi] (g: i32) {\n    let (e, t) = for k in lo..hi carry (v = g) collect (i32) { next v + x[k], " +
           slice + " }\n    yield t\n  }\n  z[0] = last\n  parallel i in 0..N { y[i] = s[i] }\n}\n";
  };
  Verdicts v = check_kir(sums("g + p", "v + x[k]"));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_TRUE(check_kir(sums("select(p == 77777777, g, g + p)", "v + x[k]")).fails(ObligationKind::segment_independence));
  EXPECT_TRUE(check_kir(sums("g * 2 + p", "v + x[k]")).fails(ObligationKind::segment_independence));
}

}  // namespace
}  // namespace kir::test
