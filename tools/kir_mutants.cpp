// kir-mutants: damages kernels and programs in every place and counts what refuses them.
//
//   1. arguments (unknown ones exit 2)
//   2. the kernels, each with its constructed program and with those that are given for it; such a pair has to be PROVED
//   itself:
//      else it is no wonder that its mutants are refused
//   3. the mutants of both, all or a sample; each is run and validated in a process of its own; progress on a terminal; SIGINT
//   and
//      SIGTERM end it in order
//   4. survivors as they come; then the kill matrix, false alarms, the counts
//   5. the exit code: 0 no survivor, 1 survivors, 2 usage or files, 3 interrupted, or some mutant was not judged, or an
//   undamaged
//      program differs from its kernel
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "core/base/exit_code.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/text/text.h"
#include "lowering/pipeline.h"
#include "smt/engine.h"
#include "tools/lib/command_line.h"
#include "tools/lib/source.h"
#include "tools/mutants/campaign.h"
#include "tools/mutants/matrix.h"

namespace {

using namespace kir;
using mutants::Form;
using mutants::Result;
using mutants::Subject;

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) { interrupted = 1; }

struct Arguments {
  std::vector<std::string> files, skip;
  std::string kernel, only, folder;
  mutants::SelectionOptions selection;
  mutants::CampaignOptions campaign;
  int patience = 600;
  bool quiet = false, show = false, checks = false;
};

// The kernels of the files with their constructed programs, then the programs of the files; false: said why not.
bool load(const Arguments& a, std::vector<Subject>& out) {
  std::vector<PhysicalPtr> programs;
  std::vector<Form> forms = {Form::physical, Form::kir};
  if (!a.only.empty()) forms = {a.only == "kir" ? Form::kir : Form::physical};
  for (const std::string& path : a.files) {
    SourcePtr source = tools::read_source(path);
    if (!source) return false;
    Diagnostics diagnostics;
    if (path.ends_with(".pir")) {
      programs.push_back(parse_pir(source, diagnostics));
      if (!programs.back()) return fmt::print(stderr, "{}", diagnostics.render(*source)), false;
      continue;
    }
    auto module = parse_kir(source, diagnostics);
    if (!module) return fmt::print(stderr, "{}", diagnostics.render(*source)), false;
    for (const mutants::KernelPtr& kernel : module->kernels) {
      const auto is = [&](const std::string& name) { return kernel->name == name || kernel->id() == name; };
      if ((!a.kernel.empty() && !is(a.kernel)) || std::ranges::any_of(a.skip, is)) continue;
      Diagnostics refusals;
      auto built = lowering::compile(*kernel, {}, refusals);
      if (!built) {
        fmt::print(stderr, "{}{}: no physical program can be constructed\n", refusals.render(*source), kernel->id());
        return false;
      }
      out.push_back({kernel->id(), kernel, built->program, forms});
    }
  }
  const std::size_t constructed = out.size();
  for (const PhysicalPtr& program : programs) {
    if (!a.kernel.empty() && program->implements != a.kernel) continue;
    if (std::ranges::find(a.skip, program->implements) != a.skip.end()) continue;
    std::size_t k = 0;
    while (k < constructed && out[k].kernel->id() != program->implements) ++k;
    if (k == constructed) {
      fmt::print(stderr, "error: {} implements {}, which is none of the kernels\n", program->source->path(),
                 program->implements);
      return false;
    }
    out.push_back({fmt::format("{} by {}", out[k].name, program->source->path()), out[k].kernel, program, forms});
  }
  if (out.empty()) fmt::print(stderr, "error: the files hold no such kernel\n");
  return !out.empty();
}

mutants::Mutant mutant_of(const Subject& s, const mutants::Choice& c) {
  return (c.form == Form::physical ? mutants::mutants_of(*s.program) : mutants::mutants_of(*s.kernel))[c.number];
}

class Report {
 public:
  Report(const Arguments& a, const std::vector<Subject>& subjects) : a_(a), subjects_(subjects) {}

  // False: a file could not be written.
  bool take(const Result& r) {
    const Subject& s = subjects_[r.choice.subject];
    const std::string where = fmt::format("{}, {} {}: {}, {}", s.name, name(r.choice.form), r.choice.number,
                                          r.choice.damage.name, r.place.empty() ? "?" : r.place);
    if (!r.judgement) {
      ++unjudged_;
      fmt::print("{}: {}\n", where, r.failure);
      return true;
    }
    const mutants::Judgement& j = *r.judgement;
    matrix_.add(r.choice.form, r.choice.damage, j);
    if (!j.survivor() && !a_.show) return true;
    fmt::print("{}: {}{}{}{}; {}{}{}\n", where, j.survivor() ? "SURVIVOR: " : "", name(j.verdict),
               j.reason.empty() ? "" : " by ", j.reason, name(j.runs), j.run.empty() ? "" : ": ", j.run);
    return !j.survivor() || keep(s, r, where);
  }

  void print_all() const {
    if (!a_.quiet) fmt::print("{}{}", matrix_.kill_matrix(), matrix_.false_alarms());
    if (a_.checks) fmt::print("{}", matrix_.checks());
    if (!a_.quiet) fmt::print("{}", matrix_.summary());
    if (unjudged_ > 0) fmt::print("{} mutants were not judged\n", unjudged_);
    fmt::print("{}\n", matrix_.last_line());
  }

