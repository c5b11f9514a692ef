// Internal: the state of writing one kernel, and the generators of each family (a file each).
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/numeric/dtype.h"
#include "tools/fuzz/choices.h"
#include "tools/fuzz/kernel_writer.h"

namespace kir::fuzz {

// An index variable that ranges over 0..extent or a part of it.
struct Axis {
  std::string name, extent;
};

// A scalar of data in scope.
struct Datum {
  std::string name;
  DType type;
};

// Something with elements: a view, a buffer or a tensor.
struct Array {
  std::string name;
  DType type;
  std::vector<std::string> extents;
};

// A parameter of the kernel.
struct Parameter {
  Array array;
  std::string_view direction;     // in, out, inout
  std::string_view strides = {};  // as text, "" for row-major
};

class Writer {
 public:
  Writer(Choices& choices, const Profile& profile) : c_(choices), profile_(profile) {}
  std::string kernel();

 private:
  // --- text -------------------------------------------------------------------------------------------------------------
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... arguments) {
    text_ +=
        std::string(2 * static_cast<std::size_t>(indent_), ' ') + fmt::format(format, std::forward<T>(arguments)...) + "\n";
  }
  std::string fresh(std::string_view hint) { return fmt::format("{}{}", hint, serial_++); }
  // `{`, what `inside` writes, `}`; what it brings into scope leaves it.
  void block(std::string head, const std::function<void()>& inside, std::string_view tail = "");

  // --- types and literals (expressions.cpp) ------------------------------------------------------------------------------
  DType any_type();
  DType float_type();
  DType integer_type();
  std::string literal(DType type);
  std::string neutral(std::string_view op, DType type);  // of add, mul, min, max: a literal

  // --- expressions: each gives the name of a new value (expressions.cpp) ---------------------------------------------------
  std::string value(DType type, int levels);
  std::string value(DType type) {
    return value(type, 1 + static_cast<int>(c_.below(static_cast<std::size_t>(profile_.expression))));
  }
  std::string leaf(DType type);
  std::string unary(DType type, std::string_view op, int levels);
  std::string binary(DType type, std::string_view op, int levels);
  // The second operand is one of `count` constants from `least` on.
  std::string by_constant(DType type, std::string_view op, std::size_t least, std::size_t count, int levels);
  std::string float_operation(DType type, int levels);
  std::string integer_operation(DType type, int levels);
  std::string condition(int levels);  // an i1
  std::string bind(DType type, std::string_view rhs);
  std::string to(DType type, const std::string& value, DType from);
  // Coordinates into extents from the axes in scope, "" when an extent has none.
  std::string coordinates(const std::vector<std::string>& extents);
  std::string coordinate(const std::string& extent);
  std::string read(const Array& array, DType wanted);  // "" when it cannot be reached here

  // --- producers: bring values and arrays into scope -----------------------------------------------------------------------
  void producer();
  struct Domain {
    std::string text;  // "n1 in 0..N", "n1 in r0"
    Axis axis;         // what its variable ranges over: all of the extent, or a part of it
    bool whole = true;
  };
  Domain domain(std::string_view hint, bool whole = false);
  // A combination of two values of one type, its members' order (as text) and what stands for no value.
  struct Fold {
    std::string_view op, order;
    DType type;
  };
  Fold fold();
  // "combine order(o) (a: T, b: T) { ... }", with the neutral element, an initial value, or both.
  void combine(const Fold& fold, std::string_view tail = "");
  void reduce_operation();  // folds.cpp
  void reduce_pairs();
  void arg_reduce();
  void scan();
  void counted_loop();  // loops.cpp
  void condition_loop();
  void collecting_loop();
  void branch();
  void tensor();  // tensors.cpp
  void relation();
  void concatenation();
  void iota();
  void gather();
  void contraction();
  void random_words();
  void assumption();
  void buffer();       // buffers.cpp
  void region_fold();  // regions.cpp
  void region_scan();

  // --- statements that own an output (statements.cpp) -----------------------------------------------------------------------
  void statement(const Parameter& output);
  void nest(const Parameter& output, std::size_t axis, std::vector<std::string> at);
  void store(const Parameter& output, const std::vector<std::string>& at);
  std::vector<std::string> somewhere(const Array& array, const std::string& variable);  // effects.cpp
  void scatter(const Parameter& output);
  void histogram(const Parameter& output);
  void atomics(const Parameter& output);
  void own_atomics(const Parameter& output);

  Choices& c_;
  const Profile& profile_;
  std::string text_;
  int indent_ = 1;
  int depth_ = 0;
  int serial_ = 0;
  bool effects_ = true;  // false inside a map or an element: nothing may write

  std::vector<Parameter> parameters_;
  std::vector<std::string> relations_;
  // In scope:
  std::vector<Axis> axes_;
  std::vector<Datum> data_;
  std::vector<Array> arrays_;
  bool ragged_ = false, keyed_ = false;
};

}  // namespace kir::fuzz
