// kir-run as its users call it: exit codes, messages, output files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/interp/tensor.h"
#include "tests/shell.h"
#include "tests/temporary_folder.h"

namespace kir {
namespace {

namespace fs = std::filesystem;

class KirRun : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // Runs it and expects this exit code; gives what it printed.
  std::string run(int code, const std::string& arguments) {
    const std::string command = "ulimit -c 0; '" KIR_BINARY_DIR "/bin/kir-run' " + arguments + " 2>&1";
    const testing::Ran r = testing::shell(command);
    EXPECT_EQ(r.code, code) << arguments << "\n" << r.output;
    return r.output;
  }
  static void expect(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* p : parts) EXPECT_NE(text.find(p), std::string::npos) << text << "\nlacks: " << p;
  }
  static std::string corpus(const std::string& name) { return std::string(KIR_SOURCE_DIR "/corpus/") + name; }

  testing::TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

// shows: K1.7 K8.3
TEST_F(KirRun, ComparesProviders) {
  const std::string sizes = " --arg x=random:1 --extent M=5 --extent N=33";
  expect(run(0, corpus("softmax.kir") + sizes + " --compare interp,physical,host"),
         {"y: interp and physical: ", "y: interp and host: ", "any order of up to 34 terms, functions within 2 ulp"});
  expect(run(0, corpus("softmax.kir") + " --physical " + corpus("physical/softmax_tiled.pir") + sizes +
                    " --compare interp,physical,host"),
         {"y: interp and physical: ", "y: interp and host: "});
  expect(run(0, corpus("column_sum.kir") + sizes + " --compare interp,physical,host"), {"equal bit for bit", "one answer"});
}

// shows: K1.6
TEST_F(KirRun, RunsPlansOnTheInterpreter) {
  const std::string plan = corpus("plans/full_sum_two_pass.kir"), arguments = " --arg x=[1,2,3,4,5] --arg S=2";
  for (const char* option : {"--plan", "--kernel"})
    expect(run(0, plan + " " + option + " full_sum_two_pass" + arguments), {"y: f32[1] 15.0"});
  expect(run(2, plan + arguments), {"say which --kernel", "plan full_sum_two_pass"});
  for (const char* provider : {"--on host", "--on physical", "--compare host"})
    expect(run(4, plan + " --plan full_sum_two_pass " + provider + arguments), {"plans run on interp only"});
  expect(run(0, plan + " --kernel sum_up --on host --arg sums=[1,2]"), {"y: f32[1] 3.0"});
  const std::string half =
      write("half.kir",
            "kir 1\nkernel copy(x: in f32[N], y: out f32[N], K: index) { parallel n in 0..K { y[n] = x[n] } }\n"
            "plan p(x: in f32[N], y: out f32[N]) {\n  alloc t: f32[N]\n"
            "  launch copy(x = x, y = t, K = 1)\n  launch copy(x = t, y = y, K = N)\n}\n");
  expect(run(1, half + " --plan p --arg x=[1,2]"), {"half.kir:2:", "uninitialized_read", "launch 2, copy"});
}

// Where a difference has no bound, only the reference's own bits pass.
TEST_F(KirRun, DoesNotPassWhatIsNotDecided) {
  const std::string exp = write("k.kir",
                                "kir 1\nkernel k(x: in f32[N], y: out i32[N]) { parallel n in 0..N { y[n] = to_i32(exp(x[n])) "
                                "} }\n"),
                    cut =
                        write("k.pir",
                              "pir 1\nprogram k implements \"k\"\nabi {\n x: view f32[N] in\n y: view i32[N] out\n dims N: "
                              "i64\n}\nlaunch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }\nspace { g0: (i in 0..N) "
                              "length L0 = N offset O0 = 0 }\ndispatch %w: i64 = program_id {\n O0 <= %w < O0 + L0 -> g0(%i = "
                              "%w - O0)\n else -> exit\n}\ngroup g0 (%i: i64 in 0..N) {\n store y[%i] = i32(0)\n}\n");
  const std::string launch = " --arg N=3 --arg x=zeros --compare physical";
  expect(run(0, exp + launch), {"y: interp and physical: equal bit for bit\n"});
  expect(run(3, exp + " --physical " + cut + launch), {"not decided: 3 of 3 elements differ"});
}

TEST_F(KirRun, ComparesTheProviderOfOnAndWritesItsViews) {
  const std::string launch = corpus("row_max.kir") + " --arg M=3 --arg N=4 --arg x=random:1", out = (folder_ / "out").string();
  expect(run(0, launch + " --on host --compare interp"), {"s: interp and host: equal bit for bit"});
  expect(run(0, launch + " --on host --compare physical -o " + out), {"s: interp and host: ", "s: interp and physical: "});
  EXPECT_TRUE(fs::exists(out + "/s.npy"));
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 1);
  expect(run(2, launch + " --compare interp"), {"nothing beside the reference interpreter"});
}

