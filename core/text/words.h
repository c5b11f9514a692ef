// The words of both text forms. Their interned ids are fixed: word w has id w. Reserved words cannot be names of values,
// views, symbols or kernels; contextual ones (map, order, fill, ...) can.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/op_table.h"
#include "core/numeric/dtype.h"
#include "core/text/lexer.h"

namespace kir::text {

// clang-format off
#define KIR_RESERVED_WORDS(W) \
  W(kernel) W(fn) W(plan) W(let) W(in) W(out) W(inout) W(where) W(alias) W(strides) W(align) \
  W(next) W(true_, "true") W(false_, "false") W(inf) W(nan) \
  W(mod) W(floordiv) W(implies) W(ceildiv) W(min) W(max) W(ite) W(pos) W(divides) W(to_index) W(else_, "else")
#define KIR_CONTEXT_WORDS(W) \
  W(kir) W(pir) W(program) W(implements) W(abi) W(dims) W(launch) W(threads) W(pack) W(grid) W(space) W(length) \
  W(offset) W(dispatch) W(program_id) W(exit_, "exit") W(group) W(dtype) W(may_alias) W(same) W(fill) W(step) W(carry) \
  W(when) W(do_, "do") W(perm) W(axes) W(to) W(map) W(combine) W(order) W(strict) W(tree) W(any) W(over) W(identity) \
  W(assumed) W(init) W(vec) W(layout) W(cmp) W(convert) \
  W(share) W(out_of_range) W(tie) W(batch) W(free) W(paired) W(lhs) W(rhs) W(product) W(exact) W(accumulate) W(unit) \
  W(collect) W(uses) W(summarize) W(apply) W(emit) \
  W(axis) W(size) W(workspace) W(scope) W(capacity) W(result) W(nondecreasing) W(in_range) W(unique) W(uniform01_24) W(alloc)
// clang-format on

enum class Word : NameId {
#define W(id, ...) id,
  KIR_RESERVED_WORDS(W) KIR_CONTEXT_WORDS(W)
#undef W
      count_
};

// What a name means beside being a name. Only ids below Vocabulary::size() mean anything.
struct WordInfo {
  bool reserved = false;
  const OpRow* op = nullptr;   // "add", "max.nan"; for "cmp.P", "convert.M", "atomic_rmw.O" the row of the first word
  std::optional<DType> dtype;  // "f32"
  std::optional<DType> to;     // "to_f32"
  std::string_view suffix;     // of "cmp.P", "convert.M", "atomic_rmw.O"
};

// The table of all words, operation names, dtypes and conversion names, in interning order.
class WordTable {
 public:
  static const WordTable& get();
  void seed(Names& names) const;
  const WordInfo* find(NameId id) const { return id < infos_.size() ? &infos_[id] : nullptr; }
  std::string_view text(NameId id) const { return texts_[id]; }
  bool is_reserved(std::string_view name) const;
  // The known operation name nearest to `name` (by edit distance, at most a third of its length), or "".
  std::string_view nearest_operation(std::string_view name) const;

 private:
  WordTable();
  void add(std::string_view text, WordInfo info);
  std::vector<std::string> texts_;
  std::vector<WordInfo> infos_;
};

bool is_identifier(std::string_view s);

}  // namespace kir::text
