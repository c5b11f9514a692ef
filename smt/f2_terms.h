// Terms that are linear over GF(2) in the bits of another term: what an XOR swizzle is once it is written in integers, by
// floordiv and mod of powers of two, sums of parts that share no bit, and sums modulo 2.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/index/expr.h"
#include "core/layout/f2.h"

namespace kir::smt {

// Bit i of the term is the XOR of those bits of `base` that are in rows[i]; the term has no others. For base in [0, 2^bits).
struct BitTerm {
  Expr term, base;
  int bits = 0;
  std::vector<std::uint64_t> rows;

  layout::F2Map map() const;  // column j: what bit j of the base moves
};
// bits at most 62. None: the term is not of this form. O(nodes of the term, shared parts counted as often as they occur).
std::optional<BitTerm> bit_term(Expr term, Expr base, int bits);

}  // namespace kir::smt
