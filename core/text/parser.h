// The parser of expressions and bodies, for both forms. The heads around them are read by kir_parser.h and pir_parser.h.
//
//   cursor.cpp       tokens, errors, recovery, scopes: cursor.h
//   expression.cpp   text to trees
//   elaborate*.cpp   trees to integer expressions (index), operations and values; calls, conversions and loads (call)
//   statement.cpp    statements and blocks
//   rhs.cpp          right-hand sides without regions
//   region_rhs.cpp   for, while, if, tensor, view
//   memory_rhs.cpp   buffers, atomics, scatter, histogram
//   fold_rhs.cpp     what reduce, scan and contract share; each has a file of its own
//   segment_rhs.cpp  folds and scans over segments
//   tensor_rhs.cpp   reshape, concat, iota, gather, part, random numbers
//   helper.cpp       calls of helper functions, written out
//   type_text.cpp    types, shapes, literals
//   abi_text.cpp     views, alias facts, relations; the beginning of a unit
//
// Ids of the errors told here:
//   P-01 version                      T-01 a name that is not bound
//   P-02 bytes that are no token      T-02 a name bound twice
//   P-03 another token is expected    T-03 an expression of another kind is expected (data, index, view)
//   P-04 wrong use of an operation    T-04 types that differ
//   P-05 a limit is exceeded          T-05 an operation that does not exist for the type
//   P-06 no name                      T-06 a literal or operation without a type
//   P-07 unknown operation            T-07 a literal that does not fit
//   P-08 ends of blocks               T-08 wrong number of axes, names or values
//   P-09 layout text
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/abi.h"
#include "core/ir/body.h"
#include "core/kir/kernel.h"
#include "core/text/cursor.h"
#include "core/text/syntax.h"

namespace kir::text {

inline constexpr std::size_t kMaxAxes = 32;  // of a view or tensor

// An expression's meaning before it is used.
struct Term {
  enum Kind : std::uint8_t { value, index, literal } kind = value;
  ValueId v;
  Expr e;                 // index: an integer or boolean expression
  NodeId node = kNoNode;  // literal
  SourceRange range;
};

class Parser : protected Cursor {
 protected:
  using Cursor::Cursor;
  ~Parser() = default;
  void start_unit();  // a kernel, helper, plan or program: nothing of the one before is left

  // --- expression.cpp
  NodeId expression(int level = 0);
  NodeId unary();
  NodeId primary();
  std::vector<NodeId> coordinates();  // "[" e, ... "]"
  // "e, ..." up to `close` as the kids of a node; what follows the list, up to the node's end, is read by `rest`.
  template <class Rest>
  NodeId node_of_list(Node n, Tok close, const char* where, Rest&& rest) {
    const std::size_t mark = syntax_.waiting.size();
    comma_list(close, [&] { wait(expression()); });
    expect(close, where);
    rest(n);
    n.range = since(n.range.begin);
    const NodeId id = add_node(n, std::span(syntax_.waiting).subspan(mark));
    syntax_.waiting.resize(mark);
    return id;
  }
  void wait(NodeId kid) { syntax_.waiting.push_back(kid); }
  NodeId add_node(Node n, std::span<const NodeId> kids);
  NodeId add_node(Node n, std::initializer_list<NodeId> kids) { return add_node(n, std::span(kids.begin(), kids.size())); }

