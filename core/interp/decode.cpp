#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/interp/code.h"
#include "core/ir/op_table.h"

namespace kir {
namespace {

class Decoder {
 public:
  Decoder(const DecodeInput& in) : in_(in), body_(*in.body) {}

  Code run(std::span<const RegionId> roots) {
    code_.regions.resize(body_.region_count());
    code_.integer_width.resize(body_.value_count());
    code_.tile_shapes.resize(body_.value_count());
    hidden_ = static_cast<Slot>(body_.value_count());
    for (std::uint32_t i = 0; i < body_.value_count(); ++i) {
      const Type& t = body_.type(ValueId(i));
      if (t.is(TypeKind::scalar)) code_.integer_width[i] = static_cast<std::uint8_t>(bit_width(t.dtype));
      if (t.is(TypeKind::fragment))
        for (Expr e : t.shape) code_.tile_shapes[i].push_back(e.is(ExprKind::constant) ? e.number() : 0);
    }
    for (RegionId r : roots) region(r);
    code_.integer_slots = hidden_;
    return std::move(code_);
  }

 private:
  static Slot slot(ValueId v) { return v ? v.index : kNoSlot; }
  std::vector<Slot> slots(std::span<const ValueId> values) const {
    std::vector<Slot> out;
    for (ValueId v : values) out.push_back(slot(v));
    return out;
  }
  std::span<const ValueId> yields(RegionId r) const {
    const Region& region = body_.region(r);
    if (region.ops.empty() || !row(body_.op(region.ops.back()).kind).terminator) return {};
    return body_.op(region.ops.back()).operands;
  }

  std::uint32_t expression(Expr e, IndexCode::Limits limits) {
    code_.expressions.emplace_back(e, body_, *in_.symbols, limits);
    return static_cast<std::uint32_t>(code_.expressions.size() - 1);
  }
  // Limits of an expression that is computed for a value of this type. Comparisons are computed in 64 bits.
  IndexCode::Limits limits_for(const Type& t) const {
    if (!in_.physical || t.is(TypeKind::index)) return IndexCode::Limits::exact();
    return IndexCode::Limits::width(t.dtype == DType::i32 ? DType::i32 : DType::i64);
  }

  MovePlan moves(std::span<const ValueId> from, std::span<const ValueId> to) {
    MovePlan plan;
    std::set<Slot> written;
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
      MovePlan::Move m{slot(from[i]), slot(to[i]), body_.type(to[i]).kind};
      if (m.kind == TypeKind::tensor && is_relation(from[i])) m.access = access_of(from[i]);
      plan.buffered = plan.buffered || written.contains(m.from);
      written.insert(m.to);
      if (m.from != m.to || m.access != kNoSlot) plan.moves.push_back(m);
    }
    return plan;
  }

  bool is_relation(ValueId v) const {
    const OpId def = body_.value(v).op;
    if (!def) return false;
    const OpKind k = body_.op(def).kind;
    return k == OpKind::view || k == OpKind::transpose || k == OpKind::slice || k == OpKind::broadcast;
  }

  // The chain from v down to memory or to a tensor that has elements of its own. False: not supported.
  bool follow(ValueId v, AccessPlan& plan) {
    plan.outer = slot(v);
    if (body_.type(v).rank() > kMaxRank) return false;
    while (is_relation(v)) {
      if (body_.type(body_.op(body_.value(v).op).operands[0]).rank() > kMaxRank) return false;
      const Op& op = body_.op(body_.value(v).op);
      plan.steps.push_back(step(op, v));
      v = op.operands[0];
    }
    const Type& t = body_.type(v);
    if (t.is(TypeKind::view)) {
      for (std::size_t i = 0; i < in_.abi->views.size(); ++i)
        if (in_.abi->views[i].value == v) {
          plan.view = i;
          return true;
        }
      return false;
    }
    plan.on_memory = false;
    plan.tensor = slot(v);
    return t.is(TypeKind::tensor);
  }

  std::uint32_t access_of(ValueId v) {
    AccessPlan plan;
    follow(v, plan);
    code_.accesses.push_back(std::move(plan));
    return static_cast<std::uint32_t>(code_.accesses.size() - 1);
  }