  const mutants::Counts& counts() const { return matrix_.all(); }
  bool complete() const { return unjudged_ == 0; }
  const std::string& error() const { return error_; }

 private:
  // A survivor's kernel and program, as kir-validate and kir-run take them.
  bool keep(const Subject& s, const Result& r, const std::string& where) {
    const mutants::Mutant m = mutant_of(s, r.choice);
    const std::string kernel = "kir 1\n\n" + print(m.kernel ? *m.kernel : *s.kernel);
    const std::string program = print(m.program ? *m.program : *s.program);
    if (a_.folder.empty()) {
      fmt::print("{}\n", m.kernel ? kernel : program);
      return true;
    }
    const std::string note = fmt::format("// {}\n// {}\n", where, r.judgement->run);
    const std::string path = fmt::format("{}/{}-{}-{}", a_.folder, file_stem(s.name), name(r.choice.form), r.choice.number);
    return write_file(path + ".kir", note + kernel, &error_) && write_file(path + ".pir", program, &error_);
  }

  const Arguments& a_;
  const std::vector<Subject>& subjects_;
  mutants::Matrix matrix_;
  int unjudged_ = 0;
  std::string error_;
};

int run_tool(int argc, char** argv) {
  Arguments a;
  CLI::App app("Damages kernels and programs in every place and counts what refuses them.", "kir-mutants");
  app.add_option("FILE", a.files, "kernels (.kir), and physical programs (.pir) of them beside those that are constructed")
      ->required();
  app.add_option("--kernel", a.kernel, "only the kernel of this name or id");
  app.add_option("--skip", a.skip, "not the kernel of this name or id");
  app.add_option("--only", a.only, "damage only programs, or only kernels")->check(CLI::IsMember({"physical", "kir"}));
  app.add_option("--family", a.selection.families, "only damages of this family, as the matrix names it");
  tools::add_count(app, "--count", a.selection.count, "a sample of so many, spread over kernels and families; 0: all")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->capture_default_str();
  tools::add_count(app, "--seed", a.selection.seed, "of the sample and of the launches")->capture_default_str();
  app.add_option("-j,--jobs", a.campaign.isolation.jobs, "processes")->check(CLI::Range(1, 256))->capture_default_str();
  tools::add_output(app, "--state", a.campaign.state, "a file that holds how far it is; the same command goes on from it");
  app.add_option("--patience", a.patience, "seconds after which a mutant is cut off, and not judged")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  tools::add_solver_limit(app, a.campaign.judge.rlimit);
  app.add_option("--launches", a.campaign.judge.launches, "runs of each mutant, on launches that reach the damage")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--draws", a.campaign.judge.draw.draws, "launches tried for a kernel until its damages are reached")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  tools::add_output(app, "--keep", a.folder, "write survivors, kernel and program, to this folder");
  app.add_flag("--show", a.show, "show every mutant and what became of it");
  app.add_flag("--checks", a.checks, "the counts for each check of the construction verifier too");
  app.add_flag("--quiet", a.quiet, "only survivors and the last line; no progress");
  if (auto code = tools::parse_command_line(app, argc, argv,
                                            "0 no survivor; 1 survivors; 2 usage or files; 3 interrupted, a mutant was not "
                                            "judged, or an undamaged program differs"))
    return *code;
  std::string error;
  const std::vector<std::string_view> known = mutants::families();
  for (const std::string& family : a.selection.families) {
    if (std::ranges::find(known, family) != known.end()) continue;
    fmt::print(stderr, "error: no family is called \"{}\"; there are\n  {}\n", family, fmt::join(known, "\n  "));
    return tools::kExitUsage;
  }
  a.campaign.judge.draw.seed = a.selection.seed;
  a.campaign.isolation.patience = std::chrono::seconds(a.patience);
  a.campaign.isolation.interrupted = [] { return interrupted != 0; };
  std::error_code code;
  if (!a.folder.empty() && (std::filesystem::create_directories(a.folder, code), code)) {
    fmt::print(stderr, "error: {}: {}\n", a.folder, code.message());
    return tools::kExitUsage;
  }
  // Results of another build are of other rules.
  auto self = read_file("/proc/self/exe", std::size_t{1} << 30, &error);
  if (!self) return fmt::print(stderr, "error: {}\n", error), tools::kExitUsage;
  a.campaign.build = sha256_hex(*self + smt::this_engine().solver_library);
  self.reset();

  std::vector<Subject> subjects;
  if (!load(a, subjects)) return tools::kExitUsage;
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  const bool terminal = isatty(STDERR_FILENO) != 0 && !a.quiet;
  const std::vector<mutants::Choice> choices = mutants::select(subjects, a.selection);
  Report report(a, subjects);
  std::size_t judged = 0;
  const auto done = mutants::run_campaign(
      subjects, choices, a.campaign,
      [&](const Result& r) {
        if (terminal) fmt::print(stderr, "\r\033[K");
        const bool written = report.take(r);
        std::fflush(stdout);
        if (terminal)
          fmt::print(stderr, "\r{} of {}: {}, {} survivors\033[K", ++judged, choices.size(), subjects[r.choice.subject].name,
                     report.counts().survivors);
        return written && interrupted == 0;
      },
      &error);
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (!done || !report.error().empty()) {
    fmt::print(stderr, "error: {}\n", done ? report.error() : error);
    return tools::kExitUsage;
  }
  report.print_all();
  if (report.counts().survivors > 0) return 1;
  return *done == choices.size() && report.complete() ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
