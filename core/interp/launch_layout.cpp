// The checks of a launch:
//   A-01  a parameter without an argument, or a symbol that nothing determines
//   A-02  an argument that names no parameter
//   A-03  wrong element type
//   A-04  wrong rank, or a malformed tensor
//   A-05  a symbol with two values
//   A-06  an extent unlike the ABI's
//   A-07  a stride unlike the ABI's
//   A-08  a `where` relation that does not hold
//   A-09  views that share memory without being declared to alias
//   A-10  views declared the same that are not
//   A-11  a negative extent or stride, or a view that exceeds the address space
//   A-12  a written view of which two elements are one address
//   A-13  a symbol outside its declared range
//   A-14  a text that is no value for its parameter (launch_input.cpp)
//   A-15  views that this machine cannot hold
//   A-16  a data precondition that the elements break (launch_data.cpp)
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/interp/launch_args.h"
#include "core/interp/launch_data.h"

namespace kir {
namespace {

using Symbols = std::map<std::string, std::int64_t>;

EvalResult evaluate_with(Expr e, const Symbols& symbols) {
  return evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
    if (!leaf.is(ExprKind::symbol)) return std::nullopt;
    auto it = symbols.find(leaf.name());
    return it == symbols.end() ? std::nullopt : std::optional<Integer>(it->second);
  });
}

// "M = 3, N = 0" of the symbols in e.
std::string values_of(Expr e, const Symbols& symbols) {
  std::string out;
  for (Expr leaf : leaves(e))
    if (leaf.is(ExprKind::symbol))
      if (auto it = symbols.find(leaf.name()); it != symbols.end())
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", it->first, it->second);
  return out.empty() ? "no symbol in it" : out;
}

std::string tuple(const std::vector<std::int64_t>& v) { return fmt::format("({})", fmt::join(v, ", ")); }

// Two coordinates with one address, by going through all elements; empty when there are none. O(elements).
std::optional<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> collision(const ViewExtent& v,
                                                                                         std::int64_t count) {
  auto coordinates = [&](std::int64_t linear) {
    std::vector<std::int64_t> at(v.shape.size());
    for (std::size_t k = at.size(); k-- > 0; linear /= v.shape[k]) at[k] = linear % v.shape[k];
    return at;
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> addresses;  // (address, linear)
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, address = 0;
    for (std::size_t k = v.shape.size(); k-- > 0; rest /= v.shape[k]) address += rest % v.shape[k] * v.strides[k];
    addresses.emplace_back(address, i);
  }
  std::sort(addresses.begin(), addresses.end());
  for (std::size_t i = 1; i < addresses.size(); ++i)
    if (addresses[i].first == addresses[i - 1].first)
      return std::pair(coordinates(addresses[i - 1].second), coordinates(addresses[i].second));
  return std::nullopt;
}

void check_injective(const ViewParam& p, const ViewExtent& v, Diagnostics& diagnostics) {
  // Sufficient: each stride, taken from the smallest, exceeds what the axes before it can reach.
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // (stride, extent)
  __int128 count = 1;
  for (std::size_t k = 0; k < v.shape.size(); ++k) {
    if (v.shape[k] == 0) return;
    if (v.shape[k] > 1) axes.emplace_back(v.strides[k], v.shape[k]);
    count = std::min<__int128>(count * v.shape[k], static_cast<__int128>(1) << 62);
  }
  std::sort(axes.begin(), axes.end());
  __int128 reach = 0;
  bool nested = true;
  for (auto [stride, extent] : axes) {
    nested = nested && stride > reach;
    reach += static_cast<__int128>(stride) * (extent - 1);
  }
  if (nested) return;
  constexpr std::int64_t kEnumerated = 1 << 20;
  if (count > kEnumerated) {
    diagnostics.error(
        "A-12", p.range,
        fmt::format("view {} is written, and with extents {} and strides {} its elements cannot be shown to be distinct "
                    "addresses",
                    p.name, tuple(v.shape), tuple(v.strides)),
        "let each stride exceed what the axes of smaller stride span");
  } else if (auto two = collision(v, static_cast<std::int64_t>(count))) {
    diagnostics.error("A-12", p.range,
                      fmt::format("view {} is written, but its elements {} and {} are one address (strides {})", p.name,
                                  tuple(two->first), tuple(two->second), tuple(v.strides)),
                      "let each stride exceed what the axes of smaller stride span");
  }
}

