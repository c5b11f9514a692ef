#include "proof/denote.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/ir/op_table.h"
#include "proof/data.h"
#include "proof/denote_body.h"

namespace kir::proof {
namespace {

constexpr std::size_t kMaxAliasChoices = 8;

// Marks the memory classes that some operation writes, following views to their source.
void mark_written(const Body& body, const Abi& abi, const AliasCase& alias, std::vector<MemoryClass>& memories) {
  for (std::uint32_t i = 0; i < body.op_count(); ++i) {
    const Op& op = body.op(OpId(i));
    if (!row(op.kind).effect) continue;
    for (ValueId v : op.operands) {
      if (!body.type(v).is(TypeKind::view)) continue;
      while (body.value(v).op && !body.op(body.value(v).op).operands.empty()) v = body.op(body.value(v).op).operands[0];
      for (std::size_t k = 0; k < abi.views.size(); ++k)
        if (abi.views[k].value == v) memories[alias.class_of[k]].written = true;
    }
  }
}

std::vector<MemoryClass> memory_classes(const Abi& abi, const AliasCase& alias, ExprPool& pool) {
  std::vector<MemoryClass> out;
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    const ViewParam& v = abi.views[i];
    std::size_t c = alias.class_of[i];
    if (c >= out.size()) out.resize(c + 1);
    MemoryClass& m = out[c];
    if (m.views.empty()) {
      m.name = v.name;
      m.dtype = v.dtype;
      for (Expr e : v.shape) m.shape.push_back(pool.import(e, {}));
      for (Expr e : v.strides) m.strides.push_back(pool.import(e, {}));
      m.readable_before_write = v.access != Access::out;
    } else if (v.access != Access::out) {
      m.readable_before_write = true;
    }
    m.views.push_back(i);
  }
  return out;
}

std::shared_ptr<const RelationValue> whole_view(const ViewParam& v, std::size_t memory, ExprPool& pool) {
  auto r = std::make_shared<RelationValue>();
  r->memory = memory;
  r->name = v.name;
  r->dtype = v.dtype;
  for (std::size_t i = 0; i < v.shape.size(); ++i) {
    Expr var = pool.fresh(fmt::format("{}_{}", v.name, i));
    r->vars.push_back({var, pool.constant(0), pool.import(v.shape[i], {})});
    r->coordinates.push_back(var);
  }
  return r;
}

void bind_parameters(BodyDenoter& d, const Abi& abi, const AliasCase& alias, TermPool& terms) {
  for (std::size_t i = 0; i < abi.views.size(); ++i)
    d.bind(abi.views[i].value,
           {SymbolicValue::Kind::relation, {}, nullptr, whole_view(abi.views[i], alias.class_of[i], terms.exprs())});
  for (const ScalarParam& s : abi.scalars) {
    Term t = terms.parameter(s.name, s.dtype);
    d.bind(s.value, s.dtype == DType::i1 ? SymbolicValue::of(terms.leaf_of(t)) : SymbolicValue::of(t));
  }
}

}  // namespace

Expr in_range(const Interval& i) { return both(less_equal(i.lo, i.var), less(i.var, i.hi)); }

std::vector<Expr> context(const std::vector<Binder>& binders, const std::vector<Expr>& guards) {
  std::vector<Expr> out;
  for (const Binder& b : binders) {
    out.push_back(less_equal(b.range.lo, b.range.var));
    out.push_back(less(b.range.var, b.range.hi));
  }
  out.insert(out.end(), guards.begin(), guards.end());
  return out;
}

