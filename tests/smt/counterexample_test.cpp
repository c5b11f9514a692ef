// Counterexamples: as small as they can be, told with the places of what goes wrong, and real.
#include <gtest/gtest.h>

#include <set>

#include "core/base/file.h"
#include "core/text/text.h"
#include "formula.h"
#include "programs.h"
#include "proof/formula.h"
#include "smt/minimise.h"
#include "smt/run.h"

namespace kir {
namespace {

using test::kernel_of;
using test::program_of;

using proof::ObligationKind;
using proof::Verdict;
using smt::Counterexample;
using smt::Misbehaviour;
using smt::Step;

// A program for `kernel copy(x: in f32[N], y: out f32[N])`, one instance for each i.
std::string copying(const std::string& body, const std::string& type = "i64") {
  return "program copy implements \"copy\"\n"
         "abi {\n x: view f32[N] strides(1) in align 4\n y: view f32[N] strides(1) out align 4\n dims N: i64\n}\n"
         "launch { threads 1 pack 128 grid G = ceildiv(N, 128) }\n"
         "space { g0: (i in 0..N) length L0 = N offset O0 = 0 }\n"
         "dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%i = %w - O0)\n else -> exit }\n"
         "group g0 (%i: " +
         type + " in 0..N) {\n" + body + "}\n";
}

const char* const kCopy = "kernel copy(x: in f32[N], y: out f32[N]) {\n  parallel i in 0..N {\n    y[i] = x[i]\n  }\n}";

smt::RunOptions options(int replays = smt::MinimiseLimits{}.replays) {
  smt::RunOptions o;
  o.decide.rlimit = 4'000'000;
  o.minimise.replays = replays;
  return o;
}

// The counterexample of the first obligation of that kind that is refuted.
Counterexample of(const smt::Outcome& out, ObligationKind kind) {
  for (std::size_t i = 0; i < out.decisions.size(); ++i)
    if (out.ledger.obligations[i].kind == kind && out.decisions[i].verdict == Verdict::refuted) {
      EXPECT_NE(out.counterexample_of[i], smt::Outcome::kNone);
      return out.counterexamples.at(out.counterexample_of[i]);
    }
  ADD_FAILURE() << "no refuted " << proof::name(kind);
  return {};
}

Counterexample refuted(const std::string& kernel, ObligationKind kind, const std::string& program = "") {
  const auto k = kernel_of(kernel);
  const PhysicalPtr p = program.empty() ? nullptr : program_of(program);
  if (!k || (!p && !program.empty())) return {};
  return of(smt::run(*k, p.get(), nullptr, options()), kind);
}

// The text that a step stands in, and what of it.
std::string quoted(const Step& s, std::size_t place, const std::string& kernel, const std::string& program = "") {
  if (place >= s.places.size()) return "";
  const auto& [side, range] = s.places[place];
  return ((side == proof::Side::kir ? "kir 1\n" + kernel : "pir 1\n" + program)).substr(range.begin, range.end - range.begin);
}

TEST(Counterexample, out_of_bounds_is_shown_at_the_smallest_size) {
  const std::string kernel = "kernel k(x: in f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = x[i + 1] } }";
  const Counterexample c = refuted(kernel, ObligationKind::kir_safe);
  EXPECT_EQ(one_line(c), "at N = 1: load x[1] with i = 0: load x[1] is outside [0, 1)");
  EXPECT_EQ(c.what, Misbehaviour::kir_error);
  EXPECT_EQ(c.error, RuntimeErrorKind::out_of_bounds);
  EXPECT_EQ(c.run, Counterexample::Run::kernel);
  EXPECT_TRUE(c.telling.empty());
  ASSERT_EQ(c.steps.size(), 1u);
  EXPECT_EQ(quoted(c.steps[0], 0, kernel), "x[i + 1]");
}

TEST(Counterexample, a_size_below_which_nothing_goes_wrong_is_met_exactly) {
  const auto text = [](const std::string& where) {
    return "kernel k(x: in f32[1000], y: out f32[N])" + where + " { parallel i in 0..N { y[i] = x[i] } }";
  };
  EXPECT_EQ(one_line(refuted(text(""), ObligationKind::kir_safe)),
            "at N = 1001: load x[1000] with i = 1000: load x[1000] is outside [0, 1000)");
  EXPECT_EQ(refuted(text(" where N >= 5000"), ObligationKind::kir_safe).sizes, (std::vector<NamedValue>{{"N", 5000}}));
  // Sizes that depend on each other.
  EXPECT_EQ(refuted("kernel k(x: in f32[K], y: out f32[M]) where K == 2*M, M >= 3 {"
                    " parallel i in 0..M { y[i] = x[2*i + 2] } }",
                    ObligationKind::kir_safe)
                .sizes,
            (std::vector<NamedValue>{{"K", 6}, {"M", 3}}));
}

TEST(Counterexample, of_a_race_both_accesses_are_told) {
  const std::string kernel = "kernel k(x: inout f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = x[i] x[0] = 1.0 } }";
  const Counterexample c = refuted(kernel, ObligationKind::kir_race_free);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", 2}}));
  ASSERT_EQ(c.steps.size(), 2u);
  EXPECT_EQ(c.steps[0].role, Step::Role::first);
  EXPECT_EQ(c.steps[1].role, Step::Role::second);
  EXPECT_EQ(text(c.steps[0]), "store x[0] with i = 0");
  EXPECT_EQ(text(c.steps[1]), "store x[0] with i = 1");
  const Counterexample between =
      refuted("kernel k(x: inout f32[N]) { parallel i in 0..N { let a: f32 = load x[N - 1 - i] store x[i] = a } }",
              ObligationKind::kir_race_free);
  ASSERT_EQ(between.steps.size(), 2u);
  EXPECT_EQ(between.sizes, (std::vector<NamedValue>{{"N", 2}}));
  EXPECT_EQ(one_line(between),
            "at N = 2: store x[0] with i = 0, then load x[0] with i = 1: the second reads the element that the first writes, "
            "and nothing orders them");
}

// Accesses in loops inside: the iteration of each is told.
TEST(Counterexample, the_earlier_access_is_told_with_its_loops) {
  const std::string kernel =
      "kernel k(x: inout f32[N, M]) { parallel i in 0..N {\n for j in 0..M {\n store x[0, j] = 1.0\n }\n } }";
  const Counterexample c = refuted(kernel, ObligationKind::kir_race_free);
  ASSERT_EQ(c.steps.size(), 2u);
  EXPECT_EQ(text(c.steps[0]), "store x[0, 0] with i = 0, j = 0");
  EXPECT_EQ(text(c.steps[1]), "store x[0, 0] with i = 1, j = 0");
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", 2}, {"M", 1}}));
  EXPECT_EQ(quoted(c.steps[0], 0, kernel), "store x[0, j] = 1.0");
}

TEST(Counterexample, memory_is_shared_only_where_that_matters) {
  const std::string head = "kernel k(x: in f32[N], y: inout f32[N]) alias { may_alias(x, y) } { parallel i in 0..N { ";
  const std::string reversed = head + "y[i] = x[N - 1 - i] } }";
  const Counterexample c = refuted(reversed, ObligationKind::kir_race_free);
  EXPECT_EQ(one_line(c),
            "at N = 2, y is x: store y[0] with i = 0, then load x[0] with i = 1: the second reads the element "
            "that the first writes, and nothing orders them");
  EXPECT_EQ(quoted(c.steps.at(0), 0, reversed), "y[i] = x[N - 1 - i]");
  EXPECT_EQ(quoted(c.steps.at(1), 0, reversed), "x[N - 1 - i]");
  const Counterexample apart = refuted(head + "y[0] = x[i] } }", ObligationKind::kir_race_free);
  EXPECT_TRUE(apart.same.empty());
  EXPECT_EQ(apart.sizes, (std::vector<NamedValue>{{"N", 2}}));
}

TEST(Counterexample, only_contents_that_matter_are_told) {
  const Counterexample c = refuted(
      "kernel k(a: in i32[N], b: in i32[N], s: i32, q: out i32[N]) { parallel i in 0..N { let d: i32 = mul b[i], s"
      " q[i] = divt(a[i], d) } }",
      ObligationKind::kir_safe);
  EXPECT_EQ(c.error, RuntimeErrorKind::division);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", 1}}));
  // The divisor is 0 for each of the two, so the other one does not matter; with neither told, it need not be 0.
  EXPECT_TRUE(c.telling == std::vector<std::string>{"b"} || c.telling == std::vector<std::string>{"s"});
  const Counterexample d =
      refuted("kernel k(a: in i32[N], b: in i32[N], q: out i32[N]) { parallel i in 0..N { q[i] = divt(a[i], b[i]) } }",
              ObligationKind::kir_safe);
  EXPECT_EQ(d.telling, std::vector<std::string>{"b"});
  ASSERT_TRUE(d.launch);
  EXPECT_EQ(d.launch->views.at("b")->load(0).bits, 0u);
}

TEST(Counterexample, contents_that_matter_by_being_equal_are_told) {
  const Counterexample c = refuted(
      "kernel k(x: in f32[N], s: in i32[N], y: out f32[N]) where N >= 1 {"
      " parallel i in 0..N { let j = to_index(s[i]) y[j mod N] = x[i] } }",
      ObligationKind::kir_race_free);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", 2}}));
  EXPECT_EQ(c.telling, std::vector<std::string>{"s"});
}

TEST(Counterexample, of_a_wrong_value_both_writers_are_told) {
  const std::string program = copying(" %c: i64 = index N - 1 - %i\n %v: f32 = load x[%c]\n store y[%i] = %v\n");
  const auto out = smt::run(*kernel_of(kCopy), program_of(program).get(), nullptr, options());
  const Counterexample c = of(out, ObligationKind::relation_equal);
  EXPECT_EQ(c.what, Misbehaviour::different_output);
  EXPECT_EQ(c.run, Counterexample::Run::both);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", 2}}));
  ASSERT_EQ(c.steps.size(), 2u);
  EXPECT_EQ(c.steps[0].role, Step::Role::kernel);
  EXPECT_EQ(c.steps[1].role, Step::Role::program);
  EXPECT_EQ(quoted(c.steps[0], 0, kCopy), "y[i] = x[i]");
  EXPECT_EQ(quoted(c.steps[1], 0, kCopy, program), "store y[%i] = %v");
  EXPECT_EQ(c.steps[1].program, 0);
  // One element is 1, the other 0.
  const Tensor& x = *c.launch->views.at("x");
  EXPECT_EQ((std::set<std::uint64_t>{x.load(0).bits, x.load(1).bits}), (std::set<std::uint64_t>{0, Scalar::of_f32(1).bits}));
  EXPECT_EQ(c.telling, std::vector<std::string>{"x"});
}

TEST(Counterexample, what_a_program_never_stores_is_told) {
  const std::string program = copying(" %p: i1 = index %i > 2\n %v: f32 = load x[%i]\n store y[%i] = %v where %p\n");
  const Counterexample c = refuted(kCopy, ObligationKind::coverage, program);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", 1}}));
  ASSERT_EQ(c.steps.size(), 2u);
  EXPECT_EQ(text(c.steps[1]), "stores nothing to y[0]");
}

TEST(Counterexample, of_a_program_the_instance_is_told) {
  const std::string program = copying(" %c: i64 = index %i + 5\n %v: f32 = load x[%c]\n store y[%i] = %v\n");
  const Counterexample c = refuted(kCopy, ObligationKind::access_bounds, program);
  EXPECT_EQ(c.what, Misbehaviour::physical_error);
  EXPECT_EQ(one_line(c), "at N = 1: load x[5] in program 0 with i = 0: load x[5] is outside [0, 1)");
  EXPECT_EQ(quoted(c.steps.at(0), 0, kCopy, program), "load x[%c]");
}

TEST(Counterexample, a_program_tells_the_line_of_the_kernel_that_it_stands_for) {
  const std::string program = copying(" %v: f32 = load x[%i] !2\n %c: i64 = index 0\n store y[%c] = %v !3\n");
  const Counterexample c = refuted(kCopy, ObligationKind::ownership_disjoint, program);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", 2}}));
  ASSERT_EQ(c.steps.size(), 2u);
  EXPECT_EQ(text(c.steps[0]), "store y[0] in program 0 with i = 0");
  EXPECT_EQ(text(c.steps[1]), "store y[0] in program 1 with i = 1");
  for (const Step& s : c.steps) {
    ASSERT_EQ(s.places.size(), 2u);
    EXPECT_EQ(s.places[0].side, proof::Side::physical);
    EXPECT_EQ(s.places[1].side, proof::Side::kir);
    EXPECT_FALSE(s.places[1].range.empty());
  }
}

std::string corpus_text(const std::string& file) {
  std::string error;
  return read_file(KIR_SOURCE_DIR "/corpus/" + file, kMaxBytes, &error).value_or("");
}

// Of a program of the corpus with a part replaced by another one.
Counterexample damaged(const std::string& kernel, const std::string& program, const std::string& part, const std::string& other,
                       ObligationKind kind) {
  std::string text = corpus_text("physical/" + program);
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos);
  Diagnostics diagnostics;
  const auto module = parse_kir(std::make_shared<SourceFile>(kernel, corpus_text(kernel)), diagnostics);
  const auto source = std::make_shared<SourceFile>(program, text.replace(at, part.size(), other));
  const PhysicalPtr p = parse_pir(source, diagnostics);
  EXPECT_TRUE(module && p) << diagnostics.render(*source);
  return module && p ? of(smt::run(*module->kernels.at(0), p.get(), nullptr, options()), kind) : Counterexample();
}

TEST(Counterexample, of_fragments_the_threads_are_told) {
  const Counterexample outside =
      damaged("row_sum.kir", "row_sum_tiled.pir", "index %e < N", "index %e <= N", ObligationKind::access_bounds);
  ASSERT_EQ(outside.steps.size(), 1u);
  EXPECT_EQ(text(outside.steps[0]), "load x[0, 1] in program 0, thread 1 with row = 0, t = 0");
  const Counterexample twice =
      damaged("softmax.kir", "softmax_tiled.pir", "    store y[%row, %e3]",
              "    %h: i64<1024; @L> = index %e3 floordiv 2\n    store y[%row, %h]", ObligationKind::ownership_disjoint);
  EXPECT_EQ(twice.sizes, (std::vector<NamedValue>{{"M", 1}, {"N", 2}}));
  ASSERT_EQ(twice.steps.size(), 2u);
  EXPECT_EQ(text(twice.steps[0]), "store y[0, 0] in program 0, thread 0 with row = 0, t3 = 0");
  EXPECT_EQ(text(twice.steps[1]), "store y[0, 0] in program 0, thread 1 with row = 0, t3 = 0");
}

TEST(Counterexample, of_several_groups_the_one_is_told) {
  const Counterexample c =
      damaged("two_groups.kir", "two_groups.pir", "load z[%k]", "load z[K - 1 - %k + 1]", ObligationKind::access_bounds);
  ASSERT_EQ(c.steps.size(), 1u);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"M", 0}, {"N", 0}, {"K", 1}}));
  EXPECT_EQ(c.steps[0].group, "g1");
  EXPECT_EQ(text(c.steps[0]), "load z[1] in program 0 (group g1) with k = 0");
}

