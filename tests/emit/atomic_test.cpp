// Atomics on the host against known answers, and as PTX: order, scope and operation of each instruction.
#include <cmath>
#include <limits>

#include "run_pir.h"

namespace kir {
namespace {

using namespace testing;

// One update of y[0] for each element of x, in order.
PhysicalPtr update(const std::string& op, const std::string& type, const std::string& clause) {
  return parse_program(one_group("x: view " + type + "[N] strides(1) in\n y: view " + type +
                                     "[1] strides(1) inout\n old: view " + type + "[N] strides(1) out",
                                 "%z: i64 = index 0\n%v: " + type + " = load x[%i]\n%o: " + type + " = atomic_rmw." + op +
                                     " y[%z], %v " + clause + "\nstore old[%i] = %o"));
}

template <class T>
std::pair<TensorPtr, TensorPtr> run(const std::string& op, const std::string& type, DType t, T start,
                                    std::initializer_list<T> values) {
  LaunchArgs args;
  const auto n = static_cast<std::int64_t>(values.size());
  args.views["x"] = tensor<T>(t, {n}, values);
  args.views["y"] = tensor<T>(t, {1}, {start});
  args.views["old"] = zeros(t, {n});
  EXPECT_EQ(run_on_host(*update(op, type, "order(relaxed) share(invocation) scope(gpu)"), args), "");
  return {args.views["y"], args.views["old"]};
}

// shows: K5.6
TEST(AtomicEmission, IntegersOnTheHost) {
  auto [sum, old] = run<int>("add", "i32", DType::i32, 2147483647, {1, 5});
  EXPECT_EQ(integers(*sum)[0], -2147483643);
  EXPECT_EQ(integers(*old), (std::vector<std::int64_t>{2147483647, -2147483648}));
  EXPECT_EQ(integers(*run<int>("min.s", "i32", DType::i32, 3, {-2, 7}).first)[0], -2);
  EXPECT_EQ(integers(*run<int>("max.u", "i32", DType::i32, 3, {-2, 7}).first)[0], -2);
  EXPECT_EQ(integers(*run<int>("min.u", "i64", DType::i64, -1, {5, 7}).first)[0], 5);
  EXPECT_EQ(integers(*run<int>("xor", "i32", DType::i32, 6, {3}).first)[0], 5);
  EXPECT_EQ(integers(*run<int>("and", "i64", DType::i64, 6, {3}).first)[0], 2);
  EXPECT_EQ(integers(*run<int>("or", "i32", DType::i32, 6, {3}).first)[0], 7);
  EXPECT_EQ(integers(*run<int>("exchange", "i32", DType::i32, 6, {3, 9}).second), (std::vector<std::int64_t>{6, 3}));
}

// Subnormal numbers are kept, -0 is below +0, a NaN is ignored.
// shows: K5.6
TEST(AtomicEmission, FloatsOnTheHost) {
  const float tiny = std::numeric_limits<float>::denorm_min(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(floats(*run<float>("add", "f32", DType::f32, tiny, {tiny, tiny}).first)[0], 3.0 * tiny);
  EXPECT_EQ(floats(*run<float>("max.num", "f32", DType::f32, nan, {1.0f, nan, -2.0f}).first)[0], 1.0);
  EXPECT_TRUE(std::signbit(floats(*run<float>("min.num", "f32", DType::f32, 0.0f, {-0.0f}).first)[0]));
  EXPECT_EQ(floats(*run<double>("add", "f64", DType::f64, 0.5, {0.25, 2.0}).first)[0], 2.75);
  EXPECT_EQ(floats(*run<float>("exchange", "f32", DType::f32, 0.5f, {0.25f, 2.0f}).second), (std::vector<double>{0.5, 0.25}));
  LaunchArgs args;
  auto half = [](double v) { return parse_literal(v == 1.0 ? "1.0" : "0.5", DType::f16).value(); };
  args.views["x"] = zeros(DType::f16, {2});
  args.views["y"] = zeros(DType::f16, {1});
  args.views["old"] = zeros(DType::f16, {2});
  args.views["x"]->store(0, half(1.0));
  args.views["x"]->store(1, half(0.5));
  EXPECT_EQ(run_on_host(*update("add", "f16", "order(relaxed) share(invocation)"), args), "");
  EXPECT_EQ(floats(*args.views["y"])[0], 1.5);
}

// shows: K5.6
TEST(AtomicEmission, OrderAndScopeStandInThePtx) {
  EXPECT_EQ(
      count(gpu_code(*update("add", "i32", "order(acq_rel) share(invocation) scope(gpu)")), "atom.acq_rel.gpu.global.add.u32"),
      1);
  EXPECT_EQ(count(gpu_code(*update("min.s", "i64", "order(release) share(invocation) scope(cta)")),
                  "atom.release.cta.global.min.s64"),
            1);
  EXPECT_EQ(count(gpu_code(*update("exchange", "f64", "order(acquire) share(system)")), "atom.acquire.sys.global.exch.b64"), 1);
  // f32 additions flush subnormal numbers in the instruction; so they go around a compare-exchange.
  const std::string sum = gpu_code(*update("add", "f32", "order(relaxed) share(invocation) scope(gpu)"));
  EXPECT_EQ(count(sum, "atom.relaxed.gpu.global.cas.b32"), 1);
  EXPECT_EQ(count(sum, "ld.relaxed.gpu.global.b32"), 1);
  EXPECT_EQ(count(sum, "atom.relaxed.gpu.global.add"), 0);
  EXPECT_EQ(count(gpu_code(*update("add", "bf16", "order(relaxed) share(invocation) scope(gpu)")), ".cas.b16"), 1);
  EXPECT_EQ(count(gpu_code(*update("max.num", "f64", "order(relaxed) share(invocation) scope(gpu)")), ".cas.b64"), 1);
}

PhysicalPtr loads_and_stores() {
  return parse_program(
      one_group("x: view i32[N] strides(1) inout\n y: view i32[N] strides(1) inout\n ok: view i1[N] strides(1) out",
                R"(%p: i1 = index %i >= 1
%seven: i32 = constant 7
%a: i32 = atomic_load x[%i] where %p fill %seven order(acquire) share(invocation) scope(gpu)
atomic_store x[%i] = %seven where %p order(release) share(invocation) scope(gpu)
(%b: i32, %done: i1) = atomic_cas y[%i], %a, %seven where %p fill %seven order(release, acquire) share(invocation) scope(cta)
store y[%i] = %b where not %p
store ok[%i] = %done)"));
}

// shows: K5.6
TEST(AtomicEmission, LoadsStoresAndExchanges) {
  auto program = loads_and_stores();
  LaunchArgs args;
  args.views["x"] = tensor<int>(DType::i32, {3}, {1, 2, 3});
  args.views["y"] = tensor<int>(DType::i32, {3}, {2, 2, 5});
  args.views["ok"] = zeros(DType::i1, {3});
  EXPECT_EQ(run_on_host(*program, args), "");
  EXPECT_EQ(integers(*args.views["x"]), (std::vector<std::int64_t>{1, 7, 7}));
  EXPECT_EQ(integers(*args.views["y"]), (std::vector<std::int64_t>{7, 7, 5}));
  EXPECT_EQ(args.views["ok"]->load(0).as_bool(), false);
  EXPECT_EQ(args.views["ok"]->load(1).as_bool(), true);
  EXPECT_EQ(args.views["ok"]->load(2).as_bool(), false);
  const std::string ptx = gpu_code(*program);
  EXPECT_EQ(count(ptx, "ld.acquire.gpu.global.b32"), 1);
  EXPECT_EQ(count(ptx, "st.release.gpu.global.b32"), 1);
  EXPECT_EQ(count(ptx, "atom.acq_rel.cta.global.cas.b32"), 1);
}

}  // namespace
}  // namespace kir
