#include "tools/mutants/mutants.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "core/text/text.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/program_mutator.h"

namespace kir::mutants {
namespace {

class KernelMutator : public Mutator {
 public:
  explicit KernelMutator(const Kernel& k) : Mutator({k.body, k.abi, *k.pool, {}, k.source, k.root}), k_(k) {}

  std::vector<Mutant> run() {
    parameters();
    operations();
    text();
    return std::move(out_);
  }

 private:
  Mutant copy(const lowering::Edit& edit) const override { return of(lowering::copy_with(k_, edit)); }
  Mutant copy_abi(const std::function<void(Abi&, ExprPool&)>& change) const override {
    auto made = std::make_shared<Kernel>(*lowering::copy_with(k_, [](OpId, lowering::OpEdit&) {}));
    change(made->abi, *made->pool);
    return of(std::move(made));
  }
  std::string print() const override { return "kir 1\n\n" + kir::print(k_); }
  std::optional<Mutant> read(std::string text) const override {
    Diagnostics problems;
    auto module = parse_kir(std::make_shared<const SourceFile>(k_.name + ".kir", std::move(text)), problems);
    if (!module) return std::nullopt;
    KIR_CHECK(module->kernels.size() == 1, "the text of one kernel");
    return of(module->kernels[0]);
  }
  std::string value_text(const std::string& name) const override { return name; }
  std::string definition_text(const std::string& name) const override { return "let " + name; }
  Form form() const override { return Form::kir; }

  static Mutant of(KernelPtr kernel) {
    Mutant m;
    m.kernel = std::move(kernel);
    return m;
  }

  const Kernel& k_;
};

}  // namespace

std::vector<Mutant> ProgramMutator::run() {
  missing_parts();
  parameters();
  definitions();
  for (std::size_t g = 0; g < p_.segments.size(); ++g) segment(g);
  launch();
  for (std::size_t a = 0; a < p_.arms.size(); ++a) arm(a);
  operations();
  text();
  return std::move(out_);
}

Mutant ProgramMutator::copy(const lowering::Edit& edit) const {
  Mutant m;
  m.program = lowering::copy_with(p_, edit);
  return m;
}

PhysicalPtr ProgramMutator::changed(const Change& change) const {
  auto made = std::make_shared<PhysicalProgram>(*lowering::copy_with(p_, [](OpId, lowering::OpEdit&) {}));
  change(*made);
  return made;
}

Mutant ProgramMutator::copy_abi(const std::function<void(Abi&, ExprPool&)>& change) const {
  Mutant m;
  m.program = changed([&](PhysicalProgram& p) { change(p.abi, *p.pool); });
  return m;
}

std::string ProgramMutator::print() const { return kir::print(p_); }

std::optional<Mutant> ProgramMutator::read(std::string text) const {
  Diagnostics problems;
  Mutant m;
  m.program = parse_pir(std::make_shared<const SourceFile>(p_.name + ".pir", std::move(text)), problems);
  return m.program ? std::optional(std::move(m)) : std::nullopt;
}

void ProgramMutator::add(const Damage& d, std::string where, const Change& change) {
  Mutant m;
  m.program = changed(change);
  keep(d, {}, std::move(where), std::move(m));
}

void Mutator::operations() {
  for (std::uint32_t i = 0; i < b_.op_count(); ++i) op(OpId(i));
}

void Mutator::keep(const Damage& d, OpId id, std::string where, Mutant m) {
  m.form = form();
  m.damage = d;
  m.op = id;
  m.place = std::move(where);
  out_.push_back(std::move(m));
}

void Mutator::add(const Damage& d, OpId id, const OpChange& change) {
  keep(d, id, place(id), copy([&](OpId at, lowering::OpEdit& e) {
         if (at == id) change(e);
       }));
}

void Mutator::add_abi(const Damage& d, std::string where, const std::function<void(Abi&, ExprPool&)>& change) {
  keep(d, {}, std::move(where), copy_abi(change));
  out_.back().abi = true;
}

std::string Mutator::place(OpId id) const {
  const Op& o = b_.op(id);
  std::string what(row(o.kind).name);
  if (!o.results.empty() && !b_.value(o.results[0]).name.empty()) what += " " + value_text(b_.value(o.results[0]).name);
  if (source_ && o.range.begin != o.range.end) what += " at " + describe(*source_, o.range);
  return what;
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
  return made ? b_.op(made).kind == OpKind::buffer : std::ranges::find(workspace_, view) != workspace_.end();
}

bool Mutator::is_used(const Op& o) const {
  const auto uses = [&](Expr e) {
    return mentions(
        e, [&](Expr l) { return l.is(ExprKind::value) && std::ranges::find(o.results, l.value()) != o.results.end(); });
  };
  for (std::uint32_t i = 0; i < b_.op_count(); ++i) {
    const Op& other = b_.op(OpId(i));
    for (ValueId v : other.operands)
      if (std::ranges::find(o.results, v) != o.results.end()) return true;
    for (const auto& [key, attr] : other.attrs.all()) {
      if (const Expr* e = std::get_if<Expr>(&attr); e && uses(*e)) return true;
      if (const ExprList* list = std::get_if<ExprList>(&attr); list && std::ranges::any_of(*list, uses)) return true;
    }
  }
  return false;
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
  std::set<RegionId> around{root_};
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

std::string_view name(Form f) { return f == Form::physical ? "physical" : "kir"; }

std::vector<Mutant> mutants_of(const PhysicalProgram& program) { return ProgramMutator(program).run(); }
std::vector<Mutant> mutants_of(const Kernel& kernel) { return KernelMutator(kernel).run(); }

std::span<const Damage> damages() { return damage::kAll; }

std::vector<std::string_view> families() {
  std::vector<std::string_view> out;
  for (const Damage& d : damage::kAll)
    if (std::ranges::find(out, d.family) == out.end()) out.push_back(d.family);
  return out;
}

}  // namespace kir::mutants
