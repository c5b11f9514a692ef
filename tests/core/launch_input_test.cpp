#include "core/interp/launch_input.h"

#include <filesystem>

#include "tests/core/interp_support.h"
#include "tests/temporary_folder.h"

namespace kir {
namespace {

using namespace testing;

const char* kKernel =
    "kernel k(x: in f32[M, N], y: inout f32[M, N] strides(LD, 1), z: out i64[N], a: f32, i: index) alias { may_alias(x, y) } "
    "where LD >= N "
    "{ for n in 0..N { z[n] = i64(0) } }";

std::optional<LaunchArgs> make(const Abi& abi, std::vector<GivenArgument> given, std::string* error = nullptr) {
  Diagnostics d;
  auto args = make_arguments(abi, given, d);
  EXPECT_EQ(args.has_value(), !d.has_errors());
  if (error) *error = d.all().empty() ? "" : d.all()[0].id + " " + d.all()[0].message;
  return args;
}

struct Files {
  testing::TemporaryFolder folder;
  std::string write(const std::string& name, DType t, std::vector<std::int64_t> shape, std::uint64_t seed) {
    Tensor tensor = Tensor::row_major(t, shape);
    fill_random(tensor, seed, false);
    const std::string path = folder.file(name + ".npy");
    EXPECT_TRUE(write_npy(path, tensor, nullptr));
    return path;
  }
};

TEST(LaunchInput, EveryKindOfArgument) {
  Files files;
  auto k = parse_kernel(kKernel);
  const std::string x = files.write("x", DType::f32, {3, 4}, 7);
  auto args = make(k->abi, {{"x", x}, {"LD", "9"}, {"y", "random:5"}, {"a", "2.5"}, {"i", "-3"}});
  ASSERT_TRUE(args);
  EXPECT_EQ(args->symbols, (std::map<std::string, std::int64_t>{{"M", 3}, {"N", 4}, {"LD", 9}, {"i", -3}}));
  EXPECT_EQ(args->scalars.at("a"), Scalar::of_f32(2.5f));
  EXPECT_EQ(args->views.at("x")->bytes, read_npy(x, DType::f32, nullptr)->bytes);
  EXPECT_EQ(args->views.at("y")->strides, (std::vector<std::int64_t>{9, 1}));
  EXPECT_EQ(args->views.at("y")->load(9), random_scalar(DType::f32, 5, 4, false));
  EXPECT_EQ(args->views.at("z")->load(3).bits, 0u);  // only written: zeros
  Diagnostics d;
  EXPECT_TRUE(bind_launch(k->abi, *args, d).has_value());
}

TEST(LaunchInput, ArraysWrittenOut) {
  auto k = parse_kernel("kernel k(x: in f32[M, N], y: inout i1[M]) { }");
  auto args = make(k->abi, {{"x", "[[1, -0.0, nan], [ 2.5,inf , -3e2]]"}, {"y", "[true, false]"}});
  ASSERT_TRUE(args);
  EXPECT_EQ(args->symbols, (std::map<std::string, std::int64_t>{{"M", 2}, {"N", 3}}));
  Arguments a;
  a.args = *args;
  EXPECT_EQ(a.elements("x"), (Words{"1.0", "-0.0", "nan", "2.5", "inf", "-300.0"}));
  EXPECT_EQ(a.elements("y"), (Words{"true", "false"}));
  auto empty = make(k->abi, {{"x", "[[], []]"}, {"y", "zeros"}});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->symbols, (std::map<std::string, std::int64_t>{{"M", 2}, {"N", 0}}));
  for (const char* wrong : {"[[1, 2], [3]]", "[1, [2]]", "[[1], 2]", "[[1]", "[[1]]]", "[[1.5.2]]", "[[1,]]", "[[true]]", "[]x",
                            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1"}) {
    std::string error;
    EXPECT_FALSE(make(k->abi, {{"x", wrong}, {"y", "zeros"}}, &error)) << wrong;
    EXPECT_NE(error.find("A-14 view x: expected"), std::string::npos) << error;
  }
  EXPECT_FALSE(make(k->abi, {{"x", "[1, 2]"}, {"y", "zeros"}}));  // another rank
  auto point = parse_kernel("kernel k(x: in f16[], y: inout i1[]) { }");
  Arguments lone;
  lone.args = *make(point->abi, {{"x", "2.5"}, {"y", "true"}});
  EXPECT_EQ(lone.elements("x"), Words{"2.5"});
  std::string error;
  EXPECT_FALSE(make(point->abi, {{"x", "70000.0"}, {"y", "true"}}, &error));
  EXPECT_EQ(error, "A-14 view x: expected a literal of f16 within its range at character 1");
  EXPECT_FALSE(make(point->abi, {{"x", "2.5"}, {"y", "1"}}, &error));
  EXPECT_EQ(error, "A-14 view y: expected true or false, the literals of i1 at character 1");
}

TEST(LaunchInput, SharedMemoryStaysSharedInCopies) {
  auto k = parse_kernel("kernel k(x: in f32[N], y: inout f32[N], w: inout f32[N]) alias { may_alias(x, y), same(y, w) } { }");
  auto args = make(k->abi, {{"N", "4"}, {"x", "@y"}, {"y", "random:1"}});
  ASSERT_TRUE(args);
  EXPECT_EQ(args->views.at("x"), args->views.at("y"));
  EXPECT_EQ(args->views.at("w"), args->views.at("y"));
  const LaunchArgs copy = copy_arguments(*args);
  EXPECT_EQ(copy.views.at("x"), copy.views.at("y"));
  EXPECT_NE(copy.views.at("x"), args->views.at("x"));
  EXPECT_EQ(copy.views.at("x")->bytes, args->views.at("x")->bytes);
}

TEST(LaunchInput, FilesAreLaidOutWithTheViewsStrides) {
  Files files;
  auto k = parse_kernel("kernel k(x: in f32[N] strides(S)) { }");
  const std::string x = files.write("x", DType::f32, {3}, 1);
  auto wide = make(k->abi, {{"x", x}, {"S", "2"}});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->views.at("x")->bytes.size(), 20u);
  EXPECT_EQ(wide->views.at("x")->dense().bytes, read_npy(x, DType::f32, nullptr)->bytes);
  std::string error;
  EXPECT_FALSE(make(k->abi, {{"x", x}, {"S", "0"}}, &error));
  EXPECT_NE(error.find("one address"), std::string::npos);
}

TEST(LaunchInput, Refusals) {
  Files files;
  auto k = parse_kernel(kKernel);
  const std::string x = files.write("x", DType::f32, {3, 4}, 7);
  std::string error;
  auto refused = [&](std::vector<GivenArgument> given) {
    EXPECT_FALSE(make(k->abi, given, &error)) << error;
    return error;
  };
  EXPECT_NE(refused({{"q", "1"}}).find("A-02"), std::string::npos);
  EXPECT_NE(refused({{"M", "x"}}).find("A-14"), std::string::npos);
  EXPECT_NE(refused({{"M", "99999999999999999999"}}).find("64 bits"), std::string::npos);
  EXPECT_NE(refused({{"a", "1.5.5"}}).find("no f32"), std::string::npos);
  EXPECT_NE(refused({{"x", "random:"}}).find("A-14"), std::string::npos);
  EXPECT_NE(refused({{"x", "@nobody"}}).find("names no other view"), std::string::npos);
  EXPECT_NE(refused({{"x", "/no/such.npy"}}).find("No such file"), std::string::npos);
  EXPECT_NE(refused({{"z", x}}).find("does not hold i64"), std::string::npos);
  EXPECT_NE(refused({{"x", x}}).find("A-01"), std::string::npos);
  EXPECT_NE(refused({{"x", x}, {"LD", "2"}, {"i", "0"}}).find("LD >= N"), std::string::npos);
  EXPECT_NE(refused({{"M", "3000000000"}, {"N", "1000"}, {"LD", "1000"}, {"i", "0"}, {"x", "zeros"}}).find("A-15"),
            std::string::npos);
  EXPECT_EQ(refused({{"x", x}, {"M", "5"}, {"LD", "4"}, {"i", "0"}, {"y", "zeros"}, {"a", "0"}}),
            "A-05 M is 5 by the argument but 3 by extent 0 of x");
}

TEST(LaunchInput, FilesThatDisagreeOrHaveAnotherRankAreNamed) {
  Files files;
  auto k = parse_kernel("kernel k(x: in f32[M, N], y: in f32[N], z: in f32[N + 1]) { }");
  const std::string x = files.write("x", DType::f32, {3, 4}, 7), y = files.write("y", DType::f32, {5}, 7);
  std::string error;
  EXPECT_FALSE(make(k->abi, {{"x", x}, {"y", y}, {"z", "zeros"}}, &error));
  EXPECT_EQ(error, "A-05 N is 4 by extent 1 of x but 5 by extent 0 of y");
  EXPECT_FALSE(make(k->abi, {{"x", y}, {"y", y}, {"z", "zeros"}}, &error));
  EXPECT_EQ(error, "A-04 view x has rank 2, the argument rank 1");
  // Where the extent is more than a symbol, binding compares.
  auto args = make(k->abi, {{"y", y}, {"x", "zeros"}, {"M", "2"}, {"z", y}});
  ASSERT_TRUE(args);
  Diagnostics d;
  EXPECT_FALSE(bind_launch(k->abi, *args, d));
  EXPECT_EQ(d.all()[0].message, "extent 0 of z is 5, but N + 1 is 6 (N = 5)");
}

}  // namespace
}  // namespace kir
