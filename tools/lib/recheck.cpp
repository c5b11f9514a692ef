#include "tools/lib/recheck.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
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

// SHA-256 of the files one after the other, those that are there; "" when none is.
std::string digest_of(const fs::path& folder, std::initializer_list<const char*> names) {
  std::string all, error;
  bool any = false;
  for (const char* name : names)
    if (auto bytes = read_file((folder / name).string(), kMaxBytes, &error)) {
      all += *bytes;
      any = true;
    }
  return any ? sha256_hex(all) : "";
}

// What the certificate says of itself and of how it came about.
struct Claims {
  std::string kernel;
  bool program = false, artifact = false, launch = false, restrictions = false;
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
  c.artifact = j.contains("artifact");
  c.launch = j.contains("launch");
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
  const Json certificate = Json::parse(*text, nullptr, false);
  const std::optional<Claims> claims = claims_of(certificate);
  if (!claims) return complain(request.certificate + " is no certificate");

  const fs::path folder = fs::path(request.certificate).parent_path();
  Subject subject;
  subject.kernel = read_kernel(request.kernel.empty() ? (folder / "kernel.kir").string() : request.kernel, claims->kernel);
  if (!subject.kernel) return kExitUsage;
  std::error_code ignored;
  const fs::path beside = folder / "program.pir";
  if (claims->program) {
    const bool given = !request.program.empty() || (request.kernel.empty() && fs::exists(beside, ignored));
    if (given) {
      subject.program = read_program(request.program.empty() ? beside.string() : request.program);
      if (!subject.program) return kExitUsage;
    } else {
      Diagnostics diagnostics;
      if (auto built = lowering::construct(*subject.kernel, diagnostics)) subject.program = built->program;
      subject.constructed = true;
      if (!subject.program) return complain("no physical program can be constructed; name the one that was certified");
    }
  }

  SolverArguments solver = claims->solver;
  solver.jobs = request.jobs;
  const std::optional<smt::DecideOptions> decide = decide_options(solver);
  if (!decide) return kExitUsage;
  smt::RunOptions options;
  options.decide = *decide;
  options.derive.allow_restrictions = claims->restrictions;
  const smt::Outcome outcome = smt::run(*subject.kernel, subject.program.get(), nullptr, options);
  Report report(subject, outcome, options);
  if (claims->artifact) {
    report.certificate_subject().artifact_digest = digest_of(folder, {"kernel.ptx", "kernel.cubin"});
    if (std::string host = digest_of(folder, {"kernel.ll"}); !host.empty()) report.certificate_subject().artifact_digest = host;
  }
  if (claims->launch) report.certificate_subject().launch_digest = digest_of(folder, {"launch.json"});
  const std::string again = report.certificate();
  if (again == *text) {
    fmt::print("{}: rechecked: {} obligations, {}\n", request.certificate, outcome.decisions.size(),
               proof::name(outcome.verdict));
    return outcome.exit_code;
  }
  fmt::print("{}: refused: the recheck gives another certificate\n", request.certificate);
  for (const std::string& line : proof::differences(*text, again)) fmt::print("  {}\n", line);
  return kRefused;
}

}  // namespace kir::tools
