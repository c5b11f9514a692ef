#include "core/layout/size.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/check.h"

namespace kir::layout {

namespace {

// Of constants; `overflowed` is not among the results.
bool add(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_add_overflow(a, b, &out) && out != INT64_MIN; }
bool multiply(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return !__builtin_mul_overflow(a, b, &out) && out != INT64_MIN;
}

}  // namespace

Size Size::symbol(std::string_view name) { return from({{{std::string(name)}, 1}}); }
Size Size::overflowed() { return {kOverflowed}; }

Size Size::from(Terms terms) {
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  if (terms.empty()) return 0;
  if (terms.begin()->first.empty()) return terms.begin()->second;
  if (terms.size() > kMaxTerms || terms.begin()->first.size() > kMaxDegree) return overflowed();
  Size out;
  out.terms_ = std::make_shared<const Terms>(std::move(terms));
  return out;
}

Size::Terms Size::terms() const {
  if (terms_) return *terms_;
  return constant_ == 0 ? Terms{} : Terms{{{}, constant_}};
}

std::vector<std::string> Size::symbols() const {
  std::set<std::string> names;
  if (terms_)
    for (const auto& [monomial, coefficient] : *terms_) names.insert(monomial.begin(), monomial.end());
  return {names.begin(), names.end()};
}

Size operator+(const Size& a, const Size& b) {
  if (!a.ok() || !b.ok()) return Size::overflowed();
  if (std::int64_t sum; !a.terms_ && !b.terms_) return add(a.constant_, b.constant_, sum) ? Size(sum) : Size::overflowed();
  Size::Terms terms = a.terms();
  for (const auto& [monomial, coefficient] : b.terms()) {
    std::int64_t& sum = terms[monomial];
    if (!add(sum, coefficient, sum)) return Size::overflowed();
  }
  return Size::from(std::move(terms));
}

Size Size::operator-() const { return *this * Size(-1); }
Size operator-(const Size& a, const Size& b) { return a + -b; }

Size operator*(const Size& a, const Size& b) {
  if (!a.ok() || !b.ok()) return Size::overflowed();
  if (std::int64_t out; !a.terms_ && !b.terms_) return multiply(a.constant_, b.constant_, out) ? Size(out) : Size::overflowed();
  Size::Terms terms;
  for (const auto& [left, x] : a.terms())
    for (const auto& [right, y] : b.terms()) {
      Size::Monomial monomial;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(monomial));
      std::int64_t product;
      std::int64_t& sum = terms[std::move(monomial)];
      if (!multiply(x, y, product) || !add(sum, product, sum)) return Size::overflowed();
    }
  return Size::from(std::move(terms));
}

std::optional<Size> divide(const Size& a, const Size& b) {
  if (!a.ok() || !b.ok() || b.is(0)) return std::nullopt;
  if (!a.terms_ && !b.terms_)
    return a.constant_ % b.constant_ == 0 ? std::optional<Size>(a.constant_ / b.constant_) : std::nullopt;
  // Long division: each step takes away the leading term, whose partner in the quotient is the only possible one.
  const Size::Terms divisor = b.terms();
  const auto& [lead, factor] = *divisor.begin();
  Size rest = a, quotient;
  while (!rest.is(0)) {
    const Size::Terms terms = rest.terms();
    const auto& [monomial, coefficient] = *terms.begin();
    if (!std::includes(monomial.begin(), monomial.end(), lead.begin(), lead.end()) || coefficient % factor != 0)
      return std::nullopt;
    Size::Monomial left;
    std::set_difference(monomial.begin(), monomial.end(), lead.begin(), lead.end(), std::back_inserter(left));
    const Size step = Size::from({{std::move(left), coefficient / factor}});
    quotient = quotient + step;
    rest = rest - step * b;
    if (!quotient.ok() || !rest.ok()) return std::nullopt;
  }
  return quotient;
}

std::int64_t Size::content() const {
  KIR_CHECK(ok(), "the content of an overflowed size");
  std::int64_t out = 0;
  for (const auto& [monomial, coefficient] : terms()) out = std::gcd(out, coefficient);
  return out;
}

bool operator==(const Size& a, const Size& b) {
  if (!a.ok() || !b.ok() || !a.terms_ != !b.terms_) return false;
  return a.terms_ ? *a.terms_ == *b.terms_ : a.constant_ == b.constant_;
}

bool at_least(const Size& a, const Size& b) {
  const Size difference = a - b;
  if (!difference.terms_) return difference.ok() && difference.constant_ >= 0;
  Size shifted;
  for (const auto& [monomial, coefficient] : *difference.terms_) {
    Size term = coefficient;
    for (const std::string& name : monomial) term = term * (Size::symbol(name) + 1);
    shifted = shifted + term;
  }
  if (!shifted.ok()) return false;
  const Size::Terms terms = shifted.terms();
  return std::ranges::all_of(terms, [](const auto& term) { return term.second >= 0; });
}

bool before(const Size& a, const Size& b) {
  if (!a.terms_ || !b.terms_) return !a.terms_ && (b.terms_ || a.constant_ < b.constant_);
  return *a.terms_ < *b.terms_;
}

std::optional<std::int64_t> Size::evaluate(const Binding& binding) const { return substitute(binding).constant(); }

Size Size::substitute(const Binding& binding) const {
  if (!terms_) return *this;
  Size sum;
  for (const auto& [monomial, coefficient] : *terms_) {
    Size term = coefficient;
    for (const std::string& name : monomial) {
      const auto found = binding.find(name);
      term = term * (found == binding.end() ? symbol(name) : Size(found->second));
    }
    sum = sum + term;
  }
  return sum;
}

std::string Size::text() const {
  if (!ok()) return "overflow";
  if (!terms_) return fmt::format("{}", constant_);
  std::string out;
  for (const auto& [monomial, coefficient] : *terms_) {
    if (coefficient < 0)
      out += '-';
    else if (!out.empty())
      out += '+';
    const std::int64_t magnitude = coefficient < 0 ? -coefficient : coefficient;
    if (monomial.empty() || magnitude != 1) out += fmt::format("{}{}", magnitude, monomial.empty() ? "" : "*");
    out += fmt::format("{}", fmt::join(monomial, "*"));
  }
  return out;
}

}  // namespace kir::layout
