// Folds and scans over segments.
#include <fmt/format.h>

#include "core/ir/op_table.h"
#include "core/text/body_printer.h"

namespace kir::text {

std::string BodyPrinter::segment(RegionId r, int indent, bool with_arguments) const {
  const std::vector<ValueId>& args = body_.region(r).args;
  std::string s = fmt::format("[{}..{}] ", binder(args[0]), binder(args[1]));
  if (with_arguments) s += arguments(std::span(args).subspan(2)) + " ";
  region(r, indent, s);
  return s;
}

std::string BodyPrinter::arguments(std::span<const ValueId> args) const {
  std::string s = "(";
  for (std::size_t i = 0; i < args.size(); ++i)
    s += fmt::format("{}{}: {}", i ? ", " : "", value(args[i]), type(body_.type(args[i])));
  return s + ")";
}

std::string BodyPrinter::segments(const Op& o, int indent) const {
  const bool scan = o.kind == OpKind::region_scan;
  const ExprList& range = o.attrs.get<ExprList>(AttrKey::ranges);
  const std::size_t states = scan ? body_.yields(o.regions[2]).size() : 0, captures = o.operands.size() - states;
  const std::span<const ValueId> operands(o.operands);
  std::string s = fmt::format("{} [{}..{}]", row(o.kind).name, expr(range[0]), expr(range[1]));
  if (captures > 0) s += " uses (" + list(operands.first(captures)) + ")";
  if (scan) s += " init (" + list(operands.subspan(captures)) + ")";
  if (!scan && o.regions.size() > 2) {
    s += " where (" + binder(body_.region(o.regions[2]).args[0]) + ") ";
    region(o.regions[2], indent, s);
  }
  s += " summarize " + segment(o.regions[0], indent, false);
  s += fmt::format(" combine order({}) ", name(o.attrs.get<Order>(AttrKey::order))) + combine(o.regions[1], indent) +
       identity(o);
  if (!scan) return s;
  s += " apply " + arguments(body_.region(o.regions[2]).args) + " ";
  region(o.regions[2], indent, s);
  return s + " emit " + segment(o.regions[3], indent, true);
}

}  // namespace kir::text
