#include "core/text/elaborate.h"

#include <fmt/format.h>

namespace kir::text {
namespace {

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

}  // namespace

bool Parser::mixes(ValueId v) const {
  const Type& t = type(v);
  if (!physical_) return t.is(TypeKind::index);
  return is_data(t) && (t.dtype == DType::i32 || t.dtype == DType::i64);
}

bool Parser::is_index_like(const Term& t) const {
  return t.kind == Term::index || (t.kind == Term::value && type(t.v).is(TypeKind::index));
}

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

Parser::Level::Level(Parser& parser, SourceRange range) : p(parser) {
  if (p.levels_ >= kMaxLevels)
    p.fail("P-05", range, fmt::format("with the helpers that it calls the expression has more than {} levels", kMaxLevels),
           "split it with let");
  ++p.levels_;
}

Term Parser::elaborate(NodeId id, const Type* expected) {
  const Node n = syntax_.nodes[id];
  Level level(*this, n.range);
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
        case BindingKind::part: fail("T-03", n.range, fmt::format("'{}' is a part, not a value", text_of(n.range)), kPartHint);
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
  terms.reserve(n.kid_count);
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
std::vector<ValueId> Parser::operands_of_one_type(OpKind kind, std::span<const NodeId> nodes, const Type* expected) {
  std::vector<Term> terms;
  terms.reserve(nodes.size());
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
  out.reserve(terms.size());
  for (const Term& x : terms) {
    out.push_back(term_value(x, t ? &*t : nullptr));
    const Type& got = type(out.back());
    if (!is_data(got))
      fail("T-03", x.range, fmt::format("'{}' works on data, not on {}", row(kind).name, type_name(got)),
           got.is(TypeKind::index) ? "index arithmetic is written with + - * floordiv mod min max" : "");
  }
  return out;
}

}  // namespace kir::text
