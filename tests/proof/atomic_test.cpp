// Atomics and updates: paired one to one, with order, sharing and a scope that holds all that meet.
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

// shows: K5.6 K9.15
TEST(Atomics, ACountIsThatOfItsKernel) {
  expect_only_undamaged(read_file("corpus/atomics/atomic_count.kir"), {{"atomic_rmw.add", "atomic_rmw.max.s"},
                                                                       {"constant 1\n", "constant 2\n"},
                                                                       {"= index 0", "= index %i"},
                                                                       {" where %t3", ""},
                                                                       {"cmp.ogt", "cmp.oge"},
                                                                       {"scope(gpu)", "scope(cta)"},
                                                                       {"order(relaxed)", "order(release)"},
                                                                       {"share(invocation)", "share(system)"}});
}

// shows: K5.6 K9.15
TEST(Atomics, ALoopAroundACompareExchange) {
  expect_only_undamaged(
      read_file("corpus/atomics/atomic_max_cas.kir"),
      {{"max.num", "min.num"}, {"carry (%old: f32 = %seen", "carry (%old: f32 = %v"}, {"next %now", "next %old"}});
}

constexpr const char* kTwice = R"(kir 1
kernel twice(x: in i32[N], y: out i32[N], c: inout i32[1]) {
  parallel i in 0..N {
    let at = atomic_rmw.add c[0], 1 order(relaxed)
    let old = atomic_rmw.max.s c[0], x[i] order(relaxed)
    y[i] = at - old
  }
}
)";

// A launch is as large as its effects are many: an atomic load is one, though it writes nothing.
// shows: K9.10
TEST(Atomics, ALoadCountsWhereALaunchIsMeasured) {
  const std::string kir = R"(kir 1
kernel poll(c: inout i32[N]) {
  parallel i in 0..N { let seen = atomic_load c[i] order(relaxed) }
}
)";
  Verdicts v = check_refinement(kir, constructed(kir));
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// shows: K5.6
TEST(Atomics, WhatTheyFindAndTheirOrder) {
  const std::string good = constructed(kTwice);
  expect_only_undamaged(kTwice, {{"sub %at, %old", "sub %old, %at"}});
  const std::size_t first = good.find("  %at: i32"), second = good.find("  %old: i32");
  ASSERT_LT(first, second);
  const std::string one = good.substr(first, good.find('\n', first) + 1 - first);
  const std::size_t end = good.find('\n', second) + 1;
  const std::string exchanged =
      good.substr(0, first) + good.substr(first + one.size(), end - first - one.size()) + one + good.substr(end);
  Verdicts v = check_refinement(kTwice, exchanged);
  EXPECT_FALSE(v.all_proved()) << exchanged;
}

// What the system shares needs the scope of the system; a scope left out is that one.
// shows: K9.15
TEST(Atomics, TheScopeHoldsWhoShares) {
  const std::string kir = R"(kir 1
kernel ticket(c: inout i32[1]) {
  parallel i in 0..64 { let old = atomic_rmw.add c[0], 1 order(relaxed) share(system) }
}
)";
  expect_only_undamaged(kir, {{"scope(system)", "scope(gpu)"}});
  Verdicts v = check_refinement(kir, replaced(constructed(kir), " scope(system)", ""));
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// One that nothing in the kernel writes to is scoped too.
TEST(Atomics, WhatTheSystemSharesIsLoadedInItsScope) {
  expect_only_undamaged(
      "kir 1\nkernel k(x: inout i32[N], y: out i32[N]) {\n  parallel i in 0..N {\n"
      "    let a = atomic_load x[i] order(acquire) share(system)\n    y[i] = a\n  }\n}\n",
      {{"scope(system)", "scope(gpu)"}, {"scope(system)", "scope(cta)"}, {"share(system)", "share(invocation)"}});
}

// How often several threads of one instance would do it, nothing says.
TEST(Atomics, AreOfProgramsOfOneThread) {
  const std::string kir =
      "kir 1\nkernel k(y: inout i32[N]) {\n  parallel i in 0..N { atomic_rmw.add y[i], 1 order(relaxed) }\n}\n";
  const std::string blocks = replaced(constructed(kir), "ceildiv(O0 + L0, 128)", "O0 + L0");
  EXPECT_TRUE(check_refinement(kir, replaced(blocks, "threads 1 pack 128", "threads 1 pack 1")).all_proved());
  EXPECT_FALSE(check_refinement(kir, replaced(blocks, "threads 1 pack 128", "threads 128")).all_proved());
}

