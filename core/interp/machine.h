// Executes decoded bodies. Values live in dense slots, one per SSA value: control is structured and never recursive, so
// each value has at most one live instance.
//
// Every function that can end the execution returns false after setting error(). A break or continue returns false too,
// up to the loop it leaves.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/interp/code.h"
#include "core/interp/interpreter.h"
#include "core/interp/memory.h"

namespace kir {

struct TensorValue {
  std::vector<Integer> low;  // coordinates are members of the domain: they begin here
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> words;
  std::vector<Taint> taint;
  std::vector<double> radius;  // only when bounds are tracked
};

class BoundRules;

class Machine {
 public:
  Machine(const Body& body, const Abi& abi, const Code& code, Memory& memory, const InterpretOptions& options);

  void set_scalar(Slot s, std::uint64_t word) { words_[s] = word; }
  void set_integer(Slot s, Integer v);
  bool run_region(RegionId r);
  bool count_step(OpId op, std::uint64_t n = 1);
  bool fail(RuntimeErrorKind kind, OpId op, std::string message);
  bool fail_at(RuntimeErrorKind kind, SourceRange range, std::string message);  // outside any operation

  void set_program(std::int64_t id) { program_ = id; }  // for messages
  void set_focus(const Focus* focus) { focus_ = focus; }
  void set_bounds(BoundRules* rules) { bounds_ = rules; }
  Memory& memory() { return memory_; }
  bool evaluate(std::uint32_t expression, OpId op, Integer& out);            // the value must be untainted
  bool evaluate_at(const IndexCode& code, SourceRange range, Integer& out);  // outside any operation

  const std::optional<RuntimeError>& error() const { return error_; }
  OpId failed() const { return failed_; }  // the operation at fault, if one is
  std::uint64_t steps() const { return steps_; }
  // The error is that bounds could not tell which way the execution goes.
  bool undecided() const { return undecided_; }
  // How the message of a race names the earlier instance, per level of the nest.
  struct LevelNames {
    std::vector<std::uint32_t> starts;             // stamps of the instances in the order they ran
    std::function<std::string(std::size_t)> name;  // of the instance that ran as number n
  };
  void enter_level(std::function<std::string(std::size_t)> name);
  bool start_instance(OpId op);
  void leave_level();

 private:
  friend class BoundRules;
  friend class SegmentRun;
  static constexpr std::size_t kRememberedInstances = std::size_t{1} << 20;

