// kir-validate as a user runs it: exit codes, formats, files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/shell.h"
#include "tests/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

using kir::testing::Ran;

Ran validate(const std::string& arguments) {
  return kir::testing::shell(KIR_BINARY_DIR "/bin/kir-validate " + arguments + " 2>&1");
}

const std::string kCorpus = KIR_SOURCE_DIR "/corpus/";

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

// shows: D1
TEST(KirValidate, exit_codes) {
  EXPECT_EQ(validate(kCorpus + "softmax.kir").code, 0);
  EXPECT_EQ(validate(kCorpus + "must-reject/off_by_one_bound.kir").code, 1);
  EXPECT_EQ(validate(kCorpus + "must-reject/malformed.kir").code, 2);
  EXPECT_EQ(validate(kCorpus + "must-reject/contradictory_where.kir").code, 2);
  EXPECT_EQ(validate(kCorpus + "softmax.kir --rlimit 1").code, 0);  // the simplifier decides it
  EXPECT_EQ(validate(kCorpus + "row_sum_strict.kir --physical " + kCorpus + "hostile/unlicensed_fold.pir").code, 4);
  EXPECT_EQ(validate(kCorpus + "plans/softmax_three_kernels.kir").code, 4);  // its kernels are proven, the plan is not
  EXPECT_EQ(validate(kCorpus + "plans/softmax_three_kernels.kir --kernel softmax_three_kernels").code, 4);
  EXPECT_EQ(validate(kCorpus + "plans/softmax_three_kernels.kir --kernel row_peaks").code, 0);
}

// Of two accesses that meet: the rule, the places of both, and a pair of instances with the element at which they do.
// shows: K2.3 D1
TEST(KirValidate, a_race_names_both_accesses_and_two_instances) {
  const kir::testing::TemporaryFolder folder;
  const std::string file = (folder.path() / "shifted.kir").string();
  std::ofstream(file) << "kir 1\nkernel shifted(x: in f32[N], y: inout f32[N + 1]) {\n  parallel i in 0..N {\n    y[i] = x[i]\n"
                         "    y[i + 1] = x[i] * 2.0\n  }\n}\n";
  const Ran r = validate(file + " --quiet");
  EXPECT_EQ(r.code, 1);
  for (const char* part :
       {"shifted.kir:5:5: REFUTED kir-race-free: instances of one parallel never meet in y\n      y[i + 1] =",
        "    launch    N = 2\n    first     store y[1] with i = 0, ",
        "shifted.kir:5:5\n                y[i + 1] = x[i] * 2.0\n                ^~~~~~~~~~~~~~~~~~~~~\n    second    store "
        "y[1] with i = 1, ",
        "shifted.kir:4:5\n                y[i] = x[i]\n                ^~~~~~~~~~~\n    what      both write one element, and "
        "nothing orders them\n"})
    EXPECT_NE(r.output.find(part), std::string::npos) << part << "\n" << r.output;
  // A read that meets a write, likewise.
  const Ran read = validate(kCorpus + "must-reject/read_beside_write.kir --quiet");
  for (const char* part : {"read_beside_write.kir:11:5: REFUTED kir-race-free", "store x[0] with i = 0, ",
                           "load x[0] with i = 1, ", "read_beside_write.kir:9:17\n", "read_beside_write.kir:11:5\n"})
    EXPECT_NE(read.output.find(part), std::string::npos) << part << "\n" << read.output;
}

// What is small as a graph of values may be endless as a tree. `operation` of the last value with itself, 40 times.
std::string doubled(const std::string& type, const std::string& operation, const std::string& name, int n = 40) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    const std::string last = name + std::to_string(i);
    text += "let " + name + std::to_string(i + 1) + ": " + type + " = " + operation + " " + last + ", " + last + "\n";
  }
  return text;
}

