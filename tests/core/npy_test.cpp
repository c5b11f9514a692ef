#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/interp/tensor.h"
#include "tests/temporary_folder.h"

namespace kir {
namespace {

std::string sample(const std::string& name) { return std::string(KIR_SOURCE_DIR "/tests/core/data/npy/") + name + ".npy"; }

Tensor read(const std::string& name, std::optional<DType> expected = {}) {
  std::string error;
  std::optional<Tensor> t = read_npy(sample(name), expected, &error);
  EXPECT_TRUE(t.has_value()) << error;
  return t ? *t : Tensor{};
}

std::string refusal(const std::string& path, std::optional<DType> expected = {}) {
  std::string error;
  EXPECT_FALSE(read_npy(path, expected, &error).has_value()) << path;
  return error;
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Npy, ReadsWhatNumPyWrote) {
  for (const char* file : {"f32_c", "f32_fortran"}) {
    Tensor t = read(file);
    EXPECT_EQ(t.dtype, DType::f32);
    EXPECT_EQ(t.shape, (std::vector<std::int64_t>{3, 4}));
    EXPECT_EQ(t.strides, (std::vector<std::int64_t>{4, 1}));
    for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(t.load(i).as_double(), static_cast<double>(i)) << file;
  }
  Tensor version2 = read("f64_version2");
  EXPECT_EQ(version2.load(11).as_double(), 11.0 / 8);
  Tensor half = read("f16");
  EXPECT_EQ(half.load(1).bits, 0x8000u);
  EXPECT_TRUE(std::isinf(half.load(2).as_double()));
  EXPECT_TRUE(half.load(3).is_nan());
  EXPECT_EQ(half.load(4).bits, 1u);
  EXPECT_EQ(read("bool").dtype, DType::i1);
  Tensor scalar = read("scalar_i64");
  EXPECT_EQ(scalar.shape.size(), 0u);
  EXPECT_EQ(scalar.load(0).as_signed(), -7);
  EXPECT_EQ(read("empty").shape, (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(read("u64").load(0).bits, ~0ull);
  EXPECT_EQ(read("i8").load(0).as_signed(), -128);
  EXPECT_EQ(read("i16").load(0).as_signed(), -2);
}

TEST(Npy, TakesBitsWhenToldTheType) {
  EXPECT_EQ(read("u16", DType::bf16).load(0).as_double(), 1.0);
  EXPECT_TRUE(read("u8", DType::f8e4m3).load(1).is_nan());
  EXPECT_EQ(read("u8", DType::i8).load(2).as_signed(), -1);
  EXPECT_EQ(read("u64", DType::i64).load(0).as_signed(), -1);
}

TEST(Npy, RefusesWhatItCannotHold) {
  EXPECT_NE(refusal(sample("u16")).find("told"), std::string::npos);
  EXPECT_NE(refusal(sample("big_endian")).find("big-endian"), std::string::npos);
  EXPECT_NE(refusal(sample("complex")).find("<c8"), std::string::npos);
  EXPECT_NE(refusal(sample("f32_c"), DType::f64).find("f64"), std::string::npos);
  EXPECT_NE(refusal(sample("u8"), DType::i1).find("boolean"), std::string::npos);
  EXPECT_NE(refusal(sample("no_such_file")).find("No such file"), std::string::npos);
}

TEST(Npy, RefusesEveryTruncationAndNeverCrashesOnDamage) {
  const std::string whole = contents(sample("f32_c"));
  testing::TemporaryFolder folder;
  const std::string path = folder.file("damaged.npy");
  auto write = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  for (std::size_t n = 0; n < whole.size(); n += 3) {
    write(whole.substr(0, n));
    refusal(path);
  }
  write(whole + "x");
  refusal(path);
  for (std::size_t i = 0; i < 128; ++i)
    for (char c : {'9', '('}) {
      std::string damaged = whole;
      damaged[i] = c;
      write(damaged);
      std::string error;
      read_npy(path, std::nullopt, &error);
    }
}

TEST(Npy, WritesWhatItReads) {
  testing::TemporaryFolder folder;
  const std::string path = folder.file("round_trip.npy");
  for (int k = 0; k < kDTypeCount; ++k)
    for (std::vector<std::int64_t> shape : {std::vector<std::int64_t>{}, {5}, {0, 3}, {2, 3, 4}}) {
      Tensor t = Tensor::row_major(static_cast<DType>(k), shape);
      fill_random(t, 7, true);
      std::string error;
      ASSERT_TRUE(write_npy(path, t, &error)) << error;
      std::optional<Tensor> back = read_npy(path, t.dtype, &error);
      ASSERT_TRUE(back) << error;
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->bytes, t.bytes) << name(t.dtype);
    }
}

TEST(Npy, WritesTheBytesThatNumPyWrites) {
  testing::TemporaryFolder folder;
  const std::string path = folder.file("same_bytes.npy");
  for (const char* file : {"f32_c", "f16", "bool", "scalar_i64", "empty", "u64"}) {
    std::string error;
    ASSERT_TRUE(write_npy(path, read(file), &error)) << error;
    EXPECT_EQ(contents(path), contents(sample(file))) << file;
  }
}

TEST(Npy, LeavesNothingBehindWhenItCannotWrite) {
  std::string error;
  EXPECT_FALSE(write_npy("/no/such/folder/x.npy", Tensor::row_major(DType::f32, {2}), &error));
  EXPECT_NE(error.find("No such file"), std::string::npos);
}

TEST(Tensor, StridedStorage) {
  Tensor t = Tensor::strided(DType::i16, {3, 2}, {1, 4});
  EXPECT_EQ(t.bytes.size(), 7u * 2);
  t.store(t.address(std::vector<std::int64_t>{2, 1}), Scalar::of_int(DType::i16, 9));
  EXPECT_EQ(t.load(6).as_signed(), 9);
  EXPECT_EQ(t.dense().load(5).as_signed(), 9);
  EXPECT_EQ(storage_bytes(DType::f32, std::vector<std::int64_t>{std::int64_t{1} << 61}, std::vector<std::int64_t>{1}),
            std::nullopt);
  EXPECT_EQ(storage_bytes(DType::f32, std::vector<std::int64_t>{(std::int64_t{1} << 61) - 1}, std::vector<std::int64_t>{1}),
            INT64_MAX - 3);
  EXPECT_EQ(storage_bytes(DType::i8, std::vector<std::int64_t>{2, -1}, std::vector<std::int64_t>{1, 1}), std::nullopt);
}

TEST(Random, IsAFunctionOfSeedTypeAndElement) {
  Tensor a = Tensor::row_major(DType::f32, {50, 40}), b = Tensor::strided(DType::f32, {50, 40}, {64, 1});
  fill_random(a, 3, true);
  fill_random(b, 3, true);
  EXPECT_EQ(a.bytes, b.dense().bytes);
  EXPECT_EQ(random_scalar(DType::f32, 3, 41, true), a.load(41));
  fill_random(b, 4, true);
  EXPECT_NE(a.bytes, b.dense().bytes);
}

TEST(Random, EvenSeedsGiveSmallIntegersAndSpecialGivesSpecials) {
  int nans = 0, infinities = 0, denormals = 0, zeros = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double v = random_scalar(DType::f32, 2, i, false).as_double();
    EXPECT_TRUE(v == std::floor(v) && std::fabs(v) <= 8);
    const double s = random_scalar(DType::f32, 2, i, true).as_double();
    nans += std::isnan(s);
    infinities += std::isinf(s);
    denormals += s != 0 && std::fabs(s) < 0x1p-126;
    zeros += s == 0 && std::signbit(s);
  }
  EXPECT_GT(nans, 20);
  EXPECT_GT(infinities, 20);
  EXPECT_GT(denormals, 20);
  EXPECT_GT(zeros, 10);
}

}  // namespace
}  // namespace kir
