// Diagnostics about user input: collected, never thrown. Each has the id of the rule that is broken
// (P-nn parser, T-nn types, V-nn structural verifier, A-nn arguments at launch), the place, a message and a hint how
// to mend it. Rendered with file:line:column, the source line and a caret.
#pragma once

#include <string>
#include <vector>

#include "core/base/source.h"

namespace kir {

enum class Severity : std::uint8_t { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string id;
  SourceRange range;
  std::string message;
  std::string hint;       // "" for none
  std::string operation;  // name in op_table.h of the operation that breaks the rule; "" when none does
};

class Diagnostics {
 public:
  // At most `limit` errors are kept; one more line says how many were dropped.
  explicit Diagnostics(std::size_t limit = 50) : limit_(limit) {}

  void error(std::string id, SourceRange range, std::string message, std::string hint = {}, std::string operation = {});
  void warning(std::string id, SourceRange range, std::string message, std::string hint = {});

  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  std::string render(const SourceFile& file) const;

 private:
  std::size_t limit_;
  std::size_t errors_ = 0;
  std::vector<Diagnostic> all_;
};

}  // namespace kir
