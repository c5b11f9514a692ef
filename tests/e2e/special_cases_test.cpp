// The special cases of construction, each from the kernel's text to host code: what the program looks like, that the
// validator proves it, and that both interpreters and the host agree bit for bit, on the special sizes too.
#include "core/index/expr.h"
#include "core/ir/op_table.h"
#include "emit/emit.h"
#include "tests/core/interp_support.h"
#include "tests/proof/constructed.h"

namespace kir::test {
namespace {

using kir::testing::Arguments;
using kir::testing::Words;

struct Case {
  std::shared_ptr<const Kernel> kernel;
  PhysicalPtr program;
  std::string kir, text;

  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

Case construct(const std::string& body) {
  Case c{nullptr, nullptr, "kir 1\n" + body, ""};
  c.kernel = kernel(c.kir);
  c.text = constructed(c.kir);
  c.program = program(c.text);
  return c;
}

#define EXPECT_SAYS(c, part) EXPECT_TRUE((c).says(part)) << part << "\n" << (c).text
#define EXPECT_NO(c, part) EXPECT_FALSE((c).says(part)) << part << "\n" << (c).text

void expect_proved(const Case& c) {
  const Verdicts own = check_kir(c.kir);
  EXPECT_TRUE(own.all_proved()) << own.failures;
  const Verdicts v = check_refinement(c.kir, c.text);
  EXPECT_TRUE(v.all_proved()) << v.failures << c.text;
}

Arguments copy(const Arguments& a) {
  Arguments out = a;
  for (auto& [name, t] : out.args.views) t = std::make_shared<Tensor>(*t);
  return out;
}

std::string run_host(const PhysicalProgram& p, const Arguments& a) {
  Diagnostics d;
  auto bound = bind_launch(p.abi, a.args, d);
  auto code = bound ? emit::HostKernel::compile(p, d) : nullptr;
  if (!code) return d.all().empty() ? "no code" : d.all()[0].message;
  return code->run(*bound);
}

// The contents after the kernel, after which every provider has the same.
Arguments everywhere(const Case& c, const Arguments& start) {
  Arguments want = copy(start);
  kir::testing::run_well(c.kernel, want);
  auto same = [&](const Arguments& got, const char* who) {
    for (const auto& [name, t] : want.args.views) EXPECT_EQ(got.args.views.at(name)->bytes, t->bytes) << who << ": " << name;
  };
  for (std::uint64_t seed : {0, 1, 2}) {
    Arguments physical = copy(start);
    kir::testing::run_well(c.program, physical, {.order_seed = seed});
    same(physical, "physical");
  }
  Arguments host = copy(start);
  EXPECT_EQ(run_host(*c.program, host), "");
  same(host, "host");
  return want;
}

// How many program ids reach each group, then how many reach none: the definitions and the dispatch as the launcher and a
// program id see them.
std::vector<int> entered(const Case& c, std::map<std::string, std::int64_t> symbols) {
  const PhysicalProgram& p = *c.program;
  std::int64_t id = 0;
  auto value = [&](Expr e) {
    EvalResult r = evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
      if (leaf.is(ExprKind::symbol)) return symbols.at(leaf.name());
      return Integer(id);
    });
    EXPECT_TRUE(r.ok());
    return static_cast<std::int64_t>(r.value);
  };
  for (const Definition& d : p.definitions) symbols[d.name] = value(d.value);
  std::vector<int> out(p.groups.size() + 1, 0);
  for (; id < symbols.at(p.launch.grid) * p.launch.pack; ++id) {
    std::size_t at = p.groups.size();
    for (std::size_t k = p.arms.size(); k-- > 0;)
      if (value(p.arms[k].guard)) at = p.arms[k].group;
    ++out[at];
  }
  return out;
}
using Counts = std::vector<int>;

const char* const kTwo = R"(kernel two(x: in f32[M, N], s: out f32[M], z: in i32[K], w: out i32[K]) {
  parallel m in 0..M { s[m] = reduce add order(strict) over n in 0..N { x[m, n] } }
  parallel k in 0..K { w[k] = z[k] * 3 }
})";

