#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/layout/factory.h"
#include "core/layout/primitive.h"
#include "core/layout/text.h"
#include "tools/layout/command.h"

namespace kir::tools {
namespace {

struct FactoryArguments {
  std::string name;
  std::vector<std::string> arguments;
};

layout::Argument argument_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw Refusal{{"argument", 1, "expected NAME=VALUE"}, text};
  layout::Argument out{text.substr(0, equals), {}, {}};
  const std::string value = text.substr(equals + 1);
  if (Checked<std::vector<std::int64_t>> numbers = read_numbers(out.name, value); numbers && !numbers->empty())
    out.numbers = *std::move(numbers);
  else
    out.word = value;
  return out;
}

int factory_command(const FactoryArguments& a, bool json) {
  if (!a.name.empty()) {
    std::vector<layout::Argument> arguments;
    for (const std::string& text : a.arguments) arguments.push_back(argument_of(text));
    return show_layout(need(layout::build(a.name, arguments), "factory"), json);
  }
  std::vector<std::vector<std::string>> rows;
  Json out = Json::array();
  for (const layout::FactoryRow& row : layout::factories()) {
    rows.push_back({std::string(row.name), std::string(row.arguments), std::string(row.meaning)});
    out.push_back({{"factory", row.name}, {"arguments", row.arguments}, {"meaning", row.meaning}});
  }
  return show_table(rows, out, json);
}

int primitives_command(const Nothing&, bool json) {
  std::vector<std::vector<std::string>> rows = {{"primitive", "operation", "scope", "operand", "space", "types", "layout"}};
  Json out = Json::array();
  for (const layout::PrimitiveRow& p : layout::primitives()) {
    Json operands = Json::array();
    for (const layout::OperandRow& o : p.operands) {
      const bool first = operands.empty();
      rows.push_back({first ? std::string(p.name) : "", first ? std::string(p.operation) : "",
                      first ? std::string(name_of(p.scope)) : "", std::string(o.name), std::string(name_of(o.space)),
                      std::string(o.dtypes), std::string(o.layout)});
      operands.push_back({{"operand", o.name}, {"space", name_of(o.space)}, {"types", o.dtypes}, {"layout", o.layout}});
    }
    out.push_back(
        {{"primitive", p.name}, {"operation", p.operation}, {"scope", name_of(p.scope)}, {"operands", std::move(operands)}});
  }
  return show_table(rows, out, json);
}

struct DispatchArguments {
  std::string operation, scope = "thread";
  std::vector<std::string> operands;
};

// "registers f16 (16,16) S[...]": space, element type, shape, layout.
layout::OperandUse operand_of(const std::string& text) {
  std::size_t at = 0;
  auto word = [&] {
    at = std::min(text.find_first_not_of(' ', at), text.size());
    const std::size_t start = at;
    at = std::min(text.find(' ', at), text.size());
    return text.substr(start, at - start);
  };
  layout::OperandUse out;
  const std::string space = word();
  const std::optional<layout::Space> found = layout::space_of(space);
  if (!found)
    throw Refusal{{"operand", 1, "expected a space: global, shared, registers, tensor-memory, scratchpad or accumulator-banks"},
                  text};
  out.space = *found;
  out.dtype = word();
  need(read_dtype(out.dtype), out.dtype);
  const std::string shape = word();
  out.shape = need(read_numbers("shape", shape), shape);
  if (out.shape.empty()) throw Refusal{{"operand", at + 1, "expected SPACE TYPE SHAPE LAYOUT, the shape without blanks"}, text};
  out.layout = layout_argument(text.substr(at));
  return out;
}

int dispatch_command(const DispatchArguments& a, bool json) {
  layout::PrimitiveUse use{a.operation, layout::Scope::thread, {}};
  bool known = false;
  for (int i = 0; i <= static_cast<int>(layout::Scope::mesh); ++i)
    if (name_of(static_cast<layout::Scope>(i)) == a.scope) {
      use.scope = static_cast<layout::Scope>(i);
      known = true;
    }
  if (!known) throw Refusal{{"scope", 0, "a scope is thread, warp, warpgroup, cta, cluster, kernel or mesh"}, {}};
  for (const std::string& text : a.operands) use.operands.push_back(operand_of(text));
  const layout::Result<const layout::PrimitiveRow*> row = dispatch(use);
  if (json)
    fmt::print("{}\n", (row ? Json{{"primitive", (*row)->name}} : Json{{"primitive", nullptr}, {"why", row.error()}}).dump(2));
  else
    fmt::print("{}\n", row ? std::string((*row)->name) : row.error());
  return row ? 0 : 1;
}

}  // namespace

void add_machine_commands(CommandLine& line) {
  const std::string group = "Machines";
  add_command<FactoryArguments>(
      line, "factory", "a layout that hardware fixes; without a name all factories", group,
      [](CLI::App& app, FactoryArguments& a) {
        app.add_option("NAME", a.name, "the factory");
        app.add_option("ARGUMENT", a.arguments, "NAME=VALUE, a list as shape=64,256");
      },
      factory_command);
  add_command<Nothing>(
      line, "primitives", "the table of tile primitives", group, [](CLI::App&, Nothing&) {}, primitives_command);
  add_command<DispatchArguments>(
      line, "dispatch", "which primitive serves an operation; exit 1 when none does", group,
      [](CLI::App& app, DispatchArguments& a) {
        app.add_option("OPERATION", a.operation, "gemm or copy")->required();
        app.add_option("--scope", a.scope, "who executes it")->capture_default_str();
        app.add_option("--operand", a.operands, "\"SPACE TYPE SHAPE LAYOUT\", in the primitive's order; repeated")->required();
      },
      dispatch_command);
}

}  // namespace kir::tools
