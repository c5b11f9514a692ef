#include "proof/obligation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"

namespace kir::proof {
namespace {

using K = ObligationKind;

// docs/obligations.md is made from this table.
constexpr std::array kRows = {
    ObligationRow{
        K::kir_safe, "kir-safe",
        "the KIR itself is not erroneous: indices in bounds, no division by zero, no signed minimum / -1, conversions in "
        "range, no reduction over no member without an initial value or identity, every assume holds",
        "K9.12 D4", "derive_kir, derive_reads: each access, index, division, conversion, fold and assume of the kernel",
        "formula"},
    ObligationRow{K::kir_race_free, "kir-race-free",
                  "no two instances of a parallel conflict: they never access one address plainly with one of them writing",
                  "K2.2 K2.3 K9.4 D4", "derive_kir: each two accesses of one memory by members of one parallel",
                  "formula over two copies"},
    ObligationRow{K::access_bounds, "access-bounds",
                  "each coordinate of each active member of each access is inside its resource", "K9.12 D4",
                  "denote_memory: each access of the program and axis", "formula"},
    ObligationRow{K::index_no_overflow, "index-no-overflow",
                  "each intermediate and cast of a fixed-width index computation fits its type", "K9.13 D4",
                  "denote: each node of each index expression of the program", "formula"},
    ObligationRow{K::view_injective, "view-injective", "different coordinates of a written view are different addresses",
                  "K9.2 D4", "derive_kir: each view that is written", "formula over two copies"},
    ObligationRow{K::alias_case, "alias-case", "the claim holds in each case that may_alias allows: disjoint and identical",
                  "K1.2 K9.3", "derive_kir: each case that may_alias allows", "formula, in each case"},
    ObligationRow{K::launch_extent, "launch-extent",
                  "a segment's length is the product of its extents, each at least 0, from launch-visible values only",
                  "K4.2 K9.10", "denote: each definition; lowering claims it", "formula"},
    ObligationRow{K::segment_partition, "segment-partition",
                  "each id of the program space belongs to exactly one segment, and a padding id to none: it has no effect",
                  "K4.3 K4.4 K9.1", "R4 (derive_launch): each two arms of the dispatch, each segment; lowering claims it",
                  "formula"},
    ObligationRow{K::decode_bijection, "decode-bijection",
                  "flattening and decoding a segment's coordinates are inverse to each other: both round trips and the ranges",
                  "K4.1 K4.4 K9.2", "denote: the coordinates that an arm decodes; lowering claims it", "formula"},
    ObligationRow{K::ownership_disjoint, "ownership-disjoint",
                  "two instances never write one element without atomic or reduction semantics", "K2.4 K9.2 K9.4 D4",
                  "R6 (derive_refinement): each two stores of the program to one memory", "formula over two copies"},
    ObligationRow{K::read_write_independence, "read-write-independence",
                  "no instance plainly accesses what another instance may write", "K2.2 K9.3 K9.4",
                  "R6: each store and load of the program of one memory", "formula over two copies"},
    ObligationRow{K::coverage, "coverage", "each effect of the KIR happens in exactly one physical slice", "K9.1 K9.2 K9.10",
                  "M8 (match_pieces): each store of the kernel; lowering claims it", "formula over a proposed inverse"},
    ObligationRow{K::effect_paired, "effect-paired",
                  "each physical effect on an external view is paired with one effect of the KIR", "K9.1",
                  "M8, R5: each effect without a partner", "structure; never proved unless it is unreachable"},
    ObligationRow{K::relation_equal, "relation-equal",
                  "the physical access relation composed with the instance map equals the KIR's relation", "K7.9 K9.13",
                  "M8, R5: coordinates of each pair of accesses; lowering claims it", "formula"},
    ObligationRow{
        K::predicate_subset, "predicate-subset",
        "a narrowed member set implies the original one, and what was dropped has no effect or contributes the neutral element",
        "K9.14 D4", "M8: active members of each pair; lowering claims it", "formula"},
    ObligationRow{K::value_equal, "value-equal", "the value that is written is the value the KIR defines", "K1.7 K9.1",
                  "M1 to M9 (match): the values of each pair of stores",
                  "rules of the matcher, formulas for what they leave open"},
    ObligationRow{K::order_kept, "order-kept", "effects and combinations that the KIR orders stay in that order", "K1.7 K9.3",
                  "R7, R12: each two effects that the kernel orders", "formula over two copies"},
    ObligationRow{K::load_stable, "load-stable", "a load that stands for memory at launch is not overtaken by a write",
                  "K9.3 K9.6", "R8, the rules of buffers: each load of memory that is written", "formula over two copies"},
    ObligationRow{K::loop_matched, "loop-matched", "a physical loop ends when its KIR loop ends", "K4.6 K7.11 K9.10",
                  "R11, M5: each loop of the program that may not end", "rules of the matcher, formulas for trip counts"},
    ObligationRow{K::initialization, "initialization",
                  "a full initial value is applied once per instance, and reads that reach an effect follow a write",
                  "K5.2 K9.6 K9.11", "derive_reads, denote_buffer: each read of an out view or a buffer",
                  "formula over a proposed store"},
    ObligationRow{K::inactive_unused, "inactive-unused",
                  "what a masked load without a fill gives beside its active members decides, bounds and addresses nothing",
                  "K9.5", "derive_reads: each masked load without a fill", "formula"},
    ObligationRow{K::combine_laws, "combine-laws",
                  "the identity, associativity and commutativity that a step uses are licensed or hold for the exact type",
                  "K7.12 K9.7", "derive_laws, M7: each fold, its identity and licence",
                  "exhaustive tables, ring polynomials, formula"},
    ObligationRow{K::licence_refines, "licence-refines", "the physical schedule stays inside the order licence of the KIR",
                  "K1.7 K9.7", "M9 (match_schedule): each schedule of a fold", "formula"},
    ObligationRow{K::segment_independence, "segment-independence",
                  "a region fold or scan has a value, which depends on neither the identity nor the extent of its segments",
                  "K9.8", "derive_laws: each fold and scan over segments", "ring polynomials, structure"},
    ObligationRow{K::layout_admissible, "layout-admissible", "a layout's extents multiply to the size of its shape",
                  "K9.9 L1.4", "R9 (derive_launch): each layout and shape of a fragment, beside the structural rule W-08",
                  "formula"},
    ObligationRow{K::layout_injective, "layout-injective",
                  "a layout maps different elements to different places, copies included, and layouts in one resource have "
                  "none in common",
                  "K9.2 L3.2 D4", "R9 (derive_launch): each layout of the program; smt/layout for whoever asks",
                  "refuted by core/layout, with the pair that meets; formula over differences of digits"},
    ObligationRow{K::layout_covering, "layout-covering", "a layout covers its resource", "K9.2 L3.2",
                  "smt/layout for whoever asks; no construct of a program asks for a layout that covers",
                  "core/layout: strides that leave no gap, search of the places; formula"},
    ObligationRow{K::replica_consistent, "replica-consistent",
                  "all replicas of an element hold one value, each in a place of its own", "K9.2 L3.2",
                  "R9 (derive_launch): each layout with replicas; a fragment is one value for each element, so the places are "
                  "what is owed",
                  "refuted by core/layout, with the copies that meet; formula over differences of digits"},
    ObligationRow{K::replica_once, "replica-once", "an effect of a replicated value happens once", "K9.1 L3.2",
                  "none: by the meaning of a program the first copy of an element stores it (docs/physical.md)", "not asked"},
    ObligationRow{K::swizzle_bijective, "swizzle-bijective",
                  "a swizzle permutes the address space that it is applied to, base alignment included", "K9.2 L2.1",
                  "smt/layout for whoever asks; no construct of a program has a swizzle",
                  "core/layout: F2 rank, all addresses of a period; lemma f2-rank"},
    ObligationRow{K::barrier_separation, "barrier-separation",
                  "conflicting accesses of different threads of a program are separated by a barrier", "K9.4",
                  "R6: each two accesses of different threads of an instance", "formula over two copies"},
    ObligationRow{K::uniform, "uniform", "barriers, shuffles and collectives are reached by all threads together", "K6.2 K9.4",
                  "none: no construct has a barrier, and a condition of control flow is one value for all threads",
                  "not asked"},
    ObligationRow{K::async_complete, "async-complete", "a read of asynchronously copied data follows the matching wait", "K9.6",
                  "none: no construct copies asynchronously", "not asked"},
    ObligationRow{K::atomic_scope, "atomic-scope", "the provider's scope covers the logical sharing domain", "K5.6 K9.15",
                  "R12: each atomic of the program", "formula where the scope is cta"},
    ObligationRow{K::alignment, "alignment", "a vector access is aligned, from launch preconditions and strides", "K9.12",
                  "R10 (derive_launch): each view that the program wants aligned", "structure"},
    ObligationRow{K::readonly_path, "readonly-path", "what is read through the read-only path is not written in the launch",
                  "K9.3", "none: no construct reads through the read-only path", "not asked"},
    ObligationRow{K::workspace_fits, "workspace-fits", "workspace and shared memory fit what the launcher grants", "K5.8 K9.11",
                  "R10, denote_buffer: each buffer of the workspace", "formula"},
    ObligationRow{K::resource_limit, "resource-limit", "threads, blocks and memory stay inside the provider's limits",
                  "K4.2 K9.10", "R10: each definition; the threads of a block", "formula; structure"},
    ObligationRow{K::precondition_implied, "precondition-implied",
                  "each precondition that the physical program states follows from the KIR's", "K1.2 K9.1",
                  "derive_launch: each range, relation, data precondition and assume of the program", "formula"},
    ObligationRow{K::reachable, "reachable", "the path condition is satisfiable, or proven to be unreachable", "D4",
                  "smt: the launch that must exist; the premise of each proof", "a point, or a proof that there is none"},
    ObligationRow{K::assumed, "assumed",
                  "assume_in_bounds and the launch and data preconditions: listed and counted, never counted as proven",
                  "K9.12", "listed as assumptions of the certificate", "never decided"},
};

constexpr bool complete() {
  if (kRows.size() != static_cast<std::size_t>(kObligationKindCount)) return false;
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].kind) != i || kRows[i].name.empty() || kRows[i].claim.empty() ||
        kRows[i].requirement.empty() || kRows[i].derived.empty() || kRows[i].decided.empty())
      return false;
  return true;
}
static_assert(complete(), "one row per obligation kind, in the order of the enumeration");

