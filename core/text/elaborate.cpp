#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/text/parser.h"
#include "core/text/type_name.h"

namespace kir::text {
namespace {

ExprKind expr_kind(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return ExprKind::add;
    case BinaryOp::sub: return ExprKind::sub;
    case BinaryOp::mul: return ExprKind::mul;
    case BinaryOp::div: KIR_UNREACHABLE("integer expressions have no '/'");
    case BinaryOp::floordiv: return ExprKind::floordiv;
    case BinaryOp::mod: return ExprKind::mod;
    case BinaryOp::logical_and: return ExprKind::logical_and;
    case BinaryOp::logical_or: return ExprKind::logical_or;
    case BinaryOp::implies: return ExprKind::implies;
    case BinaryOp::eq: return ExprKind::eq;
    case BinaryOp::ne: return ExprKind::ne;
    case BinaryOp::lt: return ExprKind::lt;
    case BinaryOp::le: return ExprKind::le;
    case BinaryOp::gt: return ExprKind::gt;
    case BinaryOp::ge: return ExprKind::ge;
  }
  KIR_UNREACHABLE("binary operator");
}

bool is_logical(BinaryOp op) { return op == BinaryOp::logical_and || op == BinaryOp::logical_or || op == BinaryOp::implies; }

std::string_view comparison_suffix(BinaryOp op, bool floating) {
  switch (op) {
    case BinaryOp::eq: return floating ? "oeq" : "eq";
    case BinaryOp::ne: return floating ? "une" : "ne";
    case BinaryOp::lt: return floating ? "olt" : "slt";
    case BinaryOp::le: return floating ? "ole" : "sle";
    case BinaryOp::gt: return floating ? "ogt" : "sgt";
    case BinaryOp::ge: return floating ? "oge" : "sge";
    default: KIR_UNREACHABLE("no comparison");
  }
}

bool is_data(const Type& t) { return t.is(TypeKind::scalar) || t.is(TypeKind::fragment); }
const Type kI1 = Type::scalar(DType::i1);

constexpr const char* kMixHint = "data and index do not mix: convert first, as in to_f32(i)";

}  // namespace

bool Parser::mixes(ValueId v) const {
  const Type& t = type(v);
  if (!physical_) return t.is(TypeKind::index);
  return is_data(t) && (t.dtype == DType::i32 || t.dtype == DType::i64);
}

bool Parser::is_index_like(const Term& t) const {
  return t.kind == Term::index || (t.kind == Term::value && type(t.v).is(TypeKind::index));
}

std::int64_t Parser::index_literal(const Node& n) {
  if (n.kind == NodeKind::name) return slot(n.name, false).number;
  if (n.literal != LiteralKind::integer)
    fail("T-07", n.range, fmt::format("'{}' is no integer", text_of(n.range)), "integer expressions hold integers only");
  std::string digits = text_of(n.name_range);
  std::erase(digits, '_');
  int base = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
  // The magnitude is read as unsigned, so that the least i64 can be written.
  std::uint64_t magnitude = 0;
  bool overflow = false;
  for (char c : base == 16 ? digits.substr(2) : digits) {
    std::uint64_t digit = static_cast<std::uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    overflow |= __builtin_mul_overflow(magnitude, static_cast<std::uint64_t>(base), &magnitude) ||
                __builtin_add_overflow(magnitude, digit, &magnitude);
  }
  std::uint64_t limit = n.negative ? std::uint64_t{1} << 63 : (std::uint64_t{1} << 63) - 1;
  if (overflow || magnitude > limit)
    fail("T-07", n.range, fmt::format("'{}' does not fit in 64 bits", text_of(n.range)),
         "integer literals lie in -9223372036854775808..9223372036854775807");
  return n.negative ? static_cast<std::int64_t>(0 - magnitude) : static_cast<std::int64_t>(magnitude);
}

Scalar Parser::literal_scalar(const Node& n, DType dtype) {
  std::string text;
  LiteralKind kind = n.literal;
  if (n.kind == NodeKind::name) {
    text = std::to_string(slot(n.name, false).number);
    kind = LiteralKind::integer;
  } else {
    text = text_of(n.name_range);
    text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '_' || c == ' ' || c == '\n' || c == '\t'; }),
               text.end());
    if (n.negative) text = "-" + text;
  }
  bool fits = dtype == DType::i1 ? kind == LiteralKind::boolean
                                 : kind == (is_float(dtype) ? LiteralKind::floating : LiteralKind::integer);
  std::optional<Scalar> s = fits ? parse_literal(text, dtype) : std::nullopt;
  if (!s) {
    std::string hint;
    if (is_float(dtype) && kind == LiteralKind::integer)
      hint = fmt::format("write {}.0", text);
    else if (dtype == DType::i1)
      hint = "write true or false";
    else if (fits)
      hint = "the literal is out of range";
    fail("T-07", n.range, fmt::format("'{}' is no literal of type {}", text_of(n.range), name(dtype)), hint);
  }
  return *s;
}

