// Parameters: preconditions, alias facts, and how views lie in memory and are accessed.
#include <fmt/format.h>

#include <algorithm>

#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;

void Mutator::parameters() {
  for (std::size_t i = 0; i < abi_.where.size(); ++i) precondition(i);
  for (std::size_t i = 0; i < abi_.data.size(); ++i) data_precondition(i);
  for (std::size_t i = 0; i < abi_.aliases.size(); ++i)
    add_abi(kAlias, "alias", [i](Abi& a, ExprPool&) { a.aliases.erase(a.aliases.begin() + static_cast<std::ptrdiff_t>(i)); });
  for (std::size_t v = 0; v < abi_.views.size(); ++v) view(v);
}

void Mutator::precondition(std::size_t i) {
  const auto set = [&](const std::function<Expr(Expr)>& change) {
    add_abi(kPrecondition, "where", [&](Abi& a, ExprPool&) { a.where[i] = change(a.where[i]); });
  };
  add_abi(kPrecondition, "where", [i](Abi& a, ExprPool&) {
    a.where.erase(a.where.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < a.where_ranges.size()) a.where_ranges.erase(a.where_ranges.begin() + static_cast<std::ptrdiff_t>(i));
  });
  if (!off_by_one(abi_.where[i])) return;
  set([](Expr e) { return off_by_one(e)->less; });
  set([](Expr e) { return off_by_one(e)->more; });
}

void Mutator::data_precondition(std::size_t i) {
  const std::string where = data_text(abi_, abi_.data[i]);
  add_abi(kPrecondition, where, [i](Abi& a, ExprPool&) { a.data.erase(a.data.begin() + static_cast<std::ptrdiff_t>(i)); });
  if (abi_.data[i].kind != DataFactKind::in_range) return;
  for (std::int64_t by : {1, -1}) {
    add_abi(kPrecondition, where, [&](Abi& a, ExprPool&) { a.data[i].hi = a.data[i].hi + by; });
    add_abi(kPrecondition, where, [&](Abi& a, ExprPool&) { a.data[i].lo = a.data[i].lo - by; });
  }
}

void Mutator::view(std::size_t v) {
  const ViewParam& p = abi_.views[v];
  const std::string where = "view " + p.name;
  for (Access other : {Access::in, Access::out, Access::inout})
    if (other != p.access) add_abi(kDirection, where, [&](Abi& a, ExprPool&) { a.views[v].access = other; });
  for (std::size_t w = v + 1; w < abi_.views.size(); ++w) {
    const auto of_both = [&](const AliasFact& f) { return std::min(f.a, f.b) == v && std::max(f.a, f.b) == w; };
    if (abi_.views[w].dtype != p.dtype || abi_.views[w].rank() != p.rank() || std::ranges::any_of(abi_.aliases, of_both))
      continue;
    add_abi(kAlias, where, [&](Abi& a, ExprPool&) { a.aliases.push_back({AliasKind::may_alias, v, w, {}}); });
    break;
  }
  const std::int64_t element = byte_size(p.dtype), align = std::max(p.align, element);
  add_abi(kAlignment, where, [&](Abi& a, ExprPool&) { a.views[v].align = 2 * align; });
  if (align > element) add_abi(kAlignment, where, [&](Abi& a, ExprPool&) { a.views[v].align = align / 2; });
  for (std::size_t k = 0; k < p.rank(); ++k) {
    if (k + 1 < p.rank() && p.strides[k] != p.strides[k + 1])
      add_abi(kStrides, where, [&](Abi& a, ExprPool&) {
        std::swap(a.views[v].strides[k], a.views[v].strides[k + 1]);
        a.views[v].explicit_strides = true;
      });
    add_abi(kStrides, where, [&](Abi& a, ExprPool&) {
      a.views[v].strides[k] = a.views[v].strides[k] + 1;
      a.views[v].explicit_strides = true;
    });
  }
}

}  // namespace kir::mutants
