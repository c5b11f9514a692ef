// One way for all tools to read a command line: --help ends with the exit codes, --version, exit 2 for wrong usage.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace kir::tools {

inline constexpr int kExitUsage = 2;

// An unsigned option in [least, most]; without such a check `-1` and what has too many digits pass as huge numbers.
inline CLI::Option* add_count(CLI::App& app, const std::string& option, std::uint64_t& value, const std::string& help,
                              std::uint64_t least = 0, std::uint64_t most = std::uint64_t{1} << 62) {
  return app.add_option(option, value, help)->check(CLI::Range(least, most));
}

// A file or folder to write. A variable of a script that is not set must not read as "write nothing".
inline CLI::Option* add_output(CLI::App& app, const std::string& option, std::string& value, const std::string& help) {
  return app.add_option(option, value, help)->check([](const std::string& path) {
    return path.empty() ? std::string("an empty name") : std::string();
  });
}

// 0 would be no limit for the solver.
inline void add_solver_limit(CLI::App& app, std::uint64_t& rlimit) {
  add_count(app, "--rlimit", rlimit, "solver resource units per obligation", 1, 4'000'000'000)->capture_default_str();
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
