#include "tools/mutants/mutants.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "core/ir/op_table.h"
#include "core/text/text.h"
#include "lowering/rewrite.h"

namespace kir::mutants {
namespace {

using lowering::OpEdit;

constexpr Damage kDropped{"effect dropped", "K9.1"};
constexpr Damage kRepeated{"effect repeated", "K9.1"};
constexpr Damage kLength{"length of a segment changed", "K9.1"};
constexpr Damage kShared{"stores of all instances meet in one element", "K9.2"};
constexpr Damage kDecode{"coordinate of an instance changed", "K9.2"};
constexpr Damage kNextState{"carried values handed on in another order, or not at all", "K9.3"};
constexpr Damage kStartState{"carried value begins as another value", "K9.3"};
constexpr Damage kOrderOfEffects{"two effects exchanged", "K9.3"};
constexpr Damage kPlain{"atomic operation made another", "K9.4"};
constexpr Damage kFill{"fill or predicate of a load left out", "K9.5"};
constexpr Damage kInitial{"initial value of a buffer left out", "K9.6"};
constexpr Damage kIdentity{"identity changed or left out", "K9.7"};
constexpr Damage kInit{"initial value of a fold left out", "K9.7"};
constexpr Damage kOrder{"order licence widened", "K9.7"};
constexpr Damage kRule{"rule of a structured operation changed", "K9.7"};
constexpr Damage kCapture{"value in a region of segments replaced", "K9.8"};
constexpr Damage kType{"result given another element type", "K9.9"};
constexpr Damage kBounds{"bounds of a domain or loop changed", "K9.10"};
constexpr Damage kScope{"scope or extent of a buffer changed", "K9.11"};
constexpr Damage kUnguarded{"predicate left out", "K9.12"};
constexpr Damage kCoordinate{"coordinate changed", "K9.13"};
constexpr Damage kIndex{"index expression changed", "K9.13"};
constexpr Damage kPredicate{"predicate narrowed or negated", "K9.14"};
constexpr Damage kMemoryOrder{"memory order weakened", "K9.15"};
constexpr Damage kOperation{"operation replaced by another", "value"};
constexpr Damage kOperands{"operands exchanged", "value"};
constexpr Damage kOperand{"operand replaced by another value", "value"};
constexpr Damage kLiteral{"literal changed", "value"};
constexpr Damage kMode{"comparison or conversion changed", "value"};

// A kind of the same operands and result, but another meaning; none where there is no such.
std::optional<OpKind> sibling(OpKind k) {
  switch (k) {
    case OpKind::add: return OpKind::sub;
    case OpKind::sub: return OpKind::add;
    case OpKind::mul: return OpKind::add;
    case OpKind::div: return OpKind::mul;
    case OpKind::neg: return OpKind::abs;
    case OpKind::abs: return OpKind::neg;
    case OpKind::min_nan: return OpKind::min_num;
    case OpKind::max_nan: return OpKind::max_num;
    case OpKind::min_num: return OpKind::max_num;
    case OpKind::max_num: return OpKind::max_nan;
    case OpKind::sqrt: return OpKind::rsqrt;
    case OpKind::rsqrt: return OpKind::sqrt;
    case OpKind::floor: return OpKind::trunc;
    case OpKind::ceil: return OpKind::floor;
    case OpKind::trunc: return OpKind::round_even;
    case OpKind::round_even: return OpKind::floor;
    case OpKind::exp: return OpKind::exp2;
    case OpKind::exp2: return OpKind::exp;
    case OpKind::log: return OpKind::log2;
    case OpKind::log2: return OpKind::log;
    case OpKind::sin: return OpKind::cos;
    case OpKind::cos: return OpKind::sin;
    case OpKind::tanh: return OpKind::erf;
    case OpKind::erf: return OpKind::tanh;
    case OpKind::divt: return OpKind::divf;
    case OpKind::remt: return OpKind::remf;
    case OpKind::divf: return OpKind::divt;
    case OpKind::remf: return OpKind::remt;
    case OpKind::divu: return OpKind::divt;
    case OpKind::remu: return OpKind::remt;
    case OpKind::min_s: return OpKind::min_u;
    case OpKind::max_s: return OpKind::max_u;
    case OpKind::min_u: return OpKind::min_s;
    case OpKind::max_u: return OpKind::max_s;
    case OpKind::bit_and: return OpKind::bit_or;
    case OpKind::bit_or: return OpKind::bit_and;
    case OpKind::bit_xor: return OpKind::bit_or;
    case OpKind::shl: return OpKind::shrl;
    case OpKind::shrl: return OpKind::shra;
    case OpKind::shra: return OpKind::shrl;
    default: return std::nullopt;
  }
}

bool ordered_pair(OpKind k) {  // exchanging the operands matters
  switch (k) {
    case OpKind::sub:
    case OpKind::div:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra: return true;
    default: return false;
  }
}

class Mutator {
 public:
  explicit Mutator(const PhysicalProgram& p) : p_(p), b_(p.body), pool_(*p.pool) {}

