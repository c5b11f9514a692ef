// Reductions over active members, choices of an extreme member, scans.
#include <cmath>

#include "core/interp/oracle.h"
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;

// One f32 input x[N] and one f32 output s[].
Words reduced(const std::string& rhs, Words x) {
  auto k = parse_kernel("kernel k(x: in f32[N], s: out f32[]) { let r: f32 = " + rhs + "\n s[] = r }");
  Arguments a;
  a.tensor("x", DType::f32, {static_cast<std::int64_t>(x.size())}, x).tensor("s", DType::f32, {});
  run_well(k, a);
  return a.elements("s");
}

// shows: K7.2 K7.12
TEST(ReduceWhere, OnlyActiveMembersAreMappedAndCombined) {
  const char* positive = "reduce add order(strict) over n in 0..N where x[n] > 0.0 { x[n] }";
  EXPECT_EQ(reduced(positive, {"1", "-2", "3", "nan", "-inf"}), Words{"4.0"});
  EXPECT_EQ(reduced(positive, {"-1"}), Words{"0.0"});
  EXPECT_EQ(reduced(positive, {}), Words{"0.0"});
  // A member that is not active is not even mapped: there is no x[n + 1] after the last.
  EXPECT_EQ(reduced("reduce add order(any) over n in 0..N where n + 1 < N { x[n] * x[n + 1] }", {"2", "3", "5"}),
            Words{"21.0"});
  // NaN is ignored by its own predicate, infinities take part.
  EXPECT_EQ(reduced("reduce max.nan order(any) over n in 0..N where x[n] == x[n] { x[n] }", {"nan", "-inf", "nan"}),
            Words{"-inf"});
  EXPECT_EQ(reduced("reduce min.num order(any) over n in 0..N where x[n] == x[n] { x[n] }", {"0.0", "-0.0", "nan"}),
            Words{"-0.0"});
}

// shows: K7.12
TEST(ReduceWhere, NoActiveMemberGivesInitElseTheIdentityElseAnError) {
  const std::string fold =
      "reduce (n in 0..N) where { yield n < 0 } map { x[n] } combine order(tree) (a: f32, b: f32) { a + b }";
  EXPECT_EQ(reduced(fold + " identity (-0.0) init (7.0)", {"1", "2"}), Words{"7.0"});
  EXPECT_EQ(reduced(fold + " identity (-0.0)", {"1", "2"}), Words{"-0.0"});
  auto k = parse_kernel(
      "kernel k(x: in f32[M, N], s: out f32[M]) { parallel m in 0..M { let r: f32 = reduce (n in 0..N) where { "
      "yield x[m, n] > 0.0 } map { x[m, n] } combine order(tree) (a: f32, b: f32) { a + b }\n s[m] = r } }");
  Arguments a;
  a.tensor("x", DType::f32, {2, 2}, {"1", "-1", "-2", "-3"}).tensor("s", DType::f32, {2});
  run_badly(k, a, RuntimeErrorKind::empty_reduction, {"without active members", "m = 1"});
}

TEST(ReduceWhere, AStrictFoldKeepsTheOrderOfWhatIsLeft) {
  // 2^24 + 1 is 2^24 in f32, so the order shows.
  const char* kept = "reduce add order(strict) over n in 0..N where x[n] != 5.0 { x[n] }";
  EXPECT_EQ(reduced(kept, {"16777216", "5", "1", "5", "1"}), Words{"16777216.0"});
  EXPECT_EQ(reduced(kept, {"1", "5", "1", "5", "16777216"}), Words{"16777218.0"});
}

TEST(ReduceWhere, AnArbitraryPredicateIsErroneousAndNamesItsMember) {
  auto k = parse_kernel(
      "kernel k(x: in i1[N], s: out i32[]) { let r = reduce add order(any) over n in 0..4 where (load x[n] where n < N) "
      "{ i32(1) }  s[] = r }");
  Arguments a;
  a.tensor("x", DType::i1, {2}, {"true", "true"}).tensor("s", DType::i32, {});
  run_badly(k, a, RuntimeErrorKind::arbitrary_value, {"predicate of member n = 2"});
}

