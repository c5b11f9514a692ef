// One row per operation: the single definition that parser, printer, structural verifier, hash, generator and
// documentation read.
#pragma once

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
//   regions     from the yields / carries of its regions
enum class ResultRule : std::uint8_t { same, predicate, declared, none, regions };

// Element types that the value operands may have.
enum class ElementClass : std::uint8_t { any, floating, integer, none };

// Accuracy: exact (correctly rounded, one possible result) or a class with a maximum error in ulp.
struct Accuracy {
  int max_ulp = 0;  // 0: exact
};

struct OpRow {
  OpKind kind;
  std::string_view name;  // in text
  Family family;
  Vocabulary vocabulary;
  int operands;  // value operands; -1: variable, see the verifier rule of the operation
  int regions;   // -1: variable
  ResultRule result;
  ElementClass elements;
  Accuracy accuracy;
  bool effect;  // writes memory, or contains regions that may
  bool terminator;
  std::string_view doc;  // one sentence of meaning
};

const OpRow& row(OpKind kind);
std::span<const OpRow> op_table();
const OpRow* find_op(std::string_view name);

inline bool is_pointwise(OpKind k) { return row(k).family == Family::pointwise; }

std::string_view name(CmpPredicate p);  // integer and float predicates of one spelling ("ult") differ by operand type
std::string_view name(ConvertMode m);
std::string_view name(Order o);
std::span<const CmpPredicate> all_cmp_predicates();
std::span<const ConvertMode> all_convert_modes();
bool is_float_predicate(CmpPredicate p);

}  // namespace kir
