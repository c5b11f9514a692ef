#include "lowering/sharing.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/op_table.h"

namespace kir::lowering {
namespace {

class Slices {
 public:
  Slices(const KernelFacts& facts, std::span<const OpId> statements, OpId buffer) : f_(facts), made_(facts.body().op(buffer)) {
    const std::size_t number = *facts.view_number(made_.results[0]);
    for (OpId s : statements)
      for (const Access& a : facts.accesses(s))
        if (a.view == number) accesses_.push_back(&a);
  }

  // The axis in the coordinate of this dimension, as position 0, when it is the same in all accesses.
  Expr coordinate(const InstanceAxis& axis, std::size_t dimension) const {
    Expr all;
    for (const Access* a : accesses_) {
      const ValueId argument = argument_of(f_, axis, *a);
      const Expr here = argument ? along_axis(f_, a->coordinates[dimension], argument) : Expr();
      if (!here || (all && here != all)) return {};
      all = here;
    }
    return all;
  }
  bool covers(const InstanceAxis& axis, std::size_t dimension) const {
    const Expr c = coordinate(axis, dimension);
    if (!c) return false;
    auto at = [&](Expr member) { return substitute(c, [&](Expr l) { return l.is(ExprKind::position) ? member : Expr(); }); };
    return f_.holds(equal(at(axis.lo), f_.pool().constant(0))) &&
           f_.holds(equal(at(axis.hi), f_.expand(made_.attrs.get<ExprList>(AttrKey::extents)[dimension])));
  }
  std::size_t rank() const { return made_.attrs.get<ExprList>(AttrKey::extents).size(); }
  bool has_initial_value() const { return !made_.regions.empty(); }

 private:
  const KernelFacts& f_;
  const Op& made_;
  std::vector<const Access*> accesses_;
};

}  // namespace

bool is_shareable(const KernelFacts& facts, OpId id) {
  const Op& op = facts.body().op(id);
  return op.kind == OpKind::buffer && op.parent == facts.kernel().root &&
         std::ranges::all_of(op.attrs.get<ExprList>(AttrKey::extents),
                             [&](Expr e) { return KernelFacts::launch_visible(facts.expand(e)); });
}

void share_buffers(const KernelFacts& facts, std::span<const OpId> statements, Workset& w) {
  std::vector<std::pair<OpId, Slices>> buffers;
  for (OpId s : statements)
    if (is_shareable(facts, s)) buffers.emplace_back(s, Slices(facts, statements, s));
  for (const auto& [buffer, slices] : buffers) {
    if (!slices.has_initial_value()) continue;
    std::erase_if(w.axes, [&](const InstanceAxis& axis) {
      for (std::size_t d = 0; d < slices.rank(); ++d)
        if (slices.covers(axis, d)) return false;
      w.reasons.push_back(fmt::format(
          "axis {} of the {} at {} stays inside: which instance makes the initial value of the buffer at {}, its elements do "
          "not decide",
          axis.name, row(facts.body().op(axis.parallel).kind).name, facts.where(axis.parallel), facts.where(buffer)));
      return true;
    });
  }
  if (w.axes.empty()) return;
  for (const auto& [buffer, slices] : buffers) {
    SharedBuffer shared{buffer, std::vector<std::optional<SharedBuffer::Owner>>(slices.rank())};
    for (std::size_t a = 0; a < w.axes.size(); ++a)
      for (std::size_t d = 0; d < slices.rank(); ++d)
        if (const Expr c = slices.coordinate(w.axes[a], d); c && !shared.owner[d]) {
          shared.owner[d] = {a, c};
          break;
        }
    w.shared.push_back(std::move(shared));
  }
}

std::string slice_text(const KernelFacts& facts, const Workset& w, const SharedBuffer& shared) {
  std::string out;
  for (const auto& owner : shared.owner) {
    out += out.empty() ? "" : ", ";
    out += !owner ? ":" : to_string(owner->coordinate, [&](Expr l) {
      return l.is(ExprKind::position) ? w.axes[owner->axis].name : std::string();
    });
  }
  return fmt::format("{}[{}]", facts.name(facts.body().op(shared.buffer).results[0]), out);
}

}  // namespace kir::lowering
