// Faults that other compilers had with indices, integers, conversions, random numbers and shapes, with their right values.
// Where the wrong value has a form in KIR it is computed too, so that each test tells the fault from the right meaning.
#include <set>

#include "core/index/simplify.h"
#include "core/numeric/philox.h"
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;

Words numbers(std::initializer_list<std::int64_t> list) {
  Words out;
  for (std::int64_t v : list) out.push_back(std::to_string(v));
  return out;
}

// An index narrower than the logical domain.
// shows: K1.3
TEST(Faults, BR01_IndicesAreNotOfThirtyTwoBits) {
  auto twin = parse_kernel(R"(kernel twin(c: out i64[N]) {
    parallel i in 0..N { c[i] = to_i64((i floordiv 10) mod 8) }
  })");
  Arguments a;
  a.tensor("c", DType::i64, {200});
  run_well(twin, a);
  const Words c = a.elements("c");
  EXPECT_EQ(c[127], "4");
  EXPECT_EQ(c[130], "5");
  EXPECT_EQ(c[199], "3");
  std::int64_t sum = 0;
  for (const std::string& w : c) sum += std::stoll(w);
  EXPECT_EQ(sum, 620);
  auto k = parse_kernel(R"(kernel k(a: in f32[N], m: in f32[64], out_: out f32[N]) {
    parallel i in 0..N { out_[i] = a[i] - m[(i floordiv 12544) mod 64] }
  })");
  const std::int64_t probe = 2147483653;
  const ValueId i = k->body.region(k->body.op(k->body.region(k->root).ops[0]).regions[0]).args[0];
  SparseLaunch launch{.symbols = {{"N", 3288334336}}};
  launch.cells = {{{probe, Scalar::of_f32(5)}}, {{60, Scalar::of_f32(3)}}};
  ReplayResult r = interpret_instances(*k, launch, {{i, {probe}}});
  ASSERT_FALSE(r.error) << r.error->message;
  EXPECT_EQ(r.written[2], (std::map<std::int64_t, Scalar>{{probe, Scalar::of_f32(2)}}));
}

// A product distributed across a widening.
TEST(Faults, BR02_AProductIsNotDistributedAcrossAWidening) {
  auto k = parse_kernel(R"(kernel k(y: out i64[20], z: out i64[20]) {
    parallel x in 0..20 {
      let v = to_i32(x)
      let b: i32 = 134217728
      if x >= 16 {
        y[x] = to_i64(b * (v - 16))
        z[x] = to_i64(b * v) + to_i64(-b * 16)
      }
    }
  })");
  Arguments a;
  a.tensor("y", DType::i64, {20}).tensor("z", DType::i64, {20});
  run_well(k, a);
  const Words y = a.elements("y"), z = a.elements("z");
  EXPECT_EQ(y[16], "0");
  EXPECT_EQ(y[17], "134217728");
  EXPECT_EQ(y[19], "402653184");
  EXPECT_EQ(z[17], "-4160749568");  // the rewrite is another program
}

// A valid program refused since an extent times a stride leaves 32 bits.
TEST(Faults, BR03_OnlyAddressesCount) {
  auto k = parse_kernel("kernel k(A: in f32[2000000000], O: out f32[4]) { parallel i in 0..4 { O[i] = A[i * 600000000] } }");
  SparseLaunch launch;
  launch.cells = {{{0, Scalar::of_f32(1)},
                   {600000000, Scalar::of_f32(2)},
                   {1200000000, Scalar::of_f32(3)},
                   {1800000000, Scalar::of_f32(4)}}};
  ReplayResult r = interpret_instances(*k, launch, {});
  ASSERT_FALSE(r.error) << r.error->message;
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(r.written[1].at(i), Scalar::of_f32(static_cast<float>(i + 1)));
}

// A counter derived from the physical instead of the logical position.
// shows: K1.5
TEST(Faults, BR23_ADrawIsAFunctionOfTheLogicalMember) {
  auto k = parse_kernel(R"(kernel k(y: out i32[4, 4], seed: u64) {
    let low = to_i32(seed)
    let high = to_i32(shrl(seed, 32))
    parallel c in 0..4, t in 0..4 {
      let e = c + 64 * t
      let (a, b, d, f) = philox4x32_10(low, high, to_i32(e), 0, 0, 0)
      y[c, t] = a
    }
  })");
  for (std::uint64_t order : {0u, 1u, 7u}) {
    Arguments a;
    a.tensor("y", DType::i32, {4, 4}).scalar("seed", DType::u64, "81985529216486895");  // 0x0123456789abcdef
    run_well(k, a, {.order_seed = order});
    const Words y = a.elements("y");
    EXPECT_EQ(std::set<std::string>(y.begin(), y.end()).size(), 16u);
    for (std::uint32_t c = 0; c < 4; ++c)
      for (std::uint32_t t = 0; t < 4; ++t)
        EXPECT_EQ(y[4 * c + t], literal_text({DType::i32, philox4x32_10({0x89abcdef, 0x01234567}, {c + 64 * t, 0, 0, 0})[0]}));
  }
}