  RelationStep step(const Op& op, ValueId v) {
    RelationStep s;
    s.value = slot(v);
    s.rank = body_.type(v).rank();
    s.extents = hidden_slots(v, s.rank, extents_);
    s.source_rank = body_.type(op.operands[0]).rank();
    switch (op.kind) {
      case OpKind::transpose:
        s.kind = RelationStep::Kind::transpose;
        s.axes = op.attrs.get<IntList>(AttrKey::axes);
        break;
      case OpKind::slice:
        s.kind = RelationStep::Kind::slice;
        s.lows = hidden_slots(v, s.rank, lows_);
        break;
      case OpKind::broadcast:
        s.kind = RelationStep::Kind::broadcast;
        s.axes = op.attrs.get<IntList>(AttrKey::axes);
        // Only an extent that is 1 by its type stretches, not one that happens to be 1 in a launch.
        for (Expr e : body_.type(op.operands[0]).shape) s.stretches.push_back(e.is_constant(1));
        break;
      case OpKind::view:
        s.kind = RelationStep::Kind::region;
        s.region = op.regions[0];
        s.arguments = slots(body_.region(op.regions[0]).args);
        s.yields = slots(yields(op.regions[0]));
        break;
      default: KIR_UNREACHABLE("no relation");
    }
    return s;
  }

  Slot hidden_slots(ValueId v, std::size_t count, std::map<ValueId, Slot>& known) {
    auto [it, fresh] = known.emplace(v, hidden_);
    if (fresh) hidden_ += static_cast<Slot>(count);
    return it->second;
  }

  // Evaluates what the relation's steps will need.
  std::uint32_t relation(const Op& op) {
    const ValueId v = op.results[0];
    const Type& t = body_.type(v);
    const IndexCode::Limits exact = IndexCode::Limits::exact();
    ExtentsPlan plan;
    const Slot extents = hidden_slots(v, t.rank(), extents_);
    for (std::size_t k = 0; k < t.rank(); ++k) {
      const Slot to = extents + static_cast<Slot>(k);
      if (op.kind == OpKind::slice) {
        const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
        const std::uint32_t low = expression(ranges[2 * k], exact);
        plan.items.push_back({expression(ranges[2 * k + 1], exact), low, to});
        plan.items.push_back({low, kNoSlot, hidden_slots(v, t.rank(), lows_) + static_cast<Slot>(k)});
      } else {
        const Expr e = op.kind == OpKind::transpose ? t.shape[k] : op.attrs.get<ExprList>(AttrKey::extents)[k];
        plan.items.push_back({expression(e, exact), kNoSlot, to});
      }
    }
    code_.extents.push_back(std::move(plan));
    return static_cast<std::uint32_t>(code_.extents.size() - 1);
  }

  DomainPlan domain(const Op& op, RegionId r) {
    DomainPlan d;
    const Region& region = body_.region(r);
    const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
    for (std::size_t k = 0; k < region.args.size() && 2 * k + 1 < ranges.size(); ++k) {
      const IndexCode::Limits limits = limits_for(body_.type(region.args[k]));
      d.low.push_back(expression(ranges[2 * k], limits));
      d.high.push_back(expression(ranges[2 * k + 1], limits));
      d.arguments.push_back(slot(region.args[k]));
      for (Expr e : {ranges[2 * k], ranges[2 * k + 1]})
        for (ValueId v : value_leaves(e)) d.dependent = d.dependent || body_.value(v).region == r;
    }
    return d;
  }

  void stored_views(RegionId r, std::set<std::size_t>& out) {
    for (OpId id : body_.region(r).ops) {
      const Op& op = body_.op(id);
      if (op.kind == OpKind::store) {
        AccessPlan plan;
        if (follow(op.operands[0], plan) && plan.on_memory) out.insert(plan.view);
      }
      for (RegionId inner : op.regions) stored_views(inner, out);
    }
  }
  std::vector<std::size_t> stored_views(RegionId r) {
    std::set<std::size_t> out;
    stored_views(r, out);
    return {out.begin(), out.end()};
  }

