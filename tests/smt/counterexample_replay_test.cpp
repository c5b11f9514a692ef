// Counterexamples of everything in the corpus that must be rejected, run again by somebody else.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/interp/oracle.h"
#include "core/text/text.h"
#include "smt/run.h"
#include "tests/corpus.h"

namespace kir {
namespace {

using smt::Counterexample;
using smt::Misbehaviour;

smt::RunOptions options(int replays = smt::MinimiseLimits{}.replays) {
  smt::RunOptions o;
  o.decide.rlimit = 4'000'000;
  o.minimise.replays = replays;
  return o;
}

// A run of one's own.
struct Replayed {
  std::optional<RuntimeError> error;
  std::vector<TensorPtr> views;
  bool refused = false;
};

template <class Text>
Replayed replay(const Text& text, const Abi& abi, const Counterexample& c) {
  Replayed r;
  if (c.instances) {
    if constexpr (std::is_same_v<Text, Kernel>)
      r.error = interpret_instances(text, c.instances->launch, c.instances->focus).error;
    else
      r.error = interpret_instances(text, c.instances->launch, c.instances->programs, c.instances->focus).error;
    return r;
  }
  LaunchArgs args = smt::deep_copy(*c.launch);
  Diagnostics diagnostics;
  const auto bound = bind_launch(abi, args, diagnostics);
  r.refused = !bound;
  if (!bound) return r;
  r.error = interpret(text, *bound).error;
  r.views = bound->views;
  return r;
}

void expect_real(const std::string& what, const Kernel& kernel, const PhysicalProgram* program, const smt::Outcome& out) {
  for (const Counterexample& c : out.counterexamples) {
    SCOPED_TRACE(what + ": " + one_line(c));
    if (c.run == Counterexample::Run::evaluated || c.run == Counterexample::Run::combine) continue;
    ASSERT_NE(c.launch.has_value(), c.instances.has_value());
    switch (c.what) {
      case Misbehaviour::none:
      case Misbehaviour::not_run: ADD_FAILURE(); break;
      case Misbehaviour::overlapping_view: EXPECT_TRUE(replay(kernel, kernel.abi, c).refused); break;
      case Misbehaviour::refused:
        EXPECT_FALSE(replay(kernel, kernel.abi, c).refused);
        EXPECT_TRUE(c.instances || replay(*program, program->abi, c).refused);
        break;
      case Misbehaviour::kir_error:
      case Misbehaviour::physical_error: {
        const Replayed r =
            c.what == Misbehaviour::kir_error ? replay(kernel, kernel.abi, c) : replay(*program, program->abi, c);
        ASSERT_TRUE(r.error);
        EXPECT_EQ(r.error->kind, c.error);
        break;
      }
      case Misbehaviour::different_output: {
        const Replayed k = replay(kernel, kernel.abi, c), p = replay(*program, program->abi, c);
        ASSERT_TRUE(!k.error && !p.error && !k.refused && !p.refused);
        bool differs = false;
        for (std::size_t i = 0; i < kernel.abi.views.size(); ++i)
          for (std::size_t n = 0; n < program->abi.views.size(); ++n)
            if (program->abi.views[n].name == kernel.abi.views[i].name)
              differs |= compare(*k.views[i], *p.views[n], nullptr).verdict == Comparison::Verdict::different;
        EXPECT_TRUE(differs);
        break;
      }
    }
  }
}

struct Pair {
  std::string name;
  std::shared_ptr<const Kernel> kernel;
  PhysicalPtr program;  // may be null
};

// Every kernel that must be rejected, and every hostile program beside its kernel, that can be parsed.
std::vector<Pair> damaged_pairs() {
  std::vector<Pair> out;
  const auto parsed = [](const std::filesystem::path& path) {
    std::string error;
    auto source = std::make_shared<SourceFile>(path.string(), read_file(path.string(), kMaxBytes, &error).value_or(""));
    Diagnostics diagnostics;
    auto module = parse_kir(source, diagnostics);
    return module ? module->kernels.at(0) : nullptr;
  };
  for (const auto& path : testing::corpus_files(testing::CorpusPart::must_reject))
    if (auto kernel = parsed(path)) out.push_back({path.filename().string(), kernel, nullptr});
  const std::filesystem::path root = KIR_SOURCE_DIR;
  std::set<std::filesystem::path> hostile;
  for (const auto& entry : std::filesystem::directory_iterator(root / "corpus/hostile")) hostile.insert(entry.path());
  for (const auto& path : hostile) {
    std::string error;
    const std::string text = read_file(path.string(), kMaxBytes, &error).value_or("");
    const std::string mark = "// against: ";
    const std::size_t at = text.find(mark);
    if (path.extension() != ".pir" || at == std::string::npos) continue;
    auto source = std::make_shared<SourceFile>(path.string(), text);
    Diagnostics diagnostics;
    auto program = parse_pir(source, diagnostics);
    if (!program) continue;
    out.push_back({path.filename().string(),
                   parsed(root / text.substr(at + mark.size(), text.find('\n', at) - at - mark.size())), program});
  }
  return out;
}

// A small counterexample is one: the interpreters say so when they are called by someone else. Verdicts do not depend on it.
TEST(CounterexampleReplay, is_real_and_changes_no_verdict) {
  int told = 0;
  for (const Pair& pair : damaged_pairs()) {
    const smt::Outcome out = smt::run(*pair.kernel, pair.program.get(), nullptr, options());
    const smt::Outcome found = smt::run(*pair.kernel, pair.program.get(), nullptr, options(0));
    expect_real(pair.name, *pair.kernel, pair.program.get(), out);
    expect_real(pair.name, *pair.kernel, pair.program.get(), found);
    told += static_cast<int>(out.counterexamples.size());
    ASSERT_EQ(out.decisions.size(), found.decisions.size()) << pair.name;
    for (std::size_t i = 0; i < out.decisions.size(); ++i)
      EXPECT_EQ(out.decisions[i].verdict, found.decisions[i].verdict) << pair.name;
    EXPECT_EQ(out.counterexample_of, found.counterexample_of) << pair.name;
    // Sizes are not above those that were found.
    for (std::size_t c = 0; c < std::min(out.counterexamples.size(), found.counterexamples.size()); ++c) {
      Integer small = 0, large = 0;
      for (const NamedValue& v : out.counterexamples[c].sizes) small += v.value < 0 ? -v.value : v.value;
      for (const NamedValue& v : found.counterexamples[c].sizes) large += v.value < 0 ? -v.value : v.value;
      EXPECT_LE(small, large) << pair.name;
    }
  }
  EXPECT_GE(told, 40);
}

}  // namespace
}  // namespace kir
