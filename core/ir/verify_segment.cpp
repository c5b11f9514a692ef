// Folds and scans over segments: what their regions may use, where a segment's bounds may stand, and what agrees in type.
//   operands  what the regions use from outside, then the initial state of a scan
//   regions   summarize (lo, hi), combine (two summaries), where (member)     or, of a scan,
//             summarize (lo, hi), combine (two summaries), apply (summary, state), emit (lo, hi, state)
//   results   the components of a summary     or, of a scan, a tensor for each slice, then the state
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/derived_shape.h"
#include "core/ir/verify_body.h"

namespace kir {
namespace {

// Axes of these may be a segment: what they do with the members does not depend on where the axis begins and ends.
bool takes_segment_axis(const Op& o) {
  switch (o.kind) {
    case OpKind::for_loop: return !o.attrs.has(AttrKey::step);
    case OpKind::slice:
    case OpKind::reduce:
    case OpKind::arg_reduce:
    case OpKind::scan:
    case OpKind::region_fold:
    case OpKind::region_scan:
    case OpKind::contract: return true;
    default: return false;
  }
}

bool is_value(Expr e) { return e != Expr() && e.is(ExprKind::value); }

}  // namespace

void BodyVerifier::open_segments(const Op& o) {
  if (levels_.empty()) levels_.resize(body_.value_count());
  scopes_.emplace_back();
  for (ValueId v : o.operands) scopes_.back().insert(v);
  for (std::size_t i = 0; i < o.regions.size(); ++i) {
    const std::vector<ValueId>& args = body_.region(o.regions[i]).args;
    const bool has_bounds = i == 0 || (o.kind == OpKind::region_scan && i == 3);
    if (!has_bounds || args.size() < 2) continue;
    ends_.emplace(args[0], args[1]);
    ends_.emplace(args[1], ValueId{});
  }
}

void BodyVerifier::close_segments() { scopes_.pop_back(); }

void BodyVerifier::define(ValueId v) {
  visible_[v.index] = true;
  if (!scopes_.empty()) levels_[v.index] = static_cast<std::uint16_t>(scopes_.size());
}

bool BodyVerifier::is_segment(Expr lo, Expr hi) const {
  if (ends_.empty() || !is_value(lo) || !is_value(hi)) return false;
  auto it = ends_.find(lo.value());
  return it != ends_.end() && it->second && it->second == hi.value() && visible_[lo.value().index] &&
         visible_[hi.value().index] && levels_[lo.value().index] == scopes_.size();
}

bool BodyVerifier::is_segment_extent(Expr e) const {
  return e != Expr() && e.is(ExprKind::sub) && is_segment(e.kid(1), e.kid(0));
}

// The expressions of a list attribute that name a segment as a whole.
bool BodyVerifier::names_segment(const Op& o, AttrKey key, const ExprList& list, std::size_t i) const {
  if (key == AttrKey::extents) return o.kind == OpKind::broadcast && is_segment_extent(list[i]);
  if (key != AttrKey::ranges || !takes_segment_axis(o)) return false;
  const std::size_t lo = i - i % 2;
  return lo + 1 < list.size() && is_segment(list[lo], list[lo + 1]);
}

bool BodyVerifier::usable(ValueId v, SourceRange range) {
  if (context_.physical) return true;  // nothing cuts a physical axis anew, so that its bounds are numbers like others
  const auto name = [&] { return body_.value(v).name.empty() ? std::string("a value") : "'" + body_.value(v).name + "'"; };
  if (!ends_.empty() && ends_.contains(v)) {
    error("V-60", range,
          fmt::format("{}, a segment's bound, stands only in the pair of bounds of an axis and in an extent", name()),
          "for j in lo..hi; extents are hi - lo");
    return false;
  }
  if (scopes_.empty() || levels_[v.index] >= scopes_.size() || scopes_.back().contains(v)) return true;
  error("V-59", range, fmt::format("{} comes from outside and is not listed", name()), "add it to uses (...)");
  return false;
}

std::optional<std::vector<Type>> BodyVerifier::yielded(RegionId r) const {
  if (!is_terminated(r, OpKind::yield)) return std::nullopt;
  return types(body_.yields(r));
}

bool BodyVerifier::data_components(const std::vector<Type>& components, const Op& o, const char* rule, const char* what) {
  if (components.empty()) error(rule, o, fmt::format("{} is empty", what));
  for (const Type& t : components)
    if (!t.is(TypeKind::scalar)) {
      error(rule, o, fmt::format("{} holds data scalars, not {}", what, text(t)));
      return false;
    }
  return !components.empty();
}

bool BodyVerifier::segment_arguments(RegionId r, const std::vector<Type>& more, const Op& o, const char* what) {
  const std::vector<ValueId>& args = body_.region(r).args;
  if (args.size() < 2 || !is_integer_variable(body_.type(args[0])) || body_.type(args[0]) != body_.type(args[1])) {
    error("V-17", o, fmt::format("the first arguments of {} are the segment's bounds", what));
    return false;
  }
  return arguments(r, 2, more, o, what);
}

// What a fold and a scan have in common. `components` of a summary are filled in.
bool BodyVerifier::segments(const Op& o, std::size_t captures, std::vector<Type>& components) {
  if (o.attrs.get<ExprList>(AttrKey::ranges).size() != 2) {
    error("V-58", o, "cuts one axis");
    return false;
  }
  if (o.attrs.get<Order>(AttrKey::order) == Order::any) {
    error("V-58", o, "segments keep their order: the licence is strict or tree");
    return false;
  }
  std::vector<ValueId> listed(o.operands.begin(), o.operands.begin() + static_cast<std::ptrdiff_t>(captures));
  std::sort(listed.begin(), listed.end());
  if (std::adjacent_find(listed.begin(), listed.end()) != listed.end()) {
    error("V-58", o, "a captured value is listed twice");
    return false;
  }
  if (!segment_arguments(o.regions[0], {}, o, "the summary")) return false;
  std::optional<std::vector<Type>> summary = yielded(o.regions[0]);
  if (!summary || !data_components(*summary, o, "V-61", "a summary")) return false;
  components = std::move(*summary);
  std::vector<Type> twice = components;
  twice.insert(twice.end(), components.begin(), components.end());
  return arguments(o.regions[1], 0, twice, o, "the combine") && hands_on(o.regions[1], components, o, "the combine") &&
         identity(o, components);
}

void BodyVerifier::region_fold(const Op& o) {
  std::vector<Type> components;
  if (!segments(o, o.operands.size(), components)) return;
  if (o.regions.size() > 2) {
    const Type member = body_.type(body_.region(o.regions[0]).args[0]);
    if (!arguments(o.regions[2], 0, {member}, o, "the predicate")) return;
    hands_on(o.regions[2], {Type::scalar(DType::i1)}, o, "the predicate");
  }
  if (types(o.results) != components) error("V-61", o, "the results are not the components of a summary");
}

void BodyVerifier::region_scan(const Op& o) {
  std::optional<std::vector<Type>> state = yielded(o.regions[2]);
  if (!state || !data_components(*state, o, "V-62", "the state")) return;
  if (o.operands.size() < state->size()) return error("V-62", o, "the initial state is missing");
  const std::size_t captures = o.operands.size() - state->size();
  std::vector<Type> components;
  if (!segments(o, captures, components)) return;
  if (types(std::span(o.operands).subspan(captures)) != *state)
    return error("V-62", o, "the initial values do not fit the state that a summary is applied to");
  std::vector<Type> applied = components;
  applied.insert(applied.end(), state->begin(), state->end());
  if (!arguments(o.regions[2], 0, applied, o, "apply") || !segment_arguments(o.regions[3], *state, o, "emit")) return;
  if (context_.physical) {
    if (!hands_on(o.regions[3], {}, o, "emit")) return;
    if (types(o.results) != *state) error("W-14", o, "the results are not the final state");
    return;
  }
  std::optional<std::vector<Type>> slices = yielded(o.regions[3]);
  if (!slices) return;
  if (slices->empty()) return error("V-62", o, "emits no slice");
  if (o.results.size() != slices->size() + state->size())
    return error("V-62", o,
                 fmt::format("{} results for {} slices and {} components of the state", o.results.size(), slices->size(),
                             state->size()));
  const ExprList& range = o.attrs.get<ExprList>(AttrKey::ranges);
  const std::vector<ValueId>& bounds = body_.region(o.regions[3]).args;
  auto is = [](Expr e, ValueId v) { return is_value(e) && e.value() == v; };
  for (std::size_t i = 0; i < slices->size(); ++i) {
    const Type &slice = (*slices)[i], &result = body_.type(o.results[i]);
    bool fits = slice.is(TypeKind::tensor) && result.is(TypeKind::tensor) && slice.rank() > 0 && slice.dtype == result.dtype &&
                slice.rank() == result.rank() && slice.shape[0] != Expr() && slice.shape[0].is(ExprKind::sub) &&
                is(slice.shape[0].kid(0), bounds[1]) && is(slice.shape[0].kid(1), bounds[0]);
    if (!fits)
      return error(
          "V-62", o,
          fmt::format("slice {} is {} for the result {}; its first axis is the segment", i, text(slice), text(result)));
    fits = result.shape[0] != Expr() && range[0] != Expr() && range[1] != Expr() &&
           is_range_extent(result.shape[0], range[0], range[1]) &&
           std::equal(slice.shape.begin() + 1, slice.shape.end(), result.shape.begin() + 1);
    if (!fits) return error("V-62", o, fmt::format("result {} is {}, not the slices behind one another", i, text(result)));
  }
  if (types(std::span(o.results).subspan(slices->size())) != *state)
    error("V-62", o, "the last results are not the final state");
}

}  // namespace kir