  std::vector<Mutant> run() {
    launch();
    for (std::uint32_t i = 0; i < b_.op_count(); ++i) op(OpId(i));
    return std::move(out_);
  }

 private:
  std::string place(OpId id) const {
    const Op& o = b_.op(id);
    std::string what(row(o.kind).name);
    if (!o.results.empty() && !b_.value(o.results[0]).name.empty()) what += " %" + b_.value(o.results[0]).name;
    if (p_.source && o.range.begin != o.range.end) what += " at " + describe(*p_.source, o.range);
    return what;
  }

  void add(const Damage& d, OpId id, const std::function<void(OpEdit&)>& change) {
    PhysicalPtr made = lowering::copy_with(p_, [&](OpId at, OpEdit& e) {
      if (at == id) change(e);
    });
    out_.push_back({d.name, d.check, place(id), std::move(made)});
  }

  // A change of what stands outside of the groups.
  void add(const Damage& d, std::string where, const std::function<void(PhysicalProgram&)>& change) {
    auto made = std::make_shared<PhysicalProgram>(*lowering::copy_without(p_, [](OpId) { return true; }));
    change(*made);
    out_.push_back({d.name, d.check, std::move(where), std::move(made)});
  }

  void launch() {
    for (std::size_t g = 0; g < p_.segments.size(); ++g) {
      const std::string where = "segment " + p_.segments[g].group;
      const auto length = [g](PhysicalProgram& p, std::int64_t by) {
        for (Definition& d : p.definitions)
          if (d.name == p.segments[g].length) d.value = d.value + by;
      };
      add(kLength, where, [&](PhysicalProgram& p) { length(p, 1); });
      add(kLength, where, [&](PhysicalProgram& p) { length(p, -1); });
    }
    for (std::size_t a = 0; a < p_.arms.size(); ++a) {
      for (std::size_t k = 0; k < p_.arms[a].coordinates.size(); ++k) {
        const std::string where = fmt::format("coordinate {} of {}", k, p_.groups[p_.arms[a].group].name);
        add(kDecode, where, [&](PhysicalProgram& p) { p.arms[a].coordinates[k] = p.arms[a].coordinates[k] + 1; });
        add(kDecode, where, [&](PhysicalProgram& p) { p.arms[a].coordinates[k] = p.pool->constant(0); });
        if (k + 1 < p_.arms[a].coordinates.size())
          add(kDecode, where, [&](PhysicalProgram& p) { std::swap(p.arms[a].coordinates[k], p.arms[a].coordinates[k + 1]); });
      }
    }
  }

