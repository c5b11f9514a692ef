#include "lowering/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/ir/fold.h"
#include "core/ir/op_table.h"
#include "lowering/sharing.h"

namespace kir::lowering {
namespace {

// One writing statement of the root region with the pure statements it needs, transitively.
struct Piece {
  OpId statement;
  std::set<std::size_t> needs;  // positions in the root region
};

class Forming {
 public:
  explicit Forming(const KernelFacts& facts) : f_(facts), b_(facts.body()), root_(b_.region(facts.kernel().root)) {}

  std::vector<GroupPlan> run() {
    for (OpId op : root_.ops)
      if (f_.has_effect(op)) pieces_.push_back({op, {}});
    for (Piece& p : pieces_) collect(p.statement, p.needs);
    parent_.resize(pieces_.size());
    std::iota(parent_.begin(), parent_.end(), 0u);
    links_.resize(pieces_.size());
    for (std::size_t j = 1; j < pieces_.size(); ++j)
      for (std::size_t i = 0; i < j; ++i)
        if (std::string why = link(pieces_[i], pieces_[j]); !why.empty()) join(i, j, why);
    std::vector<GroupPlan> groups;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (find(i) == i) groups.push_back(plan(i));
    return groups;
  }

 private:
  void collect(OpId op, std::set<std::size_t>& needs) {
    for (ValueId v : f_.captures(op)) {
      OpId made = b_.value(v).op;
      if (!made || !needs.insert(f_.position(made)).second) continue;
      collect(made, needs);
    }
  }

  std::string link(const Piece& a, const Piece& b) {
    for (std::size_t p : b.needs) {
      OpId made = root_.ops[p];
      if (f_.has_effect(made) && (made == a.statement || a.needs.contains(p)))
        return fmt::format("the {} at {} makes a value that both use", row(b_.op(made).kind).name, f_.where(made));
      if (!a.needs.contains(p) || f_.is_free(made)) continue;
      return fmt::format("both use {} (the {} at {})", f_.name(b_.op(made).results[0]), row(b_.op(made).kind).name,
                         f_.where(made));
    }
    for (const Access* x : reach(a))
      for (const Access* y : reach(b))
        if (f_.is_order_kept(*x, *y))
          return fmt::format("{} is {} at {} and {} is {} at {}", view(*x), verb(*x), f_.where(x->op), view(*y), verb(*y),
                             f_.where(y->op));
    return {};
  }

  std::vector<const Access*> reach(const Piece& p) const {
    std::vector<const Access*> out;
    for (const Access& a : f_.accesses(p.statement)) out.push_back(&a);
    for (std::size_t n : p.needs)
      for (const Access& a : f_.accesses(root_.ops[n])) out.push_back(&a);
    return out;
  }

  std::string view(const Access& a) const { return f_.view_name(a.view); }
  static std::string_view verb(const Access& a) {
    return a.ordered ? "accessed in order with all others" : a.write ? "written" : "read";
  }

