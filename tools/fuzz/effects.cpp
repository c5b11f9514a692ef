// Statements whose members write where their data says: scatter, histogram and atomics, on an `inout` output.
#include <array>

#include "tools/fuzz/writer.h"

namespace kir::fuzz {
namespace {

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& s : list) out += (out.empty() ? "" : ", ") + s;
  return out;
}

}  // namespace

// Coordinates into the output from a variable that ranges over N: spread, repeated, or at a key.
std::vector<std::string> Writer::somewhere(const Array& array, const std::string& variable) {
  std::vector<std::string> at;
  for (const std::string& e : array.extents) {
    if (keyed_ && e == "M")
      at.push_back(fmt::format("to_index(keys[{}])", variable));
    else if (e == "N")
      at.push_back(variable);
    else
      at.push_back(fmt::format("{} mod max({}, 1)", variable, e));
  }
  return at;
}

void Writer::scatter(const Parameter& output) {
  const Array& y = output.array;
  const std::string i = fresh("p");
  const DType t = y.type;
  const bool unique = y.extents == std::vector<std::string>{"N"} && c_.once_in(2);
  if (unique) {
    return block(fmt::format("scatter unique {} ({} in 0..N)", y.name, i), [&] {
      axes_.push_back({i, "N"});
      std::string v = value(t);
      line("yield N - 1 - {}, {}", i, v);
    });
  }
  const bool exact = !is_float(t);
  std::vector<std::string> at = somewhere(y, i);
  std::string where;
  for (std::size_t k = 0; k < at.size(); ++k) where += fmt::format("{}{} < {}", k ? " and " : "", at[k], y.extents[k]);
  block(fmt::format("scatter reduce order({}) {} ({} in 0..N)", exact ? "any" : "strict", y.name, i), [&] {
    axes_.push_back({i, "N"});
    std::string v = value(t, 2);
    line("yield {}{}{}{}", joined(at), at.empty() ? "" : ", ", v, where.empty() ? "" : " where " + where);
  });
  const std::string a = fresh("a");
  block(fmt::format("combine ({0}x: {1}, {0}y: {1})", a, name(t)), [&] {
    line("let {0}z: {1} = {2} {0}x, {0}y", a, name(t), t == DType::i1 ? "xor" : is_float(t) ? "max.nan" : "add");
    line("yield {}z", a);
  });
}

void Writer::histogram(const Parameter& output) {
  const Array& y = output.array;
  if (y.extents.size() != 1 || y.type == DType::i1 || (is_float(y.type) && !profile_.licences)) return nest(output, 0, {});
  constexpr std::array rules = {"drop", "clamp"};
  const std::string i = fresh("p");
  const std::string_view rule = y.extents[0] == "4" ? c_.pick(rules) : "drop";
  block(
      fmt::format("histogram {} ({} in 0..N)", y.name, i),
      [&] {
        axes_.push_back({i, "N"});
        std::string key = value(DType::i32, 2), weight = value(y.type, 2);
        line("yield to_index({}), {}", key, weight);
      },
      fmt::format(" out_of_range({})", rule));
}

void Writer::atomics(const Parameter& output) {
  const Array& y = output.array;
  const bool integers = y.type == DType::i32 || y.type == DType::i64 || y.type == DType::u64;
  if (y.extents.size() == 1 && (integers || y.type == DType::f32 || y.type == DType::f64) && c_.once_in(2))
    return own_atomics(output);
  if (!integers) return nest(output, 0, {});
  constexpr std::array operations = {"add", "max.s", "min.s", "max.u", "min.u", "and", "or", "xor"};
  const std::string i = fresh("p");
  const std::string_view op = c_.pick(operations);
  std::vector<std::string> at = somewhere(y, i);
  std::string where;
  for (std::size_t k = 0; k < at.size(); ++k) where += fmt::format("{}{} < {}", k ? " and " : "", at[k], y.extents[k]);
  block(fmt::format("parallel {} in 0..N", i), [&] {
    axes_.push_back({i, "N"});
    std::string v = value(y.type);
    line("atomic_rmw.{} {}[{}], {}{} order(relaxed)", op, y.name, joined(at), v, where.empty() ? "" : " where " + where);
  });
}

// Each member on an element of its own, so that what it reads there has one value.
void Writer::own_atomics(const Parameter& output) {
  const Array& y = output.array;
  const std::string i = fresh("p"), element = fmt::format("{}[{}]", y.name, i);
  block(fmt::format("parallel {} in 0..{}", i, y.extents[0]), [&] {
    axes_.push_back({i, y.extents[0]});
    for (std::size_t k = 0, n = 1 + c_.below(4); k < n; ++k) {
      const std::string v = value(y.type, 2);
      switch (c_.below(4)) {
        case 1: line("atomic_store {} = {} order({})", element, v, c_.once_in(2) ? "release" : "relaxed"); break;
        case 2: {
          const std::string expected = value(y.type, 1), old = fresh("v"), done = fresh("v");
          line("let ({}: {}, {}: i1) = atomic_cas {}, {}, {} order(acq_rel, relaxed)", old, name(y.type), done, element,
               expected, v);
          data_.push_back({old, y.type});
          data_.push_back({done, DType::i1});
          break;
        }
        case 3: bind(y.type, fmt::format("atomic_load {} order({})", element, c_.once_in(2) ? "acquire" : "relaxed")); break;
        default:
          bind(y.type, fmt::format("atomic_rmw.{} {}, {} order(relaxed)", c_.once_in(2) ? "exchange" : "add", element, v));
      }
    }
  });
}

}  // namespace kir::fuzz
