// Tensors, coordinate relations, contractions and random words.
#include <array>
#include <numeric>

#include "tools/fuzz/writer.h"

namespace kir::fuzz {
namespace {

const std::vector<std::vector<std::string>> kShapes = {{"N"}, {"M"}, {"M", "N"}, {"4"}, {"N", "4"}};

std::string shape_text(const std::vector<std::string>& extents) {
  std::string out;
  for (const std::string& e : extents) out += (out.empty() ? "" : ", ") + e;
  return "[" + out + "]";
}

}  // namespace

void Writer::tensor() {
  const DType t = any_type();
  const std::vector<std::string>& extents = c_.pick(kShapes);
  const std::string name_of = fresh("t");
  std::vector<Axis> axes;
  std::string domain_text;
  for (const std::string& e : extents) {
    axes.push_back({fresh("k"), e});
    domain_text += fmt::format("{}{} in 0..{}", domain_text.empty() ? "" : ", ", axes.back().name, e);
  }
  block(fmt::format("let {}: {}{} = tensor ({})", name_of, name(t), shape_text(extents), domain_text), [&] {
    axes_.insert(axes_.end(), axes.begin(), axes.end());
    const bool effects = std::exchange(effects_, false);
    if (depth_ < profile_.depth && c_.once_in(4)) producer();
    std::string v = value(t);
    line("yield {}", v);
    effects_ = effects;
  });
  arrays_.push_back({name_of, t, extents});
}

void Writer::relation() {
  const Array source = arrays_[c_.below(arrays_.size())];
  const std::string n = fresh("w");
  const std::size_t rank = source.extents.size();
  if (rank == 0) return;
  constexpr std::array<unsigned, 5> weights = {3, 2, 2, 2, 2};
  switch (c_.weighted(weights)) {
    case 4: {  // turned around
      std::string variables, at;
      for (const std::string& e : source.extents) {
        const std::string v = fresh("k");
        variables += fmt::format("{}{} in 0..{}", variables.empty() ? "" : ", ", v, e);
        at += fmt::format("{}{} - 1 - {}", at.empty() ? "" : ", ", e, v);
      }
      line("let {} = view {}[{}] for ({})", n, source.name, at, variables);
      arrays_.push_back({n, source.type, source.extents});
      return;
    }
    case 1: {  // flat, or cut in rows of 1
      if (rank == 2) {
        const std::string flat = fmt::format("({}) * ({})", source.extents[0], source.extents[1]);
        line("let {} = reshape {} to [{}]", n, source.name, flat);
        arrays_.push_back({n, source.type, {flat}});
      } else {
        line("let {} = reshape {} to [{}, 1]", n, source.name, source.extents[0]);
        arrays_.push_back({n, source.type, {source.extents[0], "1"}});
      }
      return;
    }
    case 2: {  // a part from the front
      std::string ranges;
      std::vector<std::string> extents = source.extents;
      for (std::size_t k = 0; k < rank; ++k) {
        if (k == 0 && extents[0] == "4") extents[0] = "3";
        ranges += fmt::format("{}0..{}", k ? ", " : "", extents[k]);
      }
      line("let {} = slice {} [{}]", n, source.name, ranges);
      arrays_.push_back({n, source.type, extents});
      return;
    }
    case 3: {  // repeated along a new first axis
      std::string axes, extents = "4";
      std::vector<std::string> shape = {"4"};
      for (std::size_t k = 0; k < rank; ++k) {
        axes += fmt::format("{}{}", k ? ", " : "", k + 1);
        extents += ", " + source.extents[k];
        shape.push_back(source.extents[k]);
      }
      line("let {} = broadcast {} axes({}) to [{}]", n, source.name, axes, extents);
      arrays_.push_back({n, source.type, shape});
      return;
    }
    default: {
      std::string perm;
      std::vector<std::string> extents(source.extents.rbegin(), source.extents.rend());
      for (std::size_t k = rank; k-- > 0;) perm += fmt::format("{}{}", perm.empty() ? "" : ", ", k);
      line("let {} = transpose {} perm({})", n, source.name, perm);
      arrays_.push_back({n, source.type, extents});
      return;
    }
  }
}

void Writer::concatenation() {
  std::vector<Array> fit;
  for (const Array& a : arrays_)
    if (!a.extents.empty()) fit.push_back(a);
  const Array a = fit[c_.below(fit.size())];
  const std::size_t axis = c_.below(a.extents.size());
  std::vector<std::string> extents = a.extents;
  extents[axis] = a.extents[axis] == "4" ? "8" : fmt::format("{} + {}", a.extents[axis], a.extents[axis]);
  const std::string n = fresh("w");
  line("let {} = concat axis({}) {}, {}", n, axis, a.name, a.name);
  arrays_.push_back({n, a.type, extents});
}

void Writer::iota() {
  const std::vector<std::string>& extents = c_.pick(kShapes);
  DType t = any_type();
  if (t == DType::i1) t = DType::i32;
  const std::string n = fresh("w");
  line("let {}: {}{} = iota axis({}) to {}", n, name(t), shape_text(extents), c_.below(extents.size()), shape_text(extents));
  arrays_.push_back({n, t, extents});
}

void Writer::gather() {
  std::vector<Array> fit;
  for (const Array& a : arrays_)
    if (!a.extents.empty() && (a.extents[0] == "N" || (keyed_ && a.extents[0] == "M"))) fit.push_back(a);
  if (fit.empty()) return;
  const Array a = fit[c_.below(fit.size())];
  const std::string n = fresh("w"), e = fresh("k");
  std::string domain_text = fmt::format("{} in 0..N", e), at;
  at = a.extents[0] == "M" ? fmt::format("to_index(keys[{}])", e) : fmt::format("N - 1 - {}", e);
  std::vector<std::string> extents = {"N"};
  for (std::size_t k = 1; k < a.extents.size(); ++k) {
    const std::string v = fresh("k");
    domain_text += fmt::format(", {} in 0..{}", v, a.extents[k]);
    at += ", " + v;
    extents.push_back(a.extents[k]);
  }
  line("let {} = gather {}[{}] for ({})", n, a.name, at, domain_text);
  arrays_.push_back({n, a.type, extents});
}

void Writer::contraction() {
  constexpr std::array exact_sides = {DType::f16, DType::bf16, DType::f32, DType::f8e5m2};
  const bool integers = !profile_.floats || c_.once_in(3);
  const DType side = integers ? DType::i8 : c_.pick(exact_sides), sum = integers ? DType::i32 : DType::f32;
  const std::string p = fresh("p"), m = fresh("m"), n = fresh("n"), k = fresh("k");
  constexpr std::array orders = {"strict", "any"};
  const std::string_view order = integers || profile_.licences ? c_.pick(orders) : "strict";
  constexpr std::array inner = {"4", "N"};
  const std::string extent = c_.pick(inner);
  const auto of = [&](const std::string& free, const std::string& free_extent) {
    return [this, free, free_extent, k, extent, side] {
      axes_.push_back({free, free_extent});
      axes_.push_back({k, extent});
      std::string v = value(side, 2);
      line("yield {}", v);
    };
  };
  line("let {}: {}[M, N] = contract free({} in 0..M | {} in 0..N) paired({} in 0..{})", p, name(sum), m, n, k, extent);
  block("  lhs", of(m, "M"));
  block("  rhs", of(n, "N"),
        fmt::format(" product exact accumulate {} order({}) init ({})", name(sum), order, integers ? "0" : "0.0"));
  arrays_.push_back({p, sum, {"M", "N"}});
}

void Writer::assumption() {
  if (axes_.empty()) return;
  const Axis& a = axes_[c_.below(axes_.size())];
  if (a.extent == "N" && c_.once_in(2)) return line("assume_in_bounds x0[{}]", a.name);
  const std::string p = fresh("v");
  line("let {}: i1 = index ({} < {})", p, a.name, a.extent);
  line("assume {}", p);
}

void Writer::random_words() {
  std::string words;
  for (int i = 0; i < 6; ++i) words += (words.empty() ? "" : ", ") + value(DType::i32, 1);
  const std::string r = fresh("v");
  line("let ({0}a: i32, {0}b: i32, {0}c: i32, {0}d: i32) = philox4x32_10 {1}", r, words);
  for (const char* c : {"a", "b", "c", "d"}) data_.push_back({r + c, DType::i32});
}

}  // namespace kir::fuzz