void check_ranges(const Abi& abi, const Symbols& symbols, Diagnostics& diagnostics) {
  for (const SymbolInfo& s : abi.symbols) {
    const std::int64_t value = symbols.at(s.name);
    for (bool low : {true, false}) {
      const Expr bound = low ? s.lo : s.hi;
      if (bound == Expr()) continue;
      const EvalResult b = evaluate_with(bound, symbols);
      if (!b.ok() || (low ? value < b.value : value > b.value))
        diagnostics.error("A-13", s.range,
                          fmt::format("{} = {} is {} the program's limit {}", s.name, value, low ? "below" : "above",
                                      b.ok() ? to_string(b.value) : to_string(bound)));
    }
  }
}

void check_relations(const Abi& abi, const Symbols& symbols, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < abi.where.size(); ++i) {
    const EvalResult r = evaluate_with(abi.where[i], symbols);
    if (r.ok() && r.value) continue;
    const SourceRange range = i < abi.where_ranges.size() ? abi.where_ranges[i] : SourceRange{};
    const std::string_view how = r.ok()                               ? "does not hold"
                                 : r.error == EvalError::zero_divisor ? "divides by zero"
                                                                      : "cannot be evaluated";
    diagnostics.error("A-08", range,
                      fmt::format("the relation {} {}: {}", to_string(abi.where[i]), how, values_of(abi.where[i], symbols)));
  }
}

std::optional<ViewExtent> view_extent(const ViewParam& p, const Symbols& symbols, Diagnostics& diagnostics) {
  ViewExtent out;
  auto resolve = [&](const std::vector<Expr>& exprs, std::vector<std::int64_t>& into, std::string_view what) {
    for (std::size_t k = 0; k < exprs.size(); ++k) {
      const EvalResult r = evaluate_with(exprs[k], symbols);
      if (r.ok() && r.value >= 0 && r.value <= INT64_MAX) {
        into.push_back(static_cast<std::int64_t>(r.value));
        continue;
      }
      const std::string value = r.ok() ? to_string(r.value) : "without a value";
      diagnostics.error("A-11", p.range,
                        fmt::format("{} {} of view {} is {}: {} with {}", what, k, p.name, value, to_string(exprs[k]),
                                    values_of(exprs[k], symbols)));
      return false;
    }
    return true;
  };
  if (!resolve(p.shape, out.shape, "extent") || !resolve(p.strides, out.strides, "stride")) return std::nullopt;
  if (!storage_bytes(p.dtype, out.shape, out.strides)) {
    diagnostics.error("A-11", p.range,
                      fmt::format("view {} with extents {} and strides {} exceeds the address space of 2^63 bytes", p.name,
                                  tuple(out.shape), tuple(out.strides)));
    return std::nullopt;
  }
  return out;
}

// Values of shape symbols, as the extents and, if wanted, the strides of the given tensors have them.
Symbols infer_symbols(const Abi& abi, const LaunchArgs& args, bool with_strides, Diagnostics& diagnostics) {
  Symbols symbols;
  std::map<std::string, std::string> source;
  std::set<std::string> disputed;
  auto bind = [&](const std::string& name, std::int64_t value, std::string from, SourceRange range) {
    auto [it, fresh] = symbols.emplace(name, value);
    if (fresh)
      source.emplace(name, std::move(from));
    else if (it->second != value && disputed.insert(name).second)
      diagnostics.error("A-05", range, fmt::format("{} is {} by {} but {} by {}", name, it->second, source[name], value, from));
  };
  for (const auto& [name, value] : args.symbols)
    if (abi.find_symbol(name)) bind(name, value, "the argument", abi.find_symbol(name)->range);
  for (const ViewParam& p : abi.views) {
    auto it = args.views.find(p.name);
    if (it == args.views.end() || !it->second || it->second->shape.size() != p.rank()) continue;
    const Tensor& t = *it->second;
    for (std::size_t k = 0; k < p.rank(); ++k) {
      if (p.shape[k].is(ExprKind::symbol))
        bind(p.shape[k].name(), t.shape[k], fmt::format("extent {} of {}", k, p.name), p.range);
      // A stride of an axis without a second member says nothing, unless nothing else does.
      if (with_strides && p.strides[k].is(ExprKind::symbol) && p.explicit_strides && t.shape[k] > 1)
        bind(p.strides[k].name(), t.strides[k], fmt::format("stride {} of {}", k, p.name), p.range);
    }
  }
  if (!with_strides) return symbols;
  for (const ViewParam& p : abi.views) {
    auto it = args.views.find(p.name);
    if (it == args.views.end() || !it->second || it->second->shape.size() != p.rank()) continue;
    for (std::size_t k = 0; k < p.rank(); ++k)
      if (p.strides[k].is(ExprKind::symbol)) symbols.emplace(p.strides[k].name(), it->second->strides[k]);
  }
  return symbols;
}

