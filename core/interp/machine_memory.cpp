#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/interp/bound_rules.h"
#include "core/interp/machine.h"
#include "core/ir/op_table.h"

namespace kir {
namespace {

std::string tuple(const Integer* at, std::size_t rank) {
  std::string out;
  for (std::size_t k = 0; k < rank; ++k) out += (k ? ", " : "") + to_string(at[k]);
  return out;
}

// "[0, 4) x [1, 3)"; without `low` the ranges begin at 0.
std::string box(std::span<const Integer> low, std::span<const std::int64_t> extents) {
  std::string out;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const Integer from = low.empty() ? 0 : low[k];
    out += fmt::format("{}[{}, {})", k ? " x " : "", to_string(from), to_string(from + extents[k]));
  }
  return out;
}

std::int64_t clamp_extent(Integer v) { return static_cast<std::int64_t>(std::clamp<Integer>(v, 0, INT64_MAX)); }

}  // namespace

bool Machine::predicate(Slot where, OpId op, std::string_view what, bool& active) {
  active = true;
  if (where == kNoSlot) return true;
  if (taint_[where] && !check_observed(taint_[where], op, what)) return false;
  active = words_[where] != 0;
  return true;
}

bool Machine::outside(const AccessPlan& plan, std::size_t level, OpId op, const Integer* at, std::span<const Integer> low,
                      std::span<const std::int64_t> extents) {
  const std::string outer = value_name(plan.outer);
  std::string text = fmt::format("{} {}", verb(op), outer);
  const std::string here = fmt::format("[{}]", tuple(at, extents.size()));
  if (level == 0) {
    text += fmt::format("{} is outside {}", here, box(low, extents));
  } else {
    std::string source = base_name(plan);
    if (level < plan.steps.size()) source = value_name(plan.steps[level].value);
    text += fmt::format(" reaches {}{}, outside {}", source, here, box(low, extents));
  }
  std::string access = level == 0 ? fmt::format("{} {}{}", verb(op), outer, here) : access_text(plan, op);
  return fail_access(RuntimeErrorKind::out_of_bounds, op, std::move(text), std::move(access));
}

bool Machine::follow_step(const RelationStep& s, OpId op, Integer* at) {
  Integer source[kMaxRank] = {};
  switch (s.kind) {
    case RelationStep::Kind::transpose:
      for (std::size_t k = 0; k < s.rank; ++k) source[static_cast<std::size_t>(s.axes[k])] = at[k];
      break;
    case RelationStep::Kind::slice:
      for (std::size_t k = 0; k < s.rank; ++k) source[k] = at[k] + integers_[s.lows + k];
      break;
    case RelationStep::Kind::broadcast:
      for (std::size_t k = 0; k < s.source_rank; ++k) source[k] = s.stretches[k] ? 0 : at[static_cast<std::size_t>(s.axes[k])];
      break;
    case RelationStep::Kind::reshape: {
      Integer linear = 0;
      for (std::size_t k = 0; k < s.rank; ++k) linear = linear * clamp_extent(integers_[s.extents + k]) + at[k];
      for (std::size_t k = s.source_rank; k-- > 0;) {
        const Integer extent = clamp_extent(integers_[s.source + k]);  // not 0: the result has an element
        source[k] = linear % extent;
        linear /= extent;
      }
      break;
    }
    case RelationStep::Kind::region:
      for (std::size_t k = 0; k < s.rank; ++k) set_integer(s.arguments[k], at[k]);
      if (!run_region(s.region)) return false;
      for (std::size_t k = 0; k < s.source_rank; ++k) {
        if (!check_observed(taint_[s.yields[k]], op, "a coordinate")) return false;
        source[k] = integer(s.yields[k]);
      }
      break;
  }
  std::copy(source, source + s.source_rank, at);
  return true;
}

