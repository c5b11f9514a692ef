#include "lowering/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/ir/fold.h"
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"
#include "lowering/relation.h"

namespace kir::lowering {

KernelFacts::KernelFacts(const Kernel& kernel) : kernel_(kernel) {
  const Body& b = kernel.body;
  effect_.assign(b.op_count(), false);
  position_.assign(b.op_count(), 0);
  for (std::uint32_t r = 0; r < b.region_count(); ++r) {
    const Region& region = b.region(RegionId(r));
    for (std::size_t i = 0; i < region.ops.size(); ++i) position_[region.ops[i].index] = i;
  }
  for (std::uint32_t i = 0; i < b.op_count(); ++i) {
    const OpKind kind = b.op(OpId(i)).kind;
    if (kind != OpKind::store && !is_atomic(kind) && !is_update(kind)) continue;
    for (OpId at(i); at && !effect_[at.index]; at = b.region(b.op(at).parent).parent) effect_[at.index] = true;
  }
  uses_.assign(b.value_count(), 0);
  reads_.assign(b.op_count(), 0);
  for (std::uint32_t i = 0; i < b.op_count(); ++i) {
    const Op& op = b.op(OpId(i));
    if (op.kind == OpKind::buffer) {
      buffer_number_.emplace(op.results[0], kernel.abi.views.size() + buffers_.size());
      buffers_.push_back(OpId(i));
    }
    if (op.kind == OpKind::elem || op.kind == OpKind::gather || op.kind == OpKind::concat)
      for (ValueId v : op.operands)
        if (b.type(v).is(TypeKind::tensor))
          if (OpId let = b.value(base_of(kernel, v)).op) ++reads_[let.index];
    for (ValueId v : op.operands) ++uses_[v.index];
    for (const auto& [key, attr] : op.attrs.all()) {
      if (auto* e = std::get_if<Expr>(&attr))
        for (ValueId v : value_leaves(*e)) ++uses_[v.index];
      if (auto* list = std::get_if<ExprList>(&attr))
        for (Expr e : *list)
          for (ValueId v : value_leaves(e)) ++uses_[v.index];
    }
  }
  alias_class_.resize(kernel.abi.views.size() + buffers_.size());
  std::iota(alias_class_.begin(), alias_class_.end(), 0u);
  for (const AliasFact& fact : kernel.abi.aliases) {
    std::size_t from = alias_class_[fact.a], to = alias_class_[fact.b];
    for (std::size_t& c : alias_class_)
      if (c == from) c = to;
  }
  for (const ViewParam& v : kernel.abi.views)
    for (Expr e : v.shape) extents_.insert(expand(e));
  preconditions_ = std::make_unique<Facts>(pool_);
  for (Expr e : extents_) preconditions_->assume(less_equal(pool_.constant(0), e));
  for (Expr e : kernel.abi.where) preconditions_->assume(expand(e));
}

bool KernelFacts::holds(Expr condition) const { return preconditions_->decide(condition).value_or(false); }

bool KernelFacts::never_negative(Expr e) const { return holds(less_equal(pool_.constant(0), e)); }

Expr KernelFacts::expand(Expr e) const {
  return pool_.import(e, [&](Expr leaf) {
    if (!leaf.is(ExprKind::value)) return Expr();
    Expr known = expand(leaf.value());
    return known.sort() == leaf.sort() ? known : pool_.value(leaf.value(), leaf.sort());
  });
}

Expr KernelFacts::expand(ValueId v) const {
  if (auto it = expanded_.find(v); it != expanded_.end()) return it->second;
  const Value& value = body().value(v);
  Expr out;
  if (value.op && body().op(value.op).kind == OpKind::index) {
    out = expand(body().op(value.op).attrs.get<Expr>(AttrKey::expr));
  } else if (value.op && body().op(value.op).kind == OpKind::part) {
    const ExprList& range = body().op(value.op).attrs.get<ExprList>(AttrKey::ranges);
    out = expand(range[0]);
    if (v == body().op(value.op).results[1]) out = max(out, expand(range[1]));
  } else {
    out = pool_.value(v, value.type.is_scalar(DType::i1) ? Sort::boolean : Sort::integer);
  }
  expanded_.emplace(v, out);
  return out;
}

bool KernelFacts::launch_visible(Expr e) {
  return !mentions(e, [](Expr leaf) { return !leaf.is(ExprKind::symbol); });
}

bool KernelFacts::is_free(OpId id) const {
  const Op& op = body().op(id);
  return is_pointwise(op.kind) || is_relation(op.kind) || op.kind == OpKind::part || op.kind == OpKind::iota;
}

bool KernelFacts::keeps(OpId id) const {
  const Op& op = body().op(id);
  switch (op.kind) {
    case OpKind::buffer:
    case OpKind::region_scan:
    case OpKind::scan: return true;
    case OpKind::for_loop: return op.results.size() > op.operands.size();
    default: return is_read_in_place(op.kind) && kept_.contains(id);
  }
}

void KernelFacts::keep(OpId let) {
  kept_.insert(let);
  accesses_.clear();
}

OpId KernelFacts::buffer(std::size_t view) const {
  return view < kernel_.abi.views.size() ? OpId() : buffers_[view - kernel_.abi.views.size()];
}

std::string KernelFacts::view_name(std::size_t view) const {
  OpId made = buffer(view);
  return made ? name(body().op(made).results[0]) : kernel_.abi.views[view].name;
}

std::optional<std::size_t> KernelFacts::view_number(ValueId base) const {
  if (const ViewParam* param = kernel_.abi.find_view(base)) return static_cast<std::size_t>(param - kernel_.abi.views.data());
  auto it = buffer_number_.find(base);
  return it == buffer_number_.end() ? std::nullopt : std::optional(it->second);
}

const std::vector<ValueId>& KernelFacts::captures(OpId root) const {
  if (auto it = captures_.find(root); it != captures_.end()) return it->second;
  std::vector<ValueId> used;
  std::unordered_set<ValueId> seen, inside;
  auto use = [&](ValueId v) {
    if (!inside.contains(v) && seen.insert(v).second) used.push_back(v);
  };
  auto use_expr = [&](Expr e) {
    for (ValueId v : value_leaves(e)) use(v);
  };
  auto visit = [&](auto&& self, OpId id) -> void {
    const Op& op = body().op(id);
    for (ValueId v : op.operands) use(v);
    for (const auto& [key, attr] : op.attrs.all()) {
      if (auto* e = std::get_if<Expr>(&attr)) use_expr(*e);
      if (auto* list = std::get_if<ExprList>(&attr))
        for (Expr e : *list) use_expr(e);
    }
    for (RegionId r : op.regions) {
      for (ValueId a : body().region(r).args) inside.insert(a);
      for (OpId inner : body().region(r).ops) {
        self(self, inner);
        for (ValueId v : body().op(inner).results) inside.insert(v);
      }
    }
  };
  visit(visit, root);
  return captures_.emplace(root, std::move(used)).first->second;
}

OpId KernelFacts::ancestor_in(OpId op, RegionId region) const {
  while (op && body().op(op).parent != region) op = body().region(body().op(op).parent).parent;
  return op;
}

// Follows execution order through one operation; tensors are entered where their elements are read.
class KernelFacts::Walk {
 public:
  Walk(const KernelFacts& facts, OpId whole, std::vector<Access>& out)
      : f_(facts), b_(facts.body()), whole_(whole), out_(out) {}