TEST(Counterexample, a_law_is_told_at_small_operands) {
  const auto fold = [](const std::string& combine, const std::string& identity) {
    return "kernel k(x: in i32[N], s: out i32[1]) { let t: i32 = reduce (n in 0..N) map { let v: i32 = load x[n] yield v }"
           " combine order(any) (a: i32, b: i32) { let r: i32 = " +
           combine + " a, b yield r } identity (" + identity + ") s[0] = t }";
  };
  const Counterexample wrong = refuted(fold("add", "1"), ObligationKind::combine_laws);
  EXPECT_EQ(wrong.run, Counterexample::Run::combine);
  EXPECT_EQ(wrong.finding, "the identity changes a value: combine(1, 0) = 1");
  EXPECT_TRUE(wrong.sizes.empty());
  const Counterexample order = refuted(fold("sub", "0"), ObligationKind::combine_laws);
  EXPECT_EQ(order.run, Counterexample::Run::combine);
  EXPECT_NE(order.finding.find("combine("), std::string::npos) << order.finding;
}

proof::Ledger one(ObligationKind kind, proof::Side side, const std::vector<std::string>& hypotheses, const std::string& goal) {
  proof::Ledger ledger;
  proof::Obligation& o = test::add(ledger, "one", hypotheses, goal);
  o.kind = kind;
  o.side = side;
  return ledger;
}

