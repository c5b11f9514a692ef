#include "core/base/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

namespace kir {

void Diagnostics::error(std::string id, SourceRange range, std::string message, std::string hint) {
  if (++errors_ <= limit_) all_.push_back({Severity::error, std::move(id), range, std::move(message), std::move(hint)});
}

void Diagnostics::warning(std::string id, SourceRange range, std::string message, std::string hint) {
  all_.push_back({Severity::warning, std::move(id), range, std::move(message), std::move(hint)});
}

std::string Diagnostics::render(const SourceFile& file) const {
  static constexpr const char* kNames[] = {"note", "warning", "error"};
  std::vector<Diagnostic> sorted = all_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.range.begin < b.range.begin; });
  std::string out;
  for (const Diagnostic& d : sorted) {
    const bool placed = d.range.end > 0;
    LineColumn at = file.line_column(d.range.begin);
    out += fmt::format("{}{}: {}: {} [{}]\n", file.path(), placed ? fmt::format(":{}:{}", at.line, at.column) : "",
                       kNames[static_cast<int>(d.severity)], d.message, d.id);
    std::string line = placed ? file.line_text(at.line) : "";
    if (!line.empty()) {
      constexpr std::size_t kWindow = 160;  // a hostile line may be megabytes long
      std::size_t caret = static_cast<std::size_t>(at.column - 1);
      std::size_t first = caret > kWindow / 2 ? caret - kWindow / 2 : 0;
      std::string shown = line.substr(std::min(first, line.size()), kWindow);
      std::string pad;
      for (std::size_t i = first; i < caret; ++i) pad += i < line.size() && line[i] == '\t' ? '\t' : ' ';
      std::size_t width = std::max<std::size_t>(
          1, std::min<std::size_t>(d.range.end - d.range.begin, line.size() > caret ? line.size() - caret : 1));
      out += fmt::format("  {}\n  {}^{}\n", shown, pad, std::string(std::min(width, kWindow) - 1, '~'));
    }
    if (!d.hint.empty()) out += fmt::format("  hint: {}\n", d.hint);
  }
  if (errors_ > limit_) out += fmt::format("{}: {} more errors not shown\n", file.path(), errors_ - limit_);
  return out;
}

}  // namespace kir
