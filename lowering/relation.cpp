#include "lowering/relation.h"

#include <unordered_map>

#include "core/base/check.h"
#include "core/index/reshape.h"

namespace kir::lowering {
namespace {

// Source coordinates of a `view`: its region's yields as functions of the given coordinates.
std::vector<Expr> through_view(const Kernel& kernel, const Op& op, const std::vector<Expr>& at, ExprPool& pool,
                               const LeafMap& leaf) {
  const Body& body = kernel.body;
  const Region& region = body.region(op.regions[0]);
  std::unordered_map<ValueId, Expr> known;
  KIR_CHECK(region.args.size() == at.size(), "a view takes one coordinate per axis");
  for (std::size_t i = 0; i < at.size(); ++i) known.emplace(region.args[i], at[i]);
  auto local = [&](Expr l) -> Expr {
    if (!l.is(ExprKind::value)) return {};
    auto it = known.find(l.value());
    return it != known.end() ? it->second : leaf(l);
  };
  for (OpId id : region.ops) {
    const Op& inner = body.op(id);
    if (inner.kind == OpKind::index) known.emplace(inner.results[0], pool.import(inner.attrs.get<Expr>(AttrKey::expr), local));
  }
  std::vector<Expr> out;
  for (ValueId v : body.yields(op.regions[0])) {
    auto it = known.find(v);
    out.push_back(it != known.end() ? it->second : leaf(pool.value(v)));
  }
  return out;
}

std::vector<Expr> through_broadcast(const Kernel& kernel, const Op& op, const std::vector<Expr>& at, ExprPool& pool,
                                    const LeafMap& leaf) {
  const Type& source = kernel.body.type(op.operands[0]);
  const IntList& axes = op.attrs.get<IntList>(AttrKey::axes);
  const ExprList& extents = op.attrs.get<ExprList>(AttrKey::extents);
  std::vector<Expr> out;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(axes[k]);
    if (source.shape[k].is_constant(1)) {
      out.push_back(pool.constant(0));
    } else if (source.shape[k] == extents[axis]) {
      out.push_back(at[axis]);
    } else {
      Expr extent = pool.import(source.shape[k], leaf);
      out.push_back(ite(equal(extent, pool.constant(1)), pool.constant(0), at[axis]));
    }
  }
  return out;
}

std::vector<Expr> through_reshape(const Kernel& kernel, const Op& op, const std::vector<Expr>& at, ExprPool& pool,
                                  const LeafMap& leaf, bool masked) {
  auto import = [&](const std::vector<Expr>& extents) {
    std::vector<Expr> out;
    for (Expr e : extents) out.push_back(pool.import(e, leaf));
    return out;
  };
  return reshaped(import(kernel.body.type(op.operands[0]).shape), import(op.attrs.get<ExprList>(AttrKey::extents)), at, pool,
                  masked);
}

}  // namespace

bool is_relation(OpKind kind) {
  return kind == OpKind::view || kind == OpKind::transpose || kind == OpKind::slice || kind == OpKind::broadcast ||
         kind == OpKind::reshape;
}

bool is_read_in_place(OpKind kind) {
  return kind == OpKind::tensor || kind == OpKind::gather || kind == OpKind::concat || kind == OpKind::iota ||
         kind == OpKind::contract;
}

Place resolve(const Kernel& kernel, ValueId resource, std::vector<Expr> at, ExprPool& pool, const LeafMap& leaf, bool masked) {
  const Body& body = kernel.body;
  const LeafMap values = [&](Expr l) { return l.is(ExprKind::value) ? leaf(l) : Expr(); };
  while (OpId id = body.value(resource).op) {
    const Op& op = body.op(id);
    if (!is_relation(op.kind)) break;
    std::vector<Expr> source;
    if (op.kind == OpKind::view) {
      source = through_view(kernel, op, at, pool, values);
    } else if (op.kind == OpKind::transpose) {
      const IntList& axes = op.attrs.get<IntList>(AttrKey::axes);
      source.resize(axes.size());
      for (std::size_t k = 0; k < axes.size(); ++k) source[static_cast<std::size_t>(axes[k])] = at[k];
    } else if (op.kind == OpKind::slice) {
      const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
      for (std::size_t k = 0; k < at.size(); ++k) {
        Expr begin = ranges[2 * k];
        source.push_back(begin.is_constant(0) ? at[k] : at[k] + pool.import(begin, values));
      }
    } else if (op.kind == OpKind::reshape) {
      source = through_reshape(kernel, op, at, pool, values, masked);
    } else {
      source = through_broadcast(kernel, op, at, pool, values);
    }
    at = std::move(source);
    resource = op.operands[0];
  }
  return {resource, std::move(at)};
}

ValueId base_of(const Kernel& kernel, ValueId resource) {
  while (OpId id = kernel.body.value(resource).op) {
    const Op& op = kernel.body.op(id);
    if (!is_relation(op.kind)) break;
    resource = op.operands[0];
  }
  return resource;
}

}  // namespace kir::lowering