// At i = 2^31 - 1 the intermediate i + 1 leaves 32 bits; with fewer elements nothing does.
TEST(Counterexample, a_size_that_nothing_can_hold_is_met_exactly) {
  const std::string program =
      copying(" %c: i32 = index min(%i + 1, 5)\n %d: i32 = index %c - %c\n %v: f32 = load x[%d]\n store y[%i] = %v\n", "i64");
  smt::Outcome out = smt::judge(
      *kernel_of(kCopy), program_of(program).get(),
      one(ObligationKind::index_no_overflow, proof::Side::physical, {"0 <= w < N", "N <= 100000000000"}, "w + 1 <= 2147483647"),
      options());
  const Counterexample c = of(out, ObligationKind::index_no_overflow);
  EXPECT_EQ(c.run, Counterexample::Run::instances);
  EXPECT_EQ(c.error, RuntimeErrorKind::index_overflow);
  EXPECT_EQ(c.sizes, (std::vector<NamedValue>{{"N", std::int64_t{1} << 31}}));
  ASSERT_EQ(c.steps.size(), 1u);
  EXPECT_EQ(c.steps[0].program, (std::int64_t{1} << 31) - 1);
  EXPECT_EQ(c.steps[0].variables, (std::vector<NamedValue>{{"i", (std::int64_t{1} << 31) - 1}}));
}

