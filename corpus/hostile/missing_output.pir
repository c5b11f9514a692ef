// against: corpus/two_outputs.kir
// expect: exit 1 5
// shows: K9.1
// The second output is never written.
pir 1
program two_outputs implements "two_outputs"
abi {
  x: view f32[M, N] strides(N, 1) in align 4
  y: view f32[M, N] strides(N, 1) out align 4
  rms: view f32[M] strides(1) out align 4
  eps: f32
  dims M: i64, N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (m in 0..M) length L0 = M offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  else -> exit
}
group g0 (%m: i64 in 0..M) {
  %zero: f32 = constant 0.0
  %squares: f32 = for %n: i64 in 0..N carry (%acc: f32 = %zero) {
    %v: f32 = load x[%m, %n]
    %s: f32 = mul %v, %v
    %t: f32 = add %acc, %s
    next %t
  }
  %extent: i64 = index N
  %count: f32 = convert.sint %extent
  %mean: f32 = div %squares, %count
  %sum: f32 = add %mean, %eps
  %r: f32 = sqrt %sum
  for %k: i64 in 0..N {
    %u: f32 = load x[%m, %k]
    %q: f32 = div %u, %r
    store y[%m, %k] = %q
  }
}
