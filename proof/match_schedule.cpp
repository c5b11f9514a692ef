// One value of a licensed fold: all that the program computes for one evaluation of the KIR is rounded alike.
//
// The value of a fold is fixed by its bracketing (Sequence::shape) and, piece by piece, by the ranges of its iterations, its
// guards and the member of the KIR that each point stands for. Each match of a licensed fold is compared with all others of the
// same KIR fold and with itself at another point of the program: where both stand for one evaluation, these are equal.
#include <fmt/format.h>

#include <unordered_set>

#include "proof/match.h"

namespace kir::proof {
namespace {

// Everything that may differ between two points of the program, with a fresh name each: variables, and the carried values that
// are opaque inside a loop. Those that a term binds itself stay.
void rename_free(const std::vector<Expr>& roots, TermPool& terms, TermPool::Substitution& to) {
  std::unordered_set<const ExprNode*> bound;
  std::unordered_set<Term> bound_arguments;
  std::vector<Expr> free;
  std::vector<Term> arguments;
  auto look = [&](Expr leaf) {
    if (leaf.is(ExprKind::variable) && leaf != terms.forever() && !terms.term_of_leaf(leaf)) free.push_back(leaf);
    return false;
  };
  for (Expr root : roots)
    for (Expr leaf : leaves(root)) {
      look(leaf);
      Term t = terms.term_of_leaf(leaf);
      if (!t) continue;
      terms.mentions_expr(t, look);
      terms.mentions(t, [&](Term x) {
        if (x->kind == TermKind::argument) arguments.push_back(x);
        if (x->reduce) {
          for (const Interval& m : x->reduce->members) bound.insert(m.var.node());
          bound_arguments.insert(x->reduce->combine.arguments.begin(), x->reduce->combine.arguments.end());
        }
        if (x->loop) {
          bound.insert(x->loop->var.node());
          bound_arguments.insert(x->loop->arguments.begin(), x->loop->arguments.end());
        }
        return false;
      });
    }
  for (Expr v : free)
    if (!bound.contains(v.node()) && !to.exprs.contains(v.node()))
      to.exprs.emplace(v.node(), terms.exprs().fresh(v.name() + "'", v.sort()));
  for (Term a : arguments)
    if (!bound_arguments.contains(a) && !to.terms.contains(a)) to.terms.emplace(a, terms.fresh_argument(a->type));
}

// All data in e is a function of launch-time contents alone: of the same coordinates at every point of the program.
bool constant_data(Expr e, TermPool& terms) {
  auto varies = [](Term x) {
    return (x->kind == TermKind::load && !x->point.empty()) || x->kind == TermKind::arbitrary ||
           x->kind == TermKind::argument || (x->reduce && is_licensed(*x->reduce));
  };
  for (Expr leaf : leaves(e))
    if (Term t = terms.term_of_leaf(leaf); t && terms.mentions(t, varies)) return false;
  return true;
}

}  // namespace

bool Matcher::one_schedule(Term k, std::string shape, const std::vector<Piece>& kir, const std::vector<Piece>& physical,
                           const std::vector<Pairing>& pairs, const std::vector<Expr>& context, const MatchSite& site) {
  Schedule now{fmt::format("{} {}", kir.size(), shape), k->reduce->scope, context, {}};
  std::vector<Expr> roots = context;
  roots.insert(roots.end(), now.scope.begin(), now.scope.end());
  for (const Pairing& pair : pairs) {
    const Piece& piece = physical[pair.physical];
    Schedule::Part part{pair.kir, piece.binders, piece.guards};
    for (const Interval& b : kir[pair.kir].binders) part.of.push_back(pair.to_kir.exprs.at(b.var.node()));
    for (const Interval& b : piece.binders) roots.insert(roots.end(), {b.lo, b.hi});
    roots.insert(roots.end(), part.of.begin(), part.of.end());
    now.parts.push_back(std::move(part));
  }
  schedules_[k->reduce->site].push_back(now);
  const std::vector<Schedule> all = schedules_[k->reduce->site];  // relating guards may match further folds, or take them back
  for (const Schedule& then : all) {
    auto differs = [&] { return fail("a licensed fold of the KIR is computed in two ways, whose roundings may differ"); };
    if (then.shape != now.shape || then.parts.size() != now.parts.size()) return differs();
    TermPool::Substitution other;
    for (std::size_t i = 0; i < now.parts.size(); ++i) {
      const Schedule::Part &a = then.parts[i], &b = now.parts[i];
      if (a.kir != b.kir || a.binders.size() != b.binders.size() || a.of.size() != b.of.size()) return differs();
      for (std::size_t j = 0; j < b.binders.size(); ++j) other.exprs.emplace(b.binders[j].var.node(), a.binders[j].var);
    }
    rename_free(roots, terms_, other);
    std::vector<Expr> hypotheses = then.context;
    for (Expr e : now.context) hypotheses.push_back(terms_.substitute(e, other));
    for (std::size_t i = 0; i < now.scope.size(); ++i)
      hypotheses.push_back(equal(then.scope[i], terms_.substitute(now.scope[i], other)));
    for (std::size_t i = 0; i < now.parts.size(); ++i) {
      const Schedule::Part &a = then.parts[i], &b = now.parts[i];
      std::vector<Expr> here = hypotheses;
      auto agree = [&](Expr x, Expr y) {
        y = terms_.substitute(y, other);
        // Data that nothing changes is equal at equal coordinates.
        if (!(x == y) && constant_data(x, terms_) && constant_data(y, terms_)) relate_guards({x}, {y}, here, site);
        if (!(x == y))
          emit(ObligationKind::licence_refines, here, equal(x, y), site,
               "what stands for one evaluation of a licensed fold is computed alike");
      };
      for (std::size_t j = 0; j < b.binders.size(); ++j) {  // equal ranges outside, so one point inside for both
        agree(a.binders[j].lo, b.binders[j].lo);
        agree(a.binders[j].hi, b.binders[j].hi);
        here.push_back(in_range(a.binders[j]));
      }
      for (std::size_t j = 0; j < b.of.size(); ++j) agree(a.of[j], b.of[j]);
    }
  }
  return true;
}

}  // namespace kir::proof
