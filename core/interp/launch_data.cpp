#include "core/interp/launch_data.h"

#include <fmt/format.h>

#include <algorithm>

namespace kir {
namespace {

Integer as_integer(const Scalar& s) {
  if (s.type == DType::i1) return s.bits != 0;
  return s.type == DType::u64 ? static_cast<Integer>(s.as_unsigned()) : s.as_signed();
}

// The elements of one view in row-major order.
class Elements {
 public:
  Elements(const std::string& name, const Tensor& t) : name_(name), t_(t) {}
  // 2^63 - 1 stands for more.
  std::int64_t count() const {
    Integer n = 1;
    for (std::int64_t e : t_.shape) {
      if (e == 0) return 0;
      n = std::min<Integer>(n * e, INT64_MAX);
    }
    return static_cast<std::int64_t>(n);
  }
  std::vector<std::int64_t> at(std::int64_t element) const {
    std::vector<std::int64_t> out(t_.shape.size());
    for (std::size_t k = out.size(); k-- > 0; element /= t_.shape[k]) out[k] = element % t_.shape[k];
    return out;
  }
  Integer operator[](std::int64_t element) const { return as_integer(t_.load(t_.address(at(element)))); }
  std::string text(std::int64_t element) const { return fmt::format("{}[{}]", name_, fmt::join(at(element), ", ")); }

 private:
  const std::string& name_;
  const Tensor& t_;
};

// What breaks the precondition, or "".
std::string broken(const DataFact& f, const Elements& v, Integer lo, Integer hi) {
  const std::int64_t n = v.count();
  if (n > max_launch_bytes()) return "it has more elements than this machine can go through";
  switch (f.kind) {
    case DataFactKind::nondecreasing:
      for (std::int64_t i = 1; i < n; ++i)
        if (v[i] < v[i - 1])
          return fmt::format("{} is {}, but {} is {}", v.text(i - 1), to_string(v[i - 1]), v.text(i), to_string(v[i]));
      return {};
    case DataFactKind::in_range:
      for (std::int64_t i = 0; i < n; ++i)
        if (v[i] < lo || v[i] >= hi)
          return fmt::format("{} is {}, outside [{}, {})", v.text(i), to_string(v[i]), to_string(lo), to_string(hi));
      return {};
    case DataFactKind::unique: {
      std::vector<std::pair<Integer, std::int64_t>> sorted;
      for (std::int64_t i = 0; i < n; ++i) sorted.emplace_back(v[i], i);
      std::sort(sorted.begin(), sorted.end());
      std::int64_t first = -1, second = n;  // the pair whose later element comes first
      for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].first == sorted[i - 1].first && sorted[i].second < second) {
          first = sorted[i - 1].second;
          second = sorted[i].second;
        }
      if (first < 0) return {};
      return fmt::format("{} and {} are both {}", v.text(first), v.text(second), to_string(v[first]));
    }
  }
  return "it is of an unknown kind";
}

std::optional<Integer> value(Expr e, const std::map<std::string, std::int64_t>& symbols) {
  if (e == Expr()) return 0;
  const EvalResult r = evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
    auto it = leaf.is(ExprKind::symbol) ? symbols.find(leaf.name()) : symbols.end();
    return it == symbols.end() ? std::nullopt : std::optional<Integer>(it->second);
  });
  return r.error == EvalError::none ? std::optional<Integer>(r.value) : std::nullopt;
}

// SplitMix64 (Steele, Lea, Flood 2014): a function of the state alone, equal on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::int64_t below(std::int64_t n) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::int64_t>((z ^ (z >> 31)) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_;
};

}  // namespace

bool check_data(const Abi& abi, const std::vector<TensorPtr>& views, const std::map<std::string, std::int64_t>& symbols,
                Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  for (const DataFact& f : abi.data) {
    const ViewParam& p = abi.views[f.view];
    const std::string text = data_text(abi, f);
    const std::optional<Integer> lo = value(f.lo, symbols), hi = value(f.hi, symbols);
    const std::string why = lo && hi ? broken(f, Elements(p.name, *views[f.view]), *lo, *hi) : "a bound has no value";
    if (!why.empty()) diagnostics.error("A-16", f.range, fmt::format("the precondition {} does not hold: {}", text, why));
  }
  return diagnostics.error_count() == before;
}

bool arrange_data(const Abi& abi, std::size_t view, const std::map<std::string, std::int64_t>& symbols, std::uint64_t seed,
                  Tensor& t) {
  std::int64_t lo = -3, hi = 9;
  bool any = false, sorted = false, different = false, bounded = false;
  for (const DataFact& f : abi.data) {
    if (f.view != view) continue;
    any = true;
    sorted |= f.kind == DataFactKind::nondecreasing;
    different |= f.kind == DataFactKind::unique;
    if (f.kind != DataFactKind::in_range) continue;
    const auto from = value(f.lo, symbols), to = value(f.hi, symbols);
    if (!from || !to) return false;
    auto in_64_bits = [](Integer v) { return static_cast<std::int64_t>(std::clamp<Integer>(v, INT64_MIN, INT64_MAX)); };
    lo = bounded ? std::max(lo, in_64_bits(*from)) : in_64_bits(*from);
    hi = bounded ? std::min(hi, in_64_bits(*to)) : in_64_bits(*to);
    bounded = true;
  }
  const std::int64_t n = Elements(abi.views[view].name, t).count();
  if (!any || n == 0) return true;
  const Integer room = std::max<Integer>(0, Integer{hi} - lo);
  if (n > max_launch_bytes() || (bounded && (room == 0 || (different && room < n)))) return false;
  Random random(seed);
  std::vector<std::int64_t> values;
  if (different) {
    // Of the first candidates, more than there are elements where there is room, each at most once.
    std::vector<std::int64_t> candidates(static_cast<std::size_t>(bounded ? std::min<Integer>(room, 2 * n) : 2 * n));
    for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i] = lo + static_cast<std::int64_t>(i);
    for (std::size_t i = candidates.size(); i-- > 1;)
      std::swap(candidates[i], candidates[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
    values.assign(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(n));
  } else {
    const std::int64_t most = static_cast<std::int64_t>(std::min<Integer>(room, INT64_MAX));
    for (std::int64_t i = 0; i < n; ++i)
      values.push_back(random.below(4) == 0 ? hi - 1 : lo + random.below(std::max<std::int64_t>(most, 1)));
  }
  if (sorted) std::sort(values.begin(), values.end());
  const Elements elements(abi.views[view].name, t);
  for (std::int64_t i = 0; i < n; ++i)
    t.store(t.address(elements.at(i)), Scalar::of_int(t.dtype, values[static_cast<std::size_t>(i)]));
  return true;
}

}  // namespace kir
