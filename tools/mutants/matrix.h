// What became of many mutants: the kill matrix (family of damages by kind of obligation), false alarms and their reasons, and
// the checks of the construction verifier, as Markdown.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "tools/mutants/judge.h"

namespace kir::mutants {

struct Counts {
  std::uint64_t mutants = 0, distinguishable = 0, killed = 0, survivors = 0, equal = 0, false_alarms = 0;
  std::uint64_t not_reached = 0;                      // of the equal ones
  std::array<std::uint64_t, 4> verdicts{};            // by Verdict
  std::uint64_t differ = 0;                           // told apart by a run
  std::map<proof::ObligationKind, std::uint64_t> by;  // mutants that a kind refuses
  std::map<std::string, std::uint64_t> by_check;
  void add(const Judgement& j);
};

class Matrix {
 public:
  void add(Form form, const Damage& damage, const Judgement& j);

  std::string kill_matrix() const;   // one table for each form
  std::string false_alarms() const;  // by class, form, family and reason
  std::string checks() const;
  std::string summary() const;  // how many of what is counted are malformed, or reached by no run
  // "mutants N, distinguishable N, killed N, survivors N, equal N, false alarms N"
  std::string last_line() const;
  const Counts& all() const { return all_; }

 private:
  std::map<std::pair<Form, std::string_view>, Counts> families_;
  std::map<std::string_view, Counts> checks_;  // that damages are aimed at
  std::map<std::string_view, std::map<std::tuple<Form, std::string_view, std::string>, std::uint64_t>>
      false_alarms_;  // by class
  Counts all_;
};

}  // namespace kir::mutants
