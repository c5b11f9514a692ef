#include <fmt/format.h>

#include "core/ir/derived_shape.h"
#include "core/text/parser.h"
#include "core/text/type_name.h"

namespace kir::text {

OpId Parser::emit(OpKind kind, std::vector<ValueId> operands, Attrs attrs, std::vector<RegionId> regions,
                  std::vector<Type> types, SourceRange range) {
  last_op_ =
      builder_->emit_with_regions(kind, std::move(operands), std::move(attrs), std::move(regions), std::move(types), range);
  return last_op_;
}

// "add a, b": an operation's name followed by an operand, not by "(" and not as an infix or prefix word.
bool Parser::starts_flat_pointwise() {
  const WordInfo* w = word();
  return w && w->op && is_pointwise(w->op->kind) && w->op->kind != OpKind::constant && w->op->kind != OpKind::index &&
         w->op->kind != OpKind::bit_not && peek(1).kind != Tok::lparen;
}

std::vector<NodeId> Parser::operand_list() {
  std::vector<NodeId> out;
  do out.push_back(expression());
  while (accept(Tok::comma));
  return out;
}

std::vector<ValueId> Parser::rhs(const std::vector<LetName>& names) {
  const Type* declared = names.size() == 1 && names[0].type ? &*names[0].type : nullptr;
  std::uint32_t begin = tok_.begin;
  if (const WordInfo* w = word(); w && w->op) {
    switch (w->op->kind) {
      case OpKind::constant: return {constant_rhs(declared)};
      case OpKind::index: return {index_rhs(declared)};
      case OpKind::transpose: return {transpose_rhs(declared)};
      case OpKind::slice: return {slice_rhs(declared)};
      case OpKind::broadcast: return {broadcast_rhs(declared)};
      case OpKind::view: return {view_rhs(declared)};
      case OpKind::tensor: return {tensor_rhs(declared)};
      case OpKind::for_loop: return for_rhs();
      case OpKind::while_loop: return while_rhs();
      case OpKind::if_else: return if_rhs(&names);
      case OpKind::reduce: return reduce_rhs(names);
      case OpKind::arg_reduce: return arg_reduce_rhs(names);
      case OpKind::scan: return scan_rhs(names);
      case OpKind::contract: return {contract_rhs(declared)};
      case OpKind::region_fold: return region_fold_rhs();
      case OpKind::region_scan: return region_scan_rhs();
      case OpKind::reshape: return {reshape_rhs(declared)};
      case OpKind::concat: return {concat_rhs(declared)};
      case OpKind::iota: return {iota_rhs(declared)};
      case OpKind::gather: return {gather_rhs(declared)};
      case OpKind::part: return part_rhs();
      case OpKind::philox4x32_10: return philox_rhs();
      case OpKind::splat: return {splat_rhs(declared)};
      case OpKind::tile_reduce: return {tile_reduce_rhs(declared)};
      case OpKind::buffer: return {buffer_rhs(declared)};
      case OpKind::atomic_load:
      case OpKind::atomic_rmw:
      case OpKind::atomic_cas: return atomic_rhs();
      case OpKind::store:
      case OpKind::atomic_store:
      case OpKind::scatter:
      case OpKind::histogram:
      case OpKind::assume_in_bounds:
      case OpKind::parallel:
      case OpKind::assume:
      case OpKind::yield:
      case OpKind::next: fail("P-04", tok_.range(), fmt::format("'{}' gives no value", w->op->name));
      default: break;
    }
    if (starts_flat_pointwise()) {
      OpKind kind = w->op->kind;
      std::string_view suffix = w->suffix;
      advance();
      std::vector<NodeId> operands = operand_list();
      return {pointwise_operands(kind, suffix, operands, declared, declared, since(begin))};
    }
  }
  // "foo a, b": not an expression, so the first name must be meant as an operation.
  if (at(Tok::name) && !(word() && word()->reserved) && slot(tok_.name, false).kind == BindingKind::none) {
    const Token& after = peek(1);
    bool same_line = source_->text().substr(tok_.end, after.begin - tok_.end).find('\n') == std::string::npos;
    const WordInfo* next = after.kind == Tok::name ? words_.find(after.name) : nullptr;
    bool operand = after.kind == Tok::value || after.kind == Tok::integer || after.kind == Tok::floating ||
                   (after.kind == Tok::name && !(next && next->reserved));
    if (same_line && operand) {
      std::string_view near = words_.nearest_operation(names_.text(tok_.name));
      fail("P-07", tok_.range(), fmt::format("there is no operation '{}'", names_.text(tok_.name)),
           near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
  }
  NodeId e = expression();
  return {value_of(e, declared)};
}

ValueId Parser::constant_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  NodeId e = unary();
  const Node n = syntax_.nodes[e];
  bool name = n.kind == NodeKind::name && !n.percent && slot(n.name, false).kind == BindingKind::constexpr_int;
  if (n.kind != NodeKind::literal && !name) fail("P-03", n.range, "constant takes a literal");
  if (!declared || !declared->is(TypeKind::scalar))
    fail("T-06", since(begin), "constant needs a declared scalar type", "let c: f32 = constant 1.0");
  return constant_op(literal_scalar(n, declared->dtype), since(begin));
}

ValueId Parser::index_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  NodeId n = expression();
  bool boolean = declared && declared->dtype == DType::i1 && !declared->is(TypeKind::index);
  Expr e;
  if (declared) {
    e = index_expr(n, boolean ? Sort::boolean : Sort::integer);
  } else {
    Term t = elaborate(n, nullptr);
    bool truth = (t.kind == Term::index && t.e.sort() == Sort::boolean) ||
                 (t.kind == Term::literal && syntax_.nodes[t.node].literal == LiteralKind::boolean &&
                  syntax_.nodes[t.node].kind == NodeKind::literal);
    e = term_expr(t, truth ? Sort::boolean : Sort::integer);
  }
  return index_op(e, declared, since(begin));
}

ValueId Parser::splat_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  if (!declared) fail("T-06", since(begin), "splat needs a declared fragment type");
  Type element = Type::scalar(declared->dtype);
  ValueId v = value_of(expression(), &element);
  return splat_to(v, *declared, since(begin));
}

