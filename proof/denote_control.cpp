// Loops, branches, reductions and fragment collectives.
//
// A loop's carried values are placeholders while its body is evaluated. Afterwards each becomes `iterate`: the state before the
// current iteration inside the loop, the state at the end outside. Component i keeps only the carries that its step depends on
// (a slice of the joint recurrence), so that independent recurrences of one loop can be matched one by one.
//
// A fragment carry is one recurrence per lane: its placeholder is a function of the canonical lanes. A step that reads the
// carry at another lane (a collective over a carry) is not per-lane and is refused.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/loop_exit.h"
#include "proof/denote_body.h"

namespace kir::proof {

void BodyDenoter::run_parallel(const Op& op) {
  if (in_value_region_) return run_unsupported(op, "parallel inside a reduce or tensor region");
  std::vector<Interval> ranges = translate_ranges(op, op.regions[0]);
  std::size_t depth = binders.size(), path_depth = path.size(), guard_depth = guards.size();
  for (const Interval& r : ranges) {
    binders.push_back({r, BinderKind::instance});
    path.push_back({0, r.var, false});
  }
  run_region(op.regions[0]);
  binders.resize(depth);
  path.resize(path_depth);
  guards.resize(guard_depth);
}

void BodyDenoter::run_for(const Op& op) {
  RegionId region = op.regions[0];
  const std::vector<ValueId>& args = body_.region(region).args;
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  const Value& iv = body_.value(args[0]);
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
    if (physical_)
      claim(ObligationKind::index_no_overflow, fmt::format("the exit value of {} fits", iv.name),
            less_equal(range.hi + s, pool_.constant(iv_type == DType::i32 ? INT32_MAX : INT64_MAX)), op.range);
    Expr lo = range.lo;
    range = {range.var, pool_.constant(0), ceildiv(range.hi - lo, s)};  // counted from 0
    current = lo + range.var * s;
  }
  bind(args[0], SymbolicValue::of(current));

  struct Carry {
    const Type* type;
    DType dtype;
    Term init, placeholder, step = nullptr;
    std::vector<Expr> lanes;
  };
  std::vector<Carry> carries;
  for (std::size_t i = 1; i < args.size(); ++i) {
    Carry c{.type = &type(args[i]),
            .dtype = type(args[i]).is(TypeKind::index) ? DType::i64 : type(args[i]).dtype,
            .init = term_of(op.operands[i - 1]),
            .placeholder = nullptr,
            .lanes = {}};
    if (c.type->is(TypeKind::fragment)) c.lanes = lanes(*c.type);
    c.placeholder = terms_.fresh_argument(c.dtype, c.lanes);
    define(args[i], c.placeholder);
    carries.push_back(c);
  }

  std::size_t first_event = out_.events.size(), first_claim = out_.claims.size(), first_use = out_.uses.size();
  const std::size_t first_fact = out_.assumed.size();
  std::size_t guard_depth = guards.size();
  binders.push_back({range, BinderKind::ordered});
  path.push_back({0, range.var, true});
  std::vector<ValueId> next = run_region(region);
  path.pop_back();
  binders.pop_back();
  guards.resize(guard_depth);
  for (std::size_t i = 0; i < carries.size(); ++i) carries[i].step = term_of(next[i]);
  std::vector<Term> collected;  // over the iteration
  for (std::size_t i = carries.size(); i < next.size(); ++i) collected.push_back(term_of(next[i]));

