// The checks of the construction verifier. What stands here for the rules, and in obligation.cpp for the kinds of obligations,
// is the only place that says what decides a check; the tests demand that nothing is left out.
//
//   K9.1   effects          each effect of the kernel, with its value, in exactly one physical slice, and no other effect
//   K9.2   ownership        each element and member has one owner, none is left out
//   K9.3   order            what is ordered stays in one instance and in its order
//   K9.4   conflicts        unordered accesses of one element are unique, reductions or atomics
//   K9.5   accesses         coordinates, validity and fill of each access are there
//   K9.6   contents         initial values and first writes of buffers; reads and writes in order
//   K9.7   structure        operands, results, regions and accumulators of structured operations
//   K9.8   segments         regions of folds and scans over segments; no segment is seen from outside
//   K9.9   types            each value has a legal type
//   K9.10  extents          the program space is known at launch; other domains are traversed inside
//   K9.11  buffers          scope, instance, initialization, extent and owner of each buffer
//   K9.12  bounds           each access lies in its resource
//   K9.13  coordinates      each coordinate comes from visible values, and its relation is the kernel's
//   K9.14  members          a narrowed member set is a subset with a predicate, and what is left out is neutral
//   K9.15  atomics          order, sharing, result and scope of each atomic
//   K9.16  self-contained   nothing but the program is needed to run it
#include "proof/construction.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace kir::proof {
namespace {

constexpr std::string_view kPartRules = "V-10 V-11 V-16 V-17 V-30 V-31 W-14";

using F = Family;
constexpr Family kControl[] = {F::control}, kMemory[] = {F::memory}, kRegion[] = {F::region}, kBuffer[] = {F::buffer},
                 kAtomic[] = {F::atomic}, kPointwise[] = {F::pointwise, F::rng},
                 kStructured[] = {F::control, F::reduce, F::scan, F::contract, F::fragment, F::tensor, F::gather, F::histogram};

constexpr ConstructionCheck kChecks[] = {
    {"K9.1",
     "each effect of the kernel is covered by exactly one physical slice, with the kernel's value, and there is no other",
     "V-21 V-29 W-05",
     {},
     ""},
    {"K9.2", "each result and member has one owner; none is left out, none has two", "V-22 W-04", {}, ""},
    {"K9.3", "ordered dependences stay in one instance, in their order", "V-55 V-56", kControl, "control flow"},
    {"K9.4", "unordered conflicts are resolved by unique writers, reductions or atomics", "", {}, ""},
    {"K9.5", "each access has all of its coordinates, its validity and its fill", "V-19 V-20", kMemory, "loads and stores"},
    {"K9.6", "each buffer keeps its initial value or its first write, and its reads and writes their order", "V-35", {}, ""},
    {"K9.7", "each structured operation has all of its operands, results, regions and accumulators",
     "V-45 V-46 V-47 V-48 V-49 V-50 W-11", kStructured, "structured operations"},
    {"K9.8",
     "each fold and scan over segments has its source, summary, identity, combine, apply and emit, and no segment is seen from "
     "outside",
     "V-58 V-59 V-60 V-61 V-62", kRegion, "folds and scans over segments"},
    {"K9.9", "each value has a legal scalar or fragment type", "V-12 V-13 V-14 V-23 V-24 V-25 V-32 V-70 W-07 W-08 W-10 W-12",
     kPointwise, "pointwise operations"},
    {"K9.10",
     "the program space is launch-visible; domains that depend on data are traversed completely inside",
     "W-01 W-02 W-03 W-06",
     {},
     ""},
    {"K9.11", "each buffer has a scope, an instance, an initialization, an extent and one owner", "V-15 V-35 W-13 W-15",
     kBuffer, "buffers"},
    {"K9.12", "each access lies in its resource, by a guard, a verified relation or assume_in_bounds", "V-71", {}, ""},
    {"K9.13",
     "each coordinate has a rank and comes from visible values, and its relation is the kernel's",
     "V-05 V-15 V-18 V-19 V-34 W-09",
     {},
     ""},
    {"K9.14",
     "a narrowed set of members is a subset with a typed predicate, and what is left out is neutral",
     "V-20 V-45",
     {},
     ""},
    {"K9.15", "each atomic keeps its order, sharing and result, and its scope follows from the mapping", "V-36 V-37", kAtomic,
     "atomics"},
    {"K9.16",
     "the program needs neither the kernel nor side records: its text is complete",
     "V-01 V-02 V-03 V-04 V-06 V-07 V-08 V-09 V-33",
     {},
     ""},
};

constexpr BesideChecks kBeside[] = {
    {"V-26 V-27 V-28 V-38 V-39 V-40 V-41 V-57 V-65 V-66 V-67 V-68 V-69",
     "operations of kernels only: a physical program with one breaks V-09"},
    {"V-80 V-81 V-82 V-83 V-84 V-85 V-86 V-87 V-88", "host plans, which no physical program holds"},
    {"reachable", "says that the proofs are about some launch, and nothing of the program"},
};

// Is `word` one of the words of the list?
bool holds(std::string_view list, std::string_view word) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// The derivation did not go on behind it, so that what else is owed is not known.
bool gave_up(const Obligation& o, const Decision& d) {
  return d.verdict != Verdict::proved && (o.preset || !o.otherwise_unsupported.empty());
}

bool asks_for_proofs(const ConstructionCheck& check) {
  for (int i = 0; i < kObligationKindCount; ++i)
    if (has_kind(check, static_cast<ObligationKind>(i))) return true;
  return false;
}

std::string kinds_text(const ConstructionCheck& check) {
  std::string out;
  for (int i = 0; i < kObligationKindCount; ++i)
    if (const auto k = static_cast<ObligationKind>(i); has_kind(check, k))
      out += fmt::format("{}{}", out.empty() ? "" : ", ", name(k));
  return out.empty() ? "none" : out;
}

std::string rules_text(const ConstructionCheck& check) {
  std::string out(check.rules);
  if (!check.parts.empty()) out += fmt::format("{}parts of {}", out.empty() ? "" : "; ", check.parts_of);
  return out.empty() ? "none" : out;
}

}  // namespace

