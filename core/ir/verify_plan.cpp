// The rules of host plans. A plan that keeps them launches kernels that exist, with arguments of their types and extents, and
// reads no memory that no launch has written; which elements a launch writes is seen when it runs, and so are the relations
// of a kernel that do not follow or fail from the plan's.
//
//   V-80  The plan, its parameters, symbols and temporaries have names, all distinct; there are at most 1000 temporaries and
//         launches.
//   V-81  A temporary has at most 32 extents, each an integer over the plan's symbols.
//   V-82  A launch gives each parameter of its kernel one argument: a view or temporary, a data scalar or a value of its type,
//         an integer over the plan's symbols.
//   V-83  An argument has the element type and the rank of its parameter.
//   V-84  Extents and strides of an argument are those of its parameter for all symbols, as the simplifier shows; the symbols
//         of the kernel have the values of its arguments.
//   V-85  A view that the plan only reads is only read by its launches.
//   V-86  What a launch reads has been written by an earlier launch, or comes into the plan.
//   V-87  Views of a kernel that share memory, or may, are declared to; those declared the same share it.
//   V-88  An argument is aligned as its parameter; no relation of the kernel is false for all symbols.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/small_set.h"
#include "core/index/simplify.h"
#include "core/ir/verify.h"
#include "core/ir/verify_body.h"
#include "core/kir/plan.h"

namespace kir {
namespace {

constexpr int kMostQuestions = 300;           // put to the simplifier, of one plan
constexpr std::size_t kMostHypotheses = 200;  // of a plan's relations; leaving out one only leaves more undecided
constexpr std::int64_t kAlignment = 256;      // of temporaries, in bytes

class PlanVerifier {
 public:
  PlanVerifier(const Plan& plan, Diagnostics& diagnostics) : plan_(plan), diagnostics_(diagnostics), facts_(pool_) {
    for (const ViewParam& v : plan.abi.views) views_written_.push_back(v.access != Access::out);
    temporaries_written_.resize(plan.temporaries.size());
  }

  bool run() {
    const std::size_t before = diagnostics_.error_count();
    names();
    for (const Temporary& t : plan_.temporaries) temporary(t);
    verify_abi(plan_.abi, {}, plan_.range, diagnostics_);
    if (diagnostics_.error_count() != before) return false;
    hypotheses();
    for (const PlanLaunch& l : plan_.launches) launch(l);
    return diagnostics_.error_count() == before;
  }

 private:
  void error(const char* rule, SourceRange range, std::string message, std::string hint = {}) {
    diagnostics_.error(rule, range.empty() ? plan_.range : range, std::move(message), std::move(hint));
  }
  void error(const char* rule, const PlanLaunch& l, std::string_view message, std::string hint = {}) {
    error(rule, l.range, fmt::format("launch of '{}': {}", l.kernel->id(), message), std::move(hint));
  }

  void names() {
    if (!is_valid_name(plan_.name)) error("V-80", plan_.range, fmt::format("'{}' is no name for a plan", plan_.name));
    if (plan_.temporaries.size() > Plan::kMaxSteps || plan_.launches.size() > Plan::kMaxSteps)
      error("V-80", plan_.range, fmt::format("a plan has at most {} temporaries and launches", Plan::kMaxSteps));
    SmallSet<std::string_view> taken;
    for (const ViewParam& v : plan_.abi.views) taken.insert(v.name);
    for (const ScalarParam& s : plan_.abi.scalars) taken.insert(s.name);
    for (const SymbolInfo& s : plan_.abi.symbols) taken.insert(s.name);
    for (const Temporary& t : plan_.temporaries) {
      if (!is_valid_name(t.name))
        error("V-80", t.range, fmt::format("'{}' is no name for a temporary", t.name));
      else if (!taken.insert(t.name))
        error("V-80", t.range, fmt::format("the name '{}' is used twice", t.name));
    }
  }

