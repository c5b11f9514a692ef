#include "proof/sequence.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/numeric/scalar_ops.h"

namespace kir::proof {
namespace {

constexpr std::size_t kMaxPieces = 64;

class Expander {
 public:
  Expander(const ExpandOptions& options, TermPool& terms, std::string* why) : options_(options), terms_(terms), why_(why) {}

  std::optional<Sequence> run(Term t) {
    if (t->kind == TermKind::reduce) {
      const ReduceNode& r = *t->reduce;
      out_.op = r.map.size() == 1 ? simple_operation(r.combine) : std::nullopt;
      out_.type = t->type;
      out_.identity = r.identity;
      out_.identity_assumed = r.identity_assumed;
      out_.init = r.init;
      if (!out_.op) return general(r);
    } else if (options_.like && options_.like->op) {
      out_.op = options_.like->op;
      out_.type = options_.like->type;
    } else {
      return fail("not a fold");
    }
    if (!fold(t, {}, true)) return std::nullopt;
    return out_;
  }

  std::optional<Sequence> cases(Term t) {
    out_.op = options_.like->op;
    out_.type = options_.like->type;
    if (!leaf(t, {})) return std::nullopt;
    return out_;
  }

 private:
  std::optional<Sequence> fail(std::string reason) {
    if (why_) *why_ = std::move(reason);
    return std::nullopt;
  }
  bool refuse(std::string reason) {
    if (why_) *why_ = std::move(reason);
    return false;
  }

  // A combine of several components, or of no single operation: kept whole.
  std::optional<Sequence> general(const ReduceNode& node) {
    ReduceNode r = terms_.open(node);
    out_.combine = r.combine;
    out_.freedom = r.order;
    if (is_licensed(r)) out_.shape = fmt::format("r{}", r.site);
    out_.pieces.push_back({r.members, active(r), {}, r.map});
    return out_;
  }

  static std::vector<Expr> active(const ReduceNode& r) { return r.where ? std::vector<Expr>{r.where} : std::vector<Expr>{}; }

  static SequencePiece extended(SequencePiece p, int position) {
    p.path.push_back({position, {}, true});
    return p;
  }
  static SequencePiece extended(SequencePiece p, const Interval& binder) {
    p.path.push_back({0, binder.var, true});
    p.binders.push_back(binder);
    return p;
  }

  // t under the pieces' prefix: a fold of the operation becomes its pieces, anything else one leaf. `leftmost`: nothing was
  // folded before it, so taking it apart changes no bracketing.
  bool fold(Term t, SequencePiece prefix, bool leftmost) {
    if (out_.pieces.size() > kMaxPieces) return refuse("too many pieces");
    if (t->kind == TermKind::reduce && t->reduce->map.size() == 1 && simple_operation(t->reduce->combine) == out_.op &&
        t->type == out_.type && (leftmost || options_.deep) && !stays(*t, prefix)) {
      ReduceNode r = terms_.open(*t->reduce);
      Shape shape(out_, r.order == Order::strict ? "r" : fmt::format("r{}", r.site));
      if (!leftmost) out_.bracketed = true;
      out_.freedom = std::max(out_.freedom, r.order);
      if (!r.identity.empty()) {
        if (!is_neutral(*out_.op, r.identity[0], options_.init) && !vouched(r))
          return refuse("the declared identity is not neutral");
        out_.neutral.push_back(r.identity[0]);
        if (prefix.binders.empty() && prefix.guards.empty()) out_.always_neutral = true;
      }
      if (!r.init.empty() && (options_.init_as_piece || !leftmost))
        if (!fold(r.init[0], extended(prefix, 0), leftmost && prefix.binders.empty())) return false;
      SequencePiece members = extended(prefix, 1);
      for (const Interval& m : r.members) members = extended(members, m);
      for (Expr g : active(r)) members.guards.push_back(g);
      return fold(r.map[0], members, false);
    }
    if (t->kind == TermKind::iterate && t->number == 0 && (leftmost || options_.deep)) {
      std::size_t mark = out_.pieces.size();
      bool was = out_.bracketed;
      std::string shape = out_.shape;
      if (!leftmost) out_.bracketed = true;
      if (loop(*t->loop, prefix, leftmost)) return true;
      out_.pieces.resize(mark);
      out_.bracketed = was;
      out_.shape = shape;
      if (leftmost && prefix.path.empty()) return false;
      return leaf(t, prefix);
    }
    if (t->kind == TermKind::pointwise && t->op == *out_.op && t->type == out_.type && splices(t) &&
        (leftmost || options_.deep)) {
      if (!leftmost) out_.bracketed = true;
      Shape shape(out_, "p");
      return fold(t->kids[0], extended(prefix, 0), leftmost) && fold(t->kids[1], extended(prefix, 1), false);
    }
    return leaf(t, prefix);
  }

  // Writes a node of the bracketing, its parts between parentheses.
  struct Shape {
    std::string& text;
    Shape(Sequence& s, std::string_view node) : text(s.shape) { text.append(node) += '('; }
    Shape(const Shape&) = delete;
    ~Shape() { text += ')'; }
  };

  // A licensed fold of the KIR below the one that is expanded: its value is chosen once, on its own.
  bool stays(const TermNode& t, const SequencePiece& prefix) const {
    bool exact = is_associative(*out_.op, out_.type) && is_commutative(*out_.op, out_.type);
    return options_.kernel && !prefix.path.empty() && t.reduce->order != Order::strict && !exact;
  }

  // Only the KIR's author can vouch for an identity: a program's must be that one.
  bool vouched(const ReduceNode& r) const {
    if (!r.identity_assumed || !options_.like) return r.identity_assumed;
    return options_.like->identity_assumed && options_.like->identity == r.identity;
  }

