#include "smt/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "core/kir/kernel.h"
#include "core/pir/program.h"

namespace kir::smt {
namespace {

std::string sizes_text(const std::map<std::string, std::int64_t>& symbols) {
  std::string s;
  for (const auto& [name, v] : symbols) s += fmt::format("{}{} = {}", s.empty() ? "" : ", ", name, v);
  return s.empty() ? "no symbols" : s;
}

std::string aliasing_text(const LaunchArgs& args) {
  std::string s;
  for (auto a = args.views.begin(); a != args.views.end(); ++a)
    for (auto b = std::next(a); b != args.views.end(); ++b)
      if (a->second == b->second) s += fmt::format(", {} is {}", b->first, a->first);
  return s;
}

bool exact_in_any_order(OpKind k) {
  return k == OpKind::min_nan || k == OpKind::max_nan || k == OpKind::min_num || k == OpKind::max_num;
}

// Results of these on small integers may round.
bool rounds_on_integers(OpKind k) {
  switch (k) {
    case OpKind::div:
    case OpKind::sqrt:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf: return true;
    default: return false;
  }
}

// The float operations of a combine region, terminator aside.
std::vector<OpKind> float_operations(const Body& body, RegionId region) {
  std::vector<OpKind> out;
  for (OpId id : body.region(region).ops) {
    const Op& op = body.op(id);
    if (row(op.kind).terminator || op.kind == OpKind::constant) continue;
    bool floating = false;
    for (ValueId v : op.operands) floating = floating || is_float(body.type(v).dtype);
    for (ValueId v : op.results) floating = floating || is_float(body.type(v).dtype);
    if (floating || !op.regions.empty()) out.push_back(op.kind);
  }
  return out;
}

bool integral_and_small(const Scalar& s) {
  if (!is_float(s.type)) return true;
  double v = s.as_double(), limit = s.type == DType::f32 || s.type == DType::f64 || s.type == DType::tf32 ? 1 << 20 : 64;
  return std::isfinite(v) && std::abs(v) <= limit && v == std::floor(v);
}

bool equal_elements(const Scalar& a, const Scalar& b) { return a == b || (a.is_nan() && b.is_nan()); }

// Calls f with the coordinates of each element until it returns false.
template <class F>
void each_element(const std::vector<std::int64_t>& shape, F f) {
  for (std::int64_t e : shape)
    if (e == 0) return;
  std::vector<std::int64_t> at(shape.size(), 0);
  while (f(at)) {
    std::size_t i = at.size();
    while (i > 0 && ++at[i - 1] == shape[i - 1]) at[--i] = 0;
    if (i == 0) return;
  }
}

void compare(const Kernel& kernel, const LaunchArgs& expected, const LaunchArgs& got, bool integral, Trial& trial) {
  for (const ViewParam& v : kernel.abi.views) {
    if (v.access == Access::in) continue;
    const Tensor& a = *expected.views.at(v.name);
    if (integral) {  // sums that left the exact range have more than one value under a licence
      bool exact = true;
      each_element(a.shape,
                   [&](const std::vector<std::int64_t>& at) { return exact = integral_and_small(a.load(a.address(at))); });
      if (!exact) {
        trial.what = Misbehaviour::not_run;
        trial.reason = "the licensed result is not exact on this launch";
        return;
      }
    }
  }
  for (const ViewParam& v : kernel.abi.views) {
    const Tensor &a = *expected.views.at(v.name), &b = *got.views.at(v.name);
    each_element(a.shape, [&](const std::vector<std::int64_t>& at) {
      Scalar x = a.load(a.address(at)), y = b.load(b.address(at));
      if (equal_elements(x, y)) return true;
      trial.what = Misbehaviour::different_output;
      trial.view = v.name;
      trial.story =
          fmt::format("{}[{}] is {} but the kernel defines {}", v.name, fmt::join(at, ", "), literal_text(y), literal_text(x));
      return false;
    });
    if (trial.found()) return;
  }
}

}  // namespace

bool unique_result(const Kernel& kernel, const std::map<std::string, std::int64_t>& symbols, Contents contents) {
  bool licensed = false, rounds = false, small = true;
  const Body& body = kernel.body;
  for (std::uint32_t i = 0; i < body.op_count(); ++i) {
    const Op& op = body.op(OpId(i));
    rounds = rounds || rounds_on_integers(op.kind);
    if (op.kind != OpKind::reduce) continue;
    const Order* order = op.attrs.find<Order>(AttrKey::order);
    if (order == nullptr || *order == Order::strict) continue;
    std::vector<OpKind> combine = float_operations(body, op.regions.back());
    if (combine.empty() || (combine.size() == 1 && exact_in_any_order(combine[0]))) continue;
    licensed = true;
    // Two members and a commutative operation leave one result in any order; an initial value would be a third.
    bool simple = combine.size() == 1 && (combine[0] == OpKind::add || combine[0] == OpKind::mul) && op.results.size() == 1;
    const ExprList* ranges = op.attrs.find<ExprList>(AttrKey::ranges);
    if (!simple || ranges == nullptr || ranges->size() != 2) {
      small = false;
      continue;
    }
    auto value = [&](Expr leaf) -> std::optional<Integer> {
      if (!leaf.is(ExprKind::symbol)) return {};
      auto it = symbols.find(leaf.name());
      return it == symbols.end() ? std::optional<Integer>() : it->second;
    };
    EvalResult lo = evaluate((*ranges)[0], value), hi = evaluate((*ranges)[1], value);
    bool neutral_init = op.operands.empty();
    if (op.operands.size() == 1) {
      const Value& init = body.value(op.operands[0]);
      const Op* constant = init.op ? &body.op(init.op) : nullptr;
      const Scalar* literal =
          constant != nullptr && constant->kind == OpKind::constant ? constant->attrs.find<Scalar>(AttrKey::literal) : nullptr;
      double neutral = combine[0] == OpKind::add ? 0.0 : 1.0;
      neutral_init = literal != nullptr && is_float(literal->type) && literal->as_double() == neutral;
    }
    if (!lo.ok() || !hi.ok() || hi.value - lo.value > 2 || !neutral_init) small = false;
  }
  return !licensed || small || (contents == Contents::exact && !rounds);
}

Trial try_launch(const Kernel& kernel, const PhysicalProgram* program, const LaunchArgs& original, Contents contents,
                 const TrialLimits& limits) {
  Trial trial;
  LaunchArgs kir_args = deep_copy(original);
  Diagnostics diagnostics;
  auto bound = bind_launch(kernel.abi, kir_args, diagnostics);
  std::string where = "at " + sizes_text(bound ? bound->symbols : original.symbols) + aliasing_text(original);
  if (!bound) {
    for (const Diagnostic& d : diagnostics.all())
      if (d.severity == Severity::error) {
        bool overlap = d.id == "A-12" && diagnostics.error_count() == 1;
        trial.what = overlap ? Misbehaviour::overlapping_view : Misbehaviour::not_run;
        trial.reason = d.message;
        trial.story = fmt::format("{}: {}", where, d.message);
        break;
      }
    return trial;
  }
  InterpretResult k = interpret(kernel, *bound, {.max_steps = limits.kir_steps});
  auto inconclusive = [](const InterpretResult& r) {
    return r.error && (r.error->kind == RuntimeErrorKind::step_limit || r.error->kind == RuntimeErrorKind::unsupported);
  };
  if (inconclusive(k)) {
    trial.what = Misbehaviour::not_run;
    trial.reason = k.error->message;
    return trial;
  }
  if (k.error) {
    trial.what = Misbehaviour::kir_error;
    trial.error = k.error;
    trial.story = fmt::format("{}: {} ({})", where, k.error->message, name(k.error->kind));
    return trial;
  }
  if (program == nullptr) return trial;

  LaunchArgs physical_args = deep_copy(original);
  Diagnostics refusals;
  auto physical_bound = bind_launch(program->abi, physical_args, refusals);
  if (!physical_bound) {
    trial.what = Misbehaviour::refused;
    for (const Diagnostic& d : refusals.all())
      if (d.severity == Severity::error) {
        trial.reason = d.message;
        break;
      }
    trial.story = fmt::format("{}: the program refuses a launch that the kernel accepts: {}", where, trial.reason);
    return trial;
  }
  InterpretResult p = interpret(*program, *physical_bound, {.max_steps = limits.physical_steps});
  if (inconclusive(p)) {
    trial.what = Misbehaviour::not_run;
    trial.reason = p.error->message;
    return trial;
  }
  if (p.error) {
    trial.what = Misbehaviour::physical_error;
    trial.error = p.error;
    trial.story = fmt::format("{}: {} ({})", where, p.error->message, name(p.error->kind));
    return trial;
  }
  if (!unique_result(kernel, bound->symbols, contents)) {
    trial.what = Misbehaviour::not_run;
    trial.reason = "the outputs may differ within the kernel's licences";
    return trial;
  }
  compare(kernel, kir_args, physical_args, !unique_result(kernel, bound->symbols, Contents::ordinary), trial);
  if (trial.found()) trial.story = where + ": " + trial.story;
  return trial;
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
        case E::arbitrary_value: return k == K::kir_safe || k == K::access_bounds;
        case E::index_overflow:
        case E::launch_overflow: return k == K::index_no_overflow;
        case E::step_limit:
        case E::unsupported: return false;
      }
      return false;
    case Misbehaviour::refused: return !kir_side && (k == K::precondition_implied || k == K::alignment || k == K::alias_case);
    case Misbehaviour::physical_error:
      if (kir_side) return false;
      switch (trial.error->kind) {
        case E::out_of_bounds: return k == K::access_bounds || k == K::predicate_subset;
        case E::race: return k == K::ownership_disjoint || k == K::read_write_independence || k == K::barrier_separation;
        case E::uninitialized_read: return k == K::initialization || k == K::load_stable || k == K::value_equal;
        case E::index_overflow: return k == K::index_no_overflow;
        case E::launch_overflow: return k == K::index_no_overflow || k == K::launch_extent || k == K::resource_limit;
        case E::arbitrary_value:
          return k == K::value_equal || k == K::predicate_subset || k == K::initialization || k == K::kir_safe;
        case E::failed_assume: return k == K::precondition_implied || k == K::assumed || k == K::kir_safe;
        case E::division:
        case E::conversion:
        case E::empty_reduction:
        case E::zero_divisor:
        case E::bad_step: return k == K::kir_safe || k == K::access_bounds || k == K::index_no_overflow || k == K::value_equal;
        case E::step_limit:
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
