#include "core/layout/bounded.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace kir::layout {
namespace {

Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// x with a * x = 1 mod m; a and m without common divisor, m >= 1.
Wide inverse(Wide a, Wide m) {
  Wide r0 = m, r1 = a % m, x0 = 0, x1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    x0 = std::exchange(x1, x0 - q * x1);
  }
  return (x0 % m + m) % m;
}

class Search {
 public:
  Search(std::span<const BoundedTerm> terms, std::int64_t& budget) : terms_(terms), budget_(budget), values_(terms.size()) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      values_[i] = terms[i].low;
      feasible_ = feasible_ && terms[i].low <= terms[i].high;
      if (terms[i].stride != 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return magnitude(terms[i].stride); });
    // Terms of one magnitude are one step: their values, those of negative strides negated, make up every sum between the ends.
    for (const std::size_t i : order) {
      if (steps_.empty() || steps_.back().stride != magnitude(terms[i].stride)) steps_.push_back({magnitude(terms[i].stride)});
      Step& s = steps_.back();
      s.terms.push_back(i);
      s.low += terms[i].stride < 0 ? -Wide(terms[i].high) : Wide(terms[i].low);
      s.high += terms[i].stride < 0 ? -Wide(terms[i].low) : Wide(terms[i].high);
    }
    for (std::size_t i = steps_.size(); i-- > 1;) {
      const Step& s = steps_[i];
      Step& larger = steps_[i - 1];
      larger.rest_low = s.rest_low + s.stride * s.low;
      larger.rest_high = s.rest_high + s.stride * s.high;
      larger.rest_divisor = std::gcd(s.rest_divisor, static_cast<std::int64_t>(s.stride));
    }
  }

  Solved run(Wide target) {
    Solved out;
    const bool found = feasible_ && descend(0, target);
    out.exhausted = found || budget_ >= 0;
    if (found) out.values = values_;
    return out;
  }

 private:
  struct Step {
    Wide stride;
    std::vector<std::size_t> terms = {};
    Wide low = 0, high = 0;
    Wide rest_low = 0, rest_high = 0;  // what the later steps reach
    std::int64_t rest_divisor = 0;     // of all they reach
  };

  static Wide magnitude(std::int64_t stride) { return stride < 0 ? -Wide(stride) : Wide(stride); }

  bool descend(std::size_t at, Wide target) {
    if (at == steps_.size()) return target == 0;
    if (--budget_ < 0) return false;
    const Step& s = steps_[at];
    Wide low = std::max(s.low, -floor_div(s.rest_high - target, s.stride));
    const Wide high = std::min(s.high, floor_div(target - s.rest_low, s.stride));
    // v * stride = target modulo the divisor of the rest: v = first modulo `every`.
    const Wide shared = s.rest_divisor ? Wide(std::gcd(static_cast<std::int64_t>(s.stride), s.rest_divisor)) : s.stride;
    if (target % shared != 0) return false;
    const Wide every = s.rest_divisor ? s.rest_divisor / shared : 1;
    const Wide first = (target / shared % every + every) % every * inverse(s.stride / shared, every) % every;
    low += ((first - low) % every + every) % every;
    for (Wide v = low; v <= high; v += every) {
      if (descend(at + 1, target - v * s.stride)) {
        share_out(s, v - s.low);
        return true;
      }
      if (budget_ < 0) return false;
    }
    return false;
  }

  // The step's value is this much above the least one.
  void share_out(const Step& s, Wide above) {
    for (const std::size_t i : s.terms) {
      const BoundedTerm& t = terms_[i];
      const auto take = static_cast<std::int64_t>(std::min<Wide>(above, Wide(t.high) - t.low));
      values_[i] = t.stride < 0 ? t.high - take : t.low + take;
      above -= take;
    }
  }

  const std::span<const BoundedTerm> terms_;
  std::int64_t& budget_;
  std::vector<std::int64_t> values_;
  std::vector<Step> steps_;
  bool feasible_ = true;
};

}  // namespace

Solved solve_bounded(std::span<const BoundedTerm> terms, Wide target, std::int64_t& budget) {
  return Search(terms, budget).run(target);
}

std::optional<Sums> Sums::make(std::span<const BoundedTerm> terms, std::int64_t origin, std::int64_t limit) {
  Sums out;
  for (const BoundedTerm& t : terms) {
    origin += t.low * t.stride;
    out.low_.push_back(t.low);
  }
  out.layers_.push_back({origin});
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].stride == 0) continue;
    // Every number up to n is a sum of some of 1, 2, 4, ... and the rest.
    std::int64_t left = terms[i].high - terms[i].low;
    for (std::int64_t times = 1; left > 0; left -= times, times = std::min(2 * times, std::max<std::int64_t>(left, 1))) {
      const std::int64_t by = times * terms[i].stride;
      const std::vector<std::int64_t>& before = out.layers_.back();
      std::vector<std::int64_t> moved, after;
      for (std::int64_t v : before) moved.push_back(v + by);
      std::ranges::set_union(before, moved, std::back_inserter(after));
      if (static_cast<std::int64_t>(after.size()) > limit) return std::nullopt;
      out.steps_.push_back({i, times, by});
      out.layers_.push_back(std::move(after));
    }
  }
  return out;
}

bool Sums::contains(std::int64_t value) const { return std::ranges::binary_search(values(), value); }

std::vector<std::int64_t> Sums::terms_of(std::int64_t value) const {
  KIR_CHECK(contains(value), "{} is no sum of the terms", value);
  std::vector<std::int64_t> out = low_;
  for (std::size_t i = steps_.size(); i-- > 0;)
    if (!std::ranges::binary_search(layers_[i], value)) {
      out[steps_[i].term] += steps_[i].times;
      value -= steps_[i].by;
    }
  return out;
}

}  // namespace kir::layout