// --- Integer expressions.

Expr Parser::index_leaf(NodeId id) {
  const Node n = syntax_.nodes[id];
  std::string name(names_.text(n.name));
  const Binding b = slot(n.name, n.percent);
  switch (b.kind) {
    case BindingKind::none:
      fail("T-01", n.range, fmt::format("'{}{}' is not bound here", n.percent ? "%" : "", name),
           n.percent || physical_ ? "" : "a symbol is bound by standing alone as an extent or stride, or by `name: index`");
    case BindingKind::poison: throw Recover{};
    case BindingKind::symbol: return pool_->symbol(name);
    case BindingKind::constexpr_int: return pool_->constant(b.number);
    case BindingKind::constexpr_dtype: fail("T-03", n.range, fmt::format("'{}' is an element type, not an integer", name));
    case BindingKind::value:
      if (mixes(b.value)) return pool_->value(b.value);
      fail(
          "T-03", n.range,
          fmt::format("'{}' has type {} and cannot stand in an integer expression", text_of(n.range), type_name(type(b.value))),
          physical_ ? "leaves are symbols and values of type i32 or i64" : kMixHint);
  }
  KIR_UNREACHABLE("binding kind");
}

Expr Parser::index_expr(NodeId id, Sort sort) {
  const Node n = syntax_.nodes[id];
  auto kid = [&](std::uint32_t i, Sort s = Sort::integer) { return index_expr(syntax_.kid(id, i), s); };
  auto any_kid = [&](std::uint32_t i, Sort* s) {  // == and ite take both sorts
    NodeId k = syntax_.kid(id, i);
    const Node& node = syntax_.nodes[k];
    bool boolean = node.kind == NodeKind::chain || node.kind == NodeKind::logical_not ||
                   (node.kind == NodeKind::binary && is_logical(node.op)) ||
                   (node.kind == NodeKind::literal && node.literal == LiteralKind::boolean);
    if (node.kind == NodeKind::call && node.name == static_cast<NameId>(Word::ite) && node.kid_count == 3) {
      // The sort of an ite is that of its branches: look through nested ones.
      NodeId inner = k;
      while (syntax_.nodes[inner].kind == NodeKind::call && syntax_.nodes[inner].name == static_cast<NameId>(Word::ite) &&
             syntax_.nodes[inner].kid_count == 3)
        inner = syntax_.kid(inner, 1);
      const Node& leaf = syntax_.nodes[inner];
      boolean = leaf.kind == NodeKind::chain || leaf.kind == NodeKind::logical_not ||
                (leaf.kind == NodeKind::binary && is_logical(leaf.op)) ||
                (leaf.kind == NodeKind::literal && leaf.literal == LiteralKind::boolean);
    }
    *s = boolean ? Sort::boolean : Sort::integer;
    return index_expr(k, *s);
  };
  Expr out;
  switch (n.kind) {
    case NodeKind::name: out = index_leaf(id); break;
    case NodeKind::literal:
      out = n.literal == LiteralKind::boolean ? pool_->boolean(text_of(n.name_range) == "true")
                                              : pool_->constant(index_literal(n));
      break;
    case NodeKind::neg: out = -kid(0); break;
    case NodeKind::logical_not: out = negation(kid(0, Sort::boolean)); break;
    case NodeKind::binary: {
      if (n.op == BinaryOp::div)
        fail("T-03", n.range, "'/' divides floats only", "write floordiv, ceildiv(a, b) or mod for integers");
      Sort s = is_logical(n.op) ? Sort::boolean : Sort::integer;
      Expr a = kid(0, s), b = kid(1, s);
      out = pool_->make(expr_kind(n.op), {a, b});
      break;
    }
    case NodeKind::chain: {
      Sort sort_before, sort_here;
      Expr before = any_kid(0, &sort_before);
      for (std::uint32_t i = 1; i < n.kid_count; ++i) {
        BinaryOp op = syntax_.chain_ops[n.name + i - 1];
        Expr here = any_kid(i, &sort_here);
        if (sort_here != sort_before || (sort_here == Sort::boolean && op != BinaryOp::eq && op != BinaryOp::ne))
          fail("T-03", n.range, "a comparison of a truth value with an integer, or an order of truth values");
        Expr link = pool_->make(expr_kind(op), {before, here});
        out = out ? both(out, link) : link;
        before = here;
        sort_before = sort_here;
      }
      break;
    }
    case NodeKind::call: {
      Word w = static_cast<Word>(n.name);
      auto arity = [&](std::uint32_t wanted) {
        if (n.kid_count != wanted)
          fail("P-04", n.range, fmt::format("'{}' takes {} operands, not {}", names_.text(n.name), wanted, n.kid_count));
      };
      if (w == Word::ceildiv || w == Word::min || w == Word::max) {
        arity(2);
        Expr a = kid(0), b = kid(1);
        out = w == Word::ceildiv ? ceildiv(a, b) : w == Word::min ? kir::min(a, b) : kir::max(a, b);
      } else if (w == Word::ite) {
        arity(3);
        Expr c = kid(0, Sort::boolean);
        Sort s1, s2;
        Expr a = any_kid(1, &s1), b = any_kid(2, &s2);
        if (s1 != s2) fail("T-03", n.range, "the branches of ite are of two sorts");
        out = ite(c, a, b);
      } else if (w == Word::pos && physical_) {
        arity(1);
        std::int64_t k = index_literal(syntax_.nodes[syntax_.kid(id, 0)]);
        if (k < 0 || k > 64) fail("T-07", n.range, "pos(k) takes the number of an axis");
        out = pool_->position(static_cast<int>(k));
      } else {
        fail("T-03", n.range, fmt::format("'{}' cannot stand in an integer expression", names_.text(n.name)),
             "name it with let first, if it has type index");
      }
      break;
    }
    case NodeKind::access:
    case NodeKind::load:
    case NodeKind::elem: fail("T-03", n.range, "memory cannot be read inside an integer expression", kMixHint);
  }
  if (out.sort() != sort)
    fail("T-03", n.range,
         fmt::format("expected {}, found {}", sort == Sort::integer ? "an integer" : "a truth value",
                     out.sort() == Sort::integer ? "an integer" : "a truth value"));
  return out;
}

