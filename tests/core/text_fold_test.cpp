// Text of reductions, choices, scans and contractions: what short forms stand for, and what is refused.
#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

// The flat form of a statement within kernel_around, from its `let r` on.
std::string flat(const std::string& statement) {
  const std::string printed = expect_kir_round_trip(kernel_around(statement));
  const std::size_t at = printed.find("let r");
  if (at == std::string::npos) {
    const std::size_t tuple = printed.find("let (r");
    return tuple == std::string::npos ? printed : printed.substr(tuple);
  }
  return printed.substr(at);
}

TEST(TextFolds, ShortFormsStandForFlatOnes) {
  EXPECT_EQ(
      flat("let r = reduce min.nan order(tree) over j in 0..N where x[j] > a { x[j] }"),
      flat("let r: f32 = reduce (j in 0..N) where { let t0: f32 = load x[j]\n let t1: i1 = cmp.ogt t0, a\n yield t1 } map { "
           "let t2: f32 = load x[j]\n yield t2 } combine order(tree) (t3: f32, t4: f32) { let t5: f32 = min.nan t3, t4\n yield "
           "t5 } identity (inf)"));
  EXPECT_EQ(flat("let r = reduce min.nan order(tree) over j in 0..N where p { a }"),
            flat("let r = reduce min.nan order(tree) over j in 0..N where { yield p } { a }"));
  EXPECT_EQ(flat("let (r, e) = arg_reduce min tie(first) nan(ignore) over j in 0..N where p { x[j] } init (a, i)"),
            flat("let (r: f32, e: index) = arg_reduce min tie(first) nan(ignore) (j in 0..N) where { yield p } map { let t0: "
                 "f32 = load "
                 "x[j]\n yield t0 } init (a, i)"));
  EXPECT_EQ(
      flat("let (r, e) = scan max.s exclusive reverse order(any) over j in 1..N { k[j] }"),
      flat(
          "let (r: i32[N - 1], e: i32) = scan exclusive reverse (j in 1..N) map { let t0: i32 = load k[j]\n yield t0 } combine "
          "order(any) (t1: i32, t2: i32) { let t3: i32 = max.s t1, t2\n yield t3 } identity (-2147483648)"));
  EXPECT_EQ(
      flat("let r = contract free(f in 0..N | g in 0..N) paired(j in 0..N) lhs { m[f, j] } rhs { m[j, g] } product exact "
           "accumulate f64 order(any) unit(1e-6)"),
      flat("let r: f64[N, N] = contract batch() free(f in 0..N | g in 0..N) paired(j in 0..N) lhs { let t0: f32 = load m[f, "
           "j]\n "
           "yield t0 } rhs { let t1: f32 = load m[j, g]\n yield t1 } product exact accumulate f64 order(any) unit(1e-06)"));
}

// A fold may stand where a block gives its value.
TEST(TextFolds, StandAtTheEndOfABlock) {
  expect_kir_round_trip(
      kernel_around("let t = tensor (j in 0..N) { reduce add order(any) over l in 0..N where l < j { m[j, l] } }\n"
                    "let (r, e) = if p { arg_reduce max tie(first) nan(first) over j in 0..N { x[j] } } else { yield a, i }"));
}

TEST(TextFolds, EveryRuleOfAChoicePrints) {
  for (const char* extreme : {"min", "max"})
    for (const char* tie : {"first", "last"})
      for (const char* nan : {"first", "last", "ignore"}) {
        const std::string head = std::string("arg_reduce ") + extreme + " tie(" + tie + ") nan(" + nan + ")";
        EXPECT_NE(flat("let (r, e) = " + head + " over j in 0..N { x[j] }").find(head + " (j in 0..N)"), std::string::npos);
      }
}