  void op(OpId id) {
    const Op& o = b_.op(id);
    if (auto other = sibling(o.kind)) add(kOperation, id, [&](OpEdit& e) { e.kind = *other; });
    if (ordered_pair(o.kind)) add(kOperands, id, [](OpEdit& e) { std::swap(e.operands[0], e.operands[1]); });
    attributes(id, o);
    if (o.results.size() == 1) retype(id, o);
    switch (o.kind) {
      case OpKind::store: return store(id, o);
      case OpKind::load: return load(id, o);
      case OpKind::if_else:
        if (inside_segments(id)) return;
        return negate(id);
      case OpKind::for_loop:
      case OpKind::while_loop: return loop(id, o);
      case OpKind::next:
      case OpKind::yield:
      case OpKind::break_loop:
      case OpKind::continue_loop: return hand_on(id, o);
      case OpKind::reduce:
      case OpKind::scan:
      case OpKind::contract:
      case OpKind::arg_reduce:
        if (!o.operands.empty()) add(kInit, id, [](OpEdit& e) { e.operands.clear(); });
        return;
      case OpKind::buffer:
        if (!o.regions.empty()) add(kInitial, id, [](OpEdit& e) { e.regions.clear(); });
        return;
      case OpKind::atomic_rmw:
      case OpKind::atomic_store:
      case OpKind::atomic_cas: return effect(id, o);
      case OpKind::select: add(kOperands, id, [](OpEdit& e) { std::swap(e.operands[1], e.operands[2]); }); return;
      default: break;
    }
    if (is_pointwise(o.kind)) replace_operand(id, o, 0);
  }

  void attributes(OpId id, const Op& o) {
    for (const auto& [key, attr] : o.attrs.all()) {
      const AttrKey k = key;
      const auto set = [&](const Damage& d, AttrValue v) { add(d, id, [&, v](OpEdit& e) { e.attrs.set(k, v); }); };
      switch (key) {
        case AttrKey::expr: {
          const Expr e = std::get<Expr>(attr);
          if (e.sort() == Sort::integer) {
            set(kIndex, e + 1);
            set(kIndex, e - 1);
          } else {
            set(kPredicate, negation(e));
            set(kUnguarded, pool_.boolean(true));
            set(kPredicate, pool_.boolean(false));
            weaken(id, e);
          }
          break;
        }
        case AttrKey::ranges:
          for (std::size_t i = 0; i < std::get<ExprList>(attr).size(); ++i)
            for (std::int64_t by : {-1, 1}) {
              ExprList list = std::get<ExprList>(attr);
              list[i] = list[i] + by;
              set(kBounds, list);
            }
          break;
        case AttrKey::step: set(kBounds, std::get<Expr>(attr) + 1); break;
        case AttrKey::extents: {
          ExprList list = std::get<ExprList>(attr);
          if (list.empty()) break;
          list[0] = list[0] - 1;
          set(kScope, list);
          break;
        }
        case AttrKey::order:
          if (std::get<Order>(attr) != Order::any) set(kOrder, Order::any);
          break;
        case AttrKey::identity: {
          ScalarList list = std::get<ScalarList>(attr);
          for (std::size_t i = 0; i < list.size(); ++i) {
            ScalarList changed = list;
            changed[i] = other_literal(list[i]);
            set(kIdentity, changed);
          }
          break;
        }
        case AttrKey::literal: set(kLiteral, other_literal(std::get<Scalar>(attr))); break;
        case AttrKey::predicate: {
          const CmpPredicate p = std::get<CmpPredicate>(attr);
          for (CmpPredicate other : all_cmp_predicates())
            if (other != p && is_float_predicate(other) == is_float_predicate(p)) {
              set(kMode, other);
              break;
            }
          break;
        }
        case AttrKey::mode: {
          const ConvertMode m = std::get<ConvertMode>(attr);
          if (m == ConvertMode::sint) set(kMode, ConvertMode::uint);
          if (m == ConvertMode::uint) set(kMode, ConvertMode::sint);
          if (m == ConvertMode::rn) set(kMode, ConvertMode::sat_rn);
          if (m == ConvertMode::sat_rn) set(kMode, ConvertMode::rn);
          break;
        }
        case AttrKey::extreme: set(kRule, std::get<Extreme>(attr) == Extreme::min ? Extreme::max : Extreme::min); break;
        case AttrKey::tie: set(kRule, std::get<TieRule>(attr) == TieRule::first ? TieRule::last : TieRule::first); break;
        case AttrKey::nan:
          for (NanRule r : {NanRule::first, NanRule::last, NanRule::ignore})
            if (r != std::get<NanRule>(attr)) set(kRule, r);
          break;
        case AttrKey::inclusion:
          set(kRule, std::get<Inclusion>(attr) == Inclusion::inclusive ? Inclusion::exclusive : Inclusion::inclusive);
          break;
        case AttrKey::direction:
          set(kRule, std::get<Direction>(attr) == Direction::forward ? Direction::reverse : Direction::forward);
          break;
        case AttrKey::atomic_op:
          set(kPlain, std::get<AtomicOp>(attr) == AtomicOp::add ? AtomicOp::exchange : AtomicOp::add);
          break;
        case AttrKey::memory_order:
        case AttrKey::failure_order:
          if (std::get<MemoryOrder>(attr) != MemoryOrder::relaxed) set(kMemoryOrder, MemoryOrder::relaxed);
          break;
        case AttrKey::sharing:
          if (std::get<Sharing>(attr) == Sharing::system) set(kMemoryOrder, Sharing::invocation);
          break;
        default: break;
      }
    }
    if (o.attrs.has(AttrKey::identity)) {
      add(kIdentity, id, [](OpEdit& e) {
        Attrs left;
        for (const auto& [key, attr] : e.attrs.all())
          if (key != AttrKey::identity && key != AttrKey::identity_assumed) left.set(key, attr);
        e.attrs = std::move(left);
      });
    }
  }

