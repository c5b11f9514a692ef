// One trial: a random kernel goes through every layer, and every layer has to agree with the reference interpreter.
//
//   write -> parse -> print and parse again -> construct -> structural check -> physical interpreter, with and without origins,
//   with two orders of the program ids -> host code -> validation
//
// Results are compared as core/interp/oracle.h says. A trial is a function of its seed and options alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/pir/program.h"
#include "tools/fuzz/choices.h"
#include "tools/fuzz/kernel_writer.h"

namespace kir::fuzz {

struct TrialOptions {
  Profile profile;
  std::int64_t largest_extent = 128;
  int launches = 3;
  bool host = true;
  bool prove = false;
  std::uint64_t rlimit = 4'000'000;                        // solver resources per obligation
  PhysicalPtr (*alter)(const PhysicalProgram&) = nullptr;  // stands in for the constructed program: to test the trial itself
  std::uint64_t max_steps = 3'000'000;                     // of one interpreted launch; longer ones are left out
};

enum class Verdict : std::uint8_t {
  agrees,      // at least one launch was compared, all agree; proven, where that was asked for
  erroneous,   // every launch was erroneous or too long: nothing to compare
  refused,     // construction or emission has no form for it, and says so
  unproved,    // agrees, but the validator could not prove it
  malformed,   // the writer made a text that the language refuses
  round_trip,  // print and parse gave another kernel
  broken,      // construction made a malformed program, or the physical program errs where the kernel does not
  different,   // a provider gave another result
  refuted,     // the validator refuted what construction built
  crashed,     // its process ended (isolate.h)
  hung,        // its process did not end
};
std::string_view name(Verdict v);
inline bool is_failure(Verdict v) { return v >= Verdict::unproved; }

// An operation, the operation with a region around it ("" at the top level), and what construction made of it: a group with so
// many instance axes, or nothing of its own.
struct Feature {
  std::string operation, around;
  int axes = 0;
  static constexpr int kNothing = -1;
  auto operator<=>(const Feature&) const = default;
};

struct TrialResult {
  Verdict verdict = Verdict::erroneous;
  std::string reason;  // of a verdict other than agrees: one line, the same for the same fault where that can be told
  std::string detail;  // the story: launch, element, values
  std::string text;    // the kernel
  int compared = 0;    // launches
  int undecided = 0;   // launches with an element that the oracle cannot decide
  std::map<Feature, int> features;  // how often each occurs; of trials that compared something
};

// The words of a trial's choices, for a seed.
Choices::Words words_of(std::uint64_t seed);
TrialResult run_trial(const Choices::Words& words, const TrialOptions& options);

}  // namespace kir::fuzz
