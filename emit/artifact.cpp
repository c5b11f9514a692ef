#include "emit/artifact.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace kir::emit {
namespace {

namespace fs = std::filesystem;

std::string system_error(const char* what, const fs::path& path) {
  return fmt::format("{} {}: {}", what, path.string(), std::strerror(errno));
}

std::string write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  return out ? "" : system_error("cannot write", path);
}

bool is_artifact(const fs::path& folder) {
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
  d.pool = program.pool;
  return d;
}

std::string write_artifact(const std::string& folder, const Artifact& artifact) {
  std::error_code code;
  fs::path target = fs::absolute(folder, code);
  if (!target.has_filename()) target = target.parent_path();
  const bool exists = fs::exists(fs::symlink_status(target, code));
  if (exists && !(fs::is_directory(target, code) && (fs::is_empty(target, code) || is_artifact(target))))
    return fmt::format("{} exists and is no artifact; it is left as it is", target.string());
  fs::create_directories(target.parent_path(), code);

  std::string name = target.string() + ".new-XXXXXX";
  if (!::mkdtemp(name.data())) return system_error("cannot make a folder beside", target);
  const fs::path fresh(name);
  struct Cleanup {  // what is still there under the temporary name: the unfinished new artifact, or the old one after a swap
    fs::path path;
    ~Cleanup() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } cleanup{fresh};

  fs::permissions(
      fresh,
      fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
      code);
  const std::pair<const char*, std::string> files[] = {{"kernel.ptx", artifact.ptx},
                                                       {"kernel.cubin", artifact.cubin},
                                                       {"kernel.ll", artifact.llvm},
                                                       {"program.pir", artifact.program_text},
                                                       {"launch.json", runtime::to_json(artifact.launch)},
                                                       {"certificate.json", artifact.certificate}};
  for (const auto& [file, bytes] : files)
    if (!bytes.empty())
      if (std::string error = write_file(fresh / file, bytes); !error.empty()) return error;
  // An existing folder is swapped in one step, so that at no time it is missing or half there.
  const unsigned flags = exists ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), flags) == 0) return "";
  if (errno != EINVAL && errno != ENOSYS) return system_error("cannot rename to", target);
  // A file system without these modes: the old folder steps aside first.
  std::string aside = target.string() + ".old-XXXXXX";
  if (exists && (!::mkdtemp(aside.data()) || ::rename(target.c_str(), aside.c_str()) != 0))
    return system_error("cannot replace", target);
  if (::rename(fresh.c_str(), target.c_str()) != 0) return system_error("cannot rename to", target);
  if (exists) fs::remove_all(aside, code);
  return "";
}

}  // namespace kir::emit
