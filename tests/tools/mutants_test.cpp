// Damaged kernels and programs, and what refuses them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/ir/verify.h"
#include "mutants_support.h"
#include "tools/mutants/judge.h"

namespace kir::mutants {
namespace {

using testing::corpus;
using testing::subject_of;
using testing::text_of;

bool well_formed(const Mutant& m) {
  Diagnostics problems;
  return m.kernel ? verify(*m.kernel, problems) : verify(*m.program, problems);
}

TEST(Mutants, EachDiffersFromTheOriginalAndTheListIsTheSameEachTime) {
  for (const char* name : {"row_sum", "ragged/ragged_softmax", "atomics/atomic_max_cas"}) {
    const Subject s = corpus(name);
    ASSERT_TRUE(s.program);
    const std::string program = print(*s.program), kernel = print(*s.kernel);
    for (Form form : {Form::physical, Form::kir}) {
      const auto list = [&] { return form == Form::kir ? mutants_of(*s.kernel) : mutants_of(*s.program); };
      const auto first = list(), second = list();
      ASSERT_EQ(first.size(), second.size());
      ASSERT_GT(first.size(), 30u);
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].damage.name, second[i].damage.name);
        EXPECT_EQ(first[i].place, second[i].place);
        EXPECT_EQ(first[i].form, form);
        if (!well_formed(first[i])) continue;  // may have no text
        EXPECT_EQ(text_of(first[i]), text_of(second[i]));
        EXPECT_NE(text_of(first[i]), form == Form::kir ? kernel : program) << first[i].damage.name << " " << first[i].place;
      }
    }
    EXPECT_EQ(print(*s.program), program);
    EXPECT_EQ(print(*s.kernel), kernel);
  }
}

// Every check is attacked, and no damage is aimed at none; every damage belongs to a family.
TEST(Mutants, EachCheckIsAttacked) {
  std::set<std::string> attacked;
  for (const Damage& d : damages()) {
    std::istringstream checks{std::string(d.checks)};
    std::size_t n = 0;
    for (std::string check; checks >> check; ++n) attacked.insert(check);
    EXPECT_GT(n, 0u) << d.name;
    EXPECT_FALSE(d.family.empty()) << d.name;
  }
  EXPECT_EQ(attacked.size(), 16u);
}

// Of the printed kernel: a text that is there less often, or (when `to` is given) `to` more often. Both empty: any mutant.
struct Damaged {
  std::string_view family, kernel, from, to;
};

