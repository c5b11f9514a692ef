#include "core/index/expr.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace kir {
namespace {

constexpr std::size_t kMaxKids = 3;

void mix(std::size_t& h, std::size_t v) { h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2); }

Sort sort_of(ExprKind kind, std::span<const Expr> kids) {
  switch (kind) {
    case ExprKind::boolean:
    case ExprKind::eq:
    case ExprKind::ne:
    case ExprKind::lt:
    case ExprKind::le:
    case ExprKind::gt:
    case ExprKind::ge:
    case ExprKind::logical_not:
    case ExprKind::logical_and:
    case ExprKind::logical_or:
    case ExprKind::implies: return Sort::boolean;
    case ExprKind::ite: return kids[1].sort();
    default: return Sort::integer;
  }
}

void check_kids(ExprKind kind, std::span<const Expr> kids) {
  auto all = [&](std::size_t n, Sort s) {
    KIR_CHECK(kids.size() == n, "expression kind {} wants {} operands", static_cast<int>(kind), n);
    for (Expr k : kids) KIR_CHECK(k.sort() == s, "operand sort of expression kind {}", static_cast<int>(kind));
  };
  switch (kind) {
    case ExprKind::neg: return all(1, Sort::integer);
    case ExprKind::add:
    case ExprKind::sub:
    case ExprKind::mul:
    case ExprKind::floordiv:
    case ExprKind::mod:
    case ExprKind::ceildiv:
    case ExprKind::min:
    case ExprKind::max:
    case ExprKind::lt:
    case ExprKind::le:
    case ExprKind::gt:
    case ExprKind::ge: return all(2, Sort::integer);
    case ExprKind::eq:
    case ExprKind::ne:
      KIR_CHECK(kids.size() == 2 && kids[0].sort() == kids[1].sort(), "operands of = and != have one sort");
      return;
    case ExprKind::ite:
      KIR_CHECK(kids.size() == 3 && kids[0].sort() == Sort::boolean && kids[1].sort() == kids[2].sort(), "ite operands");
      return;
    case ExprKind::logical_not: return all(1, Sort::boolean);
    case ExprKind::logical_and:
    case ExprKind::logical_or:
    case ExprKind::implies: return all(2, Sort::boolean);
    case ExprKind::constant:
    case ExprKind::boolean:
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable: KIR_UNREACHABLE("leaves have constructors of their own");
  }
}

}  // namespace

bool ExprPool::Equal::operator()(const ExprNode* a, const ExprNode* b) const {
  return a->kind == b->kind && a->sort == b->sort && a->number == b->number && a->name == b->name && a->kids == b->kids;
}

Expr ExprPool::intern(ExprNode&& n) {
  std::size_t h = static_cast<std::size_t>(n.kind) * 31 + static_cast<std::size_t>(n.sort);
  mix(h, static_cast<std::size_t>(n.number));
  mix(h, std::hash<std::string>{}(n.name));
  for (Expr k : n.kids) {
    KIR_CHECK(k && &k.pool() == this, "an expression of another pool");
    mix(h, k.serial());
  }
  n.hash = h;
  n.pool = this;
  if (auto found = table_.find(&n); found != table_.end()) return Expr(found->second);
  n.serial = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(std::move(n));
  const ExprNode* kept = &nodes_.back();
  table_.emplace(kept, kept);
  return Expr(kept);
}

Expr ExprPool::constant(std::int64_t v) { return intern({.kind = ExprKind::constant, .sort = Sort::integer, .number = v}); }
Expr ExprPool::boolean(bool v) { return intern({.kind = ExprKind::boolean, .sort = Sort::boolean, .number = v ? 1 : 0}); }
Expr ExprPool::symbol(std::string_view name) {
  return intern({.kind = ExprKind::symbol, .sort = Sort::integer, .name = std::string(name)});
}
Expr ExprPool::value(ValueId id, Sort sort) {
  return intern({.kind = ExprKind::value, .sort = sort, .number = static_cast<std::int64_t>(id.index)});
}
Expr ExprPool::position(int k) { return intern({.kind = ExprKind::position, .sort = Sort::integer, .number = k}); }
Expr ExprPool::fresh(std::string_view hint, Sort sort) {
  return intern({.kind = ExprKind::variable, .sort = sort, .number = next_variable_++, .name = std::string(hint)});
}

