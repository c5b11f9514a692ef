// The refinement obligations of one alias case (derive_refinement.cpp says which): launch and ABI in derive_launch.cpp, effects
// in derive_refinement.cpp.
#pragma once

#include <fmt/format.h>

#include "proof/derive.h"
#include "proof/match.h"
#include "proof/validate.h"

namespace kir::proof {

class Refinement {
 public:
  Refinement(const Kernel& kernel, const PhysicalProgram& program, const AliasCase& alias, const DeriveOptions& options,
             TermPool& terms, Ledger& ledger)
      : kernel_(kernel),
        program_(program),
        alias_(alias),
        options_(options),
        terms_(terms),
        pool_(terms.exprs()),
        ledger_(ledger),
        prefix_(kernel.id() + (alias.text.empty() ? "" : "/" + alias.text) + "/refine"),
        note_(alias.text.empty() ? "" : " (" + alias.text + ")") {}

  void run();

 private:
  void add(ObligationKind kind, std::string sentence, std::vector<Expr> hypotheses, Expr goal, SourceRange range);
  void preset(ObligationKind kind, Verdict verdict, std::string sentence, std::string reason, SourceRange range);

  void derive();
  bool abi_agrees();    // R1
  void restrictions();  // R2
  void segments();      // R4
  void independence();  // R6
  void atomic_scope(const Event& a, const Event& b, Expr other, std::vector<Expr> meet);
  void lanes(const Event& a, const EventCopy& other, std::vector<Expr> meet);
  void stores();                       // R5, R7, R8
  void termination(Matcher& matcher);  // R11
  void layouts();                      // R9
  void capacity();                     // R10

  const Kernel& kernel_;
  const PhysicalProgram& program_;
  const AliasCase& alias_;
  const DeriveOptions& options_;
  TermPool& terms_;
  ExprPool& pool_;
  Ledger& ledger_;
  std::string prefix_, note_;
  Denotation kir_;
  PhysicalDenotation physical_;
  std::size_t next_ = 0;
};

}  // namespace kir::proof