Arguments two(std::int64_t m, std::int64_t n, std::int64_t k) {
  Arguments a;
  a.random("x", DType::f32, {m, n}, 1)
      .random("s", DType::f32, {m}, 2)
      .random("z", DType::i32, {k}, 3)
      .random("w", DType::i32, {k}, 4);
  return a;
}

// shows: K4.2 K3.5
TEST(SpecialCases, EmptySegment) {
  const Case c = construct(kTwo);
  EXPECT_SAYS(c, "length L0 = M offset O0 = 0");
  EXPECT_SAYS(c, "length L1 = K offset O1 = O0 + L0");
  EXPECT_EQ(entered(c, {{"M", 0}, {"N", 3}, {"K", 5}}), (Counts{0, 5, 123}));
  EXPECT_EQ(entered(c, {{"M", 4}, {"N", 3}, {"K", 0}}), (Counts{4, 0, 124}));
  expect_proved(c);
  everywhere(c, two(0, 3, 5));
  everywhere(c, two(4, 3, 0));
  everywhere(c, two(4, 0, 5));
}

// shows: K4.2
TEST(SpecialCases, AllGroupsEmpty) {
  const Case c = construct(kTwo);
  EXPECT_EQ(entered(c, {{"M", 0}, {"N", 3}, {"K", 0}}), (Counts{0, 0, 0}));
  everywhere(c, two(0, 3, 0));
  // Memory beside the empty domains stays as it is.
  const Case kept = construct("kernel kept(y: inout f32[N], E: index) { parallel i in 0..min(E, N) { y[i] = 1.0 } }");
  Arguments a;
  a.tensor("y", DType::f32, {2}, {"5.0", "6.0"}).symbol("E", -7);
  EXPECT_EQ(entered(kept, {{"N", 2}, {"E", -7}}), (Counts{0, 0}));
  expect_proved(kept);
  EXPECT_EQ(everywhere(kept, a).elements("y"), (Words{"5.0", "6.0"}));
}

// shows: K4.2 K4.4
TEST(SpecialCases, RoundedUpGrid) {
  const Case c = construct("kernel twice(x: in f32[N], y: out f32[N]) { parallel i in 0..N { y[i] = x[i] + x[i] } }");
  EXPECT_SAYS(c, "grid G = ceildiv(O0 + L0, 128)");
  EXPECT_SAYS(c, "else -> exit");
  EXPECT_EQ(entered(c, {{"N", 128}}), (Counts{128, 0}));
  EXPECT_EQ(entered(c, {{"N", 129}}), (Counts{129, 127}));
  expect_proved(c);
  for (std::int64_t n : {1, 127, 128, 129}) {
    Arguments a;
    everywhere(c, a.random("x", DType::f32, {n}, 1).random("y", DType::f32, {n}, 2));
  }
  // Without the guard the padding has effects.
  EXPECT_FALSE(check_refinement(c.kir, replaced(c.text, "O0 <= %w and %w < O0 + L0", "O0 <= %w")).all_proved());
}

// shows: K6.1 K6.5 K6.3
TEST(SpecialCases, TwoOutputsOfOneProducer) {
  const Case c = construct(R"(kernel both(x: in f32[M, N], s: out f32[M], y: out f32[M, N]) {
  parallel m in 0..M {
    let total = reduce add order(strict) over n in 0..N { x[m, n] }
    s[m] = total
    parallel n in 0..N { y[m, n] = x[m, n] - total }
  }
})");
  EXPECT_EQ(c.program->groups.size(), 1u);
  EXPECT_SAYS(c, "g0: (m in 0..M)");
  EXPECT_EQ(c.text.find(" = reduce"), c.text.rfind(" = reduce"));  // made once
  expect_proved(c);
  // An empty slice of one output cancels nothing of the other.
  for (std::int64_t n : {0, 1, 5}) {
    Arguments a;
    a.random("x", DType::f32, {3, n}, 1).random("s", DType::f32, {3}, 2).random("y", DType::f32, {3, n}, 3);
    const Arguments out = everywhere(c, a);
    const std::vector<std::string> sums = out.elements("s");
    EXPECT_TRUE(n > 0 || sums == (Words{"0.0", "0.0", "0.0"}));
  }
}

