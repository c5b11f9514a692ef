#include "core/ir/body.h"

#include "core/base/check.h"

namespace kir {
namespace {

template <class T, std::size_t I = 0>
constexpr std::size_t alternative() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, AttrValue>, T>)
    return I;
  else
    return alternative<T, I + 1>();
}

}  // namespace

std::size_t attr_kind(AttrKey key) {
  switch (key) {
    case AttrKey::literal:
    case AttrKey::unit: return alternative<Scalar>();
    case AttrKey::expr:
    case AttrKey::step:
    case AttrKey::capacity: return alternative<Expr>();
    case AttrKey::ranges:
    case AttrKey::extents: return alternative<ExprList>();
    case AttrKey::axes: return alternative<IntList>();
    case AttrKey::axis:
    case AttrKey::vector: return alternative<std::int64_t>();
    case AttrKey::identity: return alternative<ScalarList>();
    case AttrKey::identity_assumed:
    case AttrKey::exact_product: return alternative<bool>();
    case AttrKey::predicate: return alternative<CmpPredicate>();
    case AttrKey::mode: return alternative<ConvertMode>();
    case AttrKey::order: return alternative<Order>();
    case AttrKey::extreme: return alternative<Extreme>();
    case AttrKey::tie: return alternative<TieRule>();
    case AttrKey::nan: return alternative<NanRule>();
    case AttrKey::inclusion: return alternative<Inclusion>();
    case AttrKey::direction: return alternative<Direction>();
    case AttrKey::out_of_range: return alternative<OutOfRange>();
    case AttrKey::collision: return alternative<Collision>();
    case AttrKey::atomic_op: return alternative<AtomicOp>();
    case AttrKey::memory_order:
    case AttrKey::failure_order: return alternative<MemoryOrder>();
    case AttrKey::sharing: return alternative<Sharing>();
    case AttrKey::atomic_scope: return alternative<AtomicScope>();
    case AttrKey::scope: return alternative<BufferScope>();
  }
  KIR_UNREACHABLE("attribute key");
}

RegionId BodyBuilder::new_region(OpId parent) {
  body_.regions_.push_back({});
  body_.regions_.back().parent = parent;
  return RegionId(static_cast<std::uint32_t>(body_.regions_.size() - 1));
}

ValueId BodyBuilder::add_argument(RegionId region, Type type, std::string name, SourceRange range, ValueId origin) {
  ValueId id(static_cast<std::uint32_t>(body_.values_.size()));
  auto& args = body_.regions_[region.index].args;
  body_.values_.push_back({.type = std::move(type),
                           .name = std::move(name),
                           .op = {},
                           .region = region,
                           .position = static_cast<std::uint32_t>(args.size()),
                           .origin = origin,
                           .range = range});
  args.push_back(id);
  return id;
}

OpId BodyBuilder::emit(OpKind kind, std::vector<ValueId> operands, Attrs attrs, std::vector<Type> result_types,
                       SourceRange range, OpId origin, std::vector<std::string> names) {
  return emit_with_regions(kind, std::move(operands), std::move(attrs), {}, std::move(result_types), range, origin,
                           std::move(names));
}

OpId BodyBuilder::emit_with_regions(OpKind kind, std::vector<ValueId> operands, Attrs attrs, std::vector<RegionId> regions,
                                    std::vector<Type> result_types, SourceRange range, OpId origin,
                                    std::vector<std::string> names) {
  KIR_CHECK(!stack_.empty(), "no region is open");
  OpId id(static_cast<std::uint32_t>(body_.ops_.size()));
  for (RegionId r : regions) body_.regions_[r.index].parent = id;
  Op op{.kind = kind,
        .operands = std::move(operands),
        .results = {},
        .regions = std::move(regions),
        .attrs = std::move(attrs),
        .parent = stack_.back(),
        .range = range,
        .origin = origin};
  for (std::size_t i = 0; i < result_types.size(); ++i) {
    ValueId v(static_cast<std::uint32_t>(body_.values_.size()));
    body_.values_.push_back({.type = std::move(result_types[i]),
                             .name = i < names.size() ? std::move(names[i]) : std::string(),
                             .op = id,
                             .region = {},
                             .position = static_cast<std::uint32_t>(i),
                             .origin = {},
                             .range = range});
    op.results.push_back(v);
  }
  body_.ops_.push_back(std::move(op));
  body_.regions_[stack_.back().index].ops.push_back(id);
  return id;
}