TEST(ReduceWhere, PhysicalProgramsHaveItToo) {
  auto p = parse_program(R"(program k
abi {
  x: view f32[N] in
  s: view f32[] out
  dims N: i64
}
launch { threads 1 grid G = O0 + L0 }
space {
  g: (m in 0..1) length L0 = 1 offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g(%m = %w - O0)
  else -> exit
}
group g (%m: i64 in 0..1) {
  %z: f32 = constant 0.0
  %r: f32 = reduce (%n: i32 in 0..N) where {
    %v: f32 = load x[%n]
    %p: i1 = cmp.ogt %v, %z
    yield %p
  } map {
    %v: f32 = load x[%n]
    yield %v
  } combine order(any) (%a: f32, %b: f32) {
    %c: f32 = add %a, %b
    yield %c
  } init (%z)
  store s[] = %r
})");
  Arguments a;
  a.tensor("x", DType::f32, {4}, {"1", "-2", "3", "nan"}).tensor("s", DType::f32, {});
  run_well(p, a);
  EXPECT_EQ(a.elements("s"), Words{"4.0"});
}

// A two-dimensional choice; the results are the value and the coordinates.
Words chosen(const std::string& head, DType t, std::vector<std::int64_t> shape, Words x, const std::string& rest = "") {
  const std::string type(name(t));
  auto k = parse_kernel("kernel k(x: in " + type + "[M, N], v: out " + type +
                        "[], i: out i64[], j: out i64[]) { let (a, b, c) = arg_reduce " + head + " over m in 0..M, n in 0..N " +
                        (rest.starts_with("where") ? rest.substr(0, rest.find('|')) : "") + " { x[m, n] } " +
                        (rest.find('|') == std::string::npos ? "" : rest.substr(rest.find('|') + 1)) +
                        "  v[] = a  i[] = to_i64(b)  j[] = to_i64(c) }");
  Arguments a;
  a.tensor("x", t, shape, x).tensor("v", t, {}).tensor("i", DType::i64, {}).tensor("j", DType::i64, {});
  run_well(k, a);
  return {a.elements("v")[0], a.elements("i")[0], a.elements("j")[0]};
}

// Ties go by the domain's order, row-major.
TEST(ArgReduce, GivesTheMembersCoordinates) {
  const Words x = {"1", "7", "3", "7", "0", "7"};
  EXPECT_EQ(chosen("max tie(first) nan(first)", DType::f32, {2, 3}, x), (Words{"7.0", "0", "1"}));
  EXPECT_EQ(chosen("max tie(last) nan(first)", DType::f32, {2, 3}, x), (Words{"7.0", "1", "2"}));
  EXPECT_EQ(chosen("min tie(last) nan(first)", DType::f32, {2, 3}, x), (Words{"0.0", "1", "1"}));
  EXPECT_EQ(chosen("max tie(first) nan(first)", DType::f32, {3, 2}, x, "where n == 0 |"), (Words{"3.0", "1", "0"}));
}

TEST(ArgReduce, ZerosTieAndTheWinnersBitsAreKept) {
  EXPECT_EQ(chosen("max tie(first) nan(first)", DType::f32, {1, 3}, {"-0.0", "0.0", "-1"}), (Words{"-0.0", "0", "0"}));
  EXPECT_EQ(chosen("max tie(last) nan(first)", DType::f32, {1, 3}, {"-0.0", "0.0", "-1"}), (Words{"0.0", "0", "1"}));
  EXPECT_EQ(chosen("min tie(last) nan(last)", DType::f32, {1, 3}, {"nan(0xffc00001)", "-inf", "nan(0x7fc00002)"}),
            (Words{"nan(0x7fc00002)", "0", "2"}));
  EXPECT_EQ(chosen("min tie(last) nan(first)", DType::f32, {1, 3}, {"nan(0xffc00001)", "-inf", "nan(0x7fc00002)"}),
            (Words{"nan(0xffc00001)", "0", "0"}));
}

