#include "lowering/translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/ir/op_table.h"

namespace kir::lowering {

Translator::Translator(const KernelFacts& facts, BodyBuilder& builder, ExprPool& pool, Claims& claims, Diagnostics& diagnostics,
                       std::unordered_map<ValueId, ValueId> root, std::set<std::string> reserved)
    : facts_(facts),
      kernel_(facts.kernel()),
      b_(facts.body()),
      builder_(builder),
      pool_(pool),
      claims_(claims),
      diagnostics_(diagnostics),
      map_(std::move(root)),
      scopes_{std::move(reserved)} {}

RegionId Translator::group(std::size_t index, const GroupPlan& plan) {
  RegionId region = builder_.new_region();
  builder_.set_region_origin(region, kernel_.root);
  enter(region);
  axis_of_.clear();
  repeats_ = 0;
  workset_ = &plan.workset;
  one_instance_ = plan.workset.axes.empty();
  std::vector<ValueId> args;
  for (const InstanceAxis& axis : plan.workset.axes) {
    ValueId arg = builder_.add_argument(region, Type::scalar(DType::i64), fresh_name(axis.name), b_.value(axis.args[0]).range,
                                        axis.args[0]);
    args.push_back(arg);
    for (ValueId kir : axis.args) {
      axis_of_.emplace(kir, arg);
      map_[kir] = arg;
    }
  }
  claims_.enter_group(index, plan, args);
  for (OpId s : plan.statements) op(s);
  builder_.emit(OpKind::yield, {}, {}, {});
  leave();
  return region;
}

void Translator::ops(const Region& region) {
  for (OpId id : region.ops)
    if (!row(b_.op(id).kind).terminator) op(id);
}

void Translator::op(OpId id) {
  switch (b_.op(id).kind) {
    case OpKind::constant:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::div:
    case OpKind::fma:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
    case OpKind::sqrt:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u:
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
    case OpKind::cmp:
    case OpKind::select:
    case OpKind::philox4x32_10: return pointwise(id);
    case OpKind::index: return index(id);
    case OpKind::convert: return convert(id);
    case OpKind::load: return load(id);
    case OpKind::store: return store(id);
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas: return atomic(id);
    case OpKind::scatter:
    case OpKind::histogram: return update(id);
    case OpKind::elem: return elem(id);
    case OpKind::buffer: return buffer(id);
    case OpKind::scan: return scan(id);
    case OpKind::region_fold: return region_fold(id);
    case OpKind::region_scan: return region_scan(id);
    case OpKind::part: return part(id);
    case OpKind::tensor:
    case OpKind::gather:
    case OpKind::concat:
    case OpKind::iota:
    case OpKind::contract: return facts_.keeps(id) ? kept(id) : void();
    case OpKind::view:
    case OpKind::transpose:
    case OpKind::slice:
    case OpKind::broadcast:
    case OpKind::reshape: return;  // followed where their elements are used
    case OpKind::parallel: return parallel(id);
    case OpKind::for_loop:
    case OpKind::while_loop:
    case OpKind::if_else: return structured(id);
    case OpKind::assume: return assume(id);
    case OpKind::assume_in_bounds: return assume_in_bounds(id);
    case OpKind::reduce:
    case OpKind::arg_reduce: return structured(id);
    case OpKind::yield:
    case OpKind::next:
    case OpKind::break_loop:
    case OpKind::continue_loop: return terminator(id);
    case OpKind::splat:
    case OpKind::tile_reduce: KIR_UNREACHABLE("{} is no operation of a kernel", row(b_.op(id).kind).name);
  }
}

OpId Translator::emit_like(OpId id, std::vector<RegionId> regions) {
  const Op& op = b_.op(id);
  std::vector<Type> types;
  std::vector<std::string> names;
  for (ValueId r : op.results) {
    types.push_back(type(b_.type(r)));
    names.push_back(fresh_name(b_.value(r).name));
  }
  return builder_.emit_with_regions(op.kind, values(op.operands), attributes(op), std::move(regions), std::move(types),
                                    op.range, id, std::move(names));
}

Attrs Translator::attributes(const Op& op) {
  Attrs out;
  for (const auto& [key, attr] : op.attrs.all()) {
    if (auto* e = std::get_if<Expr>(&attr)) {
      out.set(key, expr(*e));
    } else if (auto* list = std::get_if<ExprList>(&attr)) {
      ExprList copy;
      for (Expr e : *list) copy.push_back(expr(e));
      out.set(key, std::move(copy));
    } else if (key == AttrKey::order && alike_ > 0) {
      out.set(key, Order::strict);
    } else {
      out.set(key, attr);
    }
  }
  return out;
}

Type Translator::type(const Type& t) const { return t.is(TypeKind::index) ? Type::scalar(DType::i64) : t; }

ValueId Translator::value(ValueId kir) const {
  auto it = map_.find(kir);
  KIR_CHECK(it != map_.end(), "value {} of {} has no physical value here", facts_.name(kir), kernel_.id());
  return it->second;
}

std::vector<ValueId> Translator::values(std::span<const ValueId> kir) const {
  std::vector<ValueId> out;
  for (ValueId v : kir) out.push_back(value(v));
  return out;
}

Expr Translator::expr(Expr kir) {
  return pool_.import(
      kir, [&](Expr leaf) { return leaf.is(ExprKind::value) ? pool_.value(value(leaf.value()), leaf.sort()) : Expr(); });
}

ValueId Translator::materialise(Expr e, OpId origin, const std::string& name) {
  if (e.is(ExprKind::value)) return e.value();
  DType t = e.sort() == Sort::integer ? DType::i64 : DType::i1;
  Attrs attrs;
  attrs.set(AttrKey::expr, e);
  ValueId v =
      builder_.emit1(OpKind::index, {}, std::move(attrs), Type::scalar(t), b_.op(origin).range, origin, fresh_name(name));
  claims_.define(v, e);
  return v;
}

void Translator::bind(ValueId kir, ValueId physical) {
  map_[kir] = physical;
  const Type& t = b_.type(kir);
  if (t.is(TypeKind::index)) claims_.share(kir, physical, Sort::integer);
  if (t.is_scalar(DType::i1)) claims_.share(kir, physical, Sort::boolean);
}

void Translator::bind_results(std::span<const ValueId> kir, OpId physical) {
  for (std::size_t i = 0; i < kir.size(); ++i) {
    ValueId v = builder_.result(physical, i);
    builder_.set_value_origin(v, kir[i]);
    bind(kir[i], v);
  }
}

std::string Translator::fresh_name(const std::string& wanted) {
  if (wanted.empty()) return {};
  auto visible = [&](const std::string& n) {
    return std::ranges::any_of(scopes_, [&](const auto& s) { return s.contains(n); });
  };
  std::string name = wanted;
  for (int i = 1; visible(name); ++i) name = fmt::format("{}_{}", wanted, i);
  scopes_.back().insert(name);
  return name;
}

void Translator::enter(RegionId r) {
  builder_.enter(r);
  scopes_.emplace_back();
  elements_.emplace_back();
}

void Translator::leave() {
  builder_.leave();
  scopes_.pop_back();
  elements_.pop_back();
}

}  // namespace kir::lowering
