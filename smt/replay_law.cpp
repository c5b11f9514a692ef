#include "smt/replay_law.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "core/interp/interpreter.h"
#include "core/ir/op_table.h"
#include "core/ir/verify.h"

namespace kir::smt {
namespace {

using proof::Operands;
using proof::same_values;
using proof::to_string;

// A copy of a region's operations in another body. Of values from outside only constants can come along.
class Copier {
 public:
  Copier(const Body& from, BodyBuilder& to) : from_(from), to_(to) {}

  void bind(ValueId from, ValueId to) { values_[from.index] = to; }
  ValueId value(ValueId v) const { return values_.at(v.index); }

  // The constants that the region uses, before everything else so that they are visible everywhere in it. False: it uses
  // something else from outside.
  bool constants(RegionId region) {
    for (ValueId a : from_.region(region).args) inside_.insert(a.index);
    for (OpId id : from_.region(region).ops) {
      const Op& op = from_.op(id);
      for (ValueId v : op.operands)
        if (!inside_.contains(v.index) && !values_.contains(v.index) && !constant(v)) return false;
      for (RegionId r : op.regions)
        if (!constants(r)) return false;
      for (ValueId v : op.results) inside_.insert(v.index);
    }
    return true;
  }

  // All operations of the region, with its end or without. False: one that no combine has.
  bool contents(RegionId region, bool with_end) {
    const std::vector<OpId>& ops = from_.region(region).ops;
    for (std::size_t i = 0; i + (with_end ? 0 : 1) < ops.size(); ++i)
      if (!copy(ops[i])) return false;
    return true;
  }

 private:
  bool constant(ValueId v) {
    const OpId op = from_.value(v).op;
    return op && from_.op(op).kind == OpKind::constant && copy(op);
  }

  bool copy(OpId id) {
    const Op& op = from_.op(id);
    if (op.kind == OpKind::index || (!is_pointwise(op.kind) && op.kind != OpKind::if_else && !row(op.kind).terminator))
      return false;
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) operands.push_back(value(v));
    std::vector<RegionId> regions;
    for (RegionId r : op.regions) {
      regions.push_back(to_.new_region());
      to_.enter(regions.back());
      const bool copied = contents(r, true);
      to_.leave();
      if (!copied) return false;
    }
    std::vector<Type> types;
    for (ValueId v : op.results) types.push_back(from_.type(v));
    const OpId made = to_.emit_with_regions(op.kind, std::move(operands), op.attrs, std::move(regions), std::move(types));
    for (std::size_t i = 0; i < op.results.size(); ++i) bind(op.results[i], to_.result(made, i));
    return true;
  }

  const Body& from_;
  BodyBuilder& to_;
  std::map<std::uint32_t, ValueId> values_;
  std::set<std::uint32_t> inside_;
};

// A kernel without inputs that stores combine(a, b) to one view of rank 0 for each component.
std::optional<Kernel> kernel_of(const Kernel& source, RegionId combine, const Operands& a, const Operands& b) {
  Kernel kernel;
  kernel.name = "combine";
  kernel.pool = std::make_shared<ExprPool>();
  BodyBuilder builder;
  const RegionId root = builder.new_region();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ViewParam view;
    view.name = fmt::format("r{}", i);
    view.access = Access::out;
    view.dtype = a[i].type;
    view.value = builder.add_argument(root, Type::view(view.dtype, {}), view.name);
    kernel.abi.params.push_back({Abi::ParamKind::view, i});
    kernel.abi.views.push_back(std::move(view));
  }
  builder.enter(root);
  Copier copier(source.body, builder);
  const Region& region = source.body.region(combine);
  if (region.args.size() != a.size() + b.size()) return {};
  for (std::size_t i = 0; i < region.args.size(); ++i) {
    const Scalar& s = i < a.size() ? a[i] : b[i - a.size()];
    copier.bind(region.args[i], builder.emit1(OpKind::constant, {}, {{AttrKey::literal, s}}, Type::scalar(s.type)));
  }
  if (!copier.constants(combine) || !copier.contents(combine, false)) return {};
  for (std::size_t i = 0; i < a.size(); ++i)
    builder.emit(OpKind::store, {kernel.abi.views[i].value, copier.value(source.body.yields(combine)[i])}, {}, {});
  builder.emit(OpKind::yield, {}, {}, {});
  builder.leave();
  BodyBuilder::Renumbering map;
  const RegionId roots[] = {root};
  kernel.body = builder.freeze(*kernel.pool, roots, &map);
  kernel.root = map.regions[root.index];
  for (ViewParam& view : kernel.abi.views) view.value = map.values[view.value.index];
  Diagnostics faults;
  if (!verify(kernel, faults)) return {};
  return kernel;
}

std::optional<Operands> run(const Kernel& source, RegionId combine, const Operands& a, const Operands& b) {
  std::optional<Kernel> kernel = kernel_of(source, combine, a, b);
  if (!kernel) return {};
  LaunchArgs args;
  for (const ViewParam& v : kernel->abi.views) args.views[v.name] = std::make_shared<Tensor>(Tensor::row_major(v.dtype, {}));
  Diagnostics diagnostics;
  std::optional<BoundLaunch> launch = bind_launch(kernel->abi, args, diagnostics);
  if (!launch || !interpret(*kernel, *launch).ok()) return {};
  Operands out;
  for (const ViewParam& v : kernel->abi.views) out.push_back(args.views.at(v.name)->load(0));
  return out;
}

}  // namespace

std::optional<std::string> replay_law(const Kernel& kernel, const proof::LawWitness& w) {
  auto apply = [&](const std::optional<Operands>& a, const std::optional<Operands>& b) {
    return a && b ? run(kernel, w.combine, *a, *b) : std::nullopt;
  };
  switch (w.law) {
    case proof::LawWitness::Law::neutral_left:
    case proof::LawWitness::Law::neutral_right: {
      const bool left = w.law == proof::LawWitness::Law::neutral_left;
      const Operands &a = w.operands[left ? 0 : 1], &b = w.operands[left ? 1 : 0];
      std::optional<Operands> r = apply(a, b);
      if (!r || same_values(*r, w.operands[1])) return {};
      return fmt::format("the identity changes a value: combine({}, {}) = {}", to_string(a), to_string(b), to_string(*r));
    }
    case proof::LawWitness::Law::commutative: {
      const Operands &a = w.operands[0], &b = w.operands[1];
      std::optional<Operands> ab = apply(a, b), ba = apply(b, a);
      if (!ab || !ba || same_values(*ab, *ba)) return {};
      return fmt::format("combine({0}, {1}) = {2} but combine({1}, {0}) = {3}", to_string(a), to_string(b), to_string(*ab),
                         to_string(*ba));
    }
    case proof::LawWitness::Law::associative: {
      const Operands &a = w.operands[0], &b = w.operands[1], &c = w.operands[2];
      std::optional<Operands> left = apply(apply(a, b), c), right = apply(a, apply(b, c));
      if (!left || !right || same_values(*left, *right)) return {};
      return fmt::format("with a = {}, b = {}, c = {}: combine(combine(a, b), c) = {} but combine(a, combine(b, c)) = {}",
                         to_string(a), to_string(b), to_string(c), to_string(*left), to_string(*right));
    }
  }
  return {};
}

}  // namespace kir::smt
