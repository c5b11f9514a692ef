// Replays of single instances at sizes at which nothing could be allocated.
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

// The argument of the n-th region of operations of this kind, in the order of the text.
ValueId variable(const Body& body, OpKind kind, std::size_t n = 0, std::size_t axis = 0) {
  for (std::uint32_t i = 0; i < body.op_count(); ++i)
    if (body.op(OpId(i)).kind == kind && n-- == 0) return body.region(body.op(OpId(i)).regions[0]).args[axis];
  ADD_FAILURE();
  return {};
}

void expect(const ReplayResult& r, std::optional<RuntimeErrorKind> kind, std::vector<std::string> parts = {}) {
  EXPECT_EQ(r.outside_contract, "");
  ASSERT_EQ(r.error.has_value(), kind.has_value()) << (r.error ? r.error->message : "no error");
  if (!kind) return;
  EXPECT_EQ(name(r.error->kind), name(*kind)) << r.error->message;
  for (const std::string& p : parts)
    EXPECT_NE(r.error->message.find(p), std::string::npos) << r.error->message << " lacks " << p;
}

TEST(Replay, OneMemberOfAHugeParallel) {
  auto k = parse_kernel("kernel k(x: in f32[N], y: out f32[N]) { parallel n in 0..N { y[n] = x[n + 1] } }");
  const ValueId n = variable(k->body, OpKind::parallel);
  SparseLaunch launch{.symbols = {{"N", kHuge}}};
  expect(interpret_instances(*k, launch, {{n, {kHuge - 1}}}), out_of_bounds, {"load x[1099511627776]", "n = 1099511627775"});
  const ReplayResult good = interpret_instances(*k, launch, {{n, {5}}});
  expect(good, std::nullopt);
  ASSERT_EQ(good.written.size(), 2u);
  ASSERT_EQ(good.written[1].size(), 1u);
  EXPECT_EQ(good.written[1].at(5), random_scalar(DType::f32, 0, 6, false));
  EXPECT_LT(good.steps, 20u);
}

TEST(Replay, TwoMembersRace) {
  auto k = parse_kernel("kernel k(y: out f32[N, M]) { parallel n in 0..N, m in 0..M { y[n floordiv 2, m] = f32(1.0) } }");
  const ValueId n = variable(k->body, OpKind::parallel), m = variable(k->body, OpKind::parallel, 0, 1);
  SparseLaunch launch{.symbols = {{"N", kHuge}, {"M", 1 << 20}}};
  expect(interpret_instances(*k, launch, {{n, {1000, 1001}}, {m, {7}}}), race, {"n = 1000, m = 7 writes", "n = 1001"});
  expect(interpret_instances(*k, launch, {{n, {1001, 1002}}, {m, {7}}}), std::nullopt);
}

TEST(Replay, InnerLoopsRunAtOnePointAndForgetTheRest) {
  auto k = parse_kernel(R"(kernel k(x: in f32[M, N], y: inout f32[M]) {
    parallel m in 0..M {
      let zero = f32(0.0)
      let s = for n in 0..N carry (a: f32 = zero) {
        let v = x[m, n + 1]
        next a + v
      }
      y[m] = s
    }
  })");
  const ValueId m = variable(k->body, OpKind::parallel), n = variable(k->body, OpKind::for_loop);
  SparseLaunch launch{.symbols = {{"M", 1 << 20}, {"N", 1 << 30}}};
  expect(interpret_instances(*k, launch, {{m, {3}}, {n, {(1 << 30) - 1}}}), out_of_bounds, {"x[3, 1073741824]"});
  // Within bounds, but the sum is not known.
  expect(interpret_instances(*k, launch, {{m, {3}}, {n, {5}}}), unsupported, {"left out"});
}

