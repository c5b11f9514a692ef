// A KIR kernel and a module of kernels and host plans: frozen, shared freely between threads.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/abi.h"
#include "core/ir/body.h"

namespace kir {

// A constexpr binding of a specialization: an integer or an element type.
struct Constexpr {
  std::string name;
  std::variant<std::int64_t, DType> value;
  friend bool operator==(const Constexpr&, const Constexpr&) = default;
};

// A call of a helper function that the parser wrote out: the operations from `first` to before `end` came of it. For messages.
struct InlinedCall {
  std::string helper;
  SourceRange call;
  std::uint32_t first = 0, end = 0;  // operation ids
};

struct Kernel {
  std::string name;                   // as written
  std::vector<Constexpr> constexprs;  // the values of this specialization, already substituted in everything below
  Abi abi;
  ExprPoolPtr pool;
  Body body;
  RegionId root;     // arguments: views and data scalars in declaration order
  SourcePtr source;  // null for built kernels
  SourceRange range;
  std::vector<InlinedCall> calls;  // a call inside another stands behind it

  // "in 'f', called at line 12" for an operation that came of helper calls, innermost first; "" for others.
  std::string call_text(OpId op) const;
  std::string id() const;  // KernelID: "gemm<BM = 64, T = f16>", or the name
};

struct Plan;  // plan.h

struct Module {
  std::vector<std::shared_ptr<const Kernel>> kernels;
  std::vector<std::shared_ptr<const Plan>> plans;  // of these kernels
  SourcePtr source;
  const Kernel* find(std::string_view name_or_id) const;
};

}  // namespace kir