Expr Parser::term_expr(const Term& t, Sort sort) {
  Expr e;
  switch (t.kind) {
    case Term::index: e = t.e; break;
    case Term::literal: {
      const Node& n = syntax_.nodes[t.node];
      e = n.kind == NodeKind::literal && n.literal == LiteralKind::boolean ? pool_->boolean(text_of(n.name_range) == "true")
                                                                           : pool_->constant(index_literal(n));
      break;
    }
    case Term::value:
      if (!mixes(t.v)) fail("T-03", t.range, fmt::format("a value of type {} beside an index", type_name(type(t.v))), kMixHint);
      e = pool_->value(t.v);
      break;
  }
  if (e.sort() != sort)
    fail("T-03", t.range, fmt::format("expected {}", sort == Sort::integer ? "an integer" : "a truth value"));
  return e;
}

// The type of an `index` operation in a physical program: the expected one, else the fragment of its leaves.
Type Parser::index_type(Expr e, const Type* expected) const {
  bool boolean = e.sort() == Sort::boolean;
  if (!physical_) return boolean ? kI1 : Type::index();
  if (expected && is_data(*expected) &&
      (boolean ? expected->dtype == DType::i1 : expected->dtype == DType::i32 || expected->dtype == DType::i64))
    return *expected;
  Type container = Type::scalar(DType::i64);
  bool narrow = true, any_value = false;
  for (Expr l : leaves(e)) {
    if (l.is(ExprKind::symbol)) narrow = false;
    if (!l.is(ExprKind::value)) continue;
    any_value = true;
    narrow = narrow && type(l.value()).dtype == DType::i32;
    if (type(l.value()).is(TypeKind::fragment)) container = type(l.value());
  }
  if (boolean) return container.with(DType::i1);
  return container.with(any_value && narrow ? DType::i32 : DType::i64);
}

ValueId Parser::index_op(Expr e, const Type* expected, SourceRange range) {
  Type t = index_type(e, expected);
  if (physical_ && t.is(TypeKind::scalar) && mentions(e, [](Expr l) { return l.is(ExprKind::position); }))
    fail("T-06", range, "pos(k) needs a fragment type", "declare it: %e: i64<...; @L> = index ...");
  Attrs attrs;
  attrs.set(AttrKey::expr, e);
  return builder_->result(emit(OpKind::index, {}, std::move(attrs), {}, {t}, range));
}

ValueId Parser::coordinate(NodeId n) {
  Expr e = index_expr(n, Sort::integer);
  return e.is(ExprKind::value) ? e.value() : index_op(e, nullptr, syntax_.nodes[n].range);
}

// --- Values.

ValueId Parser::constant_op(const Scalar& s, SourceRange range) {
  Attrs attrs;
  attrs.set(AttrKey::literal, s);
  return builder_->result(emit(OpKind::constant, {}, std::move(attrs), {}, {Type::scalar(s.type)}, range));
}

ValueId Parser::splat_to(ValueId v, const Type& t, SourceRange range) {
  return builder_->result(emit(OpKind::splat, {v}, {}, {}, {t}, range));
}

