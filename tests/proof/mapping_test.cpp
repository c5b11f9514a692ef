// Other mappings of a kernel's members to program instances than the constructed one: instances that own several members,
// program spaces in another order, persistent traversal, merged groups. Each is a hand-written program of the corpus; beside
// it stand neighbours that leave a member out, give one two owners, or read another's.
#include "tests/proof/support.h"

namespace kir::test {
namespace {

struct Neighbour {
  const char* from;
  const char* to;
};

void only_this_mapping(const std::string& kernel, const std::string& physical, const std::vector<Neighbour>& neighbours) {
  const std::string kir = read_file("corpus/" + kernel + ".kir"), good = read_file("corpus/physical/" + physical + ".pir");
  const Verdicts v = check_refinement(kir, good);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  for (const Neighbour& n : neighbours)
    EXPECT_FALSE(check_refinement(kir, replaced(good, n.from, n.to)).all_proved()) << n.from << " -> " << n.to;
}

// shows: K4.12
TEST(Mapping, AnInstanceMayOwnSeveralElements) {
  only_this_mapping("vector_add", "vector_add_blocked",
                    {{"4 * %b..min", "4 * %b + 1..min"},
                     {"4 * %b..min", "3 * %b..min"},
                     {"4 * %b..min", "4 * %b - 1..min"},
                     {"min(N, 4 * %b + 4)", "min(N, 4 * %b + 3)"},
                     {"min(N, 4 * %b + 4)", "min(N, 4 * %b + 5)"},
                     {"min(N, 4 * %b + 4)", "4 * %b + 4"},
                     {"min(N, 4 * %b + 4)", "min(N - 1, 4 * %b + 4)"},
                     {"length L0 = ceildiv(N, 4)", "length L0 = N floordiv 4"},
                     {"%b = %w - O0", "%b = (%w - O0) floordiv 2"}});
}

// shows: K4.12
TEST(Mapping, AnInstanceMayOwnSeveralRows) {
  only_this_mapping("row_sum", "row_sum_two_rows",
                    {{"2 * %b..min", "2 * %b + 1..min"},
                     {"min(M, 2 * %b + 2)", "min(M, 2 * %b + 1)"},
                     {"min(M, 2 * %b + 2)", "min(M, 2 * %b + 3)"},
                     {"min(M, 2 * %b + 2)", "2 * %b + 2"},
                     {"load x[%m, %n]", "load x[%b, %n]"},
                     {"store s[%m]", "store s[%b]"}});
}

// shows: K4.12
TEST(Mapping, TheProgramSpaceMayComeInAnyOrder) {
  only_this_mapping("vector_add", "vector_add_reversed",
                    {{"N - 1 - (%w - O0)", "N - (%w - O0)"}, {"N - 1 - (%w - O0)", "N - 2 - (%w - O0)"}});
  only_this_mapping("vector_add", "vector_add_interleaved",
                    {{"%h = (%w - O0) mod 2", "%h = 0"},
                     {"%k = (%w - O0) floordiv 2", "%k = (%w - O0) floordiv 3"},
                     {"index %h * ceildiv(N, 2) + %k", "index %h * (N floordiv 2) + %k"},
                     {"index %h * ceildiv(N, 2) + %k", "index %h * ceildiv(N, 2) + %k + %h"},
                     {"index %i < N", "index %i < N - 1"},
                     {"index %i < N", "index %i <= N"}});
  only_this_mapping("bias_add", "bias_add_by_columns",
                    {{"floordiv M, %m", "floordiv N, %m"},
                     {"%m = (%w - O0) mod M", "%m = (%w - O0) mod N"},
                     {"%m = (%w - O0) mod M", "%m = 0"},
                     {"load bias[%n]", "load bias[%m]"}});
}

// shows: K4.12
TEST(Mapping, AFixedNumberOfInstancesMayGoThroughAll) {
  only_this_mapping("vector_add", "vector_add_persistent",
                    {{"step 8192", "step 8191"},
                     {"step 8192", "step 8193"},
                     {"step 8192", "step 16384"},
                     {"%p..N", "%p + 1..N"},
                     {"%p..N", "0..N"},
                     {"%p..N", "%p..N - 1"},
                     {"%p..N", "%p..N + 1"},
                     {"grid G = 64", "grid G = 63"}});
}

// shows: K6.4 K4.12
TEST(Mapping, GroupsMayShareAMapping) {
  only_this_mapping("two_groups", "two_groups_merged",
                    {{"length L0 = max(M, K)", "length L0 = min(M, K)"},
                     {"length L0 = max(M, K)", "length L0 = M"},
                     {"index %i < M", "index %i < K"},
                     {"index %i < M", "index %i < M - 1"},
                     {"index %i < K", "index %i <= K"},
                     {"  if %element {", "  if %row {"},
                     {"    store w[%i] = %t\n", ""},
                     {"    store s[%i] = %total\n", ""},
                     {"load z[%i]", "load z[%i - %i]"}});
  // The union of the segments as it was before is legal too.
  const Verdicts apart = check_refinement(read_file("corpus/two_groups.kir"), read_file("corpus/physical/two_groups.pir"));
  EXPECT_TRUE(apart.all_proved()) << apart.failures;
}

constexpr const char* kCounted = R"(kir 1
kernel counted(x: in f32[B, N], count: in i32[B], y: inout f32[B, N])
  where B <= 1048576, N <= 1024
{
  parallel b in 0..B {
    let n = to_index(count[b])
    parallel j in 0..min(n, N) { y[b, j] = x[b, j] }
  }
}
)";

constexpr const char* kCountedProgram = R"(pir 1
program counted implements "counted"
abi {
  x: view f32[B, N] in
  count: view i32[B] in
  y: view f32[B, N] inout
  dims B: i64, N: i64
}
launch { threads 1 pack 128 grid G = ceildiv(O0 + L0, 128) }
space {
  g0: (b in 0..B, j in 0..N) length L0 = B * N offset O0 = 0
}
dispatch %w: i64 = program_id {
  O0 <= %w < O0 + L0 -> g0(%b = (%w - O0) floordiv N, %j = (%w - O0) mod N)
  else -> exit
}
group g0 (%b: i64 in 0..B, %j: i64 in 0..N) {
  %c: i32 = load count[%b]
  %n: i64 = convert.sint %c
  %member: i1 = index %j < %n
  if %member {
    %v: f32 = load x[%b, %j]
    store y[%b, %j] = %v
  }
}
)";