  void retype(OpId id, const Op& o) {
    const Type& t = b_.type(o.results[0]);
    if (!t.is(TypeKind::scalar)) return;
    DType other = DType::i64;
    switch (t.dtype) {
      case DType::i64: other = DType::i32; break;
      case DType::f32: other = DType::f64; break;
      case DType::f64: other = DType::f32; break;
      case DType::f16: other = DType::bf16; break;
      case DType::bf16: other = DType::f16; break;
      default: break;
    }
    add(kType, id, [&](OpEdit& e) { e.types[0].dtype = other; });
  }

  // One comparison of a conjunction off by one, either way.
  void weaken(OpId id, Expr e) {
    std::vector<Expr> parts;
    append_conjuncts(e, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].is(ExprKind::lt) && !parts[i].is(ExprKind::le)) continue;
      for (std::int64_t by : {-1, 1}) {
        std::vector<Expr> changed = parts;
        changed[i] = pool_.make(parts[i].kind(), {parts[i].kid(0), parts[i].kid(1) + by});
        add(by < 0 ? kPredicate : kUnguarded, id, [&](OpEdit& edit) { edit.attrs.set(AttrKey::expr, pool_.all_of(changed)); });
      }
    }
  }

  static Scalar other_literal(const Scalar& s) {
    if (s.type == DType::i1) return Scalar::of_int(DType::i1, s.as_signed() == 0 ? 1 : 0);
    if (is_integer(s.type)) return Scalar::of_int(s.type, s.as_signed() == 1 ? 2 : 1);
    return parse_literal(s.as_double() == 1.0 ? "2.0" : "1.0", s.type).value();
  }

  void effect(OpId id, const Op& o) {
    if (!o.results.empty()) return;
    add(kDropped, id, [](OpEdit& e) { e.times = 0; });
    if (o.kind != OpKind::store) add(kRepeated, id, [](OpEdit& e) { e.times = 2; });
  }

  void store(OpId id, const Op& o) {
    effect(id, o);
    const StoreView s = as_store(b_, o);
    const std::size_t rank = s.coordinates.size();
    coordinates(id, o, rank);
    replace_operand(id, o, 1 + rank);
    if (s.where) add(kUnguarded, id, [](OpEdit& e) { e.operands.pop_back(); });
    exchange_with_next(id);
  }

  void load(OpId id, const Op& o) {
    const LoadView l = as_load(b_, o);
    coordinates(id, o, l.coordinates.size());
    if (l.fill) add(kFill, id, [](OpEdit& e) { e.operands.pop_back(); });
    if (l.where) add(kFill, id, [n = 1 + l.coordinates.size()](OpEdit& e) { e.operands.resize(n); });
    if (l.fill) replace_operand(id, o, o.operands.size() - 1, kFill);
    // Another view of the same form.
    for (const ViewParam& v : p_.abi.views) {
      const Type &now = b_.type(o.operands[0]), &then = b_.type(v.value);
      if (v.value == o.operands[0] || then.dtype != now.dtype || then.shape.size() != now.shape.size()) continue;
      add(kCoordinate, id, [&](OpEdit& e) { e.operands[0] = v.value; });
      break;
    }
  }

