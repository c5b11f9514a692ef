// Buffers, atomics, scatter and histogram.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/interp/bound_rules.h"
#include "core/interp/machine.h"
#include "core/interp/member_order.h"

namespace kir {

bool Machine::in_bounds(const Instr& i) {
  const AccessPlan& plan = code_.accesses[i.plan];
  Integer at[kMaxRank];
  return read_coordinates(plan, i.op, at) && reach_base(plan, i.op, at);
}

bool Machine::buffer(const Instr& i) {
  static const std::int64_t most = max_launch_bytes();
  const BufferPlan& plan = code_.buffers[i.plan];
  std::vector<std::int64_t> shape;
  __int128 count = 1;
  for (std::uint32_t e : plan.extents) {
    Integer extent = 0;
    if (!evaluate(e, i.op, extent)) return false;
    shape.push_back(static_cast<std::int64_t>(std::clamp<Integer>(extent, 0, INT64_MAX)));
    count = std::min<__int128>(count * shape.back(), INT64_MAX);
  }
  if (plan.capacity != kNoSlot) {
    Integer capacity = 0;
    if (!evaluate(plan.capacity, i.op, capacity)) return false;
    if (count > capacity)
      return fail(
          RuntimeErrorKind::out_of_bounds, i.op,
          fmt::format("a buffer of {} elements has the capacity {}", static_cast<std::int64_t>(count), to_string(capacity)));
  }
  if (count * byte_size(i.type) > most)
    return fail(RuntimeErrorKind::unsupported, i.op,
                fmt::format("a buffer of {} elements is more than this machine holds", static_cast<std::int64_t>(count)));
  if (!count_step(i.op, static_cast<std::uint64_t>(count))) return false;
  memory_.make_buffer(plan.view, std::move(shape));
  if (!plan.region) return true;
  const std::vector<std::int64_t> extents = memory_.view(plan.view).shape;
  for (std::int64_t m = 0; m < count; ++m) {
    std::int64_t rest = m;
    for (std::size_t k = extents.size(); k-- > 0; rest /= extents[k]) set_integer(plan.arguments[k], rest % extents[k]);
    if (!run_region(plan.region)) return false;
    const Taint taint = taint_[plan.yield];
    if ((taint & ~kUndecided) && !check_observed(taint & ~kUndecided, i.op, "the initial value")) return false;
    RaceWitness none;
    const AccessFault fault = memory_.store(plan.view, m, i.op, words_[plan.yield], none);
    KIR_CHECK(fault == AccessFault::none, "memory that is new was accessed before");
    if (bounds_) memory_.set_radius(plan.view, m, bounds_->stored_radius(taint, radius_[plan.yield]));
  }
  return true;
}

void Machine::masked_result(const Instr& i, Slot fill) {
  if (fill == kNoSlot) {
    arbitrary(i.type, words_[i.dst]);
    taint_[i.dst] = kArbitrary;
    radius_[i.dst] = 0;
    return;
  }
  words_[i.dst] = words_[fill];
  taint_[i.dst] = taint_[fill];
  radius_[i.dst] = radius_[fill];
}

// Values that get into memory, or decide what does. What differs between permitted executions may: its radius says so.
bool Machine::storable(Slot s, OpId op, std::string_view what) {
  const Taint taint = taint_[s] & static_cast<Taint>(~kUndecided);
  return taint == 0 || check_observed(taint, op, what);
}

bool Machine::atomic(const Instr& i) {
  const AtomicPlan& plan = code_.atomics[i.plan];
  const AccessPlan& access = plan.access;
  bool active = true;
  if (!predicate(access.where, i.op, "the predicate of an atomic", active)) return false;
  if (plan.succeeded != kNoSlot) words_[plan.succeeded] = taint_[plan.succeeded] = 0;
  if (!active) {
    if (i.dst != kNoSlot) masked_result(i, access.fill);
    return true;
  }
  Integer at[kMaxRank];
  std::int64_t address = 0;
  if (!read_coordinates(access, i.op, at) || !address_of(access, i.op, at, address)) return false;
  if (access.value != kNoSlot && !storable(access.value, i.op, "the stored value")) return false;
  if (plan.expected != kNoSlot && !storable(plan.expected, i.op, "the expected value")) return false;

  RaceWitness w;
  std::uint64_t old = 0;
  bool writes = access.value != kNoSlot;
  if (plan.reads) {
    const AccessFault fault = memory_.atomic_read(access.view, address, i.op, old, w);
    if (fault != AccessFault::none) return access_fault(fault, w, access, i.op, address);
    note(access, i.op, address, false, old);
    bool acquires = plan.acquires;
    if (plan.expected != kNoSlot) {
      writes = old == words_[plan.expected];
      words_[plan.succeeded] = writes;
      if (!writes) acquires = plan.failure_acquires;
    }
    if (acquires) memory_.acquire(access.view, address);
    words_[i.dst] = old;
    taint_[i.dst] = 0;
    radius_[i.dst] = 0;
    if (bounds_) bounds_->atomic(i, plan, address);
  }
  if (writes) {
    std::uint64_t word = words_[access.value];
    if (i.function) {
      const std::uint64_t in[] = {old, word};
      ScalarError none = ScalarError::none;
      word = i.function(in, none);
    }
    const AccessFault fault = memory_.atomic_write(access.view, address, i.op, word, plan.releases, plan.reads, w);
    if (fault != AccessFault::none) return access_fault(fault, w, access, i.op, address, &word);
    note(access, i.op, address, true, word);
  }
  if (bounds_ && access.value != kNoSlot) {
    const InstanceOrder& order = memory_.order();
    const bool unsure = plan.succeeded != kNoSlot && taint_[plan.succeeded] != 0;
    // Alone with the element, or in no parallel, what an exchange is compared with is certain unless it is within a radius, or
    // NaNs are compared, whose bits are no part of a result.
    const bool open =
        order.depth() == 0 || (plan.succeeded != kNoSlot && is_nan_comparison(i.type, old, words_[plan.expected]));
    if (writes || unsure)
      bounds_->update({.view = access.view,
                       .address = address,
                       .operation = plan.operation,
                       .epoch = order.depth() ? order.parallel_start(0) : 0,
                       .old = old,
                       .value = access.value,
                       .undecided = unsure && open});
  }
  if (memory_.exhausted())
    return fail(RuntimeErrorKind::step_limit, i.op, "more unordered releases or accesses than can be kept apart");
  return count_step(i.op, memory_.take_work());
}

bool Machine::scatter(const Instr& i) { return updates(i, &Machine::scatter_member); }

bool Machine::histogram(const Instr& i) { return updates(i, &Machine::histogram_member); }

bool Machine::updates(const Instr& i, bool (Machine::*apply)(const Instr&, const UpdatePlan&)) {
  const UpdatePlan& plan = code_.updates[i.plan];
  Domain d;
  if (!domain(plan.domain, i.op, d)) return false;
  const bool ordered = plan.order == Order::strict;
  const MemberOrder order(d.count, plan.order == Order::any ? options_.order_seed : 0, shuffles_++);
  if (!ordered)
    enter_level([this, &plan, &d, order](std::size_t n) {
      return "the member " + member_text(plan.domain, d, order(static_cast<std::int64_t>(n)));
    });
  for (std::int64_t k = 0; k < d.count; ++k) {
    set_member(plan.domain, d, order(k));
    if (!count_step(i.op) || (!ordered && !start_instance(i.op)) || !run_region(plan.member)) return false;
    bool active = true;
    updating_ = &plan.domain;
    if (!predicate(plan.where, i.op, "the predicate of a member", active)) return false;
    if (active && !(this->*apply)(i, plan)) return false;
    updating_ = nullptr;
  }
  if (!ordered) leave_level();
  if (d.skips)
    for (const AccessPlan& t : plan.targets) memory_.mark_skipped(t.view);
  return true;
}

bool Machine::merge_read(const AccessPlan& target, std::int64_t address, OpId op, Order order, std::uint64_t& word) {
  RaceWitness w;
  const AccessFault fault = order == Order::strict ? memory_.load(target.view, address, op, word, w)
                                                   : memory_.merge_read(target.view, address, op, word, w);
  if (fault != AccessFault::none) return access_fault(fault, w, target, op, address);
  note(target, op, address, false, word);
  return true;
}

bool Machine::merge_write(const AccessPlan& target, std::int64_t address, OpId op, Order order, std::uint64_t word) {
  if (order == Order::strict) return write_memory(target, address, op, word);
  memory_.merge_write(target.view, address, word);
  note(target, op, address, true, word);
  return count_step(op, memory_.take_work());
}

bool Machine::scatter_member(const Instr& i, const UpdatePlan& plan) {
  const std::size_t count = plan.targets.size();
  std::vector<std::int64_t> addresses(count);
  if (!count_step(i.op, count * count)) return false;
  for (std::size_t t = 0; t < count; ++t) {
    const AccessPlan& target = plan.targets[t];
    Integer at[kMaxRank];
    if (!read_coordinates(target, i.op, at) || !address_of(target, i.op, at, addresses[t])) return false;
    for (std::size_t u = 0; u < t; ++u)
      if (addresses[u] == addresses[t] && memory_.view(plan.targets[u].view).resource == memory_.view(target.view).resource)
        return fail(RuntimeErrorKind::race, i.op,
                    fmt::format("{} is also an element of {}", access_text(target, i.op), value_name(plan.targets[u].outer)));
  }
  if (!plan.combine) {
    for (std::size_t t = 0; t < count; ++t) {
      const AccessPlan& target = plan.targets[t];
      if (!storable(target.value, i.op, "the stored value") || !write_memory(target, addresses[t], i.op, words_[target.value]))
        return false;
      if (bounds_) bounds_->store(target.view, addresses[t], taint_[target.value], radius_[target.value]);
    }
    return true;
  }
  for (std::size_t t = 0; t < count; ++t) {
    const AccessPlan& target = plan.targets[t];
    const Slot old = plan.old[t], fresh = plan.fresh[t];
    if (!merge_read(target, addresses[t], i.op, plan.order, words_[old])) return false;
    taint_[old] = 0;
    radius_[old] = 0;
    if (bounds_)
      bounds_->load(memory_.view(target.view).dtype, memory_.radius(target.view, addresses[t]), taint_[old], radius_[old]);
    words_[fresh] = words_[target.value];
    taint_[fresh] = taint_[target.value];
    radius_[fresh] = radius_[target.value];
  }
  if (!run_region(plan.combine)) return false;
  for (std::size_t t = 0; t < count; ++t) {
    const AccessPlan& target = plan.targets[t];
    const Slot merged = plan.merged[t];
    if (!storable(merged, i.op, "the stored value") || !merge_write(target, addresses[t], i.op, plan.order, words_[merged]))
      return false;
    if (!bounds_) continue;
    if (plan.order == Order::strict)
      bounds_->store(target.view, addresses[t], taint_[merged], radius_[merged]);
    else
      bounds_->update({.view = target.view,
                       .address = addresses[t],
                       .operation = plan.single,
                       .epoch = memory_.order().parallel_start(memory_.order().depth() - 1),
                       .old = words_[plan.old[t]],
                       .value = target.value,
                       .merged = merged});
  }
  return true;
}

bool Machine::histogram_member(const Instr& i, const UpdatePlan& plan) {
  const AccessPlan& bins = plan.targets[0];
  Integer at[kMaxRank];
  if (!read_coordinates(bins, i.op, at)) return false;
  const Integer extent = bins.steps.empty() ? memory_.view(bins.view).shape[0] : integers_[bins.steps[0].extents];
  if (at[0] < 0 || at[0] >= extent) switch (plan.out_of_range) {
      case OutOfRange::drop: return true;
      case OutOfRange::clamp:
        if (extent > 0) at[0] = std::clamp<Integer>(at[0], 0, extent - 1);
        break;  // there is no bin
      case OutOfRange::error: break;
    }
  std::int64_t address = 0;
  std::uint64_t in[2] = {0, words_[bins.value]};
  if (!address_of(bins, i.op, at, address) || !storable(bins.value, i.op, "the weight") ||
      !merge_read(bins, address, i.op, plan.order, in[0]))
    return false;
  ScalarError none = ScalarError::none;
  if (!merge_write(bins, address, i.op, plan.order, i.function(in, none))) return false;
  if (bounds_)
    bounds_->update({.view = bins.view,
                     .address = address,
                     .operation = plan.single,
                     .epoch = memory_.order().parallel_start(memory_.order().depth() - 1),
                     .old = in[0],
                     .value = bins.value});
  return true;
}

}  // namespace kir