// Where x[i] is x[0] the second load never finds what is older than the first one found.
TEST(Atomics, LoadsOfOneElementKeepTheirOrder) {
  auto kir = [](const std::string& change) {
    return "kir 1\nkernel k(x: inout i32[N], y: out i32[N, 2]) {\n  parallel i in 0..N {\n"
           "    let a = atomic_load x[i] order(relaxed)\n    let b = atomic_load x[0] order(relaxed)\n"
           "    y[i, 0] = a\n    y[i, 1] = b\n" +
           change + "  }\n}\n";
  };
  auto exchanged = [](const std::string& text) {
    std::string good = constructed(text);
    const std::size_t at = good.find("  %a: i32 = atomic_load"), end = good.find('\n', at) + 1;
    const std::string first = good.substr(at, end - at);
    good.erase(at, end - at);
    return good.insert(good.find('\n', good.find("  %b: i32 = atomic_load")) + 1, first);
  };
  const std::string changes = kir("    atomic_rmw.add x[0], 1 order(relaxed)\n");
  EXPECT_TRUE(check_refinement(changes, constructed(changes)).all_proved());
  EXPECT_TRUE(check_refinement(changes, exchanged(changes)).fails(proof::ObligationKind::order_kept));
  Verdicts v = check_refinement(kir(""), exchanged(kir("")));  // nothing changes what they find
  EXPECT_TRUE(v.all_proved()) << v.failures;
}

// Members of one histogram do not race with each other; everything else that touches a bin does.
// shows: K2.3
TEST(Updates, AHistogram) {
  expect_only_undamaged(read_file("corpus/atomics/histogram_drop.kir"),
                        {{"constant 1\n", "constant 2\n"}, {"< B", "<= B"}, {"index 0 <= ", "index 1 <= "}});
  Verdicts v = check_kir(R"(kir 1
kernel two(k: in i32[N], b: inout i32[B]) {
  parallel j in 0..2 { histogram b (i in 0..N) { yield to_index(k[i]), 1 } out_of_range(drop) }
}
)");
  EXPECT_TRUE(v.fails(proof::ObligationKind::kir_race_free));
  v = check_kir(R"(kir 1
kernel beside(k: in i32[N], b: inout i32[B]) where B >= 2 {
  parallel j in 0..2 {
    histogram b (i in 0..N) { yield to_index(k[i]), 1 where j == 0 } out_of_range(drop)
    atomic_rmw.add b[j], 1 order(relaxed)
  }
}
)");
  EXPECT_TRUE(v.fails(proof::ObligationKind::kir_race_free));
}

TEST(Updates, APairIsOneUnit) {
  expect_only_undamaged(read_file("corpus/indexing/scatter_max.kir"), {{"cmp.ogt", "cmp.olt"}, {"< G", "<= G"}});
}

TEST(Updates, AUniqueScatterIsItsStores) {
  const std::string kir = R"(kir 1
kernel spread(x: in f32[N], y: out f32[2 * N], z: out i32[2 * N]) {
  scatter unique y, z (i in 0..N) { yield 2 * i, x[i], to_i32(i) where i < N - 1 }
}
)";
  expect_only_undamaged(kir, {{"2 * %i", "2 * %i + 1"}, {"< N - 1", "< N"}});
  Verdicts v = check_kir(replaced(kir, "yield 2 * i", "yield i floordiv 2"));
  EXPECT_TRUE(v.fails(proof::ObligationKind::kir_race_free));
}

// Their own updates aside, members without an order race like others: what one reads no other one updates.
TEST(Updates, WhatAMemberReadsNoOtherUpdates) {
  auto scatter = [](const std::string& order, const std::string& read) {
    return "kir 1\nkernel k(x: in i32[N], y: inout i32[N], z: inout i32[N]) {\n  scatter reduce order(" + order +
           ") y, z (i in 1..N) { yield i, " + read +
           ", x[i] } combine (a: i32, c: i32, b: i32, d: i32) { yield a + b, c + d }\n}\n";
  };
  auto histogram = [](const std::string& read) {
    return "kir 1\nkernel k(y: inout i8[N]) where N >= 1 {\n  histogram y (i in 1..N) { yield i, " + read +
           " } out_of_range(drop)\n}\n";
  };
  for (const char* order : {"tree", "any"})
    EXPECT_TRUE(check_kir(scatter(order, "y[i - 1]")).fails(proof::ObligationKind::kir_race_free)) << order;
  EXPECT_TRUE(check_kir(histogram("y[i - 1]")).fails(proof::ObligationKind::kir_race_free));
  for (const std::string& kir : {scatter("strict", "y[i - 1]"), scatter("any", "y[i]"), histogram("y[i]")}) {
    Verdicts v = check_kir(kir);
    EXPECT_TRUE(v.all_proved()) << kir << v.failures;
  }
}

