// Random layouts: every decision against brute force, which walks all elements and copies and knows the founding document's
// four steps and its swizzle formula, nothing of core/layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "core/layout/decide.h"
#include "tests/layout/layout_support.h"

namespace kir::layout {
namespace {

constexpr std::array kAxes = {"m", "laneid", "warpid", "TLane"};
using Spot4 = std::array<std::int64_t, kAxes.size()>;  // one coordinate an axis

std::size_t slot(Axis a) { return static_cast<std::size_t>(std::ranges::find(kAxes, a.name()) - kAxes.begin()); }

std::int64_t swizzled(const Swizzle& s, std::int64_t m) {
  const std::int64_t x = m >> s.per_element(), mask = (std::int64_t{1} << s.swizzle_len()) - 1;
  const std::int64_t f = s.inner() ? x ^ ((x & (mask << s.atom_len())) >> s.atom_len()) : x ^ ((x & mask) << s.atom_len());
  return (f << s.per_element()) + (m & ((std::int64_t{1} << s.per_element()) - 1));
}

// All sums of digit * stride, the last iter fastest.
std::vector<Spot4> sums(const std::vector<Iter>& iters, Spot4 origin) {
  std::vector<Spot4> out{origin};
  for (const Iter& i : iters) {
    std::vector<Spot4> next;
    for (const Spot4& s : out)
      for (std::int64_t c = 0; c < number(i.extent); ++c) {
        next.push_back(s);
        next.back()[slot(i.axis)] += c * number(i.stride);
      }
    out = std::move(next);
  }
  return out;
}

struct Brute {
  std::vector<Spot4> bases, copies;
  std::vector<std::vector<Spot4>> places;  // of each element, ascending, each once
  std::vector<Spot4> all;                  // ascending, each once
  bool exclusive = true;
  Spot4 low{}, high{};  // of the tile

  explicit Brute(const Layout& l) {
    Spot4 origin{};
    for (const Offset& o : l.tile.offset()) origin[slot(o.axis)] += number(o.value);
    bases = sums(l.tile.shard(), origin);
    copies = sums(l.tile.replica(), {});
    low = high = origin;
    std::vector<std::pair<Spot4, std::size_t>> owners;
    for (std::size_t x = 0; x < bases.size(); ++x) {
      std::vector<Spot4>& here = places.emplace_back();
      for (const Spot4& r : copies) {
        Spot4 p = bases[x];
        for (std::size_t a = 0; a < p.size(); ++a) {
          p[a] += r[a];
          low[a] = std::min(low[a], p[a]);
          high[a] = std::max(high[a], p[a]);
        }
        if (l.swizzle) p[0] = swizzled(*l.swizzle, p[0]);
        here.push_back(p);
      }
      std::ranges::sort(here);
      here.erase(std::ranges::unique(here).begin(), here.end());
      for (const Spot4& p : here) owners.emplace_back(p, x);
    }
    std::ranges::sort(owners);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (i > 0 && owners[i].first == owners[i - 1].first)
        exclusive = false;
      else
        all.push_back(owners[i].first);
    }
  }
  static bool distinct(std::vector<Spot4> v) {
    std::ranges::sort(v);
    return std::ranges::adjacent_find(v) == v.end();
  }
  bool covers(const Spot4& from, const Spot4& to) const {
    std::int64_t volume = 1, inside = 0;
    for (std::size_t a = 0; a < from.size(); ++a) {
      if (to[a] < from[a]) return true;
      if (__builtin_mul_overflow(volume, to[a] - from[a] + 1, &volume)) return false;
    }
    for (const Spot4& p : all) {
      bool in = true;
      for (std::size_t a = 0; a < p.size(); ++a) in = in && from[a] <= p[a] && p[a] <= to[a];
      inside += in;
    }
    return inside == volume;
  }
};

// Extents in any order, strides that leave neither gaps nor overlaps; and then something is changed.
TileLayout nearly_dense(Random& random, const std::vector<std::string>& axes, bool negative) {
  std::vector<Iter> iters;
  std::map<std::string, std::int64_t> next;
  std::int64_t room = 4096;
  for (std::int64_t n = random.in(1, 6); n > 0; --n) {
    const std::string axis = random.of(axes);
    std::int64_t& stride = next.try_emplace(axis, random.chance(80) ? 1 : random.in(2, 12)).first->second;
    const std::int64_t extent = std::min<std::int64_t>(random.in(1, 9), room);
    room /= extent;
    iters.push_back({extent, stride, *Axis::find(axis)});
    stride = stride * extent + (random.chance(10) ? random.in(-2, 2) : 0);
    if (negative && random.chance(10)) iters.back().stride = -iters.back().stride;
  }
  for (std::size_t i = iters.size(); i > 1; --i)
    std::swap(iters[i - 1], iters[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i) - 1))]);
  std::vector<Iter> shard, replica;
  std::int64_t copies = 8;
  for (Iter& i : iters) {
    if (random.chance(10)) i.stride = i.stride + random.in(-2, 2);
    if (!negative && number(i.stride) < 0) i.stride = -i.stride;
    const bool copy = random.chance(25) && number(i.extent) <= copies;
    if (copy) copies /= number(i.extent);
    (copy ? replica : shard).push_back(i);
  }
  std::vector<Offset> offset;
  if (random.chance(30)) offset.push_back({*Axis::find(random.of(axes)), random.in(negative ? -5 : 0, 40)});
  return must(TileLayout::make(std::move(shard), std::move(replica), std::move(offset)));
}