Expr ExprPool::make(ExprKind kind, std::span<const Expr> kids) {
  check_kids(kind, kids);
  return intern({.kind = kind, .sort = sort_of(kind, kids), .kids = {kids.begin(), kids.end()}});
}

Expr ExprPool::all_of(std::span<const Expr> terms) {
  Expr out;
  for (Expr t : terms) {
    if (t.is_true()) continue;
    if (t.is_false()) return t;
    out = out ? make(ExprKind::logical_and, {out, t}) : t;
  }
  return out ? out : boolean(true);
}

Expr ExprPool::any_of(std::span<const Expr> terms) {
  Expr out;
  for (Expr t : terms) {
    if (t.is_false()) continue;
    if (t.is_true()) return t;
    out = out ? make(ExprKind::logical_or, {out, t}) : t;
  }
  return out ? out : boolean(false);
}

Expr ExprPool::import(Expr e, const std::function<Expr(Expr)>& leaf) {
  std::unordered_map<const ExprNode*, Expr> done;  // of nodes with kids, and of leaves that `leaf` maps
  auto go = [&](auto& self, Expr x) -> Expr {
    Expr out;
    switch (x.kind()) {
      case ExprKind::constant: out = constant(x.number()); break;
      case ExprKind::boolean: out = boolean(x.number() != 0); break;
      case ExprKind::symbol:
      case ExprKind::value:
      case ExprKind::position:
      case ExprKind::variable:
        if (leaf) {
          if (auto it = done.find(x.node()); it != done.end()) return it->second;
          if (out = leaf(x); !(out == Expr())) done.emplace(x.node(), out);
        }
        if (out == Expr()) {
          if (&x.pool() == this)
            out = x;
          else if (x.is(ExprKind::symbol))
            out = symbol(x.name());
          else if (x.is(ExprKind::value))
            out = value(x.value(), x.sort());
          else if (x.is(ExprKind::position))
            out = position(static_cast<int>(x.number()));
          else
            KIR_UNREACHABLE("variable {} of another pool was not mapped", x.name());
        }
        KIR_CHECK(out.sort() == x.sort(), "a leaf was replaced by an expression of another sort");
        break;
      default: {
        if (auto it = done.find(x.node()); it != done.end()) return it->second;
        Expr kids[kMaxKids];
        std::size_t count = 0;
        bool same = &x.pool() == this;
        for (Expr k : x.kids()) {
          kids[count] = self(self, k);
          same = same && kids[count] == k;
          ++count;
        }
        out = same ? x : make(x.kind(), std::span(kids, count));
        done.emplace(x.node(), out);
      }
    }
    return out;
  };
  return go(go, e);
}