constexpr std::array kExitOrder = {1, 2, 5, 4, 3};

}  // namespace

const ObligationRow& row(ObligationKind kind) {
  auto i = static_cast<std::size_t>(kind);
  KIR_CHECK(i < kRows.size(), "obligation kind {}", i);
  return kRows[i];
}

std::string obligations_markdown() {
  std::string text =
      "# Obligations\n\n"
      "Made by `kir-validate --list-obligations` from the table in `proof/obligation.cpp`.\n\n"
      "The claims are about all launches that satisfy the kernel's preconditions. *Formula*: hypotheses imply a goal; the "
      "tiers\n"
      "of `smt/` decide it. Rules with numbers stand in [validation.md](validation.md).\n\n"
      "| kind | claim | derived by | decided by | requirements |\n|---|---|---|---|---|\n";
  for (const ObligationRow& r : kRows)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", r.name, r.claim, r.derived, r.decided, r.requirement);
  return text;
}

std::string_view name(Verdict v) {
  switch (v) {
    case Verdict::proved: return "PROVED";
    case Verdict::refuted: return "REFUTED";
    case Verdict::unknown: return "UNKNOWN";
    case Verdict::unsupported: return "UNSUPPORTED";
    case Verdict::inconsistent: return "INCONSISTENT";
    case Verdict::missing: return "MISSING";
  }
  KIR_UNREACHABLE("verdict {}", static_cast<int>(v));
}