// The rounding of a division left to the provider.
TEST(Faults, BR24_EachDivisionSaysHowItRounds) {
  auto k = parse_kernel(R"(kernel k(a: in i32[5], b: in i32[5], q: out i32[5], r: out i32[5], s: out i32[5], t: out i32[5]) {
    parallel i in 0..5 {
      q[i] = divf(a[i], b[i])
      r[i] = remf(a[i], b[i])
      s[i] = divt(a[i], b[i])
      t[i] = remt(a[i], b[i])
    }
  })");
  Arguments a;
  a.tensor("a", DType::i32, {5}, numbers({-7, 7, -7, 7, -8})).tensor("b", DType::i32, {5}, numbers({2, -2, -2, 2, 2}));
  for (const char* out : {"q", "r", "s", "t"}) a.tensor(out, DType::i32, {5});
  run_well(k, a);
  EXPECT_EQ(a.elements("q"), numbers({-4, -4, 3, 3, -4}));
  EXPECT_EQ(a.elements("r"), numbers({1, -1, -1, 1, 0}));
  EXPECT_EQ(a.elements("s"), numbers({-3, -3, 3, 3, -4}));
  EXPECT_EQ(a.elements("t"), numbers({-1, 1, -1, 1, 0}));
  for (auto [x, y] : {std::pair("5", "0"), std::pair("-2147483648", "-1")}) {
    Arguments bad;
    bad.tensor("a", DType::i32, {5}, {"1", x, "1", "1", "1"}).tensor("b", DType::i32, {5}, {"1", y, "1", "1", "1"});
    for (const char* out : {"q", "r", "s", "t"}) bad.tensor(out, DType::i32, {5});
    run_badly(k, bad, RuntimeErrorKind::division, {"i = 1"});
  }
}

// A remainder of a remainder folded without its side condition.
TEST(Faults, BR25_ARemainderOfARemainderIsNotFolded) {
  auto k = parse_kernel(R"(kernel k(b: in i32[4], c: out i32[2, 10]) {
    parallel x in 0..20 { c[x floordiv 10, x mod 10] = b[(x mod 10) mod 4] }
  })");
  Arguments a;
  a.tensor("b", DType::i32, {4}, numbers({0, 1, 2, 3})).tensor("c", DType::i32, {2, 10});
  run_well(k, a);
  EXPECT_EQ(a.elements("c"), numbers({0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1}));
  ExprPool pool;
  const Expr x = pool.symbol("x");
  for (auto [n, m] : {std::pair(10, 4), std::pair(12, 4), std::pair(7, 3)}) {
    const Expr e = simplify(mod(mod(x, pool.constant(n)), pool.constant(m)));
    for (std::int64_t v = -25; v < 25; ++v)
      EXPECT_EQ(evaluate(e, [&](Expr) { return std::optional<Integer>(v); }).value, (((v % n) + n) % n) % m) << v;
  }
}

// A shift narrowed with its amount out of the narrow domain.
TEST(Faults, BR26_ShiftsKeepTheirWidth) {
  auto k = parse_kernel(R"(kernel k(v: in i64[N], a: in i64[N], y: out i64[N]) {
    parallel i in 0..N { y[i] = shra(v[i], and(a[i], 63)) }
  })");
  Arguments a;
  a.tensor("v", DType::i64, {6}, numbers({4, 4, -8, -8, std::int64_t{1} << 40, std::int64_t{1} << 40}))
      .tensor("a", DType::i64, {6}, numbers({31, 32, 32, 63, 32, 40}))
      .tensor("y", DType::i64, {6});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), numbers({0, 0, -1, -1, 256, 1}));
}

