// The grammar: sugar and what it stands for, ABI declarations, names, constexprs, physical heads.
#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

std::string printed(const std::string& text) { return expect_kir_round_trip(text); }

std::string body_of(const std::string& sugar) {
  std::string text = printed(kernel_around(sugar));
  std::size_t from = text.find("index i < 3\n");
  return from == std::string::npos ? text : text.substr(from + 12, text.rfind("  }\n}") - from - 12);
}

TEST(KirText, SoftmaxFlattens) {
  std::string text = printed(R"(kir 1
kernel softmax(x: in f32[M, N], y: out f32[M, N])
  where N >= 1
{
  parallel m in 0..M {
    let peak = reduce max.nan order(any) over n in 0..N { x[m, n] }
    let total = reduce add order(any) over n in 0..N { exp(x[m, n] - peak) }
    parallel n in 0..N {
      y[m, n] = exp(x[m, n] - peak) / total
    }
  }
}
)");
  EXPECT_EQ(text, R"(kir 1

kernel softmax(x: in f32[M, N], y: out f32[M, N])
  where N >= 1
{
  parallel m in 0..M {
    let peak: f32 = reduce (n in 0..N) map {
      let t0: f32 = load x[m, n]
      yield t0
    } combine order(any) (t1: f32, t2: f32) {
      let t3: f32 = max.nan t1, t2
      yield t3
    } identity (-inf)
    let t4: f32 = constant 0.0
    let total: f32 = reduce (n in 0..N) map {
      let t5: f32 = load x[m, n]
      let t6: f32 = sub t5, peak
      let t7: f32 = exp t6
      yield t7
    } combine order(any) (t8: f32, t9: f32) {
      let t10: f32 = add t8, t9
      yield t10
    } identity (-0.0) init (t4)
    parallel n in 0..N {
      let t11: f32 = load x[m, n]
      let t12: f32 = sub t11, peak
      let t13: f32 = exp t12
      let t14: f32 = div t13, total
      store y[m, n] = t14
    }
  }
}
)");
}

TEST(KirText, SugarStandsForFlatStatements) {
  EXPECT_EQ(body_of("y[i] = a * 2.0 - 1.0 / b"),
            "    let t0: f32 = constant 2.0\n    let t1: f32 = mul a, t0\n    let t2: f32 = constant 1.0\n"
            "    let t3: f32 = div t2, b\n    let t4: f32 = sub t1, t3\n    store y[i] = t4\n");
  EXPECT_EQ(body_of("y[i] = x[N - 1 - i] where i < 5"),
            "    let t0: index = index N - 1 - i\n    let t1: f32 = load x[t0]\n    let t2: i1 = index i < 5\n    store y[i] = "
            "t1 where t2\n");
  EXPECT_EQ(
      body_of("y[i] = select(a < b and c != d, -a, load x[i] where p fill 0.0)"),
      "    let t0: i1 = cmp.olt a, b\n    let t1: i1 = cmp.ne c, d\n    let t2: i1 = and t0, t1\n    let t3: f32 = neg a\n"
      "    let t4: f32 = constant 0.0\n    let t5: f32 = load x[i] where p fill t4\n    let t6: f32 = select t2, t3, t5\n"
      "    store y[i] = t6\n");
  EXPECT_EQ(
      body_of("w[i] = to_i32(i) + i32(7)"),
      "    let t0: i32 = convert.wrap i\n    let t1: i32 = constant 7\n    let t2: i32 = add t0, t1\n    store w[i] = t2\n");
  EXPECT_EQ(body_of("let f = to_f32(p) + to_f32(c) + to_f32(i)"),
            "    let t0: f32 = convert.uint p\n    let t1: f32 = convert.sint c\n    let t2: f32 = add t0, t1\n"
            "    let t3: f32 = convert.sint i\n    let f: f32 = add t2, t3\n");
  EXPECT_EQ(body_of("let n = to_index(c)\nlet g = x[n]"), "    let n: index = convert.sint c\n    let g: f32 = load x[n]\n");
  EXPECT_EQ(body_of("let g = x[min(to_index(c) + i, 3)]"),
            "    let t0: index = convert.sint c\n    let t1: index = index min(t0 + i, 3)\n    let g: f32 = load x[t1]\n");
  EXPECT_EQ(body_of("for j in 0..to_index(c) mod 4 { y[j] = a where 2 * to_index(c) < j }"),
            "    let t0: index = convert.sint c\n    for j in 0..t0 mod 4 {\n      let t1: index = convert.sint c\n"
            "      let t2: i1 = index 2 * t1 < j\n      store y[j] = a where t2\n    }\n");
  EXPECT_EQ(body_of("let r = if not p or a != b { a } else { reduce add order(strict) over j in 0..3 { x[j] } }"),
            "    let t0: i1 = not p\n    let t1: i1 = cmp.une a, b\n    let t2: i1 = or t0, t1\n    let r: f32 = if t2 {\n     "
            " yield a\n"
            "    } else {\n      let t3: f32 = constant 0.0\n      let t8: f32 = reduce (j in 0..3) map {\n        let t4: f32 "
            "= load x[j]\n"
            "        yield t4\n      } combine order(strict) (t5: f32, t6: f32) {\n        let t7: f32 = add t5, t6\n        "
            "yield t7\n"
            "      } identity (-0.0) init (t3)\n      yield t8\n    }\n");
  EXPECT_EQ(body_of("let t = tensor (j in 0..N) { x[j] * a }\ny[i] = t[N - 1]"),
            "    let t: f32[N] = tensor (j in 0..N) {\n      let t0: f32 = load x[j]\n      let t1: f32 = mul t0, a\n      "
            "yield t1\n    }\n"
            "    let t2: index = index N - 1\n    let t3: f32 = elem t[t2]\n    store y[i] = t3\n");
  EXPECT_EQ(body_of("let v = view m[j, l + 1] for (l in 0..N - 1, j in 0..N)\nlet u = v[0, 0]"),
            "    let v: view f32[N - 1, N] = view m (l in 0..N - 1, j in 0..N) {\n      let t0: index = index l + 1\n      "
            "yield j, t0\n    }\n"
            "    let t1: index = index 0\n    let t2: index = index 0\n    let u: f32 = load v[t1, t2]\n");
}