  // A pointwise operation is taken apart only where a fold of the same operation hangs below it: the KIR's own map may use the
  // operation too, and that use keeps its rounding.
  bool splices(Term t) const {
    for (Term k : t->kids) {
      if (k->kind == TermKind::reduce && simple_operation(k->reduce->combine) == out_.op) return true;
      if (k->kind == TermKind::iterate) return true;
      if (k->kind == TermKind::pointwise && k->op == *out_.op && splices(k)) return true;
    }
    return false;
  }

  bool loop(const LoopNode& node, SequencePiece prefix, bool leftmost) {
    LoopNode l = terms_.open(node);
    Shape shape(out_, "l");
    if (!fold(l.init[0], extended(prefix, 0), leftmost)) return false;
    SequencePiece body = extended(extended(prefix, 1), Interval{l.var, l.lo, l.upto});
    return step(l.step[0], l, body);
  }

  bool reads_carry(Term t, const LoopNode& l) {
    return terms_.mentions(t,
                           [&](Term x) { return std::find(l.arguments.begin(), l.arguments.end(), x) != l.arguments.end(); });
  }

  // The step as a function of the accumulator l.arguments[0]: appends what it folds in, in order.
  bool step(Term s, const LoopNode& l, SequencePiece at) {
    Term acc = l.arguments[0];
    if (s == acc) return true;
    if (s->kind == TermKind::select && !reads_carry(terms_.boolean(s->exprs[0]), l)) {
      for (int branch = 0; branch < 2; ++branch) {
        SequencePiece under = extended(at, branch);
        under.guards.push_back(branch == 0 ? s->exprs[0] : negation(s->exprs[0]));
        if (!step(s->kids[static_cast<std::size_t>(branch)], l, under)) return false;
      }
      return true;
    }
    if (s->kind == TermKind::pointwise && s->op == *out_.op && s->type == out_.type) {
      if (!reads_carry(s->kids[1], l)) return step(s->kids[0], l, extended(at, 0)) && fold(s->kids[1], extended(at, 1), false);
      // op(g, acc): the operands are exchanged, exact for commutative operations only.
      if (is_commutative(s->op, s->type) && !reads_carry(s->kids[0], l))
        return step(s->kids[1], l, extended(at, 0)) && fold(s->kids[0], extended(at, 1), false);
      return refuse("the step reads a carry in both operands");
    }
    if (s->kind == TermKind::iterate && s->number == 0) {
      LoopNode inner = terms_.open(*s->loop);
      Shape shape(out_, "i");
      if (reads_carry(terms_.integer(inner.lo, DType::i64), l) || reads_carry(terms_.integer(inner.upto, DType::i64), l))
        return refuse("a loop bound reads a carry");
      if (!step(inner.init[0], l, extended(at, 0))) return false;
      SequencePiece body = extended(extended(at, 1), Interval{inner.var, inner.lo, inner.upto});
      for (Term t : inner.step)
        if (reads_carry(t, l)) return refuse("an inner loop reads the outer accumulator");
      return step(inner.step[0], inner, body);
    }
    return refuse("the loop's step is not a fold step");
  }

  bool leaf(Term t, SequencePiece prefix) {
    for (int guard = 0; guard < 64; ++guard) {
      Expr c = terms_.first_condition(t);
      if (c == Expr()) break;
      bool decided = false;
      for (Expr g : prefix.guards) {
        if (g == c) {
          t = terms_.resolve(t, c, true);
          decided = true;
          break;
        }
        if (g.is(ExprKind::logical_not) && g.kid(0) == c) {
          t = terms_.resolve(t, c, false);
          decided = true;
          break;
        }
      }
      if (decided) continue;
      for (bool value : {true, false}) {
        SequencePiece under = prefix;
        under.guards.push_back(value ? c : negation(c));
        if (!fold(terms_.resolve(t, c, value), under, false)) return false;
      }
      return true;
    }
    if (t->kind == TermKind::literal && is_neutral(*out_.op, t->literal, options_.init)) {
      out_.neutral.push_back(t->literal);
      bool always = prefix.guards.empty();
      for (const Interval& b : prefix.binders)
        always = always && b.lo.is(ExprKind::constant) && b.hi.is(ExprKind::constant) && b.lo.number() < b.hi.number();
      out_.always_neutral |= always;
      // With an equal initial value in the KIR one copy must be that value; the matcher wants to see where.
      if (!(options_.init && *options_.init == t->literal)) return true;
    }
    prefix.body = {t};
    out_.shape += '.';
    out_.pieces.push_back(std::move(prefix));
    return true;
  }

  const ExpandOptions& options_;
  TermPool& terms_;
  std::string* why_;
  Sequence out_;
};

}  // namespace

std::optional<OpKind> simple_operation(const Combine& c) {
  if (c.results.size() != 1 || c.arguments.size() != 2) return std::nullopt;
  Term r = c.results[0];
  if (r->kind == TermKind::pointwise && r->kids.size() == 2 && r->kids[0] == c.arguments[0] && r->kids[1] == c.arguments[1])
    return r->op;
  return std::nullopt;
}

std::optional<Sequence> expand(Term t, const ExpandOptions& options, TermPool& terms, std::string* why) {
  return Expander(options, terms, why).run(t);
}

std::optional<Sequence> expand_leaf(Term t, const Sequence& fold, const std::optional<Scalar>& init, TermPool& terms) {
  const ExpandOptions options{.deep = false, .init_as_piece = true, .init = init, .like = fold, .kernel = true};
  return Expander(options, terms, nullptr).cases(t);
}

}  // namespace kir::proof
