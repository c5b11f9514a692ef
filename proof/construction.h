// The construction verifier: what a physical program has to be, in sixteen numbered checks. Each is decided by structural rules
// (core/ir/verify.cpp, verify_program.cpp), by obligations, or by both. A rule belongs to checks by the table in
// construction.cpp, a kind of obligation by the requirements in its row (obligation.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/ir/op_table.h"
#include "proof/obligation.h"

namespace kir::proof {

struct ConstructionCheck {
  std::string_view id;         // "K9.1", its requirement
  std::string_view statement;  // one sentence
  std::string_view rules;      // "V-21 W-05"
  // The families whose operations have to have all of their parts for this check: operands, results, regions and what these
  // take and hand on, attributes (part_rules).
  std::span<const Family> parts;
  std::string_view parts_of;  // these families in words
};
std::span<const ConstructionCheck> construction_checks();

std::string_view part_rules();  // of every operation: "V-10 V-11"
// Does breaking the rule fail the check? `operation` as in a diagnostic: that of a part rule; "" when none breaks it.
bool has_rule(const ConstructionCheck& check, std::string_view rule, std::string_view operation);
bool has_kind(const ConstructionCheck& check, ObligationKind kind);

// What belongs to no check, and why.
struct BesideChecks {
  std::string_view what;  // rules, or the name of a kind
  std::string_view why;
};
std::span<const BesideChecks> beside_checks();

std::string checks_markdown();  // the table in docs/construction.md

// What became of one check.
struct CheckResult {
  const ConstructionCheck* check = nullptr;
  std::vector<std::size_t> broken;    // structural rules: indices into the diagnostics
  std::size_t obligations = 0;        // of the program and its kernel
  std::vector<std::size_t> failures;  // of them not PROVED: indices into the ledger
  // REFUTED when a rule is broken, else the worst of its obligations. MISSING when nothing fails, but not all that the check
  // asks for was asked: the structure is broken elsewhere, or the derivation gave up.
  Verdict verdict = Verdict::proved;
  bool failed() const { return !broken.empty() || !failures.empty(); }
  std::string text() const;  // "PROVED", "MALFORMED by V-19", "holds by its rules"
  std::string rule;          // the first broken one
};

// One result for each check, in order. `decisions` are those of the ledger, none where nothing was derived.
std::vector<CheckResult> check_results(const Diagnostics& structure, const Ledger& ledger,
                                       const std::vector<Decision>& decisions);
// | check | verdict | obligations | proved | statement |, aligned for a terminal.
std::string check_table(const std::vector<CheckResult>& results);

}  // namespace kir::proof
