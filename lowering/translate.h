// Translation of one group's statements into physical operations: real SSA rewriting, one file for each operation family
// (construct_<family>.cpp). Index values become i64, relations and tensors become coordinates, parallels become instance
// axes or ordered loops, everything else keeps its structure.
#pragma once

#include <functional>
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
  // construct_memory.cpp
  void load(OpId id);
  void store(OpId id);
  void atomic(OpId id);
  AtomicScope scope_of(Sharing sharing) const;
  struct Element {
    ValueId view;  // physical
    std::string_view name;
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
  struct Read {
    ValueId value;    // physical
    ValueId yielded;  // the KIR value that it is, if any
  };
  Read element_of(OpId id, ValueId tensor, Coordinates at);
  Read element_of_source(OpId id, ValueId source, Coordinates at);            // a view or tensor
  Read concat(OpId id, Coordinates at, std::size_t first, std::size_t last);  // of these operands
  void enter_element(RegionId region, const Coordinates& at, OpId id);
  // construct_update.cpp
  void update(OpId id);  // scatter, histogram
  void member(OpId id);
  // construct_control.cpp
  void parallel(OpId id);
  void members(OpId id, const std::function<void()>& body);  // loops over the axes that are no instance axes
  void structured(OpId id);                                  // for, while, if: regions keep their shape
  void assume(OpId id);
  RegionId mirror(RegionId region);
  void terminator(OpId id);
  // construct_reduce.cpp
  void reduce(OpId id);

  // An operation of the same kind with translated operands, attributes and types.
  OpId emit_like(OpId id, std::vector<RegionId> regions = {});
  Attrs attributes(const Op& op);
  Type type(const Type& t) const;
  ValueId value(ValueId kir) const;
  std::vector<ValueId> values(std::span<const ValueId> kir) const;
  Expr expr(Expr kir);
  // The value of an integer expression of the program's pool: itself when it is one, else a new `index`.
  ValueId materialise(Expr e, OpId origin);
  void bind(ValueId kir, ValueId physical);  // and tells the claims that they are one
  void bind_results(OpId kir, OpId physical);

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
  bool one_instance_ = false;                     // the group has no instance axis
  std::unordered_map<ValueId, ValueId> axis_of_;  // parallel arguments that are instance axes
  std::vector<std::set<std::string>> scopes_;
};

}  // namespace kir::lowering
