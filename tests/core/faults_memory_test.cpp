// Faults that users of other systems have reported, as kernels of ours with the right values: memory effects.
#include "core/interp/oracle.h"
#include "tests/core/interp_support.h"
#include "tests/core/text_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

ValueId value_named(const Kernel& k, const std::string& name) {
  for (std::uint32_t i = 0; i < k.body.value_count(); ++i)
    if (k.body.value(ValueId(i)).name == name) return ValueId(i);
  return {};
}

// shows: K4.1
TEST(Faults, BR04_TheProductOfTwoExtentsDoesNotWrap) {
  auto k = parse_kernel(R"(kernel k(cnt: inout i32[1], n: index) {
    parallel i in 0..n, j in 0..n { if i == j { atomic_rmw.add cnt[0], 1 order(relaxed) } }
  })");
  Arguments twin;
  twin.tensor("cnt", DType::i32, {1}).symbol("n", 16);
  run_well(k, twin);
  EXPECT_EQ(twin.elements("cnt"), Words{"16"});
  // 2^32 members: never none of them.
  Arguments all;
  all.tensor("cnt", DType::i32, {1}).symbol("n", 65536);
  run_badly(k, all, step_limit, {}, {.max_steps = 100000});
  const Focus corner{{value_named(*k, "i"), {0, 65535}}, {value_named(*k, "j"), {0, 65535}}};
  ReplayResult r =
      interpret_instances(*k, {.symbols = {{"n", 65536}}, .cells = {{{0, Scalar::of_int(DType::i32, 0)}}}}, corner);
  ASSERT_FALSE(r.error) << r.error->message;
  EXPECT_EQ(r.written[0].at(0), Scalar::of_int(DType::i32, 2));
}

TEST(Faults, BR12_AnUpdateThatTakesTheLastValue) {
  auto k = parse_kernel("kernel k(g: inout i32[5]) { for r in 0..3 { g[r] = 17 * to_i32(r) + 8 } }");
  Arguments a;
  a.tensor("g", DType::i32, {5}, {"4", "4", "4", "4", "4"});
  run_well(k, a);
  EXPECT_EQ(a.elements("g"), (Words{"8", "25", "42", "4", "4"}));
}

// shows: K1.5
TEST(Faults, BR14_APairIsUpdatedAsOneUnit) {
  auto k = parse_kernel(R"(kernel k(is: in i32[N], vs: in f32[N, C], value: inout f32[B, C], place: inout i64[B, C]) {
    scatter reduce order(any) value, place (n in 0..N, c in 0..C) {
      yield to_index(is[n]), c, vs[n, c], to_i64(n)
    } combine (x: f32, i: i64, y: f32, j: i64) {
      let (v: f32, p: i64) = if x == y { yield x, min.s(i, j) } else {
        let left = x > y
        yield select(left, x, y), select(left, i, j)
      }
      yield v, p
    }
  })");
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Arguments a;
    a.tensor("is", DType::i32, {2}, {"0", "0"})
        .tensor("vs", DType::f32, {2, 2}, {"1.0", "2.0", "3.0", "4.0"})
        .tensor("value", DType::f32, {1, 2})
        .tensor("place", DType::i64, {1, 2}, {"-1", "-1"});
    run_well(k, a, {.order_seed = seed});
    EXPECT_EQ(a.elements("value"), (Words{"3.0", "4.0"}));
    EXPECT_EQ(a.elements("place"), (Words{"1", "1"}));
    // Equal values keep the smaller index, in every order.
    Arguments b;
    b.tensor("is", DType::i32, {3}, {"0", "0", "0"})
        .tensor("vs", DType::f32, {3, 1}, {"7.0", "7.0", "5.0"})
        .tensor("value", DType::f32, {1, 1})
        .tensor("place", DType::i64, {1, 1}, {"-1"});
    run_well(k, b, {.order_seed = seed});
    EXPECT_EQ(b.elements("place"), Words{"0"});
  }
}

