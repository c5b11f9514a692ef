// Obligations: closed formulas that must be valid, each with the sentence a person reads.
//
// hypotheses => goal, free symbols and variables universally quantified over the mathematical integers (and booleans).
// An obligation is PROVED only by a decision procedure (smt/); `preset` marks what no formula can express (an operation the
// validator does not know, an effect without a partner): it can only be a failure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/source.h"
#include "core/index/expr.h"
#include "proof/law.h"

namespace kir::proof {

enum class ObligationKind : std::uint8_t {
  kir_safe,
  kir_race_free,
  access_bounds,
  index_no_overflow,
  view_injective,
  alias_case,
  launch_extent,
  segment_partition,
  decode_bijection,
  ownership_disjoint,
  read_write_independence,
  coverage,
  effect_paired,
  relation_equal,
  predicate_subset,
  value_equal,
  order_kept,
  load_stable,
  loop_matched,
  initialization,
  inactive_unused,
  combine_laws,
  licence_refines,
  segment_independence,
  layout_admissible,
  layout_injective,
  layout_covering,
  replica_consistent,
  replica_once,
  swizzle_bijective,
  barrier_separation,
  uniform,
  async_complete,
  atomic_scope,
  alignment,
  readonly_path,
  workspace_fits,
  resource_limit,
  precondition_implied,
  reachable,
  assumed,
};
inline constexpr int kObligationKindCount = static_cast<int>(ObligationKind::assumed) + 1;

struct ObligationRow {
  ObligationKind kind;
  std::string_view name;         // "access-bounds"
  std::string_view claim;        // one sentence
  std::string_view requirement;  // ids of requirements.tsv it serves: "K9.12 D4"
  std::string_view derived;      // by which part of the validator, and for what: "R6: each two stores of one memory"
  std::string_view decided;      // by what: "formula over two copies"
};
const ObligationRow& row(ObligationKind kind);
inline std::string_view name(ObligationKind k) { return row(k).name; }
std::string obligations_markdown();  // docs/obligations.md

enum class Verdict : std::uint8_t { proved, refuted, unknown, unsupported, inconsistent, missing };
std::string_view name(Verdict v);  // "PROVED"

// Exit code of one run: 0 only when everything is PROVED; 1 refuted, 5 inconsistent or missing, 4 unsupported, 3 unknown.
// Over several, the first of 1, 2, 5, 4, 3 that occurs.
int exit_code(Verdict v);
int combine_exit_codes(int a, int b);

enum class Side : std::uint8_t { kir, physical, lowering };

struct Obligation {
  ObligationKind kind{};
  std::string key;        // stable identity of the claim: kind, place and what distinguishes it; equal keys, equal claims
  std::string sentence;   // "store to y at softmax.kir:14 stays inside [0, M*N) for every active member"
  Side side = Side::kir;  // which text `range` is of
  SourceRange range;
  std::vector<Expr> hypotheses;  // of the ledger's pool
  Expr goal;
  struct Preset {
    Verdict verdict;  // never proved
    std::string reason;
  };
  std::optional<Preset> preset;
  // With a preset of UNKNOWN: what to run, which refutes the law when the interpreter agrees.
  std::optional<LawWitness> law;
  // A difference that no rule of the validator explains: the goal is `false`, provable only when the path is unreachable. Not
  // proved, it is UNSUPPORTED with this reason unless a replay refutes it.
  std::string otherwise_unsupported;
  // The formula speaks of launch symbols, program ids and loop positions alone (no loaded value, no carried state, no result of
  // an opaque operation), under exactly the conditions of the operation: a model of the negation is an execution that goes
  // wrong. It counts as a point replay where the launch is too large to be run.
  bool concrete = false;
};

// Something taken for granted and not proven: launch preconditions, licences, provider limits, author's assumes.
struct Assumption {
  std::string text;      // "where N >= 1 (checked by the launcher)"
  std::string category;  // "precondition", "licence", "restriction", "assume", "provider", "accuracy"
};

struct Ledger {
  ExprPoolPtr pool = std::make_shared<ExprPool>();
  std::vector<Obligation> obligations;
  std::vector<Assumption> assumptions;

  void add(Obligation o) { obligations.push_back(std::move(o)); }
  void assume(std::string category, std::string text);  // once per text
};

// Does a proof say anything: can its hypotheses hold at all?
enum class Premise : std::uint8_t {
  not_asked,    // no formula, or not proved
  satisfiable,  // at some point
  unreachable,  // proven to hold nowhere: the operation is never executed
  unknown,      // nothing is proved then
};
std::string_view name(Premise p);  // "satisfiable"
std::optional<Premise> premise_named(std::string_view name);

// What the second solver said about a formula that was proved.
enum class CrossCheck : std::uint8_t {
  not_asked,
  agrees,
  undecided,     // it gave up within its resource limit
  contradicted,  // it has a model of the negation
};
std::string_view name(CrossCheck c);  // "agrees"
std::optional<CrossCheck> cross_check_named(std::string_view name);

struct Binding {
  std::string leaf;   // as printed: "N", "m$4"
  std::string value;  // decimal, or true/false
};

// What a decision procedure found.
struct Decision {
  Verdict verdict = Verdict::missing;
  std::string tier;  // "simplifier", "enumeration", "lemma:mixed-radix", "smt", "preset", "execution"
  Premise premise = Premise::not_asked;
  CrossCheck cross_check = CrossCheck::not_asked;
  std::string reason;          // why not proved
  std::uint64_t resource = 0;  // solver resource units used
  std::vector<Binding> model;  // of a refutation candidate
  double milliseconds = 0;     // never part of a verdict or of a certificate
  // A wall clock, or a lack of memory, ended something on the way here, or the second solver failed: resources and cross-check
  // may come out differently next time. Never kept for later runs, never released.
  bool runaway = false;
};

}  // namespace kir::proof
