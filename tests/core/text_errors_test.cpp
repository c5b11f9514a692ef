// Malformed texts: every mistake is told once, where it stands, and nothing crashes.
#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

struct Expected {
  const char* id;
  int line, column;
};

void expect_errors(const std::string& text, std::vector<Expected> wanted) {
  KirResult r = kir_of(text);
  EXPECT_FALSE(r.module);
  EXPECT_EQ(r.diagnostics.error_count(), wanted.size()) << r.text();
  std::vector<Diagnostic> got = r.diagnostics.all();
  std::stable_sort(got.begin(), got.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.range.begin < b.range.begin; });
  for (std::size_t i = 0; i < wanted.size() && i < got.size(); ++i) {
    LineColumn at = r.source->line_column(got[i].range.begin);
    EXPECT_EQ(got[i].id, wanted[i].id) << r.text();
    EXPECT_EQ(at.line, wanted[i].line) << got[i].message;
    EXPECT_EQ(at.column, wanted[i].column) << got[i].message;
  }
}

std::string hint_of(const KirResult& r) { return r.diagnostics.all().empty() ? "" : r.diagnostics.all()[0].hint; }

TEST(TextErrors, AllMistakesOfAFileInOneRun) {
  expect_errors(R"(kir 1
kernel first(x: in f33[N, K], y: out f32[N], z: out f32[K]) {
  parallel i in 0..N {
    let a = y[i] +
    let b = y[i, i]
    let c = unknown * 2.0
    y[i] = a + b + c + x[i, i]
    let d: f32 = y[i] + 1
    z[0] = 2.0
  }
}
kernel second(x: in f32[N], y: out f32[N]) {
  parallel i in 0..N {
    let v = frobnicate(x[i])
    let x = v
    if i < 2 { let g: i32 = x[i] } else { y[i] = }
    x[i] = 1.0
    y[i] = v
  }
}
junk
kernel third() { store q[0] = 1.0 }
)",
                {{"P-03", 2, 20},
                 {"P-03", 5, 5},
                 {"T-08", 5, 13},
                 {"T-01", 6, 13},
                 {"T-07", 8, 25},
                 {"P-07", 14, 13},
                 {"T-02", 15, 9},
                 {"T-04", 16, 20},
                 {"P-03", 16, 50},
                 {"V-21", 17, 5},
                 {"P-03", 21, 1},
                 {"T-01", 22, 24}});
}

TEST(TextErrors, HeadsOfFiles) {
  expect_errors("", {{"P-03", 1, 1}});
  expect_errors("kir 2\n", {{"P-01", 1, 5}});
  expect_errors("kir 1 junk\nkernel k(x: out f32[]) { x[] = 1 }\n", {{"P-03", 1, 7}, {"T-07", 2, 32}});
  expect_errors("kernel k() { }\n", {{"P-03", 1, 1}});
  expect_errors("kir 1\nkernel k( { }\n", {{"P-03", 2, 11}, {"P-03", 2, 11}});
  EXPECT_TRUE(pir_of("").has("P-03"));
  EXPECT_TRUE(pir_of("pir 1\nprogram p").has("P-03"));
  EXPECT_TRUE(pir_of("pir 3\n").has("P-01"));
}

TEST(TextErrors, UnknownOperationsNameTheNearest) {
  EXPECT_EQ(hint_of(kir_of(kernel_around("let r = sqr(a)"))), "did you mean 'sqrt'?");
  EXPECT_EQ(hint_of(kir_of(kernel_around("let r: f32 = ad a, b"))), "did you mean 'add'?");
  EXPECT_EQ(hint_of(kir_of(kernel_around("let r: f32 = max.nam a, b"))), "did you mean 'max.nan'?");
  EXPECT_EQ(hint_of(kir_of(kernel_around("let r = cmp.oet(a, b)"))), "did you mean 'cmp.oeq'?");
  EXPECT_TRUE(kir_of(kernel_around("let r = max(a, b)")).has("T-05"));
  EXPECT_TRUE(pir_of(program_around("%r: f32 = materialize %c, %c")).has("P-07"));
}

