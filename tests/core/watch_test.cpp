// What a run tells of one element that it is asked to follow, and of where an error stands.
#include "interp_support.h"

namespace kir {
namespace {

using testing::Arguments;
using testing::parse_kernel;
using testing::parse_program;
using testing::run;

std::vector<std::string> texts(const Watch& watch) {
  std::vector<std::string> out;
  for (const RuntimeEvent& e : watch.events) {
    std::string s = e.access + (e.writes ? " := " : " gives ") + (e.value ? literal_text(*e.value) : "?");
    if (e.program) s += " in " + std::to_string(*e.program);
    for (const NamedValue& v : e.variables) s += " " + v.name + "=" + to_string(v.value);
    out.push_back(s);
  }
  return out;
}

Arguments two(std::vector<std::string> x) {
  Arguments a;
  const auto n = static_cast<std::int64_t>(x.size());
  a.tensor("x", DType::f32, {n}, std::move(x)).tensor("y", DType::f32, {n});
  return a;
}

TEST(Watch, tells_the_accesses_of_one_element_in_order) {
  const auto kernel = parse_kernel(
      "kernel k(x: in f32[N], y: inout f32[N]) {\n  parallel i in 0..N {\n    y[i] = x[i]\n    let a: f32 = load y[i]\n"
      "    for j in 0..2 { y[i] = a }\n  }\n}");
  Watch y{{1, 1}, {}}, x{{0, 1}, {}}, none{{7, 1}, {}};
  const Arguments a = two({"1.0", "2.0", "3.0"});
  for (Watch* w : {&y, &x, &none}) EXPECT_TRUE(run(kernel, a, {.watch = w}).ok());
  EXPECT_EQ(texts(y), (std::vector<std::string>{"store y[1] := 2.0 i=1", "load y[1] gives 2.0 i=1", "store y[1] := 2.0 i=1 j=0",
                                                "store y[1] := 2.0 i=1 j=1"}));
  EXPECT_EQ(texts(x), (std::vector<std::string>{"load x[1] gives 2.0 i=1"}));
  EXPECT_TRUE(none.events.empty());
}

TEST(Watch, of_identical_views_either_name_is_followed) {
  const auto kernel =
      parse_kernel("kernel k(x: in f32[N], y: inout f32[N]) alias { may_alias(x, y) } { parallel i in 0..N { y[i] = x[i] } }");
  Arguments a = two({"1.0", "2.0"});
  a.args.views["y"] = a.args.views["x"];
  Watch watch{{0, 0}, {}};
  EXPECT_TRUE(run(kernel, a, {.watch = &watch}).ok());
  EXPECT_EQ(texts(watch), (std::vector<std::string>{"load x[0] gives 1.0 i=0", "store y[0] := 1.0 i=0"}));
}

TEST(Watch, keeps_the_last_accesses_of_many) {
  const auto kernel =
      parse_kernel("kernel k(x: in f32[N], y: inout f32[N]) { for j in 0..10001 { let a: f32 = load x[0] y[0] = a } }");
  Watch watch{{1, 0}, {}};
  EXPECT_TRUE(run(kernel, two({"1.0"}), {.watch = &watch}).ok());
  EXPECT_LE(watch.events.size(), Watch::kMostEvents);
  EXPECT_GE(watch.events.size(), Watch::kMostEvents / 2);
  EXPECT_EQ(watch.events.back().variables.at(0).value, 10000);
}

TEST(RuntimeError, says_apart_what_went_wrong_and_where) {
  const auto kernel = parse_kernel("kernel k(x: in f32[N], y: inout f32[N]) { parallel i in 0..N { y[i] = x[i + 1] } }");
  const InterpretResult r = run(kernel, two({"1.0", "2.0"}));
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->message, "load x[2] is outside [0, 2) with i = 1");
  EXPECT_EQ(r.error->what, "load x[2] is outside [0, 2)");
  EXPECT_EQ(r.error->at.access, "load x[2]");
  EXPECT_EQ(r.error->at.variables, (std::vector<NamedValue>{{"i", 1}}));
  EXPECT_FALSE(r.error->at.program);
  EXPECT_EQ(kernel->body.op(r.error->at.op).range, r.error->range);
}

// Of the two accesses of a race the earlier one is told where the element is followed; which of several it was is not mixed up.
TEST(RuntimeError, of_a_race_has_the_element_and_the_earlier_access) {
  const auto racing =
      parse_kernel("kernel k(x: in f32[N], y: inout f32[N]) { parallel i in 0..N { for j in 0..2 { y[2] = x[j] } } }");
  const InterpretResult blind = run(racing, two({"1.0", "2.0", "3.0"}));
  ASSERT_TRUE(blind.error);
  ASSERT_TRUE(blind.error->element);
  EXPECT_EQ(blind.error->element->view, 1u);
  EXPECT_EQ(blind.error->element->address, 2);
  EXPECT_EQ(blind.error->rival, "the instance i = 0");
  EXPECT_FALSE(blind.error->earlier);
  Watch watch{*blind.error->element, {}};
  const InterpretResult seen = run(racing, two({"1.0", "2.0", "3.0"}), {.watch = &watch});
  ASSERT_TRUE(seen.error && seen.error->earlier);
  EXPECT_EQ(seen.error->earlier->access, "store y[2]");
  EXPECT_EQ(seen.error->earlier->variables, (std::vector<NamedValue>{{"i", 0}, {"j", 1}}));
  EXPECT_EQ(seen.error->at.variables, (std::vector<NamedValue>{{"i", 1}, {"j", 0}}));
  EXPECT_EQ(seen.error->message, blind.error->message);
}

TEST(RuntimeError, of_a_program_has_the_program_id) {
  const auto program = parse_program(
      "program k implements \"k\"\nabi {\n y: view f32[N] strides(1) out align 4\n dims N: i64\n}\n"
      "launch { threads 1 pack 1 grid G = N }\nspace { g0: (i in 0..N) length L0 = N offset O0 = 0 }\n"
      "dispatch %w: i64 = program_id { O0 <= %w < O0 + L0 -> g0(%i = %w - O0)\n else -> exit }\n"
      "group g0 (%i: i64 in 0..N) {\n %c: i64 = index 1\n %v: f32 = constant 2.0\n store y[%c] = %v\n}\n");
  Arguments a;
  a.tensor("y", DType::f32, {3});
  Watch watch{{0, 1}, {}};
  const InterpretResult r = run(program, a, {.watch = &watch});
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->at.program, 1);
  EXPECT_EQ(r.error->at.variables, (std::vector<NamedValue>{{"i", 1}}));
  ASSERT_TRUE(r.error->earlier);
  EXPECT_EQ(r.error->earlier->program, 0);
  EXPECT_EQ(r.error->rival, "program 0");
}

}  // namespace
}  // namespace kir
