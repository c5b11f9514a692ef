// Sequences: the canonical form of reductions, loop folds and fragment collectives, as pieces under one combine.
//
// A fold written as loops, splats, masked selects and collectives is expanded into pieces (path, binders, guards, leaf):
//   S1  a reduce contributes its init, then its mapped members
//   S2  a loop carry acc' = op(acc, g) contributes its initial value, then g for each iteration, when g reads no carry;
//       acc' = select(c, op(acc, g), acc) contributes g under c; chains op(op(acc, g1), g2) contribute both in order; a loop
//       inside whose initial value is acc contributes its own steps
//   S3  a leaf with a select is split into its cases
//   S4  a leaf that is itself a fold of the same operation is expanded in place (bracketing changes: needs `tree`)
//   S5  a literal leaf that is neutral for the fold (scalar_ops.h, is_neutral) is dropped and remembered
// Rules S3 to S5 keep the value under the licence recorded in the form; what licence that is, the matcher compares with the
// KIR's. Proofs: docs/validation.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/term.h"

namespace kir::proof {

struct SequencePiece {
  std::vector<Interval> binders;
  std::vector<Expr> guards;
  Path path;
  std::vector<Term> body;  // one term per component
};

struct Sequence {
  Combine combine;
  std::optional<OpKind> op;  // one component, combine is exactly this operation of (accumulator, element)
  DType type = DType::f32;
  std::vector<SequencePiece> pieces;
  Order freedom = Order::strict;  // the licence that the reduces in it declare
  bool bracketed = false;         // some piece was folded on its own before it joined
  std::vector<Scalar> neutral;    // identities declared and literal leaves dropped
  bool always_neutral = false;    // one of these takes part whatever the sizes
  std::string shape;              // the bracketing: equal shapes over equal pieces give equal roundings
  // Of a reduce taken whole (first expansion only):
  std::vector<Scalar> identity;
  bool identity_assumed = false;
  std::vector<Term> init;
};

struct ExpandOptions {
  bool deep = true;              // rule S4
  bool init_as_piece = true;     // a reduce's init becomes a piece; else it is left in `init`
  std::optional<Scalar> init;    // the KIR fold's initial value: decides what is neutral
  std::optional<Sequence> like;  // expand loops as folds of this combine
  bool kernel = false;           // the KIR's side: a licensed fold inside is a value of its own and stays a leaf
};

// Empty when t is no fold (of the wanted operation); *why says the reason.
std::optional<Sequence> expand(Term t, const ExpandOptions& options, TermPool& terms, std::string* why);

// A value that joins a fold of the KIR, by S3 and S5 alone: its cases, a fold below it staying whole. Empty when these are too
// many.
std::optional<Sequence> expand_leaf(Term t, const Sequence& fold, const std::optional<Scalar>& init, TermPool& terms);

// op when the combine is op(accumulator, element) of one component.
std::optional<OpKind> simple_operation(const Combine& c);

}  // namespace kir::proof
