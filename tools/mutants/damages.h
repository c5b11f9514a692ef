// The damages that are known, each with the checks of the construction verifier that it is aimed at.
#pragma once

#include <array>

#include "tools/mutants/mutants.h"

namespace kir::mutants::damage {

inline constexpr Damage kDropped{"effect dropped", "K9.1"};
inline constexpr Damage kRepeated{"effect repeated", "K9.1"};
inline constexpr Damage kLength{"length of a segment changed", "K9.1 K9.10"};
inline constexpr Damage kGuard{"guard of a segment changed, or its arm left out", "K9.1 K9.2"};
inline constexpr Damage kOperation{"operation replaced by another", "K9.1"};
inline constexpr Damage kOperands{"operands exchanged", "K9.1"};
inline constexpr Damage kOperand{"operand replaced by another value", "K9.1"};
inline constexpr Damage kLiteral{"literal changed", "K9.1"};
inline constexpr Damage kMode{"comparison or conversion changed", "K9.1"};
inline constexpr Damage kShared{"stores of all instances meet in one element", "K9.2 K9.4"};
inline constexpr Damage kDecode{"coordinate of an instance changed", "K9.2"};
inline constexpr Damage kOverlap{"two instances given one coordinate", "K9.2 K9.4"};
inline constexpr Damage kNextState{"carried values handed on in another order, or not at all", "K9.3"};
inline constexpr Damage kStartState{"carried value begins as another value", "K9.3"};
inline constexpr Damage kOrderOfEffects{"two effects exchanged", "K9.3"};
inline constexpr Damage kOvertaken{"store moved before a load, or a load behind a store", "K9.3 K9.6"};
inline constexpr Damage kAtomic{"atomic operation made another", "K9.4 K9.15"};
inline constexpr Damage kPlain{"atomic made a plain store", "K9.4 K9.15"};
inline constexpr Damage kFill{"fill or predicate of a load left out", "K9.5"};
inline constexpr Damage kAccess{"coordinate of an access left out, or no truth value as its predicate", "K9.5"};
inline constexpr Damage kInitial{"initial value of a buffer left out", "K9.6 K9.11"};
inline constexpr Damage kFirstWrite{"store to a buffer left out", "K9.6"};
inline constexpr Damage kIdentity{"identity changed or left out", "K9.7"};
inline constexpr Damage kInit{"initial value of a fold left out", "K9.7"};
inline constexpr Damage kOrder{"order licence widened", "K9.7"};
inline constexpr Damage kRule{"rule of a structured operation changed", "K9.7"};
inline constexpr Damage kPart{"operand, region or attribute of a structured operation left out", "K9.7"};
inline constexpr Damage kCapture{"value in a region of segments replaced", "K9.8"};
inline constexpr Damage kSegmentPart{"region or attribute of a fold or scan over segments left out", "K9.8"};
inline constexpr Damage kSegmentRegion{"region of a fold or scan over segments made another", "K9.8"};
inline constexpr Damage kType{"result given another element type", "K9.9"};
inline constexpr Damage kNoType{"result given a type of kernels", "K9.9"};
inline constexpr Damage kBounds{"bounds of a domain or loop changed", "K9.10"};
inline constexpr Damage kDependent{"extent of the program space made to depend on data", "K9.10"};
inline constexpr Damage kGrid{"grid or block changed", "K9.10"};
inline constexpr Damage kScope{"scope or extent of a buffer changed", "K9.11"};
inline constexpr Damage kBufferPart{"scope, capacity or extents of a buffer left out", "K9.11"};
inline constexpr Damage kUnguarded{"predicate left out", "K9.12 K9.14"};
inline constexpr Damage kShift{"coordinate shifted by one", "K9.12 K9.13"};
inline constexpr Damage kCoordinate{"coordinate changed", "K9.13"};
inline constexpr Damage kIndex{"index expression changed", "K9.13"};
inline constexpr Damage kProvenance{"coordinate taken from where it is not visible", "K9.13"};
inline constexpr Damage kPredicate{"predicate narrowed or negated", "K9.14"};
inline constexpr Damage kMembers{"predicate of members left out", "K9.14"};
inline constexpr Damage kMemoryOrder{"memory order, sharing or scope of an atomic changed", "K9.15"};
inline constexpr Damage kAtomicPart{"order or sharing of an atomic left out", "K9.15"};
inline constexpr Damage kForeign{"operation of kernels in its place", "K9.16"};
inline constexpr Damage kAbi{"name or parameter of the ABI left out", "K9.16"};

inline constexpr std::array kAll = {
    kDropped, kRepeated,   kLength,    kGuard,   kOperation,   kOperands,      kOperand,        kLiteral,
    kMode,    kShared,     kDecode,    kOverlap, kNextState,   kStartState,    kOrderOfEffects, kOvertaken,
    kAtomic,  kPlain,      kFill,      kAccess,  kInitial,     kFirstWrite,    kIdentity,       kInit,
    kOrder,   kRule,       kPart,      kCapture, kSegmentPart, kSegmentRegion, kType,           kNoType,
    kBounds,  kDependent,  kGrid,      kScope,   kBufferPart,  kUnguarded,     kShift,          kCoordinate,
    kIndex,   kProvenance, kPredicate, kMembers, kMemoryOrder, kAtomicPart,    kForeign,        kAbi};

}  // namespace kir::mutants::damage
