#include "lowering/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/ir/op_table.h"
#include "lowering/relation.h"

namespace kir::lowering {
namespace {

class Fusing {
 public:
  explicit Fusing(const KernelFacts& facts) : f_(facts), b_(facts.body()) {
    for (OpId op : b_.region(f_.kernel().root).ops)
      for (const Access& a : f_.accesses(op))
        if (a.write || a.ordered) stores_.push_back(&a);
  }

  // Tensors between whose `let` and use a store to what they load lies.
  std::set<OpId> outdated() {
    for (OpId op : b_.region(f_.kernel().root).ops)
      for (const Access& a : f_.accesses(op))
        if (!a.write)
          if (OpId let = outermost_tensor(a.op)) check(a, let);
    return std::move(outdated_);
  }

 private:
  OpId outermost_tensor(OpId op) const {
    OpId found;
    for (OpId at = op; at; at = b_.region(b_.op(at).parent).parent)
      if (is_read_in_place(b_.op(at).kind)) found = at;
    return found;
  }

  // Stores in operations of `region` at positions after `from` and before `to`.
  void check_between(const Access& load, OpId let, RegionId region, std::ptrdiff_t from, std::ptrdiff_t to) {
    for (const Access* s : stores_) {
      if (!f_.is_order_kept(*s, load)) continue;
      OpId at = f_.ancestor_in(s->op, region);
      if (!at) continue;
      auto p = static_cast<std::ptrdiff_t>(f_.position(at));
      if (p > from && p < to) outdated_.insert(let);
    }
  }

  void check(const Access& load, OpId let) {
    RegionId region = b_.op(let).parent;
    auto from = static_cast<std::ptrdiff_t>(f_.position(let));
    for (;;) {
      OpId at = f_.ancestor_in(load.site, region);
      if (!at) return;  // the value is used where it is not in scope: no verified kernel
      check_between(load, let, region, from, static_cast<std::ptrdiff_t>(f_.position(at)));
      if (at == load.site) return;
      const Op& op = b_.op(at);
      bool repeats = op.kind != OpKind::if_else;
      if (repeats) {
        for (const Access* s : stores_)
          if (f_.is_order_kept(*s, load) && f_.ancestor_in(s->op, op.parent) == at && !same_member(op, load, *s))
            outdated_.insert(let);
      }
      for (RegionId inner : op.regions)
        if (f_.ancestor_in(load.site, inner)) region = inner;
      from = -1;
    }
  }

  // Another iteration of an ordered loop may store before this one loads; another member of a parallel stores elsewhere
  // when the element decides the member.
  bool same_member(const Op& op, const Access& load, const Access& store) const {
    if (op.kind != OpKind::parallel) return false;
    if (!store.write || !f_.may_alias(store.view, load.view)) return true;  // members are not ordered
    for (ValueId axis : b_.region(op.regions[0]).args)
      if (!pinned_by_axis(f_, load, axis, store, axis)) return false;
    return true;
  }

  const KernelFacts& f_;
  const Body& b_;
  std::vector<const Access*> stores_;
  std::set<OpId> outdated_;
};

// What a value's elements are, construction knows of everything but tensors that control chooses or carries.
bool is_followable(const KernelFacts& facts, const Value& value) {
  if (!value.op) return false;
  const Op& op = facts.body().op(value.op);
  if (op.kind == OpKind::for_loop) return value.position >= op.operands.size();
  return is_relation(op.kind) || is_read_in_place(op.kind) || facts.keeps(value.op);
}

bool check_followable(const KernelFacts& facts, Diagnostics& diagnostics) {
  const Kernel& kernel = facts.kernel();
  const Body& b = facts.body();
  bool ok = true;
  for (std::uint32_t i = 0; i < b.value_count(); ++i) {
    const Value& value = b.value(ValueId(i));
    if (!value.type.is(TypeKind::tensor) && !value.type.is(TypeKind::view)) continue;
    if (kernel.abi.find_view(ValueId(i))) continue;
    if (is_followable(facts, value)) continue;
    diagnostics.error(
        "L-02", value.range,
        fmt::format("{} is a tensor chosen or carried by control flow, so its elements would have to be kept",
                    facts.name(ValueId(i))),
        "carry or choose scalars, store the elements to a buffer, or use the tensor inside the branch or loop that "
        "makes it");
    ok = false;
  }
  return ok;
}

// What is kept is stored to, which only statements can do.
bool check_places(const KernelFacts& facts, Diagnostics& diagnostics) {
  const Body& b = facts.body();
  bool ok = true;
  for (std::uint32_t i = 0; i < b.op_count(); ++i) {
    if (!facts.keeps(OpId(i))) continue;
    for (RegionId r = b.op(OpId(i)).parent; b.region(r).parent; r = b.op(b.region(r).parent).parent) {
      const Op& around = b.op(b.region(r).parent);
      const auto which =
          static_cast<std::size_t>(std::find(around.regions.begin(), around.regions.end(), r) - around.regions.begin());
      const Contents contents = row(around.kind).regions[which].contents;
      if (contents == Contents::statements || contents == Contents::results) continue;
      diagnostics.error("L-07", b.op(OpId(i)).range,
                        fmt::format("the elements of this {} would have to be kept inside a {}, which writes nothing",
                                    row(b.op(OpId(i)).kind).name, row(around.kind).name),
                        "compute it outside, or write the loop around it as a for");
      ok = false;
      break;
    }
  }
  return ok;
}

}  // namespace

bool settle_tensors(KernelFacts& facts, Diagnostics& diagnostics) {
  std::size_t before = diagnostics.error_count();
  if (!check_followable(facts, diagnostics)) return false;
  for (OpId let : Fusing(facts).outdated()) facts.keep(let);
  if (!check_places(facts, diagnostics)) return false;
  if (const OpId reader = facts.too_large()) {
    const Op& op = facts.body().op(reader);
    diagnostics.error("L-03", op.range,
                      fmt::format("computing the elements of tensors where this {} reads them takes more than {} operations",
                                  row(op.kind).name, KernelFacts::kMaxInlined),
                      "keep a tensor that others are made of in a buffer: let b = buffer f32[N] init (i) { t[i] }");
  }
  return diagnostics.error_count() == before;
}

}  // namespace kir::lowering
