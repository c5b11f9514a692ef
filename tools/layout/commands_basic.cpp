#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "core/base/file.h"
#include "core/layout/text.h"
#include "tools/layout/answer.h"
#include "tools/layout/command.h"
#include "tools/layout/page.h"
#include "tools/layout/presets.h"
#include "tools/lib/command_line.h"

namespace kir::tools {
namespace {

using layout::Axis;
using layout::Place;

constexpr std::int64_t kListed = 4096;  // elements that `table` prints without being asked for more

int print(const SubjectArguments& a, bool json) {
  const layout::Layout l = a.layout();
  a.write_pictures();
  if (json) {
    fmt::print("{}\n", json_of(l).dump(2));
    return 0;
  }
  fmt::print("{}\n{} elements, {} of each\n", to_string(l), l.tile.size().text(),
             l.tile.copies().is(1) ? "one copy" : l.tile.copies().text() + " copies");
  std::vector<std::vector<std::string>> rows;
  for (Axis axis : l.tile.axes()) {
    std::string reach = "span " + (l.tile.span(axis).ok() ? l.tile.span(axis).text() : "unknown");
    if (l.tile.is_constant()) reach = fmt::format("{}..{}", l.tile.reach(axis).low, l.tile.reach(axis).high);
    rows.push_back(
        {"", std::string(axis.name()), reach, std::string(name_of(axis.row().cls)), std::string(axis.row().meaning)});
  }
  fmt::print("{}", aligned(rows));
  return 0;
}

// The values of an axis over all places: "5", or "{5, 9}".
std::string values_on(Axis axis, const std::vector<Place>& places) {
  std::set<std::int64_t> values;
  for (const Place& p : places) values.insert(p[axis]);
  return values.size() == 1 ? fmt::format("{}", *values.begin()) : fmt::format("{{{}}}", fmt::join(values, ", "));
}

class ElementTable {
 public:
  explicit ElementTable(const Subject& s) : s_(s), axes_(s.layout.tile.axes()) {
    rows_.push_back({"element", "flat", "digits"});
    for (Axis axis : axes_) rows_[0].emplace_back(axis.name());
  }
  void add(std::int64_t flat) {
    const std::vector<Place> all = places(s_.layout, flat);
    rows_.push_back(
        {coordinate_text(s_.coordinate(flat)), fmt::format("{}", flat), coordinate_text(split(s_.layout.tile, flat))});
    for (Axis axis : axes_) rows_.back().push_back(values_on(axis, all));
    Json owners = Json::array();
    for (const Place& p : all) owners.push_back(json_of(p));
    json_.push_back({{"element", json_of(s_.coordinate(flat))},
                     {"flat", json_of(flat)},
                     {"digits", json_of(split(s_.layout.tile, flat))},
                     {"base", json_of(base_place(s_.layout, flat))},
                     {"places", std::move(owners)}});
  }
  int show(bool json) const { return show_table(rows_, json_, json); }

