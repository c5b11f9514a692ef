#include "core/interp/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/interp/bound_rules.h"
#include "core/interp/code.h"
#include "core/interp/machine.h"
#include "core/ir/fold.h"
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"

namespace kir {
bool has_several_answers(const Kernel& kernel) {
  for (std::uint32_t i = 0; i < kernel.body.op_count(); ++i)
    if (row(kernel.body.op(OpId(i)).kind).accuracy.max_ulp > 0) return true;
  return has_free_orders(kernel);
}

bool has_free_orders(const Kernel& kernel) {
  for (std::uint32_t i = 0; i < kernel.body.op_count(); ++i) {
    const Op& op = kernel.body.op(OpId(i));
    if (const std::optional<Fold> fold = as_fold(kernel.body, op); fold && !has_one_result(kernel.body, *fold)) return true;
    if (op.attrs.has(AttrKey::unit)) return true;
    if (is_atomic(op.kind)) return true;
    if (op.kind == OpKind::histogram && is_float(kernel.body.type(op.operands[0]).dtype)) return true;
    if (row(op.kind).family == Family::region && op.attrs.get<Order>(AttrKey::order) != Order::strict &&
        std::any_of(op.results.begin(), op.results.end(), [&](ValueId v) { return is_float(kernel.body.type(v).dtype); }))
      return true;
  }
  return false;
}

Reference interpret_reference(const Kernel& kernel, const BoundLaunch& launch, const InterpretOptions& options) {
  Reference out;
  if (!has_several_answers(kernel)) {
    out.result = interpret(kernel, launch, options);
    return out;
  }
  out.exact = false;
  std::vector<Tensor> before;
  for (const TensorPtr& v : launch.views) before.push_back(*v);
  Memory memory;
  memory.set_detect_races(options.detect_races);
  for (std::size_t i = 0; i < kernel.abi.views.size(); ++i)
    memory.add_view(kernel.abi.views[i], {launch.views[i]->shape, launch.views[i]->strides}, launch.views[i]);
  memory.track_radius();
  const Code code = decode({&kernel.body, &kernel.abi, &launch.symbols, false}, std::span(&kernel.root, 1));
  Machine machine(kernel.body, kernel.abi, code, memory, options);
  BoundRules rules(machine);
  machine.set_bounds(&rules);
  for (std::size_t i = 0; i < kernel.abi.scalars.size(); ++i)
    machine.set_scalar(kernel.abi.scalars[i].value.index, launch.scalars[i].bits);
  machine.run_region(kernel.root);
  out.undecided = machine.undecided();
  if (out.undecided) {
    for (std::size_t i = 0; i < before.size(); ++i) *launch.views[i] = before[i];
    out.result = interpret(kernel, launch, options);
    for (const TensorPtr& v : launch.views)
      out.radius.emplace_back(v->bytes.size() / static_cast<std::size_t>(byte_size(v->dtype)), HUGE_VAL);
    out.basis = "control depends on values that permitted executions may compute differently";
    return out;
  }
  out.result.error = machine.error();
  out.result.steps = machine.steps();
  for (std::size_t i = 0; i < kernel.abi.views.size(); ++i) out.radius.push_back(memory.radii(i));
  const BoundRules::Basis& b = rules.basis();
  if (b.most_terms > 0)
    out.basis += fmt::format("{} of up to {} terms", b.sampled ? "sampled orders" : "any order", b.most_terms);
  if (b.unit > 0) out.basis += fmt::format("{}sums of products within {:.3g}", out.basis.empty() ? "" : ", ", b.unit);
  if (b.most_ulp > 0) out.basis += fmt::format("{}functions within {} ulp", out.basis.empty() ? "" : ", ", b.most_ulp);
  if (out.basis.empty()) out.basis = "every partial result is exact";
  return out;
}

Comparison compare(const Tensor& reference, const Tensor& other, const std::vector<double>* radius) {
  KIR_CHECK(reference.dtype == other.dtype && reference.shape == other.shape, "tensors of one form are compared");
  Comparison out;
  out.elements = reference.element_count();
  std::vector<std::int64_t> at(reference.shape.size());
  for (std::int64_t i = 0; i < out.elements; ++i) {
    std::int64_t rest = i;
    for (std::size_t k = at.size(); k-- > 0; rest /= reference.shape[k]) at[k] = rest % reference.shape[k];
    const std::int64_t address = reference.address(at);
    const Scalar a = reference.load(address), b = other.load(other.address(at));
    const double r = radius ? (*radius)[static_cast<std::size_t>(address)] : 0;
    if (a == b || (a.is_nan() && b.is_nan())) continue;
    if (!std::isfinite(r)) {
      ++out.undecided;
      out.verdict = Comparison::Verdict::undecided;
      continue;
    }
    if (r > 0 && is_float(a.type) && std::fabs(a.as_double() - b.as_double()) <= r) {
      out.verdict = std::max(out.verdict, Comparison::Verdict::within);
      continue;
    }
    out.verdict = Comparison::Verdict::different;
    out.coordinate = at;
    out.wanted = literal_text(a);
    out.got = literal_text(b);
    out.radius = r;
    return out;
  }
  return out;
}

std::string describe(const Comparison& c) {
  switch (c.verdict) {
    case Comparison::Verdict::equal: return "equal bit for bit";
    case Comparison::Verdict::within: return "within the bound";
    case Comparison::Verdict::undecided:
      return fmt::format("not decided: {} of {} elements differ where permitted executions are not bounded", c.undecided,
                         c.elements);
    case Comparison::Verdict::different:
      return fmt::format("different: first at ({}): {} and {}{}", fmt::join(c.coordinate, ", "), c.wanted, c.got,
                         c.radius > 0 ? fmt::format(", more than {:.3g} apart", c.radius) : std::string());
  }
  KIR_UNREACHABLE("verdict");
}

}  // namespace kir
