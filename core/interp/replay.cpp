#include <fmt/format.h>

#include <algorithm>

#include "core/interp/code.h"
#include "core/interp/interpreter.h"
#include "core/interp/machine.h"
#include "core/interp/program_run.h"

namespace kir {
namespace {

// Views that are one memory: those declared the same, and the launch's choice among those that may alias.
std::string sharing(const Abi& abi, const SparseLaunch& launch, const LaunchLayout& layout,
                    std::vector<std::optional<std::size_t>>& same_as) {
  same_as.assign(abi.views.size(), std::nullopt);
  std::vector<std::pair<std::size_t, std::size_t>> pairs = launch.identical;
  for (auto [a, b] : pairs) {
    if (a >= abi.views.size() || b >= abi.views.size()) return "an alias of a view that does not exist";
    const bool declared = std::any_of(abi.aliases.begin(), abi.aliases.end(), [&, a = a, b = b](const AliasFact& f) {
      return (f.a == a && f.b == b) || (f.a == b && f.b == a);
    });
    if (!declared) return fmt::format("views {} and {} are not declared to alias", abi.views[a].name, abi.views[b].name);
  }
  for (const AliasFact& f : abi.aliases)
    if (f.kind == AliasKind::same) pairs.emplace_back(f.a, f.b);
  for (auto [a, b] : pairs) {
    if (a > b) std::swap(a, b);
    const ViewExtent &x = layout.views[a], &y = layout.views[b];
    if (abi.views[a].dtype != abi.views[b].dtype || x.shape != y.shape || x.strides != y.strides)
      return fmt::format("views {} and {} cannot be identical with these extents", abi.views[a].name, abi.views[b].name);
    if (a != b) same_as[b] = same_as[a].value_or(a);
  }
  return {};
}

struct Prepared {
  LaunchLayout layout;
  std::vector<Scalar> scalars;
};

std::string prepare(const Abi& abi, const SparseLaunch& launch, Memory& memory, Prepared& out) {
  if (!abi.data.empty()) return "its contents are not checked against data preconditions";
  Diagnostics diagnostics;
  std::optional<LaunchLayout> layout = resolve_layout(abi, launch.symbols, diagnostics);
  if (!layout) return diagnostics.all().empty() ? "refused" : diagnostics.all().front().message;
  std::vector<std::optional<std::size_t>> same_as;
  if (std::string why = sharing(abi, launch, *layout, same_as); !why.empty()) return why;
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    SparseContents contents{launch.seed, launch.special, {}};
    if (i < launch.cells.size())
      for (const auto& [address, value] : launch.cells[i]) {
        if (value.type != abi.views[i].dtype)
          return fmt::format("given contents of view {} are of another type", abi.views[i].name);
        contents.cells[address] = value.bits;
      }
    memory.add_sparse_view(abi.views[i], layout->views[i], std::move(contents), same_as[i]);
  }
  for (std::size_t i = 0; i < abi.scalars.size(); ++i) {
    const DType t = abi.scalars[i].dtype;
    out.scalars.push_back(i < launch.scalars.size() ? launch.scalars[i] : random_scalar(t, launch.seed, i, launch.special));
    if (out.scalars.back().type != t) return fmt::format("the scalar {} is of another type", abi.scalars[i].name);
  }
  out.layout = std::move(*layout);
  return {};
}

ReplayResult finish(const Abi& abi, const Machine& machine, const Memory& memory) {
  ReplayResult r;
  r.error = machine.error();
  r.steps = machine.steps();
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    r.written.emplace_back();
    for (auto [address, word] : memory.written(i)) r.written.back().emplace(address, Scalar{abi.views[i].dtype, word});
  }
  return r;
}

void set_scalars(Machine& machine, const Abi& abi, const std::vector<Scalar>& scalars) {
  for (std::size_t i = 0; i < abi.scalars.size(); ++i)
    if (abi.scalars[i].value) machine.set_scalar(abi.scalars[i].value.index, scalars[i].bits);
}

}  // namespace

ReplayResult interpret_instances(const Kernel& kernel, const SparseLaunch& launch, const Focus& focus,
                                 const InterpretOptions& options) {
  Memory memory;
  memory.set_detect_races(options.detect_races);
  Prepared p;
  if (std::string why = prepare(kernel.abi, launch, memory, p); !why.empty())
    return {.error = {}, .outside_contract = std::move(why)};
  const Code code = decode({&kernel.body, &kernel.abi, &p.layout.symbols, false}, std::span(&kernel.root, 1));
  Machine machine(kernel.body, kernel.abi, code, memory, options);
  machine.set_focus(&focus);
  set_scalars(machine, kernel.abi, p.scalars);
  machine.run_region(kernel.root);
  return finish(kernel.abi, machine, memory);
}

ReplayResult interpret_instances(const PhysicalProgram& program, const SparseLaunch& launch,
                                 std::span<const std::int64_t> program_ids, const Focus& focus,
                                 const InterpretOptions& options) {
  Memory memory;
  memory.set_detect_races(options.detect_races);
  Prepared p;
  if (std::string why = prepare(program.abi, launch, memory, p); !why.empty())
    return {.error = {}, .outside_contract = std::move(why)};
  ProgramLaunch resolved;
  if (std::optional<RuntimeError> error = resolve_launch(program, p.layout.symbols, resolved)) return {.error = error};
  ProgramRun run(program, resolved, memory, options);
  run.machine().set_focus(&focus);
  set_scalars(run.machine(), program.abi, p.scalars);
  run.run_some(program_ids);
  return finish(program.abi, run.machine(), memory);
}

ReplayResult interpret_instance(const PhysicalProgram& program, const SparseLaunch& launch, std::int64_t program_id,
                                const Focus& focus, const InterpretOptions& options) {
  return interpret_instances(program, launch, std::span(&program_id, 1), focus, options);
}

}  // namespace kir
