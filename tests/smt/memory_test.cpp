// What is proven once is not asked again, by the same engine with the same options.
#include "smt/memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/base/content_store.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "proof/formula.h"
#include "tests/smt/formula.h"
#include "tests/temporary_folder.h"

namespace kir::smt {
namespace {

using proof::Verdict;

class MemoryTest : public ::testing::Test {
 protected:
  MemoryTest() { options_.store = &store_; }

  testing::TemporaryFolder folder_;
  ContentStore store_{folder_.path(), ContentStore::Mode::read_write};
  DecideOptions options_;
  const Engine engine_{"sources", "solver", "library"};
  const proof::Decision proof_{.verdict = Verdict::proved, .tier = "smt", .resource = 77, .milliseconds = 100};
};

TEST_F(MemoryTest, a_proof_is_remembered) {
  const Memory memory(options_, engine_);
  EXPECT_FALSE(memory.recall("formula"));
  memory.keep("formula", proof_);
  const auto d = memory.recall("formula");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->verdict, Verdict::proved);
  EXPECT_EQ(d->tier, "smt");
  EXPECT_EQ(d->resource, 77u);
  EXPECT_FALSE(memory.recall("formula "));
}

TEST_F(MemoryTest, only_proofs_are_and_only_those_that_took_time) {
  const Memory memory(options_, engine_);
  for (Verdict v : {Verdict::refuted, Verdict::unknown, Verdict::unsupported, Verdict::inconsistent, Verdict::missing}) {
    proof::Decision d = proof_;
    d.verdict = v;
    memory.keep("formula", d);
    EXPECT_FALSE(memory.recall("formula")) << proof::name(v);
  }
  proof::Decision quick = proof_;
  quick.milliseconds = 0.01;
  memory.keep("formula", quick);
  EXPECT_FALSE(memory.recall("formula"));
  proof::Decision held_up = proof_;  // its resource count is not a function of the formula
  held_up.runaway = true;
  memory.keep("formula", held_up);
  EXPECT_FALSE(memory.recall("formula"));
}

TEST_F(MemoryTest, another_engine_or_another_budget_shares_nothing) {
  Memory(options_, engine_).keep("formula", proof_);
  for (const Engine& other : {Engine{"sources 2", "solver", "library"}, Engine{"sources", "solver 2", "library"},
                              Engine{"sources", "solver", "library 2"}, Engine{"sourcess", "olver", "library"}})
    EXPECT_FALSE(Memory(options_, other).recall("formula"));
  DecideOptions options = options_;
  options.rlimit += 1;
  EXPECT_FALSE(Memory(options, engine_).recall("formula"));
  options = options_;
  options.jobs = 7;
  EXPECT_TRUE(Memory(options, engine_).recall("formula"));
  options.store = nullptr;
  EXPECT_FALSE(Memory(options, engine_).recall("formula"));
}

proof::Ledger ledger_of(const std::string& goal) {
  proof::Ledger ledger;
  test::Formulas f(*ledger.pool);
  proof::Obligation o;
  o.goal = f(goal);
  ledger.add(std::move(o));
  return ledger;
}

TEST_F(MemoryTest, decide_asks_it_first) {
  const proof::Ledger ledger = ledger_of("0 <= x implies 0 <= x * x + x");
  const std::string text = proof::canonical_text(ledger.obligations[0]);
  proof::Decision planted = proof_;
  planted.tier = "planted";
  Memory(options_).keep(text, planted);
  EXPECT_EQ(decide(ledger, options_)[0].tier, "planted");
  options_.store = nullptr;
  EXPECT_NE(decide(ledger, options_)[0].tier, "planted");
  EXPECT_EQ(decide(ledger, options_)[0].verdict, Verdict::proved);
}

TEST_F(MemoryTest, the_engine_is_what_is_loaded) {
  const Engine& engine = this_engine();
  EXPECT_EQ(engine.sources.size(), 64u);
  EXPECT_EQ(engine.solver, solver_version());
  std::set<std::string> loaded;
  std::ifstream maps("/proc/self/maps");
  for (std::string line, error; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos || line.find("libz3") == std::string::npos) continue;
    if (const auto bytes = read_file(line.substr(path), std::size_t{1} << 30, &error)) loaded.insert(sha256_hex(*bytes));
  }
  EXPECT_TRUE(loaded.contains(engine.solver_library));
}

}  // namespace
}  // namespace kir::smt
