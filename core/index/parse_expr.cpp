#include "core/index/parse_expr.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace kir {
namespace {

constexpr int kMaxNesting = 200;

// Precedence climbing over the levels of to_string: 0 implies (right), 1 or, 2 and, 3 not, 4 comparison (no chains),
// 5 + -, 6 * floordiv mod, 7 unary minus, 8 atoms.
class Parser {
 public:
  Parser(ExprPool& pool, std::string_view text) : pool_(pool), text_(text) {}

  Expr run(std::string* error) {
    advance();
    Expr e = level(0);
    if (good() && !token_.empty()) fail("something after the expression");
    if (good()) return e;
    if (error) *error = fmt::format("{} at byte {} of \"{}\"", error_, error_at_, text_.substr(0, 200));
    return {};
  }

 private:
  struct Infix {
    std::string_view word;
    ExprKind kind;
    int level;
  };
  static constexpr std::array<Infix, 14> kInfix = {{{"implies", ExprKind::implies, 0},
                                                    {"or", ExprKind::logical_or, 1},
                                                    {"and", ExprKind::logical_and, 2},
                                                    {"==", ExprKind::eq, 4},
                                                    {"!=", ExprKind::ne, 4},
                                                    {"<", ExprKind::lt, 4},
                                                    {"<=", ExprKind::le, 4},
                                                    {">", ExprKind::gt, 4},
                                                    {">=", ExprKind::ge, 4},
                                                    {"+", ExprKind::add, 5},
                                                    {"-", ExprKind::sub, 5},
                                                    {"*", ExprKind::mul, 6},
                                                    {"floordiv", ExprKind::floordiv, 6},
                                                    {"mod", ExprKind::mod, 6}}};
  struct Call {
    std::string_view word;
    ExprKind kind;
    std::size_t operands;
  };
  static constexpr std::array<Call, 4> kCalls = {
      {{"ceildiv", ExprKind::ceildiv, 2}, {"min", ExprKind::min, 2}, {"max", ExprKind::max, 2}, {"ite", ExprKind::ite, 3}}};

  bool good() const { return error_.empty(); }
  void fail(std::string message) {
    if (!good()) return;
    error_ = std::move(message);
    error_at_ = static_cast<std::size_t>(token_.data() ? token_.data() - text_.data() : 0);
  }

  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }

  void advance() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    std::size_t end = at_;
    if (end < text_.size()) {
      char c = text_[end++];
      if (letter(c) || digit(c))
        while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
      else if ((c == '=' || c == '!' || c == '<' || c == '>') && end < text_.size() && text_[end] == '=')
        ++end;
    }
    token_ = text_.substr(at_, end - at_);
    at_ = end;
  }
  bool take(std::string_view word) {
    if (token_ != word) return false;
    advance();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail(fmt::format("expected `{}`", word));
  }

  // A node whose operands' sorts fit; an error otherwise.
  Expr node(ExprKind kind, std::initializer_list<Expr> kids) {
    if (!good()) return {};
    std::span<const Expr> k(kids.begin(), kids.size());
    auto all = [&](Sort s) {
      for (Expr e : k)
        if (e.sort() != s) return false;
      return true;
    };
    bool fits = false;
    switch (kind) {
      case ExprKind::logical_not:
      case ExprKind::logical_and:
      case ExprKind::logical_or:
      case ExprKind::implies: fits = all(Sort::boolean); break;
      case ExprKind::ite: fits = k[0].sort() == Sort::boolean && k[1].sort() == k[2].sort(); break;
      case ExprKind::eq:
      case ExprKind::ne: fits = k[0].sort() == k[1].sort(); break;
      default: fits = all(Sort::integer);
    }
    if (!fits) {
      fail("an operand of the wrong kind before this place");
      return {};
    }
    return pool_.make(kind, kids);
  }

  Expr level(int minimum) {
    if (++depth_ > kMaxNesting) fail("nested too deeply");
    Expr left;
    if (good()) {
      if (minimum <= 3 && token_ == "not") {
        advance();
        left = node(ExprKind::logical_not, {level(4)});
      } else {
        left = unary();
      }
    }
    while (good()) {
      const Infix* op = nullptr;
      for (const Infix& i : kInfix)
        if (token_ == i.word && i.level >= minimum) op = &i;
      if (!op) break;
      advance();
      Expr right = level(op->level == 0 ? 0 : op->level + 1);
      left = node(op->kind, {left, right});
      if (good() && op->level == 4 && minimum <= 4) {
        for (const Infix& i : kInfix)
          if (i.level == 4 && token_ == i.word) fail("a chain of comparisons");
      }
    }
    --depth_;
    return good() ? left : Expr();
  }

  Expr number(bool negative) {
    std::string digits = (negative ? "-" : "") + std::string(token_);
    std::int64_t v = 0;
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    if (code != std::errc() || end != digits.data() + digits.size()) {
      fail("not a number of 64 bits");
      return {};
    }
    advance();
    return pool_.constant(v);
  }

  Expr unary() {
    if (!take("-")) return atom();
    if (!token_.empty() && digit(token_[0])) return number(true);
    if (++depth_ > kMaxNesting) fail("nested too deeply");
    Expr e = good() ? node(ExprKind::neg, {atom()}) : Expr();
    --depth_;
    return e;
  }

  Expr atom() {
    if (!good()) return {};
    if (token_.empty()) {
      fail("the text ends early");
      return {};
    }
    if (digit(token_[0])) return number(false);
    if (take("(")) {
      Expr e = level(0);
      expect(")");
      return good() ? e : Expr();
    }
    if (token_ == "true" || token_ == "false") {
      Expr e = pool_.boolean(token_ == "true");
      advance();
      return e;
    }
    for (const Call& c : kCalls) {
      if (token_ != c.word) continue;
      advance();
      expect("(");
      Expr kids[3];
      for (std::size_t i = 0; i < c.operands && good(); ++i) {
        if (i) expect(",");
        kids[i] = level(0);
      }
      expect(")");
      return c.operands == 2 ? node(c.kind, {kids[0], kids[1]}) : node(c.kind, {kids[0], kids[1], kids[2]});
    }
    if (!letter(token_[0]) || token_ == "not" || is_infix(token_)) {
      fail("expected a number, a name or a parenthesis");
      return {};
    }
    Expr e = pool_.symbol(token_);
    advance();
    return e;
  }

  static bool is_infix(std::string_view word) {
    for (const Infix& i : kInfix)
      if (i.word == word) return true;
    return false;
  }

  ExprPool& pool_;
  std::string_view text_, token_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
  std::size_t error_at_ = 0;
};

}  // namespace

Expr parse_expr(ExprPool& pool, std::string_view text, std::string* error) { return Parser(pool, text).run(error); }

}  // namespace kir