void check_names(const Abi& abi, const LaunchArgs& args, Diagnostics& diagnostics) {
  auto is_view = [&](const std::string& n) {
    return std::any_of(abi.views.begin(), abi.views.end(), [&](const ViewParam& p) { return p.name == n; });
  };
  auto is_scalar = [&](const std::string& n) {
    return std::any_of(abi.scalars.begin(), abi.scalars.end(), [&](const ScalarParam& p) { return p.name == n; });
  };
  auto unknown = [&](const std::string& n, std::string_view given_as, std::string_view kind) {
    const std::string_view is = is_view(n) ? "a view" : is_scalar(n) ? "a data scalar" : abi.find_symbol(n) ? "an integer" : "";
    diagnostics.error("A-02", {},
                      is.empty() ? fmt::format("there is no parameter {}", n)
                                 : fmt::format("{} is {}, but the argument is {} {}", n, is, given_as, kind));
  };
  for (const auto& [n, t] : args.views)
    if (!is_view(n)) unknown(n, "a", "tensor");
  for (const auto& [n, s] : args.scalars)
    if (!is_scalar(n)) unknown(n, "a", "data scalar");
  for (const auto& [n, v] : args.symbols)
    if (!abi.find_symbol(n)) unknown(n, "an", "integer");
}

bool check_tensor(const ViewParam& p, const Tensor& t, Diagnostics& diagnostics) {
  if (t.dtype != p.dtype) {
    diagnostics.error("A-03", p.range,
                      fmt::format("view {} has elements of {}, the argument of {}", p.name, name(p.dtype), name(t.dtype)));
    return false;
  }
  if (t.shape.size() != p.rank()) {
    diagnostics.error("A-04", p.range,
                      fmt::format("view {} has rank {}, the argument rank {}", p.name, p.rank(), t.shape.size()));
    return false;
  }
  const bool whole = t.strides.size() == t.shape.size();
  const std::optional<std::int64_t> bytes = whole ? storage_bytes(t.dtype, t.shape, t.strides) : std::nullopt;
  if (!bytes || static_cast<std::uint64_t>(*bytes) > t.bytes.size()) {
    diagnostics.error(
        "A-04", p.range,
        fmt::format("the argument for {} has extents and strides that its {} bytes do not hold", p.name, t.bytes.size()));
    return false;
  }
  return true;
}

void check_extent(const ViewParam& p, const ViewExtent& v, const Tensor& t, const Symbols& symbols, Diagnostics& diagnostics) {
  bool empty = false;
  for (std::size_t k = 0; k < p.rank(); ++k) {
    empty = empty || v.shape[k] == 0;
    if (t.shape[k] != v.shape[k])
      diagnostics.error("A-06", p.range,
                        fmt::format("extent {} of {} is {}, but {} is {} ({})", k, p.name, t.shape[k], to_string(p.shape[k]),
                                    v.shape[k], values_of(p.shape[k], symbols)));
  }
  for (std::size_t k = 0; k < p.rank() && !empty; ++k)
    if (v.shape[k] > 1 && t.strides[k] != v.strides[k])
      diagnostics.error("A-07", p.range,
                        fmt::format("stride {} of {} is {}, but {} is {} ({})", k, p.name, t.strides[k],
                                    to_string(p.strides[k]), v.strides[k], values_of(p.strides[k], symbols)));
}

void check_sharing(const Abi& abi, const std::vector<TensorPtr>& views, Diagnostics& diagnostics) {
  // A tensor owns its memory, so two parameters overlap exactly when one tensor stands for both: never partially.
  for (std::size_t a = 0; a < views.size(); ++a)
    for (std::size_t b = a + 1; b < views.size(); ++b) {
      const bool shared = views[a] == views[b];
      const AliasFact* fact = nullptr;
      for (const AliasFact& f : abi.aliases)
        if ((f.a == a && f.b == b) || (f.a == b && f.b == a)) fact = &f;
      if (shared && !fact && !views[a]->bytes.empty())
        diagnostics.error(
            "A-09", abi.views[b].range,
            fmt::format("views {} and {} share memory but are not declared to alias", abi.views[a].name, abi.views[b].name),
            fmt::format("declare may_alias({}, {}), or pass another tensor", abi.views[a].name, abi.views[b].name));
      if (!shared && fact && fact->kind == AliasKind::same)
        diagnostics.error("A-10", fact->range,
                          fmt::format("views {} and {} are declared the same, but are different tensors", abi.views[a].name,
                                      abi.views[b].name));
    }
}

}  // namespace

