// The printed form of integer expressions, read back without any program around it: every name is a symbol.
//
// parse_expr(pool, to_string(e)) == e for every e over symbols alone whose names are identifiers. Comparison chains are not
// accepted (they are not printed). Never throws; nesting deeper than 200 and numbers outside 64 bits are errors.
#pragma once

#include <string>
#include <string_view>

#include "core/index/expr.h"

namespace kir {

// Empty on failure, and *error says what and at which byte.
Expr parse_expr(ExprPool& pool, std::string_view text, std::string* error);

}  // namespace kir
