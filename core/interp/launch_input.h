// Arguments of a launch as text, for tools and tests.
//   integer      M=33
//   data scalar  alpha=1.5 (a literal of its type) or alpha=random:SEED
//   view         x=FILE.npy     its logical elements, laid out with the ABI's strides
//                x=[[1, 2.5], [nan, 4]]  the same, written out (core/interp/tensor_text.h)
//                x=random:SEED  fill_random, or what satisfies the data preconditions; x=random:SEED:special with special
//                values x=zeros y=@x           the memory of x
// Integers that stand alone as an extent may be left out where a file or an array tells them. A view that is only written may
// be left out: it holds zeros. Views declared the same share one argument.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/interp/launch_args.h"

namespace kir {

struct GivenArgument {
  std::string name, text;
};

// Errors: A-14 for a text that is no value for its parameter, and those of resolve_layout. The result still goes through
// bind_launch.
std::optional<LaunchArgs> make_arguments(const Abi& abi, const std::vector<GivenArgument>& given, Diagnostics& diagnostics);

// The same arguments in memory of their own; views that shared memory still do.
LaunchArgs copy_arguments(const LaunchArgs& args);

// Only the arguments that this ABI knows, for programs whose ABI has fewer integers than the kernel's.
LaunchArgs restrict_arguments(const LaunchArgs& args, const Abi& abi);

}  // namespace kir