// Behind a mistake the clauses of a statement that stand on lines of their own are no statements.
TEST(TextErrors, TheClausesBehindAMistakeAreSkippedWithIt) {
  const std::string fold = R"(kir 1
kernel k(a: in f32[L], h: out f32[L], emit: out f32[L]) {
  let (states, last) = region_scan [0..L] uses (a)
    init (0.0)
    summarize [lo..hi] { yield f32(1.0) }
    combine order(tree) (p: f32, q: f32) { yield p * q }
    identity (1.0)
    apply (p: f32, g: f32) { yield p * g }
    emit [lo..hi] (g: f32) {
      let (e, s) = for t in lo..hi carry (s = g) collect (f32) { next s, s }
      yield s
    }
  h[0] = nothing
  typo[0] = last
}
)";
  std::string other = fold;
  other.replace(other.find(", emit: out f32[L]"), 18, "");
  expect_errors(other, {{"T-06", 4, 11}, {"T-01", 13, 10}, {"T-01", 14, 3}});
  std::string plain = fold;  // a view of that name is stored to
  plain.replace(plain.find("    emit [lo"), plain.find("  h[0]") - plain.find("    emit [lo"), "    emit[0] = nothing\n");
  expect_errors(plain, {{"T-06", 4, 11}, {"T-01", 9, 15}, {"T-01", 10, 10}, {"T-01", 11, 3}});
}

// What somebody writes who comes from another language: told once, with what is written here instead.
TEST(TextErrors, HabitsOfOtherLanguagesAreToldWithWhatIsWrittenHere) {
  const std::pair<const char*, const char*> kBodies[] = {
      {"y[i] = x[i] / reduce add order(any) over j in 0..N { x[j] }", "give it a let of its own"},
      {"let r = (reduce add order(any) over j in 0..N { x[j] }) * 2.0", "give it a let of its own"},
      {"let r = 1.0 + for j in 0..N carry (s = f32(0.0)) { next s }", "give it a let of its own"},
      {"let r = 1.0 + transpose x perm(0)", "give it a let of its own"},
      {"let r = c % 2", "the remainder of indices is mod, of data remt, remf or remu"},
      {"let r = i < 1 && i < 2", "write and; of bits and(a, b)"},
      {"let r = i < 1 || i < 2", "write or; of bits or(a, b)"},
      {"let r = i < 1 ? a : a", "write select(c, a, b); of indices ite(c, a, b)"},
      {"let r = !(i < 1)", "write not"},
      {"let r = c ^ c", "the exclusive or is xor(a, b)"},
      {"y[i] += a", "an element that changes is written out: v[i] = v[i] + e"},
      {"y[i] = a;", "nothing stands between statements"},
      {"let t = tensor (j in 0..N) { x[j] }\ny = t",
       "a name is bound once, with let; a loop carries what changes; elements are stored one by one: v[i] = e"},
      {"if i < 1 { y[i] = a } else if i < 2 { y[i] = 0.0 }", "else { if ... { ... } }"},
      {"let r = x[k[i]]", "data and index do not mix: convert first, as in to_index(k) or to_f32(i)"},
      {"let r = sat_to_sint(a)", "a conversion says its result's type: let v: i32 = convert.sat_to_sint x"},
      {"let r = scan add inclusive forward order(any) over j in 0..N { x[j] }", "let (a, b) = ...: a name for each result"},
      {"let r = reduce sum order(any) over j in 0..N { x[j] }", "did you mean 'add'?"},
      {"let r = reduce max order(any) over j in 0..N { x[j] }", "did you mean 'max.nan'?"},
      {"let r = reduce foo order(any) over j in 0..N { x[j] }", "reduce add ... over n in 0..N { ... }"},
  };
  for (auto [body, hint] : kBodies) {
    KirResult r = kir_of(
        std::string(
            "kir 1\nkernel around(x: in f32[N], k: in i32[N], y: out f32[N], a: f32, c: i32) {\nparallel i in 0..N {\n") +
        body + "\n}\n}");
    EXPECT_EQ(r.diagnostics.error_count(), 1u) << r.text();
    EXPECT_EQ(hint_of(r), hint) << r.text();
  }
}

