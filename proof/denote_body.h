// The evaluator behind denote.h. One file per operation family implements its members (denote_<family>.cpp).
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "core/base/check.h"
#include "core/index/polynomial.h"
#include "core/ir/op_table.h"
#include "proof/denote.h"

namespace kir::proof {

// A coordinate relation: element (vars) is the memory's element at `coordinates`, or the term `body`.
struct RelationValue {
  bool tensor = false;
  std::size_t memory = 0;
  std::string name;
  DType dtype = DType::f32;
  std::vector<Interval> vars;     // the domain: the shape as seen here
  std::vector<Expr> coordinates;  // memory: over vars
  std::vector<Expr> allocation;   // buffer: as of Event
  // Domains passed on the way to the memory, each a coordinate and its range: what an access must satisfy.
  std::vector<std::pair<Expr, Interval>> passed;
  Term body = nullptr;  // tensor: over vars
};

struct SymbolicValue {
  enum class Kind : std::uint8_t { none, expr, term, relation } kind = Kind::none;
  Expr expr;
  Term term = nullptr;
  std::shared_ptr<const RelationValue> relation;
  static SymbolicValue of(Expr e) { return {Kind::expr, e, nullptr, nullptr}; }
  static SymbolicValue of(Term t) { return {Kind::term, {}, t, nullptr}; }
};

// For each divisor in e: it is not zero wherever it is evaluated.
std::vector<Expr> nonzero_divisors(Expr e);

class BodyDenoter {
 public:
  BodyDenoter(const Body& body, const PhysicalProgram* physical, TermPool& terms, Denotation& out)
      : body_(body),
        physical_(physical),
        terms_(terms),
        pool_(terms.exprs()),
        out_(out),
        values_(body.value_count()),
        // Events of the two sides are different events.
        next_arbitrary_(physical ? std::int64_t{1} << 32 : 0) {}

  // A memory class for each buffer of the body, before anything runs.
  void declare_buffers();
  void bind(ValueId v, SymbolicValue value) { values_[v.index] = std::move(value); }
  // Runs the operations of a region; returns the values its terminator names (empty when it has none).
  std::vector<ValueId> run_region(RegionId region);
  Expr translate(Expr e);  // an expression of the body, with its leaves' meanings, in the proof pool

  void index_claims(Expr e, DType type, std::string what, SourceRange range) { check_index(e, type, std::move(what), range); }

  std::vector<Binder> binders;
  std::vector<Expr> guards;
  Path path;

 private:
  void run(OpId id);
  void run_pointwise(const Op& op);
  void run_memory(const Op& op);
  void run_atomic(const Op& op);
  void run_update(const Op& op);  // scatter, histogram
  void run_buffer(const Op& op);
  void open_buffer(ValueId v, std::span<const Expr> extents, SourceRange range, RelationValue& out);
  // What a load sees at the coordinates; `load` is its event, not recorded yet. Whatever reads memory takes its value from
  // here.
  Term contents(const RelationValue& r, std::vector<Expr> coordinates, const Event& load);
  // The value of a load of a buffer that its stores tell, with what that owes.
  Term told(const RelationValue& buffer, const Event& load);
  void run_relation(const Op& op);
  void run_made_tensor(const Op& op);  // gather, concat, iota
  Term element_of_concat(const Op& op, std::size_t axis, std::vector<Expr> element, std::size_t first, std::size_t last);
  std::vector<Expr> through_reshape(const Op& op, const RelationValue& source, const std::vector<Expr>& at);
  void run_loop(const Op& op);  // for, while
  Interval for_range(const Op& op);
  // The loop around: the ways out of an iteration, and the branches taken since its body began.
  struct Frame {
    struct Exit {
      bool leaves;  // break
      std::vector<Expr> conditions;
      std::vector<ValueId> values;
    };
    std::vector<Exit> exits;
    std::vector<Expr> conditions;
    Frame* outer = nullptr;
  };
  std::optional<Expr> moves_by(Term placeholder, std::size_t carry, Expr variable, const std::vector<ValueId>& next,
                               const Frame& frame);
  // What was found since: each expression and term of it.
  struct Mark {
    std::size_t events, claims, assumed, uses, endless;
  };
  Mark mark() const {
    return {out_.events.size(), out_.claims.size(), out_.assumed.size(), out_.uses.size(), out_.endless.size()};
  }
  void each(const Mark& from, const std::function<void(Expr&)>& expr, const std::function<void(Term&)>& term);
  void run_part(const Op& op);
  void run_if(const Op& op);
  void run_parallel(const Op& op);
  void run_philox(const Op& op);
  // denote_fold.cpp
  void run_reduce(const Op& op);
  void run_arg_reduce(const Op& op);
  void run_contract(const Op& op);
  std::shared_ptr<ReduceNode> declared_fold(const Op& op) const;
  std::shared_ptr<ReduceNode> mapped_members(const Op& op, std::size_t where);
  void owes_member(const ReduceNode& node, std::string_view what, SourceRange range);
  void declare(const Op& op, const ReduceNode& node);
  Expr wins(const Op& op, Term later, Term best);
  void run_scan(const Op& op);
  // A tensor that has for each member of the domain the element `body`, a term over the domain's variables.
  std::shared_ptr<const RelationValue> elements(ValueId tensor, const std::vector<Interval>& domain, Term body);
  // A fold or scan over segments: the segment that stands for those that are permitted, and its summary.
  struct Segments {
    bool strict = false;
    Expr begin, end;              // of the axis
    Expr lo, hi;                  // of the segment: variables of `binders`, or expressions
    std::vector<Binder> binders;  // the segments there may be
    std::vector<Expr> guards;
    Expr member, active;        // `where`: a variable, and whether it is active; empty: all are
    std::vector<Term> summary;  // over lo and hi
    Combine combine;
    std::shared_ptr<const ReduceNode> singles;  // the fold over single members
    TermPool::Substitution at(Expr begin, Expr end) const;
    std::vector<Term> summary_of(Expr begin, Expr end, TermPool& terms) const;
  };
  Segments segments(const Op& op);
  // denote_cuts.cpp
  void owes_cuts(std::string_view undecided, SourceRange range);
  Segments exact_part(const Segments& s) const;
  bool concatenates(const Segments& s) const;
  bool steps_by_combine(const Segments& s) const;
  std::optional<std::vector<Polynomial>> summary_of_member(const Segments& s, Expr member) const;
  bool acts(const Segments& s, const Combine& apply) const;
  bool emits_by_state(const Segments& s, const Combine& apply, const std::vector<Term>& states,
                      const RelationValue& slice) const;
  std::vector<ValueId> run_segment(const Segments& s, RegionId region, const std::vector<Term>& states, int part);
  Expr active_at(const Segments& s, Expr member);
  std::vector<Term> over_runs(const Segments& s, const ScalarList& identity);
  std::vector<Term> apply(const Combine& c, const std::vector<Term>& first, const std::vector<Term>& second);
  void run_region_fold(const Op& op);
  void run_region_scan(const Op& op);
  void run_fragment(const Op& op);
  Combine combine(RegionId region);  // a combine region over fresh arguments
  void run_assume_in_bounds(const Op& op);
  void assume(Expr known);
  void run_unsupported(const Op& op, std::string why);
  // An access here of the relation's element; neither claims nor values of it.
  Event access(const Op& op, const RelationValue& r, const std::vector<Expr>& at) const;
  // The element of a view or tensor at coordinates that lie in it (claimed), as seen here.
  Term read(const Op& op, const RelationValue& r, const std::vector<Expr>& at);
  // Claims that an access stays in every domain on the way: those of the relations, then the memory's own.
  void claim_bounds(const Op& op, std::string_view verb, const RelationValue& r, const std::vector<Expr>& at,
                    const std::vector<Binder>& under, const std::vector<Expr>& when, const TermPool::Substitution& lanes);
  static TermPool::Substitution at(const RelationValue& r, const std::vector<Expr>& coordinates);
  Term converted_index(Expr e, DType to);                          // as convert.sint or convert.wrap of an index converts it
  std::shared_ptr<const RelationValue> unknown_tensor(ValueId v);  // of which nothing but its extents is known

