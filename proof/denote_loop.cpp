// Loops: `for` and `while` are one thing, a loop over t in a range; that of a `while` is [0, forever).
//
// A loop that can end early has one more carry, `running`. What happens in iteration t happens only if the loop is running at
// t; after an exit the state stays. `break` and `continue` are ways out of the body (run_if), each under its condition with the
// values that it hands on.
//
// A loop's carried values are placeholders while its body is evaluated, functions of the iteration: what the body says of
// another one (denote_buffer.cpp) is said of its state. Afterwards each becomes `iterate`: the state before the iteration
// inside the loop, the state at the end outside. Component i keeps only the carries that its step depends on (a slice of the
// joint recurrence), so that independent recurrences of one loop can be matched one by one.
//
// An index that every iteration moves by one and the same amount d is, inside, its initial value plus d for each iteration
// before. (In a program the sums owe to fit, each for itself, in the order of the iterations.)
//
// A fragment carry is one recurrence per lane: its placeholder is a function of the canonical lanes. A step that reads the
// carry at another lane (a collective over a carry) is not per-lane and is refused.
//
// What a loop collects is a tensor: the collected value over the iteration.
#include <fmt/format.h>

#include <algorithm>

#include "core/index/simplify.h"
#include "core/ir/loop_exit.h"
#include "proof/denote_body.h"

namespace kir::proof {

// The range of a `for`, its variable bound.
Interval BodyDenoter::for_range(const Op& op) {
  const ValueId variable = body_.region(op.regions[0]).args[0];
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  const Value& iv = body_.value(variable);
  DType iv_type = iv.type.is(TypeKind::index) ? DType::i64 : iv.type.dtype;
  Interval range{pool_.fresh(iv.name.empty() ? "t" : iv.name), translate(ranges[0]), translate(ranges[1])};
  auto fits = [&](Expr e, const char* what) { check_index(e, iv_type, fmt::format("{} of {}", what, iv.name), op.range); };
  decides(range.lo, op.range);
  decides(range.hi, op.range);
  fits(range.lo, "the lower bound");
  fits(range.hi, "the upper bound");
  if (physical_ && iv_type == DType::i32)
    for (Expr bound : {range.lo, range.hi})
      claim(ObligationKind::index_no_overflow, fmt::format("the bounds of {} fit i32", iv.name),
            both(less_equal(pool_.constant(INT32_MIN), bound), less_equal(bound, pool_.constant(INT32_MAX))), op.range);
  Expr current = range.var;
  if (const Expr* step = op.attrs.find<Expr>(AttrKey::step); step && !step->is_constant(1)) {
    Expr s = translate(*step);
    decides(s, op.range);
    fits(s, "the step");
    claim(physical_ ? ObligationKind::loop_matched : ObligationKind::kir_safe,
          fmt::format("the step of {} is at least 1", iv.name), less_equal(pool_.constant(1), s), op.range);
    Expr lo = range.lo;
    range = {range.var, pool_.constant(0), ceildiv(range.hi - lo, s)};  // counted from 0
    current = lo + range.var * s;
  }
  bind(variable, SymbolicValue::of(current));
  return range;
}

namespace {

// Some way through the body leaves the loop.
bool has_break(const Body& body, RegionId r) {
  for (OpId id : body.region(r).ops) {
    const Op& op = body.op(id);
    if (op.kind == OpKind::break_loop) return true;
    if (op.kind == OpKind::if_else)
      for (RegionId inner : op.regions)
        if (has_break(body, inner)) return true;
  }
  return false;
}

}  // namespace

void BodyDenoter::run_loop(const Op& op) {
  if (std::ranges::any_of(op.operands, [&](ValueId v) { return type(v).is(TypeKind::tensor); }))
    return run_unsupported(op, "a tensor that a loop carries");
  const bool is_while = op.kind == OpKind::while_loop;
  const Interval range = is_while ? Interval{pool_.fresh("trip"), pool_.constant(0), terms_.forever()} : for_range(op);
  const RegionId body = op.regions.back();
  const auto carried = [&](RegionId r) { return std::span(body_.region(r).args).last(op.operands.size()); };

  struct Carry {
    DType dtype;
    std::vector<Expr> lanes;
    Term init, placeholder, step = nullptr;
  };
  std::vector<Carry> carries;
  auto carry = [&](DType dtype, std::vector<Expr> lanes, Term init) {
    std::vector<Expr> varies = lanes;
    varies.push_back(range.var);
    carries.push_back({dtype, std::move(lanes), init, terms_.fresh_argument(dtype, std::move(varies))});
  };
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const Type& t = type(carried(body)[i]);
    owes_width(op.operands[i], op.range);
    carry(t.is(TypeKind::index) ? DType::i64 : t.dtype, t.is(TypeKind::fragment) ? lanes(t) : std::vector<Expr>(),
          term_of(op.operands[i]));
    for (RegionId r : op.regions) define(carried(r)[i], carries[i].placeholder);
  }
  const bool ends_early = is_while || has_break(body_, body);
  Expr running;
  if (ends_early) {
    carry(DType::i1, {}, terms_.boolean(pool_.boolean(true)));
    running = terms_.leaf_of(carries.back().placeholder);
  }

