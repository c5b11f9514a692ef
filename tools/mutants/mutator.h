// Makes the mutants of one program. Each method adds those of one operation or place.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "lowering/rewrite.h"
#include "tools/mutants/mutants.h"

namespace kir::mutants {

class Mutator {
 public:
  explicit Mutator(const PhysicalProgram& p) : p_(p), b_(p.body), pool_(*p.pool) {}
  std::vector<Mutant> run();

 private:
  using OpChange = std::function<void(lowering::OpEdit&)>;
  void add(const Damage& d, OpId id, const OpChange& change);
  // A change of what stands outside of the groups.
  void add(const Damage& d, std::string where, const std::function<void(PhysicalProgram&)>& change);

  // mutate_launch.cpp
  void abi();
  void launch();
  void dispatch();
  // mutate_values.cpp
  void op(OpId id);
  void attributes(OpId id, const Op& o);
  void weaken(OpId id, Expr e);
  void loop(OpId id, const Op& o);
  void hand_on(OpId id, const Op& o);
  void replace_operand(OpId id, const Op& o, std::size_t i, const Damage& d);
  // mutate_memory.cpp
  void access(OpId id, const Op& o);
  void store(OpId id, const Op& o);
  void load(OpId id, const Op& o);
  void coordinates(OpId id, const Op& o, std::size_t rank);
  void exchange_with_next(OpId id);
  // mutate_structure.cpp: what the structural verifier has to refuse, and what is left out
  void retype(OpId id, const Op& o);
  void parts(OpId id, const Op& o);
  void leave_out(const Damage& d, OpId id, AttrKey key);
  void buffer(OpId id, const Op& o);
  void segments(OpId id, const Op& o);
  // mutate_text.cpp: on the printed program
  void text();
  void shift_coordinates(const PhysicalProgram& printed, const Op& o);
  void overtake(const PhysicalProgram& printed, OpId id);
  void make_plain(const PhysicalProgram& printed, const Op& o);
  void add_text(const Damage& d, const Op& o, std::string text);

  std::string place(OpId id) const;
  bool inside_segments(OpId id) const;
  bool is_buffer(ValueId view) const;
  // The nearest other value of the type that is visible before the operation.
  std::optional<ValueId> visible_before(OpId id, const Type& type, ValueId not_this) const;
  // A value of the type that is made before the operation and is not visible there.
  std::optional<ValueId> invisible_before(OpId id, const Type& type) const;

  const PhysicalProgram& p_;
  const Body& b_;
  ExprPool& pool_;
  std::vector<Mutant> out_;
};

}  // namespace kir::mutants
