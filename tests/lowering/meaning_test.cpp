// The first program means what the kernel means: both interpreters agree bit for bit, in ascending and in shuffled order,
// with and without origins.
#include <map>

#include "core/interp/interpreter.h"
#include "core/interp/launch_args.h"
#include "core/interp/oracle.h"
#include "smt/launches.h"
#include "tests/corpus.h"
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

std::optional<std::int64_t> value_of(Expr e, const Sizes& sizes) {
  EvalResult r = evaluate(e, [&](Expr leaf) -> std::optional<Integer> {
    auto it = leaf.is(ExprKind::symbol) ? sizes.find(leaf.name()) : sizes.end();
    return it == sizes.end() ? std::nullopt : std::optional<Integer>(it->second);
  });
  if (!r.ok() || r.value < -(1 << 20) || r.value > (1 << 20)) return std::nullopt;
  return static_cast<std::int64_t>(r.value);
}

// Arguments of a launch with these sizes; empty when a precondition refuses them.
std::optional<BoundLaunch> launch(const Abi& abi, const Sizes& sizes, std::uint64_t seed) {
  LaunchArgs args;
  for (const ViewParam& v : abi.views) {
    std::vector<std::int64_t> shape, strides;
    for (Expr e : v.shape) {
      auto n = value_of(e, sizes);
      if (!n || *n < 0) return std::nullopt;
      shape.push_back(*n);
    }
    for (Expr e : v.strides) {
      auto n = value_of(e, sizes);
      if (!n || *n < 0) return std::nullopt;
      strides.push_back(*n);
    }
    auto t = std::make_shared<Tensor>(Tensor::strided(v.dtype, shape, strides));
    fill_random(*t, seed++, true);
    args.views[v.name] = t;
  }
  for (const ScalarParam& s : abi.scalars) {
    Tensor one = Tensor::row_major(s.dtype, {1});
    fill_random(one, seed++, false);
    args.scalars[s.name] = one.load(0);
  }
  for (const SymbolInfo& s : abi.symbols) args.symbols[s.name] = sizes.at(s.name);
  Diagnostics d;
  return bind_launch(abi, args, d);
}

std::vector<Sizes> size_choices(const Abi& abi) {
  std::vector<Sizes> out;
  for (std::int64_t n : {0, 1, 7, 33}) {
    Sizes same, grow;
    std::int64_t i = 0;
    for (const SymbolInfo& s : abi.symbols) {
      same[s.name] = n;
      grow[s.name] = n + i++;
    }
    out.push_back(same);
    out.push_back(grow);
    // Leading dimensions and strides: the last symbol is large.
    if (!abi.symbols.empty()) {
      same[abi.symbols.back().name] = n + 3;
      out.push_back(same);
    }
  }
  return out;
}

BoundLaunch copy(const BoundLaunch& l) {
  BoundLaunch out = l;
  std::map<const Tensor*, TensorPtr> copies;
  for (TensorPtr& t : out.views) {
    TensorPtr& c = copies[t.get()];
    if (!c) c = std::make_shared<Tensor>(*t);
    t = c;
  }
  return out;
}

PhysicalPtr without_origins(const PhysicalProgram& program) {
  auto text = std::make_shared<SourceFile>("test.pir", print(program, {.origins = false}));
  Diagnostics d;
  PhysicalPtr stripped = parse_pir(text, d);
  EXPECT_TRUE(stripped) << d.render(*text);
  return stripped;
}

// The number of launches compared.
int compare(const Built& b) {
  EXPECT_TRUE(b.result) << b.errors;
  const PhysicalPtr stripped = b.result ? without_origins(b.program()) : nullptr;
  if (!stripped) return 0;
  int compared = 0;
  for (const Sizes& sizes : size_choices(b.kernel->abi)) {
    std::optional<BoundLaunch> start = launch(b.kernel->abi, sizes, 17);
    if (!start) continue;
    std::string story = b.kernel->id();
    for (const auto& [name, n] : sizes) story += " " + name + "=" + std::to_string(n);
    BoundLaunch expected = copy(*start);
    InterpretResult k = interpret(*b.kernel, expected);
    EXPECT_TRUE(k.ok()) << story << ": " << (k.error ? k.error->message : "");
    if (!k.ok()) continue;
    for (std::uint64_t order : {0, 1}) {
      for (const PhysicalProgram* program : {b.result->program.get(), stripped.get()}) {
        BoundLaunch got = copy(*start);
        InterpretResult p = interpret(*program, got, {.order_seed = order});
        EXPECT_TRUE(p.ok()) << story << ": " << (p.error ? p.error->message : "") << "\n" << print(*program);
        for (std::size_t v = 0; v < got.views.size(); ++v)
          EXPECT_TRUE(got.views[v]->bytes == expected.views[v]->bytes)
              << story << " differs in " << b.kernel->abi.views[v].name << "\n"
              << print(*program);
      }
    }
    ++compared;
  }
  EXPECT_GT(compared, 0) << b.kernel->id();
  return compared;
}

