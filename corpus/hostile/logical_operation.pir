// against: corpus/vector_add.kir
// expect: exit 2
// expect: error
// shows: K8.3
// An operation of kernels that a physical program cannot have: nothing below would execute it.
pir 1
program vector_add implements "vector_add"
abi {
  x: view f32[N] strides(1) in align 4
  y: view f32[N] strides(1) in align 4
  z: view f32[N] strides(1) out align 4
  dims N: i64
}
launch { threads 1 pack 1 grid G = 1 }
space {
  g0: () length L0 = 1 offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0()
  else -> exit
}
group g0 () {
  parallel %i in 0..N {
    %a: f32 = load x[%i]
    %b: f32 = load y[%i]
    %c: f32 = add %a, %b
    store z[%i] = %c
  }
}
