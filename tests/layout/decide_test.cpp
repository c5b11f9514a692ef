#include "core/layout/decide.h"

#include <gtest/gtest.h>

#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

// A decision and how it was reached; a witness in its words.
struct Expected {
  Outcome outcome;
  By by;
  std::string why = {};  // a part of it
};
void expect(const Decision& d, const Expected& e, std::string_view what) {
  EXPECT_EQ(d.outcome, e.outcome) << what << ": " << d.why;
  EXPECT_EQ(name_of(d.by), name_of(e.by)) << what << ": " << d.why;
  EXPECT_NE(d.why.find(e.why), std::string::npos) << what << ": " << d.why;
  EXPECT_EQ(d.witness.has_value(), e.outcome == Outcome::refuted) << what;
}
constexpr Outcome kProved = Outcome::proved, kRefuted = Outcome::refuted, kUndecided = Outcome::undecided;

// shows: L3.2
TEST(Decide, TheDocumentsLayouts) {
  const Layout tile = L("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid");
  expect(injective(tile), {kProved, By::stride}, "tile");
  expect(exclusive(tile), {kProved, By::stride}, "tile");
  expect(replica_consistent(tile), {kProved, By::stride}, "tile");
  expect(covering(tile), {kRefuted, By::stride, "no element at warpid 7"}, "warps 7 and 8 have nothing");
  EXPECT_EQ(to_string(covering(tile).witness->place), "warpid 7");
  // One warp nearer, and the copies of the first warp's elements are where the second's are.
  const Layout near = L("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:1@warpid] + 5@warpid");
  expect(injective(near), {kProved, By::stride}, "near");
  expect(exclusive(near), {kRefuted, By::stride, "common multiple"}, "near");
  const Layout memory = L("S[(2,128,112):(112@TCol,1@TLane,1@TCol)]");
  expect(injective(memory), {kProved, By::stride}, "tensor memory");
  expect(covering(memory), {kProved, By::stride}, "tensor memory");
  expect(covering(memory, Box{{{*Axis::find("TCol"), {0, 255}}, {*Axis::find("TLane"), {0, 127}}}}),
         {kRefuted, By::stride, "TCol 255"}, "224 of 256 columns");
  expect(exclusive(L("S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]")), {kProved, By::stride}, "scale factors");
  expect(exclusive(L("S[(32,4):(1@TLane,1@TCol)] + R[4:31@TLane]")), {kRefuted, By::stride}, "scale factors, a lane too near");
}

// One case for each procedure that the others before it do not decide.
// shows: L3.2 D4
TEST(Decide, EachProcedureDecidesAlone) {
  // Strides: 10^12 elements, numbers and symbols.
  expect(injective(L("S[(1000000,1000000):(1000000,1)]")), {kProved, By::stride}, "strides");
  expect(injective(L("S[(1000000,1000000):(999999,1)]")), {kRefuted, By::stride, "common multiple"}, "strides overlap");
  expect(injective(L("S[(1000000,1000000):(0,1)]")), {kRefuted, By::stride, "stride of 0"}, "stride 0");
  expect(injective(L("S[(N,4,K):(4*K,K,1)]")), {kProved, By::stride}, "symbolic strides");
  expect(injective(L("S[(N,4,K):(K,N*K,-1)]")), {kProved, By::stride}, "symbolic strides, another order");
  // A search of differences: no stride exceeds the others' reach, and still only multiples of 2, 3 and 5 could meet.
  expect(injective(L("S[(2,3,5):(15,10,6)]")), {kProved, By::enumeration, "searched"}, "remainders");
  expect(injective(L("S[(2,4,6):(15,10,6)]")), {kRefuted, By::stride}, "remainders, one too many");
  expect(injective(L("S[(2,2,2):(1,2,3)]")), {kRefuted, By::enumeration}, "1 + 2 = 3");
  expect(injective(L("S[(1000000,999999):(999999,1000000)]")), {kProved, By::enumeration}, "10^12 elements by remainders");
  // All places: sums of subsets, without a structure that a search could use.
  Random random(11);
  const auto subsets = [&](int n, std::int64_t most) {
    std::vector<Iter> shard;
    for (int i = 0; i < n; ++i) shard.push_back({2, random.in(most / 2, most), Axis::memory()});
    return Layout{must(TileLayout::make(shard)), {}};
  };
  expect(injective(subsets(18, std::int64_t{1} << 55)), {kProved, By::enumeration, "all places were compared"}, "subsets");
  // Nothing: 2^40 elements without structure are left to the solver, at once.
  expect(injective(subsets(40, std::int64_t{1} << 56)), {kUndecided, By::definition, "more than 1048576 places"},
         "too many subsets");
  // Instances: no order of the strides for all sizes.
  expect(injective(L("S[(N,M):(M,2)]")), {kRefuted, By::stride, ", with M = "}, "M below 2*(M-1)");
}

