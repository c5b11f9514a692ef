#include "core/base/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace kir {

SourceFile::SourceFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)), lines_{0} {
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
    lines_.push_back(static_cast<std::uint32_t>(at + 1));
}

LineColumn SourceFile::line_column(std::uint32_t offset) const {
  const std::uint32_t at = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), at) - 1;
  return {static_cast<int>(line - lines_.begin()) + 1, static_cast<int>(at - *line) + 1};
}

std::string SourceFile::line_text(int line) const {
  if (line < 1 || static_cast<std::size_t>(line) > lines_.size()) return {};
  const std::size_t begin = lines_[static_cast<std::size_t>(line) - 1];
  return text_.substr(begin, text_.find('\n', begin) - begin);
}

std::string describe(const SourceFile& file, SourceRange range) {
  if (range.empty()) return file.path();
  LineColumn at = file.line_column(range.begin);
  return fmt::format("{}:{}:{}", file.path(), at.line, at.column);
}

std::string place(const SourceFile& file, SourceRange range) {
  const std::string whole = describe(file, range);
  const std::string& path = file.path();
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? whole : whole.substr(slash + 1);
}

}  // namespace kir