  std::size_t find(std::size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  void join(std::size_t i, std::size_t j, const std::string& why) {
    std::size_t a = find(i), b = find(j);
    if (a == b) return;
    parent_[std::max(a, b)] = std::min(a, b);
    links_[j].push_back(
        fmt::format("{} and {} are one group: {}", f_.where(pieces_[i].statement), f_.where(pieces_[j].statement), why));
  }

  // A fact that must hold anyway; it comes along where what it speaks of is at hand.
  bool takes_along(OpId assume, const std::set<std::size_t>& members) {
    std::set<std::size_t> needs;
    collect(assume, needs);
    return std::all_of(needs.begin(), needs.end(),
                       [&](std::size_t p) { return members.contains(p) || f_.is_free(root_.ops[p]); });
  }

  GroupPlan plan(std::size_t leader) {
    GroupPlan g;
    std::set<std::size_t> members;
    for (std::size_t i = leader; i < pieces_.size(); ++i) {
      if (find(i) != leader) continue;
      members.insert(f_.position(pieces_[i].statement));
      members.insert(pieces_[i].needs.begin(), pieces_[i].needs.end());
      g.lines.insert(g.lines.end(), links_[i].begin(), links_[i].end());
    }
    std::set<std::size_t> facts;
    for (OpId op : root_.ops)
      if ((b_.op(op).kind == OpKind::assume || b_.op(op).kind == OpKind::assume_in_bounds) && takes_along(op, members)) {
        facts.insert(f_.position(op));
        collect(op, facts);
      }
    members.insert(facts.begin(), facts.end());
    for (std::size_t p : members) g.statements.push_back(root_.ops[p]);
    g.workset = workset_of(f_, g.statements);
    describe(g);
    return g;
  }

  void describe(GroupPlan& g) const {
    for (const InstanceAxis& a : g.workset.axes)
      g.lines.push_back(
          fmt::format("axis {} in {}..{} is an instance axis: the {} at {} is unordered and its bounds are "
                      "known before the launch",
                      a.name, f_.text(a.lo), f_.text(a.hi), row(b_.op(a.parallel).kind).name, f_.where(a.parallel)));
    g.lines.insert(g.lines.end(), g.workset.reasons.begin(), g.workset.reasons.end());
    for (OpId s : g.statements) describe_inside(s, g);
    if (g.workset.axes.empty()) g.lines.push_back("one instance runs the whole group");
  }

  void describe_inside(OpId id, GroupPlan& g) const {
    const Op& op = b_.op(id);
    std::vector<std::string>& lines = g.lines;
    if (op.kind == OpKind::reduce || op.kind == OpKind::arg_reduce || op.kind == OpKind::scan)
      lines.push_back(fmt::format("{}: the {} at {} runs over {}", stay(op, 0, b_.region(op.regions[0]).args.size()),
                                  row(op.kind).name, f_.where(id), b_.region(op.regions[0]).args.size() == 1 ? "it" : "them"));
    if (op.kind == OpKind::region_fold || op.kind == OpKind::region_scan) {
      const ExprList& range = op.attrs.get<ExprList>(AttrKey::ranges);
      lines.push_back(fmt::format("axis {}..{} stays inside: the {} at {} cuts it into segments", f_.text(f_.expand(range[0])),
                                  f_.text(f_.expand(range[1])), row(op.kind).name, f_.where(id)));
    }
    if (op.kind == OpKind::contract) describe_contract(op, id, lines);
    if (auto s = std::ranges::find(g.workset.shared, id, &SharedBuffer::buffer); s != g.workset.shared.end())
      lines.push_back(fmt::format("the buffer at {} lies in the workspace of the launch: each instance owns {}", f_.where(id),
                                  slice_text(f_, g.workset, *s)));
    else if (f_.keeps(id))
      lines.push_back(
          fmt::format("what the {} at {} makes is kept in a buffer of the instance", row(op.kind).name, f_.where(id)));
    if (op.kind == OpKind::for_loop)
      lines.push_back(fmt::format("axis {} stays inside: the for at {} is ordered", f_.name(b_.region(op.regions[0]).args[0]),
                                  f_.where(id)));
    if (op.kind == OpKind::while_loop)
      lines.push_back(fmt::format("the while at {} is ordered and stays inside", f_.where(id)));
    for (RegionId r : op.regions)
      for (OpId inner : b_.region(r).ops) describe_inside(inner, g);
  }

  // "axis n stays inside", "axes i, j stay inside": arguments of the first region.
  std::string stay(const Op& op, std::size_t first, std::size_t count) const {
    std::string s;
    for (std::size_t k = first; k < first + count; ++k)
      s += (s.empty() ? "" : ", ") + f_.name(b_.region(op.regions[0]).args[k]);
    return fmt::format("{} {} {} inside", count == 1 ? "axis" : "axes", s, count == 1 ? "stays" : "stay");
  }

  // Batch and free axes are those of whatever reads the elements.
  void describe_contract(const Op& op, OpId id, std::vector<std::string>& lines) const {
    const ContractAxes axes = *contract_axes(op);
    auto names = [&](std::size_t side, std::size_t first, std::size_t count) {
      std::string s;
      for (std::size_t k = first; k < first + count; ++k)
        s += (s.empty() ? "" : ", ") + f_.name(b_.region(op.regions[side]).args[k]);
      return s;
    };
    std::string outer = names(0, 0, axes.batch + axes.left), right = names(1, axes.batch, axes.right);
    if (!outer.empty() && !right.empty()) outer += ", ";
    outer += right;
    if (!outer.empty())
      lines.push_back(fmt::format("axes {} of the contract at {} enter with what reads its elements", outer, f_.where(id)));
    lines.push_back(fmt::format("{}: the contract at {} sums over {}", stay(op, axes.batch + axes.left, axes.paired),
                                f_.where(id), axes.paired == 1 ? "it" : "them"));
  }

  const KernelFacts& f_;
  const Body& b_;
  const Region& root_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> parent_;
  std::vector<std::vector<std::string>> links_;
};

}  // namespace

std::vector<GroupPlan> form_groups(const KernelFacts& facts) { return Forming(facts).run(); }

}  // namespace kir::lowering