// shows: L3.2
TEST(Decide, ReplicasAreJudgedModuloThemselves) {
  expect(exclusive(L("S[4:8] + R[(2,2):(1,1)]")), {kProved, By::stride}, "copies that meet copies of the same element");
  expect(replica_consistent(L("S[4:8] + R[(2,2):(1,1)]")), {kRefuted, By::stride, "elements 0 (copy 1,0) and 0 (copy 0,1)"},
         "they meet");
  expect(replica_consistent(L("S[4:8] + R[3:0]")), {kRefuted, By::stride}, "copies without a stride");
  expect(exclusive(L("S[4:8] + R[3:0]")), {kProved, By::stride}, "harmless for ownership");
  expect(exclusive(L("S[4:0@laneid] + R[3:1]")), {kRefuted, By::stride}, "one place");
  expect(exclusive(L("S[N:K] + R[K:1]")), {kProved, By::stride}, "symbolic");
  expect(exclusive(L("S[N:K] + R[K+1:1]")), {kRefuted, By::stride, "with K = "}, "symbolic, one too many");
}

// shows: L3.2
TEST(Decide, Covering) {
  expect(covering(L("S[(N,M):(1,N)]")), {kProved, By::stride}, "symbolic");
  expect(covering(L("S[(N,M):(1,N+1)]")), {kRefuted, By::stride, "no element at m 1, with M = 2, N = 1"}, "symbolic gap");
  expect(covering(L("S[4:2] + R[2:1]")), {kProved, By::stride}, "with copies");
  expect(covering(L("S[(3,1000000000000):(1000000000000,1)] + 7@laneid")), {kProved, By::stride}, "3 * 10^12 places");
  expect(covering(L("swizzle(3,3,3) o S[512:1]")), {kProved, By::stride}, "whole periods");
  expect(covering(L("swizzle(3,3,3) o S[448:1]")), {kProved, By::enumeration}, "seven of eight lines");
  expect(covering(L("swizzle(3,3,3) o S[100:1]")), {kRefuted, By::enumeration}, "a part of a line");
  expect(covering(L("swizzle(0,20,20) o S[1048576:1048576]"), Box{{{Axis::memory(), {0, 0}}}}), {kProved, By::rank},
         "one place of a diagonal");
  expect(covering(L("swizzle(0,20,20) o S[1048576:1048576]"), Box{{{Axis::memory(), {0, 1}}}}), {kRefuted, By::rank, "m 1"},
         "and two");
  expect(covering(L("S[2:1]"), Box{{{Axis::memory(), {0, 1}}, {*Axis::find("laneid"), {0, 1}}}}),
         {kRefuted, By::stride, "laneid 1"}, "an axis it lacks");
  expect(covering(L("S[(2,2):(1@laneid,1)]"), Box{{{Axis::memory(), {0, 1}}}}), {kProved, By::stride},
         "only where laneid is 0");
  expect(covering(L("S[1000000000:2]"), Box{{{Axis::memory(), {4, 5}}}}), {kRefuted, By::enumeration, "m 5"}, "odd addresses");
}

