#include "proof/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "proof/formula.h"
#include "proof/solve.h"

namespace kir::proof {

std::vector<Fact> data_facts(const Abi& abi, const AliasCase& alias, TermPool& terms) {
  ExprPool& pool = terms.exprs();
  std::vector<Fact> out;
  for (const DataFact& f : abi.data) {
    const ViewParam& v = abi.views[f.view];
    if (v.dtype == DType::i1 || v.dtype == DType::u64) continue;
    Fact fact;
    auto element = [&](std::vector<Expr>& at) {
      for (std::size_t k = 0; k < v.rank(); ++k) {
        at.push_back(pool.fresh(fmt::format("{}_{}", v.name, k)));
        fact.binders.push_back({{at[k], pool.constant(0), pool.import(v.shape[k], {})}, BinderKind::member});
      }
      return terms.leaf_of(terms.load(static_cast<std::int64_t>(alias.class_of[f.view]), v.dtype, at, {}));
    };
    std::vector<Expr> at, other;
    const Expr a = element(at);
    switch (f.kind) {
      case DataFactKind::in_range:
        fact.goal = both(less_equal(pool.import(f.lo, {}), a), less(a, pool.import(f.hi, {})));
        break;
      case DataFactKind::nondecreasing: {
        const Expr b = element(other);
        fact.guards.push_back(less_equal(at[0], other[0]));
        fact.goal = less_equal(a, b);
        break;
      }
      case DataFactKind::unique: {
        const Expr b = element(other);
        fact.guards.push_back(equal(a, b));
        std::vector<Expr> same;
        for (std::size_t k = 0; k < at.size(); ++k) same.push_back(equal(at[k], other[k]));
        fact.goal = pool.all_of(same);
        break;
      }
    }
    out.push_back(std::move(fact));
  }
  return out;
}

namespace {

constexpr std::size_t kMostPoints = 256, kMostPairs = 64;

// A fact with its data leaves that vary with the binders.
struct Pattern {
  Expr leaf;
  std::vector<const ExprNode*> variables;  // binders that it mentions
};
struct Prepared {
  const Fact* fact;
  std::vector<Expr> unknowns;
  std::vector<Pattern> patterns;
};

Prepared prepare(const Fact& fact, TermPool& terms) {
  Prepared out{&fact, {}, {}};
  for (const Binder& b : fact.binders) out.unknowns.push_back(b.range.var);
  std::vector<Expr> texts = fact.guards;
  texts.push_back(fact.goal);
  for (Expr text : texts)
    for (Expr leaf : leaves(text)) {
      Term t = terms.term_of_leaf(leaf);
      if (!t || std::any_of(out.patterns.begin(), out.patterns.end(), [&](const Pattern& p) { return p.leaf == leaf; }))
        continue;
      Pattern p{leaf, {}};
      for (Expr v : out.unknowns)
        if (terms.mentions_expr(t, [&](Expr l) { return l == v; })) p.variables.push_back(v.node());
      if (!p.variables.empty()) out.patterns.push_back(std::move(p));
    }
  return out;
}

// Equations under which the two are one function of one memory that nothing writes; false: they are not.
bool unify(Term pattern, Term target, std::vector<Equation>& out) {
  if (pattern == target) return true;
  if (pattern->kind != target->kind || pattern->type != target->type || pattern->op != target->op ||
      pattern->mode != target->mode || pattern->number != target->number || pattern->kids.size() != target->kids.size() ||
      pattern->exprs.size() != target->exprs.size())
    return false;
  switch (pattern->kind) {
    case TermKind::load:
      if (!pattern->point.empty() || !target->point.empty()) return false;
      [[fallthrough]];
    case TermKind::integer:
      for (std::size_t i = 0; i < pattern->exprs.size(); ++i) out.push_back({pattern->exprs[i], target->exprs[i]});
      return true;
    case TermKind::pointwise:
    case TermKind::cmp:
    case TermKind::convert:
      for (std::size_t i = 0; i < pattern->kids.size(); ++i)
        if (!unify(pattern->kids[i], target->kids[i], out)) return false;
      return true;
    case TermKind::literal:
    case TermKind::parameter:
    case TermKind::boolean:
    case TermKind::select:
    case TermKind::argument:
    case TermKind::arbitrary:
    case TermKind::reduce:
    case TermKind::iterate: return false;
  }
  return false;
}

class Knowledge {
 public:
  Knowledge(const std::vector<Prepared>& facts, TermPool& terms, Obligation& o) : facts_(facts), terms_(terms), o_(o) {}

  void add() {
    look();
    // Twice: a fact may speak of data that says where other data lies. Not for ever: what a fact says of the next element
    // would bring in the one after that.
    for (int round = 0; round < 2 && !facts_.empty(); ++round) {
      const std::size_t before = leaves_.size();
      for (const Prepared& f : facts_) take(f, {}, {}, before);
      if (leaves_.size() == before) break;
    }
    alike();
    for (std::size_t i = 0; i < leaves_.size(); ++i) own_range(leaves_[i]);
  }

 private:
  void look() {
    for (Expr leaf : formula_leaves(o_))
      if (terms_.term_of_leaf(leaf) && seen_.insert(leaf).second) leaves_.push_back(leaf);
  }