std::vector<AliasCase> alias_cases(const Abi& abi) {
  std::vector<const AliasFact*> open;
  for (const AliasFact& f : abi.aliases)
    if (f.kind == AliasKind::may_alias) open.push_back(&f);
  if (open.size() > kMaxAliasChoices) return {};
  std::vector<AliasCase> out;
  std::set<std::vector<std::size_t>> seen;
  for (std::size_t choice = 0; choice < (std::size_t{1} << open.size()); ++choice) {
    std::vector<std::size_t> root(abi.views.size());
    for (std::size_t i = 0; i < root.size(); ++i) root[i] = i;
    auto find = [&](std::size_t i) {
      while (root[i] != i) i = root[i];
      return i;
    };
    auto join = [&](std::size_t a, std::size_t b) {
      a = find(a);
      b = find(b);
      root[std::max(a, b)] = std::min(a, b);
    };
    for (const AliasFact& f : abi.aliases)
      if (f.kind == AliasKind::same) join(f.a, f.b);
    AliasCase c;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!((choice >> i) & 1)) continue;
      join(open[i]->a, open[i]->b);
      c.text += fmt::format("{}{} and {} identical", c.text.empty() ? "" : ", ", abi.views[open[i]->a].name,
                            abi.views[open[i]->b].name);
    }
    std::vector<std::size_t> number(root.size(), SIZE_MAX);
    std::size_t next = 0;
    for (std::size_t i = 0; i < root.size(); ++i) {
      std::size_t r = find(i);
      if (number[r] == SIZE_MAX) number[r] = next++;
      c.class_of.push_back(number[r]);
    }
    if (seen.insert(c.class_of).second) out.push_back(std::move(c));
  }
  return out;
}

std::vector<Expr> launch_preconditions(const Abi& abi, const AliasCase& alias, bool with_where, ExprPool& pool) {
  std::vector<Expr> out;
  auto import = [&](Expr e) { return pool.import(e, {}); };
  std::set<std::string> nonnegative;
  auto is_extent = [&](Expr e) {
    if (e.is(ExprKind::constant)) return;
    if (e.is(ExprKind::symbol)) nonnegative.insert(e.name());
    out.push_back(less_equal(pool.constant(0), import(e)));
    if (!e.is(ExprKind::symbol)) out.push_back(less_equal(import(e), pool.constant(INT64_MAX)));
  };
  for (const ViewParam& v : abi.views) {
    for (Expr e : v.shape) is_extent(e);
    if (v.explicit_strides)
      for (Expr e : v.strides) is_extent(e);
  }
  for (const SymbolInfo& s : abi.symbols) {
    Expr x = pool.symbol(s.name);
    if (!nonnegative.contains(s.name)) out.push_back(less_equal(pool.constant(INT64_MIN), x));
    out.push_back(less_equal(x, pool.constant(INT64_MAX)));
  }
  // What the launcher evaluates has a value, or it refuses the launch.
  auto has_value = [&](Expr e) {
    for (Expr d : nonzero_divisors(import(e))) out.push_back(d);
  };
  for (const ViewParam& v : abi.views) {
    for (Expr e : v.shape) has_value(e);
    for (Expr e : v.strides) has_value(e);
  }
  if (with_where)
    for (Expr w : abi.where) {
      has_value(w);
      out.push_back(import(w));
    }
  for (const DataFact& f : abi.data)
    for (Expr bound : {f.lo, f.hi})
      if (bound) has_value(bound);
  std::map<std::size_t, std::size_t> first;
  for (std::size_t i = 0; i < abi.views.size(); ++i) {
    auto [it, fresh] = first.emplace(alias.class_of[i], i);
    if (fresh) continue;
    const ViewParam &a = abi.views[it->second], &b = abi.views[i];
    for (std::size_t k = 0; k < a.rank() && k < b.rank(); ++k) {
      out.push_back(equal(import(a.shape[k]), import(b.shape[k])));
      out.push_back(equal(import(a.strides[k]), import(b.strides[k])));
    }
  }
  std::vector<Expr> distinct;
  for (Expr e : out)
    if (std::find(distinct.begin(), distinct.end(), e) == distinct.end()) distinct.push_back(e);
  return distinct;
}

