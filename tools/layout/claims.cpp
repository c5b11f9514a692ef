#include "tools/layout/claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kir::tools {
namespace {

using layout::By;
using layout::Decision;
using layout::Outcome;

Decision by_definition(bool holds, std::string why) {
  return {holds ? Outcome::proved : Outcome::refuted, By::definition, {}, std::move(why)};
}

Decision admissible(const layout::Layout& l, const layout::Shape& shape) {
  const std::string size = l.tile.size().text();
  if (shape.empty()) return by_definition(true, fmt::format("every shape of {} elements", size));
  std::vector<std::string> extents;
  for (const layout::Size& e : shape) extents.push_back(e.text());
  const bool holds = admits(l.tile, shape);
  return by_definition(
      holds, fmt::format("({}) has {}the {} elements of the layout", fmt::join(extents, ", "), holds ? "" : "not ", size));
}

Decision scope(const layout::Layout& l) {
  const auto span = scope_of(l.tile);
  if (!span) return by_definition(false, span.error());
  if (!*span) return by_definition(true, "no thread axis");
  return by_definition(true, fmt::format("{}s of a {}", name_of((*span)->inner), name_of((*span)->outer)));
}

}  // namespace

std::vector<Claim> claims_of(const layout::Layout& l, const layout::Shape& shape) {
  std::vector<Claim> out;
  out.push_back({"admissible", "the layout admits the shape", true, admissible(l, shape)});
  out.push_back({"injective", "different elements have different base places", true, injective(l)});
  out.push_back({"exclusive", "no place holds copies of two elements", true, exclusive(l)});
  out.push_back({"replica-consistent", "the copies of an element lie at different places", true, replica_consistent(l)});
  out.push_back({"scope", "the thread axes connect to one scope", true, scope(l)});
  out.push_back({"covering", "the places fill the box that they span", false, covering(l)});
  return out;
}

}  // namespace kir::tools
