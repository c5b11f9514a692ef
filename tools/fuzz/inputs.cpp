#include "tools/fuzz/inputs.h"

#include <algorithm>
#include <array>

namespace kir::fuzz {
namespace {

constexpr std::array<std::int64_t, 6> kExtents = {1, 2, 0, 7, 33, 128};

// `count` integers that never fall, from `lo` to `hi - 1`, the first and last at the ends.
void fill_offsets(Tensor& t, std::int64_t lo, std::int64_t hi, Choices& choices) {
  const std::int64_t count = t.element_count();
  std::vector<std::int64_t> cuts;
  for (std::int64_t i = 0; i < count; ++i)
    cuts.push_back(lo + static_cast<std::int64_t>(choices.below(static_cast<std::size_t>(hi - lo))));
  std::sort(cuts.begin(), cuts.end());
  if (count > 0 && !choices.once_in(3)) {
    cuts.front() = lo;
    cuts.back() = hi - 1;
  }
  for (std::int64_t i = 0; i < count; ++i) t.store(i, Scalar::of_int(t.dtype, cuts[static_cast<std::size_t>(i)]));
}

}  // namespace

std::optional<LaunchArgs> draw_arguments(const Kernel& kernel, Choices& choices, std::int64_t largest) {
  const Abi& abi = kernel.abi;
  LaunchArgs args;
  for (const SymbolInfo& s : abi.symbols) {
    const std::int64_t drawn = choices.pick(kExtents);
    args.symbols[s.name] = std::min(drawn, largest);
  }
  for (const ScalarParam& s : abi.scalars)
    args.scalars[s.name] = random_scalar(s.dtype, choices.below(1000), 0, choices.once_in(4));
  Diagnostics diagnostics;
  auto layout = resolve_layout(abi, args.symbols, diagnostics);
  if (!layout) return std::nullopt;
  const auto number = [&](Expr e) {
    const EvalResult got = evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
      auto it = layout->symbols.find(std::string(leaf.name()));
      return it == layout->symbols.end() ? std::nullopt : std::optional<Integer>(it->second);
    });
    return static_cast<std::int64_t>(got.value);
  };
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    const ViewParam& v = abi.views[i];
    auto t = std::make_shared<Tensor>(Tensor::strided(v.dtype, layout->views[i].shape, layout->views[i].strides));
    fill_random(*t, choices.below(1u << 16), choices.once_in(3));
    std::int64_t lo = 0, hi = 0;
    bool ranged = false, rising = false;
    for (const DataFact& f : abi.data) {
      if (f.view != i) continue;
      rising = rising || f.kind == DataFactKind::nondecreasing;
      if (f.kind != DataFactKind::in_range) continue;
      ranged = true;
      lo = number(f.lo);
      hi = number(f.hi);
    }
    if (ranged && hi <= lo && t->element_count() > 0) return std::nullopt;
    if (ranged && t->element_count() > 0) {
      if (rising)
        fill_offsets(*t, lo, hi, choices);
      else
        for (std::int64_t k = 0; k < t->element_count(); ++k)
          t->store(k,
                   Scalar::of_int(t->dtype, lo + static_cast<std::int64_t>(choices.below(static_cast<std::size_t>(hi - lo)))));
    }
    args.views[v.name] = std::move(t);
  }
  return args;
}

}  // namespace kir::fuzz
