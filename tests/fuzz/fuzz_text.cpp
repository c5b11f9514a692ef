// A libFuzzer target of both text forms. Any bytes are either refused with placed diagnostics that render, or mean something:
// they verify, print to a text that parses to the same and prints to itself, and run to an end on tiny arguments, with a limit
// of steps. Built and run by scripts/fuzz-text; anything else ends the process.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/interp/interpreter.h"
#include "core/interp/launch_input.h"
#include "core/ir/verify.h"
#include "core/kir/plan.h"
#include "core/text/text.h"

namespace {

using namespace kir;

constexpr std::size_t kMostOperations = 400;  // of what is run
constexpr std::uint64_t kMostSteps = 3000;
constexpr std::int64_t kMostBytes = 1 << 16;  // of a view

void demand(bool holds, std::string_view what, const std::string& text) {
  if (holds) return;
  fmt::print(stderr, "fuzz_text: {}\n{}\n", what, text);
  std::abort();
}

SourcePtr source_of(std::string text) { return std::make_shared<SourceFile>("fuzz", std::move(text)); }

void demand_refusal(const Diagnostics& diagnostics, const SourcePtr& source) {
  demand(diagnostics.has_errors(), "refused without an error", source->text());
  for (const Diagnostic& d : diagnostics.all()) {
    demand(!d.id.empty() && !d.message.empty(), "an error without words", source->text());
    demand(d.range.end > 0, "an error without a place: " + d.message, source->text());
  }
  demand(!diagnostics.render(*source).empty(), "errors that render to nothing", source->text());
}

template <class Program>
std::size_t size_of(const Program& p) {
  return p.body.op_count();
}
std::size_t size_of(const Plan& p) {
  std::size_t size = 0;
  for (const PlanLaunch& l : p.launches) size += l.kernel->body.op_count();
  return size;
}

// All symbols get the same value, or values that differ.
template <class Program>
void run(const Program& p, std::int64_t extent, bool same) {
  if (size_of(p) > kMostOperations) return;
  Diagnostics diagnostics;
  std::vector<GivenArgument> given;
  std::map<std::string, std::int64_t> symbols;
  for (std::size_t i = 0; i < p.abi.symbols.size(); ++i) {
    const std::string& name = p.abi.symbols[i].name;
    symbols[name] = extent + (same ? 0 : static_cast<std::int64_t>(i % 3));
    given.push_back({name, std::to_string(symbols[name])});
  }
  const std::optional<LaunchLayout> layout = resolve_layout(p.abi, symbols, diagnostics);
  if (!layout) return;
  for (std::size_t i = 0; i < layout->views.size(); ++i) {
    const std::optional<std::int64_t> bytes =
        storage_bytes(p.abi.views[i].dtype, layout->views[i].shape, layout->views[i].strides);
    if (!bytes || *bytes > kMostBytes) return;
  }
  for (const ScalarParam& s : p.abi.scalars) given.push_back({s.name, "random:3"});
  for (const ViewParam& v : p.abi.views) given.push_back({v.name, same ? "random:2" : "random:1:special"});
  const std::optional<LaunchArgs> args = make_arguments(p.abi, given, diagnostics);
  if (!args) return;
  if (const std::optional<BoundLaunch> launch = bind_launch(p.abi, *args, diagnostics)) {
    const InterpretResult r = interpret(p, *launch, {.max_steps = kMostSteps});
    demand(r.ok() || !r.error->message.empty(), "a run that fails without words", p.source->text());
  }
}

template <class Program>
void run_all(const Program& p) {
  run(p, 3, true);
  run(p, 0, true);
  run(p, 1, false);
}

void kernels(const SourcePtr& source) {
  Diagnostics diagnostics;
  const std::optional<Module> module = parse_kir(source, diagnostics);
  if (!module) return demand_refusal(diagnostics, source);
  const std::string printed = print(*module);
  Diagnostics again;
  const SourcePtr printed_source = source_of(printed);
  const std::optional<Module> reread = parse_kir(printed_source, again);
  demand(reread.has_value(), "the printed text is refused: " + again.render(*printed_source), printed);
  demand(print(*reread) == printed, "printing is no fixed point", printed);
  demand(module->kernels.size() == reread->kernels.size(), "a kernel is lost", printed);
  for (std::size_t i = 0; i < module->kernels.size(); ++i) {
    const Kernel &a = *module->kernels[i], &b = *reread->kernels[i];
    demand(structurally_equal(a.body, b.body), "the printed text means another body", printed);
    demand(content_hash(a) == content_hash(b), "the printed text has another hash", printed);
    Diagnostics found;
    demand(verify(a, found), "a parsed kernel does not verify: " + found.render(*source), source->text());
    if (i < 8) run_all(a);
  }
  demand(module->plans.size() == reread->plans.size(), "a plan is lost", printed);
  for (std::size_t i = 0; i < module->plans.size(); ++i) {
    Diagnostics found;
    demand(verify(*module->plans[i], found), "a parsed plan does not verify: " + found.render(*source), source->text());
    if (i < 8) run_all(*module->plans[i]);
  }
}

void programs(const SourcePtr& source) {
  Diagnostics diagnostics;
  const PhysicalPtr program = parse_pir(source, diagnostics);
  if (!program) return demand_refusal(diagnostics, source);
  const std::string printed = print(*program);
  Diagnostics again;
  const SourcePtr printed_source = source_of(printed);
  const PhysicalPtr reread = parse_pir(printed_source, again);
  demand(reread != nullptr, "the printed text is refused: " + again.render(*printed_source), printed);
  demand(print(*reread) == printed, "printing is no fixed point", printed);
  demand(structurally_equal(program->body, reread->body), "the printed text means another body", printed);
  demand(content_hash(*program) == content_hash(*reread), "the printed text has another hash", printed);
  Diagnostics found;
  demand(verify(*program, found), "a parsed program does not verify: " + found.render(*source), source->text());
  run_all(*program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SourcePtr source = source_of(std::string(reinterpret_cast<const char*>(data), size));
  kernels(source);
  programs(source);
  return 0;
}
