// Claims about layouts as obligations: what core/layout leaves open is decided by the tiers, and both agree where both answer.
#include "proof/layout_claims.h"

#include <gtest/gtest.h>

#include "smt/layout.h"
#include "smt/lemma.h"
#include "tests/layout/layout_support.h"

namespace kir {
namespace {

using layout::L;
using layout::Outcome;
using layout::Random;
using proof::LayoutClaim;
using proof::LayoutQuestion;

smt::LayoutDecision decided(LayoutClaim claim, std::string_view a, std::string_view b = "") {
  LayoutQuestion q{.claim = claim, .layout = L(a), .other = {}, .box = {}};
  if (!b.empty()) q.other = L(b);
  return smt::decide_layout(q);
}

// Left open by the procedures of core/layout, decided by the solver for all sizes.
// shows: L3.2 L1.10 D4
TEST(LayoutClaims, TheSolverDecidesWhatStridesDoNotOrder) {
  struct Case {
    LayoutClaim claim;
    const char *a, *b;
    Outcome outcome;
  };
  for (const Case& c : {
           // 2*N and 3*N are apart, and so are the remainders modulo 6: but no stride exceeds the others' reach.
           Case{LayoutClaim::injective, "S[(2,3):(3*N,2*N)]", "", Outcome::proved},
           Case{LayoutClaim::injective, "S[(2,4):(3*N,2*N)]", "", Outcome::proved},
           Case{LayoutClaim::exclusive, "S[2:3*N] + R[3:2*N]", "", Outcome::proved},
           Case{LayoutClaim::replica_consistent, "S[2:1] + R[(2,3):(3*N,2*N)]", "", Outcome::proved},
           Case{LayoutClaim::disjoint, "S[4:2*N]", "S[4:2*N] + N", Outcome::proved},
       }) {
    LayoutQuestion q{.claim = c.claim, .layout = L(c.a), .other = {}, .box = {}};
    if (*c.b) q.other = L(c.b);
    EXPECT_EQ(proof::decide_by_arguments(q).outcome, Outcome::undecided) << proof::sentence(q);
    const smt::LayoutDecision d = smt::decide_layout(q);
    EXPECT_EQ(d.decision.outcome, c.outcome) << proof::sentence(q) << ": " << d.decision.why;
    EXPECT_EQ(d.decision.by, layout::By::solver);
  }
}

// Sizes beyond the small ones that are tried at first: only the solver finds them.
// shows: L3.2 L1.9 D4
TEST(LayoutClaims, AModelBecomesACounterexample) {
  smt::LayoutDecision d = decided(LayoutClaim::injective, "S[(N,2):(1,40)]");
  ASSERT_EQ(d.decision.outcome, Outcome::refuted) << d.decision.why;
  EXPECT_EQ(d.decision.by, layout::By::solver);
  const layout::Witness w = *d.decision.witness;
  ASSERT_GT(w.sizes.at("N"), 40);
  const layout::TileLayout bound = *L("S[(N,2):(1,40)]").tile.bind(w.sizes);
  EXPECT_NE(w.x, w.y);
  EXPECT_EQ(base_place(bound, w.x), base_place(bound, w.y));
  EXPECT_EQ(base_place(bound, w.x), w.place);

  d = decided(LayoutClaim::disjoint, "S[N:1]", "S[8:1] + 100");
  ASSERT_EQ(d.decision.outcome, Outcome::refuted) << d.decision.why;
  EXPECT_GT(d.decision.witness->sizes.at("N"), 100);
  d = decided(LayoutClaim::covering, "S[(N,2):(2*N-40,1)] + R[1:1]");
  EXPECT_NE(d.decision.outcome, Outcome::proved);
}

// A claim that is as large as a solver likes is no reason to enumerate: an answer, or none.
TEST(LayoutClaims, WhatIsNotShownIsUndecided) {
  const smt::LayoutDecision d = decided(LayoutClaim::covering, "swizzle(3,3,3) o S[(N,8):(8,1)]");
  EXPECT_EQ(d.decision.outcome, Outcome::undecided);
  EXPECT_FALSE(d.decision.why.empty());
}

// Each claim about small layouts, by core/layout and by its formula: the formula is never wrong in either direction.
// shows: L3.2 D4
TEST(LayoutClaims, FormulasAgreeWithTheProcedures) {
  Random random(5);
  int proved = 0, refuted = 0;
  const auto layout_of = [&] { return layout::random_layout(random, {.elements = 12, .copies = 3, .axes = {"m", "laneid"}}); };
  for (int round = 0; round < 60; ++round) {
    const layout::TileLayout a = layout_of();
    layout::TileLayout b = layout_of();
    if (round % 3 == 0) b = *layout::TileLayout::make(a.shard(), a.replica(), b.offset());
    for (LayoutClaim claim : {LayoutClaim::injective, LayoutClaim::exclusive, LayoutClaim::replica_consistent,
                              LayoutClaim::covering, LayoutClaim::equal, LayoutClaim::disjoint}) {
      LayoutQuestion q{.claim = claim, .layout = {a, {}}, .other = {}, .box = {}};
      if (claim == LayoutClaim::equal || claim == LayoutClaim::disjoint) q.other = layout::Layout{b, {}};
      const layout::Decision truth = proof::decide_by_arguments(q);
      const layout::Decision d = smt::decide_layout_by_formula(q).decision;
      const std::string what = proof::sentence(q) + ": " + truth.why + " | " + d.why;
      ASSERT_NE(truth.outcome, Outcome::undecided) << what;
      const bool exact = claim != LayoutClaim::covering && claim != LayoutClaim::equal;
      if (exact || d.outcome != Outcome::undecided) {
        EXPECT_EQ(d.outcome, truth.outcome) << what;
      }
      proved += d.outcome == Outcome::proved;
      refuted += d.outcome == Outcome::refuted;
    }
  }
  EXPECT_GT(proved, 60);
  EXPECT_GT(refuted, 60);
}

// Each block of 512 (the period of a 128-byte swizzle of 16-bit elements) is permuted in itself: the rank of the map, at
// addresses that no enumeration walks. Half a line is not. shows: L2.1 L3.2 D4
TEST(LayoutClaims, SwizzlesAreBijectiveByTheRankOfTheirBits) {
  for (const auto& [text, block, alignment, holds] :
       std::vector<std::tuple<const char*, std::int64_t, std::int64_t, bool>>{{"swizzle(3,3,3)", 512, 512, true},
                                                                              {"swizzle(3,3,3)", 64, 64, true},
                                                                              {"swizzle(2,2,3)", 1024, 1024, true},
                                                                              {"swizzle(4,1,3,outer)", 4096, 4096, true},
                                                                              {"swizzle(3,3,3)", 32, 32, false},
                                                                              {"swizzle(4,1,3,outer)", 64, 64, false},
                                                                              {"swizzle(4,1,3,outer)", 256, 256, true}}) {
    const LayoutQuestion q{
        .claim = LayoutClaim::bijective, .layout = L(text), .other = {}, .box = {}, .block = block, .alignment = alignment};
    EXPECT_EQ(proof::decide_by_arguments(q).outcome, holds ? Outcome::proved : Outcome::refuted) << proof::sentence(q);
    const smt::LayoutDecision d = smt::decide_layout_by_formula(q);
    EXPECT_EQ(d.decision.outcome, holds ? Outcome::proved : Outcome::refuted) << proof::sentence(q) << d.decision.why;
    if (holds) {
      EXPECT_NE(d.tier.find("lemma:f2-rank"), std::string::npos) << d.tier;
    }
  }
}

}  // namespace
}  // namespace kir
