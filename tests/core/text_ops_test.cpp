// Every row of the operation table in the text forms: a text that round-trips and one that is refused.
#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

// shows: K1.3 K1.4 K1.5
TEST(TextOperations, EveryRowRoundTripsAndIsRefused) {
  std::vector<OpSample> samples = op_samples();
  for (const OpRow& r : op_table()) {
    auto sample = std::find_if(samples.begin(), samples.end(), [&](const OpSample& s) { return s.kind == r.kind; });
    EXPECT_NE(sample, samples.end()) << "the operation '" << r.name << "' has no sample";
    if (sample == samples.end()) continue;
    SCOPED_TRACE(std::string(r.name));
    if (sample->physical) {
      expect_pir_round_trip(sample->good);
      PirResult good = pir_of(sample->good);
      ASSERT_TRUE(good.program);
      EXPECT_TRUE(contains_op(good.program->body, r.kind));
      PirResult bad = pir_of(sample->bad);
      EXPECT_FALSE(bad.program);
      EXPECT_TRUE(bad.has(sample->rule)) << bad.text();
    } else {
      expect_kir_round_trip(sample->good);
      KirResult good = kir_of(sample->good);
      ASSERT_TRUE(good.module);
      EXPECT_TRUE(contains_op(good.module->kernels[0]->body, r.kind));
      KirResult bad = kir_of(sample->bad);
      EXPECT_FALSE(bad.module);
      EXPECT_TRUE(bad.has(sample->rule)) << bad.text();
    }
  }
}

TEST(TextOperations, RowsOfBothVocabulariesRoundTripInPhysicalPrograms) {
  const char* bodies[] = {
      "%r: f32<8; @L> = add %f, %f",
      "%r: i1<8; @L> = cmp.oge %f, %f\n%t: f32<8; @L> = select %r, %f, %f",
      "%r: f64<8; @L> = convert.rn %f",
      "%h: f32<8; @L> = load x[%e] where %in vec 4",
      "store y[%e] = %f where %in vec 1",
      "store y[%m] = %c",
      "%r: f32 = for %t: i32 in 0..N step 2 carry (%a: f32 = %c) { %b: f32 = add %a, %s\n next %b }",
      "(%r: f32, %q: f32) = if %p { yield %c, %s } else { yield %s, %c }",
      "%r: f32 = while carry (%a: f32 = %c) when { %z: i1 = cmp.olt %a, %s\n yield %z } do { %b: f32 = mul %a, %a\n next %b }",
      "%r: f32 = reduce (%n: i64 in 0..N) map { %v: f32 = load x[%n]\n yield %v } combine order(tree) (%a: f32, %b: f32) {"
      " %d: f32 = add %a, %b\n yield %d } identity (-0.0) init (%c)",
      "%r: f32 = contract batch() free( | ) paired(%n: i64 in 0..N, %l: i64 in 1..3) lhs { %v: f32 = load x[%n]\n yield %v } "
      "rhs { "
      "yield %c } product exact accumulate f32 order(tree) unit(1e-06) identity (-0.0) init (%s)",
      "%r: f32 = contract batch() free( | ) paired(%n: i32 in 0..2) lhs { yield %c } rhs { yield %s } product (%u: f32, %v: "
      "f32) { %w: "
      "f32 = mul %u, %v\n yield %w } combine order(any) (%a: f32, %b: f32) { %d: f32 = add %a, %b\n yield %d } init (%c)",
      "(%r: f32, %k: i64) = arg_reduce min tie(last) nan(ignore) (%n: i64 in 0..N) where { %o: i1 = index %n > 2\n yield %o } "
      "map { %v: "
      "f32 = load x[%n]\n yield %v } init (%c, %m)",
      "assume %p",
      "assume_in_bounds x[%m]",
      "%r: f32 = atomic_rmw.add y[%m], %c where %p fill %s order(relaxed) share(invocation)",
      "%r: f32<8; @L> = atomic_rmw.max.num y[%e], %f where %in order(acq_rel) share(system)",
      "(%r: f32<8; @L>, %q: i1<8; @L>) = atomic_cas y[%e], %f, %f order(relaxed, acquire) share(invocation)",
      "atomic_store y[%e] = %f where %in order(release) share(invocation)",
      "%r: i32 = index %m floordiv 2",
      "%r: f32<2> = constant 1.0",
  };
  for (const char* body : bodies) {
    if (std::string(body).find("constant 1.0") != std::string::npos) {
      EXPECT_TRUE(pir_of(program_around(body)).has("T-06"));
      continue;
    }
    expect_pir_round_trip(program_around("%p: i1 = index %m < 3\n" + std::string(body)));
  }
}

// A program's contract is one element, its choice has typed members.
TEST(TextOperations, MalformedFoldsOfProgramsAreRefusedWhereTheyStand) {
  const std::pair<const char*, const char*> cases[] = {
      {"%r: f32 = contract batch() free(%i: i64 in 0..N | ) paired(%n: i64 in 0..N) lhs { yield %c } rhs { yield %c } product "
       "exact "
       "accumulate f32 order(any)",
       "V-48"},
      {"%r: f32 = contract batch() free( | ) paired(n in 0..N) lhs { yield %c } rhs { yield %c } product exact accumulate f32 "
       "order(any)",
       "P-06"},
      {"%r: f32 = contract batch() free( | ) paired(%n: f32 in 0..N) lhs { yield %c } rhs { yield %c } product exact "
       "accumulate f32 "
       "order(any)",
       "V-48"},
      {"%r: f64 = contract batch() free( | ) paired(%n: i64 in 0..N) lhs { yield %c } rhs { yield %c } product exact "
       "accumulate f32 "
       "order(any)",
       "T-04"},
      {"%r: f32 = contract batch() free( | ) paired(%n: i64 in 0..N) lhs { yield %m } rhs { yield %c } product exact "
       "accumulate f32 "
       "order(any)",
       "V-50"},
      {"%r: f32 = contract batch() free( | ) paired(%n: i64 in 0..N) lhs { yield %c } rhs { yield %c } product exact "
       "accumulate f32 "
       "order(any) unit(-1.0)",
       "V-50"},
      {"(%r: f32, %k: i32) = arg_reduce max tie(first) nan(first) (%n: i64 in 0..N) map { yield %c }", "T-04"},
      {"(%r: f32, %k: i64) = arg_reduce max tie(middle) nan(first) (%n: i64 in 0..N) map { yield %c }", "P-03"},
  };
  for (auto [body, rule] : cases) {
    PirResult r = pir_of(program_around(body));
    EXPECT_FALSE(r.program) << body;
    EXPECT_TRUE(r.has(rule)) << body << "\n" << r.text();
    EXPECT_NE(r.text().find('^'), std::string::npos) << r.text();
  }
}

}  // namespace
}  // namespace kir::test
