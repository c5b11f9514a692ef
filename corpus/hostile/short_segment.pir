// against: corpus/two_groups.kir
// expect: exit 1
// shows: K4.2 K9.1
// The second segment misses its last instance.
pir 1
program two_groups implements "two_groups"
abi {
  x: view f32[M, N] strides(N, 1) in align 4
  s: view f32[M] strides(1) out align 4
  z: view i32[K] strides(1) in align 4
  w: view i32[K] strides(1) out align 4
  c: i32
  dims M: i64, N: i64, K: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O1 + L1, 128) }
space {
  g0: (m in 0..M) length L0 = M offset O0 = 0
  g1: (k in 0..K) length L1 = max(0, K - 1) offset O1 = O0 + L0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)
  O1 <= %w < O1 + L1 -> g1(%k = %w - O1)
  else -> exit
}
group g0 (%m: i64 in 0..M) {
  %zero: f32 = constant 0.0
  %s: f32 = for %n: i64 in 0..N carry (%acc: f32 = %zero) {
    %v: f32 = load x[%m, %n]
    %t: f32 = add %acc, %v
    next %t
  }
  store s[%m] = %s
}
group g1 (%k: i64 in 0..K) {
  %u: i32 = load z[%k]
  %p: i32 = mul %u, %c
  store w[%k] = %p
}
