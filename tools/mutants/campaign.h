// Judging a selection of mutants in processes of their own, with a file of what is done from which it goes on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/fuzz/isolate.h"
#include "tools/mutants/judge.h"
#include "tools/mutants/selection.h"

namespace kir::mutants {

struct CampaignOptions {
  JudgeOptions judge;
  fuzz::Isolation isolation{.jobs = 1, .patience = std::chrono::seconds(600), .chunk = 16};
  std::string state;  // a file; "": none
  std::string build;  // of what judges: the state of another one is not gone on from
};

// One mutant that has been judged, or whose process ended without a judgement.
struct Result {
  Choice choice;
  std::string place;
  std::optional<Judgement> judgement;
  std::string failure;  // why there is none: "crashed: Segmentation fault"
};

// Judges each choice, in order; `done` gets each result in this order, those of the state file too; false interrupts. The
// results do not depend on the number of processes, but for a mutant that is cut off (isolation.patience). Before the first
// mutant of a subject its undamaged program is judged (Judge::fault). Gives the number of results; empty with *error set: a
// program has a fault undamaged; the state file is of other options or damaged, or could not be written.
std::optional<std::size_t> run_campaign(const std::vector<Subject>& subjects, const std::vector<Choice>& choices,
                                        const CampaignOptions& options, const std::function<bool(const Result&)>& done,
                                        std::string* error);

}  // namespace kir::mutants
