// Which formulas are decided, how often, and by how many threads; one formula is decided in smt/solver.cpp.
#include "smt/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <mutex>

#include "core/base/check.h"
#include "proof/formula.h"
#include "smt/memory.h"
#include "smt/premise.h"
#include "smt/problem.h"
#include "smt/solver.h"
#include "smt/z3_backend.h"

namespace kir::smt {
namespace {

using proof::Verdict;

// What is known of one formula: a decision whose model is listed by leaf of the formula.
struct Answered {
  proof::Decision decision;
  std::vector<std::string> model;
};

Answered answer(const proof::Obligation& o, const DecideOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Problem problem = make_problem(o, options.variant);
  Solution s = solve(problem, options.rlimit, options.variant);
  Answered out;
  out.model = std::move(s.model);
  proof::Decision& d = out.decision;
  d.verdict = s.verdict;
  d.tier = std::move(s.tier);
  d.reason = std::move(s.reason);
  d.resource = s.resource;
  d.runaway = s.runaway;
  if (d.verdict == Verdict::proved) {
    d.premise = premise_of(problem, options.rlimit);
    if (d.premise == proof::Premise::unknown) {
      d.verdict = Verdict::unknown;
      d.reason =
          "the goal follows from its hypotheses, but no point was found where these hold, nor a proof that there is none";
    }
  }
  if (d.verdict == Verdict::proved && options.second_solver && wants_cross_check(problem)) {
    const SecondOpinion second = cross_check(*options.second_solver, problem);
    d.cross_check = second.answer;
    d.runaway |= second.runaway;
    if (d.cross_check == proof::CrossCheck::contradicted) {
      d.verdict = Verdict::inconsistent;
      d.reason = fmt::format("{} has a model of the negation", options.second_solver->version);
    }
  }
  d.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace

std::vector<proof::Decision> decide(const proof::Ledger& ledger, const DecideOptions& options) {
  std::vector<proof::Decision> out(ledger.obligations.size());
  std::map<std::string, std::size_t> by_text;
  std::vector<std::size_t> representative;  // of each distinct formula
  std::vector<const std::string*> texts;    // likewise
  std::vector<std::size_t> formula_of(out.size(), SIZE_MAX);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const proof::Obligation& o = ledger.obligations[i];
    if (o.preset) {
      KIR_CHECK(o.preset->verdict != Verdict::proved, "a preset verdict is never a proof");
      out[i].verdict = o.preset->verdict;
      out[i].tier = "preset";
      out[i].reason = o.preset->reason;
      continue;
    }
    if (o.goal.node() == nullptr) {
      out[i].verdict = Verdict::missing;
      out[i].tier = "preset";
      out[i].reason = "the obligation has no formula";
      continue;
    }
    auto [it, fresh] = by_text.emplace(proof::canonical_text(o), representative.size());
    if (fresh) {
      representative.push_back(i);
      texts.push_back(&it->first);
    }
    formula_of[i] = it->second;
  }

  const Memory memory(options);
  std::vector<Answered> answers(representative.size());
  std::atomic<std::size_t> next{0};
  std::mutex progress_lock;
  std::size_t done = 0;
  auto work = [&] {
    for (std::size_t k = next++; k < representative.size(); k = next++) {
      if (auto known = memory.recall(*texts[k])) {
        answers[k].decision = *std::move(known);
      } else {
        answers[k] = answer(ledger.obligations[representative[k]], options);
        memory.keep(*texts[k], answers[k].decision);
      }
      if (options.progress) {
        std::lock_guard lock(progress_lock);
        options.progress(++done, representative.size());
      }
    }
  };
  std::vector<std::future<void>> threads;  // a failure, such as no memory, is the caller's to hear of
  int jobs = std::max(1, std::min<int>(options.jobs, static_cast<int>(representative.size())));
  for (int t = 1; t < jobs; ++t) threads.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void>& t : threads) t.get();

  for (std::size_t i = 0; i < out.size(); ++i) {
    if (formula_of[i] == SIZE_MAX) continue;
    const Answered& a = answers[formula_of[i]];
    out[i] = a.decision;
    std::vector<Expr> leaves = proof::formula_leaves(ledger.obligations[i]);
    for (std::size_t k = 0; k < a.model.size() && k < leaves.size(); ++k)
      out[i].model.push_back({to_string(leaves[k]), a.model[k]});
  }
  return out;
}

std::string dump_smtlib(const proof::Obligation& o) {
  if (o.preset || o.goal.node() == nullptr) return {};
  std::vector<Expr> conjunction = o.hypotheses;
  conjunction.push_back(negation(o.goal));
  return smtlib(conjunction, fmt::format("{}\n{}\n{}", proof::name(o.kind), o.key, o.sentence));
}

std::string solver_version() { return "Z3 " + z3_version(); }

}  // namespace kir::smt
