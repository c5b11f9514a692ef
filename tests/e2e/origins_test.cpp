// Origins over the whole corpus: every part of a constructed program names what it stands for; the same kernel in another
// text gives the same ones; and without them the program is the same to the interpreter, the host and the GPU.
#include <filesystem>
#include <fstream>
#include <regex>

#include "core/interp/interpreter.h"
#include "core/ir/op_table.h"
#include "core/text/text.h"
#include "emit/emit.h"
#include "lowering/pipeline.h"
#include "smt/launches.h"
#include "tests/corpus.h"
#include "tests/proof/support.h"

namespace kir::test {
namespace {

namespace fs = std::filesystem;

std::optional<Module> module_of(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.kir", text);
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  EXPECT_TRUE(module) << diagnostics.render(*source);
  return module;
}

PhysicalPtr constructed_of(const Kernel& kernel) {
  Diagnostics diagnostics;
  auto built = lowering::compile(kernel, {}, diagnostics);
  EXPECT_TRUE(built) << kernel.id();
  return built ? built->program : nullptr;
}

// Of a group's own end, and of that of a region which construction made, there is no operation in the kernel.
void expect_complete(const Kernel& kernel, const PhysicalProgram& p) {
  EXPECT_EQ(p.origin_kernel, kernel.id());
  for (std::uint32_t i = 0; i < p.body.op_count(); ++i) {
    const Op& op = p.body.op(OpId(i));
    const Region& around = p.body.region(op.parent);
    if (row(op.kind).terminator && (!around.parent || !around.origin)) continue;
    EXPECT_TRUE(op.origin && op.origin.index < kernel.body.op_count()) << kernel.id() << ": " << row(op.kind).name << "\n"
                                                                       << print(p);
  }
  for (std::uint32_t i = 0; i < p.body.region_count(); ++i) {
    const Region& r = p.body.region(RegionId(i));
    if (r.origin) {
      EXPECT_LT(r.origin.index, kernel.body.region_count()) << kernel.id();
      continue;
    }
    // One that the kernel has no region for: a branch of an if that a concat became, what a scan does with its state.
    ASSERT_TRUE(r.parent);
    const Op &op = p.body.op(r.parent), &from = kernel.body.op(op.origin);
    EXPECT_TRUE(op.kind != from.kind || op.regions.size() > from.regions.size()) << kernel.id() << ": region " << i;
  }
}

std::string host_code(const PhysicalProgram& p) {
  Diagnostics diagnostics;
  auto module = emit::emit_host(p, diagnostics);
  return module ? module->llvm_ir : "";
}
std::string gpu_code(const PhysicalProgram& p) {
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(p, "sm_90a", diagnostics);
  return module ? module->ptx : "";
}

// A name is for the reader: a value without one gets it when it is printed.
std::string without_names(const std::string& text) { return std::regex_replace(text, std::regex("%[A-Za-z0-9_]+"), "%"); }

int compare_runs(const Kernel& kernel, const PhysicalProgram& with, const PhysicalProgram& without) {
  const smt::Witness witness = smt::find_witness(kernel.abi, 4'000'000);
  int runs = 0;
  for (const smt::Symbols& symbols : smt::small_launches(kernel.abi, witness, 4)) {
    const auto args = smt::make_args(kernel.abi, symbols, smt::Contents::special, 7, false, 1 << 20);
    if (!args) continue;
    LaunchArgs a = smt::deep_copy(*args), b = smt::deep_copy(*args);
    Diagnostics diagnostics;
    const auto first = bind_launch(with.abi, a, diagnostics), second = bind_launch(without.abi, b, diagnostics);
    EXPECT_EQ(first.has_value(), second.has_value());
    if (!first || !second) continue;
    const InterpretResult r = interpret(with, *first, {.max_steps = 2'000'000}),
                          s = interpret(without, *second, {.max_steps = 2'000'000});
    EXPECT_EQ(r.ok(), s.ok());
    for (std::size_t v = 0; v < first->views.size(); ++v) EXPECT_EQ(first->views[v]->bytes, second->views[v]->bytes);
    runs += r.ok();
  }
  return runs;
}

// shows: K8.1 K8.2 K8.4
TEST(Origins, AreCompleteStableAndUnnecessaryInTheWholeCorpus) {
  int kernels = 0, runs = 0;
  for (const fs::path& file : testing::corpus_files()) {
    SCOPED_TRACE(file.string());
    std::ifstream in(file);
    const auto module = module_of({std::istreambuf_iterator<char>(in), {}});
    if (!module) continue;
    const auto again = module_of(print(*module));  // flat, other places, no comments
    ASSERT_TRUE(again && again->kernels.size() == module->kernels.size());
    for (std::size_t k = 0; k < module->kernels.size(); ++k) {
      const Kernel& kernel = *module->kernels[k];
      const PhysicalPtr program = constructed_of(kernel), other = constructed_of(*again->kernels[k]);
      ASSERT_TRUE(program && other);
      expect_complete(kernel, *program);
      const std::string text = print(*program);
      EXPECT_EQ(without_names(print(*other)), without_names(text));
      const std::string bare = print(*program, {.origins = false});
      EXPECT_NE(bare, text);
      const PhysicalPtr stripped = test::program(bare);
      ASSERT_TRUE(stripped);
      EXPECT_NE(host_code(*program), "");
      EXPECT_EQ(host_code(*stripped), host_code(*program));
      EXPECT_EQ(gpu_code(*stripped), gpu_code(*program));
      runs += compare_runs(kernel, *program, *stripped);
      ++kernels;
    }
  }
  EXPECT_GE(kernels, 150);
  EXPECT_GE(runs, 300);
}

}  // namespace
}  // namespace kir::test
