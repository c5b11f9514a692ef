// Public faults of peers in reductions, choices, scans and contractions, with their right values.
#include <algorithm>
#include <cstdint>

#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;

Words counting(int from, int to) {
  Words out;
  for (int k = from; k <= to; ++k) out.push_back(std::to_string(k) + ".0");
  return out;
}

// shows: K7.2
TEST(Faults, BR11_EveryMemberEntersAReductionOnceWhateverTheExtent) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], s: out f32[], m: out f32[]) {
    let total = reduce add order(any) over n in 0..N { x[n] }
    let peak = reduce max.nan order(any) over n in 0..N { x[n] }
    s[] = total
    m[] = peak
  })");
  for (int n : {0, 1, 2, 3, 31, 33, 48, 63, 65, 1000}) {
    Arguments a;
    a.tensor("x", DType::f32, {n}, counting(1, n)).tensor("s", DType::f32, {}).tensor("m", DType::f32, {});
    run_well(k, a);
    EXPECT_EQ(a.elements("s"), Words{literal_text(Scalar::of_f32(static_cast<float>(n * (n + 1) / 2)))});
    EXPECT_EQ(a.elements("m"), Words{n == 0 ? "-inf" : std::to_string(n) + ".0"});
  }
  Arguments a;
  a.tensor("x", DType::f32, {48}, counting(0, 47)).tensor("s", DType::f32, {}).tensor("m", DType::f32, {});
  run_well(k, a);
  EXPECT_EQ(a.elements("m"), Words{"47.0"});
}

// shows: K7.12
TEST(Faults, BR12_TakingTheLastNeedsNoIdentity) {
  // "The last one wins" has no two-sided identity: without one the ordered reduction is right, and an empty one is erroneous.
  // An identity given for it is refuted: corpus/must-reject/last_wins_identity.kir.
  auto k = parse_kernel(R"(kernel k(g: inout i32[5], R: index) where R >= 0, R <= 5 {
    for r in 0..R {
      g[r] = to_i32(17 * r + 8)
    }
  })");
  Arguments a;
  a.tensor("g", DType::i32, {5}, {"4", "4", "4", "4", "4"}).symbol("R", 3);
  run_well(k, a);
  EXPECT_EQ(a.elements("g"), (Words{"8", "25", "42", "4", "4"}));
  auto last = parse_kernel(R"(kernel k(x: in i32[N], y: out i32[]) {
    let v: i32 = reduce (n in 0..N) map { x[n] } combine order(tree) (a: i32, b: i32) { yield b }
    y[] = v
  })");
  Arguments some, none;
  some.tensor("x", DType::i32, {3}, {"8", "25", "42"}).tensor("y", DType::i32, {});
  run_well(last, some);
  EXPECT_EQ(some.elements("y"), Words{"42"});
  none.tensor("x", DType::i32, {0}).tensor("y", DType::i32, {});
  run_badly(last, none, RuntimeErrorKind::empty_reduction, {"neither an initial value nor an identity"});
}

// shows: K7.12
TEST(Faults, BR13_TiesAndNansOfAnArgReduceAreExplicit) {
  struct Row {
    Words x;
    int cells[4];  // tie first nan first, tie first nan ignore, tie last nan last, tie last nan ignore; -1: nothing to choose
                   // from
  };
  const Row rows[] = {{{"2", "5", "5", "1"}, {1, 1, 2, 2}},
                      {{"nan", "6", "8"}, {0, 2, 0, 2}},
                      {{"inf", "nan"}, {1, 0, 1, 0}},
                      {{"6", "nan", "8", "nan"}, {1, 2, 3, 2}},
                      {{"nan", "nan"}, {0, -1, 1, -1}}};
  const char* rules[] = {"tie(first) nan(first)", "tie(first) nan(ignore)", "tie(last) nan(last)", "tie(last) nan(ignore)"};
  for (int rule = 0; rule < 4; ++rule) {
    auto k = parse_kernel(std::string("kernel k(x: in f32[N], y: out i64[]) { let (v, i) = arg_reduce max ") + rules[rule] +
                          " over n in 0..N { x[n] }  y[] = to_i64(i) }");
    for (const Row& row : rows) {
      Arguments a;
      a.tensor("x", DType::f32, {static_cast<std::int64_t>(row.x.size())}, row.x).tensor("y", DType::i64, {});
      if (row.cells[rule] < 0) {
        run_badly(k, a, RuntimeErrorKind::empty_reduction, {"arg_reduce", "no initial value"});
        continue;
      }
      run_well(k, a);
      EXPECT_EQ(a.elements("y"), Words{std::to_string(row.cells[rule])}) << rules[rule] << " of " << row.x[0] << ", ...";
    }
  }
}

