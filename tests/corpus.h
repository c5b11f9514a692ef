// The corpus by what its files are for. Each list is of every folder that holds such files, in the order of their paths.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/text/text.h"

namespace kir::testing {

enum class CorpusPart : std::uint8_t { kernels, plans, must_reject };

inline std::vector<std::filesystem::path> corpus_files(CorpusPart part = CorpusPart::kernels) {
  const std::filesystem::path root = KIR_SOURCE_DIR "/corpus";
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".kir") continue;
    const std::string folder = entry.path().lexically_relative(root).begin()->string();
    const CorpusPart is = folder == "must-reject" ? CorpusPart::must_reject
                          : folder == "plans"     ? CorpusPart::plans
                                                  : CorpusPart::kernels;
    if (is == part) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct CorpusKernel {
  std::string file;  // below corpus/
  std::shared_ptr<const Kernel> kernel;
};

// Every kernel of every family.
inline std::vector<CorpusKernel> corpus_kernels() {
  std::vector<CorpusKernel> out;
  for (const std::filesystem::path& path : corpus_files()) {
    const std::string name = path.lexically_relative(KIR_SOURCE_DIR "/corpus").string();
    std::string error;
    const auto text = read_file(path.string(), kMaxBytes, &error);
    EXPECT_TRUE(text) << error;
    if (!text) continue;
    auto source = std::make_shared<SourceFile>(name, *text);
    Diagnostics diagnostics;
    const auto module = parse_kir(source, diagnostics);
    EXPECT_TRUE(module) << diagnostics.render(*source);
    if (!module) continue;
    for (const auto& kernel : module->kernels) out.push_back({name, kernel});
  }
  EXPECT_GE(out.size(), 150u);
  return out;
}

}  // namespace kir::testing
