// What is known of data: facts that hold for all values of their binders, and the hypotheses that an obligation gets of them.
#pragma once

#include "proof/denote.h"

namespace kir::proof {

// The data preconditions of the kernel's ABI, over the memory classes of this alias case. Those of i1 and u64, whose elements
// count unsigned, are left out: a leaf is the signed value.
std::vector<Fact> data_facts(const Abi& abi, const AliasCase& alias, TermPool& terms);

// To each obligation from this one on, hypotheses about its data leaves: each lies in its type (of u64 a leaf is a number of
// its own), a coordinate that an arg_reduce chose is one of its domain, and each fact holds at the points at which its data is
// a leaf of the obligation. A fact holds at every point, so which points are taken decides only what can be proven.
// O(obligations * facts * leaves^patterns), at most 256 points each.
void know_data(std::size_t from, const std::vector<Fact>& facts, TermPool& terms, Ledger& ledger);

}  // namespace kir::proof
