// Values of data in conditions, integers and folds: what is proved, beside a neighbour that must not be.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

using proof::ObligationKind;

// A kernel y[i] = f(a, b, t, i) over one axis, with its natural program; `kir` and `pir` are the two bodies.
Verdicts pointwise(const std::string& kir, const std::string& pir, const std::string& t = "i32", const std::string& y = "i64") {
  return check_refinement(
      fmt::format("kir 1\nkernel k(t: in {0}[N], y: out {1}[N]) {{ parallel i in 0..N {{\n let a = t[i]\n{2}\n}} }}\n", t, y,
                  kir),
      fmt::format("pir 1\nprogram k implements \"k\"\nabi {{\n  t: view {0}[N] strides(1) in\n  y: view {1}[N] strides(1) out\n"
                  "  dims N: i64\n}}\nlaunch {{ threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }}\n"
                  "space {{\n  g: (i in 0..N) length L0 = N offset O0 = 0\n}}\n"
                  "dispatch %w: i64 = program_id {{\n  O0 <= %w < O0 + L0 -> g(%i = %w - O0)\n  else -> exit\n}}\n"
                  "group g (%i: i64 in 0..N) {{\n  %a: {0} = load t[%i]\n{2}\n}}\n",
                  t, y, pir));
}

TEST(DataValues, ASignExtensionOfNothingIsTheValue) {
  EXPECT_TRUE(pointwise("y[i] = to_i64(to_index(a))", "store y[%i] = %a", "i64").all_proved());
  EXPECT_FALSE(pointwise("y[i] = to_i64(to_index(a))", "%b: i64 = neg %a\nstore y[%i] = %b", "i64").all_proved());
  EXPECT_TRUE(pointwise("y[i] = to_i64(to_index(a))", "%b: i64 = convert.sint %a\nstore y[%i] = %b").all_proved());
  EXPECT_FALSE(pointwise("y[i] = to_i64(to_index(a))", "%b: i64 = convert.uint %a\nstore y[%i] = %b").all_proved());
}

TEST(DataValues, AnIndexMadeOfDataLiesInItsType) {
  EXPECT_TRUE(pointwise("y[i] = to_i64(to_index(a) + 1)", "%b: i64 = convert.sint %a\n%c: i64 = index %b + 1\nstore y[%i] = %c")
                  .all_proved());
  Verdicts wide = pointwise("y[i] = to_i64(to_index(a) + 1)", "%c: i64 = index %a + 1\nstore y[%i] = %c", "i64");
  EXPECT_TRUE(wide.fails(ObligationKind::index_no_overflow)) << wide.failures;
  Verdicts narrow =
      pointwise("y[i] = to_i64(to_index(a) + 1)", "%c: i32 = index %a + 1\n%d: i64 = convert.sint %c\nstore y[%i] = %d");
  EXPECT_TRUE(narrow.fails(ObligationKind::index_no_overflow)) << narrow.failures;
}

// A kernel says how wide an index becomes on its way; a program has it as 64 bits from the beginning.
TEST(DataValues, TheLowBitsOfAnIndexAreThoseOfItsExpression) {
  expect_only_undamaged(R"(kir 1
kernel narrowed(y: out i32[N], z: out i16[N]) {
  parallel p in 0..N {
    let a = to_i64(p)
    let b: i32 = convert.wrap a
    let c: i16 = convert.wrap b
    y[p] = neg(b)
    z[p] = c
  }
}
)",
                        {{"neg %b", "not %b"},
                         {"store z[%p] = %c", "%low: i8 = convert.wrap %b\n  %d: i16 = convert.sint %low\n  store z[%p] = %d"},
                         {"%c: i16 = convert.wrap %b", "%up: i64 = index %p + 1\n  %c: i16 = convert.wrap %up"}});
}

TEST(DataValues, LawsOfTruthValuesAreTriedAtEveryOperand) {
  auto fold = [](const std::string& combine) {
    return check_kir("kir 1\nkernel k(f: in i1[N], s: out i1[]) {\n s[] = reduce (n in 0..N) map { yield f[n] } combine " +
                     combine + "\n}\n");
  };
  EXPECT_TRUE(fold("order(any) (a: i1, b: i1) { yield and(a, b) } identity (true)").all_proved());
  EXPECT_TRUE(fold("order(any) (a: i1, b: i1) { yield not(xor(a, b)) } identity (true)").all_proved());
  Verdicts order = fold("order(tree) (a: i1, b: i1) { yield or(not(a), b) } identity assumed (true)");
  EXPECT_TRUE(order.fails(ObligationKind::combine_laws)) << order.failures;
  Verdicts identity = fold("order(any) (a: i1, b: i1) { yield or(a, b) } identity (true)");
  EXPECT_TRUE(identity.fails(ObligationKind::combine_laws)) << identity.failures;
  Verdicts commutes = fold("order(any) (a: i1, b: i1) { yield b } identity assumed (false)");
  EXPECT_TRUE(commutes.fails(ObligationKind::combine_laws)) << commutes.failures;
}

