#include <fmt/format.h>

#include <filesystem>

#include "core/base/file.h"
#include "emit/runtime/launcher.h"

namespace kir::runtime {
namespace {

constexpr std::size_t kMaxDescription = std::size_t{16} << 20, kMaxImage = std::size_t{1} << 30;

}  // namespace

std::string read_artifact(const std::string& folder, LaunchDescription* launch, std::string* image) {
  const std::filesystem::path root(folder);
  const std::string description_path = (root / "launch.json").string();
  std::string error;
  std::optional<std::string> text = read_file(description_path, kMaxDescription, &error);
  if (!text) return error;
  auto description = from_json(*text, &error, description_path);
  if (!description) return error;
  std::error_code code;
  const bool assembled = std::filesystem::exists(root / "kernel.cubin", code);
  std::optional<std::string> bytes =
      read_file((root / (assembled ? "kernel.cubin" : "kernel.ptx")).string(), kMaxImage, &error);
  if (!bytes) return error;
  if (bytes->empty()) return fmt::format("{}: the code is empty", folder);
  *image = std::move(*bytes);
  *launch = std::move(*description);
  return "";
}

}  // namespace kir::runtime
