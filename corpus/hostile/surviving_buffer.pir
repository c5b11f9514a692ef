// against: corpus/control/running_product_collect.kir
// expect: exit 1
// shows: K5.7 K9.3
// The buffer keeps what each iteration wrote at one place, so that the last product is read everywhere.
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
  kept: view f32[1] = buffer [1] scope(private) init (%k: i64) {
    %o: f32 = constant 1.0
    yield %o
  }
  %one: f32 = constant 1.0
  %zero: i64 = index 0
  %last: f32 = for %n: i64 in 0..N carry (%p: f32 = %one) {
    %v: f32 = load x[%m, %n]
    %q: f32 = mul %p, %v
    store kept[%zero] = %q
    next %q
  }
  for %n: i64 in 0..N {
    %r: f32 = load kept[%zero]
    store y[%m, %n] = %r
  }
  store whole[%m] = %last
}
