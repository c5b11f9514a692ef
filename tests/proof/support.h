// Validates texts and decides every obligation, without replay: what the derivation and the solver alone say.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "core/text/text.h"
#include "proof/validate.h"
#include "smt/decide.h"

namespace kir::test {

inline std::string read_file(const std::string& relative) {
  std::ifstream in(std::string(KIR_SOURCE_DIR) + "/" + relative);
  EXPECT_TRUE(in.good()) << relative;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::shared_ptr<const Kernel> kernel(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.kir", text);
  Diagnostics diagnostics;
  auto module = parse_kir(source, diagnostics);
  EXPECT_TRUE(module.has_value()) << diagnostics.render(*source);
  return module && !module->kernels.empty() ? module->kernels[0] : nullptr;
}

inline PhysicalPtr program(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.pir", text);
  Diagnostics diagnostics;
  PhysicalPtr p = parse_pir(source, diagnostics);
  EXPECT_TRUE(p != nullptr) << diagnostics.render(*source);
  return p;
}

struct Verdicts {
  std::map<proof::Verdict, std::map<std::string, int>> by_kind;  // verdict -> kind -> count
  std::string failures;
  int total = 0;
  bool all_proved() const { return total > 0 && by_kind.size() == 1 && by_kind.begin()->first == proof::Verdict::proved; }
  bool fails(proof::ObligationKind k) const {
    for (const auto& [verdict, kinds] : by_kind)
      if (verdict != proof::Verdict::proved && kinds.contains(std::string(proof::name(k)))) return true;
    return false;
  }
};

inline Verdicts decide(const proof::Ledger& ledger) {
  Verdicts out;
  smt::DecideOptions options;
  options.rlimit = 2'000'000;  // what holds here is decided far below; what does not must not take long
  std::vector<proof::Decision> decisions = smt::decide(ledger, options);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const proof::Obligation& o = ledger.obligations[i];
    ++out.total;
    ++out.by_kind[decisions[i].verdict][std::string(proof::name(o.kind))];
    if (decisions[i].verdict != proof::Verdict::proved)
      out.failures += fmt::format("{} {}: {} {}{}\n", proof::name(decisions[i].verdict), proof::name(o.kind), o.sentence,
                                  o.preset ? o.preset->reason : "", o.otherwise_unsupported);
  }
  return out;
}

inline Verdicts check_kir(const std::string& text) {
  proof::Ledger ledger;
  proof::derive_kir(*kernel(text), ledger);
  return decide(ledger);
}

inline Verdicts check_refinement(const std::string& kir, const std::string& pir, proof::DeriveOptions options = {}) {
  proof::Ledger ledger;
  auto k = kernel(kir);
  auto p = program(pir);
  if (k && p) proof::derive_refinement(*k, *p, options, ledger);
  return decide(ledger);
}

// One replacement in a text that must be there.
// A program of one group with an instance for each m in 0..M; `body` speaks of %m.
inline std::string one_group(const std::string& name, const std::string& abi, const std::string& body) {
  return "pir 1\nprogram " + name + " implements \"" + name + "\"\nabi {\n" + abi +
         "\n}\nlaunch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }\n"
         "space {\n  g0: (m in 0..M) length L0 = M offset O0 = 0\n}\n"
         "dispatch %w: i64 = program_id {\n  O0 <= %w < O0 + L0 -> g0(%m = %w - O0)\n  else -> exit\n}\n"
         "group g0 (%m: i64 in 0..M) {\n" +
         body + "\n}\n";
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace kir::test
