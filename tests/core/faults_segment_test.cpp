// Faults of other systems about folds over segments. The right values were computed by hand.
#include "interp_support.h"

namespace kir {
namespace {

using testing::Arguments;
using testing::parse_kernel;
using testing::run_badly;
using testing::run_well;
using testing::Words;

// The segment state of online attention: the maximum, the sum of exponentials below it, and that sum weighted by v.
std::string attention(const std::string& below) {
  const auto scale = [&](const std::string& z, const std::string& m) {
    std::string s = below;
    for (std::size_t at; (at = s.find('Z')) != std::string::npos;) s.replace(at, 1, z);
    for (std::size_t at; (at = s.find('M')) != std::string::npos;) s.replace(at, 1, m);
    return s;
  };
  return R"(
kernel attention(z: in f32[N], v: in f32[N], y: out f32[1]) {
  let (m, s, w) = region_fold [0..N] uses (z, v) summarize [lo..hi] {
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
  y[0] = w / s
})";
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
  // The naive form evaluates -inf - -inf, where a whole segment is masked: its value depends on the cut.
  auto naive = parse_kernel(attention("exp(Z - M)"));
  run_badly(naive, a, RuntimeErrorKind::violated_licence, {"nan"});
}

}  // namespace
}  // namespace kir
