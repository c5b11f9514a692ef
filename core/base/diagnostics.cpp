#include "core/base/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

namespace kir {
namespace {

// A literal or a name of a hostile text may be megabytes long.
std::string shortened(const std::string& message) {
  constexpr std::size_t kMost = 4000;
  if (message.size() <= kMost) return message;
  return fmt::format("{} ... {}", message.substr(0, kMost / 2), message.substr(message.size() - kMost / 4));
}

// Text from a file, as a terminal may get it: control bytes and what is no UTF-8 become '?'.
std::string printable(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size();) {
    const auto c = static_cast<unsigned char>(out[i]);
    const std::size_t length = c < 0x80                ? 1
                               : c >= 0xc2 && c < 0xe0 ? 2
                               : c >= 0xe0 && c < 0xf0 ? 3
                               : c >= 0xf0 && c < 0xf5 ? 4
                                                       : 0;
    bool good = c < 0x80 ? (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' : length > 0 && i + length <= out.size();
    for (std::size_t k = 1; good && k < length; ++k) good = (static_cast<unsigned char>(out[i + k]) & 0xc0) == 0x80;
    if (c == 0xc2 && good) good = static_cast<unsigned char>(out[i + 1]) >= 0xa0;  // U+0080 to U+009F control terminals too
    if (!good) out[i] = '?';
    i += good ? length : 1;
  }
  return out;
}

}  // namespace

void Diagnostics::error(std::string id, SourceRange range, std::string message, std::string hint, std::string operation) {
  if (++errors_ <= limit_)
    all_.push_back({Severity::error, std::move(id), range, std::move(message), std::move(hint), std::move(operation)});
}

void Diagnostics::warning(std::string id, SourceRange range, std::string message, std::string hint) {
  all_.push_back({Severity::warning, std::move(id), range, std::move(message), std::move(hint), {}});
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
                       kNames[static_cast<int>(d.severity)], printable(shortened(d.message)), d.id);
    std::string line = placed ? file.line_text(at.line) : "";
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) {
      constexpr std::size_t kWindow = 160;  // a hostile line may be megabytes long
      std::size_t caret = static_cast<std::size_t>(at.column - 1);
      std::size_t first = caret > kWindow / 2 ? caret - kWindow / 2 : 0;
      std::string shown = line.substr(std::min(first, line.size()), kWindow);
      std::string pad;
      for (std::size_t i = first; i < caret; ++i) pad += i < line.size() && line[i] == '\t' ? '\t' : ' ';
      std::size_t width = std::max<std::size_t>(
          1, std::min<std::size_t>(d.range.end - d.range.begin, line.size() > caret ? line.size() - caret : 1));
      out += fmt::format("  {}\n  {}^{}\n", printable(shown), pad, std::string(std::min(width, kWindow) - 1, '~'));
    }
    if (!d.hint.empty()) out += fmt::format("  hint: {}\n", d.hint);
  }
  if (errors_ > limit_) out += fmt::format("{}: {} more errors not shown\n", file.path(), errors_ - limit_);
  return out;
}

}  // namespace kir
