// Data preconditions: their text, their rules, and the launches that they refuse.
#include <fmt/format.h>

#include "tests/core/interp_support.h"
#include "tests/core/text_support.h"

namespace kir::test {
namespace {

using namespace kir::testing;

constexpr const char* kText = R"(kir 1
kernel k(o: in i32[S + 1], idx: in i64[E, F], p: in u64[E], x: in f32[V], y: out f32[S], S: index)
  where S >= 1, nondecreasing(o), in_range(o, 0, V + 1), in_range(idx, -S, V), unique(p), unique(idx)
{
  y[0] = x[0]
}
)";

TEST(DataPreconditions, RoundTripAndStandInTheHash) {
  const std::string printed = expect_kir_round_trip(kText);
  EXPECT_NE(printed.find("where S >= 1, nondecreasing(o), in_range(o, 0, V + 1), in_range(idx, -S, V), unique(p), unique(idx)"),
            std::string::npos)
      << printed;
  std::string other = kText;
  other.replace(other.find(", unique(p)"), 11, "");
  EXPECT_NE(content_hash(*kir_of(kText).module->kernels[0]), content_hash(*kir_of(other).module->kernels[0]));
  // The words are names too.
  expect_kir_round_trip(
      "kir 1\nkernel k(y: out f32[unique], nondecreasing: index) where unique >= nondecreasing { y[0] = 1.0 }");
}

TEST(DataPreconditions, RefusedTexts) {
  const std::pair<const char*, const char*> cases[] = {
      {"kernel k(o: in f32[N]) where nondecreasing(o) { }", "V-71"},
      {"kernel k(o: inout i32[N]) where nondecreasing(o) { }", "V-71"},
      {"kernel k(o: in i32[N, M]) where nondecreasing(o) { }", "V-71"},
      {"kernel k(o: in i32[N], y: out i32[N]) alias { may_alias(o, y) } where unique(o) { }", "V-71"},
      {"kernel k(o: in i32[N]) where unique(z) { }", "T-01"},
      {"kernel k(o: in i32[N]) where in_range(o, 0) { }", "P-03"},
      {"kernel k(o: in i32[N]) where in_range(o, 0, Q) { }", "T-01"},
      {"kernel k(o: in i32[N]) where in_range(o, 0, N < 2) { }", "T-03"},
      {"kernel k(o: in i32[N]) where nondecreasing(o, o) { }", "P-03"},
      {"kernel k(o: in i32[N]) where nondecreasing { }", "T-01"},
  };
  for (auto [text, rule] : cases) {
    KirResult r = kir_of(std::string("kir 1\n") + text);
    EXPECT_FALSE(r.module) << text;
    EXPECT_TRUE(r.has(rule)) << text << r.text();
  }
  // Two views that are only read may share memory.
  EXPECT_TRUE(kir_of("kir 1\nkernel k(o: in i32[N], z: in i32[N]) alias { same(o, z) } where unique(o) { }").module);
  PirResult physical = pir_of(
      "pir 1\nprogram p\nabi {\n  x: view i32[N] in\n  dims N: i64\n  where unique(x)\n}\nlaunch { threads 1 grid G = O0 + L0 "
      "}\n"
      "space {\n  g: (m in 0..N) length L0 = N offset O0 = 0\n}\ndispatch %w: i64 = program_id {\n  O0 <= %w < O0 + L0 -> g(%m "
      "= "
      "%w - O0)\n  else -> exit\n}\ngroup g (%m: i64 in 0..N) {\n}\n");
  EXPECT_TRUE(physical.program) << physical.text();
}

TEST(DataPreconditions, BuiltFactsAreChecked) {
  KirResult r = kir_of(kText);
  ASSERT_TRUE(r.module);
  auto broken = [&](auto change) {
    Kernel k = *r.module->kernels[0];
    change(k);
    Diagnostics d;
    return !verify(k, d) && d.all()[0].id == "V-71";
  };
  EXPECT_TRUE(broken([](Kernel& k) { k.abi.data[0].view = 99; }));
  EXPECT_TRUE(broken([](Kernel& k) { k.abi.data[0].lo = k.pool->constant(0); }));
  EXPECT_TRUE(broken([](Kernel& k) { k.abi.data[1].hi = Expr(); }));
}

std::string refusal(const std::string& where, DType t, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                    const Words& elements, std::int64_t v = 8) {
  std::string axes;
  for (std::size_t k = 0; k < shape.size(); ++k) axes += fmt::format("{}N{}", k ? ", " : "", k);
  std::string steps;
  for (std::size_t k = 0; k < shape.size(); ++k) steps += fmt::format("{}S{}", k ? ", " : "", k);
  auto k =
      parse_kernel(fmt::format("kernel k(o: in {}[{}] strides({}), V: index) where {} {{ }}", name(t), axes, steps, where));
  Arguments a;
  a.strided("o", t, shape, strides, elements).symbol("V", v);
  Diagnostics d;
  const bool bound = bind_launch(k->abi, a.args, d).has_value();
  EXPECT_EQ(bound, d.all().empty());
  if (bound) return "";
  EXPECT_EQ(d.all()[0].id, "A-16");
  EXPECT_FALSE(d.all()[0].range.empty());
  return d.all()[0].message;
}

TEST(DataPreconditions, LaunchesThatBreakThemAreRefusedWithTheElements) {
  using namespace std::string_literals;
  const std::string head = "the precondition ";
  EXPECT_EQ(refusal("nondecreasing(o)", DType::i32, {5}, {1}, {"-3", "0", "0", "2", "9"}), "");
  EXPECT_EQ(refusal("nondecreasing(o)", DType::i32, {5}, {1}, {"-3", "0", "4", "2", "1"}),
            head + "nondecreasing(o) does not hold: o[2] is 4, but o[3] is 2");
  EXPECT_EQ(refusal("nondecreasing(o)", DType::i32, {0}, {1}, {}), "");
  EXPECT_EQ(refusal("nondecreasing(o)", DType::i32, {1}, {1}, {"7"}), "");
  // Signed, but u64 and i1 unsigned.
  EXPECT_EQ(refusal("nondecreasing(o)", DType::i8, {2}, {1}, {"127", "-128"}),
            head + "nondecreasing(o) does not hold: o[0] is 127, but o[1] is -128");
  EXPECT_EQ(refusal("nondecreasing(o)", DType::u64, {2}, {1}, {"1", "18446744073709551615"}), "");
  EXPECT_EQ(refusal("nondecreasing(o)", DType::i1, {2}, {1}, {"false", "true"}), "");
  EXPECT_EQ(refusal("nondecreasing(o)", DType::i32, {3}, {2}, {"1", "2", "3"}), "");
  EXPECT_EQ(refusal("in_range(o, 0, V)", DType::i64, {2, 2}, {2, 1}, {"0", "7", "3", "4"}), "");
  EXPECT_EQ(refusal("in_range(o, 0, V)", DType::i64, {2, 2}, {2, 1}, {"0", "7", "8", "-1"}),
            head + "in_range(o, 0, V) does not hold: o[1, 0] is 8, outside [0, 8)");
  EXPECT_EQ(refusal("in_range(o, V - 8, 3)", DType::i64, {2}, {1}, {"-1", "0"}),
            head + "in_range(o, V - 8, 3) does not hold: o[0] is -1, outside [0, 3)");
  EXPECT_EQ(refusal("in_range(o, 0, 4 floordiv V)", DType::i64, {2}, {1}, {"0", "0"}, 0),
            head + "in_range(o, 0, 4 floordiv V) does not hold: a bound has no value");
  EXPECT_EQ(refusal("unique(o)", DType::i32, {4}, {1}, {"3", "1", "0", "2"}), "");
  EXPECT_EQ(refusal("unique(o)", DType::i32, {5}, {1}, {"5", "3", "1", "3", "5"}),
            head + "unique(o) does not hold: o[1] and o[3] are both 3");
  EXPECT_EQ(refusal("unique(o)", DType::i32, {2, 2}, {0, 1}, {"1", "2", "1", "2"}),
            head + "unique(o) does not hold: o[0, 0] and o[1, 0] are both 1");
}

TEST(DataPreconditions, AReplayCannotCheckThem) {
  auto k = parse_kernel("kernel k(o: in i32[N], y: out i32[N]) where unique(o) { parallel i in 0..N { y[i] = o[i] } }");
  ReplayResult r = interpret_instances(*k, {.symbols = {{"N", 3}}}, {});
  EXPECT_NE(r.outside_contract, "");
}

}  // namespace
}  // namespace kir::test
