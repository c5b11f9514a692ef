// Integer expressions decoded for repeated evaluation: symbols become constants, values become slot numbers.
//
// Evaluation is exact in 128 bits and evaluates only what the connectives need, as `evaluate` of core/index does. With
// limits (a physical program's fixed width) every integer node that is evaluated, leaves included, must lie within them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/index/expr.h"
#include "core/ir/body.h"

namespace kir {

// Taint of a value, a set of bits. Observing a tainted value is an error (or, for `undecided`, ends the bounded run).
using Taint = std::uint8_t;
inline constexpr Taint kArbitrary = 1;  // depends on an unfilled masked lane
inline constexpr Taint kSkipped = 2;    // depends on a part that a replay left out
inline constexpr Taint kUndecided = 4;  // differs between permitted executions

// A tile of values: words of the element type in row-major order, taints alike.
struct TileValue {
  std::vector<std::uint64_t> words;
  std::vector<Taint> taint;
};

// Where expressions find their leaves. Slots are numbered by value id.
struct IndexEnvironment {
  const std::uint64_t* words = nullptr;
  const Integer* integers = nullptr;
  const Taint* taint = nullptr;
  const TileValue* tiles = nullptr;
  std::size_t element = 0;                 // of the tile that is computed
  const std::int64_t* position = nullptr;  // its coordinates
};

// Members of low..high; at most the largest integer.
inline Integer distance(Integer low, Integer high) {
  Integer out = 0;
  if (low >= high) return 0;
  return __builtin_sub_overflow(high, low, &out) ? static_cast<Integer>(~static_cast<unsigned __int128>(0) >> 1) : out;
}

enum class IndexFault : std::uint8_t { none, zero_divisor, overflow, unbound };

class IndexCode {
 public:
  struct Limits {
    Integer low, high;
    static Limits exact();         // 128 bits
    static Limits width(DType t);  // of a signed integer type
  };

  IndexCode() = default;
  // Symbols without a value give the fault `unbound` when they are evaluated.
  IndexCode(Expr e, const Body& body, const std::map<std::string, std::int64_t>& symbols, Limits limits);

  struct Result {
    Integer value = 0;
    Taint taint = 0;
    IndexFault fault = IndexFault::none;
    Expr where;          // the node at fault
    bool exact = false;  // there: computed without a width of its own
  };
  // O(nodes).
  bool evaluate(const IndexEnvironment& environment, Result& result) const;
  bool uses_tiles() const { return uses_tiles_; }
  Expr expr() const { return expr_; }

 private:
  enum class Leaf : std::uint8_t { none, constant, integer, word, boolean, tile, position, unbound };
  struct Node {
    ExprKind kind;
    Leaf leaf = Leaf::none;
    std::uint8_t shift = 0;  // 64 - width, to extend the sign
    bool integer = false;    // sort
    std::uint32_t a = 0, b = 0, c = 0;
    Integer constant = 0;
  };
  std::uint32_t add(Expr e, const Body& body, const std::map<std::string, std::int64_t>& symbols);
  bool run(std::uint32_t n, const IndexEnvironment& environment, Result& result, Integer& out) const;
  bool fail(std::uint32_t n, IndexFault fault, Result& result) const;

  Expr expr_;
  Limits limits_{};
  bool uses_tiles_ = false;
  std::uint32_t root_ = 0;
  std::vector<Node> nodes_;
  std::vector<Expr> exprs_;                          // of each node
  std::unordered_map<Expr, std::uint32_t> numbers_;  // while decoding
};

}  // namespace kir
