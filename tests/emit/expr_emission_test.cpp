// The emitted expression language against the exact evaluator: where the evaluator gives a value and every intermediate fits
// the width, the code gives it too; where it does not, nothing traps.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "emit/emit.h"
#include "program_builder.h"

namespace kir {
namespace {

using namespace testing;

class Generator {
 public:
  Generator(ExprPool& pool, std::vector<Expr> leaves, std::mt19937& random)
      : pool_(pool), leaves_(std::move(leaves)), random_(random) {}
  Expr integer(int depth) {
    if (depth == 0 || pick(5) == 0) {
      if (pick(3) == 0) {
        static constexpr std::int64_t kConstants[] = {0, 1, 2, 3, 4, 7, 8, 16, 64, 100, -1, -2, -3, -8, -100};
        return pool_.constant(kConstants[pick(15)]);
      }
      return leaves_[pick(static_cast<unsigned>(leaves_.size()))];
    }
    static constexpr ExprKind kKinds[] = {ExprKind::add, ExprKind::sub,     ExprKind::mul, ExprKind::floordiv,
                                          ExprKind::mod, ExprKind::ceildiv, ExprKind::min, ExprKind::max};
    unsigned k = pick(10);
    if (k == 8) return pool_.make(ExprKind::neg, {integer(depth - 1)});
    if (k == 9) return pool_.make(ExprKind::ite, {boolean(depth - 1), integer(depth - 1), integer(depth - 1)});
    return pool_.make(kKinds[k], {integer(depth - 1), integer(depth - 1)});
  }
  Expr boolean(int depth) {
    if (depth == 0) return pool_.boolean(pick(2));
    static constexpr ExprKind kCompare[] = {ExprKind::eq, ExprKind::ne, ExprKind::lt, ExprKind::le, ExprKind::gt, ExprKind::ge};
    static constexpr ExprKind kConnect[] = {ExprKind::logical_and, ExprKind::logical_or, ExprKind::implies, ExprKind::eq,
                                            ExprKind::ne};
    unsigned k = pick(13);
    if (k < 6) return pool_.make(kCompare[k], {integer(depth - 1), integer(depth - 1)});
    if (k < 11) return pool_.make(kConnect[k - 6], {boolean(depth - 1), boolean(depth - 1)});
    if (k == 11) return pool_.make(ExprKind::logical_not, {boolean(depth - 1)});
    return pool_.make(ExprKind::ite, {boolean(depth - 1), boolean(depth - 1), boolean(depth - 1)});
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  ExprPool& pool_;
  std::vector<Expr> leaves_;
  std::mt19937& random_;
};

// Does every integer node that the evaluator visits fit the width?
bool fits(Expr e, int width, const std::function<std::optional<Integer>(Expr)>& leaf) {
  EvalResult r = evaluate(e, leaf);
  if (!r.ok()) return false;
  if (e.sort() == Sort::integer) {
    const Integer limit = Integer{1} << (width - 1);
    if (r.value < -limit || r.value >= limit) return false;
  }
  if (e.is(ExprKind::ite))
    return fits(e.kid(0), width, leaf) && fits(e.kid(evaluate(e.kid(0), leaf).value ? 1 : 2), width, leaf);
  const bool lazy = e.is(ExprKind::logical_and) || e.is(ExprKind::logical_or) || e.is(ExprKind::implies);
  if (lazy) {
    if (!fits(e.kid(0), width, leaf)) return false;
    const bool first = evaluate(e.kid(0), leaf).value != 0;
    const bool skipped = e.is(ExprKind::logical_or) ? first : !first;
    return skipped || fits(e.kid(1), width, leaf);
  }
  for (Expr k : e.kids())
    if (!fits(k, width, leaf)) return false;
  return true;
}

class ExprEmission : public ::testing::TestWithParam<int> {};

// shows: K4.2
TEST_P(ExprEmission, AgreesWithTheEvaluator) {
  const int width = GetParam();
  const DType t = width == 32 ? DType::i32 : DType::i64;
  std::mt19937 random(5);
  constexpr std::size_t kRows = 64, kExprs = 40;
  int compared = 0;
  for (int round = 0; round < 8; ++round) {
    std::vector<Expr> exprs;
    std::vector<ValueId> values;
    ElementwiseShape shape{.inputs = {t, t, t}};
    for (std::size_t k = 0; k < kExprs; ++k) shape.outputs.push_back(k % 2 ? DType::i1 : t);
    PhysicalPtr p = elementwise(shape, [&](BodyBuilder& b, ExprPool& pool, const std::vector<ValueId>& x, ValueId i) {
      std::vector<Expr> leaves = {pool.value(x[0]), pool.value(x[1]),  pool.value(x[2]),
                                  pool.symbol("N"), pool.symbol("L0"), pool.value(i)};
      values = {x[0], x[1], x[2], i};
      Generator g(pool, leaves, random);
      std::vector<ValueId> out;
      for (std::size_t k = 0; k < kExprs; ++k) {
        exprs.push_back(k % 2 ? g.boolean(4) : g.integer(4));
        out.push_back(b.emit1(OpKind::index, {}, {{AttrKey::expr, exprs.back()}}, Type::scalar(k % 2 ? DType::i1 : t)));
      }
      return out;
    });
    static constexpr std::int64_t kSpecial[] = {0, 1, -1, 2, -2, 7, -7, 8, 100};
    std::vector<std::vector<std::uint64_t>> columns(3, std::vector<std::uint64_t>(kRows));
    for (auto& column : columns)
      for (std::uint64_t& v : column) {
        const std::int64_t low =
            width == 32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
        std::int64_t s = random() % 2         ? kSpecial[random() % 9]
                         : random() % 16 == 0 ? low
                                              : static_cast<std::int64_t>(random() % 2001) - 1000;
        v = Scalar::of_int(t, s).bits;
      }
    BoundLaunch launch;
    for (auto& column : columns) launch.views.push_back(make_tensor(t, column));
    for (DType o : shape.outputs) launch.views.push_back(make_tensor(o, std::vector<std::uint64_t>(kRows)));
    launch.symbols["N"] = kRows;
    Diagnostics diagnostics;
    auto kernel = emit::HostKernel::compile(*p, diagnostics);
    ASSERT_TRUE(kernel);
    ASSERT_EQ(kernel->run(launch), "");
    for (std::size_t row = 0; row < kRows; ++row) {
      auto leaf = [&](Expr e) -> std::optional<Integer> {
        if (e.is(ExprKind::symbol)) return Integer{kRows};
        for (std::size_t k = 0; k < 3; ++k)
          if (e.value() == values[k]) return Integer{Scalar{t, columns[k][row]}.as_signed()};
        return Integer{static_cast<std::int64_t>(row)};
      };
      for (std::size_t k = 0; k < kExprs; ++k) {
        if (!fits(exprs[k], k % 2 ? 64 : width, leaf)) continue;
        ++compared;
        Scalar got{shape.outputs[k], element(*launch.views[3 + k], row)};
        Integer expected = evaluate(exprs[k], leaf).value;
        ASSERT_TRUE((k % 2 ? Integer{got.bits} : Integer{got.as_signed()}) == expected)
            << to_string(exprs[k]) << " is " << to_string(expected) << ", not " << got.as_signed() << ", in row " << row;
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

INSTANTIATE_TEST_SUITE_P(Widths, ExprEmission, ::testing::Values(32, 64));

TEST(ExprEmission, ConstantPowersOfTwoNeedNoDivision) {
  PhysicalPtr p = elementwise({.inputs = {DType::i64}, .outputs = {DType::i64}}, [&](BodyBuilder& b, ExprPool& pool,
                                                                                     const std::vector<ValueId>& x, ValueId) {
    Expr v = pool.value(x[0]);
    Expr e = floordiv(v, pool.constant(1024)) + mod(v, pool.constant(32)) + ceildiv(v, pool.constant(128));
    return std::vector<ValueId>{b.emit1(OpKind::index, {}, {{AttrKey::expr, e}}, Type::scalar(DType::i64))};
  });
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(*p, "sm_90a", diagnostics);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->ptx.find("div."), std::string::npos);
  EXPECT_EQ(module->ptx.find("rem."), std::string::npos);
}

}  // namespace
}  // namespace kir