std::vector<Expr> size_preconditions(const Abi& abi, ExprPool& pool) {
  std::vector<Expr> out;
  for (const ViewParam& v : abi.views) {
    // Only when no extent is 0: an empty view has no last element.
    Expr last = pool.constant(1);
    std::vector<Expr> nonempty;
    for (std::size_t i = 0; i < v.rank(); ++i) {
      Expr extent = pool.import(v.shape[i], {});
      nonempty.push_back(less(pool.constant(0), extent));
      last = last + (extent - 1) * pool.import(v.strides[i], {});
    }
    out.push_back(implies(pool.all_of(nonempty), less_equal(last, pool.constant(INT64_MAX / byte_size(v.dtype)))));
  }
  return out;
}

Denotation denote(const Kernel& kernel, const AliasCase& alias, TermPool& terms) {
  Denotation out;
  out.memories = memory_classes(kernel.abi, alias, terms.exprs());
  out.base = launch_preconditions(kernel.abi, alias, true, terms.exprs());
  out.data = data_facts(kernel.abi, alias, terms);
  mark_written(kernel.body, kernel.abi, alias, out.memories);
  BodyDenoter d(kernel.body, nullptr, terms, out);
  bind_parameters(d, kernel.abi, alias, terms);
  d.declare_buffers();
  d.run_region(kernel.root);
  return out;
}

