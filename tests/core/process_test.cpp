#include "core/base/process.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kir {
namespace {

using End = ProcessResult::End;

TEST(Process, ReadsItsInputAndGivesOutputAndStatus) {
  const std::string much(1 << 20, 'x');
  const ProcessResult r = run_process({"/bin/cat"}, much);
  EXPECT_TRUE(r.succeeded());
  EXPECT_EQ(r.output, much);
  const ProcessResult fails = run_process({"/bin/sh", "-c", "echo out; echo error >&2; exit 7"});
  EXPECT_EQ(fails.end, End::exited);
  EXPECT_EQ(fails.status, 7);
  EXPECT_EQ(fails.output, "out\nerror\n");
}

TEST(Process, SaysHowItEnded) {
  EXPECT_EQ(run_process({"/bin/sh", "-c", "kill -9 $$"}).end, End::killed);
  EXPECT_EQ(run_process({"/bin/sleep", "600"}, "", std::chrono::milliseconds(50)).end, End::timed_out);
  const ProcessResult none = run_process({"/nowhere/program"});
  EXPECT_EQ(none.end, End::not_started);
  EXPECT_FALSE(none.output.empty());
}

TEST(Process, EndsOneThatWritesWithoutEnd) {
  const ProcessResult r = run_process({"/bin/cat", "/dev/zero"}, "", std::chrono::minutes(2));
  EXPECT_EQ(r.end, End::killed);
  EXPECT_FALSE(r.succeeded());
  EXPECT_LE(r.output.size(), kMostOutput + (std::size_t{1} << 20));
}

TEST(Process, ProgramsAreFoundInThePath) {
  EXPECT_TRUE(find_program("sh").ends_with("/sh"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program-anywhere"), "");
  EXPECT_EQ(find_program("/bin"), "");
}

}  // namespace
}  // namespace kir
