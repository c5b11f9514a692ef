// A validation as text for a person and as JSON for a program. Shared by the tools.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "proof/certificate.h"
#include "smt/run.h"
#include "tools/lib/rendering.h"
#include "tools/lib/story.h"

namespace kir::tools {

struct Subject {
  std::shared_ptr<const Kernel> kernel;
  PhysicalPtr program;       // null: the kernel alone
  bool constructed = false;  // by our own construction
};

class Report {
 public:
  // `options`: those that the outcome was made with.
  Report(const Subject& subject, const smt::Outcome& outcome, const smt::RunOptions& options);

  // One summary line, each obligation that is not proved with its place, reason and counterexample; then, unless `quiet`,
  // counts by kind, deciding tiers and assumptions.
  std::string text(bool quiet) const;
  // What became of each check of the construction verifier; "" without a program.
  std::string checks() const;
  std::string certificate() const;
  Rendering rendering() const;  // all of it

  proof::CertificateSubject& certificate_subject() { return certificate_; }  // to add the digests of an artifact

 private:
  std::string summary() const;
  std::string failures() const;
  std::string failure(std::size_t i) const;
  std::string details() const;
  nlohmann::ordered_json data() const;
  const SourcePtr& source(proof::Side side) const;
  SourceOf sources() const;
  SourceRange where_range() const;

  const Subject& subject_;
  const smt::Outcome& outcome_;
  proof::CertificateSubject certificate_;
};

}  // namespace kir::tools
