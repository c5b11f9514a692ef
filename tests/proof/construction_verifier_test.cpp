// For each check of the construction verifier: a program that passes all of them, and damaged ones of which that check fails.
#include <regex>
#include <utility>

#include "core/interp/interpreter.h"
#include "core/interp/launch_input.h"
#include "tests/corpus.h"
#include "tests/proof/damaged.h"

namespace kir::test {
namespace {

// shows: K9.1
TEST(ConstructionVerifier, K9_01_EachEffectInExactlyOneSlice) {
  const std::string store = "  store s[%m] = %total !7\n";
  refuses("K9.1", corpus("row_sum"),
          {{store, ""},
           {store, store + store},
           {"= %total !7", "= %t0 !7"},
           {"= %total !7", "= %total where %m > 0"},
           {"    yield %t1", "    store s[%m] = %t1\n    yield %t1"},
           {store, "  store x[%m, %m] = %total\n" + store},
           {"O0 <= %w and %w < O0 + L0", "O0 < %w and %w < O0 + L0"},
           {"O0 <= %w and %w < O0 + L0", "O0 <= %w"}});
  refuses("K9.1", corpus("two_groups"), {{"  store w[%k] = %t6 !12\n", ""}, {"g1(%k = %w_ - O1)", "g0(%m = %w_ - O1)"}});
}

// shows: K9.2 K2.4
TEST(ConstructionVerifier, K9_02_OneOwnerForEachResult) {
  refuses("K9.2", corpus("row_sum"),
          {{"%m = %w - O0", "%m = (%w - O0) floordiv 2"},
           {"%m = %w - O0", "%m = 0"},
           {"%m = %w - O0", "%m = M - %w"},
           {"store s[%m]", "store s[%m - %m]"},
           {"(m in 0..M) length L0 = M", "(m in 0..M - 1) length L0 = max(0, M - 1)"},
           {"s: view f32[M] out", "s: view f32[M] strides(0) out"}});
  refuses("K9.2", corpus("contractions/gemm_i8"),
          {{"%m = (%w - O0) floordiv N, %n = (%w - O0) mod N", "%m = (%w - O0) floordiv M, %n = (%w - O0) mod M"},
           {"%n = (%w - O0) mod N", "%n = 0"}});
}

constexpr const char* kRecurrence = R"(kir 1
kernel recurrence(y: inout f32[M, N]) {
  parallel m in 0..M {
    for t in 0..N - 1 { y[m, t + 1] = y[m, t] * y[m, t + 1] }
  }
}
)";

// shows: K9.3
TEST(ConstructionVerifier, K9_03_OrderedDependencesStayInOrder) {
  const Subject s = subject(kRecurrence);
  passes(s);
  // The ordered axis as an instance axis, the loop the other way round, every other step.
  const std::string spread = one_group("recurrence", "  y: view f32[M, N] inout\n  dims M: i64, N: i64", R"(
  %a: f32 = load y[%m, %t]
  %b: f32 = load y[%m, %t + 1]
  %c: f32 = mul %a, %b
  store y[%m, %t + 1] = %c)");
  const std::vector<Change> to_instances = {
      {"(m in 0..M) length L0 = M", "(m in 0..M, t in 0..N - 1) length L0 = M * max(0, N - 1)"},
      {"g0(%m = %w - O0)", "g0(%m = (%w - O0) floordiv (N - 1), %t = (%w - O0) mod (N - 1))"},
      {"(%m: i64 in 0..M)", "(%m: i64 in 0..M, %t: i64 in 0..N - 1)"}};
  std::string text = spread;
  for (const Change& c : to_instances) text = replaced(text, c.from, c.to);
  const std::string loop = one_group("recurrence", "  y: view f32[M, N] inout\n  dims M: i64, N: i64", R"(
  for %u: i64 in 0..N - 1 {
    %t: i64 = index N - 2 - %u
    %a: f32 = load y[%m, %t]
    %b: f32 = load y[%m, %t + 1]
    %c: f32 = mul %a, %b
    store y[%m, %t + 1] = %c
  })");
  const std::string in_order = replaced(loop, "N - 2 - %u", "%u");
  for (const proof::CheckResult& r : results_of(s, in_order)) EXPECT_EQ(r.verdict, proof::Verdict::proved) << r.check->id;
  const std::string late =
      replaced(replaced(in_order, "    %a: f32 = load y[%m, %t]\n", "    %a: f32 = load y[%m, %t]\n    store y[%m, %t] = %a\n"),
               "store y[%m, %t + 1] = %c", "store y[%m, %t + 1] = %c\n    store y[%m, %t] = %a");
  for (const std::string& damaged : {text, loop, replaced(loop, "  }\n", "    next %c\n  }\n")}) {
    const Results results = results_of(s, damaged);
    EXPECT_TRUE(of(results, "K9.3").failed()) << what_failed(results) << "\n" << damaged;
  }
  refuses("K9.3", corpus("affine_recurrence"), {{"next %after", "next %after, %after"}, {"next %after", "next"}});
}

// shows: K9.4
TEST(ConstructionVerifier, K9_04_UnorderedConflictsAreResolved) {
  refuses(
      "K9.4", corpus("scale_in_place"),
      {{"store x[%i]", "store x[%i - %i]"}, {"load x[%i]", "load x[%i - %i]"}, {"%i = %w - O0", "%i = (%w - O0) floordiv 2"}});
  refuses("K9.4", corpus("two_groups"), {{"%k = %w_ - O1", "%k = 0"}, {"%m = %w_ - O0", "%m = (%w_ - O0) floordiv 2"}});
}

// shows: K9.5
TEST(ConstructionVerifier, K9_05_EachAccessIsComplete) {
  const std::string load = "  %t0: f32 = load x[%i] !1\n";
  refuses(
      "K9.5", corpus("masked_store"),
      {{"where %t1", "where %t0"},
       {"where %t1", "where %i"},
       // A lane without a fill that decides something.
       {load, load + "  %m: i1 = load mask[%i]\n  %a: f32 = load x[%i] where %m\n  %c: i1 = cmp.oeq %a, %a\n  if %c {\n  }\n"},
       {load, load + "  %m: i1 = load mask[%i]\n  %a: f32 = load x[%i] where %m\n  %c: i1 = cmp.oeq %a, %a\n"
                     "  %d: f32 = load x[%i] where %c fill %t0\n"}});
  refuses("K9.5", corpus("masked_store"), OpKind::load, {without_last_operand, last_operand_twice, without_operands});
  refuses("K9.5", corpus("masked_store"), OpKind::store,
          {last_operand_twice, without_operands, [](OpEdit& e) { e.operands.resize(2); }});
}

constexpr const char* kFilled = R"(kir 1
kernel filled(x: in f32[M, N], y: out f32[M, N]) {
  parallel m in 0..M {
    let b: view f32[N] = buffer [N] init (n) { 1.0 }
    for n in 0..N { b[n] = x[m, n] * b[n] }
    for n in 0..N { y[m, n] = b[n] }
  }
}
)";

