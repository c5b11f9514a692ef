// What a mutant is worth: whether a run tells it from what it has to be, and whether anything refuses it.
//
// A damaged program is run beside the kernel, a damaged kernel beside the program of the original, on the launches that reach
// the damage. Both are validated as a pair; a damaged kernel that errs in a run must not be proven by itself either.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "smt/construction.h"
#include "tools/mutants/launches.h"

namespace kir::mutants {

// What is said about it.
enum class Verdict : std::uint8_t {
  malformed,  // the structural verifier refuses it
  refuted,    // the validator shows a counterexample
  unproved,   // UNKNOWN, UNSUPPORTED, INCONSISTENT or MISSING
  proved,
};
std::string_view name(Verdict v);

// What the runs show.
enum class Runs : std::uint8_t {
  none,         // malformed: nothing is run
  differ,       // one gave another result, or an error
  equal,        // none did
  not_reached,  // none did, and none executed the damaged place
};
std::string_view name(Runs r);

struct Judgement {
  Verdict verdict = Verdict::malformed;
  Runs runs = Runs::none;
  std::string reason;                        // rule id, or obligation kind with its verdict
  std::vector<proof::ObligationKind> kinds;  // those of which an obligation failed, each once, in their order
  std::vector<std::string> refused_by;       // the checks of the construction verifier that fail
  std::string run;                           // the run that differs

  // What is malformed has no run; it is told from every program.
  bool distinguishable() const { return runs == Runs::none || runs == Runs::differ; }
  bool killed() const { return distinguishable() && verdict != Verdict::proved; }
  bool survivor() const { return distinguishable() && verdict == Verdict::proved; }  // an unsound proof
  bool false_alarm() const { return !distinguishable() && verdict != Verdict::proved; }
};

using Verifier = std::function<smt::ConstructionVerdict(const Kernel&, const PhysicalProgram&, const smt::RunOptions&)>;

struct JudgeOptions {
  DrawOptions draw;
  int launches = 48;  // that reach the damage, at most, for each mutant
  std::uint64_t rlimit = 4'000'000;
  Verifier verifier = smt::verify_construction;
};

// Judges the mutants of one kernel and its program.
class Judge {
 public:
  Judge(KernelPtr kernel, PhysicalPtr program, const JudgeOptions& options);
  // What is wrong before anything is damaged: the program is not PROVED, or a launch tells it from the kernel. "": nothing.
  std::string fault();
  Judgement judge(const Mutant& mutant);

 private:
  // "" when the launch shows no difference, else what differs.
  std::string difference(const Mutant& mutant, const Launch& launch, int number);
  std::string difference_of_program(const PhysicalProgram& program, const Launch& launch, int number) const;
  std::string difference_of_kernel(const Kernel& kernel, const Launch& launch);
  bool reaches(const Mutant& mutant, const Launch& launch) const;
  void run(const Mutant& mutant, Judgement& out);

  KernelPtr kernel_;
  PhysicalPtr program_;
  const JudgeOptions& options_;
  Launches launches_;
  bool kernel_errs_ = false;  // the difference is an error of the damaged kernel itself
};

}  // namespace kir::mutants