 private:
  const Subject& s_;
  std::vector<Axis> axes_;
  std::vector<std::vector<std::string>> rows_;
  Json json_ = Json::array();
};

void few_copies(const Subject& s, std::int64_t elements) {
  if (elements > layout::kMaxCopies / std::max<std::int64_t>(*s.layout.tile.copies().constant(), 1))
    throw Refusal{{"layout", 0, fmt::format("{} copies of each element are too many to list", s.layout.tile.copies().text())},
                  {}};
}

struct ApplyArguments {
  SubjectArguments subject;
  std::vector<std::string> coordinates;
};

int apply_command(const ApplyArguments& a, bool json) {
  const Subject s = a.subject.subject();
  a.subject.write_pictures();
  ElementTable table(s);
  few_copies(s, static_cast<std::int64_t>(a.coordinates.size()));
  for (const std::string& text : a.coordinates)
    table.add(need(layout::flatten(need(read_numbers("coord", text), text), s.shape), "coord"));
  return table.show(json);
}

struct TableArguments {
  SubjectArguments subject;
  bool owners = false;
  std::uint64_t limit = kListed;
};

int table_command(const TableArguments& a, bool json) {
  const Subject s = a.subject.subject();
  a.subject.write_pictures();
  if (s.size() > static_cast<std::int64_t>(a.limit))
    throw Refusal{{"layout", 0, fmt::format("{} elements; --limit {} lists them all", s.size(), s.size())}, {}};
  few_copies(s, s.size());
  if (!a.owners) {
    ElementTable table(s);
    for (std::int64_t x = 0; x < s.size(); ++x) table.add(x);
    return table.show(json);
  }
  std::map<Place, std::vector<std::int64_t>> owned;
  for (std::int64_t x = 0; x < s.size(); ++x)
    for (const Place& p : places(s.layout, x)) owned[p].push_back(x);
  std::vector<std::vector<std::string>> rows(1);
  for (Axis axis : s.layout.tile.axes()) rows[0].emplace_back(axis.name());
  rows[0].push_back("elements");
  Json out = Json::array();
  for (const auto& [place, elements] : owned) {
    rows.emplace_back();
    for (Axis axis : s.layout.tile.axes()) rows.back().push_back(fmt::format("{}", place[axis]));
    std::string names;
    Json list = Json::array();
    for (std::int64_t x : elements) {
      names += fmt::format("{}{}", names.empty() ? "" : " ", coordinate_text(s.coordinate(x)));
      list.push_back(json_of(s.coordinate(x)));
    }
    rows.back().push_back(std::move(names));
    out.push_back({{"place", json_of(place)}, {"elements", std::move(list)}});
  }
  return show_table(rows, out, json);
}

int axes_command(const Nothing&, bool json) {
  std::vector<std::vector<std::string>> rows = {{"axis", "class", "scope", "of", "meaning"}};
  Json out = Json::array();
  for (const layout::AxisRow& row : layout::axes()) {
    auto scope = [](const std::optional<layout::Scope>& s) { return s ? std::string(name_of(*s)) : std::string(); };
    rows.push_back({std::string(row.name), std::string(name_of(row.cls)), scope(row.scope), scope(row.subscope),
                    std::string(row.meaning)});
    out.push_back({{"axis", row.name},
                   {"class", name_of(row.cls)},
                   {"scope", scope(row.scope)},
                   {"subscope", scope(row.subscope)},
                   {"meaning", row.meaning}});
  }
  return show_table(rows, out, json);
}

int presets_command(const Nothing&, bool json) {
  if (json) {
    fmt::print("{}\n", answer(R"({"op":"presets"})"));
    return 0;
  }
  for (const Preset& p : presets())
    fmt::print("{}\n  {}\n  --shape \"{}\" --dtype {} --mode {}\n  {}\n", p.name, p.layout, p.shape, p.dtype_bits,
               p.mode_bytes == 0 ? "none" : fmt::format("{}B", p.mode_bytes), p.note);
  return 0;
}

int page_command(const std::string& file, bool) {
  const std::optional<std::string> page = page_html({});
  if (!page) throw Refusal{{"page", 0, "this kir-layout was built without its page; build it where scripts/setup has run"}, {}};
  std::string error;
  if (!write_file(file, *page, &error)) throw Refusal{{"output", 0, error}, {}};
  return 0;
}

}  // namespace

void add_basic_commands(CommandLine& line) {
  const std::string group = "See";
  add_command<SubjectArguments>(line, "print", "the layout in full, its axes and how far it reaches on each", group,
                                add_subject, print);
  add_command<ApplyArguments>(
      line, "apply", "the places of elements", group,
      [](CLI::App& app, ApplyArguments& a) {
        add_subject(app, a.subject);
        app.add_option("--coord", a.coordinates, "a coordinate in the shape, as \"0, 8\"; may be repeated")->required();
      },
      apply_command);
  add_command<TableArguments>(
      line, "table", "all elements and their places", group,
      [](CLI::App& app, TableArguments& a) {
        add_subject(app, a.subject);
        app.add_flag("--owners", a.owners, "the other way round: all places and their elements");
        add_count(app, "--limit", a.limit, "refuse more elements than this", 1)->capture_default_str();
      },
      table_command);
  add_command<Nothing>(line, "axes", "the table of axes", group, [](CLI::App&, Nothing&) {}, axes_command);
  add_command<Nothing>(line, "presets", "the case studies", group, [](CLI::App&, Nothing&) {}, presets_command);
  add_command<std::string>(
      line, "page", "write the explorer, one HTML file that works without a network", group,
      [](CLI::App& app, std::string& file) { add_output(app, "FILE", file, "the file")->required(); }, page_command);
}

}  // namespace kir::tools