// shows: K9.6 K4.9
TEST(ConstructionVerifier, K9_06_BuffersKeepTheirContents) {
  refuses("K9.6", corpus("scans/cumsum"),
          {{"    store sum[%n] = %state !2\n", ""},
           {"(%n: i64 in 0..N) map", "(%n: i64 in 0..N - 1) map"},
           {"store sum[%n] = %state", "store sum[%n] = %state where %n > 0"}});
  const Subject s = subject(kFilled);
  const std::size_t begin = s.text.find(" init ("), end = s.text.find("\n  }", begin);
  ASSERT_NE(begin, std::string::npos) << s.text;
  refuses("K9.6", s, {{s.text.substr(begin, end + 4 - begin), ""}});
}

// shows: K9.7
TEST(ConstructionVerifier, K9_07_StructuredOperationsAreComplete) {
  const Subject sum = corpus("row_sum");
  refuses("K9.7", sum, {{"yield %t1", "yield"}, {"init (%t0)", "init (%t0, %t0)"}, {" identity (-0.0) init (%t0)", ""}});
  refuses("K9.7", sum, OpKind::reduce,
          {without_last_region, without_first_region, without(AttrKey::order), without(AttrKey::ranges), last_operand_twice,
           [](OpEdit& e) { std::swap(e.regions[0], e.regions[1]); },
           [](OpEdit& e) { e.attrs.set(AttrKey::identity, ScalarList{}); }});
  refuses("K9.7", corpus("scans/cumsum"), OpKind::scan,
          {without_last_region, without(AttrKey::inclusion), without(AttrKey::direction), last_operand_twice});
  refuses("K9.7", corpus("contractions/gemm_i8"), OpKind::contract,
          {without_last_region, without(AttrKey::axes), without(AttrKey::exact_product), last_operand_twice});
  refuses("K9.7", corpus("affine_recurrence"), OpKind::for_loop, {without_operands, without(AttrKey::ranges)});
}

