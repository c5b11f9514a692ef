#include "tools/layout/json.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/layout/text.h"

namespace kir::tools {
namespace {

std::string_view verdict_of(layout::Outcome outcome) {
  switch (outcome) {
    case layout::Outcome::proved: return "PROVED";
    case layout::Outcome::refuted: return "REFUTED";
    case layout::Outcome::undecided: return "UNKNOWN";
  }
  KIR_UNREACHABLE("no such outcome");
}

}  // namespace

Json json_of(std::int64_t number) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (number > kExact || number < -kExact) return fmt::format("{}", number);
  return number;
}

Json json_of(const std::vector<std::int64_t>& numbers) {
  Json out = Json::array();
  for (std::int64_t n : numbers) out.push_back(json_of(n));
  return out;
}

Json json_of(const layout::Place& place) {
  Json out = Json::object();
  for (const auto& [axis, value] : place.coordinates()) out[std::string(axis.name())] = json_of(value);
  return out;
}

Json json_of(const layout::Witness& w, const Subject* subject) {
  Json out = Json::object();
  if (!w.sizes.empty())
    for (const auto& [name, value] : w.sizes) out["sizes"][name] = json_of(value);
  for (const auto& [name, element] : {std::pair("x", w.x), {"y", w.y}}) {
    if (element == layout::Witness::kNone) continue;
    out[name] = json_of(element);
    if (subject && element < subject->size()) out[std::string(name) + "_coordinate"] = json_of(subject->coordinate(element));
  }
  out["copy_x"] = json_of(w.copy_x);
  out["copy_y"] = json_of(w.copy_y);
  out["place"] = json_of(w.place);
  out["text"] = to_string(w);
  return out;
}

Json json_of(const Claim& claim, const Subject* subject) {
  Json out = {{"name", claim.name},
              {"title", claim.title},
              {"demanded", claim.demanded},
              {"verdict", verdict_of(claim.decision.outcome)},
              {"by", name_of(claim.decision.by)},
              {"why", claim.decision.why}};
  if (claim.decision.witness) out["witness"] = json_of(*claim.decision.witness, subject);
  return out;
}

Json json_of(const Complaint& complaint) {
  return {{"ok", false}, {"error", {{"field", complaint.field}, {"column", complaint.column}, {"message", complaint.message}}}};
}

Json json_of(const layout::Layout& l) {
  Json out = {{"text", to_string(l)}, {"size", l.tile.size().text()}, {"copies", l.tile.copies().text()}};
  out["symbols"] = l.tile.symbols();
  out["axes"] = Json::array();
  for (layout::Axis a : l.tile.axes()) {
    const layout::AxisRow& row = a.row();
    Json axis = {{"name", row.name}, {"class", name_of(row.cls)}, {"meaning", row.meaning}};
    axis["scope"] = row.scope ? Json(name_of(*row.scope)) : Json();
    axis["subscope"] = row.subscope ? Json(name_of(*row.subscope)) : Json();
    axis["size"] = l.tile.size(a).text();
    axis["span"] = l.tile.span(a).text();
    if (l.tile.is_constant()) {
      const layout::TileLayout::Reach reach = l.tile.reach(a);
      axis["low"] = json_of(reach.low);
      axis["high"] = json_of(reach.high);
    }
    out["axes"].push_back(std::move(axis));
  }
  return out;
}

}  // namespace kir::tools
