#include "core/pir/program.h"

namespace kir {

const Definition* PhysicalProgram::find_definition(std::string_view name) const {
  for (const Definition& d : definitions)
    if (d.name == name) return &d;
  return nullptr;
}

}  // namespace kir
