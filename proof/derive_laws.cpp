// What a reduction of the KIR claims about its combine: a declared identity is neutral, a claimed order is lawful. Built-in
// operations are looked up (core/numeric/laws.cpp); combines of truth values are run at every operand; those made of ring
// operations are compared as polynomials (ring.h); of others, operands at which a law fails are looked for.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/ir/op_table.h"
#include "core/numeric/scalar_ops.h"
#include "core/text/text.h"
#include "proof/derive.h"
#include "proof/exact_operation.h"
#include "proof/exact_part.h"
#include "proof/ring.h"
#include "proof/sequence.h"

namespace kir::proof {
namespace {

// Values at which laws are tried: enough to refute false ones; never a proof. Eleven, a prime, where a type has as many: a
// component that steps through them by any number meets all of them.
std::vector<Scalar> samples(DType t) {
  std::vector<Scalar> out;
  if (is_float(t)) {
    for (const char* text : {"0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "-2.0", "inf", "-inf", "nan", "1.5"})
      if (auto s = parse_literal(text, t)) out.push_back(*s);
  } else {
    for (std::int64_t v : {0, 1, -1, 2, 3, 5, -7, 64, 100}) out.push_back(Scalar::of_int(t, v));
    int width = bit_width(t);
    if (width > 1) {
      out.push_back(Scalar::of_int(t, static_cast<std::int64_t>(std::uint64_t{1} << (width - 1))));
      out.push_back(Scalar::of_int(t, static_cast<std::int64_t>((std::uint64_t{1} << (width - 1)) - 1)));
    }
  }
  return out;
}

// Every operand of a combine over truth values alone; nothing for other combines.
std::vector<Operands> all_truths(const std::vector<DType>& types) {
  std::vector<Operands> out;
  if (types.size() > 4 || std::any_of(types.begin(), types.end(), [](DType t) { return t != DType::i1; })) return out;
  for (std::size_t bits = 0; bits < std::size_t{1} << types.size(); ++bits) {
    Operands o;
    for (std::size_t i = 0; i < types.size(); ++i) o.push_back(Scalar::of_bool(bits >> i & 1));
    out.push_back(o);
  }
  return out;
}

std::vector<Operands> sample_operands(const std::vector<DType>& types) {
  std::vector<Operands> out;
  for (std::size_t s = 0; s < samples(types[0]).size(); ++s) {
    Operands t;
    for (std::size_t k = 0; k < types.size(); ++k) {
      auto all = samples(types[k]);
      t.push_back(all[(s * (k % 10 + 1) + k) % all.size()]);
    }
    out.push_back(t);
  }
  return out;
}

// Every operand where these are few enough, else some.
std::vector<Operands> operands_of(const std::vector<DType>& types) {
  std::vector<Operands> all = all_truths(types);
  return all.empty() ? sample_operands(types) : all;
}

// A combine's results on concrete scalars; empty when it uses more than pointwise operations on its arguments and literals.
// Terms are graphs: each is evaluated once.
class Evaluation {
 public:
  Evaluation(const Combine& c, const Operands& a, const Operands& b, TermPool& terms) : terms_(terms) {
    for (std::size_t i = 0; i < a.size(); ++i) known_[c.arguments[i]] = a[i];
    for (std::size_t i = 0; i < b.size(); ++i) known_[c.arguments[a.size() + i]] = b[i];
  }

  // Nothing was rounded on the way to the values that were asked for.
  bool exact() const { return exact_; }

  std::optional<Scalar> value(Term t) {
    if (auto it = known_.find(t); it != known_.end()) return it->second;
    std::optional<Scalar> v = compute(t);
    known_[t] = v;
    return v;
  }

 private:
  std::optional<bool> truth(Expr e) {
    EvalResult r = evaluate(e, [&](Expr l) -> std::optional<Integer> {
      Term x = terms_.term_of_leaf(l);
      std::optional<Scalar> v = x ? value(x) : std::nullopt;
      if (!v) return std::nullopt;
      return v->type == DType::i1 ? Integer(v->as_bool()) : Integer(v->as_signed());
    });
    return r.ok() ? std::optional(r.value != 0) : std::nullopt;
  }

  std::optional<Scalar> compute(Term t) {
    switch (t->kind) {
      case TermKind::literal: return t->literal;
      case TermKind::pointwise: {
        std::vector<Scalar> kids;
        for (Term k : t->kids) {
          std::optional<Scalar> v = value(k);
          if (!v) return std::nullopt;
          kids.push_back(*v);
        }
        ScalarResult r = evaluate_pointwise(t->op, kids);
        exact_ = exact_ && r.ok() && is_exact(t->op, kids, r.value);
        return r.ok() ? std::optional(r.value) : std::nullopt;
      }
      case TermKind::cmp: {
        std::optional<Scalar> a = value(t->kids[0]), b = value(t->kids[1]);
        return a && b ? std::optional(Scalar::of_bool(evaluate_cmp(static_cast<CmpPredicate>(t->mode), *a, *b))) : std::nullopt;
      }
      case TermKind::select: {
        std::optional<bool> c = truth(t->exprs[0]);
        return c ? value(t->kids[*c ? 0 : 1]) : std::nullopt;
      }
      case TermKind::boolean: {
        std::optional<bool> c = truth(t->exprs[0]);
        return c ? std::optional(Scalar::of_bool(*c)) : std::nullopt;
      }
      case TermKind::convert: {
        std::optional<Scalar> a = value(t->kids[0]);
        if (!a) return std::nullopt;
        ScalarResult r = evaluate_convert(static_cast<ConvertMode>(t->mode), *a, t->type);
        exact_ = exact_ && r.ok() && !is_float(t->type);
        return r.ok() ? std::optional(r.value) : std::nullopt;
      }
      case TermKind::parameter:
      case TermKind::integer:
      case TermKind::load:
      case TermKind::argument:
      case TermKind::arbitrary:
      case TermKind::reduce:
      case TermKind::iterate: return std::nullopt;
    }
    return std::nullopt;
  }

  TermPool& terms_;
  std::unordered_map<Term, std::optional<Scalar>> known_;
  bool exact_ = true;
};

// The operations of the components, when each is one operation of its own accumulator and element; else nothing.
std::vector<OpKind> component_operations(const Combine& c) {
  const std::size_t k = c.results.size();
  std::vector<OpKind> out;
  if (c.arguments.size() != 2 * k) return out;
  for (std::size_t i = 0; i < k; ++i) {
    std::optional<OpKind> op = simple_operation({{c.arguments[i], c.arguments[k + i]}, {c.results[i]}});
    if (!op) return {};
    out.push_back(*op);
  }
  return out;
}

// The identity is neutral when it is for each component alone.
bool neutral_by_component(const Combine& c, const Operands& identity, const std::optional<Scalar>& init) {
  const std::vector<OpKind> ops = component_operations(c);
  if (ops.empty() || identity.size() != ops.size()) return false;
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (!is_neutral(ops[i], identity[i], ops.size() == 1 ? init : std::nullopt)) return false;
  return true;
}

// The laws of the order hold when they do for each component alone.
bool lawful_by_component(const Combine& c, Order order) {
  const std::vector<OpKind> ops = component_operations(c);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const DType t = c.results[i]->type;
    if (!is_associative(ops[i], t) || (order == Order::any && !is_commutative(ops[i], t))) return false;
  }
  return !ops.empty();
}

// `exact`: also nothing where something was rounded.
std::optional<Operands> apply(const Combine& c, const Operands& a, const Operands& b, TermPool& terms, bool exact = false) {
  Evaluation evaluation(c, a, b, terms);
  Operands out;
  for (Term r : c.results) {
    std::optional<Scalar> v = evaluation.value(r);
    if (!v) return std::nullopt;
    out.push_back(*v);
  }
  return exact && !evaluation.exact() ? std::nullopt : std::optional(out);
}

bool same_numbers(const Operands& a, const Operands& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_number);
}

// Finite operands at which a combine of floats breaks the law of its order although nothing is rounded.
std::optional<LawWitness> broken_without_rounding(const Combine& c, Order order, const std::vector<Operands>& points,
                                                  RegionId region, TermPool& terms) {
  const auto both = [&](const std::optional<Operands>& a, const std::optional<Operands>& b) {
    return a && b ? apply(c, *a, *b, terms, true) : std::nullopt;
  };
  const auto differ = [](const std::optional<Operands>& x, const std::optional<Operands>& y) {
    return x && y && same_numbers(*x, *x) && same_numbers(*y, *y) && !same_numbers(*x, *y);
  };
  for (const Operands& a : points) {
    if (!same_numbers(a, a)) continue;  // infinite
    for (const Operands& b : points) {
      if (!same_numbers(b, b)) continue;
      const std::optional<Operands> ab = both(a, b);
      if (order == Order::any && differ(ab, both(b, a))) return LawWitness{LawWitness::Law::commutative, region, {a, b}};
      for (const Operands& d : points)
        if (same_numbers(d, d) && differ(both(ab, d), both(a, both(b, d))))
          return LawWitness{LawWitness::Law::associative, region, {a, b, d}};
    }
  }
  return std::nullopt;
}

}  // namespace

void reduce_laws(const Kernel& kernel, const Denotation& d, TermPool& terms, const std::string& prefix, Ledger& ledger) {
  for (std::size_t i = 0; i < d.folds.size(); ++i) {
    const ReduceNode& node = *d.folds[i].node;
    SourceRange range = d.folds[i].range;
    Order order = node.order;
    const RegionId region = d.folds[i].combine;
    auto witness = [&](LawWitness::Law law, std::vector<Operands> operands) {
      return region ? std::optional(LawWitness{law, region, std::move(operands)}) : std::nullopt;
    };
    const ScalarList* identity = node.identity.empty() ? nullptr : &node.identity;
    bool assumed = node.identity_assumed;
    const Combine& combine = node.combine;
    std::vector<DType> types;
    for (Term a : combine.results) types.push_back(a->type);
    bool has_float = false;
    for (Term r : combine.results) has_float = has_float || terms.mentions(r, [](Term t) { return is_float(t->type); });

    const bool exhaustive = !all_truths(types).empty();
    std::vector<Operands> points = operands_of(types);

    std::optional<Scalar> init;
    if (node.init.size() == 1 && node.init[0]->kind == TermKind::literal) init = node.init[0]->literal;
    if (identity) {
      Obligation o = obligation(Side::kir, ObligationKind::combine_laws, fmt::format("{}/identity/{}", prefix, i),
                                fmt::format("the identity {} is neutral for the combine", to_string(*identity)), range);
      o.goal = terms.exprs().boolean(true);
      if (assumed) {
        ledger.assume("licence", fmt::format("identity assumed ({}) of the reduce at {}", to_string(*identity),
                                             kernel.source ? place(*kernel.source, range) : "?"));
      } else {
        bool holds = exhaustive;  // at every accumulator
        for (const Operands& p : points) {
          // With an initial value only accumulators that can be reached count: those that start from it.
          Operands acc = p;
          if (!exhaustive && init && types.size() == 1)
            if (auto reached = apply(combine, {*init}, p, terms)) acc = *reached;
          for (bool left : {true, false}) {
            auto r = left ? apply(combine, *identity, acc, terms) : apply(combine, acc, *identity, terms);
            holds = holds && r && same_values(*r, acc);
            if (r && !same_values(*r, acc) && !o.law)
              o.law = witness(left ? LawWitness::Law::neutral_left : LawWitness::Law::neutral_right, {*identity, acc});
          }
        }
        if (o.law)
          o.preset = Obligation::Preset{Verdict::unknown, "the identity is not neutral, but no execution showed it"};
        else if (!holds && !neutral_by_component(combine, *identity, init) && !is_neutral_in_ring(combine, *identity, terms))
          o.preset = Obligation::Preset{
              Verdict::unknown,
              "the identity of a combine of its own is not proven neutral; write `identity assumed (...)` to vouch for it"};
      }
      if (!assumed) ledger.add(std::move(o));
    }
    if (order == Order::strict) continue;
    auto lawful = [&](const Combine& c) {
      return lawful_by_component(c, order) ||
             (is_associative_in_ring(c, terms) && (order != Order::any || is_commutative_in_ring(c, terms)));
    };
    bool proven = lawful(combine);
    Combine owed = combine;
    std::string sentence = fmt::format("the combine is associative{} as order({}) says",
                                       order == Order::any ? " and commutative" : "", name(order));
    const bool rounds = !proven && has_float;
    if (rounds) {
      if (auto law = region ? broken_without_rounding(combine, order, points, region, terms) : std::nullopt) {
        Obligation o =
            obligation(Side::kir, ObligationKind::combine_laws, fmt::format("{}/laws/{}", prefix, i), sentence, range);
        o.goal = terms.exprs().boolean(true);
        o.law = law;
        o.preset = Obligation::Preset{Verdict::unknown, "the law does not hold, but no execution showed it"};
        ledger.add(std::move(o));
      }
      ledger.assume("licence",
                    fmt::format("order({}) of the reduce at {}: floating-point rounding of any such order is accepted",
                                name(order), kernel.source ? place(*kernel.source, range) : "?"));
      // Rounding explains nothing of the components that no float enters.
      owed = restricted(combine, exact_components(combine, terms));
      proven = owed.results.empty() || lawful(owed);
      if (owed.results.empty()) continue;
      types.clear();
      for (Term r : owed.results) types.push_back(r->type);
      points = operands_of(types);
      sentence.insert(0, "of the components that no float enters, ");
    }
    Obligation o = obligation(Side::kir, ObligationKind::combine_laws,
                              fmt::format("{}/{}/{}", prefix, rounds ? "exact-laws" : "laws", i), sentence, range);
    o.goal = terms.exprs().boolean(true);
    if (!proven) {
      bool holds = !all_truths(types).empty();  // at every operand
      for (const Operands& a : points)
        for (const Operands& b : points) {
          if (order == Order::any) {
            auto x = apply(owed, a, b, terms), y = apply(owed, b, a, terms);
            holds = holds && x && y && same_values(*x, *y);
            if (x && y && !same_values(*x, *y) && !o.law && !rounds) o.law = witness(LawWitness::Law::commutative, {a, b});
          }
          for (const Operands& c : points) {
            auto ab = apply(owed, a, b, terms), bc = apply(owed, b, c, terms);
            auto x = ab ? apply(owed, *ab, c, terms) : std::nullopt, y = bc ? apply(owed, a, *bc, terms) : std::nullopt;
            holds = holds && x && y && same_values(*x, *y);
            if (x && y && !same_values(*x, *y) && !o.law && !rounds) o.law = witness(LawWitness::Law::associative, {a, b, c});
          }
        }
      if (!holds)
        o.preset = Obligation::Preset{Verdict::unknown,
                                      o.law ? "the law does not hold, but no execution showed it"
                                            : "the laws of an exact combine of its own are not decided; use order(strict)"};
    }
    ledger.add(std::move(o));
  }
}

}  // namespace kir::proof
