// Running error bounds: beside each float value of the reference execution, a radius that contains the value in every
// permitted execution, that is under every order that a licence allows and for every provider within the accuracy classes.
//
//   basic operations    the exact operation's sensitivity to its operands' radii, plus one rounding of each side. Without
//                       radii an exact operation has none: both sides round alike.
//   accuracy classes    the class in ulp, plus half an ulp of the correctly rounded reference
//   licensed sums       2 (n-1)u/(1-(n-1)u) * sum |x| over n terms; 0 where every partial sum is exact in every order
//   exact products      the same over one rounding more, since the first product is rounded too; `unit` adds unit * sum |a||b|
//   licensed products   the same relative bound; 0 where every partial product is exact
//   choices             the extreme moves by the largest radius; who wins is undecided where radii overlap
//   licensed extremes   the largest radius of a term (the operations are associative and commutative)
//   unordered updates   of one commutative operation: as the fold of it; of several, exchanges or stores: no bound
//   contents that an atomic of an unordered instance reads: no bound
//   other combines      a multiple of the spread over sampled orders: no proof, and said so
//   folds over segments  the sum of running bounds against exact arithmetic over sampled cuts, and said so
//   discrete values     what may come out differently is tainted kUndecided, and ends the execution when it is observed
//
// Radii are computed in double with some slack, not with directed rounding.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/interp/code.h"
#include "core/numeric/float_format.h"

namespace kir {

class Machine;
struct TensorValue;

// A sum of terms or of exact products of one float type, in any order.
class SumBound {
 public:
  explicit SumBound(DType type = DType::f32) : type_(type) {}
  void add(std::uint64_t word, double radius);
  void add_product(std::uint64_t a, double radius_a, std::uint64_t b, double radius_b);
  // Of every execution from the reference's. `licensed`: the order is free; `unit`: the licensed error of a sum of products.
  // Sets the number of terms whose order matters.
  double radius(bool licensed, double unit, std::uint64_t& most_terms) const;

 private:
  void add_magnitude(double magnitude, double radius, int low);

  DType type_;
  long double sum_ = 0, moved_ = 0;
  int low_ = 0;  // position of the lowest set bit of all terms
  bool finite_ = true, fixed_ = true, products_ = false, any_ = false;
  std::uint64_t terms_ = 0;
};

// A product of terms of one float type, in any order.
class ProductBound {
 public:
  explicit ProductBound(DType type = DType::f32) : type_(type) {}
  void add(std::uint64_t word, double radius);
  double radius(double product, std::uint64_t& most_terms) const;

 private:
  DType type_;
  double above_ = 0, below_ = 0, drift_ = 0;
  long double odd_ = 1;
  bool zero_ = false, moves_ = false, unbounded_ = false;
  std::uint64_t terms_ = 0;
};

// A compare-exchange of these bits compares NaNs: which ones an operation gives is left open.
inline bool is_nan_comparison(DType t, std::uint64_t found, std::uint64_t expected) {
  return is_float(t) && bits_are_nan(t, found) && bits_are_nan(t, expected);
}

class BoundRules {
 public:
  explicit BoundRules(Machine& machine) : m_(machine) {}

  // After a scalar operation: sets the result's radius.
  void pointwise(const Instr& i, const std::uint64_t* in);
  // The radius of one element's result; `taint` is the union of the operands' and is updated.
  double element(const Instr& i, const std::uint64_t* in, const Taint* taints, const double* radii, std::uint64_t out,
                 Taint& taint);
  void load(DType t, double stored, Taint& taint, double& radius) const;
  double stored_radius(Taint taint, double radius) const;
  void store(std::size_t view, std::int64_t address, Taint taint, double radius);

