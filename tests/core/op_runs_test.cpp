// Every row of the operation table runs in the reference interpreter and gives a value known from outside.
// The inputs of every run: x: f32[4] = 1.5, -2.25, 0.5, 4; k: i32[4] = 7, -3, 5, 0. y: f32[4] and w: i32[4] hold zeros
// before; one of them is compared. Expected values are NumPy's, or computed by hand.
#include <set>

#include "core/ir/op_table.h"
#include "interp_support.h"
#include "text_support.h"

namespace kir::test {
namespace {

using testing::Arguments;

enum class Output : std::uint8_t { y, w };

struct Row {
  OpKind kind;
  Output output;
  const char* body;
  std::vector<std::string> elements;
};

using K = OpKind;
constexpr Output y = Output::y, w = Output::w;

// Values in a body: a, b, e = x[0..2] and c, d, f = k[0..2]; p = true.
const std::vector<Row>& kernel_rows() {
  static const std::vector<Row> rows{
      {K::constant, y, "y[0] = f32(0.1)\n y[1] = f32(-inf)", {"0.1", "-inf", "0.0", "0.0"}},
      {K::index, w, "for i in 0..4 { let v: index = index (3 * i - 4) floordiv 2\n w[i] = to_i32(v) }", {"-2", "-1", "1", "2"}},
      {K::add, y, "y[0] = add(a, b)", {"-0.75", "0.0", "0.0", "0.0"}},
      {K::sub, w, "w[0] = sub(d, c)\n w[1] = sub(i32(-2147483648), 1)", {"-10", "2147483647", "0", "0"}},
      {K::buffer,
       w,
       "let b1 = buffer i32[4] init (j) { yield 3 }\n b1[2] = c\n w[0] = b1[1]\n w[1] = b1[2]",
       {"3", "7", "0", "0"}},
      {K::scatter, w, "scatter unique w (j in 0..4) { yield 3 - j, k[j] }", {"0", "5", "-3", "7"}},
      {K::histogram, w, "histogram w (j in 0..4) { yield to_index(k[j]), 2 } out_of_range(clamp)", {"4", "0", "0", "4"}},
      {K::atomic_load, w, "let r = atomic_load w[1] order(acquire)\n w[0] = r + 1", {"1", "0", "0", "0"}},
      {K::atomic_store, w, "atomic_store w[2] = d order(release)", {"0", "0", "-3", "0"}},
      {K::atomic_rmw,
       w,
       "parallel j in 0..4 { atomic_rmw.add w[0], k[j] order(relaxed) }\n let r = atomic_rmw.max.s w[0], 10 order(relaxed)\n "
       "w[1] = r",
       {"10", "9", "0", "0"}},
      {K::atomic_cas,
       w,
       "let (r, t) = atomic_cas w[0], 0, c order(relaxed, relaxed)\n let (u, v) = atomic_cas w[0], 0, d order(relaxed, "
       "relaxed)\n"
       " w[1] = u\n w[2] = to_i32(t)\n w[3] = to_i32(v)",
       {"7", "7", "1", "0"}},
      {K::assume_in_bounds, w, "assume_in_bounds w[3]\n w[3] = c", {"0", "0", "0", "7"}},
      {K::mul, y, "y[0] = mul(a, b)", {"-3.375", "0.0", "0.0", "0.0"}},
      {K::neg, y, "y[0] = neg(a)\n y[1] = neg(y[2])", {"-1.5", "-0.0", "0.0", "0.0"}},
      {K::abs, w, "w[0] = abs(d)", {"3", "0", "0", "0"}},
      {K::div, y, "y[0] = div(a, b)\n y[1] = div(a, f32(-0.0))", {"-0.6666667", "-inf", "0.0", "0.0"}},
      {K::fma,
       y,
       "let t = f32(1.000244140625)\n let u = f32(-1.00048828125)\n y[0] = fma(t, t, u)",
       {"5.9604645e-08", "0.0", "0.0", "0.0"}},
      {K::min_nan,
       y,
       "y[0] = min.nan(a, b)\n y[1] = min.nan(a, f32(nan))\n y[2] = min.nan(f32(0.0), f32(-0.0))",
       {"-2.25", "nan", "-0.0", "0.0"}},
      {K::max_nan,
       y,
       "y[0] = max.nan(a, b)\n y[1] = max.nan(f32(nan), a)\n y[2] = max.nan(f32(-0.0), f32(0.0))",
       {"1.5", "nan", "0.0", "0.0"}},
      {K::min_num, y, "y[0] = min.num(a, b)\n y[1] = min.num(a, f32(nan))", {"-2.25", "1.5", "0.0", "0.0"}},
      {K::max_num, y, "y[0] = max.num(a, b)\n y[1] = max.num(f32(nan), b)", {"1.5", "-2.25", "0.0", "0.0"}},
      {K::sqrt, y, "y[0] = sqrt(e)\n y[1] = sqrt(b)", {"0.70710677", "nan", "0.0", "0.0"}},
      {K::floor, y, "y[0] = floor(a)\n y[1] = floor(b)", {"1.0", "-3.0", "0.0", "0.0"}},
      {K::ceil, y, "y[0] = ceil(a)\n y[1] = ceil(b)", {"2.0", "-2.0", "0.0", "0.0"}},
      {K::trunc, y, "y[0] = trunc(a)\n y[1] = trunc(b)", {"1.0", "-2.0", "0.0", "0.0"}},
      {K::round_even, y, "y[0] = round_even(e)\n y[1] = round_even(a)", {"0.0", "2.0", "0.0", "0.0"}},
      {K::exp, y, "y[0] = exp(e)", {"1.6487212", "0.0", "0.0", "0.0"}},
      {K::exp2, y, "y[0] = exp2(e)", {"1.4142135", "0.0", "0.0", "0.0"}},
      {K::log, y, "y[0] = log(e)", {"-0.6931472", "0.0", "0.0", "0.0"}},
      {K::log2, y, "y[0] = log2(a)", {"0.5849625", "0.0", "0.0", "0.0"}},
      {K::rsqrt, y, "y[0] = rsqrt(e)", {"1.4142135", "0.0", "0.0", "0.0"}},
      {K::sin, y, "y[0] = sin(e)", {"0.47942555", "0.0", "0.0", "0.0"}},
      {K::cos, y, "y[0] = cos(e)", {"0.87758255", "0.0", "0.0", "0.0"}},
      {K::tanh, y, "y[0] = tanh(e)", {"0.46211717", "0.0", "0.0", "0.0"}},
      {K::erf, y, "y[0] = erf(e)", {"0.5204999", "0.0", "0.0", "0.0"}},
      {K::divt, w, "w[0] = divt(c, d)\n w[1] = divt(neg(c), 2)", {"-2", "-3", "0", "0"}},
      {K::remt, w, "w[0] = remt(c, d)\n w[1] = remt(neg(c), 2)", {"1", "-1", "0", "0"}},
      {K::divf, w, "w[0] = divf(c, d)\n w[1] = divf(neg(c), 2)", {"-3", "-4", "0", "0"}},
      {K::remf, w, "w[0] = remf(c, d)\n w[1] = remf(neg(c), 2)", {"-2", "1", "0", "0"}},
      {K::divu, w, "w[0] = divu(d, 2)\n w[1] = divu(c, d)", {"2147483646", "0", "0", "0"}},
      {K::remu, w, "w[0] = remu(d, 10)\n w[1] = remu(c, d)", {"3", "7", "0", "0"}},
      {K::min_s, w, "w[0] = min.s(c, d)", {"-3", "0", "0", "0"}},
      {K::max_s, w, "w[0] = max.s(c, d)", {"7", "0", "0", "0"}},
      {K::min_u, w, "w[0] = min.u(c, d)", {"7", "0", "0", "0"}},
      {K::max_u, w, "w[0] = max.u(c, d)", {"-3", "0", "0", "0"}},
      {K::bit_and, w, "w[0] = and(c, d)", {"5", "0", "0", "0"}},
      {K::bit_or, w, "w[0] = or(c, d)", {"-1", "0", "0", "0"}},
      {K::bit_xor, w, "w[0] = xor(c, d)", {"-6", "0", "0", "0"}},
      {K::bit_not, w, "w[0] = not(c)", {"-8", "0", "0", "0"}},
      {K::shl, w, "w[0] = shl(c, 2)\n w[1] = shl(c, 32)", {"28", "0", "0", "0"}},
      {K::shrl, w, "w[0] = shrl(d, 28)\n w[1] = shrl(d, 32)", {"15", "0", "0", "0"}},
      {K::shra, w, "w[0] = shra(d, 1)\n w[1] = shra(d, 40)", {"-2", "-1", "0", "0"}},
      {K::cmp,
       w,
       "w[0] = to_i32(cmp.ult(c, d))\n w[1] = to_i32(cmp.slt(c, d))\n w[2] = to_i32(cmp.uno(a, f32(nan)))",
       {"1", "0", "1", "0"}},
      {K::select, y, "y[0] = select(p, a, b)\n y[1] = select(not(p), a, b)", {"1.5", "-2.25", "0.0", "0.0"}},
      {K::convert,
       w,
       "let t: i32 = convert.to_sint b\n w[0] = t\n let u: i32 = convert.sat_to_uint b\n w[1] = u\n let v: i32 = convert.bits "
       "a\n w[2] = v",
       {"-2", "0", "1069547520", "0"}},
      {K::load, y, "y[0] = load x[3] where p fill a\n y[1] = load x[3] where not(p) fill a", {"4.0", "1.5", "0.0", "0.0"}},
      {K::store, y, "store y[2] = a where p\n store y[3] = a where not(p)", {"0.0", "0.0", "1.5", "0.0"}},
      {K::tensor,
       y,
       "let t = tensor (i in 0..4) { x[i] * 2.0 }\n for i in 0..4 { y[i] = t[3 - i] }",
       {"8.0", "1.0", "-4.5", "3.0"}},
      {K::elem,
       y,
       "let t = tensor (i in 0..2, j in 0..2) { x[2 * i + j] }\n y[0] = elem t[1, 0]",
       {"0.5", "0.0", "0.0", "0.0"}},
      {K::view, y, "let t = view x[3 - i] for (i in 0..4)\n for i in 0..4 { y[i] = t[i] }", {"4.0", "0.5", "-2.25", "1.5"}},
      {K::transpose,
       y,
       "let t = view x[2 * i + j] for (i in 0..2, j in 0..2)\n let u = transpose t perm(1, 0)\n"
       " parallel i in 0..2, j in 0..2 { y[2 * i + j] = u[i, j] }",
       {"1.5", "0.5", "-2.25", "4.0"}},
      {K::slice, y, "let t = slice x [1..3]\n y[0] = t[0]\n y[1] = t[1]", {"-2.25", "0.5", "0.0", "0.0"}},
      {K::broadcast,
       y,
       "let t = slice x [1..3]\n let u = broadcast t axes(1) to [2, 2]\n for i in 0..2 { for j in 0..2 { y[2 * i + j] = u[i, "
       "j] } }",
       {"-2.25", "0.5", "-2.25", "0.5"}},
      {K::parallel, y, "parallel i in 0..2, j in 0..2 { y[2 * i + j] = x[2 * j + i] }", {"1.5", "0.5", "-2.25", "4.0"}},
      {K::for_loop, y, "let r = for i in 0..4 step 3 carry (s = a) { next s * x[i] }\n y[0] = r", {"9.0", "0.0", "0.0", "0.0"}},
      {K::while_loop,
       w,
       "let r = while carry (s = c) when { let t = s < 100\n yield t } do { next s * 3 }\n w[0] = r",
       {"189", "0", "0", "0"}},
      {K::if_else,
       y,
       "let (r, s) = if a < b { yield a, b } else { yield b, a }\n y[0] = r\n y[1] = s",
       {"-2.25", "1.5", "0.0", "0.0"}},
      {K::yield, y, "let r = if p { yield e } else { yield a }\n y[0] = r", {"0.5", "0.0", "0.0", "0.0"}},
      {K::next,
       w,
       "let (r, s) = for i in 0..3 carry (u = c, v = d) { next v, u }\n w[0] = r\n w[1] = s",
       {"-3", "7", "0", "0"}},
      {K::break_loop,
       w,
       "let r = for i in 0..4 carry (s: i32 = 0) { if k[i] == 5 { break s }\n next s + k[i] }\n w[0] = r",
       {"4", "0", "0", "0"}},
      {K::continue_loop, w, "for i in 0..4 { if k[i] < 0 { continue }\n w[i] = 1 }", {"1", "0", "1", "1"}},
      {K::assume, y, "assume p\n y[0] = a", {"1.5", "0.0", "0.0", "0.0"}},
      {K::reduce,
       y,
       "y[0] = reduce add order(strict) over i in 0..4 { x[i] }\n y[1] = reduce max.nan order(any) over i in 0..4 { x[i] }",
       {"3.75", "4.0", "0.0", "0.0"}},
      {K::arg_reduce,
       w,
       "let (v, j) = arg_reduce min tie(last) nan(first) over i in 0..4 where x[i] > 0.0 { x[i] }\n w[0] = to_i32(j)",
       {"2", "0", "0", "0"}},
      {K::scan,
       y,
       "let (s, t) = scan add exclusive forward order(strict) over i in 0..4 { x[i] }\n for i in 1..4 { y[i] = s[i] }\n y[0] = "
       "t",
       {"3.75", "1.5", "-0.75", "-0.25"}},
      {K::contract,
       y,
       "let t = contract free(i in 0..2 | j in 0..2) paired(n in 0..2) lhs { x[2 * i + n] } rhs { x[2 * n + j] } product exact "
       "accumulate f32 order(strict)\n parallel i in 0..2, j in 0..2 { y[2 * i + j] = t[i, j] }",
       {"1.125", "-12.375", "2.75", "14.875"}},
      {K::region_fold,
       y,
       "let (r, n) = region_fold [0..4] uses (x) where (j) { yield x[j] > 0.0 } summarize [lo..hi] {\n let s = reduce add "
       "order(any) over j in lo..hi { x[j] }\n let n = for j in lo..hi carry (n: f32 = 0.0) { next n + 1.0 }\n yield s, n }\n"
       " combine order(tree) (s: f32, n: f32, t: f32, m: f32) { yield s + t, n + m } identity (0.0, 0.0)\n y[0] = r\n y[1] = n",
       {"6.0", "3.0", "0.0", "0.0"}},
      {K::region_scan,
       w,
       "let (r, s) = region_scan [0..3] uses (k) init (i32(10)) summarize [lo..hi] { let s = reduce add order(any) over j in "
       "lo..hi "
       "{ k[j] }\n yield s } combine order(tree) (u: i32, v: i32) { yield u + v } apply (u: i32, g: i32) { yield u + g }\n"
       " emit [lo..hi] (g: i32) {\n let (h, z) = for j in lo..hi carry (h = g) collect (i32) { let n = h + k[j]\n next n, n "
       "}\n yield z }\n"
       " for i in 0..3 { w[i] = r[i] }\n w[3] = s",
       {"17", "14", "19", "19"}},
      {K::reshape,
       y,
       "let t = reshape x to [2, 2]\n let u = transpose t perm(1, 0)\n let v = reshape u to [4]\n for i in 0..4 { y[i] = v[i] "
       "}",
       {"1.5", "0.5", "-2.25", "4.0"}},
      {K::concat,
       w,
       "let s = slice k [1..3]\n let t = concat axis(0) s, s\n for i in 0..4 { w[i] = t[i] }",
       {"-3", "5", "-3", "5"}},
      {K::iota,
       y,
       "let t: f32[2, 2] = iota axis(1) to [2, 2]\n let u = reshape t to [4]\n for i in 0..4 { y[i] = u[i] }",
       {"0.0", "1.0", "0.0", "1.0"}},
      {K::gather,
       y,
       "let t = gather x[to_index(and(k[i], 3))] for (i in 0..4)\n for i in 0..4 { y[i] = t[i] }",
       {"4.0", "-2.25", "-2.25", "1.5"}},
      {K::part,
       y,
       "let r = part x.0 [1..to_index(f) - 2]\n for j in r { y[j] = x[j] }\n y[3] = to_f32(size(r))",
       {"0.0", "-2.25", "0.5", "2.0"}},
      {K::philox4x32_10,
       w,
       "let (r, s, t, u) = philox4x32_10(0, 0, 0, 0, 0, 0)\n w[0] = r\n w[1] = s\n w[2] = t\n w[3] = u",
       {"1713891541", "-513161843", "-1135104948", "-1694442536"}},
  };
  return rows;
}

std::string kernel_text(const Row& r) {
  return std::string(
             "kir 1\nkernel run(x: in f32[4], k: in i32[4], y: inout f32[4], w: inout i32[4]) {\n"
             " let a = x[0]\n let b = x[1]\n let e = x[2]\n let c = k[0]\n let d = k[1]\n let f = k[2]\n let p = a > b\n ") +
         r.body + "\n}\n";
}

// A program of one tile: %e: i64<4; @L> = 0..3, %f: f32<4; @L> = x, %c: f32 = 1.
std::string program_text(const std::string& body) {
  return "pir 1\nprogram run\nabi {\n  x: view f32[4] in\n  y: view f32[4] out\n}\n"
         "launch { threads 4 grid G = 1 }\nlayout @L = S[(4):(1@tid)]\n"
         "space {\n  g: (m in 0..1) length L0 = 1 offset O0 = 0\n}\n"
         "dispatch %w: i64 = program_id {\n  O0 <= %w < O0 + L0 -> g(%m = %w - O0)\n  else -> exit\n}\n"
         "group g (%m: i64 in 0..1) {\n  %e: i64<4; @L> = index pos(0)\n  %f: f32<4; @L> = load x[%e]\n  %c: f32 = constant "
         "1.0\n" +
         body + "\n}\n";
}

struct PhysicalRow {
  OpKind kind;
  const char* body;
  std::vector<std::string> elements;
};

const std::vector<PhysicalRow>& program_rows() {
  static const std::vector<PhysicalRow> rows{
      {K::splat, "%r: f32<4; @L> = splat %c\n%s: f32<4; @L> = add %r, %f\nstore y[%e] = %s", {"2.5", "-1.25", "1.5", "5.0"}},
      {K::tile_reduce,
       "%r: f32 = tile_reduce %f axes(0) order(strict) combine (%u: f32, %v: f32) { %z: f32 = add %u, %v\n yield %z }\n"
       "%s: f32<4; @L> = splat %r\nstore y[%e] = %s",
       {"3.75", "3.75", "3.75", "3.75"}},
  };
  return rows;
}

Arguments inputs() {
  Arguments a;
  a.tensor("x", DType::f32, {4}, {"1.5", "-2.25", "0.5", "4.0"}).tensor("y", DType::f32, {4}, {"0.0", "0.0", "0.0", "0.0"});
  return a;
}

// shows: K1.5
TEST(OperationRuns, EveryRowRunsAndGivesAKnownValue) {
  std::set<OpKind> run;
  for (const Row& r : kernel_rows()) {
    SCOPED_TRACE(std::string(row(r.kind).name));
    KirResult k = kir_of(kernel_text(r));
    ASSERT_TRUE(k.module) << k.text();
    EXPECT_TRUE(contains_op(k.module->kernels[0]->body, r.kind));
    Arguments a = inputs();
    a.tensor("k", DType::i32, {4}, {"7", "-3", "5", "0"}).tensor("w", DType::i32, {4}, {"0", "0", "0", "0"});
    testing::run_well(k.module->kernels[0], a);
    EXPECT_EQ(a.elements(r.output == Output::y ? "y" : "w"), r.elements);
    run.insert(r.kind);
  }
  for (const PhysicalRow& r : program_rows()) {
    SCOPED_TRACE(std::string(row(r.kind).name));
    PirResult p = pir_of(program_text(r.body));
    ASSERT_TRUE(p.program) << p.text();
    EXPECT_TRUE(contains_op(p.program->body, r.kind));
    Arguments a = inputs();
    testing::run_well(p.program, a);
    EXPECT_EQ(a.elements("y"), r.elements);
    run.insert(r.kind);
  }
  for (const OpRow& r : op_table()) EXPECT_TRUE(run.contains(r.kind)) << "the operation '" << r.name << "' has no run";
}

}  // namespace
}  // namespace kir::test
