#include "smt/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/base/check.h"
#include "core/index/simplify.h"
#include "smt/lemma.h"
#include "smt/z3_backend.h"

namespace kir::smt {
namespace {

using proof::Verdict;

// Tried in this order, each with its share of the resource limit; `simplified` asks the formula after our simplifier.
struct Attempt {
  Strategy strategy;
  bool simplified;
  unsigned sixteenths;
};
constexpr Attempt kPortfolio[] = {
    {{"native", DivisionEncoding::native}, true, 2},
    {{"witness", DivisionEncoding::witness}, true, 2},
    {{"native", DivisionEncoding::native}, false, 2},
    {{"witness", DivisionEncoding::witness}, false, 2},
    {{"native-seed", DivisionEncoding::native, -1, 7}, true, 2},
    {{"witness-seed", DivisionEncoding::witness, -1, 7}, true, 2},
    {{"arith2-witness", DivisionEncoding::witness, 2}, true, 1},
    {{"arith2-native", DivisionEncoding::native, 2}, true, 1},
};

constexpr std::uint64_t kSmallDomain = 1u << 12, kLargeDomain = 1u << 20;

std::optional<Integer> parse_integer(std::string_view s) {
  if (s == "true") return 1;
  if (s == "false") return 0;
  bool negative = s.starts_with('-');
  if (negative) s.remove_prefix(1);
  if (s.empty() || s.size() > 36) return {};
  Integer v = 0;
  for (char c : s) {
    if (c < '0' || c > '9') return {};
    v = v * 10 + (c - '0');
  }
  return negative ? -v : v;
}

// Hypotheses that share leaves with the goal, directly or through others, in their order. Of a goal without leaves those that
// share leaves with what the part itself supposes; all where that has none either.
std::vector<Expr> relevant(const std::vector<Expr>& hypotheses, Expr goal, const std::vector<Expr>& supposed) {
  std::set<Expr> reached;
  for (Expr l : leaves(goal)) reached.insert(l);
  for (Expr h : supposed)
    if (goal.is(ExprKind::boolean))
      for (Expr l : leaves(h)) reached.insert(l);
  if (reached.empty()) return hypotheses;
  std::vector<std::vector<Expr>> of;
  for (Expr h : hypotheses) of.push_back(leaves(h));
  std::vector<bool> in(hypotheses.size(), false);
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      if (in[i]) continue;
      if (!of[i].empty() && std::none_of(of[i].begin(), of[i].end(), [&](Expr l) { return reached.contains(l); })) continue;
      in[i] = grew = true;
      reached.insert(of[i].begin(), of[i].end());
    }
  }
  std::vector<Expr> out;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    if (in[i]) out.push_back(hypotheses[i]);
  return out;
}

class Solver {
 public:
  Solver(const Problem& p, std::uint64_t rlimit, unsigned seed) : problem_(p), rlimit_(rlimit), seed_(seed) {}

  Solution solve() {
    Facts base(*problem_.pool);
    for (Expr h : problem_.hypotheses) base.assume(h);
    if (base.contradictory()) return finish(Verdict::proved, simplifier_tier(base));
    // Consequences of the hypotheses, so they may stand among them.
    for (const LemmaInstance& i : lemma_instances(problem_, base)) {
      base.assume(i.fact);
      problem_.hypotheses.push_back(i.fact);
      instances_ = i.lemma;
    }
    std::vector<Part> parts = split(problem_);
    Solution total = finish(Verdict::proved, "simplifier");
    std::vector<Part> unknown;
    for (const Part& part : parts) {
      Solution s = solve_part(base, part);
      total.tier = stronger(total.tier, s.tier);
      if (s.verdict == Verdict::unknown) {
        unknown.push_back(part);
        total.reason = s.reason;
      } else if (s.verdict != Verdict::proved) {
        s.resource = used_;
        s.runaway = runaway_;
        return s;
      }
    }
    total.resource = used_;
    total.runaway = runaway_;
    if (unknown.empty()) {
      total.reason.clear();
      return total;
    }
    if (auto e = enumerate(problem_, base, kLargeDomain)) return enumerated(*e);
    if (parts.size() > 1) {  // the other goals may help, since they are denied together
      Solution s = ask_portfolio(unsimplified({}, problem_.goal), {}, problem_.goal, {}, rlimit_ / 4);
      if (s.verdict != Verdict::unknown) return s;
    }
    total.verdict = Verdict::unknown;
    total.tier = "smt";
    total.resource = used_;
    total.runaway = runaway_;
    return total;
  }

 private:
  static std::string simplifier_tier(const Facts& f) { return f.used_mixed_radix() ? "lemma:mixed-radix" : "simplifier"; }

  static std::string stronger(const std::string& a, const std::string& b) {
    auto rank = [](std::string_view t) {
      return t.starts_with("smt") ? 3 : t == "enumeration" ? 2 : t.starts_with("lemma") ? 1 : 0;
    };
    return rank(a) >= rank(b) ? a : b;
  }

  Solution finish(Verdict v, std::string tier, std::string reason = {}) const {
    if (!instances_.empty() && v == Verdict::proved)
      tier = tier == "smt" ? fmt::format("smt, lemma:{}", instances_) : fmt::format("lemma:{}", instances_);
    return {.verdict = v, .tier = std::move(tier), .reason = std::move(reason), .resource = used_, .runaway = runaway_};
  }

  void spend(const Reply& r) {
    used_ += r.resource;
    runaway_ |= r.runaway;
  }

  Solution enumerated(const Enumeration& e) const {
    if (e.valid) return finish(Verdict::proved, "enumeration");
    Solution s = finish(Verdict::refuted, "enumeration");
    for (std::size_t i = 0; i < e.counterexample.size(); ++i)
      s.model.push_back(problem_.leaves[i].sort() == Sort::boolean ? (e.counterexample[i] ? "true" : "false")
                                                                   : to_string(e.counterexample[i]));
    return s;
  }