// shows: L3.2
TEST(Decide, Equal) {
  expect(equal(L("S[(2,3):(3,1)]"), L("S[(3,2):(2,1)]")), {kProved, By::definition}, "merged");
  expect(equal(L("S[(N,4):(4,1)]"), L("S[4*N:1]")), {kProved, By::definition}, "symbolic");
  expect(equal(L("S[(N,4):(4,1)]"), L("S[4*N:2]")), {kRefuted, By::definition, "with N = 1"}, "symbolic stride");
  expect(equal(L("S[(N,4):(4,1)]"), L("S[4*N+1:1]")), {kRefuted, By::definition}, "symbolic size");
  expect(equal(L("S[2:1] + R[2:4] "), L("S[2:1] + R[2:-4] + 4")), {kProved, By::definition}, "copies the other way round");
  expect(equal(L("S[2:1] + R[(2,1000000,1000000):(4,8,8000000)]"), L("S[2:1] + R[2000000000000:4]")), {kProved, By::definition},
         "10^12 copies");
  expect(equal(L("S[2:1] + R[(3,3):(4,12)]"), L("S[2:1] + R[(2,2,9):(4,8,4)]")), {kRefuted, By::enumeration},
         "another set of copies");
  expect(equal(L("S[2:1] + R[(4,2):(4,20)]"), L("S[2:1] + R[(2,2,2):(20,8,4)]")), {kProved, By::definition}, "sets of copies");
  expect(equal(L("S[2:1] + R[(2,2,2):(2,3,5)]"), L("S[2:1] + R[(2,2,3):(2,3,5)]")),
         {kRefuted, By::enumeration, "copies: of the second layout only"}, "one more");
  expect(equal(L("S[2:1] + R[(2,2,2):(2,2,3)]"), L("S[2:1] + R[(3,2):(2,3)]")), {kProved, By::definition}, "1");
  expect(equal(L("S[2:1] + R[(2,3):(3,2)]"), L("S[2:1] + R[(2,2,2):(2,2,3)]")), {kProved, By::definition},
         "multiples of 2 and 3");
  expect(equal(L("S[(1000000,1000000):(1000000,1)]"), L("S[(1000000,1000000):(1000000,1)] + 1")), {kRefuted, By::definition},
         "10^12, moved");
  const Decision d = equal(L("S[(8,16):(16,1)]"), L("S[(8,8,2):(16,2,1@laneid)]"));
  expect(d, {kRefuted, By::definition}, "another axis");
  EXPECT_EQ(d.witness->x, 1);
  // By the bits where the swizzles differ: 2^40 elements.
  expect(equal(L("swizzle(3,3,3) o S[1099511627776:1]"), L("swizzle(3,2,3) o S[1099511627776:1]")),
         {kRefuted, By::rank, "element 256 "}, "two swizzles");
  expect(equal(L("swizzle(0,3,3) o S[(1073741824,8):(64,1)]"), L("S[(1073741824,8):(64,1)]")), {kProved, By::rank},
         "a swizzle that meets no bit");
  expect(equal(L("swizzle(0,1,1) o S[(2,3):(3,1)]"), L("S[(3,2):(2,1)]")), {kRefuted, By::enumeration}, "no powers of two");
  expect(equal(L("swizzle(0,1,3) o S[(2,3):(3,1)]"), L("S[(3,2):(2,1)]")), {kProved, By::enumeration},
         "no powers of two, small");
}

// shows: L3.2
TEST(Decide, Disjoint) {
  expect(disjoint(L("S[(N,M):(M,1)]"), L("S[(N,M):(M,1)] + (N*M)@m")), {kProved, By::stride, "footprints"},
         "behind each other");
  expect(disjoint(L("S[(N,M):(M,1)]"), L("S[(N,M):(M,1)] + (N*M-1)@m")), {kRefuted, By::enumeration, "with M = 1, N = 1"},
         "one too early");
  expect(disjoint(L("S[N:2]"), L("S[K:4] + 1")), {kProved, By::stride, "residues"}, "even and odd");
  expect(disjoint(L("S[N:2*N]"), L("S[K:4] + (2*N+1)@m")), {kProved, By::stride, "residues"}, "even and odd, symbolic");
  expect(disjoint(L("S[1000000000000:1]"), L("S[(1000,2):(1000,7@laneid)] + 1@laneid")), {kProved, By::stride, "axis laneid"},
         "lanes");
  expect(disjoint(L("S[(2,1000000000):(1,6)]"), L("S[(2,1000000000):(1,6)] + 3")), {kProved, By::enumeration},
         "pairs of every six");
  const Decision d = disjoint(L("S[(2,1000000000):(1,6)]"), L("S[(2,1000000000):(1,6)] + 5"));
  expect(d, {kRefuted, By::enumeration, "of the first and the second layout"}, "pairs, overlapping");
  EXPECT_EQ(base_place(L("S[(2,1000000000):(1,6)]"), d.witness->x), d.witness->place);
  expect(disjoint(L("swizzle(3,3,3) o S[1073741824:1]"), L("S[1024:1] + 1073741824")), {kProved, By::stride, "footprints"},
         "swizzles stay in periods");
  expect(disjoint(L("swizzle(0,30,30) o S[1073741824:1073741824]"), L("S[1073741823:1073741825]")),
         {kUndecided, By::definition, "more than 1048576 places"}, "the diagonal, twice; for the solver");
  expect(disjoint(L("swizzle(0,20,20) o S[1048576:1048576]"), L("S[1048576:1048576] + 1")), {kRefuted, By::rank},
         "the diagonal and a column");
  expect(disjoint(L("swizzle(0,20,20) o S[(524288,1):(2097152,1)]"), L("S[1048576:1048576] + 1")), {kProved, By::rank},
         "its even part");
}

