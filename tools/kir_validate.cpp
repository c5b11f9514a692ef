// kir-validate: are these kernels right, and does a physical program refine one?
//
//   1. arguments (unknown ones exit 2)
//   2. each file is read and parsed; all of its errors are shown; exit 2
//   3. each kernel, with the given program or with the one that construction builds: tools::validate
//   4. report as text or JSON, certificate, SMT-LIB dump
//   5. the exit code: 0 all proved, 1 refuted, 2 malformed, 3 unknown, 4 unsupported, 5 inconsistent or missing
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/exit_code.h"
#include "core/base/file.h"
#include "core/kir/plan.h"
#include "core/text/text.h"
#include "lowering/construct.h"
#include "proof/construction.h"
#include "smt/lemma.h"
#include "smt/run.h"
#include "tools/lib/cache.h"
#include "tools/lib/command_line.h"
#include "tools/lib/recheck.h"
#include "tools/lib/report.h"
#include "tools/lib/solver_options.h"
#include "tools/lib/source.h"
#include "tools/lib/validation.h"

namespace {

using namespace kir;
using proof::Verdict;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::vector<std::string> files;
  std::string physical, kernel, format = "text", dump, certificate, recheck;
  tools::SolverArguments solver;
  bool allow_restrictions = false, quiet = false, checks = false;
  tools::CacheOptions cache;
};

bool dump_smt(const std::string& folder, const smt::Outcome& outcome, const std::string& kernel) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const std::string prefix = file_stem(kernel);
  for (std::size_t i = 0; i < outcome.ledger.obligations.size(); ++i) {
    const proof::Obligation& o = outcome.ledger.obligations[i];
    std::string text = smt::dump_smtlib(o), error;
    if (text.empty()) continue;
    if (!write_file(fmt::format("{}/{}-{:04}-{}.smt2", folder, prefix, i, proof::name(o.kind)), text, &error)) {
      fmt::print(stderr, "error: {}\n", error);
      return false;
    }
  }
  return true;
}

// The kernels of the files, chosen by --kernel; exit code 2 joins *exit for each file that is not readable or malformed.
std::vector<tools::Subject> gather(const Arguments& arguments, int* exit) {
  std::vector<tools::Subject> subjects;
  for (const std::string& path : arguments.files) {
    SourcePtr source = tools::read_source(path);
    if (!source) {
      *exit = proof::combine_exit_codes(*exit, 2);
      continue;
    }
    Diagnostics diagnostics;
    auto module = parse_kir(source, diagnostics);
    if (!diagnostics.all().empty()) fmt::print(stderr, "{}", diagnostics.render(*source));
    if (!module) {
      *exit = proof::combine_exit_codes(*exit, 2);
      continue;
    }
    for (const auto& kernel : module->kernels)
      if (arguments.kernel.empty() || kernel->name == arguments.kernel || kernel->id() == arguments.kernel)
        subjects.push_back({kernel, nullptr, false});
    for (const auto& plan : module->plans) {
      if (!arguments.kernel.empty() && plan->name != arguments.kernel) continue;
      fmt::print(stderr, "{}: UNSUPPORTED: a plan is run, its launches are not proven\n", plan->name);
      *exit = proof::combine_exit_codes(*exit, proof::exit_code(Verdict::unsupported));
    }
  }
  return subjects;
}

