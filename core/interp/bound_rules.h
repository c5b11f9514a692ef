// Running error bounds: beside each float value of the reference execution, a radius that contains the value in every
// permitted execution, that is under every order that a licence allows and for every provider within the accuracy classes.
//
//   basic operations    the exact operation's sensitivity to its operands' radii, plus one rounding of each side. Without
//                       radii an exact operation has none: both sides round alike.
//   accuracy classes    the class in ulp, plus half an ulp of the correctly rounded reference
//   licensed sums       2 (n-1)u/(1-(n-1)u) * sum |x| over n terms; 0 where every partial sum is exact in every order
//   licensed products   the same relative bound; 0 where every partial product is exact
//   licensed extremes   the largest radius of a term (the operations are associative and commutative)
//   unordered updates   of one commutative operation: as the fold of it; of several, exchanges or stores: no bound
//   contents that an atomic of an unordered instance reads: no bound
//   other combines      a multiple of the spread over sampled orders: no proof, and said so
//   discrete values     what may come out differently is tainted kUndecided, and ends the execution when it is observed
//
// Radii are computed in double with some slack, not with directed rounding.
#pragma once

#include <map>
#include <vector>

#include "core/interp/code.h"

namespace kir {

class Machine;

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

  // After an update of an element that other instances may update too, in any order: `operation` of the old contents and
  // the value in the slot; yield for any other function of them, whose result is in `merged`. Updates of one epoch may be
  // unordered; those of different epochs are ordered.
  void update(std::size_t view, std::int64_t address, OpKind operation, std::uint32_t epoch, std::uint64_t old, Slot value,
              Slot merged = kNoSlot);

  // Around a licensed reduction.
  void begin_fold(const Instr& i, const ReducePlan& plan);
  void fold_accumulator(const ReducePlan& plan);  // its first term is in the accumulators
  void fold_element(const ReducePlan& plan);      // the next is in the combine's last arguments
  bool end_fold(const Instr& i, const ReducePlan& plan);

  struct Basis {
    std::uint64_t most_terms = 0;  // of a licensed float fold whose order matters
    int most_ulp = 0;              // of the accuracy classes used
    bool sampled = false;          // a combine was sampled
  };
  const Basis& basis() const { return basis_; }

 private:
  struct Term {
    std::uint64_t word;
    Taint taint;
    double radius;
  };
  struct Fold {
    std::vector<std::vector<Term>> terms;  // per term its components
  };
  // The largest difference of two orders of a sum.
  struct SumBound {
    long double sum = 0, radius = 0;
    int low = kNoBit;  // position of the lowest bit set in any term
    bool finite = true, fixed = true;
    std::uint64_t terms = 0;
    static constexpr int kNoBit = 100000;
    void add(DType t, std::uint64_t word, double term_radius);
  };
  double radius_of(DType t, const SumBound& s);
  struct Updates {
    OpKind operation = OpKind::yield;
    std::uint32_t epoch = 0, instance = 0;
    bool shared = false, mixed = false, undecided = false;  // by several instances; of several operations
    double largest = 0;                                     // of the radii of contents and values
    SumBound sum;
  };
  double radius_of(DType t, const Updates& u, Slot merged);
  void add_term(const ReducePlan& plan, std::size_t first);
  double product_radius(DType t, const std::vector<std::vector<Term>>& terms, double product);
  bool sample(const Instr& i, const ReducePlan& plan, const Fold& fold);

  Machine& m_;
  std::vector<Fold> folds_;
  std::map<std::pair<std::size_t, std::int64_t>, Updates> updates_;  // by resource and address
  std::vector<Slot> combine_arguments(const ReducePlan& plan) const;
  Basis basis_;
};

}  // namespace kir
