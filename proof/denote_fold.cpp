// Folds: reductions, the choice of a member, contractions and fragment collectives. Each becomes a ReduceNode.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/fold.h"
#include "core/numeric/scalar_ops.h"
#include "proof/denote_body.h"

namespace kir::proof {

Combine BodyDenoter::combine(RegionId region) {
  Combine out;
  for (ValueId a : body_.region(region).args) {
    out.arguments.push_back(terms_.fresh_argument(type(a).dtype));
    define(a, out.arguments.back());
  }
  std::size_t guard_depth = guards.size();
  ++in_value_region_;
  for (ValueId v : run_region(region)) out.results.push_back(term_of(v));
  --in_value_region_;
  guards.resize(guard_depth);
  return out;
}

// The fold of op as its attributes declare it, over no members yet.
std::shared_ptr<ReduceNode> BodyDenoter::declared_fold(const Op& op) const {
  auto node = std::make_shared<ReduceNode>();
  node->site = static_cast<std::int64_t>(op.results[0].index);
  if (!physical_)
    for (const Binder& b : binders) node->scope.push_back(b.range.var);
  if (const Order* order = op.attrs.find<Order>(AttrKey::order)) node->order = *order;
  if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) node->identity = *identity;
  if (const bool* assumed = op.attrs.find<bool>(AttrKey::identity_assumed)) node->identity_assumed = *assumed;
  return node;
}

// Over the members of op's domain that region `where` (if op has it) leaves: what region 0 maps them to.
std::shared_ptr<ReduceNode> BodyDenoter::mapped_members(const Op& op, std::size_t where) {
  auto node = declared_fold(op);
  node->members = translate_ranges(op, op.regions[0]);
  const std::size_t depth = binders.size(), guard_depth = guards.size();
  for (const Interval& m : node->members) binders.push_back({m, BinderKind::member});
  ++in_value_region_;
  if (op.regions.size() > where) {
    for (std::size_t i = 0; i < node->members.size(); ++i)
      bind(body_.region(op.regions[where]).args[i], SymbolicValue::of(node->members[i].var));
    node->where = expr_of(run_region(op.regions[where])[0]);
    decides(node->where, op.range);
    guards.push_back(node->where);
  }
  for (ValueId v : run_region(op.regions[0])) node->map.push_back(term_of(v));
  --in_value_region_;
  binders.resize(depth);
  guards.resize(guard_depth);
  return node;
}

namespace {

// Lower bounds of `var` among the conjuncts of `condition` that mention none of `members`.
void lower_bounds(Expr condition, Expr var, const std::vector<Interval>& members, std::vector<Expr>& out) {
  std::vector<Expr> all;
  append_conjuncts(condition, all);
  auto closed = [&](Expr e) {
    return !mentions(
        e, [&](Expr l) { return std::any_of(members.begin(), members.end(), [&](const Interval& m) { return m.var == l; }); });
  };
  for (Expr e : all) {
    if (e.kids().size() != 2) continue;
    const bool right = e.kid(1) == var, left = e.kid(0) == var;
    const Expr other = right ? e.kid(0) : e.kid(1);
    if ((!right && !left) || !closed(other)) continue;
    if (e.is(ExprKind::eq) || e.is(right ? ExprKind::le : ExprKind::ge)) out.push_back(other);
    if (e.is(right ? ExprKind::lt : ExprKind::gt)) out.push_back(other + 1);
  }
}

}  // namespace

