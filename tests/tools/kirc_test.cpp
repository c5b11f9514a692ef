// kirc as its users call it: exit codes, messages, and files that appear whole or not at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/sha256.h"
#include "emit/emit.h"
#include "tests/shell.h"
#include "tests/temporary_folder.h"

namespace kir {
namespace {

namespace fs = std::filesystem;

class Kirc : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string run(int code, const std::string& arguments) {
    const std::string command = "ulimit -c 0; '" KIR_BINARY_DIR "/bin/kirc' " + arguments + " 2>&1";
    const testing::Ran r = testing::shell(command);
    EXPECT_EQ(r.code, code) << arguments << "\n" << r.output;
    return r.output;
  }
  static void expect(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* p : parts) EXPECT_NE(text.find(p), std::string::npos) << text << "\nlacks: " << p;
  }
  static std::string corpus(const std::string& name) { return std::string(KIR_SOURCE_DIR "/corpus/") + name; }
  std::string out() const { return (folder_ / "out").string(); }
  std::set<std::string> files(const fs::path& folder) const {
    std::set<std::string> names;
    if (fs::exists(folder))
      for (const auto& e : fs::directory_iterator(folder)) names.insert(e.path().filename());
    return names;
  }
  static std::string contents(const fs::path& p) {
    std::ifstream in(p, std::ios::binary);
    std::stringstream s;
    s << in.rdbuf();
    return s.str();
  }

  testing::TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(Kirc, ReplacesNothingButArtifacts) {
  const std::string out = (folder_ / "art").string(), kernel = KIR_SOURCE_DIR "/corpus/relu.kir";
  run(0, kernel + " -o " + out);
  run(0, kernel + " -o " + out);
  std::ofstream(out + "/notes.txt") << "mine";
  expect(run(2, kernel + " -o " + out), {"it is left as it is"});
  EXPECT_TRUE(fs::exists(out + "/notes.txt"));
}

TEST_F(Kirc, KernelsHaveFilesOfTheirOwn) {
  const std::string file =
      write("k.kir", "kir 1\nkernel k<A: i32 in {-1, 1}>(y: out i32[N]) { parallel n in 0..N { y[n] = i32(A) } }\n");
  const fs::path out = folder_ / "several";
  run(0, file + " --emit physical -o " + out.string());
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 2);
}

TEST_F(Kirc, PlansAreNotCompiled) {
  const std::string plan = corpus("plans/full_sum_two_pass.kir");
  expect(run(4, plan), {"full_sum_two_pass is a plan"});
  expect(run(4, plan + " --kernel full_sum_two_pass -o " + out()), {"full_sum_two_pass is a plan"});
  EXPECT_FALSE(fs::exists(out()));
  expect(run(0, plan + " --kernel sum_up"), {"implements \"sum_up\""});
}

TEST_F(Kirc, UnknownTargetsAreUsage) {
  for (const char* target : {"sm_", "sm_1", "sm_90a,+ptx99", "abacus"})
    expect(run(2, std::string(KIR_SOURCE_DIR "/corpus/relu.kir --target ") + target + " --emit ptx"), {"is neither host nor"});
}

// shows: D3 D4 K4.10
TEST_F(Kirc, WritesAProvenArtifact) {
  std::string said = run(0, corpus("softmax.kir") + " --target sm_90a --proofs required -o " + out());
  expect(said, {"PROVED", "kir-safe", "decode-bijection", "assumptions"});
  std::set<std::string> expected = {"kernel.ptx", "program.pir", "launch.json", "certificate.json"};
  if (emit::toolkit_available()) expected.insert("kernel.cubin");
  EXPECT_EQ(files(out()), expected);
  auto certificate = nlohmann::json::parse(contents(fs::path(out()) / "certificate.json"));
  EXPECT_EQ(certificate["verdict"], "PROVED");
  for (const char* code : {"kernel.ptx", "kernel.cubin"})
    if (expected.contains(code)) {
      EXPECT_EQ(certificate["artifact"][code], sha256_hex(contents(fs::path(out()) / code))) << code;
    }
  // The same call again replaces it, and a call that fails leaves it.
  const std::string before = contents(fs::path(out()) / "certificate.json");
  run(0, corpus("softmax.kir") + " --target sm_90a --proofs required -o " + out());
  EXPECT_EQ(contents(fs::path(out()) / "certificate.json"), before);
  run(1, corpus("must-reject/off_by_one_bound.kir") + " --target sm_90a --proofs required -o " + out());
  EXPECT_EQ(contents(fs::path(out()) / "certificate.json"), before);
  EXPECT_EQ(files(folder_), std::set<std::string>{"out"});
}

