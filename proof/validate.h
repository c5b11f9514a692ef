// The independent validator: derives, from the KIR (and the physical program) alone, the complete set of obligations whose
// validity implies the claim of docs/validation.md. It decides nothing itself (smt/ does) and never saw the compiler.
#pragma once

#include "core/kir/kernel.h"
#include "core/pir/program.h"
#include "proof/obligation.h"

namespace kir::proof {

struct DeriveOptions {
  // Restrictions that the physical program states beyond the KIR (dims ranges, where) become listed assumptions instead of
  // precondition-implied goals.
  bool allow_restrictions = false;
};

// The KIR's own obligations: kir-safe, kir-race-free, view-injective, combine-laws.
void derive_kir(const Kernel& kernel, Ledger& ledger);

// The refinement obligations of program against kernel.
void derive_refinement(const Kernel& kernel, const PhysicalProgram& program, const DeriveOptions& options, Ledger& ledger);

}  // namespace kir::proof
