// Memory, control, reductions and fragments: known answers on the host, and what the GPU code must hold.
#include "core/ir/op_table.h"
#include "run_pir.h"

namespace kir {
namespace {

using namespace testing;

const char* kXY = " x: view f32[N] strides(1) in align 4\n y: view f32[N] strides(1) out align 4";
const char* kMatrix = " x: view f32[N, 6] strides(6, 1) in align 4\n y: view f32[N] strides(1) out align 4";

TEST(Memory, AMaskedLoadTouchesNothingWhereItsPredicateIsFalse) {
  auto p = parse_program(one_group(kXY, R"(
    %far: i64 = index %i + ite(%i < 2, 0, 1000000000000)
    %in: i1 = index %i < 2
    %fill: f32 = constant -1.5
    %v: f32 = load x[%far] where %in fill %fill
    store y[%i] = %v)"));
  auto y = zeros(DType::f32, {4});
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", tensor(DType::f32, {4}, {1.0f, 2.0f, 3.0f, 4.0f})}, {"y", y}}}), "");
  EXPECT_EQ(floats(*y), (std::vector<double>{1, 2, -1.5, -1.5}));
}

TEST(Memory, AMaskedLoadWithoutFillGivesZeroAndAMaskedStoreKeepsWhatWasThere) {
  auto p = parse_program(one_group(kXY, R"(
    %in: i1 = index %i mod 2 == 0
    %v: f32 = load x[%i] where %in
    %one: f32 = constant 1.0
    %s: f32 = add %v, %one
    %third: i1 = index %i != 3
    store y[%i] = %s where %third)"));
  auto y = tensor(DType::f32, {4}, {9.0f, 9.0f, 9.0f, 9.0f});
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", tensor(DType::f32, {4}, {1.0f, 2.0f, 3.0f, 4.0f})}, {"y", y}}}), "");
  EXPECT_EQ(floats(*y), (std::vector<double>{2, 1, 4, 9}));
}

TEST(Memory, BooleansAreBytesReadAsUnequalToZero) {
  auto p = parse_program(one_group(" x: view i1[N] strides(1) in align 1\n y: view i1[N] strides(1) out align 1", R"(
    %v: i1 = load x[%i]
    %t: i1 = constant true
    %n: i1 = and %v, %t
    store y[%i] = %n)"));
  auto x = zeros(DType::i1, {3}), y = zeros(DType::i1, {3});
  x->bytes = {std::byte{0}, std::byte{1}, std::byte{0xfe}};
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", x}, {"y", y}}}), "");
  EXPECT_EQ(y->bytes, (std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{1}}));
}

TEST(Memory, StridesAreExpressionsOfTheLaunch) {
  auto p = parse_program(R"(pir 1
program test
abi { x: view f32[N, M] strides(1, S) in align 4
      y: view f32[N, M] strides(2*M, 2) out align 4
      a: f32
      dims N: i64, M: i64, S: i64 }
launch { threads 1 pack 8 grid G = ceildiv(O0 + L0, 8) }
space { g0: (i in 0..N, j in 0..M) length L0 = N * M offset O0 = 0 }
dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%i = (%w - O0) floordiv M, %j = (%w - O0) mod M)  else -> exit }
group g0 (%i: i64 in 0..N, %j: i64 in 0..M) {
  %v: f32 = load x[%i, %j]
  %s: f32 = mul %v, %a
  store y[%i, %j] = %s
})");
  auto x = std::make_shared<Tensor>(Tensor::strided(DType::f32, {2, 3}, {1, 5}));
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 3; ++j) x->store(i + 5 * j, Scalar::of_f32(static_cast<float>(10 * i + j)));
  auto y = std::make_shared<Tensor>(Tensor::strided(DType::f32, {2, 3}, {6, 2}));
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", x}, {"y", y}}, .scalars = {{"a", Scalar::of_f32(2)}}, .symbols = {{"S", 5}}}), "");
  EXPECT_EQ(floats(*y), (std::vector<double>{0, 2, 4, 20, 22, 24}));
}

TEST(Control, LoopsCarryTheirValuesInParallel) {
  auto p = parse_program(one_group(kXY, R"(
    %zero: f32 = constant 0.0
    %one: f32 = constant 1.0
    (%a: f32, %b: f32) = for %t: i64 in 0..%i carry (%p: f32 = %zero, %q: f32 = %one) {
      %s: f32 = add %p, %q
      next %q, %s
    }
    store y[%i] = %a)"));
  auto y = zeros(DType::f32, {9});
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", zeros(DType::f32, {9})}, {"y", y}}}), "");
  EXPECT_EQ(floats(*y), (std::vector<double>{0, 1, 1, 2, 3, 5, 8, 13, 21}));
}

TEST(Control, ALoopStepsAndMayHaveAnI32Counter) {
  auto p = parse_program(one_group(" y: view i32[N] strides(1) out align 4", R"(
    %zero: i32 = constant 0
    %s: i32 = for %t: i32 in 1..10 step %i + 1 carry (%a: i32 = %zero) {
      %n: i32 = add %a, %t
      next %n
    }
    store y[%i] = %s)"));
  auto y = zeros(DType::i32, {5});
  EXPECT_EQ(run_on_host(*p, {.views = {{"y", y}}}), "");
  EXPECT_EQ(integers(*y), (std::vector<std::int64_t>{45, 25, 12, 15, 7}));
}

TEST(Control, WhileEndsWhenItsConditionIsFalse) {
  auto p = parse_program(one_group(" y: view i64[N] strides(1) out align 8", R"(
    %start: i64 = index %i + 1
    %zero: i64 = constant 0
    %one: i64 = constant 1
    (%last: i64, %n: i64) = while carry (%v: i64 = %start, %k: i64 = %zero) when {
      %go: i1 = cmp.ne %v, %one
      yield %go
    } do {
      %odd: i1 = index %v mod 2 == 1
      %next: i64 = if %odd {
        %up: i64 = index 3 * %v + 1
        yield %up
      } else {
        %down: i64 = index %v floordiv 2
        yield %down
      }
      %k1: i64 = add %k, %one
      next %next, %k1
    }
    store y[%i] = %n)"));
  auto y = zeros(DType::i64, {10});
  EXPECT_EQ(run_on_host(*p, {.views = {{"y", y}}}), "");
  EXPECT_EQ(integers(*y), (std::vector<std::int64_t>{0, 1, 7, 2, 5, 8, 16, 3, 19, 6}));  // Collatz steps of 1 ... 10
}

TEST(Control, AnAssumeIsNotToldToLlvm) {
  auto p = parse_program(one_group(kXY, R"(
    %c: i1 = index %i < 1
    assume %c
    %v: f32 = load x[%i] where %c
    store y[%i] = %v)"));
  auto y = zeros(DType::f32, {2});
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", tensor(DType::f32, {2}, {5.0f, 7.0f})}, {"y", y}}}), "");
  EXPECT_EQ(floats(*y), (std::vector<double>{5, 0}));
}

TEST(Reduce, InitTakesPartOnceAndFirst) {
  auto p = parse_program(one_group(kMatrix, R"(
    %start: f32 = constant 100.0
    %s: f32 = reduce (%n: i64 in 0..%i) map {
      %v: f32 = load x[%i, %n]
      yield %v
    } combine order(strict) (%a: f32, %b: f32) {
      %two: f32 = constant 2.0
      %d: f32 = mul %a, %two
      %c: f32 = add %d, %b
      yield %c
    } init (%start)
    store y[%i] = %s)"));
  auto y = zeros(DType::f32, {3});
  auto x = zeros(DType::f32, {3, 6});
  x->store(6, Scalar::of_f32(1));
  x->store(12, Scalar::of_f32(3));
  x->store(13, Scalar::of_f32(5));
  EXPECT_EQ(run_on_host(*p, {.views = {{"x", x}, {"y", y}}}), "");
  EXPECT_EQ(floats(*y), (std::vector<double>{100, 201, 411}));
}

TEST(Reduce, WithoutInitTheFirstMemberStartsAndTheIdentityIsForNone) {
  const char* body = R"(
    %s: f32 = reduce (%n: i64 in 0..%i) map {
      %v: f32 = load x[%i, %n]
      yield %v
    } combine order(tree) (%a: f32, %b: f32) {
      %c: f32 = sub %a, %b
      yield %c
    } IDENTITY
    store y[%i] = %s where %some)";
  auto run = [&](const std::string& identity, const std::string& condition) {
    std::string text = body;
    text.replace(text.find("IDENTITY"), 8, identity);
    auto p = parse_program(one_group(kMatrix, "%some: i1 = index " + condition + "\n" + text));
    auto x = zeros(DType::f32, {4, 6});
    for (std::int64_t k = 0; k < 24; ++k) x->store(k, Scalar::of_f32(static_cast<float>(k % 6 + 1)));
    auto y = zeros(DType::f32, {4});
    EXPECT_EQ(run_on_host(*p, {.views = {{"x", x}, {"y", y}}}), "");
    return floats(*y);
  };
  EXPECT_EQ(run("", "%i > 0"), (std::vector<double>{0, 1, -1, -4}));  // 1, 1-2, 1-2-3: no identity was subtracted from
  EXPECT_EQ(run("identity assumed (7.0)", "true"), (std::vector<double>{7, 6, 4, 1}));  // the author's word: may be inserted
}

TEST(Reduce, SeveralComponentsAndAxesInRowMajorOrder) {
  auto p = parse_program(one_group(" y: view i64[N] strides(1) out align 8\n z: view i64[N] strides(1) out align 8", R"(
    %m1: i64 = constant -1
    (%best: i64, %where: i64) = reduce (%a: i64 in 0..3, %b: i32 in 0..4) map {
      %key: i64 = index (5 * %a + 3 * %b + %i) mod 7
      %at: i64 = index 4 * %a + %b
      yield %key, %at
    } combine order(strict) (%k0: i64, %p0: i64, %k1: i64, %p1: i64) {
      %more: i1 = cmp.sgt %k1, %k0
      %k: i64 = select %more, %k1, %k0
      %q: i64 = select %more, %p1, %p0
      yield %k, %q
    } init (%m1, %m1)
    store y[%i] = %best
    store z[%i] = %where)"));
  auto y = zeros(DType::i64, {2}), z = zeros(DType::i64, {2});
  EXPECT_EQ(run_on_host(*p, {.views = {{"y", y}, {"z", z}}}), "");
  EXPECT_EQ(integers(*y), (std::vector<std::int64_t>{6, 6}));
  EXPECT_EQ(integers(*z), (std::vector<std::int64_t>{2, 4}));
}

TEST(Fragment, PartialReductionKeepsTheOtherAxes) {
  auto p =
      parse_program(one_group(" y: view i64[N, 3] strides(3, 1) out align 8\n z: view i64[N, 4] strides(4, 1) out align 8", R"(
    %f: i64<3, 4> = index 10 * pos(0) + pos(1) + 100 * %i
    %rows: i64<3> = tile_reduce %f axes(1) order(strict) combine (%a: i64, %b: i64) { %c: i64 = sub %a, %b  yield %c }
    %r: i64<3> = index pos(0)
    store y[%i, %r] = %rows
    %cols: i64<4> = tile_reduce %f axes(0) order(strict) combine (%a2: i64, %b2: i64) { %c2: i64 = sub %a2, %b2  yield %c2 }
    %k: i64<4> = index pos(0)
    %even: i1<4> = index %k mod 2 == 0
    store z[%i, %k] = %cols where %even)"));
  auto y = zeros(DType::i64, {2, 3}), z = zeros(DType::i64, {2, 4});
  EXPECT_EQ(run_on_host(*p, {.views = {{"y", y}, {"z", z}}}), "");
  EXPECT_EQ(integers(*y), (std::vector<std::int64_t>{-6, -26, -46, -206, -226, -246}));
  EXPECT_EQ(integers(*z), (std::vector<std::int64_t>{-30, 0, -32, 0, -130, 0, -132, 0}));
  gpu_code(*p);
}

TEST(Fragment, CarriedFragmentsSwapAndInitTakesPartOnce) {
  auto p = parse_program(one_group(" y: view i64[N] strides(1) out align 8", R"(
    %f: i64<5> = index pos(0)
    %hundred: i64 = constant 100
    %g: i64<5> = splat %hundred
    (%p: i64<5>, %q: i64<5>) = for %t: i64 in 0..%i carry (%a: i64<5> = %f, %b: i64<5> = %g) {
      next %b, %a
    }
    %c: i1 = index %i == 2
    %h: i64<5> = if %c { %d: i64<5> = neg %p  yield %d } else { yield %p }
    %seven: i64 = constant 7
    %s: i64 = tile_reduce %h axes(0) order(any) init (%seven) combine (%x: i64, %z: i64) { %w: i64 = add %x, %z  yield %w }
    store y[%i] = %s)"));
  auto y = zeros(DType::i64, {4});
  EXPECT_EQ(run_on_host(*p, {.views = {{"y", y}}}), "");
  EXPECT_EQ(integers(*y), (std::vector<std::int64_t>{17, 507, -3, 507}));
  gpu_code(*p);
}

std::string tiled(const std::string& order, const std::string& launch, const std::string& layout, const std::string& type,
                  const std::string& dtype = "f32") {
  return one_group(" x: view " + dtype + "[N, 256] strides(256, 1) in align 8\n y: view " + dtype +
                       "[N] strides(1) out align 8",
                   R"(
    %e: i64<)" + type + R"(> = index pos(0)
    %v: )" + dtype + "<" +
                       type + R"(> = load x[%i, %e]
    %s: )" + dtype + R"( = tile_reduce %v axes(0) order()" +
                       order + R"() combine (%p: )" + dtype + ", %q: " + dtype + R"() { %r: )" + dtype +
                       R"( = add %p, %q  yield %r }
    store y[%i] = %s)",
                   launch, layout);
}

TEST(GpuFragment, AnyOrderButterfliesThenMeetsInSharedMemoryOnce) {
  std::string code =
      gpu_code(*parse_program(tiled("any", "threads 128 grid G = L0", "layout @L = S[(2,128):(1@m,1@tid)]", "256; @L")));
  EXPECT_EQ(count(code, "shfl.sync.bfly.b32"), 5);
  EXPECT_EQ(count(code, "bar.sync"), 1);
  EXPECT_EQ(count(code, "st.shared"), 1);
  EXPECT_EQ(count(code, "st.global"), 1);
  EXPECT_NE(code.find(".maxntid 128"), std::string::npos);
  EXPECT_EQ(code.find("fma"), std::string::npos);
}

TEST(GpuFragment, TreeOrderReducesEachRegisterByItself) {
  std::string code =
      gpu_code(*parse_program(tiled("tree", "threads 128 grid G = L0", "layout @L = S[(2,128):(1@m,1@tid)]", "256; @L")));
  EXPECT_EQ(count(code, "shfl.sync.bfly.b32"), 10);
  EXPECT_EQ(count(code, "st.shared"), 2);
}

TEST(GpuFragment, WideElementsTakeTwoShufflesAndOneWarpNeedsNoBarrier) {
  std::string code =
      gpu_code(*parse_program(tiled("any", "threads 32 grid G = L0", "layout @L = S[(8,32):(1@m,1@tid)]", "256; @L", "f64")));
  EXPECT_EQ(count(code, "shfl.sync.bfly.b32"), 10);
  EXPECT_EQ(count(code, "bar.sync"), 0);
}

TEST(GpuFragment, WhatThisProviderCannotSpreadIsRefusedByName) {
  using Ids = std::vector<std::string>;
  const std::string l = "layout @L = S[(2,128):(1@m,1@tid)]", t = "threads 128 grid G = L0";
  EXPECT_EQ(gpu_errors(*parse_program(tiled("any", t, l, "256; @L"))), Ids{});
  EXPECT_EQ(gpu_errors(*parse_program(tiled("strict", t, l, "256; @L"))), Ids{"E-05"});
  EXPECT_EQ(gpu_errors(*parse_program(tiled("any", t, l, "256"))), Ids{"E-04"});  // no layout
  EXPECT_EQ(gpu_errors(*parse_program(tiled("any", t, "layout @L = S[(128,2):(1@tid,1@m)]", "256; @L"))),
            Ids{"E-04"});  // blocked
  // Shapes that the text form refuses already: a program made otherwise.
  PhysicalProgram other = *parse_program(tiled("any", t, l, "256; @L"));
  other.launch.threads = 2048;
  EXPECT_EQ(gpu_errors(other), Ids{"E-06"});
  other.launch.threads = 64;
  EXPECT_EQ(gpu_errors(other), Ids{"E-04"});
  other.launch.threads = 128;
  other.launch.pack = 2;
  EXPECT_EQ(gpu_errors(other), Ids{"E-06"});
  EXPECT_EQ(gpu_errors(*parse_program(tiled("any", t, l, "256; @L")), "sm_nonsense"), Ids{"E-08"});
}

TEST(GpuMemory, ReadOnlyAndAliasFactsFollowTheAbi) {
  const std::string body = "%v: f32 = load x[%i]\n store y[%i] = %v";
  std::string plain = gpu_code(*parse_program(one_group(kXY, body)));
  EXPECT_EQ(count(plain, "ld.global.nc.f32"), 1);
  std::string views = std::string(kXY);
  std::string text = one_group(views, body);
  text.replace(text.find("dims N: i64"), 11, "dims N: i64 alias { may_alias(x, y) }");
  auto aliased = parse_program(text);
  std::string code = gpu_code(*aliased);
  EXPECT_EQ(count(code, "ld.global.nc"), 0);
  EXPECT_EQ(count(code, "ld.global.f32"), 1);
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(*aliased, "sm_90a", diagnostics);
  ASSERT_TRUE(module);
  for (const auto& f : module->facts) EXPECT_EQ(f.fact.find("noalias"), std::string::npos) << f.subject;
}

TEST(GpuMemory, ThreadsThatShareAViewAreSeparatedByBarriers) {
  const std::string l = "layout @L = S[(1,64):(1@m,1@tid)]", t = "threads 64 grid G = L0";
  const char* views = " x: view f32[N, 64] strides(64, 1) inout align 4\n y: view f32[N, 64] strides(64, 1) out align 4";
  auto code = [&](const char* body) { return gpu_code(*parse_program(one_group(views, body, t, l))); };
  const char* other = R"(
    %e: i64<64; @L> = index pos(0)
    %v: f32<64; @L> = load x[%i, %e]
    store y[%i, %e] = %v)";
  EXPECT_EQ(count(code(other), "bar.sync"), 0);
  const char* reversed = R"(
    %e: i64<64; @L> = index pos(0)
    %r: i64<64; @L> = index 63 - pos(0)
    %v: f32<64; @L> = load x[%i, %e]
    store x[%i, %r] = %v)";
  EXPECT_EQ(count(code(reversed), "bar.sync"), 2);
  const char* tiles = R"(
    for %t: i64 in 0..4 {
      %e: i64<64; @L> = index 64 * %t + pos(0)
      %in: i1<64; @L> = index %e < 64
      %v: f32<64; @L> = load x[%i, %e] where %in
      store y[%i, %e] = %v where %in
    })";
  EXPECT_EQ(count(code(tiles), "bar.sync"), 0);
  const char* overlapping = R"(
    for %t: i64 in 0..4 {
      %e: i64<64; @L> = index 63 * %t + pos(0)
      %in: i1<64; @L> = index %e < 64
      %v: f32<64; @L> = load x[%i, %e] where %in
      store y[%i, %e] = %v where %in
    })";
  EXPECT_GT(count(code(overlapping), "bar.sync"), 0);
}

// shows: K3.5 K4.3 K6.2
TEST(Dispatch, TheFirstArmWhoseGuardHoldsAndNobodyPastTheEnd) {
  auto p = parse_program(R"(pir 1
program test
abi { a: view i64[N] strides(1) out align 8
      b: view i64[K] strides(1) out align 8
      dims N: i64, K: i64 }
launch { threads 1 pack 128 grid G = ceildiv(O1 + L1, 128) }
space { g0: (i in 0..N) length L0 = N offset O0 = 0
        g1: (k in 0..K) length L1 = K offset O1 = O0 + L0 }
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%i = %w - O0)
  O1 <= %w < O1 + L1 -> g1(%k = %w - O1)
  else -> exit }
group g0 (%i: i64 in 0..N) { %v: i64 = index 10 + %i  store a[%i] = %v }
group g1 (%k: i64 in 0..K) { %v: i64 = index 20 + %k + 0 * G  store b[%k] = %v })");
  for (auto [n, k] : {std::pair{3, 2}, {0, 4}, {130, 0}, {0, 0}}) {
    auto a = zeros(DType::i64, {n}), b = zeros(DType::i64, {k});
    EXPECT_EQ(run_on_host(*p, {.views = {{"a", a}, {"b", b}}}), "");
    for (int i = 0; i < n; ++i) EXPECT_EQ(a->load(i).as_signed(), 10 + i);
    for (int i = 0; i < k; ++i) EXPECT_EQ(b->load(i).as_signed(), 20 + i);
  }
}

