#include "emit/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "emit/workspace.h"

namespace kir::emit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"kernel.ptx", "kernel.cubin", "kernel.ll",       "program.pir",
                                  "kernel.kir", "launch.json",  "certificate.json"};

// Nothing but the files of an artifact, so that replacing it loses nothing else.
bool is_artifact(const fs::path& folder, std::error_code& code) {
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
    if (std::find(std::begin(kFiles), std::end(kFiles), it->path().filename()) == std::end(kFiles)) return false;
  if (code) return false;
  std::ifstream in(folder / "launch.json");
  std::string head(256, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find("\"kir-launch\"") != std::string::npos;
}

}  // namespace

runtime::LaunchDescription describe_launch(const PhysicalProgram& program, const Module& module, const std::string& target) {
  runtime::LaunchDescription d;
  d.kernel_name = module.kernel_name;
  d.target = target;
  d.abi = program.abi;
  for (const Definition& def : program.definitions) d.definitions.emplace_back(def.name, def.value);
  d.grid = program.launch.grid;
  d.threads = program.launch.threads;
  d.pack = program.launch.pack;
  for (const AssertedFact& f : module.facts)
    d.asserted.push_back(fmt::format("{}: {}, since {}", f.subject, f.fact, f.because));
  d.workspace = plan_workspace(program).size;
  d.pool = program.pool;
  return d;
}

std::optional<StagedFolder> stage_artifact(const std::string& folder, const Artifact& artifact, std::string* error) {
  std::error_code code;
  fs::path target = fs::absolute(folder, code);
  if (!target.has_filename()) target = target.parent_path();
  const bool exists = fs::exists(fs::symlink_status(target, code));
  if (exists && !(fs::is_directory(target, code) && (fs::is_empty(target, code) || is_artifact(target, code)))) {
    *error = fmt::format("{} exists and is no artifact, or holds more than one; it is left as it is", target.string());
    return std::nullopt;
  }
  const std::string launch = runtime::to_json(artifact.launch);
  const std::string* contents[std::size(kFiles)] = {&artifact.ptx,          &artifact.cubin,       &artifact.llvm,
                                                    &artifact.program_text, &artifact.kernel_text, &launch,
                                                    &artifact.certificate};
  std::optional<StagedFolder> staged = StagedFolder::make(target.string(), error);
  for (std::size_t i = 0; staged && i < std::size(kFiles); ++i)
    if (!contents[i]->empty() && !write_file((fs::path(staged->path()) / kFiles[i]).string(), *contents[i], error))
      return std::nullopt;
  return staged;
}

std::string write_artifact(const std::string& folder, const Artifact& artifact) {
  std::string error;
  std::optional<StagedFolder> staged = stage_artifact(folder, artifact, &error);
  return staged && staged->commit(&error) ? "" : error;
}

}  // namespace kir::emit