// shows: K5.6
TEST(Faults, BR19_TheFloatMaximumTestsTheSignNotTheInteger) {
  auto k = parse_kernel(R"(kernel k(v: in f32[N], cell: inout f32[1], old: out f32[N]) {
    parallel i in 0..N { old[i] = atomic_rmw.max.num cell[0], v[i] order(relaxed) }
  })");
  struct Row {
    const char* cell;
    Words v;
    const char* after;
  };
  for (const Row& r :
       {Row{"-3.4028235e+38", {"-0.0"}, "-0.0"}, Row{"-4.0", {"-1.0"}, "-1.0"}, Row{"-1.0", {"-4.0"}, "-1.0"},
        Row{"2.0", {"-1.0"}, "2.0"}, Row{"-2.0", {"0.0"}, "0.0"}, Row{"-4.0", {"-1.0", "-3.0"}, "-1.0"},
        Row{"-0.0", {"0.0"}, "0.0"}, Row{"0.0", {"-0.0"}, "0.0"}, Row{"nan", {"-5.0"}, "-5.0"}, Row{"-5.0", {"nan"}, "-5.0"}})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      Arguments a;
      const std::int64_t n = static_cast<std::int64_t>(r.v.size());
      a.tensor("v", DType::f32, {n}, r.v).tensor("cell", DType::f32, {1}, {r.cell}).tensor("old", DType::f32, {n});
      run_well(k, a, {.order_seed = seed});
      EXPECT_EQ(a.elements("cell"), Words{r.after}) << r.cell;
      if (n == 1) {
        EXPECT_EQ(a.elements("old"), Words{r.cell});
      }
    }
}

// shows: K5.6
TEST(Faults, BR20_TheOldValueIsTheSameForEveryLane) {
  auto k = parse_kernel(R"(kernel k(ctr: inout i32[1], out1: inout i64[2, 8]) {
    let w = atomic_rmw.add ctr[0], 1 order(relaxed)
    parallel l in 0..8 { out1[to_index(w), l] = i64(2) }
  })");
  Arguments a;
  a.tensor("ctr", DType::i32, {1}, {"1"}).tensor("out1", DType::i64, {2, 8});
  run_well(k, a);
  EXPECT_EQ(a.elements("ctr"), Words{"2"});
  EXPECT_EQ(a.elements("out1"), (Words{"0", "0", "0", "0", "0", "0", "0", "0", "2", "2", "2", "2", "2", "2", "2", "2"}));
}

// shows: K5.6
TEST(Faults, BR21_CompareExchangeIsAboutBits) {
  auto loop = [](const char* f) {
    return parse_kernel(R"(kernel k(cell: inout f64[1], turns: out i32[1], guess: f64) {
      let (last, n, done) = while carry (e: f64 = guess, n: i32 = 0, done: i1 = false) when { yield not done } do {
        let (old, ok) = atomic_cas cell[0], e, )" +
                        std::string(f) + R"( order(relaxed, relaxed)
        next old, n + 1, ok
      }
      turns[0] = n
    })");
  };
  struct Row {
    const char *f, *cell, *guess, *after, *turns;
  };
  for (const Row& r : {Row{"e * 2.0", "nan", "nan", "nan", "1"}, Row{"e * 2.0", "3.0", "3.0", "6.0", "1"},
                       Row{"e + 1.0", "-0.0", "0.0", "1.0", "2"}, Row{"e * 2.0", "3.0", "1.0", "6.0", "2"}}) {
    Arguments a;
    a.tensor("cell", DType::f64, {1}, {r.cell}).tensor("turns", DType::i32, {1}).scalar("guess", DType::f64, r.guess);
    run_well(loop(r.f), a, {.max_steps = 10000});
    EXPECT_EQ(a.elements("cell"), Words{r.after}) << r.cell;
    EXPECT_EQ(a.elements("turns"), Words{r.turns}) << r.cell;
  }
}

