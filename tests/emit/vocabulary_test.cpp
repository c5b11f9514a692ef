// Every row of the operation table: physical operations are emitted by both providers, the others are refused by name. The
// meaning of each is tested beside this file; pointwise_test.cpp takes its operations from the table itself.
#include "core/interp/interpreter.h"
#include "core/ir/op_table.h"
#include "program_builder.h"
#include "run_pir.h"

namespace kir {
namespace {

using namespace testing;

const char* kViews = " x: view f32[N] strides(1) in align 4\n y: view f32[N] strides(1) out align 4";

// A group's body that holds the operation, for each physical operation that is not pointwise.
const std::map<OpKind, std::string>& bodies() {
  static const std::map<OpKind, std::string> kBodies = {
      {OpKind::load, "%v: f32 = load x[%i]  store y[%i] = %v"},
      {OpKind::store, "%v: f32 = load x[%i]  store y[%i] = %v"},
      {OpKind::for_loop,
       "%z: f32 = constant 0.0\n %v: f32 = for %t: i64 in 0..%i carry (%a: f32 = %z) { %b: f32 = add %a, %a  next %b }\n store "
       "y[%i] = %v"},
      {OpKind::next,
       "%z: f32 = constant 0.0\n %v: f32 = for %t: i64 in 0..%i carry (%a: f32 = %z) { %b: f32 = add %a, %a  next %b }\n store "
       "y[%i] = %v"},
      {OpKind::while_loop,
       "%v: i64 = while carry (%a: i64 = %i) when { %g: i1 = index %a > 3  yield %g } do { %b: i64 = index %a - 3  next %b }\n"
       "%f: f32 = convert.sint %v\n store y[%i] = %f"},
      {OpKind::if_else, "%c: i1 = index %i > 1\n if %c { %v: f32 = load x[%i]  store y[%i] = %v }"},
      {OpKind::yield,
       "%c: i1 = index %i > 1\n %v: f32 = if %c { %a: f32 = load x[%i]  yield %a } else { %b: f32 = constant 2.0  yield %b }\n "
       "store y[%i] = %v"},
      {OpKind::assume, "%c: i1 = index %i >= 0\n assume %c"},
      {OpKind::reduce,
       "%v: f32 = reduce (%n: i64 in 0..%i + 1) map { %a: f32 = load x[%n]  yield %a } combine order(any) (%p: f32, %q: f32) { "
       "%r: f32 = add %p, %q  yield %r }\n store y[%i] = %v"},
      {OpKind::atomic_load, "%v: f32 = atomic_load x[%i] order(relaxed) share(invocation)\n store y[%i] = %v"},
      {OpKind::atomic_store, "%v: f32 = load x[%i]\n atomic_store y[%i] = %v order(relaxed) share(invocation)"},
      {OpKind::atomic_rmw,
       "%v: f32 = load x[%i]\n store y[%i] = %v\n %o: f32 = atomic_rmw.add y[%i], %v order(relaxed) share(invocation)"},
      {OpKind::atomic_cas,
       "%v: f32 = load x[%i]\n %w2: f32 = constant 2.0\n store y[%i] = %v\n"
       "(%o: f32, %p: i1) = atomic_cas y[%i], %v, %w2 order(relaxed, relaxed) share(invocation)"},
      {OpKind::break_loop,
       "%z: f32 = constant 0.0\n %v: f32 = for %t: i64 in 0..%i carry (%a: f32 = %z) {\n %c: i1 = index %t > 3\n"
       "if %c { break %a }\n %b: f32 = load x[%t]\n %d: f32 = add %a, %b\n next %d }\n store y[%i] = %v"},
      {OpKind::continue_loop,
       "%z: f32 = constant 0.0\n %v: f32 = for %t: i64 in 0..%i carry (%a: f32 = %z) {\n %c: i1 = index %t > 3\n"
       "if %c { continue %z }\n %b: f32 = load x[%t]\n %d: f32 = add %a, %b\n next %d }\n store y[%i] = %v"},
      {OpKind::assume_in_bounds, "assume_in_bounds x[%i]\n %v: f32 = load x[%i]  store y[%i] = %v"},
      {OpKind::philox4x32_10,
       "%k: i32 = constant 7\n %j: i32 = convert.wrap %i\n (%a: i32, %b: i32, %c: i32, %d: i32) = philox4x32_10 %k, %j, %j, "
       "%k, %k, "
       "%j\n %e: i32 = xor %a, %d\n %v: f32 = convert.bits %e\n store y[%i] = %v"},
      {OpKind::arg_reduce,
       "(%v: f32, %a: i64) = arg_reduce max tie(last) nan(last) (%n: i64 in 0..%i + 1) map { %e: f32 = load x[%n]  yield %e }\n"
       "%f: f32 = convert.sint %a\n %s: f32 = add %v, %f\n store y[%i] = %s"},
      {OpKind::contract,
       "%z: f32 = constant 0.0\n %v: f32 = contract batch() free( | ) paired(%n: i64 in 0..%i + 1) lhs { %a: f32 = load x[%n]  "
       "yield %a "
       "} rhs { %b: f32 = load x[%i]  yield %b } product exact accumulate f32 order(any) init (%z)\n store y[%i] = %v"},
      {OpKind::splat,
       "%z: f32 = constant 1.5\n %f: f32<4> = splat %z\n %k: i64<4> = index %i + 0 * pos(0)\n %in: i1<4> = index pos(0) == 3\n "
       "store y[%k] = %f where %in"},
      {OpKind::tile_reduce,
       "%z: f32 = constant 1.5\n %f: f32<4> = splat %z\n %s: f32 = tile_reduce %f axes(0) order(any) combine (%p: f32, %q: "
       "f32) { %r: f32 = add %p, %q  yield %r }\n store y[%i] = %s"},
      {OpKind::buffer,
       "b: view f32[%i + 1] = buffer [%i + 1] scope(private) capacity (N) init (%k: i64) { %v: f32 = load x[%k]  yield %v }\n "
       "%v: f32 = load b[%i]\n store y[%i] = %v"},
      {OpKind::scan,
       "b: view f32[13] = buffer [13] scope(private)\n %t: f32 = scan inclusive reverse (%n: i64 in 0..%i + 1) map { %a: f32 = "
       "load x[%n]  yield %a } combine order(any) (%p: f32, %q: f32) { %r: f32 = add %p, %q  yield %r } result (%n: i64, %s: "
       "f32) "
       "{ store b[%n] = %s }\n %v: f32 = load b[%i]\n %w: f32 = add %t, %v\n store y[%i] = %w"},
      {OpKind::region_fold,
       "%z: f32 = constant 0.0\n %s: f32 = region_fold [0..%i + 1] where (%j: i64) { %e: f32 = load x[%j]  %c: i1 = cmp.ogt "
       "%e, "
       "%z  yield %c } summarize [%lo: i64..%hi: i64] { %t: f32 = reduce (%n: i64 in %lo..%hi) map { %e: f32 = load x[%n]  "
       "yield "
       "%e } combine order(any) (%p: f32, %q: f32) { %r: f32 = add %p, %q  yield %r }\n yield %t } combine order(tree) (%p: "
       "f32, "
       "%q: f32) { %r: f32 = mul %p, %q  yield %r } identity (1.0)\n store y[%i] = %s"},
      {OpKind::region_scan,
       "b: view f32[13] = buffer [13] scope(private)\n %g: f32 = constant 1.0\n %s: f32 = region_scan [0..%i + 1] init (%g) "
       "summarize [%lo: i64..%hi: i64] { %t: f32 = reduce (%n: i64 in %lo..%hi) map { %e: f32 = load x[%n]  yield %e } combine "
       "order(any) (%p: f32, %q: f32) { %r: f32 = add %p, %q  yield %r }\n yield %t } combine order(strict) (%p: f32, %q: f32) "
       "{ "
       "%r: f32 = add %p, %q  yield %r } apply (%p: f32, %q: f32) { %r: f32 = add %q, %p  yield %r } emit [%lo: i64..%hi: i64] "
       "(%h: f32) { store b[%lo] = %h }\n %v: f32 = load b[%i]\n %w: f32 = mul %s, %v\n store y[%i] = %w"},
  };
  return kBodies;
}

class OperationTable : public ::testing::TestWithParam<OpKind> {};

TEST_P(OperationTable, IsEmittedByEveryProviderOrOfTheOtherVocabulary) {
  const OpRow& r = row(GetParam());
  if (r.vocabulary == Vocabulary::kir) {
    // The text form refuses it; a program that holds it all the same is an error and no crash.
    auto p = elementwise({.inputs = {DType::f32}, .outputs = {DType::f32}},
                         [&](BodyBuilder& b, ExprPool&, const std::vector<ValueId>& x, ValueId) {
                           b.emit(r.kind, {}, {}, {});
                           return std::vector<ValueId>{x[0]};
                         });
    Diagnostics diagnostics;
    EXPECT_FALSE(emit::emit_host(*p, diagnostics));
    ASSERT_FALSE(diagnostics.all().empty());
    EXPECT_EQ(diagnostics.all()[0].id, "E-02");
    EXPECT_NE(diagnostics.all()[0].message.find(r.name), std::string::npos);
    EXPECT_EQ(gpu_errors(*p), std::vector<std::string>{"E-02"});
    return;
  }
  if (is_pointwise(r.kind)) return;  // pointwise_test.cpp
  ASSERT_TRUE(bodies().contains(r.kind)) << "no emission test for `" << r.name << "`";
  auto p = parse_program(one_group(kViews, bodies().at(r.kind)));
  ASSERT_TRUE(p);
  bool holds = false;
  for (std::uint32_t i = 0; i < p->body.op_count(); ++i) holds = holds || p->body.op(OpId(i)).kind == r.kind;
  EXPECT_TRUE(holds);
  // The host's results are the physical interpreter's, on random contents.
  for (std::uint64_t seed : {1, 2, 3}) {
    auto x = zeros(DType::f32, {13}), on_host = zeros(DType::f32, {13}), interpreted = zeros(DType::f32, {13});
    fill_random(*x, seed, seed == 3);
    ASSERT_EQ(run_on_host(*p, {.views = {{"x", x}, {"y", on_host}}}), "");
    Diagnostics diagnostics;
    auto bound = bind_launch(p->abi, {.views = {{"x", x}, {"y", interpreted}}}, diagnostics);
    ASSERT_TRUE(bound);
    InterpretResult result = interpret(*p, *bound);
    ASSERT_TRUE(result.ok()) << result.error->message;
    for (std::int64_t i = 0; i < 13; ++i) {
      const Scalar a = on_host->load(i), b = interpreted->load(i);
      EXPECT_TRUE(a == b || (a.is_nan() && b.is_nan()))
          << literal_text(a) << " on the host, " << literal_text(b) << " interpreted, at " << i;
    }
  }
  EXPECT_NE(gpu_code(*p), "");
}

std::vector<OpKind> all_kinds() {
  std::vector<OpKind> out;
  for (const OpRow& r : op_table()) out.push_back(r.kind);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, OperationTable, ::testing::ValuesIn(all_kinds()), [](const auto& info) {
  std::string n(row(info.param).name);
  for (char& c : n)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return n;
});

}  // namespace
}  // namespace kir