  void region(RegionId r) {
    for (OpId id : body_.region(r).ops) {
      if (row(body_.op(id).kind).terminator) continue;
      Instr instr = decode(id);
      instr.op = id;
      code_.regions[r.index].instrs.push_back(instr);
    }
  }

  template <class T>
  static std::uint32_t keep(std::vector<T>& in, T plan) {
    in.push_back(std::move(plan));
    return static_cast<std::uint32_t>(in.size() - 1);
  }

  Instr decode(OpId id) {
    const Op& op = body_.op(id);
    Instr i;
    if (!op.results.empty()) {
      i.dst = slot(op.results[0]);
      i.type = body_.type(op.results[0]).dtype;
    }
    switch (op.kind) {
      case OpKind::constant:
        i.kind = InstrKind::constant;
        i.word = op.attrs.get<Scalar>(AttrKey::literal).bits;
        return i;
      case OpKind::index: {
        const Type& t = body_.type(op.results[0]);
        i.plan = expression(op.attrs.get<Expr>(AttrKey::expr), limits_for(t));
        i.kind = t.is(TypeKind::fragment) ? InstrKind::tile_index : InstrKind::index;
        return i;
      }
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
      case OpKind::convert: return pointwise(op, i);
      case OpKind::load:
      case OpKind::store:
      case OpKind::elem: return access(op, i);
      case OpKind::view:
      case OpKind::transpose:
      case OpKind::slice:
      case OpKind::broadcast:
        i.kind = InstrKind::extents;
        i.plan = relation(op);
        for (RegionId r : op.regions) region(r);
        return i;
      case OpKind::tensor:
        i.kind = InstrKind::tensor_compute;
        region(op.regions[0]);
        i.plan = keep(code_.tensors, {domain(op, op.regions[0]), op.regions[0], slot(yields(op.regions[0])[0])});
        return i;
      case OpKind::parallel:
        i.kind = InstrKind::parallel;
        region(op.regions[0]);
        i.plan = keep(code_.parallels, {domain(op, op.regions[0]), op.regions[0], stored_views(op.regions[0])});
        return i;
      case OpKind::for_loop: return for_loop(op, i);
      case OpKind::while_loop: return while_loop(op, i);
      case OpKind::if_else: {
        i.kind = InstrKind::if_else;
        i.a = slot(op.operands[0]);
        IfPlan plan;
        for (std::size_t k = 0; k < op.regions.size() && k < 2; ++k) {
          region(op.regions[k]);
          plan.regions[k] = op.regions[k];
          plan.yields[k] = moves(yields(op.regions[k]), op.results);
        }
        i.plan = keep(code_.ifs, std::move(plan));
        return i;
      }
      case OpKind::assume:
        i.kind = InstrKind::assume;
        i.a = slot(op.operands[0]);
        return i;
      case OpKind::reduce: return reduce(op, i);
      case OpKind::splat:
        i.kind = InstrKind::splat;
        i.a = slot(op.operands[0]);
        return i;
      case OpKind::tile_reduce: return tile_reduce(op, i);
      case OpKind::yield:
      case OpKind::next: KIR_UNREACHABLE("terminators are no instructions");
    }
    KIR_UNREACHABLE("operation kind");
  }

