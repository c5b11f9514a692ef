#include "tools/fuzz/isolate.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "core/base/check.h"

namespace kir::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

void limit_memory(std::uint64_t more) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + more;
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

// A process that does the pieces next, next + 1, ..., end - 1 and writes a line for each.
struct Worker {
  pid_t process = 0;
  int pipe = -1;
  std::uint64_t next = 0, end = 0;  // `next`: the one it is at
  Clock::time_point since;
  std::string read;  // an unfinished line
};

class Pool {
 public:
  Pool(std::uint64_t count, const std::function<std::string(std::uint64_t)>& work, const Isolation& isolation,
       const std::function<bool(std::uint64_t, Answer&&)>& done)
      : count_(count), work_(work), isolation_(isolation), done_(done) {}

  ~Pool() {
    for (Worker& w : workers_) stop(w);
  }

  void run() {
    while (delivered_ < count_) {
      while (static_cast<int>(workers_.size()) < isolation_.jobs && begun_ < count_ && begun_ < delivered_ + kAhead) {
        const std::uint64_t end = std::min(begun_ + isolation_.chunk, count_);
        start(begun_, end);
        begun_ = end;
      }
      wait();
      if (isolation_.interrupted && isolation_.interrupted()) return;
      for (auto it = finished_.find(delivered_); it != finished_.end(); it = finished_.find(delivered_)) {
        Answer r = std::move(it->second);
        finished_.erase(it);
        if (!done_(delivered_++, std::move(r))) return;
      }
    }
  }

 private:
  static constexpr std::uint64_t kAhead = 4096;  // results that may wait for an earlier one

  void start(std::uint64_t next, std::uint64_t end) {
    int ends[2];
    KIR_CHECK(pipe(ends) == 0, "no pipe: {}", std::strerror(errno));
    const pid_t child = fork();
    KIR_CHECK(child >= 0, "no process: {}", std::strerror(errno));
    if (child == 0) {
      close(ends[0]);
      limit_memory(isolation_.memory);
      for (std::uint64_t i = next; i < end; ++i) {
        const std::string line = work_(i) + "\n";
        for (std::size_t at = 0; at < line.size();) {
          const ssize_t n = write(ends[1], line.data() + at, line.size() - at);
          if (n < 0 && errno != EINTR) _exit(1);
          if (n > 0) at += static_cast<std::size_t>(n);
        }
      }
      _exit(0);
    }
    close(ends[1]);
    workers_.push_back({child, ends[0], next, end, Clock::now(), {}});
  }

  static void stop(Worker& w) {
    kill(w.process, SIGKILL);
    close(w.pipe);
    waitpid(w.process, nullptr, 0);
  }

  // Reads what is there; ends processes that are through, dead or out of patience.
  void wait() {
    std::vector<pollfd> pipes;
    for (const Worker& w : workers_) pipes.push_back({w.pipe, POLLIN, 0});
    poll(pipes.data(), pipes.size(), 1000);
    for (std::size_t i = workers_.size(); i-- > 0;) {
      Worker& w = workers_[i];
      bool ended = false;
      if (pipes[i].revents != 0) {
        char buffer[1 << 16];
        const ssize_t n = ::read(w.pipe, buffer, sizeof buffer);
        if (n > 0) take(w, std::string_view(buffer, static_cast<std::size_t>(n)));
        ended = n == 0 || (n < 0 && errno != EINTR);
      }
      if (ended)
        retire(i);
      else if (Clock::now() - w.since > isolation_.patience)
        fail(i, Answer::How::hung, fmt::format("no end after {} s", isolation_.patience.count()));
    }
  }

  void take(Worker& w, std::string_view bytes) {
    w.read += bytes;
    std::size_t begin = 0;
    for (std::size_t end; (end = w.read.find('\n', begin)) != std::string::npos; begin = end + 1) {
      finished_.emplace(w.next++, Answer{Answer::How::done, w.read.substr(begin, end - begin)});
      w.since = Clock::now();
    }
    w.read.erase(0, begin);
  }

  void retire(std::size_t i) {
    Worker& w = workers_[i];
    int status = 0;
    waitpid(w.process, &status, 0);
    close(w.pipe);
    const std::uint64_t at = w.next, end = w.end;
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    if (at == end) return;
    replaced(at, end, Answer::How::crashed,
             WIFSIGNALED(status) ? std::string(strsignal(WTERMSIG(status))) : fmt::format("exit code {}", WEXITSTATUS(status)));
  }

  void fail(std::size_t i, Answer::How how, std::string reason) {
    Worker w = std::move(workers_[i]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    stop(w);
    replaced(w.next, w.end, how, std::move(reason));
  }

  // The piece `at` ended its process; another one goes on behind it.
  void replaced(std::uint64_t at, std::uint64_t end, Answer::How how, std::string reason) {
    finished_.emplace(at, Answer{how, std::move(reason)});
    if (at + 1 < end) start(at + 1, end);
  }

  const std::uint64_t count_;
  const std::function<std::string(std::uint64_t)>& work_;
  const Isolation& isolation_;
  const std::function<bool(std::uint64_t, Answer&&)>& done_;
  std::vector<Worker> workers_;
  std::map<std::uint64_t, Answer> finished_;
  std::uint64_t begun_ = 0, delivered_ = 0;
};

}  // namespace

void run_isolated(std::uint64_t count, const std::function<std::string(std::uint64_t)>& work, const Isolation& isolation,
                  const std::function<bool(std::uint64_t, Answer&&)>& done) {
  Pool(count, work, isolation, done).run();
}

}  // namespace kir::fuzz
