#include "proof/certificate.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/sha256.h"
#include "proof/construction.h"
#include "proof/formula.h"

namespace kir::proof {

std::string place(const CertificateSubject& subject, const Obligation& o) {
  const SourcePtr& source = o.side == Side::physical ? subject.program_source : subject.kernel_source;
  return !source || o.range.empty() ? "" : kir::place(*source, o.range);
}

std::string certificate(const CertificateSubject& subject, const Ledger& ledger, const std::vector<Decision>& decisions,
                        Verdict verdict) {
  KIR_CHECK(decisions.size() == ledger.obligations.size(), "a decision per obligation");
  using Json = nlohmann::ordered_json;
  Json j;
  j["certificate"] = 1;
  j["proven"] = "for all launches that satisfy the assumptions: the obligations below with verdict PROVED, about these texts";
  j["tested"] = "that emission (LLVM, PTX, ptxas) realises the physical program: by comparing executions, not by proof";
  j["verdict"] = name(verdict);
  Json assumptions = Json::array();
  for (const Assumption& a : ledger.assumptions) assumptions.push_back(Json{{"category", a.category}, {"text", a.text}});
  j["assumptions"] = std::move(assumptions);
  j["kernel"] = Json{{"id", subject.kernel}, {"digest", subject.kernel_digest}};
  if (!subject.kernel_text.empty()) j["kernel"]["text"] = subject.kernel_text;
  if (!subject.program.empty()) j["program"] = Json{{"name", subject.program}, {"digest", subject.program_digest}};
  if (!subject.program_text.empty()) j["program"]["text"] = subject.program_text;
  for (const auto& [file, digest] : subject.code) j["artifact"][file] = digest;
  if (!subject.launch_digest.empty()) j["launch"] = Json{{"digest", subject.launch_digest}};
  j["solver"] = Json{{"name", subject.solver}, {"resource_limit", subject.rlimit}};
  if (subject.variant != 0) j["solver"]["variant"] = subject.variant;
  if (!subject.second_solver.empty()) j["second_solver"] = subject.second_solver;
  if (subject.restrictions) j["restrictions"] = "accepted";
  if (!subject.witness.empty()) j["witness_launch"] = subject.witness;
  std::map<std::string, std::size_t> verdicts;
  for (const Decision& d : decisions) ++verdicts[std::string(name(d.verdict))];
  j["counts"] = verdicts;
  if (!subject.program.empty()) {  // what is malformed has no certificate
    Json checks = Json::array();
    for (const CheckResult& r : check_results(Diagnostics(), ledger, decisions))
      checks.push_back(Json{{"check", r.check->id},
                            {"verdict", name(r.verdict)},
                            {"obligations", r.obligations},
                            {"proved", r.obligations - r.failures.size()}});
    j["checks"] = std::move(checks);
  }
  Json obligations = Json::array();
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Obligation& o = ledger.obligations[i];
    const Decision& d = decisions[i];
    Json x;
    x["key"] = o.key;
    x["kind"] = name(o.kind);
    x["sentence"] = o.sentence;
    x["side"] = o.side == Side::kir ? "kir" : o.side == Side::physical ? "physical" : "lowering";
    x["origin"] = place(subject, o);
    x["digest"] = formula_digest(o);
    x["verdict"] = name(d.verdict);
    x["tier"] = d.tier;
    if (d.premise != Premise::not_asked) x["premise"] = name(d.premise);
    if (d.cross_check != CrossCheck::not_asked) x["cross_check"] = name(d.cross_check);
    x["resource"] = d.resource;
    if (!d.reason.empty()) x["reason"] = d.reason;
    obligations.push_back(std::move(x));
  }
  j["obligations"] = std::move(obligations);
  // Identifies the set: a deleted or altered obligation changes it.
  std::string keys;
  for (const Obligation& o : ledger.obligations) keys += o.key + ' ' + formula_digest(o) + '\n';
  j["obligation_set"] = sha256_hex(keys);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

using Plain = nlohmann::json;

// Obligations by key, so that one that is left out does not shift all others. A key that occurs twice is told apart by a
// number.
std::map<std::string, Plain> by_key(const Plain& certificate) {
  std::map<std::string, Plain> out;
  const auto at = certificate.find("obligations");
  if (at == certificate.end() || !at->is_array()) return out;
  for (const Plain& o : *at) {
    std::string key = o.is_object() && o.contains("key") && o["key"].is_string() ? o["key"].get<std::string>() : "?";
    while (out.contains(key)) key += "'";
    out.emplace(std::move(key), o);
  }
  return out;
}

std::string shown(const Plain& value) {
  std::string text = value.dump(-1, ' ', false, Plain::error_handler_t::replace);
  constexpr std::size_t kMost = 160;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

std::vector<std::string> differences(const std::string& certificate, const std::string& again) {
  std::vector<std::string> out;
  const Plain a = Plain::parse(certificate, nullptr, false), b = Plain::parse(again, nullptr, false);
  if (!a.is_object() || !b.is_object()) return {"one of them is no certificate"};
  auto fields = [&](const std::string& what, const Plain& x, const Plain& y, bool skip_obligations) {
    for (const auto& [key, value] : x.items()) {
      if (skip_obligations && key == "obligations") continue;
      auto other = y.find(key);
      if (other == y.end())
        out.push_back(fmt::format("{}{}: the certificate says {}, the recheck nothing", what, key, shown(value)));
      else if (*other != value)
        out.push_back(fmt::format("{}{}: the certificate says {}, the recheck {}", what, key, shown(value), shown(*other)));
    }
    for (const auto& [key, value] : y.items())
      if (!x.contains(key))
        out.push_back(fmt::format("{}{}: the certificate says nothing, the recheck {}", what, key, shown(value)));
  };
  fields("", a, b, true);  // first: a whole part that is missing says more than what follows from it
  const auto theirs = by_key(a), ours = by_key(b);
  for (const auto& [key, o] : ours)
    if (!theirs.contains(key)) out.push_back(fmt::format("obligation {}: missing in the certificate", key));
  for (const auto& [key, o] : theirs) {
    auto it = ours.find(key);
    if (it == ours.end())
      out.push_back(fmt::format("obligation {}: not derived by the recheck", key));
    else if (o.is_object())
      fields(fmt::format("obligation {}: ", key), o, it->second, false);
  }
  if (out.empty()) out.emplace_back("they say the same in another form or order");
  if (out.size() > kMostDifferences) {
    const std::size_t more = out.size() - kMostDifferences;
    out.resize(kMostDifferences);
    out.push_back(fmt::format("and {} more", more));
  }
  return out;
}

}  // namespace kir::proof