// shows: K1.5
TEST(Faults, BR22_MaskedAndOutOfRangeMembersOfAHistogram) {
  auto k = parse_kernel(R"(kernel k(x: in i32[5], m: in i1[5], h: inout i32[4]) {
    histogram h (i in 0..5) { yield to_index(x[i]), 1 where m[i] } out_of_range(drop)
  })");
  auto counted = [&](Words mask) {
    Arguments a;
    a.tensor("x", DType::i32, {5}, {"3", "9", "-1", "0", "8"}).tensor("m", DType::i1, {5}, mask).tensor("h", DType::i32, {4});
    run_well(k, a);
    return a.elements("h");
  };
  EXPECT_EQ(counted({"true", "true", "true", "true", "true"}), (Words{"1", "0", "0", "1"}));
  EXPECT_EQ(counted({"true", "true", "true", "false", "true"}), (Words{"0", "0", "0", "1"}));
  auto strict = parse_kernel(R"(kernel k(x: in i32[5], h: inout i32[4]) {
    histogram h (i in 0..5) { yield to_index(x[i]), 1 } out_of_range(error)
  })");
  Arguments a;
  a.tensor("x", DType::i32, {5}, {"3", "9", "-1", "0", "8"}).tensor("h", DType::i32, {4});
  run_badly(strict, a, out_of_bounds, {"histogram h[9]", "i = 1"});
}

// shows: K2.2
TEST(Faults, BR31_ReversingInPlaceNeedsTheCopy) {
  const Words forward{"0", "1", "2", "3", "4", "5", "6", "7"}, reversed{"7", "6", "5", "4", "3", "2", "1", "0"};
  for (const char* copy : {"let y = tensor (k in 0..8) { x[k] }", "let y = buffer i32[8] init (k) { x[k] }"}) {
    auto k = parse_kernel("kernel k(x: inout i32[8]) { " + std::string(copy) + "\n parallel k in 0..8 { x[7 - k] = y[k] } }");
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Arguments a;
      a.tensor("x", DType::i32, {8}, forward);
      run_well(k, a, {.order_seed = seed});
      EXPECT_EQ(a.elements("x"), reversed);
    }
  }
  auto dropped = parse_kernel("kernel k(x: inout i32[8]) { parallel k in 0..8 { x[7 - k] = x[k] } }");
  Arguments a;
  a.tensor("x", DType::i32, {8}, forward);
  run_badly(dropped, a, race, {"load x[4] races: the instance k = 3 writes", "k = 4"});
  // 0 and 7 meet too, whoever comes first.
  const Focus ends{{value_named(*dropped, "k"), {0, 7}}};
  SparseLaunch launch;
  launch.cells.resize(1);
  for (std::int64_t i = 0; i < 8; ++i) launch.cells[0][i] = Scalar::of_int(DType::i32, i);
  ReplayResult r = interpret_instances(*dropped, launch, ends);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(name(r.error->kind), name(race)) << r.error->message;
  EXPECT_NE(r.error->message.find("k = 7"), std::string::npos) << r.error->message;
}

// shows: K1.4
// An order point that only some lanes of a group reach: here it is the end of a parallel, which every instance reaches.
TEST(Faults, BR34_WhatOneLaneWritesAnotherReadsOnlyInOrder) {
  const std::string write = "s[t] = to_i32(t * t)", read = "out1[t] = s[47 - t]", head = "parallel t in 0..64 { if t < 48 { ",
                    tail = " } }\n";
  for (bool fresh : {true, false}) {
    const std::string begin = std::string("kernel k(out1: out i32[48], given: inout i32[48]) {\n") +
                              (fresh ? "let s = buffer i32[48]\n" : "let s = slice given [0..48]\n");
    auto inputs = [] {
      Arguments a;
      a.tensor("out1", DType::i32, {48}).tensor("given", DType::i32, {48});
      return a;
    };
    auto ordered = parse_kernel(begin + head + write + tail + head + read + tail + "}");
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Arguments a = inputs();
      run_well(ordered, a, {.order_seed = seed});
      const Words out = a.elements("out1");
      EXPECT_EQ(out[0], "2209");
      EXPECT_EQ(out[1], "2116");
      EXPECT_EQ(out[24], "529");
      EXPECT_EQ(out[47], "0");
    }
    // Without the order point lanes 0 and 47 race; so does every other pair. Fresh memory may be read before it is written.
    auto fused = parse_kernel(begin + head + write + "\n" + read + tail + "}");
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      InterpretResult r = run(fused, inputs(), {.order_seed = seed});
      ASSERT_FALSE(r.ok());
      EXPECT_TRUE(r.error->kind == race || (fresh && r.error->kind == uninitialized_read)) << r.error->message;
    }
    if (fresh) continue;
    const Focus pair{{value_named(*fused, "t"), {0, 47}}};
    SparseLaunch launch;
    launch.cells = {{}, {{0, Scalar::of_int(DType::i32, 0)}, {47, Scalar::of_int(DType::i32, 0)}}};
    ReplayResult r = interpret_instances(*fused, launch, pair);
    ASSERT_TRUE(r.error);
    EXPECT_EQ(name(r.error->kind), name(race)) << r.error->message;
    EXPECT_NE(r.error->message.find("t = 47"), std::string::npos) << r.error->message;
  }
}

