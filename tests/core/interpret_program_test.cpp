// The physical interpreter: dispatch, checked index arithmetic, tiles, and each erroneous execution.
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

// A program with one group over m in 0..M; `body` uses %m, x: f32[M, N] in, y: f32[M, N] out.
std::string rows(const std::string& body, const std::string& launch = "threads 1 pack 4 grid G = ceildiv(O0 + L0, 4)",
                 const std::string& type = "i64", const std::string& layouts = "") {
  return "program p\nabi { x: view f32[M, N] strides(N, 1) in align 4\n y: view f32[M, N] strides(N, 1) inout align 4\n dims "
         "M: i64, N: i64 }\n"
         "launch { " +
         launch + " }\n" + layouts +
         "space { g0: (m in 0..M) length L0 = M offset O0 = 0 }\n"
         "dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%m = %w - O0) else -> exit }\n"
         "group g0 (%m: " +
         type + " in 0..M) {\n" + body + "}\n";
}

Arguments grid(std::int64_t m, std::int64_t n) {
  Arguments a;
  a.random("x", DType::f32, {m, n}, 0).tensor("y", DType::f32, {m, n});
  return a;
}

TEST(InterpretProgram, LoopsOverARow) {
  auto p = parse_program(
      rows("for %n: i64 in 0..N {\n %v: f32 = load x[%m, %n]\n %d: f32 = add %v, %v\n store y[%m, %n] = %d\n }\n"));
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    Arguments a;
    a.tensor("x", DType::f32, {2, 3}, {"1", "2", "3", "4", "5", "6"}).tensor("y", DType::f32, {2, 3});
    run_well(p, a, {.order_seed = seed});
    EXPECT_EQ(a.elements("y"), (Words{"2.0", "4.0", "6.0", "8.0", "10.0", "12.0"}));
  }
}

// shows: K4.3 K4.4
TEST(InterpretProgram, SegmentsDispatchAndEmptySegmentsLaunchNothing) {
  const std::string text = R"(program two
    abi { a: view i32[M] strides(1) inout  b: view i32[K] strides(1) inout  dims M: i64, K: i64 }
    launch { threads 1 pack 8 grid G = ceildiv(O1 + L1, 8) }
    space { g0: (m in 0..M) length L0 = M offset O0 = 0
            g1: (k in 0..K) length L1 = K offset O1 = O0 + L0 }
    dispatch %w: i64 = program_id {
      O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
      O1 <= %w < O1 + L1 -> g1(%k = %w - O1)
      else -> exit }
    group g0 (%m: i64 in 0..M) { %v: i32 = convert.wrap %m  store a[%m] = %v }
    group g1 (%k: i64 in 0..K) { %t: i64 = index 10 * %k  %v: i32 = convert.wrap %t  store b[%k] = %v })";
  auto p = parse_program(text);
  for (auto [m, k] : {std::pair<std::int64_t, std::int64_t>{3, 2}, {0, 2}, {3, 0}, {0, 0}}) {
    Arguments a;
    a.tensor("a", DType::i32, {m}).tensor("b", DType::i32, {k});
    run_well(p, a);
    EXPECT_EQ(a.elements("a"), m ? (Words{"0", "1", "2"}) : Words{});
    EXPECT_EQ(a.elements("b"), k ? (Words{"0", "10"}) : Words{});
  }
}

const char* kLayout = "layout @L = S[(1,128):(1@m,1@tid)]\n";

