// against: corpus/softmax.kir
// expect: exit 1
// expect: REFUTED layout-injective
// expect: elements 512 (copy 0) and 0 (copy 1) at m 4
// shows: K9.2 L3.2
// Each thread holds two copies of its 8 elements, four registers apart: the first copies of four elements lie where the second
// copies of the others do.
pir 1
program softmax_tiled implements "softmax"
abi {
  x: view f32[M, N] strides(N, 1) in align 4
  y: view f32[M, N] strides(N, 1) out align 4
  dims M: i64, N: i64
}
launch { threads 128 grid G = M }
layout @L = S[(8,128):(1@m,1@tid)] + R[2:4@m]
space {
  g0: (row in 0..M) length L0 = M offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%row = %w - O0)
  else -> exit
}
group g0 (%row: i64 in 0..M) {
  %low: f32 = constant -inf
  %zero: f32 = constant 0.0
  %none: f32 = constant -0.0

  // Pass 1: the row's maximum.
  %lows: f32<1024; @L> = splat %low
  %peaks: f32<1024; @L> = for %t: i64 in 0..ceildiv(N, 1024) carry (%a: f32<1024; @L> = %lows) {
    %e: i64<1024; @L> = index 1024 * %t + pos(0)
    %in: i1<1024; @L> = index %e < N
    %v: f32<1024; @L> = load x[%row, %e] where %in fill %low
    %b: f32<1024; @L> = max.nan %a, %v
    next %b
  }
  %peak: f32 = tile_reduce %peaks axes(0) order(any) identity (-inf) combine (%p: f32, %q: f32) {
    %r: f32 = max.nan %p, %q
    yield %r
  }
  %shift: f32<1024; @L> = splat %peak

  // Pass 2: the sum of the shifted exponentials. Lanes past the row contribute -0.0, the neutral element of add.
  %nones: f32<1024; @L> = splat %none
  %sums: f32<1024; @L> = for %t2: i64 in 0..ceildiv(N, 1024) carry (%a2: f32<1024; @L> = %nones) {
    %e2: i64<1024; @L> = index 1024 * %t2 + pos(0)
    %in2: i1<1024; @L> = index %e2 < N
    %v2: f32<1024; @L> = load x[%row, %e2] where %in2 fill %low
    %d2: f32<1024; @L> = sub %v2, %shift
    %x2: f32<1024; @L> = exp %d2
    %k2: f32<1024; @L> = select %in2, %x2, %nones
    %b2: f32<1024; @L> = add %a2, %k2
    next %b2
  }
  %total: f32 = tile_reduce %sums axes(0) order(any) identity (-0.0) init (%zero) combine (%p2: f32, %q2: f32) {
    %r2: f32 = add %p2, %q2
    yield %r2
  }
  %totals: f32<1024; @L> = splat %total

  // Pass 3: the quotients.
  for %t3: i64 in 0..ceildiv(N, 1024) {
    %e3: i64<1024; @L> = index 1024 * %t3 + pos(0)
    %in3: i1<1024; @L> = index %e3 < N
    %v3: f32<1024; @L> = load x[%row, %e3] where %in3 fill %low
    %d3: f32<1024; @L> = sub %v3, %shift
    %x3: f32<1024; @L> = exp %d3
    %o3: f32<1024; @L> = div %x3, %totals
    store y[%row, %e3] = %o3 where %in3
  }
}
