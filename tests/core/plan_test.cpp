// Host plans: text, rules and meaning.
#include "core/kir/plan.h"

#include <fmt/format.h>

#include "tests/core/interp_support.h"
#include "tests/core/text_support.h"

namespace kir::test {
namespace {

using testing::Arguments;
using testing::Words;

const std::string kKernels = R"(kir 1
kernel scale(a: f32, x: in f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = a * x[i] } }
kernel sum(x: in f32[N], y: out f32[1]) { y[0] = reduce add order(strict) over n in 0..N { x[n] } }
kernel first(x: in f32[N], y: out f32[N], K: index) where K <= N { parallel i in 0..K { y[i] = x[i] } }
kernel grow(x: inout f32[N]) { parallel i in 0..N { x[i] = x[i] + 1.0 } }
kernel both(x: in f32[N], y: inout f32[N]) alias { may_alias(x, y) } { parallel i in 0..N { y[i] = x[i] + y[i] } }
kernel typed<T: dtype in {f32, f16}>(x: in T[N], y: out T[N]) { parallel i in 0..N { y[i] = x[i] } }
kernel blocks(x: in f32[N], y: out f32[ceildiv(N, 4)]) {
  parallel b in 0..ceildiv(N, 4) {
    y[b] = reduce add order(strict) over n in 4 * b..min(4 * b + 4, N) { x[n] }
  }
}
kernel aligned(x: inout f32[N] align 64) { parallel i in 0..N { x[i] = 0.0 } }
kernel nonempty(x: inout f32[N]) where N >= 1 { x[0] = 0.0 }
)";

std::string with(const std::string& plan) { return kKernels + plan; }

// The only plan of the text.
std::shared_ptr<const Plan> plan_of(const std::string& plan) {
  const KirResult r = kir_of(with(plan));
  EXPECT_TRUE(r.module) << r.text();
  return r.module && r.module->plans.size() == 1 ? r.module->plans[0] : nullptr;
}

TEST(PlanText, PrintsAndParsesBack) {
  const char* plan =
      "plan p(a: f32, x: in f32[N], z: out f32[1], K: index)\n"
      "  where K <= N\n"
      "{\n"
      "  alloc t: f32[N]\n"
      "  alloc partial: f32[ceildiv(N, 4)]\n"
      "  launch scale(a = a, x = x, y = t)\n"
      "  launch scale(a = -0.5, x = x, y = t)\n"
      "  launch typed<T = f32>(x = x, y = t)\n"
      "  launch first(x = x, y = t, K = min(K, N))\n"
      "  launch blocks(x = t, y = partial)\n"
      "  launch sum(x = partial, y = z)\n"
      "}\n";
  const auto p = plan_of(plan);
  ASSERT_TRUE(p);
  EXPECT_EQ(print(*p), plan);
  expect_kir_round_trip(with(plan));
  EXPECT_EQ(p->temporaries.size(), 2u);
  ASSERT_EQ(p->launches.size(), 6u);
  EXPECT_EQ(p->launches[2].kernel->id(), "typed<T = f32>");
  EXPECT_EQ(p->launches[0].buffers[1], (BufferRef{true, 0}));
}

TEST(PlanText, ANameAloneStandsForItself) {
  const auto p = plan_of("plan p(x: in f32[N], y: out f32[1]) { launch sum(x, y) }");
  ASSERT_TRUE(p);
  EXPECT_NE(print(*p).find("launch sum(x = x, y = y)"), std::string::npos) << print(*p);
}