bool Machine::reach_base(const AccessPlan& plan, OpId op, Integer* at) {
  std::int64_t extents[kMaxRank];
  for (std::size_t level = 0; level < plan.steps.size(); ++level) {
    const RelationStep& s = plan.steps[level];
    for (std::size_t k = 0; k < s.rank; ++k) extents[k] = clamp_extent(integers_[s.extents + k]);
    for (std::size_t k = 0; k < s.rank; ++k)
      if (at[k] < 0 || at[k] >= extents[k]) return outside(plan, level, op, at, {}, std::span(extents, s.rank));
    if (!follow_step(s, op, at)) return false;
  }
  if (plan.on_memory) {
    const std::vector<std::int64_t>& shape = memory_.view(plan.view).shape;
    for (std::size_t k = 0; k < shape.size(); ++k)
      if (at[k] < 0 || at[k] >= shape[k]) return outside(plan, plan.steps.size(), op, at, {}, shape);
    return true;
  }
  if (!tensors_[plan.tensor]) return fail(RuntimeErrorKind::unsupported, op, "a tensor without a value");
  const TensorValue& t = *tensors_[plan.tensor];
  for (std::size_t k = 0; k < t.shape.size(); ++k)
    if (at[k] < t.low[k] || at[k] >= t.low[k] + t.shape[k]) return outside(plan, plan.steps.size(), op, at, t.low, t.shape);
  return true;
}

bool Machine::read_coordinates(const AccessPlan& plan, OpId op, Integer* at) {
  for (std::size_t k = 0; k < plan.coordinates.size(); ++k) {
    const Slot s = plan.coordinates[k];
    if (taint_[s] && !check_observed(taint_[s], op, "a coordinate")) return false;
    at[k] = integer(s);
  }
  return true;
}

bool Machine::address_of(const AccessPlan& plan, OpId op, Integer* at, std::int64_t& address) {
  if (!reach_base(plan, op, at)) return false;
  const Memory::View& v = memory_.view(plan.view);
  address = 0;
  for (std::size_t k = 0; k < v.strides.size(); ++k) address += static_cast<std::int64_t>(at[k]) * v.strides[k];
  return true;
}

std::string Machine::base_name(const AccessPlan& plan) const {
  return plan.on_memory && plan.view < abi_.views.size() ? abi_.views[plan.view].name : value_name(plan.base);
}

std::string Machine::access_text(const AccessPlan& plan, OpId op) const {
  std::string at;
  for (std::size_t k = 0; k < plan.coordinates.size(); ++k) {
    const Slot s = plan.coordinates[k];
    at += fmt::format("{}{}", k ? ", " : "", code_.tile_shapes[s].empty() ? to_string(integer(s)) : "...");
  }
  return fmt::format("{} {}[{}]", verb(op), value_name(plan.outer), at);
}

std::string Machine::element_text(const AccessPlan& plan, OpId op, std::int64_t address) const {
  if (std::ranges::all_of(plan.coordinates, [&](Slot s) { return code_.tile_shapes[s].empty(); })) return access_text(plan, op);
  const Memory::View& v = memory_.view(plan.view);
  const auto at = coordinates_of(address, v.shape, v.strides);
  return at ? fmt::format("{} {}[{}]", verb(op), base_name(plan), fmt::join(*at, ", "))
            : fmt::format("{} {} at the offset {}", verb(op), base_name(plan), address);
}

bool Machine::fail_access(RuntimeErrorKind kind, OpId op, std::string message, std::string access) {
  fail(kind, op, std::move(message));
  error_->at.access = std::move(access);
  return false;
}

std::string Machine::rival(const RaceWitness& w) const {
  if (w.level < levels_.size()) {
    const LevelNames& names = levels_[w.level];
    const auto after = std::upper_bound(names.starts.begin(), names.starts.end(), w.stamp);
    // Beyond the remembered instances the last one's number would be a guess.
    if (after != names.starts.begin() && (after != names.starts.end() || names.starts.size() < kRememberedInstances))
      return names.name(static_cast<std::size_t>(after - names.starts.begin()) - 1);
  }
  return "another instance";
}

bool Machine::access_fault(AccessFault f, const RaceWitness& w, const AccessPlan& plan, OpId op, std::int64_t address,
                           const std::uint64_t* written) {
  switch (f) {
    case AccessFault::none: return true;
    case AccessFault::uninitialized:
      fail_access(RuntimeErrorKind::uninitialized_read, op,
                  fmt::format("{} reads an element of {} that was never written", access_text(plan, op), base_name(plan)),
                  element_text(plan, op, address));
      break;
    case AccessFault::skipped:
      return fail(RuntimeErrorKind::unsupported, op,
                  fmt::format("{} reads what a part that the replay left out may have written", access_text(plan, op)));
    case AccessFault::race: {
      const std::string other = rival(w);
      fail_access(RuntimeErrorKind::race, op,
                  fmt::format("{} races: {} {} the same element as this one", access_text(plan, op), other,
                              w.write ? "writes" : "reads"),
                  element_text(plan, op, address));
      error_->rival = other;
      error_->at.writes = written != nullptr;
      if (written != nullptr) error_->at.value = Scalar{memory_.view(plan.view).dtype, *written};
      for (std::size_t k = watched_.size(); k-- > 0 && !error_->earlier;)
        if (const RuntimeEvent& e = options_.watch->events[k]; watched_[k] == w.stamp && e.op == w.op && e.writes == w.write)
          error_->earlier = e;
      break;
    }
  }
  error_->element = MemoryElement{plan.view, address};
  return false;
}