  bool over_symbols(Expr e) const {
    if (e == Expr() || e.sort() != Sort::integer) return false;
    for (Expr leaf : leaves(e))
      if (!leaf.is(ExprKind::symbol) || !plan_.abi.find_symbol(leaf.name())) return false;
    return true;
  }

  void temporary(const Temporary& t) {
    if (t.shape.size() > kMaxRank)
      error("V-81", t.range, fmt::format("'{}' has {} axes; at most {} are possible", t.name, t.shape.size(), kMaxRank));
    else if (!std::all_of(t.shape.begin(), t.shape.end(), [&](Expr e) { return over_symbols(e); }))
      error("V-81", t.range, fmt::format("the extents of '{}' are integers over the plan's symbols", t.name));
  }

  Expr here(Expr e) { return pool_.import(e, {}); }

  void hypotheses() {
    for (std::size_t i = 0; i < std::min(plan_.abi.where.size(), kMostHypotheses); ++i) facts_.assume(here(plan_.abi.where[i]));
    std::size_t extents = 0;
    for (const ViewParam& v : plan_.abi.views)
      for (Expr e : v.shape)
        if (!e.is(ExprKind::constant) && extents++ < kMostHypotheses) facts_.assume(greater_equal(here(e), pool_.constant(0)));
  }

  std::optional<bool> decide(Expr e) {
    if (e.is(ExprKind::eq) && e.kid(0) == e.kid(1)) return true;
    return questions_++ < kMostQuestions ? facts_.decide(e) : std::nullopt;
  }

  bool known(const BufferRef& b) const { return b.index < (b.temporary ? plan_.temporaries.size() : plan_.abi.views.size()); }

  // V-82
  bool complete(const PlanLaunch& l) {
    const Abi& abi = l.kernel->abi;
    bool ok = l.buffers.size() == abi.views.size() && l.scalars.size() == abi.scalars.size() &&
              l.symbols.size() == abi.symbols.size() &&
              std::all_of(l.buffers.begin(), l.buffers.end(), [&](const BufferRef& b) { return known(b); });
    for (std::size_t i = 0; ok && i < abi.symbols.size(); ++i)
      ok = abi.symbols[i].parameter ? over_symbols(l.symbols[i]) : l.symbols[i] == Expr();
    if (!ok) {
      error("V-82", l, "each parameter gets one argument of its kind");
      return false;
    }
    for (std::size_t i = 0; i < abi.scalars.size(); ++i) {
      const std::size_t* from = std::get_if<std::size_t>(&l.scalars[i]);
      const Scalar* value = std::get_if<Scalar>(&l.scalars[i]);
      if (from && *from >= plan_.abi.scalars.size())
        error("V-82", l, fmt::format("'{}' gets no data scalar of the plan", abi.scalars[i].name));
      else if (const DType t = from ? plan_.abi.scalars[*from].dtype : value->type; t != abi.scalars[i].dtype)
        error("V-82", l, fmt::format("'{}' is {}, the argument {}", abi.scalars[i].name, name(abi.scalars[i].dtype), name(t)));
      else if (const int width = bit_width(t); value && width < 64 && value->bits >> width != 0)
        error("V-82", l, fmt::format("the value of '{}' has bits beyond its width", abi.scalars[i].name));
      else
        continue;
      ok = false;
    }
    return ok;
  }

  // V-83
  bool typed(const PlanLaunch& l) {
    bool ok = true;
    for (std::size_t i = 0; i < l.buffers.size(); ++i) {
      const ViewParam& p = l.kernel->abi.views[i];
      const BufferRef& b = l.buffers[i];
      if (plan_.dtype_of(b) == p.dtype && plan_.shape_of(b).size() == p.rank()) continue;
      error("V-83", l,
            fmt::format("'{}' takes {} with {} axes, '{}' is {} with {}", p.name, name(p.dtype), p.rank(), plan_.name_of(b),
                        name(plan_.dtype_of(b)), plan_.shape_of(b).size()));
      ok = false;
    }
    return ok;
  }

