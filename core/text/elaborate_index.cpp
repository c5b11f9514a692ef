#include <fmt/format.h>

#include <algorithm>

#include "core/text/elaborate.h"

namespace kir::text {

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
    case BindingKind::part: fail("T-03", n.range, fmt::format("'{}' is a part, not an integer", name), kPartHint);
    case BindingKind::value:
      if (mixes(b.value)) return pool_->value(b.value);
      fail(
          "T-03", n.range,
          fmt::format("'{}' has type {} and cannot stand in an integer expression", text_of(n.range), type_name(type(b.value))),
          physical_ ? "leaves are symbols and values of type i32 or i64" : kMixHint);
  }
  KIR_UNREACHABLE("binding kind");
}

// The sort that a tree has as an integer expression; of an ite that of its first branch.
Sort Parser::sort_of(NodeId id) const {
  auto is_ite = [&](const Node& n) {
    return n.kind == NodeKind::call && n.name == static_cast<NameId>(Word::ite) && n.kid_count == 3;
  };
  while (is_ite(syntax_.nodes[id])) id = syntax_.kid(id, 1);
  const Node& n = syntax_.nodes[id];
  bool truth = n.kind == NodeKind::chain || n.kind == NodeKind::logical_not ||
               (n.kind == NodeKind::binary && is_logical(n.op)) ||
               (n.kind == NodeKind::literal && n.literal == LiteralKind::boolean);
  return truth ? Sort::boolean : Sort::integer;
}

Expr Parser::size_of_part(NodeId id) {
  const Node n = syntax_.nodes[id];
  const Node k = n.kid_count == 1 ? syntax_.nodes[syntax_.kid(id, 0)] : Node{};
  const Binding b = k.kind == NodeKind::name && n.kid_count == 1 && !k.percent ? slot(k.name, false) : Binding{};
  if (b.kind == BindingKind::poison) throw Recover{};
  if (b.kind != BindingKind::part) fail("P-04", n.range, "'size' takes the name of a part", "let r = part v.0 [a..b]");
  return pool_->value(b.second) - pool_->value(b.value);
}

Expr Parser::index_expr(NodeId id, Sort sort) {
  const Node n = syntax_.nodes[id];
  Level level(*this, n.range);
  auto kid = [&](std::uint32_t i, Sort s = Sort::integer) { return index_expr(syntax_.kid(id, i), s); };
  auto any_kid = [&](std::uint32_t i, Sort* s) {  // == and ite take both sorts
    NodeId k = syntax_.kid(id, i);
    *s = sort_of(k);
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
      } else if (const Helper* h = find_helper(n.name)) {
        const ValueId v = helper_call(*h, id);
        if (!mixes(v))
          fail("T-03", n.range,
               fmt::format("'{}' gives {} and cannot stand in an integer expression", names_.text(n.name), type_name(type(v))),
               kMixHint);
        out = pool_->value(v);
      } else if (w == Word::to_index && !physical_ && open_blocks_ > 0) {
        out = pool_->value(value_of(id, nullptr));
      } else if (w == Word::size) {
        out = size_of_part(id);
      } else {
        fail("T-03", n.range, fmt::format("'{}' cannot stand in an integer expression", names_.text(n.name)),
             open_blocks_ > 0 ? "name it with let first, if it has type index" : "no data is known where a kernel begins");
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
  const Node& call = syntax_.nodes[n];
  if (call.kind == NodeKind::call && call.name == static_cast<NameId>(Word::to_index)) return value_of(n, nullptr);
  Expr e = index_expr(n, Sort::integer);
  return e.is(ExprKind::value) ? e.value() : index_op(e, nullptr, syntax_.nodes[n].range);
}

}  // namespace kir::text
