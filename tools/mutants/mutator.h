// Makes the mutants of one kernel or program. Each method adds those of one operation or place; what both forms have is
// written once, what differs is how a copy is made and what its text looks like.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "lowering/rewrite.h"
#include "tools/mutants/mutants.h"

namespace kir::mutants {

class Mutator {
 public:
  virtual ~Mutator() = default;

 protected:
  struct Undamaged {
    const Body& body;
    const Abi& abi;
    ExprPool& pool;
    std::span<const ValueId> workspace;
    SourcePtr source;
    RegionId root;
  };
  explicit Mutator(Undamaged from)
      : b_(from.body), abi_(from.abi), pool_(from.pool), workspace_(from.workspace), source_(from.source), root_(from.root) {}

  // A copy with an operation changed, or with other parameters.
  virtual Mutant copy(const lowering::Edit& edit) const = 0;
  virtual Mutant copy_abi(const std::function<void(Abi&, ExprPool&)>& change) const = 0;
  // The undamaged text, printed and read again: its operations have the same ids, and all values have names.
  struct Printed {
    std::string text;
    Mutant undamaged;
    const Body& body() const { return undamaged.program ? undamaged.program->body : undamaged.kernel->body; }
    const Abi& abi() const { return undamaged.program ? undamaged.program->abi : undamaged.kernel->abi; }
  };
  virtual std::string print() const = 0;
  // What the text says; with nothing the text is refused.
  virtual std::optional<Mutant> read(std::string text) const = 0;
  virtual std::string value_text(const std::string& name) const = 0;       // "%v" or "v"
  virtual std::string definition_text(const std::string& name) const = 0;  // "%v" or "let v"
  virtual Form form() const = 0;

  using OpChange = std::function<void(lowering::OpEdit&)>;
  void add(const Damage& d, OpId id, const OpChange& change);
  void keep(const Damage& d, OpId id, std::string where, Mutant m);

  void operations();
  // mutate_abi.cpp
  void parameters();
  void precondition(std::size_t i);
  void data_precondition(std::size_t i);
  void view(std::size_t v);
  void add_abi(const Damage& d, std::string where, const std::function<void(Abi&, ExprPool&)>& change);
  // mutate_values.cpp
  void op(OpId id);
  void pointwise(OpId id, const Op& o);
  void hand_on(OpId id, const Op& o);
  void replace_operand(OpId id, const Op& o, std::size_t i, const Damage& d);
  // mutate_attributes.cpp
  void attributes(OpId id, const Op& o);
  void ranges(OpId id, const ExprList& list);
  void axes(OpId id, const Op& o, const IntList& list);
  void expression(OpId id, Expr e);
  void comparisons(OpId id, Expr e);
  // mutate_memory.cpp
  void access(OpId id, const Op& o);
  void effect(OpId id, const Op& o);
  void load(OpId id, const Op& o);
  void coordinates(OpId id, const Op& o, std::size_t rank, const Damage& d);
  void exchange_with_next(OpId id);
  // mutate_structure.cpp: what the structural verifier has to refuse, and what is left out
  void retype(OpId id, const Op& o);
  void parts(OpId id, const Op& o);
  void leave_out(const Damage& d, OpId id, AttrKey key);
  void branches(OpId id, const Op& o);
  void buffer(OpId id, const Op& o);
  void segments(OpId id, const Op& o);
  // mutate_text.cpp: on the printed form
  void text();
  void shift_coordinates(const Printed& p, OpId id);
  void overtake(const Printed& p, OpId id);
  void rewrite_atomic(const Printed& p, OpId id);
  void round_between(const Printed& p, OpId id);
  void reshape(const Printed& p, std::size_t view);
  void add_text(const Damage& d, OpId id, std::string where, std::string text);

  std::string place(OpId id) const;
  bool inside_segments(OpId id) const;
  bool is_buffer(ValueId view) const;
  bool is_used(const Op& o) const;  // a result of it
  // The nearest other value of the type that is visible before the operation.
  std::optional<ValueId> visible_before(OpId id, const Type& type, ValueId not_this) const;
  // A value of the type that is made before the operation and is not visible there.
  std::optional<ValueId> invisible_before(OpId id, const Type& type) const;

  const Body& b_;
  const Abi& abi_;
  ExprPool& pool_;
  std::span<const ValueId> workspace_;
  SourcePtr source_;
  RegionId root_;
  std::vector<Mutant> out_;
};

// The expression with one operation in it made another: floordiv ceildiv, min max, a sum a difference. Each such expression
// once, in the order of the text.
std::vector<Expr> with_another_operation(Expr e);
// A comparison one off, and made strict or not.
struct OffByOne {
  Expr less, more, other_strictness;  // of two conditions `less` holds more seldom
};
std::optional<OffByOne> off_by_one(Expr comparison);

}  // namespace kir::mutants
