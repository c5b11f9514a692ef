// Buffers: their memory classes, and the value of a load that stores tell. An initial value is a store to each element where
// the buffer stands.
//
// The load of element c sees, of each store, the last of its points that wrote c before, and of these the last. A proposal for
// that point is made (`last_point`) and what makes it right is owed:
//   last      whatever point of the store wrote c before the load, the proposed one did too, and is not before it
//   order     of two stores that both wrote c, the one that stands later in the text wrote later
//   written   some store did (initialization)
// The store's value at the point is known: it was evaluated before the load (buffers.h), and iterations that both share are
// those of the load. docs/validation.md has the proof.
#include <fmt/format.h>

#include "proof/buffers.h"
#include "proof/denote_body.h"
#include "proof/path.h"
#include "proof/solve.h"

namespace kir::proof {
namespace {

// A store at the point that a load is thought to see.
struct Seen {
  const Event* store;
  TermPool::Substitution point;
  Path path;
  Expr wrote;  // the point is one, active, and of the element
};

}  // namespace

void BodyDenoter::declare_buffers() {
  const std::span<const ValueId> workspace = physical_ ? std::span(physical_->workspace) : std::span<const ValueId>();
  for (const BufferSite& site : buffer_sites(body_, workspace)) {
    const Value& v = body_.value(site.view);
    buffers_.emplace(site.view, out_.memories.size());
    MemoryClass m;
    m.name = v.name.empty() ? "a buffer" : v.name;
    m.dtype = v.type.dtype;
    m.readable_before_write = false;
    m.written = true;
    m.told = site.told;
    out_.memories.push_back(std::move(m));
  }
  for (ValueId v : workspace) {
    auto shared = std::make_shared<RelationValue>();
    open_buffer(v, body_.type(v).shape, body_.value(v).range, *shared);
    bind(v, {SymbolicValue::Kind::relation, {}, nullptr, std::move(shared)});
  }
}

// The elements of a buffer, in the allocation that it is here.
void BodyDenoter::open_buffer(ValueId v, std::span<const Expr> extents, SourceRange range, RelationValue& out) {
  out.memory = buffers_.at(v);
  MemoryClass& memory = out_.memories[out.memory];
  out.name = memory.name;
  out.dtype = memory.dtype;
  for (const Binder& b : binders) out.allocation.push_back(b.range.var);
  memory.shape.clear();
  for (Expr e : extents) {
    const Expr extent = translate(e);
    decides(extent, range);
    check_index(extent, DType::i64, fmt::format("an extent of {}", out.name), range);
    const Expr var = pool_.fresh(fmt::format("{}_{}", out.name, out.vars.size()));
    out.vars.push_back({var, pool_.constant(0), extent});
    out.coordinates.push_back(var);
    memory.shape.push_back(extent);
  }
}

void BodyDenoter::run_buffer(const Op& op) {
  const ValueId result = op.results[0];
  auto made = std::make_shared<RelationValue>();
  open_buffer(result, op.attrs.get<ExprList>(AttrKey::extents), op.range, *made);
  Expr elements = pool_.constant(1);
  for (Expr extent : out_.memories[made->memory].shape)
    elements = elements * (extent.is(ExprKind::constant) && extent.number() >= 0 ? extent : max(pool_.constant(0), extent));
  if (const Expr* capacity = op.attrs.find<Expr>(AttrKey::capacity)) {
    Expr room = translate(*capacity);
    if (std::vector<Expr> goals = nonzero_divisors(room); !goals.empty())
      claim(ObligationKind::launch_extent, fmt::format("no zero divisor in the capacity of {}", made->name),
            pool_.all_of(goals), op.range);
    claim(ObligationKind::workspace_fits, fmt::format("the elements of {} fit its capacity", made->name),
          less_equal(elements, room), op.range);
  }
  if (!op.regions.empty()) {
    const std::vector<ValueId>& args = body_.region(op.regions[0]).args;
    const std::size_t depth = binders.size(), guard_depth = guards.size(), path_depth = path.size();
    std::vector<Expr> element;
    for (std::size_t i = 0; i < args.size(); ++i) {
      element.push_back(pool_.fresh(body_.value(args[i]).name));
      bind(args[i], SymbolicValue::of(element[i]));
      binders.push_back({{element[i], pool_.constant(0), made->vars[i].hi}, BinderKind::member});
      path.push_back({0, element[i], true});
    }
    ++in_value_region_;
    Term value = term_of(run_region(op.regions[0])[0]);
    --in_value_region_;
    guards.resize(guard_depth);
    Event event{.store = true,
                .memory = made->memory,
                .coordinates = std::move(element),
                .allocation = made->allocation,
                .binders = binders,
                .guards = guards,
                .path = path,
                .value = value,
                .range = op.range};
    if (physical_ && physical_->launch.threads > 1) event.thread = pool_.constant(0);
    out_.events.push_back(std::move(event));
    binders.resize(depth);
    path.resize(path_depth);
  }
  bind(result, {SymbolicValue::Kind::relation, {}, nullptr, std::move(made)});
}

Term BodyDenoter::contents(const RelationValue& r, std::vector<Expr> coordinates, const Event& load) {
  const MemoryClass& memory = out_.memories[r.memory];
  if (memory.told) return told(r, load);
  coordinates.insert(coordinates.begin(), r.allocation.begin(), r.allocation.end());
  return terms_.load(static_cast<std::int64_t>(r.memory), r.dtype, std::move(coordinates), memory.written ? path : Path{},
                     r.allocation.size());
}

Term BodyDenoter::told(const RelationValue& buffer, const Event& load) {
  const std::size_t life = buffer.allocation.size();
  auto shared = [&](const Event& s) {
    std::size_t n = life;
    while (n < s.binders.size() && n < load.binders.size() && s.binders[n].range.var == load.binders[n].range.var) ++n;
    return n;
  };
  auto known = [&](Expr g) { return std::find(load.guards.begin(), load.guards.end(), g) != load.guards.end(); };
  // Iterations that both share as they are; the others as the coordinates tell; what they do not tell, last.
  auto last_point = [&](const Event& s) {
    Seen seen{&s, {}, {}, {}};
    std::vector<Expr> unknowns, holds;
    for (std::size_t i = shared(s); i < s.binders.size(); ++i) unknowns.push_back(s.binders[i].range.var);
    std::vector<Equation> equations;
    for (std::size_t k = 0; k < s.coordinates.size(); ++k) equations.push_back({s.coordinates[k], load.coordinates[k]});
    Assignment at = solve(unknowns, equations, pool_);
    std::vector<std::pair<Expr, Expr>> ranges;
    for (std::size_t i = shared(s); i < s.binders.size(); ++i)
      ranges.emplace_back(s.binders[i].range.var, s.binders[i].range.lo);
    solve_ranges(ranges, at, pool_);
    for (std::size_t i = shared(s); i < s.binders.size(); ++i) {
      const Interval& b = s.binders[i].range;
      auto it = at.find(b.var.node());
      Expr lo = terms_.substitute(b.lo, seen.point), hi = terms_.substitute(b.hi, seen.point);
      Expr v = it != at.end() ? it->second : hi - 1;
      seen.point.exprs.emplace(b.var.node(), v);
      holds.push_back(less_equal(lo, v));
      holds.push_back(less(v, hi));
    }
    for (Expr g : s.guards)
      if (Expr here = terms_.substitute(g, seen.point); !known(here)) holds.push_back(here);
    for (std::size_t k = 0; k < s.coordinates.size(); ++k)
      if (Expr c = terms_.substitute(s.coordinates[k], seen.point); !(c == load.coordinates[k]))
        holds.push_back(equal(c, load.coordinates[k]));
    seen.path = terms_.substitute(s.path, seen.point);
    if (Expr earlier = before(seen.path, load.path, pool_); !earlier.is_true()) holds.push_back(earlier);
    seen.wrote = pool_.all_of(holds);
    return seen;
  };
  // What is taken for the value may be wrong without an error of the execution: a limit of these rules.
  auto owe = [&](ObligationKind kind, std::string what, std::vector<Binder> more, std::vector<Expr> when, Expr goal) {
    if (goal.is_true()) return;
    Claim c{.kind = kind,
            .what = fmt::format("load of {}: {}", buffer.name, what),
            .binders = load.binders,
            .guards = load.guards,
            .goal = goal,
            .range = load.range,
            .preset = {},
            .otherwise_unsupported = "which of the stores to a buffer a load sees, no rule tells"};
    c.binders.insert(c.binders.end(), more.begin(), more.end());
    c.guards.insert(c.guards.end(), when.begin(), when.end());
    out_.claims.push_back(std::move(c));
  };

  std::vector<Seen> stores;
  std::vector<std::size_t> events;
  for (std::size_t i = 0; i < out_.events.size(); ++i)
    if (out_.events[i].store && out_.events[i].memory == buffer.memory) events.push_back(i);
  for (std::size_t i : events) {
    const Event& s = out_.events[i];
    stores.push_back(last_point(s));
    const Seen& seen = stores.back();
    // Any point of it that wrote the element before the load.
    TermPool::Substitution s2;
    std::vector<Binder> binders;
    std::vector<Expr> when, same;
    for (std::size_t k = life; k < s.binders.size(); ++k) {
      Binder b = s.binders[k];
      b.range.lo = terms_.substitute(b.range.lo, s2);
      b.range.hi = terms_.substitute(b.range.hi, s2);
      Expr v = pool_.fresh(b.range.var.name());
      s2.exprs.emplace(b.range.var.node(), v);
      same.push_back(equal(v, terms_.substitute(b.range.var, seen.point)));
      b.range.var = v;
      binders.push_back(b);
    }
    for (Expr g : s.guards) when.push_back(terms_.substitute(g, s2));
    for (std::size_t k = 0; k < s.coordinates.size(); ++k)
      when.push_back(equal(terms_.substitute(s.coordinates[k], s2), load.coordinates[k]));
    const Path path = terms_.substitute(s.path, s2);
    if (Expr earlier = before(path, load.path, pool_); !earlier.is_true()) when.push_back(earlier);
    owe(ObligationKind::load_stable, "no store comes after the one that is taken for its value", binders, when,
        both(seen.wrote, either(pool_.all_of(same), before(path, seen.path, pool_))));
  }
  for (std::size_t i = 0; i < stores.size(); ++i)
    for (std::size_t j = i + 1; j < stores.size(); ++j)
      owe(ObligationKind::load_stable, "of two stores the later one in the text is the later one", {},
          {stores[i].wrote, stores[j].wrote}, before(stores[i].path, stores[j].path, pool_));
  std::vector<Expr> ways;
  for (const Seen& s : stores) ways.push_back(s.wrote);
  owe(ObligationKind::initialization, "the element was written before", {}, {}, pool_.any_of(ways));
  Term value = nullptr;  // without a store what was owed cannot be proved
  for (const Seen& s : stores) {
    Term stored = terms_.substitute(s.store->value, s.point);
    value = value ? terms_.select(s.wrote, stored, value) : stored;
  }
  return value ? value : terms_.fresh_argument(buffer.dtype);
}

}  // namespace kir::proof
