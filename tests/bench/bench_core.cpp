// How fast core/ is: rates of the reference interpreter and of the text form. One line a figure on stdout,
//   NAME <tab> RATE <tab> UNIT
// each the best of three runs on one thread, by processor time, so that other work on the machine disturbs little; with an
// argument only those whose names have it as a part. scripts/bench --core builds and runs it and puts peers beside it.
//
// A scalar operation of the interpreter is an arithmetic operation, a load or a store of the kernel's text; the loops around
// them, their bounds and coordinates are not counted. A rate of parsing covers the whole of parse_kir: lexer, parser, body,
// verifier. Peers of the same run: the tokens of the same text alone, and nlohmann-json reading a document of the same
// kernels' lines.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/interp/interpreter.h"
#include "core/layout/decide.h"
#include "core/layout/text.h"
#include "core/text/lexer.h"
#include "core/text/text.h"

namespace {

using namespace kir;

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "bench_core: {}\n", why);
  std::exit(1);
}

// The time of `work` alone: what it gives back is destroyed afterwards.
template <class Work>
double seconds(const Work& work) {
  double best = 1e30;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    const auto result = work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    if (!result) stop("a run gave nothing");
  }
  return best;
}

std::string wanted;  // figures whose names have this part

template <class Work>
void figure(std::string_view name, double amount, std::string_view unit, const Work& work) {
  if (name.find(wanted) == std::string_view::npos) return;
  fmt::print("{}\t{:.4g}\t{}\n", name, amount / seconds(work), unit);
  std::fflush(stdout);
}

std::optional<Module> parse(const std::shared_ptr<SourceFile>& source) {
  Diagnostics diagnostics;
  std::optional<Module> module = parse_kir(source, diagnostics);
  if (!module) stop(diagnostics.render(*source));
  return module;
}

std::shared_ptr<SourceFile> source_of(std::string text) { return std::make_shared<SourceFile>("bench.kir", std::move(text)); }

// --- the interpreter

struct Launch {
  const char* name;
  const char* text;
  std::map<std::string, std::int64_t> symbols;
  double operations;  // scalar operations of one execution
};

