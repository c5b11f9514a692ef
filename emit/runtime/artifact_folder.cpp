#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "emit/runtime/launcher.h"

namespace kir::runtime {
namespace {

bool read_file(const std::filesystem::path& path, std::string* out) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  out->assign(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

}  // namespace

std::string read_artifact(const std::string& folder, LaunchDescription* launch, std::string* image) {
  const std::filesystem::path root(folder);
  std::string text;
  if (!read_file(root / "launch.json", &text)) return fmt::format("{} is no artifact: launch.json cannot be read", folder);
  std::string error;
  auto description = from_json(text, &error);
  if (!description) return fmt::format("{}: {}", (root / "launch.json").string(), error);
  if (!read_file(root / "kernel.cubin", image) && !read_file(root / "kernel.ptx", image))
    return fmt::format("{} has neither kernel.cubin nor kernel.ptx", folder);
  *launch = std::move(*description);
  return "";
}

}  // namespace kir::runtime
