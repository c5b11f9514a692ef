// Kernels and programs written as text, without the first line that names the form.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/text/text.h"

namespace kir::test {

inline std::shared_ptr<const Kernel> kernel_of(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.kir", "kir 1\n" + text);
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  EXPECT_TRUE(module.has_value()) << diagnostics.render(*source);
  return module ? module->kernels.at(0) : nullptr;
}

inline PhysicalPtr program_of(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.pir", "pir 1\n" + text);
  Diagnostics diagnostics;
  auto program = parse_pir(source, diagnostics);
  EXPECT_TRUE(program != nullptr) << diagnostics.render(*source);
  return program;
}

}  // namespace kir::test
