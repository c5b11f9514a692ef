// Prints regions in the flat form, for both vocabularies.
#pragma once

#include <string>
#include <vector>

#include "core/ir/abi.h"
#include "core/ir/body.h"

namespace kir::text {

class BodyPrinter {
 public:
  // `names` from value_names(). `bare`: values written without sigil although values have one (views).
  BodyPrinter(const Body& body, std::vector<std::string> names, bool physical, bool origins)
      : body_(body), names_(std::move(names)), physical_(physical), origins_(origins) {}

  std::string value(ValueId v) const;
  std::string expr(Expr e) const;
  std::string type(const Type& t) const;
  void region(RegionId r, int indent, std::string& out) const;  // "{\n ... }" ending without a newline

  // "x: in f32[M, N]" and the like live with the heads; these are shared by them.
  std::string view_shape(const ViewParam& v) const;  // "f32[M, N]"
  std::string strides(const ViewParam& v) const;     // " strides(N, 1)" or ""
  std::string aliases(const Abi& abi) const;         // "alias { may_alias(x, y) }" or ""
  std::string relations(const Abi& abi) const;       // "where N >= 1, ..." or ""
  // Of a kernel or plan: "(x: in f32[M, N])", alias facts and relations, up to the '{' of the block.
  std::string head(const Abi& abi) const;

 private:
  void op(const Op& o, int indent, std::string& out) const;
  std::string rhs(const Op& o, int indent) const;
  std::string list(std::span<const ValueId> values) const;
  std::string exprs(const ExprList& list) const;
  std::string domain(const Op& o, const Region& region, bool parenthesised) const;
  std::string carries(const Op& o, RegionId region, std::size_t skip) const;
  std::string access(const Op& o) const;
  // fold_printer.cpp
  std::string combine(RegionId region, int indent) const;
  std::string identity(const Op& o) const;
  std::string atomic(const Op& o) const;  // memory_text.cpp
  std::string buffer(const Op& o, int indent) const;
  std::string scatter(const Op& o, int indent) const;
  std::string histogram(const Op& o, int indent) const;
  std::string init(const Op& o) const;
  std::string fold(const Op& o, RegionId combine, int indent) const;
  std::string block(std::string_view word, RegionId region, int indent) const;
  std::string reduce(const Op& o, int indent) const;
  std::string arg_reduce(const Op& o, int indent) const;
  std::string scan(const Op& o, int indent) const;
  std::string contract(const Op& o, int indent) const;
  // print_segments.cpp
  std::string segments(const Op& o, int indent) const;
  std::string segment(RegionId r, int indent, bool with_arguments) const;
  std::string arguments(std::span<const ValueId> args) const;
  std::string binder(ValueId v) const;  // "n" or "%n: i64"

  const Body& body_;
  std::vector<std::string> names_;
  bool physical_, origins_;
};

}  // namespace kir::text
