// The explorer's questions: what is answered natively, and that the WebAssembly of the page answers the same.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/layout/layout_support.h"
#include "tests/temporary_folder.h"
#include "tools/layout/answer.h"
#include "tools/layout/page.h"
#include "tools/layout/presets.h"

namespace kir::layout {
namespace {

using Json = nlohmann::json;

Json ask(const Json& request) { return Json::parse(tools::answer(request.dump())); }

Json subject(std::string layout, std::string shape, int bits = 16, int mode = 0) {
  return {{"layout", layout}, {"shape", shape}, {"dtype_bits", bits}, {"mode", mode}};
}
Json with(Json subject, const char* op, Json more = Json::object()) {
  subject["op"] = op;
  subject.update(more);
  return subject;
}
Json claim(const Json& about, std::string_view name) {
  for (const Json& c : about["claims"])
    if (c["name"] == name) return c;
  return {};
}

const Json kTile = subject("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid", "8, 16");

// shows: L3.5 L3.6
TEST(LayoutPage, ThePresetsAreDrawnAndJudged) {
  for (const tools::Preset& p : tools::presets()) {
    const Json s = subject(std::string(p.layout), std::string(p.shape), p.dtype_bits, p.mode_bytes);
    const Json about = ask(with(s, "describe"));
    ASSERT_TRUE(about["ok"]) << p.name << about.dump();
    EXPECT_FALSE(ask(with(s, "window"))["cells"].empty()) << p.name;
    const bool bad = p.name.substr(0, 3) == "bad";
    EXPECT_EQ(claim(about, "exclusive")["verdict"], bad ? "REFUTED" : "PROVED") << p.name;
    EXPECT_EQ(claim(about, "exclusive").contains("witness"), bad) << p.name;
    EXPECT_EQ(claim(about, "scope")["verdict"], "PROVED") << p.name;
  }
}

TEST(LayoutPage, Element) {
  const Json e = ask(with(kTile, "element", {{"flat", 127}}));
  EXPECT_EQ(e["coordinate"], Json({7, 15}));
  EXPECT_EQ(e["digits"], Json({7, 1, 3, 1}));
  EXPECT_EQ(e["base"], Json({{"laneid", 31}, {"warpid", 6}, {"m", 1}}));
  EXPECT_EQ(e["places"], Json({{{"laneid", 31}, {"warpid", 6}, {"m", 1}}, {{"laneid", 31}, {"warpid", 10}, {"m", 1}}}));
  EXPECT_FALSE(e.contains("bank"));
  EXPECT_FALSE(ask(with(kTile, "element", {{"flat", 128}}))["ok"]);
  EXPECT_FALSE(ask(with(kTile, "element"))["ok"]);
}

TEST(LayoutPage, WindowsArePartsOfLargeTensors) {
  // 10^12 elements: a window of them, decided, never enumerated.
  const Json s = subject("S[(1000000,1000000):(1000000@m,1@m)]", "1000000, 1000000");
  const Json about = ask(with(s, "describe"));
  EXPECT_EQ(about["size"], "1000000000000");
  EXPECT_EQ(claim(about, "exclusive")["verdict"], "PROVED");
  EXPECT_FALSE(about["drawn_whole"]);
  const Json w = ask(with(s, "window", {{"row0", 999999}, {"col0", 999990}, {"rows", 16}, {"cols", 32}}));
  ASSERT_EQ(w["cells"].size(), 10u);
  EXPECT_EQ(w["cells"][9], Json({999999999999, {{999999999999}}}));
  EXPECT_FALSE(ask(with(s, "window", {{"rows", 100}, {"cols", 100}}))["ok"]);
  EXPECT_FALSE(ask(with(s, "window", {{"row0", INT64_MAX}}))["ok"]);
}

// shows: L3.6
TEST(LayoutPage, ABankCellHoldsAllElementsOfItsWord) {
  for (int bits : {4, 8, 16, 32, 64}) {
    const Json s = subject(fmt::format("S[(8,{0}):({0}@m,1@m)]", 1024 / bits), "", bits, bits == 64 ? 0 : 128);
    const Json banks = ask(with(s, "banks", {{"lines", 8}}));
    ASSERT_TRUE(banks["ok"]) << banks.dump();
    EXPECT_EQ(banks["lines"], 8);
    std::map<std::int64_t, int> words;
    for (const Json& cell : banks["cells"]) {
      EXPECT_EQ(cell[2], std::max(1, 32 / bits));
      EXPECT_EQ(cell[3].size(), cell[2].get<std::size_t>());
      for (const Json& x : cell[3]) ++words[x.get<std::int64_t>()];
    }
    EXPECT_EQ(banks["cells"].size(), 8u * 32u);
    for (const auto& [x, count] : words) EXPECT_EQ(count, std::max(1, bits / 32));
  }
}

// shows: L2.4
TEST(LayoutPage, TheColumnOfTheDocument) {
  const Json plain = ask(with(subject("S[(8,64):(64@m,1@m)]", "8, 64"), "banks", {{"flat", 0}, {"lines", 8}}))["access"];
  EXPECT_EQ(plain["degree"], 8);
  EXPECT_EQ(plain["conflicts"], Json({0, 1, 2, 3}));
  const Json free =
      ask(with(subject("S[(8,64):(64@m,1@m)]", "8, 64", 16, 128), "banks", {{"flat", 17}, {"lines", 8}}))["access"];
  EXPECT_EQ(free["degree"], 1);
  EXPECT_TRUE(free["conflicts"].empty());
  EXPECT_EQ(free["words"].size(), 32u);
  EXPECT_EQ(
      ask(with(subject("S[(32,64):(64@m,1@m)]", "32, 64"), "banks", {{"flat", 5}, {"access", "column"}}))["access"]["degree"],
      32);
}

TEST(LayoutPage, MistakesAreNamedByField) {
  const auto error = [](const Json& s) { return ask(with(s, "describe"))["error"]; };
  EXPECT_EQ(error(subject("S[8:4@lane]", ""))["field"], "layout");
  EXPECT_EQ(error(subject("S[8:4@lane]", ""))["column"], 7);
  EXPECT_EQ(error(subject("S[8]", "3, 3"))["field"], "shape");
  EXPECT_EQ(error(subject("S[8]", "8, x y"))["column"], 6);
  EXPECT_EQ(error(subject("S[N]", ""))["field"], "sizes");
  EXPECT_EQ(error(subject("S[8:1@laneid]", "", 16, 128))["field"], "swizzle");
  EXPECT_EQ(error(subject("S[8:-1@m]", "", 16, 128))["field"], "swizzle");
  EXPECT_EQ(error(subject("swizzle(3,3,3) o S[512]", "", 16, 128))["field"], "swizzle");
  EXPECT_EQ(error(subject("S[8]", "", 12, 128))["field"], "swizzle");
  for (const char* text : {"", "[]", "1", "{", "{\"op\":1}", "{\"op\":\"window\"}", "{\"op\":\"sing\",\"layout\":\"S[1]\"}"})
    EXPECT_FALSE(Json::parse(tools::answer(text))["ok"]) << text;
}

// ---- The page
TEST(LayoutPage, OneFileThatRefersToNothing) {
  const std::optional<std::string> page = tools::page_html(tools::SubjectText{"S[8] </script><b>", "8", "", 16, 0});
  if (!page) GTEST_SKIP() << "built without the WebAssembly toolchain";
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("})
    EXPECT_EQ(page->find(outside), std::string::npos) << outside;
  for (const char* marker : {"/*PAGE_CSS*/", "/*PAGE_JS*/", "/*PAGE_WASM*/", "/*PAGE_INITIAL*/", "</script><b>"})
    EXPECT_EQ(page->find(marker), std::string::npos) << marker;
  EXPECT_NE(page->find(R"("layout":"S[8] \u003c/script>\u003cb>")"), std::string::npos);
}

TEST(LayoutPage, Base64) {
  // RFC 4648, section 10.
  EXPECT_EQ(tools::base64(""), "");
  EXPECT_EQ(tools::base64("f"), "Zg==");
  EXPECT_EQ(tools::base64("fo"), "Zm8=");
  EXPECT_EQ(tools::base64("foo"), "Zm9v");
  EXPECT_EQ(tools::base64("foob"), "Zm9vYg==");
  EXPECT_EQ(tools::base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(tools::base64("foobar"), "Zm9vYmFy");
}

// A random subject that the page could be asked about, wrong ones among them.
Json random_subject(Random& random) {
  Wanted wanted;
  wanted.elements = 512;
  if (random.chance(40)) wanted.axes = {"m"};
  const Layout l{random_layout(random, wanted), {}};
  std::string text = to_string(l);
  if (random.chance(5)) text.erase(static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(text.size()) - 1)), 1);
  Json s = subject(text, "", static_cast<int>(random.of(std::vector<std::int64_t>{4, 8, 8, 16, 16, 16, 32, 32, 64, 12})),
                   static_cast<int>(random.of(std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 32, 64, 128, 7})));
  if (random.chance(30)) s["shape"] = l.tile.size().text();
  return s;
}

// 10,000 random layouts, each asked two questions of five.
// shows: L3.5
TEST(LayoutPage, WebAssemblyAnswersLikeTheNativeCode) {
  const std::string wasm = std::string(KIR_BINARY_DIR) + "/kir_layout.wasm";
  if (!std::filesystem::exists(wasm)) GTEST_SKIP() << "built without the WebAssembly toolchain";
  if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "node is not installed";
  const testing::TemporaryFolder folder;
  const std::string requests = folder.file("requests"), answers = folder.file("answers");
  std::vector<std::string> expected;
  std::ofstream out(requests);
  Random random(20260601);
  std::map<bool, int> kinds;
  for (int i = 0; i < 10'000; ++i) {
    const Json s = random_subject(random);
    const char* op = std::array{"window", "element", "physical", "banks"}[static_cast<std::size_t>(random.in(0, 3))];
    const Json more = {{"row0", random.in(-2, 6)},
                       {"col0", random.in(-2, 6)},
                       {"rows", random.in(1, 9)},
                       {"cols", random.in(1, 9)},
                       {"flat", random.in(0, 60)},
                       {"row_axis", random.chance(50) ? "warpid" : "TLane"},
                       {"col_axis", random.chance(50) ? "laneid" : "m"},
                       {"access", random.chance(50) ? "column" : "column16"},
                       {"line0", random.in(0, 1)},
                       {"lines", 4}};
    for (const Json& request : {with(s, "describe"), with(s, op, more)}) {
      const std::string text = request.dump();
      out << text << '\n';
      expected.push_back(tools::answer(text));
      ++kinds[expected.back().starts_with("{\"ok\":true")];
    }
  }
  out.close();
  EXPECT_GT(kinds[true], 10'000);
  EXPECT_GT(kinds[false], 500);
  const std::string command =
      fmt::format("node {}/tests/layout/ask_wasm.js {} {} > {}", KIR_SOURCE_DIR, wasm, requests, answers);
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(answers);
  std::string line;
  std::size_t at = 0;
  while (std::getline(in, line)) {
    ASSERT_LT(at, expected.size());
    ASSERT_EQ(line, expected[at]) << "request " << at;
    ++at;
  }
  EXPECT_EQ(at, expected.size());
}

}  // namespace
}  // namespace kir::layout
