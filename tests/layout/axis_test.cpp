#include "core/layout/axis.h"

#include <gtest/gtest.h>

#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

const AxisRow& row(std::string_view name) { return Axis::find(name)->row(); }

// shows: L1.1 L1.8 L3.3
TEST(LayoutAxis, SaysItsClassAndWhatItEnumerates) {
  EXPECT_EQ(row("tx").scope, Scope::cta);
  EXPECT_EQ(row("tx").subscope, Scope::thread);
  EXPECT_EQ(row("wid_in_wg").scope, Scope::warpgroup);
  EXPECT_EQ(row("wid_in_wg").subscope, Scope::warp);
  EXPECT_EQ(row("cby").scope, Scope::cluster);
  EXPECT_EQ(row("cby").subscope, Scope::cta);
  EXPECT_EQ(row("by").scope, Scope::kernel);
  EXPECT_EQ(row("by").subscope, Scope::cta);
  EXPECT_EQ(row("pid").cls, AxisClass::device);
  for (const std::string_view name : {"m", "P", "F", "Bank", "TLane", "TCol"}) {
    EXPECT_EQ(row(name).cls, AxisClass::memory) << name;
    EXPECT_FALSE(row(name).scope) << name;
  }
  EXPECT_EQ(Axis::memory().name(), "m");
}

TEST(LayoutAxis, TheTableIsWellFormed) {
  std::set<std::string_view> names;
  for (const AxisRow& r : axes()) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_EQ(Axis::find(r.name)->row().name, r.name);
    EXPECT_EQ(r.scope.has_value(), r.cls != AxisClass::memory) << r.name;
    if (r.scope) {
      EXPECT_LT(*r.subscope, *r.scope) << r.name;
    }
  }
  EXPECT_FALSE(Axis::find("lane"));
  EXPECT_EQ(Axis::nearest("lanid"), "laneid");
}

TEST(LayoutAxis, TheMachineFixesWarpsAndWarpgroupsOnly) {
  EXPECT_EQ(parts(Scope::warp, Scope::thread), 32);
  EXPECT_EQ(parts(Scope::warpgroup, Scope::warp), 4);
  EXPECT_EQ(parts(Scope::warpgroup, Scope::thread), 128);
  EXPECT_EQ(parts(Scope::cta, Scope::thread), 0);
  EXPECT_EQ(parts(Scope::warp, Scope::warpgroup), 0);
  EXPECT_EQ(parts(Scope::mesh, Scope::mesh), 1);
}

std::string scope_text(std::string_view layout) {
  const auto found = scope_of(T(layout));
  if (!found) return "error: " + found.error();
  return *found ? fmt::format("{} of {}", name_of((*found)->inner), name_of((*found)->outer)) : "none";
}

// shows: L3.3
TEST(LayoutScope, ConnectsTheScopesOfTheThreadAxes) {
  EXPECT_EQ(scope_text("S[8:4@laneid] + R[4:1@laneid]"), "thread of warp");
  EXPECT_EQ(scope_text("S[(2,8,2,4):(64@tx,4@tx,32@tx,1@tx)]"), "thread of cta");
  EXPECT_EQ(scope_text("S[(2,2,4,32):(2@wgid,1@wgid,32@tid_in_wg,1@tid_in_wg)]"), "thread of cta");
  EXPECT_EQ(scope_text("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"), "thread of cta");
  EXPECT_EQ(scope_text("S[(4,8,2):(1@bx,1@by,1@tid)]"), "thread of kernel");
  EXPECT_EQ(scope_text("S[(8,8):(8@m,1@F)]"), "none");
  EXPECT_EQ(scope_text("S[8:1@laneid] + 3@wid_in_wg"), "thread of warpgroup");
}

// shows: L3.3
TEST(LayoutScope, SaysWhatDoesNotConnect) {
  EXPECT_EQ(scope_text("S[(2,32):(1@wgid,1@laneid)]"),
            "error: axes laneid and wgid do not connect: nothing says which warp of a warpgroup");
  EXPECT_EQ(scope_text("S[(2,32):(1@tid,1@laneid)]"),
            "error: axes laneid and tid overlap: laneid counts the threads of a warp, tid those of a cta");
  EXPECT_EQ(scope_text("S[(2,32):(1@tid,1@tid_in_wg)]"),
            "error: axes tid_in_wg and tid overlap: tid_in_wg counts the threads of a warpgroup, tid those of a cta");
  EXPECT_EQ(scope_text("S[(2,32):(1@tid,1@tx)]"),
            "error: axes tid and tx overlap: tid counts the threads of a cta, tx those of a cta");
  EXPECT_EQ(scope_text("S[(2,32):(1@warpid,1@wgid)]"),
            "error: axes warpid and wgid overlap: warpid counts the warps of a cta, wgid those of a cta");
}

}  // namespace
}  // namespace kir::layout
