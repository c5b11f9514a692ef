// Random kernels with dependences between their statements: whatever construction decides about instances, the program
// leaves what the kernel leaves, whatever the order of the instances. Kernels that race or err are passed over.
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "core/interp/interpreter.h"
#include "core/interp/launch_args.h"
#include "tests/lowering/support.h"

namespace kir::lowering::testing {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string kernel() {
    std::string body = statements(0);
    std::string alias = chance(4) ? "  alias { may_alias(a, b) }\n" : "";
    // Sometimes the matrices are buffers of the launch, observed at the end.
    std::string matrices = ", c: inout f32[M, N], d: inout f32[N, N]", made, seen;
    if (chance(3)) {
      matrices = ", y: out f32[M, N]";
      made = chance(2) ? "  let c = buffer f32[M, N]\n  parallel m in 0..M, n in 0..N { c[m, n] = a[n] }\n"
                       : "  let c = buffer f32[M, N] init (m, n) { b[n] }\n";
      made += "  let d = buffer f32[N, N] init (m, n) { a[m] }\n";
      seen = chance(2) ? "  parallel m in 0..M, n in 0..N { y[m, n] = c[m, n] }\n"
                       : "  parallel m in 0..M { for n in 0..N { y[m, n] = c[m, N - 1 - n] + d[0, n] } }\n";
    }
    return "kernel r(a: inout f32[N], b: inout f32[N]" + matrices + ", f: index)\n" + alias + "  where N >= 1, M >= 1\n{\n" +
           made + body + seen + "}\n";
  }

 private:
  struct Variable {
    std::string name, extent;
  };
  struct Tensor1 {
    std::string name, extent;
  };

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(std::size_t n) { return below(n) == 0; }
  std::string name(const char* hint) { return fmt::format("{}{}", hint, counter_++); }

  std::string coordinate(const std::string& extent) {
    std::vector<std::string> fit;
    for (const Variable& v : variables_)
      if (v.extent == extent) fit.push_back(v.name);
    if (fit.empty() || chance(8)) return chance(2) ? "0" : extent + " - 1";
    std::string v = fit[below(fit.size())];
    if (!ordered_.empty() && chance(4)) return fmt::format("({} + {}) mod {}", v, ordered_.back(), extent);
    return chance(6) ? fmt::format("{} - 1 - {}", extent, v) : v;
  }

  // A view and a place in it.
  std::string place() {
    switch (below(4)) {
      case 0: return fmt::format("a[{}]", coordinate("N"));
      case 1: return fmt::format("b[{}]", coordinate("N"));
      case 2: return fmt::format("c[{}, {}]", coordinate("M"), coordinate("N"));
      default: return fmt::format("d[{}, {}]", coordinate("N"), coordinate("N"));
    }
  }

  // Mostly one that the members of the enclosing parallels do not share.
  std::string store_place() {
    std::vector<std::string> m, n;
    for (const Variable& v : variables_) (v.extent == "M" ? m : n).push_back(v.name);
    if (chance(10) || m.size() > 1 || n.size() > 2) return place();
    if (n.size() == 2 && m.empty())
      return chance(2) ? fmt::format("d[{}, {}]", n[0], n[1]) : fmt::format("d[{}, {}]", n[1], n[0]);
    if (m.size() == 1 && n.size() < 2) return fmt::format("c[{}, {}]", m[0], n.empty() ? coordinate("N") : n[0]);
    if (n.size() == 1 && m.empty()) {
      if (chance(3)) return fmt::format("d[{}, {}]", n[0], coordinate("N"));
      std::string at = !ordered_.empty() && chance(3) ? fmt::format("({} + {}) mod N", n[0], ordered_.back()) : n[0];
      return fmt::format("{}[{}]", chance(2) ? "a" : "b", at);
    }
    return place();
  }

  std::string value() {
    std::string out = fmt::format("f32({}.0)", below(5));
    for (std::size_t i = below(3); i-- > 0;) {
      std::size_t kind = below(4);
      if (kind == 0 && !scalars_.empty())
        out += " + " + scalars_[below(scalars_.size())];
      else if (kind == 1 && !tensors_.empty()) {
        const Tensor1& t = tensors_[below(tensors_.size())];
        out += fmt::format(" + {}[{}]", t.name, coordinate(t.extent));
      } else {
        out += " + " + place();
      }
    }
    return out;
  }

  std::string producer(const std::string& pad) {
    std::string extent = chance(2) ? "N" : "M";
    switch (below(3)) {
      case 0: {
        std::string n = name("s");
        std::string text = fmt::format("{}let {} = {}\n", pad, n, place());
        scalars_.push_back(n);
        return text;
      }
      case 1: {
        std::string n = name("s"), v = name("k");
        variables_.push_back({v, extent});
        std::string text =
            fmt::format("{}let {} = reduce max.nan order(any) over {} in 0..{} {{ {} }}\n", pad, n, v, extent, value());
        variables_.pop_back();
        scalars_.push_back(n);
        return text;
      }
      default: {
        std::string n = name("t"), v = name("k");
        variables_.push_back({v, extent});
        std::string text = fmt::format("{}let {} = tensor ({} in 0..{}) {{ {} }}\n", pad, n, v, extent, value());
        variables_.pop_back();
        tensors_.push_back({n, extent});
        return text;
      }
    }
  }