static Expr binary(ExprKind k, Expr a, Expr b) { return a.pool().make(k, {a, b}); }
Expr operator+(Expr a, Expr b) { return binary(ExprKind::add, a, b); }
Expr operator-(Expr a, Expr b) { return binary(ExprKind::sub, a, b); }
Expr operator*(Expr a, Expr b) { return binary(ExprKind::mul, a, b); }
Expr operator+(Expr a, std::int64_t b) { return a + a.pool().constant(b); }
Expr operator-(Expr a, std::int64_t b) { return a - a.pool().constant(b); }
Expr operator*(Expr a, std::int64_t b) { return a * a.pool().constant(b); }
Expr operator-(Expr a) { return a.pool().make(ExprKind::neg, {a}); }
Expr floordiv(Expr a, Expr b) { return binary(ExprKind::floordiv, a, b); }
Expr mod(Expr a, Expr b) { return binary(ExprKind::mod, a, b); }
Expr ceildiv(Expr a, Expr b) { return binary(ExprKind::ceildiv, a, b); }
Expr min(Expr a, Expr b) { return binary(ExprKind::min, a, b); }
Expr max(Expr a, Expr b) { return binary(ExprKind::max, a, b); }
Expr ite(Expr c, Expr t, Expr e) { return c.pool().make(ExprKind::ite, {c, t, e}); }
Expr equal(Expr a, Expr b) { return binary(ExprKind::eq, a, b); }
Expr not_equal(Expr a, Expr b) { return binary(ExprKind::ne, a, b); }
Expr less(Expr a, Expr b) { return binary(ExprKind::lt, a, b); }
Expr less_equal(Expr a, Expr b) { return binary(ExprKind::le, a, b); }
Expr greater(Expr a, Expr b) { return binary(ExprKind::gt, a, b); }
Expr greater_equal(Expr a, Expr b) { return binary(ExprKind::ge, a, b); }
Expr negation(Expr a) { return a.pool().make(ExprKind::logical_not, {a}); }
Expr both(Expr a, Expr b) { return binary(ExprKind::logical_and, a, b); }
Expr either(Expr a, Expr b) { return binary(ExprKind::logical_or, a, b); }
Expr implies(Expr a, Expr b) { return binary(ExprKind::implies, a, b); }

Expr substitute(Expr e, const std::function<Expr(Expr)>& f) { return e.pool().import(e, f); }

// Precedence: 0 implies, 1 or, 2 and, 3 not, 4 comparison, 5 additive, 6 multiplicative, 7 unary minus, 8 atom.
static std::string print(Expr e, int at_least, const std::function<std::string(Expr)>& leaf) {
  auto wrap = [&](int level, std::string s) { return level < at_least ? "(" + s + ")" : s; };
  auto infix = [&](int level, std::string_view op, int left, int right) {
    return wrap(level, fmt::format("{} {} {}", print(e.kid(0), left, leaf), op, print(e.kid(1), right, leaf)));
  };
  auto call = [&](std::string_view name) {
    std::string s = fmt::format("{}(", name);
    for (std::size_t i = 0; i < e.kids().size(); ++i) s += (i ? ", " : "") + print(e.kid(i), 0, leaf);
    return s + ")";
  };
  switch (e.kind()) {
    case ExprKind::constant: return wrap(e.number() < 0 ? 7 : 8, std::to_string(e.number()));
    case ExprKind::boolean: return e.number() ? "true" : "false";
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable: {
      if (leaf)
        if (std::string s = leaf(e); !s.empty()) return s;
      if (e.is(ExprKind::symbol)) return e.name();
      if (e.is(ExprKind::value)) return fmt::format("v{}", e.number());
      if (e.is(ExprKind::position)) return fmt::format("pos({})", e.number());
      return fmt::format("{}${}", e.name(), e.number());
    }
    case ExprKind::add: return infix(5, "+", 5, 6);
    case ExprKind::sub: return infix(5, "-", 5, 6);
    case ExprKind::mul: return infix(6, "*", 6, 7);
    case ExprKind::floordiv: return infix(6, "floordiv", 6, 7);
    case ExprKind::mod: return infix(6, "mod", 6, 7);
    case ExprKind::neg:
      return wrap(7, "-" + (e.kid(0).is(ExprKind::constant) ? "(" + print(e.kid(0), 0, leaf) + ")" : print(e.kid(0), 8, leaf)));
    case ExprKind::ceildiv: return call("ceildiv");
    case ExprKind::min: return call("min");
    case ExprKind::max: return call("max");
    case ExprKind::ite: return call("ite");
    case ExprKind::eq: return infix(4, "==", 5, 5);
    case ExprKind::ne: return infix(4, "!=", 5, 5);
    case ExprKind::lt: return infix(4, "<", 5, 5);
    case ExprKind::le: return infix(4, "<=", 5, 5);
    case ExprKind::gt: return infix(4, ">", 5, 5);
    case ExprKind::ge: return infix(4, ">=", 5, 5);
    case ExprKind::logical_not: return wrap(3, "not " + print(e.kid(0), 4, leaf));
    case ExprKind::logical_and: return infix(2, "and", 2, 3);
    case ExprKind::logical_or: return infix(1, "or", 1, 2);
    case ExprKind::implies: return infix(0, "implies", 1, 0);
  }
  KIR_UNREACHABLE("expression kind");
}