// Owed where there is nothing to start from: some member is there. Shown of the first one, or of the least one that the lower
// bounds in `where` allow.
void BodyDenoter::owes_member(const ReduceNode& node, std::string_view what, SourceRange range) {
  std::vector<Expr> ways;
  auto is_there = [&](const std::vector<Expr>& at) {
    TermPool::Substitution here;
    std::vector<Expr> holds;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Interval& m = node.members[i];
      here.exprs.emplace(m.var.node(), at[i]);
      if (!(at[i] == m.lo)) holds.push_back(less_equal(m.lo, at[i]));
      holds.push_back(less(at[i], m.hi));
    }
    if (node.where) holds.push_back(terms_.substitute(node.where, here));
    ways.push_back(pool_.all_of(holds));
  };
  std::vector<Expr> first, least;
  for (const Interval& m : node.members) {
    first.push_back(m.lo);
    std::vector<Expr> bounds;
    if (node.where) lower_bounds(node.where, m.var, node.members, bounds);
    Expr at = m.lo;
    for (Expr b : bounds) at = max(at, b);
    least.push_back(at);
  }
  is_there(first);
  if (least != first) is_there(least);
  claim(physical_ ? ObligationKind::combine_laws : ObligationKind::kir_safe, fmt::format("{} has a member", what),
        pool_.any_of(ways), range);
}

void BodyDenoter::run_reduce(const Op& op) {
  auto node = mapped_members(op, 2);
  if (node->identity.empty() && op.operands.empty()) owes_member(*node, "a reduction without init and identity", op.range);
  node->combine = combine(op.regions[1]);
  for (ValueId v : op.operands) node->init.push_back(term_of(v));
  declare(op, *node);
  for (std::size_t i = 0; i < op.results.size(); ++i)
    define(op.results[i], terms_.reduce(node, static_cast<std::int64_t>(i), type(op.results[i]).dtype));
}

// Whether `later` replaces `best`, by the rules for ties and NaN. Where a NaN is ignored, only an initial value may be one.
Expr BodyDenoter::wins(const Op& op, Term later, Term best) {
  using P = CmpPredicate;
  const bool maximum = op.attrs.get<Extreme>(AttrKey::extreme) == Extreme::max;
  const bool ties = op.attrs.get<TieRule>(AttrKey::tie) == TieRule::last;
  if (!is_float(later->type)) {
    const bool is_unsigned = later->type == DType::i1 || later->type == DType::u64;
    const P greater = is_unsigned ? (ties ? P::uge : P::ugt) : (ties ? P::sge : P::sgt);
    const P smaller = is_unsigned ? (ties ? P::ule : P::ult) : (ties ? P::sle : P::slt);
    return compared(maximum ? greater : smaller, later, best);
  }
  Expr beyond = compared(maximum ? (ties ? P::oge : P::ogt) : (ties ? P::ole : P::olt), later, best);
  switch (op.attrs.get<NanRule>(AttrKey::nan)) {
    case NanRule::first: return either(beyond, both(compared(P::uno, later, later), compared(P::ord, best, best)));
    case NanRule::last: return either(beyond, compared(P::uno, later, later));
    case NanRule::ignore: return either(beyond, compared(P::uno, best, best));
  }
  KIR_UNREACHABLE("NaN rule");
}

void BodyDenoter::run_arg_reduce(const Op& op) {
  auto node = mapped_members(op, 1);
  node->chooses = true;
  const Term value = node->map[0];
  if (is_float(value->type) && op.attrs.get<NanRule>(AttrKey::nan) == NanRule::ignore) {
    const Expr number = compared(CmpPredicate::ord, value, value);  // a NaN is no member
    node->where = node->where ? both(node->where, number) : number;
  }
  std::vector<DType> types{value->type};
  std::vector<Expr> fit;
  for (std::size_t i = 0; i < node->members.size(); ++i) {
    const Interval& m = node->members[i];
    const Type& coordinate = type(op.results[i + 1]);
    types.push_back(coordinate.is(TypeKind::index) ? DType::i64 : coordinate.dtype);
    node->map.push_back(terms_.integer(m.var, types.back()));
    fit.push_back(implies(less(m.lo, m.hi),
                          both(less_equal(pool_.constant(INT64_MIN), m.lo), less_equal(m.hi - 1, pool_.constant(INT64_MAX)))));
  }
  if (op.operands.empty()) owes_member(*node, "an arg_reduce without init", op.range);
  for (ValueId v : op.operands) {
    node->init.push_back(term_of(v));
    if (type(v).is(TypeKind::index)) fit.push_back(fits_index(expr_of(v)));
  }
  owes_width(pool_.all_of(fit), "what an arg_reduce chooses from fits i64", op.range);
  const std::size_t k = types.size();
  for (std::size_t i = 0; i < 2 * k; ++i) node->combine.arguments.push_back(terms_.fresh_argument(types[i % k]));
  const std::vector<Term>& a = node->combine.arguments;
  const Expr taken = wins(op, a[k], a[0]);
  for (std::size_t i = 0; i < k; ++i) node->combine.results.push_back(terms_.select(taken, a[k + i], a[i]));
  for (std::size_t i = 0; i < k; ++i) define(op.results[i], terms_.reduce(node, static_cast<std::int64_t>(i), types[i]));
}

