// The operation table as a page for people: docs/operations.md.
#pragma once

#include <string>

namespace kir {

std::string operations_markdown();

}  // namespace kir
