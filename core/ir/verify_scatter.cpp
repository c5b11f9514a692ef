// Indexed updates of many elements.
#include <fmt/format.h>

#include <unordered_set>

#include "core/ir/verify_body.h"

namespace kir {

void BodyVerifier::scatter(const Op& o) {
  if (o.operands.empty()) return error("V-38", o, "writes no view");
  std::vector<Type> wanted, values;
  std::unordered_set<ValueId> seen;
  for (std::size_t i = 0; i < o.operands.size(); ++i) {
    const Type& t = operand(o, i);
    if (!t.is(TypeKind::view)) return error("V-38", o, fmt::format("writes views, not {}", text(t)));
    if (t.rank() != operand(o, 0).rank())
      return error("V-38", o, "the views differ in rank: a member yields one place for all");
    if (!seen.insert(o.operands[i]).second) return error("V-38", o, "writes a view twice");
    written_view(o, o.operands[i]);
    values.push_back(Type::scalar(t.dtype));
  }
  wanted.assign(operand(o, 0).rank(), Type::index());
  wanted.insert(wanted.end(), values.begin(), values.end());

  if (!domain(o, o.regions[0], 0) || !is_terminated(o.regions[0], OpKind::yield)) return;  // V-16, V-17
  std::vector<Type> got = types(body_.yields(o.regions[0]));
  if (got.size() == wanted.size() + 1) wanted.push_back(Type::scalar(DType::i1));
  if (got.size() != wanted.size())
    return error("V-39", o, fmt::format("a member yields {} values instead of {}", got.size(), wanted.size()),
                 "a coordinate for each axis, a value for each view, and perhaps a predicate");
  for (std::size_t i = 0; i < got.size(); ++i)
    if (got[i] != wanted[i])
      return error("V-39", o, fmt::format("value {} of a member is {} instead of {}", i, text(got[i]), text(wanted[i])),
                   "a coordinate for each axis, a value for each view, and perhaps a predicate");

  const bool reduces = o.attrs.get<Collision>(AttrKey::collision) == Collision::reduce;
  if (o.attrs.has(AttrKey::order) != reduces || (o.regions.size() == 2) != reduces)
    return error("V-40", o,
                 reduces ? "values that are combined need an order and a combine"
                         : "an element that has one writer needs neither an order nor a combine");
  if (!reduces) return;
  std::vector<Type> twice = values;
  twice.insert(twice.end(), values.begin(), values.end());
  if (types(body_.region(o.regions[1]).args) != twice)
    return error("V-40", o, "the combine takes the old contents of each view, then as many values");
  if (is_terminated(o.regions[1], OpKind::yield) && types(body_.yields(o.regions[1])) != values)
    error("V-40", o, "the combine yields the new contents of each view");
}

void BodyVerifier::histogram(const Op& o) {
  const Type& bins = operand(o, 0);
  if (!bins.is(TypeKind::view) || bins.rank() != 1)
    return error("V-41", o, fmt::format("the bins are {}, not a view of rank 1", text(bins)));
  written_view(o, o.operands[0]);
  if (!domain(o, o.regions[0], 0) || !is_terminated(o.regions[0], OpKind::yield)) return;  // V-16, V-17
  const std::vector<Type> got = types(body_.yields(o.regions[0]));
  std::vector<Type> wanted{Type::index(), Type::scalar(bins.dtype)};
  if (got.size() == 3) wanted.push_back(Type::scalar(DType::i1));
  if (got != wanted)
    error("V-41", o, fmt::format("a member yields an index, a weight of type {}, and perhaps a predicate", name(bins.dtype)),
          "keys of data become indices by to_index(k)");
}

}  // namespace kir
