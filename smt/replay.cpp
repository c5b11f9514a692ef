#include "smt/replay.h"

#include <charconv>
#include <set>

#include "core/base/check.h"

namespace kir::smt {
namespace {

bool inconclusive(const std::optional<RuntimeError>& e) {
  return e && (e->kind == RuntimeErrorKind::step_limit || e->kind == RuntimeErrorKind::unsupported);
}

void fail(Trial& trial, Misbehaviour what, const RuntimeError& error) {
  if (inconclusive(error)) {
    trial.what = Misbehaviour::not_run;
    trial.reason = error.message;
    return;
  }
  trial.what = what;
  trial.error = error;
}

// What assume_in_bounds states is the author's word about the launches that there are: one that breaks it shows nothing.
bool breaks_contract(const Kernel& kernel, const RuntimeError& error) {
  for (std::uint32_t i = 0; i < kernel.body.op_count(); ++i)
    if (const Op& op = kernel.body.op(OpId(i)); op.kind == OpKind::assume_in_bounds && op.range == error.range) return true;
  return false;
}

// An error of the kernel itself.
void fail(Trial& trial, const Kernel& kernel, const RuntimeError& error) {
  fail(trial, Misbehaviour::kir_error, error);
  if (!breaks_contract(kernel, error)) return;
  trial.what = Misbehaviour::not_run;
  trial.error.reset();
  trial.reason = "the launch is outside what an assume_in_bounds states: " + error.message;
}

void take_refusal(Trial& trial, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::error) {
      trial.rule = d.id;
      trial.reason = d.message;
      return;
    }
}

// "m'$13" -> "m": the name that a variable of a formula was made from.
std::string base_name(std::string_view leaf) {
  leaf = leaf.substr(0, leaf.find('$'));
  while (!leaf.empty() && leaf.back() == '\'') leaf.remove_suffix(1);
  return std::string(leaf);
}

// Iterations that the model names, by the variables of loops and parallels.
Focus focus_of(const Body& body, const std::vector<proof::Binding>& model, bool loops) {
  Focus focus;
  for (std::uint32_t i = 0; i < body.op_count(); ++i) {
    const Op& op = body.op(OpId(i));
    bool iterates = op.kind == OpKind::parallel || op.kind == OpKind::for_loop || op.kind == OpKind::reduce ||
                    op.kind == OpKind::arg_reduce || op.kind == OpKind::tensor;
    if (!iterates || op.regions.empty() || (op.kind != OpKind::parallel && !loops)) continue;
    for (ValueId v : body.region(op.regions[0]).args) {
      const Value& value = body.value(v);
      if (value.name.empty() || (op.kind == OpKind::for_loop && value.position > 0)) continue;
      std::set<std::int64_t> at;
      for (const proof::Binding& b : model) {
        std::int64_t n = 0;
        auto [end, error] = std::from_chars(b.value.data(), b.value.data() + b.value.size(), n);
        if (error == std::errc() && b.leaf.find('$') != std::string::npos && base_name(b.leaf) == value.name) at.insert(n);
      }
      if (!at.empty()) focus[v] = {at.begin(), at.end()};
    }
  }
  return focus;
}

}  // namespace

