// kir-bundle: compiles the corpus, and programs that try emission itself, for a GPU and writes a bundle of launches with the
// results that they must give. kir-launch runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>

#include "core/base/file.h"
#include "core/text/text.h"
#include "emit/emit.h"
#include "lowering/pipeline.h"
#include "tools/bundle/operations.h"
#include "tools/bundle/writer.h"
#include "tools/lib/command_line.h"

namespace fs = std::filesystem;
using namespace kir;
using tools::Trouble;
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

std::vector<fs::path> files_in(const fs::path& folder, const char* extension) {
  std::vector<fs::path> out;
  if (fs::exists(folder))
    for (const auto& f : fs::directory_iterator(folder))
      if (f.path().extension() == extension) out.push_back(f.path());
  std::sort(out.begin(), out.end());
  return out;
}

PhysicalPtr program_of(const std::string& name, std::string text) {
  auto source = std::make_shared<SourceFile>(name, std::move(text));
  Diagnostics diagnostics;
  PhysicalPtr program = parse_pir(source, diagnostics);
  if (!program) throw Trouble(diagnostics.render(*source));
  return program;
}

void add_corpus(tools::BundleWriter& writer, const fs::path& corpus) {
  struct Known {
    std::shared_ptr<const Kernel> kernel;
    Json entry;
  };
  std::map<std::string, Known> kernels;
  for (const fs::path& path : files_in(corpus, ".kir")) {
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
      writer.add_kernel(file_name(id), *found, *built->program, entry, true);
      for (const auto& k : module->kernels)
        if (k.get() == found) kernels[id] = {k, entry};
    }
  }
  for (const fs::path& path : files_in(corpus / "physical", ".pir")) {
    PhysicalPtr program = program_of(path.string(), read_text(path));
    auto found = kernels.find(program->implements);
    if (found == kernels.end())
      throw Trouble(fmt::format("{} implements {}, which the corpus has not", path.string(), program->implements));
    writer.add_kernel("by-hand-" + path.stem().string(), *found->second.kernel, *program, found->second.entry,
                      program->launch.threads == 1);
  }
}

void add_trials(tools::BundleWriter& writer) {
  for (const auto& trials : {tools::operation_trials(), tools::thread_trials()})
    for (const tools::Trial& t : trials) {
      PhysicalPtr program = program_of(t.name, t.text);
      for (auto [seed, special] : t.contents) writer.add_program(t.name, *program, t.symbols, seed, special, t.ulp);
    }
}

int run_tool(int argc, char** argv) {
  CLI::App app("Writes a bundle of GPU launches and expected results from the corpus and the operation table.", "kir-bundle");
  std::string corpus = "corpus", out, target = "sm_90a";
  app.add_option("CORPUS", corpus, "folder of .kir files with .json beside them")->required();
  app.add_option("-o,--output", out, "folder to write; it must be empty or missing")->required();
  app.add_option("--target", target, "GPU architecture")->capture_default_str();
  if (auto code = tools::parse_command_line(app, argc, argv, "0 done; 1 nothing usable was written; 2 usage")) return *code;
  try {
    if (fs::exists(out) && !fs::is_empty(out)) throw Trouble(out + " is not empty");
    fs::create_directories(out);
    tools::BundleWriter writer(out, target);
    add_corpus(writer, corpus);
    add_trials(writer);
    writer.finish();
    fmt::print("{} programs, {} launches, {} with extreme values left out as erroneous or undecided{}\n", writer.programs(),
               writer.cases(), writer.left_out(), emit::toolkit_available() ? "" : "; PTX only, without the CUDA Toolkit");
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "kir-bundle: {}\n", e.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