TEST_F(KirRun, WritesAllViewsOrNone) {
  const std::string out = (folder_ / "out").string();
  fs::create_directories(out + "/rms.npy");  // the second view cannot be put in its place
  const std::string launch = corpus("two_outputs.kir") + " --arg M=3 --arg N=4 --arg x=random:1 --arg eps=0.5 -o ";
  expect(run(2, launch + out), {"rms.npy: is a directory"});
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 1);
  expect(run(2, launch + "/dev/null/x"), {"/dev/null/x: Not a directory"});
  fs::remove_all(out);
  run(0, launch + out);
  EXPECT_TRUE(fs::exists(out + "/y.npy") && fs::exists(out + "/rms.npy"));
}

TEST_F(KirRun, SaysItsVersionAndExitCodes) {
  expect(run(0, "--version"), {"kir-run "});
  expect(run(0, "--help"), {"Exit codes: 0 done", "4 the provider is not here"});
}

TEST_F(KirRun, NamesTheFirstDifference) {
  expect(run(1, corpus("vector_add.kir") + " --physical " + corpus("hostile/grid_rounded_down.pir") +
                    " --arg N=300 --arg x=random:1 --arg y=random:2 --compare physical"),
         {"z: interp and physical: different: first at (256): "});
}

TEST_F(KirRun, ErroneousProgramsAreNotRunAsNativeCode) {
  expect(run(1, corpus("two_groups.kir") + " --physical " + corpus("hostile/wrong_decode.pir") +
                    " --arg M=4 --arg N=7 --arg K=200 --arg x=random:1 --arg z=random:3 --arg c=3 --compare interp,host"),
         {"failed_assume", "host: not run"});
  expect(run(1, corpus("two_groups.kir") + " --physical " + corpus("hostile/wrong_decode.pir") +
                    " --arg M=4 --arg N=7 --arg K=200 --arg x=random:1 --arg z=random:3 --arg c=3 --on host"),
         {"physical: ", "failed_assume", "host: not run, since the execution is erroneous"});
}

TEST_F(KirRun, ErroneousKernelsAreNotRunAsNativeCode) {
  const std::string file = write("k.kir",
                                 "kir 1\nkernel k(x: in f32[N], y: out f32[N]) {\n  parallel n in 0..N {\n    y[n] = x[n + "
                                 "1000000000000]\n  }\n}\n");
  expect(run(1, file + " --arg N=4 --arg x=random:0 --on host"), {"k.kir:4:", "out_of_bounds", "host: not run"});
}

TEST_F(KirRun, WritesOutputsThatNumPyReads) {
  const std::string out = (folder_ / "out").string();
  run(0, corpus("row_max.kir") + " --arg x=" + corpus("expected/row_max/7x33/in.x.npy") + " -o " + out);
  std::string error;
  auto got = read_npy(out + "/s.npy", DType::f32, &error),
       wanted = read_npy(corpus("expected/row_max/7x33/out.s.npy"), DType::f32, &error);
  ASSERT_TRUE(got && wanted) << error;
  EXPECT_EQ(got->shape, wanted->shape);
  for (std::int64_t i = 0; i < got->element_count(); ++i)
    EXPECT_TRUE(got->load(i) == wanted->load(i) || (got->load(i).is_nan() && wanted->load(i).is_nan()));
  EXPECT_FALSE(fs::exists(out + "/x.npy"));
}

TEST_F(KirRun, PrintsResultsWithoutAFolder) {
  const std::string file = write("k.kir", "kir 1\nkernel k(y: out i32[N]) { parallel n in 0..N { y[n] = to_i32(n) * 3 } }\n");
  expect(run(0, file + " --arg N=4"), {"y: i32[4] 0 3 6 9\n"});
  expect(run(0, file + " --arg N=4 --on host"), {"y: i32[4] 0 3 6 9\n"});
  expect(run(0, file + " --arg N=0 --on physical"), {"y: i32[0]\n"});
}

TEST_F(KirRun, RuntimeErrorsPointToTheLine) {
  const std::string file =
      write("k.kir", "kir 1\nkernel k(x: in f32[N], y: out f32[N]) {\n  parallel n in 0..N {\n    y[n] = x[n + 1]\n  }\n}\n");
  expect(run(1, file + " --arg N=4 --arg x=random:0"),
         {"k.kir:4:12: out_of_bounds: load x[4] is outside [0, 4) with n = 3", "y[n] = x[n + 1]"});
  expect(run(1, file + " --arg N=4 --arg x=random:0 --on physical"), {"k.kir:4:", "out_of_bounds", "program 3"});
}

