// The body of the first program: relations, tensors, types, origins, obligations.
#include "tests/corpus.h"
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// shows: K1.1
TEST(Construct, TheKernelStaysAsItIs) {
  for (const auto& [file, k] : kir::testing::corpus_kernels()) {
    SCOPED_TRACE(file);
    std::string before = content_hash(*k);
    Built b = build_kernel(k);
    ASSERT_TRUE(b.result) << b.errors;
    EXPECT_EQ(content_hash(*k), before);
    Diagnostics d;
    EXPECT_TRUE(verify(b.program(), d));
  }
}

// shows: K8.2
TEST(Construct, TheTextRoundTrips) {
  for (const auto& [file, k] : kir::testing::corpus_kernels()) {
    SCOPED_TRACE(file);
    Built b = build_kernel(k);
    ASSERT_TRUE(b.result);
    std::string once = print(b.program());
    auto source = std::make_shared<SourceFile>("test.pir", once);
    Diagnostics d;
    PhysicalPtr again = parse_pir(source, d);
    ASSERT_TRUE(again) << once << d.render(*source);
    EXPECT_TRUE(structurally_equal(again->body, b.program().body)) << once;
    EXPECT_EQ(print(*again), once);
  }
}

// shows: K7.9 K4.8
TEST(Construct, RelationsBecomeCoordinates) {
  Built b = build(
      "kernel k(x: in f32[M, N], y: out f32[N - 2, M]) where N >= 2 {\n"
      "  let a = transpose x perm(1, 0)\n  let s = slice a [1..N - 1, 0..M]\n"
      "  let v = view s (i in 0..N - 2, j in 0..M) { let r: index = index N - 3 - i\n yield r, j }\n"
      "  parallel p in 0..N - 2, q in 0..M { y[p, q] = v[p, q] } }");
  EXPECT_EQ(shape(b), "index load store yield");
  EXPECT_SAYS(text(b), "N - 3 - %p + 1");
  EXPECT_SAYS(text(b), "load x[%q, %");
}

TEST(Construct, BroadcastRepeatsAndStretches) {
  Built b = build(
      "kernel k(x: in f32[1, N], y: out f32[M, N]) { let w = broadcast x axes(0, 1) to [M, N]\n"
      "  parallel m in 0..M, n in 0..N { y[m, n] = w[m, n] } }");
  EXPECT_EQ(shape(b), "index load store yield");
  EXPECT_SAYS(text(b), "index 0");
}

// shows: K2.8 K4.7
TEST(Construct, TensorsAreReadWhereTheyAreUsed) {
  Built b = build(
      "kernel k(x: in f32[M, N], y: out f32[M]) {\n"
      "  let t = tensor (m in 0..M, n in 0..N) { exp(x[m, n]) }\n  let u = transpose t perm(1, 0)\n"
      "  parallel m in 0..M { y[m] = reduce add order(any) over n in 0..N { u[n, m] } } }");
  EXPECT_EQ(shape(b), "constant reduce(load exp yield)(add yield) store yield");
  EXPECT_SAYS(text(b), "load x[%m, %n]");
}

// shows: K2.8 K5.1
TEST(Construct, ATensorOverAChangedViewIsKept) {
  Built b = build(
      "kernel k(x: inout f32[N], y: out f32[N]) { let t = tensor (i in 0..N) { x[i] }\n"
      "parallel i in 0..N { x[i] = 0.0 }\n parallel i in 0..N { y[i] = t[i] } }");
  EXPECT_EQ(shape(b), "buffer(load yield) for(constant store next) for(load store next) yield");
  EXPECT_SAYS(text(b), "t: view f32[N] = buffer [N] scope(private) init (%i: i64)");
  EXPECT_SAYS(explanation(b), "what the tensor at test.kir:2:52 makes is kept in a buffer of the instance");
  EXPECT_EQ(axes(b), std::vector<std::string>{""});
  // Another member overwrites what this one still reads.
  Built r =
      build("kernel k(x: inout f32[N]) { let t = tensor (i in 0..N) { x[i] }\n parallel i in 0..N { x[i] = t[N - 1 - i] } }");
  EXPECT_SAYS(shape(r), "buffer");
  // A later iteration reads what an earlier one wrote.
  Built l = build(
      "kernel k(x: inout f32[N]) where N >= 1 { let t = tensor (i in 0..N) { x[i] }\n"
      "for i in 0..N - 1 { x[i + 1] = t[i] } }");
  EXPECT_SAYS(shape(l), "buffer");
  Built alias = build(
      "kernel k(x: in f32[N], z: out f32[N], y: out f32[N]) alias { may_alias(x, z) } {\n"
      "let t = tensor (i in 0..N) { x[i] }\n parallel i in 0..N { z[i] = 0.0 }\n parallel i in 0..N { y[i] = t[i] } }");
  EXPECT_SAYS(shape(alias), "buffer");
}

