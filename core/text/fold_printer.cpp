// Reductions, scans and contractions.
#include <fmt/format.h>

#include "core/ir/fold.h"
#include "core/ir/op_table.h"
#include "core/text/body_printer.h"

namespace kir::text {

std::string BodyPrinter::identity(const Op& o) const {
  const ScalarList* list = o.attrs.find<ScalarList>(AttrKey::identity);
  if (!list) return {};
  std::string s = o.attrs.has(AttrKey::identity_assumed) ? " identity assumed (" : " identity (";
  for (std::size_t i = 0; i < list->size(); ++i) s += (i ? ", " : "") + literal_text((*list)[i]);
  return s + ")";
}

// "(a: f32, b: f32) { ... }"
std::string BodyPrinter::combine(RegionId r, int indent) const {
  std::string s = "(";
  const Region& region = body_.region(r);
  for (std::size_t i = 0; i < region.args.size(); ++i)
    s += fmt::format("{}{}: {}", i ? ", " : "", value(region.args[i]), type(body_.type(region.args[i])));
  s += ") ";
  this->region(r, indent, s);
  return s;
}

std::string BodyPrinter::init(const Op& o) const {
  return o.operands.empty() ? std::string() : " init (" + list(o.operands) + ")";
}

std::string BodyPrinter::fold(const Op& o, RegionId combined, int indent) const {
  return fmt::format(" combine order({}) {}{}{}", name(o.attrs.get<Order>(AttrKey::order)), combine(combined, indent),
                     identity(o), init(o));
}

std::string BodyPrinter::block(std::string_view word, RegionId r, int indent) const {
  std::string s = fmt::format(" {} ", word);
  region(r, indent, s);
  return s;
}

std::string BodyPrinter::reduce(const Op& o, int indent) const {
  std::string s = fmt::format("{} {}", row(o.kind).name, domain(o, body_.region(o.regions[0]), true));
  if (o.regions.size() > 2) s += block("where", o.regions[2], indent);
  return s + block("map", o.regions[0], indent) + fold(o, o.regions[1], indent);
}

std::string BodyPrinter::arg_reduce(const Op& o, int indent) const {
  std::string s = fmt::format("{} {} tie({}) nan({}) {}", row(o.kind).name, name(o.attrs.get<Extreme>(AttrKey::extreme)),
                              name(o.attrs.get<TieRule>(AttrKey::tie)), name(o.attrs.get<NanRule>(AttrKey::nan)),
                              domain(o, body_.region(o.regions[0]), true));
  if (o.regions.size() > 1) s += block("where", o.regions[1], indent);
  return s + block("map", o.regions[0], indent) + init(o);
}

std::string BodyPrinter::scan(const Op& o, int indent) const {
  return fmt::format("{} {} {} {}", row(o.kind).name, name(o.attrs.get<Inclusion>(AttrKey::inclusion)),
                     name(o.attrs.get<Direction>(AttrKey::direction)), domain(o, body_.region(o.regions[0]), true)) +
         block("map", o.regions[0], indent) + fold(o, o.regions[1], indent) +
         (o.regions.size() > 2 ? " result " + combine(o.regions[2], indent) : std::string());
}

std::string BodyPrinter::contract(const Op& o, int indent) const {
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  const ContractAxes n = *contract_axes(o);
  auto axes = [&](std::size_t side, std::size_t argument, std::size_t first, std::size_t count) {
    std::string s;
    for (std::size_t k = 0; k < count; ++k)
      s += fmt::format("{}{} in {}..{}", k ? ", " : "", binder(body_.region(o.regions[side]).args[argument + k]),
                       expr(ranges[2 * (first + k)]), expr(ranges[2 * (first + k) + 1]));
    return s;
  };
  std::string s = fmt::format("{} batch({}) free({} | {}) paired({})", row(o.kind).name, axes(0, 0, 0, n.batch),
                              axes(0, n.batch, n.batch, n.left), axes(1, n.batch, n.batch + n.left, n.right),
                              axes(0, n.batch + n.left, n.batch + n.left + n.right, n.paired));
  s += block("lhs", o.regions[0], indent) + block("rhs", o.regions[1], indent) + " product ";
  if (o.regions.size() > 2) return s + combine(o.regions[2], indent) + fold(o, o.regions[3], indent);
  s += fmt::format("exact accumulate {} order({})", name(body_.type(o.results[0]).dtype),
                   name(o.attrs.get<Order>(AttrKey::order)));
  if (const Scalar* unit = o.attrs.find<Scalar>(AttrKey::unit)) s += " unit(" + literal_text(*unit) + ")";
  return s + identity(o) + init(o);
}

}  // namespace kir::text
