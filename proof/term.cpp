#include "proof/term.h"

#include <fmt/format.h>

#include <set>

#include "core/base/check.h"
#include "core/ir/op_table.h"

namespace kir::proof {
namespace {

void mix(std::size_t& h, std::size_t v) { h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2); }

bool same(const TermNode& a, const TermNode& b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op && a.mode == b.mode && a.literal == b.literal &&
         a.number == b.number && a.name == b.name && a.kids == b.kids && a.exprs == b.exprs && a.point == b.point &&
         a.reduce == b.reduce && a.loop == b.loop;
}

}  // namespace

Term TermPool::intern(TermNode&& n) {
  std::size_t h = static_cast<std::size_t>(n.kind);
  mix(h, static_cast<std::size_t>(n.type));
  mix(h, static_cast<std::size_t>(n.op) * 64 + n.mode);
  mix(h, n.literal.bits);
  mix(h, static_cast<std::size_t>(n.number));
  mix(h, std::hash<std::string>{}(n.name));
  for (Term k : n.kids) mix(h, k->serial);
  for (Expr e : n.exprs) mix(h, e.serial());
  mix(h, n.point.size());
  n.hash = h;
  auto [begin, end] = table_.equal_range(h);
  for (auto it = begin; it != end; ++it)
    if (same(*it->second, n)) return it->second;
  n.serial = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(std::make_unique<TermNode>(std::move(n)));
  Term t = nodes_.back().get();
  table_.emplace(h, t);
  return t;
}

Term TermPool::literal(const Scalar& s) { return intern({.kind = TermKind::literal, .type = s.type, .literal = s}); }
Term TermPool::parameter(std::string_view name, DType type) {
  return intern({.kind = TermKind::parameter, .type = type, .name = std::string(name)});
}
Term TermPool::integer(Expr e, DType type) {
  // The integer that stands for a term is that term again, converted.
  if (Term t = term_of_leaf(e); t && e.sort() == Sort::integer && t->type != DType::u64 && type != DType::u64)
    return convert(bit_width(t->type) < bit_width(type) ? ConvertMode::sint : ConvertMode::wrap, type, t);
  return intern({.kind = TermKind::integer, .type = type, .exprs = {e}});
}

Term TermPool::boolean(Expr e) {
  if (e.is(ExprKind::boolean)) return literal(Scalar::of_bool(e.is_true()));
  return intern({.kind = TermKind::boolean, .type = DType::i1, .exprs = {e}});
}

Term TermPool::load(std::int64_t memory, DType type, std::vector<Expr> coordinates, Path point, std::size_t allocation,
                    std::string atomic) {
  return intern({.kind = TermKind::load,
                 .type = type,
                 .mode = static_cast<std::uint8_t>(allocation),
                 .number = memory,
                 .name = std::move(atomic),
                 .exprs = std::move(coordinates),
                 .point = std::move(point)});
}
Term TermPool::pointwise(OpKind op, DType type, std::vector<Term> kids, std::int64_t result) {
  return intern({.kind = TermKind::pointwise, .type = type, .op = op, .number = result, .kids = std::move(kids)});
}
Term TermPool::cmp(CmpPredicate p, Term a, Term b) {
  return intern({.kind = TermKind::cmp, .type = DType::i1, .mode = static_cast<std::uint8_t>(p), .kids = {a, b}});
}
Term TermPool::convert(ConvertMode m, DType to, Term a) {
  if (a->type == to && is_integer(to) && (m == ConvertMode::sint || m == ConvertMode::wrap)) return a;
  // Read with a sign, as an index is, the bits of u64 are those of i64.
  if (m == ConvertMode::sint && to == DType::i64 && a->type == DType::u64) m = ConvertMode::wrap;
  // The low bits of an integer expression are the expression's, however wide it was in between.
  if (m == ConvertMode::wrap && a->kind == TermKind::integer && to != DType::i1 && bit_width(to) <= bit_width(a->type))
    return integer(a->exprs[0], to);
  return intern({.kind = TermKind::convert, .type = to, .mode = static_cast<std::uint8_t>(m), .kids = {a}});
}
Term TermPool::select(Expr condition, Term a, Term b) {
  if (a == b || condition.is_true()) return a;
  if (condition.is_false()) return b;
  if (condition.is(ExprKind::logical_not)) return select(condition.kid(0), b, a);
  return intern({.kind = TermKind::select, .type = a->type, .kids = {a, b}, .exprs = {condition}});
}
Term TermPool::fresh_argument(DType type, std::vector<Expr> varies) { return argument(next_++, type, std::move(varies)); }
Term TermPool::argument(std::int64_t number, DType type, std::vector<Expr> varies) {
  return intern({.kind = TermKind::argument, .type = type, .number = number, .exprs = std::move(varies)});
}
Term TermPool::arbitrary(std::int64_t event, DType type, std::vector<Expr> varies) {
  return intern({.kind = TermKind::arbitrary, .type = type, .number = event, .exprs = std::move(varies)});
}
Term TermPool::reduce(std::shared_ptr<const ReduceNode> node, std::int64_t component, DType type) {
  return intern({.kind = TermKind::reduce, .type = type, .number = component, .reduce = std::move(node)});
}
Term TermPool::iterate(std::shared_ptr<const LoopNode> node, std::int64_t component, DType type) {
  return intern({.kind = TermKind::iterate, .type = type, .number = component, .loop = std::move(node)});
}