TEST(Mutants, EachFamilyDamagesAKernelAsItsNameSays) {
  const std::map<std::string_view, std::string> kernels = {
      {"masked", R"(kir 1
kernel masked(x: in f32[M, N], y: inout f32[M, N], k: index) where k >= 1 {
  parallel m in 0..M, n in 0..N {
    y[m, n] = x[m, n] where 0 <= n - k < N and x[m, n] <= 2.0
  }
}
)"},
      {"fold", R"(kir 1
kernel fold(x: in f32[N], y: out f32[2], z: in i32[N])
  where nondecreasing(z), in_range(z, 0, N)
{
  let s = reduce add order(strict) over n in 0..N { x[n] }
  y[0] = s
  let t = if s > 1.0 { yield s } else { yield 2.0 }
  let (u, last) = scan add exclusive forward order(strict) over n in 0..N { x[n] }
  y[1] = t * last
}
)"},
      {"state", R"(kir 1
kernel state(x: inout f32[N], c: inout i32[2], w: in f32[N]) {
  let b = buffer f32[2] init (i) { 0.0 }
  let (p, q) = for n in 0..N carry (p = f32(0.0), q = f32(1.0)) {
    let v = x[n]
    x[n] = p
    b[0] = w[n]
    next q, v
  }
  assume c[0] == 0
  atomic_rmw.add c[1], 1 order(relaxed)
}
)"},
      {"segments", R"(kir 1
kernel segments(x: in i32[N], y: out i32[1]) {
  let s = region_fold [0..N] uses (x) summarize [lo..hi] {
    let s = reduce add order(any) over n in lo..hi { x[n] }
    yield s
  } combine order(tree) (a: i32, b: i32) { yield a + b } identity (0)
  y[0] = s
}
)"},
  };
  const Damaged expected[] = {
      {"predicate dropped, weakened or narrowed", "masked", " where t5", ""},
      {"predicate dropped, weakened or narrowed", "masked", "0 <= n - k and n - k < N", "0 <= n - k and n - k < N + 1"},
      {"< for <=", "masked", "n - k < N", "n - k <= N"},
      {"< for <=", "masked", "cmp.ole", "cmp.olt"},
      {"bound off by one", "masked", "n in 0..N", "n in 0..N + 1"},
      {"strides or coordinates exchanged", "masked", "store y[m, n]", "store y[n, m]"},
      {"index arithmetic changed", "masked", "0 <= n - k and", "0 <= n + k and"},
      {"precondition or parameter changed", "masked", "\n  where k >= 1", ""},
      {"precondition or parameter changed", "masked", "k >= 1", "k >= 1 + -1"},
      {"precondition or parameter changed", "masked", "x: in f32[M, N]", "x: in f32[N, M]"},
      {"precondition or parameter changed", "fold", "in_range(z, 0, N)", "in_range(z, 0, N + 1)"},
      {"write dropped", "masked", "    store y[m, n] = t0 where t5\n", ""},
      {"write repeated", "state", "atomic_rmw.add c[", "atomic_rmw.add c["},
      {"operation or operand replaced", "masked", "cmp.ole t1, t2", "cmp.ole t2, t2"},
      {"wrong identity or initial value", "fold", "init (t0)", ""},
      {"wrong order licence", "fold", "order(strict)", "order(any)"},
      {"inclusive for exclusive, wrong direction or tie", "fold", "scan exclusive", "scan inclusive"},
      {"branch lost or exchanged", "fold", "yield t8", "yield s"},
      {"wrong rounding", "fold", "store y[t5] = s", "let damaged_once: bf16 = convert.rn s"},
      {"carried value wrong", "state", "next q, v", "next v, q"},
      {"initialization skipped", "state", "buffer [2] init (i) {", "buffer [2]\n"},
      {"effects reordered", "state", "", ""},
      {"assumption changed", "state", "assume ", ""},
      {"atomicity lost or changed", "state", "atomic_rmw.add", "atomic_rmw.exchange"},
      {"wrong scope or memory order", "state", "order(relaxed)", "order(acq_rel)"},
      {"segments wrong", "segments", "", ""},
  };
  std::map<std::string_view, std::vector<Mutant>> mutants;
  for (const auto& [name, text] : kernels) mutants[name] = mutants_of(*subject_of(std::string(name), text).kernel);
  std::set<std::string_view> shown;
  for (const Damaged& e : expected) {
    const std::string original = print(*subject_of(std::string(e.kernel), kernels.at(e.kernel)).kernel);
    EXPECT_NE(original.find(e.from), std::string::npos) << e.family << ": " << e.from << " is not in\n" << original;
    bool found = false;
    for (const Mutant& m : mutants.at(e.kernel)) {
      if (m.damage.family != e.family || !well_formed(m)) continue;
      const std::string text = print(*m.kernel);
      const auto count = [&](const std::string& in, std::string_view what) {
        std::size_t n = 0;
        for (std::size_t at = 0; !what.empty() && (at = in.find(what, at)) != std::string::npos; at += what.size()) ++n;
        return n;
      };
      const bool gone = e.to.empty() ? count(text, e.from) < count(original, e.from) || e.from.empty()
                                     : count(text, e.to) > count(original, e.to);
      found = found || gone;
    }
    EXPECT_TRUE(found) << e.family << ": " << e.from << " -> " << e.to << " is not among its mutants of\n" << original;
    shown.insert(e.family);
  }
  // The others need no kernel: a launch is the program's, and what is malformed is shown by the structural verifier's tests.
  for (std::string_view family : families())
    EXPECT_TRUE(shown.contains(family) || family == "launch or dispatch changed" || family == "type changed" ||
                family == "part left out")
        << family;
}

