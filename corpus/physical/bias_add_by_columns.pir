// Row vector addition by hand, instances column by column.
pir 1
program bias_add implements "bias_add"
abi {
  x: view f32[M, N] in
  bias: view f32[N] in
  y: view f32[M, N] out
  dims M: i64, N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (n in 0..N, m in 0..M) length L0 = N * M offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%n = (%w - O0) floordiv M, %m = (%w - O0) mod M)
  else -> exit
}
group g0 (%n: i64 in 0..N, %m: i64 in 0..M) {
  %v: f32 = load x[%m, %n]
  %b: f32 = load bias[%n]
  %s: f32 = add %v, %b
  store y[%m, %n] = %s
}
