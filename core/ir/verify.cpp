// The structural rules of kernels. What follows from them alone: every value has a definition that is visible where it
// is used, every operation has the operands, attributes, regions and types of its row in op_table.h, so that later
// layers can read a body without asking again. Nothing here needs arithmetic about symbols.
//
//   V-01  Names of the kernel, its parameters, symbols and constexprs are identifiers, no words of the language, distinct.
//   V-02  The parameter list names each view, each data scalar and each parameter symbol once.
//   V-03  Extents, strides, relations and ranges of symbols are expressions over the ABI's symbols.
//   V-04  Every symbol is a parameter, or stands alone as an extent or a stride.
//   V-05  A view has at most 32 axes, one stride for each, and an alignment that is a power of two and a multiple of the
//         element size.
//   V-06  An alias fact names two different views of one element type and rank; a pair is named once.
//   V-07  A `where` relation is a truth value.
//   V-08  The root region's arguments are the views and data scalars in order of declaration.
//   V-09  An operation belongs to the vocabulary of its body.
//   V-10  Operands, results and regions are as many as the operation's row says.
//   V-11  An operation has its attributes, each of its kind, and no others.
//   V-12  The element type fits the operation (floating, integer).
//   V-13  Operands of a pointwise operation are data of one type.
//   V-14  The result type is the one that follows from the operands.
//   V-15  A value is used only where it is visible: after its definition, in its region or one nested inside.
//   V-16  A region ends in its terminator (yield, next) and has no other one.
//   V-17  Region arguments have the types that the operation gives them.
//   V-18  Leaves of an integer expression are known symbols and visible values of type index (physical: i32, i64).
//   V-19  An access (load, store, atomics, elem, assume_in_bounds) has one coordinate for each axis, each an index
//         (physical: i32 or i64).
//   V-20  `where` is i1; fill, stored, expected and combined values have the view's element type.
//   V-21  An `in` view is not written.
//   V-22  A view with repeated addresses (broadcast, stride 0) is not written.
//   V-23  A predicate of cmp fits its operands: integer or float.
//   V-24  A mode of convert fits its source and result types.
//   V-25  A constant is a scalar of its literal's type.
//   V-26  view, transpose, slice, broadcast: the relation fits the source, the result type is the derived one.
//   V-27  A tensor's domain begins at 0 and is its shape; its region yields the element; elem reads a tensor.
//   V-28  The region of a view holds only `index` operations.
//   V-29  Regions that compute values, all but the bodies of parallel, for, while and if, write nothing. A combine, a product
//         and an apply hold only pointwise operations and ifs over them.
//   V-30  Carried values, what is handed on, and results have the same types; both branches of an if yield its results.
//   V-31  A reduction's map, combine, identity, initial values and results agree in number and type (data scalars).
//   V-32  A value's type belongs to the vocabulary; its extents are integers; its rank is at most 32.
//   V-33  The container is consistent: ids in range, owners and lists agree, nesting at most 1000 deep.
//   V-34  With the `index` operations that it uses written out, an integer expression has at most 1000 levels and 100000 terms.
//   V-35  A buffer is a view of the written extents; its region has an index for each axis and yields one element.
//   V-36  A memory order fits its atomic: a load, and a compare-exchange that fails, is relaxed or acquire, a store relaxed
//         or release.
//   V-37  An atomic takes the element type: the table of docs/kir.md.
//   V-38  A scatter writes different views of one rank, at least one.
//   V-39  A member of a scatter yields a coordinate for each axis, a value for each view, and where it is masked an i1.
//   V-40  A scatter of unique writers has neither an order nor a combine; one that reduces has both, and the combine takes
//         the old contents of each view, then the values.
//   V-41  A histogram's bins are a view of rank 1; a member yields an index, an element, and where it is masked an i1.
//   V-45  A `where` region has the variables of the map and yields one i1.
//   V-46  The map of an arg_reduce yields one data scalar; its results, and initial values if any, are such a value and a
//         coordinate for each axis.
//   V-47  The results of a scan are a tensor of the domain's extents for each component, then the final states; an exclusive
//         scan has initial values or an identity.
//   V-48  `axes` of a contract divides its ranges; each side has the batch, its own free and the paired variables and yields
//         one data scalar; the result is a tensor of the batch and free extents.
//   V-49  A contract has a product and a combine, or neither and an exact product.
//   V-50  The accumulator of an exact product holds every value of both sides; a unit is a finite number of at least 0.
//   V-55  break and continue end a branch of an if inside the body of a loop, with nothing but ifs in between, and hand on
//         what that loop carries.
//   V-56  One branch of an if goes on behind it.
//   V-57  A loop that collects has no step, break or continue; a collected value is data, its result a tensor of extent
//         end - begin.
//   V-58  A fold or scan over segments cuts one axis under the licence strict or tree; a capture is listed once.
//   V-59  Its regions use nothing from outside that it does not list.
//   V-60  A segment's bounds lo, hi stand only together: as the bounds of an axis of for (without step), reduce, arg_reduce,
//         scan, region_fold, region_scan, contract or slice, and as the extent hi - lo of a type or broadcast.
//   V-61  Summary, combine, identity and results of a fold over segments agree in number and type (data scalars).
//   V-62  Summary, state, apply, emit, initial values and results of a scan over segments agree in number and type; a
//         slice's first axis is the segment.
//   V-65  reshape: the operand is a view or tensor; the result is it with the declared extents.
//   V-66  concat: 1 to 1000 views or tensors of one element type and rank, whose extents off the axis are the same as they are
//         written; the result is the derived tensor, its extent along the axis a sum of at most 1000 terms.
//   V-67  iota: the axis is one of the result's, which is a tensor of the declared extents.
//   V-68  gather: the domain begins at 0 and is the result's shape; the region yields an index for each axis of the source.
//   V-69  part: an axis of a view or tensor and one pair of bounds; the results are two indices.
//   V-70  philox4x32_10: six scalars of type i32 give four.
//   V-71  A data precondition is about an `in` view of integers that shares no memory with a view that is written;
//         nondecreasing takes one axis, in_range two integers over the ABI's symbols.
#include "core/ir/verify.h"

#include <fmt/format.h>

#include "core/ir/verify_body.h"
#include "core/kir/kernel.h"

namespace kir {

bool verify(const Kernel& kernel, Diagnostics& diagnostics) {
  std::size_t before = diagnostics.error_count();
  std::vector<std::string> constexprs;
  constexprs.reserve(kernel.constexprs.size());
  for (const Constexpr& c : kernel.constexprs) constexprs.push_back(c.name);
  if (!is_valid_name(kernel.name))
    diagnostics.error("V-01", kernel.range, fmt::format("'{}' is no name for a kernel", kernel.name));
  verify_abi(kernel.abi, constexprs, kernel.range, diagnostics);

  VerifyContext context{
      .body = &kernel.body, .abi = &kernel.abi, .physical = false, .symbols = {}, .layouts = nullptr, .whole = kernel.range};
  for (const SymbolInfo& s : kernel.abi.symbols) context.symbols.insert(s.name);
  BodyVerifier verifier(context, diagnostics);
  if (verifier.container() && verify_root_arguments(kernel.abi, kernel.body, kernel.root, 0, kernel.range, diagnostics)) {
    for (ValueId v : kernel.body.region(kernel.root).args) verifier.show(v);
    verifier.root(kernel.root);
  }
  return diagnostics.error_count() == before;
}

}  // namespace kir
