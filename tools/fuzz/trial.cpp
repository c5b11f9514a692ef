#include "tools/fuzz/trial.h"

#include <set>

#include <fmt/format.h>

#include <random>

#include "core/interp/launch_input.h"
#include "core/interp/oracle.h"
#include "core/ir/op_table.h"
#include "core/text/text.h"
#include "emit/emit.h"
#include "lowering/pipeline.h"
#include "smt/run.h"
#include "tools/fuzz/inputs.h"

namespace kir::fuzz {
namespace {

// One count for each group that an operation was mapped to.
std::map<Feature, int> features_of(const Kernel& kernel, const PhysicalProgram& program) {
  const Body& body = kernel.body;
  std::map<OpId, std::vector<int>> axes;
  for (const Group& g : program.groups) {
    std::set<OpId> seen;
    auto visit = [&](auto& self, RegionId region) -> void {
      for (OpId id : program.body.region(region).ops) {
        const Op& op = program.body.op(id);
        if (op.origin && seen.insert(op.origin).second)
          axes[op.origin].push_back(static_cast<int>(program.body.region(g.region).args.size()));
        for (RegionId inner : op.regions) self(self, inner);
      }
    };
    visit(visit, g.region);
  }
  std::map<Feature, int> out;
  for (std::uint32_t i = 0; i < body.op_count(); ++i) {
    const Op& op = body.op(OpId(i));
    if (row(op.kind).terminator) continue;
    const OpId around = body.region(op.parent).parent;
    const std::string place(around ? row(body.op(around).kind).name : "");
    const auto mapped = axes.find(OpId(i));
    const std::vector<int> groups = mapped == axes.end() ? std::vector{Feature::kNothing} : mapped->second;
    for (int n : groups) ++out[{std::string(row(op.kind).name), place, n}];
  }
  return out;
}

std::string described(const LaunchArgs& args) {
  std::string out;
  for (const auto& [symbol, value] : args.symbols) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", symbol, value);
  return out;
}

class Trial {
 public:
  Trial(const Choices::Words& words, const TrialOptions& options) : choices_(words), options_(options) {}

  TrialResult run() {
    out_.text = write_kernel(choices_, options_.profile);
    if (parse() && construct()) {
      launches();
      if (out_.verdict == Verdict::agrees) {
        out_.features = features_of(*kernel_, *program_);
        if (options_.prove) prove();
      }
    }
    return std::move(out_);
  }

 private:
  bool end(Verdict v, std::string reason, std::string detail = "") {
    out_.verdict = v;
    out_.reason = std::move(reason);
    out_.detail = std::move(detail);
    return false;
  }

  static std::shared_ptr<const Kernel> parsed(const std::string& text, Diagnostics& diagnostics) {
    auto module = parse_kir(std::make_shared<SourceFile>("random.kir", text), diagnostics);
    return module && module->kernels.size() == 1 ? module->kernels[0] : nullptr;
  }

  static std::string first(const Diagnostics& d) {
    return d.all().empty() ? std::string("no reason given") : d.all()[0].id + " " + d.all()[0].message;
  }

  bool parse() {
    Diagnostics diagnostics;
    kernel_ = parsed(out_.text, diagnostics);
    if (!kernel_) return end(Verdict::malformed, diagnostics.all().empty() ? "?" : diagnostics.all()[0].id, first(diagnostics));
    const std::string printed = "kir 1\n\n" + print(*kernel_);
    Diagnostics again;
    auto second = parsed(printed, again);
    if (!second) return end(Verdict::round_trip, "the printed kernel is refused", first(again));
    if (!structurally_equal(kernel_->body, second->body)) return end(Verdict::round_trip, "another kernel is read");
    return true;
  }

  bool construct() {
    Diagnostics diagnostics;
    auto built = lowering::compile(*kernel_, {}, diagnostics);
    if (!built) return end(Verdict::refused, first(diagnostics));
    program_ = options_.alter ? options_.alter(*built->program) : built->program;
    auto source = std::make_shared<SourceFile>("random.pir", print(*program_, {.origins = false}));
    Diagnostics again;
    stripped_ = parse_pir(source, again);
    if (!stripped_) return end(Verdict::broken, "the printed program is refused", again.render(*source));
    if (options_.host) {
      Diagnostics problems;
      host_ = emit::HostKernel::compile(*stripped_, problems);
      if (!host_) return end(Verdict::refused, first(problems));
    }
    return true;
  }

  void launches() {
    std::string erroneous = "no arguments satisfy the preconditions";
    for (int i = 0; i < options_.launches; ++i) {
      auto args = draw_arguments(*kernel_, choices_, options_.largest_extent);
      if (!args) continue;
      LaunchArgs expected = copy_arguments(*args);
      Diagnostics diagnostics;
      auto bound = bind_launch(kernel_->abi, expected, diagnostics);
      if (!bound) {
        erroneous = first(diagnostics);
        continue;
      }
      const InterpretOptions limits{.max_steps = options_.max_steps};
      const Reference reference = interpret_reference(*kernel_, *bound, limits);
      if (!reference.result.ok()) {
        erroneous = fmt::format("{}: {}", name(reference.result.error->kind), reference.result.error->message);
        continue;
      }
      if (!compare_all(*args, *bound, reference)) return;
    }
    if (out_.compared == 0)
      end(Verdict::erroneous, erroneous.substr(0, erroneous.find(':')), erroneous);
    else
      out_.verdict = Verdict::agrees;
  }