  auto number_of = [&](Term t) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < carries.size(); ++i)
      if (t->kind == TermKind::argument && t->number == carries[i].placeholder->number) return i;
    return std::nullopt;
  };
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
  std::vector<std::int64_t> component;
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
    if (crossed) {
      run_unsupported(op, "a loop whose carried fragment is read at other positions than its own");
      return;
    }
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

  // Inside: the state before the current iteration, at whatever lane the placeholder was used.
  auto state_inside = [&](std::size_t i) {
    auto node = std::make_shared<LoopNode>(*nodes[i]);
    node->upto = range.var;
    return terms_.iterate(node, 0, carries[i].dtype);
  };
  TermPool::Substitution inside;
  auto collect = [&](Term t) {
    terms_.mentions(t, [&](Term x) {
      if (auto i = number_of(x); i && !inside.terms.contains(x)) {
        TermPool::Substitution lane;
        for (std::size_t k = 0; k < x->exprs.size(); ++k) lane.exprs.emplace(carries[*i].lanes[k].node(), x->exprs[k]);
        inside.terms.emplace(x, terms_.substitute(state_inside(*i), lane));
      }
      return false;
    });
  };
  auto collect_expr = [&](Expr e) {
    for (Expr l : leaves(e))
      if (Term t = terms_.term_of_leaf(l)) collect(t);
  };
  // Every expression of what the body brought about.
  auto each_expr = [&](auto&& f) {
    auto context = [&](auto& x) {
      for (Expr& g : x.guards) f(g);
      for (Binder& b : x.binders) {
        f(b.range.lo);
        f(b.range.hi);
      }
    };
    for (std::size_t i = first_event; i < out_.events.size(); ++i) {
      for (Expr& c : out_.events[i].coordinates) f(c);
      for (Expr& a : out_.events[i].allocation) f(a);
      context(out_.events[i]);
    }
    for (std::size_t i = first_claim; i < out_.claims.size(); ++i) {
      f(out_.claims[i].goal);
      context(out_.claims[i]);
    }
    for (std::size_t i = first_fact; i < out_.assumed.size(); ++i) {
      f(out_.assumed[i].goal);
      context(out_.assumed[i]);
    }
    for (std::size_t i = first_use; i < out_.uses.size(); ++i) {
      f(out_.uses[i].value);
      context(out_.uses[i]);
    }
  };
  each_expr([&](Expr& e) { collect_expr(e); });
  for (std::size_t i = first_event; i < out_.events.size(); ++i)
    if (out_.events[i].value) collect(out_.events[i].value);
  for (Term t : collected) collect(t);
  if (!inside.empty()) {
    each_expr([&](Expr& e) { e = terms_.substitute(e, inside); });
    for (std::size_t i = first_event; i < out_.events.size(); ++i)
      if (out_.events[i].value) out_.events[i].value = terms_.substitute(out_.events[i].value, inside);
    for (Term& t : collected) t = terms_.substitute(t, inside);
  }
  for (std::size_t i = 0; i < carries.size(); ++i) define(op.results[i], terms_.iterate(nodes[i], 0, carries[i].dtype));
  for (std::size_t i = 0; i < collected.size(); ++i)
    bind(op.results[carries.size() + i],
         {SymbolicValue::Kind::relation, {}, nullptr, elements(op.results[carries.size() + i], {range}, collected[i])});
}

void BodyDenoter::run_if(const Op& op) {
  for (RegionId r : op.regions)
    if (leaves_loop(body_, r))
      return run_unsupported(op, "no rule says which iterations a loop with `break` or `continue` runs");
  Expr c = expr_of(op.operands[0]);
  decides(c, op.range);
  std::vector<std::vector<ValueId>> yielded;
  for (int arm = 0; arm < 2; ++arm) {
    if (static_cast<std::size_t>(arm) >= op.regions.size()) break;
    std::size_t depth = guards.size();
    guards.push_back(arm == 0 ? c : negation(c));
    path.push_back({arm, {}, true});
    yielded.push_back(run_region(op.regions[static_cast<std::size_t>(arm)]));
    path.pop_back();
    guards.resize(depth);
  }
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    Term a = term_of(yielded[0][i]), b = term_of(yielded[1][i]);
    if (type(op.results[i]).is_scalar(DType::i1))
      bind(op.results[i], SymbolicValue::of(ite(c, terms_.leaf_of(a), terms_.leaf_of(b))));
    else
      define(op.results[i], terms_.select(c, a, b));
  }
}

}  // namespace kir::proof
