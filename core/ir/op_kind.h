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
  // random numbers
  philox4x32_10,
  // memory
  load,
  store,
  buffer,
  scatter,
  histogram,
  atomic_load,
  atomic_store,
  atomic_rmw,
  atomic_cas,
  assume_in_bounds,
  // tensor values and coordinate relations
  tensor,
  elem,
  view,
  transpose,
  slice,
  broadcast,
  reshape,
  concat,
  iota,
  gather,
  part,
  // control
  parallel,
  for_loop,
  while_loop,
  if_else,
  yield,
  next,
  break_loop,
  continue_loop,
  assume,
  // structured
  reduce,
  arg_reduce,
  scan,
  region_fold,
  region_scan,
  contract,
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

// arg_reduce: what is sought, which of equal numbers wins (by domain order; -0 equals +0), and what a NaN is: the winner over
// every number, of several the `first` or the `last` by domain order; or with `ignore` no member at all.
enum class Extreme : std::uint8_t { min, max };
enum class TieRule : std::uint8_t { first, last };
enum class NanRule : std::uint8_t { first, last, ignore };

// scan: results include the member itself or not; the traversal goes up or down (results keep their coordinates).
enum class Inclusion : std::uint8_t { inclusive, exclusive };
enum class Direction : std::uint8_t { forward, reverse };

// histogram: what a key outside the bins does.
enum class OutOfRange : std::uint8_t { drop, clamp, error };

// scatter: every element has one writer, or several whose values a combine region merges with the old contents.
enum class Collision : std::uint8_t { unique, reduce };

// Read-modify-write operations of atomic_rmw. add wraps on integers and rounds on floats; min and max are signed (s),
// unsigned (u) or NaN-ignoring with -0 below +0 (num).
enum class AtomicOp : std::uint8_t { add, min_s, max_s, min_u, max_u, min_num, max_num, bit_and, bit_or, bit_xor, exchange };
enum class MemoryOrder : std::uint8_t { relaxed, acquire, release, acq_rel };
// Who shares the location: the instances of one launch, or also other agents of the system. The scope that a provider needs
// follows from the mapping.
enum class Sharing : std::uint8_t { invocation, system };
// Among which threads an atomic of a physical program is one step: those of a block, of the GPU, or all agents of the system.
enum class AtomicScope : std::uint8_t { cta, gpu, system };

// buffer in a physical program: the memory belongs to the program instance and is made once (program), or it is made anew in
// each iteration of the loop around (iteration).
enum class BufferScope : std::uint8_t { program, iteration };

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
  axis,     // concat, iota, part
  extents,  // the result's shape
  vector,   // elements per access (physical)
  extreme,
  tie,
  nan,
  inclusion,
  direction,
  out_of_range,
  collision,
  atomic_op,
  memory_order,   // of success
  failure_order,  // atomic_cas
  sharing,
  atomic_scope,   // of an atomic (physical); absent: system
  exact_product,  // contract: the product takes part in the sum unrounded
  unit,           // contract: |error| <= unit * sum |a| |b| is licensed
  scope,          // buffer (physical)
  capacity,       // buffer (physical): at least as many elements as any of its instances has, launch-visible
};
inline constexpr int kAttrKeyCount = static_cast<int>(AttrKey::capacity) + 1;

}  // namespace kir