Trial try_launch(const Kernel& kernel, const PhysicalProgram* program, const LaunchArgs& original, const TrialLimits& limits) {
  Trial trial;
  LaunchArgs kir_args = deep_copy(original);
  Diagnostics diagnostics;
  auto bound = bind_launch(kernel.abi, kir_args, diagnostics);
  if (!bound) {
    take_refusal(trial, diagnostics);
    trial.what =
        trial.rule == "A-12" && diagnostics.error_count() == 1 ? Misbehaviour::overlapping_view : Misbehaviour::not_run;
    return trial;
  }
  Reference reference;
  if (program != nullptr)
    reference = interpret_reference(kernel, *bound, {.max_steps = limits.kir_steps});
  else
    reference.result = interpret(kernel, *bound, {.max_steps = limits.kir_steps});
  trial.steps = reference.result.steps;
  if (reference.result.error) {
    fail(trial, kernel, *reference.result.error);
    return trial;
  }
  if (program == nullptr) return trial;

  LaunchArgs physical_args = deep_copy(original);
  Diagnostics refusals;
  auto physical_bound = bind_launch(program->abi, physical_args, refusals);
  if (!physical_bound) {
    trial.what = Misbehaviour::refused;
    take_refusal(trial, refusals);
    return trial;
  }
  InterpretResult p = interpret(*program, *physical_bound, {.max_steps = limits.physical_steps});
  trial.steps += p.steps;
  if (p.error) {
    fail(trial, Misbehaviour::physical_error, *p.error);
    return trial;
  }
  for (std::size_t i = 0; i < kernel.abi.views.size(); ++i) {
    const std::string& view = kernel.abi.views[i].name;
    auto other = physical_args.views.find(view);
    if (other == physical_args.views.end()) continue;
    Comparison c = compare(*bound->views[i], *other->second,
                           reference.exact || i >= reference.radius.size() ? nullptr : &reference.radius[i]);
    if (c.verdict != Comparison::Verdict::different) continue;
    trial.what = Misbehaviour::different_output;
    trial.view = view;
    trial.difference = std::move(c);
    return trial;
  }
  return trial;
}

Trial try_point(const Kernel& kernel, const PhysicalProgram* program, bool of_program, const Symbols& symbols,
                const std::vector<proof::Binding>& model, const TrialLimits& limits) {
  Trial trial;
  trial.what = Misbehaviour::not_run;
  bool clean = false;  // the instances ran to their end
  for (bool special : {false, true})
    for (bool loops : {true, false}) {
      InstanceRun run;
      run.launch.symbols = symbols;
      run.launch.seed = 1;
      run.launch.special = special;
      // Whether the kernel accepts the launch is asked first; what it does there, only of an obligation of its own.
      run.focus = focus_of(kernel.body, model, loops);
      ReplayResult k = interpret_instances(kernel, run.launch, run.focus, {.max_steps = of_program ? 1 : limits.kir_steps});
      trial.steps += k.steps;
      if (!k.outside_contract.empty()) {
        trial.reason = k.outside_contract;
        return trial;
      }
      if (!of_program) {
        if (k.error)
          fail(trial, kernel, *k.error);
        else
          clean = true;
        if (trial.found()) {
          trial.instances = std::move(run);
          return trial;
        }
        continue;
      }
      if (program == nullptr) return trial;
      std::set<std::int64_t> ids;
      for (const proof::Binding& b : model) {
        std::int64_t n = 0;
        auto [end, error] = std::from_chars(b.value.data(), b.value.data() + b.value.size(), n);
        if (error == std::errc() && n >= 0 && base_name(b.leaf) == base_name(program->work_id)) ids.insert(n);
      }
      run.of_program = true;
      run.programs = {ids.begin(), ids.end()};
      run.focus = focus_of(program->body, model, loops);
      ReplayResult p = interpret_instances(*program, run.launch, run.programs, run.focus, {.max_steps = limits.physical_steps});
      trial.steps += p.steps;
      if (!p.outside_contract.empty()) {
        trial.what = Misbehaviour::refused;
        trial.reason = p.outside_contract;
        trial.instances = std::move(run);
        return trial;
      }
      if (p.error)
        fail(trial, Misbehaviour::physical_error, *p.error);
      else if (!run.programs.empty())
        clean = true;
      if (trial.found()) {
        trial.instances = std::move(run);
        return trial;
      }
    }
  if (clean) trial.what = Misbehaviour::none;
  return trial;
}

bool same_failure(const Trial& a, const Trial& b) {
  const bool same_error = a.error.has_value() == b.error.has_value() &&
                          (!a.error || (a.error->kind == b.error->kind && a.error->range == b.error->range));
  return a.what == b.what && same_error && a.view == b.view;
}

