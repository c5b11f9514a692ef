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
#include "proof/data.h"
#include "proof/derive.h"
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
      // Atomics do not race with each other; the members of one update do not, but with those of another.
      const bool atomic = !a.atomic.empty() && !b.atomic.empty(), members = a.merging > 0 || b.merging > 0;
      if (atomic && !members) continue;
      std::size_t common = 0;
      while (common < a.binders.size() && common < b.binders.size() &&
             a.binders[common].range.var == b.binders[common].range.var)
        ++common;
      const bool one_update = members && a.merging == b.merging && common == a.binders.size() && common == b.binders.size();
      const std::size_t merging = one_update ? a.merging : 0;
      EventCopy other = copy(b, 0, terms);
      std::vector<Expr> same_so_far, goals;
      for (std::size_t k = 0; k < common; ++k) {
        Expr here = equal(a.binders[k].range.var, other.binders[k].range.var);
        if (a.binders[k].kind == BinderKind::instance && k + merging < a.binders.size())
          goals.push_back(implies(pool.all_of(same_so_far), here));
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
      for (std::size_t k = 0; k < std::min(a.allocation.size(), b.allocation.size()); ++k)
        o.hypotheses.push_back(equal(a.allocation[k], other.allocation[k]));
      o.goal = pool.all_of(goals);
      ledger.add(std::move(o));
    }
}

void injective_views(const Kernel& kernel, const Denotation& d, TermPool& terms, const std::string& prefix, Ledger& ledger) {
  ExprPool& pool = terms.exprs();
  for (const MemoryClass& m : d.memories) {
    if (!m.written || m.shape.empty() || m.is_buffer()) continue;
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

// It tells one NaN from another.
bool reads_bits(const Body& body, const Op& op) {
  auto is_data = [&](ValueId v) { return body.type(v).is(TypeKind::scalar) && is_float(body.type(v).dtype); };
  if (op.kind == OpKind::atomic_cas) return is_float(body.type(op.operands[0]).dtype);
  return op.kind == OpKind::convert && op.attrs.get<ConvertMode>(AttrKey::mode) == ConvertMode::bits && is_data(op.operands[0]);
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
  for (const DataFact& f : kernel.abi.data)
    ledger.assume("precondition", fmt::format("{} (checked by the launcher)", data_text(kernel.abi, f)));
  for (const AliasFact& f : kernel.abi.aliases)
    ledger.assume("precondition",
                  fmt::format("{} and {} are {} (checked by the launcher)", kernel.abi.views[f.a].name,
                              kernel.abi.views[f.b].name, f.kind == AliasKind::same ? "identical" : "disjoint or identical"));
  ledger.assume("precondition",
                "views not declared to alias do not overlap; extents and strides lie in [0, 2^63) (checked by the launcher)");
  TermPool terms(*ledger.pool);
  for (const AliasCase& c : cases) {
    const std::size_t first = ledger.obligations.size();
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
    know_data(first, d.data, terms, ledger);
    for (SourceRange range : d.vouched)
      ledger.assume("assume", fmt::format("assume_in_bounds at {}: the author's word, not proven",
                                          kernel.source ? place(*kernel.source, range) : "?"));
  }
  for (std::uint32_t i = 0; i < kernel.body.op_count(); ++i) {
    OpKind k = kernel.body.op(OpId(i)).kind;
    if (reads_bits(kernel.body, kernel.body.op(OpId(i))))
      ledger.assume("accuracy", fmt::format("{} at {}: which NaN an operation or a fold gives is left open", row(k).name,
                                            kernel.source ? place(*kernel.source, kernel.body.op(OpId(i)).range) : "?"));
    if (int ulp = row(k).accuracy.max_ulp)
      ledger.assume("accuracy",
                    fmt::format("{}: a provider may be off by {} ulp from the correctly rounded value", row(k).name, ulp));
  }
}

}  // namespace kir::proof
