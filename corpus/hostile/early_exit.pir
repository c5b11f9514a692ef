// against: corpus/vector_add.kir
// expect: exit 1 4
// One instance adds all elements but leaves its loop before the last one: a break is no end of a branch like another.
pir 1
program vector_add implements "vector_add"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[N] strides(1) in align 4
  z: view f32[N] strides(1) out align 4
  dims N: i64
}
launch { threads 1 pack 1 grid G = O0 + L0 }
space {
  g0: (g in 0..1) length L0 = 1 offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%g = %w - O0)
  else -> exit
}
group g0 (%g: i64 in 0..1) {
  for %i: i64 in 0..N {
    %last: i1 = index %i == N - 1
    if %last { break }
    %a: f32 = load x[%i]
    %b: f32 = load y[%i]
    %c: f32 = add %a, %b
    store z[%i] = %c
  }
}