TEST(KirText, ReduceShortForms) {
  struct Row {
    const char* op;
    const char* value;
    const char* ending;
  };
  const Row rows[] = {
      {"add", "x[j]", "identity (-0.0) init (t"},
      {"mul", "x[j]", "identity (1.0) init (t"},
      {"max.nan", "x[j]", "identity (-inf)\n"},
      {"max.num", "x[j]", "identity (nan)\n"},
      {"min.nan", "x[j]", "identity (inf)\n"},
      {"min.num", "x[j]", "identity (nan)\n"},
      {"add", "k[j]", "identity (0) init (t"},
      {"mul", "k[j]", "identity (1) init (t"},
      {"min.s", "k[j]", "identity (2147483647)\n"},
      {"max.s", "k[j]", "identity (-2147483648)\n"},
      {"max.u", "k[j]", "identity (0)\n"},
      {"min.u", "k[j]", "identity (-1)\n"},
      {"and", "k[j]", "identity (-1)\n"},
      {"or", "k[j]", "identity (0)\n"},
      {"xor", "k[j]", "identity (0)\n"},
      {"and", "x[j] < 1.0", "identity (true)\n"},
      {"or", "x[j] < 1.0", "identity (false)\n"},
  };
  for (const Row& r : rows) {
    std::string text =
        printed(kernel_around(std::string("let r = reduce ") + r.op + " order(any) over j in 0..N { " + r.value + " }"));
    EXPECT_NE(text.find(r.ending), std::string::npos) << text;
  }
  EXPECT_TRUE(kir_of(kernel_around("let r = reduce sub order(any) over j in 0..N { x[j] }")).has("T-05"));
  EXPECT_TRUE(kir_of(kernel_around("let r = reduce add over j in 0..N { x[j] }")).has("P-03"));
}

TEST(KirText, Declarations) {
  std::string text = printed(R"(kir 1
kernel everything(x: inout f32[M, N] strides(S, 1) align 16, y: in f32[M, N] strides(S, 1), z: out bf16[], n: index, alpha: f32, B: index, u: in i64[B + 1])
  alias { may_alias(x, y) }
  where M >= 1 and N >= 1, S >= N, divides(4, n), 0 <= n < 100 implies N == 3
{
  z[] = to_bf16(alpha)
}
)");
  EXPECT_NE(text.find("n mod 4 == 0"), std::string::npos) << text;
  KirResult r = kir_of(text);
  const Abi& abi = r.module->kernels[0]->abi;
  EXPECT_EQ(abi.params.size(), 7u);
  EXPECT_EQ(abi.symbols.size(), 5u);  // M N S n B
  EXPECT_EQ(abi.symbols[3].name, "n");
  EXPECT_TRUE(abi.symbols[3].parameter);
  EXPECT_TRUE(abi.views[0].explicit_strides);
  EXPECT_FALSE(abi.views[2].explicit_strides);
  EXPECT_EQ(abi.views[0].align, 16);
  EXPECT_EQ(abi.where.size(), 4u);
  EXPECT_EQ(abi.views[3].strides.size(), 1u);
  printed("kir 1\nkernel same_views(x: in f32[N], y: out f32[N]) alias { same(x, y) } { }\n");
  printed("kir 1\nkernel nothing() { }\nkernel other() { }\n");
  printed("kir 1\n");
}