// shows: K3.5 K4.2 K6.2
TEST(SpecialCases, GroupsOfUnlikeShape) {
  const Case c = construct(R"(kernel unlike(x: in f32[M, N], y: out f32[M, N], w: out i32[K], e: out f32[]) {
  parallel m in 0..M, n in 0..N { y[m, n] = x[m, n] * 0.5 }
  parallel k in 0..K { w[k] = 7 }
  e[] = 2.5
})");
  EXPECT_SAYS(c, "g0: (m in 0..M, n in 0..N) length L0 = M * N offset O0 = 0");
  EXPECT_SAYS(c, "g1: (k in 0..K) length L1 = K offset O1 = O0 + L0");
  EXPECT_SAYS(c, "g2: () length L2 = 1 offset O2 = O1 + L1");
  EXPECT_EQ(entered(c, {{"M", 3}, {"N", 50}, {"K", 4}}), (Counts{150, 4, 1, 101}));
  expect_proved(c);
  for (std::vector<std::int64_t> s : {std::vector<std::int64_t>{3, 50, 4}, {0, 5, 4}, {5, 0, 0}}) {
    Arguments a;
    a.random("x", DType::f32, {s[0], s[1]}, 1).random("y", DType::f32, {s[0], s[1]}, 2);
    everywhere(c, a.random("w", DType::i32, {s[2]}, 3).random("e", DType::f32, {}, 4));
  }
}

// shows: K3.3 K4.10
TEST(SpecialCases, SingleIndivisibleGroup) {
  const Case c = construct(R"(kernel ordered(x: in f32[N], y: inout f32[1]) {
  for i in 0..N { y[0] = y[0] * 0.5 + x[i] }
})");
  EXPECT_SAYS(c, "g0: () length L0 = 1 offset O0 = 0");
  EXPECT_EQ(entered(c, {{"N", 1000}}), (Counts{1, 127}));
  expect_proved(c);
  for (std::int64_t n : {0, 1, 9}) {
    Arguments a;
    everywhere(c, a.random("x", DType::f32, {n}, 1).random("y", DType::f32, {1}, 2));
  }
}

// shows: K7.8 K4.10 K4.15
TEST(SpecialCases, RaggedDomainWithEmptyMembers) {
  const Case c = construct(R"(kernel ragged(x: in f32[N], o: in i32[S + 1], y: out f32[S], z: out f32[N], S: index)
  where nondecreasing(o), in_range(o, 0, N + 1), S >= 0
{
  parallel s in 0..S {
    let r = part x.0 [to_index(o[s])..to_index(o[s + 1])]
    y[s] = reduce add order(strict) over j in r { x[j] }
    parallel j in r { z[j] = x[j] + x[j] }
  }
})");
  // The instance is the segment; where it begins and ends are values of the program.
  EXPECT_SAYS(c, "g0: (s in 0..S)");
  EXPECT_SAYS(c, ": i32 = load o[%s]");
  EXPECT_SAYS(c, "%r_hi: i64 = index max(");
  EXPECT_SAYS(c, "..%r_hi) map");
  EXPECT_SAYS(c, "..%r_hi {");
  const Verdicts v = check_refinement(c.kir, c.text);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  EXPECT_FALSE(check_refinement(c.kir, replaced(c.text, "..%r_hi {", "..%r_hi + 1 {")).all_proved());
  Arguments a;
  a.tensor("x", DType::f32, {5}, {"1.0", "2.0", "4.0", "8.0", "16.0"})
      .tensor("o", DType::i32, {6}, {"0", "0", "3", "3", "5", "5"});
  a.random("y", DType::f32, {5}, 1).random("z", DType::f32, {5}, 2).symbol("S", 5);
  EXPECT_EQ(everywhere(c, a).elements("y"), (Words{"0.0", "7.0", "0.0", "24.0", "0.0"}));
  Arguments none;
  none.tensor("x", DType::f32, {0})
      .tensor("o", DType::i32, {1}, {"0"})
      .tensor("y", DType::f32, {0})
      .tensor("z", DType::f32, {0});
  everywhere(c, none.symbol("S", 0));
}

