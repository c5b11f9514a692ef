#include "smt/z3_backend.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/check.h"

namespace kir::smt {
namespace {

constexpr unsigned kRunawayMilliseconds = 120'000;
constexpr unsigned kMemoryMegabytes = 6000;
// Z3 multiplies polynomials out before it counts resources: (N + 1) to the power 8192 keeps it for minutes.
constexpr std::uint32_t kMostDegree = 128;

// Distinct leaves get distinct names: symbols as they are, the others with a character that no symbol has.
std::string leaf_name(Expr e) {
  switch (e.kind()) {
    case ExprKind::symbol: return e.name();
    case ExprKind::value: return fmt::format("%{}{}", e.sort() == Sort::boolean ? "b" : "", e.number());
    case ExprKind::position: return fmt::format("pos!{}", e.number());
    case ExprKind::variable: return fmt::format("{}${}", e.name(), e.number());
    default: KIR_UNREACHABLE("not a leaf");
  }
}

class Encoder {
 public:
  Encoder(z3::context& c, DivisionEncoding division, const std::function<bool(Expr)>& positive)
      : c_(c), division_(division), positive_(positive), side_(c) {}

  z3::expr operator()(Expr e) {
    if (auto it = done_.find(e); it != done_.end()) return it->second;
    z3::expr r = encode(e);
    done_.emplace(e, r);
    return r;
  }
  const z3::expr_vector& side_conditions() const { return side_; }

 private:
  z3::expr number(std::int64_t v) { return c_.int_val(v); }

  z3::expr encode(Expr e) {
    auto kid = [&](std::size_t i) { return (*this)(e.kid(i)); };
    switch (e.kind()) {
      case ExprKind::constant: return number(e.number());
      case ExprKind::boolean: return c_.bool_val(e.number() != 0);
      case ExprKind::symbol:
      case ExprKind::value:
      case ExprKind::position:
      case ExprKind::variable: {
        std::string name = leaf_name(e);
        return e.sort() == Sort::boolean ? c_.bool_const(name.c_str()) : c_.int_const(name.c_str());
      }
      case ExprKind::add: return kid(0) + kid(1);
      case ExprKind::sub: return kid(0) - kid(1);
      case ExprKind::mul: return kid(0) * kid(1);
      case ExprKind::neg: return -kid(0);
      case ExprKind::floordiv: return divide(kid(0), kid(1), e.kid(1)).first;
      case ExprKind::mod: return divide(kid(0), kid(1), e.kid(1)).second;
      case ExprKind::ceildiv: return -divide(-kid(0), kid(1), e.kid(1)).first;
      case ExprKind::min: return z3::ite(kid(0) <= kid(1), kid(0), kid(1));
      case ExprKind::max: return z3::ite(kid(0) >= kid(1), kid(0), kid(1));
      case ExprKind::ite: return z3::ite(kid(0), kid(1), kid(2));
      case ExprKind::eq: return kid(0) == kid(1);
      case ExprKind::ne: return kid(0) != kid(1);
      case ExprKind::lt: return kid(0) < kid(1);
      case ExprKind::le: return kid(0) <= kid(1);
      case ExprKind::gt: return kid(0) > kid(1);
      case ExprKind::ge: return kid(0) >= kid(1);
      case ExprKind::logical_not: return !kid(0);
      case ExprKind::logical_and: return kid(0) && kid(1);
      case ExprKind::logical_or: return kid(0) || kid(1);
      case ExprKind::implies: return z3::implies(kid(0), kid(1));
    }
    KIR_UNREACHABLE("expression kind");
  }

  // (floordiv, mod)
  std::pair<z3::expr, z3::expr> divide(z3::expr a, z3::expr d, Expr divisor) {
    auto key = std::pair(a.id(), d.id());
    if (auto it = quotients_.find(key); it != quotients_.end()) return it->second;
    bool constant = divisor.is(ExprKind::constant);
    int sign = constant ? (divisor.number() > 0) - (divisor.number() < 0) : positive_ && positive_(divisor) ? 1 : 0;
    std::pair<z3::expr, z3::expr> r(c_.int_val(0), c_.int_val(0));
    if (constant && sign == 0) {  // SMT-LIB leaves these two free as well
      r = {a / d, z3::mod(a, d)};
    } else if (division_ == DivisionEncoding::witness) {
      z3::expr q = fresh("q"), m = fresh("r"), zero = number(0);
      z3::expr up = a == d * q + m && zero <= m && m < d, down = a == d * q + m && d < m && m <= zero;
      side_.push_back(sign > 0 ? up : sign < 0 ? down : z3::implies(d > 0, up) && z3::implies(d < 0, down));
      r = {q, m};
    } else if (sign > 0) {
      r = {a / d, z3::mod(a, d)};
    } else if (sign < 0) {
      r = {(-a) / (-d), -z3::mod(-a, -d)};
    } else {
      r = {z3::ite(d > 0, a / d, (-a) / (-d)), z3::ite(d > 0, z3::mod(a, d), -z3::mod(-a, -d))};
    }
    kept_.push_back(a);  // ids stay unique while the terms live
    kept_.push_back(d);
    quotients_.emplace(key, r);
    return r;
  }

  z3::expr fresh(const char* hint) { return c_.int_const(fmt::format("{}!{}", hint, next_++).c_str()); }