Expr TermPool::leaf_of(Term t) {
  if (t->kind == TermKind::boolean) return t->exprs[0];
  if (t->kind == TermKind::integer && t->type == DType::i64) {
    Expr e = t->exprs[0];
    Expr fits = both(less_equal(exprs_.constant(INT64_MIN), e), less_equal(e, exprs_.constant(INT64_MAX)));
    return e.is(ExprKind::constant) ? e : ite(fits, e, opaque(t));
  }
  if (t->kind == TermKind::literal && t->type == DType::i1) return exprs_.boolean(t->literal.as_bool());
  if (t->kind == TermKind::literal && is_integer(t->type) && t->type != DType::u64)
    return exprs_.constant(t->literal.as_signed());
  // A sign extension keeps the signed value.
  if (t->kind == TermKind::convert && t->mode == static_cast<std::uint8_t>(ConvertMode::sint) && t->type != DType::u64 &&
      is_integer(t->type) && is_integer(t->kids[0]->type) && t->kids[0]->type != DType::i1 && t->kids[0]->type != DType::u64)
    return leaf_of(t->kids[0]);
  return opaque(t);
}

Expr TermPool::opaque(Term t) {
  if (auto it = leaf_of_.find(t); it != leaf_of_.end()) return it->second;
  Expr v = exprs_.fresh("data", t->type == DType::i1 ? Sort::boolean : Sort::integer);
  leaf_of_.emplace(t, v);
  term_of_.emplace(v.node(), t);
  return v;
}

Term TermPool::term_of_leaf(Expr v) const {
  auto it = term_of_.find(v.node());
  return it == term_of_.end() ? nullptr : it->second;
}

Expr TermPool::substitute(Expr e, const Substitution& s) {
  if (s.empty()) return e;
  return exprs_.import(e, [&](Expr leaf) -> Expr {
    if (auto it = s.exprs.find(leaf.node()); it != s.exprs.end()) return it->second;
    if (Term t = term_of_leaf(leaf)) {
      Term u = substitute(t, s);
      return u->kind == TermKind::integer ? opaque(u) : leaf_of(u);
    }
    return {};
  });
}

Path TermPool::substitute(const Path& p, const Substitution& s) {
  Path out = p;
  for (PathStep& step : out)
    if (step.binder) step.binder = substitute(step.binder, s);
  return out;
}