// shows: K5.2 K5.3
TEST(SpecialCases, UninitializedBuffer) {
  const std::string body = R"(kernel scratch(x: in f32[M, N], y: out f32[M, N]) {
  parallel m in 0..M {
    let b: view f32[N] = buffer [N]
    for n in 0..N { b[n] = x[m, n] * 2.0 }
    for n in 0..N { y[m, n] = b[N - 1 - n] }
  }
})";
  const Case c = construct(body);
  EXPECT_SAYS(c, "b: view f32[N] = buffer [N] scope(private)\n");
  EXPECT_NO(c, " init (");
  expect_proved(c);
  auto arguments = [](std::int64_t n) {
    Arguments a;
    return a.random("x", DType::f32, {3, n}, 1).random("y", DType::f32, {3, n}, 2);
  };
  everywhere(c, arguments(0));
  everywhere(c, arguments(6));

  // Where the kernel leaves an element unwritten, no default takes its place.
  const Case missing = construct(replaced(body, "for n in 0..N { b[n]", "for n in 1..N { b[n]"));
  EXPECT_NO(missing, " init (");
  EXPECT_FALSE(check_kir(missing.kir).all_proved());
  kir::testing::run_badly(missing.kernel, arguments(6), RuntimeErrorKind::uninitialized_read);
  kir::testing::run_badly(missing.program, arguments(6), RuntimeErrorKind::uninitialized_read);
  everywhere(missing, arguments(0));
}

// shows: K5.1 K5.5 K5.8
TEST(SpecialCases, WorkspaceWithUniqueOwners) {
  const Case c = construct(R"(kernel averages(x: in f32[M, N], y: out f32[M, N]) {
  let row = buffer f32[M, N] init (m, n) { x[m, n] }
  for t in 0..3 {
    parallel m in 0..M { for n in 0..N { row[m, n] = 0.5 * row[m, n] + 0.5 * row[m, N - 1 - n] } }
  }
  parallel m in 0..M, n in 0..N { y[m, n] = row[m, n] }
})");
  EXPECT_SAYS(c, "workspace {\n  row: view f32[M, N]\n}\n");
  EXPECT_SAYS(c, "group g0 (%m: i64 in 0..M)");
  EXPECT_NO(c, "scope(");
  expect_proved(c);
  EXPECT_FALSE(check_refinement(c.kir, replaced(c.text, "store row[%m, %n]", "store row[0, %n]")).all_proved());
  for (std::int64_t m : {0, 1, 200})
    for (std::int64_t n : {0, 5}) {
      Arguments a;
      everywhere(c, a.random("x", DType::f32, {m, n}, 1).random("y", DType::f32, {m, n}, 2));
    }
}