TEST(Faults, BR32_ABroadcastViewIsNotWritten) {
  auto refused = test::kir_of(R"(kir 1
kernel k(src: in i32[3, 2], idx: in i32[3], z: inout i32[1, 2]) {
  let w = broadcast z axes(0, 1) to [4, 2]
  scatter reduce order(any) w (k in 0..3, c in 0..2) { yield to_index(idx[k]), c, src[k, c] } combine (a: i32, b: i32) { a + b }
}
)");
  EXPECT_FALSE(refused.module);
  EXPECT_TRUE(refused.has("V-22")) << refused.text();
  auto k = parse_kernel(R"(kernel k(src: in i32[3, 2], idx: in i32[3], z: in i32[1, 2], out1: out i32[4, 2]) {
    let v = broadcast z axes(0, 1) to [4, 2]
    let w = buffer i32[4, 2] init (r, c) { v[r, c] }
    scatter reduce order(any) w (k in 0..3, c in 0..2) { yield to_index(idx[k]), c, src[k, c] } combine (a: i32, b: i32) { a + b }
    parallel r in 0..4, c in 0..2 { out1[r, c] = w[r, c] }
  })");
  Arguments a;
  a.tensor("src", DType::i32, {3, 2}, {"1", "1", "1", "1", "1", "1"})
      .tensor("idx", DType::i32, {3}, {"0", "1", "0"})
      .tensor("z", DType::i32, {1, 2})
      .tensor("out1", DType::i32, {4, 2});
  run_well(k, a);
  EXPECT_EQ(a.elements("out1"), (Words{"2", "2", "1", "1", "0", "0", "0", "0"}));
}

std::string single_pass_scan(const char* publish, const char* take) {
  return R"(kernel k(x: in i32[6], out1: out i32[6], agg: out i32[3], flag: inout i32[3]) {
    parallel b in 0..3 {
      agg[b] = x[2 * b] + x[2 * b + 1]
      atomic_store flag[b] = 1 order()" +
         std::string(publish) + R"()
      let p = for r in 0..b carry (p: i32 = 0) {
        let k: index = index b - 1 - r
        let seen = while carry (seen: i32 = 0) when { yield seen != 1 } do {
          let now = atomic_load flag[k] order()" +
         std::string(take) + R"()
          next now
        }
        next p + agg[k]
      }
      out1[2 * b] = p + x[2 * b]
      out1[2 * b + 1] = p + agg[b]
    }
  })";
}

TEST(Faults, BR36_InstancesThatWaitForEachOther) {
  auto inputs = [] {
    Arguments a;
    a.tensor("x", DType::i32, {6}, {"1", "2", "3", "4", "5", "6"})
        .tensor("out1", DType::i32, {6})
        .tensor("agg", DType::i32, {3})
        .tensor("flag", DType::i32, {3});
    return a;
  };
  Arguments stale = inputs();
  run_badly(parse_kernel(single_pass_scan("relaxed", "relaxed")), stale, race,
            {"load agg[0]", "the instance b = 0 writes", "b = 1"});
  auto ordered = parse_kernel(single_pass_scan("release", "acquire"));
  Arguments a = inputs();
  run_well(ordered, a);
  EXPECT_EQ(a.elements("out1"), (Words{"1", "3", "6", "10", "15", "21"}));
  // Nothing promises that an instance ever sees another one's flag: in some orders it waits for ever, and that is told.
  int waits = 0;
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    Arguments b = inputs();
    InterpretResult r = run(ordered, b, {.max_steps = 20000, .order_seed = seed});
    if (r.ok()) {
      EXPECT_EQ(b.elements("out1"), (Words{"1", "3", "6", "10", "15", "21"}));
      continue;
    }
    EXPECT_EQ(name(r.error->kind), name(step_limit)) << r.error->message;
    ++waits;
  }
  EXPECT_GT(waits, 0);
}