// Tensor memory of 512 columns: two accumulator stages of 224 columns and the scale factors of both operands behind them; with
// stages of 256 columns there is no room, and the pair that collides is named.
// shows: L1.9 L3.2
TEST(Decide, StagesAndScaleFactorsShareTensorMemory) {
  const std::string factors = "S[(32,16):(1@TLane,1@TCol)] + R[4:32@TLane] + ";
  const auto pairwise = [&](int columns) {
    const std::string stage = fmt::format("S[(128,{}):(1@TLane,1@TCol)] + ", columns);
    const std::vector<Layout> all = {L(stage + "0@TCol"), L(stage + fmt::format("{}@TCol", columns)), L(factors + "448@TCol"),
                                     L(factors + "464@TCol")};
    std::vector<Decision> out;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j) out.push_back(disjoint(all[i], all[j]));
    return out;
  };
  for (const Decision& d : pairwise(224)) expect(d, {kProved, By::stride, "axis TCol: footprints apart"}, "224 columns");
  std::vector<std::string> collisions;
  for (const Decision& d : pairwise(256))
    if (d.outcome == kRefuted) collisions.push_back(to_string(*d.witness));
  EXPECT_EQ(collisions, (std::vector<std::string>{"elements 32719 and 511 (copy 3) at TLane 127, TCol 463",
                                                  "elements 32735 and 511 (copy 3) at TLane 127, TCol 479"}));
}

// A block is permuted in itself, or an address leaves it: every block and alignment up to 40, against the formula.
// shows: L2.1 L3.2
TEST(Decide, SwizzleBijective) {
  int proofs = 0, by_rank = 0;
  for (const auto& [m, b, s, inner] : std::vector<std::tuple<int, int, int, bool>>{
           {0, 1, 1, true}, {1, 1, 2, true}, {0, 2, 2, false}, {1, 1, 1, false}, {0, 0, 3, true}}) {
    const Swizzle swizzle = must(Swizzle::make(m, b, s, inner));
    for (std::int64_t block = 1; block <= 40; ++block)
      for (std::int64_t alignment = 1; alignment <= 40; ++alignment) {
        bool truth = true;
        for (std::int64_t q = 0; q <= swizzle.period() && truth; ++q)
          for (std::int64_t x = q * alignment; x < q * alignment + block && truth; ++x)
            truth = swizzle(x) >= q * alignment && swizzle(x) < q * alignment + block;
        const Decision d = bijective(swizzle, block, alignment);
        ASSERT_EQ(d.outcome, truth ? kProved : kRefuted) << block << " " << alignment << " " << d.why;
        proofs += truth;
        by_rank += d.by == By::rank;
        if (d.witness) {
          ASSERT_EQ(swizzle(d.witness->x), d.witness->place[Axis::memory()]);
        }
      }
  }
  EXPECT_GT(proofs, 400);
  EXPECT_GT(by_rank, 20);
  const Swizzle s = must(swizzle_of(16, 128));
  expect(bijective(s, 512, 512), {kProved, By::definition}, "a period");
  expect(bijective(s, 64, 64), {kProved, By::rank}, "a line of 128 bytes");
  expect(bijective(s, 32, 32), {kRefuted, By::rank, "bit 8 "}, "half a line");
  expect(bijective(s, 32, 512), {kProved, By::rank}, "half a line at the beginning of a period");
  expect(bijective(s, 512, 64), {kProved, By::enumeration}, "from any line on");
  expect(bijective(s, 512, 32), {kRefuted, By::enumeration}, "from half a line on");
}

