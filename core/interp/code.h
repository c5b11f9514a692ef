// The decoded form of a body that the machine runs: one flat list of instructions per region, slots numbered by value id,
// expressions compiled, functions of pointwise operations resolved, chains of coordinate relations followed down to the
// memory or tensor below.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/interp/index_code.h"
#include "core/ir/abi.h"
#include "core/ir/body.h"
#include "core/numeric/scalar_ops.h"

namespace kir {

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};
inline constexpr std::size_t kMaxRank = 32;  // of views and tensors, as the language has it

enum class InstrKind : std::uint8_t {
  constant,   // dst = literal
  index,      // dst = expression (index, i1; checked i32/i64 in physical programs)
  pointwise,  // scalars
  select,
  select_index,  // select of values of type index
  cmp,
  convert,
  convert_from_index,
  convert_to_index,
  load,
  store,
  in_bounds,
  atomic,
  buffer,
  scatter,
  histogram,
  elem,            // through an AccessPlan
  extents,         // a relation's runtime extents and bounds
  reshape,         // extents of a reshape, which must give as many elements
  tensor_compute,  // OpKind::tensor
  concat,
  iota,
  gather,
  part,
  philox,
  tensor_pointwise,  // any pointwise operation, element by element
  tile_index,
  tile_pointwise,
  tile_load,
  tile_store,
  splat,
  tile_reduce,
  parallel,
  for_loop,
  while_loop,
  if_else,
  assume,
  reduce,
  arg_reduce,
  scan,
  contract,
  region_fold,
  region_scan,
  unsupported,
};

struct Instr {
  InstrKind kind = InstrKind::unsupported;
  InstrKind inner = InstrKind::unsupported;  // of the element operation, where the instruction works on many elements
  std::uint8_t operands = 0;
  DType type = DType::i1;  // of the result's elements
  DType from = DType::i1;  // of the first operand's elements
  Slot dst = kNoSlot;
  Slot a = kNoSlot, b = kNoSlot, c = kNoSlot;
  std::uint32_t plan = 0;  // into the vector of the kind
  PointwiseFunction function = nullptr;
  std::uint64_t word = 0;  // constant
  OpId op;
};

// A domain: per axis the bounds and the region argument.
struct DomainPlan {
  std::vector<std::uint32_t> low, high;  // into Code::expressions
  std::vector<Slot> arguments;
  std::vector<Slot> focus;  // the variables that a focus names for them; empty: the arguments themselves
  bool dependent = false;   // a bound uses an argument of the domain: not supported
};

// Values handed from one list of slots to another at once.
struct MovePlan {
  struct Move {
    Slot from, to;
    TypeKind kind;
    std::uint32_t access = kNoSlot;  // a derived tensor is read through this plan
  };
  std::vector<Move> moves;
  bool buffered = false;  // a source is also a destination
};

// One step of a chain of relations, from the coordinates of a derived view or tensor to those of its source.
struct RelationStep {
  enum class Kind : std::uint8_t { transpose, slice, broadcast, reshape, region } kind = Kind::transpose;
  Slot value = kNoSlot;  // the derived value; for messages
  std::size_t rank = 0;
  Slot extents = kNoSlot;          // first of `rank` integer slots: the derived value's extents
  Slot lows = kNoSlot;             // slice: first of `rank` integer slots
  Slot source = kNoSlot;           // reshape: first of `source_rank` integer slots, the source's extents
  std::vector<std::int64_t> axes;  // transpose, broadcast
  std::vector<bool> stretches;     // broadcast: source axes of extent 1
  RegionId region;                 // view
  std::vector<Slot> arguments;     // of the region
  std::vector<Slot> yields;
  std::size_t source_rank = 0;
};

struct AccessPlan {
  bool on_memory = true;
  std::size_t view = 0;   // index of the ABI view, or beyond them of the buffer
  Slot base = kNoSlot;    // the value of the view; for messages
  Slot tensor = kNoSlot;  // base tensor value
  Slot outer = kNoSlot;   // the value that is accessed; for messages
  std::vector<RelationStep> steps;
  std::vector<Slot> coordinates;
  Slot value = kNoSlot, where = kNoSlot, fill = kNoSlot;
};

// Extents and bounds of a relation, fixed where it is made: each expression goes to an integer slot.
struct ExtentsPlan {
  struct Item {
    std::uint32_t expression;
    std::uint32_t minus = kNoSlot;  // an expression to subtract
    Slot to;
  };
  std::vector<Item> items;
};

// A reshape: the extents of its result and of its source.
struct ReshapePlan {
  std::uint32_t extents = 0;
  Slot to = kNoSlot, from = kNoSlot;
  std::size_t rank = 0, source_rank = 0;
};