  bool execute(const Instr& i);
  // machine_pointwise.cpp
  bool element_operation(const Instr& i, const std::uint64_t* in, std::uint64_t& out, ScalarError& error) const;
  bool scalar_fault(const Instr& i, ScalarError error, Taint taint, const std::uint64_t* in);
  bool may_fault(const Instr& i, const std::uint64_t* in, const Taint* taints) const;
  bool pointwise(const Instr& i);
  bool tensor_pointwise(const Instr& i);
  bool index(const Instr& i);
  bool index_fault(const IndexCode::Result& r, OpId op);
  std::string fault_text(const IndexCode::Result& r) const;
  bool convert_index(const Instr& i);
  // machine_memory.cpp
  bool predicate(Slot where, OpId op, std::string_view what, bool& active);
  // Follows the relations from the coordinates of the outer value to those of the base, checking each against its extents.
  bool reach_base(const AccessPlan& plan, OpId op, Integer* coordinates);
  bool outside(const AccessPlan& plan, std::size_t level, OpId op, const Integer* coordinates, std::span<const Integer> low,
               std::span<const std::int64_t> extents);
  bool follow_step(const RelationStep& s, OpId op, Integer* coordinates);
  bool address_of(const AccessPlan& plan, OpId op, Integer* coordinates, std::int64_t& address);
  bool read_coordinates(const AccessPlan& plan, OpId op, Integer* coordinates);
  bool read_memory(const AccessPlan& plan, std::int64_t address, OpId op, std::uint64_t& word);
  bool write_memory(const AccessPlan& plan, std::int64_t address, OpId op, std::uint64_t word);
  bool fail_access(RuntimeErrorKind kind, OpId op, std::string message, std::string access);
  bool access_fault(AccessFault f, const RaceWitness& w, const AccessPlan& plan, OpId op, std::int64_t address,
                    const std::uint64_t* written = nullptr);
  std::string rival(const RaceWitness& w) const;
  // Tells the watch of an access that was made.
  void note(const AccessPlan& plan, OpId op, std::int64_t address, bool writes, std::uint64_t word) {
    if (options_.watch != nullptr) [[unlikely]]
      note_watched(plan, op, address, writes, word);
  }
  void note_watched(const AccessPlan& plan, OpId op, std::int64_t address, bool writes, std::uint64_t word);
  // The element of a view or tensor at the coordinates of the outer value.
  bool read_element(const AccessPlan& plan, OpId op, DType t, Integer* coordinates, std::uint64_t& word, Taint& taint,
                    double& radius);
  bool load(const Instr& i);
  bool store(const Instr& i);
  bool elem(const Instr& i);
  // machine_effects.cpp
  bool in_bounds(const Instr& i);
  bool buffer(const Instr& i);
  void masked_result(const Instr& i, Slot fill);
  bool storable(Slot s, OpId op, std::string_view what);
  bool atomic(const Instr& i);
  bool scatter(const Instr& i);
  bool histogram(const Instr& i);
  bool updates(const Instr& i, bool (Machine::*apply)(const Instr&, const UpdatePlan&));
  bool merge_read(const AccessPlan& target, std::int64_t address, OpId op, Order order, std::uint64_t& word);
  bool merge_write(const AccessPlan& target, std::int64_t address, OpId op, Order order, std::uint64_t word);
  bool scatter_member(const Instr& i, const UpdatePlan& plan);
  bool histogram_member(const Instr& i, const UpdatePlan& plan);
  void arbitrary(DType t, std::uint64_t& word);
  std::string access_text(const AccessPlan& plan, OpId op) const;
  // The same, with the place in memory where coordinates are those of a tile.
  std::string element_text(const AccessPlan& plan, OpId op, std::int64_t address) const;
  // machine_control.cpp
  bool parallel(const Instr& i);
  bool for_loop(const Instr& i);
  bool for_range(const Instr& i, const ForPlan& plan, Integer low, Integer high, Integer step);
  bool for_focused(const Instr& i, const ForPlan& plan, Integer low, Integer high, Integer step,
                   const std::vector<std::int64_t>& wanted);
  bool for_collect(const Instr& i, const ForPlan& plan, Integer low, Integer high);
  bool while_loop(const Instr& i);
  // One run of a loop's body. A break or continue in it has handed on the carried values itself.
  enum class Round : std::uint8_t { next, left, failed };
  Round round(RegionId body, const MovePlan& next, OpId op);
  bool if_else(const Instr& i);
  bool assume(const Instr& i);
  bool move(const MovePlan& plan, OpId op);
  bool check_observed(Taint t, OpId op, std::string_view what);  // `what` is about to be observed
  // machine_tensor.cpp
  // The members of a domain that run: all, or those of the focus.
  struct Domain {
    std::vector<Integer> low;
    std::vector<std::int64_t> extent;                              // members that run, per axis
    std::vector<std::optional<std::vector<std::int64_t>>> values;  // under a focus
    std::int64_t count = 1;
    bool skips = false;  // some members do not run
  };
  bool domain(const DomainPlan& plan, OpId op, Domain& d);
  Integer member_value(const Domain& d, std::size_t axis, std::int64_t c) const;
  void set_member(const DomainPlan& plan, const Domain& d, std::int64_t linear);
  std::string member_text(const DomainPlan& plan, const Domain& d, std::int64_t linear) const;
  // The region's value for each member, as a tensor; nothing is kept when some are left out.
  bool compute_members(const DomainPlan& plan, const Domain& d, RegionId region, Slot yield, OpId op, TensorValue& out);
  bool extents(const ExtentsPlan& plan, OpId op);
  bool tensor_compute(const Instr& i);
  // The elements of a tensor that is seen through relations, as a tensor of its own.
  bool materialize(const AccessPlan& plan, OpId op, std::shared_ptr<TensorValue>& out);
  bool read_tensor(const AccessPlan& plan, OpId op, Integer* coordinates, std::uint64_t& word, Taint& taint, double& radius);
  bool tensor_shape(const AccessPlan& plan, OpId op, std::vector<std::int64_t>& shape, std::int64_t& count);
  // machine_fold.cpp
  // A fold in progress; its state is in the accumulators once it has started.
  struct FoldRun {
    const FoldPlan& plan;
    OpId op;
    bool skips = false;  // some members are left out
    bool started = false;
    bool licensed = false;  // bounds of other orders are kept
  };
  bool begin_fold(FoldRun& run);   // takes the initial values
  bool fold_member(FoldRun& run);  // takes the values of a member
  bool end_fold(FoldRun& run, std::string_view what, std::int64_t members);
  bool is_active(const WherePlan& where, OpId op, const DomainPlan& plan, const Domain& d, std::int64_t member, bool& active);
  bool reduce(const Instr& i);
  bool arg_reduce(const Instr& i);
  bool scan(const Instr& i);
  bool store_state(const ScanPlan& plan, const FoldRun& run);
  // machine_contract.cpp
  struct Sides;
  bool contract(const Instr& i);
  bool sum_exactly(const ContractPlan& plan, const Instr& i, const Sides& sides, TensorValue& out);
  bool combine_products(const ContractPlan& plan, const Instr& i, const Sides& sides, TensorValue& out);
  // machine_segment.cpp
  bool region_fold(const Instr& i);
  bool region_scan(const Instr& i);
  // machine_gather.cpp
  bool source_shape(const AccessPlan& plan, OpId op, std::vector<std::int64_t>& shape);
  bool make_tensor(OpId op, std::vector<std::int64_t> shape, std::shared_ptr<TensorValue>& out);  // zeros
  bool reshape(const Instr& i);
  bool concat(const Instr& i);
  bool iota(const Instr& i);
  bool gather(const Instr& i);
  bool part(const Instr& i);
  bool philox(const Instr& i);
  // machine_tile.cpp
  bool tile_index(const Instr& i);
  bool tile_pointwise(const Instr& i);
  bool tile_access(const Instr& i, bool write);
  bool splat(const Instr& i);
  bool tile_reduce(const Instr& i);

