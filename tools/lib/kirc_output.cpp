#include "tools/lib/kirc_output.h"

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/text/text.h"
#include "emit/emit.h"

namespace kir::tools {
std::string KircOutput::check() const {
  const bool host = request_.target == "host";
  if (std::string problem = emit::target_problem(request_.target); !problem.empty()) return problem;
  if (host && (request_.emit == "ptx" || request_.emit == "cubin"))
    return fmt::format("--emit {} needs an NVIDIA target, such as --target sm_90a", request_.emit);
  if (request_.folder.empty() && (request_.emit == "cubin" || request_.emit == "artifact"))
    return fmt::format("--emit {} needs a folder to write to (-o DIR)", request_.emit);
  if (!request_.folder.empty() && request_.emit == "nothing")
    return "--emit nothing writes nothing, so it takes no folder (-o DIR)";
  if (request_.emit == "cubin" && !emit::toolkit_available())
    return "--emit cubin needs ptxas of the CUDA Toolkit, which is not found";
  return "";
}

bool KircOutput::add(const PhysicalProgram& program, const std::string& id, Report* report, std::string_view kernel_text,
                     Diagnostics& diagnostics) {
  Item item;
  item.id = id;
  if (request_.emit == "physical") {
    item.text = print(program);
    items_.push_back(std::move(item));
    return true;
  }
  const bool host = request_.target == "host";
  std::optional<emit::Module> module =
      host ? emit::emit_host(program, diagnostics) : emit::emit_nvptx(program, request_.target, diagnostics);
  if (!module) return false;
  std::string cubin;
  const bool wants_cubin = request_.emit == "cubin" || request_.emit == "artifact";
  if (!host && wants_cubin && emit::toolkit_available()) {
    std::string log;
    if (std::string error = emit::assemble(module->ptx, request_.target, &cubin, &log); !error.empty()) {
      diagnostics.error("E-90", {}, fmt::format("ptxas refuses the code of {}: {} {}", id, error, log));
      return false;
    }
  }
  if (request_.emit == "llvm") item.text = module->llvm_ir;
  if (request_.emit == "ptx") item.text = module->ptx;
  if (request_.emit == "cubin") item.text = cubin;
  if (request_.emit == "artifact") {
    item.is_artifact = true;
    item.artifact.ptx = module->ptx;
    item.artifact.cubin = cubin;
    if (host) item.artifact.llvm = module->llvm_ir;
    item.artifact.program_text = print(program);
    item.artifact.kernel_text = kernel_text;
    item.artifact.launch = emit::describe_launch(program, *module, request_.target);
    if (report) {
      auto& code = report->certificate_subject().code;
      const auto ships = [&](const char* file, const std::string& text) {
        if (!text.empty()) code.emplace_back(file, sha256_hex(text));
      };
      ships("kernel.ptx", item.artifact.ptx);
      ships("kernel.cubin", item.artifact.cubin);
      ships("kernel.ll", item.artifact.llvm);
      report->certificate_subject().launch_digest = sha256_hex(runtime::to_json(item.artifact.launch));
      item.artifact.certificate = report->certificate();
    }
  }
  items_.push_back(std::move(item));
  return true;
}

std::string KircOutput::commit() const {
  namespace fs = std::filesystem;
  if (request_.folder.empty()) {
    for (const Item& item : items_) fmt::print("{}", item.text);
    return "";
  }
  // Everything is written before anything gets its name.
  const fs::path folder = request_.folder;
  std::vector<StagedFile> files;
  std::vector<StagedFolder> artifacts;
  std::string error;
  for (const Item& item : items_) {
    const std::string name = file_stem(item.id);
    if (item.is_artifact) {
      auto staged = emit::stage_artifact((request_.several ? folder / name : folder).string(), item.artifact, &error);
      if (!staged) return error;
      artifacts.push_back(std::move(*staged));
    } else {
      std::error_code code;
      fs::create_directories(folder, code);
      if (code) return fmt::format("{}: {}", folder.string(), code.message());
      auto staged = StagedFile::write((folder / (name + suffix())).string(), {item.text}, &error);
      if (!staged) return error;
      files.push_back(std::move(*staged));
    }
  }
  for (StagedFile& f : files)
    if (!f.commit(&error)) return error;
  for (StagedFolder& a : artifacts)
    if (!a.commit(&error)) return error;
  return "";
}

std::string KircOutput::suffix() const {
  if (request_.emit == "physical") return ".pir";
  if (request_.emit == "llvm") return ".ll";
  return "." + request_.emit;
}

}  // namespace kir::tools
