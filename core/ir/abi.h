// What a caller passes: views, data scalars, and the launch-visible integers (symbols). Shared by kernels and physical
// programs.
#pragma once

#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/source.h"
#include "core/index/expr.h"
#include "core/numeric/dtype.h"

namespace kir {

enum class Access : std::uint8_t { in, out, inout };
std::string_view name(Access a);

struct ViewParam {
  std::string name;
  ValueId value;  // the root region's argument of type view
  Access access = Access::in;
  DType dtype = DType::f32;
  std::vector<Expr> shape;    // in elements
  std::vector<Expr> strides;  // in elements, one per axis, always filled in (row-major unless written)
  bool explicit_strides = false;
  std::int64_t align = 0;  // bytes; 0: the element size
  SourceRange range;
  std::size_t rank() const { return shape.size(); }
};

// A scalar of a data type, passed by value. Parameters of type `index` are symbols (SymbolInfo::parameter).
struct ScalarParam {
  std::string name;
  ValueId value;  // the root region's argument
  DType dtype = DType::f32;
  SourceRange range;
};

// A launch-visible integer: an index parameter, or a shape symbol bound by standing alone as an extent or stride.
struct SymbolInfo {
  std::string name;
  bool parameter = false;
  SourceRange range;
  // Physical programs: declared range (lo <= s <= hi), absent bounds empty. A claim to be proven from the KIR.
  Expr lo, hi;
};

enum class AliasKind : std::uint8_t { may_alias, same };
struct AliasFact {
  AliasKind kind = AliasKind::may_alias;
  std::size_t a = 0, b = 0;  // indices into views
  SourceRange range;
};

// What the elements of an integer view satisfy when the launch begins; the launcher checks it. Elements are signed, those of
// i1 and u64 unsigned, as to_index reads them.
//   nondecreasing  no element is below the one before it (rank 1)
//   in_range       lo <= element < hi
//   unique         no two elements are equal
enum class DataFactKind : std::uint8_t { nondecreasing, in_range, unique };
std::string_view name(DataFactKind k);
struct DataFact {
  DataFactKind kind = DataFactKind::nondecreasing;
  std::size_t view = 0;  // index into views
  Expr lo, hi;           // in_range: over symbols; others: absent
  SourceRange range;
};

struct Abi;
std::string data_text(const Abi& abi, const DataFact& f);  // "in_range(o, 0, N + 1)", symbols by name

struct Abi {
  // In declaration order; index points into views, scalars or symbols.
  enum class ParamKind : std::uint8_t { view, scalar, symbol };
  struct Param {
    ParamKind kind;
    std::size_t index;
  };
  std::vector<Param> params;

  std::vector<ViewParam> views;
  std::vector<ScalarParam> scalars;
  std::vector<SymbolInfo> symbols;  // parameters and bound shape symbols, in order of first appearance
  std::vector<AliasFact> aliases;
  std::vector<Expr> where;  // boolean relations over symbols
  std::vector<SourceRange> where_ranges;
  std::vector<DataFact> data;  // of a physical program: claims, to be proven from the KIR's

  const ViewParam* find_view(ValueId v) const;
  const SymbolInfo* find_symbol(std::string_view name) const;
  const std::string& name_of(const Param& p) const;
};

// Row-major strides of a shape: the last axis has stride 1.
std::vector<Expr> row_major_strides(ExprPool& pool, const std::vector<Expr>& shape);

}  // namespace kir
