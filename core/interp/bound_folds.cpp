// Bounds of folds whose order is free, of scans, of sums of exact products and of choices.
#include <algorithm>
#include <random>

#include "core/base/check.h"
#include "core/interp/bound_arithmetic.h"
#include "core/interp/bound_rules.h"
#include "core/interp/machine.h"

namespace kir {

void SumBound::add_magnitude(double magnitude, double radius, int low) {
  ++terms_;
  fixed_ = fixed_ && (std::isfinite(magnitude) || radius == 0);
  finite_ = finite_ && std::isfinite(magnitude);
  moved_ += radius;
  if (!std::isfinite(magnitude) || magnitude == 0) return;
  sum_ += magnitude;
  low_ = any_ ? std::min(low_, low) : low;
  any_ = true;
}

void SumBound::add(std::uint64_t word, double radius) {
  const double x = format_to_double(type_, word);
  add_magnitude(std::fabs(x), radius, std::isfinite(x) && x != 0 ? lowest_bit(x) : 0);
}

void SumBound::add_product(std::uint64_t a, double radius_a, std::uint64_t b, double radius_b) {
  products_ = true;
  const double x = format_to_double(type_, a), y = format_to_double(type_, b);
  const double moved =
      radius_a == 0 && radius_b == 0 ? 0 : std::fabs(x) * radius_b + std::fabs(y) * radius_a + radius_a * radius_b;
  const bool plain = std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0;
  // A product of two doubles may overflow or underflow; then nothing is known.
  const double magnitude = std::fabs(x * y);
  const bool lost = plain && (!std::isfinite(magnitude) || magnitude < std::ldexp(1.0, -1000));
  add_magnitude(lost ? 0 : magnitude,
                lost                ? kInfinite
                : std::isnan(moved) ? kInfinite
                                    : moved,
                plain ? lowest_bit(x) + lowest_bit(y) : 0);
}

double SumBound::radius(bool licensed, double licence, std::uint64_t& most_terms) const {
  if (!licensed && licence == 0 && moved_ == 0) return 0;  // the same chain of the same terms
  if (terms_ < 2 && !products_) return static_cast<double>(moved_);
  if (!fixed_ || !std::isfinite(moved_) || sum_ + moved_ >= largest(type_) / 2) return kInfinite;
  if (!finite_ || !any_) return static_cast<double>(finite_ ? moved_ : 0);
  const int p = float_format(type_).precision();
  // Every partial sum is a multiple of 2^low that fits.
  const bool exact = moved_ == 0 && sum_ < std::ldexp(1.0L, p + low_) && std::ldexp(1.0L, low_) >= smallest(type_);
  if (exact && licence == 0) return 0;
  const std::uint64_t roundings = products_ ? terms_ : terms_ - 1;
  const double n = static_cast<double>(roundings) * unit(type_);
  if (n >= 0.5) return kInfinite;
  most_terms = std::max<std::uint64_t>(most_terms, terms_);
  const long double magnitude = sum_ + moved_;
  long double r = moved_ + licence * magnitude;
  if (!exact) r += 2 * n / (1 - n) * magnitude;
  if (products_) r += static_cast<double>(roundings) * smallest(type_);
  return static_cast<double>(r) * kSlack;
}

void ProductBound::add(std::uint64_t word, double radius) {
  ++terms_;
  const double x = format_to_double(type_, word);
  if (!std::isfinite(x) || !std::isfinite(radius)) {
    unbounded_ = true;
    return;
  }
  moves_ = moves_ || radius != 0;
  if (x == 0) {
    unbounded_ = unbounded_ || radius != 0;
    zero_ = true;
    return;
  }
  if (radius >= std::fabs(x)) {
    unbounded_ = true;
    return;
  }
  const double e = std::log2(std::fabs(x));
  (e > 0 ? above_ : below_) += e;
  drift_ -= std::log1p(-radius / std::fabs(x));
  odd_ *= std::ldexp(std::fabs(static_cast<long double>(x)), -lowest_bit(x));
}

double ProductBound::radius(double product, std::uint64_t& most_terms) const {
  if (unbounded_) return kInfinite;
  const FloatFormat& f = float_format(type_);
  if (above_ + drift_ * 1.5 >= f.bias()) return kInfinite;
  if (zero_) return 0;
  if (below_ - drift_ * 1.5 <= f.min_exponent() + 1) return kInfinite;
  if (!moves_ && odd_ < std::ldexp(1.0L, f.precision())) return 0;  // every partial product is exact
  const double n = static_cast<double>(terms_ - 1) * unit(type_);
  if (n >= 0.25) return kInfinite;
  most_terms = std::max<std::uint64_t>(most_terms, terms_);
  return std::fabs(product) * (std::expm1(drift_) + 2 * n / (1 - 2 * n) * std::exp(drift_)) * kSlack;
}

void BoundRules::begin_fold(const FoldPlan& plan) {
  using Rule = RunningFold::Rule;
  RunningFold fold{.plan = &plan, .sum = SumBound(plan.type), .product = ProductBound(plan.type)};
  if (!plan.single)
    fold.rule = Rule::sampled;
  else if (!is_float(plan.type))
    fold.rule = Rule::exact;
  else if (*plan.single == OpKind::add || *plan.single == OpKind::mul)
    fold.rule = *plan.single == OpKind::add ? Rule::sum : Rule::product;
  else
    fold.rule = is_associative(*plan.single, plan.type) ? Rule::extreme : Rule::sampled;
  folds_.push_back(std::move(fold));
}

BoundRules::State BoundRules::take(const std::vector<Slot>& slots) const {
  State s;
  for (Slot k : slots) s.push_back({m_.words_[k], m_.taint_[k], m_.radius_[k]});
  return s;
}

void BoundRules::put(const std::vector<Slot>& slots, const State& state) {
  for (std::size_t k = 0; k < slots.size(); ++k) {
    m_.words_[slots[k]] = state[k].word;
    m_.taint_[slots[k]] = state[k].taint;
    m_.radius_[slots[k]] = state[k].radius;
  }
}

void BoundRules::fold_term(const std::vector<Slot>& slots) {
  using Rule = RunningFold::Rule;
  RunningFold& fold = folds_.back();
  ++fold.count;
  const std::uint64_t word = m_.words_[slots[0]];
  const double radius = m_.radius_[slots[0]];
  switch (fold.rule) {
    case Rule::exact: break;
    case Rule::sum: fold.sum.add(word, radius); break;
    case Rule::product: fold.product.add(word, radius); break;
    case Rule::extreme: fold.widest = std::max(fold.widest, radius); break;
    case Rule::sampled: fold.terms.push_back(take(slots)); break;
  }
}

// Of a fold of one component that is not sampled; `word` is its value and `own` the radius that it was computed with.
double BoundRules::radius_so_far(RunningFold& fold, std::uint64_t word) {
  using Rule = RunningFold::Rule;
  const Slot s = fold.plan->accumulators[0];
  if (fold.count < 2) return m_.radius_[s];  // no combination, no order
  switch (fold.rule) {
    case Rule::exact:
    case Rule::sampled: return m_.radius_[s];
    case Rule::sum: return fold.sum.radius(true, 0, basis_.most_terms);
    case Rule::product: return fold.product.radius(format_to_double(fold.plan->type, word), basis_.most_terms);
    case Rule::extreme: return fold.widest;
  }
  KIR_UNREACHABLE("rule");
}

void BoundRules::keep_prefix(std::size_t e, std::span<const std::shared_ptr<TensorValue>> results) {
  RunningFold& fold = folds_.back();
  if (fold.rule == RunningFold::Rule::sampled) {
    fold.prefixes.resize(results[0]->words.size());
    fold.prefixes[e] = static_cast<std::size_t>(fold.count);
    return;
  }
  results[0]->radius[e] = radius_so_far(fold, results[0]->words[e]);
}

bool BoundRules::combine(OpId op, const FoldPlan& plan, const State& left, const State& right, State& out) {
  put(plan.accumulators, left);
  put(plan.elements, right);
  if (!m_.count_step(op) || !m_.run_region(plan.combine) || !m_.move(plan.again, op)) return false;
  out = take(plan.accumulators);
  return true;
}

// Collects what a state comes out as in sampled orders, and makes a multiple of what differs its radius.
class BoundRules::Spread {
 public:
  Spread(const BoundRules& rules, const FoldPlan& plan, State reference) : state_(std::move(reference)), apart_(state_.size()) {
    for (Slot s : plan.accumulators) types_.push_back(rules.m_.body_.type(ValueId(s)).dtype);
    changed_.resize(state_.size());
  }
  void add(const State& other) {
    for (std::size_t k = 0; k < state_.size(); ++k) {
      const bool differs = other[k].word != state_[k].word;
      changed_[k] = changed_[k] || differs;
      state_[k].radius = std::max(state_[k].radius, other[k].radius);
      state_[k].taint |= other[k].taint;
      if (!is_float(types_[k]) || !differs) continue;
      const double d = std::fabs(format_to_double(types_[k], other[k].word) - format_to_double(types_[k], state_[k].word));
      apart_[k] = std::max(apart_[k], std::isnan(d) ? kInfinite : d);
    }
  }
  State result(std::size_t terms) const {
    State out = state_;
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (!changed_[k]) continue;
      if (!is_float(types_[k])) {
        out[k].taint |= kUndecided;
        continue;
      }
      const double value = std::fabs(format_to_double(types_[k], out[k].word));
      const double r = out[k].radius + 8 * apart_[k] + static_cast<double>(terms) * rounding(types_[k], value);
      out[k].radius = std::isfinite(r) ? r : kInfinite;
    }
    return out;
  }

