#include "emit/artifact.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emit/runtime/bundle_run.h"
#include "emit/runtime/launch_values.h"
#include "run_pir.h"
#include "tests/temporary_folder.h"

namespace kir {
namespace {

namespace fs = std::filesystem;
using namespace testing;

const char* kProgram = R"(pir 1
program test
abi { x: view bf16[N, M] strides(S, 1) in align 16
      y: view bf16[N, M] strides(M, 1) out align 2
      alpha: f32
      dims N: i64, M: i64 in 1..=4096, S: i64 where S >= M, divides(8, S) alias { may_alias(x, y) } }
launch { threads 1 pack 64 grid G = ceildiv(O0 + L0, 64) }
space { g0: (i in 0..N, j in 0..M) length L0 = N * M offset O0 = 0 }
dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%i = (%w - O0) floordiv M, %j = (%w - O0) mod M)  else -> exit }
group g0 (%i: i64 in 0..N, %j: i64 in 0..M) {
  %v: bf16 = load x[%i, %j]
  %f: f32 = convert.rn %v
  %s: f32 = mul %f, %alpha
  %r: bf16 = convert.rn %s
  store y[%i, %j] = %r
})";

class ArtifactFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    program = parse_program(kProgram);
    Diagnostics diagnostics;
    auto module = emit::emit_nvptx(*program, "sm_90a", diagnostics);
    ASSERT_TRUE(module);
    artifact.ptx = module->ptx;
    artifact.program_text = print(*program);
    artifact.certificate = "{}";
    artifact.launch = emit::describe_launch(*program, *module, "sm_90a");
  }
  std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(root), {})); }

  testing::TemporaryFolder temporary;
  const fs::path root = temporary.path();
  PhysicalPtr program;
  emit::Artifact artifact;
};

TEST_F(ArtifactFolder, TheLaunchDescriptionStandsAlone) {
  ASSERT_EQ(emit::write_artifact((root / "a").string(), artifact), "");
  runtime::LaunchDescription d;
  std::string image;
  ASSERT_EQ(runtime::read_artifact((root / "a").string(), &d, &image), "");
  EXPECT_EQ(image, artifact.ptx);
  EXPECT_EQ(d.kernel_name, "kir_test");
  EXPECT_EQ(d.threads, 1);
  EXPECT_EQ(d.pack, 64);
  EXPECT_FALSE(d.asserted.empty());
  EXPECT_EQ(runtime::to_json(d), runtime::to_json(artifact.launch));

  // It binds and refuses launches as the program's own ABI does.
  auto x = std::make_shared<Tensor>(Tensor::strided(DType::bf16, {3, 5}, {8, 1}));
  auto y = zeros(DType::bf16, {3, 5});
  LaunchArgs args{.views = {{"x", x}, {"y", y}}, .scalars = {{"alpha", Scalar::of_f32(2)}}};
  Diagnostics good;
  auto bound = bind_launch(d.abi, args, good);
  ASSERT_TRUE(bound);
  std::vector<Definition> definitions;
  for (const auto& [n, v] : d.definitions) definitions.push_back({n, v, {}});
  runtime::LaunchValues values;
  EXPECT_EQ(runtime::evaluate_launch(d.abi, definitions, d.grid, d.workspace, bound->symbols, &values), "");
  EXPECT_EQ(values.grid, 1);
  EXPECT_EQ(values.integers.size(), d.abi.symbols.size() + definitions.size());
  bound->symbols["M"] = 5000;
  EXPECT_NE(runtime::evaluate_launch(d.abi, definitions, d.grid, d.workspace, bound->symbols, &values)
                .find("above its declared bound"),
            std::string::npos);
  args.views["x"] = std::make_shared<Tensor>(Tensor::strided(DType::bf16, {3, 5}, {7, 1}));
  Diagnostics bad;
  EXPECT_FALSE(bind_launch(d.abi, args, bad));
}