Body BodyBuilder::freeze(ExprPool& pool, std::span<const RegionId> roots, Renumbering* map) {
  Renumbering m;
  m.values.resize(body_.values_.size());
  m.regions.resize(body_.regions_.size());
  m.ops.resize(body_.ops_.size());
  std::vector<RegionId> region_order;
  std::vector<OpId> op_order;
  std::vector<ValueId> value_order;
  region_order.reserve(body_.regions_.size());
  op_order.reserve(body_.ops_.size());
  value_order.reserve(body_.values_.size());
  auto number_value = [&](ValueId v) {
    m.values[v.index] = ValueId(static_cast<std::uint32_t>(value_order.size()));
    value_order.push_back(v);
  };
  auto walk = [&](auto&& self, RegionId r) -> void {
    m.regions[r.index] = RegionId(static_cast<std::uint32_t>(region_order.size()));
    region_order.push_back(r);
    for (ValueId a : body_.regions_[r.index].args) number_value(a);
    for (OpId o : body_.regions_[r.index].ops) {
      m.ops[o.index] = OpId(static_cast<std::uint32_t>(op_order.size()));
      op_order.push_back(o);
      for (RegionId inner : body_.ops_[o.index].regions) self(self, inner);
      for (ValueId v : body_.ops_[o.index].results) number_value(v);
    }
  };
  for (RegionId r : roots) walk(walk, r);

  auto value = [&](ValueId v) {
    KIR_CHECK(v && m.values[v.index], "a used value is not defined in the body");
    return m.values[v.index];
  };
  auto expr = [&](Expr e) {
    if (e.is(ExprKind::value)) return pool.value(value(e.value()), e.sort());
    if (e.kids().empty()) return e;
    return pool.import(
        e, [&](Expr leaf) { return leaf.is(ExprKind::value) ? pool.value(value(leaf.value()), leaf.sort()) : Expr(); });
  };
  Body out;
  out.regions_.reserve(region_order.size());
  out.ops_.reserve(op_order.size());
  out.values_.reserve(value_order.size());
  for (RegionId r : region_order) {
    Region region = std::move(body_.regions_[r.index]);
    for (ValueId& a : region.args) a = value(a);
    for (OpId& o : region.ops) o = m.ops[o.index];
    if (region.parent) region.parent = m.ops[region.parent.index];
    out.regions_.push_back(std::move(region));
  }
  for (OpId o : op_order) {
    Op op = std::move(body_.ops_[o.index]);
    for (ValueId& v : op.operands) v = value(v);
    for (ValueId& v : op.results) v = value(v);
    for (RegionId& r : op.regions) r = m.regions[r.index];
    op.parent = m.regions[op.parent.index];
    for (const auto& [key, v] : op.attrs.all()) {  // setting a key that is there leaves the others in place
      if (auto* e = std::get_if<Expr>(&v)) {
        op.attrs.set(key, expr(*e));
      } else if (auto* list = std::get_if<ExprList>(&v)) {
        ExprList copy = *list;
        for (Expr& e : copy) e = expr(e);
        op.attrs.set(key, std::move(copy));
      }
    }
    out.ops_.push_back(std::move(op));
  }
  for (ValueId v : value_order) {
    Value copy = std::move(body_.values_[v.index]);
    for (Expr& e : copy.type.shape) e = expr(e);
    if (copy.op) copy.op = m.ops[copy.op.index];
    if (copy.region) copy.region = m.regions[copy.region.index];
    out.values_.push_back(std::move(copy));
  }
  constexpr std::size_t kRoom = 10000;
  if (body_.ops_.size() > kRoom) body_ = {};
  body_.regions_.clear();  // keeps the room for the next body
  body_.ops_.clear();
  body_.values_.clear();
  stack_.clear();
  if (map) *map = std::move(m);
  return out;
}

LoadView as_load(const Body& body, const Op& op) {
  KIR_CHECK(op.kind == OpKind::load, "not a load");
  std::span<const ValueId> all(op.operands);
  std::size_t rank = body.type(all[0]).rank();
  return {all[0], all.subspan(1, rank), all.size() > rank + 1 ? all[rank + 1] : ValueId{},
          all.size() > rank + 2 ? all[rank + 2] : ValueId{}};
}

StoreView as_store(const Body& body, const Op& op) {
  KIR_CHECK(op.kind == OpKind::store, "not a store");
  std::span<const ValueId> all(op.operands);
  std::size_t rank = body.type(all[0]).rank();
  return {all[0], all.subspan(1, rank), all[rank + 1], all.size() > rank + 2 ? all[rank + 2] : ValueId{}};
}

namespace {

bool same_expr(Expr a, Expr b) {
  if (a == b) return true;
  if (a == Expr() || b == Expr() || a.kind() != b.kind() || a.sort() != b.sort() || a.number() != b.number() ||
      a.name() != b.name() || a.kids().size() != b.kids().size())
    return false;
  for (std::size_t i = 0; i < a.kids().size(); ++i)
    if (!same_expr(a.kid(i), b.kid(i))) return false;
  return true;
}

bool same_list(std::span<const Expr> a, std::span<const Expr> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_expr(a[i], b[i])) return false;
  return true;
}

bool same_type(const Type& a, const Type& b) {
  return a.kind == b.kind && (a.kind == TypeKind::index || a.dtype == b.dtype) && a.layout == b.layout &&
         same_list(a.shape, b.shape);
}

bool same_attrs(const Attrs& a, const Attrs& b) {
  if (a.all().size() != b.all().size()) return false;
  for (const auto& [key, va] : a.all()) {
    auto it = b.all().find(key);
    if (it == b.all().end() || it->second.index() != va.index()) return false;
    const AttrValue& vb = it->second;
    if (auto* e = std::get_if<Expr>(&va)) {
      if (!same_expr(*e, std::get<Expr>(vb))) return false;
    } else if (auto* list = std::get_if<ExprList>(&va)) {
      if (!same_list(*list, std::get<ExprList>(vb))) return false;
    } else if (!(va == vb)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool structurally_equal(const Body& a, const Body& b) {
  if (a.op_count() != b.op_count() || a.value_count() != b.value_count() || a.region_count() != b.region_count()) return false;
  for (std::uint32_t i = 0; i < a.region_count(); ++i) {
    const Region &x = a.region(RegionId(i)), &y = b.region(RegionId(i));
    if (x.args != y.args || x.ops != y.ops || x.parent != y.parent) return false;
  }
  for (std::uint32_t i = 0; i < a.value_count(); ++i)
    if (!same_type(a.type(ValueId(i)), b.type(ValueId(i)))) return false;
  for (std::uint32_t i = 0; i < a.op_count(); ++i) {
    const Op &x = a.op(OpId(i)), &y = b.op(OpId(i));
    if (x.kind != y.kind || x.operands != y.operands || x.results != y.results || x.regions != y.regions ||
        x.parent != y.parent || !same_attrs(x.attrs, y.attrs))
      return false;
  }
  return true;
}

}  // namespace kir