// With limits that such a tree exceeds.
int validate_within_limits(const kir::testing::TemporaryFolder& folder, const std::string& kernel,
                           const std::string& program = "") {
  std::ofstream(folder.file("k.kir")) << "kir 1\n" << kernel;
  std::ofstream(folder.file("k.pir")) << "pir 1\n" << program;
  const std::string command = "ulimit -v 4000000; timeout 20 " KIR_BINARY_DIR "/bin/kir-validate " + folder.file("k.kir") +
                              (program.empty() ? "" : " --physical " + folder.file("k.pir")) + " > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

// shows: D4
TEST(KirValidate, SharedValuesAreLookedAtOnce) {
  kir::testing::TemporaryFolder folder;
  const std::string head =
      "kernel k(x: in i32[N], w: in f32[N], y: out i32[N], z: out f32[N]) { parallel n in 0..N {\n"
      "let v: i32 = load x[n]\nlet t: i32 = constant 3\nlet b0: i1 = cmp.sgt v, t\n"
      "let q: i1 = index n < 3\nlet u: f32 = load w[n]\n";
  EXPECT_EQ(validate_within_limits(folder, head + "let a0: f32 = neg u\n" + doubled("f32", "mul", "a") + "z[n] = a40 } }"), 0);
  for (const char* op : {"and", "or", "xor", "cmp.eq", "select b0,"})
    EXPECT_EQ(
        validate_within_limits(folder, head + doubled("i1", op, "b") + "store y[n] = v where b40\nif b40 { y[n] = t } } }"), 0)
        << op;
  // An arbitrary value below such a graph is found.
  const std::string arbitrary = head + "let a0: f32 = load w[n] where q\n";
  EXPECT_EQ(validate_within_limits(folder, arbitrary + doubled("f32", "mul", "a") + "z[n] = a40 } }"), 1);
  std::string selects;
  for (int i = 0; i < 30; ++i) {
    const std::string a = std::to_string(i), b = std::to_string(i + 1);
    selects += "let c" + a + ": i1 = cmp.olt u, u\nlet m" + a + ": f32 = neg a" + a + "\nlet a" + b + ": f32 = select c" + a +
               ", a" + a + ", m" + a + "\n";
  }
  EXPECT_EQ(validate_within_limits(folder, arbitrary + selects + "z[n] = a30 } }"), 1);
  // So is a law that such a combine breaks.
  EXPECT_EQ(
      validate_within_limits(
          folder,
          "kernel k(x: in i32[N], y: out i32[1]) {\nlet s: i32 = reduce (n in 0..N) map { let v: i32 = load x[n]  yield v } "
          "combine order(any) (p: i32, q: i32) {\nlet a0: i32 = add p, q\n" +
              doubled("i32", "mul", "a") + "yield a40 } identity (0)\ny[0] = s }"),
      1);
}

// shows: D4
TEST(KirValidate, PowersAreNotMultipliedOut) {
  kir::testing::TemporaryFolder folder;
  std::string squares = "let a0 = N + 1\n";
  for (int i = 0; i < 13; ++i) {
    const std::string a = "a" + std::to_string(i);
    squares += "let a" + std::to_string(i + 1) + " = " + a + " * " + a + "\n";
  }
  const int code = validate_within_limits(folder, "kernel k(y: out f32[N]) {\n" + squares + "y[a13] = 0.0 }");
  EXPECT_TRUE(code == 1 || code == 3) << code;
}

// A stride by which no second element is in the address space.
TEST(KirValidate, StridesBeyondTheAddressSpaceAreNoLaunches) {
  kir::testing::TemporaryFolder folder;
  const auto code = [&](const std::string& stride) {
    return validate_within_limits(folder, "kernel k(x: in f32[N] strides(" + stride + "), y: out f32[N]) { y[0] = x[0] }");
  };
  for (const char* stride : {"9223372036854775807", "2305843009213693952", "S"}) EXPECT_LE(code(stride), 5) << stride;
  EXPECT_EQ(code("2305843009213693951"), 1);  // N = 0
}

// A program that differs below such a graph is refused, in whichever order the operands are compared.
TEST(KirValidate, SharedValuesDoNotSlowARefusal) {
  kir::testing::TemporaryFolder folder;
  std::string program =
      "program k implements \"k\"\nabi {\n x: view f32[N] strides(1) in align 4\n y: view f32[N] strides(1) out align 4\n dims "
      "N: "
      "i64\n}\nlaunch { threads 1 pack 128 grid G = ceildiv(N, 128) }\nspace { g0: (i in 0..N) length L0 = N offset O0 = 0 }\n"
      "dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%i = %w - O0)\n else -> exit }\n"
      "group g0 (%i: i64 in 0..N) {\n %a0: f32 = load x[%i]\n";
  for (int i = 0; i < 40; ++i) {
    const std::string last = "%a" + std::to_string(i);
    program += "%a" + std::to_string(i + 1) + ": f32 = mul " + last + ", " + last + "\n";
  }
  const std::string kernel = "kernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N {\nlet u: f32 = load x[n]\n";
  auto kernel_from = [&](const std::string& first) {
    return kernel + "let a0: f32 = " + first + "\n" + doubled("f32", "mul", "a") + "y[n] = a40 } }";
  };
  program += " store y[%i] = %a40\n}\n";
  EXPECT_EQ(validate_within_limits(folder, kernel_from("load x[n]"), program), 0);
  EXPECT_EQ(validate_within_limits(folder, kernel_from("exp u"), program), 1);
}

TEST(KirValidate, ADeviceIsWrittenToAndALinkStays) {
  kir::testing::TemporaryFolder folder;
  const std::string pipe = folder.file("pipe"), got = folder.file("got.json");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(std::system(("timeout 20 cat " + pipe + " > " + got + " & timeout 20 " KIR_BINARY_DIR "/bin/kir-validate --quiet " +
                         kCorpus + "relu.kir --certificate " + pipe + " > /dev/null; wait")
                            .c_str()),
            0);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(read(got).front(), '{');
  fs::create_symlink("real.json", folder.file("link.json"));
  std::ofstream(folder.file("real.json")) << "old";
  EXPECT_EQ(validate(kCorpus + "relu.kir --certificate " + folder.file("link.json")).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder.file("link.json")));
  EXPECT_EQ(read(folder.file("real.json")).front(), '{');
}