  const Mark before = mark();
  const std::size_t guard_depth = guards.size();
  binders.push_back({range, BinderKind::ordered});
  path.push_back({0, range.var, true});
  std::vector<Expr> enters;  // the conditions under which an iteration runs
  if (ends_early) enters.push_back(running);
  guards.insert(guards.end(), enters.begin(), enters.end());
  if (is_while) {
    path.push_back({0, {}, true});
    const Expr condition = expr_of(run_region(op.regions[0])[0]);
    decides(condition, op.range);
    path.pop_back();
    enters.push_back(condition);
    guards.push_back(condition);
    path.push_back({1, {}, true});
  }
  Frame frame;
  std::swap(frame_, frame.outer);
  frame_ = &frame;
  const std::vector<ValueId> next = run_region(body);
  for (std::size_t i = 0; i < op.operands.size(); ++i) owes_width(next[i], op.range);
  frame_ = frame.outer;
  if (is_while) path.pop_back();
  path.pop_back();
  binders.pop_back();
  guards.resize(guard_depth);

  // The state after the body, by the way through it.
  std::vector<Expr> breaks;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    carries[i].step = term_of(next[i]);
    for (std::size_t e = frame.exits.size(); e-- > 0;)
      carries[i].step =
          terms_.select(pool_.all_of(frame.exits[e].conditions), term_of(frame.exits[e].values[i]), carries[i].step);
  }
  for (const Frame::Exit& e : frame.exits)
    if (e.leaves) breaks.push_back(negated(pool_.all_of(e.conditions)));
  std::vector<Term> collected;  // over the iteration
  for (std::size_t i = op.operands.size(); i < next.size(); ++i) collected.push_back(term_of(next[i]));

  auto number_of = [&](Term t) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < carries.size(); ++i)
      if (t->kind == TermKind::argument && t->number == carries[i].placeholder->number) return i;
    return std::nullopt;
  };
  // Everything that may mention a carry.
  auto everything = [&](const std::function<void(Expr&)>& expr, const std::function<void(Term&)>& term) {
    each(before, expr, term);
    for (Term& t : collected) term(t);
  };
  // Puts `now`, which is of iteration range.var and the canonical lanes, for the carry wherever it stands.
  auto replace = [&](const std::function<Term(std::size_t)>& now, const auto& walk) {
    TermPool::Substitution s;
    auto collect = [&](Term t) {
      terms_.mentions(t, [&](Term x) {
        const auto i = number_of(x);
        if (!i || s.terms.contains(x)) return false;
        const Term value = now(*i);
        if (!value) return false;
        TermPool::Substitution here;
        for (std::size_t k = 0; k < x->exprs.size(); ++k)
          here.exprs.emplace(carries[*i].placeholder->exprs[k].node(), x->exprs[k]);
        const Term there = terms_.substitute(value, here);
        s.terms.emplace(x, there);
        if (there->kind == TermKind::integer) s.exprs.emplace(terms_.leaf_of(x).node(), there->exprs[0]);
        return false;
      });
    };
    walk(
        [&](Expr& e) {
          for (Expr l : leaves(e))
            if (Term t = terms_.term_of_leaf(l)) collect(t);
        },
        [&](Term& t) { collect(t); });
    if (!s.empty()) walk([&](Expr& e) { e = terms_.substitute(e, s); }, [&](Term& t) { t = terms_.substitute(t, s); });
  };

  // Indices in closed form.
  std::vector<Term> closed(carries.size());
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    if (auto moved = moves_by(carries[i].placeholder, i, range.var, next, frame)) {
      const Expr since = range.lo.is_constant(0) ? range.var : range.var - range.lo;
      closed[i] = terms_.integer(expr_of(op.operands[i]) + *moved * since, DType::i64);
    }
  replace([&](std::size_t i) { return closed[i]; },
          [&](const std::function<void(Expr&)>& expr, const std::function<void(Term&)>& term) {
            everything(expr, term);
            for (Carry& c : carries)
              if (c.step) term(c.step);
            for (auto* list : {&enters, &breaks})
              for (Expr& e : *list) expr(e);
          });
  if (ends_early) {
    for (Carry& c : carries)
      if (c.step)
        for (std::size_t e = enters.size(); e-- > 0;) c.step = terms_.select(enters[e], c.step, c.placeholder);
    std::vector<Expr> goes_on = enters;
    goes_on.insert(goes_on.end(), breaks.begin(), breaks.end());
    carries.back().step = terms_.boolean(pool_.all_of(goes_on));
  }

  auto depends_on = [&](Term t, std::vector<bool>& seen, bool& crossed) {
    terms_.mentions(t, [&](Term x) {
      if (auto j = number_of(x)) {
        seen[*j] = true;
        if (x != carries[*j].placeholder) crossed = true;
      }
      return false;
    });
  };
  std::vector<std::shared_ptr<LoopNode>> nodes;
  for (std::size_t i = 0; i < carries.size(); ++i) {
    std::vector<std::size_t> slice{i};
    bool crossed = false;
    for (std::size_t k = 0; k < slice.size(); ++k) {
      std::vector<bool> seen(carries.size());
      depends_on(carries[slice[k]].step, seen, crossed);
      for (std::size_t j = 0; j < carries.size(); ++j)
        if (seen[j] && std::find(slice.begin(), slice.end(), j) == slice.end()) slice.push_back(j);
    }
    for (std::size_t j : slice)
      if (!carries[j].lanes.empty() && carries[j].lanes != carries[i].lanes) crossed = true;
    if (crossed) return run_unsupported(op, "a loop whose carried fragment is read at other positions than its own");
    auto node = std::make_shared<LoopNode>();
    node->lo = range.lo;
    node->upto = range.hi;
    node->var = pool_.fresh(range.var.name());
    TermPool::Substitution s;
    s.exprs.emplace(range.var.node(), node->var);
    for (std::size_t j : slice) {
      node->init.push_back(carries[j].init);
      node->arguments.push_back(terms_.fresh_argument(carries[j].dtype));
      s.terms.emplace(carries[j].placeholder, node->arguments.back());
    }
    for (std::size_t j : slice) node->step.push_back(terms_.substitute(carries[j].step, s));
    nodes.push_back(std::move(node));
  }

  replace(
      [&](std::size_t i) {
        auto node = std::make_shared<LoopNode>(*nodes[i]);
        node->upto = range.var;
        return terms_.iterate(node, 0, carries[i].dtype);
      },
      everything);
  for (std::size_t i = 0; i < op.operands.size(); ++i) define(op.results[i], terms_.iterate(nodes[i], 0, carries[i].dtype));
  for (std::size_t i = 0; i < collected.size(); ++i) {
    const ValueId tensor = op.results[op.operands.size() + i];
    bind(tensor, {SymbolicValue::Kind::relation, {}, nullptr, elements(tensor, {range}, collected[i])});
  }
  if (is_while) out_.endless.push_back({binders, guards, terms_.iterate(nodes.back(), 0, DType::i1), op.range});
}

