// Folds and scans over segments.
//
// A licence `tree` permits every cut of the axis. Of the permitted values that of the coarsest one is taken: the whole axis is
// one segment, or each maximal run of active members. It is what a physical program computes, so that both sides are terms
// over the regions alone. `strict` cuts into single members. That an author's licence holds is assumed where the values are
// floats and owed where they are not; what a region may do wrong is owed for every segment that the licence permits.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "proof/denote_body.h"

namespace kir::proof {
namespace {

// A segment emits before it is summarized: what it emits needs the state before it alone.
constexpr int kEmit = 0, kSummary = 1;

}  // namespace

// The bounds that are variables here; others were given as expressions.
TermPool::Substitution BodyDenoter::Segments::at(Expr begin, Expr end) const {
  TermPool::Substitution s;
  for (const Binder& b : binders) s.exprs.emplace(b.range.var.node(), b.range.var == lo ? begin : end);
  return s;
}

std::vector<Term> BodyDenoter::Segments::summary_of(Expr begin, Expr end, TermPool& terms) const {
  const TermPool::Substitution s = at(begin, end);
  std::vector<Term> out;
  for (Term t : summary) out.push_back(terms.substitute(t, s));
  return out;
}

std::vector<Term> BodyDenoter::apply(const Combine& c, const std::vector<Term>& first, const std::vector<Term>& second) {
  TermPool::Substitution s;
  for (std::size_t i = 0; i < first.size(); ++i) s.terms.emplace(c.arguments[i], first[i]);
  for (std::size_t i = 0; i < second.size(); ++i) s.terms.emplace(c.arguments[first.size() + i], second[i]);
  std::vector<Term> out;
  for (Term t : c.results) out.push_back(terms_.substitute(t, s));
  return out;
}

// Runs `region` for a segment that stands for all that are permitted, and gives what it hands on. `part`: its place among what
// is done for a segment.
std::vector<ValueId> BodyDenoter::run_segment(const Segments& s, RegionId region, const std::vector<Term>& states, int part) {
  const std::vector<ValueId>& args = body_.region(region).args;
  const std::size_t depth = binders.size(), guard_depth = guards.size(), path_depth = path.size();
  bind(args[0], SymbolicValue::of(s.lo));
  bind(args[1], SymbolicValue::of(s.hi));
  for (std::size_t i = 0; i < states.size(); ++i) define(args[2 + i], states[i]);
  binders.insert(binders.end(), s.binders.begin(), s.binders.end());
  guards.insert(guards.end(), s.guards.begin(), s.guards.end());
  for (const Binder& b : s.binders) path.push_back({0, b.range.var, true});
  path.push_back({part, {}, true});
  std::vector<ValueId> yielded = run_region(region);
  path.resize(path_depth);
  binders.resize(depth);
  guards.resize(guard_depth);
  return yielded;
}

BodyDenoter::Segments BodyDenoter::segments(const Op& op) {
  Segments s;
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  s.strict = op.attrs.get<Order>(AttrKey::order) == Order::strict;
  s.begin = translate(ranges[0]);
  s.end = translate(ranges[1]);
  for (Expr bound : {s.begin, s.end}) {
    decides(bound, op.range);
    check_index(bound, DType::i64, fmt::format("a bound of the {}", row(op.kind).name), op.range);
  }
  const bool predicate = op.kind == OpKind::region_fold && op.regions.size() > 2;
  // Runs of members are looked for up to behind the last member; other segments end within the axis.
  if (physical_ && predicate && !s.strict)
    claim(ObligationKind::index_no_overflow, fmt::format("the exit value of the {} fits", row(op.kind).name),
          less(s.end, pool_.constant(INT64_MAX)), op.range);
  if (predicate) {
    Interval member{pool_.fresh("member"), s.begin, s.end};
    binders.push_back({member, BinderKind::member});
    bind(body_.region(op.regions[2]).args[0], SymbolicValue::of(member.var));
    ++in_value_region_;
    s.active = expr_of(run_region(op.regions[2])[0]);
    --in_value_region_;
    decides(s.active, op.range);
    binders.pop_back();
    s.member = member.var;
  }
  if (s.strict) {
    s.lo = pool_.fresh("member");
    s.hi = s.lo + 1;
    s.binders = {{{s.lo, s.begin, s.end}, BinderKind::ordered}};
    if (predicate) s.guards.push_back(active_at(s, s.lo));
  } else {
    if (physical_ && !predicate) {  // one segment
      s.lo = s.begin;
      s.hi = s.end;
      s.guards = {less(s.begin, s.end)};
    } else {
      s.lo = pool_.fresh("lo");
      s.hi = pool_.fresh("hi");
      s.binders = {{{s.lo, s.begin, s.end}, BinderKind::member}, {{s.hi, s.lo + 1, s.end + 1}, BinderKind::member}};
    }
  }
  ++in_value_region_;
  for (ValueId v : run_segment(s, op.regions[0], {}, kSummary)) s.summary.push_back(term_of(v));
  --in_value_region_;
  s.combine = combine(op.regions[1]);

  if (physical_ && !s.strict) return s;
  // What the licence says of the combine; of the summary it is the author's word, which only floats may need. The identity is
  // the value where there is no member, and nothing puts it in elsewhere: no law speaks of it.
  auto node = std::make_shared<ReduceNode>();
  node->site = static_cast<std::int64_t>(op.results[0].index);
  if (!physical_)
    for (const Binder& b : binders) node->scope.push_back(b.range.var);
  Interval single{pool_.fresh("member"), s.begin, s.end};
  node->members = {single};
  if (s.strict && predicate) node->where = active_at(s, single.var);
  node->map = s.summary_of(single.var, single.var + 1, terms_);
  node->combine = s.combine;
  node->order = op.attrs.get<Order>(AttrKey::order);
  out_.folds.push_back({node, op.regions[1], op.range});
  auto singles = std::make_shared<ReduceNode>(*node);
  if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) singles->identity = *identity;
  singles->identity_if_empty = true;
  s.singles = std::move(singles);
  if (!s.strict && !concatenates(exact_part(s))) owes_cuts("that exact summaries of segments agree is not decided", op.range);
  return s;
}

