// Parsing, construction and questions about the result, for the tests of lowering.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/ir/op_table.h"
#include "core/ir/verify.h"
#include "core/text/text.h"
#include "lowering/construct.h"
#include "lowering/pipeline.h"

namespace kir::lowering::testing {

inline std::string read_corpus(const std::string& name) {
  std::ifstream in(std::string(KIR_SOURCE_DIR) + "/corpus/" + name);
  std::stringstream s;
  s << in.rdbuf();
  EXPECT_FALSE(s.str().empty()) << name;
  return s.str();
}

inline std::shared_ptr<const Kernel> parse_one(const std::string& text) {
  auto source = std::make_shared<SourceFile>("test.kir", text);
  Diagnostics d;
  std::optional<Module> m = parse_kir(source, d);
  EXPECT_TRUE(m) << d.render(*source);
  if (!m || m->kernels.empty()) return nullptr;
  return m->kernels[0];
}

// A kernel given without the leading "kir 1".
inline std::shared_ptr<const Kernel> kernel(const std::string& text) { return parse_one("kir 1\n" + text); }

struct Built {
  std::shared_ptr<const Kernel> kernel;
  std::optional<Construction> result;
  std::string errors;
  const PhysicalProgram& program() const { return *result->program; }
};

inline Built build_kernel(std::shared_ptr<const Kernel> k, bool all_passes = true) {
  Built b{k, std::nullopt, ""};
  if (!k) return b;
  Diagnostics d;
  b.result = compile(*k, {.stop_after = all_passes ? "" : "construct", .after = {}}, d);
  for (const Diagnostic& x : d.all()) b.errors += x.id + " " + x.message + "\n";
  return b;
}

inline Built build(const std::string& text) {
  Built b = build_kernel(kernel(text));
  EXPECT_TRUE(b.result) << b.errors;
  return b;
}

inline std::string refusal(const std::string& text) {
  Built b = build_kernel(kernel(text));
  EXPECT_FALSE(b.result);
  return b.errors;
}

// "m, n" for each group: the axes of its segment.
inline std::vector<std::string> axes(const Built& b) {
  std::vector<std::string> out;
  for (const Segment& s : b.program().segments) {
    std::string line;
    for (const std::string& a : s.axes) line += (line.empty() ? "" : ", ") + a;
    out.push_back(line);
  }
  return out;
}

inline std::string definition(const Built& b, const std::string& name) {
  const Definition* d = b.program().find_definition(name);
  return d ? to_string(d->value) : "none";
}

inline std::string explanation(const Built& b, std::size_t group = 0) {
  std::string out;
  for (const std::string& line : b.result->explanations.at(group).lines) out += line + "\n";
  return out;
}

// Names of the operations of a region, nested ones in brackets: "load for(load add next) store yield".
inline std::string shape(const Body& body, RegionId region) {
  std::string out;
  for (OpId id : body.region(region).ops) {
    const Op& op = body.op(id);
    out += (out.empty() ? "" : " ") + std::string(row(op.kind).name);
    for (RegionId r : op.regions) out += "(" + shape(body, r) + ")";
  }
  return out;
}
inline std::string shape(const Built& b, std::size_t group = 0) {
  return shape(b.program().body, b.program().groups.at(group).region);
}

inline std::string text(const Built& b) { return print(b.program(), {.origins = false}); }

}  // namespace kir::lowering::testing