TEST(TextErrors, BinsOfTwoAxesAreToldAtTheHead) {
  KirResult r = kir_of(
      "kir 1\nkernel h(c: in i32[N], b: inout i32[C, K]) {\n  histogram b (n in 0..N) { yield n, to_index(c[n]), 1 } "
      "out_of_range(drop)\n}");
  EXPECT_TRUE(r.has("V-41")) << r.text();
  EXPECT_EQ(r.diagnostics.error_count(), 1u) << r.text();
  EXPECT_NE(hint_of(r).find("scatter reduce"), std::string::npos) << r.text();
}

TEST(TextErrors, LiteralsOutOfRange) {
  EXPECT_TRUE(kir_of(kernel_around("let r: index = index 9223372036854775808")).has("T-07"));
  EXPECT_TRUE(kir_of(kernel_around("let r: index = index 99999999999999999999999")).has("T-07"));
  EXPECT_TRUE(kir_of(kernel_around("let r: i8 = constant 256")).has("T-07"));
  EXPECT_TRUE(kir_of(kernel_around("let r: i1 = constant 1")).has("T-07"));
  EXPECT_EQ(hint_of(kir_of(kernel_around("let r: f32 = constant 1"))), "write 1.0");
  EXPECT_TRUE(kir_of(kernel_around("let r: index = index 12abc")).has("P-02"));
  EXPECT_TRUE(kir_of(kernel_around("let r: index = index 0x")).has("P-02"));
  EXPECT_TRUE(kir_of("kir 1\nkernel k(x: in f32[N] align 99999999999) { }").has("T-07"));
}

TEST(TextErrors, UnderscoresStandBetweenDigits) {
  auto with = [](const std::string& literal) { return kir_of("kir 1\nkernel k(y: out f32[1]) { y[0] = " + literal + " }"); };
  for (const char* good : {"1_0.0_1", "1_000.5e1_0", "0.1_2"}) EXPECT_TRUE(with(good).module) << good;
  for (const char* bad : {"1__0.0", "1_.0", "1.0_", "1.0__1", "1.0e1_", "1.0e1__0"}) EXPECT_FALSE(with(bad).module) << bad;
  auto integer = [](const std::string& literal) { return kir_of("kir 1\nkernel k(x: in f32[" + literal + "]) { }"); };
  for (const char* good : {"1_0", "0xf_f", "1_0_0"}) EXPECT_TRUE(integer(good).module) << good;
  for (const char* bad : {"1_", "1__0", "0x_f", "0xf_", "0xf__f"}) EXPECT_FALSE(integer(bad).module) << bad;
}

TEST(TextErrors, DataAndIndexDoNotMix) {
  for (const char* body : {"y[i] = a + i",
                           "y[i] = i",
                           "let r = x[c]",
                           "let r = x[a]",
                           "let r = i < a",
                           "let r: i1 = add i, i",
                           "let r = c floordiv 2",
                           "let r = i / 2",
                           "let r = c / d",
                           "let r = a + c",
                           "let r = -x",
                           "let r = p and a",
                           "let r: f32 = not a",
                           "let r = 1.0",
                           "let r = f32(a)",
                           "let r = to_f32(1.5)",
                           "let r = x",
                           "let r = N[i]",
                           "let r = i[0]",
                           "let r: index = index p",
                           "let r: index = index i < 2",
                           "let r: i1 = index i",
                           "let r = i mod 2 < a",
                           "let r = ite(p, a, b)"}) {
    KirResult r = kir_of(kernel_around(body));
    EXPECT_FALSE(r.module) << body;
    EXPECT_EQ(r.diagnostics.error_count(), 1u) << body << "\n" << r.text();
  }
}

