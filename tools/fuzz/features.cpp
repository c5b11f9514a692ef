// The table of what a campaign covered.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "tools/fuzz/campaign.h"

namespace kir::fuzz {
namespace {

std::string_view name_of(Family f) {
  switch (f) {
    case Family::pointwise: return "pointwise";
    case Family::memory: return "memory";
    case Family::tensor: return "tensor";
    case Family::control: return "control";
    case Family::reduce: return "reduce";
    case Family::scan: return "scan";
    case Family::region: return "region";
    case Family::contract: return "contract";
    case Family::histogram: return "histogram";
    case Family::atomic: return "atomic";
    case Family::rng: return "rng";
    case Family::gather: return "gather";
    case Family::buffer: return "buffer";
    case Family::fragment: return "fragment";
  }
  KIR_UNREACHABLE("family");
}

}  // namespace

std::string features_markdown(const Campaign& campaign) {
  // Families and rows in the order of the operation table; what stands at the top level first.
  using Cell = std::map<int, std::uint64_t>;  // by Feature::axes
  std::map<std::optional<Family>, std::map<OpKind, Cell>> columns;
  for (const auto& [f, n] : campaign.features) {
    const OpRow *op = find_op(f.operation), *around = find_op(f.around);
    if (!op) continue;
    columns[around ? std::optional(around->family) : std::nullopt][op->kind][f.axes] += n;
  }
  std::string out = "| operation | family |", rule = "|---|---|";
  for (const auto& [family, cells] : columns) {
    out += fmt::format(" {} |", family ? name_of(*family) : "top level");
    rule += "---|";
  }
  out += "\n" + rule + "\n";
  for (const OpRow& r : op_table()) {
    if (std::ranges::none_of(columns, [&](const auto& c) { return c.second.contains(r.kind); })) continue;
    out += fmt::format("| `{}` | {} |", r.name, name_of(r.family));
    for (auto& [family, cells] : columns) {
      std::string text;
      if (const auto cell = cells.find(r.kind); cell != cells.end())
        for (const auto& [axes, n] : cell->second)
          text += fmt::format(" {}:{}", axes == Feature::kNothing ? "-" : fmt::format("{}", axes), n);
      out += text + " |";
    }
    out += "\n";
  }
  return out;
}

}  // namespace kir::fuzz
