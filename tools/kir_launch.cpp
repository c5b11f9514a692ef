// kir-launch: runs the artifacts of a bundle on the GPU and compares with the expected results. Links neither LLVM nor Z3.
// The code of a bundle is run as it is: run only bundles that you would run as programs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "core/base/exit_code.h"
#include "core/base/file.h"
#include "emit/runtime/bundle_run.h"
#include "emit/runtime/launcher.h"
#include "tools/lib/command_line.h"

namespace fs = std::filesystem;
using namespace kir;

namespace {

struct Row {
  std::string kernel, label, result, error, time, detail;
};

Row run_case(runtime::Gpu& gpu, const fs::path& bundle, const std::string& kernel, const runtime::LaunchDescription& launch,
             const std::string& image, const runtime::BundleCase& c) {
  Row row{kernel, c.label, "ok", "0", "", ""};
  auto fail = [&](std::string detail) {
    row.result = "FAILED";
    row.detail = std::move(detail);
  };
  LaunchArgs args;
  if (std::string e = runtime::make_arguments(launch.abi, c, bundle.string(), &args); !e.empty()) {
    fail(e);
    return row;
  }
  double milliseconds = 0;
  if (std::string e = gpu.run(launch, image, args, &milliseconds); !e.empty()) {
    fail(e);
    return row;
  }
  row.time = fmt::format("{:.1f}", 1000 * milliseconds);
  double worst = 0;
  std::int64_t undecided = 0;
  for (const auto& [view, rule] : c.expected) {
    std::string error;
    auto found = args.views.find(view);
    if (found == args.views.end()) {
      fail("no view " + view);
      continue;
    }
    auto expected = read_npy((bundle / rule.file).string(), found->second->dtype, &error);
    std::optional<Tensor> radius;
    if (!rule.radius.empty()) radius = read_npy((bundle / rule.radius).string(), DType::f64, &error);
    if (!expected || (!rule.radius.empty() && !radius)) {
      fail(error);
      continue;
    }
    runtime::Comparison result = runtime::compare(*expected, *found->second, radius ? &*radius : nullptr);
    worst = std::max(worst, result.max_error);
    undecided += result.undecided;
    if (!result.ok) fail(view + result.first);
  }
  row.error = worst == 0 ? "0" : fmt::format("{:.2g}", worst);
  if (undecided > 0) row.detail += fmt::format("{} elements differ where the bound is infinite", undecided);
  if (row.result == "ok") row.result = undecided > 0 ? "undecided" : worst == 0 ? "equal" : "in bound";
  return row;
}

std::string markdown(const std::string& device, const std::vector<Row>& rows) {
  std::string out = fmt::format(
      "Device: {}\n\n| kernel | launch | result | largest error | kernel, microseconds |\n|---|---|---|---|---|\n", device);
  for (const Row& r : rows)
    out += fmt::format("| {} | {} | {}{}{} | {} | {} |\n", r.kernel, r.label, r.result, r.detail.empty() ? "" : ": ", r.detail,
                       r.error, r.time);
  return out;
}

int run_tool(int argc, char** argv) {
  CLI::App app("Runs the artifacts of a bundle on the GPU and compares with the expected results.", "kir-launch");
  std::string folder, table;
  app.add_option("BUNDLE", folder, "folder with bundle.json")->required();
  tools::add_output(app, "--table", table, "write the results as a Markdown table to this file");
  if (auto code =
          tools::parse_command_line(app, argc, argv,
                                    "0 all equal or in their bounds; 1 some differ or did not run; 2 usage, input or output;\n"
                                    "3 some are undecided; 4 no GPU"))
    return *code;

  constexpr std::size_t kMaxManifest = std::size_t{256} << 20;
  const std::string manifest = (fs::path(folder) / "bundle.json").string();
  std::string error;
  const std::optional<std::string> text = read_file(manifest, kMaxManifest, &error);
  const std::optional<runtime::Bundle> bundle = text ? runtime::bundle_from_json(*text, &error, manifest) : std::nullopt;
  if (!bundle) {
    fmt::print(stderr, "kir-launch: {}\n", error);
    return tools::kExitUsage;
  }
  auto gpu = runtime::Gpu::open(&error);
  if (!gpu) {
    fmt::print(stderr, "kir-launch: {}\n", error);
    return 4;
  }
  fmt::print("device: {}\n", gpu->device_name());

  std::vector<Row> rows;
  int failed = 0, undecided = 0;
  for (const runtime::BundleKernel& k : bundle->kernels) {
    runtime::LaunchDescription launch;
    std::string image;
    std::string broken = runtime::read_artifact((fs::path(folder) / k.artifact).string(), &launch, &image);
    for (const runtime::BundleCase& c : k.cases) {
      Row row =
          broken.empty() ? run_case(*gpu, folder, k.name, launch, image, c) : Row{k.name, c.label, "FAILED", "", "", broken};
      failed += row.result == "FAILED";
      undecided += row.result == "undecided";
      fmt::print("{:<24} {:<44} {:<13} max error {:<9} {:>9} us{}{}\n", row.kernel, row.label, row.result, row.error, row.time,
                 row.detail.empty() ? "" : "  ", row.detail);
      rows.push_back(std::move(row));
    }
  }
  fmt::print("{} passed, {} failed, {} undecided\n", static_cast<int>(rows.size()) - failed - undecided, failed, undecided);
  if (!table.empty()) {
    std::string error;
    if (!write_file(table, markdown(gpu->device_name(), rows), &error)) {
      fmt::print(stderr, "kir-launch: {}\n", error);
      return tools::kExitUsage;
    }
  }
  return failed ? 1 : undecided ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