TEST(TextErrors, NamesAndScopes) {
  EXPECT_TRUE(kir_of(kernel_around("let i = a")).has("T-02"));
  EXPECT_TRUE(kir_of(kernel_around("let N = a")).has("T-02"));
  EXPECT_TRUE(kir_of(kernel_around("let add = a")).has("P-06"));
  EXPECT_TRUE(kir_of(kernel_around("let a.b = a")).has("P-06"));
  EXPECT_TRUE(kir_of(kernel_around("let %r = a")).has("P-06"));
  EXPECT_TRUE(kir_of(kernel_around("if p { let q1 = a }\n let r = q1")).has("T-01"));
  EXPECT_TRUE(kir_of("kir 1\nkernel k(x: in f32[N], x: out f32[N]) { }").has("T-02"));
  EXPECT_TRUE(kir_of("kir 1\nkernel k(x: in f32[N + 1]) { }").has("T-01"));
  EXPECT_TRUE(kir_of("kir 1\nkernel k() { }\nkernel k() { }").has("T-02"));
  EXPECT_TRUE(pir_of(program_around("%r: f32 = add %c, q")).has("T-01"));
  EXPECT_TRUE(pir_of(program_around("r: f32 = constant 1.0")).has("T-03"));  // only a view is named so
  EXPECT_TRUE(pir_of(program_around("let r = %c")).has("P-03"));
  EXPECT_TRUE(pir_of(program_around("%r: i64 = index %w")).has("T-01"));  // the work id ends with the dispatch
}

TEST(TextErrors, BlocksAndTheirEnds) {
  EXPECT_TRUE(kir_of(kernel_around("let r: f32 = if p { yield a }")).has("P-08"));
  EXPECT_TRUE(kir_of(kernel_around("let r: f32 = if p { } else { yield a }")).has("P-08"));
  EXPECT_TRUE(kir_of(kernel_around("let r: f32 = for j in 0..N carry (u: f32 = a) { }")).has("P-08"));
  EXPECT_TRUE(kir_of(kernel_around("let r: f32 = if p { yield a\n y[i] = a } else { yield a }")).has("P-08"));
  EXPECT_TRUE(kir_of(kernel_around("yield a")).has("V-30"));
  EXPECT_TRUE(kir_of(kernel_around("a + b")).has("P-03"));
  EXPECT_TRUE(kir_of(kernel_around("}")).has("P-03"));
  EXPECT_TRUE(kir_of("kir 1\nkernel k() { if true {\nkernel next_one() { }").has("P-03"));
}

TEST(TextErrors, BytesThatAreNoText) {
  EXPECT_TRUE(kir_of(std::string("kir 1\n\0kernel", 13)).has("P-02"));
  EXPECT_TRUE(kir_of("kir 1\n// \xff\n").has("P-02"));
  EXPECT_TRUE(kir_of("kir 1\n// \xc0\x80\n").has("P-02"));
  EXPECT_TRUE(kir_of("kir 1\n// \xe2\x82").has("P-02"));
  EXPECT_TRUE(kir_of("kir 1\n// \xed\xa0\x80\n").has("P-02"));
  EXPECT_TRUE(kir_of("kir 1\n// \xf4\x90\x80\x80\n").has("P-02"));
  EXPECT_TRUE(kir_of("kir 1\n// caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n").module);
  KirResult outside = kir_of("kir 1\nkernel caf\xc3\xa9() { }\n");
  EXPECT_TRUE(outside.has("P-02")) << outside.text();
  EXPECT_TRUE(kir_of("kir 1\nkernel k() { $ ? # }").has("P-02"));
  EXPECT_TRUE(pir_of("pir 1\nprogram p implements \"open").has("P-02"));
}

TEST(TextErrors, SizeLimit) {
  std::string big = "kir 1\n";
  big.resize(kMaxBytes + 1, ' ');
  EXPECT_TRUE(kir_of(std::move(big)).has("P-05"));
}

std::string repeat(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += s;
  return out;
}

TEST(TextErrors, DeepNestingIsRefusedNotFollowed) {
  for (int n : {1000, 200000}) {
    EXPECT_TRUE(kir_of(kernel_around("let r: index = index " + repeat("(", n) + "i" + repeat(")", n))).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around("let r: index = index " + repeat("- ", n) + "i")).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around("let r: i1 = index " + repeat("not ", n) + "i < 1")).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around("let r: index = index i" + repeat(" + 1", n))).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around("let r: i1 = index i < 1" + repeat(" implies i < 1", n))).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around("let r = " + repeat("exp(", n) + "a" + repeat(")", n))).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around("let r = " + repeat("x[", n))).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around(repeat("if p {", n) + repeat("}", n))).has("P-05"));
    EXPECT_TRUE(kir_of(kernel_around(repeat("{", n))).has("P-03"));
    EXPECT_TRUE(pir_of(program_around(repeat("if %q {", n))).diagnostics.has_errors());
  }
  // Within the limits all is well.
  EXPECT_TRUE(kir_of(kernel_around("let r: index = index " + repeat("(", 150) + "i" + repeat(")", 150))).module);
  EXPECT_TRUE(kir_of(kernel_around("let r: index = index i" + repeat(" + 1", 900))).module);
  EXPECT_TRUE(kir_of(kernel_around(repeat("if p {", 150) + repeat("}", 150))).module);
}

