// The verifier of bodies, shared by kernels and physical programs. Rules: verify.cpp (V-nn), verify_program.cpp (W-nn).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/base/small_set.h"
#include "core/ir/abi.h"
#include "core/ir/body.h"
#include "core/ir/op_table.h"

namespace kir {

struct NamedLayout;
struct ContractAxes;

inline constexpr std::size_t kMaxRank = 32;

struct VerifyContext {
  const Body* body = nullptr;
  const Abi* abi = nullptr;
  bool physical = false;
  SmallSet<std::string_view> symbols;                 // every launch-visible name
  const std::vector<NamedLayout>* layouts = nullptr;  // physical
  std::span<const ValueId> workspace = {};            // physical
  SourceRange whole;                                  // where errors without a place of their own are told
};

class BodyVerifier {
 public:
  BodyVerifier(const VerifyContext& context, Diagnostics& diagnostics);

  // The container's own consistency (V-33). False: nothing else may be asked.
  bool container();
  void show(ValueId v) { visible_[v.index] = true; }
  void hide(ValueId v) { visible_[v.index] = false; }
  // A root region whose arguments are visible already; ends in a bare yield.
  void root(RegionId r);
  void type(const Type& t, SourceRange range);
  // Leaves known and visible, wanted sort. `values` false: launch-visible integers only.
  bool expression(Expr e, Sort sort, bool values, SourceRange range, const char* rule = "V-18");

 private:
  void region(RegionId r, OpKind terminator, Contents allowed, int depth);
  void op(OpId id, Contents allowed, int depth);
  void operation(OpId id, const Op& o);
  bool counts(const Op& o);
  bool attributes(const Op& o);
  void attribute_expressions(const Op& o);
  bool is_terminated(RegionId r, OpKind terminator) const;

  // verify_ops.cpp
  void pointwise(const Op& o);
  void constant(const Op& o);
  void index(const Op& o);
  void cmp(const Op& o);
  void select(const Op& o);
  void convert(const Op& o);
  void elem(const Op& o);
  void tensor(const Op& o);
  void view(const Op& o);
  void transpose(const Op& o);
  void slice(const Op& o);
  void broadcast(const Op& o);
  // verify_memory.cpp
  void access(const Op& o);  // load, store, atomics
  void atomic(const Op& o, DType element);
  void written_view(const Op& o, ValueId view);     // may `view` be written
  bool coordinates(const Op& o, std::size_t rank);  // the operands after the first
  void assume_in_bounds(const Op& o);
  void buffer(const Op& o);
  void allocation(const Op& o, const ExprList& extents);
  void scatter(const Op& o);
  void histogram(const Op& o);
  // verify_tensor.cpp
  bool is_source(const Op& o, std::size_t operand, const char* rule);  // a view or tensor
  void reshape(const Op& o);
  void concat(const Op& o);
  void iota(const Op& o);
  void gather(const Op& o);
  void part(const Op& o);
  void philox(const Op& o);
  // verify_control.cpp
  void parallel(const Op& o);
  void for_loop(const Op& o);
  void while_loop(const Op& o);
  void if_else(const Op& o);
  void loop_exit(const Op& o);  // break, continue
  void splat(const Op& o);
  void tile_reduce(const Op& o);
  // verify_segment.cpp
  void region_fold(const Op& o);
  void region_scan(const Op& o);
  void open_segments(const Op& o);  // before the regions of a fold or scan over segments
  void close_segments();
  void define(ValueId v);  // a region's argument or a result becomes visible
  // Told otherwise (V-59, V-60): a segment's bound used for itself, or a value from outside that is not listed.
  bool usable(ValueId v, SourceRange range);
  bool is_segment(Expr lo, Expr hi) const;
  bool is_segment_extent(Expr e) const;
  bool names_segment(const Op& o, AttrKey key, const ExprList& list, std::size_t i) const;
  bool segments(const Op& o, std::size_t captures, std::vector<Type>& components);
  bool segment_arguments(RegionId r, const std::vector<Type>& more, const Op& o, const char* what);
  bool data_components(const std::vector<Type>& components, const Op& o, const char* rule, const char* what);
  std::optional<std::vector<Type>> yielded(RegionId r) const;  // types; none: not ended

  // verify_fold.cpp
  void reduce(const Op& o);
  void arg_reduce(const Op& o);
  void scan(const Op& o);
  void starts_before_first(const Op& o);  // an exclusive scan
  void contract(const Op& o);
  bool are_components(const Op& o, const std::vector<Type>& types);
  bool fold(const Op& o, RegionId combine, const std::vector<Type>& components);
  bool start(const Op& o, const std::vector<Type>& components);  // identity and initial values
  bool members(const Op& o, RegionId where, RegionId map);       // a predicate on the map's members
  bool sides(const Op& o, const ContractAxes& axes, std::vector<Type>& yielded);

  bool domain(const Op& o, RegionId r, std::size_t carried);
  bool arguments(RegionId r, std::size_t first, const std::vector<Type>& types, const Op& o, const char* what);
  bool loop_results(const Op& o, std::vector<Type>& handed);  // of a for; `handed`: what its `next` hands on
  bool hands_on(RegionId r, const std::vector<Type>& types, const Op& o, const char* what);
  void results(const Op& o, const std::vector<Type>& types);
  bool identity(const Op& o, const std::vector<Type>& components);
  bool is_data(const Type& t) const { return t.is(TypeKind::scalar) || t.is(TypeKind::fragment); }
  bool is_integer_variable(const Type& t) const;  // index; physical: scalar i32 or i64
  const Type& operand(const Op& o, std::size_t i) const { return body_.type(o.operands[i]); }
  std::vector<Type> types(std::span<const ValueId> values) const;
  std::string text(const Type& t) const;
  void error(const char* rule, const Op& o, std::string message, std::string hint = {});
  void error(const char* rule, SourceRange range, std::string message, std::string hint = {});

  const VerifyContext& context_;
  const Body& body_;
  Diagnostics& diagnostics_;
  static constexpr std::uint32_t kMaxLevels = 1000, kMaxNodes = 100000;
  std::vector<bool> visible_;
  // By value: of the integer expression that an `index` result stands for.
  std::vector<WrittenOut> sizes_ = std::vector<WrittenOut>(visible_.size());
  // Of the folds and scans over segments around: what each lists. A value's level is the number of them around its
  // definition; listing a value at one level is a use at the level outside.
  std::vector<std::unordered_set<ValueId>> scopes_;
  std::vector<std::uint16_t> levels_;
  std::unordered_map<ValueId, ValueId> ends_;  // segments' bounds: the end that belongs to a begin; of an end none
};

// Rules V-01 to V-07 of an ABI. `reserved` names are taken already (the kernel's constexprs).
void verify_abi(const Abi& abi, const std::vector<std::string>& reserved, SourceRange whole, Diagnostics& diagnostics);
// V-08: the first arguments of the root are the views and data scalars in order of declaration.
bool verify_root_arguments(const Abi& abi, const Body& body, RegionId root, std::size_t extra, SourceRange whole,
                           Diagnostics& diagnostics);
bool is_valid_name(std::string_view name);

}  // namespace kir