TEST(ArgReduce, IntegersAreSignedSaveTruthValuesAndU64) {
  EXPECT_EQ(chosen("max tie(first) nan(first)", DType::i8, {1, 3}, {"-1", "127", "-128"}), (Words{"127", "0", "1"}));
  EXPECT_EQ(chosen("max tie(first) nan(first)", DType::i1, {1, 3}, {"false", "true", "true"}), (Words{"true", "0", "1"}));
  EXPECT_EQ(chosen("max tie(first) nan(first)", DType::u64, {1, 2}, {"1", "18446744073709551615"})[2], "1");
}

// init stands before the first member, and may be a value with any coordinates.
TEST(ArgReduce, InitTakesPartFirst) {
  auto with = [](Words x, const char* init, const char* rule = "tie(first) nan(ignore)") {
    return chosen(std::string("max ") + rule, DType::f32, {1, static_cast<std::int64_t>(x.size())}, x,
                  std::string("|init (") + init + ")");
  };
  EXPECT_EQ(with({}, "2.0, 8, 9"), (Words{"2.0", "8", "9"}));
  EXPECT_EQ(with({"1", "2"}, "2.0, 8, 9"), (Words{"2.0", "8", "9"}));
  EXPECT_EQ(with({"1", "2"}, "2.0, 8, 9", "tie(last) nan(ignore)"), (Words{"2.0", "0", "1"}));
  EXPECT_EQ(with({"1", "3"}, "2.0, 8, 9"), (Words{"3.0", "0", "1"}));
  EXPECT_EQ(with({"nan"}, "2.0, 8, 9"), (Words{"2.0", "8", "9"}));
  EXPECT_EQ(with({"nan"}, "nan, 8, 9"), (Words{"nan", "8", "9"}));
  EXPECT_EQ(with({"-inf"}, "nan, 8, 9"), (Words{"-inf", "0", "0"}));
}

TEST(ArgReduce, NothingToChooseFromIsErroneous) {
  auto k = parse_kernel(
      "kernel k(x: in f32[N], i: out i64[]) { let (v, a) = arg_reduce max tie(first) nan(first) over n in 0..N where "
      "x[n] > 0.0 { x[n] }  i[] = to_i64(a) }");
  for (Words x : {Words{}, Words{"-1", "nan"}}) {
    Arguments a;
    a.tensor("x", DType::f32, {static_cast<std::int64_t>(x.size())}, x).tensor("i", DType::i64, {});
    run_badly(k, a, RuntimeErrorKind::empty_reduction, {x.empty() ? "without members" : "without active members"});
  }
}

// Scans of x[A..N] to the tensor y[N - A] and the final state s[].
Words scanned(const std::string& head, Words x, std::int64_t from = 0, const std::string& type = "f32") {
  auto k = parse_kernel("kernel k(x: in " + type + "[N], y: out " + type + "[L], s: out " + type +
                        "[], A: index) where 0 <= A, A <= N { let (p: " + type + "[N - A], last: " + type + ") = scan " + head +
                        "\n parallel n in 0..L { y[n] = p[n] }  s[] = last }");
  const DType t = *dtype_from_name(type);
  const std::int64_t n = static_cast<std::int64_t>(x.size());
  Arguments a;
  a.tensor("x", t, {n}, x).tensor("y", t, {n - from}).tensor("s", t, {}).symbol("A", from);
  run_well(k, a);
  Words out = a.elements("y");
  out.push_back(a.elements("s")[0]);
  return out;
}

const std::string kCombine = " map { x[n] } combine order(strict) (a: f32, b: f32) { a + b }";

