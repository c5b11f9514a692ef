// Whether it matters how an axis is cut into segments: what a licence `tree` owes of exact values (segment-independence). A
// value of floats is the author's word. What no rule here decides is UNKNOWN.
#include <algorithm>

#include "proof/denote_body.h"
#include "proof/exact_part.h"
#include "proof/ring.h"

namespace kir::proof {

void BodyDenoter::owes_cuts(std::string_view undecided, SourceRange range) {
  Claim cuts{.kind = ObligationKind::segment_independence,
             .what = "how the axis is cut into segments does not matter",
             .binders = binders,
             .guards = guards,
             .goal = pool_.boolean(false),
             .range = range,
             .preset = {}};
  cuts.preset = Obligation::Preset{Verdict::unknown, std::string(undecided) + "; use order(strict)"};
  out_.claims.push_back(std::move(cuts));
}

// What rounding explains nothing of: all components where none is a float, else those that no float enters.
BodyDenoter::Segments BodyDenoter::exact_part(const Segments& s) const {
  if (std::ranges::none_of(s.summary, [](Term t) { return is_float(t->type); })) return s;
  const std::vector<std::size_t> components = exact_components(s.combine, terms_);
  Segments out = s;
  out.combine = restricted(s.combine, components);
  out.summary.clear();
  for (std::size_t i : components) out.summary.push_back(s.summary[i]);
  return out;
}

// Each component of the summary folds the segment's members, which do not depend on the segment, with the component's own
// combine: then that a segment's is that of its parts is the combine's associativity (owed by its licence), for nonempty parts.
// A fold over a predicate may have no member in a part, and has an identity then, which its reduce owes to be neutral; so is an
// initial value that is the identity.
bool BodyDenoter::concatenates(const Segments& s) const {
  auto bound = [&](Expr l) { return l == s.lo || l == s.hi; };
  auto of_segment = [&](Term t) { return terms_.mentions_expr(t, bound); };
  auto index_of_segment = [&](Expr e) { return of_segment(terms_.integer(e, DType::i64)); };
  const std::size_t n = s.summary.size();
  if (n > 0 && s.summary[0]->kind == TermKind::iterate) return steps_by_combine(s);
  for (std::size_t i = 0; i < n; ++i) {
    if (s.summary[i]->kind != TermKind::reduce) return false;
    const ReduceNode& fold = *s.summary[i]->reduce;
    const Interval& axis = fold.members[0];
    if (!(axis.lo == s.lo && axis.hi == s.hi) || fold.chooses) return false;
    if (fold.where && of_segment(terms_.boolean(fold.where))) return false;
    for (std::size_t k = 0; k < fold.init.size(); ++k)
      if (fold.init[k]->kind != TermKind::literal || k >= fold.identity.size() || fold.init[k]->literal != fold.identity[k])
        return false;
    for (std::size_t k = 1; k < fold.members.size(); ++k)
      if (index_of_segment(fold.members[k].lo) || index_of_segment(fold.members[k].hi)) return false;
    if (std::ranges::any_of(fold.map, of_segment)) return false;
    // The combine of the segments over the arguments of the fold's.
    TermPool::Substitution s_to_fold;
    const std::size_t components = fold.combine.results.size();
    for (std::size_t j = 0; j < n; ++j) {
      if (s.summary[j]->kind != TermKind::reduce || s.summary[j]->reduce != s.summary[i]->reduce) continue;
      const auto component = static_cast<std::size_t>(s.summary[j]->number);
      s_to_fold.terms.emplace(s.combine.arguments[j], fold.combine.arguments[component]);
      s_to_fold.terms.emplace(s.combine.arguments[n + j], fold.combine.arguments[components + component]);
    }
    const Term combined = terms_.substitute(s.combine.results[i], s_to_fold);
    if (combined != fold.combine.results[static_cast<std::size_t>(s.summary[i]->number)]) return false;
  }
  return true;
}

// Loops over the segment's members, each with one state, of which each step is the combine with the summary of that member
// alone, as polynomials: the state after b is combine(state, step(initial state, b)). With associativity the rest follows by
// induction over the members.
bool BodyDenoter::steps_by_combine(const Segments& s) const {
  auto bound = [&](Expr l) { return l == s.lo || l == s.hi; };
  const Expr member = pool_.fresh("member");
  std::vector<Polynomial> before, single, after;
  for (Term t : s.summary) {
    if (t->kind != TermKind::iterate) return false;
    const LoopNode& loop = *t->loop;
    if (!(loop.lo == s.lo && loop.upto == s.hi) || loop.step.size() != 1) return false;
    if (loop.init[0]->kind != TermKind::literal || is_float(t->type) || t->type == DType::i1) return false;
    if (terms_.mentions_expr(loop.step[0], bound)) return false;
    TermPool::Substitution of_member;
    of_member.exprs.emplace(loop.var.node(), member);
    const Term step = terms_.substitute(loop.step[0], of_member);
    RingTerms first(terms_), later(terms_);
    before.push_back(Polynomial::atom(pool_.fresh("state")));
    first.bind(loop.arguments[0], Polynomial::constant(loop.init[0]->literal.as_signed()));
    later.bind(loop.arguments[0], before.back());
    const std::optional<Polynomial> alone = first.value(step), next = later.value(step);
    if (!alone || !next) return false;
    single.push_back(*alone);
    after.push_back(*next);
  }
  const auto both = combined(s.combine, before, single, terms_);
  return both && *both == after && is_associative_in_ring(s.combine, terms_);
}

// The summary of one member alone, as polynomials.
std::optional<std::vector<Polynomial>> BodyDenoter::summary_of_member(const Segments& s, Expr member) const {
  std::vector<Polynomial> out;
  for (Term t : s.summary) {
    std::optional<Polynomial> value;
    TermPool::Substitution here;
    if (t->kind == TermKind::iterate) {
      const LoopNode& loop = *t->loop;
      if (loop.step.size() != 1 || loop.init[0]->kind != TermKind::literal) return std::nullopt;
      here.exprs.emplace(loop.var.node(), member);
      RingTerms ring(terms_);
      ring.bind(loop.arguments[0], Polynomial::constant(loop.init[0]->literal.as_signed()));
      value = ring.value(terms_.substitute(loop.step[0], here));
    } else if (t->kind == TermKind::reduce) {
      // An initial value is the identity, which is neutral.
      const ReduceNode& fold = *t->reduce;
      if (fold.where || fold.members.size() != 1 || fold.map.size() != fold.combine.results.size()) return std::nullopt;
      here.exprs.emplace(fold.members[0].var.node(), member);
      value = RingTerms(terms_).value(terms_.substitute(fold.map[static_cast<std::size_t>(t->number)], here));
    }
    if (!value) return std::nullopt;
    out.push_back(std::move(*value));
  }
  return out;
}

// apply(combine(x, y), g) = apply(y, apply(x, g)), as polynomials.
bool BodyDenoter::acts(const Segments& s, const Combine& apply) const {
  auto unknowns = [&](std::size_t n) {
    std::vector<Polynomial> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(Polynomial::atom(pool_.fresh("operand")));
    return out;
  };
  const auto x = unknowns(s.summary.size()), y = unknowns(s.summary.size()), g = unknowns(apply.results.size());
  const auto xy = combined(s.combine, x, y, terms_), first = combined(apply, x, g, terms_);
  if (!xy || !first) return false;
  const auto once = combined(apply, *xy, g, terms_), twice = combined(apply, y, *first, terms_);
  return once && twice && *once == *twice;
}

// Each element of the slice is a function of its member and of the states before it, which are those of loops that begin with
// the segment, in the state given, and whose step applies the summary of the member alone. By induction over the members, and
// with what acts() says, these states are the same however the members before are cut.
bool BodyDenoter::emits_by_state(const Segments& s, const Combine& apply, const std::vector<Term>& states,
                                 const RelationValue& slice) const {
  const Expr position = slice.vars[0].var, here = position + s.lo, member = pool_.fresh("member");
  const auto summary = summary_of_member(s, member);
  if (!summary) return false;
  std::vector<Polynomial> before;
  for (std::size_t i = 0; i < states.size(); ++i) before.push_back(Polynomial::atom(pool_.fresh("state")));
  const auto after = combined(apply, *summary, before, terms_);
  if (!after) return false;
  auto is_state = [&](const LoopNode& loop) {
    std::vector<std::size_t> which;
    for (Term t : loop.init) which.push_back(static_cast<std::size_t>(std::ranges::find(states, t) - states.begin()));
    if (loop.upto != here || std::ranges::any_of(which, [&](std::size_t i) { return i == states.size(); })) return false;
    RingTerms ring(terms_);
    for (std::size_t i = 0; i < which.size(); ++i) ring.bind(loop.arguments[i], before[which[i]]);
    TermPool::Substitution of_member;
    of_member.exprs.emplace(loop.var.node(), member);
    for (std::size_t i = 0; i < which.size(); ++i) {
      const auto next = ring.value(terms_.substitute(loop.step[i], of_member));
      if (!next || !(*next == (*after)[which[i]])) return false;
    }
    return true;
  };
  bool lawful = true;
  TermPool::Substitution opaque;
  terms_.mentions(slice.body, [&](Term t) {
    if (t->kind == TermKind::iterate && t->loop->lo == s.lo) {
      lawful = lawful && is_state(*t->loop);
      opaque.terms.emplace(t, terms_.fresh_argument(t->type));
    }
    return false;
  });
  // Nothing else tells where the segment lies, or the state before it.
  auto of_segment = [&](auto& self, Expr e) -> bool {
    if (e == here) return false;
    if (e == position || e == s.lo || e == s.hi) return true;
    return std::ranges::any_of(e.kids(), [&](Expr kid) { return self(self, kid); });
  };
  auto tells = [&](Term t) {
    return terms_.mentions_whole(t, [&](Expr e) { return of_segment(of_segment, e); }) ||
           terms_.mentions(t, [&](Term x) { return std::ranges::find(states, x) != states.end(); });
  };
  for (std::size_t axis = 1; axis < slice.vars.size(); ++axis)
    if (tells(terms_.integer(slice.vars[axis].hi, DType::i64))) return false;
  return lawful && !tells(terms_.substitute(slice.body, opaque));
}

}  // namespace kir::proof
