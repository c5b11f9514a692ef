// Random expressions keep their tree through the text; mutated texts never crash and what is accepted obeys the laws.
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

// A random expression of the given sort over N, i and constants; `size` bounds its depth.
Expr random_expr(ExprPool& pool, Sort sort, int size) {
  auto kid = [&](Sort s) { return random_expr(pool, s, size - 1); };
  if (sort == Sort::integer) {
    if (size <= 0 || *rc::gen::inRange(0, 4) == 0) {
      switch (*rc::gen::inRange(0, 4)) {
        case 0: return pool.symbol("N");
        case 1: return pool.value(ValueId(0));
        case 2: return pool.constant(*rc::gen::inRange<std::int64_t>(-20, 20));
        default: return pool.constant(*rc::gen::arbitrary<std::int64_t>());
      }
    }
    constexpr ExprKind kBinary[] = {ExprKind::add, ExprKind::sub,     ExprKind::mul, ExprKind::floordiv,
                                    ExprKind::mod, ExprKind::ceildiv, ExprKind::min, ExprKind::max};
    int pick = *rc::gen::inRange(0, 10);
    if (pick == 8) return pool.make(ExprKind::neg, {kid(Sort::integer)});
    if (pick == 9) return pool.make(ExprKind::ite, {kid(Sort::boolean), kid(Sort::integer), kid(Sort::integer)});
    return pool.make(kBinary[pick], {kid(Sort::integer), kid(Sort::integer)});
  }
  if (size <= 0) return pool.boolean(*rc::gen::arbitrary<bool>());
  constexpr ExprKind kCompare[] = {ExprKind::eq, ExprKind::ne, ExprKind::lt, ExprKind::le, ExprKind::gt, ExprKind::ge};
  constexpr ExprKind kLogical[] = {ExprKind::logical_and, ExprKind::logical_or, ExprKind::implies};
  int pick = *rc::gen::inRange(0, 13);
  if (pick < 6) return pool.make(kCompare[pick], {kid(Sort::integer), kid(Sort::integer)});
  if (pick < 9) return pool.make(kLogical[pick - 6], {kid(Sort::boolean), kid(Sort::boolean)});
  if (pick == 9) return pool.make(ExprKind::logical_not, {kid(Sort::boolean)});
  if (pick == 10) return pool.make(ExprKind::ite, {kid(Sort::boolean), kid(Sort::boolean), kid(Sort::boolean)});
  return pool.make(pick == 11 ? ExprKind::eq : ExprKind::ne, {kid(Sort::boolean), kid(Sort::boolean)});
}

TEST(TextProperty, IndexExpressionsRoundTrip) {
  EXPECT_TRUE(rc::check("print and parse keep every tree", [] {
    ExprPool pool;
    Sort sort = *rc::gen::element(Sort::integer, Sort::boolean);
    Expr e = random_expr(pool, sort, *rc::gen::inRange(0, 7));
    std::string text = to_string(e, [](Expr leaf) { return leaf.is(ExprKind::value) ? std::string("i") : std::string(); });
    KirResult r = kir_of("kir 1\nkernel k(x: in f32[N]) { parallel i in 0..N { let e: " +
                         std::string(sort == Sort::integer ? "index" : "i1") + " = index " + text + " } }");
    if (!r.module) RC_FAIL(text + "\n" + r.text());
    const Kernel& k = *r.module->kernels[0];
    Expr back;
    for (std::uint32_t i = 0; i < k.body.op_count(); ++i)
      if (k.body.op(OpId(i)).kind == OpKind::index) back = k.body.op(OpId(i)).attrs.get<Expr>(AttrKey::expr);
    RC_ASSERT(pool.import(back, [&](Expr leaf) { return leaf.is(ExprKind::value) ? pool.value(ValueId(0)) : Expr(); }) == e);
  }));
}

std::vector<std::pair<std::string, bool>> seeds() {
  std::vector<std::pair<std::string, bool>> out;
  for (const OpSample& s : op_samples()) out.emplace_back(s.good, s.physical);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KIR_SOURCE_DIR "/corpus", ignored)) {
    bool physical = entry.path().extension() == ".pir";
    if (!physical && entry.path().extension() != ".kir") continue;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    out.emplace_back(text.str(), physical);
  }
  return out;
}

// What is accepted obeys the laws, whatever it is.
void check_any_text(const std::string& text, bool physical) {
  if (physical) {
    PirResult r = pir_of(text);
    ASSERT_EQ(r.program != nullptr, !r.diagnostics.has_errors()) << text;
    if (!r.program) return;
    PirResult again = pir_of(print(*r.program));
    ASSERT_TRUE(again.program) << again.text() << text;
    ASSERT_TRUE(structurally_equal(again.program->body, r.program->body)) << text;
    ASSERT_EQ(print(*again.program), print(*r.program));
  } else {
    KirResult r = kir_of(text);
    ASSERT_EQ(r.module.has_value(), !r.diagnostics.has_errors()) << text;
    if (!r.module) return;
    KirResult again = kir_of(print(*r.module));
    ASSERT_TRUE(again.module) << again.text() << text;
    for (std::size_t i = 0; i < r.module->kernels.size(); ++i)
      ASSERT_TRUE(structurally_equal(again.module->kernels[i]->body, r.module->kernels[i]->body)) << text;
    ASSERT_EQ(print(*again.module), print(*r.module));
  }
}

TEST(TextProperty, MutatedTextsNeverCrash) {
  std::vector<std::pair<std::string, bool>> all = seeds();
  std::mt19937 random(20240607);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string pieces[] = {"(",     ")",    "{",     "}",  "[",      "]",     ",",
                                "..",    "=",    "let",   "%a", "@L",     "f32",   "index",
                                "yield", "next", "where", "if", "-",      "0",     "9223372036854775807",
                                "1.0",   "nan",  "N",     "i",  "x",      "a",     "not",
                                "ite(",  ":",    "!",     "<",  "kernel", "group", "\n",
                                "//"};
  for (int round = 0; round < 3000; ++round) {
    auto [text, physical] = all[below(all.size())];
    for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
      std::size_t at = below(text.size()), length = std::min(1 + below(12), text.size() - at);
      switch (below(5)) {
        case 0: text[at] = static_cast<char>(random() % 256); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, pieces[below(std::size(pieces))]); break;
        case 3: text.insert(below(text.size()), text.substr(at, length)); break;
        default: text.resize(at); break;
      }
    }
    check_any_text(text, physical);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace kir::test
