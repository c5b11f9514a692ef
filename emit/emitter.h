// One physical program into one LLVM function, for any provider. Each operation family has a file of its own: expr_emission,
// pointwise, convert, memory, atomic, control, reduce, philox, fragment, dispatch.
//
// Errors (in diagnostics, with the range of the operation):
//   E-01  a diagnostic of LLVM or of the assembler
//   E-02  an operation of the other vocabulary
//   E-03  a math function that the provider has no implementation of
//   E-04  a fragment's shape or layout
//   E-05  the order licence of a tile_reduce over threads
//   E-06  the launch shape
//   E-07  fragments above the provider's storage
//   E-08  an unknown target
//   E-09  an operation or a form of it without code
//
// SSA values in LLVM: i1 is i1; i8 ... u64 are iN; f32 and f64 are float and double; f16, bf16 and f8 are their bits; tf32 is
// float. In memory i1 is a byte, 0 or 1, read as != 0.
//
// Threads. In a program of T > 1 threads every thread computes every scalar, so that scalars and control flow are uniform;
// a fragment of n elements belongs to the threads by position: element i to thread i mod T, register i div T. The program's
// meaning is sequential, so memory shared by its threads needs barriers: see memory.cpp.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/pir/program.h"
#include "emit/asserted_facts.h"
#include "emit/provider.h"
#include "emit/workspace.h"

namespace kir::emit {

// The kernel's symbol: prefixed, since a program may be called like an instruction of PTX or a function of the C library.
std::string entry_name(const PhysicalProgram& program);

// An SSA value. Scalar: one entry in `lanes`. Fragment: the entries this thread owns, in `lanes` or (host) in an array.
struct Lowered {
  std::vector<llvm::Value*> lanes;
  llvm::Value* array = nullptr;  // of the memory form of the element type
};

// A fragment element this thread owns.
struct Lane {
  llvm::Value* index;     // i64: register or array index; a constant when fragments are registers
  llvm::Value* position;  // i64: row-major linear position in the fragment
};

class Emitter {
 public:
  Emitter(const PhysicalProgram& program, const Provider& provider, llvm::Module& module, Diagnostics& diagnostics);

  // The kernel function: arguments as emit.h's ABI, then (without threads) the program id as i64. Null after an error.
  llvm::Function* emit_kernel();
  const AssertedFacts& facts() const { return facts_; }

 private:
  using Builder = llvm::IRBuilder<>;

  // dispatch.cpp
  void declare_kernel();
  void bind_arguments();
  void emit_dispatch();
  llvm::Value* program_id();

  // control.cpp
  std::vector<Lowered> emit_region(RegionId region);  // the yielded values; the arguments must be bound
  void emit_op(const Op& op);
  void emit_for(const Op& op);
  void emit_while(const Op& op);
  void emit_if(const Op& op);
  // Values that meet at a join: registers are phis of the block, arrays are storage that each predecessor fills.
  struct Slot {
    std::vector<llvm::PHINode*> phis;
    llvm::Value* array = nullptr;
    const Type* type = nullptr;
  };
  std::vector<Slot> make_slots(std::span<const Type* const> types, llvm::BasicBlock* join);
  // A block where control meets, with the values that meet there.
  struct Join {
    llvm::BasicBlock* block = nullptr;
    std::vector<Slot> slots;
  };
  struct Loop {
    Join next, after;  // where `continue` and `break` of the loop go
  };
  Join make_join(const std::string& name, std::span<const Type* const> types);
  std::vector<Lowered> go_to(const Join& join, std::span<const Lowered> values);
  // From the builder's current block, which then branches to the join. All slots are assigned in parallel.
  void assign(std::span<const Slot> slots, std::span<const Lowered> values);
  // The values that `then` gives where the condition holds, else the others.
  std::vector<Lowered> choose(llvm::Value* condition, std::span<const Type* const> types,
                              const std::function<std::vector<Lowered>()>& then, std::span<const Lowered> otherwise);
  std::vector<const Type*> types_of(std::span<const ValueId> values) const;
  Lowered value_of(const Slot& slot) const;
  std::vector<Lowered> values_of(std::span<const Slot> slots) const;
  // for (i = lo; i < hi; i += step) over carried slots, computing no value of i beyond the last one that is used; leaves the
  // builder behind the loop and gives the final values.
  std::vector<Lowered> counted_loop(llvm::Value* lo, llvm::Value* hi, llvm::Value* step, std::span<const Type* const> types,
                                    std::span<const Lowered> initial, const std::string& name,
                                    const std::function<std::vector<Lowered>(llvm::Value*, std::vector<Lowered>)>& body);

