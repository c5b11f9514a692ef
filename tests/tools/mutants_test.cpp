// Damaged programs, and what refuses them.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/ir/verify.h"
#include "core/text/text.h"
#include "lowering/pipeline.h"
#include "tools/mutants/judge.h"

namespace kir::mutants {
namespace {

struct Pair {
  std::shared_ptr<const Kernel> kernel;
  PhysicalPtr program;
};

Pair corpus(const std::string& name) {
  std::ifstream in(std::string(KIR_SOURCE_DIR) + "/corpus/" + name + ".kir");
  std::stringstream text;
  text << in.rdbuf();
  auto source = std::make_shared<SourceFile>(name + ".kir", text.str());
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  EXPECT_TRUE(module) << diagnostics.render(*source);
  if (!module) return {};
  auto built = lowering::compile(*module->kernels[0], {}, diagnostics);
  EXPECT_TRUE(built) << diagnostics.render(*source);
  return {module->kernels[0], built ? built->program : nullptr};
}

TEST(Mutants, EachDiffersFromTheProgramAndTheListIsTheSameEachTime) {
  const Pair p = corpus("row_sum");
  ASSERT_TRUE(p.program);
  const std::string original = print(*p.program);
  const auto first = mutants_of(*p.program), second = mutants_of(*p.program);
  ASSERT_EQ(first.size(), second.size());
  ASSERT_GT(first.size(), 10u);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].damage, second[i].damage);
    EXPECT_EQ(first[i].place, second[i].place);
    if (Diagnostics malformed; !verify(*first[i].program, malformed)) continue;  // may have no text
    EXPECT_EQ(print(*first[i].program), print(*second[i].program));
    EXPECT_NE(print(*first[i].program), original) << first[i].damage << " " << first[i].place;
  }
  EXPECT_EQ(print(*p.program), original);
}

// shows: K9.1 K9.2 K9.3 K9.7 K9.9 K9.10 K9.13 K9.14
TEST(Mutants, NoneThatARunTellsApartIsProved) {
  std::map<std::string, int> refused;
  for (const char* name : {"masked_store", "row_sum", "affine_recurrence", "piecewise"}) {
    const Pair p = corpus(name);
    ASSERT_TRUE(p.program);
    for (const Mutant& m : mutants_of(*p.program)) {
      const Judgement j = judge(*p.kernel, m, {.launches = 4});
      EXPECT_NE(j.fate, Fate::survivor) << name << ": " << m.damage << ", " << m.place << ": " << j.run << "\n"
                                        << print(*m.program);
      if (j.fate == Fate::survivor || j.fate == Fate::equivalent) continue;
      std::istringstream checks{std::string(m.checks)};
      for (std::string check; checks >> check;) ++refused[check];
    }
  }
  for (const char* check : {"K9.1", "K9.2", "K9.3", "K9.7", "K9.9", "K9.10", "K9.13", "K9.14"})
    EXPECT_GT(refused[check], 0) << check;
}

// Every check is attacked, and no damage is aimed at none.
TEST(Mutants, EachCheckIsAttacked) {
  std::set<std::string> attacked;
  for (const Damage& d : damages()) {
    std::istringstream checks{std::string(d.checks)};
    std::size_t n = 0;
    for (std::string check; checks >> check; ++n) attacked.insert(check);
    EXPECT_GT(n, 0u) << d.name;
  }
  EXPECT_EQ(attacked.size(), 16u);
}

TEST(Judge, TellsTheFatesApart) {
  const Pair p = corpus("vector_add"), other = corpus("masked_store");
  ASSERT_TRUE(p.program && other.program);
  EXPECT_EQ(judge(*p.kernel, {"none", "", "", p.program}, {}).fate, Fate::equivalent);

  auto broken = std::make_shared<PhysicalProgram>(*p.program);
  broken->launch.pack = 5000;
  const Judgement malformed = judge(*p.kernel, {"none", "", "", broken}, {});
  EXPECT_EQ(malformed.fate, Fate::malformed);
  EXPECT_EQ(malformed.reason, "W-01");
  EXPECT_EQ(malformed.refused_by, std::vector<std::string_view>{"K9.10"});

  const std::vector<Mutant> all = mutants_of(*p.program);
  const auto dropped = std::find_if(all.begin(), all.end(), [](const Mutant& m) { return m.damage == "effect dropped"; });
  ASSERT_NE(dropped, all.end());
  const Judgement wrong = judge(*p.kernel, *dropped, {});
  EXPECT_EQ(wrong.fate, Fate::refuted);
  EXPECT_EQ(wrong.refused_by.front(), "K9.1");
  EXPECT_TRUE(wrong.told);
  EXPECT_FALSE(wrong.run.empty());
}

int exit_code(const std::string& arguments) {
  const int status = std::system((KIR_BINARY_DIR "/bin/kir-mutants " + arguments + " > /dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// That damaged programs are refused says nothing where the program is refused undamaged.
TEST(MutantsTool, WantsAProvedProgramAndNumbersInRange) {
  const std::string corpus = KIR_SOURCE_DIR "/corpus/", relu = corpus + "relu.kir ";
  EXPECT_EQ(exit_code(relu + "--every 20"), 0);
  EXPECT_EQ(exit_code(relu + "--physical " + corpus + "physical/vector_add.pir --every 20"), 2);
  EXPECT_EQ(exit_code(corpus + "must-reject/write_race.kir --every 20"), 2);
  for (const char* wrong : {"--every 0", "--every -1", "--every 99999999999999999999999", "--rlimit 0", "--rlimit -1"})
    EXPECT_EQ(exit_code(relu + wrong), 2) << wrong;
}

}  // namespace
}  // namespace kir::mutants
