#include <fmt/format.h>

#include <algorithm>

#include "core/ir/verify_body.h"

namespace kir {

// Arguments: one integer for each pair of bounds, then `carried` others.
bool BodyVerifier::domain(const Op& o, RegionId r, std::size_t carried) {
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  const std::vector<ValueId>& args = body_.region(r).args;
  if (ranges.size() % 2 != 0 || args.size() != ranges.size() / 2 + carried) {
    error("V-17", o, fmt::format("{} bounds for {} arguments", ranges.size(), args.size() - std::min(carried, args.size())));
    return false;
  }
  if (ranges.size() / 2 > kMaxRank) {
    error("V-17", o, fmt::format("a domain has at most {} variables", kMaxRank));
    return false;
  }
  for (std::size_t i = 0; i < ranges.size() / 2; ++i)
    if (!is_integer_variable(body_.type(args[i]))) {
      error("V-17", o, fmt::format("variable {} is {}", i, text(body_.type(args[i]))),
            context_.physical ? "write i64 or i32" : "");
      return false;
    }
  return true;
}

bool BodyVerifier::arguments(RegionId r, std::size_t first, const std::vector<Type>& wanted, const Op& o, const char* what) {
  const std::vector<ValueId>& args = body_.region(r).args;
  if (args.size() != first + wanted.size()) {
    error("V-17", o, fmt::format("{} has {} arguments instead of {}", what, args.size(), first + wanted.size()));
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (body_.type(args[first + i]) != wanted[i]) {
      error("V-17", o,
            fmt::format("argument {} of {} is {} instead of {}", first + i, what, text(body_.type(args[first + i])),
                        text(wanted[i])));
      return false;
    }
  return true;
}

bool BodyVerifier::hands_on(RegionId r, const std::vector<Type>& wanted, const Op& o, const char* what) {
  const Region& region = body_.region(r);
  if (region.ops.empty() || !row(body_.op(region.ops.back()).kind).terminator) return false;  // V-16
  std::vector<Type> got = types(body_.op(region.ops.back()).operands);
  if (got.size() != wanted.size()) {
    error("V-30", o, fmt::format("{} hands on {} values instead of {}", what, got.size(), wanted.size()));
    return false;
  }
  for (std::size_t i = 0; i < got.size(); ++i)
    if (got[i] != wanted[i]) {
      error("V-30", o, fmt::format("value {} that {} hands on is {} instead of {}", i, what, text(got[i]), text(wanted[i])));
      return false;
    }
  return true;
}

void BodyVerifier::parallel(const Op& o) {
  if (!domain(o, o.regions[0], 0)) return;
  if (body_.region(o.regions[0]).args.empty()) return error("V-17", o, "a parallel has at least one variable");
  hands_on(o.regions[0], {}, o, "the region");
}

void BodyVerifier::for_loop(const Op& o) {
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  if (ranges.size() != 2) return error("V-11", o, fmt::format("{} bounds instead of 2", ranges.size()));
  std::vector<Type> carried = types(o.operands);
  for (const Type& t : carried)
    if (t.is(TypeKind::view)) return error("V-30", o, "a view cannot be carried");
  if (!domain(o, o.regions[0], carried.size()) || !arguments(o.regions[0], 1, carried, o, "the loop")) return;
  hands_on(o.regions[0], carried, o, "the loop");
  results(o, carried);
}

void BodyVerifier::while_loop(const Op& o) {
  std::vector<Type> carried = types(o.operands);
  for (const Type& t : carried)
    if (t.is(TypeKind::view)) return error("V-30", o, "a view cannot be carried");
  if (!arguments(o.regions[0], 0, carried, o, "the condition") || !arguments(o.regions[1], 0, carried, o, "the loop")) return;
  hands_on(o.regions[0], {Type::scalar(DType::i1)}, o, "the condition");
  hands_on(o.regions[1], carried, o, "the loop");
  results(o, carried);
}

void BodyVerifier::if_else(const Op& o) {
  if (!operand(o, 0).is_scalar(DType::i1))
    return error("V-13", o, fmt::format("the condition is {}, not i1", text(operand(o, 0))));
  if (!arguments(o.regions[0], 0, {}, o, "the branch") || !arguments(o.regions[1], 0, {}, o, "the else branch")) return;
  std::vector<Type> wanted = types(o.results);
  for (const Type& t : wanted)
    if (t.is(TypeKind::view)) return error("V-30", o, "a view cannot be a result");
  hands_on(o.regions[0], wanted, o, "the branch");
  hands_on(o.regions[1], wanted, o, "the else branch");
}

void BodyVerifier::splat(const Op& o) {
  const Type &from = operand(o, 0), &to = body_.type(o.results[0]);
  if (!from.is(TypeKind::scalar) || !to.is(TypeKind::fragment) || from.dtype != to.dtype)
    error("W-10", o, fmt::format("from {} to {}", text(from), text(to)), "a scalar becomes a fragment of its type");
}

void BodyVerifier::tile_reduce(const Op& o) {
  if (o.operands.empty() || o.operands.size() > 2)
    return error("V-10", o, fmt::format("has {} operands instead of 1 or 2", o.operands.size()));
  const Type& from = operand(o, 0);
  if (!from.is(TypeKind::fragment)) return error("W-11", o, fmt::format("reduces a fragment, not {}", text(from)));
  const IntList& axes = o.attrs.get<IntList>(AttrKey::axes);
  std::vector<bool> reduced(from.rank());
  if (axes.empty()) return error("W-11", o, "names no axis");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= static_cast<std::int64_t>(from.rank()) || (i > 0 && axes[i] <= axes[i - 1]))
      return error("W-11", o, "the axes must ascend and lie in the fragment");
    reduced[static_cast<std::size_t>(axes[i])] = true;
  }
  std::vector<Expr> rest;
  for (std::size_t i = 0; i < from.rank(); ++i)
    if (!reduced[i]) rest.push_back(from.shape[i]);
  Type element = Type::scalar(from.dtype);
  bool ok = arguments(o.regions[0], 0, {element, element}, o, "the combine") &&
            hands_on(o.regions[0], {element}, o, "the combine") && identity(o, {element});
  if (!ok) return;
  if (o.operands.size() == 2 && operand(o, 1) != element)
    return error("W-11", o, "the initial value does not fit the elements");
  results(o, {rest.empty() ? element : Type::fragment(from.dtype, std::move(rest), "")});
}

}  // namespace kir
