// Values: literals, elements that are in reach, and pointwise operations of every element type. Each operation is a `let` of
// its own with its declared type, so that a kernel shrinks line by line.
#include <algorithm>
#include <array>

#include "core/ir/op_table.h"
#include "tools/fuzz/writer.h"

namespace kir::fuzz {
namespace {

constexpr std::array kFloats = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2};
constexpr std::array kIntegers = {DType::i32, DType::i64, DType::i8, DType::i16, DType::u64};

bool small_float(DType t) { return t == DType::f8e4m3 || t == DType::f8e5m2; }

}  // namespace

DType Writer::float_type() {
  constexpr std::array<unsigned, 6> weights = {12, 3, 3, 2, 1, 1};
  return kFloats[c_.weighted(weights)];
}
DType Writer::integer_type() {
  constexpr std::array<unsigned, 5> weights = {8, 3, 2, 2, 1};
  return kIntegers[c_.weighted(weights)];
}
DType Writer::any_type() {
  if (!profile_.floats) return integer_type();
  constexpr std::array<unsigned, 3> weights = {6, 3, 1};
  switch (c_.weighted(weights)) {
    case 0: return float_type();
    case 1: return integer_type();
    default: return DType::i1;
  }
}

std::string Writer::literal(DType type) {
  if (type == DType::i1) return c_.once_in(2) ? "true" : "false";
  if (is_float(type)) {
    constexpr std::array common = {"0.0", "1.0", "-1.0", "0.5", "2.0", "-0.0", "0.25", "-3.0", "nan", "inf", "-inf"};
    std::string text = c_.pick(common);
    if (type == DType::f8e4m3 && text.ends_with("inf")) text = "448.0";
    return text;
  }
  constexpr std::array common = {"0", "1", "2", "3", "-1", "7", "-5", "100"};
  if (!c_.once_in(8)) {
    std::string text = c_.pick(common);
    return type == DType::u64 && text[0] == '-' ? text.substr(1) : text;
  }
  switch (type) {
    case DType::i8: return c_.once_in(2) ? "127" : "-128";
    case DType::i16: return c_.once_in(2) ? "32767" : "-32768";
    case DType::i32: return c_.once_in(2) ? "2147483647" : "-2147483648";
    case DType::u64: return "9223372036854775807";
    default: return c_.once_in(2) ? "9223372036854775807" : "-9223372036854775808";
  }
}

std::string Writer::neutral(std::string_view op, DType type) {
  const bool real = is_float(type);
  if (op == "add") return real ? "-0.0" : "0";
  if (op == "mul") return real ? "1.0" : "1";
  if (op == "max.num" || op == "min.num") return "nan";
  if (op == "max.nan") return type == DType::f8e4m3 ? "-448.0" : "-inf";
  if (op == "min.nan") return type == DType::f8e4m3 ? "448.0" : "inf";
  const auto extreme = [&](bool low) -> std::string {
    switch (type) {
      case DType::i8: return low ? "-128" : "127";
      case DType::i16: return low ? "-32768" : "32767";
      case DType::i32: return low ? "-2147483648" : "2147483647";
      case DType::u64: return low ? "0x8000_0000_0000_0000" : "9223372036854775807";
      default: return low ? "-9223372036854775808" : "9223372036854775807";
    }
  };
  if (op == "max.s") return extreme(true);
  if (op == "min.s") return extreme(false);
  if (op == "and" || op == "min.u") return type == DType::u64 ? "0xffff_ffff_ffff_ffff" : "-1";
  return "0";  // max.u, or, xor
}

std::string Writer::bind(DType type, std::string_view rhs) {
  std::string v = fresh("v");
  line("let {}: {} = {}", v, name(type), rhs);
  data_.push_back({v, type});
  return v;
}

