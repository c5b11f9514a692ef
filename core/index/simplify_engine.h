// Internal to the simplifier: the state behind Facts and the steps that work on it. simplify.h states the rules.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/index/polynomial.h"
#include "core/index/simplify.h"

namespace kir {

// Are all of these given? (An absent expression has no node.)
template <class... E>
bool present(E... e) {
  return (... && (e.node() != nullptr));
}

Range intersect(Range a, Range b);

class SimplifyEngine {
 public:
  // Work of one query, in goals looked at. What is not decided by then stays as it is.
  static constexpr std::int64_t kFuel = 100000;

  explicit SimplifyEngine(ExprPool& pool) : pool_(pool) {}
  void refuel() { *fuel_ = kFuel; }
  void own_fuel() { fuel_ = std::make_shared<std::int64_t>(kFuel); }

  // facts.cpp
  // A copy that assumes one more fact, without what is remembered. `cases`: how many case splits of entail.cpp it is inside.
  SimplifyEngine child(Expr simplified_fact, int cases = 0) const;
  void assume(Expr fact);           // takes effect with settle()
  void settle();                    // takes in all facts: inequalities first, then equations
  std::vector<Expr> conjunction();  // after settle()
  bool contradictory() const { return contradiction_; }
  bool lemma_used() const { return lemma_; }

  // ranges.cpp
  Range range(const Polynomial& p);

  // rewrite.cpp
  Polynomial poly(Expr e);
  Polynomial flat(Expr e);  // as poly, but composite operands are atoms as they stand: cheap
  Expr integer(Expr e);     // rendered polynomial, or e
  ExprPool& pool() { return pool_; }

  // compare.cpp
  Expr boolean(Expr e);

  // entail.cpp: p >= 0 for every assignment that satisfies the facts
  bool nonneg(const Polynomial& p);

 private:
  struct Division {  // of the atom q = b floordiv d, with d > 0 shown
    Polynomial dividend, divisor;
    Expr remainder;
  };

  // facts.cpp
  void absorb(Expr simplified);
  void absorb_equation(const Polynomial& p);
  void add_nonneg(Polynomial p);
  bool solve(const Polynomial& p);
  void pass();
  void close();
  void propagate();
  void positive_factors();
  void note_factors(Expr e, std::unordered_set<Expr>& seen);
  void forget();

  // ranges.cpp
  Range atom_range(Expr a);

  // rewrite.cpp
  Polynomial reduce(Polynomial p);
  Polynomial floordiv(Polynomial n, Polynomial d);
  void note_digit(Expr q, const Polynomial& outer, const Polynomial& d);
  std::optional<Polynomial> common_factor(const Polynomial& n, const Polynomial& d);
  Polynomial modulo(const Polynomial& n, const Polynomial& d);
  Polynomial extreme(ExprKind kind, const Polynomial& a, const Polynomial& b);
  Polynomial conditional(Expr e);
  Expr render(const Polynomial& p);  // empty when a constant leaves 64 bits

  // compare.cpp
  Expr at_least_zero(const Polynomial& p, Expr original);
  Expr is_zero(const Polynomial& p, Expr original);
  Expr negate(Expr simplified);
  Expr connective(Expr e);
  Expr render_relation(ExprKind kind, const Polynomial& p, Expr original);
  std::optional<std::pair<Polynomial, Polynomial>> unique_digits(const Polynomial& p);

  // entail.cpp
  struct Search {
    int nodes;
    std::unordered_map<Polynomial::Terms, bool, TermsHash> seen;  // false: not shown, or being looked at
  };
  bool prove(const Polynomial& p, int depth, Search& search);
  bool step(const Polynomial& p, int depth, Search& search);
  bool eliminate(const Polynomial& p, Expr atom, int depth, Search& search);
  bool split_cases(const Polynomial& p, Expr atom, int depth, Search& search);
  std::vector<Polynomial> atom_facts(Expr atom);

  ExprPool& pool_;
  std::vector<Expr> raw_;            // as assumed
  std::vector<Expr> taken_;          // the facts as the last pass took them in
  std::map<Expr, Expr> solved_;      // leaf -> expression without it
  std::vector<Polynomial> nonneg_;   // each >= 0
  std::vector<Polynomial> nonzero_;  // each != 0
  std::vector<Expr> clauses_;        // disjunctions, unsplit
  std::map<Expr, bool> truths_;      // boolean atoms
  std::map<Expr, Range> ranges_;     // of atoms, from linear facts
  std::set<Expr> factors_;           // leaves that stand in products of the facts as assumed
  std::vector<Expr> learnt_;         // in this pass: by S16, and what is left of connectives
  bool dirty_ = false;               // facts were recorded since the last settle()
  bool restart_ = false;             // a leaf was solved, or something learnt: the facts must be taken in again
  bool contradiction_ = false;
  bool lemma_ = false;
  bool taking_in_ = false;        // facts: no deep searches
  bool by_contradiction_ = true;  // is_zero may assume an equation and look for a contradiction
  bool spend(int work) const { return (*fuel_ -= work) >= 0; }
  std::shared_ptr<std::int64_t> fuel_ = std::make_shared<std::int64_t>(kFuel);  // shared with the children
  int cases_ = 0;                                                               // case splits around
  int depth_ = 0;                                                               // of nested rewriting

  std::map<Expr, Division> divisions_;              // by quotient
  std::map<Expr, Expr> remainders_;                 // remainder -> quotient
  std::map<Expr, std::vector<Polynomial>> digits_;  // of quotients of quotients: each >= 0
  std::unordered_map<Expr, Polynomial> polys_;
  std::unordered_map<Expr, Expr> booleans_;
  std::map<Expr, Range> atom_ranges_;
  std::unordered_map<Polynomial::Terms, bool, TermsHash> proven_;
};

}  // namespace kir
