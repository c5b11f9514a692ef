// Origins are hints: a program says everything itself, and what a program says wrongly no origin mends.
#include <regex>

#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

// One kernel of each kind of mapping: rows, masks, reductions, scans, folds over segments, ragged members, updates, atomics.
const char* const kKernels[] = {"softmax",
                                "two_groups",
                                "masked_store",
                                "first_arg_max",
                                "scans/cumsum",
                                "regions/linear_recurrence_scan",
                                "ragged/ragged_softmax",
                                "atomics/histogram_weighted",
                                "indexing/scatter_permutation",
                                "control/skip_negative_sum",
                                "contractions/gemm_i8"};

// shows: K8.4
TEST(Origins, WithoutThemEachVerdictIsTheSame) {
  for (const char* name : kKernels) {
    SCOPED_TRACE(name);
    const std::string kir = read_file(std::string("corpus/") + name + ".kir");
    const std::string with = constructed(kir, true), without = constructed(kir, false);
    ASSERT_NE(with, without);
    EXPECT_EQ(print(*program(with), {.origins = false}), without);
    const Verdicts a = check_refinement(kir, with), b = check_refinement(kir, without);
    EXPECT_TRUE(a.all_proved()) << a.failures;
    EXPECT_TRUE(b.all_proved()) << b.failures;
    EXPECT_EQ(a.by_kind, b.by_kind);
  }
}

// Every axis, coordinate, domain, predicate and fill is the program's own: damaged, with its origin left as it was, it is
// refused. shows: K8.4
TEST(Origins, TheyVouchForNothing) {
  struct Damaged {
    const char* kernel;
    Damage damage;
  };
  const Damaged all[] = {
      {"row_sum", {"%m = %w - O0", "%m = M - 1 - %w floordiv 2"}},
      {"row_sum", {"load x[%m, %n] !", "load x[%m, N - 1] !"}},
      {"row_sum", {"in 0..N) map", "in 0..N - 1) map"}},
      {"masked_store", {" where %t1 !", " !"}},
      {"scans/cumsum", {"for %n: i64 in 0..N {", "for %n: i64 in 1..N {"}},
      {"reductions/masked_mean", {"load keep[%m, %n] !", "load keep[%m, N - 1 - %n] !"}},
  };
  for (const Damaged& d : all) {
    const std::string kir = read_file(std::string("corpus/") + d.kernel + ".kir"), good = constructed(kir, true);
    const std::string bad = replaced(good, d.damage.from, d.damage.to);
    const Verdicts with = check_refinement(kir, bad);
    EXPECT_FALSE(with.all_proved()) << d.kernel << ": " << d.damage.to;
    EXPECT_EQ(with.by_kind, check_refinement(kir, std::regex_replace(bad, std::regex(" ![0-9]+"), "")).by_kind) << d.damage.to;
  }
}

}  // namespace
}  // namespace kir::test
