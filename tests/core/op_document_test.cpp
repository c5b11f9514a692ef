#include "core/ir/op_document.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/ir/op_table.h"

namespace kir {
namespace {

TEST(OpDocument, ThePageInTheDocsIsCurrent) {
  std::ifstream file(KIR_SOURCE_DIR "/docs/operations.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, operations_markdown()) << "make it with: kirc --list-operations > docs/operations.md";
}

TEST(OpDocument, HasEveryOperationAndConversion) {
  const std::string page = operations_markdown();
  for (const OpRow& r : op_table()) {
    EXPECT_NE(page.find("| `" + std::string(r.name) + "` |"), std::string::npos) << r.name;
    EXPECT_FALSE(r.doc.empty()) << r.name;
  }
  for (ConvertMode m : all_convert_modes())
    EXPECT_NE(page.find("| `convert." + std::string(name(m)) + "` |"), std::string::npos) << name(m);
}

}  // namespace
}  // namespace kir
