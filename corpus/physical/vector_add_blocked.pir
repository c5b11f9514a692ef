// Vector addition by hand, four consecutive elements for each instance; the last instance may own fewer.
pir 1
program vector_add implements "vector_add"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[N] strides(1) in align 4
  z: view f32[N] strides(1) out align 4
  dims N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (b in 0..ceildiv(N, 4)) length L0 = ceildiv(N, 4) offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%b = %w - O0)
  else -> exit
}
group g0 (%b: i64 in 0..ceildiv(N, 4)) {
  for %i: i64 in 4 * %b..min(N, 4 * %b + 4) {
    %p: f32 = load x[%i]
    %q: f32 = load y[%i]
    %r: f32 = add %p, %q
    store z[%i] = %r
  }
}
