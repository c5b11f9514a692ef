#include "proof/buffers.h"

#include <algorithm>
#include <unordered_map>

#include "core/ir/op_table.h"

namespace kir::proof {
namespace {

// Whether the region of `from` lies in `op`.
bool encloses(const Body& body, OpId op, OpId from) {
  for (OpId at = body.region(body.op(from).parent).parent; at; at = body.region(body.op(at).parent).parent)
    if (at == op) return true;
  return false;
}

// Ids are numbered in the order of the text: an operation that ends later has regions whose operations come between.
bool is_told(const Body& body, OpId made, const std::vector<OpId>& loads, const std::vector<OpId>& stores) {
  const OpId life = body.region(body.op(made).parent).parent;
  for (OpId load : loads)
    for (OpId at = body.region(body.op(load).parent).parent; at != life; at = body.region(body.op(at).parent).parent) {
      if (body.op(at).kind == OpKind::if_else) continue;
      for (OpId store : stores)
        if (store.index >= load.index && encloses(body, at, store)) return false;
    }
  return true;
}

}  // namespace

ValueId memory_below(const Body& body, ValueId view) {
  while (OpId made = body.value(view).op) {
    if (body.op(made).kind == OpKind::buffer || body.op(made).operands.empty()) break;
    view = body.op(made).operands[0];
  }
  return view;
}

std::vector<BufferSite> buffer_sites(const Body& body) {
  struct Accesses {
    std::vector<OpId> loads, stores;
    bool others = false;
  };
  std::unordered_map<ValueId, Accesses> accesses;
  std::vector<OpId> made;
  for (std::uint32_t i = 0; i < body.op_count(); ++i) {
    const Op& op = body.op(OpId(i));
    if (op.kind == OpKind::buffer) made.push_back(OpId(i));
    // Relations name elements and read none; tensors and gathers read where they stand.
    const bool relation = op.kind == OpKind::view || op.kind == OpKind::transpose || op.kind == OpKind::slice ||
                          op.kind == OpKind::broadcast || op.kind == OpKind::reshape;
    for (ValueId v : op.operands) {
      if (relation || !body.type(v).is(TypeKind::view)) continue;
      Accesses& a = accesses[memory_below(body, v)];
      if (op.kind == OpKind::load)
        a.loads.push_back(OpId(i));
      else if (op.kind == OpKind::store)
        a.stores.push_back(OpId(i));
      else if (row(op.kind).effect)
        a.others = true;
      else
        a.loads.push_back(OpId(i));
    }
  }
  std::vector<BufferSite> out;
  for (OpId m : made) {
    const ValueId view = body.op(m).results[0];
    const Accesses& a = accesses[view];
    out.push_back({view, !a.others && is_told(body, m, a.loads, a.stores)});
  }
  std::stable_partition(out.begin(), out.end(), [](const BufferSite& s) { return !s.told; });
  return out;
}

}  // namespace kir::proof