// shows: K2.8 K5.1 K5.2
TEST(Construct, ABufferHasTheScopeOfItsBlock) {
  Built b = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M {\n"
      " let row = buffer f32[N] init (n) { x[m, n] }\n"
      " for n in 0..N { let one = buffer f32[n + 1]\n one[n] = row[n]\n y[m, n] = one[n] } } }");
  EXPECT_EQ(axes(b), std::vector<std::string>{"m"});
  EXPECT_SAYS(text(b), "row: view f32[N] = buffer [N] scope(private) init (%n: i64)");
  EXPECT_SAYS(text(b), "one: view f32[%n + 1] = buffer [%n + 1] scope(iteration) capacity (max(0, N - 1 + 1))");
}

// shows: K5.4
TEST(Construct, ABufferOfAllInstancesBringsThemIntoOne) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) { let row = buffer f32[N]\n parallel n in 0..N { row[n] = x[n] }\n"
      " parallel n in 0..N { y[n] = row[N - 1 - n] } }");
  EXPECT_EQ(axes(b), std::vector<std::string>{""});
  EXPECT_SAYS(explanation(b), "row is written at test.kir:3:23 and read at test.kir:4:30, and an element does not decide n");
  // Even where an element decides the member, when the size is not known before: each instance would have a copy of the whole.
  Built own = build(
      "kernel k(c: in i32[N], x: in f32[N], y: out f32[N]) where N >= 1 { let e = to_index(c[0])\n"
      " let row = buffer f32[N + min(max(e, 0), 9)]\n"
      " parallel n in 0..N { row[n] = x[n] }\n parallel n in 0..N { y[n] = row[n] } }");
  EXPECT_EQ(axes(own), std::vector<std::string>{""});
  EXPECT_SAYS(explanation(own), "every instance would keep what the buffer at test.kir:3:12 makes");
}

// shows: K7.3 K7.11
TEST(Construct, ScansAndCollectingLoopsKeepWhatIsUsedOfThem) {
  Built b = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N], t: out f32[M]) { parallel m in 0..M {\n"
      " let (s, last) = scan add inclusive forward order(any) over n in 0..N { x[m, n] }\n"
      " parallel n in 0..N { y[m, n] = s[n] }\n t[m] = last } }");
  EXPECT_EQ(shape(b), "constant buffer scan(load yield)(add yield)(store yield) for(load store next) store yield");
  Built last = build(
      "kernel k(x: in f32[M, N], t: out f32[M]) { parallel m in 0..M {\n"
      " let (s, last) = scan add inclusive forward order(any) over n in 0..N { x[m, n] }\n t[m] = last } }");
  EXPECT_EQ(shape(last), "constant scan(load yield)(add yield)(yield) store yield");
  Built c = build(
      "kernel k(x: in f32[M, N], y: out f32[M, N]) { parallel m in 0..M {\n"
      " let (p, all) = for n in 1..N carry (p = f32(1.0)) collect (f32) { next p * x[m, n], p }\n"
      " parallel n in 1..N { y[m, n] = all[n - 1] } } }");
  EXPECT_SAYS(text(c), "index %n - 1");
  EXPECT_SAYS(shape(c), "for(load mul index store next)");
}

// shows: K7.4
TEST(Construct, WhatASegmentCollectsIsStoredToItsPlace) {
  auto scan = [](const std::string& slice, const std::string& shape = "N", const std::string& at = "t") {
    return "kernel k(a: in f32[N], h: out f32[" + shape +
           "]) { let one = f32(1.0)\n"
           " let (states, last) = region_scan [0..N] uses (a) init (one) summarize [lo..hi] {\n"
           "  let p = for t in lo..hi carry (p = f32(1.0)) { next a[t] * p }\n  yield p\n"
           " } combine order(tree) (p: f32, q: f32) { yield q * p } apply (p: f32, g: f32) { yield p * g } emit [lo..hi] (g: "
           "f32) {\n"
           "  let (end, all) = for t in lo..hi carry (s = g) collect (f32) { next a[t] * s, s }\n" +
           slice + " }\n parallel t in 0..N { h[" + at + "] = states[" + at + "] } }";
  };
  Built direct = build(scan("  yield all\n"));
  EXPECT_SAYS(shape(direct), "(for(load mul store next) yield) for(load store next) yield");
  EXPECT_SAYS(text(direct), "store states[%t] = %s");
  EXPECT_SAYS(
      text(build(scan(
          "  let (sums, total) = scan add inclusive forward order(strict) over t in lo..hi { a[t] * g }\n  yield sums\n"))),
      "store states[%t] = %state");
  // A slice that is made of it is copied.
  Built copied = build(scan("  let twice = broadcast all axes(0) to [hi - lo, 2]\n  yield twice\n", "N, 2", "t, 1"));
  EXPECT_SAYS(text(copied), "all: view f32[%hi - %lo] = buffer [%hi - %lo] scope(iteration) capacity (max(0, N))");
  EXPECT_SAYS(text(copied), "store states[%at, %c_1]");
}