TEST_F(KirRun, RefusesBadInput) {
  expect(run(2, "no_such.kir"), {"no_such.kir: No such file"});
  expect(run(2, write("bad.kir", "kir 1\nkernel k(x: in f32[N]) { let a = }\n")), {"bad.kir:2:", "^"});
  expect(run(2, corpus("softmax.kir") + " --kernel nothing"), {"there is no kernel or plan nothing", "softmax"});
  const std::string clamp = corpus("clamp.kir") + " --arg x=[1] --arg y=zeros --arg lo=0 --arg hi=2 --kernel ";
  expect(run(2, clamp + "clamp"), {"say which --kernel: clamp<T = ", ", clamp<T = "});
  expect(run(0, clamp + "'clamp<T=f64>'"), {"y: f64[1] 1.0"});
  const std::string chosen =
      write("chosen.kir",
            "kir 1\nkernel k(x: in f32[N], y: out f32[N], p: i1) {\n  let a = tensor (i in 0..N) { x[i] }\n"
            "  let b = tensor (i in 0..N) { -x[i] }\n  let t = if p { yield a } else { yield b }\n"
            "  parallel i in 0..N { y[i] = t[i] }\n}\n") +
      " --arg x=[1,2] --arg p=false --on ";
  expect(run(0, chosen + "interp"), {"y: f32[2] -1.0 -2.0"});
  expect(run(4, chosen + "host"), {"[L-02]", "^"});
  expect(run(2, corpus("softmax.kir") + " --arg x=random:1"), {"the integer M has no value [A-01]"});
  expect(run(2, corpus("softmax.kir") + " --arg x=random:1 --arg M=3 --arg N=0"),
         {"the relation N >= 1 does not hold: N = 0", "where N >= 1"});
  expect(run(2, corpus("softmax.kir") + " --arg M=3 --arg N=4"), {"view x has no argument"});
  expect(run(2, corpus("softmax.kir") + " --arg M"), {"'M' is not NAME=VALUE"});
  run(2, corpus("softmax.kir") + " --on abacus");
  expect(run(2, corpus("softmax.kir") + " --arg M=2 --arg M=3 --arg N=3 --arg x=random:1"),
         {"softmax.kir: error: M is given twice [A-02]"});
  run(2, corpus("softmax.kir") + " --arg M=2 --arg N=3 --arg x=random:1 --arg y=zeros > /dev/full");
  run(2, "");
  expect(
      run(2, corpus("vector_add.kir") + " --physical " + corpus("hostile/unknown_operation.pir") + " --arg N=4 --on physical"),
      {"materialize"});
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(KirRun, SaysWhenNothingCanBeDecided) {
  const std::string file = write("k.kir",
                                 "kir 1\nkernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N { let v = exp(x[n])  if v "
                                 "> 1.0 { y[n] = f32(1.0) } else { y[n] = f32(2.0) } } }\n");
  const std::string launch = file + " --arg N=3 --arg x=zeros --compare physical,host";
  expect(run(0, launch), {"equal bit for bit", "oracle: control depends on values"});
  const std::string other = write("other.pir", R"(pir 1
program k implements "k"
abi { x: view f32[N] in  y: view f32[N] out  dims N: i64 }
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space { g0: (n in 0..N) length L0 = N offset O0 = 0 }
dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%n = %w - O0)  else -> exit }
group g0 (%n: i64 in 0..N) {
  %t: f32 = constant 3.0
  store y[%n] = %t
}
)");
  expect(run(3, launch + " --physical " + other), {"not decided: 3 of 3 elements differ"});
}

TEST_F(KirRun, GivingUpIsNoError) {
  const std::string endless =
      write("k.kir",
            "kir 1\nkernel k(y: out i32[1]) { let n = while carry (a = i32(1)) when { a > 0 } do { next a "
            "}  y[0] = n }\n");
  expect(run(3, endless + " --arg y=zeros --max-steps 1000"), {"step_limit: more than 1000 steps", "k.kir:2:"});
  expect(run(3, endless + " --arg y=zeros --max-steps 1000 --on host"), {"not run, since the interpreter gave up"});
  const std::string large =
      write("l.kir", "kir 1\nkernel k(y: out f32[1]) { let b = buffer f32[9223372036854775807]  b[0] = 1.0  y[0] = 1.0 }\n");
  expect(run(3, large + " --arg y=zeros"), {"more than this machine holds"});
  expect(run(2, write("e.kir", "kir 1\n")), {"holds no kernel or plan"});
}

TEST_F(KirRun, SaysWhyThereIsNoGpu) {
  const std::string out = run(std::system("test -e /dev/nvidia0") == 0 ? 0 : 4,
                              corpus("vector_add.kir") + " --arg N=4 --arg x=random:1 --arg y=random:2 --on cuda");
  if (out.find("z: f32[4]") == std::string::npos) expect(out, {"cuda: "});
}

}  // namespace
}  // namespace kir
