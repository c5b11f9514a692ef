#include "proof/buffers.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/loop_exit.h"
#include "core/ir/op_table.h"

namespace kir::proof {
namespace {

// Whether the region of `from` lies in `op`.
bool encloses(const Body& body, OpId op, OpId from) {
  for (OpId at = body.region(body.op(from).parent).parent; at; at = body.region(body.op(at).parent).parent)
    if (at == op) return true;
  return false;
}

// Members of what iterates, not what it carries.
bool is_member(const Body& body, const Value& argument) {
  const Op& owner = body.op(body.region(argument.region).parent);
  switch (owner.kind) {
    case OpKind::parallel: return true;
    case OpKind::for_loop: return argument.position == 0;
    case OpKind::scan: return argument.position < owner.attrs.get<ExprList>(AttrKey::ranges).size() / 2;
    case OpKind::region_scan: return argument.position < 2;
    default: return false;
  }
}

// What an access inside `loop` depends on is the same in each iteration, or a function of the iteration alone.
class Steady {
 public:
  Steady(const Body& body, OpId loop) : body_(body), loop_(loop) {}

  bool value(ValueId v) const {
    const Value& known = body_.value(v);
    if (!known.op) {
      const OpId owner = body_.region(known.region).parent;
      return !owner || (owner != loop_ && !encloses(body_, loop_, owner)) || is_member(body_, known);
    }
    if (!encloses(body_, loop_, known.op)) return true;
    const Op& made = body_.op(known.op);
    return made.kind == OpKind::index && expr(made.attrs.get<Expr>(AttrKey::expr));
  }
  bool expr(Expr e) const {
    return std::ranges::all_of(value_leaves(e), [&](ValueId leaf) { return value(leaf); });
  }
  // Several iterations may store to one element, and which of them did last no equation tells.
  bool is_clamped(ValueId v) const {
    const OpId made = body_.value(v).op;
    if (!made || body_.op(made).kind != OpKind::index) return false;
    auto visit = [&](auto& self, Expr e) -> bool {
      if (e.is(ExprKind::min) || e.is(ExprKind::max) || e.is(ExprKind::ite)) return true;
      if (e.is(ExprKind::value) && is_clamped(e.value())) return true;
      return std::ranges::any_of(e.kids(), [&](Expr k) { return self(self, k); });
    };
    return visit(visit, body_.op(made).attrs.get<Expr>(AttrKey::expr));
  }
  // Whether, where and how often the store happens. Ifs and loops that `load` stands in too are the same for both.
  bool store(OpId store, OpId load, const std::unordered_set<OpId>& early) const {
    const StoreView s = as_store(body_, body_.op(store));
    if (s.where && !value(s.where)) return false;
    if (!std::ranges::all_of(s.coordinates, [&](ValueId c) { return value(c) && !is_clamped(c); })) return false;
    for (OpId at = store; at != loop_;) {
      at = body_.region(body_.op(at).parent).parent;
      if (encloses(body_, at, load)) continue;
      const Op& around = body_.op(at);
      if (early.contains(at)) return false;
      if (around.kind == OpKind::if_else && !value(around.operands[0])) return false;
      if (const ExprList* ranges = around.attrs.find<ExprList>(AttrKey::ranges))
        if (!std::ranges::all_of(*ranges, [&](Expr e) { return expr(e); })) return false;
    }
    return true;
  }

 private:
  const Body& body_;
  OpId loop_;
};

// Ids are numbered in the order of the text: an operation that ends later has regions whose operations come between.
// `life`: the operation in whose region the buffer is made; none: it lives as long as the instance, or longer.
bool is_told(const Body& body, OpId life, const std::vector<OpId>& loads, const std::vector<OpId>& stores,
             const std::unordered_set<OpId>& early) {
  auto around = [&](OpId op) { return body.region(body.op(op).parent).parent; };
  auto repeats = [&](OpId at) { return body.op(at).kind != OpKind::if_else; };
  for (OpId load : loads) {
    for (OpId at = around(load); at != life; at = around(at))
      for (OpId store : stores)
        if (repeats(at) && store.index >= load.index && encloses(body, at, store)) return false;
    for (OpId store : stores) {
      OpId loop;  // the outermost
      for (OpId at = around(store); at != life; at = around(at))
        if (repeats(at)) loop = at;
      if (loop && !Steady(body, loop).store(store, load, early)) return false;
    }
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

std::vector<BufferSite> buffer_sites(const Body& body, std::span<const ValueId> workspace) {
  struct Accesses {
    std::vector<OpId> loads, stores;
    bool others = false;
  };
  std::unordered_map<ValueId, Accesses> accesses;
  std::vector<OpId> made;
  std::unordered_set<OpId> early;
  for (std::uint32_t i = 0; i < body.op_count(); ++i) {
    const Op& op = body.op(OpId(i));
    if (op.kind == OpKind::while_loop) early.insert(OpId(i));
    if (is_loop_exit(op.kind)) early.insert(loop_of_exit(body, op));
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
  auto add = [&](ValueId view, OpId life) {
    const Accesses& a = accesses[view];
    out.push_back({view, !a.others && is_told(body, life, a.loads, a.stores, early)});
  };
  for (ValueId view : workspace) add(view, {});
  for (OpId m : made) add(body.op(m).results[0], body.region(body.op(m).parent).parent);
  std::stable_partition(out.begin(), out.end(), [](const BufferSite& s) { return !s.told; });
  return out;
}

}  // namespace kir::proof