int validate(const Arguments& arguments) {
  int exit = 0;
  auto take = [&](int code) { exit = proof::combine_exit_codes(exit, code); };

  PhysicalPtr given;
  if (!arguments.physical.empty()) {
    SourcePtr source = tools::read_source(arguments.physical);
    if (!source) return 2;
    Diagnostics diagnostics;
    given = parse_pir(source, diagnostics);
    if (!diagnostics.all().empty()) fmt::print(stderr, "{}", diagnostics.render(*source));
    if (!given) return 2;
  }

  std::vector<tools::Subject> subjects = gather(arguments, &exit);
  if (subjects.empty() && exit == 0) {
    fmt::print(stderr, "error: {}\n",
               arguments.kernel.empty() ? "the files hold no kernel" : "no kernel is named " + arguments.kernel);
    return 2;
  }
  if (given && subjects.size() > 1) {
    std::vector<std::string> others;
    std::erase_if(subjects, [&](const tools::Subject& s) {
      const bool other = s.kernel->id() != given->implements && s.kernel->name != given->implements;
      if (other) others.push_back(s.kernel->id());
      return other;
    });
    if (subjects.size() != 1) {
      fmt::print(stderr, "error: --physical wants one kernel; choose with --kernel\n");
      return 2;
    }
    if (!others.empty())
      fmt::print(stderr, "{} implements {}; {} of the files {} not validated: {}\n", arguments.physical, given->implements,
                 others.size() == 1 ? "another kernel" : fmt::format("{} other kernels", others.size()),
                 others.size() == 1 ? "is" : "are", fmt::join(others, ", "));
  }
  if (!arguments.certificate.empty() && subjects.size() > 1) {
    fmt::print(stderr, "error: --certificate wants one kernel, not {}; choose with --kernel\n", subjects.size());
    return 2;
  }

  const std::optional<smt::DecideOptions> decide = tools::decide_options(arguments.solver);
  if (!decide) return tools::kExitUsage;
  const std::unique_ptr<ContentStore> cache = tools::open_cache(arguments.cache);
  bool terminal = isatty(STDERR_FILENO) != 0 && !arguments.quiet;
  Json reports = Json::array();
  for (tools::Subject& subject : subjects) {
    std::string id = subject.kernel->id();
    smt::RunOptions options;
    options.decide = *decide;
    options.decide.store = cache.get();
    options.derive.allow_restrictions = arguments.allow_restrictions;
    if (terminal)
      options.decide.progress = [&](std::size_t done, std::size_t total) {
        fmt::print(stderr, "\r{}: {}/{}\033[K", id, done, total);
      };
    subject.program = given;
    if (!given) {
      Diagnostics diagnostics;
      auto construction = lowering::construct(*subject.kernel, diagnostics);
      subject.constructed = true;
      if (construction) {
        subject.program = construction->program;
      } else {
        if (subject.kernel->source) fmt::print(stderr, "{}", diagnostics.render(*subject.kernel->source));
        fmt::print(stderr, "{}: UNSUPPORTED: no physical program can be constructed\n", id);
        take(proof::exit_code(Verdict::unsupported));
      }
    }
    std::function<void(const smt::Outcome&)> dump;
    if (!arguments.dump.empty())
      dump = [&](const smt::Outcome& outcome) {
        if (!dump_smt(arguments.dump, outcome, id)) take(2);
      };
    const tools::Rendering shown = tools::validate(subject, options, dump);
    if (terminal) fmt::print(stderr, "\r\033[K");
    take(shown.exit_code);

    if (arguments.format == "json")
      reports.push_back(shown.json());
    else
      fmt::print("{}{}", shown.text(arguments.quiet), arguments.checks ? shown.checks : "");
    std::fflush(stdout);
    std::string error;
    if (!arguments.certificate.empty() && !shown.certificate.empty() &&
        !write_file(arguments.certificate, shown.certificate, &error)) {
      fmt::print(stderr, "error: {}\n", error);
      take(2);
    }
  }
  if (arguments.format == "json") fmt::print("{}\n", reports.dump(2, ' ', false, Json::error_handler_t::replace));
  return exit;
}

int run_tool(int argc, char** argv) {
  Arguments a;
  CLI::App app("Checks kernels, and physical programs against their kernels, by proof.", "kir-validate");
  app.add_option("FILE.kir", a.files, "kernels");
  app.add_option("--physical", a.physical, "a physical program (.pir); default: the one that construction builds");
  app.add_option("--kernel", a.kernel, "only the kernel of this name or id");
  tools::add_solver_options(app, a.solver);
  app.add_option("--format", a.format, "text or json")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
  tools::add_output(app, "--dump-smt", a.dump, "write each obligation, unsimplified, as an SMT-LIB 2 file to this folder");
  tools::add_output(app, "--certificate", a.certificate, "write the certificate to this file");
  app.add_option(
         "--recheck", a.recheck,
         "a certificate: derive and decide everything again, without a cache, and demand that it comes out the same. Its "
         "kernel and program are kernel.kir and program.pir beside it, or the files given")
      ->check(CLI::ExistingFile);
  app.add_flag("--allow-restrictions", a.allow_restrictions,
               "sizes and alignments that the program demands beyond the kernel become listed assumptions");
  tools::add_cache_options(app, a.cache);
  app.add_flag("--quiet", a.quiet, "only verdicts and failures");
  app.add_flag("--checks", a.checks, "what became of each check of the construction verifier");
  bool table = false, checks = false, lemmas = false;
  app.add_flag("--list-obligations", table, "print the table of obligation kinds as Markdown");
  app.add_flag("--list-checks", checks, "print the table of the construction verifier's checks as Markdown");
  app.add_flag("--list-lemmas", lemmas, "print the lemma library as Markdown");
  if (auto code = tools::parse_command_line(app, argc, argv,
                                            "0 everything PROVED; 1 REFUTED; 2 usage, input or output; 3 UNKNOWN;\n"
                                            "4 UNSUPPORTED; 5 INCONSISTENT or MISSING, or a certificate refused"))
    return *code;
  if (table || checks || lemmas) {
    fmt::print("{}{}{}", table ? proof::obligations_markdown() : "", checks ? proof::checks_markdown() : "",
               lemmas ? smt::lemmas_markdown() : "");
    return 0;
  }
  if (!a.recheck.empty()) {
    if (a.files.size() > 1) {
      fmt::print(stderr, "error: --recheck wants the one file of the certificate's kernel, not {}\n", a.files.size());
      return tools::kExitUsage;
    }
    return tools::recheck({a.recheck, a.files.empty() ? "" : a.files[0], a.physical, a.solver.jobs});
  }
  if (a.files.empty()) {
    fmt::print(stderr, "FILE.kir is required\nRun with --help for more information.\n");
    return tools::kExitUsage;
  }
  return tools::with_cache_errors([&] { return validate(a); });
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