TEST(KirText, Constexprs) {
  std::string text = R"(kir 1
kernel tile<BM: i32 in {64, 128}, T: dtype in {f16, f32}>(x: in T[M, BM], y: out T[M]) {
  parallel m in 0..M {
    let s: T = for j in 0..BM carry (a: T = T(0.5)) { next a + x[m, j] }
    y[m] = s * to_T(BM + 0)
  }
}
)";
  KirResult r = kir_of(text);
  ASSERT_TRUE(r.module) << r.text();
  ASSERT_EQ(r.module->kernels.size(), 4u);
  EXPECT_EQ(r.module->kernels[0]->id(), "tile<BM = 64, T = f16>");
  EXPECT_EQ(r.module->kernels[3]->id(), "tile<BM = 128, T = f32>");
  EXPECT_NE(r.module->find("tile<BM = 128, T = f16>"), nullptr);
  EXPECT_EQ(r.module->kernels[1]->abi.views[0].dtype, DType::f32);
  EXPECT_TRUE(r.module->kernels[2]->abi.views[0].shape[1].is_constant(128));
  printed(text);
  // A mistake in a kernel of four specializations is told once.
  KirResult bad = kir_of("kir 1\nkernel k<A: i32 in {1, 2, 3, 4}>(x: out f32[A]) { x[0] = unknown }\n");
  EXPECT_EQ(bad.diagnostics.error_count(), 1u) << bad.text();
}

TEST(KirText, NamesOfBuiltValuesBecomePrintable) {
  auto pool = std::make_shared<ExprPool>();
  Kernel k;
  k.name = "built";
  k.pool = pool;
  BodyBuilder b;
  RegionId root = b.new_region();
  b.enter(root);
  Attrs one;
  one.set(AttrKey::literal, Scalar::of_f32(1.0f));
  ValueId a = b.emit1(OpKind::constant, {}, one, Type::scalar(DType::f32), {}, {}, "in");   // a word of the language
  ValueId c = b.emit1(OpKind::constant, {}, one, Type::scalar(DType::f32), {}, {}, "x.1");  // no identifier
  ValueId d = b.emit1(OpKind::constant, {}, one, Type::scalar(DType::f32), {}, {}, "x_1");  // taken by then
  ValueId e = b.emit1(OpKind::add, {a, c}, {}, Type::scalar(DType::f32), {}, {}, "");
  ValueId f = b.emit1(OpKind::add, {e, d}, {}, Type::scalar(DType::f32), {}, {}, "t0");  // taken by an unnamed one
  b.emit1(OpKind::add, {f, f}, {}, Type::scalar(DType::f32), {}, {}, "9");
  b.emit(OpKind::yield, {}, {}, {});
  k.body = b.freeze(*pool, std::span(&root, 1));
  k.root = RegionId(0);
  Diagnostics diagnostics;
  ASSERT_TRUE(verify(k, diagnostics));
  std::string once = "kir 1\n\n" + print(k);
  EXPECT_EQ(printed(once), once);
  EXPECT_TRUE(structurally_equal(kir_of(once).module->kernels[0]->body, k.body));
}

TEST(KirText, ExpressionsKeepTheirTree) {
  for (const char* e : {"-5 - -i", "-(5)", "-(-5)", "i - (N - 1) - 2", "i floordiv (N + 1) mod 3 * 2", "(i + 1) * (i - 1)",
                        "ite(i < N and not i == 2 or N > 1, ceildiv(i, 2), min(i, max(N, 3)))", "-9223372036854775808",
                        "ite((i < 3) == (N < 2), 0x10, 1_000)"}) {
    std::string text = printed(kernel_around(std::string("let r: index = index ") + e));
    EXPECT_FALSE(text.empty());
  }
  EXPECT_NE(printed(kernel_around("let r: i1 = index 0 <= i < N")).find("index 0 <= i and i < N"), std::string::npos);
  EXPECT_NE(
      printed(kernel_around("let r: i1 = index true implies false implies i == 1")).find("true implies false implies i == 1"),
      std::string::npos);
}

TEST(KirText, LiteralsKeepTheirBits) {
  for (const char* l : {"1.0", "-0.0", "inf", "-inf", "nan", "nan(0x7fc00001)", "1e-45", "0.1"})
    EXPECT_NE(printed(kernel_around(std::string("let r: f32 = constant ") + l)).find(std::string("constant ") + l + "\n"),
              std::string::npos)
        << l;
  EXPECT_NE(printed(kernel_around("let r: i32 = constant 0x7fc0_0000")).find("constant 2143289344"), std::string::npos);
}