// shows: K5.8
TEST(LaunchDescription, SaysWhatTheWorkspaceTakes) {
  std::string text = one_group(" y: view f32[N] out",
                               "s: view f32[5 * N] = buffer [5 * N] scope(private)\n%z: i64 = index 0\n%c: f32 = constant 1.0\n"
                               "store s[%z] = %c\nstore t[%i] = %c\nstore u[%i, %z] = %c\n");
  text.insert(text.find("dispatch"), "workspace { t: view i16[N] u: view f32[G * 4, 3] }\n");
  text.replace(text.find("store t[%i] = %c"), 16, "%h: i16 = constant 1\nstore t[%i] = %h");
  const PhysicalPtr p = parse_program(text);
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(*p, "sm_90a", diagnostics);
  ASSERT_TRUE(module);
  const std::string json = runtime::to_json(emit::describe_launch(*p, *module, "sm_90a"));
  std::string error;
  const auto d = runtime::from_json(json, &error);
  ASSERT_TRUE(d) << error;
  EXPECT_EQ(runtime::to_json(*d), json);
  std::vector<Definition> definitions;
  for (const auto& [n, v] : d->definitions) definitions.push_back({n, v, {}});
  runtime::LaunchValues values;
  ASSERT_EQ(runtime::evaluate_launch(d->abi, definitions, d->grid, d->workspace, {{"N", 9}}, &values), "");
  EXPECT_EQ(values.shared, (std::vector<std::int64_t>{0, 32}));  // 18 bytes, then 12 rows of 3 floats
  EXPECT_EQ(values.slices, 32 + 144);
  EXPECT_EQ(values.slice, 192);  // 180 bytes
  std::vector<std::uint64_t> hidden;
  runtime::append_workspace(d->workspace, values, 4096, hidden);
  EXPECT_EQ(hidden, (std::vector<std::uint64_t>{4096, 4096 + 32, 4096 + 176, 192}));

  nlohmann::json damaged = nlohmann::json::parse(json);
  EXPECT_EQ(damaged["workspace"]["alignment"], 16);
  damaged["workspace"]["alignment"] = 8;
  EXPECT_FALSE(runtime::from_json(damaged.dump(), &error));
  damaged["workspace"] = {{"alignment", 16}};
  EXPECT_FALSE(runtime::from_json(damaged.dump(), &error));
  // More than the address space holds is no launch.
  runtime::WorkspaceSize large{{d->pool->constant(std::int64_t{1} << 62), d->pool->constant(std::int64_t{1} << 62)}, {}};
  EXPECT_NE(runtime::evaluate_launch(d->abi, definitions, d->grid, large, {{"N", 9}}, &values), "");
}

TEST_F(ArtifactFolder, AppearsWholeOrNotAtAll) {
  const fs::path a = root / "a";
  ASSERT_EQ(emit::write_artifact(a.string(), artifact), "");
  ASSERT_EQ(emit::write_artifact(a.string() + "/", artifact), "");  // an artifact may be replaced
  EXPECT_EQ(entries(), 1u);                                         // and nothing is left beside it
  for (const char* file : {"kernel.ptx", "program.pir", "launch.json", "certificate.json"})
    EXPECT_TRUE(fs::exists(a / file)) << file;
  EXPECT_FALSE(fs::exists(a / "kernel.cubin"));

  fs::create_directory(root / "mine");
  std::ofstream(root / "mine" / "notes.txt") << "keep";
  EXPECT_NE(emit::write_artifact((root / "mine").string(), artifact).find("is no artifact"), std::string::npos);
  EXPECT_TRUE(fs::exists(root / "mine" / "notes.txt"));
  EXPECT_FALSE(fs::exists(root / "mine" / "launch.json"));
  std::ofstream(root / "file") << "keep";
  EXPECT_NE(emit::write_artifact((root / "file").string(), artifact), "");
  EXPECT_NE(emit::write_artifact((root / "file" / "below").string(), artifact), "");
  fs::create_directory(root / "empty");
  EXPECT_EQ(emit::write_artifact((root / "empty").string(), artifact), "");
  EXPECT_EQ(emit::write_artifact((root / "deep" / "er").string(), artifact), "");
  EXPECT_EQ(entries(), 5u);
}

TEST_F(ArtifactFolder, DamagedDescriptionsAreErrorsThatNameTheField) {
  using nlohmann::json;
  const json whole = json::parse(runtime::to_json(artifact.launch));
  auto error_of = [&](const json& j) {
    std::string error;
    EXPECT_FALSE(runtime::from_json(j.dump(), &error));
    return error;
  };
  for (const auto& [key, value] : whole.items()) {
    json j = whole;
    j.erase(key);
    EXPECT_NE(error_of(j), "") << key;
    j[key] = json::array({1});
    EXPECT_NE(error_of(j), "") << key;
  }
  for (const auto& [key, value] : whole["abi"].items()) {
    json j = whole;
    j["abi"].erase(key);
    EXPECT_NE(error_of(j).find(key), std::string::npos);
  }
  json j = whole;
  j["abi"]["views"][0]["shape"][0] = "N +";
  EXPECT_NE(error_of(j).find("ends early"), std::string::npos);
  j = whole;
  j["abi"]["where"][0] = "N";
  EXPECT_NE(error_of(j).find("wrong kind"), std::string::npos);
  j = whole;
  j["abi"]["views"][1]["name"] = "x";
  EXPECT_NE(error_of(j).find("used twice"), std::string::npos);
  j = whole;
  j["threads"] = 1 << 20;
  EXPECT_NE(error_of(j).find("1024"), std::string::npos);
  j = whole;
  j["version"] = 2;
  EXPECT_NE(error_of(j).find("version"), std::string::npos);
  std::string error;
  EXPECT_FALSE(runtime::from_json("not json", &error));
}