  void op(OpId id, OpId site) {
    if (exceeded()) return;
    const Op& o = b_.op(id);
    if (is_relation(o.kind) || (is_read_in_place(o.kind) && !f_.keeps(id))) return;
    if (is_memory_access(o.kind)) {
      const MemoryAccess a = as_access(b_, o);
      access(id, site, a.view, coordinates(a.coordinates), writes_element(o.kind));
    } else if (is_update(o.kind)) {
      for (OpId inner : b_.region(o.regions[0]).ops) op(inner, site);
      for (ValueId v : o.operands) access(id, site, v, coordinates(b_.yields(o.regions[0]).first(b_.type(v).rank())), true);
    } else if (o.kind == OpKind::elem) {
      element(o.operands[0], coordinates(std::span(o.operands).subspan(1)), site ? site : id);
    } else {
      for (RegionId r : o.regions)
        for (OpId inner : b_.region(r).ops) op(inner, site);
      // Of what is kept, elements that only the operation knows.
      if (is_read_in_place(o.kind)) sources(id, std::vector(b_.type(o.results[0]).rank(), f_.pool_.value(o.results[0])), site);
    }
  }

 private:
  bool exceeded() {
    if (!f_.too_large_ && ++visited_ > kMaxInlined) f_.too_large_ = whole_;
    return static_cast<bool>(f_.too_large_);
  }
  // What reading an element of a tensor reads. What is kept is read where it is made.
  void element(ValueId tensor, std::vector<Expr> at, OpId site) {
    Place place = resolve(f_.kernel_, tensor, std::move(at), f_.pool_, leaf());
    const OpId made = b_.value(place.base).op;
    if (!made || !is_read_in_place(b_.op(made).kind) || f_.keeps(made)) return;
    if (exceeded()) return;
    const auto saved = args_;
    enter(b_.op(made), place.coordinates);
    for (RegionId region : b_.op(made).regions)
      for (OpId inner : b_.region(region).ops) op(inner, site);
    sources(made, std::move(place.coordinates), site);
    args_ = saved;
  }
  // What a gather or concat reads for its element `at`; the regions have been followed.
  void sources(OpId made, std::vector<Expr> at, OpId site) {
    const Op& o = b_.op(made);
    if (o.kind == OpKind::gather) source(made, o.operands[0], coordinates(b_.yields(o.regions[0])), site);
    if (o.kind != OpKind::concat) return;
    const auto axis = static_cast<std::size_t>(o.attrs.get<std::int64_t>(AttrKey::axis));
    for (ValueId v : o.operands) {  // one of them
      source(made, v, at, site);
      at[axis] = at[axis] - bound(f_.expand(b_.type(v).shape[axis]));
    }
  }
  void source(OpId reader, ValueId v, std::vector<Expr> at, OpId site) {
    if (f_.too_large_) return;
    if (b_.type(v).is(TypeKind::view)) return access(reader, site, v, std::move(at), false);
    element(v, std::move(at), site ? site : reader);
  }
  // The arguments of a tensor's or contraction's regions at one element.
  void enter(const Op& source, const std::vector<Expr>& at) {
    if (source.regions.empty()) return;
    if (source.kind != OpKind::contract) {
      for (std::size_t i = 0; i < at.size(); ++i) args_[b_.region(source.regions[0]).args[i]] = at[i];
      return;
    }
    const ContractAxes axes = *contract_axes(source);
    const ExprList& ranges = source.attrs.get<ExprList>(AttrKey::ranges);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Expr lo = bound(f_.expand(ranges[2 * i]));
      const Expr here = lo.is_constant(0) ? at[i] : lo + at[i];
      if (i < axes.batch + axes.left) args_[b_.region(source.regions[0]).args[i]] = here;
      if (i < axes.batch) args_[b_.region(source.regions[1]).args[i]] = here;
      if (i >= axes.batch + axes.left) args_[b_.region(source.regions[1]).args[i - axes.left]] = here;
    }
  }
  void access(OpId id, OpId site, ValueId view, std::vector<Expr> at, bool write) {
    Place place = resolve(f_.kernel_, view, std::move(at), f_.pool_, leaf());
    const std::optional<std::size_t> number = f_.view_number(place.base);
    if (!number) return;  // construction reports it
    out_.push_back({id, write, *number, std::move(place.coordinates), is_ordered(b_.op(id)), site ? site : id});
  }
  std::function<Expr(Expr)> leaf() {
    return [this](Expr l) { return l.is(ExprKind::value) ? bound(f_.expand(l.value())) : Expr(); };
  }
  // Tensor arguments replaced by the coordinates at which the element is read.
  Expr bound(Expr e) {
    if (args_.empty()) return e;
    return substitute(e, [&](Expr l) {
      auto it = l.is(ExprKind::value) ? args_.find(l.value()) : args_.end();
      return it == args_.end() ? Expr() : it->second;
    });
  }
  std::vector<Expr> coordinates(std::span<const ValueId> values) {
    std::vector<Expr> out;
    for (ValueId v : values) out.push_back(bound(f_.expand(v)));
    return out;
  }