TEST(Construct, WhatWritesNothingKeepsNothing) {
  EXPECT_SAYS(refusal("kernel k(x: in f32[N], y: out f32[1]) { y[0] = reduce add order(any) over i in 0..N {\n"
                      "let (s, l) = scan add inclusive forward order(any) over j in 0..i { x[j] }\n l } }"),
              "L-07");
  EXPECT_SAYS(refusal("kernel k(x: in i32[N], y: out f32[N]) { parallel i in 0..N { let n = to_index(x[i])\n"
                      "let b = buffer f32[n]\nb[0] = 1.0\n y[i] = b[0] } }"),
              "L-06");
}

// shows: K7.6 K2.6
TEST(Construct, AContractIsOneElementWhereItIsRead) {
  Built b = build(
      "kernel k(a: in f16[B, M, K], b: in f16[B, K, N], c: out f32[B, M, N]) {\n"
      "let p = contract batch(e in 0..B) free(m in 0..M | n in 0..N) paired(k in 0..K) lhs { a[e, m, k] } rhs { b[e, k, n] }\n"
      "product exact accumulate f32 order(any) init (0.0)\n"
      "parallel e in 0..B, m in 0..M, n in 0..N { c[e, m, n] = p[e, m, n] } }");
  EXPECT_EQ(axes(b), std::vector<std::string>{"e, m, n"});
  EXPECT_EQ(shape(b), "constant contract(load yield)(load yield) store yield");
  EXPECT_SAYS(text(b), "contract batch() free( | ) paired(%k: i64 in 0..K) lhs {");
  EXPECT_SAYS(text(b), "load a[%e, %m, %k]");
  EXPECT_SAYS(text(b), "load b[%e, %k, %n]");
  EXPECT_SAYS(explanation(b), "axes e, m, n of the contract at");
  EXPECT_SAYS(explanation(b), "axis k stays inside: the contract at");
  // Elements count from 0, wherever the axes begin.
  Built s = build(
      "kernel k(a: in f32[M], b: in f32[N], c: out f32[M, N]) where M >= 2, N >= 3 {\n"
      "let p = contract free(m in 2..M | n in 3..N) paired() lhs { a[m] } rhs { b[n] } product exact accumulate f32 "
      "order(strict)\n"
      "init (0.0)\n parallel m in 2..M, n in 3..N { c[m, n] = p[m - 2, n - 3] } }");
  EXPECT_SAYS(text(s), "paired()");
}

TEST(Construct, AnElementAtHandIsNotComputedAgain) {
  Built b = build(
      "kernel k(x: in f32[M, N], y: out f32[M], z: out f32[M]) {\n"
      "let t = tensor (m in 0..M) { reduce add order(any) over n in 0..N { x[m, n] } }\n"
      "parallel m in 0..M { y[m] = t[m]\n z[m] = t[m] + t[m] } }");
  EXPECT_EQ(shape(b), "constant reduce(load yield)(add yield) store add store yield");
}

// shows: K1.7
TEST(Construct, AFoldThatIsComputedTwiceFoldsInTheGivenOrder) {
  Built b = build(
      "kernel k(x: in f32[N], y: out f32[N]) {\n"
      "let s = tensor () { reduce add order(any) over n in 0..N { x[n] } }\n"
      "parallel n in 0..N { if n == 0 { y[n] = s[] } else { y[n] = s[] + x[n] } } }");
  EXPECT_EQ(text(b).find("order(any)"), std::string::npos);
  EXPECT_SAYS(text(b), "order(strict)");
}

TEST(Construct, APartIsItsBounds) {
  Built b = build(
      "kernel k(x: in f32[N], o: in i32[S + 1], y: out f32[S], S: index) where nondecreasing(o), in_range(o, 0, N + 1) {\n"
      "parallel s in 0..S { let r = part x.0 [to_index(o[s])..to_index(o[s + 1])]\n"
      "y[s] = reduce add order(any) over j in r { x[j] } } }");
  EXPECT_SAYS(text(b), "where nondecreasing(o), in_range(o, 0, N + 1)");
  EXPECT_SAYS(text(b), "index max(%");
  EXPECT_EQ(axes(b), std::vector<std::string>{"s"});
}

