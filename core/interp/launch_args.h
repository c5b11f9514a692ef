// Actual arguments of a launch, bound to an ABI. Used by the interpreters and by the launcher, so that every provider
// refuses the same launches with the same words.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/interp/tensor.h"
#include "core/ir/abi.h"

namespace kir {

using TensorPtr = std::shared_ptr<Tensor>;

struct LaunchArgs {
  std::map<std::string, TensorPtr> views;  // by parameter name; one Tensor may stand for several (aliasing)
  std::map<std::string, Scalar> scalars;
  std::map<std::string, std::int64_t> symbols;  // index parameters; shape symbols may be given too
};

struct BoundLaunch {
  std::vector<TensorPtr> views;                 // in ABI order
  std::vector<Scalar> scalars;                  // in ABI order
  std::map<std::string, std::int64_t> symbols;  // every symbol of the ABI
};

// What the symbols alone determine.
struct ViewExtent {
  std::vector<std::int64_t> shape, strides;
};
struct LaunchLayout {
  std::map<std::string, std::int64_t> symbols;
  std::vector<ViewExtent> views;  // in ABI order
};

// Checks A-nn (listed in launch_layout.cpp): everything present and nothing unknown; dtype, rank, extents and strides equal
// what the ABI says (a stride of an axis with at most one member does not matter); symbols consistent; each `where` relation
// and data precondition holds (the message names it and the values); written views are injective; views that are not declared
// to alias do not overlap in memory, may_alias views are disjoint or identical, same views identical; byte sizes below 2^63.
// Errors are in `diagnostics` (ranges are those of the ABI's declarations); the result is empty then.
std::optional<BoundLaunch> bind_launch(const Abi& abi, const LaunchArgs& args, Diagnostics& diagnostics);

// Values of symbols: those given, and those that the extents of the given tensors tell. Checks element types, ranks and that
// no symbol has two values. Strides are not looked at: they tell how a tensor lies in memory, which a file does not decide.
std::optional<std::map<std::string, std::int64_t>> symbols_of_extents(const Abi& abi, const LaunchArgs& args,
                                                                      Diagnostics& diagnostics);

// Whether this machine can hold and go through the views of a launch: their bytes, or their elements where these are
// more, are at most max_launch_bytes().
bool fits_this_machine(const Abi& abi, const LaunchLayout& layout, Diagnostics& diagnostics);

// The part of the checks that needs no tensors, for symbols that are all given.
std::optional<LaunchLayout> resolve_layout(const Abi& abi, const std::map<std::string, std::int64_t>& symbols,
                                           Diagnostics& diagnostics);

}  // namespace kir