ValueId Parser::term_value(const Term& t, const Type* expected) {
  switch (t.kind) {
    case Term::value:
      if (type(t.v).is(TypeKind::view))
        fail("T-03", t.range, fmt::format("'{}' is a view, not a value", text_of(t.range)), "its elements are read by x[...]");
      return t.v;
    case Term::index:
      if (t.e.is(ExprKind::value) && (!physical_ || !expected || *expected == type(t.e.value()))) return t.e.value();
      if (expected && !physical_ && t.e.sort() == Sort::integer && !expected->is(TypeKind::index))
        fail("T-03", t.range, fmt::format("an index where {} is needed", type_name(*expected)), kMixHint);
      return index_op(t.e, expected, t.range);
    case Term::literal: {
      const Node n = syntax_.nodes[t.node];
      if (expected && expected->is(TypeKind::index)) return index_op(term_expr(t, Sort::integer), expected, t.range);
      if (expected && is_data(*expected)) {
        ValueId c = constant_op(literal_scalar(n, expected->dtype), t.range);
        return expected->is(TypeKind::fragment) ? splat_to(c, *expected, t.range) : c;
      }
      if (n.kind == NodeKind::literal && n.literal == LiteralKind::boolean)
        return constant_op(literal_scalar(n, DType::i1), t.range);
      fail("T-06", t.range, fmt::format("'{}' has no type here", text_of(t.range)),
           "declare the type, or write f32(1.0), i32(1)");
    }
  }
  KIR_UNREACHABLE("term kind");
}

Term Parser::elaborate(NodeId id, const Type* expected) {
  const Node n = syntax_.nodes[id];
  auto value = [&](ValueId v) { return Term{.kind = Term::value, .v = v, .e = {}, .node = id, .range = n.range}; };
  auto index = [&](Expr e) { return Term{.kind = Term::index, .v = {}, .e = e, .node = id, .range = n.range}; };
  auto literal = [&] { return Term{.kind = Term::literal, .v = {}, .e = {}, .node = id, .range = n.range}; };
  switch (n.kind) {
    case NodeKind::name: {
      const Binding& b = slot(n.name, n.percent);
      switch (b.kind) {
        case BindingKind::none: {
          std::string_view near = words_.nearest_operation(names_.text(n.name));
          fail("T-01", n.range, fmt::format("'{}' is not bound here", text_of(n.range)),
               near.empty() ? "" : fmt::format("did you mean the operation '{}'?", near));
        }
        case BindingKind::poison: throw Recover{};
        case BindingKind::value: return value(b.value);
        case BindingKind::symbol: return index(pool_->symbol(names_.text(n.name)));
        case BindingKind::constexpr_int: return literal();
        case BindingKind::constexpr_dtype:
          fail("T-03", n.range, fmt::format("'{}' is an element type, not a value", text_of(n.range)));
      }
      KIR_UNREACHABLE("binding kind");
    }
    case NodeKind::literal: return literal();
    case NodeKind::neg: {
      Term a = elaborate(syntax_.kid(id, 0), expected);
      if (is_index_like(a) || (a.kind == Term::literal && !(expected && is_data(*expected))))
        return index(-term_expr(a, Sort::integer));
      ValueId v = term_value(a, expected);
      return value(pointwise(OpKind::neg, {v}, {}, nullptr, n.range));
    }
    case NodeKind::logical_not: {
      Term a = elaborate(syntax_.kid(id, 0), expected);
      if (a.kind == Term::index) return index(negation(term_expr(a, Sort::boolean)));
      return value(pointwise(OpKind::bit_not, {term_value(a, expected)}, {}, nullptr, n.range));
    }
    case NodeKind::binary:
      if (is_logical(n.op)) {
        Term a = elaborate(syntax_.kid(id, 0), nullptr);
        Term b = elaborate(syntax_.kid(id, 1), nullptr);
        return elaborate_logical(id, n.op, a, b);
      }
      return elaborate_binary(id, expected);
    case NodeKind::chain: return elaborate_chain(id);
    case NodeKind::access:
    case NodeKind::load:
    case NodeKind::elem: return value(access_value(id, expected));
    case NodeKind::call: return elaborate_call(id, expected);
  }
  KIR_UNREACHABLE("node kind");
}