// shows: K7.3
TEST(Scan, DirectionsInclusionAndFinalStates) {
  const Words x = {"1", "2", "4", "8"};
  EXPECT_EQ(scanned("inclusive forward (n in A..N)" + kCombine, x), (Words{"1.0", "3.0", "7.0", "15.0", "15.0"}));
  EXPECT_EQ(scanned("inclusive reverse (n in A..N)" + kCombine, x), (Words{"15.0", "14.0", "12.0", "8.0", "15.0"}));
  EXPECT_EQ(scanned("exclusive forward (n in A..N)" + kCombine + " init (100.0)", x),
            (Words{"100.0", "101.0", "103.0", "107.0", "115.0"}));
  EXPECT_EQ(scanned("exclusive reverse (n in A..N)" + kCombine + " identity (-0.0)", x),
            (Words{"14.0", "12.0", "8.0", "-0.0", "15.0"}));
  EXPECT_EQ(scanned("inclusive forward (n in A..N)" + kCombine + " init (100.0)", x),
            (Words{"101.0", "103.0", "107.0", "115.0", "115.0"}));
  // Elements are numbered from 0, wherever the domain begins.
  EXPECT_EQ(scanned("inclusive forward (n in A..N)" + kCombine, x, 2), (Words{"4.0", "12.0", "12.0"}));
}

TEST(Scan, StrictOrderRoundsAfterEachMember) {
  // NumPy: np.cumsum(np.array([2**24, 1, 1, -2**24], np.float32)), and of the flipped array.
  EXPECT_EQ(scanned("inclusive forward (n in A..N)" + kCombine, {"16777216", "1", "1", "-16777216"}),
            (Words{"16777216.0", "16777216.0", "16777216.0", "0.0", "0.0"}));
  EXPECT_EQ(scanned("inclusive reverse (n in A..N)" + kCombine, {"16777216", "1", "1", "-16777216"}),
            (Words{"2.0", "-16777214.0", "-16777215.0", "-16777216.0", "2.0"}));
  EXPECT_EQ(scanned("inclusive forward (n in A..N)" + kCombine, {"-0.0", "-0.0", "inf", "-inf", "1"}),
            (Words{"-0.0", "-0.0", "inf", "nan", "nan", "nan"}));
}

TEST(Scan, NoMembers) {
  EXPECT_EQ(scanned("inclusive forward (n in A..N)" + kCombine + " identity (-0.0)", {}), Words{"-0.0"});
  EXPECT_EQ(scanned("exclusive forward (n in A..N)" + kCombine + " identity (-0.0) init (3.0)", {}), Words{"3.0"});
  EXPECT_EQ(scanned("add exclusive forward order(any) over n in A..N { x[n] }", {}), Words{"0.0"});
  EXPECT_EQ(scanned("max.nan inclusive forward order(any) over n in A..N { x[n] }", {}), Words{"-inf"});
  auto k = parse_kernel("kernel k(x: in f32[N], s: out f32[]) { let (p, last) = scan inclusive forward (n in 0..N)" + kCombine +
                        "  s[] = last }");
  Arguments a;
  a.tensor("x", DType::f32, {0}).tensor("s", DType::f32, {});
  run_badly(k, a, RuntimeErrorKind::empty_reduction, {"a scan without members"});
}

TEST(Scan, ShortForms) {
  EXPECT_EQ(scanned("mul inclusive forward order(strict) over n in A..N { x[n] }", {"2", "3", "0.5"}),
            (Words{"2.0", "6.0", "3.0", "3.0"}));
  EXPECT_EQ(scanned("max.num inclusive reverse order(tree) over n in A..N { x[n] }", {"nan", "3", "1", "nan"}),
            (Words{"3.0", "3.0", "1.0", "nan", "3.0"}));
  EXPECT_EQ(scanned("min.s exclusive forward order(any) over n in A..N { x[n] }", {"2", "-3", "7"}, 0, "i8"),
            (Words{"127", "2", "-3", "-3"}));
}

TEST(Scan, RunsOverSeveralAxesInRowMajorOrder) {
  auto k = parse_kernel(R"(kernel k(x: in i32[M, N], y: out i32[M, N]) {
    let (p: i32[M, N], last) = scan add inclusive reverse order(tree) over m in 0..M, n in 0..N { x[m, n] }
    parallel m in 0..M, n in 0..N { y[m, n] = p[m, n] }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {2, 3}, {"1", "2", "3", "4", "5", "6"}).tensor("y", DType::i32, {2, 3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"21", "20", "18", "15", "11", "6"}));
}

