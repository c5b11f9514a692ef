#include "core/layout/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/layout/decide_parts.h"

namespace kir::layout {

std::string_view name_of(By by) {
  switch (by) {
    case By::definition: return "definition";
    case By::stride: return "stride";
    case By::rank: return "F2 rank";
    case By::enumeration: return "enumeration";
    case By::solver: return "solver";
  }
  KIR_UNREACHABLE("procedure");
}

std::string to_string(const Witness& w) {
  const auto copy = [](const std::vector<std::int64_t>& digits) {
    return digits.empty() ? std::string() : fmt::format(" (copy {})", fmt::join(digits, ","));
  };
  std::string out;
  if (w.x == Witness::kNone)
    out = "no element";
  else if (w.y == Witness::kNone)
    out = fmt::format("element {}{}", w.x, copy(w.copy_x));
  else
    out = fmt::format("elements {}{} and {}{}", w.x, copy(w.copy_x), w.y, copy(w.copy_y));
  out += " at " + to_string(w.place);
  const char* separator = ", with ";
  for (const auto& [name, value] : w.sizes) {
    out += fmt::format("{}{} = {}", separator, name, value);
    separator = ", ";
  }
  return out;
}

Place copy_place(const Layout& l, std::int64_t x, const std::vector<std::int64_t>& copy) {
  Place p = base_place(l.tile, x);
  for (std::size_t i = 0; i < copy.size(); ++i) p.add(l.tile.replica()[i].axis, copy[i] * number(l.tile.replica()[i].stride));
  if (l.swizzle) p.add(Axis::memory(), (*l.swizzle)(p[Axis::memory()]) - p[Axis::memory()]);
  return p;
}

Decision proved(By by, std::string why) { return {Outcome::proved, by, {}, std::move(why)}; }
Decision undecided(std::string why) { return {Outcome::undecided, By::definition, {}, std::move(why)}; }
Decision refuted(By by, Witness witness, std::string why) {
  why += to_string(witness);
  return {Outcome::refuted, by, std::move(witness), std::move(why)};
}

std::optional<Decision> refuted_at_small_sizes(const std::vector<std::string>& symbols,
                                               const std::function<Decision(const Binding&)>& decide) {
  constexpr std::int64_t kValues[] = {1, 2, 3, 4, 5, 7, 8, 16};
  constexpr std::size_t kMostInstances = 128;
  if (symbols.empty()) return std::nullopt;
  const auto instances = [&](std::size_t values) {
    std::size_t n = 1;
    for (std::size_t i = 0; i < symbols.size() && n <= kMostInstances; ++i) n *= values;
    return n;
  };
  std::size_t values = std::size(kValues);
  while (values > 2 && instances(values) > kMostInstances) --values;
  for (std::size_t instance = 0; instance < std::min(instances(values), kMostInstances); ++instance) {
    Binding sizes;
    std::size_t rest = instance;
    for (const std::string& s : symbols) {
      sizes[s] = kValues[rest % values];
      rest /= values;
    }
    Decision d = decide(sizes);
    if (d.outcome != Outcome::refuted) continue;
    const std::size_t before = to_string(*d.witness).size();
    d.witness->sizes = std::move(sizes);
    d.why += to_string(*d.witness).substr(before);
    return d;
  }
  return std::nullopt;
}

std::vector<std::string> symbols_of(const TileLayout& a, const TileLayout& b) {
  std::set<std::string> out;
  for (const TileLayout* l : {&a, &b})
    for (std::string& s : l->symbols()) out.insert(std::move(s));
  return {out.begin(), out.end()};
}

std::int64_t number(const Size& s) {
  KIR_CHECK(s.is_constant(), "{} has no value", s.text());
  return *s.constant();
}

std::int64_t flat_of(std::span<const Iter> iters, const std::vector<std::int64_t>& digits) {
  std::int64_t flat = 0;
  for (std::size_t k = 0; k < iters.size(); ++k) flat = flat * number(iters[k].extent) + digits[k];
  return flat;
}

AxisTerms terms_on(const TileLayout& l, Axis a) {
  AxisTerms out;
  out.origin = number(l.offset_on(a));
  const auto add = [&](const std::vector<Iter>& iters, std::vector<std::size_t>& from) {
    for (std::size_t k = 0; k < iters.size(); ++k) {
      if (iters[k].axis != a || iters[k].extent.is(1) || iters[k].stride.is(0)) continue;
      out.terms.push_back({number(iters[k].stride), 0, number(iters[k].extent) - 1});
      from.push_back(k);
    }
  };
  add(l.shard(), out.shard);
  add(l.replica(), out.replica);
  return out;
}

void AxisTerms::put(const std::vector<std::int64_t>& values, std::vector<std::int64_t>& x,
                    std::vector<std::int64_t>& copy) const {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i < shard.size())
      x[shard[i]] = values[i];
    else
      copy[replica[i - shard.size()]] = values[i];
}

}  // namespace kir::layout
