// What construction claims at each step, as obligations with the witnesses it knows (the inverse of the decode). The
// validator derives its own set; these say which step is at fault when one of them fails.
//
// Each KIR index value has a meaning ("spec"), each physical one too ("phys"), both over the launch symbols and variables of
// the ledger's pool: one variable per loop argument and data-derived value, shared by both sides, and for an instance axis
// one variable on each side, joined by the decode.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/kir/kernel.h"
#include "core/pir/program.h"
#include "lowering/group.h"
#include "lowering/segment.h"
#include "proof/obligation.h"

namespace kir::lowering {

class Claims {
 public:
  Claims(const KernelFacts& facts, const SpacePlan& space, proof::Ledger& ledger);

  // launch-extent, segment-partition and decode-bijection of the whole space.
  void space();

  // From here on translation is inside the group; `args` are its physical arguments, one per axis.
  void enter_group(std::size_t group, const GroupPlan& plan, std::span<const ValueId> args);
  // A physical value computed by an integer expression of the program's pool.
  void define(ValueId physical, Expr value);
  // A KIR value computed by an integer expression of the kernel.
  void define_spec(ValueId kir, Expr value);
  void bind_spec(ValueId kir, Expr meaning) { spec_[kir] = meaning; }
  // A KIR value that is the physical value: loop arguments, data-derived integers.
  void share(ValueId kir, ValueId physical, Sort sort);

  Expr spec(ValueId kir, Sort sort = Sort::integer);
  Expr spec(Expr kir);  // an expression of the kernel
  Expr phys(ValueId physical, Sort sort = Sort::integer);
  ExprPool& pool() { return *ledger_.pool; }

  // One access: its element on both sides, and its predicate (none: always).
  void access(OpId op, std::string_view verb, std::string_view view, std::span<const Expr> spec_at,
              std::span<const ValueId> physical_at, ValueId kir_where, ValueId physical_where);

 private:
  void add(proof::ObligationKind kind, std::string key, std::string sentence, std::vector<Expr> hypotheses, Expr goal,
           OpId op = {});
  void lengths(std::size_t g);
  void partition();
  void bijection(std::size_t g);
  void round_trip(std::size_t g, Expr w, const std::vector<Expr>& in_segment, const std::vector<Expr>& at);

  const KernelFacts& facts_;
  const SpacePlan& space_;
  proof::Ledger& ledger_;
  std::vector<Expr> preconditions_;
  std::unordered_map<ValueId, Expr> spec_, phys_;
  // Of each segment, in the ledger's pool: axis variables and what is known of them.
  struct SegmentTerms {
    std::vector<Expr> lo, extent, axis;
    std::vector<Expr> facts;   // extents at least 0
    std::vector<Expr> member;  // axis variables inside their ranges
    Expr length, offset;       // offset: a variable
  };
  std::vector<SegmentTerms> terms_;
  std::vector<Expr> group_hypotheses_;
  std::size_t group_ = 0;
  std::size_t serial_ = 0;
};

}  // namespace kir::lowering