Term Parser::elaborate_binary(NodeId id, const Type* expected) {
  const Node n = syntax_.nodes[id];
  Term a = elaborate(syntax_.kid(id, 0), expected);
  Term b = elaborate(syntax_.kid(id, 1), expected);
  bool literals = a.kind == Term::literal && b.kind == Term::literal && !(expected && is_data(*expected));
  if (is_index_like(a) || is_index_like(b) || literals || n.op == BinaryOp::floordiv || n.op == BinaryOp::mod) {
    if (n.op == BinaryOp::div)
      fail("T-03", n.range, "'/' divides floats only", "write floordiv, ceildiv(a, b) or mod for integers");
    if ((n.op == BinaryOp::floordiv || n.op == BinaryOp::mod) && !physical_ && a.kind == Term::value && !mixes(a.v))
      fail("T-03", n.range, fmt::format("'{}' is about indices", n.op == BinaryOp::mod ? "mod" : "floordiv"),
           "data integers have divt, divf, remt, remf");
    Expr x = term_expr(a, Sort::integer), y = term_expr(b, Sort::integer);
    return {.kind = Term::index, .v = {}, .e = pool_->make(expr_kind(n.op), {x, y}), .node = id, .range = n.range};
  }
  const Type t = a.kind == Term::value ? type(a.v) : b.kind == Term::value ? type(b.v) : *expected;
  ValueId x = term_value(a, &t), y = term_value(b, &t);
  if (type(x) != type(y))
    fail("T-04", n.range, fmt::format("operands of types {} and {}", type_name(type(x)), type_name(type(y))),
         "convert one of them");
  OpKind kind = n.op == BinaryOp::add   ? OpKind::add
                : n.op == BinaryOp::sub ? OpKind::sub
                : n.op == BinaryOp::mul ? OpKind::mul
                                        : OpKind::div;
  if (kind == OpKind::div && is_integer(type(x).dtype))
    fail("T-03", n.range, "'/' divides floats only", "write divt(a, b) (toward zero) or divf(a, b) (toward minus infinity)");
  ValueId v = pointwise(kind, {x, y}, {}, nullptr, n.range);
  return {.kind = Term::value, .v = v, .e = {}, .node = id, .range = n.range};
}

Term Parser::elaborate_logical(NodeId id, BinaryOp op, Term a, Term b) {
  SourceRange range = syntax_.nodes[id].range;
  if (a.kind != Term::value && b.kind != Term::value) {
    Expr x = term_expr(a, Sort::boolean), y = term_expr(b, Sort::boolean);
    return {.kind = Term::index, .v = {}, .e = pool_->make(expr_kind(op), {x, y}), .node = id, .range = range};
  }
  if (op == BinaryOp::implies) fail("T-03", range, "'implies' is about integer expressions", "write not a or b");
  Type t = a.kind == Term::value ? type(a.v) : type(b.v);
  t = t.with(DType::i1);
  ValueId x = term_value(a, &t), y = term_value(b, &t);
  if (type(x) != type(y) || type(x).dtype != DType::i1)
    fail("T-04", range, fmt::format("'and' and 'or' of {} and {}", type_name(type(x)), type_name(type(y))),
         "both must be i1; bitwise operations on integers are written and(a, b), or(a, b)");
  ValueId v = pointwise(op == BinaryOp::logical_and ? OpKind::bit_and : OpKind::bit_or, {x, y}, {}, nullptr, range);
  return {.kind = Term::value, .v = v, .e = {}, .node = id, .range = range};
}

Term Parser::compare(BinaryOp op, Term a, Term b, SourceRange range) {
  bool literals = a.kind == Term::literal && b.kind == Term::literal;
  auto boolean = [&](const Term& t) {
    return (t.kind == Term::index && t.e.sort() == Sort::boolean) ||
           (t.kind == Term::literal && syntax_.nodes[t.node].kind == NodeKind::literal &&
            syntax_.nodes[t.node].literal == LiteralKind::boolean);
  };
  bool truth = boolean(a) && boolean(b);
  if (truth || literals || (is_index_like(a) && !boolean(a)) || (is_index_like(b) && !boolean(b))) {
    if (truth && op != BinaryOp::eq && op != BinaryOp::ne) fail("T-03", range, "truth values have no order");
    Sort s = truth ? Sort::boolean : Sort::integer;
    Expr x = term_expr(a, s), y = term_expr(b, s);
    return {.kind = Term::index, .v = {}, .e = pool_->make(expr_kind(op), {x, y}), .node = a.node, .range = range};
  }
  Type t = a.kind == Term::value ? type(a.v) : type(b.v);
  ValueId x = term_value(a, &t), y = term_value(b, &t);
  if (type(x) != type(y) || !is_data(type(x)))
    fail("T-04", range, fmt::format("a comparison of {} and {}", type_name(type(x)), type_name(type(y))),
         "convert one of them");
  DType d = type(x).dtype;
  Attrs attrs;
  attrs.set(AttrKey::predicate, predicate(comparison_suffix(op, is_float(d)), d, range));
  ValueId v = pointwise(OpKind::cmp, {x, y}, std::move(attrs), nullptr, range);
  return {.kind = Term::value, .v = v, .e = {}, .node = a.node, .range = range};
}

