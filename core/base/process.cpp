#include "core/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "core/base/file.h"

extern char** environ;

namespace kir {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

// A nameless file that holds the bytes and stands at their beginning.
Descriptor file_of(std::string_view bytes) {
  Descriptor file(::memfd_create("input", MFD_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), bytes)) return Descriptor();
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

ProcessResult not_started(int error) {
  ProcessResult r;
  r.output = std::strerror(error);
  return r;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, std::string_view input, std::chrono::milliseconds patience) {
  Descriptor in = file_of(input);
  int ends[2];
  if (in.get() < 0 || ::pipe2(ends, O_CLOEXEC) != 0) return not_started(errno);
  Descriptor read_end(ends[0]), write_end(ends[1]);

  std::vector<char*> argv;
  for (const std::string& s : command) argv.push_back(const_cast<char*>(s.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), 2);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return not_started(failed);
  write_end.close();

  ProcessResult result;
  const auto end = std::chrono::steady_clock::now() + patience;
  for (bool open = true; open;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) {
      ::kill(child, SIGKILL);
      result.end = ProcessResult::End::timed_out;
      break;
    }
    pollfd p{read_end.get(), POLLIN, 0};
    if (::poll(&p, 1, static_cast<int>(std::min<long long>(left, 1000))) <= 0) continue;
    char buffer[1 << 14];
    const ssize_t n = ::read(read_end.get(), buffer, sizeof buffer);
    if (n > 0) result.output.append(buffer, static_cast<std::size_t>(n));
    open = n > 0 || (n < 0 && errno == EINTR);
    if (result.output.size() > kMostOutput) {
      ::kill(child, SIGKILL);
      result.end = ProcessResult::End::killed;
      break;
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (result.end != ProcessResult::End::not_started) return result;  // it was ended here
  result.end = WIFEXITED(status) ? ProcessResult::End::exited : ProcessResult::End::killed;
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

std::string find_program(std::string_view name) {
  namespace fs = std::filesystem;
  auto executable = [](const fs::path& p) {
    std::error_code ignored;
    return ::access(p.c_str(), X_OK) == 0 && fs::is_regular_file(p, ignored);
  };
  if (name.find('/') != std::string_view::npos) return executable(name) ? std::string(name) : "";
  const char* path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path p = fs::path(folder) / name; !folder.empty() && executable(p)) return p.string();
  return "";
}

}  // namespace kir
