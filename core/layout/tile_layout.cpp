#include "core/layout/tile_layout.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/check.h"

namespace kir::layout {

namespace {

Size product(const std::vector<Iter>& iters) {
  Size out = 1;
  for (const Iter& i : iters) out = out * i.extent;
  return out;
}

// What is wrong with iters that stand for "element" or "copy"; empty: nothing.
std::string fault(const std::vector<Iter>& iters, std::string_view counted) {
  for (const Iter& i : iters) {
    if (!i.extent.ok() || !i.stride.ok()) return "an extent or a stride does not fit 63 bits";
    if (!at_least(i.extent, 1))
      return fmt::format("the extent {} is not at least 1{}", i.extent.text(),
                         i.extent.is_constant() ? "" : " for all values of its symbols");
  }
  if (!product(iters).ok()) return fmt::format("the number of {} does not fit 63 bits", counted);
  return {};
}

// The sum of magnitudes on each axis bounds every coordinate and every step to one.
std::string fault_of_places(const std::vector<Iter>& shard, const std::vector<Iter>& replica,
                            const std::vector<Offset>& offset) {
  std::vector<Size> furthest(axes().size());
  const auto add = [&](Axis a, const Size& by) {
    if (!by.is_constant()) return by.ok();
    Size& sum = furthest[a.index()];
    sum = sum + (*by.constant() < 0 ? -by : by);
    return sum.ok();
  };
  for (const auto* iters : {&shard, &replica})
    for (const Iter& i : *iters)
      if (!add(i.axis, (i.extent - 1) * i.stride)) return fmt::format("places on axis {} do not fit 63 bits", i.axis.name());
  for (const Offset& o : offset)
    if (!add(o.axis, o.value)) return fmt::format("places on axis {} do not fit 63 bits", o.axis.name());
  return {};
}

}  // namespace

std::int64_t Place::operator[](Axis a) const {
  const auto at = std::ranges::lower_bound(coordinates_, a, {}, &std::pair<Axis, std::int64_t>::first);
  return at != coordinates_.end() && at->first == a ? at->second : 0;
}

void Place::add(Axis a, std::int64_t by) {
  if (by == 0) return;
  const auto at = std::ranges::lower_bound(coordinates_, a, {}, &std::pair<Axis, std::int64_t>::first);
  if (at == coordinates_.end() || at->first != a) {
    coordinates_.insert(at, {a, by});
    return;
  }
  at->second += by;
  if (at->second == 0) coordinates_.erase(at);
}

std::strong_ordering operator<=>(const Place& a, const Place& b) {
  auto i = a.coordinates_.begin(), j = b.coordinates_.begin();
  while (i != a.coordinates_.end() || j != b.coordinates_.end()) {
    // The first axis on which one of them is not 0.
    const bool only_a = j == b.coordinates_.end() || (i != a.coordinates_.end() && i->first < j->first);
    const bool only_b = i == a.coordinates_.end() || (j != b.coordinates_.end() && j->first < i->first);
    const std::int64_t x = only_b ? 0 : (i++)->second, y = only_a ? 0 : (j++)->second;
    if (x != y) return x <=> y;
  }
  return std::strong_ordering::equal;
}

std::string to_string(const Place& p) {
  std::string out;
  for (const auto& [axis, value] : p.coordinates()) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", axis.name(), value);
  return out.empty() ? "origin" : out;
}

Result<TileLayout> TileLayout::make(std::vector<Iter> shard, std::vector<Iter> replica, std::vector<Offset> offset) {
  if (std::string why = fault(shard, "elements"); !why.empty()) return Error(std::move(why));
  if (std::string why = fault(replica, "copies"); !why.empty()) return Error(std::move(why));
  if (std::string why = fault_of_places(shard, replica, offset); !why.empty()) return Error(std::move(why));
  TileLayout out;
  out.shard_ = std::move(shard);
  out.replica_ = std::move(replica);
  std::ranges::stable_sort(offset, {}, &Offset::axis);
  for (Offset& o : offset) {
    if (out.offset_.empty() || out.offset_.back().axis != o.axis) {
      out.offset_.push_back(std::move(o));
    } else {
      Size& sum = out.offset_.back().value;
      sum = sum + o.value;
      if (!sum.ok()) return Error(fmt::format("the offset on axis {} does not fit 63 bits", o.axis.name()));
    }
  }
  std::erase_if(out.offset_, [](const Offset& o) { return o.value.is(0); });
  return out;
}

Size TileLayout::offset_on(Axis a) const {
  const auto at = std::ranges::lower_bound(offset_, a, {}, &Offset::axis);
  return at != offset_.end() && at->axis == a ? at->value : Size(0);
}

bool TileLayout::is_constant() const {
  const auto constant = [](const Iter& i) { return i.extent.is_constant() && i.stride.is_constant(); };
  return std::ranges::all_of(shard_, constant) && std::ranges::all_of(replica_, constant) &&
         std::ranges::all_of(offset_, [](const Offset& o) { return o.value.is_constant(); });
}

std::vector<std::string> TileLayout::symbols() const {
  std::set<std::string> names;
  const auto add = [&](const Size& s) { std::ranges::move(s.symbols(), std::inserter(names, names.end())); };
  for (const auto* iters : {&shard_, &replica_})
    for (const Iter& i : *iters) add(i.extent), add(i.stride);
  for (const Offset& o : offset_) add(o.value);
  return {names.begin(), names.end()};
}

std::vector<Axis> TileLayout::axes() const {
  std::set<Axis> out;
  for (const auto* iters : {&shard_, &replica_})
    for (const Iter& i : *iters) out.insert(i.axis);
  for (const Offset& o : offset_) out.insert(o.axis);
  return {out.begin(), out.end()};
}

Size TileLayout::size() const { return product(shard_); }
Size TileLayout::copies() const { return product(replica_); }

Size TileLayout::size(Axis a) const {
  Size out = 1;
  for (const Iter& i : shard_)
    if (i.axis == a) out = out * i.extent;
  return out;
}

Size TileLayout::span(Axis a) const {
  Size out = offset_on(a) + 1;
  for (const auto* iters : {&shard_, &replica_})
    for (const Iter& i : *iters) {
      if (i.axis != a || i.extent.is(1)) continue;
      if (at_least(i.stride, 0))
        out = out + (i.extent - 1) * i.stride;
      else if (!at_least(-i.stride, 0))
        return Size::overflowed();
    }
  return out;
}

Size TileLayout::span() const {
  Size out = 1;
  for (const Axis a : axes())
    if (a.is_memory()) out = out + (span(a) - 1);
  return out;
}

TileLayout::Reach TileLayout::reach(Axis a) const {
  KIR_CHECK(is_constant(), "the reach of a layout with symbols");
  Reach out{*offset_on(a).constant(), *offset_on(a).constant()};
  for (const auto* iters : {&shard_, &replica_})
    for (const Iter& i : *iters) {
      if (i.axis != a) continue;
      const std::int64_t furthest = *((i.extent - 1) * i.stride).constant();
      (furthest < 0 ? out.low : out.high) += furthest;
    }
  return out;
}

Result<TileLayout> TileLayout::bind(const Binding& binding) const {
  for (const auto& [name, value] : binding)
    if (value < 1) return Error(fmt::format("{} = {}: sizes are at least 1", name, value));
  std::vector<Iter> shard = shard_, replica = replica_;
  std::vector<Offset> offset = offset_;
  for (auto* iters : {&shard, &replica})
    for (Iter& i : *iters) i.extent = i.extent.substitute(binding), i.stride = i.stride.substitute(binding);
  for (Offset& o : offset) o.value = o.value.substitute(binding);
  return make(std::move(shard), std::move(replica), std::move(offset));
}

}  // namespace kir::layout
