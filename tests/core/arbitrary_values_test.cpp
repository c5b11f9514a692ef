// Values that nothing determines: what may be done with them, and what is erroneous.
#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;
using enum RuntimeErrorKind;

TEST(ArbitraryValues, ThatAreNotObservedDoNoHarm) {
  auto k = parse_kernel(R"(kernel k(x: in f32[N], y: out f32[N + 1]) {
    parallel n in 0..N + 1 {
      let inside = n < N
      let v: f32 = load x[n] where inside
      let w = v * 2.0
      y[n] = select(inside, w, -1.0)
    }
  })");
  Arguments a;
  a.tensor("x", DType::f32, {2}, {"1", "2"}).tensor("y", DType::f32, {3});
  run_well(k, a);
  EXPECT_EQ(a.elements("y"), (Words{"2.0", "4.0", "-1.0"}));
}

TEST(ArbitraryValues, AreNotStoredAndNotTested) {
  auto stored = parse_kernel(
      "kernel k(x: in f32[N], y: out f32[N + 1]) { parallel n in 0..N + 1 { let v: f32 = load x[n] where n < N  y[n] = v * 0.0 "
      "} }");
  Arguments a;
  a.random("x", DType::f32, {2}, 0).tensor("y", DType::f32, {3});
  run_badly(stored, a, arbitrary_value, {"the stored value", "n = 2"});
  auto tested = parse_kernel(
      "kernel k(x: in f32[N], y: out f32[N + 1]) { parallel n in 0..N + 1 { let v: f32 = load x[n] where n < N  if v > 0.0 { "
      "y[n] = f32(1.0) } } }");
  Arguments b;
  b.random("x", DType::f32, {2}, 0).tensor("y", DType::f32, {3});
  run_badly(tested, b, arbitrary_value, {"condition of an if"});
}

// What an arbitrary value decides about a fault is erroneous, whatever word stands for it in this execution.
TEST(ArbitraryValues, ThatMayFaultAreErroneous) {
  auto masked = [](const std::string& t, const std::string& use) {
    return parse_kernel("kernel k(x: in " + t + "[N], y: out i32[N + 1]) { parallel n in 0..N + 1 { let v: " + t +
                        " = load x[n] where n < N\n" + use + " } }");
  };
  for (const char* word : {"1", "3", "-1"}) {
    Arguments a;
    a.tensor("x", DType::i32, {1}, {word}).tensor("y", DType::i32, {2});
    for (const char* op : {"divt", "remt", "divf", "remf", "divu", "remu"}) {
      const std::string name = op;
      run_badly(masked("i32", "y[n] = " + name + "(7, v) where n < N"), a, arbitrary_value, {"an operand of " + name, "n = 1"});
      run_well(masked("i32", "y[n] = " + name + "(v, 7) where n < N"), a);
      const auto negated = masked("i32", "y[n] = " + name + "(v, -1) where n < N");  // the minimum by -1
      if (name.back() == 'u')
        run_well(negated, a);
      else
        run_badly(negated, a, arbitrary_value, {"an operand of " + name});
    }
    for (const char* e : {"5 floordiv v1", "5 mod v1", "ceildiv(5, v1)", "5 floordiv (v1 * 2 + 1)"})
      run_badly(masked("i32", "let v1 = to_index(v)\n let q: index = index " + std::string(e)), a, arbitrary_value,
                {"an integer expression at fault", "n = 1"});
    run_well(masked("i32", "let v1 = to_index(v)\n let q: index = index v1 floordiv 5 + ite(n < N, 0, v1) mod 3"), a);
  }
  Arguments b;
  b.tensor("x", DType::f32, {1}, {"3"}).tensor("y", DType::i32, {2});
  for (const char* mode : {"to_sint", "to_uint"})
    run_badly(masked("f32", "let w: i32 = convert." + std::string(mode) + " v\n y[n] = w where n < N"), b, arbitrary_value,
              {"an operand of convert", "n = 1"});
  run_well(masked("f32", "let w: i32 = convert.sat_to_sint v\n y[n] = w where n < N"), b);
}

TEST(ArbitraryValues, OfFragmentsThatMayFaultAreErroneous) {
  auto divided = [](const std::string& operands) {
    return parse_program(R"(program p
      abi { x: view i32[2] strides(1) in  y: view i32[4] strides(1) inout }
      launch { threads 1 grid G = 1 }
      space { g0: () length L0 = 1 offset O0 = 0 }
      dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0() else -> exit }
      group g0 () {
        %e: i64<4> = index pos(0)
        %in: i1<4> = index %e < 2
        %v: i32<4> = load x[%e] where %in
        %c: i32 = constant 7
        %s: i32<4> = splat %c
        %q: i32<4> = divt )" +
                         operands + R"(
        store y[%e] = %q where %in
      })");
  };
  Arguments a;
  a.tensor("x", DType::i32, {2}, {"2", "3"}).tensor("y", DType::i32, {4});
  run_badly(divided("%s, %v"), a, arbitrary_value, {"an operand of divt"});
  run_well(divided("%v, %s"), a);
}

}  // namespace
}  // namespace kir