std::span<const ConstructionCheck> construction_checks() { return kChecks; }
std::span<const BesideChecks> beside_checks() { return kBeside; }

std::string_view part_rules() { return kPartRules; }

bool has_rule(const ConstructionCheck& check, std::string_view rule, std::string_view operation) {
  if (holds(check.rules, rule)) return true;
  if (!holds(kPartRules, rule)) return false;
  const OpRow* op = find_op(operation);  // none: the end of a group
  return std::find(check.parts.begin(), check.parts.end(), op ? op->family : Family::control) != check.parts.end();
}
bool has_kind(const ConstructionCheck& check, ObligationKind kind) { return holds(row(kind).requirement, check.id); }

std::string checks_markdown() {
  std::string out = "| check | what holds | structural rules | obligations |\n|---|---|---|---|\n";
  for (const ConstructionCheck& c : kChecks)
    out += fmt::format("| {} | {} | {} | {} |\n", c.id, c.statement, rules_text(c), kinds_text(c));
  out += fmt::format(
      "\nThe parts of an operation are its operands, results, regions, attributes, and what its regions take and hand on: "
      "{}.\n",
      kPartRules);
  out += "\n| beside the checks | why |\n|---|---|\n";
  for (const BesideChecks& b : kBeside) out += fmt::format("| {} | {} |\n", b.what, b.why);
  return out;
}

std::vector<CheckResult> check_results(const Diagnostics& structure, const Ledger& ledger,
                                       const std::vector<Decision>& decisions) {
  KIR_CHECK(decisions.empty() || decisions.size() == ledger.obligations.size(), "a decision per obligation");
  bool incomplete = decisions.empty();
  for (std::size_t i = 0; i < decisions.size(); ++i) incomplete = incomplete || gave_up(ledger.obligations[i], decisions[i]);
  std::vector<CheckResult> out;
  for (const ConstructionCheck& check : kChecks) {
    CheckResult r;
    r.check = &check;
    for (std::size_t i = 0; i < structure.all().size(); ++i) {
      const Diagnostic& d = structure.all()[i];
      if (d.severity == Severity::error && has_rule(check, d.id, d.operation)) r.broken.push_back(i);
    }
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      if (!has_kind(check, ledger.obligations[i].kind)) continue;
      ++r.obligations;
      const Verdict v = decisions[i].verdict;
      if (v == Verdict::proved) continue;
      r.failures.push_back(i);
      if (combine_exit_codes(exit_code(v), exit_code(r.verdict)) == exit_code(v)) r.verdict = v;
    }
    if (!r.broken.empty()) {
      r.verdict = Verdict::refuted;
      r.rule = structure.all()[r.broken[0]].id;
    } else if (r.verdict == Verdict::proved && (structure.has_errors() || (incomplete && asks_for_proofs(check)))) {
      r.verdict = Verdict::missing;
    }
    out.push_back(std::move(r));
  }
  return out;
}

std::string CheckResult::text() const {
  if (!broken.empty()) return "MALFORMED by " + rule;
  if (verdict == Verdict::proved && obligations == 0) return "holds by its rules";
  return std::string(name(verdict));
}

std::string check_table(const std::vector<CheckResult>& results) {
  std::string out = fmt::format("  {:<6} {:<18} {:>11} {:>7}  {}\n", "check", "verdict", "obligations", "proved", "what holds");
  for (const CheckResult& r : results)
    out += fmt::format("  {:<6} {:<18} {:>11} {:>7}  {}\n", r.check->id, r.text(), r.obligations,
                       r.obligations - r.failures.size(), r.check->statement);
  return out;
}

}  // namespace kir::proof
