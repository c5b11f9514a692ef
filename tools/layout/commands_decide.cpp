#include <fmt/format.h>

#include "core/layout/text.h"
#include "proof/layout_claims.h"
#include "smt/layout.h"
#include "tools/layout/command.h"
#include "tools/layout/grid.h"

namespace kir::tools {
namespace {

using layout::Decision;
using layout::Layout;
using layout::Outcome;

// What the procedures leave open is for the solver.
Decision decided(proof::LayoutClaim claim, const Layout& l, const Decision& so_far, const Layout* other = nullptr) {
  if (so_far.outcome != Outcome::undecided) return so_far;
  proof::LayoutQuestion question;
  question.claim = claim;
  question.layout = l;
  if (other) question.other = *other;
  return smt::decide_layout(question).decision;
}

constexpr int kProved = 0, kRefuted = 1, kUnknown = 3;

int worse(int a, int b) { return a == kRefuted || b == kRefuted ? kRefuted : std::max(a, b); }
int exit_of(const Decision& d) {
  return d.outcome == Outcome::proved ? kProved : d.outcome == Outcome::refuted ? kRefuted : kUnknown;
}

std::string line_of(const Decision& d) {
  const char* verdict = d.outcome == Outcome::proved ? "PROVED" : d.outcome == Outcome::refuted ? "REFUTED" : "UNKNOWN";
  return fmt::format("{}{}{}", verdict, d.outcome == Outcome::undecided ? "" : fmt::format(" by {}", name_of(d.by)),
                     d.why.empty() ? "" : ": " + d.why);
}

// The decisions with their names; the exit code counts those that are demanded.
int show_claims(const std::vector<Claim>& claims, const Subject* subject, bool json) {
  int exit = kProved;
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::string after;
  for (const Claim& c : claims) {
    if (c.demanded) exit = worse(exit, exit_of(c.decision));
    list.push_back(json_of(c, subject));
    const bool only_said = !c.demanded && c.decision.outcome != Outcome::proved;
    rows.push_back({std::string(c.name), fmt::format("{}{}", line_of(c.decision), only_said ? " (not demanded)" : "")});
    if (!c.decision.witness || only_said) continue;
    const std::string witness = to_string(*c.decision.witness);
    if (c.decision.why.find(witness) == std::string::npos) after += fmt::format("  {}: {}\n", c.name, witness);
  }
  if (json)
    fmt::print("{}\n", Json{{"exit_code", exit}, {"claims", std::move(list)}}.dump(2));
  else
    fmt::print("{}{}", aligned(rows), after);
  return exit;
}

struct CheckArguments {
  SubjectArguments subject;
  bool covering = false;
};

int check(const CheckArguments& a, bool json) {
  const Layout l = a.subject.layout();
  const layout::Shape shape = shape_argument("shape", a.subject.text.shape);
  std::vector<Claim> claims = claims_of(l, shape);
  for (Claim& c : claims) {
    if (c.name == "covering") c.demanded = a.covering;
    using proof::LayoutClaim;
    for (LayoutClaim claim :
         {LayoutClaim::injective, LayoutClaim::exclusive, LayoutClaim::replica_consistent, LayoutClaim::covering})
      if (c.name == proof::name(claim)) c.decision = decided(claim, l, c.decision);
  }
  std::optional<Subject> subject;
  if (l.tile.is_constant() && claims[0].decision.outcome == Outcome::proved) subject = a.subject.subject();
  a.subject.write_pictures();
  return show_claims(claims, subject ? &*subject : nullptr, json);
}

struct LayoutsArguments {
  std::vector<std::string> layouts;
};
void add_layouts(CLI::App& app, LayoutsArguments& a) {
  app.add_option("LAYOUT", a.layouts, "layouts")->required()->expected(2, 1000);
}

int pairs(const LayoutsArguments& a, bool json, proof::LayoutClaim claim) {
  const std::string_view name = proof::name(claim);
  std::vector<Layout> layouts;
  for (const std::string& text : a.layouts) layouts.push_back(layout_argument(text));
  std::vector<std::string> titles;
  std::vector<Claim> claims;
  titles.reserve(layouts.size() * layouts.size());
  for (std::size_t i = 0; i < layouts.size(); ++i)
    for (std::size_t j = i + 1; j < layouts.size(); ++j) {
      titles.push_back(fmt::format("{} {} {}", name, i + 1, j + 1));
      const Decision first =
          claim == proof::LayoutClaim::equal ? equal(layouts[i], layouts[j]) : disjoint(layouts[i], layouts[j]);
      claims.push_back({titles.back(), name, true, decided(claim, layouts[i], first, &layouts[j])});
    }
  return show_claims(claims, nullptr, json);
}

struct BanksArguments {
  SubjectArguments subject;
  std::string at, access = "column16";
};

// Lanes by one character each, where they touch a word.
char lane_name(std::size_t lane) { return "0123456789abcdefghijklmnopqrstuv"[lane % 32]; }

int banks(const BanksArguments& a, bool json) {
  const Subject s = a.subject.subject();
  a.subject.write_pictures();
  if (const Checked<void> banked = has_banks(s); !banked) throw Refusal{banked.error(), {}};
  std::int64_t flat = 0;
  if (!a.at.empty()) flat = need(layout::flatten(need(read_numbers("at", a.at), a.at), s.shape), "at");
  const AccessReport r = need(access_at(s, flat, a.access == "column" ? Access::column : Access::column16), "");
  std::vector<std::vector<std::string>> rows = {{"lane", "element", "address", "word", "bank", "line"}};
  std::map<std::int64_t, std::string> lines;
  Json lanes = Json::array();
  for (std::size_t lane = 0; lane < r.elements.size(); ++lane) {
    const std::int64_t x = r.elements[lane];
    const layout::BankPlace b = layout::bank_of(base_place(s.layout, x)[layout::Axis::memory()], s.dtype_bits);
    rows.push_back({fmt::format("{}", lane), coordinate_text(s.coordinate(x)), fmt::format("{}", b.address),
                    fmt::format("{}", b.word), fmt::format("{}", b.bank), fmt::format("{}", b.line)});
    lanes.push_back(
        {{"element", json_of(s.coordinate(x))}, {"address", b.address}, {"word", b.word}, {"bank", b.bank}, {"line", b.line}});
    for (std::int64_t i = 0; i < std::max(1, r.bytes * 8 / s.dtype_bits); ++i)
      for (std::int64_t word : words_of(s, x + i)) {
        std::string& line = lines.try_emplace(word / 32, 32, '.').first->second;
        line[static_cast<std::size_t>(word % 32)] = lane_name(lane);
      }
  }
  if (json) {
    fmt::print("{}\n", Json{{"bytes", r.bytes},
                            {"degree", r.report.degree},
                            {"phases", r.report.phases},
                            {"lanes", std::move(lanes)},
                            {"conflicts", std::vector<std::int64_t>(r.conflicts.begin(), r.conflicts.end())}}
                           .dump(2));
    return 0;
  }
  fmt::print("{}\nline  banks 0 to 31, by the lane that reads there\n", aligned(rows));
  for (const auto& [line, text] : lines) fmt::print("{:>4}  {}\n", line, text);
  const std::string phases = r.report.phases == 1 ? "one phase" : fmt::format("{} phases", r.report.phases);
  if (r.report.degree == 1)
    fmt::print("free of bank conflicts, in {}\n", phases);
  else
    fmt::print("{}-way bank conflict, in {}\n", r.report.degree, phases);
  return 0;
}

struct SwizzleArguments {
  std::string dtype = "f16", mode = "128B";
};

int swizzle_command(const SwizzleArguments& a, bool json) {
  const int bits = need(read_dtype(a.dtype), a.dtype), bytes = need(read_mode(a.mode), a.mode);
  const layout::Swizzle s = need(layout::swizzle_of(bits, bytes), "swizzle");
  std::vector<Claim> claims;
  claims.push_back({"bijective", "it permutes each period", true, bijective(s, s.period(), s.period())});
  claims.push_back({"conflict-free", "any 8 rows x 16 bytes column hits each bank once", true,
                    layout::column_conflict_free(bits, bytes, bytes)});
  if (!json)
    fmt::print("{}: period {} elements, runs of {} stay whole\n", to_string(s), s.period(), std::int64_t{1} << s.per_element());
  return show_claims(claims, nullptr, json);
}

}  // namespace

void add_decision_commands(CommandLine& line) {
  const std::string group = "Decide";
  add_command<CheckArguments>(
      line, "check", "what is true of a layout, with a proof or a pair that collides", group,
      [](CLI::App& app, CheckArguments& a) {
        add_subject(app, a.subject);
        app.add_flag("--covering", a.covering, "demand that the places fill the box that they span");
      },
      check);
  add_command<LayoutsArguments>(line, "equal", "do layouts have the same places for every element", group, add_layouts,
                                [](const LayoutsArguments& a, bool json) { return pairs(a, json, proof::LayoutClaim::equal); });
  add_command<LayoutsArguments>(
      line, "disjoint", "do layouts share no place", group, add_layouts,
      [](const LayoutsArguments& a, bool json) { return pairs(a, json, proof::LayoutClaim::disjoint); });
  add_command<BanksArguments>(
      line, "banks", "bank conflicts of a column that a warp reads", group,
      [](CLI::App& app, BanksArguments& a) {
        add_subject(app, a.subject);
        app.add_option("--at", a.at, "an element of the column; default: the first");
        app.add_option("--access", a.access, "column16: 8 rows x 16 bytes; column: one element of 32 rows")
            ->check(CLI::IsMember({"column16", "column"}))
            ->capture_default_str();
      },
      banks);
  add_command<SwizzleArguments>(
      line, "swizzle", "the parameters of a shared-memory mode, and what is proved of them", group,
      [](CLI::App& app, SwizzleArguments& a) {
        app.add_option("--dtype", a.dtype, "element type or its bits")->capture_default_str();
        app.add_option("--mode", a.mode, "32B, 64B or 128B")->capture_default_str();
      },
      swizzle_command);
}

}  // namespace kir::tools
