// Tensors made of other tensors: their elements are read where the operation stands; iota reads nothing.
#include <fmt/format.h>

#include "core/index/reshape.h"
#include "proof/denote_body.h"

namespace kir::proof {
namespace {

Expr extent(const Interval& i) { return i.lo.is_constant(0) ? i.hi : i.hi - i.lo; }

}  // namespace

Event BodyDenoter::access(const Op& op, const RelationValue& r, const std::vector<Expr>& coordinates) const {
  Event e{.memory = r.memory,
          .allocation = r.allocation,
          .binders = binders,
          .guards = guards,
          .path = path,
          .thread = {},
          .range = op.range};
  const TermPool::Substitution here = at(r, coordinates);
  for (Expr c : r.coordinates) e.coordinates.push_back(terms_.substitute(c, here));
  return e;
}

Term BodyDenoter::read(const Op& op, const RelationValue& r, const std::vector<Expr>& coordinates) {
  for (Expr c : coordinates) decides(c, op.range);
  const TermPool::Substitution here = at(r, coordinates);
  claim_bounds(op, r.tensor ? "element of" : "load of", r, coordinates, binders, guards, {});
  if (r.tensor) return terms_.substitute(r.body, here);
  Event event = access(op, r, coordinates);
  for (Expr c : event.coordinates) decides(c, op.range);
  const Term loaded = contents(r, event.coordinates, event);
  event.value = loaded;
  out_.events.push_back(std::move(event));
  return loaded;
}

void BodyDenoter::run_made_tensor(const Op& op) {
  const ValueId result = op.results[0];
  auto made = std::make_shared<RelationValue>();
  made->tensor = true;
  made->name = body_.value(result).name.empty() ? std::string(row(op.kind).name) : body_.value(result).name;
  made->dtype = type(result).dtype;
  for (ValueId v : op.operands)
    if (!values_[v.index].relation) return run_unsupported(op, "what its source is, no rule says");
  if (op.kind == OpKind::gather) {
    made->vars = translate_ranges(op, op.regions[0]);
  } else {
    for (Expr e : type(result).shape) made->vars.push_back({pool_.fresh("c"), pool_.constant(0), translate(e)});
  }
  const std::size_t depth = binders.size(), guard_depth = guards.size();
  for (const Interval& v : made->vars) binders.push_back({v, BinderKind::member});
  ++in_value_region_;
  std::vector<Expr> element;
  for (const Interval& v : made->vars) element.push_back(v.var);
  if (op.kind == OpKind::gather) {
    std::vector<Expr> there;
    for (ValueId v : run_region(op.regions[0])) there.push_back(expr_of(v));
    made->body = read(op, *values_[op.operands[0].index].relation, there);
  } else {
    const auto axis = static_cast<std::size_t>(op.attrs.get<std::int64_t>(AttrKey::axis));
    made->body = op.kind == OpKind::iota ? converted_index(element[axis], made->dtype)
                                         : element_of_concat(op, axis, element, 0, op.operands.size());
  }
  --in_value_region_;
  binders.resize(depth);
  guards.resize(guard_depth);
  bind(result, {SymbolicValue::Kind::relation, {}, nullptr, made});
}

// Of the operands from `first` to `last`, in halves.
Term BodyDenoter::element_of_concat(const Op& op, std::size_t axis, std::vector<Expr> element, std::size_t first,
                                    std::size_t last) {
  if (first + 1 == last) {
    const RelationValue& r = *values_[op.operands[first].index].relation;
    claim(ObligationKind::kir_safe, fmt::format("the extent of {} is not negative", r.name),
          less_equal(pool_.constant(0), extent(r.vars[axis])), op.range);
    return read(op, r, element);
  }
  const std::size_t middle = first + (last - first) / 2;
  Expr before;
  for (std::size_t k = first; k < middle; ++k) {
    const Expr e = extent(values_[op.operands[k].index].relation->vars[axis]);
    before = before ? before + e : e;
  }
  const Expr inside = less(element[axis], before);
  auto half = [&](bool left) {
    guards.push_back(left ? inside : negation(inside));
    std::vector<Expr> there = element;
    if (!left) there[axis] = there[axis] - before;
    const Term t = element_of_concat(op, axis, there, left ? first : middle, left ? middle : last);
    guards.pop_back();
    return t;
  };
  const Term left = half(true);
  return terms_.select(inside, left, half(false));
}

std::vector<Expr> BodyDenoter::through_reshape(const Op& op, const RelationValue& source, const std::vector<Expr>& vars) {
  std::vector<Expr> from, to;
  for (const Interval& i : source.vars) from.push_back(extent(i));
  for (Expr e : op.attrs.get<ExprList>(AttrKey::extents)) to.push_back(translate(e));
  auto elements = [&](const std::vector<Expr>& extents) {
    Expr count = pool_.constant(1);
    for (Expr e : extents) {
      if (!e.is(ExprKind::constant) || e.number() < 0) e = max(pool_.constant(0), e);
      count = count.is_constant(1) ? e : count * e;
    }
    return count;
  };
  claim(ObligationKind::kir_safe, "a reshape keeps the number of elements", equal(elements(from), elements(to)), op.range);
  return reshaped(from, to, vars, pool_);
}

}  // namespace kir::proof
