#include "smt/problem.h"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <unordered_map>

#include "core/base/check.h"
#include "proof/formula.h"

namespace kir::smt {
namespace {

constexpr std::size_t kMaxParts = 64;

void split_goal(std::vector<Expr> hypotheses, Expr goal, std::vector<Part>& out) {
  if (out.size() < kMaxParts) {
    if (goal.is(ExprKind::logical_and)) {
      split_goal(hypotheses, goal.kid(0), out);
      split_goal(hypotheses, goal.kid(1), out);
      return;
    }
    if (goal.is(ExprKind::implies)) {
      append_conjuncts(goal.kid(0), hypotheses);
      split_goal(std::move(hypotheses), goal.kid(1), out);
      return;
    }
    // By contradiction: what is denied is a fact that others can be concluded from.
    if (goal.is(ExprKind::ne) || goal.is(ExprKind::logical_not)) {
      append_conjuncts(negation(goal), hypotheses);
      out.push_back({std::move(hypotheses), goal.pool().boolean(false)});
      return;
    }
    if (goal.is(ExprKind::logical_or)) {
      append_conjuncts(negation(goal.kid(0)), hypotheses);
      split_goal(std::move(hypotheses), goal.kid(1), out);
      return;
    }
    if (goal.is(ExprKind::ite)) {
      auto no = hypotheses;
      append_conjuncts(goal.kid(0), hypotheses);
      split_goal(std::move(hypotheses), goal.kid(1), out);
      no.push_back(negation(goal.kid(0)));
      split_goal(std::move(no), goal.kid(2), out);
      return;
    }
    if (goal.is(ExprKind::eq) && goal.kid(0).sort() == Sort::boolean) {
      auto back = hypotheses;
      append_conjuncts(goal.kid(0), hypotheses);
      split_goal(std::move(hypotheses), goal.kid(1), out);
      append_conjuncts(goal.kid(1), back);
      split_goal(std::move(back), goal.kid(0), out);
      return;
    }
  }
  out.push_back({std::move(hypotheses), goal});
}

// Permutations drawn from a seed (Fisher and Yates, with SplitMix64); the seed 0 changes nothing.
class Shuffle {
 public:
  explicit Shuffle(unsigned seed) : seed_(seed), state_(seed) {}
  template <class T>
  void operator()(std::vector<T>& v) {
    for (std::size_t n = v.size(); seed_ != 0 && n > 1; --n) std::swap(v[n - 1], v[next() % n]);
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  const unsigned seed_;
  std::uint64_t state_;
};

// The formula flattened for repeated evaluation.
class Tape {
 public:
  explicit Tape(const Problem& p) {
    for (std::size_t i = 0; i < p.leaves.size(); ++i) leaf_.emplace(p.leaves[i], static_cast<int>(i));
    for (Expr h : p.hypotheses) hypotheses_.push_back(add(h));
    goal_ = add(p.goal);
  }

  Check check(std::span<const Integer> values) {
    values_ = values;
    ++point_;
    error_ = EvalError::none;
    for (int h : hypotheses_) {
      Integer v = at(h);
      if (error_ != EvalError::none) return failed();
      if (!v) return Check::no_counterexample;
    }
    Integer v = at(goal_);
    if (error_ != EvalError::none) return failed();
    return v ? Check::no_counterexample : Check::counterexample;
  }

 private:
  struct Node {
    ExprKind kind;
    int a, b, c;
    std::int64_t number;
    bool shared = false;      // its value is kept while a point is looked at: a tree of what is shared may be huge
    std::uint64_t known = 0;  // at which point
    Integer value = 0;
  };

  Check failed() const { return error_ == EvalError::zero_divisor ? Check::zero_divisor : Check::too_large; }

  int add(Expr e) {
    if (auto it = index_.find(e); it != index_.end()) {
      nodes_[static_cast<std::size_t>(it->second)].shared = true;
      return it->second;
    }
    Node n{e.kind(), -1, -1, -1, e.number()};
    if (auto it = leaf_.find(e); it != leaf_.end()) n.number = it->second;
    if (e.kids().size() > 0) n.a = add(e.kid(0));
    if (e.kids().size() > 1) n.b = add(e.kid(1));
    if (e.kids().size() > 2) n.c = add(e.kid(2));
    nodes_.push_back(n);
    int i = static_cast<int>(nodes_.size()) - 1;
    index_.emplace(e, i);
    return i;
  }

  Integer fail(EvalError e) {
    error_ = e;
    return 0;
  }

  Integer at(int i) {
    Node& n = nodes_[static_cast<std::size_t>(i)];
    if (n.a < 0) {
      bool constant = n.kind == ExprKind::constant || n.kind == ExprKind::boolean;
      return constant ? Integer{n.number} : values_[static_cast<std::size_t>(n.number)];
    }
    if (!n.shared) return compute(n);
    if (n.known != point_) {
      n.value = compute(n);  // after an error no value is looked at
      n.known = point_;
    }
    return n.value;
  }