// A product of variables that defeats solvers: the condition of t is never true, so both sides are equal.
TEST(Faults, BR45_AShiftedProductUnderADeadBranch) {
  auto kernel = [](const std::string& t) {
    return parse_kernel("kernel k(y: in " + t + "[N], n: in " + t + "[N], source: out " + t + "[N], target: out " + t +
                        R"([N]) {
      parallel i in 0..N {
        let a = y[i]
        let c = n[i]
        source[i] = shl(a, 1) * c
        let p = a * c
        let same = select(a == c, )" +
                        t + "(1), " + t + R"((0))
        let below = select(cmp.ult(same, a), )" +
                        t + "(1), " + t + R"((0))
        let b = p > below
        let dead = cmp.ugt(select(b, )" +
                        t + "(3), " + t + "(0)), select(b, " + t + "(-1), " + t + R"((1)))
        target[i] = shl(p - select(dead, c, )" +
                        t + R"((0)), 1)
      }
    })");
  };
  auto check = [&](DType t, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) {
    const std::int64_t n = static_cast<std::int64_t>(pairs.size());
    Arguments a;
    for (const char* view : {"y", "n", "source", "target"}) a.tensor(view, t, {n});
    for (std::int64_t i = 0; i < n; ++i) {
      a.args.views["y"]->store(i, {t, pairs[static_cast<std::size_t>(i)].first});
      a.args.views["n"]->store(i, {t, pairs[static_cast<std::size_t>(i)].second});
    }
    run_well(kernel(std::string(name(t))), a);
    const std::uint64_t mask = (std::uint64_t{1} << bit_width(t)) - 1;
    int wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [y, c] = pairs[static_cast<std::size_t>(i)];
      const Scalar right{t, 2 * y * c & mask};
      wrong += a.args.views["source"]->load(i) != right || a.args.views["target"]->load(i) != right ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0) << name(t);
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> every, some;
  for (std::uint64_t y = 0; y < 256; ++y)
    for (std::uint64_t c = 0; c < 256; ++c) {
      every.emplace_back(y, c);
      if (y % 16 < 2 && c % 16 < 2) some.emplace_back(y << 8 | y, c << 8 | (c ^ 0xff));
    }
  for (std::uint64_t edge : {0x0u, 0x1u, 0x2u, 0x7fffu, 0x8000u, 0x8001u, 0xfffeu, 0xffffu})
    for (std::uint64_t other : {0x0u, 0x1u, 0x3u, 0x7fffu, 0x8000u, 0xffffu}) some.emplace_back(edge, other);
  check(DType::i8, every);
  check(DType::i16, some);
}

// A bool is not a narrow integer.
TEST(Faults, BR27_TruthIsOneByteThatIsZeroOrOne) {
  auto k = parse_kernel(R"(kernel k(ones: in i32[N], flag: out i1[1]) {
    let c = reduce add order(any) over n in 0..N { ones[n] }
    flag[0] = to_i1(c)
  })");
  for (auto [n, truth] : {std::pair(0, 0), std::pair(1, 1), std::pair(255, 1), std::pair(256, 1), std::pair(512, 1)}) {
    Arguments a;
    a.tensor("ones", DType::i32, {n}, Words(static_cast<std::size_t>(n), "1")).tensor("flag", DType::i1, {1});
    run_well(k, a);
    EXPECT_EQ(std::to_integer<int>(a.args.views["flag"]->bytes[0]), truth) << n;
  }
  // A byte that is neither is true when it is read, and is written as 1.
  auto copy = parse_kernel("kernel copy(x: in i1[2], y: out i1[2]) { parallel i in 0..2 { y[i] = x[i] } }");
  Arguments a;
  a.tensor("x", DType::i1, {2}).tensor("y", DType::i1, {2});
  a.args.views["x"]->bytes[0] = std::byte{255};
  run_well(copy, a);
  EXPECT_EQ(std::to_integer<int>(a.args.views["y"]->bytes[0]), 1);
  EXPECT_EQ(std::to_integer<int>(a.args.views["y"]->bytes[1]), 0);
}

// Overflow into a narrow float.
TEST(Faults, BR28_OverflowIntoF8IsAModeOfTheConversion) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], y: out f8e4m3[N], z: out f8e4m3[N]) {
    parallel i in 0..N {
      let v = x[i]
      let a: f8e4m3 = convert.rn v
      let b: f8e4m3 = convert.sat_rn v
      y[i] = a
      z[i] = b
    }
  })");
  struct Row {
    const char* x;
    int plain, saturating;
  };
  const Row rows[] = {{"448.0", 0x7e, 0x7e},   {"464.0", 0x7e, 0x7e},  {"465.0", 0x7f, 0x7e}, {"1000.0", 0x7f, 0x7e},
                      {"-1000.0", 0xff, 0xfe}, {"inf", 0x7f, 0x7e},    {"nan", 0x7f, 0x7f},   {"0.001953125", 0x01, 0x01},
                      {"0.0009765625", 0, 0},  {"0.0029296875", 2, 2}, {"-0.0", 0x80, 0x80}};
  Words x;
  for (const Row& r : rows) x.push_back(r.x);
  Arguments a;
  const std::int64_t n = static_cast<std::int64_t>(x.size());
  a.tensor("x", DType::f32, {n}, x).tensor("y", DType::f8e4m3, {n}).tensor("z", DType::f8e4m3, {n});
  run_well(k, a);
  for (std::size_t i = 0; i < x.size(); ++i) {
    // A NaN result is the one of sign 0: where the table has FF for an overflow, KIR has 7F.
    const int plain = rows[i].plain == 0xff ? 0x7f : rows[i].plain;
    EXPECT_EQ(std::to_integer<int>(a.args.views["y"]->bytes[i]), plain) << x[i];
    EXPECT_EQ(std::to_integer<int>(a.args.views["z"]->bytes[i]), rows[i].saturating) << x[i];
  }
}

