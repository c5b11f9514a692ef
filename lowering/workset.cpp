#include "lowering/workset.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/ir/loop_exit.h"
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"
#include "lowering/relation.h"
#include "lowering/sharing.h"

namespace kir::lowering {
namespace {

class Analysis {
 public:
  explicit Analysis(const KernelFacts& facts) : f_(facts), b_(facts.body()) {}

  // `repeated`: the statements run once per iteration of an ordered loop, so that an access also meets those of other
  // iterations of its own statement.
  Workset sequence(std::span<const OpId> statements, bool repeated) {
    std::vector<OpId> effects, producers;
    for (OpId s : statements) {
      if (f_.has_effect(s))
        effects.push_back(s);
      else
        producers.push_back(s);
    }
    if (effects.empty()) return {};
    Workset w = statement(effects[0]);
    if (repeated) keep_agreeing(w, effects[0], effects[0]);
    for (std::size_t i = 1; i < effects.size(); ++i) {
      w = common(std::move(w), statement(effects[i]), std::span(effects).first(i), effects[i]);
      if (repeated) keep_agreeing(w, effects[i], effects[i]);
    }
    for (OpId p : producers)
      for (OpId e : effects) keep_unless_overwritten(w, p, e);
    for (OpId s : statements)
      if (!w.axes.empty() && f_.keeps(s) && !is_shareable(f_, s)) {
        w.reasons.push_back(fmt::format("no axis becomes an instance axis: every instance would keep what the {} at {} makes",
                                        row(b_.op(s).kind).name, f_.where(s)));
        w.axes.clear();
      }
    return w;
  }

 private:
  Workset statement(OpId id) {
    const Op& op = b_.op(id);
    switch (op.kind) {
      case OpKind::parallel: return parallel(id);
      case OpKind::for_loop:
      case OpKind::while_loop: return loop(id);
      case OpKind::if_else: return branch(id);
      case OpKind::scatter:
      case OpKind::histogram: return update(id);
      default: return {{}, {fmt::format("the {} at {} adds no axis: it has no members", row(op.kind).name, f_.where(id))}};
    }
  }

  Workset parallel(OpId id) {
    Workset w = domain(id);
    descend(w, b_.region(b_.op(id).regions[0]));
    return w;
  }

  // Members of a scatter or histogram have elements of their own, or are one atomic each.
  Workset update(OpId id) {
    const Op& op = b_.op(id);
    const bool merges = op.kind == OpKind::histogram || op.regions.size() > 1;
    if (!merges || atomic_update(b_, op)) return domain(id);
    return {{},
            {fmt::format("the {} at {} adds no axis: its members come one after the other", row(op.kind).name, f_.where(id))}};
  }

  Workset domain(OpId id) {
    const Op& op = b_.op(id);
    const Region& region = b_.region(op.regions[0]);
    const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
    Workset w;
    for (std::size_t k = 0; k < region.args.size(); ++k) {
      Expr lo = f_.expand(ranges[2 * k]), hi = f_.expand(ranges[2 * k + 1]);
      if (KernelFacts::launch_visible(lo) && KernelFacts::launch_visible(hi)) {
        w.axes.push_back({f_.name(region.args[k]), lo, hi, {region.args[k]}, id});
      } else {
        w.reasons.push_back(
            fmt::format("axis {} of the {} at {} stays inside: its bounds {}..{} are not known before the launch",
                        f_.name(region.args[k]), row(op.kind).name, f_.where(id), f_.text(lo), f_.text(hi)));
      }
    }
    return w;
  }

