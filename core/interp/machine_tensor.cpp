// Domains and whole tensors.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/interp/machine.h"

namespace kir {

bool Machine::domain(const DomainPlan& plan, OpId op, Domain& d) {
  if (plan.dependent) return fail(RuntimeErrorKind::unsupported, op, "a domain whose bounds use its own variables");
  __int128 count = 1;
  for (std::size_t k = 0; k < plan.arguments.size(); ++k) {
    Integer low = 0, high = 0;
    if (!evaluate(plan.low[k], op, low) || !evaluate(plan.high[k], op, high)) return false;
    Integer extent = distance(low, high);
    std::optional<std::vector<std::int64_t>> values;
    if (focus_)
      if (auto it = focus_->find(ValueId(plan.focus.empty() ? plan.arguments[k] : plan.focus[k])); it != focus_->end()) {
        values.emplace();
        for (std::int64_t v : it->second)
          if (v >= low && v < high) values->push_back(v);
        d.skips = d.skips || static_cast<Integer>(values->size()) < extent;
        extent = static_cast<Integer>(values->size());
      }
    // More members than steps can be counted: the step limit ends the execution.
    extent = std::min<Integer>(extent, INT64_MAX);
    count = std::min<__int128>(count * extent, INT64_MAX);
    d.low.push_back(low);
    d.extent.push_back(static_cast<std::int64_t>(extent));
    d.values.push_back(std::move(values));
  }
  d.count = static_cast<std::int64_t>(count);
  return true;
}

Integer Machine::member_value(const Domain& d, std::size_t axis, std::int64_t c) const {
  return d.values[axis] ? (*d.values[axis])[static_cast<std::size_t>(c)] : d.low[axis] + c;
}

void Machine::set_member(const DomainPlan& plan, const Domain& d, std::int64_t linear) {
  for (std::size_t k = plan.arguments.size(); k-- > 1; linear /= d.extent[k])
    set_integer(plan.arguments[k], member_value(d, k, linear % d.extent[k]));
  if (!plan.arguments.empty()) set_integer(plan.arguments[0], member_value(d, 0, linear));
}

std::string Machine::member_text(const DomainPlan& plan, const Domain& d, std::int64_t linear) const {
  std::string out;
  for (std::size_t k = plan.arguments.size(); k-- > 0;) {
    const std::int64_t c = k == 0 ? linear : linear % d.extent[k];
    out = fmt::format("{} = {}{}{}", value_name(plan.arguments[k]), to_string(member_value(d, k, c)), out.empty() ? "" : ", ",
                      out);
    if (k > 0) linear /= d.extent[k];
  }
  return out;
}

bool Machine::compute_members(const DomainPlan& plan, const Domain& d, RegionId region, Slot yield, OpId op, TensorValue& out) {
  if (!d.skips) {
    out.low = d.low;
    out.shape = d.extent;
    if (!count_step(op, static_cast<std::uint64_t>(d.count))) return false;
    out.words.resize(static_cast<std::size_t>(d.count));
    out.taint.resize(out.words.size());
    if (bounds_) out.radius.resize(out.words.size());
  }
  for (std::int64_t m = 0; m < d.count; ++m) {
    set_member(plan, d, m);
    if (d.skips && !count_step(op)) return false;
    if (!run_region(region)) return false;
    if (d.skips) continue;
    const std::size_t e = static_cast<std::size_t>(m);
    out.words[e] = words_[yield];
    out.taint[e] = taint_[yield];
    if (bounds_) out.radius[e] = radius_[yield];
  }
  return true;
}

bool Machine::tensor_compute(const Instr& i) {
  const TensorPlan& plan = code_.tensors[i.plan];
  Domain d;
  if (!domain(plan.domain, i.op, d)) return false;
  auto t = std::make_shared<TensorValue>();
  if (!compute_members(plan.domain, d, plan.region, plan.yield, i.op, *t)) return false;
  // Of a tensor that was computed in part only, nothing is kept: using it is reported.
  tensors_[i.dst] = d.skips ? nullptr : std::move(t);
  return true;
}

bool Machine::read_tensor(const AccessPlan& plan, OpId op, Integer* at, std::uint64_t& word, Taint& taint, double& radius) {
  if (!reach_base(plan, op, at)) return false;
  const TensorValue& t = *tensors_[plan.tensor];
  std::size_t linear = 0;
  for (std::size_t k = 0; k < t.shape.size(); ++k)
    linear = linear * static_cast<std::size_t>(t.shape[k]) + static_cast<std::size_t>(at[k] - t.low[k]);
  word = t.words[linear];
  taint = t.taint[linear];
  radius = bounds_ && !t.radius.empty() ? t.radius[linear] : 0;  // none of a tensor made before bounds were tracked
  return true;
}

bool Machine::tensor_shape(const AccessPlan& plan, OpId op, std::vector<std::int64_t>& shape, std::int64_t& count) {
  if (!source_shape(plan, op, shape)) return false;
  __int128 n = 1;
  for (std::int64_t e : shape) n = std::min<__int128>(n * e, INT64_MAX);
  count = static_cast<std::int64_t>(n);
  return true;
}

bool Machine::materialize(const AccessPlan& plan, OpId op, std::shared_ptr<TensorValue>& out) {
  auto t = std::make_shared<TensorValue>();
  std::int64_t count = 0;
  if (!tensor_shape(plan, op, t->shape, count)) return false;
  if (plan.steps.empty()) {
    out = tensors_[plan.tensor];
    return true;
  }
  if (!count_step(op, static_cast<std::uint64_t>(count))) return false;
  t->low.assign(t->shape.size(), 0);
  t->words.resize(static_cast<std::size_t>(count));
  t->taint.resize(t->words.size());
  if (bounds_) t->radius.resize(t->words.size());
  for (std::int64_t m = 0; m < count; ++m) {
    Integer at[kMaxRank];
    std::int64_t rest = m;
    for (std::size_t k = t->shape.size(); k-- > 0; rest /= t->shape[k]) at[k] = rest % t->shape[k];
    const std::size_t e = static_cast<std::size_t>(m);
    double radius = 0;
    if (!read_tensor(plan, op, at, t->words[e], t->taint[e], radius)) return false;
    if (bounds_) t->radius[e] = radius;
  }
  out = std::move(t);
  return true;
}

}  // namespace kir
