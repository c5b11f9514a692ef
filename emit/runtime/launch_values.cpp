#include "emit/runtime/launch_values.h"

#include <fmt/format.h>

#include <limits>

namespace kir::runtime {
namespace {

std::string_view describe(EvalError e) {
  switch (e) {
    case EvalError::none: return "no error";
    case EvalError::unbound_leaf: return "an unknown name";
    case EvalError::zero_divisor: return "a division by zero";
    case EvalError::overflow: return "an overflow";
  }
  return "an error";
}

}  // namespace

std::string evaluate_launch(const Abi& abi, const std::vector<Definition>& definitions, const std::string& grid,
                            const WorkspaceSize& workspace, const std::map<std::string, std::int64_t>& symbols,
                            LaunchValues* out) {
  std::map<std::string, std::int64_t, std::less<>> known(symbols.begin(), symbols.end());
  auto leaf = [&](Expr e) -> std::optional<Integer> {
    if (!e.is(ExprKind::symbol)) return std::nullopt;
    auto it = known.find(e.name());
    return it == known.end() ? std::nullopt : std::optional<Integer>(it->second);
  };
  LaunchValues values;
  for (const SymbolInfo& s : abi.symbols) {
    auto it = symbols.find(s.name);
    if (it == symbols.end()) return fmt::format("{} has no value", s.name);
    values.integers.push_back(it->second);
    for (bool upper : {false, true}) {
      Expr bound = upper ? s.hi : s.lo;
      if (bound == Expr()) continue;
      EvalResult r = evaluate(bound, leaf);
      if (!r.ok()) return fmt::format("the declared range of {}: {} in {}", s.name, describe(r.error), to_string(bound));
      if (upper ? it->second > r.value : it->second < r.value)
        return fmt::format("{} = {} is {} its declared bound {} = {}", s.name, it->second, upper ? "above" : "below",
                           to_string(bound), to_string(r.value));
    }
  }
  bool found = false;
  for (const Definition& d : definitions) {
    EvalResult r = evaluate(d.value, leaf);
    if (!r.ok()) return fmt::format("{} = {}: {} in {}", d.name, to_string(d.value), describe(r.error), to_string(r.where));
    if (r.value < 0 || r.value > std::numeric_limits<std::int64_t>::max())
      return fmt::format("{} = {} is {}, outside [0, 2^63)", d.name, to_string(d.value), to_string(r.value));
    const auto v = static_cast<std::int64_t>(r.value);
    known[d.name] = v;
    values.integers.push_back(v);
    if (d.name != grid) continue;
    found = true;
    values.grid = v;
    if (v > kMaxGrid) return fmt::format("the grid {} = {} is {}, above {}", d.name, to_string(d.value), v, kMaxGrid);
  }
  if (!found) return fmt::format("the grid {} is not defined", grid);
  constexpr Integer kMost = std::numeric_limits<std::int64_t>::max();
  for (Expr bytes : workspace.shared) {
    values.shared.push_back(values.slices);
    EvalResult r = evaluate(bytes, leaf);
    const Integer rounded = kWorkspaceAlignment - 1;
    if (!r.ok() || r.value < 0 || r.value > kMost - rounded - values.slices)
      return fmt::format("a buffer of the workspace, {} bytes, has no place in [0, 2^63)", to_string(bytes));
    values.slices += static_cast<std::int64_t>((r.value + rounded) / kWorkspaceAlignment * kWorkspaceAlignment);
  }
  if (workspace.slice) {
    EvalResult r = evaluate(workspace.slice, leaf);
    if (!r.ok() || r.value < 0 || r.value > kMost)
      return fmt::format("the workspace of a program instance, {} bytes, has no size in [0, 2^63)", to_string(workspace.slice));
    values.slice = static_cast<std::int64_t>(r.value);
  }
  *out = std::move(values);
  return "";
}

void append_workspace(const WorkspaceSize& workspace, const LaunchValues& values, std::uint64_t begin,
                      std::vector<std::uint64_t>& arguments) {
  for (std::int64_t offset : values.shared) arguments.push_back(begin + static_cast<std::uint64_t>(offset));
  if (!workspace.slice) return;
  arguments.push_back(begin + static_cast<std::uint64_t>(values.slices));
  arguments.push_back(static_cast<std::uint64_t>(values.slice));
}

}  // namespace kir::runtime
