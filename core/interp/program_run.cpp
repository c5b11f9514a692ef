#include "core/interp/program_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace kir {
namespace {

Code decode_program(const PhysicalProgram& program, const ProgramLaunch& launch) {
  std::vector<RegionId> roots;
  for (const Group& g : program.groups) roots.push_back(g.region);
  return decode({&program.body, &program.abi, &launch.symbols, true, program.workspace}, roots);
}

// All fragments of a program are held at once. Far more than the registers of any program instance.
std::optional<RuntimeError> too_large(const PhysicalProgram& program) {
  constexpr Integer kMostElements = Integer{1} << 24;
  Integer total = 0;
  for (std::uint32_t i = 0; i < program.body.value_count(); ++i) {
    const Value& v = program.body.value(ValueId(i));
    if (!v.type.is(TypeKind::fragment)) continue;
    Integer elements = 1;
    for (Expr e : v.type.shape) elements *= std::clamp<Integer>(e.number(), 0, kMostElements + 1);
    total += std::min(elements, kMostElements + 1);
    if (total > kMostElements)
      return RuntimeError{
          RuntimeErrorKind::unsupported, v.range,
          fmt::format("the fragments of the program have more than {} elements together", to_string(kMostElements))};
  }
  return std::nullopt;
}

// An integer that the launcher computes.
std::optional<RuntimeError> launch_integer(const PhysicalProgram& program, Expr value, const std::string& what,
                                           SourceRange range, const ProgramLaunch& launch, std::int64_t& out) {
  const IndexCode code(value, program.body, launch.symbols, IndexCode::Limits::width(DType::i64));
  IndexCode::Result r;
  if (code.evaluate(IndexEnvironment(), r)) {
    out = static_cast<std::int64_t>(r.value);
    return std::nullopt;
  }
  const bool zero = r.fault == IndexFault::zero_divisor;
  return RuntimeError{zero                             ? RuntimeErrorKind::zero_divisor
                      : r.fault == IndexFault::unbound ? RuntimeErrorKind::unsupported
                                                       : RuntimeErrorKind::launch_overflow,
                      range,
                      fmt::format("{} = {}: {} {}", what, to_string(value), to_string(r.where),
                                  zero                             ? "divides by zero"
                                  : r.fault == IndexFault::unbound ? "has no value"
                                                                   : "leaves 64 bits")};
}

std::optional<RuntimeError> workspace(const PhysicalProgram& program, ProgramLaunch& out) {
  static const std::int64_t most = max_launch_bytes();
  Integer bytes = 0;
  for (ValueId v : program.workspace) {
    const Value& buffer = program.body.value(v);
    Integer size = byte_size(buffer.type.dtype);
    std::vector<std::int64_t> shape;
    for (Expr e : buffer.type.shape) {
      std::int64_t extent = 0;
      if (auto error = launch_integer(program, e, "an extent of " + buffer.name, buffer.range, out, extent)) return error;
      shape.push_back(std::max<std::int64_t>(extent, 0));
      size = std::min<Integer>(size * shape.back(), INT64_MAX);
    }
    bytes += size;
    if (bytes > most)
      return RuntimeError{RuntimeErrorKind::unsupported, buffer.range,
                          fmt::format("a workspace of {} bytes is more than this machine holds", to_string(bytes))};
    out.workspace.push_back(std::move(shape));
  }
  return std::nullopt;
}

}  // namespace

std::optional<RuntimeError> resolve_launch(const PhysicalProgram& program, const std::map<std::string, std::int64_t>& symbols,
                                           ProgramLaunch& out) {
  if (std::optional<RuntimeError> error = too_large(program)) return error;
  out.symbols = symbols;
  for (const Definition& d : program.definitions) {
    std::int64_t value = 0;
    if (auto error = launch_integer(program, d.value, "definition " + d.name, d.range, out, value)) return error;
    out.symbols[d.name] = value;
  }
  const Definition* grid = program.find_definition(program.launch.grid);
  const SourceRange range = grid ? grid->range : SourceRange{};
  if (!grid)
    return RuntimeError{RuntimeErrorKind::unsupported, range,
                        fmt::format("there is no definition {} of the grid", program.launch.grid)};
  out.grid = out.symbols.at(grid->name);
  const std::int64_t threads = program.launch.threads, pack = program.launch.pack;
  if (threads < 1 || pack < 1 || threads > kMaxBlockThreads || pack > kMaxBlockThreads || threads * pack > kMaxBlockThreads)
    return RuntimeError{RuntimeErrorKind::launch_overflow, range,
                        fmt::format("a block of {} times {} threads is outside 1 to {}", pack, threads, kMaxBlockThreads)};
  if (out.grid < 0 || out.grid > kMaxGrid)
    return RuntimeError{RuntimeErrorKind::launch_overflow, range,
                        fmt::format("the grid {} = {} is outside 0 to {}", grid->name, out.grid, kMaxGrid)};
  out.programs = out.grid * pack;
  return workspace(program, out);
}