TEST(PlanText, MistakesAreToldWhereTheyStand) {
  struct Case {
    const char *plan, *rule, *words;
  };
  for (const Case& c : {
           Case{"plan p(x: in f32[N], y: out f32[1]) { launch summ(x, y) }", "T-01", "there is no kernel 'summ'"},
           {"plan p(x: in f32[N], y: out f32[N]) { launch typed(x, y) }", "T-01", "typed<T = f32>, typed<T = f16>"},
           {"plan p(x: in f32[N], y: out f32[1]) { launch sum(x = x, z = y) }", "T-01", "'sum' has no parameter 'z'"},
           {"plan p(x: in f32[N], y: out f32[1]) { launch sum(x, x, y) }", "T-02", "'x' gets two arguments"},
           {"plan p(x: in f32[N], y: out f32[1]) { launch sum(x) }", "T-08", "'y' of 'sum' gets no argument"},
           {"plan p(x: in f32[N], y: out f32[1]) { launch sum(x = q, y = y) }", "T-01", "'q' is not bound"},
           {"plan p(x: in f32[N], y: out f32[1]) { launch sum(x = N, y = y) }", "T-03", "'N' is neither a view"},
           {"plan p(x: in f32[N], y: out f32[N]) { launch scale(a = x, x, y) }", "T-03",
            "data scalar of the plan or a literal"},
           {"plan p(x: in f32[N], y: out f32[N]) { launch scale(a = 1, x, y) }", "T-07", "1"},
           {"plan p(x: in f32[N], y: out f32[1]) { alloc x: f32[N] launch sum(x, y) }", "T-02", "'x' is already bound"},
           {"plan p(x: in f32[N], y: out f32[1]) { alloc t: f32[M] launch sum(x, y) }", "T-01", "'M' is not bound"},
           {"plan p(x: in f32[N], y: out f32[1]) { let a = 1.0 launch sum(x, y) }", "P-03", "expected alloc, launch"},
           {"plan p(x: in f32[N], y: out f32[1]) { launch sum(x, y)", "P-03", "after the plan's launches"},
           {"plan sum(x: in f32[N], y: out f32[1]) { launch sum(x, y) }", "T-02", "a kernel or plan 'sum'"},
           {"plan p() { } plan p() { }", "T-02", "a kernel or plan 'p'"},
           {"plan later() { launch after() } kernel after() { }", "T-01", "before this plan"},
       }) {
    const KirResult r = kir_of(with(c.plan));
    EXPECT_FALSE(r.module) << c.plan;
    EXPECT_TRUE(r.has(c.rule)) << c.plan << "\n" << r.text();
    EXPECT_NE(r.text().find(c.words), std::string::npos) << c.plan << "\n" << r.text();
    EXPECT_NE(r.text().find("^"), std::string::npos) << r.text();
  }
}

TEST(PlanText, AKernelWithErrorsIsNotMissedByThePlan) {
  const KirResult r = kir_of("kir 1\nkernel k(x: in f32[N]) { y[0] = 1.0 }\nplan p(x: in f32[N]) { launch k(x) }");
  EXPECT_EQ(r.diagnostics.error_count(), 1u) << r.text();
}

// Each rule of verify_plan.cpp that a text can break.
TEST(PlanVerifier, RefusesWhatCannotBeLaunched) {
  struct Case {
    const char *plan, *rule, *words;
  };
  for (const Case& c : {
           Case{"plan p(x: in f16[N], y: out f32[1]) { launch sum(x, y) }", "V-83", "'x' takes f32 with 1 axes, 'x' is f16"},
           {"plan p(x: in f32[N, N], y: out f32[1]) { launch sum(x, y) }", "V-83", "with 2"},
           {"plan p(x: in f32[N], y: out f32[2]) { launch sum(x, y) }", "V-84", "extent 0 of 'y' is 2, but 'y' wants 1"},
           {"plan p(x: in f32[N], y: out f32[M]) { launch scale(a = 1.0, x, y) }", "V-84", "which need not be the same"},
           {"plan p(x: in f32[N], y: out f32[N]) { alloc t: f32[N + 1] launch scale(a = 1.0, x, y = t) }", "V-84",
            "extent 0 of 't' is N + 1, but 'y' wants N"},
           {"plan p(x: in f32[N] strides(2), y: out f32[1]) { launch sum(x, y) }", "V-84", "stride 0 of 'x' is 2"},
           {"plan p(x: in f32[N]) { launch grow(x) }", "V-85", "an in view of the plan"},
           {"plan p(x: inout f32[N]) { alloc t: f32[N] launch scale(a = 1.0, x = t, y = x) }", "V-86", "'x' reads 't'"},
           {"plan p(x: out f32[N]) { launch grow(x) }", "V-86", "no earlier launch has written"},
           {"plan p(x: inout f32[N]) { launch scale(a = 1.0, x = x, y = x) }", "V-87", "both get 'x'"},
           {"plan p(x: in f32[N], y: out f32[N]) alias { may_alias(x, y) } { launch scale(a = 1.0, x, y) }", "V-87",
            "which may be one"},
           {"plan p(x: inout f32[N]) { launch aligned(x) }", "V-88", "aligned to 64 bytes, 'x' to 1"},
           {"plan p(x: inout f32[0]) { launch nonempty(x) }", "V-88", "does not hold"},
           {"plan p(x: inout f32[N]) where N <= 0 { launch nonempty(x) }", "V-88", "does not hold"},
       }) {
    const KirResult r = kir_of(with(c.plan));
    EXPECT_FALSE(r.module) << c.plan;
    EXPECT_TRUE(r.has(c.rule)) << c.plan << "\n" << r.text();
    EXPECT_NE(r.text().find(c.words), std::string::npos) << c.plan << "\n" << r.text();
  }
}