std::string Writer::to(DType type, const std::string& value, DType from) {
  if (type == from) return value;
  std::string_view mode;
  if (type == DType::i1) {
    mode = "to_bool";
  } else if (is_float(from) && is_float(type)) {
    mode = c_.once_in(4) ? "sat_rn" : "rn";
  } else if (is_float(from)) {
    mode = type == DType::u64 ? "sat_to_uint" : "sat_to_sint";
  } else if (is_float(type)) {
    mode = from == DType::i1 || from == DType::u64 || c_.once_in(4) ? "uint" : "sint";
  } else if (bit_width(type) > bit_width(from)) {
    mode = from == DType::i1 || c_.once_in(4) ? "uint" : "sint";
  } else {
    mode = "wrap";
  }
  return bind(type, fmt::format("convert.{} {}", mode, value));
}

std::string Writer::coordinate(const std::string& extent) {
  std::vector<std::string> fit;
  for (const Axis& a : axes_)
    if (a.extent == extent) fit.push_back(a.name);
  if (fit.empty()) return "";
  const std::string& v = fit[fit.size() - 1 - c_.below(fit.size())];  // the innermost is the simplest
  constexpr std::array<unsigned, 4> weights = {12, 2, 1, 2};
  switch (c_.weighted(weights)) {
    case 0: return v;
    case 1: return fmt::format("{} - 1 - {}", extent, v);
    case 2: return fmt::format("({} + {}) mod ({})", v, 1 + c_.below(3), extent);
    default: return fmt::format("min({} + 1, {} - 1)", v, extent);
  }
}

std::string Writer::coordinates(const std::vector<std::string>& extents) {
  std::string out;
  for (const std::string& e : extents) {
    std::string at = e == "1" ? "0" : coordinate(e);
    if (at.empty()) return "";
    out += (out.empty() ? "" : ", ") + at;
  }
  return "[" + out + "]";
}

std::string Writer::read(const Array& array, DType wanted) {
  std::string at = coordinates(array.extents);
  if (at.empty()) return "";
  if (c_.once_in(12)) {
    std::string where = condition(1), fill = bind(array.type, "constant " + literal(array.type));
    const bool view =
        std::any_of(parameters_.begin(), parameters_.end(), [&](const Parameter& p) { return p.array.name == array.name; });
    if (view)
      return to(wanted, bind(array.type, fmt::format("load {}{} where {} fill {}", array.name, at, where, fill)), array.type);
  }
  return to(wanted, bind(array.type, array.name + at), array.type);
}

std::string Writer::leaf(DType type) {
  constexpr std::array<unsigned, 4> weights = {1, 4, 6, 1};
  switch (c_.weighted(weights)) {
    case 1: {
      if (data_.empty()) break;
      const auto any = [&] { return data_[data_.size() - 1 - c_.below(std::min<std::size_t>(data_.size(), 8))]; };
      for (int attempt = 0; attempt < 3; ++attempt)
        if (Datum d = any(); d.type == type) return d.name;
      const Datum d = any();
      return to(type, d.name, d.type);
    }
    case 2: {
      const std::size_t first = arrays_.size() - 1 - c_.below(arrays_.size());
      for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const Array array = arrays_[(first + k) % arrays_.size()];
        if (std::string v = read(array, type); !v.empty()) return v;
      }
      break;
    }
    case 3:
      if (!axes_.empty() && type != DType::i1) {
        const Axis& a = axes_[c_.below(axes_.size())];
        return bind(type, fmt::format("to_{}({})", name(type), a.name));
      }
      break;
    default: break;
  }
  return bind(type, "constant " + literal(type));
}

std::string Writer::unary(DType type, std::string_view op, int levels) {
  std::string a = value(type, levels - 1);
  return bind(type, fmt::format("{} {}", op, a));
}

std::string Writer::binary(DType type, std::string_view op, int levels) {
  std::string a = value(type, levels - 1), b = value(type, levels - 1);
  return bind(type, fmt::format("{} {}, {}", op, a, b));
}

std::string Writer::by_constant(DType type, std::string_view op, std::size_t least, std::size_t count, int levels) {
  std::string a = value(type, levels - 1), b = bind(type, fmt::format("constant {}", least + c_.below(count)));
  return bind(type, fmt::format("{} {}, {}", op, a, b));
}

