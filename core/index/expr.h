// The one integer expression language: shapes, bounds, coordinates, predicates, launch extents, layouts and
// obligations. Expressions are immutable trees, hash-consed in a pool: two handles of one pool are equal exactly when
// the trees are (structure is compared, never only hashes).
//
// Values are mathematical integers or booleans. floordiv rounds toward minus infinity, mod has the divisor's sign,
// ceildiv(a, b) = -floordiv(-a, b); a zero divisor is an error of the evaluation, never a value.
//
// The pool keeps what was written: no constructor rewrites, since the overflow obligations of a fixed-width
// computation are about the operations as written. simplify.h rewrites.
//
// Leaves:
//   symbol    a launch-visible name: shape symbol, index parameter, launch definition (L0, O0, G)
//   value     an SSA value of an IR body (loop variable, index or integer scalar)
//   position  coordinate k of the element of a fragment that is being computed
//   variable  a bound or free variable of a formula; made fresh by the pool, has a sort; used by proofs only
//
// A pool is not synchronised: build on one thread, then read from any number.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/ids.h"

namespace kir {

enum class ExprKind : std::uint8_t {
  constant,
  boolean,
  symbol,
  value,
  position,
  variable,
  add,
  sub,
  mul,
  neg,
  floordiv,
  mod,
  ceildiv,
  min,
  max,
  ite,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  logical_not,
  logical_and,
  logical_or,
  implies,
};

enum class Sort : std::uint8_t { integer, boolean };

class ExprPool;
class Expr;

struct ExprNode {
  ExprKind kind;
  Sort sort;
  std::int64_t number = 0;  // constant; boolean (0/1); value id; position; variable id
  std::string name;         // symbol, variable
  std::vector<Expr> kids;
  std::size_t hash = 0;
  std::uint32_t serial = 0;  // creation order in the pool: a deterministic total order
  ExprPool* pool = nullptr;
};

class Expr {
 public:
  Expr() = default;
  explicit Expr(const ExprNode* node) : node_(node) {}
  explicit operator bool() const { return node_ != nullptr; }

  ExprKind kind() const { return node_->kind; }
  Sort sort() const { return node_->sort; }
  bool is(ExprKind k) const { return node_->kind == k; }
  std::int64_t number() const { return node_->number; }
  const std::string& name() const { return node_->name; }
  std::span<const Expr> kids() const { return node_->kids; }
  Expr kid(std::size_t i) const { return node_->kids[i]; }
  ValueId value() const { return ValueId(static_cast<std::uint32_t>(node_->number)); }
  bool is_constant(std::int64_t v) const { return kind() == ExprKind::constant && number() == v; }
  bool is_true() const { return kind() == ExprKind::boolean && number() == 1; }
  bool is_false() const { return kind() == ExprKind::boolean && number() == 0; }
  ExprPool& pool() const { return *node_->pool; }
  const ExprNode* node() const { return node_; }
  std::uint32_t serial() const { return node_->serial; }

  friend bool operator==(Expr a, Expr b) { return a.node_ == b.node_; }
  friend bool operator<(Expr a, Expr b) { return a.serial() < b.serial(); }

 private:
  const ExprNode* node_ = nullptr;
};

class ExprPool {
 public:
  ExprPool() = default;
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  Expr constant(std::int64_t v);
  Expr boolean(bool v);
  Expr symbol(std::string_view name);
  Expr value(ValueId id, Sort sort = Sort::integer);
  Expr position(int k);
  Expr fresh(std::string_view hint, Sort sort = Sort::integer);  // a variable unlike any other of this pool

  // One node of the given kind; the number and the sorts of the kids must fit (checked). ite(condition, then, else).
  Expr make(ExprKind kind, std::span<const Expr> kids);
  Expr make(ExprKind kind, std::initializer_list<Expr> kids) { return make(kind, std::span(kids.begin(), kids.size())); }

  // Boolean helpers that keep trivial cases small (true/false absorb); n-ary and/or fold to binary nodes, () is true/false.
  Expr all_of(std::span<const Expr> terms);
  Expr any_of(std::span<const Expr> terms);

