// Rule M8: pairing the pieces of the two sides.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/check.h"
#include "proof/match.h"
#include "proof/match_points.h"
#include "proof/path.h"

namespace kir::proof {
namespace {

std::vector<Expr> domain(const Piece& p) {
  std::vector<Expr> out;
  for (const Interval& b : p.binders) {
    out.push_back(less_equal(b.lo, b.var));
    out.push_back(less(b.var, b.hi));
  }
  out.insert(out.end(), p.guards.begin(), p.guards.end());
  return out;
}

std::vector<Expr> joined(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  std::vector<Expr> out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

Piece renamed(const Piece& p, TermPool& terms, TermPool::Substitution& s) {
  Piece out = p;
  for (Interval& b : out.binders) {
    Expr v = terms.exprs().fresh(b.var.name());
    b.lo = terms.substitute(b.lo, s);
    b.hi = terms.substitute(b.hi, s);
    s.exprs.emplace(b.var.node(), v);
    b.var = v;
  }
  for (Expr& g : out.guards) g = terms.substitute(g, s);
  for (Expr& c : out.coordinates) c = terms.substitute(c, s);
  for (Expr& a : out.allocation) a = terms.substitute(a, s);
  for (Term& t : out.body) t = terms.substitute(t, s);
  out.path = terms.substitute(out.path, s);
  return out;
}

}  // namespace

// Pairs of integer expressions that must be equal if the terms are to match, read off a parallel walk. A hint only.
void Matcher::equations(Term k, Term p, const std::set<const ExprNode*>& unknown, std::set<std::pair<Term, Term>>& seen,
                        std::vector<Equation>& out) {
  if (!seen.emplace(k, p).second) return;
  auto add = [&](Expr a, Expr b) {
    if (kir::mentions(a, [&](Expr l) { return unknown.contains(l.node()); })) out.push_back({a, b});
  };
  while (k->kind == TermKind::select && p->kind != TermKind::select) k = k->kids[0];
  while (p->kind == TermKind::select && k->kind != TermKind::select) p = p->kids[0];
  if (k->kind == TermKind::integer && p->kind == TermKind::literal && is_integer(p->type))
    return add(k->exprs[0], pool_.constant(p->literal.as_signed()));
  if (k->kind != p->kind) return;
  if (k->kind == TermKind::load) {
    if (k->number != p->number) return;
    for (std::size_t i = 0; k->mode + i < k->exprs.size() && p->mode + i < p->exprs.size(); ++i)
      add(k->exprs[k->mode + i], p->exprs[p->mode + i]);
    return;
  }
  if (k->kind == TermKind::integer) return add(k->exprs[0], p->exprs[0]);
  if (k->kind == TermKind::boolean || k->kind == TermKind::select) {
    Expr a = k->exprs[0], b = p->exprs[0];
    if (a.kind() == b.kind())
      for (std::size_t i = 0; i < a.kids().size(); ++i)
        if (a.kid(i).sort() == Sort::integer && b.kid(i).sort() == Sort::integer) {
          Term x = terms_.term_of_leaf(a.kid(i)), y = terms_.term_of_leaf(b.kid(i));
          if (x && y) equations(x, y, unknown, seen, out);
        }
  }
  if (k->kind == TermKind::iterate) {
    const LoopNode &a = *k->loop, &b = *p->loop;
    if (a.lo == b.lo) add(a.upto, b.upto);
    std::vector<Equation> inside;
    for (std::size_t i = 0; i < a.step.size() && i < b.step.size(); ++i) {
      equations(a.init[i], b.init[i], unknown, seen, out);
      equations(a.step[i], b.step[i], unknown, seen, inside);
    }
    // Of the iterations only what is the same in all of them.
    for (const Equation& e : inside) {
      auto varies = [&](Expr l) { return l == a.var || l == b.var || terms_.term_of_leaf(l); };
      if (!kir::mentions(e.left, varies) && !kir::mentions(e.right, varies)) out.push_back(e);
    }
    return;
  }
  for (std::size_t i = 0; i < k->kids.size() && i < p->kids.size(); ++i) equations(k->kids[i], p->kids[i], unknown, seen, out);
}

std::vector<Expr> Matcher::bounds(const std::vector<Interval>& binders, const TermPool::Substitution& s) {
  std::vector<Expr> out;
  for (const Interval& b : binders)
    for (Expr e : {b.lo, b.hi}) out.push_back(terms_.substitute(e, s));
  return out;
}

std::optional<std::vector<Pairing>> Matcher::match_pieces(const std::vector<Piece>& kir_pieces,
                                                          const std::vector<Piece>& physical_pieces,
                                                          const std::vector<Expr>& context, bool order_free,
                                                          const MatchSite& site, Remainder remainder) {
  struct Found {
    std::size_t kir;
    Piece kir_open;       // the KIR piece over points of its own
    Piece physical;       // opened
    Assignment phi, psi;  // KIR binder -> physical expression; physical binder -> KIR expression
  };
  std::vector<Found> found;
  std::vector<Pairing> pairings;
  std::vector<Piece> kir_open;
  for (const Piece& k : kir_pieces) {
    TermPool::Substitution s;
    kir_open.push_back(renamed(k, terms_, s));
  }

  for (std::size_t pi = 0; pi < physical_pieces.size(); ++pi) {
    TermPool::Substitution ignored;
    Piece p = renamed(physical_pieces[pi], terms_, ignored);
    std::vector<Expr> p_vars;
    for (const Interval& b : p.binders) p_vars.push_back(b.var);
    TermPool::Substitution open;
    for (std::size_t i = 0; i < p_vars.size(); ++i) open.exprs.emplace(physical_pieces[pi].binders[i].var.node(), p_vars[i]);
    std::vector<Expr> under = joined(context, domain(p));
    bool paired = false;
    std::string first_reason;
    // Those of as many dimensions first: a lone value may look like any member. Of these, such as have no partner yet: of equal
    // effects each is one of its own.
    std::vector<std::size_t> candidates(kir_pieces.size());
    std::iota(candidates.begin(), candidates.end(), std::size_t{0});
    auto has_partner = [&](std::size_t ki) { return std::ranges::any_of(found, [&](const Found& f) { return f.kir == ki; }); };
    std::stable_partition(candidates.begin(), candidates.end(), [&](std::size_t ki) { return !has_partner(ki); });
    std::stable_partition(candidates.begin(), candidates.end(),
                          [&](std::size_t ki) { return kir_open[ki].binders.size() == p.binders.size(); });
    // By candidate: equations that its match left to be proved and that are no identities, and points at the very end of the
    // KIR's domain. Of a match that failed nothing.
    std::map<std::size_t, std::size_t> doubts_of;
    auto pair_with = [&](std::size_t ki, std::size_t most_doubts) {
      const Piece& k = kir_open[ki];
      if (k.coordinates.size() != p.coordinates.size() || k.body.size() != p.body.size()) return;
      std::set<const ExprNode*> unknown;
      std::vector<Expr> k_vars;
      for (const Interval& b : k.binders) {
        unknown.insert(b.var.node());
        k_vars.push_back(b.var);
      }
      std::vector<Equation> eqs;
      for (std::size_t i = 0; i < k.coordinates.size(); ++i) eqs.push_back({k.coordinates[i], p.coordinates[i]});
      std::set<std::pair<Term, Term>> seen;
      for (std::size_t i = 0; i < k.body.size(); ++i) equations(k.body[i], p.body[i], unknown, seen, eqs);
      // Last, what stands behind data in coordinates and guards.
      auto behind = [&](const std::vector<Expr>& a, const std::vector<Expr>& b) {
        const std::vector<Term> ks = data(a), ps = data(b);
        if (ks.size() != ps.size()) return;
        for (std::size_t i = 0; i < ks.size(); ++i) equations(ks[i], ps[i], unknown, seen, eqs);
      };
      behind(k.coordinates, p.coordinates);
      behind(k.guards, p.guards);
      Assignment elsewhere;
      for (std::size_t i = 0; i < k_vars.size(); ++i)
        if (auto it = learnt_.find(kir_pieces[ki].binders[i].var.node()); it != learnt_.end())
          elsewhere.emplace(k_vars[i].node(), terms_.substitute(it->second, open));
      std::optional<PointMap> map = propose_points(k, p, std::move(eqs), elsewhere, under, pool_);
      if (!map) {
        if (first_reason.empty()) first_reason = "no map from the program's points to the KIR's was found";
        return;
      }
      auto& [phi, psi] = *map;
      TermPool::Substitution to_kir;
      for (Expr v : k_vars) to_kir.exprs.emplace(v.node(), phi.at(v.node()));
      why_.clear();
      paired = attempt([&] {
        const std::size_t before = out_.size();
        std::size_t doubtful = 0;
        std::vector<Expr> k_guards;
        for (Expr g : k.guards) k_guards.push_back(terms_.substitute(g, to_kir));
        std::vector<Expr> known = under;
        const std::vector<Expr> k_bounds = bounds(k.binders, to_kir);
        relate_guards(joined(k_bounds, k_guards), joined(bounds(p.binders, {}), p.guards), known, site);
        // Range: before the bodies, so that a lost mask shows as what it is.
        for (std::size_t i = 0; i < k.binders.size(); ++i) {
          const Expr v = terms_.substitute(k_vars[i], to_kir);
          doubtful += same_polynomial(v, k_bounds[2 * i + 1]);
          emit(ObligationKind::predicate_subset, known, both(less_equal(k_bounds[2 * i], v), less(v, k_bounds[2 * i + 1])),
               site, fmt::format("every active point is a member of the KIR's domain ({})", k_vars[i].name()));
        }
        for (Expr g : k_guards)
          if (std::find(known.begin(), known.end(), g) == known.end())
            emit(ObligationKind::predicate_subset, known, g, site, "every active point satisfies the KIR's predicate");
        // Injective.
        TermPool::Substitution back_of_phi;
        for (Expr v : k_vars) back_of_phi.exprs.emplace(v.node(), phi.at(v.node()));
        for (Expr v : p_vars) {
          if (remainder == Remainder::repeated) break;
          Expr again = terms_.substitute(psi.at(v.node()), back_of_phi);
          if (!(again == v))
            emit(ObligationKind::coverage, known, equal(again, v), site,
                 fmt::format("different points stand for different KIR members ({})", v.name()));
        }
        for (std::size_t i = 0; i < k.coordinates.size(); ++i) {
          Expr c = terms_.substitute(k.coordinates[i], to_kir);
          if (c.is(ExprKind::constant) && p.coordinates[i].is(ExprKind::constant) && !(c == p.coordinates[i]))
            return fail("the stores are of different elements");
          if (!(c == p.coordinates[i]))
            emit(ObligationKind::relation_equal, related(c, p.coordinates[i], known, site), equal(c, p.coordinates[i]), site,
                 fmt::format("the element written is the KIR's on axis {}", i));
        }
        for (std::size_t i = 0; i < k.body.size(); ++i)
          if (!match(terms_.substitute(k.body[i], to_kir), p.body[i], known, site)) return false;
        doubtful += doubts(before);
        doubts_of[ki] = doubtful;
        return doubtful <= most_doubts;
      });
      if (paired) {
        found.push_back({ki, k, p, phi, psi});
        pairings.push_back({ki, pi, to_kir});
        // The substitution is over this opening; hand it on for the piece as given.
        Pairing& pairing = pairings.back();
        pairing.to_kir.exprs.clear();
        TermPool::Substitution close;
        for (std::size_t i = 0; i < p.binders.size(); ++i)
          close.exprs.emplace(p.binders[i].var.node(), physical_pieces[pi].binders[i].var);
        for (std::size_t i = 0; i < k.binders.size(); ++i)
          pairing.to_kir.exprs.emplace(kir_pieces[ki].binders[i].var.node(),
                                       terms_.substitute(phi.at(k.binders[i].var.node()), close));
        learnt_.insert(pairing.to_kir.exprs.begin(), pairing.to_kir.exprs.end());
      } else if (first_reason.empty() || !why_.empty()) {
        if (first_reason.empty()) first_reason = why_;
      }
    };
    // One that leaves no doubt, else the one that leaves the fewest.
    for (std::size_t ki : candidates)
      if (!paired) pair_with(ki, candidates.size() > 1 ? 0 : SIZE_MAX);
    if (!paired && !doubts_of.empty()) {
      auto fewest = [&](std::size_t a, std::size_t b) {
        return doubts_of.contains(a) && (!doubts_of.contains(b) || doubts_of[a] < doubts_of[b]);
      };
      pair_with(*std::min_element(candidates.begin(), candidates.end(), fewest), SIZE_MAX);
    }
    if (!paired) {
      if (first_reason.empty()) first_reason = "the KIR has nothing to pair it with";
      if (remainder != Remainder::unreachable) {
        why_ = first_reason;
        return std::nullopt;
      }
      // Allowed only where it never happens.
      emit(ObligationKind::effect_paired, under, pool_.boolean(false), site,
           "a part without a partner in the KIR is not reached", first_reason);
    }
  }
  if (found.empty() && !physical_pieces.empty() && !kir_pieces.empty()) {
    fail(out_.empty() ? "no pair of pieces matches" : out_.back().otherwise_unsupported);
    return std::nullopt;
  }

  if (remainder == Remainder::repeated) return pairings;

  // Every KIR member is covered, once.
  for (std::size_t ki = 0; ki < kir_pieces.size(); ++ki) {
    const Piece& k = kir_open[ki];
    std::vector<Expr> at = joined(context, domain(k));
    std::vector<Expr> conditions;
    std::vector<const Found*> partners;
    for (const Found& f : found) {
      if (f.kir != ki) continue;
      TermPool::Substitution to_physical;
      for (const Interval& b : f.physical.binders) to_physical.exprs.emplace(b.var.node(), f.psi.at(b.var.node()));
      std::vector<Expr> p_guards;
      for (Expr g : f.physical.guards) p_guards.push_back(terms_.substitute(g, to_physical));
      std::vector<Expr> inside;
      const std::vector<Expr> p_bounds = bounds(f.physical.binders, to_physical);
      for (std::size_t i = 0; i < f.physical.binders.size(); ++i) {
        const Expr v = f.psi.at(f.physical.binders[i].var.node());
        inside.push_back(less_equal(p_bounds[2 * i], v));
        inside.push_back(less(v, p_bounds[2 * i + 1]));
      }
      // A point that stands for one member alone covers that one.
      for (const Interval& b : k.binders) {
        Expr again = terms_.substitute(f.phi.at(b.var.node()), to_physical);
        if (!kir::mentions(again, [&](Expr l) { return l == b.var; })) inside.push_back(equal(again, b.var));
      }
      relate_guards(joined(bounds(k.binders, {}), k.guards), joined(p_bounds, p_guards), at, site);
      inside.insert(inside.end(), p_guards.begin(), p_guards.end());
      conditions.push_back(pool_.all_of(inside));
      partners.push_back(&f);
    }
    if (partners.empty() && remainder == Remainder::refused) {
      fail("the program has nothing for a part of the KIR's fold");
      return std::nullopt;
    }
    emit(ObligationKind::coverage, at, pool_.any_of(conditions), site,
         partners.empty() ? "a KIR effect without a partner never happens" : "every member of the KIR's domain is covered",
         partners.empty() ? "the program has nothing for this KIR effect" : "");
    for (std::size_t j = 0; j < partners.size(); ++j) {
      const Found& f = *partners[j];
      TermPool::Substitution to_physical;
      for (const Interval& b : f.physical.binders) to_physical.exprs.emplace(b.var.node(), f.psi.at(b.var.node()));
      std::vector<Expr> here = at;
      here.push_back(conditions[j]);
      for (const Interval& b : k.binders) {
        Expr again = terms_.substitute(f.phi.at(b.var.node()), to_physical);
        if (!(again == b.var))
          emit(ObligationKind::coverage, here, equal(again, b.var), site,
               fmt::format("the point that covers a member stands for it ({})", b.var.name()));
      }
      for (std::size_t i = j + 1; i < partners.size(); ++i) {
        std::vector<Expr> both = here;
        both.push_back(conditions[i]);
        emit(ObligationKind::coverage, both, pool_.boolean(false), site, "no member is covered twice");
      }
    }
  }

  if (!order_free)
    for (const Found& a : found)
      for (const Found& b : found) {
        TermPool::Substitution sa, sb;
        Piece pa = renamed(a.physical, terms_, sa), pb = renamed(b.physical, terms_, sb);
        auto kir_path = [&](const Found& f, const TermPool::Substitution& s) {
          TermPool::Substitution to;
          for (const Interval& i : f.kir_open.binders)
            to.exprs.emplace(i.var.node(), terms_.substitute(f.phi.at(i.var.node()), s));
          return terms_.substitute(f.kir_open.path, to);
        };
        std::vector<Expr> hypotheses = joined(joined(context, domain(pa)), domain(pb));
        hypotheses.push_back(before(pa.path, pb.path, pool_));
        if (hypotheses.back().is_false()) continue;
        emit(ObligationKind::order_kept, hypotheses, before(kir_path(a, sa), kir_path(b, sb), pool_), site,
             "the KIR's order is kept");
      }
  return pairings;
}

}  // namespace kir::proof
