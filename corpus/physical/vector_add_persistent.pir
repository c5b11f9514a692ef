// Vector addition by hand, by a fixed number of instances for any N: each takes every 8192nd element.
pir 1
program vector_add implements "vector_add"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[N] strides(1) in align 4
  z: view f32[N] strides(1) out align 4
  dims N: i64
}
launch { threads 1 pack 128 grid G = 64 }
space {
  g0: (p in 0..8192) length L0 = 8192 offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%p = %w - O0)
  else -> exit
}
group g0 (%p: i64 in 0..8192) {
  for %i: i64 in %p..N step 8192 {
    %a: f32 = load x[%i]
    %b: f32 = load y[%i]
    %c: f32 = add %a, %b
    store z[%i] = %c
  }
}
