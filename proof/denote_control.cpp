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
  if (std::ranges::any_of(op.results, [&](ValueId v) { return type(v).is(TypeKind::tensor); }))
    return run_unsupported(op, "a tensor that control flow chooses");
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
    for (ValueId v : values) owes_width(v, op.range);
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

}  // namespace kir::proof
