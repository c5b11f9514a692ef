#include "core/ir/op_document.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/ir/op_table.h"

namespace kir {
namespace {

std::string_view text(Vocabulary v) {
  switch (v) {
    case Vocabulary::kir: return "KIR";
    case Vocabulary::physical: return "physical";
    case Vocabulary::both: return "both";
  }
  KIR_UNREACHABLE("vocabulary {}", static_cast<int>(v));
}

std::string_view text(ElementClass e) {
  switch (e) {
    case ElementClass::any: return "any";
    case ElementClass::floating: return "floats";
    case ElementClass::integer: return "integers";
    case ElementClass::none: return "";
  }
  KIR_UNREACHABLE("element class {}", static_cast<int>(e));
}

std::string_view meaning(ConvertMode m) {
  switch (m) {
    case ConvertMode::rn: return "float to float, to nearest even; beyond the range an infinity, NaN in f8e4m3";
    case ConvertMode::sat_rn: return "as rn; beyond the range the largest magnitude, infinities too; NaN stays NaN";
    case ConvertMode::sint: return "the integer read as signed: to a wider integer, a float (to nearest even) or an index";
    case ConvertMode::uint: return "the integer read as unsigned: likewise";
    case ConvertMode::wrap: return "integer to integer, modulo 2^width";
    case ConvertMode::to_sint: return "float to signed integer, toward zero; out of range or NaN is erroneous";
    case ConvertMode::to_uint: return "float to unsigned integer, toward zero; out of range or NaN is erroneous";
    case ConvertMode::sat_to_sint: return "float to signed integer, toward zero; out of range the nearest, NaN gives 0";
    case ConvertMode::sat_to_uint: return "float to unsigned integer, toward zero; out of range the nearest, NaN gives 0";
    case ConvertMode::to_bool: return "whether it differs from zero; true of NaN, false of -0.0";
    case ConvertMode::bits: return "the same bits in a type of the same width";
  }
  KIR_UNREACHABLE("conversion mode {}", static_cast<int>(m));
}

}  // namespace

std::string operations_markdown() {
  std::string out =
      "# Operations\n\n"
      "Made by `kirc --list-operations` from the table in `core/ir/op_table.cpp`. What is no operation (sugar) and which\n"
      "executions are erroneous stands in [kir.md](kir.md).\n\n"
      "| operation | language | operands | element types | exactness | meaning |\n|---|---|---|---|---|---|\n";
  for (const OpRow& r : op_table())
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", r.name, text(r.vocabulary),
                       r.operands < 0 ? "" : std::to_string(r.operands), text(r.elements),
                       r.accuracy.max_ulp > 0 ? fmt::format("{} ulp", r.accuracy.max_ulp)
                       : is_pointwise(r.kind) ? "exact"
                                              : "",
                       r.doc);
  out += "\nExact: one result, correctly rounded, on every provider.\n\n## Conversions\n\n| mode | meaning |\n|---|---|\n";
  for (ConvertMode m : all_convert_modes()) out += fmt::format("| `convert.{}` | {} |\n", name(m), meaning(m));
  out +=
      "\n## Comparisons\n\n"
      "Of integers `eq ne`, signed `slt sle sgt sge`, unsigned `ult ule ugt uge`. Of floats `o..` is false and `u..` true "
      "when\n"
      "either is NaN; `ord`, `uno`: neither, either is NaN. -0.0 equals 0.0.\n";
  return out;
}

}  // namespace kir
