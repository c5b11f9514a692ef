#include "core/base/source.h"

#include <fmt/format.h>

namespace kir {

LineColumn SourceFile::line_column(std::uint32_t offset) const {
  LineColumn at;
  for (std::size_t i = 0; i < text_.size() && i < offset; ++i) {
    if (text_[i] == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
  return at;
}

std::string SourceFile::line_text(int line) const {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    std::size_t next = text_.find('\n', begin);
    if (next == std::string::npos) return {};
    begin = next + 1;
  }
  return text_.substr(begin, text_.find('\n', begin) - begin);
}

std::string describe(const SourceFile& file, SourceRange range) {
  if (range.empty()) return file.path();
  LineColumn at = file.line_column(range.begin);
  return fmt::format("{}:{}:{}", file.path(), at.line, at.column);
}

}  // namespace kir