  // Inner axes join when one statement makes up the whole body: nothing but free operations and tensors, which are read
  // again where they are used, stands beside it.
  void descend(Workset& w, const Region& region) {
    OpId inner, shared;
    std::vector<OpId> effects;
    for (OpId o : region.ops) {
      if (row(b_.op(o).kind).terminator) continue;
      if (f_.has_effect(o))
        effects.push_back(o);
      else if (!f_.is_free(o) && (!is_read_in_place(b_.op(o).kind) || f_.keeps(o)) && !b_.op(o).results.empty() && !shared)
        shared = o;
    }
    if (effects.empty()) return;
    if (std::none_of(effects.begin(), effects.end(), [&](OpId e) { return has_members(e); })) return;
    if (effects.size() > 1) {
      w.reasons.push_back(fmt::format("axes below stay inside: the statements at {} and {} share their instance",
                                      f_.where(effects[0]), f_.where(effects[1])));
      return;
    }
    if (shared) {
      const Op& op = b_.op(shared);
      w.reasons.push_back(fmt::format("axes of the {} at {} stay inside: {} (the {} at {}) is one value for all of them",
                                      row(b_.op(effects[0]).kind).name, f_.where(effects[0]),
                                      op.results.empty() ? std::string("the value") : f_.name(op.results[0]), row(op.kind).name,
                                      f_.where(shared)));
      return;
    }
    Workset below = statement(effects[0]);
    std::move(below.axes.begin(), below.axes.end(), std::back_inserter(w.axes));
    std::move(below.reasons.begin(), below.reasons.end(), std::back_inserter(w.reasons));
  }

  bool has_members(OpId id) const {
    const Op& op = b_.op(id);
    if (op.kind == OpKind::parallel || is_update(op.kind)) return true;
    for (RegionId r : op.regions)
      for (OpId o : b_.region(r).ops)
        if (has_members(o)) return true;
    return false;
  }

  bool has_exit(RegionId r) const {
    if (leaves_loop(b_, r)) return true;
    for (OpId o : b_.region(r).ops)
      if (b_.op(o).kind == OpKind::if_else)
        for (RegionId inner : b_.op(o).regions)
          if (has_exit(inner)) return true;
    return false;
  }

  Workset loop(OpId id) {
    const Op& op = b_.op(id);
    if (op.kind == OpKind::while_loop || has_exit(op.regions[0]))
      return {{},
              {fmt::format("the {} at {} adds no axis: how often its body runs is one decision for all of it",
                           row(op.kind).name, f_.where(id))}};
    std::vector<OpId> all;
    for (RegionId r : op.regions) {
      for (OpId o : b_.region(r).ops)
        if (!row(b_.op(o).kind).terminator) all.push_back(o);
    }
    return sequence(all, true);
  }

  Workset branch(OpId id) {
    const Op& op = b_.op(id);
    Workset w;
    bool first = true;
    for (RegionId r : op.regions) {
      std::vector<OpId> all;
      bool effect = false;
      for (OpId o : b_.region(r).ops) {
        if (row(b_.op(o).kind).terminator) continue;
        all.push_back(o);
        effect = effect || f_.has_effect(o);
      }
      if (!effect) continue;
      Workset side = sequence(all, false);
      w = first ? std::move(side) : common(std::move(w), std::move(side), {}, {});
      first = false;
    }
    return w;
  }

  // Axes of `a` that are axes of `b` too: of equal domains, and such that an element that a statement of `before` and
  // `statement` both touch decides the axis. The first that fits is taken.
  Workset common(Workset a, Workset b, std::span<const OpId> before, OpId statement) {
    Workset out;
    out.reasons = std::move(a.reasons);
    out.reasons.insert(out.reasons.end(), b.reasons.begin(), b.reasons.end());
    std::vector<bool> used(b.axes.size(), false);
    for (const InstanceAxis& axis : a.axes) {
      std::optional<Conflict> conflict;
      bool found = false;
      for (std::size_t k = 0; k < b.axes.size() && !found; ++k) {
        if (used[k] || axis.lo != b.axes[k].lo || axis.hi != b.axes[k].hi) continue;
        InstanceAxis merged = axis;
        merged.args.insert(merged.args.end(), b.axes[k].args.begin(), b.axes[k].args.end());
        std::optional<Conflict> here;
        for (OpId earlier : before)
          if (!here) here = first_conflict(merged, earlier, statement);
        if (here) {
          if (!conflict) conflict = here;
          continue;
        }
        used[k] = found = true;
        out.axes.push_back(std::move(merged));
      }
      if (found) continue;
      if (conflict)
        out.reasons.push_back(told(axis, *conflict));
      else
        out.reasons.push_back(no_partner(axis));
    }
    for (std::size_t k = 0; k < b.axes.size(); ++k)
      if (!used[k]) out.reasons.push_back(no_partner(b.axes[k]));
    return out;
  }

