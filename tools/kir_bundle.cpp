// kir-bundle: compiles the corpus, and programs that try emission itself, for a GPU and writes a bundle of launches with the
// results that they must give. kir-launch runs it.
//
// Exit: 0 written; 2 usage, input or output, and nothing is written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/base/exit_code.h"
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

namespace {

SourcePtr read_source(const fs::path& path) {
  std::string error;
  std::optional<std::string> text = read_file(path.string(), kMaxBytes, &error);
  if (!text) throw Trouble(error);
  return std::make_shared<SourceFile>(path.string(), std::move(*text));
}

std::vector<fs::path> files_in(const fs::path& folder, const char* extension) {
  std::vector<fs::path> out;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
    if (it->path().extension() == extension) out.push_back(it->path());
  if (code) throw Trouble(fmt::format("{}: {}", folder.string(), code.message()));
  std::sort(out.begin(), out.end());
  return out;
}

// The corpus and its groups: the folders whose kernels have expected values.
std::vector<fs::path> groups_of(const fs::path& corpus) {
  std::vector<fs::path> out = {corpus};
  std::error_code code;
  for (fs::directory_iterator it(corpus, code), end; !code && it != end; it.increment(code))
    if (fs::exists(it->path() / "reference.py")) out.push_back(it->path());
  std::sort(out.begin() + 1, out.end());
  return out;
}

PhysicalPtr program_of(const SourcePtr& source) {
  Diagnostics diagnostics;
  PhysicalPtr program = parse_pir(source, diagnostics);
  if (!program) throw Trouble(diagnostics.render(*source));
  return program;
}

void add_corpus(tools::BundleWriter& writer, const fs::path& corpus) {
  struct Known {
    std::shared_ptr<const Kernel> kernel;
    tools::CorpusEntry entry;
  };
  std::map<std::string, Known> kernels;
  std::vector<fs::path> files;
  for (const fs::path& group : groups_of(corpus))
    for (const fs::path& path : files_in(group, ".kir")) files.push_back(path);
  for (const fs::path& path : files) {
    const SourcePtr source = read_source(path);
    Diagnostics diagnostics;
    auto module = parse_kir(source, diagnostics);
    if (!module) throw Trouble(diagnostics.render(*source));
    for (const tools::CorpusEntry& entry :
         tools::corpus_entries(fs::path(path).replace_extension(".json").string(), corpus.string())) {
      if (!entry.constructed) continue;
      const std::string& id = entry.name;
      const Kernel* found = module->find(id);
      if (!found) throw Trouble(fmt::format("{} has no kernel {}", path.string(), id));
      auto built = lowering::compile(*found, {}, diagnostics);
      if (!built) throw Trouble(diagnostics.render(*source));
      writer.add_kernel(file_stem(id), *found, *built->program, entry, true);
      for (const auto& k : module->kernels)
        if (k.get() == found) kernels[id] = {k, entry};
    }
  }
  if (kernels.empty()) throw Trouble(fmt::format("{}: there is no .kir file in it", corpus.string()));
  if (!fs::exists(corpus / "physical")) return;
  for (const fs::path& path : files_in(corpus / "physical", ".pir")) {
    PhysicalPtr program = program_of(read_source(path));
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
      PhysicalPtr program = program_of(std::make_shared<SourceFile>(t.name, t.text));
      for (auto [seed, special] : t.contents) writer.add_program(t.name, *program, t.symbols, seed, special, t.ulp);
    }
}

int run_tool(int argc, char** argv) {
  CLI::App app("Writes a bundle of GPU launches and expected results from the corpus and the operation table.", "kir-bundle");
  std::string corpus = "corpus", out, target = "sm_90a";
  app.add_option("CORPUS", corpus, "folder of .kir files with .json beside them")->required();
  tools::add_output(app, "-o,--output", out, "folder to write; it must be empty or missing")->required();
  app.add_option("--target", target, "GPU architecture")->capture_default_str();
  if (auto code = tools::parse_command_line(app, argc, argv, "0 written; 2 usage, input or output, and nothing is written"))
    return *code;
  try {
    if (target == "host") throw Trouble("a bundle is for a GPU; host is no --target of it");
    if (std::string problem = emit::target_problem(target); !problem.empty()) throw Trouble(problem);
    std::error_code code;
    if (fs::exists(fs::symlink_status(out, code)) && !(fs::is_directory(out, code) && fs::is_empty(out, code)))
      throw Trouble(out + " exists and is no empty folder");
    std::string error;
    std::optional<StagedFolder> staged = StagedFolder::make(out, &error);
    if (!staged) throw Trouble(error);
    tools::BundleWriter writer(staged->path(), target);
    add_corpus(writer, corpus);
    add_trials(writer);
    writer.finish();
    if (!staged->commit(&error)) throw Trouble(error);
    fmt::print("{} programs, {} launches, {} left out as erroneous{}\n", writer.programs(), writer.cases(), writer.left_out(),
               emit::toolkit_available() ? "" : "; PTX only, without the CUDA Toolkit");
    return 0;
  } catch (const Trouble& e) {
    fmt::print(stderr, "kir-bundle: {}\n", e.what());
    return tools::kExitUsage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
