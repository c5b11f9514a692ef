#include "core/layout/text.h"

#include <gtest/gtest.h>

#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

std::string printed(std::string_view text) { return to_string(L(text)); }
std::string error(std::string_view text) {
  const auto found = parse_layout(text);
  return found ? "none: " + to_string(*found) : found.error();
}

// shows: L1.2
TEST(LayoutText, PrintsTheDocumentsForm) {
  EXPECT_EQ(printed("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"),
            "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[2:4@warpid] + 5@warpid");
  EXPECT_EQ(printed("S[2, 3, 4]"), "S[(2,3,4):(12@m,4@m,1@m)]");
  EXPECT_EQ(printed("S[(8, 4) : (\"laneid\", 1)]"), "S[(8,4):(1@laneid,1@m)]");
  EXPECT_EQ(printed("S[1 : 1] + R[4 : \"laneid\"]"), "S[1:1@m] + R[4:1@laneid]");
  EXPECT_EQ(printed("S[8 : 4@laneid] + 1@laneid + 2@warpid + 64"), "S[8:4@laneid] + 1@laneid + 2@warpid + 64@m");
  EXPECT_EQ(printed("S[8 : 4@laneid] + 64 + 1@laneid"), "S[8:4@laneid] + 1@laneid + 64@m");
}

// shows: L1.10
TEST(LayoutText, TakesSymbolsBlanksAndSeveralReplicas) {
  EXPECT_EQ(printed(" S [ ( N , 8*(K+1) ) : ( 8 * K+8 , 1 @ laneid ) ]\n+ R [ 2:N @ warpid ] + R[3:-4@wgid] + 2 @ warpid"),
            "S[(N,8*K+8):(8*K+8@m,1@laneid)] + R[(2,3):(N@warpid,-4@wgid)] + 2@warpid");
  EXPECT_EQ(printed("S[(N+1)*2 : (N)]"), "S[2*N+2:N@m]");
  EXPECT_EQ(printed("S[(N+1),4]"), "S[(N+1,4):(4@m,1@m)]");
  EXPECT_EQ(printed("S[((8),4):(4,1)] + (8*K-4)@m + K*N@laneid + -3@warpid"),
            "S[(8,4):(4@m,1@m)] + K*N@laneid + -3@warpid + (8*K-4)@m");
  EXPECT_EQ(printed("S[2:1] + R*2@m + R[2:R]"), "S[2:1@m] + R[2:R@m] + 2*R@m");
  EXPECT_EQ(printed("S[]"), "S[]");
  EXPECT_EQ(printed("S[():()] + R[()] + 3 + 4 + -7"), "S[]");
}

// shows: L2.1 L2.2
TEST(LayoutText, Swizzles) {
  EXPECT_EQ(printed("swizzle(3,3,3)"), "swizzle(3,3,3) o S[512:1@m]");
  EXPECT_EQ(printed("swizzle( 3, 2 ,4 , outer )o S[8:64]"), "swizzle(3,2,4,outer) o S[8:64@m]");
  EXPECT_EQ(error("swizzle(3,3,2)"), "atom_len 2 is less than swizzle_len 3: the bits would be XORed into themselves");
  EXPECT_EQ(error("swizzle(-1,3,3)"), "per_element is -1; it must be in [0, 62]");
  EXPECT_EQ(error("swizzle(3,3)"), "column 12: expected ',', found ')'");
  EXPECT_EQ(error("swizzle(3,3,3,inner)"), "column 15: expected 'outer', found 'inner'");
  EXPECT_FALSE(parse_tile_layout("swizzle(3,3,3)"));
}

// shows: L1.2
TEST(LayoutText, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(error(""), "column 1: expected 'S[' or 'swizzle(' before the end");
  EXPECT_EQ(error("T[8:1]"), "column 1: expected 'S[' or 'swizzle(', found 'T'");
  EXPECT_EQ(error("S[8:1@lanid]"), "column 7: there is no axis 'lanid'; the nearest name is 'laneid'");
  EXPECT_EQ(error("S[(2, 3, 4) : (12, 4)]"), "column 13: 3 extents and 2 strides");
  EXPECT_EQ(error("S[(8,4:1]"), "column 7: expected ')', found ':'");
  EXPECT_EQ(error("S[8:]"), "column 5: expected a size, found ']'");
  EXPECT_EQ(error("S[8:1"), "column 6: expected ']' before the end");
  EXPECT_EQ(error("S[8:1] 5"), "column 8: expected the end, found '5'");
  EXPECT_EQ(error("S[8:1] + "), "column 10: expected a size before the end");
  EXPECT_EQ(error("S[8:1] - 3@m"), "column 8: expected the end, found '-'");
  EXPECT_EQ(error("S[8:2x]"), "column 6: expected an operator between a number and a name, found 'x'");
  EXPECT_EQ(error("S[8:1@]"), "column 7: expected a name, found ']'");
  EXPECT_EQ(error("S[8:\"m]"), "column 7: expected '\"', found ']'");
  EXPECT_EQ(error("S[8:\xff]"), "column 5: expected a size");
  EXPECT_EQ(error(std::string_view("S[8\0:1]", 7)), "column 4: expected ']'");
  EXPECT_EQ(error("S[99999999999999999999]"), "column 3: the number does not fit 63 bits");
  EXPECT_EQ(error("S[8:4611686018427387904*2]"), "column 5: the product does not fit 63 bits, or has too many terms");
  EXPECT_EQ(error("S[(1,4294967296,4294967296)]"), "an extent or a stride does not fit 63 bits");
  EXPECT_FALSE(parse_size("8 K"));
  EXPECT_EQ(parse_size("").error(), "column 1: expected a size before the end");
}