TEST(Toolkit, AssemblesOrSaysWhyNot) {
  if (!emit::toolkit_available()) GTEST_SKIP() << "no ptxas: the CUDA Toolkit is not installed";
  EXPECT_NE(emit::toolkit_version(), "");
  std::string cubin, log;
  EXPECT_NE(emit::assemble("not ptx", "sm_90a", &cubin, &log).find("E-01"), std::string::npos);
  auto program = parse_program(kProgram);
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(*program, "sm_90a", diagnostics);
  ASSERT_TRUE(module);
  ASSERT_EQ(emit::assemble(module->ptx, "sm_90a", &cubin, &log), "");
  EXPECT_EQ(cubin.substr(1, 3), "ELF");
  EXPECT_NE(log.find("registers"), std::string::npos);
}

TEST(Launcher, WithoutADriverSaysSo) {
  std::string error;
  auto gpu = runtime::Gpu::open(&error);
  if (gpu) GTEST_SKIP() << "there is a GPU: " << gpu->device_name();
  EXPECT_NE(error, "");
}

TEST(Bundle, ReadsBackAndComparesByItsRules) {
  runtime::Bundle b;
  b.kernels.push_back({"k",
                       "artifacts/k",
                       {{"N = 3",
                         {{"N", 3}},
                         {{"a", "1.5"}},
                         {{"x", {7, true, ""}}, {"y", {0, false, "x"}}},
                         {{"y", {"expected/k/0.y.npy", "expected/k/0.y.radius.npy"}}}}}});
  std::string error;
  auto back = runtime::bundle_from_json(runtime::to_json(b), &error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(runtime::to_json(*back), runtime::to_json(b));
  EXPECT_FALSE(runtime::bundle_from_json("{}", &error));
  EXPECT_FALSE(runtime::bundle_from_json("[", &error));

  auto t = [](std::initializer_list<float> v) { return tensor(DType::f32, {static_cast<std::int64_t>(v.size())}, v); };
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(runtime::compare(*t({1, inf, nan}), *t({1, inf, -nan}), nullptr).ok);
  EXPECT_FALSE(runtime::compare(*t({1, 2}), *t({1, 2.25f}), nullptr).ok);
  EXPECT_FALSE(runtime::compare(*t({0.0f}), *t({-0.0f}), nullptr).ok);
  EXPECT_FALSE(runtime::compare(*t({1}), *t({1, 2}), nullptr).ok);
  const TensorPtr radius = tensor(DType::f64, {2}, {0.0, 0.5});
  EXPECT_TRUE(runtime::compare(*t({1, 2}), *t({1, 2.25f}), radius.get()).ok);
  EXPECT_EQ(runtime::compare(*t({1, 2}), *t({1, 2.25f}), radius.get()).max_error, 0.25);
  EXPECT_FALSE(runtime::compare(*t({1, 2}), *t({1.25f, 2}), radius.get()).ok);
  EXPECT_FALSE(runtime::compare(*t({1, 2}), *t({1, nan}), radius.get()).ok);
  EXPECT_FALSE(runtime::compare(*t({1, inf}), *t({1, 2}), radius.get()).ok);
  EXPECT_EQ(runtime::compare(*t({1, 2}), *t({1, 7}), radius.get()).first, "[1] is 7.0, not 2.0 within 0.5");
  const TensorPtr unknown = tensor(DType::f64, {2}, {0.0, static_cast<double>(inf)});
  EXPECT_EQ(runtime::compare(*t({1, 2}), *t({1, 7}), unknown.get()).undecided, 1);
  EXPECT_EQ(runtime::compare(*t({1, 2}), *t({1, 2}), unknown.get()).undecided, 0);
}

}  // namespace
}  // namespace kir
