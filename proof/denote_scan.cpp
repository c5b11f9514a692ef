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

namespace {

// The members of a domain by their number in row-major order, and back. One axis that begins at lo counts from lo on, so that
// its members are their own numbers.
struct Numbering {
  const std::vector<Interval>& domain;
  ExprPool& pool;

  Expr extent(std::size_t k) const {
    const Interval& d = domain[k];
    Expr e = d.lo.is_constant(0) ? d.hi : d.hi - d.lo;
    return domain.size() == 1 || (e.is(ExprKind::constant) && e.number() >= 0) ? e : max(pool.constant(0), e);
  }
  Expr extents_from(std::size_t k) const {
    Expr out = pool.constant(1);
    for (; k < domain.size(); ++k) out = out.is_constant(1) ? extent(k) : out * extent(k);
    return out;
  }
  Interval numbers(Expr var) const {
    return domain.size() == 1 ? Interval{var, domain[0].lo, domain[0].hi} : Interval{var, pool.constant(0), extents_from(0)};
  }
  Expr number(const std::vector<Expr>& member) const {
    if (domain.size() == 1) return member[0];
    Expr out = pool.constant(0);
    for (std::size_t k = 0; k < domain.size(); ++k) {
      Expr c = domain[k].lo.is_constant(0) ? member[k] : member[k] - domain[k].lo;
      out = out.is_constant(0) ? c : out * extent(k) + c;
    }
    return out;
  }
  std::vector<Expr> member(Expr number) const {
    if (domain.size() == 1) return {number};
    std::vector<Expr> out;
    for (std::size_t k = 0; k < domain.size(); ++k) {
      Expr c = k + 1 < domain.size() ? floordiv(number, extents_from(k + 1)) : number;
      if (k > 0) c = mod(c, extent(k));
      out.push_back(domain[k].lo.is_constant(0) ? c : c + domain[k].lo);
    }
    return out;
  }
};

}  // namespace

void BodyDenoter::run_scan(const Op& op) {
  const bool forward = op.attrs.get<Direction>(AttrKey::direction) == Direction::forward;
  const bool inclusive = op.attrs.get<Inclusion>(AttrKey::inclusion) == Inclusion::inclusive;
  auto whole = std::make_shared<ReduceNode>();
  whole->site = static_cast<std::int64_t>(op.results.back().index);
  if (!physical_)
    for (const Binder& b : binders) whole->scope.push_back(b.range.var);
  whole->order = op.attrs.get<Order>(AttrKey::order);
  if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) whole->identity = *identity;
  if (const bool* assumed = op.attrs.find<bool>(AttrKey::identity_assumed)) whole->identity_assumed = *assumed;
  const std::vector<Interval> domain = translate_ranges(op, op.regions[0]);
  const Numbering numbering{domain, pool_};
  if (whole->identity.empty() && op.operands.empty()) {
    std::vector<Expr> nonempty;
    for (const Interval& d : domain) nonempty.push_back(less(d.lo, d.hi));
    claim(physical_ ? ObligationKind::combine_laws : ObligationKind::kir_safe, "a scan without init and identity has a member",
          pool_.all_of(nonempty), op.range);
  }

  const std::size_t depth = binders.size(), guard_depth = guards.size(), path_depth = path.size();
  // In a program a member is mapped before its result is stored, and the next one after that.
  auto met = [&](const Interval& d) { return PathStep{0, forward ? d.var : d.hi - 1 - d.var, true}; };
  auto enter = [&](const std::vector<Interval>& members, int part) {
    for (const Interval& d : members) path.push_back(met(d));
    path.push_back({part, {}, true});
  };
  for (const Interval& d : domain) binders.push_back({d, BinderKind::member});
  enter(domain, 0);
  ++in_value_region_;
  for (ValueId v : run_region(op.regions[0])) whole->map.push_back(term_of(v));
  --in_value_region_;
  path.resize(path_depth);
  binders.resize(depth);
  guards.resize(guard_depth);
  whole->combine = combine(op.regions[1]);
  for (ValueId v : op.operands) whole->init.push_back(term_of(v));
  // Numbered in the order of the traversal.
  const Interval numbers = numbering.numbers(pool_.fresh("met"));
  whole->members = {
      forward ? numbers
              : Interval{numbers.var, pool_.constant(0), numbers.lo.is_constant(0) ? numbers.hi : numbers.hi - numbers.lo}};
  TermPool::Substitution by_number;
  const std::vector<Expr> members = numbering.member(forward ? numbers.var : numbers.hi - 1 - numbers.var);
  for (std::size_t k = 0; k < domain.size(); ++k) by_number.exprs.emplace(domain[k].var.node(), members[k]);
  for (Term& t : whole->map) t = terms_.substitute(t, by_number);
  out_.folds.push_back({whole, op.regions[1], op.range});

  // The state that belongs to a member.
  auto prefix = [&](const std::vector<Expr>& member) {
    auto node = std::make_shared<ReduceNode>(terms_.open(*whole));
    node->site = static_cast<std::int64_t>(op.results[0].index) - (std::int64_t{1} << 32);  // another fold than the whole one
    if (!physical_) node->scope.insert(node->scope.end(), member.begin(), member.end());
    Expr reached = forward ? numbering.number(member) : numbers.hi - 1 - numbering.number(member);
    node->members[0].hi = inclusive ? reached + 1 : reached;
    return std::shared_ptr<const ReduceNode>(std::move(node));
  };
  const std::size_t components = whole->map.size();
  auto component = [&](const std::shared_ptr<const ReduceNode>& node, std::size_t i) {
    return terms_.reduce(node, static_cast<std::int64_t>(i), whole->combine.arguments[i]->type);
  };
  std::vector<Expr> variables;
  if (physical_) {
    const std::vector<ValueId>& args = body_.region(op.regions[2]).args;
    std::vector<Interval> members;
    for (std::size_t k = 0; k < domain.size(); ++k) {
      members.push_back({pool_.fresh(domain[k].var.name()), domain[k].lo, domain[k].hi});
      variables.push_back(members[k].var);
      bind(args[k], SymbolicValue::of(members[k].var));
      binders.push_back({members[k], BinderKind::ordered});
    }
    enter(members, 1);
    auto state = prefix(variables);
    for (std::size_t i = 0; i < components; ++i) define(args[domain.size() + i], component(state, i));
    run_region(op.regions[2]);
    path.resize(path_depth);
    binders.resize(depth);
    guards.resize(guard_depth);
  } else {
    for (const Interval& d : domain) variables.push_back(d.var);
    auto state = prefix(variables);
    for (std::size_t i = 0; i < components; ++i)
      bind(op.results[i], {SymbolicValue::Kind::relation, {}, nullptr, elements(op.results[i], domain, component(state, i))});
  }
  const std::size_t first = op.results.size() - components;
  for (std::size_t i = 0; i < components; ++i) define(op.results[first + i], component(whole, i));
}

}  // namespace kir::proof
