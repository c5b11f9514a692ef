// against: corpus/backward_rows.kir
// expect: exit 1
// expect: REFUTED ownership-disjoint
// shows: K5.5 K9.4
// Two instances write one row of the buffer that they share.
pir 1
program backward_rows implements "backward_rows"
abi {
  x: view f32[M, N] in
  y: view f32[M, N] out
  dims M: i64, N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (m in 0..M) length L0 = M offset O0 = 0
}
workspace {
  b: view f32[M, N]
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  else -> exit
}
group g0 (%m: i64 in 0..M) {
  for %n: i64 in 0..N {
    %v: f32 = load x[%m, %n]
    store b[%m floordiv 2, %n] = %v
  }
  for %n: i64 in 0..N {
    %v: f32 = load b[%m floordiv 2, N - 1 - %n]
    store y[%m, %n] = %v
  }
}