  // The same tree in this pool. `leaf` maps each symbol/value/position/variable leaf of e, once, so that equal leaves stay
  // equal whatever it makes; returning an empty Expr copies the leaf as it is (variables of another pool must be mapped).
  // Memoised: O(distinct nodes).
  Expr import(Expr e, const std::function<Expr(Expr leaf)>& leaf);

  std::size_t size() const { return nodes_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const ExprNode* n) const { return n->hash; }
  };
  struct Equal {
    bool operator()(const ExprNode* a, const ExprNode* b) const;
  };
  Expr intern(ExprNode&& candidate);

  std::deque<ExprNode> nodes_;
  std::unordered_map<const ExprNode*, const ExprNode*, Hash, Equal> table_;
  std::int64_t next_variable_ = 0;
};

using ExprPoolPtr = std::shared_ptr<ExprPool>;

// Raw constructors with operator syntax. An integer operand becomes a constant of the other operand's pool.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator+(Expr a, std::int64_t b);
Expr operator-(Expr a, std::int64_t b);
Expr operator*(Expr a, std::int64_t b);
Expr operator-(Expr a);
Expr floordiv(Expr a, Expr b);
Expr mod(Expr a, Expr b);
Expr ceildiv(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr ite(Expr condition, Expr then_value, Expr else_value);
Expr equal(Expr a, Expr b);  // booleans too (iff)
Expr not_equal(Expr a, Expr b);
Expr less(Expr a, Expr b);
Expr less_equal(Expr a, Expr b);
Expr greater(Expr a, Expr b);
Expr greater_equal(Expr a, Expr b);
// Connectives have names: `!e`, `e && f` ask whether handles are empty.
Expr negation(Expr a);
Expr both(Expr a, Expr b);
Expr either(Expr a, Expr b);
Expr implies(Expr a, Expr b);

// Replaces leaves by f(leaf) (an empty result keeps the leaf); same pool. O(distinct nodes).
Expr substitute(Expr e, const std::function<Expr(Expr leaf)>& f);

// All distinct leaves (symbol, value, position, variable) in first-visit order.
std::vector<Expr> leaves(Expr e);
std::vector<ValueId> value_leaves(Expr e);
bool mentions(Expr e, const std::function<bool(Expr leaf)>& predicate);

// Appends the conjuncts of e in order, each once and `true` left out. O(distinct nodes).
void append_conjuncts(Expr e, std::vector<Expr>& out);

// The tree that e is when its shared parts are written out: its height, and its nodes. Both stop at kMost. O(distinct nodes).
struct WrittenOut {
  static constexpr std::uint32_t kMost = std::uint32_t{1} << 20;
  std::uint32_t levels = 1, nodes = 1;
};
WrittenOut written_out(Expr e, const std::function<WrittenOut(Expr leaf)>& leaf = {});

// Precedence-aware text that parses back to the same tree: + - * floordiv mod, ceildiv(a,b) min(a,b) max(a,b)
// ite(c,a,b), comparisons, not/and/or/implies. Leaves are named by `leaf` (default: symbol and variable names,
// "v<id>", "pos(k)").
std::string to_string(Expr e, const std::function<std::string(Expr leaf)>& leaf = {});

// Exact evaluation in 128 bits with overflow checks; booleans are 0/1. Boolean connectives and ite evaluate only what
// they need, left to right.
using Integer = __int128;
enum class EvalError : std::uint8_t { none, unbound_leaf, zero_divisor, overflow };
struct EvalResult {
  Integer value = 0;
  EvalError error = EvalError::none;
  Expr where;  // the node that failed
  bool ok() const { return error == EvalError::none; }
};
EvalResult evaluate(Expr e, const std::function<std::optional<Integer>(Expr leaf)>& leaf);
std::string to_string(Integer v);

}  // namespace kir

template <>
struct std::hash<kir::Expr> {
  std::size_t operator()(kir::Expr e) const noexcept { return std::hash<const void*>{}(e.node()); }
};
