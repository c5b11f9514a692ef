// The physical programs of the corpus, written by hand, on the host against NumPy's values; constructed ones without origins.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/interp/oracle.h"
#include "lowering/pipeline.h"
#include "run_pir.h"

namespace kir {
namespace {

namespace fs = std::filesystem;
using namespace testing;

const fs::path kCorpus = fs::path(KIR_SOURCE_DIR) / "corpus";

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class HandWritten : public ::testing::TestWithParam<std::string> {};

std::shared_ptr<const Kernel> kernel_of(const std::string& stem) {
  auto source = std::make_shared<SourceFile>(stem, read_text(kCorpus / (stem + ".kir")));
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  if (!module) throw std::runtime_error(diagnostics.render(*source));  // fails the test
  return module->kernels.at(0);
}

// The reference interpreter gives NumPy's values bit for bit; the program is held to the radius that the oracle derives.
// shows: K8.3
TEST_P(HandWritten, GivesNumPysValuesOnTheHost) {
  auto program = parse_program(read_text(kCorpus / "physical" / (GetParam() + ".pir")));
  ASSERT_TRUE(program);
  const auto kernel = kernel_of(program->implements);
  const auto entry = nlohmann::json::parse(read_text(kCorpus / (program->implements + ".json")))["kernels"][0];
  int cases = 0;
  for (const auto& folder : fs::directory_iterator(kCorpus / "expected" / program->implements)) {
    LaunchArgs args, reference_args;
    std::map<std::string, Tensor> expected;
    for (const ViewParam& v : program->abi.views) {
      std::string error;
      auto in = read_npy((folder.path() / ("in." + v.name + ".npy")).string(), v.dtype, &error);
      auto out = read_npy((folder.path() / ("out." + v.name + ".npy")).string(), v.dtype, &error);
      if (out) expected.emplace(v.name, *out);
      ASSERT_TRUE(in || out) << error;
      args.views[v.name] = in ? std::make_shared<Tensor>(*in) : zeros(v.dtype, out->shape);
      reference_args.views[v.name] = in ? std::make_shared<Tensor>(*in) : zeros(v.dtype, out->shape);
    }
    for (const ScalarParam& s : program->abi.scalars)
      args.scalars[s.name] = parse_literal(entry["scalars"][s.name].get<std::string>(), s.dtype).value();
    reference_args.scalars = args.scalars;
    Diagnostics diagnostics;
    auto bound = bind_launch(kernel->abi, reference_args, diagnostics);
    ASSERT_TRUE(bound);
    const Reference reference = interpret_reference(*kernel, *bound);
    ASSERT_TRUE(reference.result.ok());
    ASSERT_EQ(run_on_host(*program, args), "");
    for (std::size_t i = 0; i < kernel->abi.views.size(); ++i) {
      const std::string& name = kernel->abi.views[i].name;
      if (!expected.contains(name)) continue;
      const Tensor& want = *reference_args.views[name];
      const Comparison numpy = compare(expected.at(name), want, nullptr);
      EXPECT_EQ(numpy.verdict, Comparison::Verdict::equal) << name << ": " << describe(numpy);
      const Comparison host = compare(want, *args.views[name], reference.exact ? nullptr : &reference.radius[i]);
      EXPECT_LE(host.verdict, Comparison::Verdict::within) << name << ": " << describe(host);
      ++cases;
    }
  }
  EXPECT_GT(cases, 0);
}

TEST_P(HandWritten, AssemblesForTheGpu) {
  EXPECT_NE(gpu_code(*parse_program(read_text(kCorpus / "physical" / (GetParam() + ".pir")))), "");
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& f : fs::directory_iterator(kCorpus / "physical"))
    if (f.path().extension() == ".pir") out.push_back(f.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Corpus, HandWritten, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

class Constructed : public ::testing::TestWithParam<std::string> {};

// shows: K8.2 K1.6
TEST_P(Constructed, WithoutOriginsTheCodeIsTheSameAndOneKernelIsOneEntry) {
  auto source = std::make_shared<SourceFile>(GetParam(), read_text(kCorpus / (GetParam() + ".kir")));
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  ASSERT_TRUE(module) << diagnostics.render(*source);
  for (const auto& kernel : module->kernels) {
    auto built = lowering::compile(*kernel, {}, diagnostics);
    ASSERT_TRUE(built);
    const std::string code = gpu_code(*built->program);
    EXPECT_EQ(count(code, ".entry"), 1);
    EXPECT_NE(print(*built->program), print(*built->program, {.origins = false}));
    auto stripped = parse_program(print(*built->program, {.origins = false}));
    EXPECT_EQ(gpu_code(*stripped), code);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Constructed,
                         ::testing::Values("softmax", "two_groups", "layer_norm", "piecewise", "first_arg_max"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kir
