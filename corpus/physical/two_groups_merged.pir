// Both groups of two_groups in one mapping: instance i has row i where there is one and element i where there is one.
pir 1
program two_groups implements "two_groups"
abi {
  x: view f32[M, N] in
  s: view f32[M] out
  z: view i32[K] in
  w: view i32[K] out
  c: i32
  dims M: i64, N: i64, K: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (i in 0..max(M, K)) length L0 = max(M, K) offset O0 = 0
}
dispatch %id: i64 = program_id {
  O0 <= %id < O0 + L0 -> g0(%i = %id - O0)
  else -> exit
}
group g0 (%i: i64 in 0..max(M, K)) {
  %row: i1 = index %i < M
  if %row {
    %zero: f32 = constant 0.0
    %total: f32 = reduce (%n: i64 in 0..N) map {
      %v: f32 = load x[%i, %n]
      yield %v
    } combine order(strict) (%p: f32, %q: f32) {
      %r: f32 = add %p, %q
      yield %r
    } identity (-0.0) init (%zero)
    store s[%i] = %total
  }
  %element: i1 = index %i < K
  if %element {
    %u: i32 = load z[%i]
    %t: i32 = mul %u, %c
    store w[%i] = %t
  }
}
