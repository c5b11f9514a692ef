// Each structural rule W-nn of physical programs has a program that breaks it and gets its number.
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "core/layout/text.h"
#include "op_samples.h"
#include "text_support.h"

namespace kir::test {
namespace {

using Breaker = std::function<void(PhysicalProgram&)>;

PhysicalProgram without_result();
PhysicalProgram with_workspace(const std::string& buffers);

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
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].layout = *layout::parse_tile_layout("S[(2,4):(1@m,2@tid)]"); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].layout = *layout::parse_tile_layout("S[(2,4):(1@m,1@tid)] + -1@tid"); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].layout = *layout::parse_tile_layout("S[(2,4):(1@m,1@laneid)]"); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts[0].layout = *layout::parse_tile_layout("S[(2,4):(N@m,1@tid)]"); }},
      {"W-07",
       [](PhysicalProgram& p) { p.layouts[0].layout = *layout::parse_tile_layout("S[(2,4):(1@m,1@tid)] + R[2:1@tid]"); }},
      {"W-07", [](PhysicalProgram& p) { p.layouts.push_back(p.layouts[0]); }},
      {"W-08", [](PhysicalProgram& p) { p.layouts.clear(); }},
      {"W-08", [](PhysicalProgram& p) { p.layouts[0].layout = *layout::parse_tile_layout("S[4:1@tid]"); }},
      {"W-14", [](PhysicalProgram& p) { p = without_result(); }},
      {"W-15",
       [](PhysicalProgram& p) {
         p = with_workspace("b: view f32[N]");
         p.workspace[0] = p.work;
       }},
      {"W-15",
       [](PhysicalProgram& p) {
         p = with_workspace("b: view f32[N] c: view f32[N]");
         std::swap(p.workspace[0], p.workspace[1]);
       }},
      {"W-15",
       [](PhysicalProgram& p) {
         p = with_workspace("L: view f32[N]");
         p.definitions[0].name = p.segments[0].length = "L";
       }},
      {"V-08", [](PhysicalProgram& p) { p.workspace.push_back(p.work); }},
      {"V-03", [](PhysicalProgram& p) { p.abi.symbols[0].lo = p.pool->constant(1); }},
      {"V-08", [](PhysicalProgram& p) { p.root = {}; }},
  };
}

PhysicalProgram with_workspace(const std::string& buffers) {
  std::string text = program_around("");
  text.insert(text.find("dispatch"), "workspace { " + buffers + " }\n");
  PirResult r = pir_of(text);
  EXPECT_TRUE(r.program) << r.text();
  return *r.program;
}

// A program whose body is made anew, without one region.
PhysicalProgram without_result() {
  PirResult r = pir_of(program_around(
      "%t: f32 = scan inclusive forward (%n: i64 in 0..N) map { yield %c } combine order(any) (%u: f32, %v: f32) { yield %u } "
      "identity (0.0) result (%k: i64, %l: f32) { }"));
  PhysicalProgram p = *r.program;
  BodyBuilder b;
  std::vector<RegionId> roots{b.new_region(), b.new_region()};
  std::map<ValueId, ValueId> values;
  std::function<void(RegionId, RegionId)> copy = [&](RegionId from, RegionId to) {
    const Region& region = p.body.region(from);
    for (ValueId v : region.args) values[v] = b.add_argument(to, p.body.type(v), p.body.value(v).name);
    b.enter(to);
    for (OpId id : region.ops) {
      const Op& op = p.body.op(id);
      std::vector<RegionId> regions;
      for (std::size_t k = 0; k < std::min<std::size_t>(op.regions.size(), 2); ++k) {
        regions.push_back(b.new_region());
        copy(op.regions[k], regions.back());
      }
      std::vector<ValueId> operands;
      for (ValueId v : op.operands) operands.push_back(values.at(v));
      Attrs attrs;
      for (const auto& [key, attr] : op.attrs.all()) {
        auto renamed = [&](Expr e) {
          return substitute(e, [&](Expr l) { return l.is(ExprKind::value) ? p.pool->value(values.at(l.value())) : Expr(); });
        };
        if (const Expr* e = std::get_if<Expr>(&attr))
          attrs.set(key, renamed(*e));
        else
          attrs.set(key, attr);
      }
      std::vector<Type> types;
      for (ValueId v : op.results) types.push_back(p.body.type(v));
      OpId made = b.emit_with_regions(op.kind, operands, attrs, regions, types);
      for (std::size_t k = 0; k < op.results.size(); ++k) values[op.results[k]] = b.result(made, k);
    }
    b.leave();
  };
  copy(p.root, roots[0]);
  copy(p.groups[0].region, roots[1]);
  BodyBuilder::Renumbering map;
  p.body = b.freeze(*p.pool, roots, &map);
  p.root = map.regions[roots[0].index];
  p.groups[0].region = map.regions[roots[1].index];
  p.work = p.body.region(p.root).args.back();
  for (std::size_t i = 0; i < p.abi.views.size(); ++i) p.abi.views[i].value = p.body.region(p.root).args[i];
  p.abi.scalars[0].value = p.body.region(p.root).args[p.abi.views.size()];
  auto work = [&](Expr e) {
    return substitute(e, [&](Expr l) { return l.is(ExprKind::value) ? p.pool->value(p.work) : Expr(); });
  };
  for (DispatchArm& a : p.arms) {
    a.guard = work(a.guard);
    for (Expr& c : a.coordinates) c = work(c);
  }
  return p;
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
      {"W-13", "b: view f32[4] = buffer [4] scope(iteration)"},
      {"W-13", "for %t: i64 in 0..3 {\n b: view f32[4] = buffer [4] scope(private)\n}"},
      {"W-13", "b: view f32[%m] = buffer [%m] scope(private)"},
      {"W-13", "b: view f32[%m] = buffer [%m] scope(private) capacity (%m + 1)"},
      {"V-35", "b: view f32[4] = buffer [N] scope(private)"},
      {"V-35", "b: view f32[4] = buffer [4] scope(private) init (%k: i64) { yield %k }"},
      {"V-17", "b: view f32[4] = buffer [4] scope(private) init (%k: i32) { yield %c }"},
      {"V-29",
       "%r: f32 = reduce (%n: i64 in 0..N) map { b: view f32[4] = buffer [4] scope(iteration)\n yield %c } combine "
       "order(any) (%u: f32, %v: f32) { yield %u }"},
      {"P-03", "b: view f32[4] = buffer [4]"},
      {"P-03", "b: view f32[4] = buffer [4] scope(shared)"},
      {"T-03", "b: f32 = constant 1.0"},
      {"V-09", "b: view f32[N] = transpose x perm(0)"},
      {"V-17",
       "%t: f32 = scan inclusive forward (%n: i64 in 0..N) map { yield %c } combine order(any) (%u: f32, %v: f32) { yield %u } "
       "identity (0.0) result (%k: i64) { }"},
      {"V-17",
       "%t: f32 = scan inclusive forward (%n: i64 in 0..N) map { yield %c } combine order(any) (%u: f32, %v: f32) { yield %u } "
       "identity (0.0) result (%k: i64, %l: i32) { }"},
      {"V-47",
       "%t: f32 = scan exclusive forward (%n: i64 in 0..N) map { yield %c } combine order(any) (%u: f32, %v: f32) { yield %u } "
       "result (%k: i64, %l: f32) { }"},
      {"P-03",
       "%t: f32 = scan inclusive forward (%n: i64 in 0..N) map { yield %c } combine order(any) (%u: f32, %v: f32) { yield %u "
       "}"},
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
  EXPECT_EQ(rules, 15);
}

}  // namespace
}  // namespace kir::test
