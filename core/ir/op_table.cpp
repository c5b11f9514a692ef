#include "core/ir/op_table.h"

#include <array>

namespace kir {
namespace {

using enum Vocabulary;
using F = Family;
using R = ResultRule;
using E = ElementClass;

constexpr std::array<OpRow, kOpKindCount> kTable = {{
    // kind, name, family, vocabulary, operands, regions, result, elements, accuracy, effect, terminator, doc
    {OpKind::constant, "constant", F::pointwise, both, 0, 0, R::declared, E::any, {}, false, false,
     "A literal of the declared scalar type, rounded once into it."},
    {OpKind::index, "index", F::pointwise, both, -1, 0, R::declared, E::none, {}, false, false,
     "An integer expression (result index, or i32/i64 in a physical program) or a comparison (result i1); exact."},

    {OpKind::add, "add", F::pointwise, both, 2, 0, R::same, E::any, {}, false, false,
     "Sum; floats round to nearest even, integers wrap."},
    {OpKind::sub, "sub", F::pointwise, both, 2, 0, R::same, E::any, {}, false, false,
     "Difference; floats round to nearest even, integers wrap."},
    {OpKind::mul, "mul", F::pointwise, both, 2, 0, R::same, E::any, {}, false, false,
     "Product; floats round to nearest even, integers wrap."},
    {OpKind::neg, "neg", F::pointwise, both, 1, 0, R::same, E::any, {}, false, false,
     "Floats: the sign bit flipped, NaN included; integers: 0 - x, wrapping."},
    {OpKind::abs, "abs", F::pointwise, both, 1, 0, R::same, E::any, {}, false, false,
     "Floats: the sign bit cleared; integers: absolute value, the minimum wraps to itself."},

    {OpKind::div, "div", F::pointwise, both, 2, 0, R::same, E::floating, {}, false, false,
     "Float quotient, round to nearest even; x / 0 is an infinity or NaN, never an error."},
    {OpKind::fma, "fma", F::pointwise, both, 3, 0, R::same, E::floating, {}, false, false, "a * b + c rounded once."},
    {OpKind::min_nan, "min.nan", F::pointwise, both, 2, 0, R::same, E::floating, {}, false, false,
     "Smaller operand, -0 below +0; canonical NaN when either is NaN."},
    {OpKind::max_nan, "max.nan", F::pointwise, both, 2, 0, R::same, E::floating, {}, false, false,
     "Larger operand, -0 below +0; canonical NaN when either is NaN."},
    {OpKind::min_num, "min.num", F::pointwise, both, 2, 0, R::same, E::floating, {}, false, false,
     "Smaller operand, -0 below +0; a NaN operand is ignored, two give the canonical NaN."},
    {OpKind::max_num, "max.num", F::pointwise, both, 2, 0, R::same, E::floating, {}, false, false,
     "Larger operand, -0 below +0; a NaN operand is ignored, two give the canonical NaN."},
    {OpKind::sqrt, "sqrt", F::pointwise, both, 1, 0, R::same, E::floating, {}, false, false,
     "Square root, correctly rounded; NaN below -0."},
    {OpKind::floor, "floor", F::pointwise, both, 1, 0, R::same, E::floating, {}, false, false, "Toward minus infinity to an integral float."},
    {OpKind::ceil, "ceil", F::pointwise, both, 1, 0, R::same, E::floating, {}, false, false, "Toward plus infinity to an integral float."},
    {OpKind::trunc, "trunc", F::pointwise, both, 1, 0, R::same, E::floating, {}, false, false, "Toward zero to an integral float."},
    {OpKind::round_even, "round_even", F::pointwise, both, 1, 0, R::same, E::floating, {}, false, false, "To the nearest integral float, ties to even."},
    {OpKind::exp, "exp", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "e to the power x."},
    {OpKind::exp2, "exp2", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "2 to the power x."},
    {OpKind::log, "log", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "Natural logarithm; NaN below zero, -inf at zero."},
    {OpKind::log2, "log2", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "Binary logarithm; NaN below zero, -inf at zero."},
    {OpKind::rsqrt, "rsqrt", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "1 / sqrt(x)."},
    {OpKind::sin, "sin", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "Sine of x radians."},
    {OpKind::cos, "cos", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "Cosine of x radians."},
    {OpKind::tanh, "tanh", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "Hyperbolic tangent."},
    {OpKind::erf, "erf", F::pointwise, both, 1, 0, R::same, E::floating, {2}, false, false, "Error function."},

    {OpKind::divt, "divt", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false,
     "Signed quotient toward zero; a zero divisor and minimum / -1 are erroneous."},
    {OpKind::remt, "remt", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false,
     "Remainder of divt (sign of the dividend); errors as divt."},
    {OpKind::divf, "divf", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false,
     "Signed quotient toward minus infinity; errors as divt."},
    {OpKind::remf, "remf", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false,
     "Remainder of divf (sign of the divisor); errors as divt."},
    {OpKind::min_s, "min.s", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false, "Smaller signed operand."},
    {OpKind::max_s, "max.s", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false, "Larger signed operand."},
    {OpKind::min_u, "min.u", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false, "Smaller unsigned operand."},
    {OpKind::max_u, "max.u", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false, "Larger unsigned operand."},
    {OpKind::bit_and, "and", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false, "Bitwise and; on i1 the logical one."},
    {OpKind::bit_or, "or", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false, "Bitwise or; on i1 the logical one."},
    {OpKind::bit_xor, "xor", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false, "Bitwise exclusive or."},
    {OpKind::bit_not, "not", F::pointwise, both, 1, 0, R::same, E::integer, {}, false, false, "Bitwise complement; on i1 the logical one."},
    {OpKind::shl, "shl", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false,
     "Left shift by the unsigned second operand; by the width or more gives 0."},
    {OpKind::shrl, "shrl", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false,
     "Logical right shift; by the width or more gives 0."},
    {OpKind::shra, "shra", F::pointwise, both, 2, 0, R::same, E::integer, {}, false, false,
     "Arithmetic right shift; by the width or more gives the sign."},

    {OpKind::cmp, "cmp", F::pointwise, both, 2, 0, R::predicate, E::any, {}, false, false,
     "Comparison by the named predicate."},
    {OpKind::select, "select", F::pointwise, both, 3, 0, R::declared, E::any, {}, false, false,
     "The second operand where the first (i1) is true, else the third; both are evaluated."},
    {OpKind::convert, "convert", F::pointwise, both, 1, 0, R::declared, E::any, {}, false, false,
     "Conversion to the declared type by the named mode."},

    {OpKind::load, "load", F::memory, both, -1, 0, R::declared, E::any, {}, false, false,
     "The element at the coordinates; where the predicate is false nothing is read and the result is the fill, or arbitrary."},
    {OpKind::store, "store", F::memory, both, -1, 0, R::none, E::any, {}, true, false,
     "Writes the element at the coordinates where the predicate is true."},

    {OpKind::tensor, "tensor", F::tensor, kir, 0, 1, R::declared, E::any, {}, false, false,
     "A total function on its domain, evaluated here: its loads see the memory of this point."},
    {OpKind::elem, "elem", F::tensor, kir, -1, 0, R::declared, E::any, {}, false, false, "The element of a tensor value at the coordinates."},
    {OpKind::view, "view", F::tensor, kir, 1, 1, R::declared, E::any, {}, false, false,
     "A coordinate relation over a view or tensor: element (i...) is the source's element at the yielded coordinates."},
    {OpKind::transpose, "transpose", F::tensor, kir, 1, 0, R::declared, E::any, {}, false, false,
     "Axis k of the result is axis perm[k] of the operand."},
    {OpKind::slice, "slice", F::tensor, kir, 1, 0, R::declared, E::any, {}, false, false,
     "Elements begin <= c < end of each axis."},
    {OpKind::broadcast, "broadcast", F::tensor, kir, 1, 0, R::declared, E::any, {}, false, false,
     "Repeats the operand along new axes; `axes` says which result axes the operand's axes become. Read-only."},

    {OpKind::parallel, "parallel", F::control, kir, 0, 1, R::none, E::none, {}, true, false,
     "Runs its region once for each member of the domain, in no order."},
    {OpKind::for_loop, "for", F::control, both, -1, 1, R::regions, E::none, {}, true, false,
     "Runs its region for lo, lo+1, ..., hi-1 in order, handing on carried values in parallel."},
    {OpKind::while_loop, "while", F::control, both, -1, 2, R::regions, E::none, {}, true, false,
     "Region 0 yields the condition from the carried values; while it is true region 1 hands on the next ones."},
    {OpKind::if_else, "if", F::control, both, 1, 2, R::regions, E::none, {}, true, false,
     "Runs one of two regions; lazy. The results are what the chosen region yields."},
    {OpKind::yield, "yield", F::control, both, -1, 0, R::none, E::none, {}, false, true, "Ends a region with its values."},
    {OpKind::next, "next", F::control, both, -1, 0, R::none, E::none, {}, false, true, "Ends a loop body with the next carried values."},
    {OpKind::assume, "assume", F::control, both, 1, 0, R::none, E::none, {}, true, false,
     "States that the operand (i1) is true; erroneous when it is not. In a physical program it is a claim to be proven."},

    {OpKind::reduce, "reduce", F::reduce, both, -1, 2, R::regions, E::none, {}, true, false,
     "Combines the values mapped from the members of a domain under the order licence; init takes part once, first; "
     "the identity may be inserted any number of times. No member: init, else identity, else erroneous."},

    {OpKind::splat, "splat", F::fragment, physical, 1, 0, R::declared, E::any, {}, false, false, "The scalar in every position."},
    {OpKind::tile_reduce, "tile_reduce", F::fragment, physical, -1, 1, R::declared, E::any, {}, false, false,
     "Combines a fragment's elements over the given axes under the order licence; all threads get the result."},
}};

constexpr bool complete() {
  for (int i = 0; i < kOpKindCount; ++i)
    if (static_cast<int>(kTable[static_cast<std::size_t>(i)].kind) != i) return false;
  return true;
}
static_assert(complete(), "one row per operation, in the order of OpKind");

constexpr std::string_view kCmpNames[] = {"eq",  "ne",  "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "oeq", "one",
                                          "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"};
constexpr std::string_view kConvertNames[] = {"rn",      "sat_rn",  "sint",        "uint",        "wrap", "to_sint",
                                              "to_uint", "sat_to_sint", "sat_to_uint", "to_bool", "bits"};
constexpr std::string_view kOrderNames[] = {"strict", "tree", "any"};

constexpr auto kAllCmp = [] {
  std::array<CmpPredicate, 24> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<CmpPredicate>(i);
  return all;
}();
constexpr auto kAllConvert = [] {
  std::array<ConvertMode, 11> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<ConvertMode>(i);
  return all;
}();

}  // namespace

const OpRow& row(OpKind kind) { return kTable[static_cast<std::size_t>(kind)]; }
std::span<const OpRow> op_table() { return kTable; }

const OpRow* find_op(std::string_view name) {
  for (const OpRow& r : kTable)
    if (r.name == name) return &r;
  return nullptr;
}

std::string_view name(CmpPredicate p) { return kCmpNames[static_cast<std::size_t>(p)]; }
std::string_view name(ConvertMode m) { return kConvertNames[static_cast<std::size_t>(m)]; }
std::string_view name(Order o) { return kOrderNames[static_cast<std::size_t>(o)]; }
std::span<const CmpPredicate> all_cmp_predicates() { return kAllCmp; }
std::span<const ConvertMode> all_convert_modes() { return kAllConvert; }
bool is_float_predicate(CmpPredicate p) { return p >= CmpPredicate::oeq; }

}  // namespace kir