TEST(KirValidate, StreamsThatCannotBeWritten) {
  EXPECT_EQ(validate(kCorpus + "relu.kir > /dev/full").code, 2);
  EXPECT_EQ(validate(kCorpus + "relu.kir --format json > /dev/full").code, 2);
  EXPECT_EQ(validate(kCorpus + "must-reject/malformed.kir 2> /dev/full").code, 2);
  EXPECT_EQ(validate(kCorpus + "relu.kir >&- 2>&- <&-").code, 2);
}

TEST(KirValidate, usage_errors_are_two) {
  for (const std::string& arguments :
       {std::string(), std::string("--no-such-flag x.kir"), std::string("/no/such/file.kir"),
        kCorpus + "softmax.kir --format xml", kCorpus + "softmax.kir -j 0", kCorpus + "softmax.kir --kernel nothing",
        kCorpus + "softmax.kir --physical /no/such.pir", kCorpus + "softmax.kir --physical " + kCorpus + "softmax.kir",
        kCorpus + "softmax.kir --certificate /no/such/folder/c.json", kCorpus})
    EXPECT_EQ(validate(arguments).code, 2) << arguments;
  EXPECT_EQ(validate("--help").code, 0);
}

TEST(KirValidate, over_many_files_the_worst_wins) {
  EXPECT_EQ(validate("--quiet " + kCorpus + "vector_add.kir " + kCorpus + "must-reject/malformed.kir").code, 2);
  EXPECT_EQ(validate("--quiet " + kCorpus + "must-reject/malformed.kir " + kCorpus + "must-reject/off_by_one_bound.kir").code,
            1);
}

