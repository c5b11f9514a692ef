#include "tools/lib/story.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/diagnostics.h"

namespace kir::tools {
namespace {

using smt::Counterexample;
using smt::Step;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLabel = 10;        // width of the words on the left
constexpr std::size_t kMostElements = 8;  // of a view that are told

std::string_view label(Step::Role r) {
  switch (r) {
    case Step::Role::at: return "at";
    case Step::Role::first: return "first";
    case Step::Role::second: return "second";
    case Step::Role::kernel: return "kernel";
    case Step::Role::program: return "program";
  }
  return "?";
}

std::string line(std::string_view label, std::string_view text) { return fmt::format("  {:<{}}{}\n", label, kLabel, text); }

// "x[0] = 1.0, x[3] = 2.0, the others 0.0", "x all 1.0": what a tensor holds, with its name.
std::string contents(const std::string& name, const Tensor& t) {
  const std::int64_t count = t.element_count();
  if (count == 0) return {};
  std::vector<std::string> told;
  std::optional<Scalar> first;
  bool uniform = true, more = false, zeros = false;
  std::vector<std::int64_t> at(t.shape.size());
  for (std::int64_t i = 0; i < count && !(more && !uniform); ++i) {
    std::int64_t rest = i;
    for (std::size_t k = at.size(); k-- > 0; rest /= t.shape[k]) at[k] = rest % t.shape[k];
    const Scalar s = t.load(t.address(at));
    if (!first) first = s;
    uniform = uniform && s == *first;
    if (s.bits == 0)
      zeros = true;
    else if (told.size() < kMostElements)
      told.push_back(fmt::format("{}[{}] = {}", name, fmt::join(at, ", "), literal_text(s)));
    else
      more = true;
  }
  if (count == 1) return fmt::format("{}[{}] = {}", name, fmt::join(at, ", "), literal_text(*first));
  if (uniform) return fmt::format("{} all {}", name, literal_text(*first));
  std::string out = fmt::format("{}", fmt::join(told, ", "));
  if (more) return out + ", ...";
  return out + (zeros ? fmt::format(", its others {}", literal_text({t.dtype, 0})) : "");
}

// A source line and its caret, without the indentation of the line.
std::string flush(const std::string& lines) {
  const std::size_t second = lines.find('\n') + 1, lead = std::min(lines.find_first_not_of(" \t"), second);
  return lines.substr(lead, second - lead) + lines.substr(std::min(second + lead, lines.size()));
}

std::string launch_text(const Counterexample& c) {
  std::string out = smt::list_text(c.sizes);
  for (const auto& [view, other] : c.same) out += fmt::format("{}{} is {}", out.empty() ? "" : "; ", other, view);
  return out;
}

std::vector<std::string> contents_of(const Counterexample& c) {
  std::vector<std::string> out;
  if (!c.launch) return out;
  for (const std::string& name : c.telling)
    if (const auto view = c.launch->views.find(name); view == c.launch->views.end())
      out.push_back(fmt::format("{} = {}", name, literal_text(c.launch->scalars.at(name))));
    else if (std::string text = contents(name, *view->second); !text.empty())
      out.push_back(std::move(text));
  return out;
}

}  // namespace

std::string place_text(const SourcePtr& source, SourceRange range) {
  return source && !range.empty() ? describe(*source, range) : std::string();
}

std::string caret(const SourcePtr& source, SourceRange range) {
  if (!source || range.empty()) return {};
  Diagnostics one;
  one.error("", range, "", "");
  std::string rendered = one.render(*source);  // its first line is the message
  std::size_t first = rendered.find('\n');
  return first == std::string::npos ? "" : rendered.substr(first + 1);
}

std::string indented(std::string_view text, std::size_t by) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out += fmt::format("{}{}\n", std::string(by, ' '), text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string_view how(Counterexample::Run run) {
  switch (run) {
    case Counterexample::Run::kernel: return "run on the reference interpreter";
    case Counterexample::Run::both: return "run on both interpreters";
    case Counterexample::Run::instances: return "the instances that matter were run";
    case Counterexample::Run::evaluated: return "evaluated at this point";
    case Counterexample::Run::combine: return "the combine was run";
  }
  return "?";
}

std::string story(const Counterexample& c, const SourceOf& source) {
  std::string out;
  if (const std::string launch = launch_text(c); !launch.empty()) out += line("launch", launch);
  if (!c.point.empty()) out += line("point", smt::list_text(c.point));
  std::string_view first = "contents";
  for (const std::string& text : contents_of(c)) out += line(std::exchange(first, ""), text);
  for (const Step& s : c.steps) {
    const std::string what = smt::text(s);
    for (std::size_t i = 0; i < std::max<std::size_t>(1, s.places.size()); ++i) {
      const std::string place = i < s.places.size() ? place_text(source(s.places[i].side), s.places[i].range) : std::string();
      if (i > 0 && place.empty()) continue;
      const std::string_view between = i > 0 ? "which stands for " : what.empty() || place.empty() ? "" : ", ";
      out += line(i == 0 ? label(s.role) : "", fmt::format("{}{}{}", i == 0 ? what : "", between, place));
      if (!place.empty()) out += indented(flush(caret(source(s.places[i].side), s.places[i].range)), kLabel + 4);
    }
  }
  return out + line("what", c.finding);
}

Json story_data(const Counterexample& c, const SourceOf& source) {
  Json j;
  j["text"] = smt::one_line(c);
  j["place"] = place_text(source(c.place().side), c.place().range);
  j["how"] = how(c.run);
  if (c.what != smt::Misbehaviour::none) j["what"] = smt::name(c.what);
  if (c.error) j["error"] = name(*c.error);
  auto values = [](const std::vector<NamedValue>& list) {
    Json out = Json::object();
    for (const NamedValue& v : list) out[v.name] = to_string(v.value);
    return out;
  };
  if (!c.sizes.empty()) j["sizes"] = values(c.sizes);
  if (!c.same.empty()) {
    j["same_memory"] = Json::array();
    for (const auto& [view, other] : c.same) j["same_memory"].push_back({view, other});
  }
  if (!c.point.empty()) j["point"] = values(c.point);
  if (const auto texts = contents_of(c); !texts.empty()) j["contents"] = texts;
  if (c.instances && c.instances->of_program) j["programs"] = c.instances->programs;
  Json steps = Json::array();
  for (const Step& s : c.steps) {
    Json x{{"role", label(s.role)}, {"what", s.what}};
    if (s.value) x["value"] = literal_text(*s.value);
    if (s.program) x["program"] = *s.program;
    if (s.element) x["element"] = *s.element;
    if (s.thread) x["thread"] = *s.thread;
    if (!s.group.empty()) x["group"] = s.group;
    if (!s.variables.empty()) x["variables"] = values(s.variables);
    x["places"] = Json::array();
    for (const smt::Place& p : s.places) x["places"].push_back(place_text(source(p.side), p.range));
    steps.push_back(std::move(x));
  }
  if (!steps.empty()) j["steps"] = std::move(steps);
  j["finding"] = c.finding;
  return j;
}

}  // namespace kir::tools