struct ConcatPlan {
  std::vector<std::uint32_t> sources;  // accesses
  std::vector<std::uint32_t> extents;  // of each source along the axis: expressions
  std::size_t axis = 0;
};

struct IotaPlan {
  std::vector<std::uint32_t> extents;
  std::size_t axis = 0;
};

struct PartPlan {
  std::uint32_t low = 0, high = 0, extent = 0;
  Slot second = kNoSlot;  // the upper bound; the lower one is the instruction's dst
  Slot source = kNoSlot;  // for messages
  std::int64_t axis = 0;
};

struct PhiloxPlan {
  Slot operands[6] = {}, results[4] = {};
};

// A pointwise operation on tensors, element by element.
struct TensorPointwisePlan {
  std::uint32_t accesses[3] = {kNoSlot, kNoSlot, kNoSlot};  // kNoSlot: the operand is a scalar
};

// How a branch of an if leaves the loop around it: with its next iteration, or for good.
enum class LoopExit : std::uint8_t { none, next, out };

struct ForPlan {
  struct Collected {
    Slot element, result;
  };
  std::uint32_t low = 0, high = 0, step = kNoSlot;
  Slot variable = kNoSlot;
  RegionId region;
  MovePlan start, next, finish;           // operands to arguments; next values to arguments; arguments to results
  std::vector<Slot> carries;              // the arguments that `next` sets
  std::vector<Collected> collected;       // without step and exits
  bool exits = false;                     // some iteration may be the last one
  std::vector<std::size_t> stored_views;  // that the body may store to
};
struct WhilePlan {
  RegionId condition, region;
  Slot test = kNoSlot;
  MovePlan start, enter, next, finish;  // to condition arguments; from those to body arguments; back; to results
};
struct IfPlan {
  RegionId regions[2];
  MovePlan yields[2];  // to the results; of a branch that leaves a loop to what that loop carries
  LoopExit exits[2] = {LoopExit::none, LoopExit::none};
};
struct ParallelPlan {
  DomainPlan domain;
  RegionId region;
  std::vector<std::size_t> stored_views;
};
struct TensorPlan {
  DomainPlan domain;
  RegionId region;
  Slot yield = kNoSlot;
};
struct GatherPlan {
  DomainPlan domain;
  RegionId region;
  std::uint32_t source = 0;  // an access
  std::vector<Slot> yields;
  OpId end;  // the region's end: an error of a member stands there
};
// A fold: its state is in the accumulators, the combine's first arguments.
struct FoldPlan {
  RegionId combine;  // none: a sum of exact products
  std::vector<Slot> accumulators, elements;
  MovePlan from_init, from_first;  // initial values or those of the first member to the accumulators
  MovePlan element;                // a later member's values to the elements
  MovePlan again;                  // combined values to the accumulators
  std::vector<Scalar> identity;
  bool has_init = false;
  Order order = Order::strict;
  DType type = DType::i32;       // of the first component
  std::optional<OpKind> single;  // the one pointwise operation that the combine is, when it is one
};
// The predicate on the members of a domain, which has variables of its own.
struct WherePlan {
  RegionId region;  // none: every member is active
  MovePlan enter;   // from the map's variables
  Slot test = kNoSlot;
};
struct ReducePlan {
  DomainPlan domain;
  WherePlan where;
  RegionId map;
  FoldPlan fold;
  MovePlan finish;  // accumulators to results
};
struct ArgReducePlan {
  DomainPlan domain;
  WherePlan where;
  RegionId map;
  Slot value = kNoSlot;  // mapped
  DType type = DType::i32;
  Extreme extreme = Extreme::min;
  TieRule tie = TieRule::first;
  NanRule nan = NanRule::first;
  std::vector<Slot> init, results;  // the value, then the coordinates
};
struct ScanPlan {
  DomainPlan domain;
  RegionId map;
  FoldPlan fold;
  bool inclusive = true, forward = true;
  std::vector<Slot> tensors;  // result per component; none in a physical program
  RegionId result;            // physical: stores the result of a member
  MovePlan enter_variables;   // from the map's variables
  std::vector<Slot> states;   // its other arguments
  MovePlan finish;            // accumulators to final states
};
struct ContractPlan {
  struct Side {
    DomainPlan domain;  // batch, free, paired
    RegionId region;
    Slot yield = kNoSlot;
    Slot argument = kNoSlot;  // of the product
    DType type = DType::i32;
  };
  Side sides[2];
  std::size_t batch = 0, left = 0, right = 0, paired = 0;  // axes
  RegionId product;                                        // none: exact
  FoldPlan fold;
  PointwiseFunction multiply = nullptr, add = nullptr;  // exact: in the accumulator's type; of floats fused in `multiply`
  double unit = 0;                                      // licensed error
  bool has_unit = false;
};
struct BufferPlan {
  std::size_t view = 0;
  std::vector<std::uint32_t> extents;  // into Code::expressions
  std::uint32_t capacity = kNoSlot;    // an expression
  RegionId region;                     // none: uninitialised
  std::vector<Slot> arguments;
  Slot yield = kNoSlot;
};
struct AtomicPlan {
  AccessPlan access;  // `value` is what is written, or combined with the contents
  bool reads = true;
  bool acquires = false, releases = false, failure_acquires = false;
  Slot expected = kNoSlot, succeeded = kNoSlot;  // compare-exchange
  OpKind operation = OpKind::yield;              // yield: the value replaces the contents
};
// scatter, histogram: what each member does to one element of each target.
struct UpdatePlan {
  DomainPlan domain;
  RegionId member;
  std::vector<AccessPlan> targets;  // `value` and the coordinates are what the member yields
  Slot where = kNoSlot;
  RegionId combine;                      // none: the value replaces the contents
  std::vector<Slot> old, fresh, merged;  // of the combine, one for each target
  Order order = Order::any;
  OpKind single = OpKind::yield;  // as of a reduction
  OutOfRange out_of_range = OutOfRange::error;
};
// A region from values in slots to values in slots.
struct CellRegion {
  RegionId region;
  std::vector<Slot> arguments, yields;
};
struct SegmentPlan {
  struct Slice {
    MovePlan emitted;  // what emit yields to the result, which holds one slice at a time during a run
    Slot result = kNoSlot;
    std::vector<std::uint32_t> rest;  // expressions: the extents after the first
  };
  std::uint32_t low = 0, high = 0;       // expressions
  CellRegion summarize, combine, where;  // where: none when every member is active
  CellRegion apply, emit;                // of a scan
  std::vector<Slot> init;                // of a scan: the state before the first segment
  std::vector<Slot> results;             // of a fold; of a scan the final state
  std::vector<Slice> slices;             // none in a physical program, where `emit` stores
  bool physical = false;                 // runs one way: as a whole, or by single members when strict
  std::vector<Scalar> identity;
  Order order = Order::strict;
};
struct TileReducePlan {
  Slot source = kNoSlot, init = kNoSlot;
  RegionId combine;
  Slot left = kNoSlot, right = kNoSlot, yield = kNoSlot;
  // For each result element its source elements in order: element r, member k is at origins[r] + offsets[k].
  std::vector<std::size_t> origins, offsets;
  bool scalar_result = true;
};