// Contraction to a fused multiply-add.
TEST(Faults, BR30_ProductsAreRoundedBeforeTheyAreSubtracted) {
  auto k = parse_kernel(R"(kernel k(x: in f32[1], y: out f32[3]) {
    let a = x[0]
    let p = a * a
    let d = a * a - p
    y[0] = p
    y[1] = select(d == 0.0, 1.0, 0.0)
    y[2] = fma(a, a, -p)
  })");
  Arguments a;
  a.tensor("x", DType::f32, {1}, {"1.000244140625"}).tensor("y", DType::f32, {3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"1.0004883", "1.0", literal_text(Scalar::of_f32(0x1p-24f))}));
}

// A predicate weakened in a converting store.
TEST(Faults, BR33_InactiveMembersAreLeftAlone) {
  auto k = parse_kernel(R"(kernel k(a: in i32[8], y: inout i8[8]) {
    parallel i in 0..8 {
      if i mod 2 == 0 { y[i] = to_i8(a[i]) where i < 6 }
    }
  })");
  Arguments a;
  a.tensor("a", DType::i32, {8}, numbers({0, 10, 20, 30, 40, 50, 60, 70})).tensor("y", DType::i8, {8}, Words(8, "9"));
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), numbers({0, 9, 20, 9, 40, 9, 9, 9}));
}

// A divisibility that holds for some bases only.
TEST(Faults, BR37_RowStartsAreWhatTheirExpressionSays) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], y: out f32[32, 16]) {
    parallel r0 in 0..32, c in 0..16 {
      let r: index = index r0 mod ite(r0 floordiv 16 == 0, 2, 4)
      y[r0, c] = x[r + c]
    }
  })");
  Words x;
  for (int i = 0; i < 19; ++i) x.push_back(std::to_string(i));
  Arguments a;
  a.tensor("x", DType::f32, {19}, x).tensor("y", DType::f32, {32, 16});
  run_well(k, a);
  const Words y = a.elements("y");
  EXPECT_EQ(y[17 * 16], "1.0");
  EXPECT_EQ(y[19 * 16 + 15], "18.0");
  EXPECT_EQ(y[15 * 16], "1.0");
  EXPECT_EQ(y[30 * 16], "2.0");
}

// Layout metadata stored in too few bits.
TEST(Faults, BR42_StaticExtentsAtThePowersOfTwo) {
  auto source = std::make_shared<SourceFile>("test.kir", R"(kir 1
kernel k<D: i32 in {127, 128, 255, 256, 32767, 32768}>(a: in f32[2, D], c: out f32[2, D]) {
  parallel i in 0..2, j in 0..D { c[i, j] = a[i, j] + 1.0 }
})");
  Diagnostics d;
  std::optional<Module> m = parse_kir(source, d);
  ASSERT_TRUE(m) << d.render(*source);
  ASSERT_EQ(m->kernels.size(), 6u);
  for (const auto& k : m->kernels) {
    const std::int64_t n = std::get<std::int64_t>(k->constexprs[0].value);
    Arguments a;
    a.tensor("a", DType::f32, {2, n}).tensor("c", DType::f32, {2, n});
    Tensor& x = *a.args.views["a"];
    for (std::int64_t i = 0; i < 2; ++i)
      for (std::int64_t j = 0; j < n; ++j) x.store(i * n + j, Scalar::of_f32(static_cast<float>(100 * i + j)));
    run_well(k, a);
    EXPECT_EQ(a.args.views["c"]->load(2 * n - 1), Scalar::of_f32(static_cast<float>(100 + n))) << n;
    EXPECT_EQ(a.args.views["c"]->load(n - 1), Scalar::of_f32(static_cast<float>(n))) << n;
  }
}

// A row that is loaded, reduced and written back.
TEST(Faults, BR43_ARowIsReducedAndWrittenInPlace) {
  auto k = parse_kernel(R"(kernel k(x: inout f32[M, N]) {
    parallel m in 0..M {
      let s = reduce add order(any) over n in 0..N { x[m, n] }
      parallel n in 0..N { x[m, n] = x[m, n] * s }
    }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {1, 3}, {"1", "2", "3"});
  run_well(k, a);
  EXPECT_EQ(a.elements("x"), (Words{"6.0", "12.0", "18.0"}));
}

}  // namespace
}  // namespace kir
