// against: corpus/vector_add.kir
// expect: exit 1
// shows: K4.2
// The launcher refuses every grid but the empty one, so whatever the program stores is never seen.
pir 1
program vector_add implements "vector_add"
abi {
  x: view f32[N] in
  y: view f32[N] in
  z: view f32[N] out
  dims N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) * 2147483648 }
space {
  g0: (i in 0..N) length L0 = N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w and %w < O0 + L0 -> g0(%i = %w - O0)
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %t0: f32 = load x[%i] !1
  %t1: f32 = load y[%i] !2
  %t2: f32 = sub %t0, %t1 !3
  store z[%i] = %t2 !4
}
