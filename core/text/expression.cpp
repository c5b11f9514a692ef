#include <fmt/format.h>

#include "core/text/parser.h"

namespace kir::text {
namespace {

// Trees of one expression may be as high as this; a longer chain must be split with let.
constexpr std::uint16_t kMaxHeight = 1000;

struct Infix {
  int level;
  BinaryOp op;
};

// Levels: 0 implies (right), 1 or, 2 and, 3 not (prefix), 4 comparison (chain), 5 additive, 6 multiplicative.
std::optional<Infix> infix_of(const Token& t) {
  switch (t.kind) {
    case Tok::plus: return Infix{5, BinaryOp::add};
    case Tok::minus: return Infix{5, BinaryOp::sub};
    case Tok::star: return Infix{6, BinaryOp::mul};
    case Tok::slash: return Infix{6, BinaryOp::div};
    case Tok::eq: return Infix{4, BinaryOp::eq};
    case Tok::ne: return Infix{4, BinaryOp::ne};
    case Tok::lt: return Infix{4, BinaryOp::lt};
    case Tok::le: return Infix{4, BinaryOp::le};
    case Tok::gt: return Infix{4, BinaryOp::gt};
    case Tok::ge: return Infix{4, BinaryOp::ge};
    case Tok::name: {
      const WordInfo* w = WordTable::get().find(t.name);
      if (!w) return std::nullopt;
      if (w->op && w->op->kind == OpKind::bit_and) return Infix{2, BinaryOp::logical_and};
      if (w->op && w->op->kind == OpKind::bit_or) return Infix{1, BinaryOp::logical_or};
      if (t.name == static_cast<NameId>(Word::implies)) return Infix{0, BinaryOp::implies};
      if (t.name == static_cast<NameId>(Word::mod)) return Infix{6, BinaryOp::mod};
      if (t.name == static_cast<NameId>(Word::floordiv)) return Infix{6, BinaryOp::floordiv};
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace

NodeId Parser::add_node(Node n, std::span<const NodeId> kids) {
  NodeId id = syntax_.add(n, kids);
  if (syntax_.nodes[id].height > kMaxHeight)
    fail("P-05", n.range, fmt::format("the expression has more than {} levels", kMaxHeight), "split it with let");
  return id;
}

NodeId Parser::expression(int level) {
  Depth depth(*this);
  std::uint32_t begin = tok_.begin;
  NodeId left;
  if (level <= 3 && at_op(OpKind::bit_not)) {
    advance();
    NodeId operand = expression(3);
    left = add_node({.kind = NodeKind::logical_not, .range = since(begin)}, {operand});
  } else {
    left = unary();
  }
  for (;;) {
    std::optional<Infix> infix = infix_of(tok_);
    if (!infix || infix->level < level) return left;
    if (infix->level == 4) {
      std::vector<NodeId> kids{left};
      std::vector<BinaryOp> ops;
      while (infix && infix->level == 4) {
        ops.push_back(infix->op);
        advance();
        kids.push_back(expression(5));
        infix = infix_of(tok_);
      }
      NameId first = static_cast<NameId>(syntax_.chain_ops.size());
      syntax_.chain_ops.insert(syntax_.chain_ops.end(), ops.begin(), ops.end());
      left = add_node({.kind = NodeKind::chain, .name = first, .range = since(begin)}, kids);
      continue;
    }
    advance();
    NodeId right = expression(infix->op == BinaryOp::implies ? 0 : infix->level + 1);
    left = add_node({.kind = NodeKind::binary, .op = infix->op, .range = since(begin)}, {left, right});
  }
}

NodeId Parser::unary() {
  if (!at(Tok::minus)) return primary();
  Depth depth(*this);
  std::uint32_t begin = tok_.begin;
  advance();
  bool literal = at(Tok::integer) || at(Tok::floating) || at(Word::inf) || at(Word::nan);
  NodeId operand = unary();
  if (literal) {  // "-1" is one literal, "-(1)" a negation
    syntax_.nodes[operand].negative = true;
    syntax_.nodes[operand].range = since(begin);
    return operand;
  }
  return add_node({.kind = NodeKind::neg, .range = since(begin)}, {operand});
}

std::vector<NodeId> Parser::coordinates() {
  std::vector<NodeId> out;
  expect(Tok::lbracket, "before coordinates");
  comma_list(Tok::rbracket, [&] { out.push_back(expression()); });
  expect(Tok::rbracket, "after coordinates");
  return out;
}

NodeId Parser::primary() {
  std::uint32_t begin = tok_.begin;
  Token t = tok_;
  auto literal = [&](LiteralKind kind) {
    return add_node({.kind = NodeKind::literal, .literal = kind, .range = since(begin), .name_range = since(begin)}, {});
  };
  switch (t.kind) {
    case Tok::integer: advance(); return literal(LiteralKind::integer);
    case Tok::floating: advance(); return literal(LiteralKind::floating);
    case Tok::lparen: {
      advance();
      NodeId inner = expression();
      expect(Tok::rparen, "to close the parenthesis");
      // A parenthesised literal is no longer the operand of a unary minus, a parenthesised comparison no chain.
      return inner;
    }
    case Tok::value: {
      advance();
      return add_node({.kind = NodeKind::name, .percent = true, .name = t.name, .range = t.range(), .name_range = t.range()},
                      {});
    }
    case Tok::name: break;
    default: {
      std::string hint;
      if (at(Tok::bang)) hint = "write not";
      if (at(Tok::assign) && last_end_ == t.begin && !physical_)
        hint = "an element that changes is written out: v[i] = v[i] + e";
      fail("P-03", t.range(), fmt::format("expected an expression, found {}", found()), std::move(hint));
    }
  }
  if (at(Word::true_) || at(Word::false_)) {
    advance();
    return literal(LiteralKind::boolean);
  }
  if (at(Word::inf)) {
    advance();
    return literal(LiteralKind::floating);
  }
  if (at(Word::nan)) {
    const std::uint32_t end = tok_.end;
    advance();
    // Its bits stand right behind it: a statement of a program may begin with `(`.
    if (tok_.begin == end && accept(Tok::lparen)) {
      expect(Tok::integer, "as the bits of a NaN");
      expect(Tok::rparen, "after the bits of a NaN");
    }
    return literal(LiteralKind::floating);
  }
  if (at_op(OpKind::load) || at_op(OpKind::elem)) {
    NodeKind kind = at_op(OpKind::load) ? NodeKind::load : NodeKind::elem;
    advance();
    Token base = plain_name("a view or tensor");
    expect(Tok::lbracket, "before coordinates");
    const Node start{.kind = kind, .name = base.name, .range = since(begin), .name_range = base.range()};
    return node_of_list(start, Tok::rbracket, "after coordinates", [&](Node& n) {
      if (kind != NodeKind::load) return;
      if (accept(Word::where)) {
        n.has_where = true;
        wait(expression());
        if (accept(Word::fill)) {
          n.has_fill = true;
          wait(expression());
        }
      }
      if (physical_ && accept(Word::vec)) n.vec = static_cast<std::uint16_t>(integer("the elements per access", 1, 1024));
    });
  }
  const WordInfo* w = word();
  bool index_function =
      at(Word::ceildiv) || at(Word::min) || at(Word::max) || at(Word::ite) || at(Word::pos) || at(Word::to_index);
  bool function = index_function || (w && (w->op || w->to || w->dtype));
  bool called = peek(1).kind == Tok::lparen;
  // In a physical program a statement may begin with '(' after a name, so only what is bound to nothing is a call.
  if (!function && called) function = !physical_ || slot(t.name, false).kind == BindingKind::none;
  if (function) {
    if (w && w->op && (w->op->regions.count > 0 || (!called && !is_pointwise(w->op->kind))))
      fail("P-04", t.range(), fmt::format("'{}' cannot stand inside an expression", names_.text(t.name)),
           w->op->result == ResultRule::none ? "" : "give it a let of its own");
    if (!called) fail("P-04", t.range(), fmt::format("'{}' needs its operands in parentheses here", names_.text(t.name)));
    advance();
    advance();
    return node_of_list({.kind = NodeKind::call, .name = t.name, .range = t.range(), .name_range = t.range()}, Tok::rparen,
                        "to close the operands", [](Node&) {});
  }
  if (w && w->reserved) fail("P-03", t.range(), fmt::format("expected an expression, found {}", found()));
  Token base = plain_name("an expression");
  if (accept(Tok::lbracket))
    return node_of_list({.kind = NodeKind::access, .name = base.name, .range = base.range(), .name_range = base.range()},
                        Tok::rbracket, "after coordinates", [](Node&) {});
  return add_node({.kind = NodeKind::name, .name = base.name, .range = base.range(), .name_range = base.range()}, {});
}

}  // namespace kir::text
