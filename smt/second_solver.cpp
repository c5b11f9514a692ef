#include "smt/second_solver.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "core/base/process.h"
#include "smt/z3_backend.h"

namespace kir::smt {
namespace {

constexpr std::chrono::seconds kRunaway{60};
constexpr const char* kResourceLimit = "50000";  // of cvc5: some tenths of a second

bool is_number(Expr e) { return e.is(ExprKind::constant); }

}  // namespace

std::optional<SecondSolver> find_second_solver(std::string* error) {
  const char* named = std::getenv("KIR_CVC5");
  SecondSolver s{find_program(named != nullptr && *named != 0 ? named : "cvc5"), ""};
  if (s.path.empty()) {
    *error = "the second solver is wanted, but cvc5 is not found: scripts/setup installs it, and KIR_CVC5 names another one";
    return {};
  }
  const ProcessResult r = run_process({s.path, "--version"}, {}, kRunaway);
  constexpr std::string_view kSays = "cvc5 version ";
  const auto at = r.output.find(kSays);
  if (!r.succeeded() || at == std::string::npos) {
    *error = s.path + " does not run as cvc5";
    return {};
  }
  const auto begin = at + kSays.size();
  s.version = "cvc5 " + r.output.substr(begin, r.output.find_first_of(" \n[", begin) - begin);
  return s;
}

bool wants_cross_check(const Problem& problem) {
  std::unordered_set<Expr> seen;
  auto hard = [&](auto& self, Expr e) -> bool {
    if (!seen.insert(e).second) return false;
    switch (e.kind()) {
      case ExprKind::floordiv:
      case ExprKind::ceildiv:
      case ExprKind::mod: return true;
      case ExprKind::mul:
        if (!is_number(e.kid(0)) && !is_number(e.kid(1))) return true;
        break;
      default: break;
    }
    return std::any_of(e.kids().begin(), e.kids().end(), [&](Expr k) { return self(self, k); });
  };
  return hard(hard, problem.goal) ||
         std::any_of(problem.hypotheses.begin(), problem.hypotheses.end(), [&](Expr h) { return hard(hard, h); });
}

SecondOpinion cross_check(const SecondSolver& solver, const Problem& problem) {
  std::vector<Expr> conjunction = problem.hypotheses;
  conjunction.push_back(negation(problem.goal));
  const ProcessResult r = run_process({solver.path, "--lang=smt2", std::string("--rlimit=") + kResourceLimit, "-"},
                                      smtlib(conjunction, ""), kRunaway);
  const std::string_view answer = std::string_view(r.output).substr(0, r.output.find('\n'));
  SecondOpinion out{.runaway = r.end != ProcessResult::End::exited};
  if (r.succeeded() && answer == "unsat") out.answer = proof::CrossCheck::agrees;
  if (r.succeeded() && answer == "sat") out.answer = proof::CrossCheck::contradicted;
  return out;
}

}  // namespace kir::smt
