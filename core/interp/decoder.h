// Makes Code of a body; see code.h.
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include "core/interp/code.h"
#include "core/ir/op_table.h"

namespace kir {

class Decoder {
 public:
  explicit Decoder(const DecodeInput& in) : in_(in), body_(*in.body) {}
  Code run(std::span<const RegionId> roots);  // once

 private:
  static Slot slot(ValueId v) { return v ? v.index : kNoSlot; }
  std::vector<Slot> slots(std::span<const ValueId> values) const;
  std::span<const ValueId> yields(RegionId r) const;
  std::uint32_t expression(Expr e, IndexCode::Limits limits);
  // Limits of an expression that is computed for a value of this type. Comparisons are computed in 64 bits.
  IndexCode::Limits limits_for(const Type& t) const;
  MovePlan moves(std::span<const ValueId> from, std::span<const ValueId> to);
  bool is_relation(ValueId v) const;
  // The chain from v down to memory or to a tensor that has elements of its own. False: not supported.
  bool follow(ValueId v, AccessPlan& plan);
  std::uint32_t access_of(ValueId v);
  RelationStep step(const Op& op, ValueId v);
  Slot hidden_slots(ValueId v, std::size_t count, std::map<ValueId, Slot>& known);
  // Evaluates what the relation's steps will need.
  std::uint32_t relation(const Op& op);
  ExtentsPlan relation_extents(const Op& op);
  std::vector<std::uint32_t> exact(const ExprList& list);
  DomainPlan domain(const Op& op, RegionId r);
  void stored_views(RegionId r, std::set<std::size_t>& out);
  std::vector<std::size_t> stored_views(RegionId r);
  void region(RegionId r);
  template <class T>
  static std::uint32_t keep(std::vector<T>& in, T plan) {
    in.push_back(std::move(plan));
    return static_cast<std::uint32_t>(in.size() - 1);
  }
  Instr decode(OpId id);
  Instr pointwise(const Op& op, Instr i);
  Instr access(const Op& op, Instr i);
  std::size_t buffer_view(ValueId v);
  Instr buffer(const Op& op, Instr i);
  Instr atomic(const Op& op, Instr i);
  Instr in_bounds(const Op& op, Instr i);
  bool update(const Op& op, UpdatePlan& plan);
  Instr scatter(const Op& op, Instr i);
  Instr histogram(const Op& op, Instr i);
  // The pointwise operation that a combine of one component is, applied to both arguments; else yield.
  Instr for_loop(const Op& op, Instr i);
  Instr while_loop(const Op& op, Instr i);
  FoldPlan fold(const Op& op, std::span<const ValueId> values);
  WherePlan where(const Op& op, std::size_t which);
  Instr reduce(const Op& op, Instr i);
  Instr arg_reduce(const Op& op, Instr i);
  Instr scan(const Op& op, Instr i);
  Instr contract(const Op& op, Instr i);
  Instr if_else(const Op& op, Instr i);
  Instr segments(const Op& op, Instr i);
  Instr tile_reduce(const Op& op, Instr i);
  // decode_tensor.cpp
  Instr reshape(const Op& op, Instr i);
  Instr concat(const Op& op, Instr i);
  Instr iota(const Op& op, Instr i);
  Instr gather(const Op& op, Instr i);
  Instr part(const Op& op, Instr i);
  Instr philox(const Op& op, Instr i);

  const DecodeInput& in_;
  const Body& body_;
  Code code_;
  Slot hidden_ = 0;
  std::map<ValueId, Slot> extents_, lows_, sources_;
  std::map<ValueId, std::size_t> buffer_views_;
  std::set<OpId> left_;  // loops with a break or continue
};

}  // namespace kir
