// Types of SSA values in both vocabularies.
//   scalar     one element
//   index      KIR only: a mathematical integer (or, with dtype i1, nothing: predicates are scalar i1)
//   tensor     KIR only: an immutable logical array value, shape symbolic
//   view       a resource: an ABI view or a coordinate relation over one, shape symbolic
//   fragment   physical only: a tile of values owned by one program instance, shape constant, optional layout
#pragma once

#include <string>
#include <vector>

#include "core/index/expr.h"
#include "core/numeric/dtype.h"

namespace kir {

enum class TypeKind : std::uint8_t { none, scalar, index, tensor, view, fragment };

struct Type {
  TypeKind kind = TypeKind::none;
  DType dtype = DType::i64;  // element type; of index: ignored
  std::vector<Expr> shape;   // tensor, view: symbolic; fragment: constants
  std::string layout;        // fragment: name of a layout of the program, "" for none

  static Type scalar(DType t) { return {TypeKind::scalar, t, {}, {}}; }
  static Type index() { return {TypeKind::index, DType::i64, {}, {}}; }
  static Type tensor(DType t, std::vector<Expr> shape) { return {TypeKind::tensor, t, std::move(shape), {}}; }
  static Type view(DType t, std::vector<Expr> shape) { return {TypeKind::view, t, std::move(shape), {}}; }
  static Type fragment(DType t, std::vector<Expr> shape, std::string layout) {
    return {TypeKind::fragment, t, std::move(shape), std::move(layout)};
  }

  bool is(TypeKind k) const { return kind == k; }
  bool is_scalar(DType t) const { return kind == TypeKind::scalar && dtype == t; }
  std::size_t rank() const { return shape.size(); }
  // The same container with another element type (result types of pointwise operations).
  Type with(DType t) const {
    Type r = *this;
    r.dtype = t;
    return r;
  }
  friend bool operator==(const Type&, const Type&) = default;
};

}  // namespace kir
