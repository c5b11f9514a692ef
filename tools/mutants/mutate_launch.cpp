// Outside of the groups: the program space and the dispatch.
#include <fmt/format.h>

#include "tools/mutants/damages.h"
#include "tools/mutants/program_mutator.h"

namespace kir::mutants {

using namespace damage;

namespace {

void define(PhysicalProgram& p, const std::string& definition, const std::function<Expr(Expr)>& change) {
  for (Definition& d : p.definitions)
    if (d.name == definition) d.value = change(d.value);
}

}  // namespace

void ProgramMutator::missing_parts() {
  if (!p_.abi.symbols.empty()) add(kAbi, "dims", [](PhysicalProgram& p) { p.abi.symbols.pop_back(); });
  if (!p_.abi.params.empty()) add(kAbi, "parameters", [](PhysicalProgram& p) { p.abi.params.pop_back(); });
  for (std::size_t v = 0; v < p_.abi.views.size(); ++v) {
    const std::string where = "view " + p_.abi.views[v].name;
    add(kAbi, where, [v](PhysicalProgram& p) { p.abi.views[v].name.clear(); });
    if (v > 0) add(kAbi, where, [v](PhysicalProgram& p) { p.abi.views[v].name = p.abi.views[v - 1].name; });
    add(kAbi, where, [v](PhysicalProgram& p) { p.abi.views[v].value = p.work; });
  }
  for (std::size_t k = 0; k < p_.workspace.size(); ++k)
    add(kBufferScope, "workspace " + b_.value(p_.workspace[k]).name, [k](PhysicalProgram& p) { p.workspace[k] = p.work; });
  if (!p_.workspace.empty()) add(kAbi, "workspace", [](PhysicalProgram& p) { p.workspace.pop_back(); });
}

void ProgramMutator::definitions() {
  for (const Definition& d : p_.definitions) {
    const std::size_t variants = with_another_operation(d.value).size();
    for (std::size_t i = 0; i < variants; ++i)
      add(kArithmetic, "definition " + d.name,
          [&](PhysicalProgram& p) { define(p, d.name, [i](Expr e) { return with_another_operation(e)[i]; }); });
  }
}

void ProgramMutator::segment(std::size_t g) {
  const Segment& s = p_.segments[g];
  const std::string where = "segment " + s.group;
  for (std::int64_t by : {1, -1})
    add(kLength, where, [&](PhysicalProgram& p) { define(p, s.length, [by](Expr e) { return e + by; }); });
  for (const std::string& definition : {s.length, s.offset})
    add(kDependent, where, [&](PhysicalProgram& p) { define(p, definition, [&](Expr) { return p.pool->value(p.work); }); });
  for (std::size_t k = 0; k < s.axes.size(); ++k) {
    add(kDependent, where, [&](PhysicalProgram& p) { p.segments[g].hi[k] = p.pool->value(p.work); });
    for (std::int64_t by : {1, -1}) {
      add(kBounds, where, [&](PhysicalProgram& p) { p.segments[g].hi[k] = p.segments[g].hi[k] + by; });
      add(kBounds, where, [&](PhysicalProgram& p) { p.segments[g].lo[k] = p.segments[g].lo[k] + by; });
    }
    for (std::size_t i = 0; i < p_.groups.size(); ++i) {
      if (p_.groups[i].name != s.group || k >= p_.groups[i].hi.size()) continue;
      const std::string group = "group " + s.group;
      add(kDependent, group, [&](PhysicalProgram& p) { p.groups[i].hi[k] = p.pool->value(p.work); });
      add(kBounds, group, [&](PhysicalProgram& p) { p.groups[i].hi[k] = p.groups[i].hi[k] - 1; });
      add(kBounds, group, [&](PhysicalProgram& p) { p.groups[i].lo[k] = p.groups[i].lo[k] + 1; });
    }
  }
}

void ProgramMutator::launch() {
  const auto grid = [&](const Damage& d, const std::function<Expr(PhysicalProgram&, Expr)>& change) {
    add(d, "grid", [&](PhysicalProgram& p) { define(p, p.launch.grid, [&](Expr e) { return change(p, e); }); });
  };
  for (std::int64_t by : {std::int64_t{-1}, std::int64_t{1}, std::int64_t{1} << 31})
    grid(kGrid, [by](PhysicalProgram&, Expr e) { return e + by; });
  grid(kGrid, [](PhysicalProgram& p, Expr e) { return floordiv(e, p.pool->constant(2)); });
  grid(kDependent, [](PhysicalProgram& p, Expr) { return p.pool->value(p.work); });
  add(kGrid, "pack", [](PhysicalProgram& p) { p.launch.pack = 0; });
  add(kGrid, "pack", [](PhysicalProgram& p) { p.launch.pack += 1; });
  if (p_.launch.pack > 1) add(kGrid, "pack", [](PhysicalProgram& p) { p.launch.pack -= 1; });
  add(kGrid, "threads", [](PhysicalProgram& p) { p.launch.threads = 2048; });
  add(kGrid, "threads", [](PhysicalProgram& p) { p.launch.threads *= 2; });
}

void ProgramMutator::arm(std::size_t a) {
  const std::string& group = p_.groups[p_.arms[a].group].name;
  const std::string guard = "guard of " + group;
  add(kGuard, guard, [a](PhysicalProgram& p) { p.arms.erase(p.arms.begin() + static_cast<std::ptrdiff_t>(a)); });
  add(kGuard, guard, [a](PhysicalProgram& p) { p.arms[a].guard = p.pool->boolean(true); });
  add(kGuard, guard, [a](PhysicalProgram& p) {
    p.arms[a].guard = both(p.arms[a].guard, less_equal(p.pool->constant(1), p.pool->value(p.work)));
  });
  std::vector<Expr> parts;
  append_conjuncts(p_.arms[a].guard, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!off_by_one(parts[i])) continue;
    const auto set = [&](const Damage& d, Expr OffByOne::* which) {
      add(d, guard, [&](PhysicalProgram& p) {
        std::vector<Expr> changed;
        append_conjuncts(p.arms[a].guard, changed);
        changed[i] = (*off_by_one(changed[i])).*which;
        p.arms[a].guard = p.pool->all_of(changed);
      });
    };
    set(kPredicateBound, &OffByOne::less);
    set(kPredicateBound, &OffByOne::more);
    set(kStrict, &OffByOne::other_strictness);
  }
  for (std::size_t k = 0; k < p_.arms[a].coordinates.size(); ++k) {
    const std::string where = fmt::format("coordinate {} of {}", k, group);
    const auto coordinate = [&](const Damage& d, const std::function<Expr(Expr)>& change) {
      add(d, where, [&](PhysicalProgram& p) { p.arms[a].coordinates[k] = change(p.arms[a].coordinates[k]); });
    };
    coordinate(kDecode, [](Expr e) { return e + 1; });
    coordinate(kOverlap, [](Expr e) { return e.pool().constant(0); });
    coordinate(kOverlap, [](Expr e) { return floordiv(e, e.pool().constant(2)); });
    const std::size_t variants = with_another_operation(p_.arms[a].coordinates[k]).size();
    for (std::size_t i = 0; i < variants; ++i) coordinate(kArithmetic, [i](Expr e) { return with_another_operation(e)[i]; });
    if (k + 1 < p_.arms[a].coordinates.size())
      add(kDecode, where, [&](PhysicalProgram& p) { std::swap(p.arms[a].coordinates[k], p.arms[a].coordinates[k + 1]); });
  }
}

}  // namespace kir::mutants