// shows: K4.2
TEST(Dispatch, AGridOrDefinitionOutOfRangeIsRefusedBeforeAnythingRuns) {
  auto refuse = [](const std::string& grid) {
    auto p = parse_program(R"(pir 1
program test
abi { y: view i64[N] strides(1) out align 8
      m: i64
      dims N: i64, M: i64 in 0..=1000000000000 }
launch { threads 1 pack 1 grid G = )" +
                           grid + R"( }
space { g0: (i in 0..N) length L0 = N offset O0 = 0 }
dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%i = %w - O0)  else -> exit }
group g0 (%i: i64 in 0..N) { %v: i64 = index %i  store y[%i] = %v })");
    auto y = zeros(DType::i64, {2});
    return run_on_host(
        *p, {.views = {{"y", y}}, .scalars = {{"m", Scalar::of_int(DType::i64, 0)}}, .symbols = {{"M", 1000000000000}}});
  };
  EXPECT_EQ(refuse("O0 + L0"), "");
  EXPECT_NE(refuse("M").find("above 2147483647"), std::string::npos) << refuse("M");
  EXPECT_NE(refuse("N - 3").find("outside [0, 2^63)"), std::string::npos);
  EXPECT_NE(refuse("M * M").find("outside [0, 2^63)"), std::string::npos);
  EXPECT_NE(refuse("M * M * M * M").find("overflow"), std::string::npos);
  EXPECT_NE(refuse("M floordiv (N - 2)").find("division by zero"), std::string::npos);
}

}  // namespace
}  // namespace kir
