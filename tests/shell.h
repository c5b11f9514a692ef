// A command line as a user gives it to a shell.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace kir::testing {

struct Ran {
  int code = -1;  // the exit code; 1000 and more: ended by a signal
  std::string output;
};

// What it writes to standard output; `2>&1` in the command adds the errors.
inline Ran shell(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell can be started");
  Ran r;
  std::array<char, 4096> buffer;
  while (std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) r.output.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
  return r;
}

}  // namespace kir::testing