// shows: K5.3
TEST(Faults, BR38_WhatIsNotWrittenHasNoMadeUpValue) {
  auto k =
      parse_kernel("kernel k(x: in i32[4], y: in i32[4], out1: out i32[4]) { parallel i in 1..3 { out1[i] = x[i] * y[i] } }");
  Arguments a;
  a.tensor("x", DType::i32, {4}, {"0", "1", "2", "3"})
      .tensor("y", DType::i32, {4}, {"1", "2", "3", "4"})
      .tensor("out1", DType::i32, {4}, {"77", "77", "77", "-5"});
  run_well(k, a);
  EXPECT_EQ(a.elements("out1"), (Words{"77", "2", "6", "-5"}));
  auto read = parse_kernel(R"(kernel k(x: in i32[4], y: in i32[4], out1: out i32[4], z: out i32[4]) {
    parallel i in 1..3 { out1[i] = x[i] * y[i] }
    parallel i in 0..4 { z[i] = out1[i] }
  })");
  a.tensor("z", DType::i32, {4});
  run_badly(read, a, uninitialized_read, {"load out1[0]", "i = 0"});
  auto buffered = parse_kernel(R"(kernel k(x: in i32[4], y: in i32[4], z: out i32[4]) {
    let b = buffer i32[4]
    parallel i in 1..3 { b[i] = x[i] * y[i] }
    parallel i in 0..4 { z[i] = b[3 - i] }
  })");
  Arguments c;
  c.tensor("x", DType::i32, {4}).tensor("y", DType::i32, {4}).tensor("z", DType::i32, {4});
  run_badly(buffered, c, uninitialized_read, {"load b[3]", "i = 0"});
}

TEST(Faults, BR48_ATryLock) {
  auto with = [](const char* take, const char* give) {
    return parse_kernel(R"(kernel k(lock: inout i32[1], x: inout i32[1]) {
      parallel w in 0..2 {
        let (old, got) = atomic_cas lock[0], 0, 1 order()" +
                        std::string(take) + R"(, relaxed)
        if got {
          x[0] = x[0] + 1
          atomic_rmw.exchange lock[0], 0 order()" +
                        std::string(give) + R"()
        }
      }
    })");
  };
  auto inputs = [] {
    Arguments a;
    a.tensor("lock", DType::i32, {1}).tensor("x", DType::i32, {1});
    return a;
  };
  // The interpreter runs one instance after the other, so each gets the lock: one of the two end states.
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Arguments a = inputs();
    run_well(with("acquire", "release"), a, {.order_seed = seed});
    EXPECT_EQ(a.elements("x"), Words{"2"});
    EXPECT_EQ(a.elements("lock"), Words{"0"});
    Arguments b = inputs();
    run_badly(with("relaxed", "relaxed"), b, race, {"load x[0]", "the instance w = "}, {.order_seed = seed});
    Arguments c = inputs();
    run_badly(with("acquire", "relaxed"), c, race, {"load x[0]"}, {.order_seed = seed});
    Arguments d = inputs();
    run_badly(with("relaxed", "release"), d, race, {"load x[0]"}, {.order_seed = seed});
  }
  // How many got the lock is another matter in another execution: the oracle does not decide it.
  auto k = with("acquire", "release");
  Arguments a = inputs();
  Diagnostics diagnostics;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, diagnostics);
  ASSERT_TRUE(launch);
  EXPECT_TRUE(interpret_reference(*k, *launch).undecided);
}

}  // namespace
}  // namespace kir
