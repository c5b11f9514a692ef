// Each structural rule W-nn of physical programs has a program that breaks it and gets its number.
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

using Breaker = std::function<void(PhysicalProgram&)>;

std::multimap<std::string, Breaker> struct_breakers() {
  return {
      {"V-01", [](PhysicalProgram& p) { p.name = "9"; }},
      {"V-01", [](PhysicalProgram& p) { p.implements = "a\"b"; }},
      {"W-03", [](PhysicalProgram& p) { p.segments[0].axes[0] = "m.n"; }},
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].name = "L L"; }},
      {"W-01", [](PhysicalProgram& p) { p.launch.pack = 2; }},
      {"W-01", [](PhysicalProgram& p) { p.launch.threads = 0; }},
      {"W-02", [](PhysicalProgram& p) { p.definitions[0].name = "N"; }},
      {"W-02", [](PhysicalProgram& p) { p.definitions[0].name = "x"; }},
      {"W-02", [](PhysicalProgram& p) { p.definitions[0].value = p.pool->symbol("G"); }},
      {"W-02", [](PhysicalProgram& p) { p.definitions[0].value = p.pool->value(p.work); }},
      {"W-02", [](PhysicalProgram& p) { p.definitions[0].value = {}; }},
      {"W-03", [](PhysicalProgram& p) { p.segments.clear(); }},
      {"W-03", [](PhysicalProgram& p) { p.segments[0].group = "h"; }},
      {"W-03", [](PhysicalProgram& p) { p.segments[0].hi.clear(); }},
      {"W-03", [](PhysicalProgram& p) { p.launch.grid = "L0"; }},
      {"W-03", [](PhysicalProgram& p) { std::swap(p.definitions[0], p.definitions[1]); }},
      {"W-03", [](PhysicalProgram& p) { p.segments[0].hi[0] = p.pool->symbol("Q"); }},
      {"W-04", [](PhysicalProgram& p) { p.arms[0].group = 5; }},
      {"W-04", [](PhysicalProgram& p) { p.arms[0].coordinates.clear(); }},
      {"W-04", [](PhysicalProgram& p) { p.arms[0].guard = p.pool->constant(1); }},
      {"W-04", [](PhysicalProgram& p) { p.arms[0].coordinates[0] = p.pool->position(0); }},
      {"W-05", [](PhysicalProgram& p) { p.work = p.abi.scalars[0].value; }},
      {"W-06", [](PhysicalProgram& p) { p.groups[0].name = "let"; }},
      {"W-06", [](PhysicalProgram& p) { p.groups[0].region = p.root; }},
      {"W-06", [](PhysicalProgram& p) { p.groups[0].lo.clear(); }},
      {"W-06", [](PhysicalProgram& p) { p.groups[0].hi[0] = p.pool->value(p.work); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].layout = *parse_layout("S[(2,4):(1@m,2@tid)]"); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].layout = *parse_layout("S[(2,4):(1@m,1@tid)] + -1@tid"); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].layout = *parse_layout("S[(2,4):(1@m,1@moon)]"); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts.push_back(p.layouts[0]); }},
      {"W-08", [](PhysicalProgram& p) { p.layouts.clear(); }},
      {"W-08", [](PhysicalProgram& p) { p.layouts[0].layout = *parse_layout("S[4:1@tid]"); }},
      {"V-03", [](PhysicalProgram& p) { p.abi.symbols[0].lo = p.pool->constant(1); }},
      {"V-08", [](PhysicalProgram& p) { p.root = {}; }},
  };
}

std::multimap<std::string, std::string> text_breakers() {
  return {
      {"W-08", "%r: f32<8; @K> = splat %c"},
      {"W-08", "%r: f32<4; @L> = splat %c"},
      {"W-09", "%r: i64<8; @L> = index pos(1)"},
      {"W-09", "%r: i64<8> = index %e + 1"},
      {"W-09", "%r: i64<4> = index %e + 1"},
      {"W-10", "%r: f64<8; @L> = splat %c"},
      {"W-11", "%r: f32 = tile_reduce %c axes(0) order(any) combine (%u: f32, %v: f32) { yield %u }"},
      {"W-11", "%r: f32 = tile_reduce %f axes() order(any) combine (%u: f32, %v: f32) { yield %u }"},
      {"W-12", "store y[%e] = %f where %in vec 3"},
      {"V-13", "%r: f32<8; @L> = add %f, %c"},
      {"T-04", "%r: f32 = load x[%e]"},
      {"V-19", "%z: i64 = index 0\nstore y[%z] = %f"},
      {"V-17", "for %t: i8 in 0..3 { }"},
      {"V-13", "%r: f32 = if %in { yield %c } else { yield %c }"},
      {"V-09", "%r: f32 = elem x[%m]"},
      {"V-21", "store x[%m] = %c"},
      {"V-29",
       "%r: f32 = reduce (%n: i64 in 0..N) map { store y[%n] = %c\n yield %c } combine order(any) (%u: f32, %v: f32) { yield "
       "%u }"},
      {"V-31",
       "%r: f32 = tile_reduce %f axes(0) order(any) identity assumed (0.0) combine (%u: f32, %v: f32) { yield %u }\n"
       "%q: f32 = reduce (%n: i64 in 0..N) map { yield %c } combine order(any) (%u: f32, %v: f32) { yield %u } init (%c, %c)"},
  };
}

TEST(VerifyProgram, EveryRuleIsBrokenBySomeProgram) {
  std::set<std::string> broken;
  PirResult good = pir_of(program_around("store y[%e] = %f where %in"));
  ASSERT_TRUE(good.program) << good.text();
  for (const auto& [rule, breaker] : struct_breakers()) {
    PhysicalProgram p = *good.program;
    breaker(p);
    Diagnostics d(1000);
    EXPECT_FALSE(verify(p, d)) << rule;
    bool found = std::any_of(d.all().begin(), d.all().end(), [&](const Diagnostic& x) { return x.id == rule; });
    EXPECT_TRUE(found) << rule << " is not told; told is "
                       << (d.all().empty() ? "nothing" : d.all()[0].id + ": " + d.all()[0].message);
    if (found) broken.insert(rule);
  }
  for (const auto& [rule, text] : text_breakers()) {
    PirResult r = pir_of(program_around(text));
    EXPECT_FALSE(r.program) << text;
    EXPECT_TRUE(r.has(rule) || (rule == "V-09" && r.has("T-03"))) << rule << ": " << text << "\n" << r.text();
    if (r.has(rule)) broken.insert(rule);
  }
  std::ifstream in(KIR_SOURCE_DIR "/core/ir/verify_program.cpp");
  std::ostringstream source;
  source << in.rdbuf();
  std::string text = source.str();
  std::regex rule("//   (W-[0-9]+)  ");
  int rules = 0;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), rule); it != std::sregex_iterator(); ++it, ++rules)
    EXPECT_TRUE(broken.contains((*it)[1])) << (*it)[1] << " has no test in which it fails";
  EXPECT_EQ(rules, 12);
}

}  // namespace
}  // namespace kir::test