  std::vector<Expr> strides_of(const BufferRef& b) {
    std::vector<Expr> out;
    if (b.temporary) {
      for (Expr e : plan_.temporaries[b.index].shape) out.push_back(here(e));
      return row_major_strides(pool_, out);
    }
    for (Expr e : plan_.abi.views[b.index].strides) out.push_back(here(e));
    return out;
  }

  using Values = std::map<std::string, Expr, std::less<>>;

  // What the kernel's symbols are: parameters what they are given, others what the first extent or stride says that they
  // stand for alone.
  Values values_of(const PlanLaunch& l) {
    Values out;
    const Abi& abi = l.kernel->abi;
    for (std::size_t i = 0; i < abi.symbols.size(); ++i)
      if (abi.symbols[i].parameter) out.emplace(abi.symbols[i].name, here(l.symbols[i]));
    for (std::size_t i = 0; i < abi.views.size(); ++i) {
      const ViewParam& p = abi.views[i];
      const std::vector<Expr>&shape = plan_.shape_of(l.buffers[i]), strides = strides_of(l.buffers[i]);
      for (std::size_t k = 0; k < p.rank(); ++k) {
        if (p.shape[k].is(ExprKind::symbol)) out.emplace(p.shape[k].name(), here(shape[k]));
        if (p.explicit_strides && p.strides[k].is(ExprKind::symbol)) out.emplace(p.strides[k].name(), strides[k]);
      }
    }
    return out;
  }

  Expr in_plan(Expr e, const Values& values) {
    return pool_.import(e, [&](Expr leaf) {
      auto it = leaf.is(ExprKind::symbol) ? values.find(leaf.name()) : values.end();
      return it == values.end() ? Expr() : it->second;
    });
  }

  // V-84
  void agree(const PlanLaunch& l, const Values& values) {
    for (std::size_t i = 0; i < l.buffers.size(); ++i) {
      const ViewParam& p = l.kernel->abi.views[i];
      const std::vector<Expr>&shape = plan_.shape_of(l.buffers[i]), strides = strides_of(l.buffers[i]);
      for (std::size_t k = 0; k < p.rank(); ++k)
        if (!same(l, i, k, "extent", here(shape[k]), in_plan(p.shape[k], values)) ||
            !same(l, i, k, "stride", strides[k], in_plan(p.strides[k], values)))
          break;
    }
  }

  bool same(const PlanLaunch& l, std::size_t view, std::size_t axis, const char* what, Expr is, Expr wanted) {
    const std::optional<bool> holds = decide(equal(is, wanted));
    if (holds && *holds) return true;
    error("V-84", l,
          fmt::format("{} {} of '{}' is {}, but '{}' wants {}{}", what, axis, plan_.name_of(l.buffers[view]), to_string(is),
                      l.kernel->abi.views[view].name, to_string(wanted), holds ? "" : ", which need not be the same"),
          holds ? "" : "write the two alike, or say in the plan's where what makes them equal");
    return false;
  }

  // V-85, V-86
  void order(const PlanLaunch& l) {
    for (std::size_t i = 0; i < l.buffers.size(); ++i) {
      const ViewParam& p = l.kernel->abi.views[i];
      const BufferRef& b = l.buffers[i];
      if (p.access != Access::in && !b.temporary && plan_.abi.views[b.index].access == Access::in)
        error("V-85", l,
              fmt::format("'{}' is {}, but '{}' is an in view of the plan", p.name, name(p.access), plan_.name_of(b)),
              "declare it inout, or give a temporary");
      if (p.access != Access::out && !written(b))
        error("V-86", l, fmt::format("'{}' reads '{}', which no earlier launch has written", p.name, plan_.name_of(b)));
    }
    for (std::size_t i = 0; i < l.buffers.size(); ++i)
      if (l.kernel->abi.views[i].access != Access::in) written(l.buffers[i]) = true;
  }
  std::vector<bool>::reference written(const BufferRef& b) {
    return (b.temporary ? temporaries_written_ : views_written_)[b.index];
  }

