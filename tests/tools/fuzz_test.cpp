// The random kernels and the campaigns over them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/ir/op_table.h"
#include "core/text/text.h"
#include "lowering/rewrite.h"
#include "tests/temporary_folder.h"
#include "tools/fuzz/campaign.h"
#include "tools/fuzz/shrink.h"

namespace kir::fuzz {
namespace {

namespace testing = kir::testing;

std::string text_of(const Choices::Words& words) {
  Choices choices(words);
  return write_kernel(choices);
}

TEST(RandomKernels, EverySequenceOfChoicesGivesAKernel) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::string text = text_of(words_of(seed));
    auto source = std::make_shared<SourceFile>("random.kir", text);
    Diagnostics diagnostics;
    ASSERT_TRUE(parse_kir(source, diagnostics)) << "seed " << seed << "\n" << diagnostics.render(*source) << text;
    seen.insert(text);
  }
  EXPECT_GT(seen.size(), 395u);
}

TEST(RandomKernels, FewerChoicesGiveTheSimplestKernel) {
  const std::string nothing = text_of({});
  auto source = std::make_shared<SourceFile>("random.kir", nothing);
  Diagnostics diagnostics;
  ASSERT_TRUE(parse_kir(source, diagnostics)) << diagnostics.render(*source);
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_LE(nothing.size(), text_of(words_of(seed)).size());
}

// Every family is drawn: what is never drawn is never tested.
// shows: D2
TEST(RandomKernels, EveryOperationOfTheLanguageIsDrawn) {
  std::set<OpKind> seen;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    auto source = std::make_shared<SourceFile>("random.kir", text_of(words_of(seed)));
    Diagnostics diagnostics;
    auto module = parse_kir(source, diagnostics);
    ASSERT_TRUE(module);
    const Body& body = module->kernels[0]->body;
    for (std::uint32_t i = 0; i < body.op_count(); ++i) seen.insert(body.op(OpId(i)).kind);
  }
  for (const OpRow& r : op_table()) EXPECT_TRUE(r.vocabulary == Vocabulary::physical || seen.contains(r.kind)) << r.name;
}

CampaignOptions small_campaign() {
  CampaignOptions o;
  o.count = 60;
  o.trial.largest_extent = 7;
  return o;
}

std::map<std::pair<Verdict, std::string>, std::uint64_t> verdicts(const CampaignOptions& o) {
  std::string error;
  auto c = run_campaign(o, [](const Campaign&) { return true; }, &error);
  EXPECT_TRUE(c) << error;
  return c ? c->verdicts : decltype(c->verdicts){};
}

TEST(Campaigns, GiveTheSameWithOneProcessAndWithThree) {
  CampaignOptions one = small_campaign(), three = small_campaign();
  three.isolation.jobs = 3;
  EXPECT_EQ(verdicts(one), verdicts(three));
}

TEST(Campaigns, GoOnFromTheirStateAsIfTheyHadNotBeenInterrupted) {
  const testing::TemporaryFolder folder;
  CampaignOptions o = small_campaign();
  const auto whole = verdicts(o);
  o.state = folder.file("state.json");
  std::string error;
  int trials = 0;
  auto part = run_campaign(o, [&](const Campaign&) { return ++trials < 17; }, &error);
  ASSERT_TRUE(part) << error;
  EXPECT_EQ(part->next, 17u);
  EXPECT_EQ(verdicts(o), whole);

  o.trial.launches = 1;
  EXPECT_FALSE(run_campaign(o, [](const Campaign&) { return true; }, &error));
  EXPECT_NE(error.find("other options"), std::string::npos);
  o.trial.launches = small_campaign().trial.launches;
  std::ofstream(o.state) << "{\"opt";
  EXPECT_FALSE(run_campaign(o, [](const Campaign&) { return true; }, &error));
  EXPECT_NE(error.find("no state of a campaign"), std::string::npos);
}