// shows: K9.8
TEST(ConstructionVerifier, K9_08_SegmentsAreCompleteAndNotSeen) {
  const Subject fold = corpus("regions/log_sum_exp_fold"), scan = corpus("regions/linear_recurrence_scan");
  refuses("K9.8", fold, {{"order(tree)", "order(any)"}, {" identity (-inf, 0.0) !1", ""}});
  refuses("K9.8", fold, OpKind::region_fold, {without_last_region, without(AttrKey::order), without(AttrKey::ranges)});
  refuses("K9.8", scan, {{"order(tree)", "order(any)"}, {"init (%first)", "init (%first, %first)"}});
  refuses("K9.8", scan, OpKind::region_scan,
          {without_last_region, without_first_region, without_operands, without(AttrKey::order),
           [](OpEdit& e) { std::swap(e.regions[0], e.regions[2]); }});
}

// shows: K9.9
TEST(ConstructionVerifier, K9_09_EachValueHasALegalType) {
  const Subject s = corpus("row_sum");
  refuses("K9.9", s,
          {{"%t4: f32 = add", "%t4: f32 = divt"},
           {"  store", "  %f: f64<4> = splat %t0\n  store"},
           {"  store", "  %f: i32 = convert.sint %t0\n  store"}});
  const auto wrong = {of_type(Type::scalar(DType::i32)), of_type(Type::index()), of_type({}),
                      of_type(Type::tensor(DType::f32, {}))};
  for (OpKind kind : {OpKind::constant, OpKind::load, OpKind::add}) refuses("K9.9", s, kind, wrong);
}

// shows: K9.10
TEST(ConstructionVerifier, K9_10_TheProgramSpaceIsKnownAtLaunch) {
  const Subject s = corpus("affine_recurrence");
  refuses("K9.10", s,
          {{"ceildiv(O0 + L0, 128)", "ceildiv(O0 + L0, 128) - 1"},
           {"length L0 = R", "length L0 = R + 1"},
           {"length L0 = R", "length L0 = R floordiv T"},
           {"for %t: i64 in 0..T", "for %t: i64 in 0..T - 1"},
           {"for %t: i64 in 0..T", "for %t: i64 in 1..T"}});
  refuses("K9.10", s, [](PhysicalProgram& p) { p.launch.pack = 2048; });
  refuses("K9.10", s, [](PhysicalProgram& p) { p.launch.threads = 0; });
  // What depends on the instance itself, and so may depend on data.
  refuses("K9.10", s, [](PhysicalProgram& p) { p.definitions[0].value = p.pool->value(p.work); });
  refuses("K9.10", s, [](PhysicalProgram& p) { p.segments[0].hi[0] = p.pool->value(p.work); });
  refuses("K9.10", s, [](PhysicalProgram& p) { p.groups[0].hi[0] = p.pool->value(p.work); });
}

constexpr const char* kTriangle = R"(kir 1
kernel triangle(x: in f32[N], y: out f32[N]) {
  for t in 0..N {
    let b: view f32[t + 1] = buffer [t + 1]
    for n in 0..t + 1 { b[n] = x[n] }
    y[t] = b[t]
  }
}
)";

