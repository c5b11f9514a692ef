// Work in processes of its own: a piece that crashes, hangs or eats all memory is an answer, not the end of a campaign.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace kir::fuzz {

struct Isolation {
  int jobs = 1;                                   // processes at a time
  std::chrono::seconds patience{60};              // for one piece
  std::uint64_t memory = std::uint64_t{4} << 30;  // bytes that one process may add to its address space
  std::uint64_t chunk = 32;                       // pieces that one process is given
  std::function<bool()> interrupted;              // asked at least once a second: true ends it; may be empty
};

struct Answer {
  enum class How : std::uint8_t { done, crashed, hung } how = How::done;
  std::string text;  // what the work gave; else why it gave nothing
};

// Does pieces 0, 1, ..., count - 1 and hands each answer to `done` in this order, whatever the number of jobs. `work` runs in
// another process; what it gives is one line. Ends early when `done` says false; the processes are ended then. Forks: no other
// thread of this process may run.
void run_isolated(std::uint64_t count, const std::function<std::string(std::uint64_t)>& work, const Isolation& isolation,
                  const std::function<bool(std::uint64_t number, Answer&& answer)>& done);

}  // namespace kir::fuzz
