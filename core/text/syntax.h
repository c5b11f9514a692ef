// Expression trees of one statement, before names have types. They exist because a literal takes its type from what
// stands beside it, and because index and data expressions share one notation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/text/lexer.h"

namespace kir::text {

enum class NodeKind : std::uint8_t {
  name,     // `name`; `percent` tells %x
  literal,  // text is the range without the sign
  neg,
  logical_not,
  binary,  // op
  chain,   // comparisons: kids.size() - 1 operators in Syntax::chain_ops from `name` on
  access,  // `name`[kids]
  load,    // `name`[kids minus the flagged where and fill]
  elem,    // `name`[kids]
  call,    // `name`(kids)
};

enum class BinaryOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  floordiv,
  mod,
  logical_and,
  logical_or,
  implies,
  eq,
  ne,
  lt,
  le,
  gt,
  ge
};

enum class LiteralKind : std::uint8_t { integer, floating, boolean };

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffu;

struct Node {
  NodeKind kind = NodeKind::name;
  BinaryOp op = BinaryOp::add;
  LiteralKind literal = LiteralKind::integer;
  bool negative = false;   // literal
  bool percent = false;    // name
  bool has_where = false;  // load
  bool has_fill = false;   // load
  std::uint16_t height = 1;
  std::uint16_t vec = 0;  // load: elements per access, 0 for none
  NameId name = 0;
  SourceRange range;
  SourceRange name_range;                 // of the base name of access, load, elem, call; of a literal its digits
  std::uint32_t kids = 0, kid_count = 0;  // into Syntax::kids
};

struct Syntax {
  std::vector<Node> nodes;
  std::vector<NodeId> kids;
  std::vector<BinaryOp> chain_ops;
  std::vector<NodeId> waiting;  // kids that were read, of nodes that are not yet whole

  NodeId add(Node n, std::span<const NodeId> children) {
    n.kids = static_cast<std::uint32_t>(kids.size());
    n.kid_count = static_cast<std::uint32_t>(children.size());
    for (NodeId k : children) {
      kids.push_back(k);
      if (nodes[k].height >= n.height) n.height = static_cast<std::uint16_t>(nodes[k].height + 1);
    }
    if (n.kind == NodeKind::chain)  // its links become nested conjunctions
      n.height = static_cast<std::uint16_t>(std::min<std::size_t>(n.height + children.size(), 0xffff));
    nodes.push_back(n);
    return static_cast<NodeId>(nodes.size() - 1);
  }
  std::span<const NodeId> children(NodeId n) const {  // until the next add()
    return std::span(kids).subspan(nodes[n].kids, nodes[n].kid_count);
  }
  void clear() {  // keeps the room
    nodes.clear();
    kids.clear();
    chain_ops.clear();
    waiting.clear();
  }
  NodeId kid(NodeId n, std::uint32_t i) const { return kids[nodes[n].kids + i]; }
};

}  // namespace kir::text
