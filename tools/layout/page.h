// The explorer as one HTML file without any reference to elsewhere.
#pragma once

#include <optional>
#include <string>

#include "tools/layout/subject.h"

namespace kir::tools {

// Shows `initial` first, or the first preset. None where the tool was built without WebAssembly.
std::optional<std::string> page_html(const std::optional<SubjectText>& initial);

std::string base64(std::string_view bytes);

}  // namespace kir::tools
