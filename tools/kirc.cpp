// kirc: KIR to a physical program, proofs, and code.
//
//   1. arguments (unknown ones exit 2)
//   2. the file is read and parsed; all of its errors are shown; exit 2
//   3. each kernel goes through the passes; what construction cannot do exits 4
//   4. proofs, as asked for
//   5. code, made in memory
//   6. everything is written, whole or not at all
//
// Exit codes: 0 done (with proofs: everything PROVED); 1 something refuted; 2 usage, input or output; 3 unknown;
// 4 unsupported; 5 inconsistent or missing. With --proofs required nothing is written unless everything is PROVED.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/base/check.h"
#include "core/base/exit_code.h"
#include "core/base/file.h"
#include "core/ir/op_document.h"
#include "core/kir/plan.h"
#include "core/text/text.h"
#include "lowering/pipeline.h"
#include "smt/run.h"
#include "tools/lib/cache.h"
#include "tools/lib/command_line.h"
#include "tools/lib/kirc_output.h"
#include "tools/lib/report.h"
#include "tools/lib/solver_options.h"

namespace {

using namespace kir;

using tools::kExitUsage;
constexpr int kExitUnsupported = 4;

struct Options {
  std::string file, kernel, target = "host", proofs = "off", out, emit, print_after, stop_after;
  bool validate_each = false, explain = false, release = false;
  tools::SolverArguments solver;
  smt::RunOptions run;
  tools::CacheOptions cache;
};

void complain(const std::string& message) { fmt::print(stderr, "kirc: {}\n", message); }

// Reports go to standard output unless code or program text goes there.
void show(const Options& options, const std::string& text) {
  fmt::print(options.out.empty() && options.emit != "nothing" ? stderr : stdout, "{}", text);
}

// What a release ships is what its certificate is about: both texts under the names that they have in the artifact, read again.
// Without a kernel where the passes' own claims are not all PROVED; `why` and `verdict` say it then.
tools::Subject shipped(const Kernel& kernel, const lowering::Construction& built, const Options& options, std::string* why,
                       proof::Verdict* verdict) {
  tools::Subject out;
  for (const proof::Decision& d : smt::decide(built.ledger, options.run.decide))
    if (d.verdict != proof::Verdict::proved) {
      *verdict = d.verdict;
      *why = fmt::format("a claim of a pass is {}: {}", proof::name(d.verdict), d.reason);
      return out;
    }
  Diagnostics diagnostics;
  auto module = parse_kir(std::make_shared<const SourceFile>("kernel.kir", std::string(kernel.source->text())), diagnostics);
  out.program = parse_pir(std::make_shared<const SourceFile>("program.pir", print(*built.program)), diagnostics);
  KIR_CHECK(module && out.program, "what was parsed, or printed, can be parsed");
  for (const auto& k : module->kernels)
    if (k->id() == kernel.id()) out.kernel = k;
  return out;
}

int compile_kernel(const std::shared_ptr<const Kernel>& kernel, const Options& options, tools::KircOutput& output) {
  Diagnostics diagnostics;
  int exit_code = 0;
  lowering::PipelineOptions pipeline;
  pipeline.stop_after = options.stop_after;
  pipeline.after = [&](const lowering::Pass& pass, const PhysicalPtr& program) {
    if (options.print_after == pass.name || options.print_after == "all")
      show(options, fmt::format("// {} after {}\n{}", kernel->id(), pass.name, print(*program)));
    if (!options.validate_each) return;
    smt::Outcome outcome = smt::run(*kernel, program.get(), nullptr, options.run);
    tools::Subject subject{kernel, program, true};
    const tools::Report report(subject, outcome, options.run);
    show(options, fmt::format("after {}: {}{}", pass.name, report.text(false), report.checks()));
    exit_code = proof::combine_exit_codes(exit_code, outcome.exit_code);
  };
  std::optional<lowering::Construction> built = lowering::compile(*kernel, pipeline, diagnostics);
  if (!diagnostics.all().empty()) fmt::print(stderr, "{}", diagnostics.render(*kernel->source));
  if (!built) return kExitUnsupported;
  if (options.explain)
    for (const lowering::Explanation& e : built->explanations)
      for (const std::string& line : e.lines) show(options, fmt::format("{} {}: {}\n", kernel->id(), e.group, line));

  tools::Subject subject{kernel, built->program, true};
  std::optional<smt::Outcome> outcome;
  std::optional<tools::Report> report;
  if (options.release) {
    std::string why;
    proof::Verdict verdict = proof::Verdict::unknown;
    subject = shipped(*kernel, *built, options, &why, &verdict);
    if (!subject.kernel) {
      complain(fmt::format("{}: {}; nothing is written", kernel->id(), why));
      return proof::exit_code(verdict);
    }
  }
  if (options.proofs != "off") {
    outcome = smt::run(*subject.kernel, subject.program.get(), options.release ? nullptr : &built->ledger, options.run);
    report.emplace(subject, *outcome, options.run);
    show(options, report->text(false));
    exit_code = proof::combine_exit_codes(exit_code, outcome->exit_code);
    if (options.release &&
        std::any_of(outcome->decisions.begin(), outcome->decisions.end(), [](auto& d) { return d.runaway; })) {
      complain(fmt::format(
          "{}: a solver failed, or was ended by a clock, by a signal or for lack of memory, so another build may give another "
          "certificate; nothing is written: build again on a machine with less load",
          kernel->id()));
      return proof::exit_code(proof::Verdict::unknown);
    }
  }
  if (exit_code != 0 && options.proofs == "required") {
    complain(fmt::format("{}: not everything is PROVED, so nothing is written", kernel->id()));
    return exit_code;
  }
  if (options.emit == "nothing") return exit_code;
  Diagnostics emission;
  bool made = output.add(*subject.program, kernel->id(), report ? &*report : nullptr,
                         options.release ? kernel->source->text() : std::string_view(), emission);
  if (!emission.all().empty()) fmt::print(stderr, "{}", emission.render(*kernel->source));
  return made ? exit_code : proof::combine_exit_codes(exit_code, kExitUnsupported);
}

int run(const Options& options) {
  for (const std::string& name : {options.print_after == "all" ? std::string() : options.print_after, options.stop_after}) {
    if (name.empty() || lowering::find_pass(name)) continue;
    std::string known;
    for (const lowering::Pass& p : lowering::passes()) known += fmt::format("\n  {}: {}", p.name, p.what);
    complain(fmt::format("no pass is called {}; the passes are{}", name, known));
    return kExitUsage;
  }
  std::string error;
  std::optional<std::string> text = read_file(options.file, kMaxBytes, &error);
  if (!text) {
    complain(error);
    return kExitUsage;
  }
  auto source = std::make_shared<const SourceFile>(options.file, std::move(*text));
  Diagnostics diagnostics;
  std::optional<Module> module = parse_kir(source, diagnostics);
  if (!diagnostics.all().empty()) fmt::print(stderr, "{}", diagnostics.render(*source));
  if (!module) return kExitUsage;
  std::vector<std::shared_ptr<const Kernel>> chosen;
  for (const auto& k : module->kernels)
    if (options.kernel.empty() || k->id() == options.kernel || k->name == options.kernel) chosen.push_back(k);
  for (const auto& p : module->plans) {
    if (!options.kernel.empty() && p->name != options.kernel) continue;
    complain(fmt::format("{} is a plan: only kernels are compiled; choose one with --kernel", p->name));
    return kExitUnsupported;
  }
  if (chosen.empty()) {
    complain(options.kernel.empty() ? fmt::format("{} holds no kernel", options.file)
                                    : fmt::format("{} holds no kernel called {}", options.file, options.kernel));
    return kExitUsage;
  }
  tools::KircOutput output(
      {.emit = options.emit, .target = options.target, .folder = options.out, .several = chosen.size() > 1});
  if (error = output.check(); !error.empty()) {
    complain(error);
    return kExitUsage;
  }
  int exit_code = 0;
  for (const auto& k : chosen) exit_code = proof::combine_exit_codes(exit_code, compile_kernel(k, options, output));
  // With proofs required the kernels of a call are written together or not at all.
  if (exit_code != 0 && options.proofs == "required") return exit_code;
  if (error = output.commit(); !error.empty()) {
    complain(error);
    return proof::combine_exit_codes(exit_code, kExitUsage);
  }
  return exit_code;
}

int run_tool(int argc, char** argv) {
  Options options;
  CLI::App app("Compiles kernels to physical programs and code, with proofs.", "kirc");
  app.add_option("FILE.kir", options.file, "kernels");
  app.add_option("--kernel", options.kernel, "only the kernel of this name or id");
  app.add_option("--target", options.target, "host, or an NVIDIA architecture such as sm_90a")->capture_default_str();
  app.add_option("--proofs", options.proofs, "off; on: prove and report; required: write nothing unless all is PROVED")
      ->check(CLI::IsMember({"off", "on", "required"}))
      ->capture_default_str();
  tools::add_output(app, "-o,--out", options.out, "folder to write to; without it text goes to standard output");
  app.add_option("--emit", options.emit,
                 "physical, llvm, ptx, cubin, artifact, or nothing but what other options show (default: artifact with -o, "
                 "else physical)")
      ->check(CLI::IsMember({"physical", "llvm", "ptx", "cubin", "artifact", "nothing"}));
  app.add_option("--print-after", options.print_after, "print the program after this pass, or after all");
  app.add_option("--stop-after", options.stop_after, "run no pass after this one");
  app.add_flag("--validate-each", options.validate_each,
               "prove the program after each pass, and show what becomes of each check of the construction verifier");
  app.add_flag("--explain", options.explain, "say which axes became instance axes, which did not, and why");
  app.add_flag(
      "--release", options.release,
      "an artifact to ship (-o DIR): --proofs required --cross-check, without any cache, about the texts that it holds; "
      "kir-validate --recheck DIR/certificate.json checks it again");
  tools::add_solver_options(app, options.solver);
  tools::add_cache_options(app, options.cache);
  bool table = false;
  app.add_flag("--list-operations", table, "print the table of operations as Markdown");
  if (auto code = tools::parse_command_line(app, argc, argv,
                                            "0 done, with proofs: everything PROVED; 1 REFUTED; 2 usage, input or output;\n"
                                            "3 UNKNOWN; 4 UNSUPPORTED; 5 INCONSISTENT or MISSING"))
    return *code;
  if (table) {
    fmt::print("{}", operations_markdown());
    return 0;
  }
  if (options.file.empty()) {
    fmt::print(stderr, "FILE.kir is required\nRun with --help for more information.\n");
    return kExitUsage;
  }
  if (options.release) {
    if (options.out.empty() || (!options.emit.empty() && options.emit != "artifact") || !options.stop_after.empty()) {
      complain(
          "--release writes artifacts of whole programs: it wants -o DIR, and takes neither another --emit nor --stop-after");
      return kExitUsage;
    }
    options.proofs = "required";
    options.solver.cross_check = true;
    options.cache.off = true;
  }
  const std::optional<smt::DecideOptions> decide = tools::decide_options(options.solver);
  if (!decide) return kExitUsage;
  options.run.decide = *decide;
  if (options.emit.empty()) options.emit = options.out.empty() ? "physical" : "artifact";
  return tools::with_cache_errors([&] {
    const bool proves = options.proofs != "off" || options.validate_each;
    const std::unique_ptr<ContentStore> cache = proves ? tools::open_cache(options.cache) : nullptr;
    options.run.decide.store = cache.get();
    return run(options);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