TEST(Replay, WhatAPartLeftOutMayHaveWrittenIsUnknown) {
  auto k = parse_kernel(R"(kernel k(y: inout f32[N], z: inout f32[N]) {
    parallel n in 0..N { y[N - 1 - n] = f32(1.0) }
    parallel n in 0..N { z[n] = y[n] }
  })");
  const ValueId first = variable(k->body, OpKind::parallel), second = variable(k->body, OpKind::parallel, 1);
  SparseLaunch launch{.symbols = {{"N", kHuge}}};
  expect(interpret_instances(*k, launch, {{first, {}}, {second, {4}}}), unsupported, {"left out"});
  expect(interpret_instances(*k, launch, {{first, {kHuge - 5}}, {second, {4}}}), std::nullopt);
}

TEST(Replay, ReductionsAndTensorsRunTheirPoint) {
  auto k = parse_kernel(
      "kernel k(x: in f32[M, N], y: out f32[M]) { parallel m in 0..M { y[m] = reduce add order(any) over n in 0..N { x[m, n + "
      "1] } } }");
  const ValueId m = variable(k->body, OpKind::parallel), n = variable(k->body, OpKind::reduce);
  SparseLaunch launch{.symbols = {{"M", 1 << 20}, {"N", 1 << 30}}};
  expect(interpret_instances(*k, launch, {{m, {3}}, {n, {(1 << 30) - 1}}}), out_of_bounds);
  expect(interpret_instances(*k, launch, {{m, {3}}, {n, {0}}}), unsupported, {"left out"});
}

TEST(Replay, FoldsRunTheirPoint) {
  SparseLaunch launch{.symbols = {{"N", 1 << 30}}};
  struct Row {
    const char* body;
    OpKind kind;
  };
  for (const Row& row :
       {Row{"let (v, i) = arg_reduce max tie(first) nan(first) over n in 0..N where n >= 0 { x[n + 1] }  y[0] = v",
            OpKind::arg_reduce},
        Row{"let (p, t) = scan add inclusive reverse order(any) over n in 0..N { x[n + 1] }  y[0] = t", OpKind::scan},
        Row{"let (p, t) = scan add inclusive forward order(any) over n in 0..N { x[n + 1] }  y[0] = p[0]", OpKind::scan},
        Row{"let p = contract free( | ) paired(n in 0..N) lhs { x[n + 1] } rhs { x[n] } product exact accumulate f32 "
            "order(any)  y[0] = p[]",
            OpKind::contract},
        Row{"y[0] = reduce add order(any) over n in 0..N where x[n + 1] > 0.0 { x[n] }", OpKind::reduce}}) {
    auto k = parse_kernel(std::string("kernel k(x: in f32[N], y: out f32[1]) { ") + row.body + " }");
    const ValueId n = variable(k->body, row.kind);
    expect(interpret_instances(*k, launch, {{n, {(1 << 30) - 1}}}), out_of_bounds, {"x[1073741824]", "n = 1073741823"});
    const ReplayResult inside = interpret_instances(*k, launch, {{n, {5}}});
    ASSERT_TRUE(inside.error) << row.body;
    EXPECT_EQ(name(inside.error->kind), "unsupported") << row.body << inside.error->message;
    EXPECT_LT(inside.steps, 100u);
  }
}

TEST(Replay, GivenContentsAndScalarsAreUsed) {
  auto k = parse_kernel(
      "kernel k(i: in i64[N], x: in f32[N], y: out f32[N], s: f32) { parallel n in 0..N { let at = to_index(i[n])  y[n] = "
      "x[at] * s } }");
  const ValueId n = variable(k->body, OpKind::parallel);
  SparseLaunch launch{.symbols = {{"N", kHuge}}, .scalars = {Scalar::of_f32(3)}};
  launch.cells.resize(2);
  launch.cells[0][9] = Scalar::of_int(DType::i64, kHuge);
  expect(interpret_instances(*k, launch, {{n, {9}}}), out_of_bounds, {"x[1099511627776]"});
  launch.cells[0][9] = Scalar::of_int(DType::i64, 77);
  launch.cells[1][77] = Scalar::of_f32(5);
  const ReplayResult r = interpret_instances(*k, launch, {{n, {9}}});
  expect(r, std::nullopt);
  EXPECT_EQ(r.written[2].at(9), Scalar::of_f32(15));
}