TEST(TextErrors, PhysicalHeads) {
  std::string good = program_around("");
  auto with = [&](const std::string& from, const std::string& to) {
    std::string s = good;
    std::size_t at = s.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return pir_of(s.replace(at, from.size(), to));
  };
  EXPECT_TRUE(with("-> g(%m", "-> h(%m").has("T-01"));
  EXPECT_TRUE(with("-> g(%m", "-> g(%k").has("T-08"));
  EXPECT_TRUE(with("else -> exit", "").has("P-03"));
  EXPECT_TRUE(with("S[(2,4):(1@m,1@tid)]", "S[(2,4):(1@m)]").has("P-09"));
  const PirResult moon = with("S[(2,4):(1@m,1@tid)]", "S[(2,4):(1@m,1@moon)]");
  ASSERT_TRUE(moon.has("P-09"));
  EXPECT_EQ(moon.diagnostics.all()[0].range.begin, good.find("S[(2,4)") + 15) << "the axis itself";
  EXPECT_NE(moon.diagnostics.all()[0].message.find("moon"), std::string::npos);
  EXPECT_TRUE(with("dims N: i64", "dims M: i64").has("T-01"));
  EXPECT_TRUE(with("dims N: i64", "dims N: i32").has("T-03"));
  EXPECT_TRUE(with("dims N: i64", "dims N: i64, N: i64").has("T-02"));
  EXPECT_TRUE(with("s: f32", "s: index").has("T-01"));
  EXPECT_TRUE(with("offset O0 = 0", "offset O0 = G").has("T-01"));
  EXPECT_TRUE(with("offset O0 = 0", "offset N = 0").has("T-02"));
  EXPECT_TRUE(with("program_id", "block_id").has("P-03"));
  EXPECT_TRUE(with("threads 4", "threads 4096").has("T-07"));
  EXPECT_TRUE(with("grid G = O0 + L0", "grid G = %w").has("T-01"));
  EXPECT_TRUE(with("group g (%m: i64", "group g (%m: index").has("T-03"));
  EXPECT_TRUE(with("f32<8; @L>", "f32<0; @L>").has("T-07"));
}

TEST(TextErrors, ANameOfABrokenParameterDoesNotOutliveTheScopeThatBindsIt) {
  KirResult r = kir_of(
      "kir 1\nkernel k(x: in f32[C], mean: in [c]\n}f32[C], y: out f32[C]) {\n"
      "  parallel c in 0..C let v = x[c]\n  y[c] = x[c]\n}\n");
  EXPECT_FALSE(r.module);
  EXPECT_TRUE(r.has("P-03")) << r.text();
}

TEST(TextErrors, AllMistakesOfAPhysicalProgramInOneRun) {
  std::string text = program_around("%a: f32 = add %c, %nothing\n%b: f32 = add %a, 1\nstore x[%m] = %c\n%g: f32 = frob %c, %c");
  text.replace(text.find("offset O0 = 0"), 13, "offset O0 = Q");
  PirResult r = pir_of(text);
  EXPECT_EQ(r.diagnostics.error_count(), 4u) << r.text();
  for (const char* id : {"T-01", "V-21", "P-07"}) EXPECT_TRUE(r.has(id)) << r.text();
  PirResult broken = pir_of(text.replace(text.find("dispatch %w: i64"), 16, "dispatch %w: = 4"));
  EXPECT_EQ(broken.diagnostics.error_count(), 5u) << broken.text();
}

}  // namespace
}  // namespace kir::test