  Integer integer(Slot s) const;
  std::span<const ValueId> member_variables(const Op& op, RegionId r) const;
  std::string_view verb(OpId op) const;              // the operation's name; of the end of a region, its owner's
  std::vector<NamedValue> variables(OpId op) const;  // of the loops and domains around the operation, outermost first
  std::string value_name(Slot s) const;
  std::string base_name(const AccessPlan& plan) const;  // of the memory below an access

  const Body& body_;
  const Abi& abi_;
  const Code& code_;
  Memory& memory_;
  const InterpretOptions& options_;
  std::vector<std::uint64_t> words_;
  std::vector<Integer> integers_;
  std::vector<Taint> taint_;
  std::vector<double> radius_;
  std::vector<TileValue> tiles_;
  std::vector<std::shared_ptr<TensorValue>> tensors_;
  struct Buffered {  // contents of a slot
    std::uint64_t word = 0;
    Integer integer = 0;
    Taint taint = 0;
    double radius = 0;
    TileValue tile;
    std::shared_ptr<TensorValue> tensor;
  };
  void take(Slot s, TypeKind kind, Buffered& out) const;
  void put(Slot s, TypeKind kind, Buffered&& in);
  std::vector<LevelNames> levels_;
  std::uint64_t steps_ = 0;
  std::uint64_t arbitrary_events_ = 0;
  std::uint64_t shuffles_ = 0;
  bool undecided_ = false;
  LoopExit exit_ = LoopExit::none;  // regions return false without an error on the way out to the loop
  IndexEnvironment environment_;
  const Focus* focus_ = nullptr;
  const DomainPlan* updating_ = nullptr;  // whose member the operation at work is applied to
  BoundRules* bounds_ = nullptr;
  // What no step of a good execution touches comes last.
  std::optional<std::int64_t> program_;
  std::optional<std::int64_t> tile_element_;  // at work
  std::vector<std::uint32_t> watched_;        // the time of each event of the watch
  OpId failed_;
  std::optional<RuntimeError> error_;
};

}  // namespace kir
