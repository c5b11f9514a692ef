// Host plans: their text, read and printed.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/verify.h"
#include "core/kir/plan.h"
#include "core/text/body_printer.h"
#include "core/text/kir_parser.h"
#include "core/text/text.h"

namespace kir::text {

struct KirParser::PlanDraft {
  std::shared_ptr<Plan> plan = std::make_shared<Plan>();
  std::vector<ValueId> temporaries;  // what their names are bound to
};

void KirParser::plan_declaration(Module& module) {
  const std::uint32_t begin = tok_.begin;
  advance();
  start_unit();
  const Token name = plain_name("the plan's name");
  parameters();
  PlanDraft draft;
  Plan& plan = *draft.plan;
  plan.name = names_.text(name.name);
  plan.range = {begin, name.range().end};
  expect(Tok::lbrace, "before the plan's launches");
  while (!at(Tok::rbrace) && !at(Tok::end) && !at_declaration()) {
    const std::uint32_t step = tok_.begin;
    try {
      plan_step(draft, module);
    } catch (const Recover&) {
      if (tok_.begin == step) advance();
      while (!at(Word::alloc) && !at(Word::launch) && !at(Tok::rbrace) && !at(Tok::end) && !at_declaration()) advance();
    }
  }
  expect(Tok::rbrace, "after the plan's launches");
  plan.abi = std::move(abi_);
  for (ViewParam& v : plan.abi.views) v.value = {};
  for (ScalarParam& s : plan.abi.scalars) s.value = {};
  plan.pool = pool_;
  plan.source = source_;
  if (failed_) return;
  Diagnostics found(1000);
  verify(plan, found);
  for (const Diagnostic& d : found.all())
    if (d.severity == Severity::error) report(d.id.c_str(), d.range, d.message, d.hint, d.operation);
  if (failed_) return;
  if (!kernel_ids_.insert(plan.name).second || kernel_names_.contains(name.name))
    fail("T-02", name.range(), fmt::format("there is a kernel or plan '{}' already", plan.name));
  module.plans.push_back(std::move(draft.plan));
}

void KirParser::plan_step(PlanDraft& draft, const Module& module) {
  if (draft.plan->temporaries.size() > Plan::kMaxSteps || draft.plan->launches.size() > Plan::kMaxSteps)
    fail("P-05", tok_.range(), fmt::format("a plan has at most {} temporaries and launches", Plan::kMaxSteps));
  const std::uint32_t begin = tok_.begin;
  if (accept(Word::alloc)) {
    const Token name = plain_name("the temporary's name");
    try {
      expect(Tok::colon, "and a type after the temporary's name");
      const DType t = dtype("of the temporary");
      std::vector<Expr> extents = shape();
      const ValueId v =
          builder_->add_argument(root_, Type::view(t, extents), std::string(names_.text(name.name)), name.range());
      bind(name, {.kind = BindingKind::value, .value = v});
      draft.temporaries.push_back(v);
      draft.plan->temporaries.push_back({std::string(names_.text(name.name)), t, std::move(extents), name.range()});
    } catch (const Recover&) {
      poison({LetName{.name = name.name, .range = name.range(), .type = std::nullopt}});
      throw;
    }
    return;
  }
  if (!accept(Word::launch))
    fail("P-03", tok_.range(), fmt::format("expected alloc, launch or '}}', found {}", found()),
         "alloc t: f32[N]    launch kernel(x = x, y = t)");
  const std::shared_ptr<const Kernel> kernel = launched_kernel(module);
  PlanLaunch launch{.kernel = kernel, .buffers = {}, .scalars = {}, .symbols = {}, .range = {}};
  launch.buffers.resize(kernel->abi.views.size());
  launch.scalars.resize(kernel->abi.scalars.size());
  launch.symbols.resize(kernel->abi.symbols.size());
  std::vector<bool> given(kernel->abi.params.size());
  expect(Tok::lparen, "before the arguments");
  comma_list(Tok::rparen, [&] { launch_argument(draft, launch, given); });
  expect(Tok::rparen, "after the arguments");
  launch.range = since(begin);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!given[i])
      fail("T-08", launch.range,
           fmt::format("'{}' of '{}' gets no argument", kernel->abi.name_of(kernel->abi.params[i]), kernel->id()));
  draft.plan->launches.push_back(std::move(launch));
}

// NAME [ "<" NAME "=" value, ... ">" ] of a kernel that stands before the plan.
std::shared_ptr<const Kernel> KirParser::launched_kernel(const Module& module) {
  const Token name = plain_name("a kernel");
  Kernel wanted;
  wanted.name = names_.text(name.name);
  for (const ConstexprChoice& c : constexpr_list()) {
    if (c.values.size() != 1)
      fail("P-03", c.name.range(), "a launch says one value for each constexpr", "launch k<T = f32>(...)");
    wanted.constexprs.push_back({std::string(names_.text(c.name.name)), c.values[0]});
  }
  const std::string id = wanted.id();
  std::string others;
  for (const auto& k : module.kernels) {
    if (k->id() == id) return k;
    if (k->name == wanted.name && others.size() < 200) others += (others.empty() ? "" : ", ") + k->id();
  }
  if (kernel_names_.contains(name.name) && others.empty()) {  // it stands there, with errors that are told
    failed_ = true;
    throw Recover{};
  }
  fail("T-01", since(name.begin), fmt::format("there is no kernel '{}' before this plan", id),
       others.empty() ? "" : fmt::format("there is {}", others));
}

