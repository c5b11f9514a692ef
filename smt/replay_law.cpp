#include "smt/replay_law.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "core/interp/interpreter.h"
#include "core/ir/op_table.h"
#include "core/text/text.h"

namespace kir::smt {
namespace {

using Tuple = std::vector<Scalar>;

// A copy of operations in another body. Values from outside the region are copied with it when they are computed from
// constants.
class Copier {
 public:
  Copier(const Body& from, BodyBuilder& to) : from_(from), to_(to) {}

  void bind(ValueId from, ValueId to) { values_[from.index] = to; }

  std::optional<ValueId> value(ValueId v) {
    if (auto it = values_.find(v.index); it != values_.end()) return it->second;
    const OpId op = from_.value(v).op;
    if (!op || !from_.op(op).regions.empty() || !copy(op)) return {};
    return values_.at(v.index);
  }

  // All operations of the region but its terminator.
  bool contents(RegionId region) {
    const std::vector<OpId>& ops = from_.region(region).ops;
    for (std::size_t i = 0; i + 1 < ops.size(); ++i)
      if (!copy(ops[i])) return false;
    return true;
  }

 private:
  bool copy(OpId id) {
    const Op& op = from_.op(id);
    if (op.kind == OpKind::index || (!is_pointwise(op.kind) && op.kind != OpKind::if_else && !row(op.kind).terminator))
      return false;
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) {
      std::optional<ValueId> w = value(v);
      if (!w) return false;
      operands.push_back(*w);
    }
    std::vector<RegionId> regions;
    for (RegionId r : op.regions) {
      regions.push_back(to_.new_region());
      to_.enter(regions.back());
      const bool copied = contents(r) && copy(from_.region(r).ops.back());
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
};

// A kernel without inputs that stores combine(a, b) to one view of rank 0 for each component.
std::optional<Kernel> kernel_of(const Kernel& source, RegionId combine, const Tuple& a, const Tuple& b) {
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
  if (!copier.contents(combine)) return {};
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::optional<ValueId> result = copier.value(source.body.yields(combine)[i]);
    if (!result) return {};
    builder.emit(OpKind::store, {kernel.abi.views[i].value, *result}, {}, {});
  }
  builder.emit(OpKind::yield, {}, {}, {});
  builder.leave();
  BodyBuilder::Renumbering map;
  const RegionId roots[] = {root};
  kernel.body = builder.freeze(*kernel.pool, roots, &map);
  kernel.root = map.regions[root.index];
  for (ViewParam& view : kernel.abi.views) view.value = map.values[view.value.index];
  return kernel;
}

std::optional<Tuple> run(const Kernel& source, RegionId combine, const Tuple& a, const Tuple& b) {
  std::optional<Kernel> kernel = kernel_of(source, combine, a, b);
  if (!kernel) return {};
  LaunchArgs args;
  for (const ViewParam& v : kernel->abi.views) args.views[v.name] = std::make_shared<Tensor>(Tensor::row_major(v.dtype, {}));
  Diagnostics diagnostics;
  std::optional<BoundLaunch> launch = bind_launch(kernel->abi, args, diagnostics);
  if (!launch || !interpret(*kernel, *launch).ok()) return {};
  Tuple out;
  for (const ViewParam& v : kernel->abi.views) out.push_back(args.views.at(v.name)->load(0));
  return out;
}

std::string show(const Tuple& t) {
  std::string s;
  for (const Scalar& v : t) s += (s.empty() ? "" : ", ") + literal_text(v);
  return t.size() == 1 ? s : "(" + s + ")";
}

bool same(const Tuple& a, const Tuple& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i]) && !(a[i].is_nan() && b[i].is_nan())) return false;
  return true;
}

}  // namespace

std::optional<std::string> replay_law(const Kernel& kernel, const proof::LawWitness& w) {
  auto apply = [&](const std::optional<Tuple>& a, const std::optional<Tuple>& b) {
    return a && b ? run(kernel, w.combine, *a, *b) : std::nullopt;
  };
  switch (w.law) {
    case proof::LawWitness::Law::neutral_left:
    case proof::LawWitness::Law::neutral_right: {
      const bool left = w.law == proof::LawWitness::Law::neutral_left;
      const Tuple &a = w.operands[left ? 0 : 1], &b = w.operands[left ? 1 : 0];
      std::optional<Tuple> r = apply(a, b);
      if (!r || same(*r, w.operands[1])) return {};
      return fmt::format("the identity changes a value: combine({}, {}) = {}", show(a), show(b), show(*r));
    }
    case proof::LawWitness::Law::commutative: {
      const Tuple &a = w.operands[0], &b = w.operands[1];
      std::optional<Tuple> ab = apply(a, b), ba = apply(b, a);
      if (!ab || !ba || same(*ab, *ba)) return {};
      return fmt::format("combine({0}, {1}) = {2} but combine({1}, {0}) = {3}", show(a), show(b), show(*ab), show(*ba));
    }
    case proof::LawWitness::Law::associative: {
      const Tuple &a = w.operands[0], &b = w.operands[1], &c = w.operands[2];
      std::optional<Tuple> left = apply(apply(a, b), c), right = apply(a, apply(b, c));
      if (!left || !right || same(*left, *right)) return {};
      return fmt::format("with a = {}, b = {}, c = {}: combine(combine(a, b), c) = {} but combine(a, combine(b, c)) = {}",
                         show(a), show(b), show(c), show(*left), show(*right));
    }
  }
  return {};
}

}  // namespace kir::smt
