// One row per operation: the single definition that parser, printer, structural verifier, hash, generator and
// documentation read.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/ir/op_kind.h"

namespace kir {

enum class Vocabulary : std::uint8_t { kir = 1, physical = 2, both = 3 };

// The family names the file that treats the operation in every layer.
enum class Family : std::uint8_t {
  pointwise,
  memory,
  tensor,
  control,
  reduce,
  scan,
  region,
  contract,
  histogram,
  atomic,
  rng,
  gather,
  buffer,
  fragment,
};

// How the result types follow from the operands:
//   same        the type of operand 0 (all operands equal)
//   predicate   operand 0's container with element type i1
//   declared    written in the text, checked by the verifier's rule for the operation
//   none        no result
//   regions     any number; follow from its regions, operands and attributes by the verifier's rule for the operation
enum class ResultRule : std::uint8_t { same, predicate, declared, none, regions };

// Element types that the value operands may have.
enum class ElementClass : std::uint8_t { any, floating, integer, none };

// Accuracy: exact (correctly rounded, one possible result) or a class with a maximum error in ulp.
struct Accuracy {
  int max_ulp = 0;  // 0: exact
};

// What a region may hold: what the operation's surroundings may; computations that write nothing; the same in a kernel, where
// the region yields its results, and statements in a physical program, where it stores them; pointwise operations and ifs over
// them; `index` operations only.
enum class Contents : std::uint8_t { statements, pure, results, pointwise, coordinates };

struct RegionRule {
  std::string_view name;
  OpKind terminator = OpKind::yield;
  Contents contents = Contents::statements;
};

// Regions in order; the first `required` are always there, the others all or none.
struct RegionRules {
  static constexpr int kMost = 4;
  std::array<RegionRule, kMost> rules{};
  int count = 0;
  int required = 0;
  constexpr RegionRules() = default;
  constexpr RegionRules(std::initializer_list<RegionRule> list) : RegionRules(list, static_cast<int>(list.size())) {}
  constexpr RegionRules(std::initializer_list<RegionRule> list, int needed)
      : count(static_cast<int>(list.size())), required(needed) {
    std::copy(list.begin(), list.end(), rules.begin());
  }
  constexpr const RegionRule& operator[](std::size_t i) const { return rules[i]; }
};

// `physical`: optional, and in physical programs only.
enum class AttrUse : std::uint8_t { required, optional, physical };

struct AttrRule {
  AttrKey key = AttrKey::literal;
  AttrUse use = AttrUse::required;
};

struct AttrRules {
  static constexpr int kMost = 8;
  std::array<AttrRule, kMost> rules{};
  int count = 0;
  constexpr AttrRules() = default;
  constexpr AttrRules(std::initializer_list<AttrRule> list) : count(static_cast<int>(list.size())) {
    std::copy(list.begin(), list.end(), rules.begin());
  }
  constexpr const AttrRule* begin() const { return rules.data(); }
  constexpr const AttrRule* end() const { return rules.data() + count; }
};

struct OpRow {
  OpKind kind;
  std::string_view name;  // in text
  Family family;
  Vocabulary vocabulary = Vocabulary::both;
  int operands = 0;  // value operands; -1: variable, see the verifier rule of the operation
  ResultRule result = ResultRule::none;
  ElementClass elements = ElementClass::any;
  Accuracy accuracy{};
  RegionRules regions{};
  AttrRules attributes{};
  bool effect = false;  // reads or writes memory in an order that matters, beside what its regions do
  bool terminator = false;
  std::string_view doc;  // its meaning, in one sentence or few
};

const OpRow& row(OpKind kind);
std::span<const OpRow> op_table();
const OpRow* find_op(std::string_view name);

inline bool is_pointwise(OpKind k) { return row(k).family == Family::pointwise; }

std::string_view name(CmpPredicate p);  // integer and float predicates of one spelling ("ult") differ by operand type
std::string_view name(ConvertMode m);
std::string_view name(Order o);
std::string_view name(AttrKey k);
std::string_view name(Extreme e);
std::string_view name(TieRule r);
std::string_view name(NanRule r);
std::string_view name(Inclusion i);
std::string_view name(Direction d);
std::string_view name(OutOfRange o);
std::string_view name(Collision c);
std::string_view name(AtomicOp o);
std::string_view name(MemoryOrder o);
std::string_view name(Sharing s);
std::string_view name(AtomicScope s);
std::string_view name(BufferScope s);
std::span<const AtomicOp> all_atomic_ops();
std::span<const CmpPredicate> all_cmp_predicates();
std::span<const ConvertMode> all_convert_modes();
bool is_float_predicate(CmpPredicate p);

}  // namespace kir