// A tensor over the batch and free axes; in a program, where these are none, one number. Sums of exact integer products are
// sums of products in the sum's type, both being exact modulo its width. A sum of exact float products is a chain of fused
// multiply-adds that starts at the initial value, or at -0.0, which leaves the first product as it is.
void BodyDenoter::run_contract(const Op& op) {
  const ContractAxes count = *contract_axes(op);
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  const std::size_t outer = count.batch + count.left + count.right, right = count.batch + count.left;
  std::vector<std::size_t> side[2];  // the axes of each side's arguments
  for (std::size_t k = 0; k < count.sum(); ++k) {
    if (k < right || k >= outer) side[0].push_back(k);
    if (k < count.batch || k >= right) side[1].push_back(k);
  }
  std::vector<Interval> axes(count.sum());
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < side[s].size(); ++i) {
      const ValueId argument = body_.region(op.regions[s]).args[i];
      Interval& axis = axes[side[s][i]];
      if (!axis.var)
        axis = translate_range(body_.value(argument), ranges[2 * side[s][i]], ranges[2 * side[s][i] + 1], op.range);
      bind(argument, SymbolicValue::of(axis.var));
    }

  const std::size_t depth = binders.size(), guard_depth = guards.size();
  auto leave = [&] {
    binders.resize(depth);
    guards.resize(guard_depth);
  };
  auto nonempty = [](const Interval& axis) { return less(axis.lo, axis.hi); };
  auto node = declared_fold(op);
  if (!physical_)
    for (std::size_t k = 0; k < outer; ++k) node->scope.push_back(axes[k].var);
  node->members.assign(axes.begin() + static_cast<std::ptrdiff_t>(outer), axes.end());
  if (const Scalar* unit = op.attrs.find<Scalar>(AttrKey::unit)) node->unit = unit->as_double();

  // A side is evaluated where a product needs it.
  ++in_value_region_;
  Term factors[2];
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t k : side[s]) binders.push_back({axes[k], BinderKind::member});
    for (std::size_t k = 0; k < outer; ++k)
      if (std::find(side[s].begin(), side[s].end(), k) == side[s].end()) guards.push_back(nonempty(axes[k]));
    factors[s] = term_of(run_region(op.regions[s])[0]);
    leave();
  }
  const DType type = this->type(op.results[0]).dtype;
  Scalar zero{type, is_float(type) ? std::uint64_t{1} << (bit_width(type) - 1) : 0};
  if (op.regions.size() > 2) {
    for (std::size_t s = 0; s < 2; ++s) define(body_.region(op.regions[2]).args[s], factors[s]);
    for (const Interval& axis : axes) binders.push_back({axis, BinderKind::member});
    node->map = {term_of(run_region(op.regions[2])[0])};
    leave();
    node->combine = combine(op.regions[3]);
  } else {
    for (Term& f : factors)
      if (f->type != type) f = terms_.convert(widening(f->type, type), type, f);
    for (int i = 0; i < (is_float(type) ? 3 : 2); ++i) node->combine.arguments.push_back(terms_.fresh_argument(type));
    const std::vector<Term>& a = node->combine.arguments;
    if (is_float(type)) {
      node->map = {factors[0], factors[1]};
      node->combine.results = {terms_.pointwise(OpKind::fma, type, {a[1], a[2], a[0]})};
    } else {
      node->map = {terms_.pointwise(OpKind::mul, type, {factors[0], factors[1]})};
      node->combine.results = {terms_.pointwise(OpKind::add, type, {a[0], a[1]})};
    }
  }
  --in_value_region_;
  for (ValueId v : op.operands) node->init.push_back(term_of(v));
  if (node->init.empty() && node->identity.empty()) {
    for (std::size_t k = 0; k < outer; ++k) guards.push_back(nonempty(axes[k]));
    owes_member(*node, "a contraction without init and identity", op.range);
    leave();
  }
  declare(op, *node);
  const bool starts_at_zero = node->init.empty() && node->map.size() > node->combine.results.size();
  if (starts_at_zero) node->init = {terms_.literal(zero)};
  Term element = terms_.reduce(node, 0, type);
  if (starts_at_zero && !node->identity.empty()) {
    std::vector<Expr> some;
    for (const Interval& m : node->members) some.push_back(nonempty(m));
    element = terms_.select(pool_.all_of(some), element, terms_.literal(node->identity[0]));
  }
  if (physical_) return define(op.results[0], element);

  auto made = std::make_shared<RelationValue>();
  made->tensor = true;
  made->name = body_.value(op.results[0]).name;
  made->dtype = type;
  TermPool::Substitution from_zero;  // elements count from 0
  for (std::size_t k = 0; k < outer; ++k) {
    Interval axis = axes[k];
    if (!axis.lo.is_constant(0)) {
      axis = {pool_.fresh(axis.var.name()), pool_.constant(0), axis.hi - axis.lo};
      from_zero.exprs.emplace(axes[k].var.node(), axes[k].lo + axis.var);
    }
    made->vars.push_back(axis);
  }
  made->body = terms_.substitute(element, from_zero);
  bind(op.results[0], {SymbolicValue::Kind::relation, {}, nullptr, made});
}

