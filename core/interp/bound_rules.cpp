#include "core/interp/bound_rules.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/check.h"
#include "core/interp/machine.h"
#include "core/ir/op_table.h"
#include "core/numeric/float_format.h"

namespace kir {
namespace {

constexpr double kInfinite = HUGE_VAL;
constexpr double kSlack = 1 + 1e-12;

double unit(DType t) { return std::ldexp(1.0, -float_format(t).precision()); }
double smallest(DType t) { return format_to_double(t, std::uint64_t{1} << float_format(t).shift); }
double largest(DType t) { return format_to_double(t, float_format(t).max_finite()); }
// Of rounding a value of at most this magnitude.
double rounding(DType t, double magnitude) { return magnitude * unit(t) + smallest(t) / 2; }

bool decided(double a, double ra, double b, double rb) {
  if (ra == 0 && rb == 0) return true;
  if (std::isnan(a) || std::isnan(b)) return (std::isnan(a) && ra == 0) || (std::isnan(b) && rb == 0);
  return a + ra < b - rb || b + rb < a - ra;
}

// How far f moves when its operands move by their radii, before rounding. Operands and result are finite.
double sensitivity(OpKind kind, const double* x, const double* r, double out) {
  switch (kind) {
    case OpKind::add:
    case OpKind::sub: return r[0] + r[1];
    case OpKind::mul: return std::fabs(x[0]) * r[1] + std::fabs(x[1]) * r[0] + r[0] * r[1];
    case OpKind::div: {
      const double least = std::fabs(x[1]) - r[1];
      return least > 0 ? (r[0] + std::fabs(x[0] / x[1]) * r[1]) / least : kInfinite;
    }
    case OpKind::fma: return std::fabs(x[0]) * r[1] + std::fabs(x[1]) * r[0] + r[0] * r[1] + r[2];
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num: return std::max(r[0], r[1]);
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh: return r[0];
    case OpKind::erf: return 1.1283791670955126 * r[0];  // 2 / sqrt(pi)
    case OpKind::sqrt: return x[0] > r[0] ? r[0] / (std::sqrt(x[0] - r[0]) + std::sqrt(x[0])) : kInfinite;
    case OpKind::rsqrt: return x[0] > r[0] ? std::fabs(out) * std::expm1(-0.5 * std::log1p(-r[0] / x[0])) : kInfinite;
    case OpKind::exp: return std::fabs(out) * std::expm1(r[0]);
    case OpKind::exp2: return std::fabs(out) * std::expm1(r[0] * 0.6931471805599454);
    case OpKind::log: return x[0] > r[0] ? -std::log1p(-r[0] / x[0]) : kInfinite;
    case OpKind::log2: return x[0] > r[0] ? -std::log1p(-r[0] / x[0]) * 1.4426950408889636 : kInfinite;
    case OpKind::floor: return std::max(std::floor(x[0] + r[0]) - out, out - std::floor(x[0] - r[0]));
    case OpKind::ceil: return std::max(std::ceil(x[0] + r[0]) - out, out - std::ceil(x[0] - r[0]));
    case OpKind::trunc: return std::max(std::trunc(x[0] + r[0]) - out, out - std::trunc(x[0] - r[0]));
    case OpKind::round_even: return std::max(std::nearbyint(x[0] + r[0]) - out, out - std::nearbyint(x[0] - r[0]));
    default: return kInfinite;
  }
}

// Without rounding of their own.
bool rounds(OpKind kind) {
  switch (kind) {
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even: return false;
    default: return true;
  }
}

// A non-finite operand that settles the result whatever the others' radii are.
bool settled(OpKind kind, const double* x, const double* r, int n, double out) {
  for (int k = 0; k < n; ++k)
    if (std::isnan(x[k]) && r[k] == 0 && std::isnan(out)) return true;
  bool infinite = false, others_fixed = true;
  for (int k = 0; k < n; ++k) {
    if (std::isinf(x[k]) && r[k] == 0)
      infinite = true;
    else if (std::isinf(x[k]) || std::isnan(x[k]))
      others_fixed = false;
  }
  if (!infinite || !others_fixed) return false;
  if (kind == OpKind::add || kind == OpKind::sub) return true;
  if (kind == OpKind::mul) return (std::isinf(x[0]) || std::fabs(x[0]) > r[0]) && (std::isinf(x[1]) || std::fabs(x[1]) > r[1]);
  if (kind == OpKind::div) return std::isinf(x[1]) || std::fabs(x[1]) > r[1];
  return n == 1;
}

// Position of the lowest set bit of a finite nonzero double.
int lowest_bit(double v) {
  int exponent = 0;
  const double m = std::frexp(std::fabs(v), &exponent);
  const std::uint64_t bits = static_cast<std::uint64_t>(std::ldexp(m, 53));
  return exponent - 53 + std::countr_zero(bits);
}

}  // namespace

void BoundRules::load(DType t, double stored, Taint& taint, double& radius) const {
  radius = 0;
  if (is_float(t))
    radius = stored;
  else if (stored > 0)
    taint |= kUndecided;
}

double BoundRules::stored_radius(Taint taint, double radius) const { return taint & kUndecided ? kInfinite : radius; }

void BoundRules::pointwise(const Instr& i, const std::uint64_t* in) {
  const Slot s[] = {i.a, i.b, i.c};
  Taint taints[3] = {};
  double radii[3] = {};
  for (int k = 0; k < i.operands; ++k) taints[k] = m_.taint_[s[k]], radii[k] = m_.radius_[s[k]];
  // The result may overwrite no operand: SSA gives each its own slot.
  m_.radius_[i.dst] = element(i, in, taints, radii, m_.words_[i.dst], m_.taint_[i.dst]);
}

double BoundRules::element(const Instr& i, const std::uint64_t* in, const Taint* taints, const double* radii,
                           std::uint64_t word, Taint& taint) {
  const OpKind kind = m_.body_.op(i.op).kind;
  const int n = i.operands;
  const bool from_float = is_float(i.from), to_float = is_float(i.type);
  if (!to_float) {
    if (kind == OpKind::select || !from_float) return 0;
    double x[2] = {};
    for (int k = 0; k < n && k < 2; ++k) x[k] = format_to_double(i.from, in[k]);
    bool fixed = radii[0] == 0 && (n < 2 || radii[1] == 0);
    if (kind == OpKind::cmp) fixed = fixed || decided(x[0], radii[0], x[1], radii[1]);
    if (kind == OpKind::convert && !fixed && std::isfinite(x[0]) && std::isfinite(radii[0])) {
      const ConvertMode mode = static_cast<ConvertMode>(i.word);
      if (mode == ConvertMode::to_bool)
        fixed = std::fabs(x[0]) > radii[0];
      else if (mode != ConvertMode::bits)
        fixed = std::trunc(x[0] - radii[0]) == std::trunc(x[0]) && std::trunc(x[0] + radii[0]) == std::trunc(x[0]);
    }
    if (!fixed) taint |= kUndecided;
    return 0;
  }
  const double out = format_to_double(i.type, word);
  if (kind == OpKind::select) {
    const double chosen = in[0] ? radii[1] : radii[2];
    if (!(taints[0] & kUndecided)) return chosen;
    taint &= static_cast<Taint>(~kUndecided);
    const double apart = std::fabs(format_to_double(i.type, in[1]) - format_to_double(i.type, in[2]));
    return std::isfinite(apart) ? (apart + std::max(radii[1], radii[2])) * kSlack : in[1] == in[2] ? 0 : kInfinite;
  }
  if (taint & kUndecided) {
    taint &= static_cast<Taint>(~kUndecided);
    return kInfinite;
  }
  if (kind == OpKind::convert) {
    const ConvertMode mode = static_cast<ConvertMode>(i.word);
    if (!from_float || radii[0] == 0) return 0;
    if (mode != ConvertMode::rn && mode != ConvertMode::sat_rn) return kInfinite;
    if (!std::isfinite(out)) return kInfinite;
    const FloatFormat &f = float_format(i.from), &g = float_format(i.type);
    const bool widens = g.precision() >= f.precision() && g.exponent_bits >= f.exponent_bits;
    const double r = (radii[0] + (widens ? 0 : 2 * rounding(i.type, std::fabs(out) + radii[0]))) * kSlack;
    return std::fabs(out) + r < largest(i.type) ? r : kInfinite;
  }
  double x[3] = {};
  bool moves = false;
  for (int k = 0; k < n; ++k) {
    x[k] = format_to_double(i.from, in[k]);
    moves = moves || radii[k] != 0;
  }
  const int ulp = row(kind).accuracy.max_ulp;
  basis_.most_ulp = std::max(basis_.most_ulp, ulp);
  if (!moves && ulp == 0) return 0;
  double r = 0;
  if (moves) {
    if (settled(kind, x, radii, n, out)) return 0;
    for (int k = 0; k < n; ++k)
      if (!std::isfinite(x[k]) || !std::isfinite(radii[k])) return kInfinite;
    if (!std::isfinite(out)) return kInfinite;
    r = sensitivity(kind, x, radii, out);
    if (rounds(kind) && std::isfinite(r)) r += 2 * rounding(i.type, std::fabs(out) + r);
  }
  if (ulp != 0) {
    if (std::isnan(out) || !std::isfinite(x[0])) return r;
    if (std::isinf(out)) return x[0] == 0 || std::fabs(x[0]) > 1e4 ? r : kInfinite;  // a pole, or far beyond the overflow
    r += (ulp + 0.5) * (2 * unit(i.type) * (std::fabs(out) + r) + smallest(i.type));
  }
  r *= kSlack;
  return std::fabs(out) + r < largest(i.type) ? r : kInfinite;
}

std::vector<Slot> BoundRules::combine_arguments(const ReducePlan& plan) const {
  std::vector<Slot> out;
  for (ValueId v : m_.body_.region(plan.combine).args) out.push_back(v.index);
  return out;
}

void BoundRules::begin_fold(const Instr&, const ReducePlan&) { folds_.emplace_back(); }

void BoundRules::add_term(const ReducePlan& plan, std::size_t first) {
  const std::vector<Slot> arguments = combine_arguments(plan);
  std::vector<Term> term;
  for (std::size_t k = 0; k < arguments.size() / 2; ++k) {
    const Slot s = arguments[first + k];
    term.push_back({m_.words_[s], m_.taint_[s], m_.radius_[s]});
  }
  folds_.back().terms.push_back(std::move(term));
}

void BoundRules::fold_accumulator(const ReducePlan& plan) { add_term(plan, 0); }
void BoundRules::fold_element(const ReducePlan& plan) { add_term(plan, combine_arguments(plan).size() / 2); }

void BoundRules::SumBound::add(DType t, std::uint64_t word, double term_radius) {
  const double x = format_to_double(t, word);
  ++terms;
  fixed = fixed && (std::isfinite(x) || term_radius == 0);
  finite = finite && std::isfinite(x);
  radius += term_radius;
  if (!std::isfinite(x) || x == 0) return;
  sum += std::fabs(x);
  low = std::min(low, lowest_bit(x));
}

double BoundRules::radius_of(DType t, const SumBound& s) {
  if (!s.fixed || !std::isfinite(s.radius) || s.sum + s.radius >= largest(t) / 2) return kInfinite;
  if (!s.finite || s.low == SumBound::kNoBit) return static_cast<double>(s.finite ? s.radius : 0);
  const int p = float_format(t).precision();
  if (s.radius == 0 && s.sum < std::ldexp(1.0L, p + s.low)) return 0;  // every partial sum is a multiple of 2^low that fits
  const double n = static_cast<double>(s.terms - 1) * unit(t);
  if (n >= 0.5) return kInfinite;
  basis_.most_terms = std::max<std::uint64_t>(basis_.most_terms, s.terms);
  return static_cast<double>(s.radius + 2 * n / (1 - n) * (s.sum + s.radius)) * kSlack;
}

void BoundRules::store(std::size_t view, std::int64_t address, Taint taint, double radius) {
  updates_.erase({m_.memory_.view(view).resource, address});
  m_.memory_.set_radius(view, address, stored_radius(taint, radius));
}

void BoundRules::update(std::size_t view, std::int64_t address, OpKind operation, std::uint32_t epoch, std::uint64_t old,
                        Slot value, Slot merged) {
  const DType t = m_.memory_.view(view).dtype;
  const std::uint32_t instance = m_.memory_.order().instance_start();
  Updates& u = updates_[{m_.memory_.view(view).resource, address}];
  auto add = [&](std::uint64_t word, double radius) {
    u.largest = std::max(u.largest, radius);
    if (is_float(t))
      u.sum.add(t, word, radius);
    else
      ++u.sum.terms;
  };
  if (u.sum.terms == 0 || u.epoch != epoch) {
    u = {.operation = operation, .epoch = epoch, .instance = instance};
    add(old, m_.memory_.radius(view, address));
  }
  add(m_.words_[value], m_.radius_[value]);
  u.shared = u.shared || u.instance != instance;
  u.instance = instance;
  u.mixed = u.mixed || u.operation != operation;
  u.undecided = u.undecided || (m_.taint_[value] & kUndecided) != 0;
  m_.memory_.set_radius(view, address, radius_of(t, u, merged));
}

double BoundRules::radius_of(DType t, const Updates& u, Slot merged) {
  if (u.undecided) return kInfinite;
  if (!u.shared && merged != kNoSlot) return stored_radius(m_.taint_[merged], m_.radius_[merged]);
  if (!u.shared && merged == kNoSlot && u.largest == 0) return 0;
  if (u.mixed || u.operation == OpKind::yield) return kInfinite;
  if (is_float(t) && u.operation == OpKind::add) return radius_of(t, u.sum);
  return is_associative(u.operation, t) && is_commutative(u.operation, t) ? u.largest : kInfinite;
}

double BoundRules::product_radius(DType t, const std::vector<std::vector<Term>>& terms, double product) {
  double above = 0, below = 0, drift = 0;
  long double odd = 1;
  bool zero = false, moves = false;
  for (const auto& term : terms) {
    const double x = format_to_double(t, term[0].word), r = term[0].radius;
    if (!std::isfinite(x) || !std::isfinite(r)) return kInfinite;
    moves = moves || r != 0;
    if (x == 0) {
      if (r != 0) return kInfinite;
      zero = true;
      continue;
    }
    if (r >= std::fabs(x)) return kInfinite;
    const double e = std::log2(std::fabs(x));
    (e > 0 ? above : below) += e;
    drift -= std::log1p(-r / std::fabs(x));
    odd *= std::ldexp(std::fabs(static_cast<long double>(x)), -lowest_bit(x));
  }
  const FloatFormat& f = float_format(t);
  if (above + drift * 1.5 >= f.bias()) return kInfinite;
  if (zero) return 0;
  if (below - drift * 1.5 <= f.min_exponent() + 1) return kInfinite;
  if (!moves && odd < std::ldexp(1.0L, f.precision())) return 0;  // every partial product is exact
  const double n = static_cast<double>(terms.size() - 1) * unit(t);
  if (n >= 0.25) return kInfinite;
  basis_.most_terms = std::max<std::uint64_t>(basis_.most_terms, terms.size());
  return std::fabs(product) * (std::expm1(drift) + 2 * n / (1 - 2 * n) * std::exp(drift)) * kSlack;
}

bool BoundRules::end_fold(const Instr& i, const ReducePlan& plan) {
  const Fold fold = std::move(folds_.back());
  folds_.pop_back();
  const Op& op = m_.body_.op(i.op);
  const Slot result = op.results[0].index;
  const DType t = m_.body_.type(op.results[0]).dtype;
  if (fold.terms.size() < 2) return true;                         // no combination, no order
  if (plan.single != OpKind::yield && !is_float(t)) return true;  // exact, whatever the order
  if (plan.single == OpKind::add) {
    SumBound sum;
    for (const auto& term : fold.terms) sum.add(t, term[0].word, term[0].radius);
    m_.radius_[result] = radius_of(t, sum);
    return true;
  }
  if (plan.single == OpKind::mul) {
    m_.radius_[result] = product_radius(t, fold.terms, format_to_double(t, m_.words_[result]));
    return true;
  }
  if (plan.single != OpKind::yield && is_associative(plan.single, t)) {
    double r = 0;
    for (const auto& term : fold.terms) r = std::max(r, term[0].radius);
    m_.radius_[result] = r;
    return true;
  }
  return sample(i, plan, fold);
}

// Combines the terms in random bracketings (and, with order(any), permutations) and takes a multiple of what differs.
bool BoundRules::sample(const Instr& i, const ReducePlan& plan, const Fold& fold) {
  basis_.sampled = true;
  basis_.most_terms = std::max<std::uint64_t>(basis_.most_terms, fold.terms.size());
  const Op& op = m_.body_.op(i.op);
  const std::vector<Slot> arguments = combine_arguments(plan);
  const std::size_t components = arguments.size() / 2;
  std::vector<Term> reference;
  for (std::size_t k = 0; k < components; ++k) {
    const Slot s = op.results[k].index;
    reference.push_back({m_.words_[s], m_.taint_[s], m_.radius_[s]});
  }
  std::vector<double> spread(components, 0);
  std::vector<bool> changed(components, false);
  std::mt19937_64 random(fold.terms.size());
  for (int round = 0; round < 8; ++round) {
    std::vector<std::vector<Term>> row = fold.terms;
    if (plan.order == Order::any) std::shuffle(row.begin(), row.end(), random);
    while (row.size() > 1) {
      // Round 0 brackets to the right, the others at random.
      const std::size_t at = round == 0 ? row.size() - 2 : random() % (row.size() - 1);
      for (std::size_t k = 0; k < components; ++k)
        for (int side = 0; side < 2; ++side) {
          const Slot s = arguments[k + (side ? components : 0)];
          const Term& term = row[at + static_cast<std::size_t>(side)][k];
          m_.words_[s] = term.word;
          m_.taint_[s] = term.taint;
          m_.radius_[s] = term.radius;
        }
      if (!m_.count_step(i.op) || !m_.run_region(plan.combine) || !m_.move(plan.again, i.op)) return false;
      for (std::size_t k = 0; k < components; ++k) {
        const Slot s = arguments[k];
        row[at][k] = {m_.words_[s], m_.taint_[s], m_.radius_[s]};
      }
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    for (std::size_t k = 0; k < components; ++k) {
      const DType t = m_.body_.type(op.results[k]).dtype;
      changed[k] = changed[k] || row[0][k].word != reference[k].word;
      reference[k].radius = std::max(reference[k].radius, row[0][k].radius);
      reference[k].taint |= row[0][k].taint;
      if (!is_float(t) || row[0][k].word == reference[k].word) continue;
      const double apart = std::fabs(format_to_double(t, row[0][k].word) - format_to_double(t, reference[k].word));
      spread[k] = std::max(spread[k], std::isnan(apart) ? kInfinite : apart);
    }
  }
  for (std::size_t k = 0; k < components; ++k) {
    const Slot s = op.results[k].index;
    const DType t = m_.body_.type(op.results[k]).dtype;
    m_.words_[s] = reference[k].word;
    m_.taint_[s] = reference[k].taint;
    m_.radius_[s] = reference[k].radius;
    if (!changed[k]) continue;
    if (!is_float(t)) {
      m_.taint_[s] |= kUndecided;
      continue;
    }
    const double n = static_cast<double>(fold.terms.size());
    const double r = reference[k].radius + 8 * spread[k] + n * rounding(t, std::fabs(format_to_double(t, reference[k].word)));
    m_.radius_[s] = std::isfinite(r) ? r : kInfinite;
  }
  return true;
}

}  // namespace kir
