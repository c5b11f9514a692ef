// What the launch of a program owes: R1, R2, R4, R9 and R10 of derive_refinement.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "proof/layout_claims.h"
#include "proof/refinement.h"

namespace kir::proof {

// R1
bool Refinement::abi_agrees() {
  const Abi &k = kernel_.abi, &p = program_.abi;
  bool ok = true;
  auto refuse = [&](std::string reason, SourceRange range) {
    preset(ObligationKind::effect_paired, Verdict::unsupported, "the program's ABI is the kernel's", std::move(reason), range);
    ok = false;
  };
  std::vector<Expr> base = launch_preconditions(k, alias_, true, pool_);
  auto shape_equal = [&](const char* what, const std::string& view, Expr a, Expr b, SourceRange range) {
    Expr x = pool_.import(a, {}), y = pool_.import(b, {});
    if (!(x == y))
      add(ObligationKind::precondition_implied, fmt::format("{} of {} is the kernel's", what, view), base, equal(x, y), range);
  };
  for (const SymbolInfo& s : p.symbols)
    if (!k.find_symbol(s.name))
      refuse(fmt::format("dims {} is no symbol of the kernel (symbols are matched by name)", s.name), s.range);
  for (const SymbolInfo& s : k.symbols)
    if (!p.find_symbol(s.name)) refuse(fmt::format("the kernel's symbol {} is missing in dims", s.name), {});
  for (const ScalarParam& s : p.scalars) {
    auto it = std::find_if(k.scalars.begin(), k.scalars.end(), [&](const ScalarParam& x) { return x.name == s.name; });
    if (it == k.scalars.end() || it->dtype != s.dtype) refuse(fmt::format("scalar {} is not the kernel's", s.name), s.range);
  }
  for (const ScalarParam& s : k.scalars)
    if (std::none_of(p.scalars.begin(), p.scalars.end(), [&](const ScalarParam& x) { return x.name == s.name; }))
      refuse(fmt::format("the kernel's scalar {} is missing", s.name), {});
  for (const Definition& d : program_.definitions)
    if (k.find_symbol(d.name)) refuse(fmt::format("definition {} hides a symbol of the kernel", d.name), d.range);
  for (const ViewParam& v : k.views)
    if (std::none_of(p.views.begin(), p.views.end(), [&](const ViewParam& x) { return x.name == v.name; }))
      refuse(fmt::format("the kernel's view {} is missing", v.name), {});
  for (const ViewParam& v : p.views) {
    auto it = std::find_if(k.views.begin(), k.views.end(), [&](const ViewParam& x) { return x.name == v.name; });
    if (it == k.views.end()) {
      refuse(fmt::format("view {} is not of the kernel", v.name), v.range);
      continue;
    }
    if (it->dtype != v.dtype || it->rank() != v.rank() || it->access != v.access) {
      refuse(fmt::format("view {} differs from the kernel's in element type, rank or access", v.name), v.range);
      continue;
    }
    for (std::size_t i = 0; i < v.rank(); ++i) {
      shape_equal("the extent", v.name, it->shape[i], v.shape[i], v.range);
      shape_equal("the stride", v.name, it->strides[i], v.strides[i], v.range);
    }
  }
  // Facts on aliasing that the program states are claims: each must be one that the kernel states.
  for (const AliasFact& f : p.aliases) {
    auto is = [&](const AliasFact& g) {
      auto same_pair = (k.views[g.a].name == p.views[f.a].name && k.views[g.b].name == p.views[f.b].name) ||
                       (k.views[g.a].name == p.views[f.b].name && k.views[g.b].name == p.views[f.a].name);
      return same_pair && (g.kind == f.kind || f.kind == AliasKind::may_alias);
    };
    if (std::none_of(k.aliases.begin(), k.aliases.end(), is))
      refuse("the program states an alias fact that the kernel does not", f.range);
  }
  // And a pair that may alias in the kernel must be said to in the program, since its launcher refuses overlap otherwise.
  for (const AliasFact& g : k.aliases) {
    auto is = [&](const AliasFact& f) {
      return (k.views[g.a].name == p.views[f.a].name && k.views[g.b].name == p.views[f.b].name) ||
             (k.views[g.a].name == p.views[f.b].name && k.views[g.b].name == p.views[f.a].name);
    };
    if (std::none_of(p.aliases.begin(), p.aliases.end(), is)) refuse("the program lacks an alias fact of the kernel", {});
  }
  return ok;
}

// R2
void Refinement::restrictions() {
  std::vector<Expr> base = launch_preconditions(kernel_.abi, alias_, true, pool_);
  auto demand = [&](std::string what, Expr e, SourceRange range) {
    if (options_.allow_restrictions) {
      ledger_.assume("restriction", fmt::format("RESTRICTED: {} (the launcher refuses the rest)", what));
      physical_.base.push_back(e);
      physical_.equations.push_back(e);
    } else {
      add(ObligationKind::precondition_implied, fmt::format("the program's demand `{}` follows from the kernel", what), base, e,
          range);
    }
  };
  for (const SymbolInfo& s : program_.abi.symbols) {
    Expr x = pool_.symbol(s.name);
    if (s.lo && !s.lo.is_constant(INT64_MIN))
      demand(fmt::format("{} >= {}", s.name, to_string(s.lo)), less_equal(pool_.import(s.lo, {}), x), s.range);
    if (s.hi && !s.hi.is_constant(INT64_MAX))
      demand(fmt::format("{} <= {}", s.name, to_string(s.hi)), less_equal(x, pool_.import(s.hi, {})), s.range);
  }
  for (std::size_t i = 0; i < program_.abi.where.size(); ++i) {
    SourceRange range = i < program_.abi.where_ranges.size() ? program_.abi.where_ranges[i] : SourceRange{};
    demand(to_string(program_.abi.where[i]), pool_.import(program_.abi.where[i], {}), range);
  }
  // A data precondition is one that the kernel states, or weaker.
  for (const DataFact& f : program_.abi.data) {
    std::vector<Expr> ways;
    for (const DataFact& k : kernel_.abi.data)
      if (k.kind == f.kind && kernel_.abi.views[k.view].name == program_.abi.views[f.view].name)
        ways.push_back(f.kind != DataFactKind::in_range ? pool_.boolean(true)
                                                        : both(less_equal(pool_.import(f.lo, {}), pool_.import(k.lo, {})),
                                                               less_equal(pool_.import(k.hi, {}), pool_.import(f.hi, {}))));
    add(ObligationKind::precondition_implied,
        fmt::format("the program's demand `{}` is one of the kernel's", data_text(program_.abi, f)), base, pool_.any_of(ways),
        f.range);
  }
  for (const ViewParam& v : program_.abi.views)
    for (const ViewParam& w : kernel_.abi.views) {
      if (v.name != w.name) continue;
      std::int64_t natural = byte_size(v.dtype), want = v.align ? v.align : natural, have = w.align ? w.align : natural;
      if (want <= have) continue;
      if (options_.allow_restrictions)
        ledger_.assume("restriction",
                       fmt::format("RESTRICTED: {} is aligned to {} bytes (the launcher refuses the rest)", v.name, want));
      else
        preset(ObligationKind::alignment, Verdict::unsupported, fmt::format("{} is aligned to {} bytes", v.name, want),
               fmt::format("the kernel promises {} bytes; --allow-restrictions accepts it", have), v.range);
    }
  ledger_.assume("precondition", "each view spans less than 2^63 bytes (checked by the launcher)");
  ledger_.assume("provider", "a definition above 2^63-1 or a grid above 2^31-1 is refused by the launcher");
}

// R10: the limits of 64-bit definitions and of the grid are hypotheses of everything else, since the launcher refuses what
// lies beyond. So that they do not empty the proofs: a launch in which each effect of the KIR happens at most 2^30 times and
// its buffers have at most 2^30 elements is not refused, for the size of the workspace neither.
void Refinement::capacity() {
  const auto segments = static_cast<std::int64_t>(std::max<std::size_t>(program_.segments.size(), 1));
  Expr few = pool_.constant((std::int64_t{1} << 30) / segments);
  std::vector<Expr> small = physical_.equations;
  auto not_negative = [&](Expr e) { return max(pool_.constant(0), e); };
  // Of the extents those that are launch-visible; an empty one counts as one, so each product of some of them is bounded.
  auto bounded = [&](std::span<const Expr> extents) {
    std::vector<Expr> products{pool_.constant(1)};
    for (Expr e : extents) {
      if (mentions(e, [](Expr l) { return !l.is(ExprKind::symbol); }) || products.size() > 64) continue;
      for (std::size_t i = products.size(); i-- > 0;) products.push_back(products[i] * not_negative(e));
    }
    for (Expr p : products) small.push_back(less_equal(p, few));
  };
  for (const Event& e : kir_.events) {
    if (!e.store && e.atomic.empty()) continue;
    std::vector<Expr> extents;
    for (const Binder& b : e.binders) extents.push_back(b.range.lo.is_constant(0) ? b.range.hi : b.range.hi - b.range.lo);
    bounded(extents);
  }
  for (const MemoryClass& m : kir_.memories)
    if (m.is_buffer()) bounded(m.shape);
  for (const Definition& d : program_.definitions) {
    bool grid = d.name == program_.launch.grid;
    add(ObligationKind::resource_limit,
        fmt::format("{} stays within its limit where the KIR's effects are at most 2^30", d.name), small,
        less_equal(pool_.symbol(d.name), pool_.constant(grid ? INT32_MAX : INT64_MAX)), d.range);
  }
  const auto buffers = static_cast<std::int64_t>(std::max<std::size_t>(program_.workspace.size(), 1));
  for (ValueId v : program_.workspace) {
    const Value& buffer = program_.body.value(v);
    Expr elements = pool_.constant(1);
    for (Expr e : buffer.type.shape) elements = elements * not_negative(pool_.import(e, {}));
    add(ObligationKind::workspace_fits,
        fmt::format("{} has its place in the workspace where the KIR's effects and elements are at most 2^30", buffer.name),
        small, less_equal(elements, pool_.constant((std::int64_t{1} << 48) / buffers)), buffer.range);
  }
}

// R9: what core/layout refutes is refuted, with the two copies that meet; else the claim is owed as a formula.
void Refinement::layouts() {
  if (program_.launch.threads * program_.launch.pack > 1024 || program_.launch.threads < 1 || program_.launch.pack < 1)
    preset(ObligationKind::resource_limit, Verdict::unsupported, "a block fits the device", "threads * pack is above 1024", {});
  const layout::Axis thread = *layout::Axis::find("tid");
  for (const NamedLayout& l : program_.layouts) {
    const auto owe = [&](LayoutClaim claim, std::string_view what) {
      const LayoutQuestion q{.claim = claim, .layout = {l.layout, {}}, .other = {}, .box = {}};
      const std::string sentence = fmt::format("layout @{} {}", l.name, what);
      std::string why;
      if (const layout::Decision d = decide_by_arguments(q); d.outcome == layout::Outcome::refuted)
        preset(kind_of(claim), Verdict::refuted, sentence, d.why, {});
      else if (std::optional<LayoutFormula> f = formula_of(q, pool_, &why))
        add(kind_of(claim), sentence, std::move(f->obligation.hypotheses), f->obligation.goal, {});
      else
        preset(kind_of(claim), Verdict::unsupported, sentence, why, {});
    };
    owe(LayoutClaim::exclusive, "gives each element a register of its own in a thread of the program");
    if (!l.layout.replica().empty())
      owe(LayoutClaim::replica_consistent, "has each copy of an element in a register of its own");
    if (const layout::TileLayout::Reach r = l.layout.reach(thread); r.low < 0 || r.high >= program_.launch.threads)
      preset(ObligationKind::layout_injective, Verdict::refuted,
             fmt::format("layout @{} stays inside the program's threads", l.name),
             fmt::format("threads {} to {} of {}", r.low, r.high, program_.launch.threads), {});
    std::set<std::vector<std::int64_t>> shapes;
    for (std::size_t v = 0; v < program_.body.value_count(); ++v) {
      const Value& value = program_.body.value(ValueId(static_cast<std::uint32_t>(v)));
      if (!value.type.is(TypeKind::fragment) || value.type.layout != l.name) continue;
      std::vector<std::int64_t> shape;
      for (Expr e : value.type.shape) shape.push_back(e.number());
      if (!shapes.insert(shape).second) continue;
      Expr elements = pool_.constant(1);
      for (std::int64_t e : shape) elements = elements * e;
      add(ObligationKind::layout_admissible,
          fmt::format("layout @{} has a position for each element of a fragment <{}>", l.name, fmt::join(shape, ", ")), {},
          equal(elements, pool_.constant(l.layout.size().constant().value())), value.range);
    }
  }
}

// R4
void Refinement::segments() {
  Interval ids{physical_.work, pool_.constant(0), pool_.symbol(program_.launch.grid) * program_.launch.pack};
  std::vector<Expr> at = physical_.base;
  at.push_back(less_equal(ids.lo, ids.var));
  at.push_back(less(ids.var, ids.hi));
  auto guard = [&](const DispatchArm& arm) {
    return pool_.import(arm.guard, [&](Expr l) { return l.is(ExprKind::value) ? physical_.work : Expr(); });
  };
  for (std::size_t i = 0; i < program_.arms.size(); ++i) {
    const DispatchArm& arm = program_.arms[i];
    const Group& group = program_.groups[arm.group];
    for (std::size_t j = i + 1; j < program_.arms.size(); ++j)
      add(ObligationKind::segment_partition,
          fmt::format("a program id belongs to at most one of {} and {}", group.name,
                      program_.groups[program_.arms[j].group].name),
          at, negation(both(guard(arm), guard(program_.arms[j]))), program_.arms[j].range);
    for (const Segment& s : program_.segments) {
      if (s.group != group.name) continue;
      Expr inside = both(less_equal(pool_.symbol(s.offset), physical_.work),
                         less(physical_.work, pool_.symbol(s.offset) + pool_.symbol(s.length)));
      add(ObligationKind::segment_partition,
          fmt::format("{} runs exactly for the ids of its segment; padding ids run nothing", group.name), at,
          equal(guard(arm), inside), arm.range);
    }
  }
}

}  // namespace kir::proof
