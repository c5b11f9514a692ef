// The claims of construction are decided, and a wrong one is not.
#include "smt/decide.h"

#include "tests/corpus.h"
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

void expect_all_proved(const Built& b) {
  std::vector<proof::Decision> decisions = smt::decide(b.result->ledger, {});
  ASSERT_EQ(decisions.size(), b.result->ledger.obligations.size());
  for (std::size_t i = 0; i < decisions.size(); ++i)
    EXPECT_EQ(decisions[i].verdict, proof::Verdict::proved)
        << b.kernel->id() << " " << b.result->ledger.obligations[i].key << " " << b.result->ledger.obligations[i].sentence
        << "\n"
        << to_string(b.result->ledger.obligations[i].goal) << " " << decisions[i].tier << " " << decisions[i].reason;
}

// shows: D4 K4.1 K4.2 K4.4
TEST(Claims, HoldForTheCorpus) {
  for (const auto& [file, kernel] : kir::testing::corpus_kernels()) {
    SCOPED_TRACE(file);
    Built b = build_kernel(kernel);
    ASSERT_TRUE(b.result) << b.errors;
    expect_all_proved(b);
  }
}

// shows: K4.1 K7.9
TEST(Claims, HoldForDeepDomainsShiftedRangesAndRelations) {
  expect_all_proved(
      build("kernel k(x: in f32[A, B, C, D], y: out f32[D, C, B, A]) { let t = transpose x perm(3, 2, 1, 0)\n"
            "parallel d in 0..D, c in 0..C, b in 0..B, a in 0..A { y[d, c, b, a] = t[d, c, b, a] } }"));
  expect_all_proved(
      build("kernel k(x: in f32[M, N], y: out f32[M, N], p: index, q: index) where 0 <= p, p <= M, q <= N, 0 <= q {\n"
            "  let s = slice x [p..M, q..N]\n"
            "  parallel m in p..M, n in q..N - 1 { y[m, n] = s[m - p, n - q] where m + n < N }\n  parallel i in 2..7 { } }"));
}

// shows: D4
TEST(Claims, AWrongDecodeIsNotProved) {
  Built b = build("kernel k(y: out f32[M, N]) { parallel m in 0..M, n in 0..N { y[m, n] = 1.0 } }");
  proof::Ledger& ledger = b.result->ledger;
  std::size_t spoiled = 0;
  for (proof::Obligation& o : ledger.obligations) {
    if (o.kind != proof::ObligationKind::decode_bijection || o.key.find("decode-flatten") == std::string::npos) continue;
    Expr axis = o.goal.kid(1);
    o.goal = equal(o.goal.kid(0), axis + 1);
    ++spoiled;
  }
  ASSERT_EQ(spoiled, 2u);
  std::vector<proof::Decision> decisions = smt::decide(ledger, {});
  std::size_t failed = 0;
  for (const proof::Decision& d : decisions) failed += d.verdict != proof::Verdict::proved;
  EXPECT_EQ(failed, spoiled);
}

}  // namespace
}  // namespace kir::lowering::testing
