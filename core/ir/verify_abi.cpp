#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "core/base/small_set.h"
#include "core/ir/verify_body.h"
#include "core/text/words.h"

namespace kir {

bool is_valid_name(std::string_view name) { return text::is_identifier(name) && !text::WordTable::get().is_reserved(name); }

namespace {

class AbiVerifier {
 public:
  AbiVerifier(const Abi& abi, SourceRange whole, Diagnostics& diagnostics)
      : abi_(abi), whole_(whole), diagnostics_(diagnostics) {
    for (const SymbolInfo& s : abi.symbols) symbols_.insert(s.name);
  }

  void names(const std::vector<std::string>& reserved) {
    SmallSet<std::string_view> seen;
    auto add = [&](const std::string& name, SourceRange range, const char* what) {
      if (!is_valid_name(name))
        error("V-01", range, fmt::format("'{}' is no name for {}", name, what));
      else if (!seen.insert(name))
        error("V-01", range, fmt::format("the name '{}' is used twice", name));
    };
    for (const std::string& name : reserved) add(name, whole_, "a constexpr");
    for (const ViewParam& v : abi_.views) add(v.name, v.range, "a view");
    for (const ScalarParam& s : abi_.scalars) add(s.name, s.range, "a scalar");
    for (const SymbolInfo& s : abi_.symbols) add(s.name, s.range, "a symbol");
  }

  void params() {
    std::vector<int> views(abi_.views.size()), scalars(abi_.scalars.size()), symbols(abi_.symbols.size());
    for (const Abi::Param& p : abi_.params) {
      std::vector<int>& list = p.kind == Abi::ParamKind::view ? views : p.kind == Abi::ParamKind::scalar ? scalars : symbols;
      if (p.index >= list.size()) return error("V-02", whole_, "a parameter refers to nothing");
      ++list[p.index];
    }
    auto once = [](int n) { return n == 1; };
    bool ok = std::all_of(views.begin(), views.end(), once) && std::all_of(scalars.begin(), scalars.end(), once);
    for (std::size_t i = 0; i < symbols.size(); ++i) ok = ok && symbols[i] == (abi_.symbols[i].parameter ? 1 : 0);
    if (!ok) error("V-02", whole_, "the parameter list does not name each view, scalar and parameter symbol once");
  }

  void views() {
    SmallSet<std::string_view> bound;
    for (const ViewParam& v : abi_.views) {
      if (v.rank() > kMaxRank) {  // its row-major strides may be too deep to walk
        error("V-05", v.range, fmt::format("'{}' has {} axes; at most {} are possible", v.name, v.rank(), kMaxRank));
        continue;
      }
      if (v.strides.size() != v.rank())
        error("V-05", v.range, fmt::format("'{}' has {} strides for {} axes", v.name, v.strides.size(), v.rank()));
      std::int64_t size = byte_size(v.dtype);
      if (v.align != 0 && (v.align < 0 || !std::has_single_bit(static_cast<std::uint64_t>(v.align)) || v.align % size != 0))
        error("V-05", v.range,
              fmt::format("alignment {} of '{}' is no power of two that is a multiple of {}", v.align, v.name, size));
      for (const std::vector<Expr>* list : {&v.shape, &v.strides})
        for (Expr e : *list) {
          over_symbols(e, Sort::integer, v.range);
          if (e != Expr() && e.is(ExprKind::symbol)) bound.insert(e.name());
        }
    }
    for (const SymbolInfo& s : abi_.symbols)
      if (!s.parameter && !bound.contains(s.name))
        error("V-04", s.range, fmt::format("nothing gives the symbol '{}' its value", s.name),
              "a symbol stands alone as an extent or stride, or is a parameter of type index");
  }

  void relations() {
    for (std::size_t i = 0; i < abi_.where.size(); ++i) {
      SourceRange range = i < abi_.where_ranges.size() ? abi_.where_ranges[i] : whole_;
      Expr e = abi_.where[i];
      if (e == Expr() || e.sort() != Sort::boolean)
        error("V-07", range, "a relation is a truth value, as in N >= 1");
      else
        over_symbols(e, Sort::boolean, range);
    }
    for (const SymbolInfo& s : abi_.symbols) {
      if ((s.lo == Expr()) != (s.hi == Expr()))
        error("V-03", s.range, fmt::format("'{}' has one bound without the other", s.name));
      if (s.lo != Expr()) over_symbols(s.lo, Sort::integer, s.range);
      if (s.hi != Expr()) over_symbols(s.hi, Sort::integer, s.range);
    }
  }