  // reduce.cpp
  void emit_reduce(const Op& op);
  // The accumulators of a fold: one for each component (and result); then, where neither an initial value nor an identity
  // starts it, a flag whether there is a value yet.
  struct Accumulators {
    RegionId combine;
    std::size_t components = 0;
    std::vector<const Type*> types;
    std::vector<Lowered> start;
  };
  Accumulators accumulators(const Op& op, RegionId combine, std::span<const ValueId> init, const ScalarList* identity);
  std::vector<Lowered> fold_in(const Accumulators& a, std::vector<Lowered> state, std::vector<Lowered> element);
  // Nested loops over the domain of a region, whose variables they define: in row-major order, or in reverse.
  std::vector<Lowered> over_members(const Op& op, RegionId domain, bool forward, const Accumulators& a,
                                    const std::function<std::vector<Lowered>(std::vector<Lowered>)>& member);
  // What a member makes of the state, where region number `where` (if the operation has it) says that the member is there.
  std::vector<Lowered> if_active(const Op& op, std::size_t where, const Accumulators& a, std::vector<Lowered> state,
                                 const std::function<std::vector<Lowered>(std::vector<Lowered>)>& member);
  void same_variables(RegionId domain, RegionId other);
  void emit_arg_reduce(const Op& op);
  void emit_contract(const Op& op);
  llvm::Value* wins(const Op& op, DType t, llvm::Value* later, llvm::Value* best);
  void emit_scan(const Op& op);
  // region.cpp
  std::vector<Lowered> of_segment(RegionId r, llvm::Value* lo, llvm::Value* hi, std::span<const Lowered> states);
  void emit_region_fold(const Op& op);
  void emit_region_scan(const Op& op);
  // philox.cpp
  void emit_philox(const Op& op);

  // pointwise.cpp, convert.cpp
  void emit_pointwise(const Op& op);
  llvm::Value* pointwise(const Op& op, std::span<llvm::Value* const> x);
  llvm::Value* min_max(OpKind kind, DType t, llvm::Value* a, llvm::Value* b);
  llvm::Value* compare(CmpPredicate predicate, DType t, llvm::Value* a, llvm::Value* b);
  llvm::Value* convert(ConvertMode mode, DType from, DType to, llvm::Value* x);
  llvm::Value* literal(const Scalar& s);
  llvm::Value* to_compute(DType t, llvm::Value* x);    // float or double with the same value
  llvm::Value* from_compute(DType t, llvm::Value* x);  // rounded once
  llvm::Value* widened(DType t, llvm::Value* x);       // double with the same value
  llvm::Value* nan(DType t);
  llvm::Value* fused(DType t, llvm::Value* a, llvm::Value* b, llvm::Value* c);  // a * b + c, rounded once

  // buffer.cpp
  // How the elements of a view of the ABI or of a buffer lie in memory.
  struct Storage {
    DType dtype = DType::f32;
    bool constant = false;              // nothing writes it during the launch
    std::vector<llvm::Value*> extents;  // of a buffer
    std::vector<llvm::Value*> strides;  // in elements
  };
  const Storage& hold(ValueId buffer, std::span<const Expr> extents);
  Storage storage_of(ValueId view);
  void emit_buffer(const Op& op);

