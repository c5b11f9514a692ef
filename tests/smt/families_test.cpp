// The representative obligations: all decided, and every wrong version refuted with a model that the evaluator confirms.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/check.h"
#include "families.h"
#include "formula.h"
#include "smt/decide.h"

namespace kir {
namespace {

using proof::Verdict;

// shows: D4 K9.12 K9.2 K4.1
TEST(Families, true_ones_are_proved_and_wrong_ones_refuted) {
  proof::Ledger ledger;
  for (const test::Family& f : test::families()) {
    test::add(ledger, std::string("true: ") + f.name, f.hypotheses, f.goal);
    test::add(ledger, std::string("wrong: ") + f.name, f.wrong_hypotheses.empty() ? f.hypotheses : f.wrong_hypotheses,
              f.wrong_goal.empty() ? f.goal : f.wrong_goal);
  }
  auto decisions = smt::decide(ledger, {.jobs = 2});
  bool print = std::getenv("KIR_PRINT_TIMES") != nullptr;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const proof::Obligation& o = ledger.obligations[i];
    const proof::Decision& d = decisions[i];
    std::string model;
    for (const proof::Binding& b : d.model) model += b.leaf + "=" + b.value + " ";
    if (print)
      fmt::print("{:9.1f} ms {:12} {:9} {:18} {} {} {}\n", d.milliseconds, d.resource, proof::name(d.verdict), d.tier, o.key,
                 model, d.reason);
    Verdict expected = o.key.starts_with("true") ? Verdict::proved : Verdict::refuted;
    EXPECT_EQ(d.verdict, expected) << o.key << ": " << d.reason << " " << model;
    EXPECT_TRUE(d.reason.empty()) << d.reason;
    if (d.verdict != Verdict::refuted) continue;
    auto value = [&](Expr leaf) -> std::optional<Integer> {
      for (const proof::Binding& b : d.model)
        if (b.leaf == to_string(leaf)) return b.value == "true" ? 1 : b.value == "false" ? 0 : std::stoll(b.value);
      return {};
    };
    for (Expr h : o.hypotheses) EXPECT_EQ(evaluate(h, value).value, 1) << o.key << " " << to_string(h) << " " << model;
    EXPECT_EQ(evaluate(o.goal, value).value, 0) << o.key << " " << model;
  }
}

}  // namespace
}  // namespace kir