// A licence of more than the members' order is owed by the combine, as a fold's.
TEST(Updates, TheCombineKeepsItsLicence) {
  auto kir = [](const std::string& order, const std::string& type, const std::string& combine) {
    return "kir 1\nkernel k(x: in " + type + "[N], y: inout " + type + "[N]) {\n  scatter reduce order(" + order +
           ") y (i in 0..N) { yield i floordiv 4, x[i] } combine (a: " + type + ", b: " + type + ") { yield " + combine +
           " }\n}\n";
  };
  for (const std::string& bad : {kir("tree", "i32", "a * 2 + b"), kir("any", "i32", "a * 2 + b"), kir("any", "i32", "b"),
                                 kir("any", "f32", "a * 2.0 + b")})
    EXPECT_TRUE(check_kir(bad).fails(proof::ObligationKind::combine_laws)) << bad;
  for (const std::string& good : {kir("strict", "i32", "a * 2 + b"), kir("tree", "i32", "b"), kir("any", "i32", "a + b * 1"),
                                  kir("any", "f32", "a + b * 1.0"), kir("any", "i32", "a + b")}) {
    Verdicts v = check_kir(good);
    EXPECT_TRUE(v.all_proved()) << good << v.failures;
  }
}

// Neither the coordinates nor the operands tell the member, but how they are made of it does.
TEST(Atomics, PointsAreToldByTheShapeOfTheirElements) {
  for (const char* body : {"  parallel i in 0..M { atomic_rmw.add y[i mod 4], 1 order(relaxed) }\n",
                           "  parallel i in 0..N { atomic_rmw.max.s y[min(i, 3)], 5 order(relaxed) }\n",
                           "  histogram y (i in 0..N) { yield to_index(x[min(i + 1, N - 1)]), 1 } out_of_range(drop)\n"}) {
    const std::string kir =
        std::string("kir 1\nkernel k(x: in i32[N], y: inout i32[4], z: inout i32[4], M: index) where M >= 0, N >= 1 {\n") +
        "  parallel j in 0..4 { z[j] = 1 }\n" + body + "}\n";
    expect_only_undamaged(kir, {{"= %w - O1", "= max(0, %w - O1 - 1)"}});
  }
}

TEST(Atomics, TwoAlikeAreTwo) {
  const std::string kir =
      "kir 1\nkernel twice(y: inout i32[N]) {\n  parallel i in 0..N {\n    atomic_rmw.add y[i], 1 order(relaxed)\n"
      "    atomic_rmw.add y[i], 1 order(relaxed)\n  }\n}\n";
  const std::string good = constructed(kir);
  Verdicts v = check_refinement(kir, good);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  const std::size_t second = good.rfind("atomic_rmw.add");
  ASSERT_NE(second, std::string::npos);
  std::string once = good;
  once.erase(once.rfind('\n', second), once.find('\n', second) - once.rfind('\n', second));
  EXPECT_FALSE(check_refinement(kir, once).all_proved()) << once;
  std::string thrice = good;
  const std::size_t line = thrice.rfind('\n', second);
  std::string again = thrice.substr(line, thrice.find('\n', second) - line);
  const std::size_t name = again.find('%');
  again.replace(name, again.find(':') - name, "%more");
  thrice.insert(thrice.find('\n', second), again);
  EXPECT_FALSE(check_refinement(kir, thrice).all_proved()) << thrice;
}

// Nothing tells which instance is which member: each counts from where it begins.
TEST(Atomics, MembersThatAreAllAlikeAreCounted) {
  const std::string kir =
      "kir 1\nkernel k(x: in i32[N], y: inout i32[4], z: inout i32[4]) where N >= 1 {\n  parallel j in 0..4 { z[j] = 1 }\n"
      "  histogram y (i in 0..N) { yield to_index(x[0]), 1 } out_of_range(drop)\n}\n";
  const std::string good = constructed(kir);
  Verdicts v = check_refinement(kir, good);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_FALSE(check_refinement(kir, replaced(good, "L1 = N offset", "L1 = N - 1 offset")).all_proved());
}

}  // namespace
}  // namespace kir::test