// shows: L1.2 L1.10
TEST(LayoutText, RoundTripsRandomLayouts) {
  Random random(4);
  const std::vector<std::string> sizes = {"N", "8*N+4", "N*K", "K", "3*N*N+K+1"};
  for (int round = 0; round < 3000; ++round) {
    TileLayout l = random_layout(random);
    std::vector<Iter> shard = l.shard(), replica = l.replica();
    std::vector<Offset> offset = l.offset();
    if (round % 2) {
      for (auto* iters : {&shard, &replica})
        for (Iter& i : *iters) {
          if (random.chance(30)) i.extent = must(parse_size(random.of(sizes)));
          if (random.chance(30)) i.stride = must(parse_size(random.of(sizes))) * (random.chance(20) ? -1 : 1);
        }
      for (Offset& o : offset)
        if (random.chance(50)) o.value = must(parse_size(random.of(sizes))) - 3;
      const auto made = TileLayout::make(shard, replica, offset);
      if (!made) continue;
      l = *made;
    }
    ASSERT_EQ(must(parse_tile_layout(to_string(l))), l) << to_string(l);
    ASSERT_EQ(must(parse_layout(to_string(l))), Layout{l});
    if (const auto s = compose(must(Swizzle::make(random.in(0, 3), 2, 2, random.chance(50))), l)) {
      ASSERT_EQ(must(parse_layout(to_string(*s))), *s);
    }
  }
}

TEST(LayoutText, HostileTextsEndSoon) {
  const auto repeated = [](std::string_view part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
  };
  EXPECT_EQ(error("S[" + repeated("(", 1000000)), "column 68: parentheses nest deeper than 64");
  EXPECT_EQ(error("S[" + repeated("(", 64) + "N" + repeated(")", 64) + "]"), "none: S[N:1@m]");
  EXPECT_EQ(error("S[8:" + repeated("-", 1000000) + "1]"), "none: S[8:1@m]");
  EXPECT_EQ(error("S[8:1" + repeated("+1", 500000) + "]"), "none: S[8:500001@m]");
  EXPECT_EQ(error("S[8:N" + repeated("+N", 500000) + "]"), "none: S[8:500001*N@m]");
  EXPECT_FALSE(parse_layout("S[8:N" + repeated("*N", 500000) + "]"));
  EXPECT_TRUE(parse_layout("S[1" + repeated(",1", 500000) + "]"));
  EXPECT_TRUE(
      parse_layout("S[1" + repeated(",1", 200000) + ":1" + repeated(",1@laneid", 100000) + repeated(",1", 100000) + "]"));
  EXPECT_FALSE(parse_layout("S[2" + repeated(",2", 500000) + "]"));
  EXPECT_EQ(error("S[1:1]" + repeated("+R*1", 250000)), "none: S[1:1@m] + 250000*R@m");
  EXPECT_TRUE(parse_layout("S[1:1]" + repeated("+R[1:1]", 150000)));
  EXPECT_FALSE(parse_layout("S[8:" + repeated("x", 1000000) + "]"));
  EXPECT_FALSE(parse_layout("S[8:1@" + repeated("x", 1000000) + "]"));
  EXPECT_FALSE(parse_layout("S[8:" + repeated("9", 1000000) + "]"));
  EXPECT_FALSE(parse_layout(repeated("S", 1000000)));
  EXPECT_FALSE(parse_layout(repeated(" ", 1000000)));
  std::string symbols = "s0";
  for (int i = 1; i < 100000; ++i) symbols += fmt::format("+s{}", i);
  EXPECT_FALSE(parse_size(symbols));
}

// Every prefix and every change of one character: an answer, and what is accepted reads back.
TEST(LayoutText, SmallChangesNeverCrash) {
  const std::string text = "swizzle(3,2,3) o S[(8,N*K+1,4):(4@m,\"m\",-1)] + R[2:4] + (K+3)@m";
  const std::string letters = "S[](),:+-*@\"0N oR\n9";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    (void)parse_layout(text.substr(0, i));
    for (const char c : letters) {
      std::string changed = text;
      if (i < text.size())
        changed[i] = c;
      else
        changed += c;
      if (const auto l = parse_layout(changed)) {
        EXPECT_EQ(must(parse_layout(to_string(*l))), *l) << changed;
      }
    }
  }
}

}  // namespace
}  // namespace kir::layout
