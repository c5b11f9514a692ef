// Verdicts of whole validations: what is replayed, what is not, and what the interpreters contradict.
#include <gtest/gtest.h>

#include "core/text/text.h"
#include "formula.h"
#include "programs.h"
#include "smt/launches.h"
#include "smt/replay.h"
#include "smt/replay_law.h"
#include "smt/run.h"

namespace kir {
namespace {

using test::kernel_of;
using test::program_of;

using proof::ObligationKind;
using proof::Verdict;

const char* const kCopy = "kernel copy(x: in f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = x[i] } }";
const char* const kShifted = "kernel shifted(x: in f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = x[i + 1] } }";

std::string copy_program(const std::string& grid, const std::string& index_type, const std::string& coordinate) {
  return "program copy implements \"copy\"\n"
         "abi {\n x: view f32[N] strides(1) in align 4\n y: view f32[N] strides(1) out align 4\n dims N: i64\n}\n"
         "launch { threads 1 pack 128 grid G = " +
         grid +
         " }\n"
         "space { g0: (i in 0..N) length L0 = N offset O0 = 0 }\n"
         "dispatch %w: " +
         index_type +
         " = program_id { O0 <= %w < O0 + L0 -> g0(%i = %w - O0)\n else -> exit }\n"
         "group g0 (%i: " +
         index_type + " in 0..N) {\n %c: " + index_type + " = index " + coordinate +
         "\n %v: f32 = load x[%c]\n store y[%i] = %v\n}\n";
}

proof::Ledger one(ObligationKind kind, proof::Side side, const std::vector<std::string>& hypotheses, const std::string& goal) {
  proof::Ledger ledger;
  proof::Obligation& o = test::add(ledger, "one", hypotheses, goal);
  o.kind = kind;
  o.side = side;
  return ledger;
}

// shows: D4
TEST(Judge, a_model_that_replays_is_refuted_with_its_story) {
  auto kernel = kernel_of(kShifted);
  smt::Outcome out =
      smt::judge(*kernel, nullptr, one(ObligationKind::kir_safe, proof::Side::kir, {"0 <= i < N"}, "i + 1 < N"), {});
  EXPECT_EQ(out.verdict, Verdict::refuted);
  EXPECT_EQ(out.exit_code, 1);
  ASSERT_FALSE(out.counterexamples.empty());
  EXPECT_NE(one_line(out.counterexamples[0]).find("N = "), std::string::npos);
  EXPECT_EQ(out.counterexample_of[0], 0u);
  EXPECT_EQ(out.counterexamples[0].error, RuntimeErrorKind::out_of_bounds);
}

// shows: D4
TEST(Judge, a_model_that_does_not_replay_is_unknown_and_says_so) {
  auto kernel = kernel_of(kCopy);
  smt::Outcome out =
      smt::judge(*kernel, nullptr, one(ObligationKind::kir_safe, proof::Side::kir, {"0 <= i < N"}, "i + 1 < N"), {});
  EXPECT_EQ(out.exit_code, 3);
  EXPECT_EQ(out.decisions[0].verdict, Verdict::unknown);
  EXPECT_NE(out.decisions[0].reason.find("did not replay"), std::string::npos);
  EXPECT_TRUE(out.counterexamples.empty());
}

TEST(Judge, an_unexplained_difference_without_a_replay_is_unsupported) {
  auto kernel = kernel_of(kCopy);
  proof::Ledger ledger = one(ObligationKind::value_equal, proof::Side::physical, {"0 <= i < N"}, "false");
  ledger.obligations[0].otherwise_unsupported = "no rule explains it";
  smt::Outcome out = smt::judge(*kernel, nullptr, ledger, {});
  EXPECT_EQ(out.exit_code, 4);
  EXPECT_EQ(out.decisions[0].reason, "no rule explains it");
}

// shows: D4
TEST(Judge, an_execution_that_contradicts_a_complete_proof_is_inconsistent) {
  auto kernel = kernel_of(kShifted);
  smt::Outcome out = smt::judge(*kernel, nullptr, one(ObligationKind::kir_safe, proof::Side::kir, {}, "true"), {});
  EXPECT_EQ(out.exit_code, 5);
  EXPECT_EQ(out.decisions.size(), 2u);
  EXPECT_EQ(out.decisions[1].verdict, Verdict::inconsistent);
}

TEST(Judge, contradictory_preconditions_are_malformed_input) {
  auto kernel = kernel_of("kernel k(x: in f32[N], y: out f32[N]) where N >= 8, N < 4 { parallel i in 0..N { y[i] = x[i] } }");
  smt::Outcome out = smt::judge(*kernel, nullptr, {}, {});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_FALSE(out.malformed.empty());
}

// Preconditions are also what each launcher checks of itself: a proof about launches that are all refused is none.
TEST(Judge, views_that_no_memory_holds_are_contradictory_preconditions) {
  for (const char* text : {"kernel k(x: out f32[9223372036854775807, 2]) { x[0, 0] = 1.0 }",
                           "kernel k(x: out f32[N, 1152921504606846976]) where N >= 4 { parallel i in 0..N { x[i, 0] = 1.0 } }",
                           "kernel k(x: out f32[4] strides(S)) where S >= 2305843009213693952 { x[0] = 1.0 }"}) {
    smt::Outcome out = smt::judge(*kernel_of(text), nullptr, {}, {});
    EXPECT_EQ(out.exit_code, 2) << text;
    EXPECT_NE(out.malformed.find("2^63"), std::string::npos) << out.malformed;
  }
  // With fewer rows, or none, there is one.
  for (const char* text : {"kernel k(x: out f32[N, 1152921504606846976]) { parallel i in 0..N { x[i, 0] = 1.0 } }",
                           "kernel k(x: out f32[N, 1152921504606846976]) where N >= 1 { x[0, 0] = 1.0 }"})
    EXPECT_EQ(smt::find_witness(kernel_of(text)->abi, 4'000'000).found, smt::Witness::Found::launch) << text;
}

TEST(Judge, no_obligation_is_no_proof) {
  smt::Outcome out = smt::judge(*kernel_of(kCopy), nullptr, {}, {});
  EXPECT_EQ(out.exit_code, 5);
  EXPECT_EQ(out.verdict, Verdict::missing);
}

TEST(Judge, presets_keep_their_verdicts) {
  for (auto [verdict, code] :
       {std::pair(Verdict::unsupported, 4), {Verdict::missing, 5}, {Verdict::unknown, 3}, {Verdict::refuted, 1}}) {
    proof::Ledger ledger = one(ObligationKind::effect_paired, proof::Side::physical, {}, "true");
    ledger.obligations[0].preset = proof::Obligation::Preset{verdict, "why"};
    EXPECT_EQ(smt::judge(*kernel_of(kCopy), nullptr, ledger, {}).exit_code, code);
  }
}

TEST(Judge, a_failing_assume_of_the_kernel_refutes_it) {
  auto kernel = kernel_of(
      "kernel k(x: in f32[N], y: out f32[N]) { parallel i in 0..N { let ok: i1 = index i < N - 1 assume ok y[i] = x[i] } }");
  smt::Outcome out = smt::judge(*kernel, nullptr, one(ObligationKind::kir_safe, proof::Side::kir, {}, "true"), {});
  EXPECT_EQ(out.exit_code, 1);
}

TEST(Judge, a_wrong_program_is_refuted_by_its_output_and_a_right_one_is_not) {
  auto kernel = kernel_of(kCopy);
  auto value_equal = [] { return one(ObligationKind::value_equal, proof::Side::physical, {"0 <= w < N"}, "w == 0"); };
  auto right = program_of(copy_program("ceildiv(N, 128)", "i64", "%i")),
       wrong = program_of(copy_program("ceildiv(N, 128)", "i64", "N - 1 - %i"));
  smt::Outcome out = smt::judge(*kernel, wrong.get(), value_equal(), {});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_NE(one_line(out.counterexamples.at(0)).find("but the kernel defines"), std::string::npos);
  EXPECT_EQ(smt::judge(*kernel, right.get(), value_equal(), {}).exit_code, 3);
}

TEST(Judge, a_launch_that_only_the_program_refuses_refutes_its_precondition) {
  auto kernel = kernel_of(kCopy);
  std::string text = copy_program("ceildiv(N, 128)", "i64", "%i");
  text.replace(text.find("dims N: i64"), 11, "dims N: i64 in 4..=100");
  auto program = program_of(text);
  auto ledger = [] { return one(ObligationKind::precondition_implied, proof::Side::physical, {"N >= 0"}, "N >= 4"); };
  smt::Outcome out = smt::judge(*kernel, program.get(), ledger(), {});
  EXPECT_EQ(out.exit_code, 1);
  smt::RunOptions options;
  options.derive.allow_restrictions = true;
  EXPECT_EQ(smt::judge(*kernel, program.get(), ledger(), options).exit_code, 3);
}

// shows: D4
TEST(Judge, a_launch_too_large_to_be_run_is_replayed_at_its_point) {
  auto kernel = kernel_of(kCopy);
  auto program = program_of(copy_program("ceildiv(N, 128)", "i32", "%i"));
  smt::Outcome out =
      smt::judge(*kernel, program.get(),
                 one(ObligationKind::index_no_overflow, proof::Side::physical, {"0 <= w < N"}, "w <= 2147483647"), {});
  EXPECT_EQ(out.exit_code, 1) << out.decisions[0].reason;
  EXPECT_EQ(out.counterexamples.at(0).run, smt::Counterexample::Run::instances);
}

TEST(Judge, is_deterministic) {
  auto kernel = kernel_of(kShifted);
  auto run = [&](int jobs) {
    smt::RunOptions options;
    options.decide.jobs = jobs;
    smt::Outcome out =
        smt::judge(*kernel, nullptr, one(ObligationKind::kir_safe, proof::Side::kir, {"0 <= i < N"}, "i + 1 < N"), options);
    return out.decisions[0].reason + out.witness;
  };
  EXPECT_EQ(run(1), run(2));
}

TEST(Launches, a_witness_satisfies_relations_that_random_sizes_do_not) {
  auto kernel = kernel_of(
      "kernel k(x: in f32[K], y: out f32[M, N]) where K == M*N*3, divides(16, N), M >= 5 { parallel i in 0..M { y[i, 0] = x[0] "
      "} }");
  smt::Witness w = smt::find_witness(kernel->abi, 4'000'000);
  ASSERT_EQ(w.found, smt::Witness::Found::launch) << w.reason;
  EXPECT_TRUE(smt::preconditions_hold(kernel->abi, w.symbols));
  auto launches = smt::small_launches(kernel->abi, w, 8);
  ASSERT_FALSE(launches.empty());
  EXPECT_EQ(launches[0], w.symbols);
  for (const auto& s : launches) EXPECT_TRUE(smt::preconditions_hold(kernel->abi, s));
}

TEST(Launches, arguments_are_bounded_and_aliases_share_memory) {
  auto kernel =
      kernel_of("kernel k(x: inout f32[N], y: inout f32[N]) alias { may_alias(x, y) } { parallel i in 0..N { y[i] = x[i] } }");
  auto args = smt::make_args(kernel->abi, {{"N", 4}}, smt::Contents::exact, 1, true, 1 << 20);
  ASSERT_TRUE(args);
  EXPECT_EQ(args->views["x"], args->views["y"]);
  LaunchArgs copy = smt::deep_copy(*args);
  EXPECT_EQ(copy.views["x"], copy.views["y"]);
  EXPECT_NE(copy.views["x"], args->views["x"]);
  EXPECT_NE(smt::make_args(kernel->abi, {{"N", 4}}, smt::Contents::exact, 1, false, 1 << 20)->views["x"], nullptr);
  EXPECT_FALSE(smt::make_args(kernel->abi, {{"N", std::int64_t{1} << 40}}, smt::Contents::exact, 1, false, 1 << 20));
}

RegionId combine_of(const Kernel& kernel) {
  for (std::size_t i = 0; i < kernel.body.op_count(); ++i)
    if (const Op& op = kernel.body.op(OpId(static_cast<std::uint32_t>(i))); op.kind == OpKind::reduce) return op.regions[1];
  ADD_FAILURE() << "no reduce";
  return {};
}

std::shared_ptr<const Kernel> folding(const std::string& combine) {
  return kernel_of(
      "kernel fold(x: in i32[N], y: out i32[1], c: i32) {\n  let three: i32 = constant 3\n"
      "  let s: i32 = reduce (n in 0..N) map { let v: i32 = load x[n]  yield v } combine order(any) (a: i32, b: i32) {" +
      combine + "} identity (0)\n  y[0] = s\n}");
}

// shows: K7.12 D4
TEST(ReplayLaw, RunsTheCombineAndRefutesOnlyWhatFails) {
  using Law = proof::LawWitness::Law;
  auto i = [](std::int64_t v) { return std::vector<Scalar>{Scalar::of_int(DType::i32, v)}; };
  auto replayed = [&](const std::shared_ptr<const Kernel>& k, Law law, std::vector<std::vector<Scalar>> operands) {
    return smt::replay_law(*k, {law, combine_of(*k), std::move(operands)});
  };
  auto minus = folding(" let r: i32 = sub a, b  yield r ");
  EXPECT_EQ(replayed(minus, Law::commutative, {i(5), i(2)}), "combine(5, 2) = 3 but combine(2, 5) = -3");
  EXPECT_EQ(replayed(minus, Law::commutative, {i(5), i(5)}), std::nullopt);
  EXPECT_EQ(replayed(minus, Law::neutral_right, {i(0), i(7)}), std::nullopt);
  EXPECT_EQ(replayed(minus, Law::neutral_left, {i(0), i(7)}), "the identity changes a value: combine(0, 7) = -7");
  EXPECT_EQ(replayed(minus, Law::associative, {i(1), i(2), i(3)}),
            "with a = 1, b = 2, c = 3: combine(combine(a, b), c) = -4 but combine(a, combine(b, c)) = 2");
  // Control flow and constants from outside are run too; a value that a launch decides is not.
  auto branch = folding(
      " let t: i1 = cmp.slt a, three  let r: i32 = if t { let p: i32 = add b, three  yield p } else { yield a }  yield r ");
  EXPECT_EQ(replayed(branch, Law::commutative, {i(1), i(9)}), "combine(1, 9) = 12 but combine(9, 1) = 9");
  // A constant that both branches use is there whichever is taken.
  auto both_use = folding(
      " let z: i32 = constant 0  let t: i1 = cmp.slt a, z  let r: i32 = if t { let p: i32 = add b, three  yield p } else { let "
      "q: "
      "i32 = sub b, three  yield q }  yield r ");
  EXPECT_EQ(replayed(both_use, Law::commutative, {i(5), i(9)}), "combine(5, 9) = 6 but combine(9, 5) = 2");
  EXPECT_EQ(replayed(folding(" let r: i32 = add a, c  yield r "), Law::commutative, {i(1), i(9)}), std::nullopt);
}

}  // namespace
}  // namespace kir