  static Expr negated(Expr e) { return e.is(ExprKind::logical_not) ? e.kid(0) : negation(e); }
  const Type& type(ValueId v) const { return body_.type(v); }
  Expr expr_of(ValueId v);  // integers and i1
  Term term_of(ValueId v);  // any data value
  Term term_of(const SymbolicValue& v, const Type& type) const;
  void define(ValueId v, Term t);  // i1 becomes a boolean expression
  void define(ValueId v, SymbolicValue value) { bind(v, std::move(value)); }

  Expr compared(CmpPredicate p, Term a, Term b);  // as run_pointwise evaluates `cmp` of data

  void claim(ObligationKind kind, std::string what, Expr goal, SourceRange range, const Type* fragment = nullptr);
  // e decides (a condition, bound or coordinate) here, or under the binders and guards of an access.
  void decides(Expr e, SourceRange range) { decides(e, range, binders, guards); }
  void decides(Expr e, SourceRange range, const std::vector<Binder>& under, const std::vector<Expr>& when);
  // An index of a kernel has no width. Where control flow, a choice or a conversion hands it on it is a number of 64 bits: it
  // owes to fit, or is UNSUPPORTED.
  void owes_width(ValueId index, SourceRange range);
  void owes_width(Expr fits, std::string what, SourceRange range);
  Expr fits_index(Expr e) const {
    return both(less_equal(pool_.constant(INT64_MIN), e), less_equal(e, pool_.constant(INT64_MAX)));
  }
  // Both, for a translated expression: divisors are not zero, and in a physical program every intermediate fits `type`.
  void check_index(Expr e, DType type, std::string what, SourceRange range, const Type* fragment = nullptr);

  // Fragment lanes: the canonical position variables of a shape, and what replaces them where a fragment is used as a whole.
  std::vector<Expr> lanes(const Type& fragment);
  std::vector<Interval> bind_lanes(const Type& fragment, TermPool::Substitution& s);

  std::vector<Interval> translate_ranges(const Op& op, RegionId region);
  Interval translate_range(const Value& variable, Expr lo, Expr hi, SourceRange range);
  std::string show(const RelationValue& r, const std::vector<Expr>& coordinates) const;
  // The thread that has an element of a fragment: of several copies the first, which stores, or none. Empty: not known.
  Expr thread_of(const Type& fragment, const std::vector<Interval>& lanes, bool first_copy) const;

  const Body& body_;
  const PhysicalProgram* physical_;  // null: a kernel
  TermPool& terms_;
  ExprPool& pool_;
  Denotation& out_;
  std::vector<SymbolicValue> values_;
  std::map<ValueId, std::size_t> buffers_;  // memory classes
  std::map<std::vector<std::int64_t>, std::vector<Expr>> lanes_;
  std::int64_t next_arbitrary_;
  int depth_ = 0;
  Frame* frame_ = nullptr;
  int in_value_region_ = 0;  // inside a tensor or reduce: no effects but loads
};

}  // namespace kir::proof
