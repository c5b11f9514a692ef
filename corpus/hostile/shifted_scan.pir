// against: corpus/scans/cumsum.kir
// expect: exit 1
// shows: K7.3 K9.3
// Each element has the state before its member instead of the one with it.
pir 1
program cumsum implements "cumsum"
abi {
  x: view f32[M, N] in
  y: view f32[M, N] out
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
  sum: view f32[N] = buffer [N] scope(private)
  %last: f32 = scan exclusive forward (%n: i64 in 0..N) map {
    %v: f32 = load x[%m, %n]
    yield %v
  } combine order(any) (%a: f32, %b: f32) {
    %c: f32 = add %a, %b
    yield %c
  } identity (-0.0) init (%zero) result (%n: i64, %state: f32) {
    store sum[%n] = %state
  }
  for %n: i64 in 0..N {
    %r: f32 = load sum[%n]
    store y[%m, %n] = %r
  }
}
