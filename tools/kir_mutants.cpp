// kir-mutants: damages physical programs in every place and counts what refuses them.
//
//   1. arguments (unknown ones exit 2)
//   2. for each kernel its constructed program, or the given one, which has to be PROVED itself: else it is no wonder that its
//      mutants are refused; and all of its mutants, every N-th of them
//   3. each is judged: structure, runs, validation; survivors are shown as they come
//   4. the matrix: by damage, and by check of the construction verifier, what became of the mutants
//   5. the exit code: 0 no survivor, 1 survivors, 2 usage, input, or a program that is not PROVED, 3 interrupted
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <cstdio>
#include <map>

#include "core/base/exit_code.h"
#include "core/base/file.h"
#include "core/text/text.h"
#include "lowering/pipeline.h"
#include "proof/construction.h"
#include "tools/lib/command_line.h"
#include "tools/lib/source.h"
#include "tools/mutants/judge.h"

namespace {

using namespace kir;
using mutants::Fate;

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) { interrupted = 1; }

struct Counts {
  std::array<int, 5> fates{};
  int told = 0, total = 0, false_alarms = 0, told_by_run = 0;
  std::map<std::string_view, int> refused_by;
};

struct Arguments {
  std::vector<std::string> files;
  std::string physical, kernel;
  std::uint64_t every = 1;
  mutants::JudgeOptions judge;
  bool quiet = false, show = false, checks = false;
};

class Matrix {
 public:
  void add(const mutants::Mutant& m, const mutants::Judgement& j) {
    std::vector<Counts*> counts{&damages_[m.damage], &all_};
    for (std::size_t at = 0; at < m.checks.size();) {  // each that it is aimed at
      const std::size_t end = std::min(m.checks.find(' ', at), m.checks.size());
      counts.push_back(&checks_[m.checks.substr(at, end - at)]);
      at = end + 1;
    }
    for (Counts* c : counts) {
      ++c->fates[static_cast<std::size_t>(j.fate)];
      c->told += j.told;
      c->told_by_run += !j.run.empty();
      ++c->total;
      c->false_alarms += !j.told && (j.fate == Fate::refuted || j.fate == Fate::unproved);
      for (std::string_view check : j.refused_by) ++c->refused_by[check];
    }
    if (!j.told && j.fate == Fate::unproved) ++reasons_[j.reason];
  }

  void print_counts() const {
    fmt::print(
        "{} mutants, {} told apart, {} refused, {} equivalent, {} survivors, {} not proved though no run told them apart\n",
        all_.total, all_.told, refused(all_), count(all_, Fate::equivalent), survivors(), all_.false_alarms);
  }

  void print_matrix() const {
    fmt::print(
        "| damage | checks | mutants | malformed | refuted | not proved | equivalent | survivors | told apart by a run |\n");
    fmt::print("|---|---|---|---|---|---|---|---|---|\n");
    for (const mutants::Damage& d : mutants::damages())
      if (auto it = damages_.find(d.name); it != damages_.end()) line(d.name, d.checks, it->second);
    fmt::print("\n");
    for (const auto& [reason, n] : reasons_) fmt::print("not told apart by a run, and not proved: {:5} {}\n", n, reason);
    if (!reasons_.empty()) fmt::print("\n");
  }

  // By check that the damage is aimed at: what became of it, and which checks refused it.
  void print_checks() const {
    fmt::print("| aimed at | mutants | told apart by a run | malformed | refused | equivalent | survivors | refused by |\n");
    fmt::print("|---|---|---|---|---|---|---|---|\n");
    const Counts none;
    for (const proof::ConstructionCheck& check : proof::construction_checks()) {
      auto it = checks_.find(check.id);
      const Counts& c = it == checks_.end() ? none : it->second;
      std::string by;
      for (const proof::ConstructionCheck& other : proof::construction_checks())
        if (auto n = c.refused_by.find(other.id); n != c.refused_by.end())
          by += fmt::format("{}{} {}", by.empty() ? "" : ", ", other.id, n->second);
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", check.id, c.total, c.told_by_run, count(c, Fate::malformed),
                 refused(c), count(c, Fate::equivalent), count(c, Fate::survivor), by);
    }
    fmt::print("\n");
  }

  int survivors() const { return count(all_, Fate::survivor); }

 private:
  static int count(const Counts& c, Fate f) { return c.fates[static_cast<std::size_t>(f)]; }
  static int refused(const Counts& c) { return count(c, Fate::malformed) + count(c, Fate::refuted) + count(c, Fate::unproved); }
  static void line(std::string_view damage, std::string_view check, const Counts& c) {
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", damage, check, c.total, count(c, Fate::malformed),
               count(c, Fate::refuted), count(c, Fate::unproved), count(c, Fate::equivalent), count(c, Fate::survivor), c.told);
  }

  std::map<std::string_view, Counts> damages_, checks_;
  std::map<std::string, int> reasons_;
  Counts all_;
};