  Integer compute(const Node& n) {
    Integer x = at(n.a), y = 0, r = 0;
    if (error_ != EvalError::none) return 0;
    switch (n.kind) {
      case ExprKind::ite: return at(x ? n.b : n.c);
      case ExprKind::logical_not: return !x;
      case ExprKind::logical_and: return x ? at(n.b) : 0;
      case ExprKind::logical_or: return x ? 1 : at(n.b);
      case ExprKind::implies: return x ? at(n.b) : 1;
      case ExprKind::neg: return __builtin_sub_overflow(Integer{0}, x, &r) ? fail(EvalError::overflow) : r;
      default: break;
    }
    y = at(n.b);
    if (error_ != EvalError::none) return 0;
    switch (n.kind) {
      case ExprKind::add: return __builtin_add_overflow(x, y, &r) ? fail(EvalError::overflow) : r;
      case ExprKind::sub: return __builtin_sub_overflow(x, y, &r) ? fail(EvalError::overflow) : r;
      case ExprKind::mul: return __builtin_mul_overflow(x, y, &r) ? fail(EvalError::overflow) : r;
      case ExprKind::floordiv:
      case ExprKind::mod:
      case ExprKind::ceildiv: {
        constexpr Integer kLimit = Integer{1} << 126;
        if (y == 0) return fail(EvalError::zero_divisor);
        if (x > kLimit || x < -kLimit) return fail(EvalError::overflow);
        Integer q = x / y, rest = x % y;
        if (rest != 0 && (rest < 0) != (y < 0)) {
          q -= 1;
          rest += y;
        }
        if (n.kind == ExprKind::floordiv) return q;
        return n.kind == ExprKind::mod ? rest : q + (rest != 0);
      }
      case ExprKind::min: return x < y ? x : y;
      case ExprKind::max: return x < y ? y : x;
      case ExprKind::eq: return x == y;
      case ExprKind::ne: return x != y;
      case ExprKind::lt: return x < y;
      case ExprKind::le: return x <= y;
      case ExprKind::gt: return x > y;
      case ExprKind::ge: return x >= y;
      default: KIR_UNREACHABLE("expression kind");
    }
  }

  std::unordered_map<Expr, int> leaf_, index_;
  std::vector<Node> nodes_;
  std::vector<int> hypotheses_;
  int goal_ = 0;
  std::span<const Integer> values_;
  std::uint64_t point_ = 0;
  EvalError error_ = EvalError::none;
};

}  // namespace

Problem make_problem(const proof::Obligation& o, unsigned variant) {
  Problem p;
  p.pool = std::make_shared<ExprPool>();
  Shuffle shuffle(variant);
  const std::vector<Expr> leaves = proof::formula_leaves(o);
  p.leaves.resize(leaves.size());
  std::vector<std::size_t> age(leaves.size());
  std::iota(age.begin(), age.end(), std::size_t{0});
  shuffle(age);
  std::unordered_map<Expr, Expr> renamed;
  for (std::size_t n = 0; n < age.size(); ++n) {
    const Expr l = leaves[age[n]];
    const std::string name = fmt::format("x{}", n);
    p.leaves[age[n]] = l.is(ExprKind::symbol) ? p.pool->symbol(name) : p.pool->fresh(name, l.sort());
    renamed.emplace(l, p.leaves[age[n]]);
  }
  auto rename = [&](Expr l) { return renamed.at(l); };
  for (Expr h : o.hypotheses) append_conjuncts(p.pool->import(h, rename), p.hypotheses);
  shuffle(p.hypotheses);
  p.goal = p.pool->import(o.goal, rename);
  return p;
}

std::vector<Part> split(const Problem& p) {
  std::vector<Part> out;
  split_goal({}, p.goal, out);
  return out;
}

Check check_point(const Problem& p, std::span<const Integer> values) { return Tape(p).check(values); }

std::optional<Enumeration> enumerate(const Problem& p, Facts& facts, std::uint64_t limit) {
  if (facts.contradictory()) return Enumeration{true, {}};
  std::vector<Integer> lo, hi;
  std::uint64_t points = 1;
  std::set<Expr> used;
  auto visit = [&](Expr e) {
    for (Expr l : leaves(e)) used.insert(l);
  };
  for (Expr h : p.hypotheses) visit(h);
  visit(p.goal);
  for (Expr l : p.leaves) {
    Range r = !used.contains(l) ? Range{0, 0} : l.sort() == Sort::boolean ? Range{0, 1} : facts.range(l);
    if (!r.lo || !r.hi) return {};
    if (*r.hi < *r.lo) return Enumeration{true, {}};
    Integer size = *r.hi - *r.lo + 1;
    if (size > static_cast<Integer>(limit / points)) return {};
    points *= static_cast<std::uint64_t>(size);
    lo.push_back(*r.lo);
    hi.push_back(*r.hi);
  }
  Tape tape(p);
  std::vector<Integer> at = lo;
  while (true) {
    switch (tape.check(at)) {
      case Check::counterexample: return Enumeration{false, at};
      case Check::no_counterexample: break;
      case Check::zero_divisor:
      case Check::too_large: return {};
    }
    std::size_t i = at.size();
    while (i > 0 && at[i - 1] == hi[i - 1]) {
      at[i - 1] = lo[i - 1];
      --i;
    }
    if (i == 0) return Enumeration{true, {}};
    ++at[i - 1];
  }
}

}  // namespace kir::smt
