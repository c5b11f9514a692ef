// kirc: kernels to GPU programs, with their proofs.
//
//   1. arguments (unknown ones exit 2)
//   2. the file is read and parsed; all of its errors are shown; exit 2
//   3. each kernel goes through the passes (--print-after, --stop-after, --explain, --validate-each)
//   4. --proofs on|required: the kernel and the program that came out are validated
//   5. emission; nothing is written when the proofs are required and one is missing
//   6. the exit code: 0 done, 1 refuted, 2 malformed or not writable, 3 unknown, 4 unsupported, 5 inconsistent or missing
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/text/text.h"
#include "emit/artifact.h"
#include "emit/emit.h"
#include "lowering/pipeline.h"
#include "smt/run.h"
#include "tools/lib/report.h"

namespace {

using namespace kir;

struct Arguments {
  std::string file, kernel, target = "sm_90a", proofs = "on", output, emit = "artifact", print_after, stop_after;
  bool validate_each = false, explain = false, quiet = false;
  int jobs = 1;
  std::uint64_t rlimit = smt::DecideOptions{}.rlimit;
};

// Exit code of a validation; its report goes to stderr, so that stdout holds only what was asked for.
int validate(const tools::Subject& subject, const Arguments& a, const proof::Ledger* claims, std::string_view after,
             bool summary, std::unique_ptr<smt::Outcome>* outcome) {
  smt::RunOptions options;
  options.decide.jobs = a.jobs;
  options.decide.rlimit = a.rlimit;
  auto result = std::make_unique<smt::Outcome>(smt::run(*subject.kernel, subject.program.get(), claims, options));
  tools::Report report(subject, *result, a.rlimit);
  if (!after.empty()) fmt::print(stderr, "after {}: ", after);
  if (summary || result->exit_code != 0) fmt::print(stderr, "{}", report.text(a.quiet || !after.empty()));
  int code = result->exit_code;
  if (outcome) *outcome = std::move(result);
  return code;
}

// To stdout, or into the output folder under `name`.
int deliver(const Arguments& a, const std::string& folder, const std::string& name, const std::string& contents) {
  if (a.output.empty()) {
    std::fwrite(contents.data(), 1, contents.size(), stdout);
    return 0;
  }
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  std::string error;
  if (write_file(folder + "/" + name, contents, &error)) return 0;
  fmt::print(stderr, "error: {}\n", error);
  return 2;
}

int show(const Diagnostics& diagnostics, const SourcePtr& source) {
  if (source)
    fmt::print(stderr, "{}", diagnostics.render(*source));
  else
    for (const Diagnostic& d : diagnostics.all()) fmt::print(stderr, "error: {} [{}]\n", d.message, d.id);
  return 4;
}

int emit_program(const Arguments& a, const tools::Subject& subject, const smt::Outcome* outcome, const std::string& folder) {
  const PhysicalProgram& program = *subject.program;
  const SourcePtr& source = subject.kernel->source;
  const std::string name = subject.kernel->name;
  if (a.emit == "physical") return deliver(a, folder, name + ".pir", print(program));

  Diagnostics diagnostics;
  std::optional<emit::Module> module =
      a.target == "host" ? emit::emit_host(program, diagnostics) : emit::emit_nvptx(program, a.target, diagnostics);
  if (!module) return show(diagnostics, source);
  if (a.emit == "llvm") return deliver(a, folder, name + ".ll", module->llvm_ir);
  if (a.target == "host") {
    fmt::print(stderr, "error: --target host has no {}; use --emit physical or llvm\n", a.emit);
    return 2;
  }
  if (a.emit == "ptx") return deliver(a, folder, name + ".ptx", module->ptx);

  std::string cubin, log;
  if (emit::toolkit_available()) {
    std::string error = emit::assemble(module->ptx, a.target, &cubin, &log);
    if (!error.empty()) {
      fmt::print(stderr, "error: ptxas refused the program: {}\n", error);
      return 4;
    }
  } else if (a.emit == "cubin") {
    fmt::print(stderr, "error: no CUDA Toolkit was found, so no cubin can be made; --emit ptx needs none\n");
    return 4;
  }
  if (a.emit == "cubin") return deliver(a, folder, name + ".cubin", cubin);

  emit::Artifact artifact;
  artifact.ptx = module->ptx;
  artifact.cubin = cubin;
  artifact.program_text = print(program);
  artifact.launch = emit::describe_launch(program, *module, a.target);
  if (outcome) {
    tools::Report report(subject, *outcome, a.rlimit);
    report.certificate_subject().artifact_digest = sha256_hex(cubin.empty() ? artifact.ptx : cubin);
    report.certificate_subject().launch_digest = sha256_hex(runtime::to_json(artifact.launch));
    artifact.certificate = report.certificate();
  }
  std::string error = emit::write_artifact(folder, artifact);
  if (!error.empty()) {
    fmt::print(stderr, "error: {}\n", error);
    return 2;
  }
  if (!a.quiet)
    fmt::print(stderr, "{}: wrote {}/kernel.ptx{}, launch.json, program.pir{}\n", subject.kernel->id(), folder,
               cubin.empty() ? " (no cubin: no CUDA Toolkit was found)" : ", kernel.cubin",
               outcome ? ", certificate.json" : "");
  return 0;
}

int compile(const Arguments& a, const std::shared_ptr<const Kernel>& kernel, const std::string& folder) {
  int code = 0;
  lowering::PipelineOptions pipeline;
  pipeline.stop_after = a.stop_after;
  pipeline.after = [&](const lowering::Pass& pass, const PhysicalPtr& program) {
    if (pass.name == a.print_after) fmt::print("{}", print(*program));
    if (a.validate_each)
      code = proof::combine_exit_codes(code, validate({kernel, program, true}, a, nullptr, pass.name, true, nullptr));
  };
  Diagnostics diagnostics;
  auto built = lowering::compile(*kernel, pipeline, diagnostics);
  if (!built) return show(diagnostics, kernel->source);
  if (a.explain)
    for (const lowering::Explanation& e : built->explanations) {
      fmt::print("{} of {}:\n", e.group, kernel->id());
      for (const std::string& line : e.lines) fmt::print("  {}\n", line);
    }
  tools::Subject subject{kernel, built->program, true};
  std::unique_ptr<smt::Outcome> outcome;
  if (a.proofs != "off") code = proof::combine_exit_codes(code, validate(subject, a, &built->ledger, "", !a.quiet, &outcome));
  if (code != 0 && a.proofs == "required") {
    fmt::print(stderr, "{}: nothing is written: the proofs are required and not all are there\n", kernel->id());
    return code;
  }
  if (outcome && !outcome->malformed.empty()) return code;
  bool only_look = (a.explain || !a.print_after.empty()) && a.output.empty();
  if (only_look) return code;
  return proof::combine_exit_codes(code, emit_program(a, subject, outcome.get(), folder));
}

int run(const Arguments& a) {
  std::string error;
  auto text = read_file(a.file, kMaxBytes, &error);
  if (!text) {
    fmt::print(stderr, "error: {}\n", error);
    return 2;
  }
  auto source = std::make_shared<const SourceFile>(a.file, std::move(*text));
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  if (!diagnostics.all().empty()) fmt::print(stderr, "{}", diagnostics.render(*source));
  if (!module) return 2;
  for (const std::string& pass : {a.print_after, a.stop_after})
    if (!pass.empty() && !lowering::find_pass(pass)) {
      fmt::print(stderr, "error: there is no pass {}; the passes are:\n", pass);
      for (const lowering::Pass& p : lowering::passes()) fmt::print(stderr, "  {}  {}\n", p.name, p.what);
      return 2;
    }
  std::vector<std::shared_ptr<const Kernel>> chosen;
  for (const auto& k : module->kernels)
    if (a.kernel.empty() || k->name == a.kernel || k->id() == a.kernel) chosen.push_back(k);
  if (chosen.empty()) {
    fmt::print(stderr, "error: {}\n", a.kernel.empty() ? "the file holds no kernel" : "no kernel is named " + a.kernel);
    return 2;
  }
  bool looks = a.explain || !a.print_after.empty();
  if (a.output.empty() && !looks && (a.emit == "artifact" || a.emit == "cubin")) {
    fmt::print(stderr, "error: -o DIR is wanted for --emit {}\n", a.emit);
    return 2;
  }
  int code = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::string folder = a.output;
    if (chosen.size() > 1)
      folder += fmt::format("/{}{}", chosen[i]->name, chosen[i]->constexprs.empty() ? "" : fmt::format("-{}", i));
    code = proof::combine_exit_codes(code, compile(a, chosen[i], folder));
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  CLI::App app("Compiles kernels to GPU programs and proves them.", "kirc");
  app.add_option("FILE.kir", a.file, "kernels")->required();
  app.add_option("--kernel", a.kernel, "only the kernel of this name or id");
  app.add_option("--target", a.target, "host or sm_90a")->check(CLI::IsMember({"host", "sm_90a"}));
  app.add_option("--proofs", a.proofs, "off; on: prove and report; required: write nothing unless all is proved")
      ->check(CLI::IsMember({"off", "on", "required"}));
  app.add_option("-o,--output", a.output, "folder for what is written; without it text goes to standard output");
  app.add_option("--emit", a.emit, "physical, llvm, ptx, cubin or artifact")
      ->check(CLI::IsMember({"physical", "llvm", "ptx", "cubin", "artifact"}));
  app.add_option("--print-after", a.print_after, "print the program after this pass");
  app.add_option("--stop-after", a.stop_after, "run no pass after this one");
  app.add_flag("--validate-each", a.validate_each, "validate the program after each pass");
  app.add_flag("--explain", a.explain, "say for each group which axes became instances, and the facts that decided it");
  app.add_flag("--quiet", a.quiet, "only failures");
  app.add_option("-j,--jobs", a.jobs, "threads")->check(CLI::Range(1, 256));
  app.add_option("--rlimit", a.rlimit, "solver resource units per obligation")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4'000'000'000}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return run(a);
}
