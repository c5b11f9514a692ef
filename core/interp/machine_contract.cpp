// Contractions: both sides are evaluated whole, then every pair of members is multiplied and summed.
#include <fmt/format.h>

#include <algorithm>

#include "core/interp/bound_rules.h"
#include "core/interp/machine.h"

namespace kir {

struct Machine::Sides {
  Domain domains[2];
  TensorValue values[2];
  std::int64_t batch = 1, left = 1, right = 1, paired = 1;  // numbers of members
  std::int64_t elements = 0;                                // of the result

  // f(element of the result, first member of the left side, of the right side)
  template <class F>
  bool each(F&& f) const {
    if (elements == 0) return true;  // however many members one side has
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t l = 0; l < left; ++l)
        for (std::int64_t r = 0; r < right; ++r)
          if (!f(static_cast<std::size_t>((b * left + l) * right + r), static_cast<std::size_t>((b * left + l) * paired),
                 static_cast<std::size_t>((b * right + r) * paired)))
            return false;
    return true;
  }
};

namespace {

std::int64_t members(std::span<const std::int64_t> extents) {
  __int128 n = 1;
  for (std::int64_t e : extents) n = std::min<__int128>(n * e, INT64_MAX);
  return static_cast<std::int64_t>(n);
}

}  // namespace

bool Machine::contract(const Instr& i) {
  const ContractPlan& plan = code_.contractions[i.plan];
  Sides sides;
  for (int s = 0; s < 2; ++s)
    if (!domain(plan.sides[s].domain, i.op, sides.domains[s])) return false;
  const std::span<const std::int64_t> left = sides.domains[0].extent, right = sides.domains[1].extent;
  sides.batch = members(left.first(plan.batch));
  sides.left = members(left.subspan(plan.batch, plan.left));
  sides.right = members(right.subspan(plan.batch, plan.right));
  sides.paired = members(left.subspan(plan.batch + plan.left));
  const std::int64_t counts[] = {sides.batch, sides.left, sides.right};
  sides.elements = members(counts);
  const bool skips = sides.domains[0].skips || sides.domains[1].skips;
  auto result = std::make_shared<TensorValue>();
  result->shape.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(plan.batch + plan.left));
  result->shape.insert(result->shape.end(), right.begin() + static_cast<std::ptrdiff_t>(plan.batch),
                       right.begin() + static_cast<std::ptrdiff_t>(plan.batch + plan.right));
  result->low.assign(result->shape.size(), 0);
  if (!skips) {
    if (!count_step(i.op, static_cast<std::uint64_t>(sides.elements))) return false;
    result->words.resize(static_cast<std::size_t>(sides.elements));
    result->taint.resize(result->words.size());
    if (bounds_) result->radius.resize(result->words.size());
  }
  // A side counts where a product needs it.
  if (sides.elements > 0 && sides.paired > 0)
    for (int s = 0; s < 2; ++s) {
      const ContractPlan::Side& side = plan.sides[s];
      if (!compute_members(side.domain, sides.domains[s], side.region, side.yield, i.op, sides.values[s])) return false;
    }
  if (!skips && !(plan.product ? combine_products(plan, i, sides, *result) : sum_exactly(plan, i, sides, *result)))
    return false;
  if (body_.type(body_.op(i.op).results[0]).is(TypeKind::tensor)) {
    tensors_[i.dst] = skips ? nullptr : std::move(result);
    return true;
  }
  // A program's contract is one element.
  words_[i.dst] = skips ? 0 : result->words[0];
  taint_[i.dst] = skips ? kSkipped : result->taint[0];
  radius_[i.dst] = skips || !bounds_ ? 0 : result->radius[0];
  return true;
}

bool Machine::combine_products(const ContractPlan& plan, const Instr& i, const Sides& sides, TensorValue& out) {
  auto enter = [&](int s, std::size_t e) {
    const TensorValue& from = sides.values[s];
    const Slot to = plan.sides[s].argument;
    words_[to] = from.words[e];
    taint_[to] = from.taint[e];
    if (bounds_) radius_[to] = from.radius[e];
  };
  auto failed = [&](std::size_t l, std::size_t r) {
    if (error_)
      error_->append(fmt::format(" (left side at {}; right side at {})",
                                 member_text(plan.sides[0].domain, sides.domains[0], static_cast<std::int64_t>(l)),
                                 member_text(plan.sides[1].domain, sides.domains[1], static_cast<std::int64_t>(r))));
    return false;
  };
  return sides.each([&](std::size_t e, std::size_t l, std::size_t r) {
    FoldRun run{plan.fold, i.op};
    if (!begin_fold(run)) return false;
    for (std::size_t p = 0; p < static_cast<std::size_t>(sides.paired); ++p) {
      enter(0, l + p);
      enter(1, r + p);
      if (!count_step(i.op) || !run_region(plan.product) || !fold_member(run)) return failed(l + p, r + p);
    }
    if (!end_fold(run, "contraction", sides.paired)) return false;
    const Slot s = plan.fold.accumulators[0];
    out.words[e] = words_[s];
    out.taint[e] = taint_[s];
    if (bounds_) out.radius[e] = radius_[s];
    return true;
  });
}

bool Machine::sum_exactly(const ContractPlan& plan, const Instr& i, const Sides& sides, TensorValue& out) {
  const DType type = plan.fold.type;
  const bool floats = is_float(type);
  const bool starts = plan.fold.has_init || sides.paired > 0;
  if (sides.elements > 0 && !starts && plan.fold.identity.empty())
    return fail(RuntimeErrorKind::empty_reduction, i.op,
                "a contraction without members has neither an initial value nor an identity");
  // -0.0 and 0 are neutral, so that the first product is rounded by itself.
  std::uint64_t first = floats ? std::uint64_t{1} << (bit_width(type) - 1) : 0;
  if (plan.fold.has_init) first = words_[i.a];
  if (!starts && !plan.fold.identity.empty()) first = plan.fold.identity[0].bits;
  const Taint first_taint = plan.fold.has_init ? taint_[i.a] : Taint{0};
  TensorValue wide[2];
  for (int s = 0; s < 2; ++s)
    for (std::uint64_t word : sides.values[s].words) wide[s].words.push_back(widen({plan.sides[s].type, word}, type).bits);
  return sides.each([&](std::size_t e, std::size_t l, std::size_t r) {
    std::uint64_t sum = first;
    Taint taint = first_taint;
    ScalarError error = ScalarError::none;
    if (!count_step(i.op, static_cast<std::uint64_t>(sides.paired))) return false;
    for (std::size_t p = 0; p < static_cast<std::size_t>(sides.paired); ++p) {
      const std::uint64_t in[] = {wide[0].words[l + p], wide[1].words[r + p], sum};
      sum = plan.multiply(in, error);
      if (!floats) {
        const std::uint64_t terms[] = {in[2], sum};
        sum = plan.add(terms, error);
      }
      taint |= sides.values[0].taint[l + p] | sides.values[1].taint[r + p];
    }
    out.words[e] = sum;
    out.taint[e] = taint;
    if (!bounds_ || !floats) return true;
    SumBound bound(type);
    if (plan.fold.has_init) bound.add(words_[i.a], radius_[i.a]);
    for (std::size_t p = 0; p < static_cast<std::size_t>(sides.paired); ++p)
      bound.add_product(wide[0].words[l + p], sides.values[0].radius[l + p], wide[1].words[r + p],
                        sides.values[1].radius[r + p]);
    out.radius[e] = bounds_->exact_sum(bound, plan);
    return true;
  });
}

}  // namespace kir