// shows: K5.7
TEST(SpecialCases, BufferInALoop) {
  const Case c = construct(R"(kernel fresh(x: in f32[M, T], y: out f32[M, T]) {
  parallel m in 0..M {
    for t in 0..T {
      let b = buffer f32[4] init (k) { 0.0 }
      for k in 0..4 { b[k] = b[k] + x[m, t] }
      y[m, t] = b[0] + b[3]
    }
  }
})");
  EXPECT_SAYS(c, "scope(iteration) init (");
  expect_proved(c);
  for (std::int64_t t : {0, 1, 5}) {
    Arguments a;
    a.random("x", DType::f32, {3, t}, 1).random("y", DType::f32, {3, t}, 2);
    const Arguments out = everywhere(c, a);
    for (std::int64_t i = 0; i < 3 * t; ++i)
      EXPECT_EQ(out.args.views.at("y")->load(i).as_double(), 2 * out.args.views.at("x")->load(i).as_double());
  }
}

// shows: K7.10
TEST(SpecialCases, CompareExchangeSaysWhetherItWrote) {
  const Case own = construct(R"(kernel own(x: in i32[N], slot: inout i32[N], won: out i1[N], seen: out i32[N]) {
  parallel i in 0..N {
    let free = i32(0)
    let (old, wrote) = atomic_cas slot[i], free, x[i] order(relaxed, relaxed)
    won[i] = wrote
    seen[i] = old
  }
})");
  EXPECT_SAYS(own, "(%old: i32, %wrote: i1) = atomic_cas slot[%i]");
  expect_proved(own);
  EXPECT_FALSE(check_refinement(own.kir, replaced(own.text, "store seen[%i] = %old", "store seen[%i] = %free")).all_proved());
  Arguments a;
  a.tensor("x", DType::i32, {3}, {"7", "8", "9"}).tensor("slot", DType::i32, {3}, {"0", "5", "0"});
  a.random("won", DType::i1, {3}, 1).random("seen", DType::i32, {3}, 2);
  const Arguments out = everywhere(own, a);
  EXPECT_EQ(out.elements("won"), (Words{"true", "false", "true"}));
  EXPECT_EQ(out.elements("seen"), (Words{"0", "5", "0"}));
  EXPECT_EQ(out.elements("slot"), (Words{"7", "5", "9"}));

  // Of all instances at one element just one writes, in every order.
  const Case one = construct(R"(kernel one(slot: inout i32[1], won: out i1[N]) {
  parallel i in 0..N {
    let free = i32(0)
    let mine = i32(7)
    let (old, wrote) = atomic_cas slot[0], free, mine order(relaxed, relaxed)
    won[i] = wrote
  }
})");
  EXPECT_SAYS(one, "g0: (i in 0..N)");
  EXPECT_SAYS(one, "scope(gpu)");
  expect_proved(one);
  auto winners = [](const Arguments& r) {
    int n = 0;
    for (const std::string& w : r.elements("won")) n += w == "true";
    return n;
  };
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    Arguments k;
    k.tensor("slot", DType::i32, {1}, {"0"}).random("won", DType::i1, {9}, 1);
    Arguments p = copy(k), h = copy(k);
    kir::testing::run_well(one.kernel, k, {.order_seed = seed});
    kir::testing::run_well(one.program, p, {.order_seed = seed});
    EXPECT_EQ(run_host(*one.program, h), "");
    for (const Arguments* r : {&k, &p, &h}) {
      EXPECT_EQ(winners(*r), 1);
      EXPECT_EQ(r->elements("slot"), Words{"7"});
    }
  }
}

// shows: K7.10
TEST(SpecialCases, CollidingMembersOfAHistogram) {
  const Case c = construct(R"(kernel count(x: in i32[N], bins: inout i32[B])
  where B >= 1
{
  histogram bins (i in 0..N) { yield to_index(x[i]), 1 } out_of_range(clamp)
})");
  EXPECT_SAYS(c, "g0: (i in 0..N) length L0 = N");
  EXPECT_SAYS(c, "atomic_rmw.add bins[");
  expect_proved(c);
  Arguments a, none;
  a.tensor("x", DType::i32, {6}, {"1", "1", "-4", "9", "1", "0"}).tensor("bins", DType::i32, {3}, {"10", "20", "30"});
  EXPECT_EQ(everywhere(c, a).elements("bins"), (Words{"12", "23", "31"}));
  none.tensor("x", DType::i32, {0}).tensor("bins", DType::i32, {2}, {"4", "5"});
  EXPECT_EQ(everywhere(c, none).elements("bins"), (Words{"4", "5"}));
}