TEST(TextFolds, MistakesAreTold) {
  struct Row {
    const char *text, *rule, *message;
  };
  const Row rows[] = {
      {"let r = reduce add order(any) over j in 0..N where a { x[j] }", "V-45", "`where` yields one i1"},
      {"let r = reduce add order(any) over j in 0..N where { x[j] }", "P-03", "before the block"},
      {"let r = arg_reduce max over j in 0..N { x[j] }", "P-03", "expected 'tie'"},
      {"let (r, e) = arg_reduce most tie(first) nan(first) over j in 0..N { x[j] }", "P-03",
       "expected min or max, found 'most'"},
      {"let (r, e) = arg_reduce max tie(any) nan(first) over j in 0..N { x[j] }", "P-03",
       "expected first or last, found 'any'"},
      {"let (r, e) = arg_reduce max tie(first) nan(skip) over j in 0..N { x[j] }", "P-03", "expected first, last or ignore"},
      {"let r = arg_reduce max tie(first) nan(first) over j in 0..N { x[j] }", "T-08", "1 names for 2 results"},
      {"let (r, e) = arg_reduce max tie(first) nan(first) over j in 0..N { yield a, b }", "T-08", "one data value"},
      {"let (r, e) = arg_reduce max tie(first) nan(first) over j in 0..N { j }", "T-08", "one data value"},
      {"let r = scan add inclusive forward order(any) over j in 0..N { x[j] }", "T-08", "1 names for 2 results"},
      {"let (r, e) = scan add order(any) over j in 0..N { x[j] }", "P-03", "expected inclusive or exclusive, found 'order'"},
      {"let (r, e) = scan add inclusive order(any) over j in 0..N { x[j] }", "P-03",
       "expected forward or reverse, found 'order'"},
      {"let (r, e) = scan sub inclusive forward order(any) over j in 0..N { x[j] }", "T-05",
       "'scan sub' has no short form over f32"},
      {"let (r, e) = scan add inclusive forward order(any) over j in 0..N where p { x[j] }", "P-04",
       "a result for each member"},
      {"let (r: f32[N], e) = scan add inclusive forward order(any) over j in 1..N { x[j] }", "T-04",
       "is declared f32[N] but is f32[N - 1]"},
      {"let r = contract free(f in 0..N) paired(j in 0..N) lhs { a } rhs { b } product exact accumulate f32 order(any)", "P-03",
       "expected '|' between the free axes"},
      {"let r = contract free(f in 0..N | f in 0..N) paired(j in 0..N) lhs { a } rhs { b } product exact accumulate f32 "
       "order(any)",
       "T-02", "'f' is already bound"},
      {"let r = contract free(f in 0..N | g in 0..N) paired(j in 0..N) lhs { x[g] } rhs { b } product exact accumulate f32 "
       "order(any)",
       "T-01", "'g' is not bound here"},
      {"let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { a } rhs { b } product mul order(any)", "P-03",
       "before the product's arguments, or 'exact'"},
      {"let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { a } rhs { b } product exact accumulate f32 order(any) "
       "unit(s)",
       "P-03", "a unit is a literal"},
      {"let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { a } rhs { b } product exact accumulate f32", "P-03",
       "expected 'order'"},
      {"let r = contract free(f in 0..N | ) paired(j in 0..N) lhs { a } rhs { b } product (u: f32, v: f32) { u * v } combine "
       "order(any) "
       "(u: f32, c: i32, v: f32, d: i32) { yield u, c }",
       "T-08", "sums one component"},
  };
  for (const Row& row : rows) {
    KirResult r = kir_of(kernel_around(row.text));
    EXPECT_FALSE(r.module) << row.text;
    EXPECT_TRUE(r.has(row.rule)) << row.text << "\n" << r.text();
    EXPECT_NE(r.text().find(row.message), std::string::npos) << row.text << "\n" << r.text();
  }
}

// Names of a hand-built body: what the text binds once has one name in all the regions, and axes of both sides differ.
TEST(TextFolds, UnnamedVariablesPrintAndParse) {
  Kernel k;
  k.name = "built";
  k.pool = std::make_shared<ExprPool>();
  BodyBuilder b;
  RegionId root = b.new_region();
  b.enter(root);
  auto region = [&](std::vector<std::string> names, bool truth) {
    RegionId r = b.new_region();
    for (const std::string& n : names) b.add_argument(r, Type::index(), n);
    b.enter(r);
    Attrs a;
    a.set(AttrKey::expr, k.pool->boolean(true));
    ValueId v = b.emit1(OpKind::index, {}, a, Type::scalar(DType::i1));
    if (!truth) {
      Attrs mode;
      mode.set(AttrKey::mode, ConvertMode::uint);
      v = b.emit1(OpKind::convert, {v}, mode, Type::scalar(DType::i32));
    }
    b.emit(OpKind::yield, {v}, {}, {});
    b.leave();
    return r;
  };
  const Expr zero = k.pool->constant(0), four = k.pool->constant(4);
  Attrs choice;
  choice.set(AttrKey::ranges, ExprList{zero, four});
  choice.set(AttrKey::extreme, Extreme::max);
  choice.set(AttrKey::tie, TieRule::first);
  choice.set(AttrKey::nan, NanRule::first);
  RegionId map = region({""}, false), where = region({"other"}, true);
  b.emit_with_regions(OpKind::arg_reduce, {}, choice, {map, where}, {Type::scalar(DType::i32), Type::index()});
  Attrs axes;
  axes.set(AttrKey::ranges, ExprList{zero, four, zero, four, zero, four, zero, four});
  axes.set(AttrKey::axes, IntList{1, 1, 1, 1});
  axes.set(AttrKey::order, Order::any);
  axes.set(AttrKey::exact_product, true);
  RegionId lhs = region({"", "m", "k"}, false), rhs = region({"b", "m", ""}, false);
  b.emit_with_regions(OpKind::contract, {}, axes, {lhs, rhs}, {Type::tensor(DType::i32, {four, four, four})});
  b.emit(OpKind::yield, {}, {}, {});
  b.leave();
  k.body = b.freeze(*k.pool, std::span(&root, 1));
  k.root = RegionId(0);
  Diagnostics d;
  ASSERT_TRUE(verify(k, d)) << d.all()[0].message;
  Module module;
  module.kernels.push_back(std::make_shared<const Kernel>(k));
  const std::string text = print(module);
  KirResult again = kir_of(text);
  ASSERT_TRUE(again.module) << again.text() << text;
  EXPECT_TRUE(structurally_equal(k.body, again.module->kernels[0]->body)) << text;
  EXPECT_EQ(print(*again.module), text);
}

}  // namespace
}  // namespace kir::test
