#include <fmt/format.h>

#include <algorithm>

#include "core/ir/derived_shape.h"
#include "core/ir/loop_exit.h"
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
  if (std::vector<Type> handed = std::move(carried); loop_results(o, handed)) hands_on(o.regions[0], handed, o, "the loop");
}

// The results are the carried values, then a tensor of each collected one.
bool BodyVerifier::loop_results(const Op& o, std::vector<Type>& handed) {
  const std::size_t carried = handed.size();
  if (o.results.size() <= carried) {
    results(o, handed);
    return o.results.size() == carried;
  }
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  std::vector<Type> wanted = handed;
  if (o.attrs.has(AttrKey::step)) error("V-57", o, "a loop that collects has no step", "count, and multiply in the body");
  for (std::size_t i = carried; i < o.results.size(); ++i) {
    const Type& t = body_.type(o.results[i]);
    bool fits = t.is(TypeKind::tensor) && t.rank() == 1 && t.shape[0] != Expr() && ranges[0] != Expr() && ranges[1] != Expr() &&
                is_range_extent(t.shape[0], ranges[0], ranges[1]);
    if (!fits) {
      error("V-57", o, fmt::format("the collected result {} is {}, no tensor of extent end - begin", i, text(t)));
      return false;
    }
    wanted.push_back(t);
    handed.push_back(Type::scalar(t.dtype));
  }
  results(o, wanted);
  return true;
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
  bool goes_on = false;
  const char* what[] = {"the branch", "the else branch"};
  for (std::size_t k = 0; k < 2; ++k)
    if (!leaves_loop(body_, o.regions[k])) {
      goes_on = true;
      hands_on(o.regions[k], wanted, o, what[k]);
    }
  if (!goes_on)
    error("V-56", o, "both branches leave the loop, so that what follows is never reached",
          "leave it in one, go on behind the if");
}

void BodyVerifier::loop_exit(const Op& o) {
  const OpId left = loop_of_exit(body_, o);
  if (!left)
    return error("V-55", o, "ends no branch of an if in the body of a loop", "only ifs may stand between it and its loop");
  const Op& loop = body_.op(left);
  if (loop.results.size() > loop.operands.size())
    return error("V-57", o, "a loop that collects runs every iteration to its end", "carry a flag, or collect in a tensor");
  const std::vector<Type> wanted = types(loop.operands), got = types(o.operands);
  if (got.size() != wanted.size())
    return error("V-55", o, fmt::format("hands on {} values; the loop carries {}", got.size(), wanted.size()));
  for (std::size_t i = 0; i < got.size(); ++i)
    if (got[i] != wanted[i])
      return error("V-55", o, fmt::format("value {} is {}; the loop carries {}", i, text(got[i]), text(wanted[i])));
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
