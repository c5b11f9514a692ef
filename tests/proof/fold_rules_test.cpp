// Members left out, choices, random words and contractions against programs written by hand, each beside neighbours that are
// not the kernel.
#include <algorithm>

#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

using proof::ObligationKind;
using proof::Verdict;

// A program with one instance for each row.
std::string rows(const std::string& views, const std::string& dims, const std::string& body) {
  return one_group("k", views + "\n  dims " + dims, body);
}

const char* kMatrix = "  x: view f32[M, N] strides(N, 1) in align 4\n  y: view f32[M] strides(1) out align 4";
const char* kDims = "M: i64, N: i64";

void accepts(const std::string& kir, const std::string& pir) {
  Verdicts v = check_refinement(kir, pir);
  EXPECT_TRUE(v.all_proved()) << v.failures << pir;
}
void refuses(const std::string& kir, const std::string& pir) { EXPECT_FALSE(check_refinement(kir, pir).all_proved()) << pir; }

const char* kMasked = R"(kir 1
kernel k(x: in f32[M, N], y: out f32[M]) {
  parallel m in 0..M {
    y[m] = reduce add order(strict) over n in 0..N where x[m, n] > 0.0 { x[m, n] }
  }
}
)";

std::string masked(const std::string& where, const std::string& order = "strict") {
  return rows(kMatrix, kDims,
              R"(
  %z: f32 = constant 0.0
  %s: f32 = reduce (%n: i64 in 0..N) )" +
                  where + R"( map { %e: f32 = load x[%m, %n]  yield %e }
    combine order()" +
                  order + R"() (%a: f32, %b: f32) { %r: f32 = add %a, %b  yield %r } identity (-0.0) init (%z)
  store y[%m] = %s)");
}

// shows: K7.12 K9.14
TEST(FoldRules, MembersAreThoseOfThePredicate) {
  accepts(kMasked, masked("where { %e: f32 = load x[%m, %n]  %c: i1 = cmp.ogt %e, %z  yield %c }"));
  refuses(kMasked, masked(""));
  refuses(kMasked, masked("where { %e: f32 = load x[%m, %n]  %c: i1 = cmp.oge %e, %z  yield %c }"));
  refuses(kMasked, masked("where { %e: f32 = load x[%m, %n]  %c: i1 = cmp.ole %e, %z  yield %c }"));
  refuses(kMasked, masked("where { %e: f32 = load x[%m, %n]  %c: i1 = cmp.ogt %e, %z  yield %c }", "any"));
  // The same as a loop that skips the others, and one that does not.
  auto loop =
      [](const char* chosen) {
        return rows(kMatrix, kDims, std::string(R"(
  %z: f32 = constant 0.0
  %s: f32 = for %n: i64 in 0..N carry (%a: f32 = %z) {
    %e: f32 = load x[%m, %n]
    %c: i1 = cmp.ogt %e, %z
    %t: f32 = add %a, %e
    %r: f32 = select %c, )") + chosen + "\n    next %r\n  }\n  store y[%m] = %s");
      };
  accepts(kMasked, loop("%t, %a"));
  refuses(kMasked, loop("%a, %t"));
}

// A neutral leaf may change which NaN a fold gives: a kernel that tells them apart is proven up to that.
TEST(FoldRules, WhichNaNAFoldGivesIsLeftOpen) {
  auto assumes = [](const std::string& body) {
    proof::Ledger ledger;
    proof::derive_kir(
        *kernel("kir 1\nkernel k(x: in f32[N], y: inout f32[1], w: inout i32[1]) where N >= 1 {\n  let c = reduce (n "
                "in 0..N) map { x[n] } combine order(strict) (a: f32, b: f32) { yield a + b }\n" +
                body + "}\n"),
        ledger);
    return std::ranges::any_of(ledger.assumptions,
                               [](const proof::Assumption& a) { return a.text.find("which NaN") != std::string::npos; });
  };
  EXPECT_FALSE(assumes("  y[0] = c\n"));
  EXPECT_TRUE(assumes("  let bits: i32 = convert.bits c\n  w[0] = bits\n"));
  EXPECT_TRUE(assumes("  atomic_cas y[0], c, 1.0 order(relaxed, relaxed)\n"));
  EXPECT_FALSE(assumes("  atomic_cas w[0], 0, 1 order(relaxed, relaxed)\n"));
}

TEST(FoldRules, AFoldOverNoMemberIsNotSafe) {
  const char* text = R"(kir 1
kernel k(x: in f32[M, N], y: out f32[M]) where N >= 1 {
  parallel m in 0..M {
    let v = reduce (n in 0..N) where { yield n >= 2 } map { yield x[m, n] } combine order(strict) (a: f32, b: f32) { yield a + b }
    y[m] = v
  }
}
)";
  EXPECT_TRUE(check_kir(text).fails(ObligationKind::kir_safe));
  EXPECT_TRUE(check_kir(replaced(text, "N >= 1", "N >= 3")).all_proved());
  EXPECT_TRUE(check_kir(replaced(text, "n >= 2", "n < 1")).all_proved());
}