// shows: K9.11 K4.9
TEST(ConstructionVerifier, K9_11_EachBufferIsComplete) {
  refuses("K9.11", corpus("scans/cumsum"),
          {{"scope(private)", "scope(iteration)"},
           {"view f32[N] = buffer", "view f32[M] = buffer"},
           {"    store sum[%n] = %state !2\n", ""}});
  const std::string capacity = " capacity (max(0, N - 1 + 1))";
  refuses("K9.11", subject(kTriangle),
          {{"scope(iteration)", "scope(private)"}, {capacity, " capacity (N - 1)"}, {capacity, " capacity (7)"}});
  refuses("K9.11", subject(kTriangle), OpKind::buffer,
          {without(AttrKey::scope), without(AttrKey::capacity), without(AttrKey::extents)});
}

// shows: K9.12
TEST(ConstructionVerifier, K9_12_EachAccessIsInItsResource) {
  refuses("K9.12", corpus("row_sum"),
          {{"load x[%m, %n]", "load x[%m, %n + 1]"},
           {"load x[%m, %n]", "load x[%n, %m]"},
           {"in 0..N) map", "in 0..N + 1) map"},
           {"in 0..N) map", "in -1..N) map"},
           {"store s[%m]", "store s[%m + 1]"}});
  refuses("K9.12", corpus("scans/cumsum"), {{"store sum[%n]", "store sum[%n + 1]"}, {"load sum[%n]", "load sum[%n - 1]"}});
}

// shows: K9.13
TEST(ConstructionVerifier, K9_13_EachCoordinateIsTheKernels) {
  refuses("K9.13", corpus("row_sum"),
          {{"load x[%m, %n]", "load x[M - 1 - %m, %n]"},
           {"(%m: i64 in 0..M)", "(%m: i32 in 0..M)"},
           {"%w: i64 = program_id", "%w: i32 = program_id"}});
  refuses("K9.13", corpus("masked_store"), {{"load mask[%i]", "load mask[N - 1 - %i]"}, {"load x[%i]", "load x[N - 1 - %i]"}});
  refuses("K9.13", corpus("row_sum"), OpKind::load, {without_last_operand, without_operands});
  // A variable of the reduce, behind it.
  const Subject s = corpus("row_sum");
  const PhysicalPtr p = program(s.text);
  ValueId inner;
  for (std::uint32_t i = 0; i < p->body.op_count(); ++i)
    if (const Op& o = p->body.op(OpId(i)); o.kind == OpKind::reduce) inner = p->body.region(o.regions[0]).args[0];
  refuses("K9.13", s, OpKind::store, {[&](OpEdit& e) { e.operands[1] = inner; }});
}

// shows: K9.14
TEST(ConstructionVerifier, K9_14_NarrowedMembersAreASubset) {
  const std::string mask = "  %t1: i1 = load mask[%i] !2\n";
  refuses("K9.14", corpus("masked_store"),
          {{" where %t1", ""},
           {mask, "  %q: i1 = load mask[%i]\n  %t1: i1 = xor %q, true\n"},
           {mask, "  %t1: i1 = constant true\n"}});
  refuses("K9.14", corpus("reductions/masked_mean"),
          {{"    %t1: i1 = load keep[%m, %n] !8\n", "    %t1: i1 = constant true\n"},
           {"yield %t1", "yield %n"},
           {"yield %t1", "yield %t1, %t1"}});
}

