#include "tools/mutants/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interp/launch_input.h"
#include "core/ir/op_table.h"

namespace kir::mutants {
namespace {

// The operation whose execution shows that this one was reached: the interpreters execute neither terminators nor coordinate
// relations by themselves.
OpId executed_with(const Body& body, OpId id) {
  for (;;) {
    const Op& o = body.op(id);
    const RegionId region = o.parent;
    const OpId around = body.region(region).parent;
    const bool relation = around && (body.op(around).kind == OpKind::view || body.op(around).kind == OpKind::gather);
    if (relation) {
      id = around;
      continue;
    }
    const Family family = row(o.kind).family;
    if (!row(o.kind).terminator && family != Family::tensor && family != Family::gather) return id;
    // The nearest one before it, else the one around it.
    const std::vector<OpId>& ops = body.region(region).ops;
    auto at = std::ranges::find(ops, id);
    if (at != ops.begin())
      id = *std::prev(at);
    else if (around)
      id = around;
    else
      return {};
  }
}

// An execution of the kernel that its contract rules out: it breaks what its author states or licenses.
bool outside_contract(const Kernel& kernel, const RuntimeError& e) {
  if (e.kind == RuntimeErrorKind::failed_assume) return true;
  for (std::uint32_t i = 0; i < kernel.body.op_count(); ++i) {
    const Op& o = kernel.body.op(OpId(i));
    if (!(o.range == e.range)) continue;
    if (o.kind == OpKind::assume_in_bounds) return true;
    if (e.kind == RuntimeErrorKind::violated_licence &&
        std::ranges::any_of(o.results, [&](ValueId v) { return is_float(kernel.body.type(v).dtype); }))
      return true;
  }
  return false;
}

std::string error_text(const RuntimeError& e) { return fmt::format("{} ({})", e.message, name(e.kind)); }

void tell_failures(const smt::ConstructionVerdict& v, Judgement& out) {
  for (std::size_t i = 0; i < v.outcome.decisions.size(); ++i) {
    const proof::Verdict verdict = v.outcome.decisions[i].verdict;
    if (verdict == proof::Verdict::proved) continue;
    const proof::ObligationKind kind = v.outcome.ledger.obligations[i].kind;
    out.kinds.push_back(kind);
    if (verdict == v.outcome.verdict && out.reason.empty())
      out.reason = fmt::format("{} {}", proof::name(verdict), proof::name(kind));
  }
  std::ranges::sort(out.kinds);
  out.kinds.erase(std::ranges::unique(out.kinds).begin(), out.kinds.end());
  if (out.reason.empty()) out.reason = v.outcome.malformed.empty() ? "no obligation failed" : "contradictory preconditions";
}

}  // namespace

std::string_view name(Verdict v) {
  switch (v) {
    case Verdict::malformed: return "malformed";
    case Verdict::refuted: return "refuted";
    case Verdict::unproved: return "not proved";
    case Verdict::proved: return "proved";
  }
  return "?";
}

std::string_view name(Runs r) {
  switch (r) {
    case Runs::none: return "not run";
    case Runs::differ: return "told apart by a run";
    case Runs::equal: return "equal in every run";
    case Runs::not_reached: return "not reached by any run";
  }
  return "?";
}

Judge::Judge(KernelPtr kernel, PhysicalPtr program, const JudgeOptions& options)
    : kernel_(kernel), program_(program), options_(options), launches_(std::move(kernel), std::move(program), options.draw) {}

std::string Judge::fault() {
  Mutant undamaged;
  undamaged.program = program_;
  const Judgement j = judge(undamaged);
  if (j.verdict != Verdict::proved) return fmt::format("it is {} by {}", name(j.verdict), j.reason);
  for (std::size_t i = 0; launches_.at(i) != nullptr;) ++i;
  if (!launches_.disagreement().empty()) return "a run differs from the kernel's: " + launches_.disagreement();
  return j.run.empty() ? "" : "a run differs from the kernel's: " + j.run;
}

bool Judge::reaches(const Mutant& mutant, const Launch& launch) const {
  if (!mutant.op) return launch.reference.result.steps > 0;
  const Body& body = mutant.form == Form::physical ? program_->body : kernel_->body;
  const OpId op = executed_with(body, mutant.op);
  return !op || (mutant.form == Form::physical ? launch.program_executes : launch.kernel_executes)[op.index];
}

std::string Judge::difference_of_program(const PhysicalProgram& program, const Launch& launch, int number) const {
  if (!launch.reference.result.ok()) return {};
  Diagnostics problems;
  auto bound = bind_launch(program.abi, restrict_arguments(copy_arguments(launch.args), program.abi), problems);
  if (!bound) return "the launch is refused: " + (problems.all().empty() ? "" : problems.all()[0].message);
  // Orders that are free: ascending, and another one.
  const std::uint64_t limit = launch.result.steps * 64 + 100'000;
  const InterpretResult r =
      interpret(program, *bound, {.max_steps = limit, .order_seed = static_cast<std::uint64_t>(number % 2 == 0 ? 0 : number)});
  if (r.ok()) return first_difference(*kernel_, launch.wanted, launch.reference, *bound);
  // One that does not end is another one; the limit leaves room for one that is slower.
  return gives_up(r) && r.error->kind != RuntimeErrorKind::step_limit ? "" : error_text(*r.error);
}

std::string Judge::difference_of_kernel(const Kernel& kernel, const Launch& launch) {
  Diagnostics problems;
  auto wanted = bind_launch(kernel.abi, copy_arguments(launch.args), problems);
  if (!wanted) return {};  // no launch of this kernel
  const Reference reference = interpret_reference(kernel, *wanted, {.max_steps = options_.draw.max_steps * 4});
  if (reference.result.error) {
    const RuntimeError& e = *reference.result.error;
    if (gives_up(reference.result) || outside_contract(kernel, e)) return {};
    kernel_errs_ = true;
    return "the kernel errs: " + error_text(e);
  }
  if (!launch.refusal.empty()) return "the program refuses a launch of the kernel: " + launch.refusal;
  if (launch.result.error) return "the program errs: " + error_text(*launch.result.error);
  return first_difference(kernel, *wanted, reference, launch.got);
}

std::string Judge::difference(const Mutant& mutant, const Launch& launch, int number) {
  return mutant.form == Form::physical ? difference_of_program(*mutant.program, launch, number)
                                       : difference_of_kernel(*mutant.kernel, launch);
}

void Judge::run(const Mutant& mutant, Judgement& out) {
  // Another kernel may accept other launches.
  std::optional<Launches> others;
  if (mutant.form == Form::kir && mutant.abi) others.emplace(mutant.kernel, program_, options_.draw);
  Launches& launches = others ? *others : launches_;
  int reached = 0;
  for (std::size_t i = 0; reached < options_.launches; ++i) {
    const Launch* launch = launches.at(i);
    if (!launch) break;
    if (!reaches(mutant, *launch)) continue;
    const std::string how = difference(mutant, *launch, reached++);
    if (how.empty()) continue;
    out.runs = Runs::differ;
    out.run = fmt::format("{}: {}", launch->text, how);
    return;
  }
  out.runs = reached > 0 ? Runs::equal : Runs::not_reached;
}

Judgement Judge::judge(const Mutant& mutant) {
  const Kernel& kernel = mutant.kernel ? *mutant.kernel : *kernel_;
  const PhysicalProgram& program = mutant.program ? *mutant.program : *program_;
  Judgement out;
  smt::RunOptions options;
  options.decide.rlimit = options_.rlimit;
  const smt::ConstructionVerdict v = options_.verifier(kernel, program, options);
  for (const proof::CheckResult& r : v.checks)
    if (r.failed()) out.refused_by.emplace_back(r.check->id);
  if (v.structure.has_errors()) {
    out.reason = v.structure.all()[0].id;
    return out;
  }
  kernel_errs_ = false;
  run(mutant, out);
  if (v.holds()) {
    out.verdict = Verdict::proved;
    return out;
  }
  tell_failures(v, out);
  out.verdict = v.outcome.verdict == proof::Verdict::refuted ? Verdict::refuted : Verdict::unproved;
  // A kernel that errs must not be proven by itself, whatever becomes of the pair.
  if (kernel_errs_ && smt::run(kernel, nullptr, nullptr, options).exit_code == 0) {
    out.verdict = Verdict::proved;
    out.reason = "the kernel by itself";
  }
  return out;
}

}  // namespace kir::mutants
