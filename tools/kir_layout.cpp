// kir-layout: layouts over named axes. Prints them, maps elements, decides what is true of them, computes with them, and draws
// them.
//
// Exit: 0 done, everything demanded PROVED; 1 something REFUTED, a case that fails, a part or a primitive that there is not; 2
// usage, malformed input, output; 3 UNKNOWN.
#include <fmt/format.h>

#include "core/base/exit_code.h"
#include "tools/layout/command.h"
#include "tools/lib/command_line.h"

namespace {

using namespace kir;

int run_tool(int argc, char** argv) {
  tools::CommandLine line;
  line.app.require_subcommand(1);
  line.app.add_flag("--json", line.json, "answer in JSON");
  tools::add_basic_commands(line);
  tools::add_cases_command(line);
  tools::add_decision_commands(line);
  tools::add_algebra_commands(line);
  tools::add_machine_commands(line);
  if (auto code =
          tools::parse_command_line(line.app, argc, argv,
                                    "0 done, all that is demanded PROVED; 1 REFUTED, a case fails, or there is no such part;\n"
                                    "2 usage, malformed input, output; 3 UNKNOWN"))
    return *code;
  try {
    return line.run();
  } catch (const tools::Refusal& r) {
    fmt::print(stderr, "{}", tools::rendered(r));
    return tools::kExitUsage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  return kir::exit_code_of([&] { return run_tool(argc, argv); });
}