// As `compare`, by the oracle: with a licence there are several right answers. 0 when the kernel has none for these arguments.
int compare_with_reference(const Built& b, const PhysicalProgram& stripped, const LaunchArgs& args) {
  Diagnostics d;
  const auto start = bind_launch(b.kernel->abi, args, d);
  if (!start) return 0;
  const BoundLaunch wanted = copy(*start);
  const InterpretOptions limit{.max_steps = 1'000'000};
  const Reference reference = interpret_reference(*b.kernel, wanted, limit);
  if (!reference.result.ok()) return 0;
  for (std::uint64_t order : {0, 1}) {
    BoundLaunch got = copy(*start);
    const InterpretOptions options{.max_steps = 8'000'000, .order_seed = order};
    const InterpretResult r = interpret(order == 0 ? b.program() : stripped, got, options);
    EXPECT_TRUE(r.ok()) << (r.error ? r.error->message : "");
    for (std::size_t v = 0; v < got.views.size(); ++v) {
      const Comparison c = kir::compare(*wanted.views[v], *got.views[v], reference.exact ? nullptr : &reference.radius[v]);
      EXPECT_NE(c.verdict, Comparison::Verdict::different) << b.kernel->abi.views[v].name << ": " << describe(c);
    }
  }
  return 1;
}

// shows: K1.7 K8.2 K4.3 K6.3
TEST(Meaning, OfTheCorpusIsKept) {
  for (const auto& [file, kernel] : kir::testing::corpus_kernels()) {
    SCOPED_TRACE(file);
    Built b = build_kernel(kernel);
    ASSERT_TRUE(b.result) << b.errors;
    const PhysicalPtr stripped = without_origins(b.program());
    ASSERT_TRUE(stripped);
    std::vector<Sizes> sizes = size_choices(kernel->abi);
    std::erase_if(sizes, [&](const Sizes& s) { return !smt::preconditions_hold(kernel->abi, s); });
    if (sizes.size() < 3)
      for (const Sizes& s : smt::small_launches(kernel->abi, smt::find_witness(kernel->abi, 4'000'000), 3)) sizes.push_back(s);
    int compared = 0;
    for (const Sizes& s : sizes)
      if (const auto args = smt::make_args(kernel->abi, s, smt::Contents::special, 7, false, 1 << 20))
        compared += compare_with_reference(b, *stripped, *args);
    EXPECT_GT(compared, 0);
  }
}

