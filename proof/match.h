// Matching: walks a KIR term and a physical term together and emits the integer obligations under which they are equal.
//
// Rules (each with its proof in docs/validation.md):
//   M1  equal literals, parameters; the same operation of matching operands (of a commutative one also exchanged)
//   M2  integers and predicates: their expressions are equal under the context
//   M3  loads of one memory class at equal coordinates; of a class that is written also: the same stores precede (by
//       induction over the execution)
//   M4  a select is decided by the context, or splits it; a branch that cannot match is owed to be unreachable
//   M5  loops in lockstep: equal trip count, initial state and step under equal states
//   M6  reduces of one general combine: matching combines, initial values and identities, members paired (M8), licence kept;
//       or a loop in lockstep (M5) with the one that folds the KIR's members in order
//   M7  folds of one operation: both sides expanded to pieces (sequence.h), the KIR's initial value taken exactly once, neutral
//       leaves only from the table, the physical schedule inside the KIR's licence, pieces paired (M8)
//   M8  pieces: a map from physical to KIR points (proposed by solve.h) that is total, injective, onto, keeps the guards and,
//       unless the order is free, the order
//   M9  a licensed fold of the KIR has one value: all that stands for one evaluation is computed alike (match_schedule.cpp)
// A pair that no rule explains makes the match fail; nothing is emitted for it but what the caller decides.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "proof/denote.h"
#include "proof/sequence.h"
#include "proof/solve.h"
#include "proof/term.h"

namespace kir::proof {

// Where obligations of a match belong.
struct MatchSite {
  std::string what;   // "store to y"
  std::string key;    // unique prefix
  SourceRange range;  // of the physical text
};

// A pair of loads of a written class that was matched by M3: owed once all stores are paired.
struct PendingLoad {
  std::vector<Expr> context;
  std::size_t memory;
  std::vector<Expr> coordinates;                          // in physical variables
  std::vector<Expr> kir_allocation, physical_allocation;  // of a buffer
  Path kir_point, physical_point;
  MatchSite site;
  std::string atomic;  // empty: a plain load
};

struct Piece {
  std::vector<Interval> binders;
  std::vector<Expr> guards;
  Path path;
  std::vector<Term> body;
  std::vector<Expr> coordinates;  // stores
  std::vector<Expr> allocation;   // stores to a buffer
};

// One pairing found by match_pieces: physical piece p stands for KIR piece k at `to_kir` (KIR binder -> expression over the
// physical binders, as opened).
struct Pairing {
  std::size_t kir = 0, physical = 0;
  TermPool::Substitution to_kir;
};

class Matcher {
 public:
  Matcher(TermPool& terms, std::vector<Obligation>& out, std::vector<PendingLoad>& pending)
      : terms_(terms), pool_(terms.exprs()), out_(out), pending_(pending) {}

  bool match(Term kir, Term physical, const std::vector<Expr>& context, const MatchSite& site);

  // M8. Emits range, injectivity, cover, round trips, uniqueness and, unless `order_free`, order. Pieces without a partner make
  // it fail, or (`unreachable`) are owed to be unreachable. With `repeated` only the map is owed, into the KIR's active domain:
  // several points may stand for one of the KIR's, and not each of these needs one.
  enum class Remainder : std::uint8_t { refused, unreachable, repeated };
  std::optional<std::vector<Pairing>> match_pieces(const std::vector<Piece>& kir, const std::vector<Piece>& physical,
                                                   const std::vector<Expr>& context, bool order_free, const MatchSite& site,
                                                   Remainder remainder);

  void emit(ObligationKind kind, const std::vector<Expr>& context, Expr goal, const MatchSite& site, std::string sentence,
            std::string otherwise_unsupported = {});
  // Hypotheses that equate the data leaves of two guards that match as terms.
  void relate_guards(const std::vector<Expr>& kir, const std::vector<Expr>& physical, std::vector<Expr>& context,
                     const MatchSite& site);

  // Of the obligations from this one on, those that a wrong pair would leave: `false`, and equations that are no identities.
  std::size_t doubts(std::size_t from) const;

  bool attempt(const std::function<bool()>& f);  // rolls obligations and pending loads back on failure

  const std::string& why() const { return why_; }

 private:
  std::vector<Term> data(const std::vector<Expr>& from) const;  // behind the leaves, each once, in order
  std::vector<Expr> bounds(const std::vector<Interval>& binders, const TermPool::Substitution& s);
  // The context, with the data leaves of two expressions that match equated.
  std::vector<Expr> related(Expr k, Expr p, const std::vector<Expr>& context, const MatchSite& site);
  bool fail(std::string reason) {
    if (why_.empty()) why_ = std::move(reason);
    return false;
  }
  bool match_integers(Expr k, Expr p, const std::vector<Expr>& context, const MatchSite& site, std::string what);
  bool match_select(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site);
  bool match_loops(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site);
  bool match_member_loop(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site);
  bool match_folds(Term k, Term p, const std::vector<Expr>& context, const MatchSite& site, bool deep);
  bool match_general(const Sequence& k, const Sequence& p, Term kt, Term pt, const std::vector<Expr>& context,
                     const MatchSite& site);
  // `seen`: pairs of terms that were visited. A term is a graph, which as a tree may be exponentially large.
  void equations(Term k, Term p, const std::set<const ExprNode*>& unknown, std::set<std::pair<Term, Term>>& seen,
                 std::vector<Equation>& out);
  // A licensed fold of the KIR has one value per evaluation: all that the program computes for it must be computed alike.
  struct Schedule {
    std::string shape;
    std::vector<Expr> scope;  // the KIR's evaluation
    std::vector<Expr> context;
    struct Part {
      std::size_t kir;  // the piece of the KIR it stands for
      std::vector<Interval> binders;
      std::vector<Expr> of;  // guards, and the KIR's point
    };
    std::vector<Part> parts;
  };
  bool one_schedule(Term k, std::string shape, const std::vector<Piece>& kir, const std::vector<Piece>& physical,
                    const std::vector<Pairing>& pairs, const std::vector<Expr>& context, const MatchSite& site);
  TermPool& terms_;
  ExprPool& pool_;
  std::vector<Obligation>& out_;
  std::vector<PendingLoad>& pending_;
  using Pair = std::tuple<Term, Term, std::vector<Expr>>;
  std::set<Pair> done_;
  std::set<Pair> failed_;                                    // not rolled back: a pair that failed once is not tried again
  std::map<std::int64_t, std::vector<Schedule>> schedules_;  // by site of the KIR
  // Proposals from pairings found: for a KIR binder what stood for it, over the program's binders.
  Assignment learnt_;
  std::string why_;
  int depth_ = 0;
  std::size_t looked_at_ = 0;  // pairs
  std::size_t next_key_ = 0;
};

}  // namespace kir::proof