  const KernelFacts& f_;
  const Body& b_;
  const OpId whole_;
  std::vector<Access>& out_;
  std::unordered_map<ValueId, Expr> args_;
  std::size_t visited_ = 0;
};

const std::vector<Access>& KernelFacts::accesses(OpId op) const {
  if (auto it = accesses_.find(op); it != accesses_.end()) return it->second;
  std::vector<Access> found;
  Walk(*this, op, found).op(op, {});
  if (too_large_) found.clear();
  return accesses_.emplace(op, std::move(found)).first->second;
}

std::string KernelFacts::where(OpId op) const {
  SourceRange range = body().op(op).range;
  if (kernel_.source) return describe(*kernel_.source, range);
  return fmt::format("operation {}", op.index);
}

std::string KernelFacts::name(ValueId v) const {
  const Value& value = body().value(v);
  return value.name.empty() ? fmt::format("t{}", v.index) : value.name;
}

std::string KernelFacts::text(Expr e) const {
  return to_string(e, [&](Expr leaf) { return leaf.is(ExprKind::value) ? name(leaf.value()) : std::string(); });
}

namespace {

// e = axis + c with c over symbols alone: c as a pair (added, subtracted) is left in the tree, so that equal trees mean
// equal c.
bool is_axis_plus_visible(Expr e, Expr axis) {
  if (e == axis) return true;
  if (e.is(ExprKind::add))
    return (is_axis_plus_visible(e.kid(0), axis) && KernelFacts::launch_visible(e.kid(1))) ||
           (is_axis_plus_visible(e.kid(1), axis) && KernelFacts::launch_visible(e.kid(0)));
  if (e.is(ExprKind::sub))
    return (is_axis_plus_visible(e.kid(0), axis) && KernelFacts::launch_visible(e.kid(1))) ||
           (is_axis_plus_visible(e.kid(1), axis) && KernelFacts::launch_visible(e.kid(0)));
  return false;
}

}  // namespace

Expr along_axis(const KernelFacts& facts, Expr coordinate, ValueId argument) {
  const Expr axis = facts.pool().position(0);
  const Expr e = substitute(coordinate, [&](Expr l) { return l.is(ExprKind::value) && l.value() == argument ? axis : Expr(); });
  return is_axis_plus_visible(e, axis) ? e : Expr();
}

bool pinned_by_axis(const KernelFacts& facts, const Access& x, ValueId a, const Access& y, ValueId b) {
  if (x.ordered || y.ordered) return false;
  for (std::size_t d = 0; d < std::min(x.coordinates.size(), y.coordinates.size()); ++d)
    if (const Expr p = along_axis(facts, x.coordinates[d], a); p && p == along_axis(facts, y.coordinates[d], b)) return true;
  return false;
}

}  // namespace kir::lowering