  z3::context& c_;
  DivisionEncoding division_;
  const std::function<bool(Expr)>& positive_;
  z3::expr_vector side_;
  std::unordered_map<Expr, z3::expr> done_;
  std::map<std::pair<unsigned, unsigned>, std::pair<z3::expr, z3::expr>> quotients_;
  std::vector<z3::expr> kept_;
  int next_ = 0;
};

std::vector<Expr> all_leaves(std::span<const Expr> conjunction) {
  std::vector<Expr> out;
  for (Expr e : conjunction)
    for (Expr l : leaves(e))
      if (std::find(out.begin(), out.end(), l) == out.end()) out.push_back(l);
  return out;
}

Reply ask_unguarded(std::span<const Expr> conjunction, const Strategy& strategy, std::uint64_t rlimit,
                    const std::function<bool(Expr)>& positive) {
  z3::context c;
  Encoder encode(c, strategy.division, positive);
  z3::solver solver(c, z3::solver::simple());
  z3::params parameters(c);
  parameters.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(rlimit, 0xffff'fff0u)));
  parameters.set("timeout", kRunawayMilliseconds);
  if (strategy.arithmetic_solver >= 0) parameters.set("arith.solver", static_cast<unsigned>(strategy.arithmetic_solver));
  if (strategy.seed != 0) parameters.set("random_seed", strategy.seed);
  solver.set(parameters);
  for (Expr e : conjunction) solver.add(encode(e));
  for (const z3::expr& s : encode.side_conditions()) solver.add(s);

  Reply reply;
  z3::check_result result = solver.check();
  z3::stats stats = solver.statistics();
  for (unsigned i = 0; i < stats.size(); ++i)
    if (stats.key(i) == "rlimit count") reply.resource = stats.is_uint(i) ? stats.uint_value(i) : 0;
  switch (result) {
    case z3::unsat: reply.answer = Answer::unsatisfiable; break;
    case z3::sat: {
      reply.answer = Answer::satisfiable;
      z3::model model = solver.get_model();
      for (Expr l : all_leaves(conjunction)) {
        z3::expr v = model.eval(encode(l), true);
        std::string text;
        if (l.sort() == Sort::boolean)
          text = v.is_true() ? "true" : "false";
        else if (!v.is_numeral(text))
          text = "0";
        reply.model.push_back({l, text});
      }
      break;
    }
    case z3::unknown: {
      reply.reason = solver.reason_unknown();
      // Some parts of Z3 report an exhausted resource limit as a cancellation.
      if (reply.resource >= rlimit) reply.reason = "max. resource limit exceeded";
      reply.runaway =
          reply.reason == "timeout" || reply.reason == "canceled" || reply.reason.find("interrupted") != std::string::npos;
      break;
    }
  }
  return reply;
}

// The degree of e as a polynomial over its leaves and its divisions.
std::uint32_t degree(Expr e, std::unordered_map<const ExprNode*, std::uint32_t>& known) {
  if (e.kids().empty()) return e.is(ExprKind::constant) || e.is(ExprKind::boolean) ? 0 : 1;
  if (auto it = known.find(e.node()); it != known.end()) return it->second;
  std::uint32_t out = 0;
  for (Expr k : e.kids()) {
    const std::uint32_t of = degree(k, known);
    out = e.is(ExprKind::mul) ? std::min(out + of, WrittenOut::kMost) : std::max(out, of);
  }
  return known[e.node()] = out;
}

}  // namespace

Reply ask(std::span<const Expr> conjunction, const Strategy& strategy, std::uint64_t rlimit,
          const std::function<bool(Expr)>& positive) {
  if (rlimit == 0) {  // to Z3 that is no limit at all, and only the clock would end it
    Reply reply;
    reply.reason = "max. resource limit exceeded";
    return reply;
  }
  std::unordered_map<const ExprNode*, std::uint32_t> degrees;
  for (Expr e : conjunction)
    if (const std::uint32_t n = degree(e, degrees); n > kMostDegree) {
      Reply reply;
      reply.reason = fmt::format("a product of {} factors is not multiplied out", n);
      return reply;
    }
  try {
    static const bool limited = (z3::set_param("memory_max_size", static_cast<int>(kMemoryMegabytes)), true);
    (void)limited;
    return ask_unguarded(conjunction, strategy, rlimit, positive);
  } catch (const z3::exception& e) {
    Reply reply;
    reply.reason = fmt::format("the solver stopped: {}", e.msg());
    reply.runaway = true;  // out of memory: not a function of the question alone
    return reply;
  }
}

std::string smtlib(std::span<const Expr> conjunction, std::string_view comment) {
  z3::context c;
  const std::function<bool(Expr)> none;
  Encoder encode(c, DivisionEncoding::native, none);
  std::string out;
  for (std::size_t at = 0; at < comment.size();) {
    std::size_t end = std::min(comment.find('\n', at), comment.size());
    out += fmt::format("; {}\n", comment.substr(at, end - at));
    at = end + 1;
  }
  out += "(set-logic QF_NIA)\n";
  std::string body;
  std::vector<z3::expr> assertions;
  for (Expr e : conjunction) assertions.push_back(encode(e));
  for (Expr l : all_leaves(conjunction)) {
    z3::expr v = encode(l);
    out += fmt::format("(declare-fun {} () {})\n", v.to_string(), l.sort() == Sort::boolean ? "Bool" : "Int");
  }
  for (const z3::expr& a : assertions) body += fmt::format("(assert {})\n", a.to_string());
  return out + body + "(check-sat)\n";
}

std::string z3_version() {
  unsigned major = 0, minor = 0, build = 0, revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("{}.{}.{}", major, minor, build);
}

}  // namespace kir::smt