Term TermPool::rewrite(Term t, const std::function<Term(Term)>& term_leaf, const std::function<Expr(Expr)>& expr,
                       std::unordered_map<Term, Term>& done) {
  if (auto it = done.find(t); it != done.end()) return it->second;
  auto go = [&](Term x) { return rewrite(x, term_leaf, expr, done); };
  Term out = term_leaf(t);
  if (!out) {
    TermNode n = *t;
    bool changed = false;
    auto term = [&](Term& x) {
      Term y = go(x);
      changed |= y != x;
      x = y;
    };
    auto ex = [&](Expr& x) {
      Expr y = expr(x);
      changed |= !(y == x);
      x = y;
    };
    for (Term& k : n.kids) term(k);
    for (Expr& e : n.exprs) ex(e);
    for (PathStep& s : n.point)
      if (s.binder) ex(s.binder);
    if (n.reduce) {
      auto r = std::make_shared<ReduceNode>(*n.reduce);
      bool before = changed;
      changed = false;
      for (Interval& m : r->members) {
        ex(m.lo);
        ex(m.hi);
      }
      for (Expr& e : r->scope) ex(e);
      if (r->where) ex(r->where);
      for (Term& x : r->map) term(x);
      for (Term& x : r->combine.results) term(x);
      for (Term& x : r->init) term(x);
      if (changed) n.reduce = std::move(r);
      changed |= before;
    }
    if (n.loop) {
      auto l = std::make_shared<LoopNode>(*n.loop);
      bool before = changed;
      changed = false;
      ex(l->lo);
      ex(l->upto);
      for (Term& x : l->init) term(x);
      for (Term& x : l->step) term(x);
      if (changed) n.loop = std::move(l);
      changed |= before;
    }
    if (!changed) {
      out = t;
    } else if (n.kind == TermKind::select) {
      out = select(n.exprs[0], n.kids[0], n.kids[1]);
    } else if (n.kind == TermKind::boolean) {
      out = boolean(n.exprs[0]);
    } else if (n.kind == TermKind::integer) {
      out = integer(n.exprs[0], n.type);
    } else if (n.kind == TermKind::convert) {
      out = convert(static_cast<ConvertMode>(n.mode), n.type, n.kids[0]);
    } else {
      out = intern(std::move(n));
    }
  }
  done.emplace(t, out);
  return out;
}

Term TermPool::substitute(Term t, const Substitution& s) {
  if (s.empty()) return t;
  std::unordered_map<Term, Term> done;
  std::unordered_map<const ExprNode*, Expr> seen;
  auto expr = [&](Expr e) {
    auto [it, fresh] = seen.try_emplace(e.node());
    if (!fresh) return it->second;
    Expr r = substitute(e, s);
    seen[e.node()] = r;
    return r;
  };
  return rewrite(
      t,
      [&](Term x) -> Term {
        auto it = s.terms.find(x);
        return it == s.terms.end() ? nullptr : it->second;
      },
      expr, done);
}

ReduceNode TermPool::open(const ReduceNode& r) {
  Substitution s;
  ReduceNode out = r;
  for (Interval& m : out.members) {
    Expr v = exprs_.fresh(m.var.name());
    s.exprs.emplace(m.var.node(), v);
    m.lo = substitute(m.lo, s);
    m.hi = substitute(m.hi, s);
    m.var = v;
  }
  for (Term& a : out.combine.arguments) {
    Term f = fresh_argument(a->type);
    s.terms.emplace(a, f);
    a = f;
  }
  if (out.where) out.where = substitute(out.where, s);
  for (Term& x : out.map) x = substitute(x, s);
  for (Term& x : out.combine.results) x = substitute(x, s);
  return out;
}

LoopNode TermPool::open(const LoopNode& l) {
  Substitution s;
  LoopNode out = l;
  out.var = exprs_.fresh(l.var.name());
  s.exprs.emplace(l.var.node(), out.var);
  for (Term& a : out.arguments) {
    Term f = fresh_argument(a->type);
    s.terms.emplace(a, f);
    a = f;
  }
  for (Term& x : out.step) x = substitute(x, s);
  return out;
}

Term TermPool::resolve(Term t, Expr condition, bool value) {
  while (condition.is(ExprKind::logical_not)) {
    condition = condition.kid(0);
    value = !value;
  }
  std::unordered_map<Term, Term> done;
  std::function<Term(Term)> leaf = [&](Term x) -> Term {
    if (x->kind != TermKind::select || !(x->exprs[0] == condition)) return nullptr;
    return rewrite(x->kids[value ? 0 : 1], leaf, [](Expr e) { return e; }, done);
  };
  return rewrite(t, leaf, [](Expr e) { return e; }, done);
}

Expr TermPool::first_condition(Term t) {
  std::set<Term> seen;
  std::set<const ExprNode*> bound;
  std::set<Term> bound_terms;
  std::function<Expr(Term)> go = [&](Term x) -> Expr {
    if (!seen.insert(x).second) return {};
    if (x->kind == TermKind::select) return x->exprs[0];
    for (Term k : x->kids)
      if (Expr c = go(k)) return c;
    return {};  // selects under reduce and iterate are split when those are opened
  };
  return go(t);
}

