// Kernels with their constructed programs, for the tests of mutants.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/text/text.h"
#include "lowering/pipeline.h"
#include "tools/mutants/selection.h"

namespace kir::mutants::testing {

inline Subject subject_of(const std::string& name, const std::string& text) {
  auto source = std::make_shared<SourceFile>(name + ".kir", text);
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  EXPECT_TRUE(module) << diagnostics.render(*source);
  if (!module) return {};
  auto built = lowering::compile(*module->kernels[0], {}, diagnostics);
  EXPECT_TRUE(built) << diagnostics.render(*source);
  return {name, module->kernels[0], built ? built->program : nullptr};
}

inline Subject corpus(const std::string& name) {
  std::ifstream in(std::string(KIR_SOURCE_DIR) + "/corpus/" + name + ".kir");
  std::stringstream text;
  text << in.rdbuf();
  return subject_of(name, text.str());
}

inline std::string text_of(const Mutant& m) { return m.kernel ? print(*m.kernel) : print(*m.program); }

}  // namespace kir::mutants::testing
