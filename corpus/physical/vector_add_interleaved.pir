// Vector addition by hand, neighbouring instances at elements half the vector apart. With an odd N one instance has none.
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
  g0: (h in 0..2, k in 0..ceildiv(N, 2)) length L0 = 2 * ceildiv(N, 2) offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%h = (%w - O0) mod 2, %k = (%w - O0) floordiv 2)
  else -> exit
}
group g0 (%h: i64 in 0..2, %k: i64 in 0..ceildiv(N, 2)) {
  %i: i64 = index %h * ceildiv(N, 2) + %k
  %in: i1 = index %i < N
  if %in {
    %a: f32 = load x[%i]
    %b: f32 = load y[%i]
    %c: f32 = add %a, %b
    store z[%i] = %c
  }
}