bool TermPool::mentions(Term t, const std::function<bool(Term)>& predicate) {
  std::set<Term> seen;
  std::function<bool(Term)> go;
  auto in_expr = [&](Expr e) {
    for (Expr l : leaves(e))
      if (Term d = term_of_leaf(l); d && go(d)) return true;
    return false;
  };
  go = [&](Term x) -> bool {
    if (!seen.insert(x).second) return false;
    if (predicate(x)) return true;
    for (Term k : x->kids)
      if (go(k)) return true;
    for (Expr e : x->exprs)
      if (in_expr(e)) return true;
    if (x->reduce) {
      for (const Interval& m : x->reduce->members)
        if (in_expr(m.lo) || in_expr(m.hi)) return true;
      if (x->reduce->where && in_expr(x->reduce->where)) return true;
      for (auto* list : {&x->reduce->map, &x->reduce->combine.results, &x->reduce->init})
        for (Term k : *list)
          if (go(k)) return true;
    }
    if (x->loop) {
      if (in_expr(x->loop->lo) || in_expr(x->loop->upto)) return true;
      for (auto* list : {&x->loop->init, &x->loop->step})
        for (Term k : *list)
          if (go(k)) return true;
    }
    return false;
  };
  return go(t);
}

bool TermPool::mentions_expr(Term t, const std::function<bool(Expr)>& predicate) {
  return mentions_whole(t, [&](Expr e) { return kir::mentions(e, predicate); });
}

bool TermPool::mentions_whole(Term t, const std::function<bool(Expr)>& in) {
  return mentions(t, [&](Term x) {
    for (Expr e : x->exprs)
      if (in(e)) return true;
    for (const PathStep& s : x->point)
      if (s.binder && in(s.binder)) return true;
    if (x->reduce)
      for (const Interval& m : x->reduce->members)
        if (in(m.lo) || in(m.hi)) return true;
    if (x->reduce && x->reduce->where && in(x->reduce->where)) return true;
    if (x->reduce)
      for (Expr e : x->reduce->scope)
        if (in(e)) return true;
    return x->loop && (in(x->loop->lo) || in(x->loop->upto));
  });
}

std::string to_string(Term t, TermPool& pool) {
  int budget = 60;
  std::function<std::string(Term)> go = [&](Term x) -> std::string {
    if (--budget < 0) return "...";
    auto list = [&](const std::vector<Term>& all) {
      std::string s;
      for (std::size_t i = 0; i < all.size(); ++i) s += (i ? ", " : "") + go(all[i]);
      return s;
    };
    auto exprs = [&] {
      std::string s;
      for (std::size_t i = 0; i < x->exprs.size(); ++i) s += (i ? ", " : "") + kir::to_string(x->exprs[i]);
      return s;
    };
    switch (x->kind) {
      case TermKind::literal: return literal_text(x->literal);
      case TermKind::parameter: return x->name;
      case TermKind::integer: return fmt::format("{}({})", name(x->type), exprs());
      case TermKind::boolean: return exprs();
      case TermKind::load: return fmt::format("mem{}[{}]", x->number, exprs());
      case TermKind::pointwise: return fmt::format("{}({})", row(x->op).name, list(x->kids));
      case TermKind::cmp: return fmt::format("cmp.{}({})", name(static_cast<CmpPredicate>(x->mode)), list(x->kids));
      case TermKind::convert:
        return fmt::format("convert.{}<{}>({})", name(static_cast<ConvertMode>(x->mode)), name(x->type), list(x->kids));
      case TermKind::select: return fmt::format("select({}, {})", exprs(), list(x->kids));
      case TermKind::argument: return fmt::format("arg{}", x->number);
      case TermKind::arbitrary: return "arbitrary";
      case TermKind::reduce: return fmt::format("reduce.{}({})", name(x->reduce->order), list(x->reduce->map));
      case TermKind::iterate: return fmt::format("loop.{}(from {} by {})", x->number, list(x->loop->init), list(x->loop->step));
    }
    return {};
  };
  (void)pool;
  return go(t);
}

}  // namespace kir::proof