// An order of floats is the author's word about rounding: a combine that breaks its law where nothing is rounded is refuted.
// shows: K7.12
TEST(DataValues, ALicenceOfFloatsIsAboutRoundingOnly) {
  auto fold = [](const std::string& members, const std::string& combine) {
    return check_kir(
        "kir 1\nkernel k(x: in f32[N], n: in i64[N], s: out f32[]) {\n let z = f32(0.0)\n let o = f32(1.0)\n let p0 = "
        "i64(0)\n" +
        members + combine + "\n s[] = r\n}\n");
  };
  const std::string one = "let r: f32 = reduce (j in 0..N) map { yield x[j] } combine ",
                    two = "let (r: f32, t: f32) = reduce (j in 0..N) map { yield x[j], x[j] } combine ",
                    place = "let (r: f32, t: i64) = reduce (j in 0..N) map { yield x[j], n[j] } combine ";
  for (const char* order : {"tree", "any"}) {
    const std::string head = std::string("order(") + order + ") ", f2 = "(a: f32, b: f32) ";
    EXPECT_TRUE(fold(one, head + f2 + "{ yield a + b } init (z)").all_proved());
    EXPECT_TRUE(fold(one, head + f2 + "{ yield max.nan(a, b) } init (z)").all_proved());
    EXPECT_TRUE(fold(one, head + f2 + "{ yield fma(a, b, z) } init (z)").all_proved());
    for (const char* broken : {"a - b", "a * 0.5 + b", "a + b + 1.0 * a", "(a + b) * 0.5", "fma(a, b, b)", "a / b"}) {
      Verdicts v = fold(one, head + f2 + "{ yield " + broken + " } init (z)");
      EXPECT_TRUE(v.fails(ObligationKind::combine_laws)) << broken;
    }
  }
  // Affine maps compose, and do not commute.
  const std::string affine = "(p: f32, q: f32, v: f32, w: f32) { yield v * p, v * q + w } init (o, z)";
  EXPECT_TRUE(fold(two, "order(tree) " + affine).all_proved());
  EXPECT_TRUE(fold(two, "order(any) " + affine).fails(ObligationKind::combine_laws));
  EXPECT_TRUE(fold(two, "order(strict) " + affine).all_proved());
  // A choice with its place: which of equal members wins is no rounding.
  const std::string head = "(a: f32, i: i64, b: f32, j: i64) { let l = ",
                    tail = "\n yield select(l, b, a), select(l, j, i) } init (z, p0)";
  EXPECT_TRUE(fold(place, "order(tree) " + head + "b > a" + tail).all_proved());
  EXPECT_TRUE(fold(place, "order(any) " + head + "b > a" + tail).fails(ObligationKind::combine_laws));
  EXPECT_TRUE(fold(place, "order(any) " + head + "b > a or (b == a and j < i)" + tail).all_proved());
}

// A combine that works on each component alone has the laws that all of its operations have.
// shows: K7.12
TEST(DataValues, LawsOfComponentsThatDoNotMeetAreThoseOfTheirOperations) {
  auto fold = [](const std::string& combine) {
    return check_kir(
        "kir 1\nkernel k(n: in i64[N], s: out i64[2]) {\n let (a: i64, b: i64) = reduce (j in 0..N) map { yield n[j], n[j] } " +
        std::string("combine order(any) (p: i64, q: i64, v: i64, w: i64) { yield ") + combine +
        " } identity (0, -9223372036854775808)\n s[0] = a\n s[1] = b\n}\n");
  };
  EXPECT_TRUE(fold("p + v, max.s(q, w)").all_proved());
  EXPECT_TRUE(fold("p + w, max.s(q, w)").fails(ObligationKind::combine_laws));  // the first takes the second's element
  EXPECT_TRUE(fold("p - v, max.s(q, w)").fails(ObligationKind::combine_laws));
  EXPECT_TRUE(fold("p + v, max.s(p, w)").fails(ObligationKind::combine_laws));
}