  void data() {
    for (const DataFact& f : abi_.data) {
      const std::string_view what = kir::name(f.kind);
      if (f.view >= abi_.views.size()) {
        error("V-71", f.range, fmt::format("{} is about no view", what));
        continue;
      }
      const ViewParam& v = abi_.views[f.view];
      if (!is_integer(v.dtype) || v.access != Access::in)
        error("V-71", f.range, fmt::format("{} is about an `in` view of integers, which '{}' is not", what, v.name));
      if (f.kind == DataFactKind::nondecreasing && v.rank() != 1)
        error("V-71", f.range, fmt::format("{} takes a view with one axis; '{}' has {}", what, v.name, v.rank()));
      for (const AliasFact& a : abi_.aliases) {
        if ((a.a != f.view && a.b != f.view) || std::max(a.a, a.b) >= abi_.views.size()) continue;
        const ViewParam& other = abi_.views[a.a == f.view ? a.b : a.a];
        if (other.access != Access::in)
          error("V-71", f.range,
                fmt::format("{} would not last: '{}' may share memory with '{}', which is written", what, v.name, other.name));
      }
      const bool bounds = f.kind == DataFactKind::in_range;
      if ((f.lo != Expr()) != bounds || (f.hi != Expr()) != bounds)
        error("V-71", f.range, fmt::format("{} takes {} bounds", what, bounds ? "two" : "no"));
      else if (bounds)
        for (Expr e : {f.lo, f.hi}) over_symbols(e, Sort::integer, f.range);
    }
  }

  void aliases() {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const AliasFact& f : abi_.aliases) {
      if (f.a >= abi_.views.size() || f.b >= abi_.views.size()) {
        error("V-06", f.range, "an alias fact about no view");
        continue;
      }
      const ViewParam &a = abi_.views[f.a], &b = abi_.views[f.b];
      if (f.a == f.b)
        error("V-06", f.range, fmt::format("an alias fact about '{}' and itself", a.name));
      else if (a.dtype != b.dtype || a.rank() != b.rank())
        error("V-06", f.range,
              fmt::format("'{}' and '{}' differ in element type or rank and can never be identical", a.name, b.name));
      else if (!seen.insert(std::minmax(f.a, f.b)).second)
        error("V-06", f.range, fmt::format("two alias facts about '{}' and '{}'", a.name, b.name));
    }
  }

 private:
  void over_symbols(Expr e, Sort sort, SourceRange range) {
    if (e == Expr() || e.sort() != sort)
      return error("V-03", range, "an expression of the ABI is missing or of the wrong sort");
    for (Expr leaf : leaves(e)) {
      if (!leaf.is(ExprKind::symbol)) return error("V-03", range, "an expression of the ABI is over symbols only");
      if (!symbols_.contains(leaf.name())) return error("V-03", range, fmt::format("there is no symbol '{}'", leaf.name()));
    }
  }
  void error(const char* rule, SourceRange range, std::string message, std::string hint = {}) {
    diagnostics_.error(rule, range.empty() ? whole_ : range, std::move(message), std::move(hint));
  }

  const Abi& abi_;
  SmallSet<std::string_view> symbols_;
  SourceRange whole_;
  Diagnostics& diagnostics_;
};

}  // namespace

void verify_abi(const Abi& abi, const std::vector<std::string>& reserved, SourceRange whole, Diagnostics& diagnostics) {
  AbiVerifier verifier(abi, whole, diagnostics);
  verifier.names(reserved);
  verifier.params();
  verifier.views();
  verifier.relations();
  verifier.data();
  verifier.aliases();
}

bool verify_root_arguments(const Abi& abi, const Body& body, RegionId root, std::size_t extra, SourceRange whole,
                           Diagnostics& diagnostics) {
  std::size_t before = diagnostics.error_count();
  if (!root || root.index >= body.region_count() || body.region(root).parent) {
    diagnostics.error("V-08", whole, "the body has no root region");
    return false;
  }
  const std::vector<ValueId>& args = body.region(root).args;
  std::size_t next = 0;
  for (const Abi::Param& p : abi.params) {
    if (p.kind == Abi::ParamKind::symbol) continue;
    bool is_view = p.kind == Abi::ParamKind::view;
    if (p.index >= (is_view ? abi.views.size() : abi.scalars.size())) continue;  // V-02
    ValueId value = is_view ? abi.views[p.index].value : abi.scalars[p.index].value;
    Type type =
        is_view ? Type::view(abi.views[p.index].dtype, abi.views[p.index].shape) : Type::scalar(abi.scalars[p.index].dtype);
    const std::string& name = is_view ? abi.views[p.index].name : abi.scalars[p.index].name;
    if (next >= args.size() || args[next] != value || body.type(args[next]) != type) {
      diagnostics.error("V-08", is_view ? abi.views[p.index].range : abi.scalars[p.index].range,
                        fmt::format("argument {} of the root region is not the parameter '{}'", next, name));
      return false;
    }
    ++next;
  }
  if (args.size() != next + extra)
    diagnostics.error("V-08", whole, fmt::format("the root region has {} arguments instead of {}", args.size(), next + extra));
  return diagnostics.error_count() == before;
}

}  // namespace kir
