// The lemma library: facts of integer arithmetic that tiled, grouped, persistent and ragged programs lean on. Each is a closed
// formula over the integers, proven once for all (by the tiers themselves, or on paper where no solver gets through) and
// evaluated at every point of a small box by the tests. docs/lemmas.md is made from the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/simplify.h"
#include "smt/problem.h"

namespace kir::smt {

struct Lemma {
  std::string_view name;       // "grouped-order"
  std::string_view supposes;   // in the text form of core/index/parse_expr.h, over symbols
  std::string_view concludes;  // likewise
  std::string_view used;       // where it takes part in a decision
  std::string_view proof;      // on paper; "" where the tiers prove it
};
std::span<const Lemma> lemmas();
std::string lemmas_markdown();

// The lemma as an obligation of `pool`, for whoever wants it proven again.
proof::Obligation obligation_of(const Lemma& lemma, ExprPool& pool);

// An instance that the hypotheses imply: its suppositions were shown from `facts`, which are the problem's hypotheses.
struct LemmaInstance {
  std::string_view lemma;
  Expr fact;  // boolean, of the problem's pool
};

// Instances of the lemmas that no rule of the simplifier applies by itself, at the terms of the problem. Grows the pool.
// O(minima * divisions of the problem) questions to the facts.
std::vector<LemmaInstance> lemma_instances(const Problem& problem, Facts& facts);

}  // namespace kir::smt
