// evaluate(simplify(e)) == evaluate(e) at points that satisfy the facts.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "core/index/simplify.h"

namespace kir {
namespace {

// Random decisions read from a list of bytes, so that a failing case shrinks.
class Tape {
 public:
  explicit Tape(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  int below(int n) { return at_ < bytes_.size() ? bytes_[at_++] % n : 0; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

struct World {
  ExprPool pool;
  std::vector<Expr> ints, bools;
  std::map<Expr, Integer> point;

  explicit World(Tape& t) {
    for (const char* n : {"N", "K"}) ints.push_back(pool.symbol(n));
    for (std::uint32_t i = 0; i < 3; ++i) ints.push_back(pool.value(ValueId(i)));
    ints.push_back(pool.fresh("x"));
    bools.push_back(pool.value(ValueId(90), Sort::boolean));
    for (Expr e : ints) point[e] = t.below(4) == 0 ? t.below(17) - 8 : t.below(12);
    for (Expr e : bools) point[e] = t.below(2);
  }
  EvalResult eval(Expr e) const {
    return evaluate(e, [&](Expr l) -> std::optional<Integer> { return point.at(l); });
  }
  Expr integer(Tape& t, int depth) {
    if (depth == 0) return t.below(3) == 0 ? pool.constant(t.below(9) - 2) : ints[static_cast<std::size_t>(t.below(6))];
    auto sub = [&] { return integer(t, depth - 1 - t.below(2) * (depth > 1)); };
    switch (t.below(14)) {
      case 0:
      case 1:
      case 2: return sub() + sub();
      case 3: return sub() - sub();
      case 4:
      case 5: return sub() * sub();
      case 6:
      case 7: return floordiv(sub(), sub());
      case 8: return mod(sub(), sub());
      case 9: return ceildiv(sub(), sub());
      case 10: return min(sub(), sub());
      case 11: return max(sub(), sub());
      case 12: return ite(boolean(t, depth - 1), sub(), sub());
      default: return -sub();
    }
  }
  Expr boolean(Tape& t, int depth) {
    if (depth == 0) return t.below(6) == 0 ? bools[0] : less_equal(integer(t, 0), integer(t, 0));
    switch (t.below(12)) {
      case 0:
      case 1: return less(integer(t, depth - 1), integer(t, depth - 1));
      case 2: return less_equal(integer(t, depth - 1), integer(t, depth - 1));
      case 3:
      case 4: return equal(integer(t, depth - 1), integer(t, depth - 1));
      case 5: return not_equal(integer(t, depth - 1), integer(t, depth - 1));
      case 6: return negation(boolean(t, depth - 1));
      case 7: return both(boolean(t, depth - 1), boolean(t, depth - 1));
      case 8: return either(boolean(t, depth - 1), boolean(t, depth - 1));
      case 9: return implies(boolean(t, depth - 1), boolean(t, depth - 1));
      case 10: return equal(boolean(t, depth - 1), boolean(t, depth - 1));
      default: return ite(boolean(t, depth - 1), boolean(t, depth - 1), boolean(t, depth - 1));
    }
  }
  // A fact that holds at the point, or nothing.
  std::optional<Expr> fact(Tape& t) {
    if (t.below(2)) {
      Expr leaf = ints[static_cast<std::size_t>(t.below(6))];
      auto v = static_cast<std::int64_t>(point.at(leaf));
      switch (t.below(4)) {
        case 0: return less_equal(leaf, pool.constant(v + t.below(5)));
        case 1: return less_equal(pool.constant(v - t.below(5)), leaf);
        case 2:
          return less_equal(pool.constant(0), leaf).kid(0) == leaf ? std::optional<Expr>()
                 : v >= 0                                          ? std::optional(less_equal(pool.constant(0), leaf))
                                                                   : std::nullopt;
        default: break;
      }
    }
    Expr f = boolean(t, 1 + t.below(3));
    EvalResult r = eval(f);
    if (!r.ok()) return {};
    return r.value ? f : negation(f);
  }
};

void check(const std::vector<std::uint8_t>& bytes, int depth) {
  Tape t(bytes);
  World w(t);
  Facts facts(w.pool);
  std::string assumed;
  int n = t.below(8);
  for (int i = 0; i < n; ++i)
    if (auto f = w.fact(t)) {
      facts.assume(*f);
      assumed += to_string(*f) + "\n";
    }
  std::string at;
  for (auto& [l, v] : w.point) at += to_string(l) + "=" + to_string(v) + " ";
  if (facts.contradictory()) {
    ADD_FAILURE() << "facts hold at a point but were called contradictory:\n" << assumed << at;
    RC_FAIL("contradictory");
  }
  for (int i = 0; i < 2; ++i) {
    Expr e = i ? w.boolean(t, depth) : w.integer(t, depth);
    EvalResult before = w.eval(e);
    Expr s = facts.simplify(e);
    RC_ASSERT(s.sort() == e.sort());
    if (!before.ok()) continue;
    EvalResult after = w.eval(s);
    if (!after.ok() || after.value != before.value) {
      RC_LOG() << assumed << "expression " << to_string(e) << "\nsimplified " << to_string(s) << "\nat " << at << "\nbefore "
               << to_string(before.value) << " after " << (after.ok() ? to_string(after.value) : "error") << "\n";
      RC_FAIL("the value changed");
    }
    if (i == 0) {
      Range r = facts.range(e);
      RC_ASSERT(!r.lo || *r.lo <= before.value);
      RC_ASSERT(!r.hi || *r.hi >= before.value);
    }
  }
}

RC_GTEST_PROP(SimplifyProperty, keeps_values_of_small_expressions, ()) {
  check(*rc::gen::resize(200, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>())), 3);
}

RC_GTEST_PROP(SimplifyProperty, keeps_values_of_larger_expressions, ()) {
  check(*rc::gen::resize(400, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>())), 5);
}

}  // namespace
}  // namespace kir
