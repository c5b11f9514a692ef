// Reductions, scans and contractions: what is folded, and how.
#include <fmt/format.h>

#include <cmath>

#include "core/ir/derived_shape.h"
#include "core/ir/fold.h"
#include "core/ir/verify_body.h"
#include "core/numeric/scalar_ops.h"

namespace kir {
namespace {

std::vector<Type> joined(std::vector<Type> a, const std::vector<Type>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

bool BodyVerifier::identity(const Op& o, const std::vector<Type>& components) {
  const ScalarList* list = o.attrs.find<ScalarList>(AttrKey::identity);
  if (!list) {
    if (o.attrs.has(AttrKey::identity_assumed)) error("V-31", o, "assumes an identity that is not there");
    return !o.attrs.has(AttrKey::identity_assumed);
  }
  bool fits = list->size() == components.size();
  for (std::size_t i = 0; fits && i < list->size(); ++i) {
    int width = bit_width((*list)[i].type);
    fits = (*list)[i].type == components[i].dtype && (width == 64 || (*list)[i].bits >> width == 0);
  }
  if (const bool* assumed = o.attrs.find<bool>(AttrKey::identity_assumed)) fits = fits && *assumed;
  if (!fits) error("V-31", o, "the identity does not fit the components");
  return fits;
}

bool BodyVerifier::are_components(const Op& o, const std::vector<Type>& types) {
  if (types.empty()) error("V-31", o, "has no component");
  for (const Type& t : types)
    if (!t.is(TypeKind::scalar)) {
      error("V-31", o, fmt::format("a component is {}; components are data scalars", text(t)));
      return false;
    }
  return !types.empty();
}

bool BodyVerifier::fold(const Op& o, RegionId combine, const std::vector<Type>& components) {
  const bool ok = arguments(combine, 0, joined(components, components), o, "the combine") &&
                  hands_on(combine, components, o, "the combine");
  return ok && start(o, components);
}

bool BodyVerifier::start(const Op& o, const std::vector<Type>& components) {
  if (!identity(o, components)) return false;
  if (o.operands.empty() || types(o.operands) == components) return true;
  error("V-31", o, "the initial values do not fit the components");
  return false;
}

bool BodyVerifier::members(const Op& o, RegionId where, RegionId map) {
  const std::vector<ValueId>& variables = body_.region(map).args;
  if (types(body_.region(where).args) != types(variables)) {
    error("V-45", o, "the variables of `where` are not those of the map");
    return false;
  }
  if (!is_terminated(where, OpKind::yield)) return false;  // V-16
  const std::vector<Type> yielded = types(body_.yields(where));
  if (yielded.size() == 1 && yielded[0].is_scalar(DType::i1)) return true;
  error("V-45", o, "`where` yields one i1");
  return false;
}

void BodyVerifier::reduce(const Op& o) {
  if (!domain(o, o.regions[0], 0)) return;
  if (o.regions.size() > 2 && !members(o, o.regions[2], o.regions[0])) return;
  const std::vector<Type> components = types(o.results);
  if (!are_components(o, components) || !hands_on(o.regions[0], components, o, "the map")) return;
  fold(o, o.regions[1], components);
}

void BodyVerifier::arg_reduce(const Op& o) {
  if (!domain(o, o.regions[0], 0)) return;
  if (o.regions.size() > 1 && !members(o, o.regions[1], o.regions[0])) return;
  if (!is_terminated(o.regions[0], OpKind::yield)) return;  // V-16
  std::vector<Type> wanted = types(body_.yields(o.regions[0]));
  if (wanted.size() != 1 || !wanted[0].is(TypeKind::scalar)) return error("V-46", o, "the map yields one data scalar");
  wanted = joined(std::move(wanted), types(body_.region(o.regions[0]).args));
  if (types(o.results) != wanted)
    return error("V-46", o, "the results are the value, then one coordinate for each axis of the domain");
  if (!o.operands.empty() && types(o.operands) != wanted)
    error("V-46", o, "the initial values are a value, then one coordinate for each axis");
}

void BodyVerifier::scan(const Op& o) {
  if (!domain(o, o.regions[0], 0)) return;
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  if (context_.physical) {
    const std::vector<Type> components = types(o.results);
    if (!are_components(o, components) || !hands_on(o.regions[0], components, o, "the map")) return;
    if (o.regions.size() != 3)
      return error("W-14", o, "has no region for the result of a member", "result (%n: i64, %s: f32) { ... }");
    if (arguments(o.regions[2], 0, joined(types(body_.region(o.regions[0]).args), components), o, "the result") &&
        hands_on(o.regions[2], {}, o, "the result") && fold(o, o.regions[1], components))
      starts_before_first(o);
    return;
  }
  if (o.regions.size() != 2) return error("V-47", o, "its results are tensors; the region for a result is physical");
  const std::size_t k = o.results.size() / 2;
  if (o.results.size() % 2 != 0) return error("V-47", o, "has a tensor and a final state for each component");
  const std::vector<Type> components = types(std::span(o.results).subspan(k));
  if (!are_components(o, components) || !hands_on(o.regions[0], components, o, "the map")) return;
  for (std::size_t i = 0; i < k; ++i) {
    const Type& t = body_.type(o.results[i]);
    bool fits = t.is(TypeKind::tensor) && t.dtype == components[i].dtype && t.rank() == ranges.size() / 2;
    for (std::size_t axis = 0; fits && axis < t.rank(); ++axis) {
      if (ranges[2 * axis] == Expr() || ranges[2 * axis + 1] == Expr() || t.shape[axis] == Expr()) return;  // V-18, V-32
      fits = is_range_extent(t.shape[axis], ranges[2 * axis], ranges[2 * axis + 1]);
    }
    if (!fits)
      return error("V-47", o, fmt::format("result {} is {}, not a tensor of the domain's extents", i, text(t)),
                   "leave the type out");
  }
  if (fold(o, o.regions[1], components)) starts_before_first(o);
}

void BodyVerifier::starts_before_first(const Op& o) {
  if (o.attrs.get<Inclusion>(AttrKey::inclusion) == Inclusion::exclusive && o.operands.empty() &&
      !o.attrs.has(AttrKey::identity))
    error("V-47", o, "nothing stands before the first member", "give an exclusive scan an initial value or an identity");
}

bool BodyVerifier::sides(const Op& o, const ContractAxes& axes, std::vector<Type>& yielded) {
  for (std::size_t side = 0; side < 2; ++side) {
    const char* what = side == 0 ? "the left side" : "the right side";
    const std::size_t rank = axes.batch + (side == 0 ? axes.left : axes.right) + axes.paired;
    std::vector<Type> variables(rank, Type::index());
    // A program's variables are i64 or i32, on both sides alike.
    if (context_.physical) variables = types(body_.region(o.regions[0]).args);
    for (const Type& t : variables)
      if (!is_integer_variable(t)) {
        error("V-48", o, fmt::format("a variable is {}", text(t)), context_.physical ? "write i64 or i32" : "");
        return false;
      }
    if (variables.size() != rank || !arguments(o.regions[side], 0, variables, o, what)) return false;
    if (!is_terminated(o.regions[side], OpKind::yield)) return false;  // V-16
    const std::span<const ValueId> yields = body_.yields(o.regions[side]);
    if (yields.size() != 1 || !body_.type(yields[0]).is(TypeKind::scalar)) {
      error("V-48", o, fmt::format("{} yields one data scalar", what));
      return false;
    }
    yielded.push_back(body_.type(yields[0]));
  }
  return true;
}

void BodyVerifier::contract(const Op& o) {
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  const std::optional<ContractAxes> axes = contract_axes(o);
  if (!axes || ranges.size() != 2 * axes->sum())
    return error("V-48", o, fmt::format("`axes` does not divide the {} bounds", ranges.size()));
  if (axes->sum() > kMaxRank) return error("V-48", o, fmt::format("a contract has at most {} axes", kMaxRank));
  if (context_.physical && axes->sum() != axes->paired)
    return error("V-48", o, "a program's contract is one element: it has no batch and no free axes");
  std::vector<Type> operands;
  if (!sides(o, *axes, operands)) return;
  const Type& result = body_.type(o.results[0]);
  bool fits = context_.physical ? result.is(TypeKind::scalar)
                                : result.is(TypeKind::tensor) && result.rank() == axes->sum() - axes->paired;
  for (std::size_t i = 0; fits && i < result.rank(); ++i) {
    if (ranges[2 * i] == Expr() || ranges[2 * i + 1] == Expr() || result.shape[i] == Expr()) return;  // V-18, V-32
    fits = is_range_extent(result.shape[i], ranges[2 * i], ranges[2 * i + 1]);
  }
  if (!fits && context_.physical) return error("V-48", o, fmt::format("the result is {}, not a data scalar", text(result)));
  if (!fits)
    return error("V-48", o, fmt::format("the result is {}, not a tensor of the batch and free extents", text(result)),
                 "leave the type out");
  const Type sum = Type::scalar(result.dtype);
  if (o.regions.size() == 4) {
    if (o.attrs.has(AttrKey::exact_product) || o.attrs.has(AttrKey::unit))
      return error("V-49", o, "`exact` and `unit` stand in place of a product and a combine");
    if (arguments(o.regions[2], 0, operands, o, "the product") && hands_on(o.regions[2], {sum}, o, "the product"))
      fold(o, o.regions[3], {sum});
    return;
  }
  const bool* exact = o.attrs.find<bool>(AttrKey::exact_product);
  if (!exact || !*exact) return error("V-49", o, "has neither a product and a combine nor an exact product");
  for (const Type& t : operands)
    if (!holds_every(sum.dtype, t.dtype))
      return error("V-50", o, fmt::format("an accumulator of type {} does not hold every {}", name(sum.dtype), text(t)),
                   "convert the side, or take a wider accumulator");
  if (const Scalar* unit = o.attrs.find<Scalar>(AttrKey::unit)) {
    const bool number = unit->type == DType::f64 && std::isfinite(unit->as_double()) && unit->as_double() >= 0;
    if (!number || !is_float(sum.dtype))
      return error("V-50", o, "a unit is a finite f64 of at least 0, and for sums of floats only");
  }
  start(o, {sum});
}

}  // namespace kir
