// The certificate: what was proven about which texts, with what, and what was taken for granted. JSON with fixed order and
// no times, so that equal validations give equal bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proof/obligation.h"

namespace kir::proof {

struct CertificateSubject {
  std::string kernel;          // KernelID
  std::string kernel_digest;   // content hash of the KIR
  std::string kernel_text;     // SHA-256 of the file of the kernel; "" for kernels that were built
  std::string program;         // name of the physical program; "" when only the KIR was checked
  std::string program_digest;  // content hash of the physical program, "" likewise
  std::string program_text;    // SHA-256 of the file of the program; "" for one that was constructed
  // Of an artifact: the files with code, each with its SHA-256. Empty otherwise.
  std::vector<std::pair<std::string, std::string>> code;
  std::string launch_digest;  // SHA-256 of its launch description
  std::string solver;         // "Z3 5.4.1"
  std::uint64_t rlimit = 0;   // resource limit per obligation
  unsigned variant = 0;       // the words in which the formulas were decided
  std::string second_solver;  // "cvc5 1.0.3"; "" when none was asked
  bool restrictions = false;  // what the program demands beyond the kernel was accepted as an assumption
  std::string witness;        // a launch that satisfies the preconditions
  SourcePtr kernel_source;    // for places; may be null
  SourcePtr program_source;
};

// Decisions are aligned with the ledger's obligations.
std::string certificate(const CertificateSubject& subject, const Ledger& ledger, const std::vector<Decision>& decisions,
                        Verdict verdict);

// What a certificate says that another one, of the same subject, does not: one line each, at most kMostDifferences. "" never:
// texts that differ in form alone are told so.
inline constexpr std::size_t kMostDifferences = 20;
std::vector<std::string> differences(const std::string& certificate, const std::string& again);

// "softmax.kir:14:5" without folders; "" without a place.
std::string place(const CertificateSubject& subject, const Obligation& o);

}  // namespace kir::proof
