#include "smt/counterexample.h"

#include <fmt/format.h>

namespace kir::smt {

std::string_view name(Misbehaviour m) {
  static constexpr std::string_view kNames[] = {"none",    "not_run",        "overlapping_view", "kir_error",
                                                "refused", "physical_error", "different_output"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Misbehaviour::different_output) + 1);
  return kNames[static_cast<std::size_t>(m)];
}

std::string list_text(const std::vector<NamedValue>& values) {
  std::string s;
  for (const NamedValue& v : values) s += fmt::format("{}{} = {}", s.empty() ? "" : ", ", v.name, to_string(v.value));
  return s;
}

std::string text(const Step& s) {
  std::string out = s.what;
  if (s.value) out += " = " + literal_text(*s.value);
  if (s.program) out += fmt::format("{}program {}", out.empty() ? "" : " in ", *s.program);
  if (s.thread)
    out += fmt::format(", thread {}", *s.thread);
  else if (s.element)
    out += fmt::format(", element {} of its fragment", *s.element);
  if (!s.group.empty()) out += fmt::format(" (group {})", s.group);
  if (!s.variables.empty()) out += " with " + list_text(s.variables);
  return out;
}

std::string one_line(const Counterexample& c) {
  std::string launch = list_text(c.sizes);
  for (const auto& [view, other] : c.same) launch += fmt::format("{}{} is {}", launch.empty() ? "" : ", ", other, view);
  if (!c.point.empty()) launch += fmt::format("{}{}", launch.empty() ? "" : ", ", list_text(c.point));
  std::string out = launch.empty() ? "" : fmt::format("at {}: ", launch);
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const Step& s = c.steps[i];
    const char* who = s.role == Step::Role::kernel ? "the kernel: " : s.role == Step::Role::program ? "the program: " : "";
    out += fmt::format("{}{}{}", i ? ", then " : "", who, text(s));
  }
  return out + (c.steps.empty() ? "" : ": ") + c.finding;
}

}  // namespace kir::smt
