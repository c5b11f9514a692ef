// What emission tells LLVM beyond the operations of the program. Each is an obligation of whoever calls the code: when one
// does not hold, the compiled program means nothing. The list is printed in certificates and written into launch.json.
//
// Nothing else is asserted: no nsw/nuw/inbounds flags, no fast-math flags, no llvm.assume, no dereferenceable sizes.
#pragma once

#include <string>
#include <vector>

namespace kir::emit {

struct AssertedFact {
  std::string subject;  // "view x"
  std::string fact;     // "noalias"
  std::string because;  // what it follows from: "no alias fact names it; the launcher refuses overlapping views"
  friend bool operator==(const AssertedFact&, const AssertedFact&) = default;
};

using AssertedFacts = std::vector<AssertedFact>;

}  // namespace kir::emit
