// Parallels, branches, reductions and fragment collectives.
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

// An arm that ends in `break` or `continue` is one way out of the iteration. What stands behind the if runs when none of them
// was taken.
void BodyDenoter::run_if(const Op& op) {
  Expr c = expr_of(op.operands[0]);
  decides(c, op.range);
  const std::size_t taken = frame_ ? frame_->conditions.size() : 0, earlier = frame_ ? frame_->exits.size() : 0;
  std::vector<std::optional<std::vector<ValueId>>> yielded(2);
  for (std::size_t arm = 0; arm < op.regions.size(); ++arm) {
    const Expr here = arm == 0 ? c : negated(c);
    const std::size_t depth = guards.size();
    guards.push_back(here);
    if (frame_) frame_->conditions.push_back(here);
    path.push_back({static_cast<int>(arm), {}, true});
    std::vector<ValueId> values = run_region(op.regions[arm]);
    if (leaves_loop(body_, op.regions[arm])) {
      const bool leaves = body_.terminator(op.regions[arm]).kind == OpKind::break_loop;
      frame_->exits.push_back({leaves, frame_->conditions, std::move(values)});
    } else {
      yielded[arm] = std::move(values);
    }
    path.pop_back();
    guards.resize(depth);
    if (frame_) frame_->conditions.resize(taken);
  }
  if (frame_)
    for (std::size_t i = earlier; i < frame_->exits.size(); ++i) {
      const std::vector<Expr>& way = frame_->exits[i].conditions;
      const Expr stays = negated(pool_.all_of({way.begin() + static_cast<std::ptrdiff_t>(taken), way.end()}));
      guards.push_back(stays);
      frame_->conditions.push_back(stays);
    }
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const ValueId result = op.results[i];
    if (!yielded[0] || !yielded[1]) {
      define(result, term_of(yielded[0] ? (*yielded[0])[i] : (*yielded[1])[i]));
      continue;
    }
    Term a = term_of((*yielded[0])[i]), b = term_of((*yielded[1])[i]);
    if (type(result).is_scalar(DType::i1))
      bind(result, SymbolicValue::of(ite(c, terms_.leaf_of(a), terms_.leaf_of(b))));
    else
      define(result, terms_.select(c, a, b));
  }
}

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

void BodyDenoter::run_reduce(const Op& op) {
  if (op.regions.size() > 2) return run_unsupported(op, "no rule says which members a `where` leaves");
  auto node = std::make_shared<ReduceNode>();
  node->site = static_cast<std::int64_t>(op.results[0].index);
  if (!physical_)
    for (const Binder& b : binders) node->scope.push_back(b.range.var);
  node->order = op.attrs.get<Order>(AttrKey::order);
  if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) node->identity = *identity;
  if (const bool* assumed = op.attrs.find<bool>(AttrKey::identity_assumed)) node->identity_assumed = *assumed;
  RegionId map = op.regions[0], combine = op.regions[1];
  node->members = translate_ranges(op, map);
  if (node->identity.empty() && op.operands.empty()) {
    std::vector<Expr> nonempty;
    for (const Interval& m : node->members) nonempty.push_back(less(m.lo, m.hi));
    claim(physical_ ? ObligationKind::combine_laws : ObligationKind::kir_safe,
          "a reduction without init and identity has a member", pool_.all_of(nonempty), op.range);
  }
  std::size_t depth = binders.size(), guard_depth = guards.size();
  for (const Interval& m : node->members) binders.push_back({m, BinderKind::member});
  ++in_value_region_;
  for (ValueId v : run_region(map)) node->map.push_back(term_of(v));
  binders.resize(depth);
  guards.resize(guard_depth);
  --in_value_region_;
  node->combine = this->combine(combine);
  for (ValueId v : op.operands) node->init.push_back(term_of(v));
  out_.reduces.emplace_back(node, op.range);
  for (std::size_t i = 0; i < op.results.size(); ++i)
    define(op.results[i], terms_.reduce(node, static_cast<std::int64_t>(i), type(op.results[i]).dtype));
}

void BodyDenoter::run_fragment(const Op& op) {
  if (op.kind == OpKind::splat) return bind(op.results[0], values_[op.operands[0].index]);
  const Type& source = type(op.operands[0]);
  const Type& target = type(op.results[0]);
  const IntList& axes = op.attrs.get<IntList>(AttrKey::axes);
  auto node = std::make_shared<ReduceNode>();
  node->site = static_cast<std::int64_t>(op.results[0].index);
  node->order = op.attrs.get<Order>(AttrKey::order);
  if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) node->identity = *identity;
  if (const bool* assumed = op.attrs.find<bool>(AttrKey::identity_assumed)) node->identity_assumed = *assumed;
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
