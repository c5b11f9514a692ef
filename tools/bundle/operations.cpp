#include "tools/bundle/operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/op_table.h"
#include "core/numeric/dtype.h"
#include "core/numeric/float_format.h"

namespace kir::tools {
namespace {

constexpr DType kTypes[] = {DType::i1,     DType::i8,  DType::i16,  DType::i32,  DType::i64, DType::u64, DType::f8e4m3,
                            DType::f8e5m2, DType::f16, DType::bf16, DType::tf32, DType::f32, DType::f64};

bool takes(const OpRow& r, DType t) {
  switch (r.elements) {
    case ElementClass::any: return true;
    case ElementClass::floating: return is_float(t);
    case ElementClass::integer: return is_integer(t);
    case ElementClass::none: return false;
  }
  return false;
}

bool takes(ConvertMode mode, DType from, DType to) {
  switch (mode) {
    case ConvertMode::rn:
    case ConvertMode::sat_rn: return is_float(from) && is_float(to);
    case ConvertMode::sint:
    case ConvertMode::uint: return is_integer(from) && (is_float(to) || bit_width(to) > bit_width(from));
    case ConvertMode::wrap: return is_integer(from) && is_integer(to) && bit_width(to) <= bit_width(from);
    case ConvertMode::to_sint:
    case ConvertMode::to_uint:
    case ConvertMode::sat_to_sint:
    case ConvertMode::sat_to_uint: return is_float(from) && is_integer(to);
    case ConvertMode::to_bool: return to == DType::i1;
    case ConvertMode::bits: return bit_width(from) == bit_width(to) && from != DType::tf32 && to != DType::tf32;
  }
  return false;
}

// A program over i in 0..N, built statement by statement.
class Elementwise {
 public:
  // A view that is read, and its element.
  std::string input(DType t) {
    std::string v = fmt::format("x{}", views_++);
    abi_ += fmt::format("  {}: view {}[N] strides(1) in align {}\n", v, name(t), byte_size(t));
    body_ += fmt::format("  %{0}: {1} = load {0}[%i]\n", v, name(t));
    return "%" + v;
  }
  std::string let(DType t, const std::string& rhs) {
    std::string v = fmt::format("%v{}", values_++);
    body_ += fmt::format("  {}: {} = {}\n", v, name(t), rhs);
    return v;
  }
  void output(DType t, const std::string& value) {
    std::string v = fmt::format("y{}", views_++);
    abi_ += fmt::format("  {}: view {}[N] strides(1) out align {}\n", v, name(t), byte_size(t));
    body_ += fmt::format("  store {}[%i] = {}\n", v, value);
  }
  std::string text(const std::string& program) const {
    return fmt::format(
        "pir 1\nprogram {}\nabi {{\n{}  dims N: i64\n}}\nlaunch {{ threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }}\n"
        "space {{ g0: (i in 0..N) length L0 = N offset O0 = 0 }}\n"
        "dispatch %w: i64 = program_id {{ O0 <= %w < O0 + L0 -> g0(%i = %w - O0)  else -> exit }}\n"
        "group g0 (%i: i64 in 0..N) {{\n{}}}\n",
        program, abi_, body_);
  }