// The licence and identity of a contraction are those of the sum, whose products are its elements.
void BodyDenoter::declare(const Op& op, const ReduceNode& node) {
  auto sum = std::make_shared<ReduceNode>(node);
  if (node.map.size() > node.combine.results.size()) {
    const DType type = node.combine.results[0]->type;
    sum->combine.arguments = {terms_.fresh_argument(type), terms_.fresh_argument(type)};
    sum->combine.results = {terms_.pointwise(OpKind::add, type, sum->combine.arguments)};
  }
  const std::optional<Fold> fold = as_fold(body_, op);
  out_.folds.push_back({std::move(sum), fold->combine, op.range});
}

void BodyDenoter::run_fragment(const Op& op) {
  if (op.kind == OpKind::splat) return bind(op.results[0], values_[op.operands[0].index]);
  const Type& source = type(op.operands[0]);
  const Type& target = type(op.results[0]);
  const IntList& axes = op.attrs.get<IntList>(AttrKey::axes);
  auto node = declared_fold(op);
  std::vector<Expr> from = lanes(source);
  std::vector<Expr> kept = target.is(TypeKind::fragment) ? lanes(target) : std::vector<Expr>{};
  TermPool::Substitution s;
  std::size_t next_kept = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end()) {
      Expr v = pool_.fresh(fmt::format("q{}", i));
      node->members.push_back({v, pool_.constant(0), pool_.constant(source.shape[i].number())});
      s.exprs.emplace(from[i].node(), v);
    } else {
      s.exprs.emplace(from[i].node(), kept.at(next_kept++));
    }
  }
  node->map = {terms_.substitute(term_of(op.operands[0]), s)};
  node->combine = combine(op.regions[0]);
  for (std::size_t i = 1; i < op.operands.size(); ++i) node->init.push_back(term_of(op.operands[i]));
  define(op.results[0], terms_.reduce(node, 0, target.dtype));
}

}  // namespace kir::proof