Layout random_any(Random& random) {
  if (random.chance(25)) {
    const std::vector<std::string> m = {"m"};
    const TileLayout tile = random.chance(50)
                                ? nearly_dense(random, m, false)
                                : random_layout(random, {.elements = 1024, .copies = 4, .axes = m, .negative = false});
    const std::int64_t len = random.in(0, 3);
    return must(compose(must(Swizzle::make(random.in(0, 3), len, random.in(len, 4), random.chance(70))), tile));
  }
  const std::vector<std::string> axes(kAxes.begin(), kAxes.begin() + random.in(1, kAxes.size()));
  if (random.chance(60)) return {nearly_dense(random, axes, true), {}};
  return {random_layout(random, {.elements = random.chance(5) ? 4096 : 512, .copies = 8, .axes = axes}), {}};
}

// The same map in other words, more or less: iters split, extents 1 put in, copies turned round; sometimes wrong.
Layout reworded(Random& random, const Layout& l) {
  std::vector<Iter> shard, replica;
  std::vector<Offset> offset = l.tile.offset();
  for (Iter i : l.tile.shard()) {
    if (random.chance(10)) shard.push_back({1, random.in(-9, 9), i.axis});
    const std::int64_t extent = number(i.extent);
    std::int64_t part = random.in(1, 4);
    if (extent % part != 0) part = 1;
    shard.push_back({extent / part, i.stride * part, i.axis});
    if (part > 1) shard.push_back({part, i.stride, i.axis});
    if (random.chance(3)) shard.back().stride = shard.back().stride + 1;
  }
  for (Iter i : l.tile.replica()) {
    if (random.chance(50) && !l.swizzle) {
      offset.push_back({i.axis, (i.extent - 1) * i.stride});
      i.stride = -i.stride;
    }
    replica.insert(random.chance(50) ? replica.begin() : replica.end(), i);
  }
  std::optional<Swizzle> swizzle = l.swizzle;
  if (swizzle && random.chance(30))
    swizzle = must(Swizzle::make(swizzle->per_element(), swizzle->swizzle_len(), swizzle->swizzle_len() + random.in(0, 4),
                                 random.chance(50)));
  return {must(TileLayout::make(std::move(shard), std::move(replica), std::move(offset))), swizzle};
}

class RandomDecisions : public ::testing::Test {
 protected:
  template <class F>
  Decision timed(F&& decide) {
    const auto start = std::chrono::steady_clock::now();
    Decision d = decide();
    milliseconds_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    ++by_[{d.by, d.outcome}];
    return d;
  }
  void agrees(std::string_view what, const std::string& text, const Decision& d, bool truth) {
    ASSERT_EQ(d.outcome, truth ? Outcome::proved : Outcome::refuted) << what << " of " << text << ": " << d.why;
    ASSERT_EQ(d.witness.has_value(), !truth) << what << " of " << text;
  }
  std::vector<double> milliseconds_;
  std::map<std::pair<By, Outcome>, int> by_;
};

// A witness is a counterexample by the walk, too.
void meet(const Layout& l, const Brute& brute, const Decision& d, bool copies) {
  if (!d.witness) return;
  const Witness& w = *d.witness;
  const auto spot_of = [&](std::int64_t x, const std::vector<std::int64_t>& copy) {
    std::size_t r = 0;
    for (std::size_t t = 0; t < copy.size(); ++t)
      r = r * static_cast<std::size_t>(number(l.tile.replica()[t].extent)) + static_cast<std::size_t>(copy[t]);
    Spot4 p = brute.bases.at(static_cast<std::size_t>(x));
    for (std::size_t a = 0; a < p.size(); ++a) p[a] += brute.copies.at(r)[a];
    if (l.swizzle) p[0] = swizzled(*l.swizzle, p[0]);
    return p;
  };
  ASSERT_EQ(spot_of(w.x, w.copy_x), spot_of(w.y, w.copy_y)) << d.why;
  ASSERT_EQ(copies, w.x == w.y) << d.why;
  ASSERT_TRUE(w.x != w.y || w.copy_x != w.copy_y) << d.why;
}