std::string affine(const char* direction, const char* order) {
  return std::string(
             "kernel k(f: in i32[N], x: in i32[N], F: out i32[N], X: out i32[N]) {\n"
             "  let (p, q, last, state) = scan inclusive ") +
         direction +
         " (n in 0..N) map { yield f[n], x[n] }\n"
         "    combine order(" +
         order +
         ") (f1: i32, x1: i32, f2: i32, x2: i32) { yield f2 * f1, f2 * x1 + x2 }\n"
         "  parallel n in 0..N { F[n] = p[n]  X[n] = q[n] }\n}";
}

// shows: K7.3
TEST(Faults, BR15_ACombineThatDoesNotCommuteKeepsItsOperandOrder) {
  auto k = parse_kernel(affine("forward", "tree"));
  Arguments a;
  a.tensor("f", DType::i32, {3}, {"2", "3", "4"}).tensor("x", DType::i32, {3}, {"1", "1", "1"});
  a.tensor("F", DType::i32, {3}).tensor("X", DType::i32, {3});
  run_well(k, a);
  EXPECT_EQ(a.elements("F"), (Words{"2", "6", "24"}));
  EXPECT_EQ(a.elements("X"), (Words{"1", "4", "17"}));
  for (std::int64_t n : {128, 129}) {
    Arguments b;
    b.random("f", DType::i32, {n}, 3).random("x", DType::i32, {n}, 5).tensor("F", DType::i32, {n}).tensor("X", DType::i32, {n});
    run_well(k, b);
    std::uint32_t state = 0, factor = 1;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t f = static_cast<std::uint32_t>(b.args.views["f"]->load(i).bits);
      const std::uint32_t x = static_cast<std::uint32_t>(b.args.views["x"]->load(i).bits);
      factor = f * factor;
      state = f * state + x;
      EXPECT_EQ(b.args.views["F"]->load(i).bits, factor);
      EXPECT_EQ(b.args.views["X"]->load(i).bits, state);
    }
  }
}

// shows: K7.3
TEST(Faults, BR16_AReverseScanIsTheFlippedScanOfTheFlippedMembers) {
  // Definition 1: flip, scan, flip. The left operand is the earlier member of the traversal.
  Arguments a;
  a.tensor("f", DType::i32, {3}, {"2", "3", "4"}).tensor("x", DType::i32, {3}, {"1", "1", "1"});
  a.tensor("F", DType::i32, {3}).tensor("X", DType::i32, {3});
  run_well(parse_kernel(affine("reverse", "tree")), a);
  EXPECT_EQ(a.elements("F"), (Words{"24", "12", "4"}));
  EXPECT_EQ(a.elements("X"), (Words{"9", "4", "1"}));
}

// shows: K7.3
TEST(Faults, BR17_AStrictScanGivesTheOrderedRecurrence) {
  auto k = parse_kernel(R"(kernel k(v: in f32[N], y: out f32[N]) {
    let (s, last) = scan inclusive forward (n in 0..N) map { v[n] } combine order(strict) (a: f32, b: f32) { a * f32(0.5) + b }
    parallel n in 0..N { y[n] = s[n] }
  })");
  Arguments a;
  a.tensor("v", DType::f32, {4}, {"1", "2", "3", "4"}).tensor("y", DType::f32, {4});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"1.0", "2.5", "4.25", "6.125"}));
  // order(tree) for this combine is refuted: corpus/must-reject/discounted_sum_licence.kir.
  // Lifted to pairs the combine is associative, and any bracketing gives these values.
  auto lifted = parse_kernel(R"(kernel k(v: in f32[N], y: out f32[N]) {
    let (p, s, a, b) = scan inclusive forward (n in 0..N) map { yield f32(0.5), v[n] }
      combine order(tree) (p1: f32, s1: f32, p2: f32, s2: f32) { yield p2 * p1, p2 * s1 + s2 }
    parallel n in 0..N { y[n] = s[n] }
  })");
  Arguments b;
  b.tensor("v", DType::f32, {4}, {"1", "2", "3", "4"}).tensor("y", DType::f32, {4});
  run_well(lifted, b);
  EXPECT_EQ(b.elements("y"), (Words{"1.0", "2.5", "4.25", "6.125"}));
}

// shows: K7.3
TEST(Faults, BR18_AnExclusiveScanEndsBeforeItsMember) {
  auto kernel = [](const char* inclusion) {
    return parse_kernel(std::string("kernel k(x: in i32[N], y: out i32[N], t: out i32[]) { let (s, last) = scan add ") +
                        inclusion +
                        " forward order(any) over n in 0..N { x[n] }  parallel n in 0..N { y[n] = s[n] }  t[] = last }");
  };
  auto run_on = [](const auto& k, Words x) {
    Arguments a;
    const std::int64_t n = static_cast<std::int64_t>(x.size());
    a.tensor("x", DType::i32, {n}, x).tensor("y", DType::i32, {n}).tensor("t", DType::i32, {});
    run_well(k, a);
    Words out = a.elements("y");
    out.push_back(a.elements("t")[0]);  // the final state
    return out;
  };
  auto exclusive = kernel("exclusive"), inclusive = kernel("inclusive");
  EXPECT_EQ(run_on(exclusive, {"3", "1", "4", "1", "5", "9"}), (Words{"0", "3", "4", "8", "9", "14", "23"}));
  EXPECT_EQ(run_on(inclusive, {"3", "1", "4", "1", "5", "9"}), (Words{"3", "4", "8", "9", "14", "23", "23"}));
  EXPECT_EQ(run_on(exclusive, {"7"}), (Words{"0", "7"}));
  EXPECT_EQ(run_on(exclusive, {}), Words{"0"});
}

