#include "proof/exact_operation.h"

#include <cmath>

namespace kir::proof {
namespace {

// The exact product when a double holds it, else NaN.
double exact_product(double a, double b) {
  const double p = a * b;
  const bool kept = p != 0 ? std::fma(a, b, -p) == 0 && std::fabs(p) > 0x1p-900 : a == 0 || b == 0;
  return kept ? p : std::nan("");
}

// The exact sum when a double holds it, else NaN.
double exact_sum(double a, double b) {
  const double s = a + b, from_b = s - a, from_a = s - from_b;
  return (a - from_a) + (b - from_b) == 0 ? s : std::nan("");
}

}  // namespace

bool same_number(const Scalar& a, const Scalar& b) {
  if (!is_float(a.type)) return a == b;
  const double x = a.as_double(), y = b.as_double();
  return std::isfinite(x) && x == y;
}

bool is_exact(OpKind op, const std::vector<Scalar>& operands, const Scalar& result) {
  if (!is_float(result.type)) return true;
  std::vector<double> x;
  for (const Scalar& s : operands) {
    if (!is_float(s.type) || !std::isfinite(s.as_double())) return false;
    x.push_back(s.as_double());
  }
  const double r = result.as_double();
  switch (op) {
    case OpKind::add: return exact_sum(x[0], x[1]) == r;
    case OpKind::sub: return exact_sum(x[0], -x[1]) == r;
    case OpKind::mul: return exact_product(x[0], x[1]) == r;
    case OpKind::fma: return exact_sum(exact_product(x[0], x[1]), x[2]) == r;
    case OpKind::div: return x[1] != 0 && exact_product(r, x[1]) == x[0];
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num: return true;
    default: return false;
  }
}

}  // namespace kir::proof