std::string Writer::float_operation(DType type, int levels) {
  constexpr std::array two = {"add", "mul", "sub", "max.nan", "min.nan", "max.num", "min.num", "div"};
  constexpr std::array one = {"neg", "abs", "sqrt", "floor", "ceil", "trunc", "round_even"};
  constexpr std::array approximate = {"exp", "tanh", "log", "exp2", "log2", "rsqrt", "sin", "cos", "erf"};
  constexpr std::array<unsigned, 4> weights = {10, 3, 1, 2};
  switch (c_.weighted(weights)) {
    case 0: return binary(type, c_.pick(two), levels);
    case 1: return unary(type, c_.pick(one), levels);
    case 2: {
      std::string a = value(type, levels - 1), b = value(type, levels - 1), c = value(type, levels - 1);
      return bind(type, fmt::format("fma {}, {}, {}", a, b, c));
    }
    default: return unary(type, profile_.licences ? c_.pick(approximate) : c_.pick(one), levels);
  }
}

std::string Writer::integer_operation(DType type, int levels) {
  constexpr std::array two = {"add", "mul", "sub", "max.s", "min.s", "max.u", "min.u", "and", "or", "xor"};
  constexpr std::array shifts = {"shl", "shrl", "shra"};
  constexpr std::array divisions = {"divt", "remt", "divf", "remf", "divu", "remu"};
  constexpr std::array one = {"neg", "not", "abs"};
  constexpr std::array<unsigned, 4> weights = {10, 3, 2, 2};
  switch (c_.weighted(weights)) {
    case 0: return binary(type, c_.pick(two), levels);
    case 1: return by_constant(type, c_.pick(shifts), 0, 5, levels);
    case 2: return by_constant(type, c_.pick(divisions), 1, 7, levels);
    default: return unary(type, c_.pick(one), levels);
  }
}

std::string Writer::condition(int levels) {
  constexpr std::array of_floats = {"olt", "oeq", "oge", "une", "uno", "ugt"};
  constexpr std::array of_integers = {"slt", "eq", "sge", "ne", "ult", "ugt"};
  constexpr std::array two = {"and", "or", "xor"};
  constexpr std::array<unsigned, 4> weights = {8, 2, 1, 2};
  switch (c_.weighted(weights)) {
    case 0: {
      DType t = profile_.floats ? any_type() : integer_type();
      if (t == DType::i1) t = DType::i32;
      const std::string_view predicate = is_float(t) ? c_.pick(of_floats) : c_.pick(of_integers);
      std::string a = value(t, levels - 1), b = value(t, levels - 1);
      return bind(DType::i1, fmt::format("cmp.{} {}, {}", predicate, a, b));
    }
    case 1:
      if (levels > 1) {
        const std::string_view op = c_.pick(two);
        std::string a = condition(levels - 1), b = condition(levels - 1);
        return bind(DType::i1, fmt::format("{} {}, {}", op, a, b));
      }
      break;
    case 2: return leaf(DType::i1);
    default: break;
  }
  if (axes_.empty()) return leaf(DType::i1);
  const Axis& a = axes_[c_.below(axes_.size())];
  constexpr std::array forms = {"{0} > 0", "{0} mod 2 == 0", "{0} + 1 < {1}"};
  return bind(DType::i1, fmt::format("index ({})", fmt::format(fmt::runtime(c_.pick(forms)), a.name, a.extent)));
}

std::string Writer::value(DType type, int levels) {
  if (levels <= 0 || c_.ended()) return leaf(type);
  if (type == DType::i1) return condition(levels);
  constexpr std::array<unsigned, 4> weights = {3, 5, 1, 1};
  switch (c_.weighted(weights)) {
    case 0: return leaf(type);
    case 1: return is_float(type) ? float_operation(type, levels) : integer_operation(type, levels);
    case 2: {
      std::string c = condition(levels - 1), a = value(type, levels - 1), b = value(type, levels - 1);
      return bind(type, fmt::format("select {}, {}, {}", c, a, b));
    }
    default: {
      DType from = any_type();
      if (small_float(from) && !is_float(type)) from = DType::f32;
      return to(type, value(from, levels - 1), from);
    }
  }
}

}  // namespace kir::fuzz