// shows: K9.1 K9.2 K9.3 K9.7 K9.9 K9.10 K9.13 K9.14
TEST(Mutants, NoneThatARunTellsApartIsProved) {
  std::map<std::string, int> refused;
  const JudgeOptions options{.draw = {.draws = 24}, .launches = 6};
  for (const char* name : {"masked_store", "row_sum", "affine_recurrence", "piecewise"}) {
    const Subject s = corpus(name);
    ASSERT_TRUE(s.program);
    Judge judge(s.kernel, s.program, options);
    EXPECT_EQ(judge.fault(), "");
    std::vector<Mutant> all = mutants_of(*s.program);
    if (name == std::string("masked_store"))
      for (Mutant& m : mutants_of(*s.kernel)) all.push_back(std::move(m));
    for (const Mutant& m : all) {
      const Judgement j = judge.judge(m);
      EXPECT_FALSE(j.survivor()) << name << ": " << m.damage.name << ", " << m.place << ": " << j.run << "\n"
                                 << (well_formed(m) ? text_of(m) : "");
      if (j.verdict == Verdict::proved) continue;
      std::istringstream checks{std::string(m.damage.checks)};
      for (std::string check; checks >> check;) ++refused[check];
    }
  }
  for (const char* check : {"K9.1", "K9.2", "K9.3", "K9.7", "K9.9", "K9.10", "K9.13", "K9.14"})
    EXPECT_GT(refused[check], 0) << check;
}

// The first of a damage.
Mutant mutant(const std::vector<Mutant>& all, std::string_view damage) {
  const auto it = std::ranges::find_if(all, [&](const Mutant& m) { return m.damage.name == damage; });
  EXPECT_NE(it, all.end()) << damage;
  return it == all.end() ? Mutant{} : *it;
}

TEST(Judge, TellsWhatBecomesOfADamagedProgram) {
  const Subject s = corpus("vector_add");
  ASSERT_TRUE(s.program);
  const JudgeOptions options;
  Judge judge(s.kernel, s.program, options);
  Mutant m;
  m.program = s.program;
  const Judgement good = judge.judge(m);
  EXPECT_EQ(good.verdict, Verdict::proved);
  EXPECT_EQ(good.runs, Runs::equal);
  EXPECT_FALSE(good.distinguishable() || good.killed() || good.survivor() || good.false_alarm());

  auto broken = std::make_shared<PhysicalProgram>(*s.program);
  broken->launch.pack = 5000;
  m.program = broken;
  const Judgement malformed = judge.judge(m);
  EXPECT_EQ(malformed.verdict, Verdict::malformed);
  EXPECT_EQ(malformed.runs, Runs::none);
  EXPECT_EQ(malformed.reason, "W-01");
  EXPECT_EQ(malformed.refused_by, std::vector<std::string>{"K9.10"});
  EXPECT_TRUE(malformed.killed());

  const Judgement wrong = judge.judge(mutant(mutants_of(*s.program), "effect dropped"));
  EXPECT_EQ(wrong.verdict, Verdict::refuted);
  EXPECT_EQ(wrong.runs, Runs::differ);
  EXPECT_EQ(wrong.refused_by.front(), "K9.1");
  EXPECT_EQ(wrong.kinds, std::vector<proof::ObligationKind>{proof::ObligationKind::coverage});
  EXPECT_FALSE(wrong.run.empty());
  EXPECT_TRUE(wrong.killed());
}

TEST(Judge, TellsWhatBecomesOfADamagedKernel) {
  const Subject s = corpus("vector_add");
  ASSERT_TRUE(s.program);
  const JudgeOptions options;
  Judge judge(s.kernel, s.program, options);
  const std::vector<Mutant> all = mutants_of(*s.kernel);
  const Judgement replaced = judge.judge(mutant(all, "operation replaced by another"));
  EXPECT_TRUE(replaced.killed());
  EXPECT_EQ(replaced.runs, Runs::differ);
  // A kernel that errs: its own obligations have to fail.
  const Judgement errs = judge.judge(mutant(all, "coordinate shifted by one"));
  EXPECT_TRUE(errs.killed());
  EXPECT_NE(errs.run.find("the kernel errs"), std::string::npos) << errs.run;
  EXPECT_NE(std::ranges::find(errs.kinds, proof::ObligationKind::kir_safe), errs.kinds.end());
}

