// Atomics in the reference interpreter: values, races, and what acquire and release order.
#include <algorithm>
#include <cmath>

#include "core/interp/oracle.h"
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

// The contents after `operation` of old and value, and the result of the operation.
std::pair<std::string, std::string> apply(DType t, const std::string& operation, const std::string& old,
                                          const std::string& value) {
  const std::string T(name(t));
  auto k = parse_kernel("kernel k(c: inout " + T + "[1], r: out " + T + "[1], v: " + T + ") { r[0] = atomic_rmw." + operation +
                        " c[0], v order(relaxed) }");
  // The store's value is a right-hand side.
  Arguments a;
  a.tensor("c", t, {1}, {old}).tensor("r", t, {1}).scalar("v", t, value);
  run_well(k, a);
  return {a.elements("c")[0], a.elements("r")[0]};
}

TEST(Atomics, EveryOperationAndItsResult) {
  struct Row {
    DType t;
    const char *operation, *old, *value, *contents;
  };
  const Row rows[] = {
      {DType::i32, "add", "2147483647", "1", "-2147483648"},
      {DType::i64, "add", "-1", "1", "0"},
      {DType::u64, "add", "18446744073709551615", "2", "1"},
      {DType::f16, "add", "2048.0", "1.0", "2048.0"},
      {DType::f16, "add", "2048.0", "3.0", "2052.0"},
      {DType::bf16, "add", "256.0", "1.0", "256.0"},
      {DType::f32, "add", "16777216.0", "1.0", "16777216.0"},
      {DType::f32, "add", "-0.0", "-0.0", "-0.0"},
      {DType::f32, "add", "1e-45", "1e-45", "3e-45"},
      {DType::f64, "add", "0.1", "0.2", "0.30000000000000004"},
      {DType::f64, "add", "inf", "-inf", "nan"},
      {DType::i32, "min.s", "-1", "1", "-1"},
      {DType::i32, "min.u", "-1", "1", "1"},
      {DType::i64, "max.s", "-1", "1", "1"},
      {DType::i64, "max.u", "-1", "1", "-1"},
      {DType::u64, "max.u", "18446744073709551615", "1", "18446744073709551615"},
      {DType::i32, "and", "12", "10", "8"},
      {DType::i32, "or", "12", "10", "14"},
      {DType::i64, "xor", "12", "10", "6"},
      {DType::f32, "exchange", "1.0", "nan", "nan"},
      {DType::i32, "exchange", "1", "2", "2"},
      {DType::f32, "max.num", "-4.0", "-1.0", "-1.0"},
      {DType::f32, "max.num", "-0.0", "0.0", "0.0"},
      {DType::f32, "min.num", "0.0", "-0.0", "-0.0"},
      {DType::f32, "max.num", "nan", "-inf", "-inf"},
      {DType::f64, "min.num", "3.0", "nan", "3.0"},
      {DType::f64, "max.num", "nan", "nan", "nan"},
  };
  for (const Row& r : rows) {
    auto [contents, result] = apply(r.t, r.operation, r.old, r.value);
    EXPECT_EQ(contents, r.contents) << name(r.t) << " " << r.operation << " of " << r.old << " and " << r.value;
    EXPECT_EQ(result, r.old) << name(r.t) << " " << r.operation;
  }
}

// shows: K5.6 K1.5
TEST(Atomics, EachMemberGetsAPlaceOfItsOwn) {
  auto k = parse_kernel(R"(kernel k(x: in i32[N], n: inout i32[1], y: out i32[N]) {
    parallel i in 0..N {
      let at = atomic_rmw.add n[0], 1 where x[i] > 0 fill -1 order(relaxed)
      y[to_index(at)] = x[i] where at >= 0
    }
  })");
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Arguments a;
    a.tensor("x", DType::i32, {5}, {"3", "-1", "2", "0", "7"}).tensor("n", DType::i32, {1}).tensor("y", DType::i32, {5});
    run_well(k, a, {.order_seed = seed});
    EXPECT_EQ(a.elements("n"), Words{"3"});
    Words y = a.elements("y");
    std::sort(y.begin(), y.begin() + 3);
    EXPECT_EQ(y, (Words{"2", "3", "7", "0", "0"}));
  }
}