struct RegionCode {
  std::vector<Instr> instrs;
};

struct Code {
  std::vector<RegionCode> regions;  // by region id
  std::vector<IndexCode> expressions;
  std::vector<AccessPlan> accesses;
  std::vector<ExtentsPlan> extents;
  std::vector<ForPlan> fors;
  std::vector<WhilePlan> whiles;
  std::vector<IfPlan> ifs;
  std::vector<ParallelPlan> parallels;
  std::vector<TensorPlan> tensors;
  std::vector<ReshapePlan> reshapes;
  std::vector<ConcatPlan> concats;
  std::vector<IotaPlan> iotas;
  std::vector<GatherPlan> gathers;
  std::vector<PartPlan> parts;
  std::vector<PhiloxPlan> philoxes;
  std::vector<TensorPointwisePlan> tensor_operations;
  std::vector<ReducePlan> reductions;
  std::vector<BufferPlan> buffers;
  std::vector<DType> buffer_types;  // of the views beyond those of the ABI
  std::vector<AtomicPlan> atomics;
  std::vector<UpdatePlan> updates;
  bool follows_releases = false;  // some atomic acquires or releases
  std::vector<ArgReducePlan> arg_reductions;
  std::vector<ScanPlan> scans;
  std::vector<ContractPlan> contractions;
  std::vector<SegmentPlan> segments;
  std::vector<TileReducePlan> tile_reductions;
  std::size_t integer_slots = 0;                       // values, then hidden slots of extents
  std::vector<std::uint8_t> integer_width;             // by value id: 0 for type index, else the width of the scalar
  std::vector<std::vector<std::int64_t>> tile_shapes;  // by value id; empty: not a tile
};

struct DecodeInput {
  const Body* body;
  const Abi* abi;
  const std::map<std::string, std::int64_t>* symbols;  // definitions included
  bool physical = false;
  std::span<const ValueId> workspace = {};  // its buffers come first behind the views of the ABI
};
Code decode(const DecodeInput& input, std::span<const RegionId> roots);

}  // namespace kir
