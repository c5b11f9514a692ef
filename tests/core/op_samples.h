// One accepted and one refused text for each operation of the table.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/ir/op_table.h"

namespace kir::test {

struct OpSample {
  OpKind kind;
  std::string good;
  std::string bad;
  std::string rule;  // id of an error that `bad` gets
  bool physical = false;
};

// A kernel with values a, b: f32; c, d: i32; p: i1; views x: in f32[N], k: in i32[N], m: in f32[N, N], y: out f32[N],
// w: out i32[N], q: out f32[N, N]; loop variable i.
inline std::string kernel_around(const std::string& body) {
  return "kir 1\nkernel sample(x: in f32[N], k: in i32[N], m: in f32[N, N], y: out f32[N], w: out i32[N], q: out f32[N, N],"
         " s: f32) {\n  parallel i in 0..N {\n    let a: f32 = load x[i]\n    let b: f32 = load m[i, i]\n    let c: i32 = load "
         "k[i]\n"
         "    let d: i32 = load k[i]\n    let p: i1 = index i < 3\n" +
         body + "\n  }\n}\n";
}

// A program with a 1-d fragment type <8; @L>, values %e: i64<8; @L>, %in: i1<8; @L>, %f: f32<8; @L>, %c: f32, %m: i64.
inline std::string program_around(const std::string& body) {
  return "pir 1\nprogram sample\nabi {\n  x: view f32[N] in\n  y: view f32[N] out\n  s: f32\n  dims N: i64\n}\n"
         "launch { threads 4 grid G = O0 + L0 }\nlayout @L = S[(2,4):(1@m,1@tid)]\n"
         "space {\n  g: (m in 0..ceildiv(N, 8)) length L0 = ceildiv(N, 8) offset O0 = 0\n}\n"
         "dispatch %w: i64 = program_id {\n  O0 <= %w < O0 + L0 -> g(%m = %w - O0)\n  else -> exit\n}\n"
         "group g (%m: i64 in 0..ceildiv(N, 8)) {\n  %e: i64<8; @L> = index 8 * %m + pos(0)\n  %in: i1<8; @L> = index %e < N\n"
         "  %c: f32 = constant 1.0\n  %f: f32<8; @L> = load x[%e] where %in fill %c\n" +
         body + "\n}\n";
}

inline std::vector<OpSample> op_samples() {
  std::vector<OpSample> out;
  auto kir = [&](OpKind kind, std::string good, std::string bad, std::string rule) {
    out.push_back({kind, kernel_around(good), kernel_around(bad), std::move(rule)});
  };
  auto pir = [&](OpKind kind, std::string good, std::string bad, std::string rule) {
    out.push_back({kind, program_around(good), program_around(bad), std::move(rule), true});
  };
  for (const OpRow& r : op_table()) {
    if (r.result != ResultRule::same) continue;
    auto call = [&](const char* first, const char* rest) {
      std::string s(r.name);
      for (int i = 0; i < r.operands; ++i) s += fmt::format("{} {}", i ? "," : "", i ? rest : first);
      return s;
    };
    bool floating = r.elements != ElementClass::integer;
    std::string good = fmt::format("let r: {} = {}", floating ? "f32" : "i32", floating ? call("a", "b") : call("c", "d"));
    if (r.elements == ElementClass::any && r.operands == 1)
      kir(r.kind, good, fmt::format("let r: f64 = {} a", r.name), "V-14");
    else if (r.elements == ElementClass::any)
      kir(r.kind, good, fmt::format("let r: f32 = {}", call("a", "c")), "V-13");
    else
      kir(r.kind, good, fmt::format("let r: {} = {}", floating ? "i32" : "f32", floating ? call("c", "c") : call("a", "a")),
          "V-12");
  }
  kir(OpKind::constant, "let r: f32 = constant -inf", "let r: i32 = constant 1.0", "T-07");
  kir(OpKind::index, "let r: index = index i + 2 * N\nlet t: i1 = index 0 <= i < N", "let r: index = index a + 1", "T-03");
  kir(OpKind::cmp, "let r: i1 = cmp.ult a, b\nlet t: i1 = cmp.ult c, d", "let r: i1 = cmp.slt a, b", "T-05");
  kir(OpKind::select, "let r: f32 = select p, a, b", "let r: f32 = select a, a, b", "V-13");
  kir(OpKind::convert, "let r: f64 = convert.rn a\nlet t: index = convert.uint c", "let r: f64 = convert.wrap a", "V-24");
  kir(OpKind::load, "let r: f32 = load m[i, i] where p fill a", "let r: f32 = load m[i, i] where p fill c", "V-20");
  kir(OpKind::store, "store y[i] = a where p", "store x[i] = a", "V-21");
  kir(OpKind::tensor, "let r: f32[N, 4] = tensor (j in 0..N, l in 0..4) {\n yield a }",
      "let r: f32[4] = tensor (j in 0..N) { yield a }", "V-14");
  kir(OpKind::elem, "let t: f32[] = tensor () { yield a }\nlet r: f32 = elem t[]", "let r: f32 = elem x[i]", "T-03");
  kir(OpKind::view, "let r: view f32[N] = view m (j in 0..N) { yield j, i }",
      "let r: view f32[N] = view m (j in 0..N) { yield j }", "V-26");
  kir(OpKind::transpose, "let r: view f32[N, N] = transpose m perm(1, 0)", "let r: view f32[N, N] = transpose m perm(1, 1)",
      "T-08");
  kir(OpKind::slice, "let r: view f32[N - 1] = slice x [1..N]", "let r: view f32[N] = slice x [1..N]", "V-26");
  kir(OpKind::broadcast, "let r: view f32[4, N] = broadcast x axes(1) to [4, N]",
      "let r: view f32[N, N] = broadcast m axes(1, 0) to [N, N]", "V-26");
  kir(OpKind::parallel, "parallel j in 0..N, l in 0..2 { store q[i, j] = a }", "let r: f32 = parallel j in 0..N { yield a }",
      "P-04");
  kir(OpKind::for_loop, "let r: f32 = for j in 0..N step 2 carry (u: f32 = a) { let v: f32 = add u, b\n next v }",
      "let r: f32 = for j in 0..N carry (u: f32 = a) { next c }", "V-30");
  kir(OpKind::while_loop,
      "let r: f32 = while carry (u: f32 = a) when { let z: i1 = cmp.olt u, b\n yield z } do { let v: f32 = add u, b\n next v }",
      "let r: f32 = while carry (u: f32 = a) when { yield u } do { next u }", "V-30");
  kir(OpKind::if_else, "let (r: f32, t: i32) = if p { yield a, c } else { yield b, d }\nif p { store y[i] = a }",
      "let r: f32 = if a { yield a } else { yield b }", "V-13");
  kir(OpKind::yield, "let r: f32 = if p { yield a } else { yield b }", "let r: f32 = if p { yield a, b } else { yield b }",
      "T-08");
  kir(OpKind::next, "let r: f32 = for j in 0..N carry (u: f32 = a) { next b }",
      "let r: f32 = for j in 0..N carry (u: f32 = a) { yield b }", "P-08");
  kir(OpKind::break_loop, "let r: f32 = for j in 0..N carry (u: f32 = a) { if p { break b }\n next u }", "if p { break }",
      "P-08");
  kir(OpKind::continue_loop, "for j in 0..N { if p { continue } else { store y[j] = a } }",
      "for j in 0..N { if p { continue a } }", "V-55");
  kir(OpKind::assume, "assume p", "assume a", "V-13");
  kir(OpKind::reduce,
      "let (r: f32, t: i32) = reduce (j in 0..N, l in 1..2) map { yield a, c } combine order(tree) (u: f32, f: i32, v: f32, g: "
      "i32) {"
      " let z: f32 = max.num u, v\n let h: i32 = add f, g\n yield z, h } identity assumed (nan, 0) init (a, c)",
      "let r: f32 = reduce (j in 0..N) map { yield a } combine order(any) (u: f32, v: f32) { yield u } init (a, a)", "V-31");
  kir(OpKind::buffer,
      "let r: view f32[N, 4] = buffer [N, 4] init (j, l) { yield a }\nlet t: view i32[] = buffer []\nlet u: view f32[0] = "
      "buffer [0]",
      "let r: view f32[N] = buffer [N] init (j) { yield c }", "V-35");
  kir(OpKind::scatter,
      "scatter unique y, w (j in 0..N) { let l: i1 = index j < 2\n yield j, a, c, l }\n"
      "scatter reduce order(any) q (j in 0..N, l in 1..2) { yield j, l, b } combine (u: f32, v: f32) { let z: f32 = max.num u, "
      "v\n"
      " yield z }",
      "scatter unique y (j in 0..N) { yield j, j, a }", "V-39");
  kir(OpKind::histogram, "histogram w (j in 0..N) { yield j, c, p } out_of_range(drop)",
      "histogram q (j in 0..N) { yield j, a } out_of_range(clamp)", "V-41");
  kir(OpKind::atomic_load, "let r: i32 = atomic_load w[i] where p fill c order(acquire) share(system)",
      "let r: i32 = atomic_load w[i] order(release) share(system)", "V-36");
  kir(OpKind::atomic_store, "atomic_store w[i] = c where p order(release) share(invocation)",
      "atomic_store w[i] = c order(acq_rel) share(invocation)", "V-36");
  kir(OpKind::atomic_rmw,
      "let r: f32 = atomic_rmw.max.num q[i, i], a where p fill b order(acq_rel) share(invocation)\n"
      "let t: i32 = atomic_rmw.exchange w[i], c order(relaxed) share(system)",
      "let r: f32 = atomic_rmw.xor y[i], a order(relaxed) share(invocation)", "V-37");
  kir(OpKind::atomic_cas,
      "let (r: i32, t: i1) = atomic_cas w[i], c, d where p fill c order(acq_rel, acquire) share(invocation)",
      "let (r: i32, t: i1) = atomic_cas w[i], c, d order(acq_rel, release) share(invocation)", "V-36");
  kir(OpKind::assume_in_bounds, "assume_in_bounds m[i, i]", "assume_in_bounds m[i]", "T-08");
  kir(OpKind::arg_reduce,
      "let (r: f32, t: index, u: index) = arg_reduce max tie(last) nan(ignore) (j in 0..N, l in 1..2) where { let g: i1 = "
      "index j < 3\n"
      " yield g } map { let h: f32 = load m[j, l]\n yield h } init (a, i, i)",
      "let (r: f32, t: i32) = arg_reduce max tie(first) nan(first) (j in 0..N) map { yield a }", "T-04");
  kir(OpKind::scan,
      "let (r: f32[N - 1], t: i32[N - 1], u: f32, v: i32) = scan exclusive reverse (j in 1..N) map { yield a, c } combine "
      "order(tree) (e: f32, f: i32, g: f32, h: i32) { let z: f32 = add e, g\n let o: i32 = add f, h\n yield z, o } identity "
      "(-0.0, 0)"
      " init (b, d)",
      "let (r: f32[N], u: f32) = scan exclusive forward (j in 0..N) map { yield a } combine order(any) (e: f32, g: f32) { "
      "yield e }",
      "V-47");
  kir(OpKind::contract,
      "let r: f32[2, N, 3] = contract batch(e in 0..2) free(f in 0..N | g in 1..4) paired(j in 0..N, l in 0..2) lhs { let z: "
      "f16 = "
      "convert.rn a\n yield z } rhs { let z: tf32 = convert.rn b\n yield z } product exact accumulate f32 order(any) "
      "unit(1e-4) "
      "identity (-0.0) init (s)\n"
      "let t: i32[] = contract batch() free( | ) paired(j in 0..N) lhs { yield c } rhs { yield d } product (u: i32, v: i32) { "
      "let o: i32 "
      "= mul u, v\n yield o } combine order(any) (u: i32, v: i32) { let o: i32 = add u, v\n yield o } identity (0)",
      "let r: f16[N] = contract free(f in 0..N | ) paired(j in 0..N) lhs { yield a } rhs { yield b } product exact accumulate "
      "f16 "
      "order(any)",
      "V-50");
  kir(OpKind::region_fold,
      "let (r: f32, t: i32) = region_fold [0..N] uses (x, i) where (j) { yield j != i } summarize [lo..hi] {\n"
      " let v = reduce add order(any) over j in lo..hi { x[j] }\n yield v, i32(1) } combine order(tree) (u: f32, f: i32, v: "
      "f32, g: "
      "i32) { yield u + v, f + g } identity (-0.0, 0)",
      "let r: f32 = region_fold [0..N] summarize [lo..hi] { yield a } combine order(tree) (u: f32, v: f32) { yield u }",
      "V-59");
  kir(OpKind::region_scan,
      "let (r: f32[N], t: f32) = region_scan [0..N] uses (x) init (a) summarize [lo..hi] {\n let v = reduce add order(any) "
      "over j "
      "in lo..hi { x[j] }\n yield v } combine order(tree) (u: f32, v: f32) { yield u + v } apply (u: f32, v: f32) { yield u + "
      "v }\n"
      " emit [lo..hi] (g: f32) { let (h, e) = for j in lo..hi carry (h = g) collect (f32) { let n = h + x[j]\n next n, n }\n "
      "yield e }",
      "let (r, t) = region_scan [0..N] init (a) summarize [lo..hi] { yield f32(1.0) } combine order(tree) (u: f32, v: f32) { "
      "yield "
      "u } apply (u: f32, v: f32) { yield u } emit [lo..hi] (g: f32) { yield g }",
      "T-08");
  kir(OpKind::reshape, "let r: view f32[N * N] = reshape m to [N * N]", "let r: view f32[N] = reshape m to [N * N]", "V-65");
  kir(OpKind::concat,
      "let t: f32[2, N] = tensor (j in 0..2, l in 0..N) { yield a }\nlet r: f32[N + 2, N] = concat axis(0) m, t",
      "let r: f32[N, N] = concat axis(1) m, m", "V-66");
  kir(OpKind::iota, "let r: bf16[2, N] = iota axis(1) to [2, N]", "let r: i32[N] = iota axis(0) to [2 * N]", "V-67");
  kir(OpKind::gather,
      "let r: f32[N, 2] = gather m (j in 0..N, l in 0..2) { let u: i32 = load k[j]\n let v: index = convert.sint u\n yield v, "
      "l }",
      "let r: f32[N] = gather m (j in 0..N) { let u: i32 = load k[j]\n yield u, j }", "V-68");
  kir(OpKind::part, "let (u: index, v: index) = part m.1 [i..i + 2]", "let (u: index, v: i32) = part m.1 [i..i + 2]", "T-04");
  kir(OpKind::philox4x32_10, "let (r: i32, t: i32, u: i32, v: i32) = philox4x32_10 c, d, c, d, c, d",
      "let (r: i32, t: i32, u: i32, v: i32) = philox4x32_10 c, d, c, d, c, p", "V-70");
  pir(OpKind::splat, "%r: f32<8; @L> = splat %c", "%r: i32<8; @L> = splat %c", "W-10");
  pir(OpKind::tile_reduce,
      "%r: f32 = tile_reduce %f axes(0) order(any) identity (-0.0) init (%c) combine (%u: f32, %v: f32) { %z: f32 = add %u, "
      "%v\n yield %z }",
      "%r: f32 = tile_reduce %f axes(1) order(any) combine (%u: f32, %v: f32) { yield %u }", "W-11");
  return out;
}

}  // namespace kir::test