// shows: K7.12
TEST(Faults, BR29_TheAccumulatorHasTheTypeThatTheReductionSays) {
  for (auto [type, count, wanted] :
       {std::tuple<const char*, int, const char*>{"bf16", 300, "300.0"}, {"f16", 3000, "3000.0"}}) {
    const DType t = *dtype_from_name(type);
    auto k =
        parse_kernel(std::string("kernel k(x: in ") + type + "[N], y: out " + type +
                     "[], z: out f32[]) { let s = reduce add order(any) over n in 0..N { to_f32(x[n]) }  y[] = to_" + type +
                     "(s)  let c: f32[] = contract free( | ) paired(n in 0..N) lhs { x[n] } rhs { x[n] } product exact "
                     "accumulate f32 order(any) init (0.0)  z[] = c[] }");
    Arguments a;
    a.tensor("x", t, {count}, Words(static_cast<std::size_t>(count), "1")).tensor("y", t, {}).tensor("z", DType::f32, {});
    run_well(k, a);
    EXPECT_EQ(a.elements("z"), Words{wanted});
    EXPECT_EQ(a.args.views["y"]->load(0), *parse_literal(wanted, t));
    // An accumulator of the elements' type is another kernel: it gets stuck where a step is half a unit.
    auto stuck = parse_kernel(std::string("kernel k(x: in ") + type + "[N], y: out " + type +
                              "[]) { y[] = reduce add order(strict) over n in 0..N { x[n] } }");
    Arguments b;
    b.tensor("x", t, {count}, Words(static_cast<std::size_t>(count), "1")).tensor("y", t, {});
    run_well(stuck, b);
    EXPECT_EQ(b.args.views["y"]->load(0), *parse_literal(t == DType::bf16 ? "256.0" : "2048.0", t));
  }
}

// shows: K7.12
TEST(Faults, BR41_InactiveLanesReachNoConsumer) {
  // A masked member takes part in nothing: each consumer has its own active members, and no fill is needed.
  auto k = parse_kernel(R"(kernel k(x: in f32[N], s: out f32[], m: out f32[], i: out i64[]) where N <= 8 {
    let total = reduce add order(any) over k in 0..8 where k < N { x[k] }
    let (least, at) = arg_reduce min tie(first) nan(first) over k in 0..8 where k < N { x[k] }
    s[] = total
    m[] = least
    i[] = to_i64(at)
  })");
  Arguments a;
  a.tensor("x", DType::f32, {5}, {"4", "3", "6", "5", "7"}).tensor("s", DType::f32, {}).tensor("m", DType::f32, {});
  a.tensor("i", DType::i64, {});
  run_well(k, a);
  EXPECT_EQ(a.elements("s"), Words{"25.0"});
  EXPECT_EQ(a.elements("m"), Words{"3.0"});
  EXPECT_EQ(a.elements("i"), Words{"1"});
  // One tile for two consumers, with a fill for each: 0 for the sum, +inf for the minimum.
  auto filled = parse_kernel(R"(kernel k(x: in f32[N], s: out f32[], i: out i64[]) where N <= 8 {
    let zeros = tensor (k in 0..8) { load x[k] where k < N fill 0.0 }
    let tops = tensor (k in 0..8) { load x[k] where k < N fill inf }
    let total = reduce add order(any) over k in 0..8 { zeros[k] }
    let (least, at) = arg_reduce min tie(first) nan(first) over k in 0..8 { tops[k] }
    s[] = total
    i[] = to_i64(at)
  })");
  Arguments b;
  b.tensor("x", DType::f32, {5}, {"4", "3", "6", "5", "7"}).tensor("s", DType::f32, {}).tensor("i", DType::i64, {});
  run_well(filled, b);
  EXPECT_EQ(b.elements("s"), Words{"25.0"});
  EXPECT_EQ(b.elements("i"), Words{"1"});
  // Without a fill the lanes are arbitrary, and so is what is chosen among them.
  auto unfilled = parse_kernel(R"(kernel k(x: in f32[N], i: out i64[]) where N <= 8 {
    let tile = tensor (k in 0..8) { load x[k] where k < N }
    let (least, at) = arg_reduce min tie(first) nan(first) over k in 0..8 { tile[k] }
    i[] = to_i64(at)
  })");
  Arguments c;
  c.tensor("x", DType::f32, {5}, {"4", "3", "6", "5", "7"}).tensor("i", DType::i64, {});
  run_badly(unfilled, c, RuntimeErrorKind::arbitrary_value, {"stored value"});
}

}  // namespace
}  // namespace kir