namespace {

constexpr std::array<std::string_view, 4> kPremises = {"not asked", "satisfiable", "unreachable", "unknown"};
constexpr std::array<std::string_view, 4> kCrossChecks = {"not asked", "agrees", "undecided", "contradicted"};
static_assert(kPremises.size() == static_cast<std::size_t>(Premise::unknown) + 1);
static_assert(kCrossChecks.size() == static_cast<std::size_t>(CrossCheck::contradicted) + 1);

template <class T>
std::optional<T> named(std::string_view name, const auto& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<T>(i);
  return {};
}

}  // namespace

std::string_view name(Premise p) { return kPremises.at(static_cast<std::size_t>(p)); }
std::string_view name(CrossCheck c) { return kCrossChecks.at(static_cast<std::size_t>(c)); }
std::optional<Premise> premise_named(std::string_view name) { return named<Premise>(name, kPremises); }
std::optional<CrossCheck> cross_check_named(std::string_view name) { return named<CrossCheck>(name, kCrossChecks); }

int exit_code(Verdict v) {
  switch (v) {
    case Verdict::proved: return 0;
    case Verdict::refuted: return 1;
    case Verdict::unknown: return 3;
    case Verdict::unsupported: return 4;
    case Verdict::inconsistent: return 5;
    case Verdict::missing: return 5;
  }
  KIR_UNREACHABLE("verdict {}", static_cast<int>(v));
}

int combine_exit_codes(int a, int b) {
  for (int code : kExitOrder)
    if (a == code || b == code) return code;
  return std::max(a, b);
}

void Ledger::assume(std::string category, std::string text) {
  for (const Assumption& a : assumptions)
    if (a.text == text && a.category == category) return;
  assumptions.push_back({.text = std::move(text), .category = std::move(category)});
}

}  // namespace kir::proof