// A kernel that may be launched otherwise than its program is told apart by such a launch.
TEST(Judge, DrawsLaunchesOfADamagedContract) {
  const Subject s = subject_of("t", R"(kir 1
kernel t(x: in f32[N], y: out f32[N], k: index) where k >= 5 { parallel n in 0..N { y[n] = x[n] } }
)");
  ASSERT_TRUE(s.program);
  const JudgeOptions options;
  Judge judge(s.kernel, s.program, options);
  int refused = 0;
  for (const Mutant& m : mutants_of(*s.kernel)) {
    if (m.damage.name != "precondition left out, or off by one") continue;
    const Judgement j = judge.judge(m);
    const bool more_launches = text_of(m).find("k >= 5 + 1") == std::string::npos;
    EXPECT_EQ(j.distinguishable(), more_launches) << text_of(m) << j.run;
    EXPECT_EQ(j.killed(), more_launches) << text_of(m);
    refused += j.killed();
  }
  EXPECT_EQ(refused, 2);
}

// What a function may be off by is no room for another rounding: both interpreters evaluate it alike.
TEST(Judge, ComparesBitForBitWhereNoOrderIsFree) {
  const Subject s = subject_of("t", R"(kir 1
kernel t(x: in f32[N], y: out f32[N]) { parallel n in 0..N { y[n] = exp(x[n]) } }
)");
  ASSERT_TRUE(s.program);
  const JudgeOptions options;
  Judge judge(s.kernel, s.program, options);
  EXPECT_EQ(judge.fault(), "");
  for (const std::vector<Mutant>& all : {mutants_of(*s.kernel), mutants_of(*s.program)})
    EXPECT_TRUE(judge.judge(mutant(all, "stored or yielded value rounded in between")).killed());
}

TEST(Judge, SaysWhenNoRunReachedTheDamage) {
  const Subject s = subject_of("t", R"(kir 1
kernel t(x: in f32[N], y: out f32[N], k: index) where k == 0 {
  parallel n in 0..N {
    y[n] = x[n]
    let never = 3 < k
    if never { y[n] = x[n] * 2.0 }
  }
}
)");
  ASSERT_TRUE(s.program);
  const JudgeOptions options{.launches = 8};
  Judge judge(s.kernel, s.program, options);
  int inside = 0;
  for (const Mutant& m : mutants_of(*s.program)) {
    if (m.damage.name != "operation replaced by another") continue;
    const Judgement j = judge.judge(m);
    EXPECT_EQ(j.runs, Runs::not_reached);
    EXPECT_FALSE(j.distinguishable());
    ++inside;
  }
  EXPECT_GT(inside, 0);
}

// That what is damaged is refused says nothing where it is refused undamaged.
TEST(Judge, FindsFaultWithAPairThatIsNotProvedOrDiffers) {
  const Subject s = corpus("vector_add"), other = corpus("relu");
  ASSERT_TRUE(s.program && other.program);
  JudgeOptions options;
  EXPECT_EQ(Judge(s.kernel, s.program, options).fault(), "");
  const Mutant wrong = mutant(mutants_of(*s.program), "operation replaced by another");
  EXPECT_NE(Judge(s.kernel, wrong.program, options).fault().find("REFUTED"), std::string::npos);
  options.verifier = [](const Kernel&, const PhysicalProgram&, const smt::RunOptions&) {
    smt::ConstructionVerdict v;
    v.outcome.exit_code = 0;
    return v;
  };
  EXPECT_NE(Judge(s.kernel, wrong.program, options).fault().find("differs"), std::string::npos);
}

// A validator that sees nothing: what a run tells apart survives, and is called so.
// shows: D4
TEST(Judge, CallsWhatABlindValidatorProvesASurvivor) {
  const Subject s = corpus("vector_add");
  ASSERT_TRUE(s.program);
  JudgeOptions options;
  options.verifier = [](const Kernel&, const PhysicalProgram&, const smt::RunOptions&) {
    smt::ConstructionVerdict v;
    v.outcome.verdict = proof::Verdict::proved;
    v.outcome.exit_code = 0;
    return v;
  };
  Judge judge(s.kernel, s.program, options);
  EXPECT_TRUE(judge.judge(mutant(mutants_of(*s.program), "effect dropped")).survivor());
  EXPECT_TRUE(judge.judge(mutant(mutants_of(*s.kernel), "operation replaced by another")).survivor());
  Mutant same;
  same.program = s.program;
  EXPECT_FALSE(judge.judge(same).survivor());
}

}  // namespace
}  // namespace kir::mutants