const char* kChoice = R"(kir 1
kernel k(x: in f32[M, N], y: out f32[M], at: out i64[M]) where N >= 1 {
  parallel m in 0..M {
    let (v, n) = arg_reduce max tie(first) nan(first) over n in 0..N { x[m, n] }
    y[m] = v
    at[m] = to_i64(n)
  }
}
)";
const char* kChoiceViews =
    "  x: view f32[M, N] strides(N, 1) in align 4\n  y: view f32[M] strides(1) out align 4\n  at: view i64[M] strides(1) out "
    "align 8";

std::string choice(const std::string& rules, const std::string& range = "0..N") {
  return rows(kChoiceViews, kDims,
              "(%v: f32, %n: i64) = arg_reduce " + rules + " (%k: i64 in " + range +
                  ") map { %e: f32 = load x[%m, %k]  yield %e }\n  store y[%m] = %v\n  store at[%m] = %n");
}

// shows: K7.12
TEST(FoldRules, AChoiceKeepsItsRules) {
  accepts(kChoice, choice("max tie(first) nan(first)"));
  refuses(kChoice, choice("max tie(last) nan(first)"));
  refuses(kChoice, choice("max tie(first) nan(last)"));
  refuses(kChoice, choice("max tie(first) nan(ignore)"));
  refuses(kChoice, choice("min tie(first) nan(first)"));
  refuses(kChoice, choice("max tie(first) nan(first)", "1..N"));
}

// A loop that carries the best value and where it stands.
std::string scan_for(const std::string& wins, const std::string& from = "1") {
  return rows(kChoiceViews, kDims,
              R"(
  %zero: i64 = constant 0
  %first: f32 = load x[%m, %zero]
  (%v: f32, %n: i64) = for %k: i64 in )" +
                  from + R"(..N carry (%best: f32 = %first, %at: i64 = %zero) {
    %e: f32 = load x[%m, %k]
    %g: i1 = cmp.ogt %e, %best
    %ge: i1 = cmp.oge %e, %best
    %u: i1 = cmp.uno %e, %e
    %o: i1 = cmp.ord %best, %best
    %b: i1 = and %u, %o
    %c: i1 = or )" +
                  wins + R"(, %b
    %nv: f32 = select %c, %e, %best
    %na: i64 = select %c, %k, %at
    next %nv, %na
  }
  store y[%m] = %v
  store at[%m] = %n)");
}

TEST(FoldRules, ALoopWithTheBestSoFarIsAChoice) {
  accepts(kChoice, scan_for("%g"));
  refuses(kChoice, scan_for("%ge"));
  refuses(kChoice, scan_for("%u"));
  refuses(kChoice, scan_for("%g", "2"));
}

const char* kWords = R"(kir 1
kernel k(y: out i32[M], seed: i32) {
  parallel m in 0..M {
    let (a, b, c, d) = philox4x32_10(seed, 0, to_i32(m), 0, 0, 0)
    y[m] = b
  }
}
)";

TEST(FoldRules, RandomWordsAreThoseOfTheCounter) {
  auto words = [](const char* operands, const char* word) {
    return rows(
        "  y: view i32[M] strides(1) out align 4\n  seed: i32", "M: i64",
        std::string(
            "%z: i32 = constant 0\n  %i: i32 = convert.wrap %m\n  (%a: i32, %b: i32, %c: i32, %d: i32) = philox4x32_10 ") +
            operands + "\n  store y[%m] = " + word);
  };
  accepts(kWords, words("%seed, %z, %i, %z, %z, %z", "%b"));
  refuses(kWords, words("%seed, %z, %i, %z, %z, %z", "%a"));
  refuses(kWords, words("%z, %seed, %i, %z, %z, %z", "%b"));
  refuses(kWords, words("%seed, %z, %z, %i, %z, %z", "%b"));
}

