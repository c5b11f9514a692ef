// Public faults of peers in launches and bounds checks, with their right values, on the reference interpreter.
#include <cstdint>

#include "tests/core/interp_support.h"

namespace kir {
namespace {

using namespace testing;

std::int64_t sum_of(const Arguments& a, const std::string& view) {
  std::int64_t out = 0;
  for (const std::string& v : a.elements(view)) out += std::stoll(v);
  return out;
}

TEST(Faults, BR05_MoreMembersThanAGridAxisHolds) {
  auto k = parse_kernel(R"(kernel k(y: out i32[B, 6]) {
    parallel b in 0..B, h in 0..6 { y[b, h] = to_i32(b * 6 + h) }
  })");
  for (auto [batches, sum] : {std::pair<int, std::int64_t>{10922, 2147188746}, {10923, 2147581953}}) {
    Arguments a;
    a.tensor("y", DType::i32, {batches, 6});
    run_well(k, a);
    EXPECT_EQ(sum_of(a, "y"), sum);
  }
  Arguments a;
  a.tensor("y", DType::i32, {10923, 6});
  run_well(k, a, {.order_seed = 7});
  EXPECT_EQ(a.elements("y").at(10922 * 6 + 5), "65537");
}

TEST(Faults, BR06_AnEmptyGroupHasNoEffectAndIsNoError) {
  auto k = parse_kernel(R"(kernel k(a: out i32[LA], b: out i32[LB]) {
    parallel i in 0..LA { a[i] = i32(1) }
    parallel j in 0..LB { b[j] = to_i32(10 + j) }
  })");
  struct Case {
    std::int64_t first, second;
    Words a, b;
  };
  for (const Case& c : {Case{0, 3, {}, {"10", "11", "12"}}, Case{2, 0, {"1", "1"}, {}}, Case{0, 0, {}, {}}}) {
    Arguments a;
    a.tensor("a", DType::i32, {c.first}).tensor("b", DType::i32, {c.second});
    for (int call = 0; call < 2; ++call) {
      run_well(k, a);
      EXPECT_EQ(a.elements("a"), c.a);
      EXPECT_EQ(a.elements("b"), c.b);
    }
  }
}

TEST(Faults, BR46_AnIndexThatWrapsIsNegativeBeyond65536Programs) {
  auto k = parse_kernel(R"(kernel k(y: inout i32[N]) {
    parallel p in 0..N {
      let offset = to_i32(p) * 32768
      if offset >= 0 { y[p] = i32(1) }
    }
  })");
  Arguments a;
  a.tensor("y", DType::i32, {72000});
  run_well(k, a);
  const Words y = a.elements("y");
  EXPECT_EQ(y[65535], "1");
  EXPECT_EQ(y[65536], "0");
  EXPECT_EQ(sum_of(a, "y"), 65536);
}

TEST(Faults, BR47_AnAccessIsBoundedByTheConditionAroundIt) {
  const std::string text = R"(kernel k(x: in i32[5], y: out i32[5]) {
    parallel i in 0..8 {
      if i LIMIT 5 { y[i] = x[i] + 1 }
    }
  })";
  auto with = [&](const std::string& comparison) {
    std::string t = text;
    return parse_kernel(t.replace(t.find("LIMIT"), 5, comparison));
  };
  Arguments a;
  a.tensor("x", DType::i32, {5}, {"1", "2", "3", "4", "5"}).tensor("y", DType::i32, {5});
  run_well(with("<"), a);
  EXPECT_EQ(a.elements("y"), (Words{"2", "3", "4", "5", "6"}));
  run_badly(with("<="), a, RuntimeErrorKind::out_of_bounds, {"load x[5] is outside [0, 5)", "i = 5"});
}

}  // namespace
}  // namespace kir