// Members whose number is data: the program space is the launch-visible N, and the instance asks for itself. Without the limits
// a launch with few members could exceed the grid.
// shows: K4.13
TEST(Mapping, MembersThatDependOnDataEnterThroughLaunchVisibleValues) {
  const Verdicts v = check_refinement(kCounted, kCountedProgram);
  EXPECT_TRUE(v.all_proved()) << v.failures;
  const std::vector<Neighbour> neighbours = {
      {"index %j < %n", "index %j <= %n"},
      {"index %j < %n", "index %j < N"},
      {"load count[%b]", "load count[%b - %b]"},
      {"(b in 0..B, j in 0..N) length L0 = B * N", "(b in 0..B, j in 0..N) length L0 = B"}};
  for (const Neighbour& n : neighbours)
    EXPECT_FALSE(check_refinement(kCounted, replaced(kCountedProgram, n.from, n.to)).all_proved()) << n.to;
}

// A space whose extent is loaded needs a launch that loads it first: no such program exists.
// shows: K4.13 K4.1
TEST(Mapping, NoProgramSpaceIsReadFromMemory) {
  const std::pair<Neighbour, const char*> faults[] = {
      {{"j in 0..N) length", "j in 0..count[0]) length"}, "test.pir:11:"},
      {{"length L0 = B * N", "length L0 = B * count[0]"}, "test.pir:11:"},
      {{"j in 0..N) length", "j in 0..%c) length"}, "test.pir:11:"},
      {{"%j: i64 in 0..N) {", "%j: i64 in 0..%c) {"}, "test.pir:17:"},
      {{"grid G = ceildiv(O0 + L0, 128)", "grid G = count[0]"}, "test.pir:9:"},
  };
  for (const auto& [fault, place] : faults) {
    auto source = std::make_shared<SourceFile>("test.pir", replaced(kCountedProgram, fault.from, fault.to));
    Diagnostics diagnostics;
    EXPECT_EQ(parse_pir(source, diagnostics), nullptr) << fault.to;
    EXPECT_NE(diagnostics.render(*source).find(place), std::string::npos) << diagnostics.render(*source);
  }
}

}  // namespace
}  // namespace kir::test
