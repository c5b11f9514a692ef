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
  if (!source || o.range.empty()) return {};
  LineColumn at = source->line_column(o.range.begin);
  std::string file = source->path();
  if (auto slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
  return fmt::format("{}:{}:{}", file, at.line, at.column);
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
  if (!subject.program.empty()) j["program"] = Json{{"name", subject.program}, {"digest", subject.program_digest}};
  if (!subject.artifact_digest.empty()) j["artifact"] = Json{{"digest", subject.artifact_digest}};
  if (!subject.launch_digest.empty()) j["launch"] = Json{{"digest", subject.launch_digest}};
  j["solver"] = Json{{"name", subject.solver}, {"resource_limit", subject.rlimit}};
  if (!subject.second_solver.empty()) j["second_solver"] = subject.second_solver;
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

}  // namespace kir::proof
