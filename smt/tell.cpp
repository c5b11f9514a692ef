#include "smt/tell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/ir/op_table.h"

namespace kir::smt {
namespace {

using Role = Step::Role;

class Teller {
 public:
  Teller(const Kernel& kernel, const PhysicalProgram* program, const Minimised& m)
      : kernel_(kernel), program_(program), m_(m), trial_(m.trial) {}

  Counterexample tell() {
    Counterexample c;
    c.what = trial_.what;
    c.launch = m_.args;
    c.instances = trial_.instances;
    c.run = trial_.instances ? Counterexample::Run::instances
            : program_ != nullptr && trial_.what != Misbehaviour::kir_error && trial_.what != Misbehaviour::overlapping_view
                ? Counterexample::Run::both
                : Counterexample::Run::kernel;
    for (const SymbolInfo& s : kernel_.abi.symbols)
      if (auto it = m_.symbols.find(s.name); it != m_.symbols.end()) c.sizes.push_back({s.name, it->second});
    if (m_.args) {
      for (auto a = m_.args->views.begin(); a != m_.args->views.end(); ++a)
        for (auto b = std::next(a); b != m_.args->views.end(); ++b)
          if (a->second == b->second) c.same.emplace_back(a->first, b->first);
      c.telling = m_.telling;
    }
    if (trial_.error) {
      c.error = trial_.error->kind;
      error(c);
    } else if (trial_.what == Misbehaviour::different_output) {
      output(c);
    } else {
      c.telling.clear();
      c.finding = trial_.what == Misbehaviour::refused
                      ? "the program refuses a launch that the kernel accepts: " + trial_.reason
                      : trial_.reason;
    }
    return c;
  }

 private:
  bool physical() const { return trial_.what == Misbehaviour::physical_error; }

  // The execution again, of the kernel or the program, following an element.
  std::optional<RuntimeError> run_again(bool program, Watch& watch) const {
    const InterpretOptions options{.max_steps = trial_.steps + 1, .watch = &watch};
    if (const auto& i = trial_.instances)
      return program ? interpret_instances(*program_, i->launch, i->programs, i->focus, options).error
                     : interpret_instances(kernel_, i->launch, i->focus, options).error;
    LaunchArgs args = deep_copy(*m_.args);
    Diagnostics none;
    const auto bound = bind_launch(program ? program_->abi : kernel_.abi, args, none);
    if (!bound) return {};
    return program ? interpret(*program_, *bound, options).error : interpret(kernel_, *bound, options).error;
  }

  Step step(Role role, bool program, const RuntimeEvent& e, SourceRange range) const {
    const Body& body = program ? program_->body : kernel_.body;
    Step s;
    s.role = role;
    s.program = e.program;
    s.element = e.element;
    s.variables = e.variables;
    s.what = e.access;
    if (e.op) {
      const Op& op = body.op(e.op);
      if (s.what.empty()) s.what = row(op.kind).name;
      range = op.range;
      if (program) s.group = group_of(op);
      if (program && e.element) s.thread = thread_of(op, *e.element);
    }
    const bool own_text = !program || (program_->source && program_->source != kernel_.source);
    if (!range.empty() && own_text) s.places.push_back({program ? proof::Side::physical : proof::Side::kir, range});
    if (!program || !e.op) return s;
    if (const OpId origin = body.op(e.op).origin;
        origin && program_->origin_kernel == kernel_.id() && origin.index < kernel_.body.op_count())
      s.places.push_back({proof::Side::kir, kernel_.body.op(origin).range});
    return s;
  }

  std::optional<std::int64_t> thread_of(const Op& op, std::int64_t element) const {
    for (const auto& values : {op.results, op.operands})
      for (ValueId v : values) {
        const auto layout = std::ranges::find(program_->layouts, program_->body.type(v).layout, &NamedLayout::name);
        if (layout == program_->layouts.end()) continue;
        const layout::TileLayout& l = layout->layout;
        const layout::Axis tid = *layout::Axis::find("tid");
        if (std::ranges::count(l.axes(), tid) != 0 && l.copies().is(1) && element < l.size().constant().value_or(0))
          return layout::base_place(l, element)[tid];
      }
    return {};
  }

  std::string group_of(const Op& op) const {
    if (program_->groups.size() < 2) return {};
    RegionId r = op.parent;
    while (r && program_->body.region(r).parent) r = program_->body.op(program_->body.region(r).parent).parent;
    for (const Group& g : program_->groups)
      if (g.region == r) return g.name;
    return {};
  }

  void error(Counterexample& c) const {
    RuntimeError e = *trial_.error;
    c.finding = e.what.empty() ? e.message : e.what;
    if (e.kind != RuntimeErrorKind::race || !e.element) {
      if (e.at.op || e.at.program || !e.range.empty()) c.steps.push_back(step(Role::at, physical(), e.at, e.range));
      return;
    }
    Watch watch{.element = *e.element};
    if (auto again = run_again(physical(), watch); again && again->earlier) e.earlier = again->earlier;
    Step second = step(Role::second, physical(), e.at, e.range);
    if (!e.earlier) {
      second.role = Role::at;
      c.steps.push_back(std::move(second));
      return;
    }
    Step first = step(Role::first, physical(), *e.earlier, {});
    c.finding = e.earlier->writes && e.at.writes ? "both write one element, and nothing orders them"
                : e.at.writes                    ? "the second writes the element that the first reads, and nothing orders them"
                              : "the second reads the element that the first writes, and nothing orders them";
    if (first.variables == second.variables && first.program == second.program && first.element == second.element)
      c.finding += fmt::format(" ({})", e.rival);
    c.steps.push_back(std::move(first));
    c.steps.push_back(std::move(second));
  }

  // Who gave an element the value that it has in the end.
  void writer(Counterexample& c, bool program, std::size_t view, const std::string& element) const {
    const Abi& abi = program ? program_->abi : kernel_.abi;
    const auto at = std::ranges::find(abi.views, kernel_.abi.views[view].name, &ViewParam::name);
    if (at == abi.views.end()) return;
    Watch watch{.element = {static_cast<std::size_t>(at - abi.views.begin()),
                            m_.args->views.at(at->name)->address(trial_.difference.coordinate)}};
    run_again(program, watch);
    const Role role = program ? Role::program : Role::kernel;
    const auto last = std::find_if(watch.events.rbegin(), watch.events.rend(), [](const RuntimeEvent& e) { return e.writes; });
    if (last == watch.events.rend()) {
      c.steps.push_back({.role = role, .what = "stores nothing to " + element});
      return;
    }
    Step s = step(role, program, *last, {});
    s.value = last->value;
    c.steps.push_back(std::move(s));
  }

  void output(Counterexample& c) const {
    const Comparison& d = trial_.difference;
    const std::string element = fmt::format("{}[{}]", trial_.view, fmt::join(d.coordinate, ", "));
    const auto view = std::ranges::find(kernel_.abi.views, trial_.view, &ViewParam::name) - kernel_.abi.views.begin();
    for (bool program : {false, true}) writer(c, program, static_cast<std::size_t>(view), element);
    c.finding = fmt::format("{} is {} in the end, but the kernel defines {}{}", element, d.got, d.wanted,
                            d.radius > 0 ? fmt::format(" (within {:g})", d.radius) : "");
  }

  const Kernel& kernel_;
  const PhysicalProgram* program_;
  const Minimised& m_;
  const Trial& trial_;
};

}  // namespace

Counterexample tell(const Kernel& kernel, const PhysicalProgram* program, const Minimised& m) {
  return Teller(kernel, program, m).tell();
}

}  // namespace kir::smt