// shows: K9.15
TEST(ConstructionVerifier, K9_15_AtomicsKeepOrderAndScope) {
  const std::string good = one_group("count", "  c: view i32[1] inout\n  dims M: i64", R"(  %one: i32 = constant 1
  %at: i64 = index 0
  %old: i32 = atomic_rmw.add c[%at], %one order(relaxed) share(invocation))");
  for (const auto& [from, to] :
       std::vector<Change>{{"atomic_rmw.add c[%at], %one order(relaxed)", "atomic_load c[%at] order(release)"},
                           {"atomic_rmw.add c[%at], %one order(relaxed)", "atomic_load c[%at] order(acq_rel)"},
                           {"atomic_rmw.add", "atomic_rmw.max.num"}}) {
    const std::string damaged = replaced(good, from, to);
    const Results results = results_of({}, damaged);
    EXPECT_TRUE(of(results, "K9.15").failed()) << what_failed(results) << "\n" << damaged;
  }
  // Against its kernel: what must not change, and the scope that the mapping needs.
  refuses("K9.15", corpus("atomics/atomic_count"), {{"scope(gpu)", "scope(cta)"}});
  refuses("K9.15",
          subject("kir 1\nkernel flag(x: in f32[1], y: inout f32[1], f: inout i32[1]) {\n  y[0] = x[0]\n"
                  "  atomic_store f[0] = 1 order(release) share(system)\n}\n"),
          {{"scope(system)", "scope(gpu)"}, {"scope(system)", "scope(cta)"}});
  refuses("K9.15", {nullptr, good}, OpKind::atomic_rmw,
          {without(AttrKey::memory_order), without(AttrKey::sharing), without(AttrKey::atomic_op)});
}

// A program's text, without what hints at its kernel, gives the same results.
// shows: K9.16
TEST(ConstructionVerifier, K9_16_TheProgramStandsAlone) {
  const Subject s = corpus("scans/cumsum");
  refuses("K9.16", s, [](PhysicalProgram& p) { p.abi.symbols.pop_back(); });
  refuses("K9.16", s, [](PhysicalProgram& p) { p.abi.params.pop_back(); });
  refuses("K9.16", s, [](PhysicalProgram& p) { p.abi.views[0].name.clear(); });
  refuses("K9.16", s, [](PhysicalProgram& p) { p.abi.views[0].name = p.abi.views[1].name; });
  refuses("K9.16", s, OpKind::load, {[](OpEdit& e) { e.kind = OpKind::elem; }});
  const PhysicalPtr whole = program(s.text);
  std::string text = std::regex_replace(s.text, std::regex(" ![0-9]+"), "");
  text = replaced(text, " implements \"cumsum\"", "");
  const PhysicalPtr alone = program(text);
  ASSERT_TRUE(whole && alone);
  EXPECT_EQ(print(*program(print(*alone))), print(*alone));
  auto run = [](const PhysicalProgram& p) {
    auto x = std::make_shared<Tensor>(Tensor::row_major(DType::f32, {3, 5})), y = std::make_shared<Tensor>(*x);
    for (std::int64_t i = 0; i < 15; ++i) x->store(i, Scalar::of_f32(static_cast<float>(i * i)));
    Diagnostics d;
    auto bound = bind_launch(p.abi, {.views = {{"x", x}, {"y", y}}, .scalars = {}, .symbols = {}}, d);
    EXPECT_TRUE(bound);
    EXPECT_TRUE(interpret(p, *bound).ok());
    std::vector<double> out;
    for (std::int64_t i = 0; i < 15; ++i) out.push_back(y->load(i).as_double());
    return out;
  };
  EXPECT_EQ(run(*alone), run(*whole));
}

// Each pass leaves a program that passes every check.
// shows: K9.1 K9.16
TEST(ConstructionVerifier, RunsAfterEachPass) {
  smt::RunOptions two_threads;
  two_threads.decide.jobs = 2;
  for (const auto& [name, k] : testing::corpus_kernels()) {
    std::size_t passes = 0;
    std::string before;
    lowering::PipelineOptions options;
    options.after = [&](const lowering::Pass& pass, const PhysicalPtr& p) {
      ++passes;
      if (before == std::exchange(before, print(*p))) return;  // the pass found nothing to do
      const smt::ConstructionVerdict v = smt::verify_construction(*k, *p, two_threads);
      EXPECT_TRUE(v.holds()) << name << " after " << pass.name << "\n" << proof::check_table(v.checks);
    };
    Diagnostics diagnostics;
    EXPECT_TRUE(lowering::compile(*k, options, diagnostics));
    EXPECT_EQ(passes, lowering::passes().size());
  }
}

}  // namespace
}  // namespace kir::test
