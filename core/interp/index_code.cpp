#include "core/interp/index_code.h"

#include <utility>

#include "core/base/check.h"

namespace kir {
namespace {

bool fits_64(Integer v) { return v >= INT64_MIN && v <= INT64_MAX; }

Integer floor_quotient(Integer a, Integer b) {
  if (fits_64(a) && fits_64(b) && b != -1) {  // the division of 128-bit integers is slow
    const std::int64_t x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b), q = x / y;
    return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
  }
  const Integer q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

}  // namespace

IndexCode::Limits IndexCode::Limits::exact() {
  const Integer top = static_cast<Integer>((static_cast<unsigned __int128>(1) << 127) - 1);
  return {-top - 1, top};
}

IndexCode::Limits IndexCode::Limits::width(DType t) {
  const Integer half = static_cast<Integer>(1) << (bit_width(t) - 1);
  return {-half, half - 1};
}

IndexCode::IndexCode(Expr e, const Body& body, const std::map<std::string, std::int64_t>& symbols, Limits limits)
    : expr_(e), limits_(limits) {
  root_ = add(e, body, symbols);
  numbers_.clear();
}

std::uint32_t IndexCode::add(Expr e, const Body& body, const std::map<std::string, std::int64_t>& symbols) {
  if (auto known = numbers_.find(e); known != numbers_.end()) return known->second;
  Node n{.kind = e.kind(), .integer = e.sort() == Sort::integer};
  switch (e.kind()) {
    case ExprKind::constant:
    case ExprKind::boolean:
      n.leaf = Leaf::constant;
      n.constant = e.number();
      break;
    case ExprKind::symbol: {
      auto it = symbols.find(e.name());
      n.leaf = it == symbols.end() ? Leaf::unbound : Leaf::constant;
      if (it != symbols.end()) n.constant = it->second;
      break;
    }
    case ExprKind::value: {
      const Type& t = body.type(e.value());
      n.a = e.value().index;
      n.shift = static_cast<std::uint8_t>(64 - bit_width(t.dtype));
      if (t.is(TypeKind::index))
        n.leaf = Leaf::integer;
      else if (t.is(TypeKind::scalar))
        n.leaf = n.integer ? Leaf::word : Leaf::boolean;
      else if (t.is(TypeKind::fragment))
        n.leaf = Leaf::tile, uses_tiles_ = true;
      else
        n.leaf = Leaf::unbound;
      break;
    }
    case ExprKind::position:
      n.leaf = Leaf::position;
      n.a = static_cast<std::uint32_t>(e.number());
      uses_tiles_ = true;
      break;
    case ExprKind::variable: n.leaf = Leaf::unbound; break;
    case ExprKind::add:
    case ExprKind::sub:
    case ExprKind::mul:
    case ExprKind::neg:
    case ExprKind::floordiv:
    case ExprKind::mod:
    case ExprKind::ceildiv:
    case ExprKind::min:
    case ExprKind::max:
    case ExprKind::ite:
    case ExprKind::eq:
    case ExprKind::ne:
    case ExprKind::lt:
    case ExprKind::le:
    case ExprKind::gt:
    case ExprKind::ge:
    case ExprKind::logical_not:
    case ExprKind::logical_and:
    case ExprKind::logical_or:
    case ExprKind::implies:
      n.a = add(e.kid(0), body, symbols);
      if (e.kids().size() > 1) n.b = add(e.kid(1), body, symbols);
      if (e.kids().size() > 2) n.c = add(e.kid(2), body, symbols);
      break;
  }
  nodes_.push_back(n);
  exprs_.push_back(e);
  const std::uint32_t number = static_cast<std::uint32_t>(nodes_.size() - 1);
  numbers_.emplace(e, number);
  return number;
}

bool IndexCode::evaluate(const IndexEnvironment& environment, Result& result) const {
  return run(root_, environment, result, result.value);
}

bool IndexCode::fail(std::uint32_t n, IndexFault fault, Result& result) const {
  result.fault = fault;
  result.where = exprs_[n];
  result.exact = limits_.high > INT64_MAX;
  return false;
}

bool IndexCode::run(std::uint32_t at, const IndexEnvironment& env, Result& result, Integer& out) const {
  const Node& n = nodes_[at];
  Integer x = 0, y = 0;
  switch (n.leaf) {
    case Leaf::none: break;
    case Leaf::constant: out = n.constant; break;
    case Leaf::integer:
      out = env.integers[n.a];
      result.taint |= env.taint[n.a];
      break;
    case Leaf::word:
      out = static_cast<std::int64_t>(env.words[n.a] << n.shift) >> n.shift;
      result.taint |= env.taint[n.a];
      break;
    case Leaf::boolean:
      out = env.words[n.a] != 0;
      result.taint |= env.taint[n.a];
      return true;
    case Leaf::tile: {
      const TileValue& tile = env.tiles[n.a];
      result.taint |= tile.taint[env.element];
      const std::uint64_t word = tile.words[env.element];
      out = n.integer ? static_cast<std::int64_t>(word << n.shift) >> n.shift : static_cast<std::int64_t>(word != 0);
      break;
    }
    case Leaf::position: out = env.position[n.a]; break;
    case Leaf::unbound: return fail(at, IndexFault::unbound, result);
  }
  if (n.leaf == Leaf::none) {
    if (!run(n.a, env, result, x)) return false;
    switch (n.kind) {  // those that may leave out an operand
      case ExprKind::ite: return run(x != 0 ? n.b : n.c, env, result, out);
      case ExprKind::logical_not: out = x == 0; return true;
      case ExprKind::logical_and:
        if (x != 0) return run(n.b, env, result, out);
        out = 0;
        return true;
      case ExprKind::logical_or:
        if (x == 0) return run(n.b, env, result, out);
        out = 1;
        return true;
      case ExprKind::implies:
        if (x != 0) return run(n.b, env, result, out);
        out = 1;
        return true;
      case ExprKind::neg:
        if (__builtin_sub_overflow(Integer{0}, x, &out)) return fail(at, IndexFault::overflow, result);
        break;
      case ExprKind::floordiv:
      case ExprKind::mod:
      case ExprKind::ceildiv: {
        const Taint dividend = std::exchange(result.taint, Taint{0});
        if (!run(n.b, env, result, y)) return false;
        const bool may_be_zero = (result.taint & (kArbitrary | kUndecided)) != 0;
        result.taint |= dividend;
        if (may_be_zero) return fail(at, IndexFault::zero_divisor, result);
        break;
      }
      default:
        if (!run(n.b, env, result, y)) return false;
        break;
    }
    switch (n.kind) {
      case ExprKind::neg: break;
      case ExprKind::add:
        if (__builtin_add_overflow(x, y, &out)) return fail(at, IndexFault::overflow, result);
        break;
      case ExprKind::sub:
        if (__builtin_sub_overflow(x, y, &out)) return fail(at, IndexFault::overflow, result);
        break;
      case ExprKind::mul:
        if (fits_64(x) && fits_64(y))
          out = x * y;
        else if (__builtin_mul_overflow(x, y, &out))
          return fail(at, IndexFault::overflow, result);
        break;
      case ExprKind::floordiv:
      case ExprKind::mod:
      case ExprKind::ceildiv: {
        if (y == 0) return fail(at, IndexFault::zero_divisor, result);
        if (y == -1) {  // the quotient may not fit
          if (n.kind == ExprKind::mod)
            out = 0;
          else if (__builtin_sub_overflow(Integer{0}, x, &out))
            return fail(at, IndexFault::overflow, result);
          break;
        }
        const Integer q = floor_quotient(x, y), rest = x - q * y;
        out = n.kind == ExprKind::floordiv ? q : n.kind == ExprKind::mod ? rest : q + (rest != 0 ? 1 : 0);
        break;
      }
      case ExprKind::min: out = x < y ? x : y; break;
      case ExprKind::max: out = x < y ? y : x; break;
      case ExprKind::eq: out = x == y; return true;
      case ExprKind::ne: out = x != y; return true;
      case ExprKind::lt: out = x < y; return true;
      case ExprKind::le: out = x <= y; return true;
      case ExprKind::gt: out = x > y; return true;
      case ExprKind::ge: out = x >= y; return true;
      case ExprKind::constant:
      case ExprKind::boolean:
      case ExprKind::symbol:
      case ExprKind::value:
      case ExprKind::position:
      case ExprKind::variable:
      case ExprKind::ite:
      case ExprKind::logical_not:
      case ExprKind::logical_and:
      case ExprKind::logical_or:
      case ExprKind::implies: KIR_UNREACHABLE("handled above");
    }
  }
  if (n.integer && (out < limits_.low || out > limits_.high)) return fail(at, IndexFault::overflow, result);
  return true;
}

}  // namespace kir
