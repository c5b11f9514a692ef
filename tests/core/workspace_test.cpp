// The workspace of a physical program: its text, and what instances that share a buffer do.
#include "interp_support.h"
#include "text_support.h"

namespace kir::test {
namespace {

// Each row backwards, through a row of the shared buffer.
const std::string kBackwards = R"(pir 1
program backwards
abi {
  x: view i64[M, N] strides(N, 1) in
  y: view i64[M, N] strides(N, 1) out
  dims M: i64, N: i64
}
launch { threads 1 pack 2 grid G = ceildiv(O0 + L0, 2) }
space {
  g0: (m in 0..M) length L0 = M offset O0 = 0
}
workspace {
  b: view i64[M, N]
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  else -> exit
}
group g0 (%m: i64 in 0..M) {
  for %n: i64 in 0..N {
    %v: i64 = load x[%m, %n]
    store b[%m, %n] = %v
  }
  for %n: i64 in 0..N {
    %v: i64 = load b[%m, N - 1 - %n]
    store y[%m, %n] = %v
  }
}
)";

std::string with(std::string from, std::string to, std::string text = kBackwards) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Outcome {
  std::vector<std::int64_t> y;
  std::string error;
};

Outcome run(const std::string& text, std::int64_t m, std::int64_t n, std::uint64_t seed = 0) {
  PirResult r = pir_of(text);
  EXPECT_TRUE(r.program) << r.text();
  if (!r.program) return {};
  auto in = std::make_shared<Tensor>(Tensor::row_major(DType::i64, {m, n}));
  auto out = std::make_shared<Tensor>(Tensor::row_major(DType::i64, {m, n}));
  for (std::int64_t i = 0; i < m * n; ++i) in->store(i, Scalar::of_int(DType::i64, i));
  Diagnostics d;
  auto bound = bind_launch(r.program->abi, {.views = {{"x", in}, {"y", out}}, .scalars = {}, .symbols = {}}, d);
  EXPECT_TRUE(bound);
  InterpretOptions options;
  options.order_seed = seed;
  InterpretResult result = interpret(*r.program, *bound, options);
  Outcome o;
  if (result.error) o.error = std::string(name(result.error->kind)) + ": " + result.error->message;
  for (std::int64_t i = 0; i < m * n; ++i) o.y.push_back(out->load(i).as_signed());
  return o;
}

void refused(const std::string& text, const std::string& id, const std::string& at) {
  PirResult r = pir_of(text);
  EXPECT_FALSE(r.program);
  EXPECT_TRUE(r.has(id)) << r.text();
  EXPECT_NE(r.text().find(at), std::string::npos) << r.text();
}

// shows: K5.1 K5.8
TEST(Workspace, KeepsItsForm) {
  for (const std::string& text :
       {kBackwards, with("view i64[M, N]\n}\ndispatch", "view i64[G * 2, N]\n  c: view f32[]\n}\ndispatch"),
        with("workspace {\n  b: view i64[M, N]\n}", "workspace { b: view i64[L0, N] c: view i1[4] }")}) {
    PirResult first = pir_of(text);
    ASSERT_TRUE(first.program) << first.text();
    const std::string printed = print(*first.program);
    PirResult second = pir_of(printed);
    ASSERT_TRUE(second.program) << second.text();
    EXPECT_EQ(print(*second.program), printed);
    EXPECT_TRUE(structurally_equal(first.program->body, second.program->body));
  }
  EXPECT_EQ(print(*pir_of(kBackwards).program).find("workspace {\n  b: view i64[M, N]\n}\n") == std::string::npos, false);
  EXPECT_NE(content_hash(*pir_of(kBackwards).program),
            content_hash(*pir_of(with("b: view i64[M, N]", "b: view i64[M + 1, N]")).program));
  EXPECT_EQ(pir_of(kBackwards).program->abi.views.size(), 2u);
}

TEST(Workspace, ErrorsOfItsTextHaveAPlace) {
  refused(with("b: view i64[M, N]", "b: i64"), "T-03", "test.pir:13:6: error: a buffer of the workspace is a view");
  EXPECT_EQ(pir_of(with("b: view i64[M, N]", "b: i64")).diagnostics.error_count(), 1u);
  refused(with("b: view i64[M, N]", "b: view i64[Q, N]"), "T-01", "Q");
  refused(with("b: view i64[M, N]", "b: view i64[M, N] b: view i64[M]"), "T-02", "b");
  refused(with("b: view i64[M, N]", "x: view i64[M, N]"), "T-02", "x");
  refused(with("b: view i64[M, N]\n}", "b: view i64[M, N]\n"), "P-03", "dispatch");
  refused(with("b: view i64[M, N]", "b view i64[M, N]"), "P-03", "view");
}

// shows: K5.1 K5.5
TEST(Workspace, InstancesWithSlicesOfTheirOwnShareABuffer) {
  for (std::uint64_t seed : {0, 1, 2}) {
    Outcome o = run(kBackwards, 3, 2, seed);
    EXPECT_EQ(o.error, "");
    EXPECT_EQ(o.y, (std::vector<std::int64_t>{1, 0, 3, 2, 5, 4}));
  }
  EXPECT_EQ(run(kBackwards, 0, 4).error, "");
}

// shows: K5.5
TEST(Workspace, WhatTwoInstancesAccessRaces) {
  EXPECT_EQ(run(with("store b[%m, %n]", "store b[0, %n]"), 3, 2).error.find("race"), 0u);
  EXPECT_EQ(run(with("load b[%m, N", "load b[max(%m - 1, 0), N"), 3, 2).error.find("race"), 0u);
}

// shows: K5.3
TEST(Workspace, HasNoContentsWhenTheLaunchBegins) {
  EXPECT_EQ(run(with("0..N {\n    %v: i64 = load x", "1..N {\n    %v: i64 = load x"), 3, 2).error.find("uninitialized_read"),
            0u);
}

TEST(Workspace, EndsAtItsExtents) {
  EXPECT_EQ(run(with("b: view i64[M, N]", "b: view i64[M, N - 1]"), 3, 2).error.find("out_of_bounds"), 0u);
  EXPECT_EQ(run(with("b: view i64[M, N]", "b: view i64[M * (0 - 1), N]"), 3, 2).error.find("out_of_bounds"), 0u);
}

TEST(Workspace, WhoseSizeHasNoValueIsRefused) {
  EXPECT_EQ(run(with("b: view i64[M, N]", "b: view i64[M floordiv (N - 2), N]"), 3, 2).error.find("zero_divisor"), 0u);
  EXPECT_EQ(run(with("b: view i64[M, N]", "b: view i64[M * 4611686018427387904, N]"), 3, 2).error.find("launch_overflow"), 0u);
  EXPECT_NE(
      run(with("b: view i64[M, N]", "b: view i64[M * 1099511627776, 1048576]"), 3, 2).error.find("than this machine holds"),
      std::string::npos);
}

}  // namespace
}  // namespace kir::test