TEST(Counterexample, a_point_that_is_only_evaluated_is_as_small) {
  proof::Ledger ledger =
      one(ObligationKind::index_no_overflow, proof::Side::physical, {"0 <= w < N", "0 <= v < M"}, "w < 5000000000");
  ledger.obligations[0].concrete = true;
  const std::vector<proof::Binding> model = {{"w", "9000000000"}, {"v", "12"}, {"N", "9999999999"}, {"M", "100"}};
  std::vector<proof::Binding> ordered;
  for (Expr leaf : proof::formula_leaves(ledger.obligations[0]))
    for (const proof::Binding& b : model)
      if (to_string(leaf).starts_with(b.leaf)) ordered.push_back({to_string(leaf), b.value});
  ASSERT_EQ(ordered.size(), 4u);
  std::map<char, std::string> small;
  for (const auto& b : smt::minimise_model(ledger.obligations[0], ordered, [](const auto&) { return true; }, {}))
    small[b.leaf[0]] = b.value;
  EXPECT_EQ(small, (std::map<char, std::string>{{'w', "5000000000"}, {'v', "0"}, {'N', "5000000001"}, {'M', "1"}}));
  // What may not be is left as it was.
  EXPECT_EQ(smt::minimise_model(ledger.obligations[0], ordered, [](const auto&) { return false; }, {})[0].value,
            ordered[0].value);
}