void Machine::note_watched(const AccessPlan& plan, OpId op, std::int64_t address, bool writes, std::uint64_t word) {
  Watch& watch = *options_.watch;
  if (address != watch.element.address || watch.element.view >= memory_.view_count() ||
      memory_.view(plan.view).resource != memory_.view(watch.element.view).resource)
    return;
  if (watched_.size() == Watch::kMostEvents) {
    constexpr std::ptrdiff_t kHalf = Watch::kMostEvents / 2;
    watched_.erase(watched_.begin(), watched_.begin() + kHalf);
    watch.events.erase(watch.events.begin(), watch.events.begin() + kHalf);
  }
  watched_.push_back(memory_.order().now());
  watch.events.push_back({op, program_, tile_element_, variables(op), element_text(plan, op, address), writes,
                          Scalar{memory_.view(plan.view).dtype, word}});
}

bool Machine::read_memory(const AccessPlan& plan, std::int64_t address, OpId op, std::uint64_t& word) {
  RaceWitness w;
  const AccessFault f = memory_.load(plan.view, address, op, word, w);
  if (f != AccessFault::none) return access_fault(f, w, plan, op, address);
  note(plan, op, address, false, word);
  return count_step(op, memory_.take_work());
}

bool Machine::write_memory(const AccessPlan& plan, std::int64_t address, OpId op, std::uint64_t word) {
  RaceWitness w;
  const AccessFault f = memory_.store(plan.view, address, op, word, w);
  if (f != AccessFault::none) return access_fault(f, w, plan, op, address, &word);
  note(plan, op, address, true, word);
  return count_step(op, memory_.take_work());
}

// Any value will do; different ones make a leak visible even where taint is not followed.
void Machine::arbitrary(DType t, std::uint64_t& word) {
  word = random_scalar(t, 0x5eed + 2 * arbitrary_events_++, 1, true).bits;
}

bool Machine::read_element(const AccessPlan& plan, OpId op, DType t, Integer* at, std::uint64_t& word, Taint& taint,
                           double& radius) {
  if (!plan.on_memory) return read_tensor(plan, op, at, word, taint, radius);
  std::int64_t address = 0;
  if (!address_of(plan, op, at, address) || !read_memory(plan, address, op, word)) return false;
  taint = 0;
  radius = 0;
  if (bounds_) bounds_->load(t, memory_.radius(plan.view, address), taint, radius);
  return true;
}

bool Machine::load(const Instr& i) {
  const AccessPlan& plan = code_.accesses[i.plan];
  bool active = true;
  if (!predicate(plan.where, i.op, "the predicate of a load", active)) return false;
  radius_[i.dst] = 0;
  if (!active) {
    masked_result(i, plan.fill);
    return true;
  }
  Integer at[kMaxRank];
  if (!read_coordinates(plan, i.op, at)) return false;
  return read_element(plan, i.op, i.type, at, words_[i.dst], taint_[i.dst], radius_[i.dst]);
}

bool Machine::store(const Instr& i) {
  const AccessPlan& plan = code_.accesses[i.plan];
  bool active = true;
  if (!predicate(plan.where, i.op, "the predicate of a store", active)) return false;
  if (!active) return true;
  Integer at[kMaxRank];
  std::int64_t address = 0;
  if (!read_coordinates(plan, i.op, at) || !address_of(plan, i.op, at, address)) return false;
  if (!storable(plan.value, i.op, "the stored value") || !write_memory(plan, address, i.op, words_[plan.value])) return false;
  if (bounds_) bounds_->store(plan.view, address, taint_[plan.value], radius_[plan.value]);
  return true;
}

bool Machine::elem(const Instr& i) {
  const AccessPlan& plan = code_.accesses[i.plan];
  Integer at[kMaxRank];
  if (!read_coordinates(plan, i.op, at)) return false;
  return read_tensor(plan, i.op, at, words_[i.dst], taint_[i.dst], radius_[i.dst]);
}

}  // namespace kir