std::optional<Symbols> symbols_of_extents(const Abi& abi, const LaunchArgs& args, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  for (const ViewParam& p : abi.views)
    if (auto it = args.views.find(p.name); it != args.views.end()) check_tensor(p, *it->second, diagnostics);
  Symbols symbols = infer_symbols(abi, args, false, diagnostics);
  if (diagnostics.error_count() != before) return std::nullopt;
  return symbols;
}

bool fits_this_machine(const Abi& abi, const LaunchLayout& layout, Diagnostics& diagnostics) {
  const __int128 most = max_launch_bytes();
  __int128 taken = 0;
  for (std::size_t i = 0; i < layout.views.size(); ++i) {
    const ViewExtent& v = layout.views[i];
    const std::optional<std::int64_t> bytes = storage_bytes(abi.views[i].dtype, v.shape, v.strides);
    const bool empty = std::find(v.shape.begin(), v.shape.end(), 0) != v.shape.end();
    __int128 elements = empty ? 0 : 1;  // more than the bytes where a stride is 0
    for (std::int64_t e : v.shape) elements = elements > most ? elements : elements * e;
    taken += bytes ? std::max<__int128>(*bytes, elements) : most + 1;
    if (taken <= most) continue;
    diagnostics.error(
        "A-15", abi.views[i].range,
        fmt::format("view {} with extents {}: the views of the launch take more than the {} bytes that this machine "
                    "has for them",
                    abi.views[i].name, tuple(v.shape), to_string(most)));
    return false;
  }
  return true;
}

std::optional<LaunchLayout> resolve_layout(const Abi& abi, const Symbols& symbols, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  LaunchLayout out;
  for (const SymbolInfo& s : abi.symbols) {
    auto it = symbols.find(s.name);
    if (it == symbols.end())
      diagnostics.error("A-01", s.range, fmt::format("the integer {} has no value", s.name),
                        "no argument has it as an extent or stride; give it by name");
    else
      out.symbols.emplace(*it);
  }
  if (diagnostics.error_count() != before) return std::nullopt;
  check_ranges(abi, out.symbols, diagnostics);
  check_relations(abi, out.symbols, diagnostics);
  for (const ViewParam& p : abi.views) {
    std::optional<ViewExtent> v = view_extent(p, out.symbols, diagnostics);
    if (!v) continue;
    if (p.access != Access::in) check_injective(p, *v, diagnostics);
    out.views.push_back(std::move(*v));
  }
  if (diagnostics.error_count() != before) return std::nullopt;
  return out;
}

std::optional<BoundLaunch> bind_launch(const Abi& abi, const LaunchArgs& args, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  check_names(abi, args, diagnostics);
  BoundLaunch out;
  for (const ViewParam& p : abi.views) {
    auto it = args.views.find(p.name);
    if (it == args.views.end() || !it->second)
      diagnostics.error("A-01", p.range, fmt::format("view {} has no argument", p.name));
    else if (check_tensor(p, *it->second, diagnostics))
      out.views.push_back(it->second);
  }
  for (const ScalarParam& p : abi.scalars) {
    auto it = args.scalars.find(p.name);
    if (it == args.scalars.end())
      diagnostics.error("A-01", p.range, fmt::format("scalar {} has no argument", p.name));
    else if (it->second.type != p.dtype)
      diagnostics.error("A-03", p.range,
                        fmt::format("scalar {} is {}, the argument {}", p.name, name(p.dtype), name(it->second.type)));
    else
      out.scalars.push_back(it->second);
  }
  if (diagnostics.error_count() != before) return std::nullopt;
  const Symbols symbols = infer_symbols(abi, args, true, diagnostics);
  if (diagnostics.error_count() != before) return std::nullopt;
  std::optional<LaunchLayout> layout = resolve_layout(abi, symbols, diagnostics);
  if (!layout) return std::nullopt;
  for (std::size_t i = 0; i < abi.views.size(); ++i)
    check_extent(abi.views[i], layout->views[i], *out.views[i], layout->symbols, diagnostics);
  check_sharing(abi, out.views, diagnostics);
  if (diagnostics.error_count() != before || !check_data(abi, out.views, layout->symbols, diagnostics)) return std::nullopt;
  out.symbols = std::move(layout->symbols);
  return out;
}

}  // namespace kir
