// Loads, stores and coordinate relations.
#include <fmt/format.h>

#include "proof/denote_body.h"

namespace kir::proof {
TermPool::Substitution BodyDenoter::at(const RelationValue& r, const std::vector<Expr>& coordinates) {
  TermPool::Substitution s;
  for (std::size_t i = 0; i < r.vars.size(); ++i) s.exprs.emplace(r.vars[i].var.node(), coordinates[i]);
  return s;
}

std::string BodyDenoter::show(const RelationValue& r, const std::vector<Expr>& coordinates) const {
  std::string s = r.name + "[";
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    s += (i ? ", " : "") +
         to_string(coordinates[i], [](Expr leaf) { return leaf.is(ExprKind::variable) ? leaf.name() : std::string(); });
  return s + "]";
}

void BodyDenoter::run_memory(const Op& op) {
  bool store = op.kind == OpKind::store;
  const auto& relation = values_[op.operands[0].index].relation;
  if (!relation) return run_unsupported(op, "what its view is, no rule says");
  const RelationValue& r = *relation;
  std::span<const ValueId> coordinate_ids = store ? as_store(body_, op).coordinates : as_load(body_, op).coordinates;
  ValueId where = store ? as_store(body_, op).where : as_load(body_, op).where;
  std::vector<Expr> at_view;
  Type fragment;  // of the access: that of the first fragment operand
  for (ValueId v : op.operands)
    if (type(v).is(TypeKind::fragment) && !fragment.is(TypeKind::fragment)) fragment = type(v);
  if (!store && type(op.results[0]).is(TypeKind::fragment)) fragment = type(op.results[0]);
  for (ValueId v : coordinate_ids) at_view.push_back(expr_of(v));
  Expr active = where ? expr_of(where) : pool_.boolean(true);

  if (store && in_value_region_) return run_unsupported(op, "stores inside a reduce or tensor region");

  TermPool::Substitution lane_substitution;
  std::vector<Interval> positions;
  if (fragment.is(TypeKind::fragment)) positions = bind_lanes(fragment, lane_substitution);
  auto open = [&](Expr e) { return terms_.substitute(e, lane_substitution); };

  Event event{.store = store,
              .memory = r.memory,
              .allocation = r.allocation,
              .binders = binders,
              .guards = guards,
              .path = path,
              .range = op.range};
  for (const Interval& p : positions) {
    event.binders.push_back({p, BinderKind::lane});
    event.path.push_back({0, p.var, false});
  }
  decides(open(active), op.range, event.binders, event.guards);
  if (!active.is_true()) event.guards.push_back(open(active));
  if (physical_ && physical_->launch.threads > 1)
    event.thread = positions.empty() ? (store ? pool_.constant(0) : Expr()) : thread_of(fragment, positions, store);

  claim_bounds(op, store ? "store to" : "load of", r, at_view, event.binders, event.guards, lane_substitution);
  TermPool::Substitution here = at(r, at_view);
  std::vector<Expr> coordinates;
  for (Expr c : r.coordinates) coordinates.push_back(terms_.substitute(c, here));
  for (Expr c : coordinates) event.coordinates.push_back(open(c));
  for (const auto* list : {&at_view, &coordinates})
    for (Expr c : *list) decides(open(c), op.range, event.binders, event.guards);

  if (store) {
    Term value = term_of(as_store(body_, op).value);
    event.value = terms_.substitute(value, lane_substitution);
    out_.events.push_back(std::move(event));
    return;
  }
  if (out_.memories[r.memory].told && !positions.empty())
    return run_unsupported(op, fmt::format("which stores to {} a load of a fragment sees, no rule says", r.name));
  Term loaded = contents(r, std::move(coordinates), event);
  event.value = terms_.substitute(loaded, lane_substitution);
  out_.events.push_back(std::move(event));
  if (where) {
    ValueId fill = as_load(body_, op).fill;
    std::vector<Expr> varies;
    for (const Binder& b : binders) varies.push_back(b.range.var);
    if (fragment.is(TypeKind::fragment))
      for (Expr l : lanes(fragment)) varies.push_back(l);
    Term other = fill ? term_of(fill) : terms_.arbitrary(next_arbitrary_++, r.dtype, std::move(varies));
    loaded = terms_.select(active, loaded, other);
  }
  define(op.results[0], loaded);
}

void BodyDenoter::claim_bounds(const Op& op, std::string_view verb, const RelationValue& r, const std::vector<Expr>& at_view,
                               const std::vector<Binder>& under, const std::vector<Expr>& when,
                               const TermPool::Substitution& lanes) {
  const TermPool::Substitution here = at(r, at_view);
  auto inside = [&](Expr c, Expr lo, Expr hi, std::size_t axis, const std::string& of) {
    Claim claim{.kind = physical_ ? ObligationKind::access_bounds : ObligationKind::kir_safe,
                .what = fmt::format("{} {} stays inside {} on axis {}", verb, show(r, at_view), of, axis),
                .binders = under,
                .guards = when,
                .goal = terms_.substitute(both(less_equal(lo, c), less(c, hi)), lanes),
                .range = op.range,
                .preset = {}};
    if (!claim.goal.is_true()) out_.claims.push_back(std::move(claim));
  };
  for (std::size_t i = 0; i < r.vars.size(); ++i)
    inside(at_view[i], r.vars[i].lo, r.vars[i].hi, i,
           fmt::format("[{}, {})", to_string(r.vars[i].lo), to_string(r.vars[i].hi)));
  for (std::size_t i = 0; i < r.passed.size(); ++i)
    inside(terms_.substitute(r.passed[i].first, here), terms_.substitute(r.passed[i].second.lo, here),
           terms_.substitute(r.passed[i].second.hi, here), i, "its source");
}

// The bounds of a part: a and max(a, b). A member of it lies in the axis.
void BodyDenoter::run_part(const Op& op) {
  const auto& relation = values_[op.operands[0].index].relation;
  if (!relation) return run_unsupported(op, "what its source is, no rule says");
  const Interval& axis = relation->vars[static_cast<std::size_t>(op.attrs.get<std::int64_t>(AttrKey::axis))];
  const ExprList& range = op.attrs.get<ExprList>(AttrKey::ranges);
  const Expr lo = translate(range[0]), hi = translate(range[1]);
  for (Expr e : {lo, hi}) {
    decides(e, op.range);
    check_index(e, DType::i64, "a bound of a part", op.range);
  }
  claim(ObligationKind::kir_safe, "a part that is not empty lies in its axis",
        implies(less(lo, hi), both(less_equal(axis.lo, lo), less_equal(hi, axis.hi))), op.range);
  bind(op.results[0], SymbolicValue::of(lo));
  bind(op.results[1], SymbolicValue::of(max(lo, hi)));
}

// A kernel's is the author's word, which nobody owes; a program's is a claim.
void BodyDenoter::run_assume_in_bounds(const Op& op) {
  const auto& relation = values_[op.operands[0].index].relation;
  if (!relation) return run_unsupported(op, "what its view is, no rule says");
  const RelationValue& r = *relation;
  std::vector<Expr> at_view, inside;
  for (std::size_t i = 1; i < op.operands.size(); ++i) at_view.push_back(expr_of(op.operands[i]));
  for (Expr c : at_view) decides(c, op.range);
  for (std::size_t i = 0; i < r.vars.size(); ++i) inside.push_back(in_range({at_view[i], r.vars[i].lo, r.vars[i].hi}));
  for (const auto& [c, domain] : r.passed) inside.push_back(in_range({c, domain.lo, domain.hi}));
  const Expr goal = terms_.substitute(pool_.all_of(inside), at(r, at_view));
  if (physical_)
    return claim(ObligationKind::precondition_implied,
                 fmt::format("{} lies in its view, as the program states", show(r, at_view)), goal, op.range);
  out_.vouched.push_back(op.range);
  assume(goal);
}

void BodyDenoter::run_relation(const Op& op) {
  ValueId result = op.results[0];
  if (op.kind == OpKind::tensor) {
    auto made = std::make_shared<RelationValue>();
    made->tensor = true;
    made->name = body_.value(result).name.empty() ? "tensor" : body_.value(result).name;
    made->dtype = type(result).dtype;
    RegionId region = op.regions[0];
    made->vars = translate_ranges(op, region);
    std::size_t depth = binders.size(), guard_depth = guards.size();
    for (const Interval& v : made->vars) binders.push_back({v, BinderKind::member});
    ++in_value_region_;
    std::vector<ValueId> yielded = run_region(region);
    --in_value_region_;
    binders.resize(depth);
    guards.resize(guard_depth);
    made->body = term_of(yielded[0]);
    return bind(result, {SymbolicValue::Kind::relation, {}, nullptr, made});
  }
  const auto& relation = values_[op.operands[0].index].relation;
  if (!relation) return run_unsupported(op, "what its source is, no rule says");
  const RelationValue& source = *relation;
  if (op.kind == OpKind::elem) {
    std::vector<Expr> coordinates;
    for (std::size_t i = 1; i < op.operands.size(); ++i) coordinates.push_back(expr_of(op.operands[i]));
    for (Expr c : coordinates) decides(c, op.range);
    claim_bounds(op, "element of", source, coordinates, binders, guards, {});
    TermPool::Substitution here = at(source, coordinates);
    return define(result, terms_.substitute(source.body, here));
  }

  // A relation over a relation: new variables, and the source's coordinates in terms of them.
  auto made = std::make_shared<RelationValue>(source);
  made->name = body_.value(result).name.empty() ? source.name : body_.value(result).name;
  made->vars.clear();
  std::vector<Expr> to_source;  // the source's coordinates over the new variables
  auto add = [&](Expr hi, std::string_view hint) {
    Expr v = pool_.fresh(hint);
    made->vars.push_back({v, pool_.constant(0), hi});
    return v;
  };
  auto extent = [&](const Interval& i) { return i.lo.is_constant(0) ? i.hi : i.hi - i.lo; };
  switch (op.kind) {
    case OpKind::transpose: {
      const IntList& perm = op.attrs.get<IntList>(AttrKey::axes);
      to_source.resize(source.vars.size());
      for (std::int64_t p : perm) {
        const Interval& axis = source.vars[static_cast<std::size_t>(p)];
        to_source[static_cast<std::size_t>(p)] = add(axis.hi, axis.var.name());
      }
      break;
    }
    case OpKind::slice: {
      const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
      for (std::size_t i = 0; i < source.vars.size(); ++i) {
        Expr lo = translate(ranges[2 * i]), hi = translate(ranges[2 * i + 1]);
        Expr v = add(lo.is_constant(0) ? hi : hi - lo, source.vars[i].var.name());
        to_source.push_back(lo.is_constant(0) ? v : v + lo);
      }
      break;
    }
    case OpKind::broadcast: {
      const IntList& axes = op.attrs.get<IntList>(AttrKey::axes);
      const ExprList& extents = op.attrs.get<ExprList>(AttrKey::extents);
      std::vector<Expr> vars;
      for (Expr e : extents) vars.push_back(add(translate(e), "b"));
      for (std::size_t i = 0; i < axes.size(); ++i) {
        Expr v = vars[static_cast<std::size_t>(axes[i])];
        bool stretched =
            extent(source.vars[i]).is_constant(1) && !made->vars[static_cast<std::size_t>(axes[i])].hi.is_constant(1);
        to_source.push_back(stretched ? pool_.constant(0) : v);
      }
      break;
    }
    case OpKind::reshape: {
      for (Expr e : op.attrs.get<ExprList>(AttrKey::extents)) to_source.push_back(add(translate(e), "r"));
      to_source = through_reshape(op, source, to_source);
      break;
    }
    case OpKind::view: {
      const ExprList& extents = op.attrs.get<ExprList>(AttrKey::extents);
      RegionId region = op.regions[0];
      for (std::size_t i = 0; i < extents.size(); ++i) {
        ValueId arg = body_.region(region).args[i];
        bind(arg, SymbolicValue::of(add(translate(extents[i]), body_.value(arg).name)));
      }
      for (ValueId v : run_region(region)) to_source.push_back(expr_of(v));
      break;
    }
    default: KIR_UNREACHABLE("not a relation");
  }
  TermPool::Substitution s = at(source, to_source);
  for (auto& [c, domain] : made->passed) {
    c = terms_.substitute(c, s);
    domain.lo = terms_.substitute(domain.lo, s);
    domain.hi = terms_.substitute(domain.hi, s);
  }
  // A reshape of as many elements maps its elements into the source: nothing more is owed.
  if (op.kind != OpKind::reshape)
    for (std::size_t i = 0; i < source.vars.size(); ++i) made->passed.emplace_back(to_source[i], source.vars[i]);
  for (Expr& c : made->coordinates) c = terms_.substitute(c, s);
  if (made->body) made->body = terms_.substitute(made->body, s);
  bind(result, {SymbolicValue::Kind::relation, {}, nullptr, made});
}

}  // namespace kir::proof
