// How obligations are decided, on the command line of every tool that proves.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "smt/decide.h"
#include "tools/lib/command_line.h"

namespace kir::tools {

struct SolverArguments {
  int jobs = 1;
  std::uint64_t rlimit = smt::DecideOptions{}.rlimit;
  bool cross_check = false;
  unsigned variant = 0;
};

inline void add_solver_options(CLI::App& app, SolverArguments& a) {
  app.add_option("-j,--jobs", a.jobs, "threads")->check(CLI::Range(1, 256))->capture_default_str();
  add_solver_limit(app, a.rlimit);
  app.add_flag(
      "--cross-check", a.cross_check,
      "ask a second solver (cvc5) about each proof that multiplies or divides unknowns; where it disagrees: INCONSISTENT");
  app.add_option("--variant", a.variant,
                 "decide the same formulas in other words: hypotheses in another order, other names, another seed; no verdict "
                 "may change")
      ->check(CLI::Range(0u, 1'000'000u))
      ->capture_default_str();
}

// Empty, with a message on standard error, when the second solver is wanted and not there.
inline std::optional<smt::DecideOptions> decide_options(const SolverArguments& a) {
  smt::DecideOptions out;
  out.jobs = a.jobs;
  out.rlimit = a.rlimit;
  out.variant = a.variant;
  if (a.cross_check) {
    std::string error;
    out.second_solver = smt::find_second_solver(&error);
    if (!out.second_solver) {
      fmt::print(stderr, "error: {}\n", error);
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace kir::tools