TEST(PirText, DocumentedSoftmaxHead) {
  std::string text = expect_pir_round_trip(R"(pir 1
program softmax implements "softmax"
abi {
  x: view f32[M, N] strides(N, 1) in align 4
  y: view f32[M, N] strides(N, 1) out align 4
  alpha: f32
  k: index
  dims M: i64, N: i64 in 1..=2147483647, k: i64
  where M <= 1000, k >= 1
  alias { may_alias(x, y) }
}
launch { threads 1 pack 128 grid G = ceildiv(O1 + L1, 128) }
space {
  g0: (m in 0..M) length L0 = M offset O0 = 0
  g1: (m in 0..M, n in 1..N) length L1 = M * (N - 1) offset O1 = L0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  O1 <= %w < O1 + L1 -> g1(%m = (%w - O1) floordiv (N - 1), %n = (%w - O1) mod (N - 1) + 1)
  else -> exit
}
group g0 (%row: i64 in 0..M) {
  %z: i64 = index 0
  store y[%row, %z] = %alpha !3
}
group g1 (%m: i64 in 0..M, %n: i32 in 1..N) {
  %in: i1 = index %n + k < N
  if %in {
    %v: f32 = load x[%m, %n] !7
    store y[%m, %n] = %v !8
  } !6
}
)");
  EXPECT_NE(text.find("  k: index\n"), std::string::npos);
  EXPECT_NE(text.find("store y[%row, %z] = %alpha !3\n"), std::string::npos);
  PirResult r = pir_of(text);
  ASSERT_TRUE(r.program);
  EXPECT_EQ(r.program->definitions.size(), 5u);
  EXPECT_EQ(r.program->definitions.back().name, "G");
  EXPECT_EQ(r.program->arms[1].group, 1u);
  EXPECT_EQ(r.program->launch.pack, 128);
  EXPECT_EQ(r.program->abi.params.size(), 4u);
  EXPECT_EQ(r.program->origin_kernel, "softmax");
  EXPECT_TRUE(r.program->abi.symbols[1].lo.is_constant(1));
  EXPECT_EQ(print(*r.program, {.origins = false}).find("!"), std::string::npos);
  // The content hash does not see origins.
  std::string stripped = print(*r.program, {.origins = false});
  EXPECT_EQ(content_hash(*pir_of(stripped).program), content_hash(*r.program));
}

TEST(PirText, DimsWithoutAnExtentAreParameters) {
  PirResult r = pir_of(
      "pir 1\nprogram p\nabi { x: view f32[N] out\n dims N: i64, K: i64 }\nlaunch { threads 1 grid G = L0 }\n"
      "space { g: (i in 0..K) length L0 = K offset O0 = 0 }\ndispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g(%i = %w - "
      "O0) else -> exit }\n"
      "group g (%i: i64 in 0..K) { x[%i + 1] = 2.0 }\n");
  ASSERT_TRUE(r.program) << r.text();
  EXPECT_FALSE(r.program->abi.symbols[0].parameter);
  EXPECT_TRUE(r.program->abi.symbols[1].parameter);
  std::string text = print(*r.program);
  EXPECT_NE(text.find("  K: index\n"), std::string::npos);
  expect_pir_round_trip(text);
}

// shows: L1.2
TEST(PirText, FragmentsAndLayouts) {
  std::string text = expect_pir_round_trip(program_around(
      "%g: f32<8; @L> = mul %f, %f\n%i: i32 = index 3\n%h: i32<8; @L> = index %i + pos(0)\nstore y[%e] = %g where %in"));
  EXPECT_NE(text.find("layout @L = S[(2,4):(1@m,1@tid)]\n"), std::string::npos);
}

// Found by kir-fuzz: the next statement begins with a parenthesis.
TEST(PirText, TheBitsOfANaNStandRightBehindIt) {
  expect_pir_round_trip(program_around(
      "%key: i32 = constant 1\n%nan: f32 = constant nan\n(%p1: i32, %p2: i32, %p3: i32, %p4: i32) = philox4x32_10 %key, %key, "
      "%key, %key, %key, %key"));
}

TEST(Describe, UsesTheNamesOfTheProgram) {
  KirResult r = kir_of("kir 1\nkernel k(x: out f32[N]) { parallel i in 0..N { let j: index = index i + N\n x[i] = 0.0 } }");
  const Kernel& k = *r.module->kernels[0];
  for (std::uint32_t i = 0; i < k.body.op_count(); ++i)
    if (k.body.op(OpId(i)).kind == OpKind::index) {
      EXPECT_EQ(describe(k, k.body.op(OpId(i)).attrs.get<Expr>(AttrKey::expr)), "i + N");
    }
  PirResult p = pir_of(program_around(""));
  EXPECT_EQ(describe(*p.program, p.program->arms[0].guard), "O0 <= %w and %w < O0 + L0");
}

}  // namespace
}  // namespace kir::test
