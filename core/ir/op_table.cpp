#include "core/ir/op_table.h"

#include <array>

namespace kir {
namespace {

using K = OpKind;
using F = Family;
using R = ResultRule;
using E = ElementClass;
using C = Contents;
using A = AttrKey;
using Use = AttrUse;
constexpr Vocabulary kir = Vocabulary::kir, physical = Vocabulary::physical;

// A pointwise operation with one possible result, of its operands' type.
constexpr OpRow exact(OpKind kind, std::string_view name, int operands, ElementClass elements, std::string_view doc) {
  return {.kind = kind,
          .name = name,
          .family = Family::pointwise,
          .operands = operands,
          .result = ResultRule::same,
          .elements = elements,
          .doc = doc};
}

// A function of one float, within 2 ulp.
constexpr OpRow approximate(OpKind kind, std::string_view name, std::string_view doc) {
  OpRow r = exact(kind, name, 1, ElementClass::floating, doc);
  r.accuracy = {2};
  return r;
}

// clang-format off
constexpr std::array<OpRow, kOpKindCount> kTable = {{
    // literals and integers
    {.kind = K::constant, .name = "constant", .family = F::pointwise, .result = R::declared, .attributes = {{A::literal}},
     .doc = "A literal of the declared scalar type, rounded once into it."},
    {.kind = K::index, .name = "index", .family = F::pointwise, .operands = -1, .result = R::declared, .elements = E::none,
     .attributes = {{A::expr}},
     .doc = "An integer expression (result index, or i32/i64 in a physical program) or a comparison (result i1); exact."},

    // pointwise: float and integer
    exact(K::add, "add", 2, E::any, "Sum; floats round to nearest even, integers wrap."),
    exact(K::sub, "sub", 2, E::any, "Difference; floats round to nearest even, integers wrap."),
    exact(K::mul, "mul", 2, E::any, "Product; floats round to nearest even, integers wrap."),
    exact(K::neg, "neg", 1, E::any, "Floats: the sign bit flipped, NaN included; integers: 0 - x, wrapping."),
    exact(K::abs, "abs", 1, E::any, "Floats: the sign bit cleared; integers: absolute value, the minimum wraps to itself."),

    // pointwise: float
    exact(K::div, "div", 2, E::floating, "Float quotient, round to nearest even; x / 0 is an infinity or NaN, never an error."),
    exact(K::fma, "fma", 3, E::floating, "a * b + c rounded once."),
    exact(K::min_nan, "min.nan", 2, E::floating, "Smaller operand, -0 below +0; canonical NaN when either is NaN."),
    exact(K::max_nan, "max.nan", 2, E::floating, "Larger operand, -0 below +0; canonical NaN when either is NaN."),
    exact(K::min_num, "min.num", 2, E::floating,
          "Smaller operand, -0 below +0; a NaN operand is ignored, two give the canonical NaN."),
    exact(K::max_num, "max.num", 2, E::floating,
          "Larger operand, -0 below +0; a NaN operand is ignored, two give the canonical NaN."),
    exact(K::sqrt, "sqrt", 1, E::floating, "Square root, correctly rounded; NaN below -0."),
    exact(K::floor, "floor", 1, E::floating, "Toward minus infinity to an integral float."),
    exact(K::ceil, "ceil", 1, E::floating, "Toward plus infinity to an integral float."),
    exact(K::trunc, "trunc", 1, E::floating, "Toward zero to an integral float."),
    exact(K::round_even, "round_even", 1, E::floating, "To the nearest integral float, ties to even."),
    approximate(K::exp, "exp", "e to the power x."),
    approximate(K::exp2, "exp2", "2 to the power x."),
    approximate(K::log, "log", "Natural logarithm; NaN below zero, -inf at zero."),
    approximate(K::log2, "log2", "Binary logarithm; NaN below zero, -inf at zero."),
    approximate(K::rsqrt, "rsqrt", "1 / sqrt(x)."),
    approximate(K::sin, "sin", "Sine of x radians."),
    approximate(K::cos, "cos", "Cosine of x radians."),
    approximate(K::tanh, "tanh", "Hyperbolic tangent."),
    approximate(K::erf, "erf", "Error function."),

    // pointwise: integer
    exact(K::divt, "divt", 2, E::integer, "Signed quotient toward zero; a zero divisor and minimum / -1 are erroneous."),
    exact(K::remt, "remt", 2, E::integer, "Remainder of divt (sign of the dividend); errors as divt."),
    exact(K::divf, "divf", 2, E::integer, "Signed quotient toward minus infinity; errors as divt."),
    exact(K::remf, "remf", 2, E::integer, "Remainder of divf (sign of the divisor); errors as divt."),
    exact(K::divu, "divu", 2, E::integer, "Unsigned quotient; a zero divisor is erroneous."),
    exact(K::remu, "remu", 2, E::integer, "Unsigned remainder; a zero divisor is erroneous."),
    exact(K::min_s, "min.s", 2, E::integer, "Smaller signed operand."),
    exact(K::max_s, "max.s", 2, E::integer, "Larger signed operand."),
    exact(K::min_u, "min.u", 2, E::integer, "Smaller unsigned operand."),
    exact(K::max_u, "max.u", 2, E::integer, "Larger unsigned operand."),
    exact(K::bit_and, "and", 2, E::integer, "Bitwise and; on i1 the logical one."),
    exact(K::bit_or, "or", 2, E::integer, "Bitwise or; on i1 the logical one."),
    exact(K::bit_xor, "xor", 2, E::integer, "Bitwise exclusive or."),
    exact(K::bit_not, "not", 1, E::integer, "Bitwise complement; on i1 the logical one."),
    exact(K::shl, "shl", 2, E::integer, "Left shift by the unsigned second operand; by the width or more gives 0."),
    exact(K::shrl, "shrl", 2, E::integer, "Logical right shift; by the width or more gives 0."),
    exact(K::shra, "shra", 2, E::integer, "Arithmetic right shift; by the width or more gives the sign."),

    // pointwise: any
    {.kind = K::cmp, .name = "cmp", .family = F::pointwise, .operands = 2, .result = R::predicate,
     .attributes = {{A::predicate}},
     .doc = "Comparison by the named predicate."},
    {.kind = K::select, .name = "select", .family = F::pointwise, .operands = 3, .result = R::declared,
     .doc = "The second operand where the first (i1) is true, else the third; both are evaluated."},
    {.kind = K::convert, .name = "convert", .family = F::pointwise, .operands = 1, .result = R::declared,
     .attributes = {{A::mode}},
     .doc = "Conversion to the declared type by the named mode."},

    // random numbers
    {.kind = K::philox4x32_10, .name = "philox4x32_10", .family = F::rng, .operands = 6, .result = R::regions, .elements = E::integer,
     .doc = "Four random words (i32) from a key of two words and a counter of four; Philox4x32 with ten rounds."},

    // memory
    {.kind = K::load, .name = "load", .family = F::memory, .operands = -1, .result = R::declared,
     .attributes = {{A::vector, Use::physical}},
     .doc = "The element at the coordinates; where the predicate is false nothing is read and the result is the fill, or "
            "arbitrary."},
    {.kind = K::store, .name = "store", .family = F::memory, .operands = -1, .attributes = {{A::vector, Use::physical}},
     .effect = true,
     .doc = "Writes the element at the coordinates where the predicate is true."},
    {.kind = K::buffer, .name = "buffer", .family = F::buffer, .result = R::declared,
     .regions = {{{"initial", K::yield, C::pure}}, 0},
     .attributes = {{A::extents}, {A::scope, Use::physical}, {A::capacity, Use::physical}}, .effect = true,
     .doc = "Fresh memory for this execution of its block: uninitialised, or with the value of its region in every "
            "element. A physical one says whose it is, and how large it may be."},
    {.kind = K::scatter, .name = "scatter", .family = F::gather, .vocabulary = kir, .operands = -1, .elements = E::none,
     .regions = {{{"member", K::yield, C::pure}, {"combine", K::yield, C::pointwise}}, 1},
     .attributes = {{A::ranges}, {A::collision}, {A::order, Use::optional}}, .effect = true,
     .doc = "For each member stores a value into each view at the coordinates that its region yields: each element has one "
            "writer (unique), or the values are combined with the old contents of all views as one step (reduce)."},
    {.kind = K::histogram, .name = "histogram", .family = F::histogram, .vocabulary = kir, .operands = 1, .elements = E::none,
     .regions = {{"member", K::yield, C::pure}}, .attributes = {{A::ranges}, {A::out_of_range}}, .effect = true,
     .doc = "For each member adds the yielded weight to the bin with the yielded key, in no order."},
    {.kind = K::atomic_load, .name = "atomic_load", .family = F::atomic, .operands = -1, .result = R::declared,
     .attributes = {{A::memory_order}, {A::sharing}, {A::atomic_scope, Use::physical}}, .effect = true,
     .doc = "Reads an element in one piece; relaxed or acquire."},
    {.kind = K::atomic_store, .name = "atomic_store", .family = F::atomic, .operands = -1,
     .attributes = {{A::memory_order}, {A::sharing}, {A::atomic_scope, Use::physical}}, .effect = true,
     .doc = "Writes an element in one piece; relaxed or release."},
    {.kind = K::atomic_rmw, .name = "atomic_rmw", .family = F::atomic, .operands = -1, .result = R::declared,
     .attributes = {{A::atomic_op}, {A::memory_order}, {A::sharing}, {A::atomic_scope, Use::physical}}, .effect = true,
     .doc = "Reads, combines and writes an element as one step; the result is the old contents."},
    {.kind = K::atomic_cas, .name = "atomic_cas", .family = F::atomic, .operands = -1, .result = R::regions,
     .attributes = {{A::memory_order}, {A::failure_order}, {A::sharing}, {A::atomic_scope, Use::physical}}, .effect = true,
     .doc = "Writes the desired value where the element has the bits of the expected one, as one step; the results are "
            "the old contents and whether it wrote."},
    {.kind = K::assume_in_bounds, .name = "assume_in_bounds", .family = F::memory, .operands = -1, .elements = E::none,
     .doc = "States that the coordinates lie in the view; erroneous when they do not."},

    // tensor values and coordinate relations
    {.kind = K::tensor, .name = "tensor", .family = F::tensor, .vocabulary = kir, .result = R::declared,
     .regions = {{"element", K::yield, C::pure}}, .attributes = {{A::ranges}},
     .doc = "A total function on its domain, evaluated here: its loads see the memory of this point."},
    {.kind = K::elem, .name = "elem", .family = F::tensor, .vocabulary = kir, .operands = -1, .result = R::declared,
     .doc = "The element of a tensor value at the coordinates."},
    {.kind = K::view, .name = "view", .family = F::tensor, .vocabulary = kir, .operands = 1, .result = R::declared,
     .regions = {{"relation", K::yield, C::coordinates}}, .attributes = {{A::extents}},
     .doc = "A coordinate relation over a view or tensor: element (i...) is the source's element at the yielded "
            "coordinates."},
    {.kind = K::transpose, .name = "transpose", .family = F::tensor, .vocabulary = kir, .operands = 1, .result = R::declared,
     .attributes = {{A::axes}},
     .doc = "Axis k of the result is axis perm[k] of the operand."},
    {.kind = K::slice, .name = "slice", .family = F::tensor, .vocabulary = kir, .operands = 1, .result = R::declared,
     .attributes = {{A::ranges}},
     .doc = "Elements begin <= c < end of each axis."},
    {.kind = K::broadcast, .name = "broadcast", .family = F::tensor, .vocabulary = kir, .operands = 1, .result = R::declared,
     .attributes = {{A::axes}, {A::extents}},
     .doc = "Repeats the operand along new axes; `axes` says which result axes the operand's axes become. Read-only."},
    {.kind = K::reshape, .name = "reshape", .family = F::tensor, .vocabulary = kir, .operands = 1, .result = R::declared,
     .attributes = {{A::extents}},
     .doc = "The same elements in row-major order under another shape; erroneous when the numbers of elements differ."},
    {.kind = K::concat, .name = "concat", .family = F::tensor, .vocabulary = kir, .operands = -1, .result = R::declared,
     .attributes = {{A::axis}},
     .doc = "The operands behind one another along an axis; the other extents are equal."},
    {.kind = K::iota, .name = "iota", .family = F::tensor, .vocabulary = kir, .result = R::declared,
     .attributes = {{A::axis}, {A::extents}},
     .doc = "The coordinate of the axis in every element, converted as convert.sint or convert.wrap converts it."},
    {.kind = K::gather, .name = "gather", .family = F::gather, .vocabulary = kir, .operands = 1, .result = R::declared,
     .regions = {{"relation", K::yield, C::pure}}, .attributes = {{A::ranges}},
     .doc = "A tensor of the source's elements at the coordinates that the region yields, which may come from memory."},
    {.kind = K::part, .name = "part", .family = F::tensor, .vocabulary = kir, .operands = 1, .result = R::regions, .elements = E::none,
     .attributes = {{A::axis}, {A::ranges}},
     .doc = "A part [a, b) of an axis of the source: the results are the bounds a and max(a, b). Erroneous when a member "
            "lies outside the axis."},

    // control
    {.kind = K::parallel, .name = "parallel", .family = F::control, .vocabulary = kir, .elements = E::none,
     .regions = {{"body", K::yield, C::statements}}, .attributes = {{A::ranges}}, .effect = true,
     .doc = "Runs its region once for each member of the domain, in no order."},
    {.kind = K::for_loop, .name = "for", .family = F::control, .operands = -1, .result = R::regions, .elements = E::none,
     .regions = {{"body", K::next, C::statements}}, .attributes = {{A::ranges}, {A::step, Use::optional}},
     .doc = "Runs its region for lo, lo + step, ... below hi in order, handing on carried values in parallel; values that it "
            "collects make up tensors, one element for each iteration."},
    {.kind = K::while_loop, .name = "while", .family = F::control, .operands = -1, .result = R::regions, .elements = E::none,
     .regions = {{"condition", K::yield, C::pure}, {"body", K::next, C::statements}},
     .doc = "Region 0 yields the condition from the carried values; while it is true region 1 hands on the next ones."},
    {.kind = K::if_else, .name = "if", .family = F::control, .operands = 1, .result = R::regions, .elements = E::none,
     .regions = {{"then", K::yield, C::statements}, {"else", K::yield, C::statements}},
     .doc = "Runs one of two regions; lazy. The results are what the chosen region yields."},
    {.kind = K::yield, .name = "yield", .family = F::control, .operands = -1, .elements = E::none, .terminator = true,
     .doc = "Ends a region with its values."},
    {.kind = K::next, .name = "next", .family = F::control, .operands = -1, .elements = E::none, .terminator = true,
     .doc = "Ends a loop body with the next carried values."},
    {.kind = K::break_loop, .name = "break", .family = F::control, .operands = -1, .elements = E::none, .terminator = true,
     .doc = "Ends the innermost loop, whose results are the operands."},
    {.kind = K::continue_loop, .name = "continue", .family = F::control, .operands = -1, .elements = E::none, .terminator = true,
     .doc = "Ends this iteration of the innermost loop and hands the operands on to the next."},
    {.kind = K::assume, .name = "assume", .family = F::control, .operands = 1, .elements = E::none,
     .doc = "States that the operand (i1) is true; erroneous when it is not. In a physical program it is a claim to be "
            "proven."},

    // structured
    {.kind = K::reduce, .name = "reduce", .family = F::reduce, .operands = -1, .result = R::regions, .elements = E::none,
     .regions = {{{"map", K::yield, C::pure}, {"combine", K::yield, C::pointwise}, {"where", K::yield, C::pure}}, 2},
     .attributes = {{A::ranges}, {A::order}, {A::identity, Use::optional}, {A::identity_assumed, Use::optional}},
     .doc = "Combines the values mapped from the members of a domain (those where `where` holds) under the order licence; "
            "init takes part once, first; the identity may be inserted any number of times. No member: init, else "
            "identity, else erroneous."},
    {.kind = K::arg_reduce, .name = "arg_reduce", .family = F::reduce, .operands = -1, .result = R::regions, .elements = E::none,
     .regions = {{{"map", K::yield, C::pure}, {"where", K::yield, C::pure}}, 1},
     .attributes = {{A::ranges}, {A::extreme}, {A::tie}, {A::nan}},
     .doc = "The extreme of the values mapped from the members (those where `where` holds) and the coordinates of the member "
            "that has it, by the rules for ties and NaN; init stands before the first member. Nothing to choose from is "
            "erroneous. i1 and u64 compare unsigned."},
    {.kind = K::scan, .name = "scan", .family = F::scan, .operands = -1, .result = R::regions, .elements = E::none,
     .regions = {{{"map", K::yield, C::pure}, {"combine", K::yield, C::pointwise}, {"result", K::yield, C::statements}}, 2},
     .attributes = {{A::ranges}, {A::inclusion}, {A::direction}, {A::order}, {A::identity, Use::optional}, {A::identity_assumed, Use::optional}},
     .doc = "For each member the combination of the members before it (inclusive: and itself) in the direction of "
            "traversal, the earlier operand left: tensors of the domain's extents, or in a physical program what the result "
            "region stores; then the state after the last member. "
            "init takes part once, first. Nothing before the first member, or no member at all: init, else identity, else "
            "erroneous."},
    {.kind = K::region_fold, .name = "region_fold", .family = F::region, .operands = -1, .result = R::regions, .elements = E::none,
     .regions = {{{"summarize", K::yield, C::pure}, {"combine", K::yield, C::pointwise}, {"where", K::yield, C::pure}}, 2},
     .attributes = {{A::ranges}, {A::order}, {A::identity, Use::optional}, {A::identity_assumed, Use::optional}},
     .doc = "Cuts the active members into contiguous nonempty segments, summarizes each and combines the summaries in "
            "order; strict: the segments are single members. No active member: the identity, else erroneous."},
    {.kind = K::region_scan, .name = "region_scan", .family = F::region, .operands = -1, .result = R::regions, .elements = E::none,
     .regions = {{"summarize", K::yield, C::pure}, {"combine", K::yield, C::pointwise}, {"apply", K::yield, C::pointwise}, {"emit", K::yield, C::results}},
     .attributes = {{A::ranges}, {A::order}, {A::identity, Use::optional}, {A::identity_assumed, Use::optional}},
     .doc = "Cuts the members into contiguous nonempty segments; the state before a segment is the initial one with the "
            "summaries of the earlier segments applied; each segment emits its slice of the results from that state, or in a physical "
            "program stores it; then the final state."},
    {.kind = K::contract, .name = "contract", .family = F::contract, .operands = -1, .result = R::declared, .elements = E::none,
     .regions = {{{"lhs", K::yield, C::pure}, {"rhs", K::yield, C::pure}, {"product", K::yield, C::pointwise}, {"combine", K::yield, C::pointwise}}, 2},
     .attributes = {{A::ranges}, {A::axes}, {A::order}, {A::identity, Use::optional}, {A::identity_assumed, Use::optional}, {A::exact_product, Use::optional}, {A::unit, Use::optional}},
     .doc = "For each member of the batch and free axes the products of both sides, combined over the paired axes under the "
            "order licence. An exact product enters the sum unrounded; `unit` licenses an error of that part of the products' "
            "magnitudes. Each side is evaluated once for each member of its own axes. No paired member: init, else identity, else "
            "erroneous. In a physical program it has neither batch nor free axes: one element, a number."},

    // fragments
    {.kind = K::splat, .name = "splat", .family = F::fragment, .vocabulary = physical, .operands = 1, .result = R::declared,
     .doc = "The scalar in every position."},
    {.kind = K::tile_reduce, .name = "tile_reduce", .family = F::fragment, .vocabulary = physical, .operands = -1, .result = R::declared,
     .regions = {{"combine", K::yield, C::pointwise}},
     .attributes = {{A::axes}, {A::order}, {A::identity, Use::optional}, {A::identity_assumed, Use::optional}},
     .doc = "Combines a fragment's elements over the given axes under the order licence; all threads get the result."},
}};
// clang-format on

constexpr bool complete() {
  for (int i = 0; i < kOpKindCount; ++i)
    if (static_cast<int>(kTable[static_cast<std::size_t>(i)].kind) != i) return false;
  return true;
}
static_assert(complete(), "one row per operation, in the order of OpKind");

constexpr std::string_view kCmpNames[] = {"eq",  "ne",  "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "oeq", "one",
                                          "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"};
constexpr std::string_view kConvertNames[] = {"rn",      "sat_rn",      "sint",        "uint",    "wrap", "to_sint",
                                              "to_uint", "sat_to_sint", "sat_to_uint", "to_bool", "bits"};
constexpr std::string_view kOrderNames[] = {"strict", "tree", "any"};
constexpr std::string_view kAttrNames[] = {
    "literal",          "expr",          "predicate",    "mode",      "ranges",    "step",         "order",         "identity",
    "identity_assumed", "axes",          "axis",         "extents",   "vector",    "extreme",      "tie",           "nan",
    "inclusion",        "direction",     "out_of_range", "collision", "atomic_op", "memory_order", "failure_order", "sharing",
    "atomic_scope",     "exact_product", "unit",         "scope",     "capacity"};
static_assert(std::size(kAttrNames) == kAttrKeyCount);
constexpr std::string_view kExtremeNames[] = {"min", "max"};
constexpr std::string_view kTieNames[] = {"first", "last"};
constexpr std::string_view kNanNames[] = {"first", "last", "ignore"};
constexpr std::string_view kInclusionNames[] = {"inclusive", "exclusive"};
constexpr std::string_view kDirectionNames[] = {"forward", "reverse"};
constexpr std::string_view kOutOfRangeNames[] = {"drop", "clamp", "error"};
constexpr std::string_view kCollisionNames[] = {"unique", "reduce"};
constexpr std::string_view kAtomicNames[] = {"add",     "min.s", "max.s", "min.u", "max.u",   "min.num",
                                             "max.num", "and",   "or",    "xor",   "exchange"};
constexpr std::string_view kMemoryOrderNames[] = {"relaxed", "acquire", "release", "acq_rel"};
constexpr std::string_view kSharingNames[] = {"invocation", "system"};
constexpr std::string_view kAtomicScopeNames[] = {"cta", "gpu", "system"};
constexpr std::string_view kScopeNames[] = {"private", "iteration"};

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
constexpr auto kAllAtomic = [] {
  std::array<AtomicOp, std::size(kAtomicNames)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<AtomicOp>(i);
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
std::string_view name(AttrKey k) { return kAttrNames[static_cast<std::size_t>(k)]; }
std::string_view name(Extreme e) { return kExtremeNames[static_cast<std::size_t>(e)]; }
std::string_view name(TieRule r) { return kTieNames[static_cast<std::size_t>(r)]; }
std::string_view name(NanRule r) { return kNanNames[static_cast<std::size_t>(r)]; }
std::string_view name(Inclusion i) { return kInclusionNames[static_cast<std::size_t>(i)]; }
std::string_view name(Direction d) { return kDirectionNames[static_cast<std::size_t>(d)]; }
std::string_view name(OutOfRange o) { return kOutOfRangeNames[static_cast<std::size_t>(o)]; }
std::string_view name(Collision c) { return kCollisionNames[static_cast<std::size_t>(c)]; }
std::string_view name(AtomicOp o) { return kAtomicNames[static_cast<std::size_t>(o)]; }
std::string_view name(MemoryOrder o) { return kMemoryOrderNames[static_cast<std::size_t>(o)]; }
std::string_view name(BufferScope s) { return kScopeNames[static_cast<std::size_t>(s)]; }
std::string_view name(Sharing s) { return kSharingNames[static_cast<std::size_t>(s)]; }
std::string_view name(AtomicScope s) { return kAtomicScopeNames[static_cast<std::size_t>(s)]; }
std::span<const AtomicOp> all_atomic_ops() { return kAllAtomic; }
std::span<const CmpPredicate> all_cmp_predicates() { return kAllCmp; }
std::span<const ConvertMode> all_convert_modes() { return kAllConvert; }
bool is_float_predicate(CmpPredicate p) { return p >= CmpPredicate::oeq; }

}  // namespace kir
