// Input files of the tools.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/base/source.h"
#include "core/text/text.h"

namespace kir::tools {

// Null when the file cannot be read; why stands on standard error then.
inline SourcePtr read_source(const std::string& path) {
  std::string error;
  auto text = read_file(path, kMaxBytes, &error);
  if (text) return std::make_shared<const SourceFile>(path, std::move(*text));
  fmt::print(stderr, "error: {}\n", error);
  return nullptr;
}

}  // namespace kir::tools
