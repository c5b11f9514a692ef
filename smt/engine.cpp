#include "smt/engine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/base/sha256.h"
#include "smt/decide.h"

namespace kir::smt {
namespace {

// Two versions may be loaded, LLVM brings one of its own. The one whose symbols are bound is the first in the search order,
// which is what RTLD_DEFAULT finds; a solver without a file of its own is part of this program.
std::string solver_file() {
  Dl_info info;
  void* symbol = ::dlsym(RTLD_DEFAULT, "Z3_solver_check");
  if (symbol == nullptr || ::dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return "/proc/self/exe";
  return info.dli_fname;
}

}  // namespace

std::string file_digest(const std::string& path) {
  std::string digest;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes != MAP_FAILED) {
      digest = sha256_hex({static_cast<const char*>(bytes), size});
      ::munmap(bytes, size);
    }
  }
  const int why = errno;
  if (file >= 0) ::close(file);
  if (digest.empty()) throw std::runtime_error(fmt::format("the solver's code {}: {}", path, std::strerror(why)));
  return digest;
}

const Engine& this_engine() {
  static const Engine engine{std::string(engine_sources()), solver_version(), file_digest(solver_file())};
  return engine;
}

}  // namespace kir::smt