void interpret_all() {
  constexpr std::int64_t n = 100000, rows = 300, columns = 300, terms = 100;
  const Launch launches[] = {
      {"interpreter: a * x + y, f32",
       "kernel k(a: f32, x: in f32[N], y: inout f32[N]) { parallel i in 0..N { y[i] = a * x[i] + y[i] } }",
       {{"N", n}},
       5.0 * n},
      {"interpreter: integer mix, i32",
       "kernel k(a: in i32[N], b: in i32[N], c: out i32[N]) { parallel i in 0..N {\n"
       "  let p = a[i] * 5 + xor(b[i], shl(a[i], 3))\n"
       "  let q = shra(p, 2) - shrl(b[i], 1)\n"
       "  c[i] = max.s(min.s(q, 1000000), or(p, 1)) } }",
       {{"N", n}},
       15.0 * n},
      {"interpreter: polynomial, f64",
       "kernel k(x: in f64[N], c: in f64[K], y: out f64[N]) { parallel i in 0..N {\n"
       "  let v = x[i]\n  let zero = f64(0.0)\n"
       "  let p = for k in 0..K carry (s: f64 = zero) { next fma(s, v, c[k]) }\n"
       "  y[i] = p } }",
       {{"N", n / 100}, {"K", terms}},
       n / 100 * (2.0 * terms + 2)},
      {"interpreter: row sums, f32",
       "kernel k(x: in f32[M, N], y: out f32[M]) { parallel m in 0..M {\n"
       "  y[m] = reduce add order(strict) over n in 0..N { x[m, n] } } }",
       {{"M", rows}, {"N", columns}},
       rows * (2.0 * columns + 1)},
      {"interpreter: product of matrices, f16",
       "kernel k(a: in f16[M, K], b: in f16[K, N], c: out f16[M, N]) { parallel m in 0..M, n in 0..N {\n"
       "  c[m, n] = reduce add order(strict) over k in 0..K { a[m, k] * b[k, n] } } }",
       {{"M", 40}, {"N", 40}, {"K", terms}},
       40.0 * 40 * (4 * terms + 1)},
      {"interpreter: row softmax, f32 (exp correctly rounded)",
       "kernel k(x: in f32[M, N], y: out f32[M, N]) where N >= 1 { parallel m in 0..M {\n"
       "  let peak = reduce max.nan order(any) over n in 0..N { x[m, n] }\n"
       "  let total = reduce add order(any) over n in 0..N { exp(x[m, n] - peak) }\n"
       "  parallel n in 0..N { y[m, n] = exp(x[m, n] - peak) / total } } }",
       {{"M", rows}, {"N", columns}},
       rows * columns * 11.0},
  };
  for (const Launch& l : launches) {
    const std::optional<Module> module = parse(source_of(std::string("kir 1\n") + l.text));
    const Kernel& kernel = *module->kernels[0];
    Diagnostics diagnostics;
    const std::optional<LaunchLayout> layout = resolve_layout(kernel.abi, l.symbols, diagnostics);
    if (!layout) stop(std::string(l.name) + ": no layout");
    LaunchArgs args;
    args.symbols = l.symbols;
    for (std::size_t i = 0; i < kernel.abi.views.size(); ++i) {
      const ViewParam& v = kernel.abi.views[i];
      args.views[v.name] = std::make_shared<Tensor>(Tensor::row_major(v.dtype, layout->views[i].shape));
      fill_random(*args.views[v.name], i + 1, false);
    }
    for (const ScalarParam& s : kernel.abi.scalars) args.scalars[s.name] = *parse_literal("1.5", s.dtype);
    const std::optional<BoundLaunch> launch = bind_launch(kernel.abi, args, diagnostics);
    if (!launch) stop(std::string(l.name) + ": " + diagnostics.render(*module->source));
    figure(l.name, l.operations, "op/s", [&] {
      const InterpretResult r = interpret(kernel, *launch);
      if (!r.ok()) stop(std::string(l.name) + ": " + r.error->message);
      return r.ok();
    });
  }
}

// --- layouts

// Injective, exclusive, replica-consistent and covering of layouts of four kinds, small and large.
void layouts_all() {
  const struct {
    const char *name, *text;
  } kinds[] = {
      {"layouts: decisions on a tensor-core tile", "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"},
      {"layouts: decisions on 10^12 elements", "S[(1000,1000,1000,1000):(1000000,1,1000000000,1000)]"},
      {"layouts: decisions on symbolic sizes", "S[(N,4,K):(4*K,K,1)] + R[2:1@laneid]"},
      {"layouts: decisions that strides do not order", "S[(2,3,5,7):(105,70,42,30)]"},
  };
  constexpr int times = 1000;
  for (const auto& k : kinds) {
    const layout::Result<layout::Layout> l = layout::parse_layout(k.text);
    if (!l) stop(l.error());
    figure(k.name, 4.0 * times, "decisions/s", [&] {
      for (int i = 0; i < times; ++i)
        for (const auto decide : {layout::injective, layout::exclusive, layout::replica_consistent})
          if (decide(*l).outcome == layout::Outcome::undecided) stop(k.text);
      for (int i = 0; i < times; ++i)
        if (layout::covering(*l).outcome == layout::Outcome::undecided) stop(k.text);
      return true;
    });
  }
}

// --- the text form

// Kernels of the corpus without the line "kir 1" and what stands before it.
std::vector<std::string> corpus_kernels() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(KIR_SOURCE_DIR "/corpus"))
    if (entry.path().extension() == ".kir") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto& path : paths) {
    std::string error;
    const std::optional<std::string> text = read_file(path.string(), kMaxBytes, &error);
    if (!text) stop(error);
    out.push_back(text->substr(text->find("kir 1") + 5));
  }
  if (out.empty()) stop("the corpus has no kernels");
  return out;
}

