#include "core/base/exit_code.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

namespace kir {

int exit_code_of(const std::function<int()>& run) {
  constexpr int kFailed = 2;
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})  // for reading only, so that a write still fails
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) return kFailed;
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond a limit on the size of files fails, as one to a full disk does
  int code = kFailed;
  try {
    code = run();
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& e) {  // fmt::print throws when a stream cannot be written
    std::fprintf(stderr, "error: %s\n", e.what());
  }
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("error: standard output cannot be written\n", stderr);
  return code == 0 ? kFailed : code;
}

}  // namespace kir