Term Parser::elaborate_chain(NodeId id) {
  const Node n = syntax_.nodes[id];
  std::vector<Term> terms;
  for (std::uint32_t i = 0; i < n.kid_count; ++i) terms.push_back(elaborate(syntax_.kid(id, i), nullptr));
  std::optional<Term> out;
  for (std::uint32_t i = 1; i < n.kid_count; ++i) {
    Term link = compare(syntax_.chain_ops[n.name + i - 1], terms[i - 1], terms[i], n.range);
    out = out ? elaborate_logical(id, BinaryOp::logical_and, *out, link) : link;
  }
  return *out;
}

CmpPredicate Parser::predicate(std::string_view suffix, DType d, SourceRange range) {
  for (CmpPredicate p : all_cmp_predicates())
    if (name(p) == suffix && is_float_predicate(p) == is_float(d)) return p;
  fail("T-05", range, fmt::format("'cmp.{}' does not compare {}", suffix, name(d)),
       is_float(d) ? "floats have oeq one olt ole ogt oge ord ueq une ult ule ugt uge uno"
                   : "integers have eq ne slt sle sgt sge ult ule ugt uge");
}

ValueId Parser::pointwise(OpKind kind, std::vector<ValueId> operands, Attrs attrs, const Type* declared, SourceRange range) {
  Type t;
  if (declared)
    t = *declared;
  else if (kind == OpKind::select)
    t = type(operands[1]);
  else if (row(kind).result == ResultRule::predicate)
    t = type(operands[0]).with(DType::i1);
  else
    t = type(operands[0]);
  return builder_->result(emit(kind, std::move(operands), std::move(attrs), {}, {std::move(t)}, range));
}

// Elaborates operands that must have one type; literals take it from the others, or from `expected`.
std::vector<ValueId> Parser::operands_of_one_type(OpKind kind, const std::vector<NodeId>& nodes, const Type* expected) {
  std::vector<Term> terms;
  for (NodeId n : nodes) terms.push_back(elaborate(n, expected));
  std::optional<Type> t;
  for (const Term& x : terms) {
    if (x.kind == Term::value && !t) t = type(x.v);
    if (x.kind == Term::value && type(x.v).is(TypeKind::fragment)) t = type(x.v);
  }
  if (!t)
    for (const Term& x : terms)
      if (x.kind == Term::index && x.e.sort() == Sort::boolean) t = kI1;
  if (!t && expected) t = *expected;
  std::vector<ValueId> out;
  for (const Term& x : terms) {
    out.push_back(term_value(x, t ? &*t : nullptr));
    const Type& got = type(out.back());
    if (!is_data(got))
      fail("T-03", x.range, fmt::format("'{}' works on data, not on {}", row(kind).name, type_name(got)),
           got.is(TypeKind::index) ? "index arithmetic is written with + - * floordiv mod min max" : "");
  }
  return out;
}

