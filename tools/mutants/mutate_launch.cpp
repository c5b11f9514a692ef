// Outside of the groups: the ABI, the program space, the dispatch.
#include <fmt/format.h>

#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;

void Mutator::abi() {
  if (!p_.abi.symbols.empty()) add(kAbi, "dims", [](PhysicalProgram& p) { p.abi.symbols.pop_back(); });
  if (!p_.abi.params.empty()) add(kAbi, "parameters", [](PhysicalProgram& p) { p.abi.params.pop_back(); });
  for (std::size_t v = 0; v < p_.abi.views.size(); ++v) {
    const std::string where = "view " + p_.abi.views[v].name;
    add(kAbi, where, [v](PhysicalProgram& p) { p.abi.views[v].name.clear(); });
    if (v > 0) add(kAbi, where, [v](PhysicalProgram& p) { p.abi.views[v].name = p.abi.views[v - 1].name; });
    add(kAbi, where, [v](PhysicalProgram& p) { p.abi.views[v].value = p.work; });
  }
  for (std::size_t k = 0; k < p_.workspace.size(); ++k)
    add(kScope, "workspace " + b_.value(p_.workspace[k]).name, [k](PhysicalProgram& p) { p.workspace[k] = p.work; });
  if (!p_.workspace.empty()) add(kAbi, "workspace", [](PhysicalProgram& p) { p.workspace.pop_back(); });
}

void Mutator::launch() {
  const auto value = [](PhysicalProgram& p, const std::string& definition, const std::function<Expr(Expr)>& change) {
    for (Definition& d : p.definitions)
      if (d.name == definition) d.value = change(d.value);
  };
  for (std::size_t g = 0; g < p_.segments.size(); ++g) {
    const Segment& s = p_.segments[g];
    const std::string where = "segment " + s.group;
    for (std::int64_t by : {1, -1})
      add(kLength, where, [&](PhysicalProgram& p) { value(p, s.length, [by](Expr e) { return e + by; }); });
    for (const std::string& definition : {s.length, s.offset})
      add(kDependent, where, [&](PhysicalProgram& p) { value(p, definition, [&](Expr) { return p.pool->value(p.work); }); });
    for (std::size_t k = 0; k < s.axes.size(); ++k) {
      add(kDependent, where, [&](PhysicalProgram& p) { p.segments[g].hi[k] = p.pool->value(p.work); });
      for (std::size_t i = 0; i < p_.groups.size(); ++i)
        if (p_.groups[i].name == s.group && k < p_.groups[i].hi.size())
          add(kDependent, "group " + s.group, [&](PhysicalProgram& p) { p.groups[i].hi[k] = p.pool->value(p.work); });
    }
  }
  const auto grid = [&](PhysicalProgram& p, const std::function<Expr(Expr)>& change) { value(p, p.launch.grid, change); };
  add(kGrid, "grid", [&](PhysicalProgram& p) { grid(p, [](Expr e) { return e + -1; }); });
  add(kGrid, "grid", [&](PhysicalProgram& p) { grid(p, [](Expr e) { return floordiv(e, e.pool().constant(2)); }); });
  add(kGrid, "grid", [&](PhysicalProgram& p) { grid(p, [](Expr e) { return e + (std::int64_t{1} << 31); }); });
  add(kDependent, "grid", [&](PhysicalProgram& p) { grid(p, [&](Expr) { return p.pool->value(p.work); }); });
  add(kGrid, "pack", [](PhysicalProgram& p) { p.launch.pack = 0; });
  add(kGrid, "threads", [](PhysicalProgram& p) { p.launch.threads = 2048; });
}

void Mutator::dispatch() {
  for (std::size_t a = 0; a < p_.arms.size(); ++a) {
    const std::string& group = p_.groups[p_.arms[a].group].name;
    const std::string guard = "guard of " + group;
    add(kGuard, guard, [a](PhysicalProgram& p) { p.arms.erase(p.arms.begin() + static_cast<std::ptrdiff_t>(a)); });
    add(kGuard, guard, [a](PhysicalProgram& p) { p.arms[a].guard = p.pool->boolean(true); });
    add(kGuard, guard, [a](PhysicalProgram& p) {
      p.arms[a].guard = both(p.arms[a].guard, less_equal(p.pool->constant(1), p.pool->value(p.work)));
    });
    for (std::size_t k = 0; k < p_.arms[a].coordinates.size(); ++k) {
      const std::string where = fmt::format("coordinate {} of {}", k, group);
      add(kDecode, where, [&](PhysicalProgram& p) { p.arms[a].coordinates[k] = p.arms[a].coordinates[k] + 1; });
      add(kOverlap, where, [&](PhysicalProgram& p) { p.arms[a].coordinates[k] = p.pool->constant(0); });
      add(kOverlap, where,
          [&](PhysicalProgram& p) { p.arms[a].coordinates[k] = floordiv(p.arms[a].coordinates[k], p.pool->constant(2)); });
      if (k + 1 < p_.arms[a].coordinates.size())
        add(kDecode, where, [&](PhysicalProgram& p) { std::swap(p.arms[a].coordinates[k], p.arms[a].coordinates[k + 1]); });
    }
  }
}

}  // namespace kir::mutants
