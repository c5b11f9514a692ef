// The command line of kir-layout: each command adds itself to the program and says what to run when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tools/layout/json.h"
#include "tools/layout/subject.h"

namespace kir::tools {

// Malformed input: what is wrong, and the text it is wrong in. Ends the program with exit code 2.
struct Refusal {
  Complaint complaint;
  std::string text;
};
// The message for a terminal, with the text and a caret under the column.
std::string rendered(const Refusal& r);

template <class T>
T need(Checked<T> result, const std::string& text) {
  if (!result) throw Refusal{result.error(), text};
  return *std::move(result);
}
template <class T>
T need(layout::Result<T> result, std::string field) {
  if (!result) throw Refusal{{std::move(field), 0, result.error()}, {}};
  return *std::move(result);
}

struct CommandLine {
  CLI::App app{"Layouts over named axes: what they map where, what is true of them, and pictures of it.", "kir-layout"};
  bool json = false;         // --json
  std::function<int()> run;  // of the chosen command; gives the exit code
};

// A command. `run` is called with the arguments that `options` bound, after parsing.
template <class Arguments>
CLI::App* add_command(CommandLine& line, const std::string& name, const std::string& help, const std::string& group,
                      std::function<void(CLI::App&, Arguments&)> options, std::function<int(const Arguments&, bool json)> run) {
  CLI::App* app = line.app.add_subcommand(name, help);
  app->group(group)->fallthrough();
  auto arguments = std::make_shared<Arguments>();
  options(*app, *arguments);
  app->final_callback(
      [&line, arguments, run = std::move(run)] { line.run = [&line, arguments, run] { return run(*arguments, line.json); }; });
  return app;
}

// The layout argument with everything that says how it is seen.
struct SubjectArguments {
  SubjectText text;
  std::string dtype = "16", mode = "none", svg, html;

  SubjectText resolved() const;   // with dtype and mode read
  Subject subject() const;        // without symbols
  layout::Layout layout() const;  // with them
  void write_pictures() const;    // --svg and --html, where given
};
void add_subject(CLI::App& app, SubjectArguments& a);

// "S[...]" of an argument.
layout::Layout layout_argument(const std::string& text);
layout::TileLayout tile_argument(const std::string& text);
layout::Shape shape_argument(const std::string& field, const std::string& text);

// Rows with columns aligned, the first one the head.
std::string aligned(const std::vector<std::vector<std::string>>& rows);
std::string coordinate_text(const std::vector<std::int64_t>& coordinate);  // "(0, 8)"

// What a command gives: its rows to read, or the same as JSON. Exit code 0.
int show_table(const std::vector<std::vector<std::string>>& rows, const Json& data, bool json);
int show_layout(const layout::Layout& l, bool json);  // as text, or {"layout": ...}

struct Nothing {};  // the arguments of a command that takes none

void add_basic_commands(CommandLine& line);     // print, apply, table, axes, presets, page
void add_decision_commands(CommandLine& line);  // check, equal, disjoint, banks, swizzle
void add_algebra_commands(CommandLine& line);   // compose, canonicalize, ...
void add_machine_commands(CommandLine& line);   // factory, primitives, dispatch
void add_cases_command(CommandLine& line);      // cases

}  // namespace kir::tools
