// Value terms: what both sides of a refinement are evaluated into. Immutable, hash-consed in a TermPool that shares its
// integer expressions with one ExprPool.
//
//   literal     a scalar
//   parameter   a data scalar of the ABI, by name
//   integer     an integer expression as a value of an integer type (modulo 2^width)
//   boolean     a boolean expression as a value of i1
//   load        the contents of a memory class at coordinates, as seen at a program point; of a buffer, of the allocation that
//               the first coordinates name; what an atomic finds there has the name of the atomic, and is a value of its own
//               for each execution
//   pointwise   an operation on terms (one result of it); floats are uninterpreted but exact in type and rounding
//   cmp, convert
//   select      branches under a boolean expression
//   argument    a placeholder: bound by a sequence or a loop, or fresh for an opened one
//   arbitrary   a value chosen once per event (a masked lane without a fill)
//   reduce      component i of a reduction (ReduceNode)
//   iterate     component i of the state of an ordered loop before iteration `upto` (LoopNode)
//
// Binding discipline: bound variables (expression variables and arguments) are unique to the node that binds them, and
// whoever looks under a binder opens it with fresh ones (open_reduce, open_loop). So substitution cannot capture.
//
// A data-derived leaf: a term may stand in an integer expression as a variable (leaf_of). That variable denotes a function of
// everything the term depends on: substitution goes through it, so the two copies of a two-copy obligation get two leaves.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/index/expr.h"
#include "core/ir/op_kind.h"
#include "core/numeric/scalar.h"

namespace kir::proof {

enum class TermKind : std::uint8_t {
  literal,
  parameter,
  integer,
  boolean,
  load,
  pointwise,
  cmp,
  convert,
  select,
  argument,
  arbitrary,
  reduce,
  iterate,
};

struct TermNode;
using Term = const TermNode*;

struct Interval {  // lo <= var < hi
  Expr var, lo, hi;
};

// A program point: static positions and binders from the outside in; lexicographic order is execution order (path.h).
struct PathStep {
  int position = 0;     // where `binder` is empty
  Expr binder;          // an iteration variable
  bool ordered = true;  // false: iterations of this binder are unordered (parallel, lanes)
  friend bool operator==(const PathStep&, const PathStep&) = default;
};
using Path = std::vector<PathStep>;

// combine(acc_0..acc_{k-1}, elem_0..elem_{n-1}) -> k terms over the k + n arguments.
struct Combine {
  std::vector<Term> arguments;
  std::vector<Term> results;
};

struct ReduceNode {
  std::int64_t site = 0;          // the operation of its text
  std::vector<Expr> scope;        // KIR: the iterations around it; one value of these, one evaluation
  std::vector<Interval> members;  // bound; row-major order is member order
  Expr where;                     // over the members: which of them there are; empty: all
  std::vector<Term> map;          // n terms over the members
  Combine combine;
  Order order = Order::strict;
  std::vector<Scalar> identity;  // empty: none
  bool identity_assumed = false;
  bool identity_if_empty = false;  // it is the value of no member at all, and nothing puts it in elsewhere: no law speaks of it
  std::vector<Term> init;          // empty: none; then n is k, and the first member's terms are the first accumulators
  double unit = 0;                 // an error of this part of the products' magnitudes is licensed
  bool chooses = false;            // an arg_reduce: component i + 1 is the coordinate of a member, or an initial one, on axis i
};

// Whether the text leaves the value open: one choice per evaluation.
inline bool is_licensed(const ReduceNode& r) { return r.order != Order::strict || r.unit > 0; }

struct LoopNode {
  Expr lo, upto;  // the state after iterations lo, lo+1, ..., upto-1 (the initial one when upto <= lo)
  std::vector<Term> init;
  Expr var;                     // bound: the iteration
  std::vector<Term> arguments;  // bound: the state before it
  std::vector<Term> step;       // the state after it
};

struct TermNode {
  TermKind kind;
  DType type = DType::i32;
  OpKind op = OpKind::add;  // pointwise
  std::uint8_t mode = 0;    // cmp: CmpPredicate; convert: ConvertMode; load: how many coordinates name the allocation
  Scalar literal;
  std::int64_t number =
      0;             // load: memory class; argument, arbitrary: identity; pointwise: which result; reduce, iterate: component
  std::string name;  // parameter; load: the atomic
  std::vector<Term> kids;
  std::vector<Expr> exprs;  // integer, boolean, select: [e]; load: coordinates; arbitrary: what it varies with
  Path point;               // load from a class that is written: where
  std::shared_ptr<const ReduceNode> reduce;
  std::shared_ptr<const LoopNode> loop;
  std::size_t hash = 0;
  std::uint32_t serial = 0;
};

class TermPool {
 public:
  explicit TermPool(ExprPool& exprs) : exprs_(exprs), forever_(exprs.fresh("forever")) {}
  TermPool(const TermPool&) = delete;
  ExprPool& exprs() { return exprs_; }
  // A number of iterations, any: how far each `while` of both sides is followed.
  Expr forever() const { return forever_; }

