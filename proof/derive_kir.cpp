// The KIR's own obligations.
//
//   kir-safe        the claims of the symbolic evaluation: bounds, divisors, steps, empty reductions; no arbitrary value is
//                   stored or decides; an element of an `out` view is written before it is read (initialization)
//   kir-race-free   for each pair of accesses of one memory, one of them a store: no two instances of one `parallel` meet. The
//                   condition "the first enclosing iteration in which they differ is a parallel's" is one formula.
//   view-injective  different coordinates of a written view are different addresses
//   combine-laws    a declared identity is neutral; a claimed order of an exact combine holds
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/op_table.h"
#include "core/numeric/scalar_ops.h"
#include "proof/derive.h"
#include "proof/sequence.h"
#include "proof/validate.h"

namespace kir::proof {
namespace {

void races(const Denotation& d, TermPool& terms, const std::string& prefix, const std::string& note, Ledger& ledger) {
  ExprPool& pool = terms.exprs();
  std::size_t n = 0;
  for (std::size_t i = 0; i < d.events.size(); ++i)
    for (std::size_t j = i; j < d.events.size(); ++j) {
      const Event &a = d.events[i], &b = d.events[j];
      if (a.memory != b.memory || (!a.store && !b.store)) continue;
      std::size_t common = 0;
      while (common < a.binders.size() && common < b.binders.size() &&
             a.binders[common].range.var == b.binders[common].range.var)
        ++common;
      EventCopy other = copy(b, 0, terms);
      std::vector<Expr> same_so_far, goals;
      for (std::size_t k = 0; k < common; ++k) {
        Expr here = equal(a.binders[k].range.var, other.binders[k].range.var);
        if (a.binders[k].kind == BinderKind::instance) goals.push_back(implies(pool.all_of(same_so_far), here));
        same_so_far.push_back(here);
      }
      if (goals.empty()) continue;  // no parallel encloses both
      Obligation o =
          obligation(Side::kir, ObligationKind::kir_race_free, fmt::format("{}/race/{}", prefix, n++),
                     fmt::format("instances of one parallel never meet in {}{}", d.memories[a.memory].name, note), b.range);
      o.hypotheses = d.base;
      append(o.hypotheses, context(a.binders, a.guards));
      append(o.hypotheses, context(other.binders, other.guards));
      for (std::size_t k = 0; k < a.coordinates.size(); ++k)
        o.hypotheses.push_back(equal(a.coordinates[k], other.coordinates[k]));
      o.goal = pool.all_of(goals);
      ledger.add(std::move(o));
    }
}

void injective_views(const Kernel& kernel, const Denotation& d, TermPool& terms, const std::string& prefix, Ledger& ledger) {
  ExprPool& pool = terms.exprs();
  for (const MemoryClass& m : d.memories) {
    if (!m.written || m.shape.empty()) continue;
    const ViewParam& view = kernel.abi.views[m.views[0]];
    std::vector<Expr> hypotheses = d.base, a, b;
    Expr address_a = pool.constant(0), address_b = pool.constant(0);
    for (std::size_t k = 0; k < m.shape.size(); ++k) {
      for (auto* list : {&a, &b}) {
        Expr v = pool.fresh(fmt::format("{}_{}{}", m.name, k, list == &b ? "'" : ""));
        list->push_back(v);
        hypotheses.push_back(less_equal(pool.constant(0), v));
        hypotheses.push_back(less(v, m.shape[k]));
      }
      address_a = address_a + a[k] * m.strides[k];
      address_b = address_b + b[k] * m.strides[k];
    }
    std::string sentence = fmt::format("different coordinates of {} are different addresses", m.name);
    if (!view.explicit_strides) {
      // Row-major: the coordinates are read back from the address, one axis at a time.
      for (std::size_t k = 0; k < m.shape.size(); ++k) {
        bool last = k + 1 == m.shape.size();
        Obligation o = obligation(Side::kir, ObligationKind::view_injective,
                                  fmt::format("{}/view-injective/{}/{}", prefix, m.name, k), sentence, view.range);
        o.hypotheses = hypotheses;
        Expr tail = pool.constant(0);
        for (std::size_t j = k; j < m.shape.size(); ++j) tail = tail + a[j] * m.strides[j];
        o.goal = last ? equal(tail, a[k]) : equal(floordiv(tail, m.strides[k]), a[k]);
        ledger.add(std::move(o));
      }
      continue;
    }
    Obligation o = obligation(Side::kir, ObligationKind::view_injective, fmt::format("{}/view-injective/{}", prefix, m.name),
                              sentence, view.range);
    o.hypotheses = hypotheses;
    o.hypotheses.push_back(equal(address_a, address_b));
    std::vector<Expr> same;
    for (std::size_t k = 0; k < a.size(); ++k) same.push_back(equal(a[k], b[k]));
    o.goal = pool.all_of(same);
    ledger.add(std::move(o));
  }
}

// Values at which laws are tried: enough to refute false ones; never a proof.
std::vector<Scalar> samples(DType t) {
  std::vector<Scalar> out;
  if (is_float(t)) {
    for (const char* text : {"0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "-2.0", "inf", "-inf"})
      if (auto s = parse_literal(text, t)) out.push_back(*s);
  } else {
    for (std::int64_t v : {0, 1, -1, 2, 3, 5, -7, 100}) out.push_back(Scalar::of_int(t, v));
    int width = bit_width(t);
    if (width > 1) {
      out.push_back(Scalar::of_int(t, static_cast<std::int64_t>(std::uint64_t{1} << (width - 1))));
      out.push_back(Scalar::of_int(t, static_cast<std::int64_t>((std::uint64_t{1} << (width - 1)) - 1)));
    }
  }
  return out;
}

// The combine on concrete scalars; empty when it uses more than pointwise operations on its arguments and literals.
std::optional<Scalar> evaluate_term(Term t, const std::vector<std::pair<Term, Scalar>>& arguments, TermPool& terms) {
  for (const auto& [a, v] : arguments)
    if (a == t) return v;
  auto boolean = [&](Expr e) -> std::optional<bool> {
    EvalResult r = evaluate(e, [&](Expr l) -> std::optional<Integer> {
      Term x = terms.term_of_leaf(l);
      auto v = x ? evaluate_term(x, arguments, terms) : std::nullopt;
      if (!v) return std::nullopt;
      return v->type == DType::i1 ? Integer(v->as_bool()) : Integer(v->as_signed());
    });
    if (!r.ok()) return std::nullopt;
    return r.value != 0;
  };
  switch (t->kind) {
    case TermKind::literal: return t->literal;
    case TermKind::pointwise: {
      std::vector<Scalar> kids;
      for (Term k : t->kids) {
        auto v = evaluate_term(k, arguments, terms);
        if (!v) return std::nullopt;
        kids.push_back(*v);
      }
      ScalarResult r = evaluate_pointwise(t->op, kids);
      return r.ok() ? std::optional(r.value) : std::nullopt;
    }
    case TermKind::cmp: {
      auto a = evaluate_term(t->kids[0], arguments, terms), b = evaluate_term(t->kids[1], arguments, terms);
      return a && b ? std::optional(Scalar::of_bool(evaluate_cmp(static_cast<CmpPredicate>(t->mode), *a, *b))) : std::nullopt;
    }
    case TermKind::select: {
      auto c = boolean(t->exprs[0]);
      return c ? evaluate_term(t->kids[*c ? 0 : 1], arguments, terms) : std::nullopt;
    }
    case TermKind::boolean: {
      auto c = boolean(t->exprs[0]);
      return c ? std::optional(Scalar::of_bool(*c)) : std::nullopt;
    }
    case TermKind::convert: {
      auto a = evaluate_term(t->kids[0], arguments, terms);
      if (!a) return std::nullopt;
      ScalarResult r = evaluate_convert(static_cast<ConvertMode>(t->mode), *a, t->type);
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

using Tuple = std::vector<Scalar>;

// The identity is neutral when each component is one operation of its own accumulator and element with a neutral literal.
bool neutral_by_component(const Combine& c, const Tuple& identity, const std::optional<Scalar>& init) {
  std::size_t k = c.results.size();
  if (c.arguments.size() != 2 * k || identity.size() != k) return false;
  for (std::size_t i = 0; i < k; ++i) {
    Combine one{{c.arguments[i], c.arguments[k + i]}, {c.results[i]}};
    std::optional<OpKind> op = simple_operation(one);
    if (!op || !is_neutral(*op, identity[i], k == 1 ? init : std::nullopt)) return false;
  }
  return true;
}

std::optional<Tuple> apply(const Combine& c, const Tuple& a, const Tuple& b, TermPool& terms) {
  std::vector<std::pair<Term, Scalar>> arguments;
  for (std::size_t i = 0; i < a.size(); ++i) arguments.emplace_back(c.arguments[i], a[i]);
  for (std::size_t i = 0; i < b.size(); ++i) arguments.emplace_back(c.arguments[a.size() + i], b[i]);
  Tuple out;
  for (Term r : c.results) {
    auto v = evaluate_term(r, arguments, terms);
    if (!v) return std::nullopt;
    out.push_back(*v);
  }
  return out;
}

std::string show(const Tuple& t) {
  std::string s;
  for (const Scalar& v : t) s += (s.empty() ? "" : ", ") + literal_text(v);
  return t.size() == 1 ? s : "(" + s + ")";
}

bool equal_values(const Tuple& a, const Tuple& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i]) && !(a[i].is_nan() && b[i].is_nan())) return false;
  return true;
}

void reduce_laws(const Kernel& kernel, const Denotation& d, TermPool& terms, const std::string& prefix, Ledger& ledger) {
  for (std::size_t i = 0; i < d.reduces.size(); ++i) {
    const ReduceNode& node = *d.reduces[i].first;
    SourceRange range = d.reduces[i].second;
    Order order = node.order;
    const RegionId region = kernel.body.op(kernel.body.value(ValueId(static_cast<std::uint32_t>(node.site))).op).regions[1];
    const ScalarList* identity = node.identity.empty() ? nullptr : &node.identity;
    bool assumed = node.identity_assumed;
    const Combine& combine = node.combine;
    std::vector<DType> types;
    for (Term a : combine.results) types.push_back(a->type);
    bool has_float = false;
    for (Term r : combine.results) has_float = has_float || terms.mentions(r, [](Term t) { return is_float(t->type); });
    std::optional<OpKind> simple = simple_operation(combine);

    std::vector<Tuple> points;
    for (std::size_t s = 0; s < samples(types[0]).size(); ++s) {
      Tuple t;
      for (std::size_t k = 0; k < types.size(); ++k) {
        auto all = samples(types[k]);
        t.push_back(all[(s * (2 * k + 1) + k) % all.size()]);
      }
      points.push_back(t);
    }

    std::optional<Scalar> init;
    if (node.init.size() == 1 && node.init[0]->kind == TermKind::literal) init = node.init[0]->literal;
    if (identity) {
      Obligation o = obligation(Side::kir, ObligationKind::combine_laws, fmt::format("{}/identity/{}", prefix, i),
                                fmt::format("the identity {} is neutral for the combine", show(*identity)), range);
      o.goal = terms.exprs().boolean(true);
      if (assumed) {
        ledger.assume("licence", fmt::format("identity assumed ({}) of the reduce at {}", show(*identity),
                                             kernel.source ? describe(*kernel.source, range) : "?"));
      } else {
        for (const Tuple& p : points) {
          // With an initial value only accumulators that can be reached count: those that start from it.
          Tuple acc = p;
          if (init && types.size() == 1)
            if (auto reached = apply(combine, {*init}, p, terms)) acc = *reached;
          for (bool left : {true, false}) {
            auto r = left ? apply(combine, *identity, acc, terms) : apply(combine, acc, *identity, terms);
            if (r && !equal_values(*r, acc) && !o.law)
              o.law =
                  LawWitness{left ? LawWitness::Law::neutral_left : LawWitness::Law::neutral_right, region, {*identity, acc}};
          }
        }
        if (o.law)
          o.preset = Obligation::Preset{Verdict::unknown, "the identity is not neutral, but no execution showed it"};
        else if (!neutral_by_component(combine, *identity, init))
          o.preset = Obligation::Preset{
              Verdict::unknown,
              "the identity of a combine of its own is not proven neutral; write `identity assumed (...)` to vouch for it"};
      }
      if (!assumed) ledger.add(std::move(o));
    }
    if (order == Order::strict) continue;
    bool proven = simple && is_associative(*simple, types[0]) && (order == Order::tree || is_commutative(*simple, types[0]));
    std::string sentence = fmt::format("the combine is associative{} as order({}) says",
                                       order == Order::any ? " and commutative" : "", name(order));
    if (!proven && has_float) {
      ledger.assume("licence",
                    fmt::format("order({}) of the reduce at {}: floating-point rounding of any such order is accepted",
                                name(order), kernel.source ? describe(*kernel.source, range) : "?"));
      continue;
    }
    Obligation o = obligation(Side::kir, ObligationKind::combine_laws, fmt::format("{}/laws/{}", prefix, i), sentence, range);
    o.goal = terms.exprs().boolean(true);
    if (!proven) {
      for (const Tuple& a : points)
        for (const Tuple& b : points) {
          if (order == Order::any) {
            auto x = apply(combine, a, b, terms), y = apply(combine, b, a, terms);
            if (x && y && !equal_values(*x, *y) && !o.law) o.law = LawWitness{LawWitness::Law::commutative, region, {a, b}};
          }
          for (const Tuple& c : points) {
            auto ab = apply(combine, a, b, terms), bc = apply(combine, b, c, terms);
            auto x = ab ? apply(combine, *ab, c, terms) : std::nullopt, y = bc ? apply(combine, a, *bc, terms) : std::nullopt;
            if (x && y && !equal_values(*x, *y) && !o.law) o.law = LawWitness{LawWitness::Law::associative, region, {a, b, c}};
          }
        }
      o.preset = Obligation::Preset{Verdict::unknown,
                                    o.law ? "the law does not hold, but no execution showed it"
                                          : "the laws of an exact combine of its own are not decided; use order(strict)"};
    }
    ledger.add(std::move(o));
  }
}

}  // namespace

void derive_kir(const Kernel& kernel, Ledger& ledger) {
  std::vector<AliasCase> cases = alias_cases(kernel.abi);
  if (cases.empty()) {
    Obligation o = obligation(Side::kir, ObligationKind::alias_case, kernel.id() + "/alias",
                              "the alias facts are split into cases", kernel.range);
    o.preset = Obligation::Preset{Verdict::unsupported, "more than 8 may_alias facts"};
    o.goal = ledger.pool->boolean(false);
    ledger.add(std::move(o));
    return;
  }
  for (Expr w : kernel.abi.where)
    ledger.assume("precondition", fmt::format("where {} (checked by the launcher)", to_string(w)));
  for (const AliasFact& f : kernel.abi.aliases)
    ledger.assume("precondition",
                  fmt::format("{} and {} are {} (checked by the launcher)", kernel.abi.views[f.a].name,
                              kernel.abi.views[f.b].name, f.kind == AliasKind::same ? "identical" : "disjoint or identical"));
  ledger.assume("precondition",
                "views not declared to alias do not overlap; extents and strides are not negative (checked by the launcher)");
  TermPool terms(*ledger.pool);
  for (const AliasCase& c : cases) {
    std::string prefix = kernel.id() + (c.text.empty() ? "" : "/" + c.text) + "/kir";
    Denotation d = denote(kernel, c, terms);
    std::string note = c.text.empty() ? "" : " (" + c.text + ")";
    add_claims(d.claims, d.base, d.base, Side::kir, {}, prefix, c.text, terms, ledger);
    races(d, terms, prefix, note, ledger);
    injective_views(kernel, d, terms, prefix, ledger);
    initialized_reads(d, Side::kir, prefix, terms, ledger);
    decided_uses(d, Side::kir, prefix, terms, ledger);
    decided_stores(d, prefix, terms, ledger);
    if (&c == &cases.front()) reduce_laws(kernel, d, terms, prefix, ledger);
  }
  for (std::uint32_t i = 0; i < kernel.body.op_count(); ++i) {
    OpKind k = kernel.body.op(OpId(i)).kind;
    if (int ulp = row(k).accuracy.max_ulp)
      ledger.assume("accuracy",
                    fmt::format("{}: a provider may be off by {} ulp from the correctly rounded value", row(k).name, ulp));
  }
}

}  // namespace kir::proof
