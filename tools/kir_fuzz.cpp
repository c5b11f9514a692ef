// kir-fuzz: random kernels through every layer, for as long as wanted.
//
//   1. arguments (unknown ones exit 2)
//   2. --show SEED: the kernel of a seed and what becomes of it
//   3. else the trials of the seeds, in processes of their own; progress on a terminal; SIGINT and SIGTERM end it in order
//   4. what became of them by verdict and reason, the failures, the table of features
//   5. the exit code: 0 no failure, 1 failures, 2 usage or files, 3 interrupted before a failure
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "core/base/exit_code.h"
#include "core/base/file.h"
#include "tools/fuzz/campaign.h"
#include "tools/lib/command_line.h"

namespace {

using namespace kir;
using fuzz::Verdict;

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) { interrupted = 1; }

int show(std::uint64_t seed, const fuzz::TrialOptions& options) {
  const fuzz::TrialResult r = fuzz::run_trial(fuzz::words_of(seed), options);
  fmt::print("{}\n// seed {}: {}{}{}\n", r.text, seed, name(r.verdict), r.reason.empty() ? "" : ": ", r.reason);
  if (!r.detail.empty()) fmt::print("// {}\n", r.detail);
  return is_failure(r.verdict) ? 1 : 0;
}

void report(const fuzz::Campaign& c, double seconds, std::uint64_t trials_now) {
  for (const auto& [key, n] : c.verdicts)
    fmt::print("{:9} {}{}{}\n", n, name(key.first), key.second.empty() ? "" : ": ", key.second);
  for (const fuzz::Failure& f : c.failures)
    fmt::print("seed {}: {}: {}{}\n", f.seed, name(f.verdict), f.reason, f.file.empty() ? "" : "  " + f.file);
  fmt::print("{} trials, {} launches compared, {} not decided, {} proven, {} failures; {:.0f} trials a second\n", c.trials(),
             c.launches, c.undecided, c.proven, c.failures.size(),
             seconds > 0 ? static_cast<double>(trials_now) / seconds : 0.0);
}

int run_tool(int argc, char** argv) {
  fuzz::CampaignOptions o;
  bool integers = false, strict = false, quiet = false, prove = false;
  std::uint64_t shown = 0;
  std::string table;
  CLI::App app("Random kernels through construction, both interpreters, host code and validation.", "kir-fuzz");
  tools::add_count(app, "--seed", o.first, "the first seed")->capture_default_str();
  tools::add_count(app, "--count", o.count, "seeds")->capture_default_str();
  std::uint64_t time = 0;
  tools::add_count(app, "--time", time, "seconds after which it ends; 0: when all seeds are done", 0, 1'000'000'000);
  app.add_option("-j,--jobs", o.isolation.jobs, "processes")->check(CLI::Range(1, 256))->capture_default_str();
  tools::add_count(app, "--prove-every", o.prove_every, "also prove the kernels whose seed this divides; 0: none")
      ->capture_default_str();
  tools::add_solver_limit(app, o.trial.rlimit);
  app.add_option("--largest-extent", o.trial.largest_extent, "of M and N")->check(CLI::Range(0, 100000))->capture_default_str();
  app.add_option("--launches", o.trial.launches, "launches of each kernel")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--outputs", o.trial.profile.outputs, "outputs of a kernel, at most")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_option("--depth", o.trial.profile.depth, "nested blocks")->check(CLI::Range(1, 16))->capture_default_str();
  app.add_option("--expression", o.trial.profile.expression, "levels of an expression")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_flag("--integers", integers, "integers only");
  app.add_flag("--strict", strict, "no order licences on floats and no approximate functions: one value, bit for bit");
  tools::add_output(app, "--state", o.state, "a file that holds how far it is; the same command goes on from it");
  tools::add_output(app, "--keep", o.folder, "write failures, made small, to this folder");
  tools::add_output(app, "--table", table, "write the table of operations and where they stood, as Markdown, to this file");
  CLI::Option* one = tools::add_count(app, "--show", shown, "show the kernel of this seed and what becomes of it");
  app.add_flag("--prove", prove, "with --show: prove it too");
  app.add_flag("--quiet", quiet, "no progress");
  if (auto code = tools::parse_command_line(app, argc, argv, "0 no failure; 1 failures; 2 usage or files; 3 interrupted"))
    return *code;
  o.seconds = static_cast<double>(time);
  o.trial.profile.floats = !integers;
  o.trial.profile.licences = !strict;
  if (one->count() > 0) {
    o.trial.prove = prove;
    return show(shown, o.trial);
  }

  if (std::error_code code; !table.empty()) {  // found out now, not at the end of a long campaign
    const std::filesystem::path parent = std::filesystem::absolute(table, code).parent_path();
    if (std::filesystem::is_directory(table, code) || !std::filesystem::is_directory(parent, code)) {
      fmt::print(stderr, "error: {}: no file can be written there\n", table);
      return tools::kExitUsage;
    }
  }
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  const bool terminal = isatty(STDERR_FILENO) != 0 && !quiet;
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  std::uint64_t now = 0;
  double shown_at = 0;
  std::string error;
  auto campaign = fuzz::run_campaign(
      o,
      [&](const fuzz::Campaign& c) {
        ++now;
        if (terminal && seconds() - shown_at > 0.2) {
          shown_at = seconds();
          fmt::print(stderr, "\rseed {}: {} trials, {} failures, {:.0f} a second\033[K", c.next, c.trials(), c.failures.size(),
                     static_cast<double>(now) / shown_at);
        }
        return interrupted == 0;
      },
      &error);
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (!campaign) {
    fmt::print(stderr, "error: {}\n", error);
    return tools::kExitUsage;
  }
  report(*campaign, seconds(), now);
  if (!table.empty() && !write_file(table, features_markdown(*campaign), &error)) {
    fmt::print(stderr, "error: {}\n", error);
    return tools::kExitUsage;
  }
  if (!campaign->failures.empty()) return 1;
  return interrupted != 0 ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