TEST(InterpretProgram, TilesAreComputedElementByElement) {
  auto p = parse_program(rows(R"(
    %zero: f32 = constant 0.0
    %none: f32 = constant -0.0
    %nones: f32<128; @L> = splat %none
    %sums: f32<128; @L> = for %t: i64 in 0..ceildiv(N, 128) carry (%a: f32<128; @L> = %nones) {
      %e: i64<128; @L> = index 128 * %t + pos(0)
      %in: i1<128; @L> = index %e < N
      %v: f32<128; @L> = load x[%m, %e] where %in fill %none
      %b: f32<128; @L> = add %a, %v
      next %b
    }
    %total: f32 = tile_reduce %sums axes(0) order(any) identity (-0.0) init (%zero) combine (%p: f32, %q: f32) {
      %r: f32 = add %p, %q
      yield %r
    }
    %all: f32<128; @L> = splat %total
    for %t2: i64 in 0..ceildiv(N, 128) {
      %e2: i64<128; @L> = index 128 * %t2 + pos(0)
      %in2: i1<128; @L> = index %e2 < N
      store y[%m, %e2] = %all where %in2
    }
)",
                              "threads 128 grid G = M", "i64", kLayout));
  Arguments a = grid(3, 300);
  run_well(p, a);
  for (std::int64_t m = 0; m < 3; ++m) {
    double sum = 0;
    for (std::int64_t n = 0; n < 300; ++n) sum += a.args.views["x"]->load(m * 300 + n).as_double();
    EXPECT_EQ(a.args.views["y"]->load(m * 300 + 299).as_double(), sum);
  }
}

TEST(InterpretProgram, TileReductionsOverOneAxis) {
  auto p = parse_program(R"(program p
    abi { y: view i32[2, 3] strides(3, 1) inout  r: view i32[3] strides(1) inout }
    launch { threads 1 grid G = 1 }
    space { g0: () length L0 = 1 offset O0 = 0 }
    dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0() else -> exit }
    group g0 () {
      %i: i64<2, 3> = index pos(0)
      %j: i64<2, 3> = index pos(1)
      %v: i32<2, 3> = load y[%i, %j]
      %d: i32<3> = tile_reduce %v axes(0) order(strict) combine (%a: i32, %b: i32) { %c: i32 = sub %a, %b  yield %c }
      %k: i64<3> = index pos(0)
      store r[%k] = %d
    })");
  Arguments a;
  a.tensor("y", DType::i32, {2, 3}, {"1", "2", "3", "10", "20", "30"}).tensor("r", DType::i32, {3});
  run_well(p, a);
  EXPECT_EQ(a.elements("r"), (Words{"-9", "-18", "-27"}));
}

TEST(InterpretProgramErrors, FragmentsBeyondAnyMachineAreRefusedBeforeTheyAreMade) {
  auto p = parse_program(
      rows("%c: f32 = constant 1.0\n %a: f32<1073741824> = splat %c\n %s: f32 = tile_reduce %a axes(0) order(any) init(0.0) "
           "combine (%l: f32, %r: f32) {\n %t: f32 = add %l, %r\n yield %t\n }\n store y[%m, 0] = %s\n"));
  run_badly(p, grid(1, 1), unsupported, {"more than 16777216 elements"});
}

TEST(InterpretProgramErrors, IndexOverflowOfIntermediates) {
  auto p = parse_program(
      rows("%e: i32 = index 2147483647 * (%m + 1) - 2147483647\n", "threads 1 pack 4 grid G = ceildiv(M, 4)", "i32"));
  Arguments a = grid(2, 1);
  run_badly(p, a, index_overflow, {"2147483647 * (m + 1)", "program 1", "m = 1"});
  auto wide = parse_program(rows("%e: i64 = index 2147483647 * (%m + 1) - 2147483647\n"));
  run_well(wide, grid(2, 1));
  auto compare = parse_program(rows("%c: i1 = index %m * 9223372036854775807 < 5\n"));
  run_badly(compare, grid(3, 1), index_overflow, {"m = 2"});
}

TEST(InterpretProgram, ALoopComputesNothingBehindItsLastValue) {
  run_well(parse_program(rows("for %n: i32 in 2147483640..2147483647 step 5 { }\n")), grid(1, 1));
  auto bad = parse_program(rows("for %n: i32 in 2147483640..2147483647 step 6 {\n %e: i32 = index %n + 6\n }\n"));
  run_badly(bad, grid(1, 1), index_overflow, {"n + 6"});
}