Term Parser::elaborate_call(NodeId id, const Type* expected) {
  const Node n = syntax_.nodes[id];
  std::string_view name = names_.text(n.name);
  auto value = [&](ValueId v) { return Term{.kind = Term::value, .v = v, .e = {}, .node = id, .range = n.range}; };
  std::vector<NodeId> kids;
  for (std::uint32_t i = 0; i < n.kid_count; ++i) kids.push_back(syntax_.kid(id, i));
  const WordInfo* w = words_.find(n.name);
  Word word = static_cast<Word>(n.name);

  constexpr int kNone = -1;
  int literal_type = w && w->dtype ? static_cast<int>(*w->dtype) : kNone;
  int to = w && w->to ? static_cast<int>(*w->to) : kNone;
  if (!w || (!w->op && !w->dtype && !w->to)) {
    const Binding& b = slot(n.name, false);
    if (b.kind == BindingKind::constexpr_dtype) literal_type = static_cast<int>(b.dtype);
    if (name.starts_with("to_")) {
      const Binding& t = slot(names_.intern(name.substr(3)), false);
      if (t.kind == BindingKind::constexpr_dtype) to = static_cast<int>(t.dtype);
    }
  }
  if (literal_type != kNone || to != kNone) {
    if (kids.size() != 1) fail("P-04", n.range, fmt::format("'{}' takes one operand", name));
    if (to != kNone) return value(convert_call(kids[0], static_cast<DType>(to)));
    const Node k = syntax_.nodes[kids[0]];
    bool constexpr_int = k.kind == NodeKind::name && slot(k.name, k.percent).kind == BindingKind::constexpr_int;
    if (k.kind != NodeKind::literal && !constexpr_int)
      fail("T-03", k.range, fmt::format("'{}' makes a literal of a number", name),
           fmt::format("to convert a value write to_{}", name));
    return value(constant_op(literal_scalar(k, static_cast<DType>(literal_type)), n.range));
  }
  if (word == Word::to_index) {
    if (kids.size() != 1) fail("P-04", n.range, "'to_index' takes one operand");
    ValueId v = value_of(kids[0], nullptr);
    if (!type(v).is(TypeKind::scalar) || !is_integer(type(v).dtype) || physical_)
      fail("T-03", n.range, fmt::format("to_index makes an index of a KIR integer, not of {}", type_name(type(v))));
    Attrs attrs;
    attrs.set(AttrKey::mode, type(v).dtype == DType::i1 || type(v).dtype == DType::u64 ? ConvertMode::uint : ConvertMode::sint);
    Type index = Type::index();
    return value(pointwise(OpKind::convert, {v}, std::move(attrs), &index, n.range));
  }
  if (word == Word::ceildiv || word == Word::min || word == Word::max || word == Word::ite || word == Word::pos) {
    if (word == Word::min || word == Word::max)
      for (NodeId k : kids) {
        const Node& x = syntax_.nodes[k];
        const Binding* b = x.kind == NodeKind::name ? &slot(x.name, x.percent) : nullptr;
        if (x.kind == NodeKind::access || (b && b->kind == BindingKind::value && !mixes(b->value)))
          fail("T-05", n.range, fmt::format("'{}' is about indices", name),
               fmt::format("data has {0}.nan, {0}.num (floats) and {0}.s, {0}.u (integers)", name));
      }
    // The sort follows from the branches.
    Sort s = Sort::integer;
    if (word == Word::ite && kids.size() == 3) {
      NodeId inner = id;
      while (syntax_.nodes[inner].kind == NodeKind::call && syntax_.nodes[inner].name == n.name &&
             syntax_.nodes[inner].kid_count == 3)
        inner = syntax_.kid(inner, 1);
      const Node& leaf = syntax_.nodes[inner];
      if (leaf.kind == NodeKind::chain || leaf.kind == NodeKind::logical_not ||
          (leaf.kind == NodeKind::binary && is_logical(leaf.op)) ||
          (leaf.kind == NodeKind::literal && leaf.literal == LiteralKind::boolean))
        s = Sort::boolean;
    }
    return {.kind = Term::index, .v = {}, .e = index_expr(id, s), .node = id, .range = n.range};
  }
  if (!w || !w->op) {
    std::string_view near = words_.nearest_operation(name);
    fail("P-07", n.name_range, fmt::format("there is no operation '{}'", name),
         near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  OpKind kind = w->op->kind;
  if (!is_pointwise(kind) || kind == OpKind::constant || kind == OpKind::index)
    fail("P-04", n.range, fmt::format("'{}' cannot stand inside an expression", name), "give it a let of its own");
  return value(pointwise_operands(kind, w->suffix, kids, expected, nullptr, n.range));
}

// One pointwise operation from operand trees. `declared` is the written result type, `expected` a wish for literals.
ValueId Parser::pointwise_operands(OpKind kind, std::string_view suffix, const std::vector<NodeId>& kids, const Type* expected,
                                   const Type* declared, SourceRange range) {
  int wanted = row(kind).operands;
  if (static_cast<int>(kids.size()) != wanted)
    fail("P-04", range,
         fmt::format("'{}' takes {} operand{}, not {}", row(kind).name, wanted, wanted == 1 ? "" : "s", kids.size()));
  Attrs attrs;
  switch (kind) {
    case OpKind::cmp: {
      if (suffix.empty()) fail("P-04", range, "cmp needs a predicate", "write cmp.slt a, b");
      std::vector<ValueId> v = operands_of_one_type(kind, kids, nullptr);
      attrs.set(AttrKey::predicate, predicate(suffix, type(v[0]).dtype, range));
      return pointwise(kind, std::move(v), std::move(attrs), declared, range);
    }
    case OpKind::select: {
      Term c = elaborate(kids[0], nullptr);
      ValueId condition = term_value(c, c.kind == Term::literal ? &kI1 : nullptr);
      std::vector<ValueId> v = operands_of_one_type(kind, {kids[1], kids[2]}, expected);
      return pointwise(kind, {condition, v[0], v[1]}, {}, declared, range);
    }
    case OpKind::convert: {
      if (suffix.empty()) fail("P-04", range, "convert needs a mode", "write convert.rn a");
      const Type* result = declared ? declared : expected;
      if (!result) fail("T-06", range, "the result type of a conversion must be declared", "or write to_f32(a)");
      ConvertMode mode = ConvertMode::rn;
      for (ConvertMode m : all_convert_modes())
        if (name(m) == suffix) mode = m;
      attrs.set(AttrKey::mode, mode);
      ValueId v = term_value(elaborate(kids[0], nullptr), nullptr);
      return pointwise(kind, {v}, std::move(attrs), result, range);
    }
    default: {
      const Type* wish = row(kind).result == ResultRule::same ? (declared ? declared : expected) : nullptr;
      std::vector<ValueId> v = operands_of_one_type(kind, kids, wish);
      return pointwise(kind, std::move(v), {}, declared, range);
    }
  }
}

ValueId Parser::convert_call(NodeId id, DType to) {
  const Node n = syntax_.nodes[id];
  Term t = elaborate(id, nullptr);
  if (t.kind == Term::literal && n.kind == NodeKind::literal && n.literal != LiteralKind::integer)
    fail("T-06", n.range, fmt::format("'{}' has no type to convert from", text_of(n.range)),
         fmt::format("write {}({})", name(to), text_of(n.range)));
  if (t.kind == Term::literal)
    t = {.kind = Term::index, .v = {}, .e = pool_->constant(index_literal(n)), .node = id, .range = n.range};
  ValueId v = term_value(t, nullptr);
  const Type from = type(v);
  ConvertMode mode;
  if (from.is(TypeKind::index)) {
    mode = is_float(to) ? ConvertMode::sint : to == DType::i1 ? ConvertMode::to_bool : ConvertMode::wrap;
  } else if (is_data(from)) {
    if (from.dtype == to) return v;
    // i1 is 0 or 1 here, not 0 or -1, and u64 is unsigned by its name.
    bool is_unsigned = from.dtype == DType::i1 || from.dtype == DType::u64;
    if (to == DType::i1)
      mode = ConvertMode::to_bool;
    else if (is_float(from.dtype))
      mode = is_float(to) ? ConvertMode::rn : to == DType::u64 ? ConvertMode::to_uint : ConvertMode::to_sint;
    else if (is_float(to) || bit_width(to) > bit_width(from.dtype))
      mode = is_unsigned ? ConvertMode::uint : ConvertMode::sint;
    else
      mode = ConvertMode::wrap;
  } else {
    fail("T-03", n.range, fmt::format("a value of type {} cannot be converted", type_name(from)));
  }
  Attrs attrs;
  attrs.set(AttrKey::mode, mode);
  Type result = from.is(TypeKind::index) ? Type::scalar(to) : from.with(to);
  return pointwise(OpKind::convert, {v}, std::move(attrs), &result, n.range);
}

ValueId Parser::access_value(NodeId id, const Type* expected) {
  const Node n = syntax_.nodes[id];
  const Binding b = slot(n.name, false);
  std::string name(names_.text(n.name));
  if (b.kind == BindingKind::poison) throw Recover{};
  if (b.kind == BindingKind::none) fail("T-01", n.name_range, fmt::format("'{}' is not bound here", name));
  bool view = b.kind == BindingKind::value && type(b.value).is(TypeKind::view);
  bool tensor = b.kind == BindingKind::value && type(b.value).is(TypeKind::tensor);
  if (!view && !tensor) fail("T-03", n.name_range, fmt::format("'{}' is neither a view nor a tensor", name));
  if (n.kind == NodeKind::load && !view)
    fail("T-03", n.name_range, fmt::format("'{}' is a tensor, not a view", name), "use elem");
  if (n.kind == NodeKind::elem && !tensor)
    fail("T-03", n.name_range, fmt::format("'{}' is a view, not a tensor", name), "use load");
  std::uint32_t count = n.kid_count - (n.has_where ? 1 : 0) - (n.has_fill ? 1 : 0);
  const Type source = type(b.value);
  if (count != source.rank()) fail("T-08", n.range, fmt::format("'{}' has rank {}, not {}", name, source.rank(), count));
  std::vector<ValueId> operands{b.value};
  Type result = Type::scalar(source.dtype);
  auto take = [&](ValueId v) {
    operands.push_back(v);
    if (type(v).is(TypeKind::fragment) && result.is(TypeKind::scalar)) {
      Type f = type(v);
      result = f.with(source.dtype);
    }
  };
  for (std::uint32_t i = 0; i < count; ++i) take(coordinate(syntax_.kid(id, i)));
  if (n.has_where) {
    Term where = elaborate(syntax_.kid(id, count), nullptr);
    take(term_value(where, where.kind == Term::literal ? &kI1 : nullptr));
  }
  if (n.has_fill) {
    Type element = Type::scalar(source.dtype);
    take(term_value(elaborate(syntax_.kid(id, count + 1), &element), &element));
  }
  Attrs attrs;
  if (n.vec) attrs.set(AttrKey::vector, std::int64_t{n.vec});
  if (physical_ && expected && expected->is(TypeKind::fragment) && result.is(TypeKind::fragment))
    result = expected->with(source.dtype);
  return builder_->result(
      emit(view ? OpKind::load : OpKind::elem, std::move(operands), std::move(attrs), {}, {result}, n.range));
}

}  // namespace kir::text