const char* kProduct = R"(kir 1
kernel k(x: in f16[M, N], w: in f16[N], y: out f32[M]) {
  let p = contract free(m in 0..M | ) paired(n in 0..N) lhs { x[m, n] } rhs { w[n] } product exact accumulate f32 order(ORDER) init (0.0)
  parallel m in 0..M { y[m] = p[m] }
}
)";
const char* kProductViews =
    "  x: view f16[M, N] strides(N, 1) in align 2\n  w: view f16[N] strides(1) in align 2\n  y: view f32[M] strides(1) out "
    "align 4";

std::string product(const std::string& order) { return replaced(kProduct, "ORDER", order); }

std::string contracted(const std::string& tail, const std::string& right = "w[%n]") {
  return rows(kProductViews, kDims,
              "%z: f32 = constant 0.0\n  %v: f32 = contract batch() free( | ) paired(%n: i64 in 0..N) lhs { %a: f16 "
              "= load x[%m, %n]  yield %a } rhs { %b: f16 = load " +
                  right + "  yield %b } product " + tail + "\n  store y[%m] = %v");
}

// shows: K7.6
TEST(FoldRules, AContractionKeepsItsProductAndLicence) {
  accepts(product("any"), contracted("exact accumulate f32 order(any) init (%z)"));
  accepts(product("any"), contracted("exact accumulate f32 order(strict) init (%z)"));
  refuses(product("strict"), contracted("exact accumulate f32 order(any) init (%z)"));
  refuses(product("tree"), contracted("exact accumulate f32 order(any) init (%z)"));
  refuses(product("any"), contracted("exact accumulate f32 order(any) init (%z)", "w[%m]"));
  // An error of matrix units must be licensed, and by as much.
  refuses(product("any"), contracted("exact accumulate f32 order(any) unit(1e-06) init (%z)"));
  accepts(product("any) unit(1e-06"), contracted("exact accumulate f32 order(any) unit(1e-06) init (%z)"));
  refuses(product("any) unit(1e-07"), contracted("exact accumulate f32 order(any) unit(1e-06) init (%z)"));
  accepts(product("any) unit(1e-06"), contracted("exact accumulate f32 order(any) init (%z)"));
  // A product that is rounded by itself is another one; a wrong initial value too.
  refuses(product("any"),
          contracted(
              "(%p: f16, %q: f16) { %s: f32 = convert.rn %p  %t: f32 = convert.rn %q  %r: f32 = mul %s, %t  yield %r } combine "
              "order(any) (%s: f32, %t: f32) { %r: f32 = add %s, %t  yield %r } init (%z)"));
  refuses(product("any"), contracted("exact accumulate f32 order(any) identity (-0.0)"));
}

std::string chain(const std::string& step) {
  return rows(kProductViews, kDims, R"(
  %z: f32 = constant 0.0
  %v: f32 = for %n: i64 in 0..N carry (%s: f32 = %z) {
    %a: f16 = load x[%m, %n]
    %b: f16 = load w[%n]
    %p: f32 = convert.rn %a
    %q: f32 = convert.rn %b
    )" + step + "\n    next %r\n  }\n  store y[%m] = %v");
}

TEST(FoldRules, AChainOfFusedMultiplyAddsIsAContraction) {
  accepts(product("strict"), chain("%r: f32 = fma %p, %q, %s"));
  accepts(product("any"), chain("%r: f32 = fma %p, %q, %s"));
  refuses(product("strict"), chain("%t: f32 = mul %p, %q\n    %r: f32 = add %s, %t"));
  refuses(product("strict"), chain("%r: f32 = fma %p, %p, %s"));
}