Expr BodyDenoter::active_at(const Segments& s, Expr member) {
  TermPool::Substitution here;
  here.exprs.emplace(s.member.node(), member);
  return terms_.substitute(s.active, here);
}

// The fold of the summaries of the maximal runs of active members: a loop over the members and the end of the axis, whose
// state is whether a run is open and since where, whether there is a value yet, and the value.
std::vector<Term> BodyDenoter::over_runs(const Segments& s, const ScalarList& identity) {
  auto loop = std::make_shared<LoopNode>();
  loop->lo = s.begin;
  loop->upto = s.end + 1;
  loop->var = pool_.fresh("member");
  Term open = terms_.fresh_argument(DType::i1), begin = terms_.fresh_argument(DType::i64),
       some = terms_.fresh_argument(DType::i1);
  loop->arguments = {open, begin, some};
  std::vector<Term> value;
  for (Term t : s.summary) value.push_back(terms_.fresh_argument(t->type));
  loop->arguments.insert(loop->arguments.end(), value.begin(), value.end());
  const Expr is_open = terms_.leaf_of(open), is_some = terms_.leaf_of(some);
  const Expr active = both(less(loop->var, s.end), active_at(s, loop->var)), closes = both(is_open, negation(active));
  const std::vector<Term> run = s.summary_of(terms_.leaf_of(begin), loop->var, terms_), merged = apply(s.combine, value, run);
  loop->init = {terms_.boolean(pool_.boolean(false)), terms_.integer(s.begin, DType::i64),
                terms_.boolean(pool_.boolean(false))};
  loop->step = {terms_.boolean(active),
                terms_.select(active, terms_.select(is_open, begin, terms_.integer(loop->var, DType::i64)), begin),
                terms_.boolean(either(is_some, closes))};
  for (std::size_t i = 0; i < value.size(); ++i) {
    loop->init.push_back(terms_.literal(i < identity.size() ? identity[i] : Scalar{value[i]->type, 0}));
    loop->step.push_back(terms_.select(closes, terms_.select(is_some, merged[i], run[i]), value[i]));
  }
  std::vector<Term> out;
  for (std::size_t i = 0; i < value.size(); ++i)
    out.push_back(terms_.iterate(loop, static_cast<std::int64_t>(3 + i), value[i]->type));
  return out;
}

void BodyDenoter::run_region_fold(const Op& op) {
  Segments s = segments(op);
  const ScalarList none, *given = op.attrs.find<ScalarList>(AttrKey::identity);
  const ScalarList& identity = given ? *given : none;
  const bool predicate = s.active != Expr();
  if (identity.empty()) {
    // The first member of the axis is there. (That another one is shows no rule.)
    Expr some = less(s.begin, s.end);
    if (predicate) some = both(some, active_at(s, s.begin));
    claim(physical_ ? ObligationKind::segment_independence : ObligationKind::kir_safe,
          "a fold over segments without identity has a member", some, op.range);
  }
  std::vector<Term> value;
  if (s.strict) {
    for (std::size_t i = 0; i < s.summary.size(); ++i)
      value.push_back(terms_.reduce(s.singles, static_cast<std::int64_t>(i), s.summary[i]->type));
  } else if (predicate) {
    value = over_runs(s, identity);
  } else {
    value = s.summary_of(s.begin, s.end, terms_);
    for (std::size_t i = 0; i < identity.size(); ++i)
      value[i] = terms_.select(less(s.begin, s.end), value[i], terms_.literal(identity[i]));
  }
  for (std::size_t i = 0; i < value.size(); ++i) define(op.results[i], value[i]);
}