ValueId Parser::resource(const char* what) {
  Token name = plain_name(what);
  const Binding& b = slot(name.name, false);
  if (b.kind == BindingKind::poison) throw Recover{};
  if (b.kind == BindingKind::none) fail("T-01", name.range(), fmt::format("'{}' is not bound here", names_.text(name.name)));
  if (b.kind != BindingKind::value || (!type(b.value).is(TypeKind::view) && !type(b.value).is(TypeKind::tensor)))
    fail("T-03", name.range(), fmt::format("'{}' is neither a view nor a tensor", names_.text(name.name)));
  return b.value;
}

ValueId Parser::transpose_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = resource("a view or tensor");
  expect(Word::perm, "after the operand of transpose");
  IntList perm = int_list("an axis");
  std::optional<Type> derived = transposed(type(source), perm);
  if (!derived)
    fail("T-08", since(begin), fmt::format("perm must name each of the {} axes once", type(source).rank()),
         "axes count from 0");
  Attrs attrs;
  attrs.set(AttrKey::axes, perm);
  return builder_->result(
      emit(OpKind::transpose, {source}, std::move(attrs), {}, {declared ? *declared : *derived}, since(begin)));
}

ValueId Parser::slice_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = resource("a view or tensor");
  expect(Tok::lbracket, "before the ranges");
  ExprList ranges;
  comma_list(Tok::rbracket, [&] { bounds(ranges); });
  expect(Tok::rbracket, "after the ranges");
  std::optional<Type> derived = sliced(*pool_, type(source), ranges);
  if (!derived) fail("T-08", since(begin), fmt::format("slice takes one range for each of the {} axes", type(source).rank()));
  Attrs attrs;
  attrs.set(AttrKey::ranges, std::move(ranges));
  return builder_->result(emit(OpKind::slice, {source}, std::move(attrs), {}, {declared ? *declared : *derived}, since(begin)));
}

ValueId Parser::broadcast_rhs(const Type* declared) {
  std::uint32_t begin = tok_.begin;
  advance();
  ValueId source = resource("a view or tensor");
  expect(Word::axes, "after the operand of broadcast");
  IntList axes = int_list("an axis");
  expect(Word::to, "before the result shape");
  std::vector<Expr> extents = shape();
  Type derived = type(source);
  derived.shape = extents;
  Attrs attrs;
  attrs.set(AttrKey::axes, std::move(axes));
  attrs.set(AttrKey::extents, ExprList(extents));
  return builder_->result(
      emit(OpKind::broadcast, {source}, std::move(attrs), {}, {declared ? *declared : derived}, since(begin)));
}

}  // namespace kir::text
