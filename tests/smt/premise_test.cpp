// No vacuous proofs: what a proof supposes can hold, or is known never to.
#include "smt/premise.h"

#include <gtest/gtest.h>

#include "formula.h"
#include "smt/decide.h"

namespace kir {
namespace {

using proof::Premise;
using proof::Verdict;

proof::Decision decide_one(const std::vector<std::string>& hypotheses, const std::string& goal,
                           std::uint64_t rlimit = 4'000'000) {
  proof::Ledger ledger;
  test::add(ledger, "one", hypotheses, goal);
  return smt::decide(ledger, {.rlimit = rlimit}).at(0);
}

// shows: D4
TEST(Premise, OfAProofItIsSatisfiable) {
  const proof::Decision d = decide_one({"0 <= m < M", "0 <= n < N", "L == M*N", "w == m*N + n"}, "w < L");
  EXPECT_EQ(d.verdict, Verdict::proved);
  EXPECT_EQ(d.premise, Premise::satisfiable);
}

// shows: D4
TEST(Premise, WhatNeverHappensIsSaid) {
  for (const std::vector<std::string>& never :
       {std::vector<std::string>{"n < N", "N <= n"}, {"x*x + y*y == 3", "0 <= x", "0 <= y"}, {"b_p", "not b_p"}}) {
    const proof::Decision d = decide_one(never, "i == j");
    EXPECT_EQ(d.verdict, Verdict::proved);
    EXPECT_EQ(d.premise, Premise::unreachable);
  }
}

// What the goal supposes is part of the premise.
TEST(Premise, OfAnImplicationToo) {
  EXPECT_EQ(decide_one({"0 <= i < N"}, "i < 0 implies i == 7").premise, Premise::unreachable);
  EXPECT_EQ(decide_one({"0 <= i < N"}, "i >= 7 implies i > 6").premise, Premise::satisfiable);
}

// The goal follows, but whether anything is said by it is open: a sum of three cubes that no one has found by this limit.
// shows: D4
TEST(Premise, AnUnknownOneMakesTheVerdictUnknown) {
  const proof::Decision d = decide_one({"a*a*a + b*b*b + c*c*c == 42", "n < N"}, "n + 1 <= N", 400'000);
  EXPECT_EQ(d.verdict, Verdict::unknown);
  EXPECT_EQ(d.premise, Premise::unknown);
  EXPECT_NE(d.reason.find("no point was found"), std::string::npos) << d.reason;
}

TEST(Premise, IsNotAskedOfWhatIsNotProved) { EXPECT_EQ(decide_one({"0 <= i"}, "i >= 1").premise, Premise::not_asked); }

}  // namespace
}  // namespace kir