TEST(InterpretProgramErrors, LaunchOverflow) {
  const std::string head =
      "program p abi { y: view f32[N] strides(1) inout  dims N: i64, K: i64 } launch { threads 1 pack 2 grid G = ";
  const std::string tail = " } space { } dispatch %w: i64 = program_id { else -> exit }";
  auto big = parse_program(head + "K * K" + tail);
  Arguments a;
  a.tensor("y", DType::f32, {1}).symbol("K", 4000000000);
  run_badly(big, a, launch_overflow, {"K * K", "64 bits"});
  auto grid_limit = parse_program(head + "K" + tail);
  run_badly(grid_limit, a, launch_overflow, {"4000000000"});
  a.symbol("K", -1);
  run_badly(grid_limit, a, launch_overflow, {"-1"});
  a.symbol("K", 0);
  run_well(grid_limit, a);
  auto divided = parse_program(head + "ceildiv(N, K)" + tail);
  run_badly(divided, a, zero_divisor);
}

TEST(InterpretProgramErrors, RacesOfProgramInstances) {
  auto writes = parse_program(rows("%z: i64 = index 0\n%v: f32 = constant 1.0\nstore y[%z, %z] = %v\n"));
  run_badly(writes, grid(2, 1), race, {"program 0 writes", "program 1"});
  run_well(writes, grid(1, 1));
  auto reads = parse_program(rows("%z: i64 = index 0\n%v: f32 = load y[%z, %z]\nstore y[%m, %z] = %v\n"));
  run_badly(reads, grid(2, 1), race, {"program 0 writes", "program 1"});
  auto twice = parse_program(rows(
      "%z: i64 = index 0\n%v: f32 = constant 1.0\nstore y[%m, %z] = %v\nstore y[%m, %z] = %v\n%r: f32 = load y[%m, %z]\n"));
  run_well(twice, grid(2, 1));
}

TEST(InterpretProgramErrors, RacesOfTheElementsOfOneStore) {
  auto p = parse_program(rows(R"(
    %one: f32 = constant 1.0
    %v: f32<128; @L> = splat %one
    %e: i64<128; @L> = index pos(0) floordiv 2
    store y[%m, %e] = %v
)",
                              "threads 128 grid G = M", "i64", kLayout));
  run_badly(p, grid(1, 128), race, {"element 0 of the same store"});
}

TEST(InterpretProgramErrors, OutOfBoundsAndArbitraryLanes) {
  auto outside = parse_program(rows(R"(
    %e: i64<128; @L> = index pos(0)
    %v: f32<128; @L> = load x[%m, %e]
)",
                                    "threads 128 grid G = M", "i64", kLayout));
  run_badly(outside, grid(1, 100), out_of_bounds, {"load x[0, 100]", "[0, 1) x [0, 100)", "program 0"});
  auto arbitrary = parse_program(rows(R"(
    %e: i64<128; @L> = index pos(0)
    %in: i1<128; @L> = index %e < N
    %v: f32<128; @L> = load x[%m, %e] where %in
    %s: f32 = tile_reduce %v axes(0) order(any) combine (%p: f32, %q: f32) { %r: f32 = add %p, %q  yield %r }
    %z: i64 = index 0
    store y[%m, %z] = %s
)",
                                      "threads 128 grid G = M", "i64", kLayout));
  run_badly(arbitrary, grid(1, 100), arbitrary_value, {"the stored value"});
  run_well(arbitrary, grid(1, 128));
}

TEST(InterpretProgramErrors, AssumptionsAndClaims) {
  auto p = parse_program(rows("%c: i1 = index %m < 1\nassume %c\n"));
  run_badly(p, grid(2, 1), failed_assume, {"program 1"});
  std::string text = rows("");
  text.replace(text.find("in 0..M) {"), 8, "in 0..1)");
  run_badly(parse_program(text), grid(2, 1), failed_assume, {"m = 1 of group g0", "[0, 1)"});
}

TEST(InterpretProgramErrors, EndlessLoops) {
  auto p = parse_program(rows("%t: i1 = constant true\nwhile when { yield %t } do { next }\n"));
  run_badly(p, grid(1, 1), step_limit, {"1000"}, {.max_steps = 1000});
}

}  // namespace
}  // namespace kir
