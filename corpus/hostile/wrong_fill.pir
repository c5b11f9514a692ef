// against: corpus/row_sum.kir
// expect: exit 1
// shows: K9.5 K9.14
// Lanes past the row's end contribute 1.0.
pir 1
program row_sum implements "row_sum"
abi {
  x: view f32[M, N] strides(N, 1) in align 4
  s: view f32[M] strides(1) out align 4
  dims M: i64, N: i64
}
launch { threads 128 grid G = M }
layout @L = S[(1,128):(1@m,1@tid)]
space {
  g0: (row in 0..M) length L0 = M offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%row = %w - O0)
  else -> exit
}
group g0 (%row: i64 in 0..M) {
  %zero: f32 = constant 0.0
  %none: f32 = constant -0.0
  %one: f32 = constant 1.0
  %nones: f32<128; @L> = splat %none
  %sums: f32<128; @L> = for %t: i64 in 0..ceildiv(N, 128) carry (%a: f32<128; @L> = %nones) {
    %e: i64<128; @L> = index 128 * %t + pos(0)
    %in: i1<128; @L> = index %e < N
    %v: f32<128; @L> = load x[%row, %e] where %in fill %one
    %b: f32<128; @L> = add %a, %v
    next %b
  }
  %total: f32 = tile_reduce %sums axes(0) order(any) identity (-0.0) init (%zero) combine (%p: f32, %q: f32) {
    %r: f32 = add %p, %q
    yield %r
  }
  store s[%row] = %total
}
