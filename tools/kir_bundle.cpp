// kir-bundle: compiles the corpus for a GPU and writes a bundle (emit/runtime/bundle.h): artifacts, launches at many sizes,
// and the results that the reference interpreter gives.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/interp/oracle.h"
#include "core/text/text.h"
#include "emit/artifact.h"
#include "emit/runtime/bundle_run.h"
#include "lowering/pipeline.h"

namespace fs = std::filesystem;
using namespace kir;
using Json = nlohmann::json;

namespace {

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string file_name(std::string_view id) {
  std::string out;
  for (char c : id)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

struct Trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string rendered(const Diagnostics& diagnostics, const SourcePtr& source) {
  if (source) return diagnostics.render(*source);
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += d.message + "\n";
  return text;
}

class Bundler {
 public:
  Bundler(fs::path out, std::string sm) : out_(std::move(out)), sm_(std::move(sm)) {}

  // `program` implements `kernel`; `entry` is the kernel's entry of the corpus' JSON.
  void add(const std::string& name, const Kernel& kernel, const PhysicalProgram& program, const Json& entry, bool same_order) {
    write(name, program);
    runtime::BundleKernel k{name, "artifacts/" + name, {}};
    std::vector<std::map<std::string, std::int64_t>> sizes;
    for (const Json& s : entry.at("sizes")) sizes.push_back(s.get<std::map<std::string, std::int64_t>>());
    if (auto large = enlarged(kernel.abi, sizes.back())) sizes.push_back(*large);
    for (const auto& symbols : sizes) {
      add_case(k, kernel, entry, symbols, 2, false, false);
      // Sums of fractions depend on the order; extremes and infinities too.
      if (!same_order || &symbols == &sizes.back()) continue;
      add_case(k, kernel, entry, symbols, 3, false, false);
      add_case(k, kernel, entry, symbols, 5, true, false);
      const bool may_alias = std::any_of(kernel.abi.aliases.begin(), kernel.abi.aliases.end(),
                                         [](const AliasFact& f) { return f.kind == AliasKind::may_alias; });
      if (may_alias) add_case(k, kernel, entry, symbols, 3, false, true);
    }
    bundle_.kernels.push_back(std::move(k));
  }

  void finish() const {
    std::ofstream out(out_ / "bundle.json", std::ios::binary);
    out << runtime::to_json(bundle_);
    if (!out.flush()) throw Trouble("cannot write bundle.json");
  }
  std::size_t kernels() const { return bundle_.kernels.size(); }
  std::size_t cases() const {
    std::size_t n = 0;
    for (const auto& k : bundle_.kernels) n += k.cases.size();
    return n;
  }
  std::size_t left_out() const { return left_out_; }

 private:
  void write(const std::string& name, const PhysicalProgram& program) const {
    Diagnostics diagnostics;
    auto module = emit::emit_nvptx(program, sm_, diagnostics);
    if (!module) throw Trouble(name + ": " + rendered(diagnostics, program.source));
    emit::Artifact artifact;
    artifact.ptx = module->ptx;
    artifact.program_text = print(program);
    artifact.launch = emit::describe_launch(program, *module, sm_);
    if (emit::toolkit_available()) {
      std::string log;
      if (std::string e = emit::assemble(module->ptx, sm_, &artifact.cubin, &log); !e.empty()) throw Trouble(name + ": " + e);
    }
    if (std::string e = emit::write_artifact((out_ / "artifacts" / name).string(), artifact); !e.empty()) throw Trouble(e);
  }

  // A launch with many times the elements, where the ABI's relations allow it.
  static std::optional<std::map<std::string, std::int64_t>> enlarged(const Abi& abi,
                                                                     std::map<std::string, std::int64_t> symbols) {
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

  void add_case(runtime::BundleKernel& k, const Kernel& kernel, const Json& entry,
                const std::map<std::string, std::int64_t>& symbols, std::uint64_t seed, bool special, bool aliased) {
    runtime::BundleCase c;
    for (const auto& [name, v] : symbols) c.label += fmt::format("{} = {}, ", name, v);
    c.label += fmt::format("seed {}{}{}", seed, special ? ", special values" : "", aliased ? ", aliased" : "");
    c.symbols = symbols;
    if (entry.contains("scalars")) c.scalars = entry.at("scalars").get<std::map<std::string, std::string>>();
    for (std::size_t i = 0; i < kernel.abi.views.size(); ++i) {
      runtime::BundleView view{seed + 2 * i, special, ""};
      for (const AliasFact& f : kernel.abi.aliases)
        if (f.b == i && (aliased || f.kind == AliasKind::same)) view.same_as = kernel.abi.views[f.a].name;
      c.views[kernel.abi.views[i].name] = view;
    }
    LaunchArgs args;
    if (std::string e = runtime::make_arguments(kernel.abi, c, &args); !e.empty())
      throw Trouble(k.name + ", " + c.label + ": " + e);
    Diagnostics diagnostics;
    auto bound = bind_launch(kernel.abi, args, diagnostics);
    if (!bound) throw Trouble(k.name + ", " + c.label + ": " + rendered(diagnostics, kernel.source));
    Reference reference = interpret_reference(kernel, *bound);
    if (!reference.result.ok() || reference.undecided) {
      // Extreme values may make a launch erroneous (a zero divisor, say) or its course uncertain; the plain ones must not.
      if (!special)
        throw Trouble(
            fmt::format("{}, {}: {}", k.name, c.label, reference.undecided ? "undecided" : reference.result.error->message));
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
      const Json oracle = entry.contains("oracle") ? entry.at("oracle").value(view.name, Json("bitwise")) : Json("bitwise");
      if (oracle != "bitwise" && !reference.exact) {
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

  void save(const std::string& file, const Tensor& t) const {
    fs::create_directories((out_ / file).parent_path());
    std::string error;
    if (!write_npy((out_ / file).string(), t.dense(), &error)) throw Trouble(error);
  }

  fs::path out_;
  std::string sm_;
  runtime::Bundle bundle_;
  std::size_t left_out_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a bundle of GPU launches and expected results from the corpus.");
  std::string corpus = "corpus", out, sm = "sm_90a";
  app.add_option("CORPUS", corpus, "folder of .kir files with .json beside them")->required();
  app.add_option("-o,--output", out, "folder to write; it must be empty or missing")->required();
  app.add_option("--target", sm, "GPU architecture");
  CLI11_PARSE(app, argc, argv);
  try {
    if (fs::exists(out) && !fs::is_empty(out)) throw Trouble(out + " is not empty");
    fs::create_directories(out);
    Bundler bundler(out, sm);
    struct Known {
      std::shared_ptr<const Kernel> kernel;
      Json entry;
    };
    std::map<std::string, Known> kernels;
    std::vector<fs::path> files;
    for (const auto& f : fs::directory_iterator(corpus))
      if (f.path().extension() == ".kir") files.push_back(f.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& path : files) {
      auto source = std::make_shared<SourceFile>(path.string(), read_text(path));
      Diagnostics diagnostics;
      auto module = parse_kir(source, diagnostics);
      if (!module) throw Trouble(diagnostics.render(*source));
      const Json j = Json::parse(read_text(fs::path(path).replace_extension(".json")));
      for (const Json& entry : j.at("kernels")) {
        const std::string id = entry.at("name");
        const Kernel* found = module->find(id);
        if (!found) throw Trouble(fmt::format("{} has no kernel {}", path.string(), id));
        auto built = lowering::compile(*found, {}, diagnostics);
        if (!built) throw Trouble(diagnostics.render(*source));
        bundler.add(file_name(id), *found, *built->program, entry, true);
        for (const auto& k : module->kernels)
          if (k.get() == found) kernels[id] = {k, entry};
      }
    }
    files.clear();
    if (fs::exists(fs::path(corpus) / "physical"))
      for (const auto& f : fs::directory_iterator(fs::path(corpus) / "physical"))
        if (f.path().extension() == ".pir") files.push_back(f.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& path : files) {
      auto source = std::make_shared<SourceFile>(path.string(), read_text(path));
      Diagnostics diagnostics;
      PhysicalPtr program = parse_pir(source, diagnostics);
      if (!program) throw Trouble(diagnostics.render(*source));
      auto found = kernels.find(program->implements);
      if (found == kernels.end())
        throw Trouble(fmt::format("{} implements {}, which the corpus has not", path.string(), program->implements));
      bundler.add("by-hand-" + path.stem().string(), *found->second.kernel, *program, found->second.entry,
                  program->launch.threads == 1);
    }
    bundler.finish();
    fmt::print("{} programs, {} launches, {} with extreme values left out as erroneous or undecided{}\n", bundler.kernels(),
               bundler.cases(), bundler.left_out(), emit::toolkit_available() ? "" : "; PTX only, without the CUDA Toolkit");
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "kir-bundle: {}\n", e.what());
    return 1;
  }
}
