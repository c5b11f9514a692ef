// Faults of other systems about folds over segments. The right values were computed by hand.
#include "interp_support.h"

namespace kir {
namespace {

using testing::Arguments;
using testing::parse_kernel;
using testing::run_badly;
using testing::run_well;
using testing::Words;

// `below` of a score Z and a maximum M.
std::string scaled(const std::string& below, const std::string& z, const std::string& m) {
  std::string s = below;
  for (std::size_t at; (at = s.find('Z')) != std::string::npos;) s.replace(at, 1, z);
  for (std::size_t at; (at = s.find('M')) != std::string::npos;) s.replace(at, 1, m);
  return s;
}

// The segment state of online attention: the maximum, the sum of exponentials below it, and that sum weighted by v.
std::string state(const std::string& below, const std::string& results, const std::string& bounds) {
  const auto scale = [&](const std::string& z, const std::string& m) { return scaled(below, z, m); };
  return "  let (" + results + ") = region_fold [" + bounds + R"(] uses (z, v) summarize [lo..hi] {
    let m = reduce max.nan order(any) over j in lo..hi { z[j] }
    let (s, w) = for j in lo..hi carry (s = f32(0.0), w = f32(0.0)) {
      let zj = z[j]
      let e = )" +
         scale("zj", "m") + R"(
      next s + e, w + e * v[j]
    }
    yield m, s, w
  } combine order(tree) (m0: f32, s0: f32, w0: f32, m1: f32, s1: f32, w1: f32) {
    let m = max.nan(m0, m1)
    let c0 = )" +
         scale("m0", "m") + "\n    let c1 = " + scale("m1", "m") + R"(
    yield m, c0 * s0 + c1 * s1, c0 * w0 + c1 * w1
  } identity (-inf, 0.0, 0.0)
)";
}

std::string attention(const std::string& below) {
  return "kernel attention(z: in f32[N], v: in f32[N], y: out f32[1]) {\n" + state(below, "m, s, w", "0..N") +
         "  y[0] = w / s\n}";
}

// The members before c, those from c on, and their states merged.
std::string cut_attention(const std::string& below) {
  return "kernel attention(z: in f32[N], v: in f32[N], y: out f32[1], c: index) {\n" + state(below, "p1, p2, p3", "0..c") +
         state(below, "q1, q2, q3", "c..N") + "  let m = max.nan(p1, q1)\n  let d = " + scaled(below, "p1", "m") +
         "\n  let e = " + scaled(below, "q1", "m") + "\n  y[0] = (d * p3 + e * q3) / (d * p2 + e * q2)\n}";
}

// shows: K1.5
TEST(Faults, BR40_MaskedSegmentsOfOnlineAttention) {
  auto k = parse_kernel(attention("select(Z == -inf, 0.0, exp(Z - M))"));
  Arguments a;
  a.tensor("z", DType::f32, {4}, {"-inf", "-inf", "0.0", "1.0986123"})
      .tensor("v", DType::f32, {4}, {"10.0", "20.0", "30.0", "40.0"});
  a.tensor("y", DType::f32, {1});
  run_well(k, a);
  EXPECT_NEAR(std::stod(a.elements("y")[0]), 37.5, 1e-5);  // the last score is ln 3, rounded
  // All masked: 0 / 0, whatever the cut.
  Arguments b;
  b.tensor("z", DType::f32, {3}, {"-inf", "-inf", "-inf"}).tensor("v", DType::f32, {3}, {"1.0", "2.0", "3.0"});
  b.tensor("y", DType::f32, {1});
  run_well(k, b);
  EXPECT_EQ(b.elements("y"), Words{"nan"});
  // Every cut, empty segments too.
  auto cut = parse_kernel(cut_attention("select(Z == -inf, 0.0, exp(Z - M))"));
  for (std::int64_t c = 0; c <= 4; ++c) {
    run_well(cut, a.symbol("c", c));
    EXPECT_NEAR(std::stod(a.elements("y")[0]), 37.5, 1e-5) << c;
    if (c > 3) continue;
    run_well(cut, b.symbol("c", c));
    EXPECT_EQ(b.elements("y"), Words{"nan"}) << c;
  }
  a.args.symbols.clear();
  // The naive form evaluates -inf - -inf, where a whole segment is masked: its value depends on the cut.
  auto naive = parse_kernel(attention("exp(Z - M)"));
  run_badly(naive, a, RuntimeErrorKind::violated_licence, {"nan"});
}

}  // namespace
}  // namespace kir
