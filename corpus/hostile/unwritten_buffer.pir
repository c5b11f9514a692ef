// against: corpus/control/running_product_collect.kir
// expect: exit 1
// shows: K5.3 K9.3
// The last element of the buffer is read although no iteration wrote it.
pir 1
program running_product_collect implements "running_product_collect"
abi {
  x: view f32[M, N] in
  y: view f32[M, N] out
  whole: view f32[M] out
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
  kept: view f32[N] = buffer [N] scope(private)
  %one: f32 = constant 1.0
  %last: f32 = for %n: i64 in 0..N carry (%p: f32 = %one) {
    %v: f32 = load x[%m, %n]
    %q: f32 = mul %p, %v
    %inner: i1 = index %n < N - 1
    store kept[%n] = %q where %inner
    next %q
  }
  for %n: i64 in 0..N {
    %r: f32 = load kept[%n]
    store y[%m, %n] = %r
  }
  store whole[%m] = %last
}
