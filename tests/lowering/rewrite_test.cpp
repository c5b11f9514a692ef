// Copies of kernels and programs with changes.
#include "lowering/rewrite.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/ir/verify.h"
#include "core/text/text.h"
#include "lowering/pipeline.h"

namespace kir::lowering {
namespace {

std::shared_ptr<const Kernel> corpus(const std::string& name) {
  std::ifstream in(std::string(KIR_SOURCE_DIR) + "/corpus/" + name + ".kir");
  std::stringstream text;
  text << in.rdbuf();
  auto source = std::make_shared<SourceFile>(name + ".kir", text.str());
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  EXPECT_TRUE(module) << diagnostics.render(*source);
  return module ? module->kernels[0] : nullptr;
}

TEST(Rewrite, ACopyWithoutChangesIsTheSame) {
  for (const char* name : {"softmax", "regions/selective_scan", "ragged/ragged_softmax", "indexing/im2col", "contractions/gemm",
                           "control/find_first", "atomics/atomic_max_cas", "random/dropout", "buffers/smoothed_rows"}) {
    const auto kernel = corpus(name);
    ASSERT_TRUE(kernel);
    const auto same = copy_with(*kernel, [](OpId, OpEdit&) {});
    Diagnostics problems;
    EXPECT_TRUE(verify(*same, problems)) << name << problems.render(*kernel->source);
    EXPECT_TRUE(structurally_equal(kernel->body, same->body)) << name;
    EXPECT_EQ(print(*kernel), print(*same));
    EXPECT_NE(kernel->pool, same->pool);

    const auto built = compile(*kernel, {}, problems);
    ASSERT_TRUE(built);
    EXPECT_EQ(print(*built->program), print(*copy_with(*built->program, [](OpId, OpEdit&) {}))) << name;
  }
}

TEST(Rewrite, AnOperationOfAKernelCanBeChangedLeftOutOrRepeated) {
  const auto kernel = corpus("vector_add");
  ASSERT_TRUE(kernel);
  const auto stores = [](const Kernel& k) {
    int n = 0;
    for (std::uint32_t i = 0; i < k.body.op_count(); ++i) n += k.body.op(OpId(i)).kind == OpKind::store;
    return n;
  };
  ASSERT_EQ(stores(*kernel), 1);
  for (int times : {0, 2}) {
    const auto made = copy_with(*kernel, [&](OpId, OpEdit& e) {
      if (e.kind == OpKind::store) e.times = times;
    });
    Diagnostics problems;
    EXPECT_TRUE(verify(*made, problems));
    EXPECT_EQ(stores(*made), times);
  }
  const auto subtracts = copy_with(*kernel, [](OpId, OpEdit& e) {
    if (e.kind == OpKind::add) e.kind = OpKind::sub;
  });
  EXPECT_NE(print(*subtracts).find("sub "), std::string::npos);
  EXPECT_EQ(print(*kernel).find("sub "), std::string::npos);
}

}  // namespace
}  // namespace kir::lowering
