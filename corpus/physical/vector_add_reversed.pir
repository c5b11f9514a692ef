// Vector addition by hand, the program space backwards.
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
  g0: (i in 0..N) length L0 = N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%i = N - 1 - (%w - O0))
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %a: f32 = load x[%i]
  %b: f32 = load y[%i]
  %c: f32 = add %a, %b
  store z[%i] = %c
}