// Of a u64 read with a sign the index is negative beyond 2^63.
TEST(SpecialCases, UnsignedDataReadAsASignedIndex) {
  const Case c = construct(R"(kernel picked(x: in f32[N], p: in u64[M], y: out f32[M])
  where N >= 1
{
  parallel m in 0..M {
    let j: index = convert.sint p[m]
    y[m] = x[min(max(j, 0), N - 1)]
  }
})");
  EXPECT_SAYS(c, "%j: i64 = convert.wrap");
  expect_proved(c);
  EXPECT_FALSE(check_refinement(c.kir, replaced(c.text, "max(%j, 0)", "max(%j, 1)")).all_proved());
  // Read without one it is another index.
  EXPECT_FALSE(check_refinement(replaced(c.kir, "convert.sint", "convert.uint"), c.text).all_proved());
  Arguments a;
  a.tensor("x", DType::f32, {3}, {"1.0", "2.0", "4.0"});
  a.tensor("p", DType::u64, {4}, {"1", "18446744073709551615", "9223372036854775807", "0"}).random("y", DType::f32, {4}, 1);
  EXPECT_EQ(everywhere(c, a).elements("y"), (Words{"2.0", "1.0", "4.0", "1.0"}));
}

// shows: K7.5 K4.10
TEST(SpecialCases, RegionScanFinalState) {
  const Case c = construct(R"(kernel recurrence(a: in i32[R, L], b: in i32[R, L], y: out i32[R, L], last: out i32[R]) {
  parallel r in 0..R {
    let first = i32(7)
    let (states, final) = region_scan [0..L] uses (a, b, r) init (first) summarize [lo..hi] {
      let (p, q) = for t in lo..hi carry (p = i32(1), q = i32(0)) { next a[r, t] * p, a[r, t] * q + b[r, t] }
      yield p, q
    } combine order(strict) (p0: i32, q0: i32, p1: i32, q1: i32) {
      yield p1 * p0, p1 * q0 + q1
    } apply (p: i32, q: i32, g: i32) {
      yield p * g + q
    } emit [lo..hi] (g: i32) {
      let (end, slice_) = for t in lo..hi carry (s = g) collect (i32) {
        let n = a[r, t] * s + b[r, t]
        next n, n
      }
      yield slice_
    }
    parallel t in 0..L { y[r, t] = states[t] }
    last[r] = final
  }
})");
  EXPECT_SAYS(c, "%final: i32 = region_scan [0..L] init (%first)");
  EXPECT_SAYS(c, "store last[%r] = %final");
  expect_proved(c);
  EXPECT_FALSE(check_refinement(c.kir, replaced(c.text, "store last[%r] = %final", "store last[%r] = %first")).all_proved());
  for (std::int64_t l : {0, 1, 6}) {
    Arguments a;
    a.random("a", DType::i32, {2, l}, 1).random("b", DType::i32, {2, l}, 2);
    a.random("y", DType::i32, {2, l}, 3).random("last", DType::i32, {2}, 4);
    const Arguments out = everywhere(c, a);
    std::int32_t state = 7;  // of the second row
    for (std::int64_t t = 0; t < l; ++t)
      state = static_cast<std::int32_t>(static_cast<std::uint32_t>(out.args.views.at("a")->load(l + t).as_signed()) *
                                            static_cast<std::uint32_t>(state) +
                                        static_cast<std::uint32_t>(out.args.views.at("b")->load(l + t).as_signed()));
    EXPECT_EQ(out.args.views.at("last")->load(1).as_signed(), state);
  }
}

}  // namespace
}  // namespace kir::test
