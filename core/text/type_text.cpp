#include <fmt/format.h>

#include "core/text/parser.h"

namespace kir::text {

std::optional<DType> Parser::accept_dtype() {
  if (!at(Tok::name)) return std::nullopt;
  std::optional<DType> t;
  if (const WordInfo* w = word(); w && w->dtype)
    t = w->dtype;
  else if (const Binding& b = slot(tok_.name, false); b.kind == BindingKind::constexpr_dtype)
    t = b.dtype;
  if (t) advance();
  return t;
}

DType Parser::dtype(const char* where) {
  std::optional<DType> t = accept_dtype();
  if (!t)
    fail("P-03", tok_.range(), fmt::format("expected an element type {}, found {}", where, found()),
         "element types: i1 i8 i16 i32 i64 u64 f8e4m3 f8e5m2 f16 bf16 tf32 f32 f64");
  return *t;
}

std::vector<NodeId> Parser::expression_list(Tok close) {
  std::vector<NodeId> out;
  comma_list(close, [&] { out.push_back(expression()); });
  expect(close, "after the list");
  return out;
}

std::vector<Expr> Parser::shape() {
  expect(Tok::lbracket, "before the extents");
  std::vector<Expr> out;
  for (NodeId n : expression_list(Tok::rbracket)) out.push_back(index_expr(n, Sort::integer));
  return out;
}

Type Parser::parse_type() {
  if (at_op(OpKind::index)) {
    SourceRange range = tok_.range();
    advance();
    if (physical_) fail("T-03", range, "a physical program has no type index", "write i64 or i32");
    return Type::index();
  }
  if (at_op(OpKind::view)) {
    advance();
    DType t = dtype("of the view");
    return Type::view(t, shape());
  }
  DType t = dtype("as the type");
  if (!physical_) return at(Tok::lbracket) ? Type::tensor(t, shape()) : Type::scalar(t);
  if (!accept(Tok::lt)) return Type::scalar(t);
  std::vector<Expr> extents;
  do extents.push_back(pool_->constant(integer("an extent of the fragment", 1, std::int64_t{1} << 30)));
  while (accept(Tok::comma));
  std::string layout;
  if (accept(Tok::semicolon)) layout = names_.text(expect(Tok::layout, "as the fragment's layout").name);
  expect(Tok::gt, "to close the fragment type");
  return Type::fragment(t, std::move(extents), std::move(layout));
}

std::int64_t Parser::integer(const char* what, std::int64_t lo, std::int64_t hi) {
  std::uint32_t begin = tok_.begin;
  NodeId n = unary();
  const Node node = syntax_.nodes[n];
  bool constant = node.kind == NodeKind::name && !node.percent && slot(node.name, false).kind == BindingKind::constexpr_int;
  if (!constant && (node.kind != NodeKind::literal || node.literal != LiteralKind::integer))
    fail("P-03", since(begin), fmt::format("expected an integer as {}", what));
  std::int64_t v = index_literal(node);
  if (v < lo || v > hi) fail("T-07", node.range, fmt::format("{} must lie in {}..={}, not be {}", what, lo, hi, v));
  return v;
}

IntList Parser::int_list(const char* what) {
  expect(Tok::lparen, "before the list");
  IntList out;
  comma_list(Tok::rparen, [&] { out.push_back(integer(what, 0, 1000)); });
  expect(Tok::rparen, "after the list");
  return out;
}

}  // namespace kir::text
