// Formulas for tests, written as text: upper-case names are launch symbols, lower-case names are variables (one fresh
// variable per name and pool), `b_...` names are boolean variables. Chains of comparisons mean the conjunction.
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "proof/obligation.h"

namespace kir::test {

class Formulas {
 public:
  explicit Formulas(ExprPool& pool) : pool_(pool) {}

  Expr operator()(std::string_view text) {
    text_ = text;
    at_ = 0;
    Expr e = implication();
    KIR_CHECK(peek().empty(), "left over in '{}' at {}", text, at_);
    return e;
  }
  Expr leaf(const std::string& name) {
    if (std::isupper(static_cast<unsigned char>(name[0]))) return pool_.symbol(name);
    auto it = variables_.find(name);
    if (it == variables_.end())
      it = variables_.emplace(name, pool_.fresh(name, name.starts_with("b_") ? Sort::boolean : Sort::integer)).first;
    return it->second;
  }

 private:
  std::string_view peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size()) return {};
    std::size_t n = 1;
    auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (word(text_[at_]))
      while (at_ + n < text_.size() && word(text_[at_ + n])) ++n;
    else if (std::string_view("<>=!").find(text_[at_]) != std::string_view::npos && at_ + 1 < text_.size() &&
             text_[at_ + 1] == '=')
      n = 2;
    return text_.substr(at_, n);
  }
  bool take(std::string_view t) {
    if (peek() != t) return false;
    at_ += t.size();
    return true;
  }
  void want(std::string_view t) { KIR_CHECK(take(t), "'{}' wanted in '{}' at {}", t, text_, at_); }

  Expr implication() {
    Expr a = disjunction();
    return take("implies") ? implies(a, implication()) : a;
  }
  Expr disjunction() {
    Expr a = conjunction();
    while (take("or")) a = either(a, conjunction());
    return a;
  }
  Expr conjunction() {
    Expr a = denial();
    while (take("and")) a = both(a, denial());
    return a;
  }
  Expr denial() { return take("not") ? negation(denial()) : comparison(); }
  Expr comparison() {
    Expr a = sum(), all;
    while (true) {
      std::string_view op = peek();
      ExprKind k;
      if (op == "==")
        k = ExprKind::eq;
      else if (op == "!=")
        k = ExprKind::ne;
      else if (op == "<")
        k = ExprKind::lt;
      else if (op == "<=")
        k = ExprKind::le;
      else if (op == ">")
        k = ExprKind::gt;
      else if (op == ">=")
        k = ExprKind::ge;
      else
        break;
      at_ += op.size();
      Expr b = sum(), c = pool_.make(k, {a, b});
      all = all ? both(all, c) : c;
      a = b;
    }
    return all.node() ? all : a;
  }
  Expr sum() {
    Expr a = product();
    while (true) {
      if (take("+"))
        a = a + product();
      else if (take("-"))
        a = a - product();
      else
        return a;
    }
  }
  Expr product() {
    Expr a = unary();
    while (true) {
      if (take("*"))
        a = a * unary();
      else if (take("floordiv"))
        a = floordiv(a, unary());
      else if (take("mod"))
        a = mod(a, unary());
      else
        return a;
    }
  }
  Expr unary() { return take("-") ? -unary() : primary(); }
  Expr primary() {
    if (take("(")) {
      Expr e = implication();
      want(")");
      return e;
    }
    std::string name(peek());
    at_ += name.size();
    if (std::isdigit(static_cast<unsigned char>(name[0]))) return pool_.constant(std::stoll(name));
    if (name == "true" || name == "false") return pool_.boolean(name == "true");
    if (name == "min" || name == "max" || name == "ceildiv" || name == "ite") {
      want("(");
      std::vector<Expr> args{implication()};
      while (take(",")) args.push_back(implication());
      want(")");
      if (name == "min") return min(args.at(0), args.at(1));
      if (name == "max") return max(args.at(0), args.at(1));
      if (name == "ceildiv") return ceildiv(args.at(0), args.at(1));
      return ite(args.at(0), args.at(1), args.at(2));
    }
    return leaf(name);
  }

  ExprPool& pool_;
  std::map<std::string, Expr> variables_;
  std::string_view text_;
  std::size_t at_ = 0;
};

// Adds `hypotheses => goal` to a ledger.
inline proof::Obligation& add(proof::Ledger& ledger, std::string key, const std::vector<std::string>& hypotheses,
                              std::string_view goal) {
  Formulas f(*ledger.pool);
  proof::Obligation o;
  o.kind = proof::ObligationKind::access_bounds;
  o.key = std::move(key);
  o.sentence = std::string(goal);
  for (const std::string& h : hypotheses) o.hypotheses.push_back(f(h));
  o.goal = f(goal);
  ledger.add(std::move(o));
  return ledger.obligations.back();
}

}  // namespace kir::test
