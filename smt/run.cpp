#include "smt/run.h"

#include <map>

#include "smt/launches.h"

namespace kir::smt {
namespace {

// Obligations of another ledger, in the pool of this one.
void adopt(proof::Ledger& ledger, const proof::Ledger& extra) {
  for (const proof::Obligation& theirs : extra.obligations) {
    proof::Obligation o = theirs;
    std::map<Expr, Expr> renamed;
    auto leaf = [&](Expr l) -> Expr {
      if (!l.is(ExprKind::variable) || &l.pool() == ledger.pool.get()) return {};
      auto [it, fresh] = renamed.emplace(l, Expr());
      if (fresh) it->second = ledger.pool->fresh(l.name(), l.sort());
      return it->second;
    };
    for (Expr& h : o.hypotheses) h = ledger.pool->import(h, leaf);
    if (o.goal.node() != nullptr) o.goal = ledger.pool->import(o.goal, leaf);
    o.side = proof::Side::lowering;
    ledger.add(std::move(o));
  }
  for (const proof::Assumption& a : extra.assumptions) ledger.assume(a.category, a.text);
}

}  // namespace

Outcome run(const Kernel& kernel, const PhysicalProgram* program, const proof::Ledger* extra, const RunOptions& options) {
  proof::Ledger ledger;
  proof::derive_kir(kernel, ledger);
  if (program != nullptr) proof::derive_refinement(kernel, *program, options.derive, ledger);
  if (extra != nullptr) adopt(ledger, *extra);
  return judge(kernel, program, std::move(ledger), options);
}

}  // namespace kir::smt