// Every column, not a sample: 8 rows of 16 bytes, every dtype and mode, by the rank of the row's three bits.
// shows: L2.4 L3.2
TEST(Decide, ColumnsAreFreeOfConflictsInEveryMode) {
  for (int bits : {4, 8, 16, 32, 64, 128})
    for (int mode : {32, 64, 128}) {
      expect(column_conflict_free(bits, mode, mode), {kProved, By::rank}, fmt::format("{} bits, {} bytes", bits, mode));
      // The same by the banks themselves, for every column of two atoms on top of each other.
      const std::int64_t row = mode * 8 / bits, run = 128 / bits;
      const Layout l = must(compose(must(swizzle_of(bits, mode)), T(fmt::format("S[(16,{}):({},1)]", row, row))));
      for (std::int64_t start : {0, 8})
        for (std::int64_t column = 0; column < row; column += run) {
          std::vector<std::int64_t> lanes;
          for (std::int64_t i = 0; i < 8; ++i) lanes.push_back((start + i) * row + column);
          const BankReport report = must(bank_conflicts(l, bits, lanes, 16));
          EXPECT_EQ(report.degree, 1);
          EXPECT_EQ(report.phases, 1);
        }
    }
}

// The document's (8, 64) float16 tile: without a swizzle a column is in four banks; and other modes than the rows' fail too.
// shows: L2.4 L3.2
TEST(Decide, ColumnsThatConflictNameTheirLanes) {
  expect(column_conflict_free(16, 0, 128),
         {kRefuted, By::rank, "lanes 0 and 1 (rows 0 and 1, run 0) want banks 0 to 3: elements 0 and 64"}, "no swizzle");
  expect(column_conflict_free(16, 0, 16), {kProved, By::rank}, "rows of one run need none");
  expect(column_conflict_free(16, 32, 128), {kRefuted, By::rank}, "a narrow mode under wide rows");
  expect(column_conflict_free(16, 128, 256), {kRefuted, By::rank}, "two atoms side by side, not tiled");
  expect(column_conflict_free(16, 0, 144), {kProved, By::enumeration}, "rows padded by 16 bytes");
  expect(column_conflict_free(16, 0, 160), {kRefuted, By::enumeration}, "padded by 32");
  expect(column_conflict_free(16, 128, 144), {kRefuted, By::enumeration}, "padded and swizzled");
  expect(column_conflict_free(24, 128, 128), {kUndecided, By::definition, "24 bits"}, "no such element");
  expect(column_conflict_free(16, 48, 128), {kUndecided, By::definition}, "no such mode");
  expect(column_conflict_free(16, 128, 100), {kUndecided, By::definition, "whole runs"}, "no such row");

  const Layout plain = L("S[(8,64):(64,1)]"), swizzled = L("swizzle(3,3,3) o S[(8,64):(64,1)]");
  std::vector<std::int64_t> column;
  for (std::int64_t i = 0; i < 8; ++i) column.push_back(64 * i);
  EXPECT_EQ(must(bank_conflicts(plain, 16, column, 16)).degree, 8);
  EXPECT_EQ(must(bank_conflicts(swizzled, 16, column, 16)).degree, 1);
  const BankReport halves = must(bank_conflicts(plain, 16, column, 2));
  EXPECT_EQ(halves.degree, 8);
  EXPECT_EQ(halves.words_by_bank[0], (std::vector<std::int64_t>{0, 32, 64, 96, 128, 160, 192, 224}));
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < 32; ++i) row.push_back(2 * i);
  EXPECT_EQ(must(bank_conflicts(plain, 16, row, 4)).degree, 1);
  EXPECT_EQ(must(bank_conflicts(plain, 32, row, 4)).degree, 2);
  EXPECT_EQ(must(bank_conflicts(L("S[512:1]"), 8, std::vector<std::int64_t>(32, 7), 1)).degree, 1) << "one word for all";
  std::vector<std::int64_t> wide;
  for (std::int64_t i = 0; i < 32; ++i) wide.push_back(8 * i);
  EXPECT_EQ(must(bank_conflicts(plain, 16, wide, 16)).phases, 4);
  for (const auto& [layout, bits, lanes, bytes] :
       std::vector<std::tuple<Layout, int, std::vector<std::int64_t>, int>>{{plain, 16, {512}, 2},
                                                                            {plain, 16, {-1}, 2},
                                                                            {plain, 16, {1}, 4},
                                                                            {plain, 16, {0}, 3},
                                                                            {plain, 12, {0}, 2},
                                                                            {plain, 16, {}, 2},
                                                                            {L("S[8:1@laneid]"), 16, {1}, 2},
                                                                            {L("S[8:-1]"), 16, {1}, 2},
                                                                            {L("S[N:1]"), 16, {0}, 2}})
    EXPECT_FALSE(bank_conflicts(layout, bits, lanes, bytes)) << to_string(layout);
}

}  // namespace
}  // namespace kir::layout
