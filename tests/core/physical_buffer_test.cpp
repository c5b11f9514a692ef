// Buffers and scans of physical programs: their text, and what they do.
#include "interp_support.h"
#include "text_support.h"

namespace kir::test {
namespace {

std::string program_of(const std::string& body) {
  return "pir 1\nprogram p\nabi {\n  x: view i64[N] strides(1) in align 8\n  y: view i64[N] strides(1) out align 8\n"
         "  dims N: i64\n}\nlaunch { threads 1 pack 2 grid G = ceildiv(O0 + L0, 2) }\n"
         "space {\n  g0: () length L0 = 1 offset O0 = 0\n}\n"
         "dispatch %w: i64 = program_id {\n  O0 <= %w < O0 + L0 -> g0()\n  else -> exit\n}\ngroup g0 () {\n" +
         body + "}\n";
}

// The printed form of a text is a fixed point.
void keeps_its_form(const std::string& body) {
  PirResult first = pir_of(program_of(body));
  ASSERT_TRUE(first.program) << first.text();
  const std::string printed = print(*first.program);
  PirResult second = pir_of(printed);
  ASSERT_TRUE(second.program) << second.text();
  EXPECT_EQ(print(*second.program), printed);
  EXPECT_TRUE(structurally_equal(first.program->body, second.program->body));
}

struct Outcome {
  std::vector<std::int64_t> y;
  std::string error;
};

Outcome run(const std::string& body, std::vector<std::int64_t> x) {
  PirResult r = pir_of(program_of(body));
  EXPECT_TRUE(r.program) << r.text();
  if (!r.program) return {};
  const auto n = static_cast<std::int64_t>(x.size());
  auto in = std::make_shared<Tensor>(Tensor::row_major(DType::i64, {n}));
  auto out = std::make_shared<Tensor>(Tensor::row_major(DType::i64, {n}));
  for (std::int64_t i = 0; i < n; ++i) in->store(i, Scalar::of_int(DType::i64, x[static_cast<std::size_t>(i)]));
  Diagnostics d;
  auto bound = bind_launch(r.program->abi, {.views = {{"x", in}, {"y", out}}, .scalars = {}, .symbols = {}}, d);
  EXPECT_TRUE(bound);
  InterpretResult result = interpret(*r.program, *bound);
  Outcome o;
  if (result.error) o.error = std::string(name(result.error->kind)) + ": " + result.error->message;
  for (std::int64_t i = 0; i < n; ++i) o.y.push_back(out->load(i).as_signed());
  return o;
}

constexpr const char* kCopy = "  for %n: i64 in 0..N {\n    %r: i64 = load b[%n]\n    store y[%n] = %r\n  }\n";

// shows: K5.1
TEST(PhysicalBuffer, ScopesCapacitiesAndInitialValuesKeepTheirForm) {
  keeps_its_form("  b: view i64[N] = buffer [N] scope(private)\n");
  keeps_its_form(
      "  b: view i64[N, 3] = buffer [N, 3] scope(private) init (%i: i64, %j: i64) {\n    %v: i64 = load x[%i]\n    yield %v\n  "
      "}\n");
  keeps_its_form(
      "  for %t: i64 in 0..N {\n    b: view i64[%t + 1] = buffer [%t + 1] scope(iteration) capacity (N)\n    %v: i64 = "
      "constant 1\n"
      "    store b[%t] = %v\n  }\n");
}

TEST(PhysicalScan, TheRegionForResultsKeepsItsForm) {
  keeps_its_form(
      "  %s: i64 = scan exclusive reverse (%n: i64 in 0..N) map {\n    %v: i64 = load x[%n]\n    yield %v\n  } combine "
      "order(any) "
      "(%a: i64, %b: i64) {\n    %c: i64 = add %a, %b\n    yield %c\n  } identity (0) result (%k: i64, %l: i64) {\n    store "
      "y[%k] = %l\n  }\n");
}

TEST(PhysicalScan, TheSegmentsOfAScanKeepTheirForm) {
  keeps_its_form(
      "  %g: i64 = constant 1\n  %s: i64 = region_scan [0..N] init (%g) summarize [%lo: i64..%hi: i64] {\n    %one: i64 = "
      "constant "
      "1\n    yield %one\n  } combine order(tree) (%a: i64, %b: i64) {\n    %c: i64 = mul %a, %b\n    yield %c\n  } identity "
      "(1) "
      "apply (%p: i64, %q: i64) {\n    %r: i64 = mul %p, %q\n    yield %r\n  } emit [%u: i64..%v: i64] (%h: i64) {\n    for "
      "%t: i64 "
      "in %u..%v {\n      store y[%t] = %h\n    }\n  }\n");
}

// shows: K5.2 K5.7
TEST(PhysicalBuffer, EachIterationHasMemoryOfItsOwn) {
  Outcome o = run(std::string("  for %n: i64 in 0..N {\n    b: view i64[1] = buffer [1] scope(iteration) init (%k: i64) {\n"
                              "      %z: i64 = constant 5\n      yield %z\n    }\n    %zero: i64 = index 0\n"
                              "    %old: i64 = load b[%zero]\n    %v: i64 = load x[%n]\n    %s: i64 = add %old, %v\n"
                              "    store b[%zero] = %s\n    %r: i64 = load b[%zero]\n    store y[%n] = %r\n  }\n"),
                  {1, 2, 3});
  EXPECT_EQ(o.error, "");
  EXPECT_EQ(o.y, (std::vector<std::int64_t>{6, 7, 8}));
}

// shows: K5.3 K5.7
TEST(PhysicalBuffer, WhatAnIterationWroteIsNotThereInTheNext) {
  Outcome o =
      run("  for %n: i64 in 0..N {\n    b: view i64[2] = buffer [2] scope(iteration)\n    %at: i64 = index min(%n, 1)\n"
          "    %v: i64 = load x[%n]\n    %zero: i64 = index 0\n    %first: i1 = index %n == 0\n"
          "    store b[%zero] = %v where %first\n    %r: i64 = load b[%zero]\n    store y[%n] = %r\n  }\n",
          {1, 2});
  EXPECT_NE(o.error.find("uninitialized_read"), std::string::npos) << o.error;
}

TEST(PhysicalBuffer, MoreElementsThanItsCapacityAreAnError) {
  Outcome o = run("  for %n: i64 in 0..N {\n    b: view i64[%n + 1] = buffer [%n + 1] scope(iteration) capacity (N - 1)\n  }\n",
                  {1, 2});
  EXPECT_NE(o.error.find("out_of_bounds"), std::string::npos) << o.error;
  EXPECT_NE(o.error.find("capacity 1"), std::string::npos) << o.error;
}

std::string scan_of(const std::string& kind, const std::string& rest) {
  return "  b: view i64[N] = buffer [N] scope(private)\n  %one: i64 = constant 100\n  %s: i64 = scan " + kind +
         " (%n: i64 in 0..N) map {\n    %v: i64 = load x[%n]\n    yield %v\n  } combine order(any) (%p: i64, %q: i64) {\n"
         "    %c: i64 = add %p, %q\n    yield %c\n  } " +
         rest + " result (%k: i64, %l: i64) {\n    store b[%k] = %l\n  }\n" + kCopy;
}

// shows: K7.3
TEST(PhysicalScan, TheResultRegionSeesTheStateOfItsMember) {
  EXPECT_EQ(run(scan_of("inclusive forward", ""), {1, 2, 3, 4}).y, (std::vector<std::int64_t>{1, 3, 6, 10}));
  EXPECT_EQ(run(scan_of("inclusive reverse", ""), {1, 2, 3, 4}).y, (std::vector<std::int64_t>{10, 9, 7, 4}));
  EXPECT_EQ(run(scan_of("exclusive forward", "identity (0)"), {1, 2, 3, 4}).y, (std::vector<std::int64_t>{0, 1, 3, 6}));
  EXPECT_EQ(run(scan_of("exclusive reverse", "init (%one)"), {1, 2, 3, 4}).y, (std::vector<std::int64_t>{109, 107, 104, 100}));
  EXPECT_EQ(run(scan_of("exclusive forward", "init (%one)"), {1}).y, (std::vector<std::int64_t>{100}));
}

}  // namespace
}  // namespace kir::test
