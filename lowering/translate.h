// Translation of one group's statements into physical operations: real SSA rewriting, one file for each operation family
// (construct_<family>.cpp). Index values become i64, relations and tensors become coordinates, parallels become instance
// axes or ordered loops, everything else keeps its structure.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/ir/body.h"
#include "lowering/claims.h"
#include "lowering/facts.h"
#include "lowering/group.h"

namespace kir::lowering {

class Translator {
 public:
  // `root` maps the kernel's root arguments to those of the program.
  Translator(const KernelFacts& facts, BodyBuilder& builder, ExprPool& pool, Claims& claims, Diagnostics& diagnostics,
             std::unordered_map<ValueId, ValueId> root, std::set<std::string> reserved);

  // The region of group number `index`, complete with its arguments and terminator.
  RegionId group(std::size_t index, const GroupPlan& plan);

 private:
  void op(OpId id);
  void ops(const Region& region);  // without the terminator

  // construct_pointwise.cpp
  void pointwise(OpId id);
  void index(OpId id);
  void convert(OpId id);
  void part(OpId id);
  // construct_memory.cpp
  void load(OpId id);
  void store(OpId id);
  void assume_in_bounds(OpId id);
  void atomic(OpId id);
  AtomicScope scope_of(Sharing sharing) const;
  struct Element {
    ValueId view;  // physical
    std::string name;
    std::vector<ValueId> coordinates;  // physical
    std::vector<Expr> spec;            // claims' pool
  };
  struct Coordinates {
    std::vector<Expr> physical;  // program's pool
    std::vector<Expr> spec;      // claims' pool
  };
  Coordinates coordinates(std::span<const ValueId> kir);
  Element element(OpId id, ValueId view, Coordinates at, bool masked);
  // construct_tensor.cpp
  void elem(OpId id);
  // The element of a tensor.
  struct TensorElement {
    ValueId value;          // physical
    bool computed = false;  // where it is read; else it stands for itself
    Expr meaning;           // of a computed truth value; claims' pool
  };
  TensorElement element_of(ValueId tensor, Coordinates at, OpId origin, const std::string& name);
  TensorElement element_of_source(ValueId source, Coordinates at, OpId origin);  // of a view or tensor
  TensorElement compute(OpId made, Coordinates at, OpId origin);
  TensorElement read_iota(OpId iota, const Coordinates& at, OpId origin);
  TensorElement read_concat(OpId id, Coordinates at, std::size_t first, std::size_t last);
  TensorElement read_contract(const Op& contract, OpId id, const Coordinates& at);
  void enter_element(RegionId region, const Coordinates& at, OpId id);
  // construct_update.cpp
  void update(OpId id);  // scatter, histogram
  void member(OpId id);
  // construct_buffer.cpp
  // Memory for the elements of a buffer or tensor, which `kir` stands for from now on; with a region that gives their initial
  // values, or without.
  ValueId allocate(ValueId kir, OpId origin, std::vector<RegionId> initial);
  void buffer(OpId id);
  void own_slice(const SharedBuffer& shared);
  void kept(OpId id);  // an operation whose elements are else computed where they are read
  void collecting_loop(OpId id);
  void scan(OpId id);
  void store_element(ValueId kir, std::span<const ValueId> variables, std::span<const Expr> lows, ValueId element, OpId origin);
  // construct_region.cpp
  void region_fold(OpId id);
  void region_scan(OpId id);
  void copy_slice(ValueId result, ValueId slice, ValueId lo, Expr begin, OpId origin);
  // construct_control.cpp
  void parallel(OpId id);
  void members(OpId id, const std::function<void()>& body);  // loops over the axes that are no instance axes
  // Loops that are open around what is emitted now, outermost first. A loop runs over a variable of a kernel's region.
  struct OpenLoop {
    RegionId region;
    ExprList range;
  };
  void open_loop(std::vector<OpenLoop>& loops, ValueId variable, ExprList range);
  void close_loops(std::vector<OpenLoop>& loops, OpId origin);
  void structured(OpId id);  // for, while, if: regions keep their shape
  void assume(OpId id);
  RegionId mirror(RegionId region);
  RegionId open_mirror(RegionId region);  // its arguments; to be filled and closed
  void close_mirror(RegionId region);
  // The operation over translated regions, for `count` results from number `first` on.
  void finish(OpId id, std::vector<ValueId> operands, Attrs attrs, std::vector<RegionId> regions, std::size_t first,
              std::size_t count);
  void terminator(OpId id);
  // An operation of the same kind with translated operands, attributes and types.
  OpId emit_like(OpId id, std::vector<RegionId> regions = {});
  Attrs attributes(const Op& op);
  Type type(const Type& t) const;
  ValueId value(ValueId kir) const;
  std::vector<ValueId> values(std::span<const ValueId> kir) const;
  Expr expr(Expr kir);
  // The value of an integer expression of the program's pool: itself when it is one, else a new `index`.
  ValueId materialise(Expr e, OpId origin, const std::string& name = "at");
  void bind(ValueId kir, ValueId physical);  // and tells the claims that they are one
  void bind_results(std::span<const ValueId> kir, OpId physical);
  void bind_results(OpId kir, OpId physical) { bind_results(b_.op(kir).results, physical); }

  std::string fresh_name(const std::string& wanted);
  void enter(RegionId r);
  void leave();

  const KernelFacts& facts_;
  const Kernel& kernel_;
  const Body& b_;
  BodyBuilder& builder_;
  ExprPool& pool_;
  Claims& claims_;
  Diagnostics& diagnostics_;
  std::unordered_map<ValueId, ValueId> map_;
  const Workset* workset_ = nullptr;              // of the group
  bool one_instance_ = false;                     // it has no instance axis
  std::unordered_map<ValueId, ValueId> axis_of_;  // parallel arguments that are instance axes
  std::vector<std::set<std::string>> scopes_;
  // For each scope the elements of tensors that were computed in it: the tensor, and the coordinates with their meanings.
  std::vector<std::map<std::pair<ValueId, std::vector<Expr>>, TensorElement>> elements_{1};
  // What loops collect and scans give that is a segment's slice and nothing else: it is stored to its place among the results.
  struct SlicePlace {
    ValueId result;  // the kernel's
    Expr lo, begin;  // the slice's first axis begins at lo, that of the result at begin
  };
  std::unordered_map<ValueId, SlicePlace> places_;
  int repeats_ = 0;  // regions around that run repeatedly
  int alike_ = 0;    // computations around that also stand elsewhere and must give the same
};

}  // namespace kir::lowering
