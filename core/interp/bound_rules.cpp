#include "core/interp/bound_rules.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/interp/bound_arithmetic.h"
#include "core/interp/machine.h"
#include "core/ir/op_table.h"
#include "core/numeric/float_format.h"

namespace kir {
namespace {

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

}  // namespace

void BoundRules::load(DType t, double stored, Taint& taint, double& radius) const {
  radius = 0;
  if (is_float(t))
    radius = stored;
  else if (stored > 0)
    taint |= kUndecided;
}

double BoundRules::stored_radius(Taint taint, double radius) const { return taint & kUndecided ? kInfinite : radius; }

// How far the result is from exact arithmetic when its operands are exact; 0 where rules for special values settle it.
double BoundRules::own_rounding(OpKind kind, DType t, const double* x, int n, double out) const {
  if (!roundings_ || !rounds(kind) || std::isnan(out)) return 0;
  for (int k = 0; k < n; ++k)
    if (!std::isfinite(x[k])) return 0;
  if (std::isinf(out)) return kind == OpKind::div && x[1] == 0 ? 0 : kInfinite;
  // What double arithmetic shows to be exact.
  if (kind == OpKind::add || kind == OpKind::sub) {
    const double y = kind == OpKind::sub ? -x[1] : x[1], sum = x[0] + y;
    if (sum == out && sum - x[0] == y && sum - y == x[0]) return 0;
  }
  if (kind == OpKind::mul && x[0] * x[1] == out && std::fma(x[0], x[1], -out) == 0) return 0;
  const double r = rounding(t, std::fabs(out)) * kSlack;
  return std::fabs(out) + r < largest(t) ? r : kInfinite;
}

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
    if (!from_float || radii[0] == 0) {
      const double x = from_float ? format_to_double(i.from, in[0]) : out;
      const bool exact = from_float ? x == out : bit_width(i.from) < float_format(i.type).precision();
      return exact || mode == ConvertMode::bits ? 0 : own_rounding(kind, i.type, &x, 1, out);
    }
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
  if (!moves && ulp == 0) return own_rounding(kind, i.type, x, n, out);
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

void BoundRules::store(std::size_t view, std::int64_t address, Taint taint, double radius) {
  updates_.erase({m_.memory_.view(view).resource, address});
  m_.memory_.set_radius(view, address, stored_radius(taint, radius));
}

void BoundRules::atomic(const Instr& i, const AtomicPlan& plan, std::int64_t address) {
  const bool free = m_.memory_.order().depth() > 0;
  load(i.type, free ? kInfinite : m_.memory_.radius(plan.access.view, address), m_.taint_[i.dst], m_.radius_[i.dst]);
  if (plan.succeeded == kNoSlot) return;
  const bool fixed = !free && m_.taint_[i.dst] == 0 && m_.radius_[i.dst] == 0 && m_.taint_[plan.expected] == 0 &&
                     m_.radius_[plan.expected] == 0 && !is_nan_comparison(i.type, m_.words_[i.dst], m_.words_[plan.expected]);
  if (!fixed) m_.taint_[plan.succeeded] = kUndecided;
}

void BoundRules::update(const Update& update) {
  const DType t = m_.memory_.view(update.view).dtype;
  const std::uint32_t instance = m_.memory_.order().instance_start();
  Updates& u = updates_[{m_.memory_.view(update.view).resource, update.address}];
  auto add = [&](std::uint64_t word, double radius) {
    u.any = true;
    u.largest = std::max(u.largest, radius);
    if (is_float(t)) u.sum.add(word, radius);
  };
  if (!u.any || u.epoch != update.epoch) {
    u = {.operation = update.operation, .epoch = update.epoch, .instance = instance, .sum = SumBound(t)};
    add(update.old, m_.memory_.radius(update.view, update.address));
  }
  add(m_.words_[update.value], m_.radius_[update.value]);
  u.shared = u.shared || u.instance != instance;
  u.instance = instance;
  u.mixed = u.mixed || u.operation != update.operation;
  u.undecided = u.undecided || update.undecided || (m_.taint_[update.value] & kUndecided) != 0;
  m_.memory_.set_radius(update.view, update.address, radius_of(t, u, update.merged));
}

double BoundRules::radius_of(DType t, const Updates& u, Slot merged) {
  if (u.undecided) return kInfinite;
  if (!u.shared && merged != kNoSlot) return stored_radius(m_.taint_[merged], m_.radius_[merged]);
  if (!u.shared && merged == kNoSlot && u.largest == 0) return 0;
  if (u.mixed || u.operation == OpKind::yield) return kInfinite;
  if (is_float(t) && u.operation == OpKind::add) return u.sum.radius(true, 0, basis_.most_terms);
  return is_associative(u.operation, t) && is_commutative(u.operation, t) ? u.largest : kInfinite;
}

}  // namespace kir
