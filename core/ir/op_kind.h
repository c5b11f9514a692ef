// The closed set of operations of both vocabularies. One row of op_table.h says everything about each; layers add
// their part (evaluate, denote, emit) in a switch without a default.
#pragma once

#include <cstdint>

namespace kir {

enum class OpKind : std::uint8_t {
  // literals and integers of shapes and coordinates
  constant,
  index,
  // pointwise: float and integer
  add,
  sub,
  mul,
  neg,
  abs,
  // pointwise: float
  div,
  fma,
  min_nan,
  max_nan,
  min_num,
  max_num,
  sqrt,
  floor,
  ceil,
  trunc,
  round_even,
  exp,
  exp2,
  log,
  log2,
  rsqrt,
  sin,
  cos,
  tanh,
  erf,
  // pointwise: integer
  divt,
  remt,
  divf,
  remf,
  divu,
  remu,
  min_s,
  max_s,
  min_u,
  max_u,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shl,
  shrl,
  shra,
  // pointwise: any
  cmp,
  select,
  convert,
  // memory
  load,
  store,
  // tensor values and coordinate relations
  tensor,
  elem,
  view,
  transpose,
  slice,
  broadcast,
  // control
  parallel,
  for_loop,
  while_loop,
  if_else,
  yield,
  next,
  assume,
  // structured
  reduce,
  // physical only: fragments
  splat,
  tile_reduce,
};
inline constexpr int kOpKindCount = static_cast<int>(OpKind::tile_reduce) + 1;

// Predicates of `cmp`. Integers: eq ne slt..uge; floats: oeq..uno ('o': false on NaN, 'u': true on NaN).
enum class CmpPredicate : std::uint8_t {
  eq,
  ne,
  slt,
  sle,
  sgt,
  sge,
  ult,
  ule,
  ugt,
  uge,
  oeq,
  one,
  olt,
  ole,
  ogt,
  oge,
  ord,
  ueq,
  une,
  fult,
  fule,
  fugt,
  fuge,
  uno,
};

// Modes of `convert`; the source and destination types stand in the operation's types.
//   rn       float -> float, round to nearest even (widening is exact); overflow gives infinity, for f8e4m3 NaN
//   sat_rn   the same, but overflow and infinities give the largest finite value (NaN stays NaN)
//   sint     signed integer or index -> float (nearest even) or wider integer (sign extension)
//   uint     unsigned integer -> float or wider integer (zero extension)
//   wrap     integer or index -> narrower or equal integer, modulo 2^width
//   to_sint / to_uint          float -> integer toward zero; NaN or out of range is erroneous
//   sat_to_sint / sat_to_uint  the same, clamped; NaN gives 0
//   to_bool  x != 0 (NaN is true)
//   bits     reinterpretation, equal widths
enum class ConvertMode : std::uint8_t {
  rn,
  sat_rn,
  sint,
  uint,
  wrap,
  to_sint,
  to_uint,
  sat_to_sint,
  sat_to_uint,
  to_bool,
  bits
};

// Licence of a combine: `strict` the given order; `tree` any bracketing, operand order kept (needs associativity);
// `any` bracketing and order free (needs commutativity too).
enum class Order : std::uint8_t { strict, tree, any };

// The keys of attributes; op_table.h says which operation takes which, attr_kind() of what kind its value is.
enum class AttrKey : std::uint8_t {
  literal,           // constant
  expr,              // index: of integer sort (result index, i32, i64) or boolean (i1)
  predicate,         // cmp
  mode,              // convert
  ranges,            // [lo0, hi0, lo1, hi1, ...], one pair per axis
  step,              // for; absent: 1
  order,             // licence of a combine
  identity,          // one literal per component
  identity_assumed,  // the author's word that `identity` is neutral
  axes,     // transpose: the permutation; broadcast, tile_reduce; contract: how many batch, left free, right free, paired
  extents,  // the result's shape
  vector,   // elements per access (physical)
};
inline constexpr int kAttrKeyCount = static_cast<int>(AttrKey::vector) + 1;

}  // namespace kir