TEST(Atomics, MaskedOff) {
  auto k = parse_kernel(R"(kernel k(c: inout i32[2], y: out i32[4], p: i1) {
    atomic_store c[99] = 5 where p order(release)
    y[0] = atomic_load c[99] where p fill 6 order(acquire)
    let (old, ok) = atomic_cas c[99], 0, 1 where p fill 7 order(acq_rel, acquire)
    y[1] = old
    y[2] = to_i32(ok)
    let lost = atomic_rmw.add c[99], 1 where p order(relaxed)
    y[3] = select(p, lost, 8)
  })");
  Arguments a;
  a.tensor("c", DType::i32, {2}, {"1", "2"}).tensor("y", DType::i32, {4}).scalar("p", DType::i1, "false");
  run_well(k, a);
  EXPECT_EQ(a.elements("c"), (Words{"1", "2"}));
  EXPECT_EQ(a.elements("y"), (Words{"6", "7", "0", "8"}));
  a.scalar("p", DType::i1, "true");
  run_badly(k, a, out_of_bounds, {"atomic_store c[99]", "[0, 2)"});
  auto seen =
      parse_kernel("kernel k(c: inout i32[1], y: out i32[1], p: i1) { y[0] = atomic_rmw.add c[0], 1 where p order(relaxed) }");
  Arguments b;
  b.tensor("c", DType::i32, {1}).tensor("y", DType::i32, {1}).scalar("p", DType::i1, "false");
  run_badly(seen, b, arbitrary_value, {"the stored value"});
}

// shows: K5.6
TEST(Atomics, CompareExchangeComparesBits) {
  auto k = parse_kernel(R"(kernel k(c: inout f32[1], y: out f32[2], e: f32) {
    let (old, ok) = atomic_cas c[0], e, 5.0 order(relaxed, relaxed)
    y[0] = old
    y[1] = to_f32(ok)
  })");
  struct Row {
    const char *contents, *expected, *after;
    bool ok;
  };
  for (const Row& r : {Row{"1.0", "1.0", "5.0", true}, Row{"1.0", "2.0", "1.0", false}, Row{"nan", "nan", "5.0", true},
                       Row{"nan(0x7fc00001)", "nan", "nan(0x7fc00001)", false}, Row{"-0.0", "0.0", "-0.0", false}}) {
    Arguments a;
    a.tensor("c", DType::f32, {1}, {r.contents}).tensor("y", DType::f32, {2}).scalar("e", DType::f32, r.expected);
    run_well(k, a);
    EXPECT_EQ(a.elements("c")[0], r.after) << r.contents << " " << r.expected;
    EXPECT_EQ(a.elements("y"), (Words{r.contents, r.ok ? "1.0" : "0.0"})) << r.contents << " " << r.expected;
  }
}

TEST(Atomics, WhatWasNeverWritten) {
  Arguments a;
  a.tensor("c", DType::i32, {1});
  for (const char* body : {"let v = atomic_load c[0] order(relaxed)", "atomic_rmw.add c[0], 1 order(relaxed)",
                           "atomic_cas c[0], 0, 1 order(relaxed, relaxed)"})
    run_badly(parse_kernel("kernel k(c: out i32[1]) { " + std::string(body) + " }"), a, uninitialized_read,
              {"atomic_", "c[0] reads an element of c that was never written"});
  run_well(parse_kernel("kernel k(c: out i32[1]) { atomic_store c[0] = 1 order(relaxed)\n c[0] = c[0] + 1\n "
                        "atomic_rmw.add c[0], 1 order(relaxed) }"),
           a);
  EXPECT_EQ(a.elements("c"), Words{"3"});
}

