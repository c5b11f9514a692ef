#include "emit/toolkit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "emit/emit.h"

extern char** environ;

namespace kir::emit {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* v = std::getenv(name);
  return v ? v : "";
}

bool is_executable(const fs::path& p) { return ::access(p.c_str(), X_OK) == 0 && !fs::is_directory(p); }

std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string v = environment(name); !v.empty()) roots.emplace_back(v);
  std::stringstream path(environment("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    for (const char* tool : {"ptxas", "nvcc"})
      if (!folder.empty() && is_executable(fs::path(folder) / tool)) roots.push_back(fs::path(folder) / "..");
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

std::string find_in_toolkit(const char* relative, bool executable) {
  std::error_code ignored;
  for (const fs::path& root : toolkit_roots()) {
    fs::path p = root / relative;
    if (executable ? is_executable(p) : fs::is_regular_file(p, ignored)) return fs::weakly_canonical(p, ignored).string();
  }
  return "";
}

std::string read_file(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of this process that disappears with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "kir-ptxas-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Exit status, or -1 when it could not be started; stdout and stderr go to the file.
int run_program(const std::vector<std::string>& command, const fs::path& output) {
  std::vector<char*> argv;
  for (const std::string& s : command) argv.push_back(const_cast<char*>(s.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string ptxas_path() { return find_in_toolkit("bin/ptxas", true); }
std::string libdevice_path() { return find_in_toolkit("nvvm/libdevice/libdevice.10.bc", false); }

bool toolkit_available() { return !ptxas_path().empty(); }

std::string toolkit_version() {
  std::string ptxas = ptxas_path();
  TemporaryFolder folder;
  if (ptxas.empty() || folder.path().empty()) return "";
  fs::path out = folder.path() / "version";
  if (run_program({ptxas, "--version"}, out) != 0) return "";
  std::string text = read_file(out);
  auto at = text.find("release ");
  return at == std::string::npos ? "" : text.substr(at + 8, text.find_first_of("\n", at) - at - 8);
}

std::string assemble(const std::string& ptx, const std::string& sm, std::string* cubin, std::string* log) {
  std::string ptxas = ptxas_path();
  if (ptxas.empty()) return "E-01: ptxas of the CUDA Toolkit was not found";
  TemporaryFolder folder;
  if (folder.path().empty()) return "E-01: no temporary folder could be made";
  fs::path input = folder.path() / "kernel.ptx", output = folder.path() / "kernel.cubin", messages = folder.path() / "log";
  std::ofstream(input, std::ios::binary) << ptx;
  int status = run_program({ptxas, "-arch=" + sm, "-O3", "-v", input.string(), "-o", output.string()}, messages);
  std::string text = read_file(messages);
  if (log) *log = text;
  if (status != 0) return fmt::format("E-01: ptxas ended with status {}: {}", status, text);
  // Serialised matrix instructions are a silent loss of speed and of the shape that was asked for.
  for (const char* id : {"C7510", "C7511", "C7512", "C7513", "C7514", "C7515"})
    if (text.find(id) != std::string::npos) return fmt::format("E-01: ptxas: {}", text);
  *cubin = read_file(output);
  if (cubin->empty()) return "E-01: ptxas wrote no code";
  return "";
}

}  // namespace kir::emit
