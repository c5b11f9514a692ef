// kir-layout as a user runs it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/shell.h"
#include "tests/temporary_folder.h"

namespace {

using kir::testing::Ran;

Ran run(const std::string& arguments) { return kir::testing::shell(KIR_BINARY_DIR "/bin/kir-layout " + arguments + " 2>&1"); }
std::string output(const std::string& arguments) { return run(arguments).output; }
std::string read(const std::string& path) {
  std::stringstream s;
  s << std::ifstream(path, std::ios::binary).rdbuf();
  return s.str();
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const std::string kTile = R"("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid")";

// The table of the founding document.
// shows: L1.5
TEST(KirLayout, TensorCoreTile) {
  EXPECT_EQ(
      output("apply " + kTile + R"( --shape 8,16 --coord 0,0 --coord 0,1 --coord 0,2 --coord 1,0 --coord 0,8 --coord 7,15)"),
      "element  flat  digits        laneid  warpid   m\n"
      "(0, 0)   0     (0, 0, 0, 0)  0       {5, 9}   0\n"
      "(0, 1)   1     (0, 0, 0, 1)  0       {5, 9}   1\n"
      "(0, 2)   2     (0, 0, 1, 0)  1       {5, 9}   0\n"
      "(1, 0)   16    (1, 0, 0, 0)  4       {5, 9}   0\n"
      "(0, 8)   8     (0, 1, 0, 0)  0       {6, 10}  0\n"
      "(7, 15)  127   (7, 1, 3, 1)  31      {6, 10}  1\n");
}

// shows: L1.6
TEST(KirLayout, TensorMemory) {
  EXPECT_EQ(
      output(R"(apply "S[(2,128,112):(112@TCol,1@TLane,1@TCol)]" --coord 0,0,0 --coord 0,5,3 --coord 1,0,0 --coord 1,127,111)"),
      "element        flat   digits         TLane  TCol\n"
      "(0, 0, 0)      0      (0, 0, 0)      0      0\n"
      "(0, 5, 3)      563    (0, 5, 3)      5      3\n"
      "(1, 0, 0)      14336  (1, 0, 0)      0      112\n"
      "(1, 127, 111)  28671  (1, 127, 111)  127    223\n");
}

// shows: L2.3 L2.4
TEST(KirLayout, SwizzleAndBanks) {
  const std::string free = output(R"(banks "S[(8,64):(64@m,1@m)]" --dtype f16 --mode 128B)");
  for (int row = 0; row < 8; ++row) {
    const std::string element = "(" + std::to_string(row) + ", 0)";
    EXPECT_TRUE(has(free, element)) << free;
  }
  EXPECT_TRUE(has(free, "   3  ............3333................\n")) << free;
  EXPECT_TRUE(has(free, "free of bank conflicts, in one phase")) << free;
  EXPECT_TRUE(has(output(R"(banks "S[(8,64):(64@m,1@m)]" --dtype f16)"), "8-way bank conflict"));
  for (const char* dtype : {"4", "f8e4m3", "bf16", "f32", "f64", "128"})
    for (const char* mode : {"32B", "64B", "128B"}) {
      const Ran r = run(std::string("swizzle --dtype ") + dtype + " --mode " + mode);
      EXPECT_EQ(r.code, 0) << r.output;
      EXPECT_TRUE(has(r.output, "conflict-free  PROVED")) << r.output;
    }
}

// shows: L1.9 L3.2
TEST(KirLayout, ExitCodesSayTheVerdict) {
  EXPECT_EQ(run("check " + kTile + " --shape 8,16").code, 0);
  EXPECT_EQ(run("check " + kTile + " --shape 8,16 --covering").code, 1);
  EXPECT_EQ(run("check " + kTile + " --shape 8,17").code, 1);
  const Ran bad = run(R"(check "S[(8,16):(12@m,1@m)]")");
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(has(bad.output, "elements 16 and 12 at m 12")) << bad.output;
  EXPECT_EQ(run(R"(check "S[(8,2):(1@laneid,1@tid)]")").code, 1);  // two axes of one meaning
  EXPECT_EQ(run(R"(check "S[(N,16):(16@m,1@m)]" --shape "N, 16")").code, 0);
  EXPECT_EQ(run(R"(check "S[(N,16):(15@m,1@m)]")").code, 1);
  EXPECT_EQ(run(R"(check "S[(1000000,1000000):(1000000@m,1@m)]")").code, 0);
  EXPECT_EQ(run(R"(equal "S[8]" "S[(4,2):(2@m,1@m)]")").code, 0);
  EXPECT_EQ(run(R"(equal "S[8]" "S[(4,2):(1@m,4@m)]")").code, 1);
  // Two accumulator stages and scale factors beside them in tensor memory.
  const std::string stages = R"("S[(128,224):(1@TLane,1@TCol)]" "S[(128,224):(1@TLane,1@TCol)] + 224@TCol" )";
  EXPECT_EQ(run("disjoint " + stages + R"("S[(32,16):(1@TLane,1@TCol)] + R[4:32@TLane] + 448@TCol")").code, 0);
  const Ran meet = run("disjoint " + stages + R"("S[(32,16):(1@TLane,1@TCol)] + R[4:32@TLane] + 440@TCol")");
  EXPECT_EQ(meet.code, 1);
  EXPECT_TRUE(has(meet.output, "disjoint 2 3  REFUTED")) << meet.output;
}

TEST(KirLayout, MistakesHaveACaret) {
  const Ran r = run(R"(print "S[8:4@lane]")");
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.output,
            "error: layout, column 7: there is no axis 'lane'; the nearest name is 'laneid'\n"
            "  S[8:4@lane]\n"
            "        ^\n");
  for (const char* wrong : {"",
                            "sing",
                            "print",
                            "print 'S[8' ",
                            "print 'S[8]' --dtype x",
                            "print 'S[8]' --mode 256B",
                            "apply 'S[8]' --coord 8",
                            "apply 'S[8]' --coord 1,1",
                            "apply 'S[N]' --coord 0",
                            "table 'S[100000]'",
                            "table 'S[8]' --shape 9",
                            "compose 'swizzle(3,3,3)' 'S[8:1@laneid]'",
                            "pack 'S[8:2@m]' 2",
                            "slice 'S[8]' --shape 8 --region 4:12",
                            "factory nothing",
                            "factory mma_fragment k=24 operand=a",
                            "cases /nonexistent",
                            "equal 'S[8]'",
                            "swizzle --mode none",
                            "banks 'S[8:1@laneid]'",
                            "dispatch gemm --operand 'x'",
                            "page ''",
                            "inverse 'S[4:2@m]' 3"}) {
    const Ran ran = run(wrong);
    EXPECT_EQ(ran.code, 2) << wrong << "\n" << ran.output;
    EXPECT_FALSE(ran.output.empty()) << wrong;
  }
}

// shows: L3.4
TEST(KirLayout, Algebra) {
  EXPECT_EQ(output(R"(canonicalize "S[(8,1,4,2):(8@m,3@m,2@m,1@m)]")"), "S[64:1@m]\n");
  EXPECT_EQ(output(R"(canonicalize --threads "S[(4,32):(1@warpid,1@laneid)]")"), "S[128:1@tx]\n");
  EXPECT_EQ(output(R"(group "S[(32,2):(1@laneid,1@m)]" --by 8,8)"),
            "S[(8,4,2):(4@laneid,1@laneid,1@m)]\nseparators (0, 1, 3)\n");
  EXPECT_EQ(output(R"(tile "S[(8,8):(8,1)]" "S[(8,8):(8,1)]" --outer-shape 8,8 --inner-shape 8,8)"),
            "S[(8,8,8,8):(512@m,8@m,64@m,1@m)]\n");
  EXPECT_EQ(output("compose 'swizzle(3,3,3)' 'S[(8,64):(64,1)]'"), "swizzle(3,3,3) o S[(8,64):(64@m,1@m)]\n");
  EXPECT_EQ(output(R"(permute "S[(8,2):(2@m,1@m)]" --perm 1,0)"), "S[(2,8):(1@m,2@m)]\n");
  EXPECT_EQ(output(R"(slice "S[(8,64):(64,1)]" --shape 8,64 --region 2:4,0:64)"), "S[128:1@m] + 128@m\n");
  EXPECT_EQ(output(R"(unpack "S[(32,2):(1@laneid,1@m)]" 2)"), "S[(32,4):(1@laneid,1@m)]\n");
  EXPECT_EQ(output(R"(pack "S[(8,16):(16,1)]" 2)"), "S[64:1@m]\n");
  EXPECT_EQ(output(R"(storage "S[(8,4,2):(4@laneid,1@laneid,1@m)]")"), "S[2:1@m]\n");
  EXPECT_EQ(output(R"(to-psum "S[(128,2048):(1@P,1@F)]")"), "S[(128,4,512):(1@P,1@Bank,1@F)]\n");
  EXPECT_EQ(run(R"(is-tile-outer "S[(2,4):(1,2)]" "S[(8,2,32):(64,1,2)]" --tiled-shape 16,32 --outer-shape 2,4)").code, 1);
  EXPECT_TRUE(
      has(output(R"(view "S[(4,8,16):(256@m,16@m,1@m)]" --shape 4,8,16 --index 1,2:6,0:16)"), "shape (4, 16), offset 288"));
}

// shows: L3.7
TEST(KirLayout, FactoriesAndPrimitives) {
  EXPECT_EQ(output("factory mma_fragment k=16 operand=a"), "S[(2,8,2,4,2):(2@m,4@laneid,4@m,1@laneid,1@m)]\n");
  EXPECT_EQ(output("factory mma_shared_layout dtype_bits=16 swizzle_bytes=128 shape=64,256"),
            "swizzle(3,3,3) o S[(64,4,64):(64@m,4096@m,1@m)]\n");
  const std::string rest =
      R"( --operand "registers f16 (16,16) S[(2,8,2,4,2):(2@m,4@laneid,4@m,1@laneid,1@m)]" --operand "registers f16 (16,8) S[(2,4,2,8):(2@m,1@laneid,1@m,4@laneid)]")";
  const std::string c = R"( --operand "registers f32 (16,8) S[(2,8,4,2):(2@m,4@laneid,1@laneid,1@m)]")";
  EXPECT_EQ(output("dispatch gemm --scope warp" + c + rest), "mma.m16n8k16\n");
  const Ran miss = run("dispatch gemm --scope cta" + c + rest);
  EXPECT_EQ(miss.code, 1);
  EXPECT_TRUE(has(miss.output, "the nearest is mma.m16n8k16, but the scope is cta, it works for a warp")) << miss.output;
}

TEST(KirLayout, OutputsInJson) {
  for (const char* command :
       {"print 'S[8]'", "apply 'S[8]' --coord 3", "table 'S[8]'", "table 'S[8]' --owners", "check 'S[8]'",
        "equal 'S[8]' 'S[8]'", "axes", "presets", "factory", "factory ldmatrix_rows matrices=4", "primitives",
        "canonicalize 'S[8]'", "banks 'S[(8,64):(64,1)]'", "swizzle", "group 'S[8]' --by 2,4"}) {
    const Ran r = run(std::string(command) + " --json");
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_TRUE(nlohmann::json::accept(r.output)) << command << "\n" << r.output;
  }
}

TEST(KirLayout, PicturesAreWholeFiles) {
  const kir::testing::TemporaryFolder folder;
  const std::string svg = folder.file("a.svg"), html = folder.file("a.html");
  for (const std::string& layout :
       {kTile + " --shape 8,16", std::string("'S[(8,64):(64,1)]' --mode 128B"),
        std::string("'S[(1000000,1000000):(1000000,1)]'"), std::string("'S[(4,4):(-3@TLane,1@TCol)] + R[3:5@TCol]'")}) {
    const Ran r = run("print " + layout + " --svg " + svg);
    ASSERT_EQ(r.code, 0) << r.output;
    const std::string text = read(svg);
    EXPECT_TRUE(text.starts_with("<svg ") && text.ends_with("</svg>\n")) << layout;
    EXPECT_FALSE(has(text, "href"));
  }
  EXPECT_EQ(run("print 'S[8]' --svg /nonexistent/a.svg").code, 2);
  const Ran page = run("print " + kTile + " --shape 8,16 --html " + html);
  if (has(page.output, "built without its page")) GTEST_SKIP() << "built without the WebAssembly toolchain";
  ASSERT_EQ(page.code, 0) << page.output;
  EXPECT_TRUE(has(read(html), R"("shape":"8,16")"));
  EXPECT_EQ(run("page " + html).code, 0);
  EXPECT_TRUE(read(html).ends_with("</html>\n"));
}

TEST(KirLayout, Cases) {
  const Ran all = run(std::string("cases ") + KIR_SOURCE_DIR + "/tests/layout/data/layout_cases.json");
  EXPECT_EQ(all.code, 0) << all.output;
  EXPECT_TRUE(has(all.output, "total                216     0\n")) << all.output;
  EXPECT_TRUE(has(all.output, R"(axis-bx (axis): the file marks its value as suspect; scope: expected "thread", is "kernel")"))
      << all.output;
  const kir::testing::TemporaryFolder folder;
  const std::string file = folder.file("cases.json");
  std::ofstream(file)
      << R"({"format":"tirx-layout-cases","version":1,"cases":[{"id":"one","kind":"injective","shape":null,"input":{},
    "layout":{"shard":[[4,0,"m"]],"replica":[],"offset":{}},"expect":true}]})";
  const Ran failing = run("cases " + file);
  EXPECT_EQ(failing.code, 1);
  EXPECT_TRUE(has(failing.output, "FAILED one (injective): expected true, is false")) << failing.output;
  std::ofstream(file) << R"({"format":"tirx-layout-cases","version":1,"cases":[{"id":"one","kind":"?"}]})";
  const Ran malformed = run("cases " + file);
  EXPECT_EQ(malformed.code, 2);
  EXPECT_TRUE(has(malformed.output, "one: the field 'layout' is missing")) << malformed.output;
}

}  // namespace