// NAME "=" a view, a temporary, a data scalar, a literal or an integer, as the kernel's parameter wants; NAME alone is NAME =
// NAME.
void KirParser::launch_argument(PlanDraft& draft, PlanLaunch& launch, std::vector<bool>& given) {
  const Abi& abi = launch.kernel->abi;
  const Token name = plain_name("a parameter of the kernel");
  const std::string text(names_.text(name.name));
  std::size_t i = 0;
  while (i < abi.params.size() && abi.name_of(abi.params[i]) != text) ++i;
  if (i == abi.params.size()) fail("T-01", name.range(), fmt::format("'{}' has no parameter '{}'", launch.kernel->id(), text));
  if (given[i]) fail("T-02", name.range(), fmt::format("'{}' gets two arguments", text));
  if (!accept(Tok::assign)) {
    if (!at(Tok::comma) && !at(Tok::rparen)) expect(Tok::assign, "after the parameter's name");
    seek(name.begin);
  }
  const Abi::Param p = abi.params[i];
  const SourceRange range = tok_.range();
  switch (p.kind) {
    case Abi::ParamKind::view: launch.buffers[p.index] = buffer_argument(draft); break;
    case Abi::ParamKind::symbol: launch.symbols[p.index] = parse_index(); break;
    case Abi::ParamKind::scalar: {
      const NodeId e = expression();
      const Node n = syntax_.nodes[e];
      if (n.kind == NodeKind::literal) {
        launch.scalars[p.index] = literal_scalar(n, abi.scalars[p.index].dtype);
        break;
      }
      const Binding b = n.kind == NodeKind::name ? slot(n.name, false) : Binding{};
      if (b.kind == BindingKind::poison) throw Recover{};
      const auto s = std::find_if(abi_.scalars.begin(), abi_.scalars.end(),
                                  [&](const ScalarParam& s) { return b.kind == BindingKind::value && s.value == b.value; });
      if (s == abi_.scalars.end()) fail("T-03", range, fmt::format("'{}' takes a data scalar of the plan or a literal", text));
      launch.scalars[p.index] = static_cast<std::size_t>(s - abi_.scalars.begin());
      break;
    }
  }
  given[i] = true;
}

BufferRef KirParser::buffer_argument(const PlanDraft& draft) {
  const Token name = plain_name("a view of the plan or a temporary");
  const Binding b = slot(name.name, false);
  if (b.kind == BindingKind::poison) throw Recover{};
  if (b.kind == BindingKind::none) fail("T-01", name.range(), fmt::format("'{}' is not bound here", names_.text(name.name)));
  if (b.kind == BindingKind::value) {
    for (std::size_t i = 0; i < abi_.views.size(); ++i)
      if (abi_.views[i].value == b.value) return {false, i};
    for (std::size_t i = 0; i < draft.temporaries.size(); ++i)
      if (draft.temporaries[i] == b.value) return {true, i};
  }
  fail("T-03", name.range(), fmt::format("'{}' is neither a view of the plan nor a temporary", names_.text(name.name)));
}

}  // namespace kir::text

namespace kir {
namespace {

std::string text_of(const Plan& plan, const PlanLaunch& l) {
  const Abi& abi = l.kernel->abi;
  std::string out = fmt::format("launch {}(", l.kernel->id());
  for (std::size_t i = 0; i < abi.params.size(); ++i) {
    const Abi::Param& p = abi.params[i];
    out += fmt::format("{}{} = ", i ? ", " : "", abi.name_of(p));
    switch (p.kind) {
      case Abi::ParamKind::view: out += plan.name_of(l.buffers[p.index]); break;
      case Abi::ParamKind::symbol: out += to_string(l.symbols[p.index]); break;
      case Abi::ParamKind::scalar: {
        const std::size_t* from = std::get_if<std::size_t>(&l.scalars[p.index]);
        out += from ? plan.abi.scalars[*from].name : literal_text(std::get<Scalar>(l.scalars[p.index]));
        break;
      }
    }
  }
  return out + ")";
}

}  // namespace

std::string print(const Plan& plan) {
  static const Body kNone;
  const text::BodyPrinter printer(kNone, {}, false, false);
  std::string out = fmt::format("plan {}{}{{\n", plan.name, printer.head(plan.abi));
  for (const Temporary& t : plan.temporaries) {
    ViewParam as_view;
    as_view.dtype = t.dtype;
    as_view.shape = t.shape;
    out += fmt::format("  alloc {}: {}\n", t.name, printer.view_shape(as_view));
  }
  for (const PlanLaunch& l : plan.launches) out += fmt::format("  {}\n", text_of(plan, l));
  return out + "}\n";
}

}  // namespace kir