TEST(Replay, LaunchesOutsideTheContractAreRefused) {
  auto k = parse_kernel("kernel k(x: in f32[N], y: out f32[N] strides(S)) where N >= 3 { parallel n in 0..N { y[n] = x[n] } }");
  auto refusal = [&](std::int64_t n, std::int64_t s) {
    return interpret_instances(*k, {.symbols = {{"N", n}, {"S", s}}}, {}).outside_contract;
  };
  EXPECT_NE(refusal(2, 1).find("N >= 3"), std::string::npos);
  EXPECT_NE(refusal(4, 0).find("one address"), std::string::npos);
  EXPECT_NE(refusal(kHuge, kHuge).find("2^63"), std::string::npos);
  EXPECT_EQ(refusal(4, 1), "");
  SparseLaunch shared{.symbols = {{"N", 4}, {"S", 1}}, .identical = {{0, 1}}};
  EXPECT_NE(interpret_instances(*k, shared, {}).outside_contract.find("not declared to alias"), std::string::npos);
}

TEST(Replay, AliasesAreOneMemory) {
  auto k = parse_kernel(
      "kernel k(x: in f32[N], y: inout f32[N]) alias { may_alias(x, y) } { parallel n in 0..N { y[n] = x[N - 1 - n] } }");
  const ValueId n = variable(k->body, OpKind::parallel);
  SparseLaunch apart{.symbols = {{"N", kHuge}}}, together = apart;
  together.identical = {{0, 1}};
  expect(interpret_instances(*k, apart, {{n, {0, kHuge - 1}}}), std::nullopt);
  expect(interpret_instances(*k, together, {{n, {0, kHuge - 1}}}), race);
}

TEST(Replay, ProgramInstancesOfAHugeGrid) {
  auto p = parse_program(R"(program p
    abi { x: view f32[N] strides(1) in align 4  y: view f32[N] strides(1) out align 4  dims N: i64 }
    launch { threads 1 pack 128 grid G = ceildiv(N, 128) }
    space { g0: (n in 0..N) length L0 = N offset O0 = 0 }
    dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%n = %w - O0) else -> exit }
    group g0 (%n: i64 in 0..N) {
      %h: i64 = index %n floordiv 2
      %v: f32 = load x[%n]
      store y[%h] = %v
    })");
  const std::int64_t n = std::int64_t{1} << 37;
  SparseLaunch launch{.symbols = {{"N", n}}};
  expect(interpret_instance(*p, launch, n - 1), std::nullopt);
  expect(interpret_instances(*p, launch, std::vector<std::int64_t>{n - 2, n - 1}), race,
         {"program 137438953470 writes", "program 137438953471"});
  expect(interpret_instance(*p, launch, n + 128), unsupported, {"there is no program"});
  launch.symbols["N"] = std::int64_t{1} << 40;
  expect(interpret_instance(*p, launch, 0), launch_overflow);
}

TEST(Replay, IterationsOfAProgramRunAtOnePoint) {
  auto p = parse_program(R"(program p
    abi { x: view f32[M, N] strides(N, 1) in align 4  y: view f32[M] strides(1) out align 4  dims M: i64, N: i64 }
    launch { threads 1 grid G = M }
    space { g0: (m in 0..M) length L0 = M offset O0 = 0 }
    dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%m = %w - O0) else -> exit }
    group g0 (%m: i64 in 0..M) {
      %z: f32 = constant 0.0
      %s: f32 = for %n: i64 in 0..N carry (%a: f32 = %z) {
        %q: i64 = index %n + 1
        %v: f32 = load x[%m, %q]
        %b: f32 = add %a, %v
        next %b
      }
      store y[%m] = %s
    })");
  const ValueId n = variable(p->body, OpKind::for_loop);
  SparseLaunch launch{.symbols = {{"M", 1000000}, {"N", 1 << 30}}};
  expect(interpret_instance(*p, launch, 999999, {{n, {(1 << 30) - 1}}}), out_of_bounds, {"x[999999, 1073741824]"});
  expect(interpret_instance(*p, launch, 999999, {{n, {0, 1, 2}}}), unsupported);
}

}  // namespace
}  // namespace kir