  // --- elaborate.cpp
  Term elaborate(NodeId n, const Type* expected);
  Term elaborate_binary(NodeId n, const Type* expected);
  Term elaborate_chain(NodeId n);
  Term elaborate_logical(NodeId n, BinaryOp op, Term a, Term b);
  Term compare(BinaryOp op, Term a, Term b, SourceRange range);
  Term elaborate_call(NodeId n, const Type* expected);
  ValueId convert_call(NodeId n, DType to);
  ValueId access_value(NodeId n, const Type* expected);
  Expr index_expr(NodeId n, Sort sort);
  Expr index_leaf(NodeId n);
  Expr size_of_part(NodeId n);  // of a call size(r)
  // Live levels of trees that are given meaning; a helper that is written out inside an expression adds its own.
  struct Level {
    Level(Parser& p, SourceRange range);
    ~Level() { --p.levels_; }
    Parser& p;
  };
  Sort sort_of(NodeId n) const;
  Expr parse_index(Sort sort = Sort::integer) { return index_expr(expression(), sort); }
  bool is_index_like(const Term& t) const;  // a value of type index, or an integer expression
  bool can_be_index(const Term& t) const;
  Expr term_expr(const Term& t, Sort sort);
  ValueId term_value(const Term& t, const Type* expected);
  ValueId value_of(NodeId n, const Type* expected) { return term_value(elaborate(n, expected), expected); }
  ValueId coordinate(NodeId n);
  ValueId index_op(Expr e, const Type* expected, SourceRange range);
  ValueId constant_op(const Scalar& s, SourceRange range);
  std::int64_t index_literal(const Node& n);
  Scalar literal_scalar(const Node& n, DType type);
  Type index_type(Expr e, const Type* expected) const;
  std::vector<ValueId> operands_of_one_type(OpKind kind, std::span<const NodeId> nodes, const Type* expected);
  ValueId pointwise(OpKind kind, std::vector<ValueId> operands, Attrs attrs, const Type* declared, SourceRange range);
  ValueId pointwise_operands(OpKind kind, std::string_view suffix, std::span<const NodeId> kids, const Type* expected,
                             const Type* declared, SourceRange range);
  ValueId splat_to(ValueId v, const Type& type, SourceRange range);
  CmpPredicate predicate(std::string_view suffix, DType dtype, SourceRange range);
  bool mixes(ValueId v) const;  // a value usable as leaf of an integer expression
  const Type& type(ValueId v) const { return builder_->peek().type(v); }

  // --- statement.cpp
  struct BlockSpec {
    OpKind terminator = OpKind::yield;          // yield or next
    bool values = false;                        // false: a bare terminator, which may be left out
    bool masked = false;                        // `yield ... where p` may hand on a predicate last
    std::vector<std::optional<Type>> expected;  // types for literals, may be shorter than the values
    bool branch = false;                        // of an if: may end in break or continue
    std::vector<ValueId>* capture = nullptr;    // takes the values; no terminator is made then
  };
  // Parses "{ ... }" into the region; a block with one value may end in an expression. False: unusable, told already.
  bool block(RegionId region, const BlockSpec& spec);
  void statement(const BlockSpec& spec, bool& ended);
  void let_statement();
  void value_statement();  // physical: %a: T = rhs, (%a: T, ...) = rhs
  void view_statement();   // physical: name: view T = rhs
  void let_rest(std::vector<LetName> names, std::uint32_t begin);
  void store_statement();
  void store_to(const Token& base, std::span<const NodeId> coords, std::uint32_t begin);
  void terminator(OpKind kind, const std::vector<std::optional<Type>>& expected, bool masked, std::vector<ValueId>* capture);
  void loop_exit(const BlockSpec& spec);
  void end_block(const BlockSpec& spec, std::vector<ValueId> values, SourceRange range);
  void expression_end(const BlockSpec& spec, NodeId e);
  void parallel_statement();
  void assume_statement();
  void origin_clause();  // " !12" after the statement whose last operation is last_op_

  // --- rhs.cpp
  // Parses a right-hand side and gives its results. `names` are the let's.
  std::vector<ValueId> rhs(const std::vector<LetName>& names);
  bool starts_flat_pointwise();
  std::vector<NodeId> operand_list();
  ValueId transpose_rhs(const Type* declared);
  ValueId slice_rhs(const Type* declared);
  ValueId broadcast_rhs(const Type* declared);
  ValueId constant_rhs(const Type* declared);
  ValueId index_rhs(const Type* declared);
  ValueId splat_rhs(const Type* declared);
  ValueId resource(const char* what);  // a view or tensor name
  OpId emit(OpKind kind, std::vector<ValueId> operands, Attrs attrs, std::vector<RegionId> regions, std::vector<Type> types,
            SourceRange range);

