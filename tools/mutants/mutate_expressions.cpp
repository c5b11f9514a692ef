// Integer expressions, wherever they stand.
#include <algorithm>
#include <map>
#include <set>

#include "tools/mutants/mutator.h"

namespace kir::mutants {
namespace {

Expr another_operation(Expr e) {
  const auto as = [&](ExprKind k) { return e.pool().make(k, {e.kid(0), e.kid(1)}); };
  switch (e.kind()) {
    case ExprKind::add: return as(ExprKind::sub);
    case ExprKind::sub: return as(ExprKind::add);
    case ExprKind::mul: return as(ExprKind::add);
    case ExprKind::floordiv: return as(ExprKind::ceildiv);
    case ExprKind::ceildiv: return as(ExprKind::floordiv);
    case ExprKind::mod: return as(ExprKind::floordiv);
    case ExprKind::min: return as(ExprKind::max);
    case ExprKind::max: return as(ExprKind::min);
    case ExprKind::ite: return e.pool().make(ExprKind::ite, {e.kid(0), e.kid(2), e.kid(1)});
    case ExprKind::neg: return e.kid(0);
    case ExprKind::logical_and: return as(ExprKind::logical_or);
    case ExprKind::logical_or: return as(ExprKind::logical_and);
    case ExprKind::constant:
    case ExprKind::boolean:
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable:
    case ExprKind::eq:
    case ExprKind::ne:
    case ExprKind::lt:
    case ExprKind::le:
    case ExprKind::gt:
    case ExprKind::ge:
    case ExprKind::logical_not:
    case ExprKind::implies: return {};
  }
  return {};
}

void collect(Expr e, std::set<Expr>& seen, std::vector<Expr>& out) {
  if (!seen.insert(e).second) return;
  if (another_operation(e)) out.push_back(e);
  for (Expr kid : e.kids()) collect(kid, seen, out);
}

Expr replaced(Expr e, Expr from, Expr to, std::map<Expr, Expr>& done) {
  if (e == from) return to;
  if (e.kids().empty()) return e;
  auto [it, fresh] = done.emplace(e, Expr());
  if (!fresh) return it->second;
  std::vector<Expr> kids;
  for (Expr kid : e.kids()) kids.push_back(replaced(kid, from, to, done));
  return done[e] = std::ranges::equal(kids, e.kids()) ? e : e.pool().make(e.kind(), kids);
}

}  // namespace

std::vector<Expr> with_another_operation(Expr e) {
  std::set<Expr> seen;
  std::vector<Expr> places, out;
  collect(e, seen, places);
  for (Expr place : places) {
    std::map<Expr, Expr> done;
    out.push_back(replaced(e, place, another_operation(place), done));
  }
  return out;
}

std::optional<OffByOne> off_by_one(Expr e) {
  const auto make = [&](ExprKind k, std::int64_t by) {
    return e.pool().make(k, {e.kid(0), by == 0 ? e.kid(1) : e.kid(1) + by});
  };
  switch (e.kind()) {
    case ExprKind::lt: return OffByOne{make(ExprKind::lt, -1), make(ExprKind::lt, 1), make(ExprKind::le, 0)};
    case ExprKind::le: return OffByOne{make(ExprKind::le, -1), make(ExprKind::le, 1), make(ExprKind::lt, 0)};
    case ExprKind::gt: return OffByOne{make(ExprKind::gt, 1), make(ExprKind::gt, -1), make(ExprKind::ge, 0)};
    case ExprKind::ge: return OffByOne{make(ExprKind::ge, 1), make(ExprKind::ge, -1), make(ExprKind::gt, 0)};
    default: return std::nullopt;
  }
}

}  // namespace kir::mutants
