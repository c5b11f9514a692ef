#include "tools/lib/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/sha256.h"
#include "core/text/text.h"
#include "proof/construction.h"

namespace kir::tools {
namespace {

using proof::Verdict;
using Json = nlohmann::ordered_json;

template <class Map>
std::string counts_text(const Map& counts, std::string_view separator) {
  std::string s;
  for (const auto& [what, n] : counts) s += fmt::format("{}{} {}", s.empty() ? "" : separator, n, what);
  return s;
}

}  // namespace

Report::Report(const Subject& subject, const smt::Outcome& outcome, const smt::RunOptions& options)
    : subject_(subject), outcome_(outcome) {
  certificate_.kernel = subject.kernel->id();
  certificate_.kernel_digest = content_hash(*subject.kernel);
  certificate_.kernel_source = subject.kernel->source;
  if (subject.kernel->source) certificate_.kernel_text = sha256_hex(subject.kernel->source->text());
  if (subject.program) {
    certificate_.program = subject.program->name;
    certificate_.program_digest = content_hash(*subject.program);
    certificate_.program_source = subject.program->source;
    if (!subject.constructed && subject.program->source)
      certificate_.program_text = sha256_hex(subject.program->source->text());
  }
  certificate_.solver = smt::solver_version();
  certificate_.rlimit = options.decide.rlimit;
  if (options.decide.second_solver) certificate_.second_solver = options.decide.second_solver->version;
  certificate_.variant = options.decide.variant;
  certificate_.restrictions = options.derive.allow_restrictions;
  certificate_.witness = outcome.witness;
}

const SourcePtr& Report::source(proof::Side side) const {
  return side == proof::Side::physical ? certificate_.program_source : certificate_.kernel_source;
}

SourceOf Report::sources() const {
  return [this](proof::Side side) { return source(side); };
}

SourceRange Report::where_range() const {
  const auto& ranges = subject_.kernel->abi.where_ranges;
  return ranges.empty() ? subject_.kernel->range : SourceRange{ranges.front().begin, ranges.back().end};
}

std::string Report::certificate() const {
  return proof::certificate(certificate_, outcome_.ledger, outcome_.decisions, outcome_.verdict);
}

std::string Report::failure(std::size_t i) const {
  const proof::Obligation& o = outcome_.ledger.obligations[i];
  const proof::Decision& d = outcome_.decisions[i];
  std::string at = place_text(source(o.side), o.range);
  std::string out =
      fmt::format("{}{}{} {}: {}\n", at, at.empty() ? "" : ": ", proof::name(d.verdict), proof::name(o.kind), o.sentence);
  if (!at.empty()) out += caret(source(o.side), o.range);
  std::size_t c = outcome_.counterexample_of[i];
  if (c == smt::Outcome::kNone) return out + indented(d.reason);
  // Several obligations may fail by one execution: it is told once.
  const auto before = outcome_.counterexample_of.begin() + static_cast<std::ptrdiff_t>(i);
  if (std::find(outcome_.counterexample_of.begin(), before, c) != before)
    return out + indented(fmt::format("counterexample {}, told above", c + 1));
  const smt::Counterexample& example = outcome_.counterexamples[c];
  return out + indented(fmt::format("counterexample {} ({}):\n", c + 1, how(example.run)) + story(example, sources()));
}

std::string Report::summary() const {
  const Kernel& kernel = *subject_.kernel;
  if (!outcome_.malformed.empty())
    return fmt::format("{}: error: kernel {}: its preconditions contradict each other: {}\n{}",
                       place_text(kernel.source, where_range()), kernel.id(), outcome_.malformed,
                       caret(kernel.source, where_range()));
  std::map<std::string_view, std::size_t> verdicts;
  for (const proof::Decision& d : outcome_.decisions) ++verdicts[proof::name(d.verdict)];
  std::string what = !subject_.program      ? "the kernel alone"
                     : subject_.constructed ? "its construction"
                                            : "program " + subject_.program->name;
  return fmt::format("{}: {} ({}): {}: {}\n", kernel.source ? kernel.source->path() : "", kernel.id(), what,
                     proof::name(outcome_.verdict), counts_text(verdicts, ", "));
}

std::string Report::failures() const {
  std::string out;
  for (std::size_t i = 0; i < outcome_.decisions.size(); ++i)
    if (outcome_.decisions[i].verdict != Verdict::proved) out += failure(i);
  return out;
}

std::string Report::details() const {
  if (!outcome_.malformed.empty()) return {};
  std::map<std::string_view, std::size_t> tiers;
  std::map<proof::Premise, std::size_t> premises;
  std::map<proof::CrossCheck, std::size_t> cross_checks;
  std::map<proof::ObligationKind, std::map<std::string_view, std::size_t>> kinds;
  for (std::size_t i = 0; i < outcome_.decisions.size(); ++i) {
    const proof::Decision& d = outcome_.decisions[i];
    ++kinds[outcome_.ledger.obligations[i].kind][proof::name(d.verdict)];
    if (d.verdict == Verdict::proved) ++tiers[d.tier];
    ++premises[d.premise];
    ++cross_checks[d.cross_check];
  }
  std::string out;
  for (const auto& [kind, row] : kinds) out += fmt::format("  {:<24} {}\n", proof::name(kind), counts_text(row, ", "));
  if (!tiers.empty()) out += fmt::format("  decided by: {}\n", counts_text(tiers, ", "));
  if (std::size_t n = premises[proof::Premise::unreachable]; n > 0)
    out += fmt::format("  {} of them hold since what they speak of never happens\n", n);
  if (!certificate_.second_solver.empty())
    out += fmt::format("  {} agrees on {}, {} left undecided\n", certificate_.second_solver,
                       cross_checks[proof::CrossCheck::agrees], cross_checks[proof::CrossCheck::undecided]);
  if (!outcome_.witness.empty())
    out += outcome_.witness == "no symbols" ? "  the preconditions hold; there are no symbols\n"
                                            : fmt::format("  the preconditions hold for instance at {}\n", outcome_.witness);
  out += fmt::format("  {} assumptions:\n", outcome_.ledger.assumptions.size());
  for (const auto& a : outcome_.ledger.assumptions) out += fmt::format("    [{}] {}\n", a.category, a.text);
  return out;
}

std::string Report::text(bool quiet) const { return summary() + failures() + (quiet ? "" : details()); }

Rendering Report::rendering() const {
  return {.exit_code = outcome_.exit_code,
          .summary = summary(),
          .failures = failures(),
          .details = details(),
          .checks = checks(),
          .data = data().dump(-1, ' ', false, Json::error_handler_t::replace),
          .certificate = outcome_.malformed.empty() ? certificate() : ""};
}

std::string Report::checks() const {
  if (!subject_.program) return {};
  return proof::check_table(proof::check_results(Diagnostics(), outcome_.ledger, outcome_.decisions));
}

Json Report::data() const {
  Json j;
  j["file"] = subject_.kernel->source ? subject_.kernel->source->path() : "";
  j["exit_code"] = outcome_.exit_code;
  if (!outcome_.malformed.empty()) {
    j["kernel"] = subject_.kernel->id();
    j["malformed"] = outcome_.malformed;
    return j;
  }
  Json examples = Json::array();
  for (const auto& c : outcome_.counterexamples) examples.push_back(story_data(c, sources()));
  j["counterexamples"] = std::move(examples);
  Json models = Json::array();
  for (std::size_t i = 0; i < outcome_.decisions.size(); ++i) {
    if (outcome_.decisions[i].model.empty()) continue;
    Json m;
    for (const auto& b : outcome_.decisions[i].model) m[b.leaf] = b.value;
    models.push_back(Json{{"key", outcome_.ledger.obligations[i].key}, {"model", m}});
  }
  j["models"] = std::move(models);
  return j;
}

}  // namespace kir::tools