  // --- region_rhs.cpp
  struct Domain {
    std::vector<Token> names;
    std::vector<Type> types;  // of the region arguments
    ExprList ranges;
  };
  Domain domain(bool parenthesised);
  void axes(Domain& d, Tok close);                                                        // appends what stands before `close`
  void bounds(ExprList& ranges);                                                          // a..b, or the name of a part
  RegionId open_region(const std::vector<Token>& names, const std::vector<Type>& types);  // arguments made and bound
  std::vector<ValueId> for_rhs();
  std::vector<ValueId> while_rhs();
  std::vector<ValueId> if_rhs(const std::vector<LetName>* names);  // null: a statement
  ValueId tensor_rhs(const Type* declared);
  ValueId view_rhs(const Type* declared);
  struct Carries {
    std::vector<Token> names;
    std::vector<Type> types;
    std::vector<ValueId> init;
  };
  Carries carries();
  std::vector<Type> yield_types(RegionId region) const;
  BlockSpec spec_of(OpKind terminator, const std::vector<Type>& types) const;
  std::vector<Expr> extents_of(const Domain& d);

  // --- fold_rhs.cpp, reduce_rhs.cpp, scan_rhs.cpp, contract_rhs.cpp
  struct FoldText {
    Attrs attrs;  // of what was written
    RegionId combine;
    std::vector<Type> components;
    std::vector<ValueId> init;
  };
  struct BuiltIn {
    OpKind op;
    std::string_view form;  // "reduce", "scan"
    SourceRange range;
  };
  struct ShortFold {
    FoldText fold;
    std::optional<RegionId> where;
    RegionId map;
  };
  std::vector<ValueId> reduce_rhs(const std::vector<LetName>& names);
  std::vector<ValueId> arg_reduce_rhs(const std::vector<LetName>& names);
  std::vector<ValueId> scan_rhs(const std::vector<LetName>& names);
  ValueId contract_rhs(const Type* declared);
  ValueId tile_reduce_rhs(const Type* declared);
  Order order_clause();
  RegionId combine_region(std::vector<Type>& components);
  void identity_clause(const std::vector<Type>& components, Attrs& attrs);
  std::vector<ValueId> init_clause(const std::vector<Type>& components);
  FoldText fold_clauses();
  bool member_block(const Domain& d, RegionId& region, std::vector<std::optional<Type>> expected);
  bool where_clause(const Domain& d, std::optional<RegionId>& region);
  BuiltIn built_in(std::string_view form);
  ShortFold short_fold(const BuiltIn& b, const Type* expected, std::uint32_t begin);
  RegionId product_region(const Type* declared);
  Scalar unit_literal();
  static Domain joined(std::initializer_list<const Domain*> parts);

  // --- memory_rhs.cpp
  ValueId buffer_rhs(const Type* declared);
  std::vector<ValueId> place();
  void memory_order_clause(bool failure, Attrs& attrs);
  std::vector<ValueId> atomic_rhs();  // of an atomic_store none
  void assume_in_bounds_statement();
  RegionId member_region(const Domain& d, const std::vector<Type>& types);
  void scatter_statement();
  void histogram_statement();
  // The word here names one of the values of an enumeration.
  template <class E>
  E choice(std::span<const E> all) {
    std::string wanted;
    for (E e : all) {
      if (at(Tok::name) && names_.text(tok_.name) == name(e)) {
        advance();
        return e;
      }
      wanted += (wanted.empty() ? "" : e == all.back() ? " or " : ", ") + std::string(name(e));
    }
    fail("P-03", tok_.range(), "expected " + wanted + ", found " + found());
  }
  template <class E>
  E choice(std::initializer_list<E> all) {
    return choice(std::span<const E>(all.begin(), all.size()));
  }
  // --- tensor_rhs.cpp
  ValueId reshape_rhs(const Type* declared);
  ValueId concat_rhs(const Type* declared);
  ValueId iota_rhs(const Type* declared);
  ValueId gather_rhs(const Type* declared);
  std::vector<ValueId> part_rhs();
  void part_names(const LetName& name, const std::vector<ValueId>& bounds);
  std::vector<ValueId> philox_rhs();
  ValueId uniform_call(NodeId n);
  std::int64_t axis_clause(std::int64_t rank);

