#include "tools/mutants/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "proof/construction.h"
#include "tools/mutants/damages.h"

namespace kir::mutants {
namespace {

// Why something is refused that every run gives right.
std::string_view alarm_class(const Damage& damage, const Judgement& j) {
  if (j.verdict == Verdict::refuted)
    return "refuted: a launch that was not drawn, a law or a declared range that does not hold";
  if (j.verdict == Verdict::malformed) return "malformed";
  if (damage.family == family::kOrder || damage.family == family::kScope)
    return "permitted: other executions are allowed than those that were run";
  if (damage.family == family::kAbi || damage.family == family::kRepeated || damage.family == family::kAssume)
    return "demanded: the contract or the number of writes is another, which no result tells";
  return "not decided: no rule of the validator explains why it is right";
}

}  // namespace

void Counts::add(const Judgement& j) {
  ++mutants;
  distinguishable += j.distinguishable();
  killed += j.killed();
  survivors += j.survivor();
  equal += !j.distinguishable();
  false_alarms += j.false_alarm();
  not_reached += j.runs == Runs::not_reached;
  differ += j.runs == Runs::differ;
  ++verdicts[static_cast<std::size_t>(j.verdict)];
  for (proof::ObligationKind k : j.kinds) ++by[k];
  for (const std::string& check : j.refused_by) ++by_check[check];
}

void Matrix::add(Form form, const Damage& damage, const Judgement& j) {
  all_.add(j);
  families_[{form, damage.family}].add(j);
  for (std::size_t at = 0; at < damage.checks.size();) {  // each that it is aimed at
    const std::size_t end = std::min(damage.checks.find(' ', at), damage.checks.size());
    checks_[damage.checks.substr(at, end - at)].add(j);
    at = end + 1;
  }
  if (j.false_alarm()) ++false_alarms_[alarm_class(damage, j)][{form, damage.family, j.reason}];
}

std::string Matrix::kill_matrix() const {
  std::string out;
  for (Form form : {Form::physical, Form::kir}) {
    std::set<proof::ObligationKind> kinds;
    bool any = false;
    for (const auto& [key, c] : families_) {
      if (key.first != form) continue;
      any = true;
      for (const auto& [kind, n] : c.by) kinds.insert(kind);
    }
    if (!any) continue;
    out += form == Form::physical ? "Damaged programs:\n\n" : "Damaged kernels, against the program of the original:\n\n";
    out += "| damage | mutants | distinguishable | killed | survivors | equal | false alarms | structure |";
    for (proof::ObligationKind k : kinds) out += fmt::format(" {} |", proof::name(k));
    out += "\n|---|---|---|---|---|---|---|---|";
    for (std::size_t i = 0; i < kinds.size(); ++i) out += "---|";
    out += "\n";
    for (std::string_view family : families()) {
      auto it = families_.find({form, family});
      if (it == families_.end()) continue;
      const Counts& c = it->second;
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |", family, c.mutants, c.distinguishable, c.killed,
                         c.survivors, c.equal, c.false_alarms, c.verdicts[static_cast<std::size_t>(Verdict::malformed)]);
      for (proof::ObligationKind k : kinds) out += c.by.contains(k) ? fmt::format(" {} |", c.by.at(k)) : " |";
      out += "\n";
    }
    out += "\n";
  }
  return out;
}

std::string Matrix::false_alarms() const {
  if (false_alarms_.empty()) return "";
  std::string out = "| why, though no run differs | false alarms | of them |\n|---|---|---|\n";
  for (const auto& [why, reasons] : false_alarms_) {
    std::vector<std::pair<std::uint64_t, std::string>> parts;
    std::uint64_t all = 0;
    for (const auto& [key, n] : reasons) {
      all += n;
      parts.emplace_back(n, fmt::format("{} {}: {}", name(std::get<0>(key)), std::get<1>(key), std::get<2>(key)));
    }
    std::ranges::stable_sort(parts, std::greater<>(), &std::pair<std::uint64_t, std::string>::first);
    std::string text;
    for (const auto& [n, part] : parts) text += fmt::format("{}{} {}", text.empty() ? "" : "; ", n, part);
    out += fmt::format("| {} | {} | {} |\n", why, all, text);
  }
  return out + "\n";
}

std::string Matrix::checks() const {
  std::string out =
      "| aimed at | mutants | told apart by a run | malformed | refused | proved and equal | survivors | refused by |\n"
      "|---|---|---|---|---|---|---|---|\n";
  const Counts none;
  for (const proof::ConstructionCheck& check : proof::construction_checks()) {
    auto it = checks_.find(check.id);
    const Counts& c = it == checks_.end() ? none : it->second;
    std::string by;
    for (const proof::ConstructionCheck& other : proof::construction_checks())
      if (auto n = c.by_check.find(std::string(other.id)); n != c.by_check.end())
        by += fmt::format("{}{} {}", by.empty() ? "" : ", ", other.id, n->second);
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", check.id, c.mutants, c.differ,
                       c.verdicts[static_cast<std::size_t>(Verdict::malformed)], c.killed + c.false_alarms,
                       c.equal - c.false_alarms, c.survivors, by);
  }
  return out + "\n";
}

std::string Matrix::summary() const {
  const auto of = [&](Verdict v) { return all_.verdicts[static_cast<std::size_t>(v)]; };
  return fmt::format(
      "{} malformed, {} refuted, {} not proved, {} proved; {} told apart by a run, {} reached by none; false alarms {:.1f}% of "
      "the equal\n",
      of(Verdict::malformed), of(Verdict::refuted), of(Verdict::unproved), of(Verdict::proved), all_.differ, all_.not_reached,
      all_.equal == 0 ? 0.0 : 100.0 * static_cast<double>(all_.false_alarms) / static_cast<double>(all_.equal));
}

std::string Matrix::last_line() const {
  return fmt::format("mutants {}, distinguishable {}, killed {}, survivors {}, equal {}, false alarms {}", all_.mutants,
                     all_.distinguishable, all_.killed, all_.survivors, all_.equal, all_.false_alarms);
}

}  // namespace kir::mutants
