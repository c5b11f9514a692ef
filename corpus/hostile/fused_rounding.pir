// against: corpus/affine_recurrence.kir
// expect: exit 1
// shows: K1.7
// A fused multiply-add rounds once where the kernel rounds twice.
pir 1
program affine_recurrence implements "affine_recurrence"
abi {
  a: view f32[R, T] strides(T, 1) in align 4
  b: view f32[R, T] strides(T, 1) in align 4
  h0: view f32[R] strides(1) in align 4
  h: view f32[R, T] strides(T, 1) out align 4
  dims R: i64, T: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (r in 0..R) length L0 = R offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%r = %w - O0)
  else -> exit
}
group g0 (%r: i64 in 0..R) {
  %first: f32 = load h0[%r]
  %last: f32 = for %t: i64 in 0..T carry (%state: f32 = %first) {
    %u: f32 = load a[%r, %t]
    %v: f32 = load b[%r, %t]
    %n: f32 = fma %u, %state, %v
    store h[%r, %t] = %n
    next %n
  }
}