TEST(Minimise, keeps_what_was_found_when_it_may_try_nothing) {
  const auto kernel = kernel_of("kernel k(x: in f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = x[i + 1] } }");
  const smt::LaunchRecipe recipe{{{"N", 50}}, smt::Contents::exact, 3, false};
  const smt::Trial found = smt::try_launch(*kernel, nullptr, *smt::make_args(kernel->abi, recipe), {});
  ASSERT_EQ(found.what, Misbehaviour::kir_error);
  for (int replays : {0, 1, 5, 400}) {
    const smt::Minimised m = smt::minimise(*kernel, nullptr, recipe, found, {}, {.replays = replays});
    EXPECT_TRUE(smt::same_failure(m.trial, found));
    EXPECT_EQ(m.symbols.at("N"), replays == 0 || replays == 1 ? 50 : 1) << replays;
    ASSERT_TRUE(m.args);
    // The arguments are those of the sizes, and misbehave.
    EXPECT_EQ(m.args->views.at("x")->shape[0], m.symbols.at("N"));
    EXPECT_TRUE(smt::same_failure(smt::try_launch(*kernel, nullptr, *m.args, {}), found));
  }
  EXPECT_EQ(smt::minimise(*kernel, nullptr, recipe, found, {}, {.steps = 0}).symbols.at("N"), 50);
}

}  // namespace
}  // namespace kir
