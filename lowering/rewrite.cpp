#include "lowering/rewrite.h"

#include <unordered_map>

#include "core/base/check.h"

namespace kir::lowering {
namespace {

// Copies a body region by region; what stands outside of it follows by `outside`.
class BodyCopy {
 public:
  BodyCopy(const Body& from, const Edit& edit) : b_(from), edit_(edit), pool_(std::make_shared<ExprPool>()) {}

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

  // The copy, whose roots are these; afterwards ids and expressions of the original can be asked for.
  Body finish(std::span<const RegionId> roots) { return builder_.freeze(*pool_, roots, &map_); }
  const ExprPoolPtr& pool() const { return pool_; }
  RegionId final_region(RegionId copied) const { return map_.regions[copied.index]; }
  ValueId final_value(ValueId v) const { return map_.values[values_.at(v).index]; }
  void outside(Expr& e) {
    if (e == Expr()) return;
    e = pool_->import(e,
                      [&](Expr l) { return l.is(ExprKind::value) ? pool_->value(final_value(l.value()), l.sort()) : Expr(); });
  }
  void outside(Abi& abi) {
    for (ViewParam& v : abi.views) {
      v.value = final_value(v.value);
      for (Expr& e : v.shape) outside(e);
      for (Expr& e : v.strides) outside(e);
    }
    for (ScalarParam& s : abi.scalars) s.value = final_value(s.value);
    for (SymbolInfo& s : abi.symbols) {
      outside(s.lo);
      outside(s.hi);
    }
    for (Expr& e : abi.where) outside(e);
    for (DataFact& f : abi.data) {
      outside(f.lo);
      outside(f.hi);
    }
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

  const Body& b_;
  const Edit& edit_;
  ExprPoolPtr pool_;
  BodyBuilder builder_;
  std::unordered_map<ValueId, ValueId> values_;
  BodyBuilder::Renumbering map_;
};

}  // namespace

PhysicalPtr copy_with(const PhysicalProgram& program, const Edit& edit) {
  BodyCopy copy(program.body, edit);
  auto out = std::make_shared<PhysicalProgram>(program);
  out->pool = copy.pool();
  std::vector<RegionId> roots = {copy.region(program.root)};
  for (const Group& g : program.groups) roots.push_back(copy.region(g.region));
  out->body = copy.finish(roots);
  out->root = copy.final_region(roots[0]);
  out->work = copy.final_value(program.work);
  copy.outside(out->abi);
  for (ValueId& v : out->workspace) v = copy.final_value(v);
  for (Definition& d : out->definitions) copy.outside(d.value);
  for (Segment& s : out->segments) {
    for (Expr& e : s.lo) copy.outside(e);
    for (Expr& e : s.hi) copy.outside(e);
  }
  for (DispatchArm& a : out->arms) {
    copy.outside(a.guard);
    for (Expr& e : a.coordinates) copy.outside(e);
  }
  for (std::size_t g = 0; g < out->groups.size(); ++g) {
    out->groups[g].region = copy.final_region(roots[g + 1]);
    for (Expr& e : out->groups[g].lo) copy.outside(e);
    for (Expr& e : out->groups[g].hi) copy.outside(e);
  }
  return out;
}

std::shared_ptr<const Kernel> copy_with(const Kernel& kernel, const Edit& edit) {
  BodyCopy copy(kernel.body, edit);
  auto out = std::make_shared<Kernel>(kernel);
  out->pool = copy.pool();
  const RegionId root = copy.region(kernel.root);
  out->body = copy.finish(std::span(&root, 1));
  out->root = copy.final_region(root);
  copy.outside(out->abi);
  out->calls.clear();
  return out;
}

PhysicalPtr copy_without(const PhysicalProgram& program, const std::function<bool(OpId)>& keep) {
  return copy_with(program, [&](OpId id, OpEdit& o) { o.times = keep(id) ? 1 : 0; });
}

}  // namespace kir::lowering
