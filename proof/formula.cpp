#include "proof/formula.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "core/base/check.h"
#include "core/base/sha256.h"

namespace kir::proof {
namespace {

bool is_leaf(Expr e) {
  return e.is(ExprKind::symbol) || e.is(ExprKind::value) || e.is(ExprKind::position) || e.is(ExprKind::variable);
}

}  // namespace

std::string_view name(ExprKind k) {
  switch (k) {
    case ExprKind::constant: return "constant";
    case ExprKind::boolean: return "boolean";
    case ExprKind::symbol: return "symbol";
    case ExprKind::value: return "value";
    case ExprKind::position: return "position";
    case ExprKind::variable: return "variable";
    case ExprKind::add: return "add";
    case ExprKind::sub: return "sub";
    case ExprKind::mul: return "mul";
    case ExprKind::neg: return "neg";
    case ExprKind::floordiv: return "floordiv";
    case ExprKind::mod: return "mod";
    case ExprKind::ceildiv: return "ceildiv";
    case ExprKind::min: return "min";
    case ExprKind::max: return "max";
    case ExprKind::ite: return "ite";
    case ExprKind::eq: return "eq";
    case ExprKind::ne: return "ne";
    case ExprKind::lt: return "lt";
    case ExprKind::le: return "le";
    case ExprKind::gt: return "gt";
    case ExprKind::ge: return "ge";
    case ExprKind::logical_not: return "not";
    case ExprKind::logical_and: return "and";
    case ExprKind::logical_or: return "or";
    case ExprKind::implies: return "implies";
  }
  KIR_UNREACHABLE("expression kind");
}

std::vector<Expr> formula_leaves(const Obligation& o) {
  std::vector<Expr> out;
  std::unordered_set<Expr> seen;
  auto visit = [&](auto& self, Expr e) -> void {
    if (!seen.insert(e).second) return;
    if (is_leaf(e)) out.push_back(e);
    for (Expr k : e.kids()) self(self, k);
  };
  visit(visit, o.goal);
  for (Expr h : o.hypotheses) visit(visit, h);
  return out;
}

std::string canonical_text(const Obligation& o) {
  std::string text;
  std::unordered_map<Expr, std::size_t> number;
  auto visit = [&](auto& self, Expr e) -> std::size_t {
    if (auto it = number.find(e); it != number.end()) return it->second;
    std::string line(name(e.kind()));
    if (is_leaf(e)) {
      // Symbols stay apart from other leaves: counterexamples prefer them small.
      line = fmt::format("{} {}", e.is(ExprKind::symbol) ? "symbol" : "leaf", e.sort() == Sort::boolean ? "bool" : "int");
    } else if (e.kids().empty()) {
      line += fmt::format(" {}", e.number());
    }
    for (Expr k : e.kids()) line += fmt::format(" {}", self(self, k));
    std::size_t n = number.size();
    number.emplace(e, n);
    text += line + '\n';
    return n;
  };
  std::string tail = fmt::format("goal {}\n", visit(visit, o.goal));
  for (Expr h : o.hypotheses) tail += fmt::format("hypothesis {}\n", visit(visit, h));
  return text + tail;
}

std::string formula_digest(const Obligation& o) {
  if (o.preset) return sha256_hex(fmt::format("preset {} {}", name(o.preset->verdict), o.preset->reason));
  return sha256_hex(canonical_text(o));
}

}  // namespace kir::proof
