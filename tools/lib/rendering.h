// All that the tools show of a validation, as a plain value: made of an outcome (Report::rendering), or of an earlier one's
// bytes. What is printed is the same either way.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace kir::tools {

struct Rendering {
  int exit_code = 5;
  std::string summary;      // one line; where the preconditions contradict each other, all there is to say
  std::string failures;     // each obligation that is not proved, with its place, reason and counterexample
  std::string details;      // counts by kind, deciding tiers, assumptions
  std::string checks;       // what became of each check of the construction verifier; "" without a program
  std::string data;         // JSON, without the certificate
  std::string certificate;  // JSON; "" where there is nothing to certify (malformed input)

  std::string text(bool quiet) const { return summary + failures + (quiet ? "" : details); }
  nlohmann::ordered_json json() const;

  std::string bytes() const;
  static std::optional<Rendering> from_bytes(std::string_view bytes);  // empty unless bytes() gave them
};

}  // namespace kir::tools