  std::string no_partner(const InstanceAxis& axis) const {
    return fmt::format(
        "axis {} of the {} at {} stays inside: another statement of the same group has no such axis of the "
        "domain {}..{}",
        axis.name, row(b_.op(axis.parallel).kind).name, f_.where(axis.parallel), f_.text(axis.lo), f_.text(axis.hi));
  }

  // A buffer that each member of the axis makes anew.
  bool own(const InstanceAxis& axis, std::size_t view) const {
    const OpId made = f_.buffer(view);
    return made && std::any_of(axis.args.begin(), axis.args.end(),
                               [&](ValueId arg) { return static_cast<bool>(f_.ancestor_in(made, b_.value(arg).region)); });
  }

  struct Conflict {
    const Access *x, *y;
  };

  // Two accesses, one of them writing, that may touch one element in different members of the axis.
  std::optional<Conflict> first_conflict(const InstanceAxis& axis, OpId first, OpId second) const {
    for (const Access& x : f_.accesses(first))
      for (const Access& y : f_.accesses(second)) {
        if (!f_.is_order_kept(x, y) || (f_.may_alias(x.view, y.view) && own(axis, x.view))) continue;
        ValueId p = argument_of(f_, axis, x), q = argument_of(f_, axis, y);
        if (!p || !q || !pinned_by_axis(f_, x, p, y, q)) return Conflict{&x, &y};
      }
    return std::nullopt;
  }

  std::string told(const InstanceAxis& axis, const Conflict& c) const {
    if (c.x->ordered || c.y->ordered) {
      const Access &order = c.x->ordered ? *c.x : *c.y, &other = c.x->ordered ? *c.y : *c.x;
      return fmt::format("axis {} of the {} at {} stays inside: the atomic at {} orders what is accessed at {}", axis.name,
                         row(b_.op(axis.parallel).kind).name, f_.where(axis.parallel), f_.where(order.op), f_.where(other.op));
    }
    const Access &write = c.x->write ? *c.x : *c.y, &other = c.x->write ? *c.y : *c.x;
    return fmt::format(
        "axis {} of the {} at {} stays inside: {} is written at {} and {} at {}, and an element does not decide {}", axis.name,
        row(b_.op(axis.parallel).kind).name, f_.where(axis.parallel), f_.view_name(write.view), f_.where(write.op),
        other.write ? "written" : "read", f_.where(other.op), axis.name);
  }

  void keep_agreeing(Workset& w, OpId first, OpId second) {
    std::erase_if(w.axes, [&](const InstanceAxis& axis) {
      std::optional<Conflict> c = first_conflict(axis, first, second);
      if (c) w.reasons.push_back(told(axis, *c));
      return c.has_value();
    });
  }

  // A producer is evaluated by every instance, so that no instance may write what it reads.
  void keep_unless_overwritten(Workset& w, OpId producer, OpId effect) {
    if (w.axes.empty() || is_read_in_place(b_.op(producer).kind)) return;
    for (const Access& x : f_.accesses(producer))
      for (const Access& y : f_.accesses(effect)) {
        if (w.axes.empty()) return;
        if (!f_.is_order_kept(x, y)) continue;
        w.reasons.push_back(fmt::format("no axis becomes an instance axis: {} is read at {} for all of them and written at {}",
                                        f_.view_name(y.view), f_.where(x.op), f_.where(y.op)));
        w.axes.clear();
      }
  }

  const KernelFacts& f_;
  const Body& b_;
};

}  // namespace

ValueId argument_of(const KernelFacts& facts, const InstanceAxis& axis, const Access& access) {
  for (ValueId arg : axis.args)
    if (facts.ancestor_in(access.site, facts.body().value(arg).region)) return arg;
  return {};
}

Workset workset_of(const KernelFacts& facts, std::span<const OpId> statements) {
  Workset w = Analysis(facts).sequence(statements, false);
  share_buffers(facts, statements, w);
  return w;
}

}  // namespace kir::lowering
