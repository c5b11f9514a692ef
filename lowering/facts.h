// Facts of a kernel that worksets, groups and fusing rest on: def-use, effects, aliasing, launch visibility and the exact
// accesses of a statement with their coordinates. Read from the kernel alone; nothing is decided here.
//
// Expressions live in a pool of the facts' own. Their leaves are symbols, region arguments and data-derived values of the
// kernel: `index` values are expanded, relations are composed, and a tensor's elements are followed into its region.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/index/simplify.h"
#include "core/kir/kernel.h"

namespace kir::lowering {

// One load or store, told as an element of an ABI view or of a buffer.
struct Access {
  OpId op;
  bool write = false;
  std::size_t view = 0;           // index into abi.views; beyond them, of a buffer
  std::vector<Expr> coordinates;  // facts' pool
  bool ordered = false;           // acquires or releases
  OpId site;                      // the operation at which it is executed: op itself, or the `elem` that reads a tensor
};

class KernelFacts {
 public:
  explicit KernelFacts(const Kernel& kernel);

  const Kernel& kernel() const { return kernel_; }
  const Body& body() const { return kernel_.body; }
  ExprPool& pool() const { return pool_; }

  // An expression or integer value of the kernel with `index` values expanded.
  Expr expand(Expr e) const;
  Expr expand(ValueId v) const;
  // Can the launcher compute it: does the expanded expression use symbols only?
  static bool launch_visible(Expr expanded);
  // Is the expanded expression at least 0 because it is an extent of a view?
  bool is_extent(Expr expanded) const { return extents_.contains(expanded); }

  // Does the launch-visible condition follow from the preconditions?
  bool holds(Expr condition) const;
  bool never_negative(Expr expanded) const;

  // Does the operation, or one nested in it, write memory?
  bool has_effect(OpId op) const { return effect_[op.index]; }
  // A pure operation that costs nothing to repeat: no memory read, no loop, no tensor.
  bool is_free(OpId op) const;
  // How often the value is an operand or stands in an expression.
  int uses(ValueId v) const { return uses_[v.index]; }
  bool is_used(ValueId v) const { return uses_[v.index] > 0; }

  // The operation makes elements that a program has to keep in memory: a buffer, what a loop collects, the elements of scans,
  // and a tensor that cannot be read again where it is used.
  bool keeps(OpId op) const;
  // The elements of the tensor are read at more than one place.
  bool is_read_again(OpId let) const { return reads_[let.index] > 1; }
  // From now on the tensor that `let` makes is kept.
  void keep(OpId let);
  // Values used by the operation or inside it and defined outside it.
  const std::vector<ValueId>& captures(OpId op) const;
  // The operation of `region` in which `op` lies (itself or nested), if any.
  OpId ancestor_in(OpId op, RegionId region) const;
  std::size_t position(OpId op) const { return position_[op.index]; }  // within its region

  // Loads and stores executed by the operation, tensors read at its `elem`s included. Empty when the budget of
  // kMaxInlined operations was exceeded (see too_large).
  const std::vector<Access>& accesses(OpId op) const;
  OpId too_large() const { return too_large_; }  // where it was exceeded first, if anywhere
  static constexpr std::size_t kMaxInlined = 1u << 16;

  // Two views that may name one element: equal, or joined by alias facts (taken as transitive).
  bool may_alias(std::size_t view_a, std::size_t view_b) const { return alias_class_[view_a] == alias_class_[view_b]; }

  // The kernel's order of the two may matter: elements that may be one, one of the accesses writing, or one of them orders all.
  bool is_order_kept(const Access& x, const Access& y) const {
    return x.ordered || y.ordered || ((x.write || y.write) && may_alias(x.view, y.view));
  }

  // The buffer behind a view number beyond those of the ABI, and a view's name.
  OpId buffer(std::size_t view) const;
  std::string view_name(std::size_t view) const;
  std::optional<std::size_t> view_number(ValueId base) const;

  // Launch-visible bounds of an expanded expression, where its leaves have some: lo <= e <= hi. Empty: none known.
  struct Bounds {
    Expr lo, hi;
  };
  Bounds bounds(Expr expanded) const;

  // "softmax.kir:6:3", for explanations.
  std::string where(OpId op) const;
  std::string text(Expr e) const;  // with the kernel's names
  std::string name(ValueId v) const;

 private:
  class Walk;
  const Kernel& kernel_;
  mutable ExprPool pool_;
  mutable std::unordered_map<ValueId, Expr> expanded_;
  mutable std::unordered_map<OpId, std::vector<Access>> accesses_;
  mutable std::unordered_map<OpId, std::vector<ValueId>> captures_;
  mutable OpId too_large_;
  std::unordered_set<Expr> extents_;
  std::unique_ptr<Facts> preconditions_;  // of the launch
  std::unordered_map<ValueId, std::size_t> buffer_number_;
  std::vector<OpId> buffers_;
  std::unordered_set<OpId> kept_;
  std::vector<int> uses_;
  std::vector<int> reads_;  // of a tensor: operands of operations that read elements
  std::vector<bool> effect_;
  std::vector<std::size_t> position_;
  std::vector<std::size_t> alias_class_;
};

// The coordinate with position 0 for the argument `axis`, when it is that plus one launch-visible integer; else empty.
Expr along_axis(const KernelFacts& facts, Expr coordinate, ValueId axis);

// Every region argument of a parallel is one axis; do both accesses touch one element only when they agree in the axis whose
// argument is `a` for the first and `b` for the second? Yes when some dimension of both is axis + c with one
// launch-visible c.
bool pinned_by_axis(const KernelFacts& facts, const Access& x, ValueId a, const Access& y, ValueId b);

}  // namespace kir::lowering
