// Source text and places in it. A range is a half-open interval of byte offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kir {

struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool empty() const { return begin == end; }
  friend bool operator==(SourceRange, SourceRange) = default;
};

struct LineColumn {
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes
};

class SourceFile {
 public:
  SourceFile(std::string path, std::string text);
  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }
  LineColumn line_column(std::uint32_t offset) const;  // O(log lines); offsets past the end give the end
  std::string line_text(int line) const;               // without the newline

 private:
  std::string path_, text_;
  std::vector<std::uint32_t> lines_;  // where each begins
};

using SourcePtr = std::shared_ptr<const SourceFile>;

// "softmax.kir:14:5", or "softmax.kir" for an empty range.
std::string describe(const SourceFile& file, SourceRange range);
// The same without folders, "softmax.kir:14:5": what stands in certificates does not depend on where a file lies.
std::string place(const SourceFile& file, SourceRange range);

}  // namespace kir
