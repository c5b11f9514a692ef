// The fold in a reduce, a scan, a contract and a scatter that reduces: a combine over the mapped values of members, an order
// licence, an initial value that takes part once, an identity that may be inserted any number of times.
#pragma once

#include <optional>
#include <span>

#include "core/ir/body.h"

namespace kir {

struct Fold {
  RegionId combine;  // none: a sum of exact products
  std::span<const ValueId> init;
  const ScalarList* identity = nullptr;
  Order order = Order::strict;
  DType type = DType::i32;  // of the only component, or the first one
  std::size_t components = 0;
};
// Of a verified operation; empty when it has none. Of a scatter the old contents are the accumulators. Spans and pointers live
// as long as the operation.
std::optional<Fold> as_fold(const Body& body, const Op& op);

// The pointwise operation that a combine of one component is when it is just one of both its arguments.
std::optional<OpKind> single_operation(const Body& body, RegionId combine);

// Whether the order licence leaves one result, bit for bit (NaN payloads aside).
bool has_one_result(const Body& body, const Fold& fold);

// The argument of the operation's first region that the text binds together with argument `position` of region `which`: the
// variable of an axis is written once and visible in each region that has it. None: bound there.
ValueId bound_with(const Body& body, const Op& op, std::size_t which, std::size_t position);

// How the ranges of a contract are divided.
struct ContractAxes {
  std::size_t batch = 0, left = 0, right = 0, paired = 0;
  std::size_t sum() const { return batch + left + right + paired; }
};
// Empty when the attribute has not four numbers from 0 to 32.
std::optional<ContractAxes> contract_axes(const Op& op);

}  // namespace kir