 private:
  std::string abi_, body_;
  int views_ = 0, values_ = 0;
};

std::string identifier(std::string_view s) {
  std::string out;
  for (char c : s) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

const std::vector<std::pair<std::uint64_t, bool>> kContents = {{3, false}, {5, true}};
constexpr std::int64_t kElements = 777;

Trial trial(const std::string& kind, std::string_view what, const Elementwise& e, int ulp = 0) {
  std::string n = kind + "_" + identifier(what);
  return {n, e.text(n), {{"N", kElements}}, kContents, ulp};
}

// Divisors that are erroneous for some dividend, 0 and -1, become 3.
std::string divisor(Elementwise& e, DType t, const std::string& x) {
  std::string bad = e.let(
      DType::i1, fmt::format("or {}, {}", e.let(DType::i1, fmt::format("cmp.eq {}, {}", x, e.let(t, "constant 0"))),
                             e.let(DType::i1, fmt::format("cmp.eq {}, {}", x, e.let(t, "not " + e.let(t, "constant 0"))))));
  return e.let(t, fmt::format("select {}, {}, {}", bad, e.let(t, "constant 3"), x));
}

// A float brought into a range that every conversion to the integer type takes.
std::string convertible(Elementwise& e, ConvertMode mode, DType from, DType to, const std::string& x) {
  const bool is_signed = mode == ConvertMode::to_sint;
  const char* low = !is_signed ? "0.0" : to == DType::i1 ? "-1.0" : "-100.0";
  const char* high = to == DType::i1 ? (is_signed ? "0.0" : "1.0") : "100.0";
  std::string above = e.let(DType::i1, fmt::format("cmp.oge {}, {}", x, e.let(from, fmt::format("constant {}", low))));
  std::string below = e.let(DType::i1, fmt::format("cmp.ole {}, {}", x, e.let(from, fmt::format("constant {}", high))));
  std::string inside = e.let(DType::i1, fmt::format("and {}, {}", above, below));
  return e.let(from, fmt::format("select {}, {}, {}", inside, x, e.let(from, "constant 0.0")));
}

}  // namespace

std::vector<Trial> operation_trials() {
  std::vector<Trial> out;
  for (const OpRow& r : op_table()) {
    if (r.family != Family::pointwise || r.operands <= 0 || r.kind == OpKind::cmp || r.kind == OpKind::convert) continue;
    const bool divides = r.kind == OpKind::divt || r.kind == OpKind::remt || r.kind == OpKind::divf || r.kind == OpKind::remf ||
                         r.kind == OpKind::divu || r.kind == OpKind::remu;
    Elementwise e;
    for (DType t : kTypes) {
      if (!takes(r, t) || (divides && t == DType::i1)) continue;
      std::string operands;
      for (int i = 0; i < r.operands; ++i) {
        std::string x = e.input(r.kind == OpKind::select && i == 0 ? DType::i1 : t);
        if (divides && i == 1) x = divisor(e, t, x);
        operands += (i ? ", " : " ") + x;
      }
      e.output(t, e.let(t, std::string(r.name) + operands));
    }
    out.push_back(trial("op", r.name, e, r.accuracy.max_ulp));
  }
  for (ConvertMode mode : all_convert_modes()) {
    Elementwise e;
    for (DType from : kTypes) {
      std::string x = e.input(from);
      for (DType to : kTypes) {
        if (!takes(mode, from, to)) continue;
        const bool partial = mode == ConvertMode::to_sint || mode == ConvertMode::to_uint;
        e.output(to, e.let(to, fmt::format("convert.{} {}", name(mode), partial ? convertible(e, mode, from, to, x) : x)));
      }
    }
    out.push_back(trial("convert", name(mode), e));
  }
  for (CmpPredicate p : all_cmp_predicates()) {
    Elementwise e;
    for (DType t : kTypes) {
      if (is_float(t) != is_float_predicate(p)) continue;
      std::string a = e.input(t), b = e.input(t);
      e.output(DType::i1, e.let(DType::i1, fmt::format("cmp.{} {}, {}", name(p), a, b)));
    }
    out.push_back(trial(is_float_predicate(p) ? "cmp_float" : "cmp", name(p), e));
  }
  return out;
}

std::vector<Trial> thread_trials() {
  std::vector<Trial> out;
  struct Form {
    int threads, registers;
  };
  for (Form f : {Form{4, 3}, Form{32, 1}, Form{32, 4}, Form{64, 2}, Form{128, 3}, Form{256, 1}, Form{1024, 2}}) {
    const int n = f.threads * f.registers;
    std::string abi,
        body = fmt::format("  %e: i64<{0}; @L> = index pos(0)\n  %back: i64<{0}; @L> = index {1} - pos(0)\n", n, n - 1);
    for (DType t : kTypes) {
      if (t == DType::i1 || t == DType::f8e4m3 || t == DType::f8e5m2) continue;  // sums of these are inexact or meaningless
      const std::string_view d = name(t);
      // any: a sum, in a loop, so that scratch memory is used again. tree: the last element that is not zero, which is
      // associative and not commutative.
      // Row i adds every K-th element from i on, K so large that sums are exact in any order: 3 rounds of at most 8 each.
      const int every =
          is_float(t) ? static_cast<int>(1 + ((std::int64_t{3} * 8 * n) >> std::min(float_format(t).precision(), 31))) : 1;
      abi += fmt::format(
          "  x_{0}: view {0}[N, {1}] strides({1}, 1) in align 8\n  s_{0}: view {0}[N] strides(1) out align 8\n"
          "  l_{0}: view {0}[N] strides(1) out align 8\n",
          d, n);
      body += fmt::format(
          "  %x_{0}: {0}<{1}; @L> = load x_{0}[%i, %e]\n  %z_{0}: {0} = constant {2}\n"
          "  %in_{0}: i1<{1}; @L> = index (pos(0) + %i) mod {4} == 0\n"
          "  %y_{0}: {0}<{1}; @L> = load x_{0}[%i, %e] where %in_{0} fill %z_{0}\n"
          "  %s_{0}: {0} = for %t_{0}: i64 in 0..3 carry (%c_{0}: {0} = %z_{0}) {{\n"
          "    %r_{0}: {0} = tile_reduce %y_{0} axes(0) order(any) init (%c_{0}) combine (%p_{0}: {0}, %q_{0}: {0}) {{ "
          "%pq_{0}: {0} = add %p_{0}, %q_{0}  yield %pq_{0} }}\n    next %r_{0}\n  }}\n  store s_{0}[%i] = %s_{0}\n"
          "  %l_{0}: {0} = tile_reduce %x_{0} axes(0) order(tree) combine (%a_{0}: {0}, %b_{0}: {0}) {{\n"
          "    %k_{0}: i1 = cmp.{3} %b_{0}, %z_{0}\n    %ab_{0}: {0} = select %k_{0}, %b_{0}, %a_{0}\n    yield %ab_{0}\n  }}\n"
          "  store l_{0}[%i] = %l_{0}\n",
          d, n, is_float(t) ? "0.0" : "0", is_float(t) ? "une" : "ne", every);
    }
    // Threads that meet in memory: a row reversed in place, tiles that overlap, a scalar stored and read back.
    abi += fmt::format(
        "  z: view i32[N, {0}] strides({0}, 1) inout align 4\n  o: view i64[N, {1}] strides({1}, 1) out align 8\n"
        "  m: view i64[N] strides(1) inout align 8\n",
        n, 4 * n);
    body += fmt::format(
        "  %zv: i32<{0}; @L> = load z[%i, %e]\n  store z[%i, %back] = %zv\n"
        "  for %t: i64 in 0..4 {{\n    %oe: i64<{0}; @L> = index {1} * %t + pos(0)\n    %ov: i64<{0}; @L> = index 1000 * %t + "
        "pos(0)\n"
        "    store o[%i, %oe] = %ov\n  }}\n"
        "  %m0: i64 = load m[%i]\n  %m1: i64 = index %m0 + 1\n  store m[%i] = %m1\n  %m2: i64 = load m[%i]\n  %m3: i64 = index "
        "2 * %m2\n"
        "  store m[%i] = %m3\n",
        n, n - 1);
    std::string name = fmt::format("threads_{}x{}", f.threads, f.registers);
    std::string text = fmt::format(
        "pir 1\nprogram {}\nabi {{\n{}  dims N: i64\n}}\nlaunch {{ threads {} grid G = L0 }}\nlayout @L = "
        "S[({},{}):(1@m,1@tid)]\n"
        "space {{ g0: (i in 0..N) length L0 = N offset O0 = 0 }}\n"
        "dispatch %w: i64 = program_id {{ O0 <= %w < O0 + L0 -> g0(%i = %w - O0)  else -> exit }}\n"
        "group g0 (%i: i64 in 0..N) {{\n{}}}\n",
        name, abi, f.threads, f.registers, f.threads, body);
    out.push_back({name, text, {{"N", 9}}, {{2, false}, {4, false}}, 0});
  }
  return out;
}

}  // namespace kir::tools
