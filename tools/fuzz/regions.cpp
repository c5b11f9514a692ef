// Folds and scans over segments. Their laws are the author's, so that they come from families of which they are known: a
// maximum with its number of members, and recurrences s -> a s + b, all over wrapping integers.
#include <array>

#include "tools/fuzz/writer.h"

namespace kir::fuzz {

void Writer::region_fold() {
  constexpr std::array orders = {"strict", "tree"};
  const std::string x = fresh("q"), m = fresh("v"), n = fresh("v"), lo = fresh("lo"), hi = fresh("hi"), j = fresh("j");
  const std::string_view order = c_.pick(orders);
  line("let {} = tensor ({}k in 0..N) {{ to_i32({}k) }}", x, x, x);
  std::string head = fmt::format("let ({}: i32, {}: i32) = region_fold [0..N] uses ({})", m, n, x);
  if (c_.once_in(3)) head += fmt::format(" where ({0}) {{ {1}[{0}] > 1 }}", fresh("j"), x);
  block(fmt::format("{} summarize [{}..{}]", head, lo, hi), [&] {
    line("let {}s = reduce max.s order(any) over {} in {}..{} {{ 3 - {}[{}] }}", m, j, lo, hi, x, j);
    line("let {}s = reduce add order(any) over {} in {}..{} {{ i32(1) }}", n, j + "c", lo, hi);
    line("yield {}s, {}s", m, n);
  });
  block(
      fmt::format("combine order({0}) ({1}a: i32, {2}a: i32, {1}b: i32, {2}b: i32)", order, m, n),
      [&] { line("yield max.s({0}a, {0}b), {1}a + {1}b", m, n); }, " identity (-2147483648, 0)");
  data_.push_back({m, DType::i32});
  data_.push_back({n, DType::i32});
}

void Writer::region_scan() {
  constexpr std::array orders = {"strict", "tree"};
  const std::string x = fresh("q"), s = fresh("s"), last = fresh("v"), t = fresh("t");
  const std::string_view order = c_.pick(orders);
  const std::string start = value(DType::i32, 1);
  line("let {} = tensor ({}k in 0..N) {{ to_i32({}k) }}", x, x, x);
  block(fmt::format("let ({}, {}) = region_scan [0..N] uses ({}) init ({}) summarize [{}l..{}h]", s, last, x, start, t, t),
        [&] {
          line(
              "let ({0}p, {0}q) = for {0} in {0}l..{0}h carry ({0}a = i32(1), {0}b = i32(0)) {{ next {1}[{0}] * {0}a, {1}[{0}] "
              "* {0}b + 1 }}",
              t, x);
          line("yield {0}p, {0}q", t);
        });
  block(
      fmt::format("combine order({0}) ({1}p0: i32, {1}q0: i32, {1}p1: i32, {1}q1: i32)", order, t),
      [&] { line("yield {0}p1 * {0}p0, {0}p1 * {0}q0 + {0}q1", t); }, " identity (1, 0)");
  block(fmt::format("apply ({0}p: i32, {0}q: i32, {0}g: i32)", t), [&] { line("yield {0}p * {0}g + {0}q", t); });
  block(fmt::format("emit [{0}l..{0}h] ({0}g: i32)", t), [&] {
    line("let ({0}e, {0}s) = for {0} in {0}l..{0}h carry ({0}c = {0}g) collect (i32) {{", t);
    line("  let {0}n = {1}[{0}] * {0}c + 1", t, x);
    line("  next {0}n, {0}n", t);
    line("}}");
    line("yield {}s", t);
  });
  data_.push_back({last, DType::i32});
  arrays_.push_back({s, DType::i32, {"N"}});
}

}  // namespace kir::fuzz