bool explains(const Trial& trial, const proof::Obligation& o) {
  using K = proof::ObligationKind;
  using E = RuntimeErrorKind;
  bool kir_side = o.side == proof::Side::kir;
  K k = o.kind;
  switch (trial.what) {
    case Misbehaviour::none:
    case Misbehaviour::not_run: return false;
    case Misbehaviour::overlapping_view: return k == K::view_injective;
    case Misbehaviour::kir_error:
      if (!kir_side) return false;
      switch (trial.error->kind) {
        case E::race: return k == K::kir_race_free || k == K::alias_case;
        case E::uninitialized_read: return k == K::initialization || k == K::kir_safe;
        case E::out_of_bounds:
        case E::division:
        case E::conversion:
        case E::empty_reduction:
        case E::failed_assume:
        case E::zero_divisor:
        case E::bad_step:
        case E::shape_mismatch:
        case E::arbitrary_value: return k == K::kir_safe || k == K::access_bounds;
        case E::index_overflow:
        case E::launch_overflow: return k == K::index_no_overflow;
        case E::violated_licence: return k == K::combine_laws || k == K::segment_independence;
        case E::step_limit:
        case E::refused_launch:  // of plans, which are not replayed
        case E::unsupported: return false;
      }
      return false;
    case Misbehaviour::refused: return !kir_side && (k == K::precondition_implied || k == K::alignment || k == K::alias_case);
    case Misbehaviour::physical_error:
      if (kir_side) return false;
      switch (trial.error->kind) {
        case E::out_of_bounds:
          return k == K::access_bounds || k == K::predicate_subset || k == K::workspace_fits || k == K::precondition_implied;
        case E::race: return k == K::ownership_disjoint || k == K::read_write_independence || k == K::barrier_separation;
        case E::uninitialized_read: return k == K::initialization || k == K::load_stable || k == K::value_equal;
        case E::index_overflow: return k == K::index_no_overflow;
        case E::launch_overflow: return k == K::index_no_overflow || k == K::launch_extent || k == K::resource_limit;
        case E::arbitrary_value:
          return k == K::value_equal || k == K::predicate_subset || k == K::inactive_unused || k == K::kir_safe;
        case E::failed_assume: return k == K::precondition_implied || k == K::assumed || k == K::kir_safe;
        case E::division:
        case E::conversion:
        case E::zero_divisor:
        case E::shape_mismatch:
        case E::bad_step: return k == K::kir_safe || k == K::access_bounds || k == K::index_no_overflow || k == K::value_equal;
        case E::empty_reduction: return k == K::combine_laws || k == K::segment_independence || k == K::value_equal;
        case E::violated_licence: return k == K::combine_laws || k == K::segment_independence;
        case E::step_limit:
        case E::refused_launch:  // of plans, which are not replayed
        case E::unsupported: return false;
      }
      return false;
    case Misbehaviour::different_output:
      if (kir_side) return false;
      switch (k) {
        case K::value_equal:
        case K::coverage:
        case K::effect_paired:
        case K::relation_equal:
        case K::predicate_subset:
        case K::order_kept:
        case K::load_stable:
        case K::loop_matched:
        case K::initialization:
        case K::inactive_unused:
        case K::combine_laws:
        case K::licence_refines:
        case K::segment_independence:
        case K::decode_bijection:
        case K::segment_partition:
        case K::launch_extent:
        case K::ownership_disjoint:
        case K::read_write_independence:
        case K::barrier_separation:
        case K::replica_consistent:
        case K::replica_once:
        case K::async_complete:
        case K::precondition_implied: return true;
        case K::kir_safe:
        case K::kir_race_free:
        case K::access_bounds:
        case K::index_no_overflow:
        case K::view_injective:
        case K::alias_case:
        case K::layout_admissible:
        case K::layout_injective:
        case K::layout_covering:
        case K::swizzle_bijective:
        case K::uniform:
        case K::atomic_scope:
        case K::alignment:
        case K::readonly_path:
        case K::workspace_fits:
        case K::resource_limit:
        case K::reachable:
        case K::assumed: return false;
      }
      return false;
  }
  KIR_UNREACHABLE("misbehaviour");
}

bool same_place(const Trial& trial, const proof::Obligation& o) {
  if (trial.error) return trial.error->range.begin < o.range.end && o.range.begin < trial.error->range.end;
  if (!trial.view.empty())
    return o.sentence.find(trial.view) != std::string::npos || o.key.find(trial.view) != std::string::npos;
  return true;
}

}  // namespace kir::smt
