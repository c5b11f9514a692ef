// Proposals for index equations: which unknowns are told, and by what.
#include "proof/solve.h"

#include <gtest/gtest.h>

#include "core/index/parse_expr.h"

namespace kir::proof {
namespace {

class Solve : public ::testing::Test {
 protected:
  Expr e(std::string_view text) {
    std::string error;
    Expr out = parse_expr(pool_, text, &error);
    EXPECT_TRUE(out) << error;
    return out;
  }
  // The unknowns as they are solved for, "?" where nothing tells.
  std::string told(const std::vector<std::string>& unknowns, const std::vector<std::pair<std::string, std::string>>& equations,
                   const std::vector<std::pair<std::string, std::string>>& below) {
    std::vector<Expr> all;
    for (const std::string& u : unknowns) all.push_back(e(u));
    std::vector<Equation> system;
    for (const auto& [left, right] : equations) system.push_back({e(left), e(right)});
    Assignment limits;
    for (const auto& [u, limit] : below) limits.emplace(e(u).node(), e(limit));
    const Assignment found = solve(all, system, pool_, limits);
    std::string out;
    for (Expr u : all) {
      auto it = found.find(u.node());
      out += (out.empty() ? "" : "; ") + (it == found.end() ? "?" : to_string(it->second));
    }
    return out;
  }

  ExprPool pool_;
};

TEST_F(Solve, DigitsOfAMixedRadixNumber) {
  EXPECT_EQ(told({"i", "j"}, {{"i * N + j", "p"}}, {{"i", "M"}, {"j", "N"}}), "p floordiv N; p mod N");
  EXPECT_EQ(told({"c", "i", "j"}, {{"c * (K * K) + i * K + j", "p"}}, {{"c", "C"}, {"i", "K"}, {"j", "K"}}),
            "p floordiv (K * K); p mod (K * K) floordiv K; p mod (K * K) mod K");
}

// A sum whose parts overlap tells nothing that a number with digits tells better, whichever comes first.
TEST_F(Solve, OverlappingSumsWaitForDigits) {
  const std::vector<std::pair<std::string, std::string>> below = {{"m", "M"}, {"n", "N"}, {"i", "K"}};
  EXPECT_EQ(told({"m", "n", "i"}, {{"n * s + i", "q"}, {"m * N + n", "p"}}, below), "p floordiv N; p mod N; q - s * (p mod N)");
  // It is a guess where nothing else is there.
  EXPECT_EQ(told({"n", "i"}, {{"n * s + i", "q"}}, below), "q floordiv s; q mod s");
}

TEST_F(Solve, TellsNothingOfUnknownsThatCancelOrHaveOneCoefficient) {
  EXPECT_EQ(told({"i", "j"}, {{"i + j", "p"}}, {{"i", "M"}, {"j", "N"}}), "?; ?");
  EXPECT_EQ(told({"i"}, {{"i - i + N", "p"}}, {}), "?");
}

}  // namespace
}  // namespace kir::proof