// The amount by which every way to a next iteration moves an index: empty when there is none that is the same for all.
std::optional<Expr> BodyDenoter::moves_by(Term placeholder, std::size_t carry, Expr variable, const std::vector<ValueId>& next,
                                          const Frame& frame) {
  std::optional<Expr> amount;
  std::vector<ValueId> ways{next[carry]};
  for (const Frame::Exit& e : frame.exits)
    if (!e.leaves) ways.push_back(e.values[carry]);
  for (ValueId v : ways) {
    // In a program an expression is exact: each sum owes to fit. In a kernel only indices are.
    const SymbolicValue& s = values_[v.index];
    const bool exact = s.kind == SymbolicValue::Kind::expr && s.expr.sort() == Sort::integer &&
                       (physical_ ? type(v).is(TypeKind::scalar) : type(v).is(TypeKind::index));
    if (!exact) return std::nullopt;
    const Expr d = simplify(s.expr - terms_.leaf_of(placeholder));
    if (mentions(d, [&](Expr l) { return l == variable || terms_.term_of_leaf(l) != nullptr; })) return std::nullopt;
    if (amount && *amount != d) return std::nullopt;
    amount = d;
  }
  return amount;
}

void BodyDenoter::each(const Mark& from, const std::function<void(Expr&)>& expr, const std::function<void(Term&)>& term) {
  auto context = [&](auto& x) {
    for (Expr& g : x.guards) expr(g);
    for (Binder& b : x.binders) {
      expr(b.range.lo);
      expr(b.range.hi);
    }
  };
  for (std::size_t i = from.events; i < out_.events.size(); ++i) {
    Event& e = out_.events[i];
    for (Expr& c : e.coordinates) expr(c);
    for (Expr& a : e.allocation) expr(a);
    context(e);
    if (e.value) term(e.value);
    if (e.expected) term(e.expected);
  }
  for (std::size_t i = from.claims; i < out_.claims.size(); ++i) {
    expr(out_.claims[i].goal);
    context(out_.claims[i]);
  }
  for (std::size_t i = from.assumed; i < out_.assumed.size(); ++i) {
    expr(out_.assumed[i].goal);
    context(out_.assumed[i]);
  }
  for (std::size_t i = from.uses; i < out_.uses.size(); ++i) {
    expr(out_.uses[i].value);
    context(out_.uses[i]);
  }
  for (std::size_t i = from.endless; i < out_.endless.size(); ++i) {
    context(out_.endless[i]);
    term(out_.endless[i].running);
  }
}

}  // namespace kir::proof
