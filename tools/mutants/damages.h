// The damages that are known: each with its family, a row of the kill matrix, and the checks of the construction verifier that
// it is aimed at.
#pragma once

#include <array>

#include "tools/mutants/mutants.h"

namespace kir::mutants {

namespace family {

inline constexpr std::string_view kPredicate = "predicate dropped, weakened or narrowed", kBound = "bound off by one",
                                  kStrict = "< for <=", kPlace = "strides or coordinates exchanged",
                                  kArithmetic = "index arithmetic changed", kLaunch = "launch or dispatch changed",
                                  kIdentity = "wrong identity or initial value",
                                  kRule = "inclusive for exclusive, wrong direction or tie", kOrder = "wrong order licence",
                                  kScope = "wrong scope or memory order", kInit = "initialization skipped",
                                  kDropped = "write dropped", kRepeated = "write repeated", kMoved = "effects reordered",
                                  kBranch = "branch lost or exchanged", kRounding = "wrong rounding",
                                  kOperation = "operation or operand replaced", kState = "carried value wrong",
                                  kAtomicity = "atomicity lost or changed", kSegments = "segments wrong",
                                  kAbi = "precondition or parameter changed", kAssume = "assumption changed",
                                  kType = "type changed", kPart = "part left out";

}  // namespace family

namespace damage {

inline constexpr Damage kDropped{"effect dropped", family::kDropped, "K9.1"};
inline constexpr Damage kRepeated{"effect repeated", family::kRepeated, "K9.1"};
inline constexpr Damage kLength{"length of a segment changed", family::kLaunch, "K9.1 K9.10"};
inline constexpr Damage kGuard{"guard of a segment changed, or its arm left out", family::kPredicate, "K9.1 K9.2"};
inline constexpr Damage kOperation{"operation replaced by another", family::kOperation, "K9.1"};
inline constexpr Damage kOperands{"operands exchanged", family::kOperation, "K9.1"};
inline constexpr Damage kOperand{"operand replaced by another value", family::kOperation, "K9.1"};
inline constexpr Damage kLiteral{"literal changed", family::kOperation, "K9.1"};
inline constexpr Damage kComparison{"comparison changed", family::kOperation, "K9.1"};
inline constexpr Damage kStrict{"comparison made strict, or not", family::kStrict, "K9.1 K9.14"};
inline constexpr Damage kConversion{"conversion changed", family::kRounding, "K9.1"};
inline constexpr Damage kRounding{"stored or yielded value rounded in between", family::kRounding, "K9.1"};
inline constexpr Damage kBranch{"branch left out, or branches exchanged", family::kBranch, "K9.1 K9.3"};
inline constexpr Damage kShared{"stores of all instances meet in one element", family::kPlace, "K9.2 K9.4"};
inline constexpr Damage kDecode{"coordinate of an instance changed", family::kPlace, "K9.2"};
inline constexpr Damage kOverlap{"two instances given one coordinate", family::kPlace, "K9.2 K9.4"};
inline constexpr Damage kNextState{"carried values handed on in another order, or not at all", family::kState, "K9.3"};
inline constexpr Damage kStartState{"carried value begins as another value", family::kIdentity, "K9.3"};
inline constexpr Damage kOrderOfEffects{"two effects exchanged", family::kMoved, "K9.3"};
inline constexpr Damage kOvertaken{"store moved before a load, or a load behind a store", family::kMoved, "K9.3 K9.6"};
inline constexpr Damage kAtomic{"atomic operation made another", family::kAtomicity, "K9.4 K9.15"};
inline constexpr Damage kPlain{"atomic made a plain store", family::kAtomicity, "K9.4 K9.15"};
inline constexpr Damage kFill{"fill or predicate of a load left out", family::kPredicate, "K9.5"};
inline constexpr Damage kAccess{"coordinate of an access left out, or no truth value as its predicate", family::kPart, "K9.5"};
inline constexpr Damage kInitial{"initial value of a buffer left out", family::kInit, "K9.6 K9.11"};
inline constexpr Damage kFirstWrite{"store to a buffer left out", family::kInit, "K9.6"};
inline constexpr Damage kIdentity{"identity changed or left out", family::kIdentity, "K9.7"};
inline constexpr Damage kInit{"initial value of a fold left out", family::kIdentity, "K9.7"};
inline constexpr Damage kOrder{"order licence changed", family::kOrder, "K9.7"};
inline constexpr Damage kRule{"rule of a structured operation changed", family::kRule, "K9.7"};
inline constexpr Damage kPart{"operand, region or attribute of a structured operation left out", family::kPart, "K9.7"};
inline constexpr Damage kCapture{"value in a region of segments replaced", family::kSegments, "K9.8"};
inline constexpr Damage kSegmentPart{"region or attribute of a fold or scan over segments left out", family::kPart, "K9.8"};
inline constexpr Damage kSegmentRegion{"region of a fold or scan over segments made another", family::kSegments, "K9.8"};
inline constexpr Damage kType{"result given another element type", family::kType, "K9.9"};
inline constexpr Damage kNoType{"result given a type of kernels", family::kType, "K9.9"};
inline constexpr Damage kBounds{"bounds of a domain or loop changed", family::kBound, "K9.10"};
inline constexpr Damage kDependent{"extent of the program space made to depend on data", family::kLaunch, "K9.10"};
inline constexpr Damage kGrid{"grid or block changed", family::kLaunch, "K9.10"};
inline constexpr Damage kBufferScope{"scope of a buffer changed", family::kScope, "K9.11"};
inline constexpr Damage kExtent{"extent of a buffer changed", family::kBound, "K9.11"};
inline constexpr Damage kBufferPart{"scope, capacity or extents of a buffer left out", family::kPart, "K9.11"};
inline constexpr Damage kUnguarded{"predicate left out", family::kPredicate, "K9.12 K9.14"};
inline constexpr Damage kShift{"coordinate shifted by one", family::kBound, "K9.12 K9.13"};
inline constexpr Damage kCoordinate{"coordinate changed", family::kPlace, "K9.13"};
inline constexpr Damage kAxes{"axes of a view or tensor exchanged", family::kPlace, "K9.13"};
inline constexpr Damage kIndex{"index expression shifted by one", family::kBound, "K9.13"};
inline constexpr Damage kArithmetic{"operation in an index expression changed", family::kArithmetic, "K9.13"};
inline constexpr Damage kProvenance{"coordinate taken from where it is not visible", family::kArithmetic, "K9.13"};
inline constexpr Damage kPredicate{"predicate replaced or negated", family::kPredicate, "K9.14"};
inline constexpr Damage kPredicateBound{"comparison in a predicate off by one", family::kPredicate, "K9.12 K9.14"};
inline constexpr Damage kMembers{"predicate of members left out", family::kPredicate, "K9.14"};
inline constexpr Damage kMemoryOrder{"memory order, sharing or scope of an atomic changed", family::kScope, "K9.15"};
inline constexpr Damage kAtomicPart{"order or sharing of an atomic left out", family::kPart, "K9.15"};
inline constexpr Damage kForeign{"operation of kernels in its place", family::kPart, "K9.16"};
inline constexpr Damage kAbi{"name or parameter of the ABI left out", family::kPart, "K9.16"};
inline constexpr Damage kPrecondition{"precondition left out, or off by one", family::kAbi, "K9.1 K9.12"};
inline constexpr Damage kAlias{"alias fact left out or added", family::kAbi, "K9.1 K9.3"};
inline constexpr Damage kDirection{"view declared to be read, or written, otherwise", family::kAbi, "K9.1 K9.6"};
inline constexpr Damage kAlignment{"alignment of a view changed", family::kAbi, "K9.1"};
inline constexpr Damage kStrides{"strides of a view exchanged or changed", family::kPlace, "K9.1 K9.13"};
inline constexpr Damage kShape{"extents of a view exchanged or changed", family::kAbi, "K9.1 K9.12"};
inline constexpr Damage kAssume{"assumption left out or changed", family::kAssume, "K9.12"};

inline constexpr std::array kAll = {
    kDropped,    kRepeated,     kLength,     kGuard,       kOperation,      kOperands,   kOperand, kLiteral,
    kComparison, kStrict,       kConversion, kRounding,    kBranch,         kShared,     kDecode,  kOverlap,
    kNextState,  kStartState,   kOvertaken,  kAtomic,      kOrderOfEffects, kPlain,      kFill,    kAccess,
    kInitial,    kFirstWrite,   kIdentity,   kInit,        kOrder,          kRule,       kPart,    kCapture,
    kType,       kSegmentPart,  kNoType,     kBounds,      kSegmentRegion,  kDependent,  kGrid,    kBufferScope,
    kExtent,     kBufferPart,   kUnguarded,  kShift,       kCoordinate,     kAxes,       kIndex,   kArithmetic,
    kProvenance, kPredicate,    kMembers,    kMemoryOrder, kPredicateBound, kAtomicPart, kForeign, kAbi,
    kAlias,      kPrecondition, kDirection,  kAlignment,   kStrides,        kShape,      kAssume};

}  // namespace damage
}  // namespace kir::mutants
