// Reductions, scans and the choice of an extreme member.
#include <fmt/format.h>

#include <cmath>

#include "core/interp/bound_rules.h"
#include "core/interp/machine.h"

namespace kir {

bool Machine::begin_fold(FoldRun& run) {
  run.licensed = bounds_ && run.plan.order != Order::strict && !run.skips;
  if (run.licensed) bounds_->begin_fold(run.plan);
  if (!run.plan.has_init) return true;
  if (!move(run.plan.from_init, run.op)) return false;
  run.started = true;
  if (run.licensed) bounds_->fold_term(run.plan.accumulators);
  return true;
}

bool Machine::fold_member(FoldRun& run) {
  if (!run.started) {
    run.started = true;
    if (!move(run.plan.from_first, run.op)) return false;
    if (run.licensed) bounds_->fold_term(run.plan.accumulators);
    return true;
  }
  if (!move(run.plan.element, run.op)) return false;
  if (run.licensed) bounds_->fold_term(run.plan.elements);
  return run_region(run.plan.combine) && move(run.plan.again, run.op);
}

bool Machine::end_fold(FoldRun& run, std::string_view what, std::int64_t members) {
  if (!run.started && !run.skips) {
    if (run.plan.identity.empty())
      return fail(RuntimeErrorKind::empty_reduction, run.op,
                  fmt::format("a {} without {}members has neither an initial value nor an identity", what,
                              members > 0 ? "active " : ""));
    for (std::size_t k = 0; k < run.plan.accumulators.size(); ++k) {
      const Slot s = run.plan.accumulators[k];
      words_[s] = run.plan.identity[k].bits;
      taint_[s] = 0;
      radius_[s] = 0;
    }
  }
  return !run.licensed || bounds_->end_fold(run.op);
}

bool Machine::is_active(const WherePlan& where, OpId op, const DomainPlan& plan, const Domain& d, std::int64_t member,
                        bool& active) {
  active = true;
  if (!where.region) return true;
  if (!move(where.enter, op) || !run_region(where.region)) return false;
  if (taint_[where.test] != 0)
    return check_observed(taint_[where.test], op, fmt::format("the predicate of member {}", member_text(plan, d, member)));
  active = words_[where.test] != 0;
  return true;
}

bool Machine::reduce(const Instr& i) {
  const ReducePlan& plan = code_.reductions[i.plan];
  Domain d;
  if (!domain(plan.domain, i.op, d)) return false;
  FoldRun run{plan.fold, i.op, d.skips};
  if (!begin_fold(run)) return false;
  for (std::int64_t m = 0; m < d.count; ++m) {
    set_member(plan.domain, d, m);
    bool active = true;
    if (!count_step(i.op) || !is_active(plan.where, i.op, plan.domain, d, m, active)) return false;
    if (active && (!run_region(plan.map) || !fold_member(run))) return false;
  }
  if (!end_fold(run, "reduction", d.count) || !move(plan.finish, i.op)) return false;
  if (d.skips)
    for (ValueId v : body_.op(i.op).results) taint_[v.index] |= kSkipped;
  return true;
}

namespace {

// Above 0: a wins over b; 0: they tie. NaN is above every number, or below it where it is no member.
int compare(const ArgReducePlan& plan, std::uint64_t a, std::uint64_t b) {
  auto sign = [&](auto x, auto y) {
    const int order = x < y ? -1 : x > y ? 1 : 0;
    return plan.extreme == Extreme::max ? order : -order;
  };
  const Scalar x{plan.type, a}, y{plan.type, b};
  if (!is_float(plan.type)) {
    if (plan.type == DType::i1 || plan.type == DType::u64) return sign(x.as_unsigned(), y.as_unsigned());
    return sign(x.as_signed(), y.as_signed());
  }
  if (x.is_nan() || y.is_nan()) {
    const int order = static_cast<int>(x.is_nan()) - static_cast<int>(y.is_nan());
    return plan.nan == NanRule::ignore ? -order : order;
  }
  return sign(x.as_double(), y.as_double());
}

}  // namespace

bool Machine::arg_reduce(const Instr& i) {
  const ArgReducePlan& plan = code_.arg_reductions[i.plan];
  Domain d;
  if (!domain(plan.domain, i.op, d)) return false;
  constexpr std::int64_t kNobody = -2, kInit = -1;
  std::int64_t winner = kNobody;
  std::uint64_t best = 0;
  Taint taint = d.skips ? kSkipped : Taint{0};
  std::vector<BoundRules::Candidate> candidates;
  std::size_t chosen = 0;
  auto consider = [&](Slot s, std::int64_t member) {
    const std::uint64_t word = words_[s];
    taint |= taint_[s];
    const bool nan = is_float(plan.type) && Scalar{plan.type, word}.is_nan();
    const bool bounded = bounds_ && is_float(plan.type);
    if (nan && plan.nan == NanRule::ignore && member != kInit) {
      if (bounded && radius_[s] != 0) candidates.push_back({std::nan(""), HUGE_VAL});  // it may be a number elsewhere
      return;
    }
    if (bounded) candidates.push_back({Scalar{plan.type, word}.as_double(), radius_[s]});
    if (winner != kNobody) {
      const int order = compare(plan, word, best);
      const bool later = nan ? plan.nan == NanRule::last : plan.tie == TieRule::last;
      if (order < 0 || (order == 0 && !later)) return;
    }
    winner = member;
    best = word;
    if (bounded) chosen = candidates.size() - 1;
  };
  if (!plan.init.empty()) consider(plan.init[0], kInit);
  for (std::int64_t m = 0; m < d.count; ++m) {
    set_member(plan.domain, d, m);
    bool active = true;
    if (!count_step(i.op) || !is_active(plan.where, i.op, plan.domain, d, m, active)) return false;
    if (!active) continue;
    if (!run_region(plan.map)) return false;
    consider(plan.value, m);
  }
  if (winner == kNobody && !candidates.empty()) return check_observed(kUndecided, i.op, "what an arg_reduce chooses from");
  if (winner == kNobody && !d.skips)
    return fail(RuntimeErrorKind::empty_reduction, i.op,
                fmt::format("an arg_reduce without {}members has no initial value", d.count > 0 ? "active " : ""));
  const BoundRules::Choice choice = bounds_ ? bounds_->choose(candidates, chosen) : BoundRules::Choice{};
  if (winner >= 0) set_member(plan.domain, d, winner);
  for (std::size_t k = 1; k < plan.results.size(); ++k) {
    const Slot from = winner >= 0 ? plan.domain.arguments[k - 1] : winner == kInit ? plan.init[k] : kNoSlot;
    const Taint own = winner == kInit ? taint_[from] : Taint{0};
    set_integer(plan.results[k], from == kNoSlot ? 0 : integer(from));
    taint_[plan.results[k]] = taint | own | (choice.decided ? Taint{0} : kUndecided);
  }
  words_[plan.results[0]] = best;
  taint_[plan.results[0]] = taint;
  radius_[plan.results[0]] = choice.radius;
  return true;
}

bool Machine::scan(const Instr& i) {
  const ScanPlan& plan = code_.scans[i.plan];
  Domain d;
  if (!domain(plan.domain, i.op, d)) return false;
  const std::size_t components = plan.tensors.size();
  std::vector<std::shared_ptr<TensorValue>> results(components);
  const std::size_t count = d.skips ? 0 : static_cast<std::size_t>(d.count);
  if (!count_step(i.op, count)) return false;
  for (std::shared_ptr<TensorValue>& t : results) {
    t = std::make_shared<TensorValue>();
    t->low.assign(d.extent.size(), 0);
    t->shape = d.extent;
    t->words.resize(count);
    t->taint.resize(count);
    if (bounds_) t->radius.resize(count);
  }
  FoldRun run{plan.fold, i.op, d.skips};
  if (!begin_fold(run)) return false;
  auto keep_state = [&](std::int64_t member) {
    if (plan.result) return store_state(plan, run);
    if (d.skips) return true;
    const std::size_t e = static_cast<std::size_t>(member);
    for (std::size_t k = 0; k < components; ++k) {
      const Slot s = plan.fold.accumulators[k];
      results[k]->words[e] = run.started ? words_[s] : plan.fold.identity[k].bits;
      results[k]->taint[e] = run.started ? taint_[s] : Taint{0};
      if (bounds_) results[k]->radius[e] = run.started ? radius_[s] : 0;
    }
    if (run.licensed && run.started) bounds_->keep_prefix(e, results);
    return true;
  };
  for (std::int64_t n = 0; n < d.count; ++n) {
    const std::int64_t m = plan.forward ? n : d.count - 1 - n;
    set_member(plan.domain, d, m);
    if (!count_step(i.op) || !run_region(plan.map)) return false;
    if (!plan.inclusive && !keep_state(m)) return false;
    if (!fold_member(run) || (plan.inclusive && !keep_state(m))) return false;
  }
  if (run.licensed && !bounds_->end_prefixes(i.op, results)) return false;
  if (!end_fold(run, "scan", d.count) || !move(plan.finish, i.op)) return false;
  for (std::size_t k = 0; k < components; ++k) tensors_[plan.tensors[k]] = d.skips ? nullptr : std::move(results[k]);
  if (d.skips)
    for (const MovePlan::Move& m : plan.finish.moves) taint_[m.to] |= kSkipped;
  return true;
}

// The result of a member in a physical program: what the region stores of the state.
bool Machine::store_state(const ScanPlan& plan, const FoldRun& run) {
  if (!move(plan.enter_variables, run.op)) return false;
  for (std::size_t k = 0; k < plan.states.size(); ++k) {
    const Slot from = plan.fold.accumulators[k], to = plan.states[k];
    words_[to] = run.started ? words_[from] : plan.fold.identity[k].bits;
    taint_[to] = (run.started ? taint_[from] : Taint{0}) | (run.skips ? kSkipped : Taint{0});
    radius_[to] = run.started ? radius_[from] : 0;
  }
  return run_region(plan.result);
}

}  // namespace kir