  void coordinates(OpId id, const Op& o, std::size_t rank) {
    for (std::size_t k = 1; k <= rank; ++k) {
      if (k < rank) add(kCoordinate, id, [k](OpEdit& e) { std::swap(e.operands[k], e.operands[k + 1]); });
      replace_operand(id, o, k, o.kind == OpKind::store ? kShared : kCoordinate);
    }
  }

  void negate(OpId id) {
    // The condition's negation is no value of the program: another condition in its place.
    replace_operand(id, b_.op(id), 0, kPredicate);
  }

  void loop(OpId id, const Op& o) {
    for (std::size_t i = 0; i < o.operands.size(); ++i) replace_operand(id, o, i, kStartState);
  }

  void hand_on(OpId id, const Op& o) {
    const OpId around = b_.region(o.parent).parent;
    if (!around) return;
    const Damage& d = inside_segments(id) ? kCapture : kNextState;
    for (std::size_t i = 0; i < o.operands.size(); ++i) replace_operand(id, o, i, d);
    for (std::size_t i = 0; i + 1 < o.operands.size(); ++i)
      if (b_.type(o.operands[i]) == b_.type(o.operands[i + 1]))
        add(d, id, [i](OpEdit& e) { std::swap(e.operands[i], e.operands[i + 1]); });
  }

  bool inside_segments(OpId id) const {
    while (id) {
      const OpKind k = b_.op(id).kind;
      if (k == OpKind::region_fold || k == OpKind::region_scan) return true;
      id = b_.region(b_.op(id).parent).parent;
    }
    return false;
  }

  // The nearest other value of the type that is visible before the operation.
  void replace_operand(OpId id, const Op& o, std::size_t i, const Damage& d = kOperand) {
    if (i >= o.operands.size()) return;
    const ValueId old = o.operands[i];
    if (auto other = visible_before(id, b_.type(old), old)) add(d, id, [&](OpEdit& e) { e.operands[i] = *other; });
  }

  std::optional<ValueId> visible_before(OpId id, const Type& type, ValueId not_this) const {
    for (OpId at = id; at;) {
      const Region& r = b_.region(b_.op(at).parent);
      std::size_t n = 0;
      while (r.ops[n] != at) ++n;
      while (n-- > 0)
        for (ValueId v : b_.op(r.ops[n]).results)
          if (v != not_this && b_.type(v) == type) return v;
      for (ValueId v : r.args)
        if (v != not_this && b_.type(v) == type) return v;
      at = r.parent;
    }
    return std::nullopt;
  }

  // Two stores beside each other, the later one first: copies of each at the other's place.
  void exchange_with_next(OpId id) {
    const Region& r = b_.region(b_.op(id).parent);
    std::size_t n = 0;
    while (r.ops[n] != id) ++n;
    if (n + 1 >= r.ops.size() || b_.op(r.ops[n + 1]).kind != OpKind::store) return;
    const OpId next = r.ops[n + 1];
    PhysicalPtr made = lowering::copy_with(p_, [&](OpId at, OpEdit& e) {
      const Op& other = b_.op(at == id ? next : id);
      if (at != id && at != next) return;
      e.operands = other.operands;
      e.attrs = other.attrs;
    });
    out_.push_back({kOrderOfEffects.name, kOrderOfEffects.check, place(id), std::move(made)});
  }

  const PhysicalProgram& p_;
  const Body& b_;
  ExprPool& pool_;
  std::vector<Mutant> out_;
};

}  // namespace

std::vector<Mutant> mutants_of(const PhysicalProgram& program) { return Mutator(program).run(); }

std::vector<Damage> damages() {
  return {kDropped,   kRepeated, kLength,  kShared,    kDecode,     kNextState, kStartState, kOrderOfEffects,
          kPlain,     kFill,     kInitial, kIdentity,  kInit,       kOrder,     kRule,       kCapture,
          kType,      kBounds,   kScope,   kUnguarded, kCoordinate, kIndex,     kPredicate,  kMemoryOrder,
          kOperation, kOperands, kOperand, kLiteral,   kMode};
}

}  // namespace kir::mutants