  bool compare_all(const LaunchArgs& args, const BoundLaunch& want, const Reference& reference) {
    for (std::uint64_t order : {0, 1}) {
      LaunchArgs got = copy_arguments(args);
      Diagnostics diagnostics;
      auto bound = bind_launch(program_->abi, got, diagnostics);
      if (!bound) return end(Verdict::broken, "the program refuses a launch of the kernel", first(diagnostics));
      const PhysicalProgram& program = order ? *stripped_ : *program_;
      const InterpretResult r = interpret(program, *bound, {.max_steps = options_.max_steps * 16, .order_seed = order});
      // What the interpreter gives up on says nothing, and native code might never end.
      if (!r.ok() && r.error->kind == RuntimeErrorKind::step_limit) return ++out_.undecided, true;
      if (!r.ok())
        return end(Verdict::broken, std::string(name(r.error->kind)), fmt::format("{}: {}", described(args), r.error->message));
      if (!same("physical interpreter", args, want, *bound, reference)) return false;
    }
    if (!host_) return ++out_.compared, true;
    LaunchArgs got = copy_arguments(args);
    Diagnostics diagnostics;
    auto bound = bind_launch(program_->abi, got, diagnostics);
    if (std::string error = host_->run(*bound); !error.empty()) return end(Verdict::broken, "host code", error);
    if (!same("host code", args, want, *bound, reference)) return false;
    return ++out_.compared, true;
  }

  bool same(std::string_view provider, const LaunchArgs& args, const BoundLaunch& want, const BoundLaunch& got,
            const Reference& reference) {
    for (std::size_t v = 0; v < want.views.size(); ++v) {
      const Comparison c = compare(*want.views[v], *got.views[v], reference.exact ? nullptr : &reference.radius[v]);
      if (c.verdict == Comparison::Verdict::undecided) ++out_.undecided;
      if (c.verdict == Comparison::Verdict::different)
        return end(Verdict::different, std::string(provider),
                   fmt::format("{}: view {}: {}", described(args), kernel_->abi.views[v].name, describe(c)));
    }
    return true;
  }

  void prove() {
    smt::RunOptions options;
    options.decide.rlimit = options_.rlimit;
    const smt::Outcome outcome = smt::run(*kernel_, program_.get(), nullptr, options);
    if (outcome.exit_code == 0) return;
    std::string reason, detail;
    bool about_program = false, kernel_refuted = false;
    for (std::size_t i = 0; i < outcome.decisions.size(); ++i) {
      const proof::Decision& d = outcome.decisions[i];
      if (d.verdict == proof::Verdict::proved) continue;
      const proof::Obligation& o = outcome.ledger.obligations[i];
      // What an operation of the kernel may do wrong is kir-safe on both sides.
      const bool of_kernel = o.side == proof::Side::kir || o.kind == proof::ObligationKind::kir_safe;
      about_program = about_program || (d.verdict == outcome.verdict && !of_kernel);
      kernel_refuted = kernel_refuted || (d.verdict == proof::Verdict::refuted && o.side == proof::Side::kir);
      if (reason.empty()) reason = fmt::format("{} {}", proof::name(d.verdict), proof::name(o.kind));
      detail += fmt::format("{} {}: {}\n", proof::name(d.verdict), proof::name(o.kind), o.sentence);
    }
    // A kernel that is not right itself, or not shown to be, says nothing about what comes after it.
    if (!about_program || kernel_refuted) {
      end(Verdict::erroneous, "the kernel is " + reason, detail);
      return;
    }
    end(outcome.verdict == proof::Verdict::refuted ? Verdict::refuted : Verdict::unproved, reason, detail);
  }

  Choices choices_;
  const TrialOptions& options_;
  TrialResult out_;
  std::shared_ptr<const Kernel> kernel_;
  PhysicalPtr program_, stripped_;
  std::unique_ptr<emit::HostKernel> host_;
};

}  // namespace

std::string_view name(Verdict v) {
  switch (v) {
    case Verdict::agrees: return "agrees";
    case Verdict::erroneous: return "erroneous";
    case Verdict::refused: return "refused";
    case Verdict::unproved: return "unproved";
    case Verdict::malformed: return "malformed";
    case Verdict::round_trip: return "round trip";
    case Verdict::broken: return "broken";
    case Verdict::different: return "different";
    case Verdict::refuted: return "refuted";
    case Verdict::crashed: return "crashed";
    case Verdict::hung: return "hung";
  }
  return "?";
}

Choices::Words words_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Choices::Words out(64 + random() % 700);
  for (std::uint32_t& w : out) w = static_cast<std::uint32_t>(random() >> 32);
  return out;
}

TrialResult run_trial(const Choices::Words& words, const TrialOptions& options) { return Trial(words, options).run(); }

}  // namespace kir::fuzz
