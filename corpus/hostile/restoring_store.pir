// against: corpus/masked_store.kir
// expect: exit 1 4 5
// shows: K9.1 K9.14
// Where the mask is false the old value is read and stored back: a write the kernel does not have, even if the contents stay.
pir 1
program masked_store implements "masked_store"
abi {
  x: view f32[N] strides(1) in align 4
  mask: view i1[N] strides(1) in align 1
  y: view f32[N] strides(1) inout align 4
  dims N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (i in 0..N) length L0 = N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%i = %w - O0)
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %m: i1 = load mask[%i]
  %new: f32 = load x[%i]
  %old: f32 = load y[%i]
  %v: f32 = select %m, %new, %old
  store y[%i] = %v
}