TEST(PlanVerifier, TakesWhatFollowsFromThePlansRelations) {
  for (const char* plan : {
           "plan p(x: in f32[N], y: out f32[M]) where N == M { launch scale(a = 1.0, x, y) }",
           "plan p(x: in f32[N], y: out f32[ceildiv(N, 4)]) { launch blocks(x, y) }",
           "plan p(x: in f32[4 * N], y: out f32[N]) { launch blocks(x, y) }",
           "plan p(x: inout f32[N] align 128) { alloc t: f32[N] launch aligned(x) launch aligned(x = x) }",
           "plan p(x: inout f32[N]) { launch both(x = x, y = x) }",
           "plan p(x: in f32[N], y: inout f32[N]) alias { may_alias(x, y) } { launch both(x, y) }",
           "plan p(x: inout f32[N]) { launch nonempty(x) }",
       }) {
    const KirResult r = kir_of(with(plan));
    EXPECT_TRUE(r.module) << plan << r.text();
  }
}

// What no text can say, hand-built plans can.
TEST(PlanVerifier, RefusesBrokenPlans) {
  const auto good = plan_of(
      "plan p(a: f32, x: in f32[N], y: out f32[N]) { alloc t: f32[N] launch scale(a, x, y = t) launch "
      "first(x = t, y = y, K = N) }");
  ASSERT_TRUE(good);
  auto expect = [&](const char* rule, auto change) {
    Plan p = *good;
    change(p);
    Diagnostics d;
    EXPECT_FALSE(verify(p, d)) << rule;
    ASSERT_FALSE(d.all().empty());
    EXPECT_EQ(d.all()[0].id, rule) << d.all()[0].message;
  };
  expect("V-80", [](Plan& p) { p.name = "let"; });
  expect("V-80", [](Plan& p) { p.temporaries[0].name = "x"; });
  expect("V-80", [](Plan& p) { p.temporaries[0].name = "1"; });
  expect("V-80", [](Plan& p) { p.launches.resize(Plan::kMaxSteps + 1, p.launches[0]); });
  expect("V-81", [](Plan& p) { p.temporaries[0].shape[0] = Expr(); });
  expect("V-81", [](Plan& p) { p.temporaries[0].shape[0] = p.pool->symbol("Q"); });
  expect("V-81", [](Plan& p) { p.temporaries[0].shape.assign(33, p.pool->constant(1)); });
  expect("V-82", [](Plan& p) { p.launches[0].kernel = nullptr; });
  expect("V-82", [](Plan& p) { p.launches[0].buffers.pop_back(); });
  expect("V-82", [](Plan& p) { p.launches[0].buffers[0].index = 7; });
  expect("V-82", [](Plan& p) { p.launches[0].scalars[0] = std::size_t{3}; });
  expect("V-82", [](Plan& p) { p.launches[0].scalars[0] = Scalar::of_int(DType::i32, 1); });
  expect("V-82", [](Plan& p) { p.launches[0].scalars[0] = Scalar{DType::f32, ~std::uint64_t{0}}; });
  expect("V-82", [](Plan& p) { p.launches[1].symbols.assign(2, Expr()); });
  expect("V-82", [](Plan& p) { p.launches[1].symbols.assign(2, p.pool->symbol("N")); });
}

// The brute force stays bounded: many views, facts and steps of one plan.
TEST(PlanVerifier, HostileSizesAreRefusedOrTakenQuickly) {
  std::string many = "plan p(x: inout f32[N]) {";
  for (std::size_t i = 0; i <= Plan::kMaxSteps + 5; ++i) many += " launch grow(x)";
  const KirResult r = kir_of(with(many + " }"));
  EXPECT_FALSE(r.module);
  EXPECT_TRUE(r.has("P-05")) << r.text();
  std::string relations = "plan p(x: in f32[N], y: out f32[M]) where N >= 0";
  for (int i = 0; i < 2000; ++i) relations += fmt::format(", N * {} + M <= M * M + {}", i + 3, 7 * i);
  relations += " {";
  for (int i = 0; i < 900; ++i) relations += " launch scale(a = 1.0, x, y)";
  const KirResult s = kir_of(with(relations + " }"));
  EXPECT_FALSE(s.module);
  EXPECT_TRUE(s.has("V-84"));
}

InterpretResult run_plan(const Plan& plan, const Arguments& a, const InterpretOptions& options = {}) {
  Diagnostics d;
  const std::optional<BoundLaunch> launch = bind_launch(plan.abi, a.args, d);
  EXPECT_TRUE(launch.has_value()) << (d.all().empty() ? "" : d.all()[0].message);
  return launch ? interpret(plan, *launch, options) : InterpretResult{};
}

void expect_error(const InterpretResult& r, RuntimeErrorKind kind, std::vector<std::string> parts) {
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(name(r.error->kind), name(kind)) << r.error->message;
  for (const std::string& p : parts)
    EXPECT_NE(r.error->message.find(p), std::string::npos) << r.error->message << " lacks " << p;
}