// shows: L3.2
TEST_F(RandomDecisions, AgreeWithBruteForce) {
  Random random(20260);
  int proofs = 0, decisions = 0;
  for (int round = 0; round < 100'000; ++round) {
    const Layout l = random_any(random);
    const std::string text = to_string(l);
    const Brute brute(l);
    const auto one = [&](std::string_view what, const Decision& d, bool truth) {
      ++decisions;
      proofs += truth;
      agrees(what, text, d, truth);
    };
    Decision d = timed([&] { return injective(l); });
    one("injective", d, Brute::distinct(brute.bases));
    meet(l, brute, d, false);
    d = timed([&] { return exclusive(l); });
    one("exclusive", d, brute.exclusive);
    meet(l, brute, d, false);
    d = timed([&] { return replica_consistent(l); });
    one("replica-consistent", d, Brute::distinct(brute.copies));
    meet(l, brute, d, true);
    d = timed([&] { return covering(l); });
    one("covering", d, brute.covers(brute.low, brute.high));
    Box box;
    Spot4 from{}, to{};
    for (std::size_t a = 0; a < kAxes.size(); ++a) {
      if (random.chance(20)) continue;
      from[a] = brute.low[a] + random.in(-1, 3) * (random.chance(30) ? 1 : 0);
      to[a] = std::min(from[a] + random.in(-1, 40), brute.high[a] + random.in(0, 1));
      box.sides.push_back({*Axis::find(kAxes[a]), {from[a], to[a]}});
    }
    d = timed([&] { return covering(l, box); });
    one("covering of a box", d, brute.covers(from, to));
    if (d.witness) {
      Spot4 p{};
      for (const auto& [axis, value] : d.witness->place.coordinates()) p[slot(axis)] = value;
      ASSERT_FALSE(std::ranges::binary_search(brute.all, p)) << text << d.why;
      for (std::size_t a = 0; a < p.size(); ++a) ASSERT_TRUE(from[a] <= p[a] && p[a] <= to[a]) << text << d.why;
    }
    const Layout other = random.chance(70) ? reworded(random, l) : random_any(random);
    const Brute brute_other(other);
    const std::string both = text + " and " + to_string(other);
    d = timed([&] { return equal(l, other); });
    ++decisions;
    agrees("equal", both, d, brute.places == brute_other.places);
    if (d.witness && brute.places.size() == brute_other.places.size()) {
      const auto x = static_cast<std::size_t>(d.witness->x);
      ASSERT_NE(brute.places.at(x), brute_other.places.at(x)) << both;
    }
    std::vector<Offset> moved = other.tile.offset();
    if (random.chance(50))
      moved.push_back({*Axis::find(kAxes[static_cast<std::size_t>(other.swizzle ? 0 : random.in(0, 3))]), random.in(0, 60)});
    const Layout away{must(TileLayout::make(other.tile.shard(), other.tile.replica(), moved)), other.swizzle};
    const Brute brute_away(away);
    std::vector<Spot4> common;
    std::ranges::set_intersection(brute.all, brute_away.all, std::back_inserter(common));
    d = timed([&] { return disjoint(l, away); });
    ++decisions;
    agrees("disjoint", text + " and " + to_string(away), d, common.empty());
    if (d.witness) {
      Spot4 p{};
      for (const auto& [axis, value] : d.witness->place.coordinates()) p[slot(axis)] = value;
      ASSERT_TRUE(std::ranges::binary_search(common, p)) << both << d.why;
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  std::ranges::sort(milliseconds_);
  const double median = milliseconds_[milliseconds_.size() / 2], most = milliseconds_.back();
  fmt::print("{} decisions on 100000 layouts: {} of the five on one layout hold; median {:.4f} ms, most {:.2f} ms\n", decisions,
             proofs, median, most);
  for (const auto& [key, count] : by_)
    fmt::print("  by {:<12}{} {}\n", name_of(key.first), key.second == Outcome::proved ? "proved" : "refuted", count);
  EXPECT_LT(median, 1.0);
  EXPECT_GT(proofs, 100'000);
}

}  // namespace
}  // namespace kir::layout
