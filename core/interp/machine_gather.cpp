// Tensors made of other tensors, parts of axes, random numbers.
#include <fmt/format.h>

#include <algorithm>

#include "core/interp/machine.h"
#include "core/numeric/philox.h"
#include "core/numeric/scalar_ops.h"

namespace kir {
namespace {

// Members of a shape in row-major order.
void coordinates_of(std::int64_t member, std::span<const std::int64_t> shape, Integer* at) {
  for (std::size_t k = shape.size(); k-- > 0; member /= shape[k]) at[k] = member % shape[k];
}

// 2^63 - 1 stands for more.
std::int64_t count_of(std::span<const std::int64_t> shape) {
  __int128 count = 1;
  for (std::int64_t e : shape) {
    if (e == 0) return 0;
    count = std::min<__int128>(count * e, INT64_MAX);
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace

bool Machine::source_shape(const AccessPlan& plan, OpId op, std::vector<std::int64_t>& shape) {
  if (!plan.on_memory && !tensors_[plan.tensor]) return fail(RuntimeErrorKind::unsupported, op, "a tensor without a value");
  if (plan.steps.empty()) {
    shape = plan.on_memory ? memory_.view(plan.view).shape : tensors_[plan.tensor]->shape;
    return true;
  }
  const RelationStep& s = plan.steps[0];
  for (std::size_t k = 0; k < s.rank; ++k)
    shape.push_back(static_cast<std::int64_t>(std::clamp<Integer>(integers_[s.extents + k], 0, INT64_MAX)));
  return true;
}

bool Machine::make_tensor(OpId op, std::vector<std::int64_t> shape, std::shared_ptr<TensorValue>& out) {
  const std::int64_t count = count_of(shape);
  if (!count_step(op, static_cast<std::uint64_t>(count))) return false;
  out = std::make_shared<TensorValue>();
  out->low.assign(shape.size(), 0);
  out->shape = std::move(shape);
  out->words.resize(static_cast<std::size_t>(count));
  out->taint.resize(out->words.size());
  if (bounds_) out->radius.resize(out->words.size());
  return true;
}

bool Machine::reshape(const Instr& i) {
  const ReshapePlan& plan = code_.reshapes[i.plan];
  if (!extents(code_.extents[plan.extents], i.op)) return false;
  auto count = [&](Slot first, std::size_t rank) {  // 2^63 - 1 stands for more
    Integer n = 1;
    bool empty = false;
    for (std::size_t k = 0; k < rank; ++k) {
      empty = empty || integers_[first + k] <= 0;
      n = std::min<Integer>(n * std::clamp<Integer>(integers_[first + k], 0, INT64_MAX), INT64_MAX);
    }
    return empty ? 0 : n;
  };
  auto text = [&](Slot first, std::size_t rank) {
    std::string s;
    for (std::size_t k = 0; k < rank; ++k) s += (k ? ", " : "") + to_string(integers_[first + k]);
    return s;
  };
  const Integer to = count(plan.to, plan.rank), from = count(plan.from, plan.source_rank);
  if (to == from && to == INT64_MAX) return fail(RuntimeErrorKind::unsupported, i.op, "a reshape of 2^63 - 1 elements or more");
  return to == from || fail(RuntimeErrorKind::shape_mismatch, i.op,
                            fmt::format("a reshape from [{}] to [{}], of {} elements to {}", text(plan.from, plan.source_rank),
                                        text(plan.to, plan.rank), to_string(from), to_string(to)));
}

bool Machine::concat(const Instr& i) {
  const ConcatPlan& plan = code_.concats[i.plan];
  std::vector<std::vector<std::int64_t>> shapes(plan.sources.size());
  std::vector<std::int64_t> whole;
  for (std::size_t s = 0; s < plan.sources.size(); ++s) {
    const AccessPlan& source = code_.accesses[plan.sources[s]];
    Integer along = 0;
    if (!source_shape(source, i.op, shapes[s]) || !evaluate(plan.extents[s], i.op, along)) return false;
    if (along < 0)
      return fail(RuntimeErrorKind::shape_mismatch, i.op,
                  fmt::format("{} has the extent {} along axis {}", value_name(source.outer), to_string(along), plan.axis));
    if (s == 0) {
      whole = shapes[s];
      continue;
    }
    for (std::size_t k = 0; k < whole.size(); ++k)
      if (k == plan.axis)
        whole[k] = static_cast<std::int64_t>(std::min<Integer>(static_cast<Integer>(whole[k]) + shapes[s][k], INT64_MAX));
      else if (whole[k] != shapes[s][k])
        return fail(RuntimeErrorKind::unsupported, i.op,
                    fmt::format("operands of extents ({}) and ({})", fmt::join(whole, ", "), fmt::join(shapes[s], ", ")));
  }
  std::shared_ptr<TensorValue> t;
  if (!make_tensor(i.op, whole, t)) return false;
  std::int64_t offset = 0;
  for (std::size_t s = 0; s < plan.sources.size(); ++s) {
    const AccessPlan& source = code_.accesses[plan.sources[s]];
    const std::int64_t count = count_of(shapes[s]);
    for (std::int64_t m = 0; m < count; ++m) {
      Integer at[kMaxRank];
      coordinates_of(m, shapes[s], at);
      std::size_t linear = 0;
      for (std::size_t k = 0; k < whole.size(); ++k)
        linear = linear * static_cast<std::size_t>(whole[k]) + static_cast<std::size_t>(at[k] + (k == plan.axis ? offset : 0));
      double radius = 0;
      if (!read_element(source, i.op, i.type, at, t->words[linear], t->taint[linear], radius)) return false;
      if (bounds_) t->radius[linear] = radius;
    }
    offset += shapes[s][plan.axis];
  }
  tensors_[i.dst] = std::move(t);
  return true;
}

bool Machine::iota(const Instr& i) {
  const IotaPlan& plan = code_.iotas[i.plan];
  std::vector<std::int64_t> shape;
  for (std::uint32_t e : plan.extents) {
    Integer extent = 0;
    if (!evaluate(e, i.op, extent)) return false;
    shape.push_back(static_cast<std::int64_t>(std::clamp<Integer>(extent, 0, INT64_MAX)));
  }
  std::shared_ptr<TensorValue> t;
  if (!make_tensor(i.op, std::move(shape), t)) return false;
  const ConvertMode mode = is_float(i.type) ? ConvertMode::sint : ConvertMode::wrap;
  for (std::size_t e = 0; e < t->words.size(); ++e) {
    Integer at[kMaxRank];
    coordinates_of(static_cast<std::int64_t>(e), t->shape, at);
    t->words[e] = evaluate_convert_integer(mode, at[plan.axis], i.type).value.bits;
  }
  tensors_[i.dst] = std::move(t);
  return true;
}

bool Machine::gather(const Instr& i) {
  const GatherPlan& plan = code_.gathers[i.plan];
  const AccessPlan& source = code_.accesses[plan.source];
  Domain d;
  if (!domain(plan.domain, i.op, d)) return false;
  std::shared_ptr<TensorValue> t;
  if (!make_tensor(i.op, d.extent, t)) return false;
  for (std::int64_t m = 0; m < d.count; ++m) {
    set_member(plan.domain, d, m);
    if (!run_region(plan.region)) return false;
    Integer at[kMaxRank];
    for (std::size_t k = 0; k < plan.yields.size(); ++k) {
      if (!check_observed(taint_[plan.yields[k]], plan.end, "a coordinate")) return false;
      at[k] = integer(plan.yields[k]);
    }
    const std::size_t e = static_cast<std::size_t>(m);
    double radius = 0;
    if (!read_element(source, plan.end, i.type, at, t->words[e], t->taint[e], radius)) return false;
    if (bounds_) t->radius[e] = radius;
  }
  // Of a tensor that was computed in part only, nothing is kept: using it is reported.
  tensors_[i.dst] = d.skips ? nullptr : std::move(t);
  return true;
}

bool Machine::part(const Instr& i) {
  const PartPlan& plan = code_.parts[i.plan];
  Integer low = 0, high = 0, extent = 0;
  if (!evaluate(plan.low, i.op, low) || !evaluate(plan.high, i.op, high) || !evaluate(plan.extent, i.op, extent)) return false;
  if (low < high && (low < 0 || high > extent))
    return fail(RuntimeErrorKind::out_of_bounds, i.op,
                fmt::format("part {}.{} [{}..{}] is outside [0, {})", value_name(plan.source), plan.axis, to_string(low),
                            to_string(high), to_string(std::max<Integer>(extent, 0))));
  set_integer(i.dst, low);
  set_integer(plan.second, std::max(low, high));
  return true;
}

bool Machine::philox(const Instr& i) {
  const PhiloxPlan& plan = code_.philoxes[i.plan];
  std::uint32_t in[6];
  Taint taint = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    in[k] = static_cast<std::uint32_t>(words_[plan.operands[k]]);
    taint |= taint_[plan.operands[k]];
  }
  const std::array<std::uint32_t, 4> out = philox4x32_10({in[0], in[1]}, {in[2], in[3], in[4], in[5]});
  for (std::size_t k = 0; k < 4; ++k) {
    words_[plan.results[k]] = out[k];
    taint_[plan.results[k]] = taint;
    radius_[plan.results[k]] = 0;
  }
  return true;
}

}  // namespace kir