  // Two leaves that are one function, of one memory that nothing writes, are equal at equal places: the two copies of a
  // statement that reads one element in both find one value there. A place may be data itself.
  void alike() {
    std::size_t pairs = 0;
    for (std::size_t i = 1; i < leaves_.size(); ++i) {
      if (is_found_by_atomic(leaves_[i])) continue;
      for (std::size_t j = 0; j < i && pairs < kMostPairs; ++j) {
        const Expr a = leaves_[j], b = leaves_[i];
        std::vector<Equation> equations;
        if (a.sort() != b.sort() || is_found_by_atomic(a) || !unify(terms_.term_of_leaf(a), terms_.term_of_leaf(b), equations))
          continue;
        std::vector<Expr> same;
        bool differ = false;
        for (const Equation& e : equations) {
          differ = differ || (e.left.is(ExprKind::constant) && e.right.is(ExprKind::constant) && e.left != e.right);
          if (e.left != e.right) same.push_back(equal(e.left, e.right));
        }
        if (differ || same.empty()) continue;
        ++pairs;
        o_.hypotheses.push_back(implies(terms_.exprs().all_of(same), equal(a, b)));
        for (Expr place : same)
          for (Expr leaf : leaves(place))
            if (terms_.term_of_leaf(leaf) && seen_.insert(leaf).second) leaves_.push_back(leaf);
      }
    }
  }

  // What an atomic finds is a value of its own for each execution.
  bool is_found_by_atomic(Expr leaf) {
    return terms_.mentions(terms_.term_of_leaf(leaf), [](Term t) { return t->kind == TermKind::load && !t->name.empty(); });
  }

  void own_range(Expr leaf) {
    ExprPool& pool = terms_.exprs();
    Term t = terms_.term_of_leaf(leaf);
    if (leaf.sort() != Sort::integer || !is_integer(t->type) || t->type == DType::u64) return;
    const int width = bit_width(t->type);
    const std::int64_t most = width == 64 ? INT64_MAX : (std::int64_t{1} << (width - 1)) - 1;
    o_.hypotheses.push_back(both(less_equal(pool.constant(-most - 1), leaf), less_equal(leaf, pool.constant(most))));
    if (t->kind != TermKind::reduce || !t->reduce->chooses || t->number == 0 || !t->reduce->init.empty()) return;
    const Interval& axis = t->reduce->members[static_cast<std::size_t>(t->number - 1)];
    o_.hypotheses.push_back(both(less_equal(axis.lo, leaf), less(leaf, axis.hi)));
  }

  // Every way to give the fact's binders values at which its patterns are leaves of the obligation.
  void take(const Prepared& f, const Assignment& known, const std::vector<Expr>& used, std::size_t count) {
    auto open = std::find_if(f.patterns.begin(), f.patterns.end(), [&](const Pattern& p) {
      return std::any_of(p.variables.begin(), p.variables.end(), [&](const ExprNode* v) { return !known.contains(v); });
    });
    if (open == f.patterns.end()) {
      if (known.size() == f.unknowns.size()) hold(*f.fact, known);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Expr leaf = leaves_[i];
      if (std::find(used.begin(), used.end(), leaf) != used.end()) continue;
      std::vector<Equation> equations;
      if (!unify(terms_.term_of_leaf(open->leaf), terms_.term_of_leaf(leaf), equations)) continue;
      Assignment extended = known;
      std::vector<Expr> unknowns;
      for (Expr v : f.unknowns)
        if (!known.contains(v.node())) unknowns.push_back(v);
      for (const auto& [v, e] : solve(unknowns, equations, terms_.exprs())) extended.emplace(v, e);
      if (std::any_of(open->variables.begin(), open->variables.end(), [&](const ExprNode* v) { return !extended.contains(v); }))
        continue;
      std::vector<Expr> with = used;
      with.push_back(leaf);
      take(f, extended, with, count);
    }
  }

  void hold(const Fact& fact, const Assignment& at) {
    if (taken_.size() >= kMostPoints) return;
    TermPool::Substitution s;
    for (const auto& [v, e] : at) s.exprs.emplace(v, e);
    std::vector<Expr> when;
    for (Expr h : context(fact.binders, fact.guards)) when.push_back(terms_.substitute(h, s));
    const Expr known = implies(terms_.exprs().all_of(when), terms_.substitute(fact.goal, s));
    if (!taken_.insert(known).second) return;
    o_.hypotheses.push_back(known);
    for (Expr leaf : leaves(known))
      if (terms_.term_of_leaf(leaf) && seen_.insert(leaf).second) leaves_.push_back(leaf);
  }

  const std::vector<Prepared>& facts_;
  TermPool& terms_;
  Obligation& o_;
  std::vector<Expr> leaves_;
  std::unordered_set<Expr> seen_, taken_;
};

}  // namespace

void know_data(std::size_t from, const std::vector<Fact>& facts, TermPool& terms, Ledger& ledger) {
  std::vector<Prepared> prepared;
  for (const Fact& f : facts) prepared.push_back(prepare(f, terms));
  for (std::size_t i = from; i < ledger.obligations.size(); ++i)
    if (!ledger.obligations[i].preset) Knowledge(prepared, terms, ledger.obligations[i]).add();
}

}  // namespace kir::proof
