#include "tools/bundle/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/file.h"
#include "core/interp/oracle.h"
#include "core/numeric/float_format.h"
#include "core/text/text.h"
#include "emit/artifact.h"
#include "emit/runtime/json_reader.h"

namespace kir::tools {
namespace {

namespace fs = std::filesystem;
using Symbols = std::map<std::string, std::int64_t>;

std::string rendered(const Diagnostics& diagnostics, const SourcePtr& source) {
  if (source) return diagnostics.render(*source);
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += d.message + "\n";
  return text;
}

// A launch with many times the elements, where the ABI's relations allow it.
std::optional<Symbols> enlarged(const Abi& abi, Symbols symbols) {
  bool grown = false;
  for (auto& [name, v] : symbols)
    if (v >= 1000) {
      v *= 16;
      grown = true;
    }
  Diagnostics ignored;
  if (!grown || !resolve_layout(abi, symbols, ignored)) return std::nullopt;
  return symbols;
}

std::string label(const Symbols& symbols, std::uint64_t seed, bool special) {
  std::string out;
  for (const auto& [name, v] : symbols) out += fmt::format("{} = {}, ", name, v);
  return out + fmt::format("seed {}{}", seed, special ? ", special values" : "");
}

// The distance from a float to the next one away from zero; 0 for NaN and infinities.
double spacing(const Scalar& s) {
  if (!is_float(s.type) || s.is_nan() || std::isinf(s.as_double())) return 0;
  const FloatFormat& f = float_format(s.type);
  const std::uint64_t magnitude = s.bits & (f.sign_bit() - 1);
  const std::uint64_t next = std::min(magnitude + (std::uint64_t{1} << f.shift), f.max_finite());
  const std::uint64_t below = next - (std::uint64_t{1} << f.shift);
  return Scalar{s.type, next}.as_double() - Scalar{s.type, below}.as_double();
}

}  // namespace

std::vector<CorpusEntry> corpus_entries(const std::string& path, const std::string& corpus) {
  constexpr std::size_t kMaxJson = std::size_t{16} << 20;
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  std::string error;
  const std::optional<std::string> text = read_file(path, kMaxJson, &error);
  if (!text) throw Trouble(error);
  const runtime::Json j = runtime::parse_json(*text, path, &error);
  if (j.is_discarded()) throw Trouble(error);
  runtime::JsonReader r(path, &error);
  std::vector<CorpusEntry> entries;
  for (const runtime::Json& k : r.list(j, "kernels")) {
    CorpusEntry entry;
    entry.name = r.text(k, "name");
    entry.constructed = !j.contains("providers") || r.list(j, "providers").size() > 1;
    std::map<std::string, std::string> scalars;  // those of every run
    if (k.contains("scalars"))
      for (const auto& [name, v] : r.object(k, "scalars").items())
        scalars[name] = v.is_string() ? r.as_text(v, name) : v.dump();
    auto sizes_of = [&](const runtime::Json& s) {
      if (!s.is_object()) r.fail(fmt::format("sizes of {} are no object", entry.name));
      CorpusEntry::Sizes sizes{{}, scalars};
      for (const auto& [name, v] : s.items()) {
        if (v.is_string())
          sizes.scalars[name] = r.as_text(v, name);
        else
          sizes.symbols[name] = r.as_integer(v, name, -kHigh, kHigh);
      }
      return sizes;
    };
    for (const runtime::Json& s : r.list(k, "sizes")) entry.sizes.push_back(sizes_of(s));
    if (k.contains("contents") && k["contents"] == "reference")
      for (const runtime::Json& e : r.list(k, "expected"))
        entry.stored.push_back(
            {fmt::format("{}/expected/{}/{}", corpus, std::filesystem::path(path).stem().string(), r.text(e, "name")),
             sizes_of(r.object(e, "sizes"))});
    if (entry.sizes.empty()) r.fail(fmt::format("{} has no sizes", entry.name));
    if (k.contains("oracle"))
      for (const auto& [name, v] : r.object(k, "oracle").items())
        if (v != "bitwise") entry.inexact.insert(name);
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) r.fail("there is no kernel in it");
  if (!r.good()) throw Trouble(error);
  return entries;
}

void BundleWriter::add_kernel(const std::string& name, const Kernel& kernel, const PhysicalProgram& program,
                              const CorpusEntry& entry, bool same_order) {
  write_program(name, program);
  runtime::BundleKernel k{name, "artifacts/" + name, {}};
  std::vector<CorpusEntry::Sizes> sizes = entry.sizes;
  if (auto large = enlarged(kernel.abi, sizes.back().symbols)) sizes.push_back({*large, sizes.back().scalars});
  const bool may_alias = std::any_of(kernel.abi.aliases.begin(), kernel.abi.aliases.end(),
                                     [](const AliasFact& f) { return f.kind == AliasKind::may_alias; });
  for (const CorpusEntry::Stored& s : entry.stored) add_case(k, kernel, entry, s.sizes, 0, false, false, s.folder);
  for (const CorpusEntry::Sizes& s : sizes) {
    add_case(k, kernel, entry, s, 2, false, false);
    if (!same_order || &s == &sizes.back()) continue;
    add_case(k, kernel, entry, s, 3, false, false);
    add_case(k, kernel, entry, s, 5, true, false);
    if (may_alias) add_case(k, kernel, entry, s, 3, false, true);
  }
  bundle_.kernels.push_back(std::move(k));
}

void BundleWriter::add_case(runtime::BundleKernel& k, const Kernel& kernel, const CorpusEntry& entry,
                            const CorpusEntry::Sizes& sizes, std::uint64_t seed, bool special, bool aliased,
                            const std::string& stored) {
  runtime::BundleCase c;
  c.label = label(sizes.symbols, seed, special) + (aliased ? ", aliased" : "") + (stored.empty() ? "" : ", stored inputs");
  c.symbols = sizes.symbols;
  c.scalars = sizes.scalars;
  for (std::size_t i = 0; i < kernel.abi.views.size(); ++i) {
    runtime::BundleView view{seed + 2 * i, special, ""};
    for (const AliasFact& f : kernel.abi.aliases)
      if (f.b == i && (aliased || f.kind == AliasKind::same)) view.same_as = kernel.abi.views[f.a].name;
    const std::string& name = kernel.abi.views[i].name;
    if (const std::string input = fmt::format("{}/in.{}.npy", stored, name);
        !stored.empty() && std::filesystem::exists(input)) {
      view.file = fmt::format("given/{}/{}.{}.npy", k.name, k.cases.size(), name);
      const std::filesystem::path to = out_ / view.file;
      std::filesystem::create_directories(to.parent_path());
      std::filesystem::copy_file(input, to);
    }
    c.views[name] = view;
  }
  LaunchArgs args;
  if (std::string e = runtime::make_arguments(kernel.abi, c, out_.string(), &args); !e.empty())
    throw Trouble(k.name + ", " + c.label + ": " + e);
  Diagnostics diagnostics;
  auto bound = bind_launch(kernel.abi, args, diagnostics);
  // Extreme values may make a launch erroneous (a zero divisor, say), and so may contents where some are stored; others must
  // not.
  const bool may_err = special || (stored.empty() && !entry.stored.empty());
  if (!bound && may_err) {
    ++left_out_;
    return;
  }
  if (!bound) throw Trouble(k.name + ", " + c.label + ": " + rendered(diagnostics, kernel.source));
  Reference reference = interpret_reference(kernel, *bound);
  if (!reference.result.ok()) {
    if (!may_err) throw Trouble(fmt::format("{}, {}: {}", k.name, c.label, reference.result.error->message));
    ++left_out_;
    return;
  }
  for (std::size_t i = 0; i < kernel.abi.views.size(); ++i) {
    const ViewParam& view = kernel.abi.views[i];
    if (view.access == Access::in) continue;
    const Tensor& contents = *args.views.at(view.name);
    runtime::BundleExpectation e;
    e.file = fmt::format("expected/{}/{}.{}.npy", k.name, k.cases.size(), view.name);
    save(e.file, contents);
    // The corpus says which outputs are the same bits on every provider: those of exact values, or in one order.
    if (entry.inexact.contains(view.name) && !reference.exact) {
      e.radius = fmt::format("expected/{}/{}.{}.radius.npy", k.name, k.cases.size(), view.name);
      Tensor radius = Tensor::strided(DType::f64, contents.shape, contents.strides);
      for (std::size_t at = 0; at < reference.radius[i].size(); ++at)
        radius.store(static_cast<std::int64_t>(at), Scalar::of_f64(reference.radius[i][at]));
      save(e.radius, radius);
    }
    c.expected[view.name] = std::move(e);
  }
  k.cases.push_back(std::move(c));
}

void BundleWriter::add_program(const std::string& name, const PhysicalProgram& program, const Symbols& symbols,
                               std::uint64_t seed, bool special, int ulp) {
  if (bundle_.kernels.empty() || bundle_.kernels.back().name != name) {
    write_program(name, program);
    bundle_.kernels.push_back({name, "artifacts/" + name, {}});
  }
  runtime::BundleKernel& k = bundle_.kernels.back();
  runtime::BundleCase c;
  c.label = label(symbols, seed, special);
  c.symbols = symbols;
  for (std::size_t i = 0; i < program.abi.views.size(); ++i) c.views[program.abi.views[i].name] = {seed + 2 * i, special, ""};
  LaunchArgs args;
  if (std::string e = runtime::make_arguments(program.abi, c, out_.string(), &args); !e.empty())
    throw Trouble(name + ", " + c.label + ": " + e);
  Diagnostics diagnostics;
  auto bound = bind_launch(program.abi, args, diagnostics);
  if (!bound) throw Trouble(name + ", " + c.label + ": " + rendered(diagnostics, program.source));
  InterpretResult result = interpret(program, *bound);
  if (!result.ok()) throw Trouble(name + ", " + c.label + ": " + result.error->message);
  for (const ViewParam& view : program.abi.views) {
    if (view.access == Access::in) continue;
    const Tensor contents = args.views.at(view.name)->dense();
    runtime::BundleExpectation e;
    e.file = fmt::format("expected/{}/{}.{}.npy", name, k.cases.size(), view.name);
    save(e.file, contents);
    if (ulp > 0) {
      e.radius = fmt::format("expected/{}/{}.{}.radius.npy", name, k.cases.size(), view.name);
      Tensor radius = Tensor::row_major(DType::f64, contents.shape);
      for (std::int64_t i = 0; i < contents.element_count(); ++i)
        radius.store(i, Scalar::of_f64(ulp * spacing(contents.load(i))));
      save(e.radius, radius);
    }
    c.expected[view.name] = std::move(e);
  }
  k.cases.push_back(std::move(c));
}

void BundleWriter::write_program(const std::string& name, const PhysicalProgram& program) const {
  Diagnostics diagnostics;
  auto module = emit::emit_nvptx(program, target_, diagnostics);
  if (!module) throw Trouble(name + ": " + rendered(diagnostics, program.source));
  emit::Artifact artifact;
  artifact.ptx = module->ptx;
  artifact.program_text = print(program);
  artifact.launch = emit::describe_launch(program, *module, target_);
  if (emit::toolkit_available()) {
    std::string log;
    if (std::string e = emit::assemble(module->ptx, target_, &artifact.cubin, &log); !e.empty()) throw Trouble(name + ": " + e);
  }
  if (std::string e = emit::write_artifact((out_ / "artifacts" / name).string(), artifact); !e.empty()) throw Trouble(e);
}

void BundleWriter::save(const std::string& file, const Tensor& t) const {
  fs::create_directories((out_ / file).parent_path());
  std::string error;
  if (!write_npy((out_ / file).string(), t.dense(), &error)) throw Trouble(error);
}

void BundleWriter::finish() const {
  std::string error;
  if (!write_file((out_ / "bundle.json").string(), runtime::to_json(bundle_), &error)) throw Trouble(error);
}

std::size_t BundleWriter::cases() const {
  std::size_t n = 0;
  for (const auto& k : bundle_.kernels) n += k.cases.size();
  return n;
}

}  // namespace kir::tools
