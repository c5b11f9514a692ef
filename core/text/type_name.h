// Types in text, shared by messages and the printers.
#pragma once

#include <functional>
#include <string>

#include "core/ir/type.h"

namespace kir::text {

using LeafName = std::function<std::string(Expr leaf)>;

// "f32", "index", "f32[N]", "view f32[M, N]", "i32<512; @T>".
std::string type_name(const Type& t, const LeafName& leaf = {});

}  // namespace kir::text
