#include "core/layout/layout.h"

#include <gtest/gtest.h>

namespace kir {
namespace {

// shows: L1.2
TEST(Layout, TextRoundTrips) {
  for (const char* text :
       {"S[(8,128):(1@m,1@tid)]", "S[4:1@m]", "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@warpid)] + R[2:4@warpid] + 5@warpid",
        "S[(2,2):(-1@m,3@m)] + R[(2,3):(1@a,2@b)] + -1@m + 2@a"}) {
    std::string error;
    std::optional<Layout> l = parse_layout(text, &error);
    ASSERT_TRUE(l) << text << ": " << error;
    EXPECT_EQ(to_string(*l), text);
    EXPECT_EQ(*parse_layout(to_string(*l)), *l);
  }
  EXPECT_EQ(to_string(*parse_layout(" S [ ( 8 , 2 ) : ( 1 @ m , 1 @ tid ) ]\n + 3 @ m ")), "S[(8,2):(1@m,1@tid)] + 3@m");
}

TEST(Layout, SizeAndCoordinates) {
  Layout l = *parse_layout("S[(8,128):(1@m,1@tid)] + 5@m");
  EXPECT_EQ(l.size(), 1024);
  EXPECT_EQ(l.apply(0), (Layout::Coordinate{{"m", 5}, {"tid", 0}}));
  EXPECT_EQ(l.apply(130), (Layout::Coordinate{{"m", 6}, {"tid", 2}}));
  EXPECT_EQ(l.apply(1023), (Layout::Coordinate{{"m", 12}, {"tid", 127}}));
  EXPECT_EQ(parse_layout("S[(2,3):(10@m,1@m)]")->apply(5), (Layout::Coordinate{{"m", 12}}));
}

TEST(Layout, MalformedTextsSayWhy) {
  for (const char* text : {"", "S", "S[", "S[]", "S[8]", "S[8:1]", "S[8:1@]", "S[(8,2):(1@m)]", "S[8:(1@m,1@m)]", "S[0:1@m]",
                           "S[(8:1@m)]", "S[8:1@m] R[2:1@m]", "S[8:1@m] +", "S[8:1@m] + R[2:1@m] + R[2:1@m]",
                           "S[99999999999999999999:1@m]", "S[(65536,65536):(1@m,1@m)]", "T[8:1@m]"}) {
    std::string error;
    EXPECT_FALSE(parse_layout(text, &error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

}  // namespace
}  // namespace kir
