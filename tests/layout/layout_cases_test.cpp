// The facts of tests/layout/data/layout_cases.json (distilled from the tests, sources and documentation of apache/tvm at commit
// 5d4dc8721307cf9677becacf0395c19be130e206, Apache-2.0): all hold, and each kind of fact can fail.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/layout/layout_support.h"
#include "tools/layout/case_kinds.h"
#include "tools/layout/cases.h"

namespace kir::tools {
namespace {

using Json = nlohmann::ordered_json;

const Json& file() {
  static const Json j = [] {
    std::ifstream in(KIR_SOURCE_DIR "/tests/layout/data/layout_cases.json");
    return Json::parse(in);
  }();
  return j;
}
std::vector<CaseResult> results(const Json& cases) {
  const auto r = run_cases(Json{{"format", "tirx-layout-cases"}, {"version", 1}, {"cases", cases}}.dump());
  EXPECT_TRUE(r) << (r ? "" : r.error());
  return r ? *r : std::vector<CaseResult>{};
}

// shows: L1.1 L1.3 L1.5 L1.6 L2.1 L2.2 L2.3 L2.4 L3.4
TEST(LayoutCases, AllHold) {
  const std::vector<CaseResult> all = results(file()["cases"]);
  EXPECT_EQ(all.size(), 216u);
  std::vector<std::string> suspect;
  for (const CaseResult& r : all) {
    EXPECT_TRUE(r.passed) << r.id << ": " << r.difference;
    if (!r.difference.empty()) suspect.push_back(r.id + ": " + r.difference);
  }
  EXPECT_EQ(suspect, (std::vector<std::string>{R"(axis-bx: scope: expected "thread", is "kernel")",
                                               R"(axis-by: scope: expected "thread", is "kernel")"}));
}

// Every way to alter one value inside an expectation.
void alter(const Json& root, const Json::json_pointer& at, std::vector<Json>& out) {
  const Json& here = root[at];
  auto with = [&](Json value) {
    Json changed = root;
    changed[at] = std::move(value);
    out.push_back(std::move(changed));
  };
  if (here.is_number_integer()) with(here.get<std::int64_t>() + 1);
  if (here.is_boolean()) with(!here.get<bool>());
  if (here.is_null()) with(1);
  if (here.is_string()) with(here == "m" ? "F" : here == "thread" ? "warp" : here == "memory" ? "thread" : "memory");
  if (here.is_array())
    for (std::size_t i = 0; i < here.size(); ++i) alter(root, at / i, out);
  if (here.is_object())
    for (const auto& [name, value] : here.items()) alter(root, at / name, out);
}

TEST(LayoutCases, AnAlteredExpectationFails) {
  std::map<std::string, int> failed, passed;
  for (const Json& c : file()["cases"]) {
    const cases::Kind* kind = cases::find_kind(c["kind"].get<std::string>());
    ASSERT_TRUE(kind);
    std::vector<Json> altered;
    alter(c["expect"], Json::json_pointer(), altered);
    if (altered.size() > 12) altered.resize(12);
    for (const Json& expect : altered) {
      Json changed = c;
      changed["expect"] = expect;
      const auto r = run_cases(Json{{"format", "tirx-layout-cases"}, {"version", 1}, {"cases", Json::array({changed})}}.dump());
      if (r && (*r)[0].passed)
        ++passed[c["kind"]];
      else
        ++failed[c["kind"]];
    }
  }
  for (const cases::Kind& kind : cases::kinds()) EXPECT_GT(failed[std::string(kind.name)], 0) << kind.name;
  // Where an altered value may pass: reasons and layouts of slices are not compared, and layouts in canonical form.
  for (const char* kind :
       {"axis", "admits", "apply", "swizzle", "bank", "canonicalize", "equal", "injective", "group", "to_psum"})
    EXPECT_EQ(passed[kind], kind == std::string("axis") ? passed["axis"] : 0) << kind;
}

TEST(LayoutCases, OtherCasesThatHaveToFail) {
  Json c;
  for (const Json& one : file()["cases"])
    if (one["id"] == "axis-bx") c = one;
  c["expect"]["class"] = "memory";  // only the scope is suspect
  EXPECT_FALSE(results(Json::array({c}))[0].passed);
  c["expect"]["class"] = "thread";
  c.erase("upstream");
  EXPECT_FALSE(results(Json::array({c}))[0].passed);
  for (const Json& one : file()["cases"])
    if (one["kind"] == "reject" && one["input"]["op"] == "pack") c = one;
  c["layout"] = {{"shard", {{8, 2, "m"}, {2, 1, "m"}}}, {"replica", Json::array()}, {"offset", Json::object()}};
  const CaseResult accepted = results(Json::array({c}))[0];
  EXPECT_FALSE(accepted.passed);
  EXPECT_NE(accepted.difference.find("error: expected true, is false"), std::string::npos) << accepted.difference;
}

TEST(LayoutCases, MalformedFilesAreRefused) {
  const auto error = [](const std::string& text) {
    const auto r = run_cases(text);
    return r ? "accepted" : r.error();
  };
  EXPECT_EQ(error("{"), "the file is no JSON");
  EXPECT_NE(error("[]").find("the file is no object"), std::string::npos);
  EXPECT_EQ(error(R"({"format":"tirx-layout-cases","version":2,"cases":[]})"), "only version 1 of the format is known");
  Json good;
  for (const Json& one : file()["cases"])
    if (one["id"] == "apply-8x8-pad10") good = one;
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json changed = good;
    change(changed);
    return error(Json{{"format", "tirx-layout-cases"}, {"version", 1}, {"cases", Json::array({changed})}}.dump());
  };
  EXPECT_EQ(with([](Json& c) { c["kind"] = "aply"; }), "apply-8x8-pad10: there is no kind 'aply'");
  EXPECT_EQ(with([](Json& c) { c.erase("kind"); }), "apply-8x8-pad10: the field 'kind' is missing");
  EXPECT_EQ(with([](Json& c) { c.erase("id"); }), "case 0: the field 'id' is missing");
  EXPECT_EQ(with([](Json& c) { c["input"].erase("coords"); }), "apply-8x8-pad10: the field 'coords' is missing");
  EXPECT_EQ(with([](Json& c) { c["layout"].erase("replica"); }), "apply-8x8-pad10: the field 'replica' is missing");
  EXPECT_EQ(with([](Json& c) { c["shape"] = {8, "x"}; }), "apply-8x8-pad10: shape is an integer of 64 bits, not \"x\"");
  EXPECT_EQ(with([](Json& c) { c["shape"] = {8, std::uint64_t{1} << 63}; }),
            "apply-8x8-pad10: shape is an integer of 64 bits, not 9223372036854775808");
  EXPECT_EQ(with([](Json& c) { c["layout"]["shard"] = {{8, 1}}; }),
            "apply-8x8-pad10: shard is a list of [extent, stride, axis], not [8,1]");
  // A fact about what does not exist is no malformed file: it does not hold.
  EXPECT_EQ(with([](Json& c) { c["layout"]["shard"][0][2] = "lane"; }), "accepted");
}

}  // namespace
}  // namespace kir::tools
