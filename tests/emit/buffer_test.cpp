// Buffers and scans in code: what the host computes is what the physical interpreter computes, and the GPU's code assembles.
#include "core/interp/interpreter.h"
#include "emit/workspace.h"
#include "run_pir.h"

namespace kir {
namespace {

using namespace testing;

const char* kXY = " x: view f32[N, 5] strides(5, 1) in align 4\n y: view f32[N, 5] strides(5, 1) out align 4";

// The host's and the interpreter's y for random x, bit for bit.
void agree_text(const std::string& text, std::int64_t n = 7) {
  auto p = parse_program(text);
  auto x = std::make_shared<Tensor>(Tensor::row_major(DType::f32, {n, 5}));
  fill_random(*x, 3, false);
  auto host = zeros(DType::f32, {n, 5}), interpreted = zeros(DType::f32, {n, 5});
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", x}, {"y", host}}}), "");
  Diagnostics d;
  auto bound = bind_launch(p->abi, {.views = {{"x", x}, {"y", interpreted}}}, d);
  ASSERT_TRUE(bound);
  InterpretResult r = interpret(*p, *bound);
  ASSERT_FALSE(r.error) << r.error->message;
  EXPECT_EQ(host->bytes, interpreted->bytes) << text;
  EXPECT_NE(gpu_code(*p), "");
}
void agree(const std::string& body, std::int64_t n = 7) { agree_text(one_group(kXY, body), n); }

const std::string kRead = "for %r: i64 in 0..5 {\n  %e: f32 = load b[%r]\n  store y[%i, %r] = %e\n}\n";

std::string scan(const std::string& kind, const std::string& start, const std::string& extent = "5") {
  return "b: view f32[" + extent + "] = buffer [" + extent + "] scope(private)\n%c: f32 = constant 2.0\n%s: f32 = scan " +
         kind +
         " (%n: i64 in 0..5) map {\n  %v: f32 = load x[%i, %n]\n  yield %v\n} combine order(any) (%p: f32, %q: f32) {\n"
         "  %t: f32 = add %p, %q\n  yield %t\n} " +
         start + " result (%k: i64, %l: f32) {\n  store b[%k] = %l\n}\n" + kRead;
}

// shows: K7.3
TEST(EmittedScan, GoesInItsDirectionFromItsStart) {
  for (const char* direction : {"forward", "reverse"}) {
    agree(scan("inclusive " + std::string(direction), ""));
    agree(scan("inclusive " + std::string(direction), "init (%c)"));
    agree(scan("exclusive " + std::string(direction), "init (%c)"));
    agree(scan("exclusive " + std::string(direction), "identity (-0.0)"));
  }
}

TEST(EmittedScan, CarriesSeveralStatesOverSeveralAxes) {
  for (const char* direction : {"forward", "reverse"})
    agree(
        "b: view f32[2, 2] = buffer [2, 2] scope(private)\nd: view f32[2, 2] = buffer [2, 2] scope(private)\n"
        "(%s: f32, %u: f32) = scan inclusive " +
        std::string(direction) +
        " (%m: i64 in 1..3, %n: i64 in 0..2) map {\n  %v: f32 = load x[%i, %m]\n  %w: f32 = load x[%i, %n]\n  yield %v, %w\n} "
        "combine order(tree) (%a1: f32, %b1: f32, %a2: f32, %b2: f32) {\n  %a: f32 = mul %a2, %a1\n  %t: f32 = mul %a2, %b1\n"
        "  %z: f32 = add %t, %b2\n  yield %a, %z\n} result (%j: i64, %k: i64, %e: f32, %f: f32) {\n  %row: i64 = index %j - 1\n"
        "  store b[%row, %k] = %e\n  store d[%row, %k] = %f\n}\n"
        "for %j: i64 in 0..2 {\n  for %k: i64 in 0..2 {\n    %e: f32 = load b[%j, %k]\n    %f: f32 = load d[%j, %k]\n    %to: "
        "i64 = "
        "index 2 * %j + %k\n    %g: f32 = add %e, %f\n    store y[%i, %to] = %g\n  }\n}\n%four: i64 = index 4\nstore y[%i, "
        "%four] = %u\n");
}

// shows: K5.1 K5.8
TEST(EmittedBuffer, LiesInTheWorkspaceWhereItsSizeIsNotKnown) {
  const std::string body = scan("inclusive forward", "", "5 * N");
  auto p = parse_program(one_group(kXY, body));
  EXPECT_EQ(to_string(emit::plan_workspace(*p).size.slice), "ceildiv(1 * max(0, 5 * N) * 4, 16) * 16");
  agree(body);
  EXPECT_EQ(emit::plan_workspace(*parse_program(one_group(kXY, scan("inclusive forward", "")))).size.slice, Expr());
}

TEST(EmittedBuffer, OfAnIterationIsMadeAnew) {
  agree(R"(
for %t: i64 in 0..5 {
  b: view f32[%t + 1] = buffer [%t + 1] scope(iteration) capacity (5 * N) init (%k: i64) {
    %v: f32 = load x[%i, %k]
    yield %v
  }
  %zero: i64 = index 0
  %a: f32 = load b[%zero]
  %z: f32 = load b[%t]
  %s: f32 = add %a, %z
  store b[%zero] = %s
  %r: f32 = load b[%zero]
  store y[%i, %t] = %r
})");
}

TEST(EmittedBuffer, KeepsTruthValuesAndNarrowTypes) {
  agree(R"(
b: view i1[5] = buffer [5] scope(private) init (%k: i64) {
  %v: f32 = load x[%i, %k]
  %z: f32 = constant 0.0
  %p: i1 = cmp.ogt %v, %z
  yield %p
}
c: view i16[5, 2] = buffer [5, 2] scope(private) init (%k: i64, %l: i64) {
  %v: i16 = convert.wrap %k
  yield %v
}
for %r: i64 in 0..5 {
  %p: i1 = load b[%r]
  %one: i64 = index 1
  %h: i16 = load c[%r, %one]
  %f: f32 = convert.sint %h
  %z: f32 = constant -1.0
  %e: f32 = select %p, %f, %z
  store y[%i, %r] = %e
})");
}

std::string fold(const std::string& where, const std::string& order, const std::string& identity) {
  return "%z: f32 = constant 0.0\n%s: f32 = region_fold [0..5] " + where +
         " summarize [%lo: i64..%hi: i64] {\n  %t: f32 = for %n: i64 in %lo..%hi carry (%a: f32 = %z) {\n    %v: f32 = load "
         "x[%i, %n]\n"
         "    %b: f32 = add %a, %v\n    next %b\n  }\n  yield %t\n} combine order(" +
         order + ") (%p: f32, %q: f32) {\n  %r: f32 = mul %p, %q\n  yield %r\n} " + identity +
         "\nfor %r: i64 in 0..5 {\n  store y[%i, %r] = %s\n}\n";
}

// shows: K7.4
TEST(EmittedSegments, FoldWholeRunsOrSingleMembers) {
  const std::string some = "where (%j: i64) {\n  %v: f32 = load x[%i, %j]\n  %c: i1 = cmp.ogt %v, %z\n  yield %c\n}";
  for (const std::string& where : {std::string(), some})
    for (const char* order : {"tree", "strict"}) agree(fold(where, order, "identity (3.0)"), 23);
  agree(fold("", "tree", ""));
  agree(fold("where (%j: i64) {\n  %c: i1 = index %j != 2\n  yield %c\n}", "tree", ""));
  agree(fold("where (%j: i64) {\n  %c: i1 = index %j > 7\n  yield %c\n}", "tree", "identity (3.0)"));
}

TEST(EmittedSegments, ScanFromTheStateBefore) {
  for (const char* order : {"tree", "strict"})
    for (const char* end : {"5", "0"})
      agree(
          "b: view f32[5] = buffer [5] scope(private) init (%k: i64) {\n  %f: f32 = constant 9.0\n  yield %f\n}\n"
          "%g: f32 = constant 2.0\n%s: f32 = region_scan [0.." +
          std::string(end) +
          "] init (%g) summarize [%lo: i64..%hi: i64] {\n  %one: f32 = constant 1.0\n  %p: f32 = for %t: i64 in %lo..%hi carry "
          "(%q: "
          "f32 = %one) {\n    %v: f32 = load x[%i, %t]\n    %u: f32 = mul %v, %q\n    next %u\n  }\n  yield %p\n} combine "
          "order(" +
          order +
          ") (%p: f32, %q: f32) {\n  %r: f32 = mul %q, %p\n  yield %r\n} apply (%p: f32, %h: f32) {\n  %r: f32 = mul %p, %h\n  "
          "yield "
          "%r\n} emit [%lo: i64..%hi: i64] (%h: f32) {\n  %e: f32 = for %t: i64 in %lo..%hi carry (%q: f32 = %h) {\n    %v: "
          "f32 = load "
          "x[%i, %t]\n    %u: f32 = mul %v, %q\n    store b[%t] = %u\n    next %u\n  }\n}\n%zero: i64 = index 0\n%o: f32 = "
          "load "
          "b[%zero]\n%m: f32 = add %o, %s\nstore b[%zero] = %m\n" +
          kRead);
}

// shows: K5.1 K5.5 K5.8
TEST(EmittedWorkspace, IsOneForAllInstances) {
  std::string text = one_group(kXY,
                               "for %r: i64 in 0..5 {\n  %e: f32 = load x[%i, %r]\n  store b[%r, %i] = %e\n  store t[%i, %r] = "
                               "%e\n}\n%two: i64 = index 2\n%s: f32 = load t[%i, %two]\n" +
                                   kRead);
  text.insert(text.find("dispatch"), "workspace { t: view f32[L0, 5] b: view f32[5, N + 1] }\n");
  text = text.replace(text.find("load b[%r]"), 10, "load b[4 - %r, %i]");
  agree_text(text);
  auto p = parse_program(text);
  const runtime::WorkspaceSize size = emit::plan_workspace(*p).size;
  ASSERT_EQ(size.shared.size(), 2u);
  EXPECT_EQ(to_string(size.shared[1]), "1 * max(0, 5) * max(0, N + 1) * 4");
  EXPECT_EQ(size.slice, Expr());
  // Two pointers more, and nothing clears what they point to.
  EXPECT_EQ(count(gpu_code(*p), ".param .u64"), 0 + count(gpu_code(*parse_program(one_group(kXY, ""))), ".param .u64") + 2);
  // Beside slices of the instances.
  agree_text(text.insert(text.find("for %r"),
                         "s: view f32[5 * N] = buffer [5 * N] scope(private) init (%k: i64) {\n  %z: f32 = constant "
                         "1.0\n  yield %z\n}\n"));
}

TEST(EmittedBuffer, OfAnInstanceMayBeAccessedByAtomics) {
  agree(R"(
b: view f32[5] = buffer [5] scope(private) init (%k: i64) {
  %z: f32 = constant 0.0
  yield %z
}
for %t: i64 in 0..5 {
  %v: f32 = load x[%i, %t]
  %o: f32 = atomic_rmw.add b[%t], %v order(relaxed) share(invocation) scope(cta)
})" + ("\n" + kRead));
}

TEST(EmittedBuffer, OfSeveralThreadsHasNoCode) {
  auto p = parse_program(one_group(
      kXY, "b: view f32[5] = buffer [5] scope(private)\n%z: i64 = index 0\n%c: f32 = constant 1.0\nstore b[%z] = %c\n",
      "threads 4 grid G = O0 + L0"));
  EXPECT_EQ(gpu_errors(*p), (std::vector<std::string>{"E-09"}));
}

}  // namespace
}  // namespace kir
