// The physical programs of the corpus, written by hand, on the host against NumPy's values; constructed ones without origins.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

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

// shows: K8.3
TEST_P(HandWritten, GivesNumPysValuesOnTheHost) {
  auto program = parse_program(read_text(kCorpus / "physical" / (GetParam() + ".pir")));
  ASSERT_TRUE(program);
  const auto entry = nlohmann::json::parse(read_text(kCorpus / (program->implements + ".json")))["kernels"][0];
  int cases = 0;
  for (const auto& folder : fs::directory_iterator(kCorpus / "expected" / program->implements)) {
    LaunchArgs args;
    std::map<std::string, Tensor> expected;
    for (const ViewParam& v : program->abi.views) {
      std::string error;
      auto in = read_npy((folder.path() / ("in." + v.name + ".npy")).string(), v.dtype, &error);
      auto out = read_npy((folder.path() / ("out." + v.name + ".npy")).string(), v.dtype, &error);
      if (out) expected.emplace(v.name, *out);
      ASSERT_TRUE(in || out) << error;
      args.views[v.name] = in ? std::make_shared<Tensor>(*in) : zeros(v.dtype, out->shape);
    }
    for (const ScalarParam& s : program->abi.scalars)
      args.scalars[s.name] = parse_literal(entry["scalars"][s.name].get<std::string>(), s.dtype).value();
    ASSERT_EQ(run_on_host(*program, args), "");
    for (const auto& [name, want] : expected) {
      const auto oracle = entry["oracle"][name];
      const double relative = oracle.is_object() ? oracle["relative"].get<double>() : 0,
                   absolute = oracle.is_object() ? oracle["absolute"].get<double>() : 0;
      const Tensor got = args.views[name]->dense();
      for (std::int64_t i = 0; i < want.element_count(); ++i) {
        if (got.load(i) == want.load(i)) continue;
        ASSERT_TRUE(is_float(want.dtype) && oracle.is_object()) << name << " " << i;
        const double w = want.load(i).as_double(), g = got.load(i).as_double();
        ASSERT_LE(std::abs(w - g), absolute + relative * std::abs(w)) << name << " " << i;
      }
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