  // --- helper.cpp
  struct Helper {
    Token name;
    std::vector<Token> params;
    std::vector<Type> types;  // data scalars and indices: no expressions, so they outlive a unit
    Type result;
    std::uint32_t body = 0, end = 0;  // offsets of its block
    bool broken = false;              // told already
  };
  // Names and trees of one text. A frame has its own: the caller's trees stay where they are while the block is read.
  struct Room {
    std::vector<Binding> names;
    Syntax syntax;
  };
  // Reads a helper's block in place of a call: its own names, then everything as it was.
  struct Frame {
    Frame(Parser& p, const Helper& h, SourceRange call);
    ~Frame();
    Parser& p;
    std::uint32_t offset, last_end;
    Token tok, ahead[4];
    int ahead_count;
    std::vector<Bound> scope;
    Room room;  // of the caller
  };
  const Helper* find_helper(NameId name) const;
  ValueId helper_call(const Helper& h, NodeId n);
  ValueId written_out_call(const Helper& h, const std::vector<ValueId>& arguments, SourceRange call);
  std::vector<InlinedCall> final_calls(const BodyBuilder::Renumbering& map) const;
  std::string call_of(const Kernel& kernel, SourceRange range) const;  // as call_chain, of an operation of a frozen body

  // --- segment_rhs.cpp
  std::vector<ValueId> region_fold_rhs();
  std::vector<ValueId> region_scan_rhs();
  ExprList segment_axis();
  std::vector<ValueId> uses_clause();
  void segment_variable(const char* what, std::vector<Token>& names, std::vector<Type>& types);
  void typed_arguments(std::vector<Token>& names, std::vector<Type>& types);
  RegionId segment_region(bool with_arguments, bool with_values = true);
  RegionId value_region(const std::vector<Token>& names, const std::vector<Type>& types, const std::vector<Type>& yielded);

  // --- type_text.cpp
  std::optional<DType> accept_dtype();
  DType dtype(const char* where);
  Type parse_type();
  std::vector<Expr> shape();
  std::int64_t integer(const char* what, std::int64_t lo, std::int64_t hi);
  IntList int_list(const char* what);

  // --- abi_text.cpp
  struct PendingView {
    ViewParam view;
    std::vector<NodeId> shape, strides;
  };
  void view_param(const Token& name);  // from the access (KIR) or the word `view` (PIR) on
  void scalar_param(const Token& name, DType t);
  void index_param(const Token& name);
  std::vector<NodeId> expression_list(Tok close);
  Expr index_or_one(NodeId n);
  void resolve_views();
  void alias_facts();  // after the word `alias`
  void relations();    // after the word `where`
  bool data_precondition();
  std::size_t view_number();  // a view's name
  void bind_symbol(const Token& name, bool parameter);
  void bind_bare_symbols(const PendingView& v);
  void root_arguments();

  Syntax syntax_;
  ExprPoolPtr pool_;
  std::optional<BodyBuilder> builder_;
  Abi abi_;
  std::vector<PendingView> pending_views_;  // one per view of abi_
  std::vector<NameId> param_names_;         // one per parameter of abi_
  RegionId root_;
  std::unordered_map<NameId, Helper> helpers_;
  std::vector<InlinedCall> inlined_;  // of this unit, with the builder's ids
  std::vector<Room> spare_rooms_;     // empty ones, for frames
  std::size_t read_again_ = 0;        // bytes of helpers in this file
  int levels_ = 0;
  int open_blocks_ = 0;
  std::optional<NameId> checked_helper_;                    // whose declaration is read
  OpId last_op_;                                            // the operation emitted last
  const std::vector<std::optional<Type>>* loop_ = nullptr;  // what the loop around carries; none: no loop to leave
  bool any_origin_ = false;
};

}  // namespace kir::text