// The result is a value: it may be carried, seen through relations, and does not follow later stores.
TEST(Scan, ResultsAreTensors) {
  auto k = parse_kernel(R"(kernel k(x: inout i32[N], y: out i32[N]) {
    let (p, last) = scan add inclusive forward order(any) over n in 0..N { x[n] }
    let q = view p[N - 1 - i] for (i in 0..N)
    for n in 0..N { x[n] = i32(0) }
    parallel n in 0..N { y[n] = q[n] }
  })");
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"1", "2", "3"}).tensor("y", DType::i32, {3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"6", "3", "1"}));
}

TEST(Scan, ErrorsNameTheMember) {
  auto k = parse_kernel(
      "kernel k(x: in i32[N], y: out i32[]) { let (p, last) = scan inclusive forward (n in 0..N) map { x[n] } combine "
      "order(strict) (a: i32, b: i32) { divt(a, b) }  y[] = last }");
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"6", "2", "0"}).tensor("y", DType::i32, {});
  run_badly(k, a, RuntimeErrorKind::division, {"divt 3 by zero", "n = 2"});
}

TEST(ArgReduce, PhysicalProgramsHaveItToo) {
  auto p = parse_program(R"(program k
abi {
  x: view f32[N] in
  i: view i32[] out
  dims N: i64
}
launch { threads 1 grid G = O0 + L0 }
space {
  g: (m in 0..1) length L0 = 1 offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g(%m = %w - O0)
  else -> exit
}
group g (%m: i64 in 0..1) {
  (%v: f32, %at: i32) = arg_reduce max tie(last) nan(ignore) (%n: i32 in 0..N) map {
    %u: f32 = load x[%n]
    yield %u
  }
  store i[] = %at
})");
  Arguments a;
  a.tensor("x", DType::f32, {5}, {"1", "7", "nan", "7", "-inf"}).tensor("i", DType::i32, {});
  run_well(p, a);
  EXPECT_EQ(a.elements("i"), Words{"3"});
  Arguments none;
  none.tensor("x", DType::f32, {1}, {"nan"}).tensor("i", DType::i32, {});
  run_badly(p, none, RuntimeErrorKind::empty_reduction, {"arg_reduce without active members"});
}

// The oracle's radii of the view `y`, or none when the kernel has one answer.
std::vector<double> radii(const std::string& text, const Arguments& a) {
  auto k = parse_kernel(text);
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, d);
  Reference r = interpret_reference(*k, *launch);
  EXPECT_TRUE(r.result.ok());
  for (std::size_t i = 0; i < k->abi.views.size() && !r.exact; ++i)
    if (k->abi.views[i].name == "y") return r.radius[i];
  return {};
}

TEST(FoldBounds, PrefixesOfALicensedScanHaveRadiiOfTheirOwn) {
  auto kernel = [](const char* rhs) {
    return std::string("kernel k(x: in f32[N], y: out f32[N]) { let (p, last) = scan ") + rhs +
           "  parallel n in 0..N { y[n] = p[n] } }";
  };
  auto on = [](Words x) {
    Arguments a;
    a.tensor("x", DType::f32, {static_cast<std::int64_t>(x.size())}, x)
        .tensor("y", DType::f32, {static_cast<std::int64_t>(x.size())});
    return a;
  };
  EXPECT_TRUE(radii(kernel("add inclusive forward order(strict) over n in 0..N { x[n] }"), on({"0.1", "0.2"})).empty());
  EXPECT_TRUE(radii(kernel("max.nan inclusive forward order(any) over n in 0..N { x[n] }"), on({"0.1", "0.2"})).empty());
  const std::string sum = kernel("add inclusive forward order(any) over n in 0..N { x[n] }");
  EXPECT_EQ(radii(sum, on({"1", "2", "3"})), (std::vector<double>{0, 0, 0}));
  const std::vector<double> r = radii(sum, on({"0.5", "0.1", "0.3", "100"}));
  EXPECT_EQ(r[0], 0);  // 0 + 0.5 has one result
  EXPECT_GT(r[1], 0);
  EXPECT_GT(r[3], r[2]);
  EXPECT_LT(r[2], 1e-6);
  const std::vector<double> back =
      radii(kernel("add exclusive reverse order(any) over n in 0..N { x[n] }"), on({"0.5", "0.1", "0.3", "100"}));
  EXPECT_EQ(back[3], 0);
  EXPECT_GT(back[0], 0);
  // A combine of the author's own is sampled.
  const std::string pairs =
      "(n in 0..N) map { yield x[n], x[n] } combine order(tree) (a: f32, b: f32, c: f32, d: f32) { yield c * a, c * b + d }";
  const std::string affine = "kernel k(x: in f32[N], y: out f32[N]) { let (p, q, s, t) = scan inclusive forward " + pairs +
                             "  parallel n in 0..N { y[n] = q[n] } }";
  const std::vector<double> sampled = radii(affine, on({"0.3", "0.7", "1.1", "0.9", "1.3"}));
  EXPECT_EQ(sampled[0], 0);
  EXPECT_GT(sampled[4], 0);
  EXPECT_LT(sampled[4], 1e-4);
}

