#include "smt/premise.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/check.h"
#include "smt/solver.h"

namespace kir::smt {
namespace {

using proof::Premise;

// One way to choose values: what a free launch symbol is, and where in its range a leaf with bounds lies.
struct Choice {
  std::int64_t free;
  enum class At : std::uint8_t { low, high, inside } at;
  bool truth;
};
constexpr std::array kChoices = {
    Choice{2, Choice::At::low, true},    Choice{3, Choice::At::high, true},      Choice{8, Choice::At::low, false},
    Choice{7, Choice::At::inside, true}, Choice{1, Choice::At::low, true},       Choice{64, Choice::At::high, false},
    Choice{0, Choice::At::low, true},    Choice{1024, Choice::At::inside, true}, Choice{0, Choice::At::low, false},
};

// x on one side of a comparison, by itself: what the other side says about it.
struct Bound {
  enum class Kind : std::uint8_t { least, most, equal } kind;
  Expr other;
  std::int64_t shift;  // strict comparisons: x >= other + 1, x <= other - 1
};

class PointSearch {
 public:
  PointSearch(const std::vector<Expr>& suppositions, const std::vector<Expr>& leaves) : all_(suppositions), leaves_(leaves) {
    for (Expr h : suppositions) note(h);
  }

  bool found() {
    return std::any_of(kChoices.begin(), kChoices.end(), [&](const Choice& c) { return holds_at(c); });
  }

 private:
  void note(Expr h) {
    using K = ExprKind;
    if (h.sort() == Sort::boolean && h.kids().empty()) truths_[h] = true;
    if (h.is(K::logical_not) && h.kid(0).kids().empty()) truths_[h.kid(0)] = false;
    if (h.kids().size() != 2 || h.kid(0).sort() != Sort::integer) return;
    const K k = h.kind();
    auto put = [&](Expr x, Expr other, Bound::Kind kind, std::int64_t shift) {
      if (x.kids().empty() && !x.is(K::constant)) bounds_[x].push_back({kind, other, shift});
    };
    const Expr a = h.kid(0), b = h.kid(1);
    if (k == K::eq) put(a, b, Bound::Kind::equal, 0), put(b, a, Bound::Kind::equal, 0);
    if (k == K::le || k == K::lt) put(a, b, Bound::Kind::most, -(k == K::lt)), put(b, a, Bound::Kind::least, k == K::lt);
    if (k == K::ge || k == K::gt) put(a, b, Bound::Kind::least, k == K::gt), put(b, a, Bound::Kind::most, -(k == K::gt));
  }

  std::optional<Integer> value(Expr e) const {
    EvalResult r = evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
      auto it = at_.find(leaf);
      return it == at_.end() ? std::optional<Integer>() : it->second;
    });
    return r.ok() ? std::optional(r.value) : std::nullopt;
  }

  // Of what can be evaluated now. The leaf waits while something that bounds it has no value yet, unless nothing else moves.
  std::optional<Integer> choose(Expr leaf, const Choice& c, bool waits) const {
    if (leaf.sort() == Sort::boolean) {
      auto it = truths_.find(leaf);
      return Integer{it == truths_.end() ? c.truth : it->second};
    }
    std::optional<Integer> least, most;
    if (auto it = bounds_.find(leaf); it != bounds_.end())
      for (const Bound& b : it->second) {
        auto v = value(b.other);
        if (!v && waits) return {};
        if (!v) continue;
        if (b.kind == Bound::Kind::equal) return v;
        const Integer at = *v + b.shift;
        if (b.kind == Bound::Kind::least) least = least ? std::max(*least, at) : at;
        if (b.kind == Bound::Kind::most) most = most ? std::min(*most, at) : at;
      }
    const bool symbol = leaf.is(ExprKind::symbol);
    const Integer free = symbol ? c.free : 0;
    if (symbol) {  // a size: as large as the choice wants it, within what is said of it
      Integer v = free;
      if (least) v = std::max(v, *least);
      return most ? std::min(v, *most) : v;
    }
    if (!least && !most) return free;
    if (!least) return most;
    if (!most || c.at == Choice::At::low) return least;
    return c.at == Choice::At::high ? *most : *least + (*most - *least) / 2;
  }

  bool holds_at(const Choice& c) {
    at_.clear();
    std::vector<Expr> open = leaves_;
    for (bool waits = true; !open.empty();) {
      std::vector<Expr> left;
      for (Expr l : open) {
        auto v = waits || left.empty() ? choose(l, c, waits) : std::nullopt;
        if (v)
          at_[l] = *v;
        else
          left.push_back(l);
        if (v && !waits) waits = true;
      }
      if (left.size() == open.size()) waits = false;
      open = std::move(left);
    }
    return std::all_of(all_.begin(), all_.end(), [&](Expr h) { return value(h) == std::optional<Integer>(1); });
  }

  const std::vector<Expr>& all_;
  const std::vector<Expr>& leaves_;
  std::unordered_map<Expr, std::vector<Bound>> bounds_;
  std::unordered_map<Expr, bool> truths_;
  std::unordered_map<Expr, Integer> at_;
};

}  // namespace

Premise premise_of(const Problem& problem, std::uint64_t rlimit) {
  std::vector<Expr> suppositions = problem.hypotheses;
  for (Expr goal = problem.goal; goal.is(ExprKind::implies); goal = goal.kid(1)) append_conjuncts(goal.kid(0), suppositions);
  if (PointSearch(suppositions, problem.leaves).found()) return Premise::satisfiable;

  Problem nothing = problem;
  nothing.hypotheses = std::move(suppositions);
  nothing.goal = problem.pool->boolean(false);
  switch (solve(nothing, rlimit, 0).verdict) {
    case proof::Verdict::proved: return Premise::unreachable;
    case proof::Verdict::refuted: return Premise::satisfiable;
    case proof::Verdict::unknown:
    case proof::Verdict::unsupported:
    case proof::Verdict::inconsistent:
    case proof::Verdict::missing: return Premise::unknown;
  }
  KIR_UNREACHABLE("verdict");
}

}  // namespace kir::smt