PhysicalDenotation denote(const PhysicalProgram& program, const Abi& kernel_abi, const AliasCase& alias, TermPool& terms) {
  ExprPool& pool = terms.exprs();
  PhysicalDenotation out;
  // The kernel's view order decides the classes; views are matched by name.
  AliasCase own;
  for (const ViewParam& v : program.abi.views) {
    std::size_t c = 0;
    for (std::size_t i = 0; i < kernel_abi.views.size(); ++i)
      if (kernel_abi.views[i].name == v.name) c = alias.class_of[i];
    own.class_of.push_back(c);
  }
  out.memories = memory_classes(kernel_abi, alias, pool);
  out.base = launch_preconditions(kernel_abi, alias, true, pool);
  out.equations = out.base;
  mark_written(program.body, program.abi, own, out.memories);

  auto import = [&](Expr e) { return pool.import(e, {}); };
  auto top_claim = [&](ObligationKind kind, std::string what, Expr goal, SourceRange range) {
    out.claims.push_back(
        {.kind = kind, .what = std::move(what), .binders = {}, .guards = {}, .goal = goal, .range = range, .preset = {}});
  };
  // What the launcher evaluates has a value: divisors are not zero.
  auto has_value = [&](Expr e, const std::string& what, SourceRange range) {
    std::vector<Expr> goals = e ? nonzero_divisors(import(e)) : std::vector<Expr>{};
    if (goals.empty()) return;
    top_claim(ObligationKind::launch_extent, fmt::format("no zero divisor in {}", what), pool.all_of(goals), range);
    out.claims.back().from_equations = true;
  };
  for (const ViewParam& v : program.abi.views)
    for (const auto* list : {&v.shape, &v.strides})
      for (Expr e : *list) has_value(e, fmt::format("the shape of {}", v.name), v.range);
  for (const SymbolInfo& s : program.abi.symbols)
    for (Expr e : {s.lo, s.hi}) has_value(e, fmt::format("the range of {}", s.name), s.range);
  for (Expr w : program.abi.where) has_value(w, to_string(w), {});
  for (const DataFact& f : program.abi.data)
    for (Expr bound : {f.lo, f.hi}) has_value(bound, fmt::format("a bound of {}", name(f.kind)), f.range);

  for (const Definition& d : program.definitions) {
    Expr name = pool.symbol(d.name), value = import(d.value);
    has_value(d.value, d.name, d.range);
    top_claim(ObligationKind::launch_extent, fmt::format("{} is never negative", d.name), less_equal(pool.constant(0), value),
              d.range);
    out.claims.back().from_equations = true;
    out.equations.push_back(equal(name, value));
    for (Expr known : {equal(name, value), less_equal(pool.constant(0), name), less_equal(name, pool.constant(INT64_MAX))})
      out.base.push_back(known);
  }
  Expr grid = pool.symbol(program.launch.grid);
  out.base.push_back(less_equal(grid, pool.constant(INT32_MAX)));

  // Segments: lengths, offsets.
  Expr running = pool.constant(0);
  for (const Segment& s : program.segments) {
    for (const auto* list : {&s.lo, &s.hi})
      for (Expr e : *list) has_value(e, fmt::format("the extents of {}", s.group), s.range);
    Expr product = pool.constant(1);
    for (std::size_t i = 0; i < s.axes.size(); ++i) {
      Expr lo = import(s.lo[i]), hi = import(s.hi[i]);
      product = product * (lo.is_constant(0) ? max(pool.constant(0), hi) : max(pool.constant(0), hi - lo));
    }
    top_claim(ObligationKind::launch_extent, fmt::format("{} is the number of members of {}", s.length, s.group),
              equal(pool.symbol(s.length), product), s.range);
    top_claim(ObligationKind::segment_partition, fmt::format("{} is the sum of the lengths before {}", s.offset, s.group),
              equal(pool.symbol(s.offset), running), s.range);
    running = running + pool.symbol(s.length);
  }
  top_claim(ObligationKind::launch_extent, "the grid holds every member of every segment",
            less_equal(running, grid * program.launch.pack), {});

  for (const Group& g : program.groups)
    for (const auto* list : {&g.lo, &g.hi})
      for (Expr e : *list) has_value(e, fmt::format("the ranges of {}", g.name), g.range);
  if (program.body.type(program.work).dtype == DType::i32)
    top_claim(ObligationKind::index_no_overflow, "every program id fits i32",
              less_equal(grid * program.launch.pack, pool.constant(std::int64_t{INT32_MAX} + 1)), {});

  out.work = pool.fresh(program.work_id.empty() ? "w" : program.work_id);
  BodyDenoter d(program.body, &program, terms, out);
  bind_parameters(d, program.abi, own, terms);
  d.declare_buffers();
  d.bind(program.work, SymbolicValue::of(out.work));
  Interval ids{out.work, pool.constant(0), grid * program.launch.pack};
  d.binders.push_back({ids, BinderKind::instance});
  d.path.push_back({0, out.work, false});

  std::vector<Expr> earlier;
  for (std::size_t a = 0; a < program.arms.size(); ++a) {
    const DispatchArm& arm = program.arms[a];
    const Group& group = program.groups[arm.group];
    Expr guard = d.translate(arm.guard);
    d.guards = earlier;
    d.index_claims(guard, DType::i64, fmt::format("the guard of {}", group.name), arm.range);
    d.guards.push_back(guard);
    for (std::size_t i = 0; i < arm.coordinates.size(); ++i) {
      ValueId arg = program.body.region(group.region).args[i];
      Expr c = d.translate(arm.coordinates[i]);
      d.index_claims(c, program.body.type(arg).dtype,
                     fmt::format("coordinate {} of {}", program.body.value(arg).name, group.name), arm.range);
      d.bind(arg, SymbolicValue::of(c));
      out.claims.push_back(
          {.kind = ObligationKind::decode_bijection,
           .what = fmt::format("coordinate {} of {} stays in its declared range", program.body.value(arg).name, group.name),
           .binders = d.binders,
           .guards = d.guards,
           .goal = both(less_equal(import(group.lo[i]), c), less(c, import(group.hi[i]))),
           .range = arm.range,
           .preset = {}});
    }
    d.path.push_back({static_cast<int>(a), {}, true});
    d.run_region(group.region);
    d.path.pop_back();
    earlier.push_back(negation(guard));
  }
  return out;
}

}  // namespace kir::proof