 private:
  State state_;
  std::vector<DType> types_;
  std::vector<double> apart_;
  std::vector<bool> changed_;
};

bool BoundRules::end_fold(OpId op) {
  RunningFold fold = std::move(folds_.back());
  folds_.pop_back();
  if (fold.count < 2) return true;
  if (fold.rule == RunningFold::Rule::sampled) return sample(op, fold);
  const Slot s = fold.plan->accumulators[0];
  m_.radius_[s] = radius_so_far(fold, m_.words_[s]);
  return true;
}

// Combines the terms in random bracketings, with order(any) in random permutations too.
bool BoundRules::sample(OpId op, const RunningFold& fold) {
  basis_.sampled = true;
  basis_.most_terms = std::max<std::uint64_t>(basis_.most_terms, fold.terms.size());
  Spread spread(*this, *fold.plan, take(fold.plan->accumulators));
  std::mt19937_64 random(fold.terms.size());
  for (int round = 0; round < 8; ++round) {
    std::vector<State> row = fold.terms;
    if (fold.plan->order == Order::any) std::shuffle(row.begin(), row.end(), random);
    while (row.size() > 1) {
      // Round 0 brackets to the right, the others at random.
      const std::size_t at = round == 0 ? row.size() - 2 : random() % (row.size() - 1);
      if (!combine(op, *fold.plan, row[at], row[at + 1], row[at])) return false;
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    spread.add(row[0]);
  }
  put(fold.plan->accumulators, spread.result(fold.terms.size()));
  return true;
}

// Cuts the terms into blocks: within a block from the left, then what stands before the block once; with order(any) on
// either side.
bool BoundRules::end_prefixes(OpId op, std::span<const std::shared_ptr<TensorValue>> results) {
  RunningFold& fold = folds_.back();
  if (fold.rule != RunningFold::Rule::sampled || fold.prefixes.empty()) return true;
  const FoldPlan& plan = *fold.plan;
  const State last = take(plan.accumulators);
  const std::size_t n = fold.terms.size();
  // By number of terms the result elements' states; the last one may be no element.
  std::vector<std::size_t> element(n + 1, results[0]->words.size());
  for (std::size_t e = 0; e < fold.prefixes.size(); ++e) element[fold.prefixes[e]] = e;
  std::vector<Spread> spreads;
  for (std::size_t c = 1; c <= n; ++c) {
    State reference;
    for (const std::shared_ptr<TensorValue>& t : results)
      if (element[c] < t->words.size())
        reference.push_back({t->words[element[c]], t->taint[element[c]], t->radius[element[c]]});
    spreads.emplace_back(*this, plan, reference.empty() ? last : reference);
  }
  std::mt19937_64 random(n);
  for (int round = 0; round < 8; ++round) {
    const std::size_t block = round < 3 ? std::size_t{2} << round : 2 + random() % n;
    State before, within, prefix;
    for (std::size_t t = 0; t < n; ++t) {
      if (t % block == 0)
        within = fold.terms[t];
      else if (!combine(op, plan, within, fold.terms[t], within))
        return false;
      const bool swapped = plan.order == Order::any && random() % 2 == 0;
      if (t < block)
        prefix = within;
      else if (!combine(op, plan, swapped ? within : before, swapped ? before : within, prefix))
        return false;
      spreads[t].add(prefix);
      if (t % block == block - 1) before = prefix;
    }
  }
  for (std::size_t c = 1; c <= n; ++c) {
    if (element[c] >= results[0]->words.size()) continue;
    const State state = spreads[c - 1].result(c);
    for (std::size_t k = 0; k < results.size(); ++k) {
      results[k]->radius[element[c]] = state[k].radius;
      results[k]->taint[element[c]] = state[k].taint;
    }
  }
  put(plan.accumulators, last);
  return true;
}

double BoundRules::exact_sum(const SumBound& bound, const ContractPlan& plan) {
  if (plan.has_unit) basis_.unit = std::max(basis_.unit, plan.unit);
  return bound.radius(plan.fold.order != Order::strict, plan.unit, basis_.most_terms);
}

BoundRules::Choice BoundRules::choose(std::span<const Candidate> candidates, std::size_t winner) const {
  Choice out;
  for (const Candidate& c : candidates) out.radius = std::max(out.radius, c.radius);
  if (out.radius == 0) return out;
  out.decided = std::isfinite(out.radius);
  for (std::size_t k = 0; k < candidates.size(); ++k)
    out.decided = out.decided && (k == winner || decided(candidates[k].value, candidates[k].radius, candidates[winner].value,
                                                         candidates[winner].radius));
  if (out.decided) out.radius = candidates[winner].radius;
  return out;
}

}  // namespace kir
