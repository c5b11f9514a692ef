#include "core/ir/abi.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace kir {

std::string_view name(Access a) {
  static constexpr std::string_view kNames[] = {"in", "out", "inout"};
  return kNames[static_cast<int>(a)];
}

std::string_view name(DataFactKind k) {
  static constexpr std::string_view kNames[] = {"nondecreasing", "in_range", "unique"};
  return kNames[static_cast<int>(k)];
}

std::string data_text(const Abi& abi, const DataFact& f) {
  const std::string& view = abi.views[f.view].name;
  if (f.kind != DataFactKind::in_range) return fmt::format("{}({})", name(f.kind), view);
  return fmt::format("{}({}, {}, {})", name(f.kind), view, to_string(f.lo), to_string(f.hi));
}

const ViewParam* Abi::find_view(ValueId v) const {
  for (const ViewParam& p : views)
    if (p.value == v) return &p;
  return nullptr;
}

const SymbolInfo* Abi::find_symbol(std::string_view name) const {
  for (const SymbolInfo& s : symbols)
    if (s.name == name) return &s;
  return nullptr;
}

const std::string& Abi::name_of(const Param& p) const {
  switch (p.kind) {
    case ParamKind::view: return views[p.index].name;
    case ParamKind::scalar: return scalars[p.index].name;
    case ParamKind::symbol: return symbols[p.index].name;
  }
  KIR_UNREACHABLE("kind of parameter");
}

std::vector<Expr> row_major_strides(ExprPool& pool, const std::vector<Expr>& shape) {
  std::vector<Expr> strides(shape.size());
  Expr running = pool.constant(1);
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = running;
    running = running.is_constant(1) ? shape[i] : shape[i] * running;
  }
  return strides;
}

}  // namespace kir