  Term literal(const Scalar& s);
  Term parameter(std::string_view name, DType type);
  Term integer(Expr e, DType type);
  Term boolean(Expr e);
  Term load(std::int64_t memory, DType type, std::vector<Expr> coordinates, Path point, std::size_t allocation = 0,
            std::string atomic = {});
  Term pointwise(OpKind op, DType type, std::vector<Term> kids, std::int64_t result = 0);
  Term cmp(CmpPredicate p, Term a, Term b);
  Term convert(ConvertMode m, DType to, Term a);
  Term select(Expr condition, Term then_term, Term else_term);     // equal branches and literal conditions collapse
  Term fresh_argument(DType type, std::vector<Expr> varies = {});  // varies: fragment positions it is a function of
  Term argument(std::int64_t number, DType type, std::vector<Expr> varies);
  Term arbitrary(std::int64_t event, DType type, std::vector<Expr> varies);
  Term reduce(std::shared_ptr<const ReduceNode> node, std::int64_t component, DType type);
  Term iterate(std::shared_ptr<const LoopNode> node, std::int64_t component, DType type);

  // What stands for t in integer (signed value) or boolean (i1) expressions: a variable, or for a term that is an expression
  // that expression; a sign extension stands for what it extends. An integer of type i64 is its expression only where that
  // lies in 64 bits; elsewhere it wraps.
  Expr leaf_of(Term t);
  Term term_of_leaf(Expr variable) const;  // null when the variable is no leaf

  // Simultaneous substitution of expression variables and arguments, through leaves, points and binders.
  struct Substitution {
    std::unordered_map<const ExprNode*, Expr> exprs;
    std::unordered_map<Term, Term> terms;
    bool empty() const { return exprs.empty() && terms.empty(); }
  };
  Term substitute(Term t, const Substitution& s);
  Expr substitute(Expr e, const Substitution& s);
  Path substitute(const Path& p, const Substitution& s);

  // Copies with fresh bound variables.
  ReduceNode open(const ReduceNode& r);
  LoopNode open(const LoopNode& l);

  // Replaces every select on `condition` (or on its negation) by the branch it takes when the condition has this value. Not
  // under binders that could change the condition: bound variables are unique, so there is nothing to exclude.
  Term resolve(Term t, Expr condition, bool value);
  // A condition of some select in t that does not depend on variables bound inside t; empty when there is none.
  Expr first_condition(Term t);
  bool mentions(Term t, const std::function<bool(Term)>& predicate);  // through leaves and binders
  bool mentions_expr(Term t, const std::function<bool(Expr leaf)>& predicate);
  bool mentions_whole(Term t, const std::function<bool(Expr whole)>& predicate);  // each expression, not its parts

 private:
  Term intern(TermNode&& n);
  Expr opaque(Term t);  // the variable that stands for t
  Term rewrite(Term t, const std::function<Term(Term)>& term_leaf, const std::function<Expr(Expr)>& expr,
               std::unordered_map<Term, Term>& done);

  ExprPool& exprs_;
  Expr forever_;
  std::vector<std::unique_ptr<TermNode>> nodes_;
  std::unordered_multimap<std::size_t, Term> table_;
  std::unordered_map<Term, Expr> leaf_of_;
  std::unordered_map<const ExprNode*, Term> term_of_;
  std::int64_t next_ = 0;
};

std::string to_string(Term t, TermPool& pool);  // for messages; large terms are cut

}  // namespace kir::proof
