#include "tools/fuzz/inputs.h"

#include <algorithm>
#include <array>

#include "core/interp/launch_data.h"

namespace kir::fuzz {
namespace {

constexpr std::array<std::int64_t, 6> kExtents = {1, 2, 0, 7, 33, 128};

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
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    const ViewParam& v = abi.views[i];
    auto t = std::make_shared<Tensor>(Tensor::strided(v.dtype, layout->views[i].shape, layout->views[i].strides));
    fill_random(*t, choices.below(1u << 16), choices.once_in(3));
    if (!arrange_data(abi, i, layout->symbols, choices.below(1u << 16), *t)) return std::nullopt;
    args.views[v.name] = std::move(t);
  }
  return args;
}

}  // namespace kir::fuzz