// One evaluation, one value: two elements of one contraction that the program may round differently are not the kernel's.
TEST(FoldRules, AnElementThatIsReadTwiceHasOneValue) {
  const std::string twice = replaced(replaced(product("any"), "y: out f32[M]", "y: out f32[M], z: out f32[M]"), "y[m] = p[m]",
                                     "y[m] = p[m]\n z[m] = p[m]");
  auto both = [](const std::string& order, const std::string& second) {
    const std::string views = std::string(kProductViews) + "\n  z: view f32[M] strides(1) out align 4";
    auto element = [&](const std::string& name) {
      return "%" + name +
             ": f32 = contract batch() free( | ) paired(%n: i64 in 0..N) lhs { %a: f16 = load x[%m, %n]  yield %a } rhs { "
             "%b: f16 = load w[%n]  yield %b } product exact accumulate f32 order(" +
             order + ") init (%c)\n  ";
    };
    return rows(views, kDims,
                "%c: f32 = constant 0.0\n  " + element("v") + (second == "%v" ? "" : element("u")) +
                    "store y[%m] = %v\n  store z[%m] = " + second);
  };
  accepts(twice, both("any", "%v"));
  accepts(twice, both("strict", "%u"));
  refuses(twice, both("any", "%u"));
}

// An initial value that is chosen by data is taken by its cases; one that is neutral is left out on both sides.
// shows: K7.12
TEST(FoldRules, AChosenInitialValueIsTakenByItsCases) {
  for (const char* order : {"strict", "any"})
    expect_only_undamaged(fmt::format(R"(kir 1
kernel k(x: in f32[4], z: in f32[N], y: out f32[N]) {{
  parallel p in 0..N {{
    let first = select z[p] > 0.0, x[0], -0.0
    y[p] = reduce (n in 0..4) map {{ x[n] }} combine order({}) (a: f32, b: f32) {{ yield a + b }} init (first)
  }}
}}
)",
                                      order),
                          {{"constant -0.0", "constant 0.0"},
                           {"constant -0.0", "constant 1.0"},
                           {"constant -0.0", "constant nan"},
                           {"cmp.ogt", "cmp.oge"},
                           {"index 0", "index 1"},
                           {"load z[%p]", "load z[0]"}});
  // The condition is a fold that the kernel licenses.
  expect_only_undamaged(R"(kir 1
kernel k(x: in f64[M, N], y: out f32[M], alpha: f32) {
  let s: f64 = reduce (n in 0..4) map { yield convert.sat_rn(alpha) }
    combine order(any) (a: f64, b: f64) { yield max.num(a, b) } identity (nan)
  parallel m in 0..M {
    let c: i1 = convert.to_bool s
    let first = select c, alpha, f32(2.0)
    y[m] = reduce (n in 0..N) map { let v: f32 = convert.rn x[m, n]
      yield v } combine order(strict) (a: f32, b: f32) { yield a + b } init (first)
  }
}
)",
                        {{"constant 2.0", "constant 3.0"}, {"select %c, %alpha, %t2", "select %c, %t2, %alpha"}});
}

// Where no member is there, what both sides left out is the value: it is there, and the same.
// shows: K7.12
TEST(FoldRules, ACaseThatIsLeftOutIsStillTheValueOfNothing) {
  const std::string kir = R"(kir 1
kernel k(x: in f32[M], w: in f32[N], z: in f32[N], y: out f32[N]) {
  parallel p in 0..N {
    let first = select z[p] > 0.0, w[p], -0.0
    y[p] = reduce (n in 0..M) map { x[n] } combine order(strict) (a: f32, b: f32) { yield a + b } init (first)
  }
}
)";
  const std::string good = constructed(kir), end = " init (%first)";
  const std::size_t begin = good.find("= reduce") + 2, last = good.find(end);
  ASSERT_LT(begin, last);
  const std::string fold = good.substr(begin, last - begin);
  auto by_branch = [&](const std::string& one, const std::string& other) {
    return good.substr(0, begin) + "if %t2 {\n %q: f32 = " + fold + one + "\n yield %q\n } else {\n %q: f32 = " + fold + other +
           "\n yield %q\n }" + good.substr(last + end.size());
  };
  for (const char* starts : {" init (%t4)", " identity (-0.0)"}) {
    const Verdicts v = check_refinement(kir, by_branch(" init (%t3)", starts));
    EXPECT_TRUE(v.all_proved()) << v.failures;
  }
  for (const char* starts : {"", " identity assumed (0.0)", " init (%t1)", " init (%t3)"})
    EXPECT_FALSE(check_refinement(kir, by_branch(" init (%t3)", starts)).all_proved()) << starts;
}

}  // namespace
}  // namespace kir::test
