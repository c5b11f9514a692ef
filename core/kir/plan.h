// A host plan: kernels that are launched one after the other, and the memory between them. A launch begins when the one before
// has ended; launches are never fused. It is how an algorithm of several kernels (a scan of a whole array, a reduction in two
// passes) is written, run and tested.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/kir/kernel.h"

namespace kir {

// Memory that a plan allocates: row-major, uninitialised, gone when the plan ends.
struct Temporary {
  std::string name;
  DType dtype = DType::f32;
  std::vector<Expr> shape;  // over the plan's symbols
  SourceRange range;
};

// What is given to a view of a kernel: a view of the plan, or a temporary.
struct BufferRef {
  bool temporary = false;
  std::size_t index = 0;
  friend bool operator==(const BufferRef&, const BufferRef&) = default;
  friend auto operator<=>(const BufferRef&, const BufferRef&) = default;
};

// What is given to a data scalar of a kernel: a data scalar of the plan, by its index, or a value.
using ScalarArgument = std::variant<std::size_t, Scalar>;

struct PlanLaunch {
  std::shared_ptr<const Kernel> kernel;
  std::vector<BufferRef> buffers;       // by view of the kernel
  std::vector<ScalarArgument> scalars;  // by data scalar of the kernel
  std::vector<Expr> symbols;            // by symbol of the kernel: over the plan's symbols; absent where it is no parameter
  SourceRange range;
};

struct Plan {
  static constexpr std::size_t kMaxSteps = 1000;  // temporaries, and launches

  std::string name;
  Abi abi;  // without values
  std::vector<Temporary> temporaries;
  std::vector<PlanLaunch> launches;
  ExprPoolPtr pool;
  SourcePtr source;  // null for built plans
  SourceRange range;

  const std::string& name_of(const BufferRef& b) const {
    return b.temporary ? temporaries[b.index].name : abi.views[b.index].name;
  }
  const std::vector<Expr>& shape_of(const BufferRef& b) const {
    return b.temporary ? temporaries[b.index].shape : abi.views[b.index].shape;
  }
  DType dtype_of(const BufferRef& b) const { return b.temporary ? temporaries[b.index].dtype : abi.views[b.index].dtype; }
};

}  // namespace kir
