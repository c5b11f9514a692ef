#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/interp/machine.h"
#include "core/interp/member_order.h"

namespace kir {
bool Machine::parallel(const Instr& i) {
  const ParallelPlan& plan = code_.parallels[i.plan];
  Domain d;
  if (!domain(plan.domain, i.op, d)) return false;
  const MemberOrder order(d.count, options_.order_seed, shuffles_++);
  enter_level([this, &plan, &d, order](std::size_t n) {
    return "the instance " + member_text(plan.domain, d, order(static_cast<std::int64_t>(n)));
  });
  for (std::int64_t k = 0; k < d.count; ++k) {
    set_member(plan.domain, d, order(k));
    if (!count_step(i.op) || !start_instance(i.op) || !run_region(plan.region)) return false;
  }
  leave_level();
  if (d.skips)
    for (std::size_t v : plan.stored_views) memory_.mark_skipped(v);
  return true;
}

bool Machine::for_loop(const Instr& i) {
  const ForPlan& plan = code_.fors[i.plan];
  Integer low = 0, high = 0, step = 1;
  if (!evaluate(plan.low, i.op, low) || !evaluate(plan.high, i.op, high)) return false;
  if (plan.step != kNoSlot && !evaluate(plan.step, i.op, step)) return false;
  if (step < 1) return fail(RuntimeErrorKind::bad_step, i.op, fmt::format("the step is {}", to_string(step)));
  if (!move(plan.start, i.op)) return false;
  if (focus_)
    if (auto it = focus_->find(ValueId(plan.variable)); it != focus_->end())
      return for_focused(i, plan, low, high, step, it->second);
  return plan.collected.empty() ? for_range(i, plan, low, high, step) : for_collect(i, plan, low, high);
}

Machine::Round Machine::round(RegionId body, const MovePlan& next, OpId op) {
  if (run_region(body)) return move(next, op) ? Round::next : Round::failed;
  switch (std::exchange(exit_, LoopExit::none)) {
    case LoopExit::none: return Round::failed;
    case LoopExit::next: return Round::next;
    case LoopExit::out: return Round::left;
  }
  KIR_UNREACHABLE("exit");
}

bool Machine::for_range(const Instr& i, const ForPlan& plan, Integer low, Integer high, Integer step) {
  for (Integer v = low; v < high; v += step) {
    set_integer(plan.variable, v);
    if (!count_step(i.op)) return false;
    const Round r = round(plan.region, plan.next, i.op);
    if (r == Round::failed) return false;
    if (r == Round::left) break;
    if (distance(v, high) <= step) break;  // v + step may be beyond what an Integer holds
  }
  return move(plan.finish, i.op);
}

bool Machine::for_collect(const Instr& i, const ForPlan& plan, Integer low, Integer high) {
  const auto extent = static_cast<std::int64_t>(std::min<Integer>(distance(low, high), INT64_MAX));
  if (!count_step(i.op, static_cast<std::uint64_t>(extent))) return false;
  std::vector<std::shared_ptr<TensorValue>> made;
  for (std::size_t k = 0; k < plan.collected.size(); ++k) {
    auto t = std::make_shared<TensorValue>();
    t->low = {0};
    t->shape = {extent};
    t->words.resize(static_cast<std::size_t>(extent));
    t->taint.resize(t->words.size());
    if (bounds_) t->radius.resize(t->words.size());
    made.push_back(std::move(t));
  }
  for (std::int64_t n = 0; n < extent; ++n) {
    set_integer(plan.variable, low + n);
    if (!run_region(plan.region)) return false;
    const std::size_t e = static_cast<std::size_t>(n);
    for (std::size_t k = 0; k < made.size(); ++k) {
      const Slot s = plan.collected[k].element;
      made[k]->words[e] = words_[s];
      made[k]->taint[e] = taint_[s];
      if (bounds_) made[k]->radius[e] = radius_[s];
    }
    if (!move(plan.next, i.op)) return false;
  }
  for (std::size_t k = 0; k < made.size(); ++k) tensors_[plan.collected[k].result] = std::move(made[k]);
  return move(plan.finish, i.op);
}

// Runs the wanted iterations only. State that passes through an iteration that is left out becomes unknown.
bool Machine::for_focused(const Instr& i, const ForPlan& plan, Integer low, Integer high, Integer step,
                          const std::vector<std::int64_t>& wanted) {
  auto forget = [&] {
    for (Slot s : plan.carries) {
      taint_[s] |= kSkipped;
      for (Taint& t : tiles_[s].taint) t |= kSkipped;
      if (tensors_[s]) {
        tensors_[s] = std::make_shared<TensorValue>(*tensors_[s]);
        for (Taint& t : tensors_[s]->taint) t |= kSkipped;
      }
    }
    for (std::size_t v : plan.stored_views) memory_.mark_skipped(v);
  };
  Integer next = low;  // the iteration that would follow
  for (std::int64_t v : wanted) {
    if (v < next || v >= high || (v - low) % step != 0) continue;
    if (v != next && plan.exits)
      return fail(RuntimeErrorKind::unsupported, i.op,
                  "whether this iteration is reached depends on ones that the replay left out");
    if (v != next) forget();
    set_integer(plan.variable, v);
    if (!count_step(i.op)) return false;
    const Round r = round(plan.region, plan.next, i.op);
    if (r == Round::failed) return false;
    if (r == Round::left) return move(plan.finish, i.op);
    if (__builtin_add_overflow(static_cast<Integer>(v), step, &next)) next = high;
  }
  if (next < high) forget();
  // Of what only some iterations collected, nothing is kept: using it is reported.
  for (const ForPlan::Collected& c : plan.collected) tensors_[c.result] = nullptr;
  return move(plan.finish, i.op);
}

bool Machine::while_loop(const Instr& i) {
  const WhilePlan& plan = code_.whiles[i.plan];
  if (!move(plan.start, i.op)) return false;
  while (true) {
    if (!count_step(i.op) || !run_region(plan.condition)) return false;
    if (!check_observed(taint_[plan.test], i.op, "the condition of a while")) return false;
    if (!words_[plan.test]) return move(plan.finish, i.op);
    if (!move(plan.enter, i.op)) return false;
    const Round r = round(plan.region, plan.next, i.op);
    if (r == Round::failed) return false;
    if (r == Round::left) return move(plan.finish, i.op);
  }
}

bool Machine::if_else(const Instr& i) {
  const IfPlan& plan = code_.ifs[i.plan];
  if (!check_observed(taint_[i.a], i.op, "the condition of an if")) return false;
  const std::size_t k = words_[i.a] ? 0 : 1;
  if (!plan.regions[k]) return true;
  if (!run_region(plan.regions[k]) || !move(plan.yields[k], i.op)) return false;
  exit_ = plan.exits[k];
  return exit_ == LoopExit::none;
}

bool Machine::assume(const Instr& i) {
  if (!check_observed(taint_[i.a], i.op, "the condition of an assume")) return false;
  return words_[i.a] || fail(RuntimeErrorKind::failed_assume, i.op, fmt::format("{} is false", value_name(i.a)));
}

}  // namespace kir