TEST(Atomics, OfProgramInstances) {
  auto with = [](const char* update) {
    return parse_program(R"(program p
abi {
  c: view i32[2] inout
  dims N: i64
}
launch { threads 1 grid G = O0 + L0 }
space {
  g: (m in 0..N) length L0 = N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g(%m = %w - O0)
  else -> exit
}
group g (%m: i64 in 0..N) {
  %i: i64 = index %m mod 2
  %one: i32 = constant 1
  )" + std::string(update) +
                         R"(
}
)");
  };
  Arguments a;
  a.tensor("c", DType::i32, {2}, {"10", "20"}).symbol("N", 7);
  run_well(with("%old: i32 = atomic_rmw.add c[%i], %one order(relaxed) share(invocation)"), a);
  EXPECT_EQ(a.elements("c"), (Words{"14", "23"}));
  run_badly(with("%old: i32 = load c[%i]\n  %new: i32 = add %old, %one\n  store c[%i] = %new"), a, race,
            {"load c[0]", "program 0 writes", "program 2"});
}

// Two instances i = 0 and 1 on c[0]; f and d are further elements.
InterpretResult two(const std::string& first, const std::string& second, std::uint64_t seed = 0) {
  auto k = parse_kernel("kernel k(c: inout i32[1], d: inout i32[1], f: inout i32[1]) { parallel i in 0..2 { if i == 0 { " +
                        first + " } else { " + second + " } } }");
  Arguments a;
  a.tensor("c", DType::i32, {1}).tensor("d", DType::i32, {1}).tensor("f", DType::i32, {1});
  return run(k, a, {.order_seed = seed});
}

// shows: K9.4
TEST(AtomicRaces, EveryPairOfAccesses) {
  const std::string read = "let v = c[0]", write = "c[0] = i32(1)", aread = "let v = atomic_load c[0] order(relaxed)",
                    awrite = "atomic_store c[0] = 1 order(relaxed)", update = "atomic_rmw.add c[0], 1 order(relaxed)",
                    fails = "atomic_cas c[0], 5, 6 order(relaxed, relaxed)";
  struct Row {
    std::string a, b;
    bool race;
  };
  for (const Row& r : {Row{read, read, false}, Row{read, aread, false}, Row{aread, aread, false}, Row{aread, awrite, false},
                       Row{awrite, awrite, false}, Row{update, update, false}, Row{update, aread, false},
                       Row{update, awrite, false}, Row{read, fails, false}, Row{aread, fails, false}, Row{read, write, true},
                       Row{write, write, true}, Row{read, awrite, true}, Row{read, update, true}, Row{write, aread, true},
                       Row{write, awrite, true}, Row{write, update, true}, Row{write, fails, true}})
    for (bool swapped : {false, true}) {
      InterpretResult result = two(swapped ? r.b : r.a, swapped ? r.a : r.b);
      EXPECT_EQ(result.error.has_value(), r.race) << r.a << " and " << r.b << (swapped ? " swapped" : "");
      if (result.error) {
        EXPECT_EQ(name(result.error->kind), name(race)) << result.error->message;
        EXPECT_NE(result.error->message.find("the instance i = 0"), std::string::npos) << result.error->message;
      }
    }
}

