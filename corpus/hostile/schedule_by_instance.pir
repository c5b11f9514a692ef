// against: corpus/softmax.kir
// expect: exit 1 3
// shows: K1.7
// One instance for each element; each sums its row anew, beginning at its own column, so the elements of a row are divided by
// totals of different roundings.
pir 1
program softmax implements "softmax"
abi {
  x: view f32[M, N] strides(N, 1) in align 4
  y: view f32[M, N] strides(N, 1) out align 4
  dims M: i64, N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (m in 0..M, n in 0..N) length L0 = M * N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = (%w - O0) floordiv N, %n = (%w - O0) mod N)
  else -> exit
}
group g0 (%m: i64 in 0..M, %n: i64 in 0..N) {
  %low: f32 = constant -inf
  %zero: f32 = constant 0.0
  %peak: f32 = for %i: i64 in 0..N carry (%a: f32 = %low) {
    %u: f32 = load x[%m, %i]
    %b: f32 = max.nan %a, %u
    next %b
  }
  %head: f32 = for %j: i64 in %n..N carry (%c: f32 = %zero) {
    %v: f32 = load x[%m, %j]
    %d: f32 = sub %v, %peak
    %e: f32 = exp %d
    %f: f32 = add %c, %e
    next %f
  }
  %total: f32 = for %k: i64 in 0..%n carry (%g: f32 = %head) {
    %r: f32 = load x[%m, %k]
    %s: f32 = sub %r, %peak
    %t: f32 = exp %s
    %h: f32 = add %g, %t
    next %h
  }
  %z: f32 = load x[%m, %n]
  %p: f32 = sub %z, %peak
  %q: f32 = exp %p
  %o: f32 = div %q, %total
  store y[%m, %n] = %o
}
