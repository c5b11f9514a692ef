// Row sum by hand, two rows for each instance.
pir 1
program row_sum implements "row_sum"
abi {
  x: view f32[M, N] in
  s: view f32[M] out
  dims M: i64, N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (b in 0..ceildiv(M, 2)) length L0 = ceildiv(M, 2) offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w and %w < O0 + L0 -> g0(%b = %w - O0)
  else -> exit
}
group g0 (%b: i64 in 0..ceildiv(M, 2)) {
  %zero: f32 = constant 0.0
  for %m: i64 in 2 * %b..min(M, 2 * %b + 2) {
    %total: f32 = reduce (%n: i64 in 0..N) map {
      %v: f32 = load x[%m, %n]
      yield %v
    } combine order(any) (%p: f32, %q: f32) {
      %r: f32 = add %p, %q
      yield %r
    } identity (-0.0) init (%zero)
    store s[%m] = %total
  }
}