void BodyDenoter::run_region_scan(const Op& op) {
  Segments s = segments(op);
  const Combine step = combine(op.regions[2]);
  const std::size_t states = step.results.size(), slices = op.results.size() - states;
  std::vector<Term> first, placeholders, before;
  for (ValueId v : std::span(op.operands).last(states)) first.push_back(term_of(v));
  for (Term t : first) placeholders.push_back(terms_.fresh_argument(t->type));

  // The state before the segment, and the last one.
  std::vector<Term> last;
  if (s.strict) {
    auto loop = std::make_shared<LoopNode>();
    loop->lo = s.begin;
    loop->upto = s.end;
    loop->var = pool_.fresh("member");
    loop->init = first;
    for (Term t : first) loop->arguments.push_back(terms_.fresh_argument(t->type));
    loop->step = apply(step, s.summary_of(loop->var, loop->var + 1, terms_), loop->arguments);
    auto inside = std::make_shared<LoopNode>(*loop);
    inside->upto = s.lo;
    for (std::size_t i = 0; i < states; ++i) {
      before.push_back(terms_.iterate(inside, static_cast<std::int64_t>(i), first[i]->type));
      last.push_back(terms_.iterate(loop, static_cast<std::int64_t>(i), first[i]->type));
    }
  } else {
    before = first;
    last = apply(step, s.summary_of(s.begin, s.end, terms_), first);
    for (std::size_t i = 0; i < states; ++i) last[i] = terms_.select(less(s.begin, s.end), last[i], first[i]);
  }
  if (physical_) {
    run_segment(s, op.regions[3], before, kEmit);
  } else {
    // Whatever state stands before a segment that the licence permits.
    ++in_value_region_;
    const std::vector<ValueId> emitted = run_segment(s, op.regions[3], placeholders, kEmit);
    --in_value_region_;
    const bool exact = !s.strict && std::ranges::none_of(s.summary, [](Term t) { return is_float(t->type); }) &&
                       std::ranges::none_of(first, [](Term t) { return is_float(t->type); });
    if (exact && !acts(s, step))
      owes_cuts("that the summaries of two segments act on the state as the combined one is not decided", op.range);
    for (std::size_t k = 0; k < slices; ++k) {
      const auto& slice = values_[emitted[k].index].relation;
      KIR_CHECK(slice && slice->tensor, "a slice is a tensor");
      if (exact && !is_float(slice->dtype) && !emits_by_state(s, step, placeholders, *slice))
        owes_cuts("that exact slices of segments agree is not decided", op.range);
      auto made = std::make_shared<RelationValue>(*slice);
      TermPool::Substitution here = s.at(s.begin, s.end);
      if (s.strict) {
        // Element t is the only one of the slice of member begin + t.
        made->vars[0] = {pool_.fresh("member"), pool_.constant(0), s.end - s.begin};
        const Expr member = s.begin + made->vars[0].var;
        here = s.at(member, member + 1);
        here.exprs.emplace(slice->vars[0].var.node(), pool_.constant(0));
      } else {
        made->vars[0].hi = s.begin.is_constant(0) ? s.end : s.end - s.begin;
      }
      for (std::size_t i = 0; i < states; ++i) here.terms.emplace(placeholders[i], terms_.substitute(before[i], here));
      for (std::size_t axis = 1; axis < made->vars.size(); ++axis) {
        made->vars[axis].lo = terms_.substitute(made->vars[axis].lo, here);
        made->vars[axis].hi = terms_.substitute(made->vars[axis].hi, here);
      }
      for (auto& [c, range] : made->passed) {
        c = terms_.substitute(c, here);
        range.lo = terms_.substitute(range.lo, here);
        range.hi = terms_.substitute(range.hi, here);
      }
      made->body = terms_.substitute(made->body, here);
      bind(op.results[k], {SymbolicValue::Kind::relation, {}, nullptr, std::move(made)});
    }
  }
  for (std::size_t i = 0; i < states; ++i) define(op.results[op.results.size() - states + i], last[i]);
}

}  // namespace kir::proof
