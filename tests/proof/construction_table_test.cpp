// The checks of the construction verifier: nothing is left out, and how results follow from rules and obligations.
#include "proof/construction.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace kir::proof {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(std::string(KIR_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(in.good()) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::set<std::string> words(std::string_view list) {
  std::istringstream in{std::string(list)};
  std::set<std::string> out;
  for (std::string w; in >> w;) out.insert(w);
  return out;
}

// The rules that the heads of the verifiers list.
std::set<std::string> listed_rules() {
  std::set<std::string> out;
  const std::regex rule("//   ([VW]-[0-9][0-9])  ");
  for (const char* path : {"core/ir/verify.cpp", "core/ir/verify_program.cpp", "core/ir/verify_plan.cpp"}) {
    const std::string text = read(path);
    for (std::sregex_iterator i(text.begin(), text.end(), rule), end; i != end; ++i) out.insert((*i)[1]);
  }
  return out;
}

TEST(ConstructionChecks, AreTheSixteenRequirements) {
  const std::string requirements = read("docs/requirements.tsv");
  ASSERT_EQ(construction_checks().size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) {
    const ConstructionCheck& c = construction_checks()[i];
    EXPECT_EQ(c.id, "K9." + std::to_string(i + 1));
    EXPECT_NE(requirements.find("\n" + std::string(c.id) + "\t"), std::string::npos);
    bool decided = !c.rules.empty() || !c.parts.empty();
    for (int k = 0; k < kObligationKindCount; ++k) decided = decided || has_kind(c, static_cast<ObligationKind>(k));
    EXPECT_TRUE(decided) << c.id << " has neither a rule nor an obligation";
  }
}

TEST(ConstructionChecks, EachKindOfObligationBelongsToOneOrSaysWhyNot) {
  std::set<std::string> beside;
  for (const BesideChecks& b : beside_checks()) beside.merge(words(b.what));
  for (int k = 0; k < kObligationKindCount; ++k) {
    const auto kind = static_cast<ObligationKind>(k);
    bool belongs = false;
    for (const ConstructionCheck& c : construction_checks()) belongs = belongs || has_kind(c, kind);
    EXPECT_NE(belongs, beside.contains(std::string(name(kind)))) << name(kind);
  }
}

TEST(ConstructionChecks, EachStructuralRuleBelongsToOneOrSaysWhyNot) {
  const std::set<std::string> listed = listed_rules();
  ASSERT_GT(listed.size(), 60u);
  std::set<std::string> in_checks = words(part_rules()), beside;
  for (const ConstructionCheck& c : construction_checks()) in_checks.merge(words(c.rules));
  for (const BesideChecks& b : beside_checks()) beside.merge(words(b.what));
  for (const std::string& rule : listed) EXPECT_NE(in_checks.contains(rule), beside.contains(rule)) << rule;
  for (const std::string& rule : in_checks) EXPECT_TRUE(listed.contains(rule)) << rule << " is no rule";
}

TEST(ConstructionChecks, ThePartsOfEachOperationOfProgramsBelongToOne) {
  for (const OpRow& op : op_table()) {
    if (op.vocabulary == Vocabulary::kir) continue;
    bool belongs = false;
    for (const ConstructionCheck& c : construction_checks()) belongs = belongs || has_rule(c, "V-10", op.name);
    EXPECT_TRUE(belongs) << op.name;
  }
}

TEST(ConstructionChecks, ThePageInTheDocsIsCurrent) {
  EXPECT_NE(read("docs/construction.md").find(checks_markdown()), std::string::npos)
      << "make the table with: kir-validate --list-checks";
}

struct Case {
  Ledger ledger;
  std::vector<Decision> decisions;
  void add(ObligationKind kind, Verdict verdict, const std::string& gave_up = "") {
    Obligation o;
    o.kind = kind;
    o.otherwise_unsupported = gave_up;
    ledger.add(std::move(o));
    decisions.push_back({.verdict = verdict});
  }
  const CheckResult& of(std::string_view id, const Diagnostics& structure = Diagnostics()) {
    results = check_results(structure, ledger, decisions);
    for (const CheckResult& r : results)
      if (r.check->id == id) return r;
    ADD_FAILURE() << id;
    return results.front();
  }
  std::vector<CheckResult> results;
};

TEST(ConstructionChecks, AVerdictIsTheWorstOfItsObligations) {
  Case c;
  c.add(ObligationKind::access_bounds, Verdict::proved);
  EXPECT_EQ(c.of("K9.12").verdict, Verdict::proved);
  EXPECT_EQ(c.of("K9.13").text(), "holds by its rules");
  c.add(ObligationKind::access_bounds, Verdict::unknown);
  EXPECT_EQ(c.of("K9.12").verdict, Verdict::unknown);
  c.add(ObligationKind::access_bounds, Verdict::refuted);
  c.add(ObligationKind::access_bounds, Verdict::unsupported);
  EXPECT_EQ(c.of("K9.12").verdict, Verdict::refuted);
  EXPECT_EQ(c.of("K9.12").obligations, 4u);
  EXPECT_EQ(c.of("K9.12").failures, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_FALSE(c.of("K9.13").failed());
}

TEST(ConstructionChecks, WhereTheDerivationGaveUpNothingCountsAsProved) {
  Case c;
  c.add(ObligationKind::relation_equal, Verdict::proved);
  c.add(ObligationKind::value_equal, Verdict::unsupported, "no rule says so");
  EXPECT_EQ(c.of("K9.1").verdict, Verdict::unsupported);
  EXPECT_EQ(c.of("K9.13").verdict, Verdict::missing);
  EXPECT_FALSE(c.of("K9.13").failed());
  EXPECT_EQ(c.of("K9.16").verdict, Verdict::proved);  // asks for no proof
}

TEST(ConstructionChecks, ABrokenRuleFailsItsChecksAndLeavesTheOthersOpen) {
  Diagnostics structure;
  structure.error("W-13", {}, "a buffer inside a loop has scope(iteration)");
  Case c;
  EXPECT_EQ(c.of("K9.11", structure).text(), "MALFORMED by W-13");
  EXPECT_TRUE(c.of("K9.11", structure).failed());
  for (const char* other : {"K9.1", "K9.12", "K9.16"}) {
    EXPECT_EQ(c.of(other, structure).verdict, Verdict::missing) << other;
    EXPECT_FALSE(c.of(other, structure).failed()) << other;
  }
}

}  // namespace
}  // namespace kir::proof
