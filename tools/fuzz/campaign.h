// A fuzzing campaign: trials of consecutive seeds, what became of them, and a file of its progress from which it goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/fuzz/isolated_trials.h"

namespace kir::fuzz {

struct CampaignOptions {
  std::uint64_t first = 0, count = 1000;  // seeds
  TrialOptions trial;
  std::uint64_t prove_every = 0;  // the trials whose seed it divides are proven too; 0: none
  Isolation isolation;
  double seconds = 0;       // ends after this time; 0: not by time
  std::string state;        // a file; "": none
  std::string folder;       // for failures, made small; "": none
  int shrink_budget = 400;  // trials for one failure; a proof counts as 20
  int most_failures = 20;   // stops making failures small after this many of one kind
};

struct Failure {
  std::uint64_t seed = 0;
  Verdict verdict = Verdict::different;
  std::string reason, detail, file;
};

struct Campaign {
  std::uint64_t next = 0;                                             // the seed to go on with
  std::map<std::pair<Verdict, std::string>, std::uint64_t> verdicts;  // by verdict and reason
  std::uint64_t launches = 0, undecided = 0, proven = 0;
  std::map<Feature, std::uint64_t> features;
  std::vector<Failure> failures;
  std::uint64_t trials() const;
};

// `progress` is called after each trial, those that make a failure small too; false interrupts. What has been done so far is
// in the state file then, and the same call goes on behind it. Empty with *error set: the state file is of other options, or a
// file could not be written.
std::optional<Campaign> run_campaign(const CampaignOptions& options, const std::function<bool(const Campaign&)>& progress,
                                     std::string* error);

// The operations by the family of the operation around them and by what construction made of them, as a table in Markdown.
std::string features_markdown(const Campaign& campaign);

}  // namespace kir::fuzz