  // V-87
  void aliases(const PlanLaunch& l) {
    using Pair = std::pair<std::size_t, std::size_t>;
    const Abi& abi = l.kernel->abi;
    std::set<Pair> declared;
    for (const AliasFact& f : abi.aliases) declared.insert(std::minmax(f.a, f.b));
    std::map<BufferRef, std::vector<std::size_t>> users;
    for (std::size_t i = 0; i < l.buffers.size(); ++i) users[l.buffers[i]].push_back(i);
    auto undeclared = [&](std::size_t a, std::size_t b, std::string_view why) {
      if (declared.contains(std::minmax(a, b))) return false;
      error("V-87", l,
            fmt::format("'{}' and '{}' {}, but are not declared to alias", abi.views[a].name, abi.views[b].name, why));
      return true;
    };
    for (const auto& [buffer, views] : users)
      for (std::size_t k = 1; k < views.size(); ++k)
        for (std::size_t j = 0; j < k; ++j)
          if (undeclared(views[j], views[k], fmt::format("both get '{}'", plan_.name_of(buffer)))) return;
    std::set<Pair> one;  // views of the plan that are one
    for (const AliasFact& f : plan_.abi.aliases) {
      if (f.kind == AliasKind::same) one.insert(std::minmax(f.a, f.b));
      for (std::size_t a : users[{false, f.a}])
        for (std::size_t b : users[{false, f.b}])
          if (undeclared(
                  a, b,
                  fmt::format("get '{}' and '{}', which may be one", plan_.abi.views[f.a].name, plan_.abi.views[f.b].name)))
            return;
    }
    for (const AliasFact& f : abi.aliases) {
      const BufferRef &a = l.buffers[f.a], &b = l.buffers[f.b];
      if (f.kind != AliasKind::same || a == b) continue;
      if (a.temporary || b.temporary || !one.contains(std::minmax(a.index, b.index)))
        error("V-87", l,
              fmt::format("'{}' and '{}' are declared the same, but get '{}' and '{}'", abi.views[f.a].name,
                          abi.views[f.b].name, plan_.name_of(a), plan_.name_of(b)));
    }
  }

  // V-88
  void conditions(const PlanLaunch& l, const Values& values) {
    const Abi& abi = l.kernel->abi;
    for (std::size_t i = 0; i < abi.views.size(); ++i) {
      const BufferRef& b = l.buffers[i];
      const std::int64_t align = b.temporary ? kAlignment : std::max<std::int64_t>(plan_.abi.views[b.index].align, 1);
      if (abi.views[i].align > align)
        error("V-88", l,
              fmt::format("'{}' is aligned to {} bytes, '{}' to {}", abi.views[i].name, abi.views[i].align, plan_.name_of(b),
                          align));
    }
    for (Expr e : abi.where)
      if (const std::optional<bool> holds = decide(in_plan(e, values)); holds && !*holds)
        error("V-88", l, fmt::format("the kernel's relation {} does not hold", to_string(e)));
  }

  void launch(const PlanLaunch& l) {
    if (!l.kernel) return error("V-82", l.range, "a launch without a kernel");
    if (!complete(l) || !typed(l)) return;
    const Values values = values_of(l);
    agree(l, values);
    order(l);
    aliases(l);
    conditions(l, values);
  }

  const Plan& plan_;
  Diagnostics& diagnostics_;
  ExprPool pool_;
  Facts facts_;
  int questions_ = 0;
  std::vector<bool> views_written_, temporaries_written_;
};

}  // namespace

bool verify(const Plan& plan, Diagnostics& diagnostics) { return PlanVerifier(plan, diagnostics).run(); }

}  // namespace kir
