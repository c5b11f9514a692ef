// One way for all tools to read a command line: --help ends with the exit codes, --version, exit 2 for wrong usage.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace kir::tools {

inline constexpr int kExitUsage = 2;

inline void add_solver_options(CLI::App& app, int& jobs, std::uint64_t& rlimit) {
  app.add_option("-j,--jobs", jobs, "threads")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--rlimit", rlimit, "solver resource units per obligation")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4'000'000'000}))
      ->capture_default_str();
}

// The exit code to end with, or nothing: go on. `exit_codes`: "0 done; 1 ...", as it stands at the end of --help.
inline std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv, const std::string& exit_codes) {
  app.set_version_flag("--version", app.get_name() + " " KIR_VERSION);
  app.footer("Exit codes: " + exit_codes);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kExitUsage;
  }
  return std::nullopt;
}

}  // namespace kir::tools
