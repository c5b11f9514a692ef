#include "lowering/fuse.h"

#include <fmt/format.h>

#include <set>

#include "lowering/relation.h"

namespace kir::lowering {
namespace {

class Fusing {
 public:
  Fusing(const KernelFacts& facts, Diagnostics& diagnostics) : f_(facts), b_(facts.body()), diagnostics_(diagnostics) {
    for (OpId op : b_.region(f_.kernel().root).ops)
      for (const Access& a : f_.accesses(op))
        if (a.write) stores_.push_back(&a);
  }

  void check() {
    for (OpId op : b_.region(f_.kernel().root).ops)
      for (const Access& a : f_.accesses(op))
        if (!a.write)
          if (OpId let = outermost_tensor(a.op)) check(a, let);
  }

 private:
  OpId outermost_tensor(OpId op) const {
    OpId found;
    for (OpId at = op; at; at = b_.region(b_.op(at).parent).parent)
      if (makes_tensor(b_.op(at).kind)) found = at;
    return found;
  }

  // Stores in operations of `region` at positions after `from` and before `to`.
  void check_between(const Access& load, OpId let, RegionId region, std::ptrdiff_t from, std::ptrdiff_t to) {
    for (const Access* s : stores_) {
      if (!f_.may_alias(s->view, load.view)) continue;
      OpId at = f_.ancestor_in(s->op, region);
      if (!at) continue;
      auto p = static_cast<std::ptrdiff_t>(f_.position(at));
      if (p > from && p < to) report(load, let, *s);
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
          if (f_.may_alias(s->view, load.view) && f_.ancestor_in(s->op, op.parent) == at && !same_member(op, load, *s))
            report(load, let, *s);
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
    for (ValueId axis : b_.region(op.regions[0]).args)
      if (!pinned_by_axis(f_, load, axis, store, axis)) return false;
    return true;
  }

  void report(const Access& load, OpId let, const Access& store) {
    if (!reported_.insert({let, store.op}).second) return;
    const ViewParam& written = f_.kernel().abi.views[store.view];
    diagnostics_.error(
        "L-01", b_.op(let).range,
        fmt::format("tensor {} loads {}, and the store to {} at {} lies between it and its use at {}: its elements would have "
                    "to be kept, and there is no buffer for them",
                    f_.name(b_.op(let).results[0]), f_.kernel().abi.views[load.view].name, written.name, f_.where(store.op),
                    f_.where(load.site)),
        "use the tensor before the store, or write it to a view of its own in another kernel");
  }

  const KernelFacts& f_;
  const Body& b_;
  Diagnostics& diagnostics_;
  std::vector<const Access*> stores_;
  std::set<std::pair<OpId, OpId>> reported_;
};

// Tensors and views that construction can follow: everything but results and arguments of control.
bool check_followable(const KernelFacts& facts, Diagnostics& diagnostics) {
  const Kernel& kernel = facts.kernel();
  const Body& b = facts.body();
  bool ok = true;
  for (std::uint32_t i = 0; i < b.value_count(); ++i) {
    const Value& value = b.value(ValueId(i));
    if (!value.type.is(TypeKind::tensor) && !value.type.is(TypeKind::view)) continue;
    if (kernel.abi.find_view(ValueId(i))) continue;
    if (value.op && (is_relation(b.op(value.op).kind) || makes_tensor(b.op(value.op).kind))) continue;
    diagnostics.error("L-02", value.range,
                      fmt::format("{} is a tensor chosen or carried by control flow: it would have to be kept, and there is no "
                                  "buffer for it",
                                  facts.name(ValueId(i))),
                      "carry or choose scalars, or use the tensor inside the branch or loop that makes it");
    ok = false;
  }
  return ok;
}

}  // namespace

bool check_fusible(const KernelFacts& facts, Diagnostics& diagnostics) {
  std::size_t before = diagnostics.error_count();
  if (!check_followable(facts, diagnostics)) return false;
  Fusing(facts, diagnostics).check();
  if (facts.too_large())
    diagnostics.error("L-03", facts.kernel().range,
                      fmt::format("reading the tensors of {} where they are used takes more than {} operations",
                                  facts.kernel().id(), KernelFacts::kMaxInlined),
                      "a tensor whose elements are used many times has to be kept in a view by another kernel");
  return diagnostics.error_count() == before;
}

}  // namespace kir::lowering