// Sum of select(x > 0, x, masked) with initial value init; the program masks with a literal of its own.
Verdicts masked_sum(const std::string& init, const std::string& masked, const std::string& program_masked,
                    const std::string& order = "strict", const std::string& threshold = "0.0") {
  return check_refinement(
      fmt::format(
          "kir 1\nkernel k(x: in f32[M, N], y: out f32[M]) {{ parallel m in 0..M {{\n"
          " y[m] = reduce (n in 0..N) map {{ let v = x[m, n]\n yield select(v > 0.0, v, {1}) }} combine order({2}) (a: f32, "
          "b: f32) {{ yield a + b }} init (f32({0}))\n}} }}\n",
          init, masked, order),
      fmt::format(
          "pir 1\nprogram k implements \"k\"\nabi {{\n  x: view f32[M, N] strides(N, 1) in\n  y: view f32[M] strides(1) out\n"
          "  dims M: i64, N: i64\n}}\nlaunch {{ threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }}\n"
          "space {{\n  g: (m in 0..M) length L0 = M offset O0 = 0\n}}\n"
          "dispatch %w: i64 = program_id {{\n  O0 <= %w < O0 + L0 -> g(%m = %w - O0)\n  else -> exit\n}}\n"
          "group g (%m: i64 in 0..M) {{\n  %i: f32 = constant {0}\n  %z: f32 = constant {4}\n  %k: f32 = constant {1}\n"
          "  %s: f32 = reduce (%n: i64 in 0..N) map {{ %v: f32 = load x[%m, %n]\n %p: i1 = cmp.ogt %v, %z\n"
          " %t: f32 = select %p, %v, %k\n yield %t }} combine order({3}) (%a: f32, %b: f32) {{ %c: f32 = add %a, %b\n"
          " yield %c }} init (%i)\n  store y[%m] = %s\n}}\n",
          init, program_masked, order, order, threshold));
}

TEST(DataValues, MaskedMembersOfAFoldMayHoldTheInitialValue) {
  EXPECT_TRUE(masked_sum("0.0", "0.0", "0.0").all_proved());
  EXPECT_TRUE(masked_sum("0.0", "0.0", "-0.0").all_proved());  // neutral as well: no accumulator is -0
  EXPECT_FALSE(masked_sum("0.0", "0.0", "1.0").all_proved());
  EXPECT_FALSE(masked_sum("0.0", "1.0", "0.0").all_proved());
  EXPECT_FALSE(masked_sum("-0.0", "0.0", "-0.0").all_proved());  // over zeros: +0 against -0
  EXPECT_FALSE(masked_sum("-0.0", "-0.0", "0.0").all_proved());
  EXPECT_TRUE(masked_sum("1.0", "1.0", "1.0").all_proved());
  EXPECT_FALSE(masked_sum("1.0", "1.0", "-0.0").all_proved());
}

TEST(DataValues, ALicensedFoldMaySelectByData) {
  EXPECT_TRUE(masked_sum("0.0", "0.0", "0.0", "any").all_proved());
  EXPECT_TRUE(masked_sum("1.0", "3.0", "3.0", "tree").all_proved());
  EXPECT_FALSE(masked_sum("0.0", "0.0", "0.0", "any", "1.0").all_proved());
}

// Two axes written through one index of symbolic radix.
Verdicts radix(const std::string& element, const std::string& where = "G >= 0, K >= 1") {
  return check_refinement(
      fmt::format("kir 1\nkernel k(x: in f32[G * K], y: out f32[G * K], G: index, K: index) where {} {{\n"
                  " parallel g in 0..G, k in 0..K {{ y[g * K + k] = x[g * K + k] }}\n}}\n",
                  where),
      fmt::format(
          "pir 1\nprogram k implements \"k\"\nabi {{\n  x: view f32[G * K] strides(1) in\n  y: view f32[G * K] strides(1) "
          "out\n  G: index\n  K: index\n  dims G: i64, K: i64\n  where {0}\n}}\n"
          "launch {{ threads 1 pack 128 grid Q = ceildiv(O0 + L0, 128) }}\n"
          "space {{\n  g: (g in 0..G, k in 0..K) length L0 = max(0, G) * max(0, K) offset O0 = 0\n}}\n"
          "dispatch %w: i64 = program_id {{\n  O0 <= %w < O0 + L0 -> g(%g = (%w - O0) floordiv max(0, K), %k = (%w - O0) mod "
          "max(0, K))\n  else -> exit\n}}\n"
          "group g (%g: i64 in 0..G, %k: i64 in 0..K) {{\n  %e: i64 = index {1}\n  %v: f32 = load x[%e]\n  store y[%e] = "
          "%v\n}}\n",
          where, element));
}

TEST(DataValues, AStoreThroughASymbolicRadixIsPaired) {
  Verdicts good = radix("%g * K + %k");
  EXPECT_TRUE(good.all_proved()) << good.failures;
  EXPECT_FALSE(radix("%g * K").all_proved());
  EXPECT_FALSE(radix("%g + %k").all_proved());
}

// Of several data in one formula each is that of its own place, not of the first that could be it.
TEST(DataValues, EachOfSeveralInAFormulaHasItsOwnPartner) {
  expect_only_undamaged(R"(kir 1
kernel k(x: in i64[4], y: inout i1[4]) {
  parallel p in 0..4 {
    let v = x[p]
    let masked: i64 = load x[4 - 1 - p] where v > 5 fill 1
    let here: i64 = to_i64(p)
    y[p] = here != masked and v < 100
  }
}
)",
                        {{"constant 5", "constant 6"},
                         {"constant 1\n", "constant 2\n"},
                         {"constant 100", "constant 101"},
                         {"4 - 1 - %p", "%p"},
                         {"cmp.ne", "cmp.eq"}});
}

}  // namespace
}  // namespace kir::test
