#include "smt/second_solver.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <unordered_set>

#include "core/base/process.h"
#include "core/base/sha256.h"
#include "smt/engine.h"
#include "smt/z3_backend.h"

namespace kir::smt {
namespace {

constexpr std::chrono::seconds kRunaway{60};
constexpr const char* kResourceLimit = "50000";  // of cvc5: some tenths of a second

// What ld.so would load for a program: "\tlibcvc5.so.1 => /usr/lib/libcvc5.so.1 (0x...)". Nothing for one that is static. Of a
// script it names the shell's; what a script runs in its turn is not followed.
std::string digest_of_code(const std::string& path) {
  const ProcessResult r = run_process({"/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1", path}, {}, kRunaway);
  std::string all = file_digest(path);
  std::istringstream lines(r.output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find('/'), end = line.find(" (0x");
    if (line.starts_with('\t') && begin < end && end != std::string::npos) all += file_digest(line.substr(begin, end - begin));
  }
  return sha256_hex(all);
}

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = s.find_first_not_of(kSpace);
  return begin == s.npos ? "" : s.substr(begin, s.find_last_not_of(kSpace) - begin + 1);
}

bool has_line(const std::string& text, std::string_view wanted) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (trimmed(line) == wanted) return true;
  return false;
}

bool is_number(Expr e) { return e.is(ExprKind::constant); }

}  // namespace

std::optional<SecondSolver> find_second_solver(std::string* error) {
  const char* named = std::getenv("KIR_CVC5");
  SecondSolver s{find_program(named != nullptr && *named != 0 ? named : "cvc5"), "", ""};
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
  try {
    s.digest = digest_of_code(s.path);
  } catch (const std::runtime_error& e) {
    *error = e.what();
    return {};
  }
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
  if (has_line(r.output, "sat")) return {.answer = proof::CrossCheck::contradicted};
  const std::string_view answer = trimmed(r.output);
  if (r.succeeded() && answer == "unsat") return {.answer = proof::CrossCheck::agrees};
  return {.runaway = !r.succeeded() || answer != "unknown"};
}

}  // namespace kir::smt
