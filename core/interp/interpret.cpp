#include <fmt/format.h>

#include <algorithm>

#include "core/interp/code.h"
#include "core/interp/interpreter.h"
#include "core/interp/kernel_run.h"
#include "core/interp/machine.h"
#include "core/interp/program_run.h"

namespace kir {
namespace {

InterpretResult refused(std::string message) {
  return {RuntimeError{RuntimeErrorKind::unsupported, {}, std::move(message)}, 0};
}

void add_views(Memory& memory, const Abi& abi, const BoundLaunch& launch) {
  for (std::size_t i = 0; i < abi.views.size(); ++i)
    memory.add_view(abi.views[i], {launch.views[i]->shape, launch.views[i]->strides}, launch.views[i]);
}

void set_scalars(Machine& machine, const Abi& abi, const BoundLaunch& launch) {
  for (std::size_t i = 0; i < abi.scalars.size(); ++i)
    if (abi.scalars[i].value) machine.set_scalar(abi.scalars[i].value.index, launch.scalars[i].bits);
}

}  // namespace

std::string mismatch(const Abi& abi, const BoundLaunch& launch) {
  if (launch.views.size() != abi.views.size() || launch.scalars.size() != abi.scalars.size())
    return "the launch is bound to another ABI";
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    const Tensor& t = *launch.views[i];
    if (t.dtype != abi.views[i].dtype || t.shape.size() != abi.views[i].rank())
      return fmt::format("the launch's tensor for {} does not fit", abi.views[i].name);
  }
  for (std::size_t i = 0; i < abi.scalars.size(); ++i)
    if (launch.scalars[i].type != abi.scalars[i].dtype)
      return fmt::format("the launch's scalar {} does not fit", abi.scalars[i].name);
  for (const SymbolInfo& s : abi.symbols)
    if (!launch.symbols.contains(s.name)) return fmt::format("the launch has no value for {}", s.name);
  return {};
}

InterpretResult interpret(const Kernel& kernel, const BoundLaunch& launch, const InterpretOptions& options) {
  Contents none;
  return interpret_within(kernel, launch, options, none);
}

InterpretResult interpret_within(const Kernel& kernel, const BoundLaunch& launch, const InterpretOptions& options,
                                 Contents& contents) {
  if (std::string why = mismatch(kernel.abi, launch); !why.empty()) return refused(std::move(why));
  Memory memory;
  memory.set_detect_races(options.detect_races);
  add_views(memory, kernel.abi, launch);
  for (auto& [tensor, has] : contents) memory.set_contents(*tensor, has);
  const Code code = decode({&kernel.body, &kernel.abi, &launch.symbols, false}, std::span(&kernel.root, 1));
  Machine machine(kernel.body, kernel.abi, code, memory, options);
  set_scalars(machine, kernel.abi, launch);
  machine.run_region(kernel.root);
  memory.note_contents();
  InterpretResult result{machine.error(), machine.steps()};
  if (std::string calls = kernel.call_text(machine.failed()); result.error && !calls.empty())
    result.error->append(fmt::format(" ({})", calls));
  return result;
}

InterpretResult interpret(const PhysicalProgram& program, const BoundLaunch& launch, const InterpretOptions& options) {
  if (std::string why = mismatch(program.abi, launch); !why.empty()) return refused(std::move(why));
  ProgramLaunch resolved;
  if (std::optional<RuntimeError> error = resolve_launch(program, launch.symbols, resolved)) return {error, 0};
  Memory memory;
  memory.set_detect_races(options.detect_races);
  add_views(memory, program.abi, launch);
  ProgramRun run(program, resolved, memory, options);
  set_scalars(run.machine(), program.abi, launch);
  run.run_all(options.order_seed);
  return {run.machine().error(), run.machine().steps()};
}

}  // namespace kir