// shows: K5.6
TEST(AtomicRaces, MessagesArePassedByReleaseAndAcquire) {
  auto pass = [](const std::string& publish, const std::string& take) {
    return two("d[0] = i32(7)\n" + publish, take + "\nif seen == 1 { d[0] = d[0] + 1 }");
  };
  const std::string acquire = "let seen = atomic_load f[0] order(acquire)", look = "let seen = atomic_load f[0] order(relaxed)";
  auto expect_race = [&](const std::string& publish, const std::string& take, bool wanted) {
    InterpretResult r = pass(publish, take);
    EXPECT_EQ(r.error.has_value(), wanted) << publish << " / " << take;
    if (r.error) {
      EXPECT_EQ(name(r.error->kind), name(race)) << r.error->message;
    }
  };
  expect_race("atomic_store f[0] = 1 order(release)", acquire, false);
  expect_race("atomic_store f[0] = 1 order(relaxed)", acquire, true);
  expect_race("atomic_store f[0] = 1 order(release)", look, true);
  expect_race("atomic_rmw.add f[0], 1 order(acq_rel)", "let seen = atomic_rmw.add f[0], 1 order(acquire)", false);
  expect_race("atomic_cas f[0], 0, 1 order(release, relaxed)", "let (seen, ok) = atomic_cas f[0], 5, 6 order(relaxed, acquire)",
              false);
  expect_race("atomic_cas f[0], 0, 1 order(release, relaxed)", "let (seen, ok) = atomic_cas f[0], 5, 6 order(acquire, relaxed)",
              true);
  expect_race("atomic_cas f[0], 9, 1 order(release, relaxed)\natomic_store f[0] = 1 order(relaxed)", acquire, true);
  // What follows the release is not published by it.
  expect_race("atomic_store f[0] = 1 order(release)\nd[0] = i32(8)", acquire, true);
  // A read-modify-write continues what was released; a relaxed store does not.
  expect_race("atomic_store f[0] = 0 order(release)\natomic_rmw.add f[0], 1 order(relaxed)", acquire, false);
  expect_race("atomic_store f[0] = 0 order(release)\natomic_store f[0] = 1 order(relaxed)", acquire, true);
  // A plain store ends it too, and is itself a race with the acquire.
  expect_race("atomic_store f[0] = 0 order(release)\nf[0] = i32(1)", acquire, true);
}

TEST(AtomicRaces, EveryUnorderedReaderCounts) {
  // Both readers come before the writer; only the second is ordered by acquire and release.
  auto k = parse_kernel(R"(kernel k(d: inout i32[1], f: inout i32[1]) {
    parallel i in 0..3 {
      if i < 2 {
        let v = d[0]
        atomic_store f[0] = 1 where i == 1 order(release)
      } else {
        let seen = atomic_load f[0] order(acquire)
        d[0] = seen
      }
    }
  })");
  Arguments a;
  a.tensor("d", DType::i32, {1}).tensor("f", DType::i32, {1});
  run_badly(k, a, race, {"store d[0]", "the instance i = 0 reads", "i = 2"});
}

// The last instance to finish adds up what all have left.
TEST(AtomicRaces, LastOneDoesTheRest) {
  auto with = [](const char* order) {
    return parse_kernel(R"(kernel k(x: in i32[N], left: out i32[N], count: inout i32[1], total: out i32[1]) {
      parallel i in 0..N {
        left[i] = x[i] * 2
        let before = atomic_rmw.add count[0], 1 order()" +
                        std::string(order) + R"()
        let n = to_i32(N)
        if before == n - 1 { total[0] = reduce add order(any) over k in 0..N { left[k] } }
      }
    })");
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Arguments a;
    a.tensor("x", DType::i32, {5}, {"1", "2", "3", "4", "5"})
        .tensor("left", DType::i32, {5})
        .tensor("count", DType::i32, {1})
        .tensor("total", DType::i32, {1});
    run_well(with("acq_rel"), a, {.order_seed = seed});
    EXPECT_EQ(a.elements("total"), Words{"30"});
    for (const char* order : {"relaxed", "acquire", "release"}) {
      Arguments b;
      b.tensor("x", DType::i32, {5})
          .tensor("left", DType::i32, {5})
          .tensor("count", DType::i32, {1})
          .tensor("total", DType::i32, {1});
      run_badly(with(order), b, race, {"load left["}, {.order_seed = seed});
    }
  }
}

Reference reference(const std::string& body, std::vector<std::string> x, std::vector<std::string> c) {
  auto k = parse_kernel("kernel k(x: in f32[N], c: inout f32[M], n: inout i32[1]) { " + body + " }");
  Arguments a;
  const std::int64_t count = static_cast<std::int64_t>(x.size()), cells = static_cast<std::int64_t>(c.size());
  a.tensor("x", DType::f32, {count}, std::move(x)).tensor("c", DType::f32, {cells}, std::move(c)).tensor("n", DType::i32, {1});
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(k->abi, a.args, d);
  EXPECT_TRUE(launch);
  return interpret_reference(*k, *launch);
}

