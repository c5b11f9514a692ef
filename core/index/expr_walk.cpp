// Walks over expressions: each node once, however often it is shared.
#include <algorithm>

#include "core/base/small_set.h"
#include "core/index/expr.h"

namespace kir {

using NodeSet = SmallSet<const ExprNode*>;

static void visit_leaves(Expr e, NodeSet& seen, std::vector<Expr>& out) {
  if (!seen.insert(e.node())) return;
  switch (e.kind()) {
    case ExprKind::symbol:
    case ExprKind::value:
    case ExprKind::position:
    case ExprKind::variable: out.push_back(e); break;
    default:
      for (Expr k : e.kids()) visit_leaves(k, seen, out);
  }
}

std::vector<Expr> leaves(Expr e) {
  NodeSet seen;
  std::vector<Expr> out;
  visit_leaves(e, seen, out);
  return out;
}

std::vector<ValueId> value_leaves(Expr e) {
  std::vector<ValueId> out;
  for (Expr l : leaves(e))
    if (l.is(ExprKind::value)) out.push_back(l.value());
  return out;
}

bool mentions(Expr e, const std::function<bool(Expr)>& predicate) {
  auto all = leaves(e);
  return std::any_of(all.begin(), all.end(), predicate);
}

void append_conjuncts(Expr e, std::vector<Expr>& out) {
  NodeSet seen;
  std::vector<Expr> rest{e};
  while (!rest.empty()) {
    Expr x = rest.back();
    rest.pop_back();
    if (x.is_true() || !seen.insert(x.node())) continue;
    if (x.is(ExprKind::logical_and))
      rest.insert(rest.end(), {x.kid(1), x.kid(0)});
    else
      out.push_back(x);
  }
}

WrittenOut written_out(Expr e, const std::function<WrittenOut(Expr leaf)>& leaf) {
  std::unordered_map<const ExprNode*, WrittenOut> known;
  auto walk = [&](auto& self, Expr x) -> WrittenOut {
    if (x.kids().empty()) return leaf ? leaf(x) : WrittenOut{};
    if (auto it = known.find(x.node()); it != known.end()) return it->second;
    WrittenOut out{0, 1};
    for (Expr k : x.kids()) {
      const WrittenOut of = self(self, k);
      out.levels = std::max(out.levels, of.levels);
      out.nodes = std::min(out.nodes + of.nodes, WrittenOut::kMost);
    }
    out.levels = std::min(out.levels + 1, WrittenOut::kMost);
    return known[x.node()] = out;
  };
  return walk(walk, e);
}

}  // namespace kir