  Instr pointwise(const Op& op, Instr i) {
    i.operands = static_cast<std::uint8_t>(op.operands.size());
    Slot* to[] = {&i.a, &i.b, &i.c};
    bool tile = false, tensor = false;
    for (std::size_t k = 0; k < op.operands.size() && k < 3; ++k) {
      *to[k] = slot(op.operands[k]);
      tile = tile || body_.type(op.operands[k]).is(TypeKind::fragment);
      tensor = tensor || body_.type(op.operands[k]).is(TypeKind::tensor);
    }
    const Type &result = body_.type(op.results[0]), &first = body_.type(op.operands[0]);
    i.from = first.dtype;
    if (op.kind == OpKind::cmp) {
      i.inner = InstrKind::cmp;
      i.word = static_cast<std::uint64_t>(op.attrs.get<CmpPredicate>(AttrKey::predicate));
      if (first.is(TypeKind::index)) return i;
    } else if (op.kind == OpKind::convert) {
      i.inner = result.is(TypeKind::index)  ? InstrKind::convert_to_index
                : first.is(TypeKind::index) ? InstrKind::convert_from_index
                                            : InstrKind::convert;
      i.word = static_cast<std::uint64_t>(op.attrs.get<ConvertMode>(AttrKey::mode));
    } else if (op.kind == OpKind::select && result.is(TypeKind::index)) {
      i.inner = InstrKind::select_index;
    } else {
      i.inner = op.kind == OpKind::select ? InstrKind::select : InstrKind::pointwise;
      i.function = pointwise_function(op.kind, i.type);
      if (!i.function || result.is(TypeKind::index)) return i;
    }
    i.kind = tile ? InstrKind::tile_pointwise : tensor ? InstrKind::tensor_pointwise : i.inner;
    if (tensor) {
      TensorPointwisePlan plan;
      for (std::size_t k = 0; k < op.operands.size() && k < 3; ++k)
        if (body_.type(op.operands[k]).is(TypeKind::tensor)) plan.accesses[k] = access_of(op.operands[k]);
      i.plan = keep(code_.tensor_operations, plan);
    }
    return i;
  }

  Instr access(const Op& op, Instr i) {
    AccessPlan plan;
    std::span<const ValueId> coordinates;
    if (op.kind == OpKind::elem) {
      coordinates = std::span(op.operands).subspan(1);
    } else if (op.kind == OpKind::load) {
      const LoadView load = as_load(body_, op);
      coordinates = load.coordinates;
      plan.where = slot(load.where);
      plan.fill = slot(load.fill);
    } else {
      const StoreView store = as_store(body_, op);
      coordinates = store.coordinates;
      plan.where = slot(store.where);
      plan.value = slot(store.value);
    }
    plan.coordinates = slots(coordinates);
    bool tile = !op.results.empty() && body_.type(op.results[0]).is(TypeKind::fragment);
    for (ValueId v : op.operands) tile = tile || body_.type(v).is(TypeKind::fragment);
    const bool supported = follow(op.operands[0], plan) && (op.kind != OpKind::store || plan.on_memory);
    if (!supported) return i;
    if (op.kind == OpKind::store)
      i.kind = tile ? InstrKind::tile_store : InstrKind::store;
    else if (op.kind == OpKind::elem)
      i.kind = InstrKind::elem;
    else
      i.kind = tile ? InstrKind::tile_load : InstrKind::load;
    i.plan = keep(code_.accesses, std::move(plan));
    return i;
  }

  Instr for_loop(const Op& op, Instr i) {
    i.kind = InstrKind::for_loop;
    const Region& r = body_.region(op.regions[0]);
    const Type& variable = body_.type(r.args[0]);
    const IndexCode::Limits limits = limits_for(variable);
    ForPlan plan;
    const ExprList& ranges = op.attrs.get<ExprList>(AttrKey::ranges);
    plan.low = expression(ranges[0], limits);
    plan.high = expression(ranges[1], limits);
    if (const Expr* step = op.attrs.find<Expr>(AttrKey::step)) plan.step = expression(*step, limits);
    plan.variable = slot(r.args[0]);
    plan.exact = variable.is(TypeKind::index);
    plan.type = variable.dtype;
    plan.region = op.regions[0];
    const std::span<const ValueId> carries = std::span(r.args).subspan(1);
    region(op.regions[0]);
    plan.start = moves(op.operands, carries);
    plan.next = moves(yields(op.regions[0]), carries);
    plan.finish = moves(carries, op.results);
    plan.carries = slots(carries);
    plan.stored_views = stored_views(op.regions[0]);
    i.plan = keep(code_.fors, std::move(plan));
    return i;
  }