  std::string statement(int depth, const std::string& pad) {
    std::size_t kind = depth >= 3 || variables_.size() > 1 ? 0 : below(8);
    if (kind <= 1)
      return fmt::format("{}{} = {}{}\n", pad, store_place(), value(), chance(6) ? fmt::format(" where f > {}", below(4)) : "");
    std::size_t variables = variables_.size(), ordered = ordered_.size();
    std::string head;
    if (kind <= 5) {
      head = pad + "parallel ";
      for (std::size_t i = 0, n = 1 + below(2); i < n; ++i) {
        std::string v = name("p"), extent = chance(2) ? "N" : "M";
        head += fmt::format("{}{} in 0..{}", i ? ", " : "", v, extent);
        variables_.push_back({v, extent});
      }
    } else if (kind == 6) {
      ordered_.push_back(name("p"));
      head = fmt::format("{}for {} in 0..3", pad, ordered_.back());
    } else {
      head = fmt::format("{}if f > {}", pad, below(4));
    }
    std::string text = head + " {\n" + statements(depth + 1) + pad + "}\n";
    variables_.resize(variables);
    ordered_.resize(ordered);
    return text;
  }

  std::string statements(int depth) {
    std::string pad(2 * static_cast<std::size_t>(depth) + 2, ' '), out;
    std::size_t scalars = scalars_.size(), tensors = tensors_.size();
    for (std::size_t i = 0, n = 1 + below(depth == 0 ? 4 : 2); i < n; ++i) {
      if (chance(3)) out += producer(pad);
      out += statement(depth, pad);
    }
    scalars_.resize(scalars);
    tensors_.resize(tensors);
    return out;
  }

  std::mt19937_64 random_;
  std::vector<Variable> variables_;
  std::vector<std::string> ordered_;  // variables of for loops
  std::vector<std::string> scalars_;
  std::vector<Tensor1> tensors_;
  int counter_ = 0;
};

BoundLaunch launch(const Abi& abi, std::int64_t m, std::int64_t n, std::int64_t f, bool alias) {
  LaunchArgs args;
  std::uint64_t seed = 5;
  for (const ViewParam& v : abi.views) {
    std::vector<std::int64_t> shape;
    for (Expr e : v.shape) shape.push_back(e.name() == "M" ? m : n);
    auto t = std::make_shared<Tensor>(Tensor::row_major(v.dtype, shape));
    fill_random(*t, seed++, false);
    args.views[v.name] = t;
  }
  if (alias) args.views["b"] = args.views["a"];
  args.symbols = {{"M", m}, {"N", n}, {"f", f}};
  Diagnostics d;
  std::optional<BoundLaunch> bound = bind_launch(abi, args, d);
  EXPECT_TRUE(bound);
  return bound ? *bound : BoundLaunch{};
}

// shows: K1.1 K1.7 K2.2 K2.3 K3.3 K3.4 K9.3
TEST(RandomKernels, ProgramsLeaveWhatTheirKernelsLeave) {
  int compared = 0, erroneous = 0, with_axes = 0, sharing = 0;
  for (std::uint64_t seed = 0; seed < (std::getenv("KIR_SEEDS") ? std::strtoull(std::getenv("KIR_SEEDS"), nullptr, 10) : 1500);
       ++seed) {
    const std::string text = Writer(seed).kernel();
    const auto frozen = kernel(text);
    ASSERT_TRUE(frozen) << text;
    const std::string before = content_hash(*frozen);
    Built b = build_kernel(frozen);
    ASSERT_TRUE(b.kernel) << text;
    ASSERT_EQ(content_hash(*frozen), before) << text;
    ASSERT_TRUE(b.result) << b.errors;
    bool used = false;
    for (auto [m, n, f] : {std::tuple{1, 1, 1}, std::tuple{2, 3, 2}, std::tuple{3, 3, 4}}) {
      const bool may = !b.kernel->abi.aliases.empty();
      for (bool alias : {false, true}) {
        if (alias && !may) continue;
        BoundLaunch expected = launch(b.kernel->abi, m, n, f, alias);
        if (!interpret(*b.kernel, expected).ok()) {
          ++erroneous;
          continue;
        }
        for (std::uint64_t order : {0, 1, 2}) {
          BoundLaunch got = launch(b.kernel->abi, m, n, f, alias);
          InterpretResult p = interpret(b.program(), got, {.order_seed = order});
          ASSERT_TRUE(p.ok()) << text << (p.error ? p.error->message : "") << "\n" << print(b.program());
          for (std::size_t v = 0; v < got.views.size(); ++v)
            ASSERT_TRUE(got.views[v]->bytes == expected.views[v]->bytes)
                << "seed " << seed << " m " << m << " n " << n << " f " << f << " order " << order << " view "
                << b.kernel->abi.views[v].name << "\n"
                << text << print(b.program());
        }
        used = true;
      }
    }
    compared += used;
    bool axis = false;
    for (const Segment& s : b.program().segments) axis = axis || !s.axes.empty();
    with_axes += used && axis;
    sharing += used && !b.program().workspace.empty();
  }
  // Enough of them say something.
  EXPECT_GT(compared, 300);
  EXPECT_GT(with_axes, 100);
  EXPECT_GT(sharing, 20);
  RecordProperty("compared", compared);
  std::cout << fmt::format("{} compared ({} with instance axes, {} with a workspace), {} erroneous launches\n", compared,
                           with_axes, sharing, erroneous);
}

}  // namespace
}  // namespace kir::lowering::testing
