#include "proof/obligation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "proof/certificate.h"
#include "proof/formula.h"
#include "tests/smt/formula.h"

namespace kir::proof {
namespace {

ObligationKind kind(int i) { return static_cast<ObligationKind>(i); }

// shows: D4
TEST(ObligationTable, names_are_distinct_kebab_case_and_requirements_exist) {
  std::ifstream file(KIR_SOURCE_DIR "/docs/requirements.tsv");
  std::set<std::string> ids;
  for (std::string line; std::getline(file, line);) ids.insert(line.substr(0, line.find('\t')));
  ASSERT_GT(ids.size(), 100u);
  std::set<std::string_view> names;
  for (int i = 0; i < kObligationKindCount; ++i) {
    const ObligationRow& r = row(kind(i));
    EXPECT_EQ(r.kind, kind(i));
    EXPECT_TRUE(std::regex_match(std::string(r.name), std::regex("[a-z]+(-[a-z]+)*"))) << r.name;
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    std::istringstream words{std::string(r.requirement)};
    for (std::string id; words >> id;) EXPECT_TRUE(ids.contains(id)) << r.name << " serves " << id;
  }
}

TEST(ObligationTable, the_page_in_the_docs_is_current) {
  std::ifstream file(KIR_SOURCE_DIR "/docs/obligations.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), obligations_markdown()) << "make it with: kir-validate --list-obligations > docs/obligations.md";
}

// shows: D1
TEST(ExitCodes, only_a_proof_is_zero_and_the_worst_wins) {
  EXPECT_EQ(exit_code(Verdict::proved), 0);
  EXPECT_EQ(exit_code(Verdict::refuted), 1);
  EXPECT_EQ(exit_code(Verdict::unknown), 3);
  EXPECT_EQ(exit_code(Verdict::unsupported), 4);
  EXPECT_EQ(exit_code(Verdict::inconsistent), 5);
  EXPECT_EQ(exit_code(Verdict::missing), 5);
  const int order[] = {1, 2, 5, 4, 3, 0};
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) EXPECT_EQ(combine_exit_codes(order[a], order[b]), order[std::min(a, b)]);
  EXPECT_NE(combine_exit_codes(0, 77), 0);
}

TEST(Ledger, an_assumption_is_listed_once) {
  Ledger l;
  l.assume("precondition", "N >= 1");
  l.assume("precondition", "N >= 1");
  l.assume("licence", "N >= 1");
  ASSERT_EQ(l.assumptions.size(), 2u);
  EXPECT_EQ(l.assumptions[0].category, "precondition");
}

TEST(Formula, digest_ignores_names_and_pools_but_not_structure) {
  Ledger a, b;
  test::add(a, "1", {"0 <= n < N"}, "n*K + 1 <= N*K");
  b.pool->fresh("other");
  test::add(b, "2", {"0 <= row < ROWS"}, "row*COLS + 1 <= ROWS*COLS");
  test::add(b, "3", {"0 <= row < ROWS"}, "row*COLS + 2 <= ROWS*COLS");
  test::add(b, "4", {"0 <= row < ROWS"}, "row*ROWS + 1 <= ROWS*COLS");
  test::add(b, "5", {}, "row*COLS + 1 <= ROWS*COLS");
  test::add(b, "6", {"0 <= row < rows"}, "row*cols + 1 <= rows*cols");  // variables, not launch symbols
  std::string digest = formula_digest(a.obligations[0]);
  EXPECT_EQ(digest, formula_digest(b.obligations[0]));
  for (std::size_t i = 1; i < b.obligations.size(); ++i) EXPECT_NE(digest, formula_digest(b.obligations[i])) << i;
}

TEST(Formula, text_is_linear_in_shared_nodes) {
  Ledger l;
  Expr e = l.pool->symbol("N");
  for (int i = 0; i < 60; ++i) e = e + e;
  Obligation o;
  o.goal = equal(e, e);
  EXPECT_LT(canonical_text(o).size(), 4000u);
}

class CertificateTest : public ::testing::Test {
 protected:
  CertificateTest() {
    subject_.kernel = "k";
    subject_.kernel_digest = "aa";
    subject_.program = "p";
    subject_.program_digest = "bb";
    subject_.solver = "Z3 5.4.1";
    subject_.rlimit = 7;
    subject_.kernel_source = std::make_shared<SourceFile>("some/folder/k.kir", "kir 1\nkernel k() {\n}\n");
    ledger_.assume("precondition", "where N >= 1");
    Obligation& o = test::add(ledger_, "k/one", {"n < N"}, "n <= N");
    o.range = {8, 12};
    decisions_.push_back(
        {.verdict = Verdict::proved, .tier = "simplifier", .reason = {}, .resource = 3, .model = {}, .milliseconds = 1.5});
  }
  CertificateSubject subject_;
  Ledger ledger_;
  std::vector<Decision> decisions_;
};

// shows: D4
TEST_F(CertificateTest, holds_digests_assumptions_first_and_each_obligation) {
  std::string text = certificate(subject_, ledger_, decisions_, Verdict::proved);
  auto j = nlohmann::json::parse(text);
  EXPECT_EQ(j["kernel"]["digest"], "aa");
  EXPECT_EQ(j["program"]["digest"], "bb");
  EXPECT_EQ(j["verdict"], "PROVED");
  EXPECT_EQ(j["solver"]["name"], "Z3 5.4.1");
  EXPECT_EQ(j["assumptions"][0]["text"], "where N >= 1");
  EXPECT_LT(text.find("\"assumptions\""), text.find("\"obligations\""));
  const auto& o = j["obligations"][0];
  EXPECT_EQ(o["kind"], "access-bounds");
  EXPECT_EQ(o["origin"], "k.kir:2:3");
  EXPECT_EQ(o["verdict"], "PROVED");
  EXPECT_EQ(o["tier"], "simplifier");
  EXPECT_EQ(o["resource"], 3);
  EXPECT_EQ(o["digest"], formula_digest(ledger_.obligations[0]));
  EXPECT_EQ(text.find("artifact"), std::string::npos);
}

TEST_F(CertificateTest, equal_validations_give_equal_bytes_whatever_the_time) {
  std::string one = certificate(subject_, ledger_, decisions_, Verdict::proved);
  decisions_[0].milliseconds = 99;
  EXPECT_EQ(one, certificate(subject_, ledger_, decisions_, Verdict::proved));
}

TEST_F(CertificateTest, a_deleted_or_altered_obligation_shows) {
  auto set = [&] {
    return nlohmann::json::parse(certificate(subject_, ledger_, decisions_, Verdict::proved))["obligation_set"];
  };
  auto before = set();
  ledger_.obligations[0].goal = ledger_.pool->boolean(true);
  auto altered = set();
  EXPECT_NE(before, altered);
  ledger_.obligations.clear();
  decisions_.clear();
  EXPECT_NE(altered, set());
}

}  // namespace
}  // namespace kir::proof
