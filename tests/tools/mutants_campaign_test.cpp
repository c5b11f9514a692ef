// Samples of mutants, campaigns over them, and what is printed of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "mutants_support.h"
#include "tests/temporary_folder.h"
#include "tools/mutants/campaign.h"
#include "tools/mutants/matrix.h"

namespace kir::mutants {
namespace {

using testing::corpus;

std::vector<Subject> subjects() { return {corpus("vector_add"), corpus("row_sum"), corpus("masked_store")}; }

using Key = std::tuple<std::size_t, Form, std::size_t>;
std::set<Key> keys(const std::vector<Choice>& choices) {
  std::set<Key> out;
  for (const Choice& c : choices) out.insert({c.subject, c.form, c.number});
  return out;
}

TEST(Selection, IsSpreadOverKernelsFormsAndFamilies) {
  const std::vector<Subject> s = subjects();
  const auto all = keys(select(s, {}));
  std::size_t mutants = 0;
  for (const Subject& x : s) mutants += mutants_of(*x.program).size() + mutants_of(*x.kernel).size();
  EXPECT_EQ(all.size(), mutants);

  using Group = std::tuple<std::size_t, Form, std::string_view>;
  const auto groups = [](const std::vector<Choice>& choices) {
    std::map<Group, std::size_t> out;
    for (const Choice& c : choices) ++out[{c.subject, c.form, c.damage.family}];
    return out;
  };
  const auto whole = groups(select(s, {}));
  const auto one_each = select(s, {.count = whole.size()});
  EXPECT_EQ(one_each.size(), whole.size());
  for (const auto& [group, n] : groups(one_each)) EXPECT_EQ(n, 1u);
  // Twice as many: as even as the groups are large.
  for (const auto& [group, n] : groups(select(s, {.count = 2 * whole.size()})))
    EXPECT_GE(n, std::min<std::size_t>(whole.at(group), 1));
}

TEST(Selection, OfMoreHoldsThatOfFewerAndTheSeedDecides) {
  const std::vector<Subject> s = subjects();
  const auto few = keys(select(s, {.count = 20})), more = keys(select(s, {.count = 60}));
  EXPECT_EQ(few.size(), 20u);
  EXPECT_EQ(few, keys(select(s, {.count = 20})));
  EXPECT_TRUE(std::ranges::includes(more, few));
  EXPECT_NE(few, keys(select(s, {.seed = 2, .count = 20})));
  for (const Choice& c : select(s, {.families = {"write dropped"}})) EXPECT_EQ(c.damage.family, "write dropped");
}

// All that a campaign tells, in its order.
std::vector<std::string> results(const std::vector<Subject>& s, const std::vector<Choice>& choices, const CampaignOptions& o,
                                 std::size_t at_most = SIZE_MAX) {
  std::vector<std::string> out;
  std::string error;
  const auto done = run_campaign(
      s, choices, o,
      [&](const Result& r) {
        EXPECT_EQ(keys({r.choice}), keys({choices[out.size()]}));
        out.push_back(r.judgement ? fmt::format("{} {} {} {} {}", r.place, name(r.judgement->verdict), name(r.judgement->runs),
                                                r.judgement->reason, r.judgement->run)
                                  : r.failure);
        return out.size() < at_most;
      },
      &error);
  EXPECT_TRUE(done) << error;
  EXPECT_EQ(done.value_or(0), out.size());
  return out;
}

CampaignOptions quick() {
  CampaignOptions o;
  o.judge.draw.draws = 8;
  o.judge.launches = 3;
  o.isolation.chunk = 8;
  o.build = "this one";
  return o;
}

TEST(Campaign, GivesTheSameWithOneProcessAndWithThree) {
  const std::vector<Subject> s = subjects();
  const auto choices = select(s, {.count = 40});
  CampaignOptions three = quick();
  three.isolation.jobs = 3;
  EXPECT_EQ(results(s, choices, quick()), results(s, choices, three));
}

TEST(Campaign, GoesOnFromItsStateAsIfItHadNotBeenInterrupted) {
  const kir::testing::TemporaryFolder folder;
  const std::vector<Subject> s = subjects();
  const auto few = select(s, {.count = 20}), more = select(s, {.count = 30});
  const auto whole = results(s, more, quick());
  CampaignOptions o = quick();
  o.state = folder.file("state.json");
  EXPECT_EQ(results(s, few, o, 7).size(), 7u);
  // Nothing is judged again: a validator that crashes is not asked for what is there.
  results(s, few, o);
  CampaignOptions crashes = o;
  crashes.judge.verifier = [](const Kernel&, const PhysicalProgram&, const smt::RunOptions&) -> smt::ConstructionVerdict {
    std::abort();
  };
  for (const std::string& r : results(s, few, crashes)) EXPECT_EQ(r.find("crashed"), std::string::npos) << r;
  EXPECT_EQ(results(s, more, o), whole);  // a larger sample goes on from the smaller one

  const auto refuses = [&](const CampaignOptions& other, const char* why) {
    std::string error;
    EXPECT_FALSE(run_campaign(s, few, other, [](const Result&) { return true; }, &error));
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  CampaignOptions other = o;
  other.build = "another";
  refuses(other, "of another build");
  other = o;
  other.judge.rlimit = 1;
  refuses(other, "other options");
  std::ofstream(o.state) << "{\"opt";
  refuses(o, "no state of a campaign");
  std::ofstream(o.state) << "{\"options\": " << std::string(300000, '[') << std::string(300000, ']') << ", \"results\": {}}";
  refuses(o, "no state of a campaign");
}

TEST(Campaign, RefusesAStateThatItDidNotMake) {
  const kir::testing::TemporaryFolder folder;
  const std::vector<Subject> s = {corpus("vector_add")};
  const auto choices = select(s, {.count = 3});
  CampaignOptions o = quick();
  o.state = folder.file("state.json");
  results(s, choices, o);
  std::stringstream text;
  text << std::ifstream(o.state).rdbuf();
  const std::string good = text.str();
  for (const auto& [from, to] : {std::pair{"\"verdict\": ", "\"verdict\": 9"},
                                 {"\"verdict\": ", "\"verdict\": -"},
                                 {"\"runs\": ", "\"runs\": 4"},
                                 {"\"kinds\": [", "\"kinds\": [[],"},
                                 {"\"run\": \"", "\"run\": \"x"},  // what could have been said, but was not
                                 {"\"reason\": ", "\"why\": "}}) {
    const std::size_t at = good.find(from);
    ASSERT_NE(at, std::string::npos) << from << "\n" << good;
    std::string bad = good;
    bad.replace(at, std::string(from).size(), to);
    std::ofstream(o.state) << bad;
    std::string error;
    EXPECT_FALSE(run_campaign(s, choices, o, [](const Result&) { return true; }, &error)) << to;
    EXPECT_NE(error.find("damaged"), std::string::npos) << to << ": " << error;
  }
}

TEST(Campaign, WantsAnUndamagedProgramThatIsProved) {
  Subject s = corpus("vector_add");
  s.program = corpus("relu").program;
  std::string error;
  EXPECT_FALSE(run_campaign({s}, select({s}, {.count = 3}), quick(), [](const Result&) { return true; }, &error));
  EXPECT_NE(error.find("the undamaged program has a fault"), std::string::npos) << error;
}

TEST(Campaign, AMutantThatCrashesOrHangsIsNotJudgedAndTheOthersAre) {
  const std::vector<Subject> s = {corpus("vector_add")};
  const auto choices = select(s, {.count = 5});
  CampaignOptions o = quick();
  o.isolation.patience = std::chrono::seconds(2);
  o.judge.verifier = [](const Kernel& k, const PhysicalProgram& p, const smt::RunOptions& run) {
    static int calls = 0;  // of a process, which does one mutant after the other
    ++calls;
    if (calls == 3) std::raise(SIGABRT);
    return smt::verify_construction(k, p, run);
  };
  std::vector<std::string> out = results(s, choices, o);
  ASSERT_EQ(out.size(), 5u);
  EXPECT_EQ(out[0].find("crashed"), std::string::npos) << out[0];
  EXPECT_NE(out[1].find("crashed"), std::string::npos) << out[1];
  o.judge.verifier = [](const Kernel& k, const PhysicalProgram& p, const smt::RunOptions& run) {
    static int calls = 0;
    while (++calls == 2) pause();
    return smt::verify_construction(k, p, run);
  };
  out = results(s, {choices[0]}, o);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_NE(out[0].find("cut off"), std::string::npos) << out[0];
}

// shows: D4
TEST(Campaign, WithABlindValidatorHasSurvivors) {
  const std::vector<Subject> s = {corpus("vector_add")};
  const auto choices = select(s, {.families = {"write dropped", "write repeated"}});
  CampaignOptions o = quick();
  const auto survivors = [&] {
    Matrix matrix;
    std::string error;
    run_campaign(
        s, choices, o, [&](const Result& r) { return matrix.add(r.choice.form, r.choice.damage, *r.judgement), true; }, &error);
    EXPECT_EQ(matrix.all().mutants, choices.size());
    EXPECT_EQ(matrix.all().distinguishable, matrix.all().killed + matrix.all().survivors);
    return matrix.all().survivors;
  };
  EXPECT_EQ(survivors(), 0u);
  o.judge.verifier = [](const Kernel&, const PhysicalProgram&, const smt::RunOptions&) {
    smt::ConstructionVerdict v;
    v.outcome.exit_code = 0;
    return v;
  };
  EXPECT_GT(survivors(), 0u);
}

int exit_code(const std::string& arguments, std::string* last = nullptr) {
  const kir::testing::TemporaryFolder folder;
  const std::string out = folder.file("out");
  const int status = std::system((KIR_BINARY_DIR "/bin/kir-mutants " + arguments + " > " + out + " 2>&1").c_str());
  std::ifstream in(out);
  for (std::string line; std::getline(in, line);)
    if (last) *last = line;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MutantsTool, SaysAtTheEndWhatBecameOfTheMutants) {
  std::string last;
  EXPECT_EQ(exit_code(KIR_SOURCE_DIR "/corpus/relu.kir --count 30 --launches 4", &last), 0);
  EXPECT_TRUE(std::regex_match(
      last, std::regex("mutants 30, distinguishable [0-9]+, killed [0-9]+, survivors 0, equal [0-9]+, false alarms [0-9]+")))
      << last;
}

// That damaged programs are refused says nothing where the program is refused undamaged.
TEST(MutantsTool, WantsAProvedProgramAndNumbersInRange) {
  const std::string corpus = KIR_SOURCE_DIR "/corpus/", relu = corpus + "relu.kir ";
  EXPECT_EQ(exit_code(corpus + "vector_add.kir " + corpus + "physical/vector_add.pir --count 10"), 0);
  EXPECT_EQ(exit_code(relu + corpus + "physical/vector_add.pir --count 10"), 2);
  EXPECT_EQ(exit_code(corpus + "must-reject/write_race.kir --count 10"), 2);
  for (const char* wrong : {"--count -1", "--count 99999999999999999999999", "--rlimit 0", "--rlimit -1", "--family nothing",
                            "--only both", "--jobs 0", "--state ''", "--keep /dev/null/x"})
    EXPECT_EQ(exit_code(relu + wrong), 2) << wrong;
}

TEST(Matrix, CountsAndPrintsWhatBecameOfTheMutants) {
  const Damage d = damages()[0];
  Matrix matrix;
  Judgement j;
  j.reason = "V-01";
  matrix.add(Form::physical, d, j);  // malformed
  j = {.verdict = Verdict::refuted,
       .runs = Runs::differ,
       .reason = "REFUTED coverage",
       .kinds = {proof::ObligationKind::coverage}};
  matrix.add(Form::physical, d, j);
  j.verdict = Verdict::unproved;
  j.runs = Runs::equal;
  j.reason = "UNKNOWN coverage";
  matrix.add(Form::kir, d, j);
  j = {.verdict = Verdict::proved, .runs = Runs::not_reached};
  matrix.add(Form::kir, d, j);
  j.runs = Runs::differ;
  matrix.add(Form::kir, d, j);
  EXPECT_EQ(matrix.last_line(), "mutants 5, distinguishable 3, killed 2, survivors 1, equal 2, false alarms 1");
  const std::string kills = matrix.kill_matrix();
  EXPECT_NE(
      kills.find("| damage | mutants | distinguishable | killed | survivors | equal | false alarms | structure | coverage |"),
      std::string::npos)
      << kills;
  EXPECT_NE(kills.find("| write dropped | 2 | 2 | 2 | 0 | 0 | 0 | 1 | 1 |"), std::string::npos) << kills;
  EXPECT_NE(kills.find("| write dropped | 3 | 1 | 0 | 1 | 2 | 1 | 0 | 1 |"), std::string::npos) << kills;
  EXPECT_NE(matrix.false_alarms().find("| 1 | 1 kir write dropped: UNKNOWN coverage |"), std::string::npos)
      << matrix.false_alarms();
  EXPECT_NE(matrix.summary().find("1 reached by none; false alarms 50.0% of the equal"), std::string::npos) << matrix.summary();
}

}  // namespace
}  // namespace kir::mutants