  // memory.cpp
  void emit_load(const Op& op);
  void emit_store(const Op& op);
  llvm::Value* element_address(ValueId view, std::span<const ValueId> coordinates, const Lane* lane);
  llvm::Value* load_element(const Storage& from, llvm::Value* address);
  void when(llvm::Value* condition, const std::function<void()>& then);
  bool store_needs_barrier(const Op& op);
  std::size_t alias_class(std::size_t view) const;

  // atomic.cpp
  void emit_atomic(const Op& op);
  llvm::Value* read_modify_write(AtomicOp op, DType t, llvm::Value* address, llvm::Value* x, const AtomicPlace& place);
  llvm::Value* updated(AtomicOp op, DType t, llvm::Value* old, llvm::Value* x);
  llvm::Value* to_bits(DType t, llvm::Value* x);
  llvm::Value* of_bits(DType t, llvm::Value* bits);

  // fragment.cpp
  struct Shape {
    std::vector<std::int64_t> extents;
    std::int64_t elements = 1;
    std::int64_t lanes = 1;    // per thread
    bool distributed = false;  // over the threads
  };
  const Shape* shape_of(const Type& type, SourceRange range);  // null after an error
  // Evaluates body for every lane and collects the results.
  Lowered map_lanes(const Type& type, SourceRange range, const std::function<llvm::Value*(const Lane&)>& body);
  void each_lane(const Type& type, SourceRange range, const std::function<void(const Lane&)>& body);
  llvm::Value* lane_value(ValueId v, const Lane* lane);  // scalars: the value itself
  llvm::Value* lane_of(const Lowered& fragment, const Type& type, llvm::Value* index);
  llvm::Value* coordinate(const Shape& shape, std::size_t axis, llvm::Value* position);
  void emit_splat(const Op& op);
  void emit_tile_reduce(const Op& op);
  llvm::Value* combine(const Op& op, llvm::Value* left, llvm::Value* right);  // region 0 of a tile_reduce
  llvm::Value* reduce_over_threads(const Op& op, DType t, llvm::Value* partial);
  llvm::Value* new_array(const Type& type, std::int64_t count, SourceRange range);

  // expressions
  llvm::Value* expression(Expr e, unsigned width, const Lane* lane = nullptr, const Shape* shape = nullptr);

  llvm::Type* value_type(DType t);
  llvm::Type* memory_type(DType t);
  llvm::Value* to_memory(DType t, llvm::Value* v);
  llvm::Value* from_memory(DType t, llvm::Value* v);
  llvm::Value* scalar(ValueId v) const { return values_[v.index].lanes.at(0); }
  void define(ValueId v, Lowered x) { values_[v.index] = std::move(x); }
  void define(ValueId v, llvm::Value* x) { values_[v.index] = {{x}, nullptr}; }
  Lowered undefined(const Type& type, SourceRange range);  // a placeholder after an error, or a value nobody may look at
  llvm::BasicBlock* new_block(const std::string& name);
  void error(std::string id, SourceRange range, std::string message, std::string hint = {});
  std::int64_t threads() const { return provider_.has_threads() ? program_.launch.threads : 1; }

  const PhysicalProgram& program_;
  const Body& body_;
  const Provider& provider_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  Diagnostics& diagnostics_;
  Builder b_;
  llvm::Function* function_ = nullptr;
  std::vector<Lowered> values_;
  std::map<std::string, llvm::Value*> symbols_;  // symbols and definitions, i64
  std::map<std::string, Shape> shapes_;          // by printed shape and layout
  Workspace workspace_;
  llvm::Value* slice_ = nullptr;  // of the workspace, of this program instance
  std::map<ValueId, Storage> buffers_;
  AssertedFacts facts_;
  std::int64_t array_bytes_ = 0;
  std::vector<Loop> loops_;           // around the builder
  int loop_depth_ = 0;                // loops open around the builder, in the program's sense
  std::optional<std::size_t> group_;  // being emitted
  bool failed_ = false;
};

}  // namespace kir::emit
