// The scope of an atomic: text and rules.
#include "tests/core/text_support.h"

#include "core/ir/verify.h"

namespace kir {
namespace {

const char* const kProgram = R"(pir 1
program p
abi {
  c: view i32[1] strides(1) inout align 4
  dims N: i64
}
launch { threads 1 pack 1 grid G = O0 + L0 }
space { g0: (i in 0..N) length L0 = N offset O0 = 0 }
dispatch %w: i64 = program_id {
  O0 <= %w and %w < O0 + L0 -> g0(%i = %w - O0)
  else -> exit
}
group g0 (%i: i64 in 0..N) {
  %z: i64 = index 0
  %one: i32 = constant 1
  %old: i32 = atomic_rmw.add c[%z], %one order(relaxed) share(invocation) scope(gpu)
}
)";

std::string errors_of(const std::string& text) {
  auto source = std::make_shared<SourceFile>("p.pir", text);
  Diagnostics d;
  parse_pir(source, d);
  return d.render(*source);
}

// shows: K9.15
TEST(AtomicScopes, TheTextRoundTrips) {
  auto source = std::make_shared<SourceFile>("p.pir", kProgram);
  Diagnostics d;
  PhysicalPtr p = parse_pir(source, d);
  ASSERT_TRUE(p) << d.render(*source);
  const std::string once = print(*p);
  EXPECT_NE(once.find("share(invocation) scope(gpu)"), std::string::npos) << once;
  EXPECT_EQ(errors_of(once), "");
}

// shows: K9.15
TEST(AtomicScopes, OthersAreRefused) {
  std::string text = kProgram;
  const std::string wrong = errors_of(text.replace(text.find("scope(gpu)"), 10, "scope(warp)"));
  EXPECT_NE(wrong.find("cta, gpu or system"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("^~~~"), std::string::npos) << wrong;
  auto source =
      std::make_shared<SourceFile>("k.kir",
                                   "kir 1\nkernel k(c: inout i32[1]) {\n"
                                   "  let a = atomic_rmw.add c[0], 1 order(relaxed) share(invocation) scope(gpu)\n}\n");
  Diagnostics d;
  EXPECT_FALSE(parse_kir(source, d)) << "the scope is no part of a kernel";
}

}  // namespace
}  // namespace kir
