// Helpers of the derivations (derive_kir.cpp, derive_refinement.cpp).
#pragma once

#include <string>
#include <vector>

#include "proof/denote.h"

namespace kir::proof {

// `sizes`: what the launcher checked about the byte sizes of views; hypotheses of index-no-overflow only.
void add_claims(const std::vector<Claim>& claims, const std::vector<Expr>& base, const std::vector<Expr>& equations, Side side,
                const std::vector<Expr>& sizes, const std::string& prefix, const std::string& note, const TermPool& terms,
                Ledger& ledger);

// An event with its binders from `keep` on renamed: the second copy of a two-copy obligation.
struct EventCopy {
  std::vector<Binder> binders;
  std::vector<Expr> guards, coordinates, allocation;
  Expr thread;
  Path path;
};
EventCopy copy(const Event& e, std::size_t keep, TermPool& terms);

Obligation obligation(Side side, ObligationKind kind, std::string key, std::string sentence, SourceRange range);

// Reads of `out` elements: some store of an earlier point writes the element; the store's point is solved for.
void initialized_reads(const Denotation& d, Side side, const std::string& prefix, TermPool& terms, Ledger& ledger);
// Ways from arbitrary values (masked loads without a fill) to what decides, and to what is stored, must be contradictory.
void decided_uses(const Denotation& d, Side side, const std::string& prefix, TermPool& terms, Ledger& ledger);
void decided_stores(const Denotation& d, const std::string& prefix, TermPool& terms, Ledger& ledger);

// The laws of each reduce of the kernel (combine-laws), and the licences that are taken on the author's word.
void reduce_laws(const Kernel& kernel, const Denotation& d, TermPool& terms, const std::string& prefix, Ledger& ledger);

void append(std::vector<Expr>& to, const std::vector<Expr>& more);

}  // namespace kir::proof
