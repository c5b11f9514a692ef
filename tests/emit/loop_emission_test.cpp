// Loops whose range or step reaches the limits of their type.
#include "core/interp/interpreter.h"
#include "run_pir.h"

namespace kir {
namespace {

using namespace testing;

// The value after the last one may not fit, nor hi - lo: what is left is counted.
TEST(LoopEmission, StridesUpToTheLimitsOfAnIndexEnd) {
  struct Case {
    const char *type, *range;
    std::int64_t iterations, last;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"i64", "0..9223372036854775807 step 9223372036854775806", 2, 9223372036854775806},
                                   {"i64", "-9223372036854775807..9223372036854775807 step 9223372036854775807", 2, 0},
                                   {"i64", "9223372036854775800..9223372036854775807 step 5", 2, 9223372036854775805},
                                   {"i64", "0..1 step 9223372036854775807", 1, 0},
                                   {"i64", "5..5 step 9223372036854775807", 0, -1},
                                   {"i64", "9223372036854775807..-9223372036854775807 step 2", 0, -1},
                                   {"i32", "-2147483648..2147483647 step 2147483647", 3, 2147483646},
                                   {"i32", "2147483640..2147483647 step 6", 2, 2147483646},
                                   {"i32", "2147483645..2147483647", 2, 2147483646}}) {
    SCOPED_TRACE(c.range);
    auto p = parse_program(
        one_group(" y: view i64[2, N] strides(N, 1) out align 8",
                  "%z: i64 = constant 0\n %m: i64 = constant -1\n (%n: i64, %l: i64) = for %t: " + std::string(c.type) +
                      " in " + c.range +
                      " carry (%c: i64 = %z, %d: i64 = %m) {\n %e: i64 = index %c + 1\n"
                      " %f: i64 = index %t + 0\n next %e, %f\n }\n store y[0, %i] = %n\n store y[1, %i] = %l"));
    ASSERT_TRUE(p);
    auto y = zeros(DType::i64, {2, 1});
    EXPECT_EQ(run_on_host(*p, {.views = {{"y", y}}}), "");
    EXPECT_EQ(integers(*y), (std::vector<std::int64_t>{c.iterations, c.last}));
    auto again = zeros(DType::i64, {2, 1});
    Diagnostics diagnostics;
    auto bound = bind_launch(p->abi, {.views = {{"y", again}}}, diagnostics);
    ASSERT_TRUE(bound);
    EXPECT_TRUE(interpret(*p, *bound).ok());
    EXPECT_EQ(integers(*again), integers(*y));
  }
}

}  // namespace
}  // namespace kir