// shows: K1.6
TEST(PlanRuns, LaunchesFollowOneAnother) {
  const auto p = plan_of(
      "plan p(a: f32, x: in f32[N], z: out f32[1]) { alloc t: f32[N] alloc s: f32[ceildiv(N, 4)]"
      " launch scale(a, x, y = t) launch grow(x = t) launch blocks(x = t, y = s) launch sum(x = s, y = z) }");
  ASSERT_TRUE(p);
  for (int n : {0, 1, 4, 9}) {
    Arguments a;
    std::vector<std::string> x;
    double want = 0;
    for (int i = 0; i < n; ++i) x.push_back(fmt::format("{}.0", i)), want += 2 * i + 1;
    a.tensor("x", DType::f32, {n}, x).tensor("z", DType::f32, {1}).scalar("a", DType::f32, "2.0");
    const InterpretResult r = run_plan(*p, a);
    ASSERT_TRUE(r.ok()) << r.error->message;
    EXPECT_EQ(a.elements("z"), Words{literal_text(Scalar::of_f32(static_cast<float>(want)))}) << n;
    EXPECT_GT(r.steps, static_cast<std::uint64_t>(n));
  }
}

TEST(PlanRuns, AnErrorNamesItsLaunch) {
  const auto p = plan_of(
      "plan p(x: in f32[N], y: out f32[N], K: index) { alloc t: f32[N]"
      " launch scale(a = 1.0, x, y = t) launch first(x = t, y = y, K = K + 1) }");
  ASSERT_TRUE(p);
  Arguments a;
  a.tensor("x", DType::f32, {3}).tensor("y", DType::f32, {3}).symbol("K", 3);
  expect_error(run_plan(*p, a), RuntimeErrorKind::refused_launch, {"launch 2, first", "K <= N"});
  a.symbol("K", INT64_MAX);
  expect_error(run_plan(*p, a), RuntimeErrorKind::refused_launch, {"launch 2, first: K", "beyond 64 bits"});
}

TEST(PlanRuns, ElementsThatNoLaunchWroteAreNotRead) {
  const auto p = plan_of(
      "plan p(x: in f32[N], y: out f32[N], z: out f32[1], K: index) { alloc t: f32[N]"
      " launch first(x = x, y = t, K = K) launch first(x = t, y = y, K = K) launch sum(x = y, y = z) }");
  ASSERT_TRUE(p);
  Arguments a;
  a.tensor("x", DType::f32, {3}, {"1.0", "2.0", "3.0"}).tensor("y", DType::f32, {3}).tensor("z", DType::f32, {1});
  expect_error(run_plan(*p, a.symbol("K", 2)), RuntimeErrorKind::uninitialized_read, {"x[2]", "launch 3, sum", "n = 2"});
  EXPECT_TRUE(run_plan(*p, a.symbol("K", 3)).ok());
  EXPECT_EQ(a.elements("z"), Words{"6.0"});
}

TEST(PlanRuns, TemporariesAreBounded) {
  const auto p = plan_of("plan p(x: inout f32[N], K: index) { alloc t: f32[K, K, K] launch grow(x) }");
  ASSERT_TRUE(p);
  Arguments a;
  a.tensor("x", DType::f32, {1}, {"1.0"});
  for (std::int64_t k : {std::int64_t{1} << 20, std::int64_t{1} << 40, INT64_MAX})
    expect_error(run_plan(*p, a.symbol("K", k)), RuntimeErrorKind::refused_launch, {"the temporaries take more"});
  expect_error(run_plan(*p, a.symbol("K", -1)), RuntimeErrorKind::refused_launch, {"extent 0 of t is -1"});
  EXPECT_TRUE(run_plan(*p, a.symbol("K", 2)).ok());
  EXPECT_EQ(a.elements("x"), Words{"2.0"});
}

TEST(PlanRuns, StepsCountOverAllLaunches) {
  const auto p = plan_of("plan p(x: inout f32[N]) { launch grow(x) launch grow(x) launch grow(x) }");
  ASSERT_TRUE(p);
  Arguments a;
  a.tensor("x", DType::f32, {100}, std::vector<std::string>(100, "0.0"));
  const std::uint64_t steps = run_plan(*p, a).steps;
  EXPECT_EQ(steps % 3, 0u);
  expect_error(run_plan(*p, a, {.max_steps = steps - 1}), RuntimeErrorKind::step_limit, {"launch 3, grow"});
  EXPECT_TRUE(run_plan(*p, a, {.max_steps = steps}).ok());
}

}  // namespace
}  // namespace kir::test
