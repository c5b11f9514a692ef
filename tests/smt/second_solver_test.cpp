// The second solver: agreement, silence and contradiction.
#include "smt/second_solver.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "families.h"
#include "formula.h"
#include "smt/decide.h"
#include "smt/memory.h"

namespace kir {
namespace {

using proof::CrossCheck;
using proof::Verdict;

// A program in cvc5's place.
class Impostor {
 public:
  explicit Impostor(const std::string& answer) {
    path_ = (std::filesystem::temp_directory_path() / ("cvc5-" + std::to_string(::getpid()))).string();
    std::ofstream(path_) << "#!/bin/sh\n[ \"$1\" = --version ] && echo 'This is cvc5 version 0.0' && exit 0\n"
                         << answer << "\n";
    ::chmod(path_.c_str(), 0700);
    ::setenv("KIR_CVC5", path_.c_str(), 1);
  }
  ~Impostor() {
    ::unsetenv("KIR_CVC5");
    std::filesystem::remove(path_);
  }

 private:
  std::string path_;
};

proof::Decision checked(const std::vector<std::string>& hypotheses, const std::string& goal) {
  std::string error;
  smt::DecideOptions options;
  options.second_solver = smt::find_second_solver(&error);
  EXPECT_TRUE(options.second_solver) << error;
  proof::Ledger ledger;
  test::add(ledger, "one", hypotheses, goal);
  return smt::decide(ledger, options).at(0);
}

const std::vector<std::string> kRange = {"0 <= m < M", "0 <= n < N"};
constexpr const char* kInside = "m*N + n < M*N";

// shows: D4
TEST(SecondSolver, AgreesWhereUnknownsAreMultiplied) {
  EXPECT_EQ(checked(kRange, kInside).cross_check, CrossCheck::agrees);
  EXPECT_EQ(checked({"N >= 1"}, "n floordiv N*N + n mod N == n").cross_check, CrossCheck::agrees);
  EXPECT_EQ(checked({"n < N"}, "n + 1 <= N").cross_check, CrossCheck::not_asked);
  EXPECT_EQ(checked({"n < N"}, "3*n + 1 <= 3*N").cross_check, CrossCheck::not_asked);
}

// shows: D4
TEST(SecondSolver, AContradictionIsInconsistent) {
  Impostor liar("cat > /dev/null; echo sat");
  const proof::Decision d = checked(kRange, kInside);
  EXPECT_EQ(d.verdict, Verdict::inconsistent);
  EXPECT_EQ(d.cross_check, CrossCheck::contradicted);
  EXPECT_NE(d.reason.find("cvc5 0.0"), std::string::npos) << d.reason;
  EXPECT_EQ(proof::exit_code(d.verdict), 5);
}

// A model is a model, whatever is said around it and however the process ends.
// shows: D4
TEST(SecondSolver, AContradictionIsNeverLost) {
  for (const char* answer : {"echo sat; exit 1", "echo sat; kill -9 $$", "echo 'a warning'; echo sat", "echo unsat; echo sat",
                             "printf ' sat\\r\\n'", "printf sat"}) {
    Impostor liar(answer);
    EXPECT_EQ(checked(kRange, kInside).verdict, Verdict::inconsistent) << answer;
  }
}

// What it is decides what is kept: two programs that call themselves the same are not the same.
TEST(SecondSolver, OptionsNameItsCode) {
  const auto options = [](const char* answer) {
    Impostor solver(answer);
    std::string error;
    smt::DecideOptions o;
    o.second_solver = smt::find_second_solver(&error);
    return smt::deciding_options(o);
  };
  EXPECT_EQ(options("echo unsat"), options("echo unsat"));
  EXPECT_NE(options("echo unsat"), options("echo sat"));
}

TEST(SecondSolver, SilenceDecidesNothing) {
  for (const char* answer :
       {"echo unknown", "exit 1", "kill -9 $$", "echo unsat; exit 1", "echo unsat; kill -9 $$", "true",
        "echo '(error \"x\")'; echo unsat", "echo unsat; echo '(error \"x\")'", "head -c 9999 /dev/zero"}) {
    Impostor silent(answer);
    const proof::Decision d = checked(kRange, kInside);
    EXPECT_EQ(d.verdict, Verdict::proved) << answer;
    EXPECT_EQ(d.cross_check, CrossCheck::undecided) << answer;
    EXPECT_EQ(d.runaway, std::string(answer) != "echo unknown") << answer;  // it failed: nothing to keep or to release
  }
}

TEST(SecondSolver, ThatIsNotThereIsAnError) {
  ::setenv("KIR_CVC5", "/nowhere/cvc5", 1);
  std::string error;
  EXPECT_FALSE(smt::find_second_solver(&error));
  EXPECT_NE(error.find("scripts/setup"), std::string::npos) << error;
  ::setenv("KIR_CVC5", "/bin/true", 1);
  EXPECT_FALSE(smt::find_second_solver(&error));
  EXPECT_NE(error.find("does not run as cvc5"), std::string::npos) << error;
  ::unsetenv("KIR_CVC5");
}

// It never has a model of the negation of what is true.
// shows: D4
TEST(SecondSolver, ContradictsNoFamily) {
  std::string error;
  smt::DecideOptions options{.jobs = 2};
  options.second_solver = smt::find_second_solver(&error);
  ASSERT_TRUE(options.second_solver) << error;
  proof::Ledger ledger;
  for (const test::Family& f : test::families()) test::add(ledger, f.name, f.hypotheses, f.goal);
  int agrees = 0, asked = 0;
  const auto decisions = smt::decide(ledger, options);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].verdict, Verdict::proved) << ledger.obligations[i].key << ": " << decisions[i].reason;
    asked += decisions[i].cross_check != CrossCheck::not_asked;
    agrees += decisions[i].cross_check == CrossCheck::agrees;
  }
  EXPECT_GE(asked, 30);
  EXPECT_GE(agrees, asked / 2);
}

}  // namespace
}  // namespace kir