TEST(AtomicBounds, WhatUnorderedUpdatesMayGive) {
  const Words exact{"1.0", "0.5", "-0.25"}, rounding{"1.0", "1e-8", "1e-8"};
  const std::string add = "parallel i in 0..N { atomic_rmw.add c[0], x[i] order(relaxed) }";
  EXPECT_EQ(reference(add, exact, {"0.0"}).radius[1][0], 0);
  const double r = reference(add, rounding, {"0.0"}).radius[1][0];
  EXPECT_GE(r, 5.9604645e-8);  // 1 + (1e-8 + 1e-8), or (1 + 1e-8) + 1e-8
  EXPECT_LT(r, 1e-6);
  const std::string bins = "histogram c (i in 0..N) { yield 0, x[i] } out_of_range(error)";
  EXPECT_EQ(reference(bins, exact, {"0.0"}).radius[1][0], 0);
  EXPECT_EQ(reference(bins, rounding, {"0.0"}).radius[1][0], r);
  const std::string scatter = "scatter reduce order(any) c (i in 0..N) { yield 0, x[i] } combine (a: f32, b: f32) { a + b }";
  EXPECT_EQ(reference(scatter, rounding, {"0.0"}).radius[1][0], r);
  const std::string largest = "parallel i in 0..N { atomic_rmw.max.num c[0], x[i] order(relaxed) }";
  EXPECT_EQ(reference(largest, rounding, {"0.0"}).radius[1][0], 0);
  // One instance in order.
  EXPECT_EQ(reference("for i in 0..N { atomic_rmw.add c[0], x[i] order(relaxed) }", rounding, {"0.0"}).radius[1][0], 0);
  // A compare-exchange in no parallel is certain, and one of an instance that has the element for itself.
  EXPECT_EQ(reference("atomic_cas c[0], 0.0, 5.0 order(relaxed, relaxed)", exact, {"0.0"}).radius[1][0], 0);
  EXPECT_EQ(reference("parallel i in 0..1 { atomic_cas c[0], 0.0, 5.0 order(relaxed, relaxed) }", exact, {"0.0"}).radius[1][0],
            0);
  // Which value stays depends on the order.
  for (const char* body :
       {"parallel i in 0..N { atomic_rmw.exchange c[0], x[i] order(relaxed) }",
        "parallel i in 0..N { atomic_store c[0] = x[i] order(relaxed) }",
        "parallel i in 0..N { if i == 0 { atomic_rmw.add c[0], x[i] order(relaxed) } else { atomic_rmw.max.num c[0], "
        "x[i] order(relaxed) } }",
        "parallel i in 0..N { atomic_cas c[0], 9.0, 5.0 order(relaxed, relaxed) }",
        "parallel i in 0..N { c[i] = atomic_rmw.add c[3], x[i] order(relaxed) }",
        "scatter reduce order(any) c (i in 0..N) { yield 0, x[i] } combine (a: f32, b: f32) { a - b }"}) {
    Reference ref = reference(body, exact, {"0.0", "0.0", "0.0", "0.0"});
    EXPECT_TRUE(ref.result.ok()) << body;
    EXPECT_TRUE(std::isinf(ref.radius[1][0])) << body;
  }
  // Which NaN an operation gives is left open (found by kir-fuzz).
  for (const char* body : {"parallel i in 0..N { atomic_cas c[i], sqrt(f32(-1.0)), 5.0 order(relaxed, relaxed) }",
                           "atomic_cas c[0], sqrt(f32(-1.0)), 5.0 order(relaxed, relaxed)"}) {
    Reference ref = reference(body, exact, {"nan", "nan", "nan", "nan"});
    EXPECT_TRUE(ref.result.ok() && std::isinf(ref.radius[1][0])) << body;
    EXPECT_EQ(reference(body, exact, {"0.0", "0.0", "0.0", "0.0"}).radius[1][0], 0) << body;
  }
  EXPECT_TRUE(reference("parallel i in 0..N { let at = atomic_rmw.add n[0], 1 order(relaxed)\n if at == 0 { c[0] = x[i] } }",
                        exact, {"0.0"})
                  .undecided);
}

}  // namespace
}  // namespace kir