// What is wrong with the program before it is damaged; empty: nothing.
std::string fault_of(const Kernel& kernel, const PhysicalPtr& program, const mutants::JudgeOptions& options) {
  const mutants::Judgement j = mutants::judge(kernel, {"none", "", "", program}, options);
  if (j.fate == Fate::equivalent) return {};
  return j.run.empty() ? j.reason : fmt::format("{}; {}", j.reason, j.run);
}

// The mutants of one kernel; false: interrupted.
bool examine(const Kernel& kernel, const PhysicalProgram& program, const Arguments& a, bool terminal, Matrix& matrix) {
  const std::vector<mutants::Mutant> all = mutants::mutants_of(program);
  for (std::size_t i = 0; i < all.size(); i += a.every) {
    if (interrupted != 0) return false;
    if (terminal) fmt::print(stderr, "\r{}: mutant {} of {}\033[K", kernel.id(), i + 1, all.size());
    const mutants::Judgement j = mutants::judge(kernel, all[i], a.judge);
    matrix.add(all[i], j);
    if (j.fate != Fate::survivor && !a.show) continue;
    if (terminal) fmt::print(stderr, "\r\033[K");
    fmt::print("{}: {}, {}: {}{}{} ({}){}{}\n", kernel.id(), all[i].damage, all[i].place, name(j.fate),
               j.reason.empty() ? "" : " by ", j.reason, fmt::join(j.refused_by, " "), j.run.empty() ? "" : "; ", j.run);
    if (j.fate == Fate::survivor) fmt::print("{}\n", print(*all[i].program));
    std::fflush(stdout);
  }
  return true;
}

int run_tool(int argc, char** argv) {
  Arguments a;
  CLI::App app("Damages physical programs in every place and counts what refuses them.", "kir-mutants");
  app.add_option("FILE.kir", a.files, "kernels")->required();
  app.add_option("--physical", a.physical, "a physical program (.pir); default: the one that construction builds");
  app.add_option("--kernel", a.kernel, "only the kernel of this name or id");
  tools::add_count(app, "--every", a.every, "only every N-th mutant", 1)->capture_default_str();
  tools::add_solver_limit(app, a.judge.rlimit);
  app.add_option("--launches", a.judge.launches, "runs of each mutant")->check(CLI::Range(0, 1000))->capture_default_str();
  app.add_flag("--show", a.show, "show every mutant and what became of it");
  app.add_flag("--checks", a.checks, "with --quiet: the counts for each check of the construction verifier too");
  app.add_flag("--quiet", a.quiet, "only survivors and the counts; no progress");
  if (auto code = tools::parse_command_line(
          app, argc, argv, "0 no survivor; 1 survivors; 2 usage, input, or a program that is not PROVED; 3 interrupted"))
    return *code;
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  const bool terminal = isatty(STDERR_FILENO) != 0 && !a.quiet;
  PhysicalPtr given;
  if (!a.physical.empty()) {
    SourcePtr source = tools::read_source(a.physical);
    if (!source) return tools::kExitUsage;
    Diagnostics diagnostics;
    given = parse_pir(source, diagnostics);
    if (!given) {
      fmt::print(stderr, "{}", diagnostics.render(*source));
      return tools::kExitUsage;
    }
  }
  Matrix matrix;
  int kernels = 0;
  for (const std::string& path : a.files) {
    if (interrupted != 0) break;
    SourcePtr source = tools::read_source(path);
    if (!source) return tools::kExitUsage;
    Diagnostics diagnostics;
    auto module = parse_kir(source, diagnostics);
    if (!module) {
      fmt::print(stderr, "{}", diagnostics.render(*source));
      return tools::kExitUsage;
    }
    for (const auto& kernel : module->kernels) {
      if (!a.kernel.empty() && kernel->name != a.kernel && kernel->id() != a.kernel) continue;
      PhysicalPtr program = given;
      Diagnostics refusals;
      if (!program)
        if (auto built = lowering::compile(*kernel, {}, refusals)) program = built->program;
      if (!program) {
        fmt::print(stderr, "{}{}: no physical program can be constructed\n", refusals.render(*source), kernel->id());
        return tools::kExitUsage;
      }
      if (const std::string fault = fault_of(*kernel, program, a.judge); !fault.empty()) {
        fmt::print(stderr, "error: {}: {} is not PROVED before it is damaged: {}\n", path, kernel->id(), fault);
        return tools::kExitUsage;
      }
      ++kernels;
      if (!examine(*kernel, *program, a, terminal, matrix)) break;
    }
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (kernels == 0) {
    fmt::print(stderr, "error: the files hold no such kernel\n");
    return tools::kExitUsage;
  }
  if (!a.quiet) matrix.print_matrix();
  if (!a.quiet || a.checks) matrix.print_checks();
  matrix.print_counts();
  if (matrix.survivors() > 0) return 1;
  return interrupted != 0 ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
