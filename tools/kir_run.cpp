// kir-run: runs a kernel on the reference interpreter, the physical interpreter, as host code or on a GPU, and compares.
// A host plan runs on the reference interpreter.
//
// Exit: 0 done, or all equal; 1 different or erroneous; 2 usage or input; 3 not decided: nothing is known to be wrong, but a
// difference has no bound, or the kernel's control depends on values that permitted executions may compute differently;
// 4 the provider is not here (no GPU), or does not run this kernel or plan. Of several the first of 2, 1, 4, 3.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include "core/base/exit_code.h"
#include "core/base/file.h"
#include "core/interp/launch_input.h"
#include "core/interp/oracle.h"
#include "core/kir/plan.h"
#include "core/text/text.h"
#include "emit/artifact.h"
#include "emit/emit.h"
#include "emit/runtime/launcher.h"
#include "lowering/construct.h"
#include "tools/lib/command_line.h"

namespace fs = std::filesystem;
using namespace kir;

namespace {

using tools::kExitUsage;
constexpr int kDone = 0, kDifferent = 1, kUndecided = 3, kUnavailable = 4;
constexpr std::array kWorstFirst = {kExitUsage, kDifferent, kUnavailable, kUndecided, kDone};

int worse(int a, int b) {
  return *std::find_if(kWorstFirst.begin(), kWorstFirst.end(), [&](int code) { return code == a || code == b; });
}

const std::vector<std::string> kProviders = {"interp", "physical", "host", "cuda"};

struct Options {
  std::string file, kernel, on = "interp", physical, out, target = "sm_90a";
  std::vector<std::string> arguments, extents, compare;
  std::uint64_t max_steps = std::uint64_t{1} << 34, order_seed = 0;
  bool unguarded = false;
};

struct Input {
  std::shared_ptr<const Kernel> kernel;  // or
  std::shared_ptr<const Plan> plan;
  PhysicalPtr program;  // when a provider needs it
  LaunchArgs args;
  SourcePtr kernel_source, program_source;
  const Abi& abi() const { return plan ? plan->abi : kernel->abi; }
};

// What a provider did: its views, or what went wrong.
struct Outcome {
  std::string provider, error;
  LaunchArgs args;
  Reference reference;    // of the reference interpreter
  int code = kDifferent;  // what an error means
};

int complain(const std::string& text) {
  fmt::print(stderr, "{}{}", text, text.ends_with('\n') ? "" : "\n");
  return kExitUsage;
}

SourcePtr read_source(const std::string& path) {
  std::string error;
  std::optional<std::string> text = read_file(path, kMaxBytes, &error);
  if (text) return std::make_shared<SourceFile>(path, std::move(*text));
  complain(error);
  return nullptr;
}

std::string error_text(const RuntimeError& e, const SourcePtr& source) {
  const std::string place = source && !e.range.empty() ? describe(*source, e.range) + ": " : std::string();
  std::string out = fmt::format("{}{}: {}", place, name(e.kind), e.message);
  if (source && !e.range.empty()) out += "\n  " + source->line_text(source->line_column(e.range.begin).line);
  return out;
}

// An interpreter that gave up has not said that the execution is erroneous.
int code_of(const RuntimeError& e) {
  return e.kind == RuntimeErrorKind::step_limit || e.kind == RuntimeErrorKind::unsupported ? kUndecided : kDifferent;
}

Outcome run_interpreter(const Input& in, const Options& o, bool with_bounds) {
  Outcome out{"interp", "", copy_arguments(in.args), {}};
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(in.abi(), out.args, d);
  if (!launch) {
    out.error = d.render(*in.kernel_source);
    out.code = kExitUsage;
    return out;
  }
  const InterpretOptions options{.max_steps = o.max_steps, .order_seed = o.order_seed};
  if (in.plan)
    out.reference.result = interpret(*in.plan, *launch, options);
  else if (with_bounds)
    out.reference = interpret_reference(*in.kernel, *launch, options);
  else
    out.reference.result = interpret(*in.kernel, *launch, options);
  if (const std::optional<RuntimeError>& error = out.reference.result.error) {
    out.error = error_text(*error, in.kernel_source);
    out.code = code_of(*error);
  }
  return out;
}

// Binds to the program's ABI, which may be narrower than the kernel's.
std::optional<BoundLaunch> bind_program(const Input& in, Outcome& out) {
  Diagnostics d;
  std::optional<BoundLaunch> launch = bind_launch(in.program->abi, restrict_arguments(out.args, in.program->abi), d);
  if (launch) return launch;
  out.error = d.render(in.program_source ? *in.program_source : *in.kernel_source);
  out.code = kExitUsage;
  return std::nullopt;
}

Outcome run_physical(const Input& in, const Options& o) {
  Outcome out{"physical", "", copy_arguments(in.args), {}};
  std::optional<BoundLaunch> launch = bind_program(in, out);
  if (!launch) return out;
  const InterpretResult r = interpret(*in.program, *launch, {.max_steps = o.max_steps, .order_seed = o.order_seed});
  // A constructed program has the ranges of the kernel that it comes from.
  if (!r.ok()) {
    out.error = error_text(*r.error, in.program_source ? in.program_source : in.kernel_source);
    out.code = code_of(*r.error);
  }
  return out;
}

Outcome run_host(const Input& in) {
  Outcome out{"host", "", copy_arguments(in.args), {}};
  std::optional<BoundLaunch> launch = bind_program(in, out);
  if (!launch) return out;
  Diagnostics d;
  std::unique_ptr<emit::HostKernel> host = emit::HostKernel::compile(*in.program, d);
  out.error = host ? host->run(*launch) : d.render(in.program_source ? *in.program_source : *in.kernel_source);
  return out;
}

Outcome run_cuda(const Input& in, const Options& o) {
  Outcome out{"cuda", "", copy_arguments(in.args), {}};
  std::optional<BoundLaunch> launch = bind_program(in, out);
  if (!launch) return out;
  Diagnostics d;
  std::optional<emit::Module> module = emit::emit_nvptx(*in.program, o.target, d);
  if (!module) {
    out.error = d.render(in.program_source ? *in.program_source : *in.kernel_source);
    return out;
  }
  std::unique_ptr<runtime::Gpu> gpu = runtime::Gpu::open(&out.error);
  if (!gpu) {
    out.code = kUnavailable;
    return out;
  }
  std::string cubin, log;
  if (emit::toolkit_available()) out.error = emit::assemble(module->ptx, o.target, &cubin, &log);
  if (!out.error.empty()) return out;
  out.error = gpu->run(emit::describe_launch(*in.program, *module, o.target), cubin.empty() ? module->ptx : cubin,
                       restrict_arguments(out.args, in.program->abi));
  return out;
}

Outcome run_provider(const std::string& provider, const Input& in, const Options& o) {
  if (provider == "interp") return run_interpreter(in, o, false);
  if (provider == "physical") return run_physical(in, o);
  if (provider == "host") return run_host(in);
  return run_cuda(in, o);
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

int load(const Options& o, Input& in) {
  in.kernel_source = read_source(o.file);
  if (!in.kernel_source) return kExitUsage;
  Diagnostics d;
  std::optional<Module> module = parse_kir(in.kernel_source, d);
  if (!module) return complain(d.render(*in.kernel_source));
  // An id names one kernel, a name all kernels of its constexprs, nothing all that there is.
  const std::string wanted = without_blanks(o.kernel);
  std::vector<std::string> names, meant;
  for (const auto& k : module->kernels) {
    names.push_back(k->id());
    if (!wanted.empty() && without_blanks(k->id()) != wanted && k->name != wanted) continue;
    meant.push_back(k->id());
    in.kernel = k;
  }
  for (const auto& p : module->plans) {
    names.push_back("plan " + p->name);
    if (!wanted.empty() && p->name != wanted) continue;
    meant.push_back(names.back());
    in.plan = p;
  }
  if (names.empty()) return complain(fmt::format("{} holds no kernel or plan", o.file));
  if (meant.empty())
    return complain(fmt::format("{}: there is no kernel or plan {}; it has {}", o.file, o.kernel, fmt::join(names, ", ")));
  if (meant.size() > 1) return complain(fmt::format("{}: say which --kernel: {}", o.file, fmt::join(meant, ", ")));

  bool needs_program = o.on != "interp";
  for (const std::string& c : o.compare) needs_program = needs_program || c != "interp";
  if (in.plan && (needs_program || !o.physical.empty())) {
    complain(fmt::format("{} is a plan, and plans run on interp only; its kernels run on every provider", in.plan->name));
    return kUnavailable;
  }
  if (!o.physical.empty()) {
    in.program_source = read_source(o.physical);
    if (!in.program_source) return kExitUsage;
    Diagnostics p;
    in.program = parse_pir(in.program_source, p);
    if (!in.program) return complain(p.render(*in.program_source));
  } else if (needs_program) {
    Diagnostics c;
    std::optional<lowering::Construction> made = lowering::construct(*in.kernel, c);
    if (!made) {
      complain(c.render(*in.kernel_source));
      return kUnavailable;
    }
    in.program = made->program;
  }

  std::vector<GivenArgument> given;
  for (const auto& list : {o.arguments, o.extents})
    for (const std::string& a : list) {
      const std::size_t at = a.find('=');
      if (at == std::string::npos || at == 0) return complain(fmt::format("'{}' is not NAME=VALUE", a));
      given.push_back({a.substr(0, at), a.substr(at + 1)});
    }
  Diagnostics a;
  std::optional<LaunchArgs> args = make_arguments(in.abi(), given, a);
  if (args && bind_launch(in.abi(), *args, a)) {
    in.args = std::move(*args);
    return kDone;
  }
  return complain(a.render(*in.kernel_source));
}

bool is_written(const ViewParam& p) { return p.access != Access::in; }

int write_outputs(const Options& o, const Input& in, const Outcome& result) {
  std::error_code failed;
  fs::create_directories(o.out, failed);
  if (failed) return complain(fmt::format("{}: {}", o.out, failed.message()));
  std::vector<StagedFile> files;
  std::string error;
  for (const ViewParam& p : in.abi().views) {
    if (!is_written(p)) continue;
    auto file = stage_npy((fs::path(o.out) / (p.name + ".npy")).string(), *result.args.views.at(p.name), &error);
    if (!file) return complain(error);
    files.push_back(std::move(*file));
  }
  for (StagedFile& f : files)
    if (!f.commit(&error)) return complain(error);
  return kDone;
}

void print_outputs(const Input& in, const Outcome& result) {
  constexpr std::int64_t kShown = 16;
  for (const ViewParam& p : in.abi().views) {
    if (!is_written(p)) continue;
    const Tensor t = result.args.views.at(p.name)->dense();
    std::string elements;
    for (std::int64_t i = 0; i < std::min(t.element_count(), kShown); ++i) elements += " " + literal_text(t.load(i));
    fmt::print("{}: {}[{}]{}{}\n", p.name, name(p.dtype), fmt::join(t.shape, ", "), elements,
               t.element_count() > kShown ? " ..." : "");
  }
}

bool is_native(const std::string& provider) { return provider == "host" || provider == "cuda"; }

// Tells of an error; the exit code that follows from it.
int told(const Outcome& outcome) {
  if (outcome.error.empty()) return kDone;
  fmt::print(stderr, "{}: {}\n", outcome.provider, outcome.error);
  return outcome.code;
}

std::string_view why_not(int code) { return code == kUndecided ? "the interpreter gave up" : "the execution is erroneous"; }

int run_one(const Options& o, const Input& in) {
  // Native code of an erroneous execution may do anything, so the physical interpreter goes first.
  if (is_native(o.on) && !o.unguarded)
    if (int code = told(run_physical(in, o)); code != kDone) {
      fmt::print(stderr, "{}: not run, since {}\n", o.on, why_not(code));
      return code;
    }
  const Outcome result = run_provider(o.on, in, o);
  if (int code = told(result); code != kDone) return code;
  if (!o.out.empty()) return write_outputs(o, in, result);
  print_outputs(in, result);
  return kDone;
}

int compare_all(const Options& o, const Input& in) {
  std::set<std::string> wanted(o.compare.begin(), o.compare.end());
  wanted.insert(o.on);
  if (wanted == std::set<std::string>{"interp"})
    return complain("--compare names nothing beside the reference interpreter to compare with it");
  const Outcome reference = run_interpreter(in, o, true);
  int code = told(reference);
  std::vector<Outcome> outcomes;
  auto note = [&](const Outcome& outcome) { code = worse(code, told(outcome)); };
  const bool native = !o.unguarded && std::any_of(wanted.begin(), wanted.end(), is_native);
  wanted.erase("interp");
  const bool physical = wanted.erase("physical") > 0;
  if (native || physical) {
    Outcome first = run_physical(in, o);
    note(first);
    if (!first.error.empty() && native) {
      fmt::print(stderr, "{}: not run, since {}\n", fmt::join(wanted, ", "), why_not(first.code));
      wanted.clear();
    }
    if (physical) outcomes.push_back(std::move(first));
  }
  for (const std::string& p : wanted) {
    outcomes.push_back(run_provider(p, in, o));
    note(outcomes.back());
  }
  if (!reference.error.empty()) return code;
  const Reference& r = reference.reference;
  for (const Outcome& other : outcomes) {
    if (!other.error.empty()) continue;
    for (std::size_t i = 0; i < in.abi().views.size(); ++i) {
      const ViewParam& p = in.abi().views[i];
      if (!is_written(p)) continue;
      const Comparison c =
          compare(*reference.args.views.at(p.name), *other.args.views.at(p.name), r.exact ? nullptr : &r.radius[i]);
      fmt::print("{}: interp and {}: {}\n", p.name, other.provider, describe(c));
      if (c.verdict == Comparison::Verdict::different) code = worse(code, kDifferent);
      if (c.verdict == Comparison::Verdict::undecided) code = worse(code, kUndecided);
    }
  }
  fmt::print("oracle: {}\n", r.exact ? "one answer, bit for bit" : r.basis);
  if (o.out.empty()) return code;
  if (o.on == "interp") return worse(code, write_outputs(o, in, reference));
  for (const Outcome& other : outcomes)
    if (other.provider == o.on && other.error.empty()) return worse(code, write_outputs(o, in, other));
  return code;
}

int run_tool(int argc, char** argv) {
  Options o;
  CLI::App app("Runs a kernel or plan and compares its providers.", "kir-run");
  app.add_option("FILE.kir", o.file, "kernels")->required();
  app.add_option("--kernel,--plan", o.kernel,
                 "name or id of the kernel, or name of the plan; may be left out when there is one");
  app.add_option("--on", o.on, "interp, physical, host or cuda")->check(CLI::IsMember(kProviders))->capture_default_str();
  app.add_option("--physical", o.physical, "a physical program to run in place of the constructed one");
  app.add_option("--arg", o.arguments,
                 "NAME=VALUE; a view: FILE.npy, [v, ...] (v where the rank is 0), random:SEED, random:SEED:special, zeros or "
                 "@VIEW (that view's memory)");
  app.add_option("--extent", o.extents, "NAME=INTEGER, as --arg");
  tools::add_output(app, "-o,--out", o.out, "folder for the written views of --on, as NAME.npy");
  app.add_option("--compare", o.compare, "providers to compare with the reference interpreter, beside that of --on")
      ->delimiter(',')
      ->check(CLI::IsMember(kProviders));
  const CLI::Range kCount(std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
  app.add_option("--target", o.target, "GPU architecture")->capture_default_str();
  app.add_option("--max-steps", o.max_steps, "limit of the interpreters")->check(kCount)->capture_default_str();
  app.add_flag("--unguarded", o.unguarded,
               "run native code without the physical interpreter's run before it; a faulty program may then do anything");
  app.add_option("--order-seed", o.order_seed, "order of unordered instances in the interpreters; 0 is ascending")
      ->check(kCount);
  if (auto code = tools::parse_command_line(
          app, argc, argv,
          "0 done, or all equal or in their bounds; 1 different or erroneous; 2 usage or input;\n"
          "3 undecided, or the interpreter gave up; 4 the provider is not here, or does not run this kernel or plan"))
    return *code;
  auto runs = [&](const std::string& p) { return o.on == p || std::count(o.compare.begin(), o.compare.end(), p) > 0; };
  if (!o.physical.empty() && !runs("physical") && !runs("host") && !runs("cuda"))
    return complain("--physical is not run by interp; say --on or --compare with physical, host or cuda");
  if (std::string problem = runs("cuda") ? emit::target_problem(o.target) : ""; !problem.empty()) return complain(problem);
  Input in;
  if (int code = load(o, in); code != kDone) return code;
  return o.compare.empty() ? run_one(o, in) : compare_all(o, in);
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
