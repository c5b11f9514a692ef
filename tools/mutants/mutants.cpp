#include "tools/mutants/mutants.h"

#include <fmt/format.h>

#include "core/ir/op_table.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

std::vector<Mutant> Mutator::run() {
  abi();
  launch();
  dispatch();
  for (std::uint32_t i = 0; i < b_.op_count(); ++i) op(OpId(i));
  text();
  return std::move(out_);
}

std::string Mutator::place(OpId id) const {
  const Op& o = b_.op(id);
  std::string what(row(o.kind).name);
  if (!o.results.empty() && !b_.value(o.results[0]).name.empty()) what += " %" + b_.value(o.results[0]).name;
  if (p_.source && o.range.begin != o.range.end) what += " at " + describe(*p_.source, o.range);
  return what;
}

void Mutator::add(const Damage& d, OpId id, const OpChange& change) {
  PhysicalPtr made = lowering::copy_with(p_, [&](OpId at, lowering::OpEdit& e) {
    if (at == id) change(e);
  });
  out_.push_back({d.name, d.checks, place(id), std::move(made)});
}

void Mutator::add(const Damage& d, std::string where, const std::function<void(PhysicalProgram&)>& change) {
  auto made = std::make_shared<PhysicalProgram>(*lowering::copy_without(p_, [](OpId) { return true; }));
  change(*made);
  out_.push_back({d.name, d.checks, std::move(where), std::move(made)});
}

bool Mutator::inside_segments(OpId id) const {
  while (id) {
    if (row(b_.op(id).kind).family == Family::region) return true;
    id = b_.region(b_.op(id).parent).parent;
  }
  return false;
}

bool Mutator::is_buffer(ValueId view) const {
  const OpId made = b_.value(view).op;
  return made ? b_.op(made).kind == OpKind::buffer : std::ranges::find(p_.workspace, view) != p_.workspace.end();
}

std::optional<ValueId> Mutator::visible_before(OpId id, const Type& type, ValueId not_this) const {
  for (OpId at = id; at;) {
    const Region& r = b_.region(b_.op(at).parent);
    std::size_t n = 0;
    while (r.ops[n] != at) ++n;
    while (n-- > 0)
      for (ValueId v : b_.op(r.ops[n]).results)
        if (v != not_this && b_.type(v) == type) return v;
    for (ValueId v : r.args)
      if (v != not_this && b_.type(v) == type) return v;
    at = r.parent;
  }
  return std::nullopt;
}

std::optional<ValueId> Mutator::invisible_before(OpId id, const Type& type) const {
  std::set<RegionId> around{p_.root};
  for (RegionId r = b_.op(id).parent;;) {
    around.insert(r);
    const OpId owner = b_.region(r).parent;
    if (!owner) break;
    r = b_.op(owner).parent;
  }
  for (std::uint32_t i = 0; i < id.index; ++i) {
    const Op& o = b_.op(OpId(i));
    if (!around.contains(o.parent))
      for (ValueId v : o.results)
        if (b_.type(v) == type) return v;
  }
  return std::nullopt;
}

std::vector<Mutant> mutants_of(const PhysicalProgram& program) { return Mutator(program).run(); }

std::span<const Damage> damages() { return damage::kAll; }

}  // namespace kir::mutants
