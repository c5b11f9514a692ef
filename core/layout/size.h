// Numbers of a layout: integers, or integer polynomials in size symbols ("N", "8*K+4"). A size symbol stands for any integer
// of at least 1; whatever is decided about a layout holds for all of them. Arithmetic is exact: a result beyond 63 bits (or
// beyond kMaxTerms terms) is `overflowed()`, which absorbs everything, and which no layout admits.
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

  Size(std::int64_t constant = 0) : constant_(constant) {}  // implicit: sizes are numbers
  static Size symbol(std::string_view name);
  static Size overflowed();

  bool ok() const;
  bool is_constant() const { return !terms_; }
  bool is(std::int64_t v) const { return !terms_ && constant_ == v; }
  std::optional<std::int64_t> constant() const;
  std::vector<std::string> symbols() const;  // ascending, each once

  friend Size operator+(const Size& a, const Size& b);
  friend Size operator-(const Size& a, const Size& b);
  friend Size operator*(const Size& a, const Size& b);
  Size operator-() const;

  // a / b where b divides a for all values of the symbols; none otherwise. Exact division of polynomials.
  friend std::optional<Size> divide(const Size& a, const Size& b);
  // The largest constant that divides every coefficient; 0 for 0.
  std::int64_t content() const;

  // Same normal form: equal for all values of the symbols. overflowed() equals nothing.
  friend bool operator==(const Size& a, const Size& b);

  // Shown for all symbols >= 1 (every coefficient at x = 1 + x' is not negative). False says nothing.
  friend bool at_least(const Size& a, const Size& b);
  friend bool greater(const Size& a, const Size& b) { return at_least(a, b + 1); }

  // None where a symbol has no value or the result does not fit 63 bits.
  std::optional<std::int64_t> evaluate(const Binding& binding) const;
  Size substitute(const Binding& binding) const;  // symbols without a value stay

  // "8*K+4", "N*K-1", "-N"; parse_size reads it back. Highest degree first, then by name.
  std::string text() const;

 private:
  using Monomial = std::vector<std::string>;  // ascending, repeated for powers; empty: 1
  using Terms = std::map<Monomial, std::int64_t>;
  // Where terms_ is empty the value is constant_. overflowed(): terms_ without any term.
  std::int64_t constant_ = 0;
  std::shared_ptr<const Terms> terms_;
};

}  // namespace kir::layout