// shows: K1.7 K3.3 K3.4 K4.5 K4.6 K7.9
TEST(Meaning, OfMergedGroupsLoopsRelationsAndTensorsIsKept) {
  const char* kernels[] = {
      // Merged instances, in order.
      "kernel a(x: in f32[N], t: inout f32[N], y: out f32[N]) { parallel i in 0..N { t[i] = x[i] }\n"
      "parallel i in 0..N { y[i] = t[N - 1 - i] } }",
      "kernel b(x: inout f32[N]) { let s = reduce add order(strict) over i in 0..N { x[i] }\n"
      "parallel i in 0..N { x[i] = x[i] - s } }",
      // Axes under an ordered loop and matched across statements.
      "kernel c(x: in f32[T, M], h: inout f32[M]) { for t in 0..T { parallel m in 0..M { h[m] = h[m] * 0.5 + x[t, m] } } }",
      "kernel d(t: inout f32[N, N], y: out f32[N, N]) { parallel i in 0..N, j in 0..N { t[i, j] = t[i, j] + 1.0 }\n"
      "parallel p in 0..N, q in 0..N { y[p, q] = t[q, p] } }",
      "kernel e(t: inout f32[M, N], y: out f32[M, N]) { parallel m in 0..M, n in 0..N { t[m, n] = t[m, n] * 2.0 }\n"
      "parallel m in 0..M, n in 0..N { y[m, n] = t[m, N - 1 - n] } }",
      // Unlike shapes, empty slices.
      "kernel f(x: in f32[N], a: out f32[N], b: out f32[M], c: out f32[]) { parallel i in 0..N { a[i] = x[i] }\n"
      "parallel j in 0..M { b[j] = 2.0 }\n c[] = 3.0 }",
      // Ragged and triangular domains, shifted ranges.
      "kernel g(count: in i64[B], y: out f32[B, N]) { parallel b in 0..B { let c = count[b]\n let e = to_index(c)\n"
      "parallel j in 0..min(max(e, 0), N) { y[b, j] = 1.0 } } }",
      "kernel h(y: out f32[N, N]) { parallel i in 0..N { parallel j in 0..i { y[i, j] = to_f32(i - j) } } }",
      "kernel i(y: out f32[N, M]) where N >= 4 { parallel i in 2..N - 1, j in 0..M - 3 { y[i, j] = to_f32(i * M + j) } }",
      // Relations over relations, tensors over tensors, broadcasts.
      "kernel j(x: in f32[M, N], y: out f32[N - 2, M]) where N >= 2 { let a = transpose x perm(1, 0)\n"
      "let s = slice a [1..N - 1, 0..M]\n let v = view s (i in 0..N - 2, j in 0..M) { let r: index = index N - 3 - i\n yield "
      "r, j }\n"
      "parallel p in 0..N - 2, q in 0..M { y[p, q] = v[p, q] } }",
      "kernel k(x: in f32[M, N], y: out f32[M]) { let t = tensor (m in 0..M, n in 0..N) { exp(x[m, n]) }\n"
      "let u = transpose t perm(1, 0)\n let w = tensor (n in 0..N, m in 0..M) { u[n, m] * 2.0 + u[n, m] }\n"
      "parallel m in 0..M { y[m] = reduce add order(any) over n in 0..N { w[n, m] } } }",
      "kernel l(x: in f32[1, N], y: out f32[M, N]) { let w = broadcast x axes(0, 1) to [M, N]\n"
      "parallel m in 0..M, n in 0..N { y[m, n] = w[m, n] } }",
      "kernel m(x: inout f32[N]) { let t = tensor (i in 0..N) { x[i] * 2.0 }\n parallel i in 0..N { x[i] = t[i] } }",
      // Branches, while, carried values of several types.
      "kernel n(y: out f32[N], f: index) { if f > 3 { parallel i in 0..N { y[i] = 1.0 } } else { parallel i in 0..N { y[i] = "
      "2.0 } } }",
      "kernel o(x: in i32[N], y: out i32[N]) { parallel i in 0..N { let one = i32(1)\n let a = and(x[i], 255)\n"
      "let (r: i32, k: i32) = while carry (r: i32 = a, k: i32 = one) when { yield r > 1 } do { next shra(r, 1), k + 1 }\n"
      "y[i] = k } }",
      "kernel p(x: in f32[N], y: out f32[N], z: out f32[N]) { let s = reduce max.nan order(any) over i in 0..N { x[i] }\n"
      "parallel i in 0..N { y[i] = x[i] - s }\n parallel i in 0..N { z[i] = x[i] * s } }",
  };
  for (const char* text : kernels) {
    SCOPED_TRACE(text);
    compare(build(text));
  }
}

// shows: K8.5
TEST(Meaning, ErrorsOfTheProgramPointIntoTheKernel) {
  Built b = build("kernel k(x: in f32[N], y: out f32[N]) {\n  parallel i in 0..N {\n    y[i] = x[i + 1]\n  }\n}");
  std::optional<BoundLaunch> l = launch(b.kernel->abi, {{"N", 7}}, 3);
  ASSERT_TRUE(l);
  InterpretResult r = interpret(b.program(), *l);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error->kind, RuntimeErrorKind::out_of_bounds);
  ASSERT_TRUE(b.program().source);
  EXPECT_EQ(describe(*b.program().source, r.error->range), "test.kir:4:12");
}

}  // namespace
}  // namespace kir::lowering::testing
