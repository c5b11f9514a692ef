// drop-dead-values: removes operations without effect whose results nothing uses. Composing relations and moving producers
// into groups leaves some behind. Fewer loads and divisions can only make fewer executions erroneous, and the values that
// reach memory stay the same. A store to a buffer counts where something loads from the buffer.
#include "lowering/pipeline.h"
#include "lowering/rewrite.h"

#include <unordered_map>

#include "core/ir/loop_exit.h"
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"

namespace kir::lowering {
namespace {

class Liveness {
 public:
  explicit Liveness(const PhysicalProgram& p) : b_(p.body), live_(b_.op_count(), false), exits_(b_.op_count()) {
    const Body& b = b_;
    for (std::uint32_t i = 0; i < b.op_count(); ++i) {
      const Op& op = b.op(OpId(i));
      if (is_loop_exit(op.kind)) exits_[loop_of_exit(b, op).index].push_back(OpId(i));
      if (op.kind == OpKind::store) {
        if (p.abi.find_view(op.operands[0]))
          mark(OpId(i));
        else  // a buffer: seen by its loads alone
          stores_[op.operands[0]].push_back(OpId(i));
      }
      // Atomics order other accesses; a loop that may run forever is seen by that.
      if (is_atomic(op.kind) || op.kind == OpKind::while_loop) mark(OpId(i));
      if (op.kind == OpKind::assume || op.kind == OpKind::assume_in_bounds) mark(OpId(i));
      if (row(op.kind).terminator && !b.region(op.parent).parent) mark(OpId(i));  // of a group
    }
    while (!work_.empty()) {
      OpId id = work_.back();
      work_.pop_back();
      visit(id);
    }
  }
  bool operator[](OpId id) const { return live_[id.index]; }

 private:
  void mark(OpId id) {
    if (!id || live_[id.index]) return;
    live_[id.index] = true;
    work_.push_back(id);
  }
  void use(Expr e) {
    for (ValueId v : value_leaves(e)) mark(b_.value(v).op);
  }
  void visit(OpId id) {
    const Op& op = b_.op(id);
    mark(b_.region(op.parent).parent);
    for (ValueId v : op.operands) {
      mark(b_.value(v).op);
      if (auto seen = stores_.find(v); seen != stores_.end())
        for (OpId store : seen->second) mark(store);
    }
    for (const auto& [key, attr] : op.attrs.all()) {
      if (auto* e = std::get_if<Expr>(&attr)) use(*e);
      if (auto* list = std::get_if<ExprList>(&attr))
        for (Expr e : *list) use(e);
    }
    for (RegionId r : op.regions) mark(b_.region(r).ops.back());
    for (OpId exit : exits_[id.index]) mark(exit);
  }

  const Body& b_;
  std::vector<bool> live_;
  std::vector<std::vector<OpId>> exits_;  // of each loop
  std::vector<OpId> work_;
  std::unordered_map<ValueId, std::vector<OpId>> stores_;  // to a buffer
};

}  // namespace

PhysicalPtr drop_dead_values(const PhysicalProgram& program, proof::Ledger&) {
  Liveness live(program);
  return copy_without(program, [&](OpId id) { return live[id]; });
}

}  // namespace kir::lowering
