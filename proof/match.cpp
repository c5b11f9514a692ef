#include "proof/match.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "core/numeric/scalar_ops.h"
#include "proof/path.h"

namespace kir::proof {
namespace {

constexpr int kMaxDepth = 400;
constexpr std::size_t kMostPairs = 100'000;

Expr negated(Expr e) { return e.is(ExprKind::logical_not) ? e.kid(0) : negation(e); }

bool knows(const std::vector<Expr>& context, Expr e) { return std::find(context.begin(), context.end(), e) != context.end(); }

std::vector<Expr> extended(std::vector<Expr> context, Expr e) {
  context.push_back(e);
  return context;
}

}  // namespace

void Matcher::emit(ObligationKind kind, const std::vector<Expr>& context, Expr goal, const MatchSite& site,
                   std::string sentence, std::string otherwise_unsupported) {
  if (goal.is_true()) return;
  Obligation o{.kind = kind,
               .key = fmt::format("{}/{}/{}", site.key, name(kind), next_key_++),
               .sentence = fmt::format("{}: {}", site.what, sentence),
               .side = Side::physical,
               .range = site.range,
               .hypotheses = context,
               .goal = goal,
               .preset = {},
               .otherwise_unsupported = std::move(otherwise_unsupported)};
  out_.push_back(std::move(o));
}

bool Matcher::attempt(const std::function<bool()>& f) {
  std::size_t obligations = out_.size(), loads = pending_.size(), key = next_key_;
  auto done = done_;
  auto schedules = schedules_;
  if (f()) return true;
  out_.resize(obligations);
  pending_.resize(loads);
  next_key_ = key;
  done_ = std::move(done);
  schedules_ = std::move(schedules);
  return false;
}

bool Matcher::match_integers(Expr k, Expr p, const std::vector<Expr>& context, const MatchSite& site, std::string what) {
  if (k == p) return true;
  if (k.is(ExprKind::constant) && p.is(ExprKind::constant))
    return fail(fmt::format("{} differ: {} and {}", what, k.number(), p.number()));
  emit(ObligationKind::value_equal, related(k, p, context, site), equal(k, p), site, fmt::format("{} are equal", what));
  return true;
}

bool Matcher::match(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site) {
  if (depth_ > kMaxDepth) return fail("terms nest too deep");
  struct Guard {
    int& d;
    explicit Guard(int& x) : d(x) { ++d; }
    ~Guard() { --d; }
  } guard(depth_);
  // Points of the two sides are of different texts, so identical terms that read written memory are still to be compared.
  auto reads_written = [](Term x) { return x->kind == TermKind::load && !x->point.empty(); };
  if (k == p && k->kind != TermKind::arbitrary && !terms_.mentions(k, reads_written) &&
      !terms_.mentions(k, [](Term x) { return x->kind == TermKind::arbitrary; }))
    return true;
  if (++looked_at_ > kMostPairs) return fail("the terms have too many ways to match");
  auto memo = std::tuple(k, p, context);
  if (done_.contains(memo)) return true;
  if (failed_.contains(memo)) return false;
  auto ok = [&](bool result) {
    (result ? done_ : failed_).insert(memo);
    return result;
  };
  if (k->kind == TermKind::select || p->kind == TermKind::select) return ok(match_select(k, p, context, site));
  auto is_sequence = [](Term t) { return t->kind == TermKind::reduce || t->kind == TermKind::iterate; };
  if (k->type != p->type)
    return fail(fmt::format("element types differ: {} in the KIR, {} in the program", name(k->type), name(p->type)));
  if (is_sequence(k) || is_sequence(p)) {
    if (k->kind == TermKind::iterate && p->kind == TermKind::iterate &&
        attempt([&] { return match_loops(k, p, context, site); }))
      return ok(true);
    // A combine that is one operation has more ways to be a loop than this one: M7.
    if (k->kind == TermKind::reduce && p->kind == TermKind::iterate && !simple_operation(k->reduce->combine) &&
        attempt([&] { return match_member_loop(k, p, context, site); }))
      return ok(true);
    if (attempt([&] { return match_folds(k, p, context, site, false); })) return ok(true);
    return ok(attempt([&] { return match_folds(k, p, context, site, true); }));
  }
  auto integer_like = [](Term t) {
    return t->kind == TermKind::integer ||
           (t->kind == TermKind::literal && is_integer(t->type) && t->type != DType::i1 && t->type != DType::u64);
  };
  if (k->kind != p->kind && integer_like(k) && integer_like(p)) {
    auto value = [&](Term t) { return t->kind == TermKind::integer ? t->exprs[0] : pool_.constant(t->literal.as_signed()); };
    return ok(match_integers(value(k), value(p), context, site, "the integers"));
  }
  bool boolean_like = k->type == DType::i1 && (k->kind == TermKind::boolean || p->kind == TermKind::boolean);
  if (k->kind != p->kind && !boolean_like)
    return fail(fmt::format("`{}` in the KIR against `{}` in the program", to_string(k, terms_), to_string(p, terms_)));
  if (boolean_like) {
    Expr a = terms_.leaf_of(k), b = terms_.leaf_of(p);
    std::vector<Expr> related = context;
    relate_guards({a}, {b}, related, site);
    if (a == b) return ok(true);
    emit(ObligationKind::value_equal, related, equal(a, b), site, "the conditions are equivalent");
    return ok(true);
  }
  switch (k->kind) {
    case TermKind::literal:
      if (k->literal == p->literal) return true;
      return fail(fmt::format("literal {} in the KIR, {} in the program", literal_text(k->literal), literal_text(p->literal)));
    case TermKind::parameter:
      if (k == p) return true;
      return fail(fmt::format("parameter {} in the KIR, {} in the program", k->name, p->name));
    case TermKind::integer: return ok(match_integers(k->exprs[0], p->exprs[0], context, site, "the integers"));
    case TermKind::boolean: KIR_UNREACHABLE("handled above");
    case TermKind::load: {
      const auto at = [](Term t) { return std::span(t->exprs).subspan(t->mode); };
      const auto allocation = [](Term t) { return std::vector(t->exprs.begin(), t->exprs.begin() + t->mode); };
      if (k->number != p->number || at(k).size() != at(p).size()) return fail("loads of different views");
      if (k->name != p->name)
        return fail(fmt::format("`{}` in the KIR, `{}` in the program", k->name.empty() ? "load" : k->name,
                                p->name.empty() ? "load" : p->name));
      for (std::size_t i = 0; i < at(k).size(); ++i)
        if (!(at(k)[i] == at(p)[i]))
          emit(ObligationKind::relation_equal, related(at(k)[i], at(p)[i], context, site), equal(at(k)[i], at(p)[i]), site,
               fmt::format("the element read is the KIR's on axis {}", i));
      if (!k->point.empty() || !p->point.empty())
        pending_.push_back({context, static_cast<std::size_t>(k->number), std::vector(at(p).begin(), at(p).end()),
                            allocation(k), allocation(p), k->point, p->point, site, p->name});
      return ok(true);
    }
    case TermKind::pointwise: {
      if (k->op != p->op || k->number != p->number || k->kids.size() != p->kids.size())
        return fail(fmt::format("{} in the KIR, {} in the program", row(k->op).name, row(p->op).name));
      auto in_order = [&](bool exchanged) {
        for (std::size_t i = 0; i < k->kids.size(); ++i)
          if (!match(k->kids[i], p->kids[exchanged ? 1 - i : i], context, site)) return false;
        return true;
      };
      if (attempt([&] { return in_order(false); })) return ok(true);
      if (k->kids.size() == 2 && is_commutative(k->op, k->type)) return ok(attempt([&] { return in_order(true); }));
      return ok(false);
    }
    case TermKind::cmp:
    case TermKind::convert:
      if (k->mode != p->mode)
        return fail(k->kind == TermKind::cmp ? "comparison predicates differ" : "conversion modes differ");
      for (std::size_t i = 0; i < k->kids.size(); ++i)
        if (!match(k->kids[i], p->kids[i], context, site)) return false;
      return ok(true);
    case TermKind::argument:
      if (k == p) return true;
      return fail("carried values of different loops");
    case TermKind::arbitrary: return fail("an arbitrary value (a masked load without a fill) reaches the result");
    case TermKind::select:
    case TermKind::reduce:
    case TermKind::iterate: KIR_UNREACHABLE("handled above");
  }
  KIR_UNREACHABLE("term kind");
}

bool Matcher::match_select(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site) {
  Expr c = p->kind == TermKind::select ? p->exprs[0] : k->exprs[0];
  if (knows(context, c)) return match(terms_.resolve(k, c, true), terms_.resolve(p, c, true), context, site);
  if (knows(context, negated(c))) return match(terms_.resolve(k, c, false), terms_.resolve(p, c, false), context, site);
  // A condition over data on one side may be the other side's condition on the same data.
  std::vector<Expr> base = context;
  Expr same;  // the KIR's condition, when it is c on equal data
  if (p->kind == TermKind::select && k->kind == TermKind::select && !(k->exprs[0] == c)) {
    relate_guards({k->exprs[0]}, {c}, base, site);
    const Expr told = kir::substitute(k->exprs[0], [&](Expr l) {
      for (std::size_t i = context.size(); i < base.size(); ++i)
        if (base[i].kid(0) == l) return base[i].kid(1);
      return Expr();
    });
    if (told == c) same = k->exprs[0];
  }
  bool any = false;
  std::vector<std::pair<std::vector<Expr>, std::string>> unmatched;
  for (bool value : {true, false}) {
    std::vector<Expr> under = extended(base, value ? c : negated(c));
    Term kir_side = terms_.resolve(k, c, value);
    if (same) {
      under.push_back(value ? same : negated(same));
      kir_side = terms_.resolve(kir_side, same, value);
    }
    if (attempt([&] { return match(kir_side, terms_.resolve(p, c, value), under, site); }))
      any = true;
    else
      unmatched.emplace_back(std::move(under), why_);
  }
  if (!any) return false;
  for (auto& [under, reason] : unmatched)
    emit(ObligationKind::value_equal, under, pool_.boolean(false), site, "a branch with another value is not reached", reason);
  return true;
}

bool Matcher::match_loops(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site) {
  LoopNode a = terms_.open(*k->loop), b = terms_.open(*p->loop);
  if (k->number != p->number || a.step.size() != b.step.size()) return fail("loops carry different numbers of values");
  for (std::size_t i = 0; i < a.step.size(); ++i) {
    if (a.arguments[i]->type != b.arguments[i]->type) return fail("loops carry different types");
    if (!match(a.init[i], b.init[i], context, site)) return false;
  }
  Expr zero = pool_.constant(0);
  if (!(a.lo == b.lo) || !(a.upto == b.upto))
    emit(ObligationKind::loop_matched, context, equal(max(zero, a.upto - a.lo), max(zero, b.upto - b.lo)), site,
         "the loops run equally often");
  // One iteration number for both, equal states before it.
  TermPool::Substitution s;
  s.exprs.emplace(a.var.node(), a.lo == b.lo ? b.var : b.var - b.lo + a.lo);
  for (std::size_t i = 0; i < a.arguments.size(); ++i) s.terms.emplace(a.arguments[i], b.arguments[i]);
  std::vector<Expr> inside = context;
  inside.push_back(less_equal(b.lo, b.var));
  inside.push_back(less(b.var, b.upto));
  for (std::size_t i = 0; i < a.step.size(); ++i)
    if (!match(terms_.substitute(a.step[i], s), b.step[i], inside, site)) return false;
  return true;
}

bool Matcher::match_folds(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site, bool deep) {
  std::string reason;
  std::optional<Sequence> kir, physical;
  auto expand_kir = [&](const ExpandOptions& o) { return expand(k, o, terms_, &reason); };
  if (k->kind == TermKind::reduce) {
    ExpandOptions o{.deep = false, .init_as_piece = false, .init = {}, .like = {}, .kernel = true};
    if (k->reduce->init.size() == 1 && k->reduce->init[0]->kind == TermKind::literal) o.init = k->reduce->init[0]->literal;
    kir = expand_kir(o);
  } else if (p->kind == TermKind::reduce) {
    // A KIR loop against a physical reduce: the loop as a strict fold of the reduce's operation.
    std::optional<Sequence> like = expand(p, {.deep = false, .init_as_piece = false, .init = {}, .like = {}}, terms_, &reason);
    if (like && like->op) kir = expand_kir({.deep = false, .init_as_piece = true, .init = {}, .like = like, .kernel = true});
  } else if (k->kind == TermKind::iterate) {
    // Two loops that are not in lockstep: a fold when the step says which operation.
    LoopNode l = terms_.open(*k->loop);
    Term s = l.step[0];
    while (s->kind == TermKind::select) s = s->kids[0] == l.arguments[0] ? s->kids[1] : s->kids[0];
    if (s->kind == TermKind::pointwise && s->kids.size() == 2) {
      Sequence like;
      like.op = s->op;
      like.type = s->type;
      kir = expand_kir({.deep = false, .init_as_piece = true, .init = {}, .like = like, .kernel = true});
    }
  }
  if (!kir)
    return fail(reason.empty() ? "a fold in the program against a value that is no fold in the KIR"
                               : fmt::format("the KIR's fold is not understood: {}", reason));
  if (!kir->op) {
    if (p->kind != TermKind::reduce) return fail("a reduce with a combine of its own against something that is no reduce");
    std::optional<Sequence> other = expand(p, {.deep = false, .init_as_piece = false, .init = {}, .like = {}}, terms_, &reason);
    if (!other || other->op) return fail("combines differ");
    return match_general(*kir, *other, k, p, context, site);
  }
  ExpandOptions o{.deep = deep, .init_as_piece = true, .init = {}, .like = kir};
  if (kir->init.size() == 1 && kir->init[0]->kind == TermKind::literal) o.init = kir->init[0]->literal;
  physical = expand(p, o, terms_, &reason);
  if (!physical) return fail(fmt::format("the program's fold is not understood: {}", reason));
  if (physical->op != kir->op) return fail("the folds combine by different operations");

  // The licence.
  OpKind op = *kir->op;
  Order licence = k->kind == TermKind::reduce ? k->reduce->order : Order::strict;
  bool exact = is_associative(op, kir->type) && is_commutative(op, kir->type);
  if (exact) licence = Order::any;
  if (physical->freedom > licence)
    return fail(
        fmt::format("the program folds with order({}), the KIR licenses order({})", name(physical->freedom), name(licence)));
  if (physical->bracketed && licence == Order::strict) return fail("the program brackets a fold that the KIR orders strictly");

  auto pieces = [](const Sequence& s) {
    std::vector<Piece> out;
    for (const SequencePiece& x : s.pieces) out.push_back({x.binders, x.guards, x.path, x.body, {}});
    return out;
  };
  std::vector<Piece> ks = pieces(*kir), ps = pieces(*physical);

  // The initial value, exactly once.
  if (!kir->init.empty()) {
    Term init = kir->init[0];
    auto is_copy = [&](const Piece& x) {
      return o.init && x.body[0]->kind == TermKind::literal && x.body[0]->literal == *o.init;
    };
    std::size_t copies = static_cast<std::size_t>(std::count_if(ps.begin(), ps.end(), is_copy));
    bool absorbs = o.init && is_neutral(op, *o.init, o.init);  // copies beyond the first are neutral
    if (absorbs && copies > 0) {
      std::vector<Expr> present;
      for (const Piece& x : ps) {
        if (!is_copy(x)) continue;
        std::vector<Expr> nonempty = x.guards;
        bool simple = x.guards.empty();
        for (const Interval& b : x.binders) {
          simple = simple && leaves(b.lo).empty() && leaves(b.hi).empty();
          nonempty.push_back(less(b.lo, b.hi));
        }
        if (simple) present.push_back(pool_.all_of(nonempty));
      }
      emit(ObligationKind::combine_laws, context, pool_.any_of(present), site, "the initial value takes part");
      std::erase_if(ps, is_copy);
      std::erase_if(ks, is_copy);
    } else {
      bool dropped_all = o.init && is_neutral(op, *o.init, std::nullopt) && physical->always_neutral;
      if (dropped_all) {
        // The initial value is neutral for every accumulator, and some neutral leaf takes part always.
        std::erase_if(ps, is_copy);
        std::erase_if(ks, is_copy);
      } else {
        // By its cases, as the program's is. Where nothing but what was left out takes part, that is the value of both.
        std::optional<Sequence> start = expand_leaf(init, *kir, o.init, terms_);
        auto is_left_out = [&](const Scalar& n) {
          return std::ranges::all_of(start->neutral, [&](const Scalar& s) { return s == n; });
        };
        if (start && !start->neutral.empty() && !std::ranges::all_of(physical->neutral, is_left_out)) start.reset();
        std::vector<Piece> first = start ? pieces(*start) : std::vector<Piece>{{{}, {}, {}, {init}, {}}};
        for (Piece& x : first) x.path.insert(x.path.begin(), {0, {}, true});
        for (Piece& x : ks) x.path.insert(x.path.begin(), {1, {}, true});
        ks.insert(ks.begin(), first.begin(), first.end());
      }
    }
  } else {
    if (k->kind == TermKind::reduce && !kir->identity.empty()) {
      // Nothing to combine: the KIR gives its identity, so must the program.
      if (!physical->always_neutral) return fail("the program's fold has no value for an empty domain, the KIR's has");
    }
    for (const Scalar& n : physical->neutral)
      if (!kir->identity.empty() && !(n == kir->identity[0]))
        return fail(fmt::format("identity {} in the program, {} in the KIR", literal_text(n), literal_text(kir->identity[0])));
  }
  auto pair = [&](Remainder remainder) {
    return attempt([&] {
      auto pairs = match_pieces(ks, ps, context, licence == Order::any, site, remainder);
      if (!pairs) return false;
      if (exact || licence == Order::strict) return true;
      return one_schedule(k, physical->shape, ks, ps, *pairs, context, site);
    });
  };
  return pair(Remainder::refused) || (deep && pair(Remainder::unreachable));
}

bool Matcher::match_general(const Sequence& k, const Sequence& p, Term kt, Term pt, const std::vector<Expr>& context,
                            const MatchSite& site) {
  if (kt->number != pt->number || k.combine.results.size() != p.combine.results.size())
    return fail("reduces of different components");
  if (p.freedom > kt->reduce->order)
    return fail(
        fmt::format("the program folds with order({}), the KIR licenses order({})", name(p.freedom), name(kt->reduce->order)));
  if (pt->reduce->unit > kt->reduce->unit) return fail("the program's products may err by more than the KIR licenses");
  if (k.identity != p.identity && !(p.identity.empty() && !k.init.empty())) return fail("the identities differ");
  if (kt->reduce->identity_if_empty && !pt->reduce->identity_if_empty && !p.identity.empty())
    return fail("the program may put in an identity that the KIR has where there is no member alone");
  if (k.init.size() != p.init.size()) return fail("one reduce has an initial value, the other has none");
  for (std::size_t i = 0; i < k.init.size(); ++i)
    if (!match(k.init[i], p.init[i], context, site)) return false;
  TermPool::Substitution s;
  if (k.combine.arguments.size() != p.combine.arguments.size()) return fail("combines differ");
  for (std::size_t i = 0; i < k.combine.arguments.size(); ++i) {
    if (k.combine.arguments[i]->type != p.combine.arguments[i]->type) return fail("combines differ in types");
    s.terms.emplace(k.combine.arguments[i], p.combine.arguments[i]);
  }
  for (std::size_t i = 0; i < k.combine.results.size(); ++i)
    if (!match(terms_.substitute(k.combine.results[i], s), p.combine.results[i], context, site)) return false;
  std::vector<Piece> ks, ps;
  for (const SequencePiece& x : k.pieces) ks.push_back({x.binders, x.guards, {}, x.body, {}});
  for (const SequencePiece& x : p.pieces) ps.push_back({x.binders, x.guards, {}, x.body, {}});
  for (auto* list : {&ks, &ps})
    for (Piece& x : *list)
      for (const Interval& b : x.binders) x.path.push_back({0, b.var, true});
  auto pairs = match_pieces(ks, ps, context, p.freedom == Order::any, site, Remainder::refused);
  if (!pairs || !is_licensed(*kt->reduce)) return pairs.has_value();
  return one_schedule(kt, p.shape, ks, ps, *pairs, context, site);
}

}  // namespace kir::proof
