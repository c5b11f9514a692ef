// Other programs: started without a shell, fed from memory, read to their end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kir {

constexpr std::size_t kMostOutput = std::size_t{64} << 20;

struct ProcessResult {
  enum class End : std::uint8_t {
    exited,       // `status` is its exit status
    killed,       // by a signal, or here since it wrote more than kMostOutput bytes
    timed_out,    // ended here after the patience
    not_started,  // `output` says why
  } end = End::not_started;
  int status = -1;
  std::string output;  // what it wrote to standard output and standard error

  bool succeeded() const { return end == End::exited && status == 0; }
};

// `command[0]` is the path of the program. Its standard input is `input`. Blocks; safe to call from several threads.
ProcessResult run_process(const std::vector<std::string>& command, std::string_view input = {},
                          std::chrono::milliseconds patience = std::chrono::minutes(10));

// The first executable file of this name in the folders of PATH; a name with a slash stands for itself. "" when there is none.
std::string find_program(std::string_view name);

}  // namespace kir