// Scans in other bracketings stay within the radius.
TEST(FoldBounds, OtherOrdersOfAScanStayWithinTheRadius) {
  auto k = parse_kernel(
      "kernel k(x: in f32[N], y: out f32[N]) { let (p, last) = scan add inclusive forward order(tree) over n in 0..N { "
      "x[n] }  parallel n in 0..N { y[n] = p[n] } }");
  for (std::uint64_t seed = 1; seed < 20; seed += 2) {
    Arguments a;
    a.random("x", DType::f32, {200}, seed).tensor("y", DType::f32, {200});
    Diagnostics d;
    std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, d);
    Reference r = interpret_reference(*k, *launch);
    ASSERT_TRUE(r.result.ok());
    for (std::size_t block : {2, 16, 50}) {
      float before = 0, within = 0;
      for (std::size_t n = 0; n < 200; ++n) {
        const float x = static_cast<float>(a.args.views["x"]->load(static_cast<std::int64_t>(n)).as_double());
        within = n % block == 0 ? x : within + x;
        const float sum = before + within;
        const double reference = a.args.views["y"]->load(static_cast<std::int64_t>(n)).as_double();
        EXPECT_LE(std::fabs(static_cast<double>(sum) - reference), r.radius[1][n]);
        if (n % block == block - 1) before = sum;
      }
    }
  }
}

TEST(FoldBounds, AChoiceAmongValuesThatOverlapIsNotDecided) {
  const std::string text =
      "kernel k(x: in f32[N], y: out f32[], i: out i64[]) { let (v, at) = arg_reduce max tie(first) nan(first) over n in 0..N "
      "{ exp(x[n]) } "
      " y[] = v  i[] = to_i64(at) }";
  auto reference = [&](Words x) {
    auto k = parse_kernel(text);
    Arguments a;
    a.tensor("x", DType::f32, {static_cast<std::int64_t>(x.size())}, x).tensor("y", DType::f32, {}).tensor("i", DType::i64, {});
    Diagnostics d;
    std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, d);
    Reference r = interpret_reference(*k, *launch);
    EXPECT_TRUE(r.result.ok());
    return std::pair(r.radius[1][0], r.radius[2][0]);
  };
  EXPECT_GT(reference({"0.0", "1.0"}).first, 0);
  EXPECT_EQ(reference({"0.0", "1.0"}).second, 0);
  EXPECT_TRUE(std::isinf(reference({"1.0", "1.0"}).second));
  EXPECT_TRUE(std::isinf(reference({"1.0", "0.99999994"}).second));
  // Whether there is a number at all may be open too.
  auto lost = parse_kernel(
      "kernel k(x: in f32[N], i: out i64[]) { let (v, at) = arg_reduce max tie(first) nan(ignore) over n in 0..N { exp(x[n]) * "
      "f32(0.0) } "
      "i[] = to_i64(at) }");
  Arguments a;
  a.tensor("x", DType::f32, {1}, {"88.8"}).tensor("i", DType::i64, {});
  Diagnostics d;
  EXPECT_TRUE(interpret_reference(*lost, *bind_launch(lost->abi, a.args, d)).undecided);
}

}  // namespace
}  // namespace kir