// shows: D3
TEST_F(Kirc, WritesNothingWithoutEveryProof) {
  expect(run(1, corpus("must-reject/off_by_one_bound.kir") + " --target sm_90a --proofs required -o " + out()),
         {"REFUTED", "nothing is written"});
  EXPECT_FALSE(fs::exists(out()));
  // Of several kernels, all or none.
  std::string two =
      write("two.kir", contents(corpus("vector_add.kir")) +
                           "kernel bad(x: in f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = x[i + 1] } }\n");
  run(1, two + " --emit physical --proofs required -o " + out());
  EXPECT_FALSE(fs::exists(out()));
  run(1, two + " --emit physical --proofs on -o " + out());
  EXPECT_EQ(files(out()), (std::set<std::string>{"vector_add.pir", "bad.pir"}));
}

TEST_F(Kirc, LeavesForeignFoldersAlone) {
  fs::create_directories(out());
  write("out/precious.txt", "keep");
  expect(run(2, corpus("relu.kir") + " -o " + out()), {"it is left as it is"});
  EXPECT_EQ(files(out()), std::set<std::string>{"precious.txt"});
}

TEST_F(Kirc, WritesForTheHost) {
  run(0, corpus("relu.kir") + " -o " + out());
  EXPECT_EQ(files(out()), (std::set<std::string>{"kernel.ll", "launch.json", "program.pir"}));
  run(0, corpus("clamp.kir") + " --emit llvm -o " + (folder_ / "llvm").string());
  EXPECT_EQ(files(folder_ / "llvm"), (std::set<std::string>{"clamp-T-f32.ll", "clamp-T-f64.ll"}));
}

TEST_F(Kirc, PrintsProgramsAndReasons) {
  expect(run(0, corpus("softmax.kir")), {"pir 1", "group g0 (%m: i64 in 0..M)"});
  expect(run(0, corpus("softmax.kir") + " --explain"),
         {"softmax g0: axis m in 0..M is an instance axis", "peak (the reduce at"});
  const std::string alone = run(0, corpus("softmax.kir") + " --explain --emit nothing");
  expect(alone, {"peak (the reduce at"});
  EXPECT_EQ(alone.find("pir 1"), std::string::npos) << alone;
  expect(run(0, corpus("regions/log_sum_exp_fold.kir") + " --explain --emit nothing"),
         {"axis 0..N stays inside: the region_fold at"});
  expect(run(0, corpus("convolution/conv2d.kir") + " --explain --emit nothing"),
         {"axes ", " stay inside: the contract at", "sums over them"});
  const std::string scatter = write("rotate.kir", R"(kir 1
kernel rotate(x: in i32[M, T, 4], r: in i32[M, T], y: out i32[M, T, 4]) {
  parallel m in 0..M {
    for t in 0..T {
      let b = buffer i32[4] init (k) { 0 }
      scatter unique b (k in 0..4) { yield (k + to_index(r[m, t])) mod 4, x[m, t, k] }
      for k in 0..4 { y[m, t, k] = b[k] }
    }
  }
}
)");
  const std::string why = run(0, scatter + " --explain --emit nothing --proofs required");
  expect(why, {"axis k of the scatter at", "the store at", "adds no axis: it has no members"});
  EXPECT_EQ(why.find("runs once"), std::string::npos) << why;
  expect(run(0, corpus("relu.kir") + " --print-after construct --emit ptx --target sm_90a"),
         {"// relu after construct", ".visible .entry"});
  expect(run(0, corpus("relu.kir") + " --validate-each"), {"after construct", "after drop-dead-values", "PROVED", "K9.16"});
}

TEST_F(Kirc, RefusesWhatMakesNoSense) {
  run(2, "");
  run(2, corpus("relu.kir") + " -o ''");
  run(2, (folder_ / "none.kir").string());
  expect(run(2, write("bad.kir", "kir 1\nkernel k(x: in f32[N]) { let a = }\n")), {"bad.kir:2:"});
  expect(run(2, corpus("relu.kir") + " --kernel nothing"), {"no kernel called nothing"});
  expect(run(2, corpus("relu.kir") + " --print-after nothing"), {"construct:", "drop-dead-values:"});
  expect(run(2, corpus("relu.kir") + " --emit ptx"), {"needs an NVIDIA target"});
  expect(run(2, corpus("relu.kir") + " --emit artifact"), {"needs a folder"});
  expect(run(2, corpus("relu.kir") + " --emit nothing -o " + out()), {"takes no folder"});
  expect(run(2, corpus("relu.kir") + " --target z80"), {"neither host nor"});
  run(2, corpus("relu.kir") + " --proofs maybe");
  expect(run(4, write("kept.kir",
                      "kir 1\nkernel k(x: in i32[N], y: out f32[N]) { parallel i in 0..N {\n"
                      "let n = to_index(x[i])\n let b = buffer f32[n]\n b[0] = 1.0\n y[i] = b[0] } }\n")),
         {"kept.kir:4:", "L-06"});
}

}  // namespace
}  // namespace kir