TEST(Construct, ATensorReadInPlaceByItsOwnMemberIsFused) {
  Built b =
      build("kernel k(x: inout f32[N]) { let t = tensor (i in 0..N) { x[i] * 2.0 }\n parallel i in 0..N { x[i] = t[i] } }");
  EXPECT_EQ(axes(b), std::vector<std::string>{"i"});
}

TEST(Construct, TensorsUsedTooOftenAreRefused) {
  std::string body = "kernel k(x: in f32[N], y: out f32[N]) { let t0 = tensor (i in 0..N) { x[i] }\n";
  for (int i = 1; i <= 40; ++i)
    body += "let t" + std::to_string(i) + " = tensor (i in 0..N) { t" + std::to_string(i - 1) + "[i] + t" +
            std::to_string(i - 1) + "[i] }\n";
  EXPECT_SAYS(refusal(body + "parallel i in 0..N { y[i] = t40[i] } }"), "L-03");
}

TEST(Construct, IndexValuesAreSixtyFourBits) {
  Built b =
      build("kernel k(y: out f32[N], z: out i64[N]) { parallel i in 0..N { y[i] = to_f32(i * 2 + N)\n z[i] = to_i64(i) } }");
  EXPECT_SAYS(text(b), ": i64 = index %i * 2 + N");
  EXPECT_SAYS(text(b), "convert.sint");
  EXPECT_SAYS(text(b), "store z[%i] = %i");
}

TEST(Construct, PredicatesAndFillsStay) {
  Built b = build_kernel(parse_one(read_corpus("shifted_copy.kir")));
  EXPECT_SAYS(text(b), " where %");
  EXPECT_SAYS(text(b), " fill %fill_value");
  Built s = build_kernel(parse_one(read_corpus("masked_store.kir")));
  EXPECT_SAYS(text(s), " where %");
}

// shows: K8.1
TEST(Construct, OriginsPointIntoTheKernel) {
  Built b = build_kernel(parse_one(read_corpus("softmax.kir")));
  const Body& kir = b.kernel->body;
  const Body& pir = b.program().body;
  EXPECT_EQ(b.program().origin_kernel, b.kernel->id());
  for (std::uint32_t i = 0; i < pir.op_count(); ++i) {
    const Op& op = pir.op(OpId(i));
    if (!op.origin) {
      EXPECT_TRUE(row(op.kind).terminator && !pir.region(op.parent).parent);
      continue;
    }
    const Op& from = kir.op(op.origin);
    if (op.kind == OpKind::for_loop) {
      EXPECT_TRUE(from.kind == OpKind::parallel || from.kind == OpKind::for_loop);
    } else if (op.kind != OpKind::index && !row(op.kind).terminator) {
      EXPECT_EQ(op.kind, from.kind);
    }
    for (std::size_t r = 0; r < op.results.size() && op.kind == from.kind; ++r)
      EXPECT_EQ(pir.value(op.results[r]).origin, from.results[r]);
  }
  for (std::uint32_t i = 0; i < pir.region_count(); ++i) {
    const Region& r = pir.region(RegionId(i));
    ASSERT_TRUE(r.origin);
    for (ValueId a : r.args) {
      if (a == b.program().work) continue;
      ASSERT_TRUE(pir.value(a).origin);
      EXPECT_EQ(kir.value(pir.value(a).origin).name, pir.value(a).name);
    }
  }
}

// shows: D4
TEST(Construct, EachStepLeavesItsClaims) {
  Built b = build_kernel(parse_one(read_corpus("shifted_copy.kir")));
  std::set<proof::ObligationKind> kinds;
  std::set<std::string> keys;
  for (const proof::Obligation& o : b.result->ledger.obligations) {
    kinds.insert(o.kind);
    EXPECT_TRUE(keys.insert(o.key).second) << o.key;
    EXPECT_FALSE(o.sentence.empty());
    EXPECT_TRUE(o.goal ? true : false);
  }
  using enum proof::ObligationKind;
  EXPECT_EQ(kinds, (std::set<proof::ObligationKind>{launch_extent, segment_partition, decode_bijection, relation_equal,
                                                    predicate_subset, coverage}));
}

TEST(Construct, UnusedValuesAreDropped) {
  Built kept =
      build_kernel(kernel("kernel k(x: in f32[N], y: out f32[N]) { parallel i in 0..N { let a = x[i]\n let b = exp(a)\n"
                          "y[i] = a } }"),
                   false);
  Built gone = build_kernel(kept.kernel);
  EXPECT_EQ(shape(kept), "load exp store yield");
  EXPECT_EQ(shape(gone), "load store yield");
}

}  // namespace
}  // namespace kir::lowering::testing
