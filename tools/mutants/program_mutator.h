// The mutants of a physical program.
#pragma once

#include "tools/mutants/mutator.h"

namespace kir::mutants {

class ProgramMutator : public Mutator {
 public:
  explicit ProgramMutator(const PhysicalProgram& p) : Mutator({p.body, p.abi, *p.pool, p.workspace, p.source, p.root}), p_(p) {}
  std::vector<Mutant> run();

 private:
  Mutant copy(const lowering::Edit& edit) const override;
  Mutant copy_abi(const std::function<void(Abi&, ExprPool&)>& change) const override;
  std::string print() const override;
  std::optional<Mutant> read(std::string text) const override;
  std::string value_text(const std::string& name) const override { return "%" + name; }
  std::string definition_text(const std::string& name) const override { return "%" + name; }
  Form form() const override { return Form::physical; }

  // mutate_launch.cpp: outside of the groups
  using Change = std::function<void(PhysicalProgram&)>;
  void add(const Damage& d, std::string where, const Change& change);
  PhysicalPtr changed(const Change& change) const;
  void missing_parts();
  void definitions();
  void segment(std::size_t g);
  void launch();
  void arm(std::size_t a);

  const PhysicalProgram& p_;
};

}  // namespace kir::mutants
