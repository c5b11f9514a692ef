// Data preconditions against the elements of a launch.
#pragma once

#include "core/interp/launch_args.h"

namespace kir {

// Reports the first element, or pair of elements, in row-major order that breaks each precondition, with its values. The
// views have the ABI's element types and ranks; the symbols have values. O(elements); unique: O(elements log elements).
bool check_data(const Abi& abi, const std::vector<TensorPtr>& views, const std::map<std::string, std::int64_t>& symbols,
                Diagnostics& diagnostics);

// Gives a view contents that satisfy its data preconditions; without any the tensor stays as it is. A function of the tensor's
// form, the symbols and the seed. False: none of its element type and size do. O(elements log elements).
bool arrange_data(const Abi& abi, std::size_t view, const std::map<std::string, std::int64_t>& symbols, std::uint64_t seed,
                  Tensor& t);

}  // namespace kir
