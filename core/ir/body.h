// The SSA container of both vocabularies: operations, values and structured regions, immutable once built.
//
//   value   defined once, by an operation's result or as a region argument
//   region  a list of argument values and a list of operations, the last one a terminator (except where the owning
//           operation takes no values out: parallel, if without results, group bodies - there a bare `yield` ends it)
//   op      kind, value operands, results, regions, typed attributes, source range, origin
//
// A value may be used in the regions nested inside its own (dominance is lexical). Ids are dense and, after
// BodyBuilder::freeze, numbered in pre-order of the text, so that they are stable under print and parse.
// Origins point from a physical body to the KIR body it was built from; execution never needs them.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/base/source.h"
#include "core/index/expr.h"
#include "core/ir/op_kind.h"
#include "core/ir/type.h"
#include "core/numeric/scalar.h"

namespace kir {

// The keys of attributes and what they mean: op_kind.h; which operation takes which: op_table.h.
using ExprList = std::vector<Expr>;
using IntList = std::vector<std::int64_t>;
using ScalarList = std::vector<Scalar>;
using AttrValue = std::variant<bool, std::int64_t, Scalar, Expr, ExprList, IntList, ScalarList, CmpPredicate, ConvertMode,
                               Order, Extreme, TieRule, NanRule, Inclusion, Direction, OutOfRange, Collision, AtomicOp,
                               MemoryOrder, Sharing, AtomicScope, BufferScope>;
// The alternative of AttrValue that a key's value is.
std::size_t attr_kind(AttrKey key);

class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<const AttrKey, AttrValue>> init) : map_(init) {}
  template <class T>
  const T* find(AttrKey k) const {
    auto it = map_.find(k);
    return it == map_.end() ? nullptr : std::get_if<T>(&it->second);
  }
  template <class T>
  const T& get(AttrKey k) const {
    return std::get<T>(map_.at(k));
  }
  bool has(AttrKey k) const { return map_.contains(k); }
  void set(AttrKey k, AttrValue v) { map_.insert_or_assign(k, std::move(v)); }
  const std::map<AttrKey, AttrValue>& all() const { return map_; }
  friend bool operator==(const Attrs&, const Attrs&) = default;

 private:
  std::map<AttrKey, AttrValue> map_;
};

struct Value {
  Type type;
  std::string name;            // for printing and diagnostics; never an identity
  OpId op;                     // defining operation, or none for a region argument
  RegionId region;             // region of the argument, or none
  std::uint32_t position = 0;  // result number or argument position
  ValueId origin;              // the KIR value it stands for (physical bodies)
  SourceRange range;
};

struct Region {
  std::vector<ValueId> args;
  std::vector<OpId> ops;
  OpId parent;      // none for a root region
  RegionId origin;  // the KIR region it stands for (physical bodies)
};

struct Op {
  OpKind kind;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<RegionId> regions;
  Attrs attrs;
  RegionId parent;
  SourceRange range;
  OpId origin;  // the KIR operation it comes from (physical bodies)
};

class Body {
 public:
  const Op& op(OpId id) const { return ops_[id.index]; }
  const Value& value(ValueId id) const { return values_[id.index]; }
  const Region& region(RegionId id) const { return regions_[id.index]; }
  const Type& type(ValueId id) const { return values_[id.index].type; }
  std::size_t op_count() const { return ops_.size(); }
  std::size_t value_count() const { return values_.size(); }
  std::size_t region_count() const { return regions_.size(); }
  // The terminator of a region; regions of frozen verified bodies have one.
  const Op& terminator(RegionId id) const { return op(region(id).ops.back()); }
  // The yielded (or handed-on) values of a region.
  std::span<const ValueId> yields(RegionId id) const { return terminator(id).operands; }

 private:
  friend class BodyBuilder;
  std::vector<Op> ops_;
  std::vector<Value> values_;
  std::vector<Region> regions_;
};

// Builds a body front to back. Regions are opened and closed like brackets around emission.
class BodyBuilder {
 public:
  RegionId new_region(OpId parent = {});
  ValueId add_argument(RegionId region, Type type, std::string name, SourceRange range = {}, ValueId origin = {});

  // Operations go to the end of the innermost region entered.
  void enter(RegionId region) { stack_.push_back(region); }
  void leave() { stack_.pop_back(); }
  RegionId current() const { return stack_.back(); }

  // Appends an operation without regions.
  OpId emit(OpKind kind, std::vector<ValueId> operands, Attrs attrs, std::vector<Type> result_types, SourceRange range = {},
            OpId origin = {}, std::vector<std::string> names = {});
  // Appends an operation with regions made before by new_region(); their parent becomes this operation.
  OpId emit_with_regions(OpKind kind, std::vector<ValueId> operands, Attrs attrs, std::vector<RegionId> regions,
                         std::vector<Type> result_types, SourceRange range = {}, OpId origin = {},
                         std::vector<std::string> names = {});
  ValueId result(OpId op, std::size_t i = 0) const { return body_.ops_[op.index].results[i]; }
  ValueId emit1(OpKind kind, std::vector<ValueId> operands, Attrs attrs, Type type, SourceRange range = {}, OpId origin = {},
                std::string name = {}) {
    return result(emit(kind, std::move(operands), std::move(attrs), {std::move(type)}, range, origin, {std::move(name)}));
  }

  const Body& peek() const { return body_; }
  void set_name(ValueId v, std::string name) { body_.values_[v.index].name = std::move(name); }
  void set_type(ValueId v, Type type) { body_.values_[v.index].type = std::move(type); }
  void set_value_origin(ValueId v, ValueId origin) { body_.values_[v.index].origin = origin; }
  void set_origin(OpId op, OpId origin) { body_.ops_[op.index].origin = origin; }
  void set_region_origin(RegionId r, RegionId origin) { body_.regions_[r.index].origin = origin; }

  // Finishes the body. `roots` are its root regions in text order; ids are renumbered in pre-order from them and the
  // maps (old id -> new id) can be asked for. Value leaves inside expression attributes and types are renumbered too
  // (in `pool`). Unreachable operations and values are dropped. The builder is empty afterwards.
  struct Renumbering {
    std::vector<ValueId> values;
    std::vector<RegionId> regions;
    std::vector<OpId> ops;
  };
  Body freeze(ExprPool& pool, std::span<const RegionId> roots, Renumbering* map = nullptr);

 private:
  Body body_;
  std::vector<RegionId> stack_;
};

// Operand layout of the memory operations.
struct LoadView {
  ValueId view;
  std::span<const ValueId> coordinates;
  ValueId where;  // none: unconditional
  ValueId fill;   // none: arbitrary where the predicate is false
};
struct StoreView {
  ValueId view;
  std::span<const ValueId> coordinates;
  ValueId value;
  ValueId where;
};
LoadView as_load(const Body& body, const Op& op);
StoreView as_store(const Body& body, const Op& op);
// load: view, coords..., [where, [fill]]    store: view, coords..., value, [where]
// elem: tensor, coords...
// reduce: [init...] (none, or one per component)    tile_reduce: fragment, [init]
// for/while: carried initial values    if: condition

// Equality of two bodies up to value names, source ranges and origins (the law of the text forms: parse(print(b)) == b).
// Expressions of different pools are compared by structure.
bool structurally_equal(const Body& a, const Body& b);

}  // namespace kir
