// Numbers of a layout: integers, or integer polynomials in size symbols ("N", "8*K+4"). A size symbol stands for any integer
// of at least 1; whatever is decided about a layout holds for all of them. Arithmetic is exact: a result beyond 63 bits (or
// beyond kMaxTerms terms or degree kMaxDegree) is `overflowed()`, which absorbs everything, and which no layout admits.
//
// A value; the constant case, which is nearly every one, allocates nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kir::layout {

using Binding = std::map<std::string, std::int64_t, std::less<>>;  // size symbol -> value

class Size {
 public:
  static constexpr std::size_t kMaxTerms = 64;
  static constexpr std::size_t kMaxDegree = 32;

  Size(std::int64_t constant = 0) : constant_(constant) {}  // implicit: sizes are numbers
  static Size symbol(std::string_view name);
  static Size overflowed();

  bool ok() const { return terms_ || constant_ != kOverflowed; }
  bool is_constant() const { return !terms_ && constant_ != kOverflowed; }
  bool is(std::int64_t v) const { return is_constant() && constant_ == v; }
  std::optional<std::int64_t> constant() const { return is_constant() ? std::optional(constant_) : std::nullopt; }
  std::vector<std::string> symbols() const;  // ascending, each once

  friend Size operator+(const Size& a, const Size& b);
  friend Size operator-(const Size& a, const Size& b);
  friend Size operator*(const Size& a, const Size& b);
  Size operator-() const;

  // a / b where b divides a as a polynomial with integer coefficients; none otherwise, and for b = 0.
  friend std::optional<Size> divide(const Size& a, const Size& b);
  // The largest constant that divides every coefficient; 0 for 0. Needs ok().
  std::int64_t content() const;

  // Same normal form: equal for all values of the symbols. overflowed() equals nothing.
  friend bool operator==(const Size& a, const Size& b);

  // Shown for all symbols >= 1 (every coefficient at x = 1 + x' is not negative). False says nothing.
  friend bool at_least(const Size& a, const Size& b);
  friend bool greater(const Size& a, const Size& b) { return at_least(a, b + 1); }

  // A total order without a meaning, for normal forms: constants first, ascending.
  friend bool before(const Size& a, const Size& b);

  // None where a symbol has no value, or the result or a step to it does not fit 63 bits.
  std::optional<std::int64_t> evaluate(const Binding& binding) const;
  Size substitute(const Binding& binding) const;  // symbols without a value stay

  // "8*K+4", "N*K-1", "-N"; parse_size reads it back. Highest degree first, then by name. For messages,
  // overflowed() is "overflow".
  std::string text() const;

 private:
  using Monomial = std::vector<std::string>;  // ascending, repeated for powers; empty: 1
  struct HigherFirst {  // by degree, then by name: an order that products keep, which exact division needs
    bool operator()(const Monomial& a, const Monomial& b) const { return a.size() != b.size() ? a.size() > b.size() : a < b; }
  };
  using Terms = std::map<Monomial, std::int64_t, HigherFirst>;
  static constexpr std::int64_t kOverflowed = INT64_MIN;

  static Size from(Terms terms);
  Terms terms() const;  // of a constant too; needs ok()

  std::int64_t constant_ = 0;           // where there are no terms_
  std::shared_ptr<const Terms> terms_;  // at least one with a symbol, no coefficient 0
};

}  // namespace kir::layout