  // The results of an atomic that read: another order of the instances may show other contents.
  void atomic(const Instr& i, const AtomicPlan& plan, std::int64_t address);
  // An update of an element that other instances may update too, in any order.
  struct Update {
    std::size_t view = 0;
    std::int64_t address = 0;
    OpKind operation = OpKind::yield;  // of the old contents and the value; yield: any other function of them
    std::uint32_t epoch = 0;           // updates of one epoch may be unordered, those of different epochs are ordered
    std::uint64_t old = 0;
    Slot value = kNoSlot;
    Slot merged = kNoSlot;   // of `yield`: the result
    bool undecided = false;  // whether it happens differs
  };
  void update(const Update& update);

  // Around a licensed fold, in this order; folds nest.
  void begin_fold(const FoldPlan& plan);
  void fold_term(const std::vector<Slot>& slots);  // the next term's components; the first may be the initial value
  // Of a scan, when the accumulators hold element e of the results; then once, before the end of the fold.
  void keep_prefix(std::size_t e, std::span<const std::shared_ptr<TensorValue>> results);
  bool end_prefixes(OpId op, std::span<const std::shared_ptr<TensorValue>> results);
  bool end_fold(OpId op);  // sets the radius and taint of the accumulators

  double exact_sum(const SumBound& bound, const ContractPlan& plan);

  // The members that arg_reduce chooses from.
  struct Candidate {
    double value, radius;
  };
  struct Choice {
    double radius = 0;    // of the extreme
    bool decided = true;  // the same member wins in every permitted execution
  };
  Choice choose(std::span<const Candidate> candidates, std::size_t winner) const;

  // Counts the rounding of every operation from now on, so that a radius contains the value in exact arithmetic too.
  // Gives what was so before.
  bool count_roundings(bool on) { return std::exchange(roundings_, on); }
  // Folds that have begun; an execution that ended amid some leaves them open.
  std::size_t open_folds() const { return folds_.size(); }
  void close_folds(std::size_t keep) { folds_.erase(folds_.begin() + static_cast<std::ptrdiff_t>(keep), folds_.end()); }
  void note_sample(std::uint64_t terms) {
    basis_.sampled = true;
    basis_.most_terms = std::max(basis_.most_terms, terms);
  }

  struct Basis {
    std::uint64_t most_terms = 0;  // of a licensed float fold whose order matters
    int most_ulp = 0;              // of the accuracy classes used
    bool sampled = false;          // a combine was sampled
    double unit = 0;               // licensed error of a sum of products
  };
  const Basis& basis() const { return basis_; }

 private:
  struct Term {
    std::uint64_t word;
    Taint taint;
    double radius;
  };
  using State = std::vector<Term>;  // by component
  struct RunningFold {
    const FoldPlan* plan;
    enum class Rule : std::uint8_t { exact, sum, product, extreme, sampled } rule = Rule::exact;
    SumBound sum;
    ProductBound product;
    double widest = 0;                  // extremes: the largest radius of a term
    std::vector<State> terms;           // sampled
    std::vector<std::size_t> prefixes;  // sampled scans: by result element the number of its terms
    std::uint64_t count = 0;            // terms so far
  };
  struct Updates {
    OpKind operation = OpKind::yield;
    std::uint32_t epoch = 0, instance = 0;
    bool any = false, shared = false, mixed = false, undecided = false;  // by several instances; of several operations
    double largest = 0;                                                  // of the radii of contents and values
    SumBound sum;
  };
  double radius_of(DType t, const Updates& u, Slot merged);
  double radius_so_far(RunningFold& fold, std::uint64_t word);
  State take(const std::vector<Slot>& slots) const;
  void put(const std::vector<Slot>& slots, const State& state);
  bool combine(OpId op, const FoldPlan& plan, const State& left, const State& right, State& out);
  bool sample(OpId op, const RunningFold& fold);
  // What a component may be, from its reference and sampled values.
  class Spread;

  double own_rounding(OpKind kind, DType t, const double* x, int n, double out) const;

  Machine& m_;
  std::vector<RunningFold> folds_;
  std::map<std::pair<std::size_t, std::int64_t>, Updates> updates_;  // by resource and address
  bool roundings_ = false;
  Basis basis_;
};

}  // namespace kir