// A state that something else wrote is refused, not taken for trials that were never made.
TEST(Campaigns, RefuseAStateThatTheirTrialsDidNotMake) {
  const testing::TemporaryFolder folder;
  CampaignOptions o = small_campaign();
  o.count = 3;
  o.state = folder.file("state.json");
  verdicts(o);
  std::stringstream text;
  text << std::ifstream(o.state).rdbuf();
  const std::string good = text.str();
  const std::pair<const char*, const char*> damages[] = {
      {"\"next\": 3", "\"next\": -3"},
      {"\"next\": 3", "\"next\": 1e30"},
      {"\"next\": 3", "\"next\": 100"},
      {"\"next\": 3", "\"next\": \"3\""},
      {"\"proven\": 0", "\"proven\": -1"},
      {"\"verdicts\": [", "\"verdicts\": [[99, \"\", 0],"},
      {"\"verdicts\": [", "\"verdicts\": [[0, \"x\", 7],"},
      {"\"failures\": []", "\"failures\": [{\"seed\": 1, \"verdict\": 7, \"reason\": \"\", \"detail\": \"\", \"file\": \"\"}]"},
  };
  for (const auto& [from, to] : damages) {
    const std::size_t at = good.find(from);
    ASSERT_NE(at, std::string::npos) << from << "\n" << good;
    std::string bad = good;
    bad.replace(at, std::string(from).size(), to);
    std::ofstream(o.state) << bad;
    std::string error;
    EXPECT_FALSE(run_campaign(o, [](const Campaign&) { return true; }, &error)) << to;
    EXPECT_NE(error.find("is damaged"), std::string::npos) << to << ": " << error;
  }
  // Nor do they begin where no failure could be kept.
  o.state.clear();
  o.folder = folder.file("state.json");
  std::string error;
  EXPECT_FALSE(run_campaign(o, [](const Campaign&) { return true; }, &error));
  EXPECT_NE(error.find("state.json"), std::string::npos) << error;
}

TEST(Isolation, ATrialThatCrashesOrHangsIsAVerdictAndTheOthersGoOn) {
  TrialOptions options;
  options.largest_extent = 2;
  Isolation isolation;
  isolation.jobs = 2;
  isolation.patience = std::chrono::seconds(2);
  std::vector<Verdict> seen;
  run_trials(
      6,
      [](std::uint64_t i) {
        if (i == 1) std::raise(SIGABRT);
        while (i == 4) pause();
        return words_of(i);
      },
      options, isolation,
      [&](std::uint64_t i, TrialResult&& r) {
        EXPECT_EQ(i, seen.size());
        seen.push_back(r.verdict);
        return true;
      });
  ASSERT_EQ(seen.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(seen[i] == Verdict::crashed, i == 1) << i;
    EXPECT_EQ(seen[i] == Verdict::hung, i == 4) << i;
  }
}

// The first store left out: what a trial is there to notice.
PhysicalPtr without_first_store(const PhysicalProgram& program) {
  bool seen = false;
  return lowering::copy_with(program, [&](OpId, lowering::OpEdit& e) {
    if (e.kind == OpKind::store && !seen) e.times = 0, seen = true;
  });
}

TEST(Trials, NoticeAProgramThatDoesSomethingElse) {
  TrialOptions good, bad;
  good.host = bad.host = false;
  good.largest_extent = bad.largest_extent = 7;
  bad.alter = without_first_store;
  int agreeing = 0, noticed = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    if (run_trial(words_of(seed), good).verdict != Verdict::agrees) continue;
    ++agreeing;
    const Verdict v = run_trial(words_of(seed), bad).verdict;
    noticed += v == Verdict::different || v == Verdict::broken;
  }
  // A store that never happens, or writes what is there, makes no difference.
  EXPECT_GT(agreeing, 20);
  EXPECT_GT(noticed, agreeing / 2);
}

TEST(Shrinking, KeepsTheVerdictAndItsReasonAndTakesTheRestAway) {
  TrialOptions options;
  options.largest_extent = 2;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TrialResult r = run_trial(words_of(seed), options);
    if (r.verdict != Verdict::agrees || !r.features.contains({"reduce", "", 0})) continue;
    // Any verdict can be kept; "agrees" is at hand.
    const Shrunk small = shrink(words_of(seed), r, options, {}, 200);
    EXPECT_EQ(small.result.verdict, r.verdict);
    EXPECT_LT(small.words.size(), words_of(seed).size());
    EXPECT_LE(small.tried, 200);
    EXPECT_LE(text_of(small.words).size(), r.text.size());
    return;
  }
  FAIL() << "no such kernel";
}

}  // namespace
}  // namespace kir::fuzz