  std::vector<Expr> unsimplified(const std::vector<Expr>& extra, Expr goal) const {
    std::vector<Expr> all = problem_.hypotheses;
    all.insert(all.end(), extra.begin(), extra.end());
    all.push_back(negation(goal));
    return all;
  }

  Solution solve_part(const Facts& base, const Part& part) {
    Facts facts = base;
    for (Expr h : part.hypotheses) facts.assume(h);
    if (facts.contradictory()) return finish(Verdict::proved, simplifier_tier(facts));
    Expr goal = facts.simplify(part.goal);
    if (goal.is_true()) return finish(Verdict::proved, simplifier_tier(facts));

    Problem small = problem_;
    small.hypotheses.insert(small.hypotheses.end(), part.hypotheses.begin(), part.hypotheses.end());
    small.goal = part.goal;
    if (auto e = enumerate(small, facts, kSmallDomain)) return enumerated(*e);

    std::vector<Expr> hypotheses = relevant(facts.conjunction(), goal, part.hypotheses);
    hypotheses.push_back(negation(goal));
    auto positive = [&](Expr d) { return facts.decide(less(problem_.pool->constant(0), d)).value_or(false); };
    return ask_portfolio(hypotheses, positive, part.goal, part.hypotheses, rlimit_);
  }

  // `conjunction` is equisatisfiable with the problem's hypotheses, `extra` and not `goal`, up to hypotheses about other
  // leaves.
  Solution ask_portfolio(const std::vector<Expr>& conjunction, const std::function<bool(Expr)>& positive, Expr goal,
                         const std::vector<Expr>& extra, std::uint64_t budget) {
    std::string reason;
    std::vector<Expr> plain = unsimplified(extra, goal);
    for (const Attempt& attempt : kPortfolio) {
      if (!attempt.simplified && conjunction == plain) continue;
      Strategy strategy = attempt.strategy;
      strategy.seed += seed_;
      Reply r = ask(attempt.simplified ? conjunction : plain, strategy, budget / 16 * attempt.sixteenths,
                    attempt.simplified ? positive : std::function<bool(Expr)>());
      spend(r);
      switch (r.answer) {
        case Answer::unsatisfiable: return finish(Verdict::proved, "smt");
        case Answer::satisfiable:
          if (auto s = counterexample(plain)) return *s;
          reason = "a model of the simplified formula was not confirmed on the formula itself";
          break;
        case Answer::unknown:
          reason = r.runaway ? fmt::format("infrastructure: {} ({})", r.reason, strategy.name)
                             : fmt::format("the solver gave up within its resource limit ({})", r.reason);
          break;
      }
    }
    return finish(Verdict::unknown, "smt", reason);
  }

  // A small model of the formula as it was written, checked with the evaluator; or the proof that there is none, when
  // hypotheses about other leaves contradict each other.
  std::optional<Solution> counterexample(const std::vector<Expr>& plain) {
    ExprPool& pool = *problem_.pool;
    constexpr std::int64_t kFree = -1;
    for (std::int64_t bound : {std::int64_t{8}, std::int64_t{64}, kFree}) {
      std::vector<Expr> bounded = plain;
      for (Expr l : problem_.leaves) {
        if (bound == kFree || l.sort() == Sort::boolean) continue;
        bool symbol = l.is(ExprKind::symbol);
        std::int64_t low = symbol ? (bound == 8 ? 1 : 0) : -bound * 8, high = symbol ? bound : bound * 8;
        bounded.push_back(less_equal(pool.constant(low), l));
        bounded.push_back(less_equal(l, pool.constant(high)));
      }
      for (DivisionEncoding division : {DivisionEncoding::native, DivisionEncoding::witness}) {
        Reply r = ask(bounded, Strategy{"model", division, -1, seed_}, rlimit_ / 16);
        spend(r);
        if (r.answer == Answer::unsatisfiable && bound == kFree) return finish(Verdict::proved, "smt");
        if (r.answer == Answer::unsatisfiable) break;
        if (r.answer != Answer::satisfiable) continue;
        std::vector<std::string> text(problem_.leaves.size());
        std::vector<Integer> values(problem_.leaves.size(), 0);
        bool exact = true;
        for (std::size_t i = 0; i < text.size(); ++i) {
          text[i] = problem_.leaves[i].sort() == Sort::boolean ? "false" : "0";
          for (const ModelValue& v : r.model)
            if (v.leaf == problem_.leaves[i]) text[i] = v.value;
          auto n = parse_integer(text[i]);
          exact = exact && n;
          values[i] = n.value_or(0);
        }
        Solution s = finish(Verdict::refuted, "smt");
        s.model = text;
        switch (exact ? check_point(problem_, values) : Check::too_large) {
          case Check::counterexample: return s;
          case Check::zero_divisor: s.reason = "a divisor is zero"; return s;
          case Check::too_large: s.reason = "the model's numbers are too large to be checked"; return s;
          case Check::no_counterexample:
            s.verdict = Verdict::inconsistent;
            s.reason = "the solver's model does not satisfy the formula when it is evaluated";
            return s;
        }
      }
    }
    return {};
  }

  Problem problem_;
  std::string_view instances_;  // the lemma whose instances take part, the last where there are several
  const std::uint64_t rlimit_;
  const unsigned seed_;
  std::uint64_t used_ = 0;
  bool runaway_ = false;
};

}  // namespace

Solution solve(const Problem& problem, std::uint64_t rlimit, unsigned seed) { return Solver(problem, rlimit, seed).solve(); }

}  // namespace kir::smt
