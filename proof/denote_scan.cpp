// Scans. The element of a member is the fold of the members that the traversal meets up to it; the final state is the fold of
// all. A forward traversal counts by the member itself, a reverse one from the far end, so that a prefix is always an interval.
#include <fmt/format.h>

#include "core/base/check.h"
#include "proof/denote_body.h"

namespace kir::proof {

std::shared_ptr<const RelationValue> BodyDenoter::elements(ValueId tensor, const std::vector<Interval>& domain, Term body) {
  auto made = std::make_shared<RelationValue>();
  made->tensor = true;
  made->name = body_.value(tensor).name.empty() ? "tensor" : body_.value(tensor).name;
  made->dtype = type(tensor).dtype;
  TermPool::Substitution member;
  for (const Interval& d : domain) {
    const bool from_zero = d.lo.is_constant(0);
    Expr c = pool_.fresh(d.var.name());
    made->vars.push_back({c, pool_.constant(0), from_zero ? d.hi : d.hi - d.lo});
    member.exprs.emplace(d.var.node(), from_zero ? c : c + d.lo);
  }
  made->body = terms_.substitute(body, member);
  return made;
}

void BodyDenoter::run_scan(const Op& op) {
  const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
  if (ranges.size() != 2) return run_unsupported(op, "no rule says which members stand before one on several axes");
  const bool forward = op.attrs.get<Direction>(AttrKey::direction) == Direction::forward;
  const bool inclusive = op.attrs.get<Inclusion>(AttrKey::inclusion) == Inclusion::inclusive;
  auto whole = std::make_shared<ReduceNode>();
  whole->site = static_cast<std::int64_t>(op.results.back().index);
  if (!physical_)
    for (const Binder& b : binders) whole->scope.push_back(b.range.var);
  whole->order = op.attrs.get<Order>(AttrKey::order);
  if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) whole->identity = *identity;
  if (const bool* assumed = op.attrs.find<bool>(AttrKey::identity_assumed)) whole->identity_assumed = *assumed;
  const Interval domain = translate_ranges(op, op.regions[0])[0];
  if (whole->identity.empty() && op.operands.empty())
    claim(physical_ ? ObligationKind::combine_laws : ObligationKind::kir_safe, "a scan without init and identity has a member",
          less(domain.lo, domain.hi), op.range);

  const std::size_t depth = binders.size(), guard_depth = guards.size();
  binders.push_back({domain, BinderKind::member});
  ++in_value_region_;
  for (ValueId v : run_region(op.regions[0])) whole->map.push_back(term_of(v));
  --in_value_region_;
  binders.resize(depth);
  guards.resize(guard_depth);
  whole->combine = combine(op.regions[1]);
  for (ValueId v : op.operands) whole->init.push_back(term_of(v));
  whole->members = {domain};
  if (!forward) {
    Expr met = pool_.fresh("met");  // so many members before this one
    TermPool::Substitution counted;
    counted.exprs.emplace(domain.var.node(), domain.hi - 1 - met);
    for (Term& t : whole->map) t = terms_.substitute(t, counted);
    whole->members = {{met, pool_.constant(0), domain.lo.is_constant(0) ? domain.hi : domain.hi - domain.lo}};
  }
  out_.reduces.emplace_back(whole, op.range);

  // The state that belongs to member n.
  auto prefix = [&](Expr n) {
    auto node = std::make_shared<ReduceNode>(terms_.open(*whole));
    node->site = static_cast<std::int64_t>(op.results[0].index) - (std::int64_t{1} << 32);  // another fold than the whole one
    if (!physical_) node->scope.push_back(n);
    Expr reached = forward ? n : domain.hi - 1 - n;
    node->members[0].hi = inclusive ? reached + 1 : reached;
    return std::shared_ptr<const ReduceNode>(std::move(node));
  };
  const std::size_t components = whole->map.size();
  auto component = [&](const std::shared_ptr<const ReduceNode>& node, std::size_t i) {
    return terms_.reduce(node, static_cast<std::int64_t>(i), whole->combine.arguments[i]->type);
  };
  if (physical_) {
    const std::vector<ValueId>& args = body_.region(op.regions[2]).args;
    Interval member{pool_.fresh(domain.var.name()), domain.lo, domain.hi};
    bind(args[0], SymbolicValue::of(member.var));
    auto before = prefix(member.var);
    for (std::size_t i = 0; i < components; ++i) define(args[1 + i], component(before, i));
    binders.push_back({member, BinderKind::ordered});
    path.push_back({0, forward ? member.var : domain.hi - 1 - member.var, true});
    run_region(op.regions[2]);
    path.pop_back();
    binders.resize(depth);
    guards.resize(guard_depth);
  } else {
    auto before = prefix(domain.var);
    for (std::size_t i = 0; i < components; ++i)
      bind(op.results[i],
           {SymbolicValue::Kind::relation, {}, nullptr, elements(op.results[i], {domain}, component(before, i))});
  }
  const std::size_t first = op.results.size() - components;
  for (std::size_t i = 0; i < components; ++i) define(op.results[first + i], component(whole, i));
}

}  // namespace kir::proof
