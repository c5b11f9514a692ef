// Views of the ABI belong to the caller: neither a kernel nor a program makes one, ends one, or writes it beside the kernel's
// stores.
#include "tests/proof/support.h"

namespace kir::test {
namespace {

constexpr const char* kFirst = R"(kir 1
kernel first(x: in f32[M], y: inout f32[M], K: index)
  where 0 <= K, K <= M, M <= 1048576
{
  parallel i in 0..K { y[i] = x[i] }
}
)";

std::string first(const std::string& before, const std::string& after, const std::string& y = "y: view f32[M] inout") {
  const std::string body = R"(  %in: i1 = index %m < K
  if %in {
    %v: f32 = load x[%m]
    store y[%m] = %v
  })";
  return one_group("first", "  x: view f32[M] in\n  " + y + "\n  K: index\n  dims M: i64, K: i64", before + body + after);
}

bool is_text(const std::string& pir, std::string* errors) {
  auto source = std::make_shared<SourceFile>("test.pir", pir);
  Diagnostics diagnostics;
  const bool well = parse_pir(source, diagnostics) != nullptr;
  *errors = diagnostics.render(*source);
  return well;
}

// shows: K5.9
TEST(ExternalView, IsWrittenByTheKernelsStoresAlone) {
  const Verdicts v = check_refinement(kFirst, first("", ""));
  EXPECT_TRUE(v.all_proved()) << v.failures;
  const char* const stores[] = {
      "  %z: f32 = constant 0.0\n  store y[%m] = %z\n",                                         // a default first
      "  %z: f32 = constant 0.0\n  %out: i1 = index %m >= K\n  store y[%m] = %z where %out\n",  // where the kernel leaves it
      "  %old: f32 = load y[%m]\n  store y[%m] = %old\n",                                       // what it holds already
  };
  for (const char* store : stores) EXPECT_FALSE(check_refinement(kFirst, first(store, "")).all_proved()) << store;
  EXPECT_FALSE(check_refinement(
                   kFirst, first("", "\n  %z: f32 = constant 0.0\n  %out: i1 = index %m >= K\n  store y[%m] = %z where %out"))
                   .all_proved());
}

// shows: K5.9
TEST(ExternalView, IsNeitherMadeNorEnded) {
  const std::pair<std::string, const char*> faults[] = {
      {first("  y: view f32[M] = buffer [M] scope(private)\n", ""), "test.pir:18:3"},
      {first("  y: view f32[M] = buffer [M] scope(private) init (%k: i64) {\n    %z: f32 = constant 0.0\n    yield %z\n  }\n",
             ""),
       "test.pir:18:3"},
      {first("", "\n  end y"), "test.pir:23:3"},
      {first("", "\n  free y"), "test.pir:23:3"},
      {first("", "", "y: view f32[M] inout init (0.0)"), "test.pir:5:29"},
      {first("", "", "y: view f32[M] = buffer [M]"), "test.pir:5:18"},
      {replaced(first("", ""), "store y[%m] = %v", "store x[%m] = %v"), "test.pir:21:5"},
  };
  for (const auto& [pir, place] : faults) {
    std::string errors;
    EXPECT_FALSE(is_text(pir, &errors)) << pir;
    EXPECT_NE(errors.find(place), std::string::npos) << place << "\n" << errors;
  }
}

// shows: K5.9
TEST(ExternalView, KernelsDoNotMakeTheirParametersEither) {
  auto source = std::make_shared<SourceFile>(
      "test.kir", "kir 1\nkernel k(y: inout f32[N]) {\n  let y: view f32[N] = buffer [N]\n  y[0] = 1.0\n}\n");
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_kir(source, diagnostics).has_value());
  EXPECT_NE(diagnostics.render(*source).find("test.kir:3:"), std::string::npos) << diagnostics.render(*source);
}

}  // namespace
}  // namespace kir::test
