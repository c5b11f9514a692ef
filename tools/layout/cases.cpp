#include "tools/layout/cases.h"

#include <fmt/format.h>

#include "tools/layout/case_kinds.h"

namespace kir::tools {
namespace {

using cases::Case;
using cases::Json;
using cases::Malformed;

Case case_of(const Json& j) {
  Case c;
  c.kind = cases::text(cases::field(j, "kind"), "kind");
  c.layout = cases::field(j, "layout");
  c.shape = cases::field(j, "shape");
  c.input = cases::field(j, "input");
  c.expect = cases::field(j, "expect");
  if (!c.input.is_object()) throw Malformed{"input is an object"};
  c.suspect = j.contains("upstream") && j["upstream"] == "suspect";
  return c;
}

CaseResult run_case(const Case& c) {
  const cases::Kind* kind = cases::find_kind(c.kind);
  if (!kind) throw Malformed{fmt::format("there is no kind '{}'", c.kind)};
  CaseResult out{c.id, c.kind, false, {}};
  Json expected;
  try {
    expected = cases::normal(c.expect, kind->canonical);
  } catch (const cases::Refused& e) {
    throw Malformed{fmt::format("the expected layout is none: {}", e.why)};
  }
  try {
    const Json actual = cases::normal(kind->compute(c), kind->canonical);
    out.difference = cases::difference(expected, actual, kind->ignored);
    out.passed = out.difference.empty();
    if (!out.passed && c.suspect && kind->suspect_key) {
      std::vector<std::string_view> ignored = kind->ignored;
      ignored.push_back(*kind->suspect_key);
      const std::string rest = cases::difference(expected, actual, ignored);
      out.passed = rest.empty();
      if (!out.passed) out.difference = rest;
    }
  } catch (const cases::Refused& e) {
    out.difference = fmt::format("refused: {}", e.why);
  }
  return out;
}

}  // namespace

tl::expected<std::vector<CaseResult>, std::string> run_cases(std::string_view json_text) {
  using Wrong = tl::unexpected<std::string>;
  const Json file = Json::parse(json_text, nullptr, false);
  if (file.is_discarded()) return Wrong("the file is no JSON");
  if (!file.is_object() || file.value("format", Json()) != "tirx-layout-cases" || !file.contains("cases") ||
      !file["cases"].is_array())
    return Wrong(R"(the file is no object with "format": "tirx-layout-cases" and a list "cases")");
  if (file.value("version", Json()) != 1) return Wrong("only version 1 of the format is known");
  std::vector<CaseResult> out;
  std::size_t position = 0;
  for (const Json& j : file["cases"]) {
    std::string id = fmt::format("case {}", position++);
    try {
      id = cases::text(cases::field(j, "id"), "id");
      Case c = case_of(j);
      c.id = id;
      out.push_back(run_case(c));
    } catch (const Malformed& e) {
      return Wrong(fmt::format("{}: {}", id, e.what));
    }
  }
  return out;
}

}  // namespace kir::tools
