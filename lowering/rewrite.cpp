#include "lowering/rewrite.h"

#include <unordered_map>

#include "core/base/check.h"

namespace kir::lowering {
namespace {

class Copy {
 public:
  Copy(const PhysicalProgram& from, const Edit& edit) : from_(from), b_(from.body), edit_(edit) {}

  PhysicalPtr run() {
    auto out = std::make_shared<PhysicalProgram>(from_);
    out->pool = std::make_shared<ExprPool>();
    pool_ = out->pool.get();
    std::vector<RegionId> roots = {region(from_.root)};
    for (const Group& g : from_.groups) roots.push_back(region(g.region));
    BodyBuilder::Renumbering map;
    out->body = builder_.freeze(*pool_, roots, &map);
    auto final_value = [&](ValueId v) { return map.values[values_.at(v).index]; };
    auto outside = [&](Expr& e) {
      if (e == Expr()) return;
      e = pool_->import(
          e, [&](Expr l) { return l.is(ExprKind::value) ? pool_->value(final_value(l.value()), l.sort()) : Expr(); });
    };
    out->root = map.regions[roots[0].index];
    out->work = final_value(from_.work);
    for (ViewParam& v : out->abi.views) {
      v.value = final_value(v.value);
      for (Expr& e : v.shape) outside(e);
      for (Expr& e : v.strides) outside(e);
    }
    for (ScalarParam& s : out->abi.scalars) s.value = final_value(s.value);
    for (ValueId& v : out->workspace) v = final_value(v);
    for (SymbolInfo& s : out->abi.symbols) {
      outside(s.lo);
      outside(s.hi);
    }
    for (Expr& e : out->abi.where) outside(e);
    for (DataFact& f : out->abi.data) {
      outside(f.lo);
      outside(f.hi);
    }
    for (Definition& d : out->definitions) outside(d.value);
    for (Segment& s : out->segments) {
      for (Expr& e : s.lo) outside(e);
      for (Expr& e : s.hi) outside(e);
    }
    for (DispatchArm& a : out->arms) {
      outside(a.guard);
      for (Expr& e : a.coordinates) outside(e);
    }
    for (std::size_t g = 0; g < out->groups.size(); ++g) {
      out->groups[g].region = map.regions[roots[g + 1].index];
      for (Expr& e : out->groups[g].lo) outside(e);
      for (Expr& e : out->groups[g].hi) outside(e);
    }
    return out;
  }

 private:
  Expr expr(Expr e) {
    return pool_->import(
        e, [&](Expr l) { return l.is(ExprKind::value) ? pool_->value(values_.at(l.value()), l.sort()) : Expr(); });
  }

  Type type(const Type& t) {
    Type out = t;
    for (Expr& e : out.shape) e = expr(e);
    return out;
  }

  RegionId region(RegionId id) {
    const Region& r = b_.region(id);
    RegionId out = builder_.new_region();
    builder_.set_region_origin(out, r.origin);
    for (ValueId a : r.args) {
      const Value& v = b_.value(a);
      values_[a] = builder_.add_argument(out, type(v.type), v.name, v.range, v.origin);
    }
    builder_.enter(out);
    for (OpId o : r.ops) op(o);
    builder_.leave();
    return out;
  }

  void op(OpId id) {
    const Op& o = b_.op(id);
    OpEdit edited{o.kind, o.operands, o.attrs, {}, o.regions, 1};
    for (ValueId v : o.results) edited.types.push_back(b_.type(v));
    edit_(id, edited);
    KIR_CHECK(edited.times <= 1 || o.results.empty(), "an operation with results stands once");
    for (int i = 0; i < edited.times; ++i) emit(o, edited);
  }

  void emit(const Op& o, const OpEdit& edited) {
    std::vector<RegionId> regions;
    for (RegionId r : edited.regions) regions.push_back(region(r));
    std::vector<ValueId> operands;
    for (ValueId v : edited.operands) operands.push_back(values_.at(v));
    Attrs attrs;
    for (const auto& [key, attr] : edited.attrs.all()) {
      if (auto* e = std::get_if<Expr>(&attr)) {
        attrs.set(key, expr(*e));
      } else if (auto* list = std::get_if<ExprList>(&attr)) {
        ExprList copy;
        for (Expr e : *list) copy.push_back(expr(e));
        attrs.set(key, std::move(copy));
      } else {
        attrs.set(key, attr);
      }
    }
    std::vector<Type> types;
    std::vector<std::string> names;
    for (const Type& t : edited.types) types.push_back(type(t));
    for (ValueId v : o.results) names.push_back(b_.value(v).name);
    OpId made = builder_.emit_with_regions(edited.kind, std::move(operands), std::move(attrs), std::move(regions),
                                           std::move(types), o.range, o.origin, std::move(names));
    for (std::size_t i = 0; i < o.results.size(); ++i) {
      ValueId v = builder_.result(made, i);
      builder_.set_value_origin(v, b_.value(o.results[i]).origin);
      values_[o.results[i]] = v;
    }
  }

  const PhysicalProgram& from_;
  const Body& b_;
  const Edit& edit_;
  BodyBuilder builder_;
  ExprPool* pool_ = nullptr;
  std::unordered_map<ValueId, ValueId> values_;
};

}  // namespace

PhysicalPtr copy_with(const PhysicalProgram& program, const Edit& edit) { return Copy(program, edit).run(); }

PhysicalPtr copy_without(const PhysicalProgram& program, const std::function<bool(OpId)>& keep) {
  return copy_with(program, [&](OpId id, OpEdit& o) { o.times = keep(id) ? 1 : 0; });
}

}  // namespace kir::lowering
