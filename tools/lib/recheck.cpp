#include "tools/lib/recheck.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_depth.h"
#include "core/base/sha256.h"
#include "core/text/text.h"
#include "lowering/construct.h"
#include "proof/certificate.h"
#include "tools/lib/command_line.h"
#include "tools/lib/report.h"
#include "tools/lib/solver_options.h"
#include "tools/lib/source.h"

namespace kir::tools {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr int kRefused = 5;

int complain(const std::string& message) {
  fmt::print(stderr, "error: {}\n", message);
  return kExitUsage;
}

// What an artifact holds beside its certificate, whatever the certificate says of it: code that it is silent about is not
// vouched for. False, after a message, for a file that is there and cannot be read.
bool add_artifact(const fs::path& folder, proof::CertificateSubject& subject) {
  for (const char* name : {"kernel.ptx", "kernel.cubin", "kernel.ll", "launch.json"}) {
    const fs::path path = folder / name;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path, ignored))) continue;
    std::string error;
    const std::optional<std::string> bytes = read_file(path.string(), kMaxBytes, &error);
    if (!bytes) return complain(error), false;
    if (path.filename() == "launch.json")
      subject.launch_digest = sha256_hex(*bytes);
    else
      subject.code.emplace_back(name, sha256_hex(*bytes));
  }
  return true;
}

int refused(const std::string& certificate, const std::string& why) {
  fmt::print("{}: refused: {}\n", certificate, why);
  return kRefused;
}

// What the certificate says of itself and of how it came about.
struct Claims {
  std::string kernel;
  bool program = false, artifact = false, restrictions = false;
  SolverArguments solver;
};

std::optional<Claims> claims_of(const Json& j) {
  auto text = [](const Json& at, const char* key) {
    auto it = at.is_object() ? at.find(key) : at.end();
    return at.is_object() && it != at.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  if (!j.is_object() || !j.contains("certificate") || !j.contains("kernel") || !j.contains("solver")) return {};
  Claims c;
  c.kernel = text(j["kernel"], "id");
  const Json& solver = j["solver"];
  if (c.kernel.empty() || !solver.is_object() || !solver.contains("resource_limit") ||
      !solver["resource_limit"].is_number_unsigned())
    return {};
  c.solver.rlimit = solver["resource_limit"].get<std::uint64_t>();
  if (auto v = solver.find("variant"); v != solver.end() && v->is_number_unsigned()) c.solver.variant = v->get<unsigned>();
  c.solver.cross_check = j.contains("second_solver");
  c.program = j.contains("program");
  c.artifact = j.contains("artifact") || j.contains("launch");
  c.restrictions = text(j, "restrictions") == "accepted";
  return c;
}

template <class T>
std::shared_ptr<const T> complain_of(const Diagnostics& diagnostics, const SourceFile& source) {
  fmt::print(stderr, "{}", diagnostics.render(source));
  return nullptr;
}

std::shared_ptr<const Kernel> read_kernel(const std::string& path, const std::string& id) {
  SourcePtr source = read_source(path);
  if (!source) return nullptr;
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  if (!module) return complain_of<Kernel>(diagnostics, *source);
  for (const auto& k : module->kernels)
    if (k->id() == id) return k;
  complain(fmt::format("{} holds no kernel {}, which the certificate is about", path, id));
  return nullptr;
}

PhysicalPtr read_program(const std::string& path) {
  SourcePtr source = read_source(path);
  if (!source) return nullptr;
  Diagnostics diagnostics;
  PhysicalPtr program = parse_pir(source, diagnostics);
  return program ? program : complain_of<PhysicalProgram>(diagnostics, *source);
}

}  // namespace

int recheck(const RecheckRequest& request) {
  std::string error;
  const std::optional<std::string> text = read_file(request.certificate, kMaxBytes, &error);
  if (!text) return complain(error);
  const std::optional<Claims> claims = json_too_deep(*text) ? std::nullopt : claims_of(Json::parse(*text, nullptr, false));
  if (!claims) return complain(request.certificate + " is no certificate");

  const fs::path folder = fs::path(request.certificate).parent_path();
  Subject subject;
  subject.kernel = read_kernel(request.kernel.empty() ? (folder / "kernel.kir").string() : request.kernel, claims->kernel);
  if (!subject.kernel) return kExitUsage;
  std::error_code ignored;
  const fs::path beside = folder / "program.pir";
  if (!request.program.empty() || (request.kernel.empty() && fs::exists(fs::symlink_status(beside, ignored)))) {
    subject.program = read_program(request.program.empty() ? beside.string() : request.program);
    if (!subject.program) return kExitUsage;
  } else {  // also where the certificate names no program: kir-validate leaves it out only where there is none
    Diagnostics diagnostics;
    if (auto built = lowering::construct(*subject.kernel, diagnostics)) subject.program = built->program;
    subject.constructed = true;
    if (!subject.program && claims->program)
      return complain("no physical program can be constructed; name the one that was certified");
  }

  SolverArguments solver = claims->solver;
  solver.jobs = request.jobs;
  const std::optional<smt::DecideOptions> decide = decide_options(solver);
  if (!decide) return kExitUsage;
  smt::RunOptions options;
  options.decide = *decide;
  options.derive.allow_restrictions = claims->restrictions;
  const smt::Outcome outcome = smt::run(*subject.kernel, subject.program.get(), nullptr, options);
  if (!outcome.malformed.empty())
    return refused(request.certificate, "the kernel's preconditions contradict each other: " + outcome.malformed);
  Report report(subject, outcome, options);
  const bool in_artifact = request.kernel.empty() || fs::path(request.certificate).filename() == "certificate.json";
  if ((in_artifact || claims->artifact) && !add_artifact(folder, report.certificate_subject())) return kExitUsage;
  const std::string again = report.certificate();
  if (again == *text) {
    fmt::print("{}: rechecked: {} obligations, {}\n", request.certificate, outcome.decisions.size(),
               proof::name(outcome.verdict));
    return subject.program ? outcome.exit_code
                           : proof::combine_exit_codes(outcome.exit_code, proof::exit_code(proof::Verdict::unsupported));
  }
  refused(request.certificate, "the recheck gives another certificate");
  for (const std::string& line : proof::differences(*text, again)) fmt::print("  {}\n", line);
  return kRefused;
}

}  // namespace kir::tools
