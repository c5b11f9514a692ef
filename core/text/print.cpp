#include <fmt/format.h>

#include "core/base/sha256.h"
#include "core/kir/plan.h"
#include "core/layout/text.h"
#include "core/text/body_printer.h"
#include "core/text/text.h"
#include "core/text/value_names.h"

namespace kir {
namespace {

text::BodyPrinter printer_of(const Kernel& k) {
  text::NamingRules rules;
  for (const SymbolInfo& s : k.abi.symbols) rules.taken.push_back(s.name);
  for (const Constexpr& c : k.constexprs) rules.taken.push_back(c.name);
  for (const ViewParam& v : k.abi.views) rules.fixed.push_back(v.value);
  for (const ScalarParam& s : k.abi.scalars) rules.fixed.push_back(s.value);
  return {k.body, text::value_names(k.body, std::span(&k.root, 1), rules), false, false};
}

text::BodyPrinter printer_of(const PhysicalProgram& p, bool origins) {
  text::NamingRules rules;
  rules.percent = true;
  for (const ViewParam& v : p.abi.views) rules.fixed.push_back(v.value);
  for (const ScalarParam& s : p.abi.scalars) rules.fixed.push_back(s.value);
  rules.fixed.insert(rules.fixed.end(), p.workspace.begin(), p.workspace.end());
  std::vector<RegionId> roots{p.root};
  for (const Group& g : p.groups) roots.push_back(g.region);
  return {p.body, text::value_names(p.body, roots, rules), true, origins};
}

}  // namespace

std::string print(const Kernel& k) {
  text::BodyPrinter printer = printer_of(k);
  std::string out = fmt::format("kernel {}{}", k.id(), printer.head(k.abi));
  printer.region(k.root, 0, out);
  return out + "\n";
}

std::string print(const Module& m) {
  std::string out = "kir 1\n";
  for (const auto& k : m.kernels) out += "\n" + print(*k);
  for (const auto& p : m.plans) out += "\n" + print(*p);
  return out;
}

std::string print(const PhysicalProgram& p, PrintOptions options) {
  text::BodyPrinter printer = printer_of(p, options.origins);
  std::string out = fmt::format("pir 1\nprogram {}", p.name);
  if (!p.implements.empty()) out += fmt::format(" implements \"{}\"", p.implements);
  out += "\nabi {\n";
  for (const Abi::Param& param : p.abi.params) switch (param.kind) {
      case Abi::ParamKind::view: {
        const ViewParam& v = p.abi.views[param.index];
        out += fmt::format("  {}: view {}{} {}", v.name, printer.view_shape(v), printer.strides(v), name(v.access));
        if (v.align) out += fmt::format(" align {}", v.align);
        out += "\n";
        break;
      }
      case Abi::ParamKind::scalar:
        out += fmt::format("  {}: {}\n", p.abi.scalars[param.index].name, name(p.abi.scalars[param.index].dtype));
        break;
      case Abi::ParamKind::symbol: out += fmt::format("  {}: index\n", p.abi.symbols[param.index].name); break;
    }
  if (!p.abi.symbols.empty()) {
    out += "  dims ";
    for (std::size_t i = 0; i < p.abi.symbols.size(); ++i) {
      const SymbolInfo& s = p.abi.symbols[i];
      out += fmt::format("{}{}: i64", i ? ", " : "", s.name);
      if (s.lo != Expr() && s.hi != Expr()) out += fmt::format(" in {}..={}", printer.expr(s.lo), printer.expr(s.hi));
    }
    out += "\n";
  }
  if (std::string where = printer.relations(p.abi); !where.empty()) out += "  " + where + "\n";
  if (std::string alias = printer.aliases(p.abi); !alias.empty()) out += "  " + alias + "\n";
  out += fmt::format("}}\nlaunch {{ threads {}", p.launch.threads);
  if (p.launch.pack != 1) out += fmt::format(" pack {}", p.launch.pack);
  auto definition = [&](const std::string& name) {
    const Definition* d = p.find_definition(name);
    return d ? fmt::format("{} = {}", name, printer.expr(d->value)) : name;
  };
  out += fmt::format(" grid {} }}\n", definition(p.launch.grid));
  for (const NamedLayout& l : p.layouts) out += fmt::format("layout @{} = {}\n", l.name, to_string(l.layout));
  out += "space {\n";
  for (const Segment& s : p.segments) {
    out += fmt::format("  {}: (", s.group);
    for (std::size_t i = 0; i < s.axes.size(); ++i)
      out += fmt::format("{}{} in {}..{}", i ? ", " : "", s.axes[i], printer.expr(s.lo[i]), printer.expr(s.hi[i]));
    out += fmt::format(") length {} offset {}\n", definition(s.length), definition(s.offset));
  }
  out += "}\n";
  if (!p.workspace.empty()) {
    out += "workspace {\n";
    for (ValueId v : p.workspace) out += fmt::format("  {}: {}\n", printer.value(v), printer.type(p.body.type(v)));
    out += "}\n";
  }
  out += fmt::format("dispatch {}: {} = program_id {{\n", printer.value(p.work), printer.type(p.body.type(p.work)));
  for (const DispatchArm& a : p.arms) {
    const std::string& group = p.groups[a.group].name;
    const Segment* segment = nullptr;
    for (const Segment& s : p.segments)
      if (s.group == group) segment = &s;
    out += fmt::format("  {} -> {}(", printer.expr(a.guard), group);
    for (std::size_t i = 0; i < a.coordinates.size(); ++i)
      out += fmt::format("{}%{} = {}", i ? ", " : "",
                         segment && i < segment->axes.size() ? segment->axes[i] : fmt::format("c{}", i),
                         printer.expr(a.coordinates[i]));
    out += ")\n";
  }
  out += "  else -> exit\n}\n";
  for (const Group& g : p.groups) {
    out += fmt::format("group {} (", g.name);
    const Region& r = p.body.region(g.region);
    for (std::size_t i = 0; i < r.args.size(); ++i)
      out += fmt::format("{}{}: {} in {}..{}", i ? ", " : "", printer.value(r.args[i]), printer.type(p.body.type(r.args[i])),
                         printer.expr(g.lo[i]), printer.expr(g.hi[i]));
    out += ") ";
    printer.region(g.region, 0, out);
    out += "\n";
  }
  return out;
}

std::string content_hash(const Kernel& kernel) { return sha256_hex(print(kernel)); }
std::string content_hash(const PhysicalProgram& program) { return sha256_hex(print(program, {.origins = false})); }

std::string describe(const Kernel& kernel, Expr e) { return printer_of(kernel).expr(e); }
std::string describe(const PhysicalProgram& program, Expr e) { return printer_of(program, false).expr(e); }

}  // namespace kir
