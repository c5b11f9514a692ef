// A counterexample: an execution that goes wrong, as a plain value. tools/lib/story.h tells it to a person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interp/interpreter.h"
#include "proof/obligation.h"

namespace kir::smt {

enum class Misbehaviour : std::uint8_t {
  none,
  not_run,           // too large, too long, or an operation that an interpreter does not execute
  overlapping_view,  // two elements of a written view are one address; the launcher refuses
  kir_error,         // the kernel's own execution is erroneous
  refused,           // the program refuses a launch that the kernel accepts
  physical_error,    // the program's execution is erroneous, the kernel's is not
  different_output,  // an element differs from the value that the kernel defines
};
std::string_view name(Misbehaviour m);  // "different_output"

// Some instances of a launch, over memory that exists only where it is touched.
struct InstanceRun {
  SparseLaunch launch;
  Focus focus;
  bool of_program = false;             // the program's instances, else the kernel's
  std::vector<std::int64_t> programs;  // the program's: their ids
};

struct Place {
  proof::Side side = proof::Side::kir;
  SourceRange range;
};

// An operation at work in the execution.
struct Step {
  enum class Role : std::uint8_t {
    at,      // where it goes wrong
    first,   // of two accesses that nothing orders, as they were run
    second,  //
    kernel,  // gives an element the value that it should have
    program  // gives it the value that it has
  } role = Role::at;
  std::string what;                     // "store y[0]", or the operation's name
  std::optional<Scalar> value;          // read or written, where it matters
  std::optional<std::int64_t> program;  // the program id, in a physical program
  std::optional<std::int64_t> element;  // of the fragment that is loaded or stored, in row-major order
  std::optional<std::int64_t> thread;   // of the program, that holds it
  std::string group;                    // its execution group, where there are several
  std::vector<NamedValue> variables;    // of the loops, domains and groups around it, outermost first
  std::vector<Place> places;            // in the text that ran; then what of the kernel's text it stands for
};

struct Counterexample {
  enum class Run : std::uint8_t {
    kernel,     // the whole launch on the reference interpreter
    both,       // and on the physical interpreter
    instances,  // the instances that matter
    evaluated,  // one point of the obligation's formula
    combine,    // a combine alone, on given operands
  } run = Run::kernel;
  Misbehaviour what = Misbehaviour::none;                 // none where no program was run
  std::optional<RuntimeErrorKind> error;                  // of an erroneous execution
  std::vector<NamedValue> sizes;                          // the integers of the launch, in ABI order
  std::vector<std::pair<std::string, std::string>> same;  // views that are one memory: the second is the first
  std::optional<LaunchArgs> launch;                       // of a whole launch: its arguments before it ran
  std::vector<std::string> telling;      // its views and data scalars with other contents of which it may go well
  std::optional<InstanceRun> instances;  // of Run::instances
  std::vector<NamedValue> point;         // of Run::evaluated: the formula's variables
  std::vector<Step> steps;
  std::string finding;  // one sentence: "load x[2] is outside [0, 2)"

  // Where it goes wrong; empty when no one place did.
  Place place() const { return steps.empty() || steps.back().places.empty() ? Place{} : steps.back().places.front(); }
};

// "at N = 2, y is x: store y[0] with i = 0, then load x[0] with i = 1: both are ..."
std::string one_line(const Counterexample& c);

std::string list_text(const std::vector<NamedValue>& values);  // "M = 3, N = 4"
// "store y[0] = 1.0 in program 5 (group tail) with i = 3"
std::string text(const Step& s);

}  // namespace kir::smt