ProgramRun::ProgramRun(const PhysicalProgram& program, const ProgramLaunch& launch, Memory& memory,
                       const InterpretOptions& options)
    : program_(program),
      launch_(launch),
      code_(decode_program(program, launch)),
      machine_(program.body, program.abi, code_, memory, options) {
  for (std::size_t k = 0; k < launch_.workspace.size(); ++k)
    memory.make_buffer(program.abi.views.size() + k, launch_.workspace[k]);
  // Guards are computed in 64 bits; coordinates and ranges in the type of the group's argument.
  const IndexCode::Limits wide = IndexCode::Limits::width(DType::i64);
  for (const DispatchArm& a : program.arms) {
    Arm arm{IndexCode(a.guard, program.body, launch_.symbols, wide), {}};
    const Region& region = program.body.region(program.groups[a.group].region);
    for (std::size_t k = 0; k < a.coordinates.size(); ++k)
      arm.coordinates.emplace_back(a.coordinates[k], program.body, launch_.symbols,
                                   IndexCode::Limits::width(program.body.type(region.args[k]).dtype));
    arms_.push_back(std::move(arm));
  }
  for (const Group& g : program.groups) {
    ranges_.emplace_back();
    for (std::size_t k = 0; k < g.lo.size(); ++k)
      ranges_.back().push_back(
          {IndexCode(g.lo[k], program.body, launch_.symbols, wide), IndexCode(g.hi[k], program.body, launch_.symbols, wide)});
  }
}

bool ProgramRun::evaluate(const IndexCode& code, SourceRange range, Integer& out) {
  return machine_.evaluate_at(code, range, out);
}

bool ProgramRun::run_program(std::int64_t id) {
  machine_.set_program(id);
  if (!machine_.count_step({})) return false;
  if (static_cast<Integer>(id) > IndexCode::Limits::width(program_.body.type(program_.work).dtype).high)
    return machine_.fail_at(RuntimeErrorKind::index_overflow, {}, fmt::format("the work id {} does not fit its type", id));
  machine_.set_integer(program_.work.index, id);
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    const DispatchArm& arm = program_.arms[a];
    Integer taken = 0;
    if (!evaluate(arms_[a].guard, arm.range, taken)) return false;
    if (!taken) continue;
    const Group& group = program_.groups[arm.group];
    const Region& region = program_.body.region(group.region);
    for (std::size_t k = 0; k < arms_[a].coordinates.size(); ++k) {
      Integer v = 0;
      if (!evaluate(arms_[a].coordinates[k], arm.range, v)) return false;
      machine_.set_integer(region.args[k].index, v);
      if (k >= ranges_[arm.group].size()) continue;
      Integer low = 0, high = 0;
      if (!evaluate(ranges_[arm.group][k].low, group.range, low) || !evaluate(ranges_[arm.group][k].high, group.range, high))
        return false;
      if (v < low || v >= high)
        return machine_.fail_at(
            RuntimeErrorKind::failed_assume, group.range,
            fmt::format("{} = {} of group {} is outside its declared range [{}, {})", program_.body.value(region.args[k]).name,
                        to_string(v), group.name, to_string(low), to_string(high)));
    }
    return machine_.run_region(group.region);
  }
  return true;
}

bool ProgramRun::run_all(std::uint64_t seed) {
  const std::int64_t n = launch_.programs;
  std::int64_t factor = 1, shift = 0;
  if (seed != 0 && n > 1) {  // k -> (factor * k + shift) mod n, a permutation
    const std::uint64_t r = seed * 0x9E3779B97F4A7C15ull;
    factor = static_cast<std::int64_t>((r >> 3) % static_cast<std::uint64_t>(n));
    while (std::gcd(factor, n) != 1) factor = factor + 1 < n ? factor + 1 : 1;
    shift = static_cast<std::int64_t>((r >> 9) % static_cast<std::uint64_t>(n));
  }
  auto id = [=](std::int64_t k) { return static_cast<std::int64_t>((static_cast<Integer>(factor) * k + shift) % n); };
  machine_.enter_level([id](std::size_t k) { return fmt::format("program {}", id(static_cast<std::int64_t>(k))); });
  for (std::int64_t k = 0; k < n; ++k)
    if (!machine_.start_instance({}) || !run_program(id(k))) return false;
  machine_.leave_level();
  return true;
}

bool ProgramRun::run_some(std::span<const std::int64_t> ids) {
  machine_.enter_level([ids](std::size_t k) { return fmt::format("program {}", ids[k]); });
  for (std::int64_t id : ids) {
    if (id < 0 || id >= launch_.programs)
      return machine_.fail_at(RuntimeErrorKind::unsupported, {},
                              fmt::format("there is no program {}: the launch has {}", id, launch_.programs));
    if (!machine_.start_instance({}) || !run_program(id)) return false;
  }
  machine_.leave_level();
  return true;
}

}  // namespace kir
