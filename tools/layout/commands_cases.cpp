#include <fmt/format.h>

#include <map>

#include "core/base/file.h"
#include "core/text/text.h"
#include "tools/layout/cases.h"
#include "tools/layout/command.h"

namespace kir::tools {
namespace {

struct Count {
  std::size_t passed = 0, failed = 0;
};

int cases_command(const std::string& file, bool json) {
  std::string error;
  const std::optional<std::string> text = read_file(file, kMaxBytes, &error);
  if (!text) throw Refusal{{"cases", 0, error}, {}};
  const tl::expected<std::vector<CaseResult>, std::string> results = run_cases(*text);
  if (!results) throw Refusal{{file, 0, results.error()}, {}};
  std::map<std::string, Count> kinds;
  Count all;
  for (const CaseResult& r : *results)
    for (Count* c : {&kinds[r.kind], &all}) ++(r.passed ? c->passed : c->failed);
  if (json) {
    Json list = Json::array(), by_kind = Json::object();
    for (const CaseResult& r : *results)
      list.push_back({{"id", r.id}, {"kind", r.kind}, {"passed", r.passed}, {"difference", r.difference}});
    for (const auto& [kind, c] : kinds) by_kind[kind] = {{"passed", c.passed}, {"failed", c.failed}};
    fmt::print("{}\n", Json{{"passed", all.passed}, {"failed", all.failed}, {"kinds", by_kind}, {"cases", list}}.dump(2));
    return all.failed > 0 ? 1 : 0;
  }
  for (const CaseResult& r : *results) {
    if (!r.passed) fmt::print("FAILED {} ({}): {}\n", r.id, r.kind, r.difference);
    if (r.passed && !r.difference.empty())
      fmt::print("{} ({}): the file marks its value as suspect; {}\n", r.id, r.kind, r.difference);
  }
  std::vector<std::vector<std::string>> rows = {{"kind", "passed", "failed"}};
  for (const auto& [kind, c] : kinds) rows.push_back({kind, fmt::format("{}", c.passed), fmt::format("{}", c.failed)});
  rows.push_back({"total", fmt::format("{}", all.passed), fmt::format("{}", all.failed)});
  fmt::print("{}", aligned(rows));
  return all.failed > 0 ? 1 : 0;
}

}  // namespace

void add_cases_command(CommandLine& line) {
  add_command<std::string>(
      line, "cases", "check a file of facts about layouts; exit 1 when one does not hold", "See",
      [](CLI::App& app, std::string& file) { app.add_option("FILE.json", file, "the facts")->required(); }, cases_command);
}

}  // namespace kir::tools
