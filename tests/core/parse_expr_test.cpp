#include "core/index/parse_expr.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace kir {
namespace {

class Generator {
 public:
  Generator(ExprPool& pool, unsigned seed) : pool_(pool), random_(seed) {}
  Expr integer(int depth) {
    if (depth == 0 || pick(6) == 0) {
      switch (pick(4)) {
        case 0: return pool_.symbol("N");
        case 1: return pool_.symbol("M_1");
        case 2: return pool_.constant(static_cast<std::int64_t>(pick(20)) - 10);
        default:
          return pool_.constant(pick(2) ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max());
      }
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
  std::mt19937 random_;
};

TEST(ParseExpr, ReadsBackWhatIsPrinted) {
  ExprPool pool;
  Generator g(pool, 7);
  for (int i = 0; i < 4000; ++i) {
    Expr e = i % 2 ? g.integer(5) : g.boolean(5);
    std::string text = to_string(e), error;
    Expr back = parse_expr(pool, text, &error);
    ASSERT_TRUE(back == e) << text << "\n" << error;
  }
}

TEST(ParseExpr, BadTextIsAnErrorThatNamesThePlace) {
  ExprPool pool;
  auto error_of = [&](std::string_view text) {
    std::string error;
    EXPECT_TRUE(parse_expr(pool, text, &error) == Expr()) << text;
    return error;
  };
  EXPECT_NE(error_of("").find("ends early"), std::string::npos);
  EXPECT_NE(error_of("N +").find("ends early"), std::string::npos);
  EXPECT_NE(error_of("N M").find("at byte 2"), std::string::npos);
  EXPECT_NE(error_of("(N").find("expected `)`"), std::string::npos);
  EXPECT_NE(error_of("min(N)").find("expected `,`"), std::string::npos);
  EXPECT_NE(error_of("0 <= N < 4").find("chain"), std::string::npos);
  EXPECT_NE(error_of("not N").find("wrong kind"), std::string::npos);
  EXPECT_NE(error_of("N and true").find("wrong kind"), std::string::npos);
  EXPECT_NE(error_of("9223372036854775808").find("64 bits"), std::string::npos);
  EXPECT_NE(error_of("N $ 2").find("after the expression"), std::string::npos);
  EXPECT_NE(error_of(std::string(5000, '(')).find("too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(5000, '-') + "N").find("expected"), std::string::npos);
}

}  // namespace
}  // namespace kir