// The kernels over and over, each time under another name, up to a size.
std::string repeated(const std::vector<std::string>& kernels, std::size_t bytes) {
  std::string out = "kir 1\n";
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    const std::string& k = kernels[i % kernels.size()];
    const std::size_t name = k.find("kernel ") + 7, end = k.find_first_of("<(", name);
    out += fmt::format("{}_{}{}", k.substr(0, end), i, k.substr(end));
  }
  return out;
}

std::string long_kernel(std::size_t bytes) {
  std::string out = "kir 1\nkernel long(x: in f32[N], y: out f32[N]) {\n  parallel i in 0..N {\n    let v0 = x[i]\n";
  std::size_t i = 1;
  for (; out.size() < bytes; ++i)
    out += fmt::format("    let v{} = max.nan(v{} * 2.0, x[min(i + {}, N - 1)]) - v{}\n", i, i - 1, i % 7, i / 2);
  return out + fmt::format("    y[i] = v{}\n  }}\n}}\n", i - 1);
}

std::string small_kernels(std::size_t count) {
  std::string out = "kir 1\n";
  for (std::size_t i = 0; i < count; ++i)
    out += fmt::format("kernel k{}(x: in f32[N], y: out f32[N]) {{ parallel i in 0..N {{ y[i] = x[i] + {}.0 }} }}\n", i, i);
  return out;
}

std::string many_relations(std::size_t count) {
  std::string out = "kir 1\nkernel k(x: in f32[";
  for (std::size_t i = 0; i < 30; ++i) out += fmt::format("{}N{}", i ? ", " : "", i);
  out += "], y: out f32[1]) where ";
  for (std::size_t i = 0; i < count; ++i)
    out += fmt::format("{}N{} + {} <= N{} * {}", i ? ",\n  " : "", i % 30, i, i % 29, i + 1);
  return out + "\n{ y[0] = 1.0 }\n";
}

std::size_t count_tokens(const std::string& text) {
  text::Names names;
  text::Lexer lexer(text, names, [](SourceRange, std::string, std::string) {});
  std::size_t count = 0;
  while (lexer.next().kind != text::Tok::end) ++count;
  return count;
}

void text_all() {
  const double mb = 1e6;
  const std::vector<std::string> kernels = corpus_kernels();
  const std::string corpus = repeated(kernels, 10'000'000);
  const std::pair<const char*, std::string> texts[] = {
      {"parse + verify: corpus kernels, 10 MB", corpus},
      {"parse + verify: one kernel of 1 MB", long_kernel(1'000'000)},
      {"parse + verify: one kernel of 10 MB", long_kernel(10'000'000)},
      {"parse + verify: 20000 small kernels", small_kernels(20000)},
      {"parse + verify: 1000 relations", many_relations(1000)},
  };
  for (const auto& [name, text] : texts) {
    const auto source = source_of(text);
    figure(name, static_cast<double>(text.size()) / mb, "MB/s", [&] { return parse(source); });
  }
  figure("peer: lexer, corpus kernels, 10 MB", static_cast<double>(corpus.size()) / mb, "MB/s",
         [&] { return count_tokens(corpus); });

  nlohmann::json document = nlohmann::json::array();
  for (std::size_t at = 0; at < corpus.size();) {
    const std::size_t end = std::min(corpus.find('\n', at), corpus.size());
    document.push_back({{"line", document.size()}, {"text", corpus.substr(at, end - at)}});
    at = end + 1;
  }
  const std::string json = document.dump();
  figure("peer: json, the same kernels' lines", static_cast<double>(json.size()) / mb, "MB/s",
         [&] { return std::make_unique<nlohmann::json>(nlohmann::json::parse(json)); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) wanted = argv[1];
  interpret_all();
  layouts_all();
  text_all();
}