  Instr while_loop(const Op& op, Instr i) {
    i.kind = InstrKind::while_loop;
    WhilePlan plan;
    plan.condition = op.regions[0];
    plan.region = op.regions[1];
    region(plan.condition);
    region(plan.region);
    const auto &tested = body_.region(plan.condition).args, &carried = body_.region(plan.region).args;
    plan.test = slot(yields(plan.condition)[0]);
    plan.start = moves(op.operands, tested);
    plan.enter = moves(tested, carried);
    plan.next = moves(yields(plan.region), tested);
    plan.finish = moves(tested, op.results);
    i.plan = keep(code_.whiles, std::move(plan));
    return i;
  }

  Instr reduce(const Op& op, Instr i) {
    i.kind = InstrKind::reduce;
    ReducePlan plan;
    plan.map = op.regions[0];
    plan.combine = op.regions[1];
    plan.domain = domain(op, plan.map);
    region(plan.map);
    region(plan.combine);
    const auto& arguments = body_.region(plan.combine).args;
    const std::size_t k = op.results.size();
    const std::span<const ValueId> accumulators = std::span(arguments).first(k), elements = std::span(arguments).subspan(k);
    plan.has_init = !op.operands.empty();
    plan.from_init = moves(op.operands, accumulators);
    plan.from_first = moves(yields(plan.map), accumulators);
    plan.element = moves(yields(plan.map), elements);
    plan.again = moves(yields(plan.combine), accumulators);
    plan.finish = moves(accumulators, op.results);
    plan.order = op.attrs.get<Order>(AttrKey::order);
    if (const ScalarList* identity = op.attrs.find<ScalarList>(AttrKey::identity)) plan.identity = *identity;
    const auto& ops = body_.region(plan.combine).ops;
    if (k == 1 && ops.size() == 2) {
      const Op& first = body_.op(ops[0]);
      const bool both = first.operands.size() == 2 && first.operands[0] != first.operands[1] &&
                        std::all_of(first.operands.begin(), first.operands.end(), [&](ValueId v) {
                          return std::find(arguments.begin(), arguments.end(), v) != arguments.end();
                        });
      if (is_pointwise(first.kind) && both && !first.results.empty() && yields(plan.combine)[0] == first.results[0])
        plan.single = first.kind;
    }
    i.plan = keep(code_.reductions, std::move(plan));
    return i;
  }

  Instr tile_reduce(const Op& op, Instr i) {
    i.kind = InstrKind::tile_reduce;
    TileReducePlan plan;
    plan.source = slot(op.operands[0]);
    if (op.operands.size() > 1) plan.init = slot(op.operands[1]);
    plan.combine = op.regions[0];
    region(plan.combine);
    const auto& arguments = body_.region(plan.combine).args;
    plan.left = slot(arguments[0]);
    plan.right = slot(arguments[1]);
    plan.yield = slot(yields(plan.combine)[0]);
    plan.scalar_result = !body_.type(op.results[0]).is(TypeKind::fragment);
    const std::vector<std::int64_t>& shape = code_.tile_shapes[plan.source];
    const IntList& axes = op.attrs.get<IntList>(AttrKey::axes);
    std::vector<std::size_t> stride(shape.size(), 1);
    for (std::size_t k = shape.size(); k-- > 1;) stride[k - 1] = stride[k] * static_cast<std::size_t>(shape[k]);
    plan.origins = plan.offsets = {0};
    for (std::size_t k = 0; k < shape.size(); ++k) {
      auto& list =
          std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(k)) != axes.end() ? plan.offsets : plan.origins;
      std::vector<std::size_t> longer;
      for (std::size_t at : list)
        for (std::size_t c = 0; c < static_cast<std::size_t>(shape[k]); ++c) longer.push_back(at + c * stride[k]);
      list = std::move(longer);
    }
    i.plan = keep(code_.tile_reductions, std::move(plan));
    return i;
  }

  const DecodeInput& in_;
  const Body& body_;
  Code code_;
  Slot hidden_ = 0;
  std::map<ValueId, Slot> extents_, lows_;
};

}  // namespace

Code decode(const DecodeInput& input, std::span<const RegionId> roots) { return Decoder(input).run(roots); }

}  // namespace kir