TEST(KirValidate, a_failure_is_shown_with_place_caret_and_counterexample) {
  Ran r = validate(kCorpus + "must-reject/off_by_one_bound.kir");
  EXPECT_NE(r.output.find("REFUTED kir-safe"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("off_by_one_bound.kir:"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("^~"), std::string::npos) << r.output;
  EXPECT_NE(
      r.output.find(
          "  counterexample 1 (run on the reference interpreter):\n    launch    N = 1\n    at        load x[1] with i = 0, "),
      std::string::npos)
      << r.output;
}

// shows: D4
TEST(KirValidate, a_wrong_program_is_told_with_both_texts_and_once) {
  const std::string files = kCorpus + "two_groups.kir --physical " + kCorpus + "hostile/overlapping_segments.pir --quiet";
  const Ran r = validate(files);
  EXPECT_EQ(r.code, 1);
  for (const char* part :
       {"  counterexample 1 (run on both interpreters):\n    launch    M = 0, N = 0, K = 1\n    contents  w[0] = 1\n    kernel "
        "   store w[0] = 0 with k = 0, ",
        "two_groups.kir:10:5\n                w[k] = z[k] * c\n                ^~~~~~~~~~~~~~~\n    program   stores nothing "
        "to w[0]\n",
        "    what      w[0] is 1 in the end, but the kernel defines 0\n", "  counterexample 1, told above\n"})
    EXPECT_NE(r.output.find(part), std::string::npos) << part << "\n" << r.output;
  EXPECT_EQ(r.output.find("counterexample 1 (", r.output.find("counterexample 1 (") + 1), std::string::npos) << r.output;
  const auto j = nlohmann::json::parse(validate(files + " --format json").output);
  const auto& c = j[0]["counterexamples"][0];
  EXPECT_EQ(c["what"], "different_output");
  EXPECT_EQ(c["sizes"], nlohmann::json({{"M", "0"}, {"N", "0"}, {"K", "1"}}));
  EXPECT_EQ(c["steps"][0]["role"], "kernel");
  EXPECT_EQ(c["steps"][0]["variables"]["k"], "0");
  EXPECT_NE(c["steps"][0]["places"][0].get<std::string>().find("two_groups.kir:10:5"), std::string::npos);
  EXPECT_EQ(c["contents"][0], "w[0] = 1");
}

TEST(KirValidate, json_is_json_and_agrees_with_the_exit_code) {
  Ran r = validate("--format json " + kCorpus + "two_outputs.kir");
  auto j = nlohmann::json::parse(r.output);
  ASSERT_EQ(j.size(), 1u);
  EXPECT_EQ(j[0]["exit_code"], r.code);
  EXPECT_EQ(j[0]["certificate"]["verdict"], "PROVED");
  EXPECT_GT(j[0]["certificate"]["obligations"].size(), 20u);
}

// shows: D4
TEST(KirValidate, certificates_are_equal_for_any_number_of_threads) {
  kir::testing::TemporaryFolder folder;
  std::string a = folder.file("a.json"), b = folder.file("b.json");
  ASSERT_EQ(validate("-j 1 --certificate " + a + " " + kCorpus + "two_groups.kir").code, 0);
  ASSERT_EQ(validate("-j 2 --certificate " + b + " " + kCorpus + "two_groups.kir").code, 0);
  EXPECT_EQ(read(a), read(b));
  EXPECT_EQ(nlohmann::json::parse(read(a))["verdict"], "PROVED");
  EXPECT_FALSE(fs::exists(a + ".tmp"));
}

TEST(KirValidate, dumps_standalone_smtlib) {
  kir::testing::TemporaryFolder folder;
  ASSERT_EQ(validate("--dump-smt " + folder.file("smt") + " " + kCorpus + "vector_add.kir").code, 0);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.file("smt"))) {
    std::string text = read(entry.path().string());
    EXPECT_NE(text.find("(set-logic"), std::string::npos);
    EXPECT_NE(text.find("(check-sat)"), std::string::npos);
    ++files;
  }
  EXPECT_GT(files, 15u);
}

TEST(KirValidate, a_physical_program_is_validated_against_its_kernel) {
  EXPECT_EQ(validate(kCorpus + "softmax.kir --physical " + kCorpus + "physical/softmax_tiled.pir").code, 0);
  EXPECT_EQ(validate(kCorpus + "vector_add.kir --physical " + kCorpus + "hostile/assume_false.pir").code, 1);
  // Kernels that it does not implement are named.
  const Ran others = validate(kCorpus + "vector_add.kir " + kCorpus + "softmax.kir " + kCorpus + "dot.kir --physical " +
                              kCorpus + "physical/softmax_tiled.pir --quiet");
  EXPECT_EQ(others.code, 0);
  EXPECT_NE(others.output.find("softmax_tiled.pir implements softmax; 2 other kernels of the files are not validated: "
                               "vector_add, dot\n"),
            std::string::npos)
      << others.output;
}

TEST(KirValidate, quiet_says_one_line_per_proven_kernel) {
  Ran r = validate("--quiet " + kCorpus + "vector_add.kir");
  EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output;
}

// shows: K9.1
TEST(KirValidate, shows_what_became_of_each_check) {
  const Ran good = validate(kCorpus + "scans/cumsum.kir --quiet --checks");
  EXPECT_EQ(good.code, 0);
  for (int i = 1; i <= 16; ++i) EXPECT_NE(good.output.find("\n  K9." + std::to_string(i) + " "), std::string::npos) << i;
  EXPECT_EQ(good.output.find("MISSING"), std::string::npos) << good.output;

  const Ran bad = validate(kCorpus + "vector_add.kir --checks --format json --physical " + kCorpus + "hostile/extra_store.pir");
  EXPECT_NE(bad.code, 0);
  const auto checks = nlohmann::json::parse(bad.output)[0]["certificate"]["checks"];
  ASSERT_EQ(checks.size(), 16u);
  EXPECT_EQ(checks[0]["check"], "K9.1");
  EXPECT_NE(checks[0]["verdict"], "PROVED");
  EXPECT_LT(checks[0]["proved"], checks[0]["obligations"]);
}

}  // namespace
