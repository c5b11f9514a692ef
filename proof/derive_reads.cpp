// What an execution may look at: no element that was never written, no arbitrary value that decides or is stored.
#include <fmt/format.h>

#include <functional>
#include <set>

#include "proof/derive.h"
#include "proof/path.h"
#include "proof/solve.h"

namespace kir::proof {
namespace {

bool is_arbitrary(Term t) { return t->kind == TermKind::arbitrary; }

// Where an arbitrary value is reached from `root`: each way there must be contradictory. A term is a graph, with far more ways
// through it than nodes: a node is looked at once under the same conditions, and after kMostNodes nodes the rest counts as
// reached.
class ArbitraryWalk {
 public:
  ArbitraryWalk(TermPool& terms, const std::function<void(const std::vector<Expr>&)>& reached)
      : terms_(terms), reached_(reached) {}

  void walk(Term t, std::vector<Expr> under) {
    if (!terms_.mentions(t, is_arbitrary) || !seen_.emplace(t, under).second) return;
    if (seen_.size() > kMostNodes) return reached_(under);
    if (t->kind == TermKind::select) {
      if (terms_.mentions(terms_.boolean(t->exprs[0]), is_arbitrary)) return reached_(under);
      for (int b = 0; b < 2; ++b) {
        std::vector<Expr> next = under;
        next.push_back(b == 0 ? t->exprs[0] : negation(t->exprs[0]));
        walk(t->kids[static_cast<std::size_t>(b)], next);
      }
      return;
    }
    if (t->kind == TermKind::reduce) {
      ReduceNode r = terms_.open(*t->reduce);
      for (Term x : r.init) walk(x, under);
      for (const Interval& m : r.members) under.push_back(in_range(m));
      if (r.where) under.push_back(r.where);
      for (auto* list : {&r.map, &r.combine.results})
        for (Term x : *list) walk(x, under);
      return;
    }
    if (t->kind == TermKind::iterate) {
      LoopNode l = terms_.open(*t->loop);
      for (Term x : l.init) walk(x, under);
      under.push_back(less_equal(l.lo, l.var));
      under.push_back(less(l.var, l.upto));
      for (Term x : l.step) walk(x, under);
      return;
    }
    if (t->kids.empty()) return reached_(under);
    for (Term k : t->kids) walk(k, under);
  }

 private:
  static constexpr std::size_t kMostNodes = 2000;
  TermPool& terms_;
  std::set<std::pair<Term, std::vector<Expr>>> seen_;
  const std::function<void(const std::vector<Expr>&)>& reached_;
};

void must_not_reach(Term root, std::string sentence, const std::vector<Binder>& binders, const std::vector<Expr>& guards,
                    SourceRange range, const Denotation& d, Side side, const std::string& prefix, TermPool& terms,
                    Ledger& ledger) {
  const std::function<void(const std::vector<Expr>&)> reached = [&](const std::vector<Expr>& under) {
    ObligationKind kind = side == Side::kir ? ObligationKind::kir_safe : ObligationKind::inactive_unused;
    Obligation o = obligation(side, kind, fmt::format("{}/arbitrary/{}", prefix, ledger.obligations.size()), sentence, range);
    o.hypotheses = d.base;
    append(o.hypotheses, context(binders, guards));
    append(o.hypotheses, under);
    o.goal = terms.exprs().boolean(false);
    ledger.add(std::move(o));
  };
  ArbitraryWalk(terms, reached).walk(root, {});
}

}  // namespace

Obligation obligation(Side side, ObligationKind kind, std::string key, std::string sentence, SourceRange range) {
  Obligation o;
  o.kind = kind;
  o.key = std::move(key);
  o.sentence = std::move(sentence);
  o.side = side;
  o.range = range;
  return o;
}

void initialized_reads(const Denotation& d, Side side, const std::string& prefix, TermPool& terms, Ledger& ledger) {
  ExprPool& pool = terms.exprs();
  std::size_t n = 0;
  for (const Event& load : d.events) {
    const MemoryClass& memory = d.memories[load.memory];
    if ((load.store && !load.reads) || memory.readable_before_write || memory.told) continue;
    Obligation o =
        obligation(side, ObligationKind::initialization, fmt::format("{}/initialization/{}", prefix, n++),
                   fmt::format("the element of {} is written before it is read", d.memories[load.memory].name), load.range);
    o.hypotheses = d.base;
    append(o.hypotheses, context(load.binders, load.guards));
    std::vector<Expr> ways;
    for (const Event& store : d.events) {
      if (!store.store || store.memory != load.memory || store.allocation.size() != load.allocation.size()) continue;
      EventCopy s = copy(store, 0, terms);
      std::vector<Expr> unknowns;
      std::vector<Equation> equations;
      for (const Binder& b : s.binders) unknowns.push_back(b.range.var);
      for (std::size_t k = 0; k < s.coordinates.size(); ++k) equations.push_back({s.coordinates[k], load.coordinates[k]});
      for (std::size_t k = 0; k < s.allocation.size(); ++k) equations.push_back({s.allocation[k], load.allocation[k]});
      Assignment at = solve(unknowns, equations, pool);
      // Iterations that the coordinates do not tell are tried as those of the load.
      for (std::size_t k = 0; k < unknowns.size(); ++k)
        if (!at.contains(unknowns[k].node()) && k < load.binders.size())
          at.emplace(unknowns[k].node(), load.binders[k].range.var);
      if (at.size() < unknowns.size()) continue;
      TermPool::Substitution point;
      for (Expr u : unknowns) point.exprs.emplace(u.node(), at.at(u.node()));
      std::vector<Expr> holds;
      for (Expr h : context(s.binders, s.guards)) holds.push_back(terms.substitute(h, point));
      for (std::size_t k = 0; k < s.coordinates.size(); ++k)
        holds.push_back(equal(terms.substitute(s.coordinates[k], point), load.coordinates[k]));
      for (std::size_t k = 0; k < s.allocation.size(); ++k)
        holds.push_back(equal(terms.substitute(s.allocation[k], point), load.allocation[k]));
      holds.push_back(before(terms.substitute(s.path, point), load.path, pool));
      ways.push_back(pool.all_of(holds));
    }
    o.goal = pool.any_of(ways);
    ledger.add(std::move(o));
  }
}

void decided_uses(const Denotation& d, Side side, const std::string& prefix, TermPool& terms, Ledger& ledger) {
  for (const Use& u : d.uses) {
    Term t = u.value.sort() == Sort::boolean ? terms.boolean(u.value) : terms.integer(u.value, DType::i64);
    must_not_reach(t, "no masked load without a fill decides, bounds or addresses", u.binders, u.guards, u.range, d, side,
                   prefix, terms, ledger);
  }
}

void decided_stores(const Denotation& d, const std::string& prefix, TermPool& terms, Ledger& ledger) {
  for (const Event& e : d.events)
    for (Term t : {e.store ? e.value : nullptr, e.expected})
      if (t)
        must_not_reach(t, "no masked load without a fill is stored", e.binders, e.guards, e.range, d, Side::kir, prefix, terms,
                       ledger);
}

}  // namespace kir::proof
