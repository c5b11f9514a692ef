#include "core/kir/kernel.h"

#include <fmt/format.h>

namespace kir {

std::string Kernel::id() const {
  if (constexprs.empty()) return name;
  std::string out = name + "<";
  for (std::size_t i = 0; i < constexprs.size(); ++i) {
    const Constexpr& c = constexprs[i];
    out += fmt::format("{}{} = {}", i ? ", " : "", c.name,
                       std::holds_alternative<DType>(c.value) ? std::string(kir::name(std::get<DType>(c.value)))
                                                              : std::to_string(std::get<std::int64_t>(c.value)));
  }
  return out + ">";
}

std::string Kernel::call_text(OpId op) const {
  std::string out;
  for (auto c = calls.rbegin(); c != calls.rend() && op; ++c)
    if (c->first <= op.index && op.index < c->end)
      out += fmt::format("{}in '{}', called at line {}", out.empty() ? "" : ", ", c->helper,
                         source ? source->line_column(c->call.begin).line : 0);
  return out;
}

const Kernel* Module::find(std::string_view wanted) const {
  for (const auto& k : kernels)
    if (k->id() == wanted || k->name == wanted) return k.get();
  return nullptr;
}

}  // namespace kir