std::string to_string(Expr e, const std::function<std::string(Expr)>& leaf) { return print(e, 0, leaf); }

std::string to_string(Integer v) {
  if (v == 0) return "0";
  bool negative = v < 0;
  std::string s;
  for (unsigned __int128 u = negative ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v); u; u /= 10)
    s += static_cast<char>('0' + static_cast<int>(u % 10));
  if (negative) s += '-';
  std::reverse(s.begin(), s.end());
  return s;
}

static Integer floor_quotient(Integer a, Integer b) {
  Integer q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

EvalResult evaluate(Expr e, const std::function<std::optional<Integer>(Expr)>& leaf) {
  auto fail = [&](EvalError error) { return EvalResult{0, error, e}; };
  auto ok = [&](Integer v) { return EvalResult{v, EvalError::none, {}}; };
  switch (e.kind()) {
    case ExprKind::constant:
    case ExprKind::boolean: return ok(e.number());
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable: {
      std::optional<Integer> v = leaf(e);
      return v ? ok(*v) : fail(EvalError::unbound_leaf);
    }
    default: break;
  }
  EvalResult a = evaluate(e.kid(0), leaf);
  if (!a.ok()) return a;
  switch (e.kind()) {  // those that may skip their second operand
    case ExprKind::ite: return evaluate(a.value ? e.kid(1) : e.kid(2), leaf);
    case ExprKind::logical_not: return ok(!a.value);
    case ExprKind::logical_and: return a.value ? evaluate(e.kid(1), leaf) : ok(0);
    case ExprKind::logical_or: return a.value ? ok(1) : evaluate(e.kid(1), leaf);
    case ExprKind::implies: return a.value ? evaluate(e.kid(1), leaf) : ok(1);
    case ExprKind::neg: {
      Integer r;
      return __builtin_sub_overflow(Integer{0}, a.value, &r) ? fail(EvalError::overflow) : ok(r);
    }
    default: break;
  }
  EvalResult b = evaluate(e.kid(1), leaf);
  if (!b.ok()) return b;
  Integer x = a.value, y = b.value, r = 0;
  switch (e.kind()) {
    case ExprKind::add: return __builtin_add_overflow(x, y, &r) ? fail(EvalError::overflow) : ok(r);
    case ExprKind::sub: return __builtin_sub_overflow(x, y, &r) ? fail(EvalError::overflow) : ok(r);
    case ExprKind::mul: return __builtin_mul_overflow(x, y, &r) ? fail(EvalError::overflow) : ok(r);
    case ExprKind::floordiv:
    case ExprKind::mod:
    case ExprKind::ceildiv: {
      if (y == 0) return fail(EvalError::zero_divisor);
      if (y == -1) {  // the quotient may not fit
        if (e.is(ExprKind::mod)) return ok(0);
        return __builtin_sub_overflow(Integer{0}, x, &r) ? fail(EvalError::overflow) : ok(r);
      }
      Integer q = floor_quotient(x, y);
      if (e.is(ExprKind::floordiv)) return ok(q);
      Integer rest = x - q * y;
      return ok(e.is(ExprKind::mod) ? rest : q + (rest != 0 ? 1 : 0));
    }
    case ExprKind::min: return ok(std::min(x, y));
    case ExprKind::max: return ok(std::max(x, y));
    case ExprKind::eq: return ok(x == y);
    case ExprKind::ne: return ok(x != y);
    case ExprKind::lt: return ok(x < y);
    case ExprKind::le: return ok(x <= y);
    case ExprKind::gt: return ok(x > y);
    case ExprKind::ge: return ok(x >= y);
    default: KIR_UNREACHABLE("expression kind");
  }
}

}  // namespace kir
