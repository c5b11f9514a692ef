// Random layouts and an oracle of the forward map for the tests of layouts. The oracle is written from the founding document's
// four steps: it walks every digit and every copy, and shares nothing with core/layout.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/layout/algebra.h"
#include "core/layout/text.h"

namespace kir::layout {

inline Layout L(std::string_view text) {
  Result<Layout> out = parse_layout(text);
  EXPECT_TRUE(out) << text << ": " << (out ? "" : out.error());
  return out ? *out : Layout{};
}
inline TileLayout T(std::string_view text) { return L(text).tile; }

template <class T>
T must(Result<T> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return result ? *std::move(result) : T{};
}

// ---- Oracle
using Spot = std::map<std::string, std::int64_t>;  // zeros left out
inline Spot spot(const Place& p) {
  Spot out;
  for (const auto& [axis, value] : p.coordinates()) out[std::string(axis.name())] = value;
  return out;
}
inline void move(Spot& spot, Axis axis, std::int64_t by) {
  const std::string name(axis.name());
  spot[name] += by;
  if (spot[name] == 0) spot.erase(name);
}
inline Spot plus(Spot a, const Spot& b) {
  for (const auto& [axis, value] : b) move(a, *Axis::find(axis), value);
  return a;
}
inline std::int64_t number(const Size& s) { return *s.constant(); }

// Base places (D + O) of all elements in order: an odometer over the digits.
inline std::vector<Spot> all_bases(const TileLayout& l) {
  std::vector<Spot> out;
  std::vector<std::int64_t> digits(l.shard().size(), 0);
  for (;;) {
    Spot here;
    for (std::size_t k = 0; k < digits.size(); ++k) move(here, l.shard()[k].axis, digits[k] * number(l.shard()[k].stride));
    for (const Offset& o : l.offset()) move(here, o.axis, number(o.value));
    out.push_back(std::move(here));
    std::size_t k = digits.size();
    while (k > 0 && ++digits[k - 1] == number(l.shard()[k - 1].extent)) digits[--k] = 0;
    if (k == 0) return out;
  }
}
// The offsets of all copies, a multiset.
inline std::vector<Spot> all_copies(const TileLayout& l) {
  std::vector<Spot> out{{}};
  for (const Iter& r : l.replica()) {
    std::vector<Spot> more;
    for (const Spot& s : out)
      for (std::int64_t c = 0; c < number(r.extent); ++c) {
        more.push_back(s);
        move(more.back(), r.axis, c * number(r.stride));
      }
    out = std::move(more);
  }
  return out;
}
// L(x) for all x in order.
inline std::vector<std::set<Spot>> all_places(const TileLayout& l) {
  std::vector<std::set<Spot>> out;
  const std::vector<Spot> copies = all_copies(l);
  for (const Spot& base : all_bases(l)) {
    std::set<Spot>& here = out.emplace_back();
    for (const Spot& r : copies) here.insert(plus(base, r));
  }
  return out;
}

// The same base places, and the same multiset of copies.
inline testing::AssertionResult same_map(const TileLayout& a, const TileLayout& b) {
  std::vector<Spot> copies = all_copies(a), others = all_copies(b);
  std::sort(copies.begin(), copies.end()), std::sort(others.begin(), others.end());
  if (all_bases(a) == all_bases(b) && copies == others) return testing::AssertionSuccess();
  return testing::AssertionFailure() << to_string(a) << " and " << to_string(b) << " are different maps";
}
// Without walking the elements: the same canonical shard and offset, and the same multiset of copies (which may be written in
// several ways that do not merge any further).
inline testing::AssertionResult same_form(const Layout& a, const Layout& b) {
  const Layout x = canonicalize(a), y = canonicalize(b);
  std::vector<Spot> copies = all_copies(x.tile), others = all_copies(y.tile);
  std::sort(copies.begin(), copies.end()), std::sort(others.begin(), others.end());
  if (x.tile.shard() == y.tile.shard() && x.tile.offset() == y.tile.offset() && x.swizzle == y.swizzle && copies == others)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << to_string(x) << " and " << to_string(y);
}
inline testing::AssertionResult same_form(const TileLayout& a, const TileLayout& b) {
  return same_form(Layout{a, {}}, Layout{b, {}});
}
// Row-major coordinates of a shape, in order.
inline std::vector<std::vector<std::int64_t>> all_coordinates(const std::vector<std::int64_t>& shape) {
  std::vector<std::vector<std::int64_t>> out{{}};
  for (const std::int64_t extent : shape) {
    std::vector<std::vector<std::int64_t>> more;
    for (const auto& prefix : out)
      for (std::int64_t c = 0; c < extent; ++c) {
        more.push_back(prefix);
        more.back().push_back(c);
      }
    out = std::move(more);
  }
  return out;
}
inline std::size_t linear(const std::vector<std::int64_t>& coordinate, const std::vector<std::int64_t>& shape) {
  std::int64_t out = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) out = out * shape[d] + coordinate[d];
  return static_cast<std::size_t>(out);
}
inline Shape sizes(const std::vector<std::int64_t>& shape) { return Shape(shape.begin(), shape.end()); }
inline std::vector<std::int64_t> numbers(const Shape& shape) {
  std::vector<std::int64_t> out;
  for (const Size& s : shape) out.push_back(number(s));
  return out;
}

// ---- Random layouts
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t in(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool chance(int percent) { return in(1, 100) <= percent; }
  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(in(0, static_cast<std::int64_t>(values.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

struct Wanted {
  std::int64_t elements = 4096;  // at most
  std::int64_t copies = 8;
  std::vector<std::string> axes = {"m", "laneid", "warpid", "TLane"};
  bool negative = true;  // strides and offsets
};

inline Iter random_iter(Random& random, std::int64_t most, const Wanted& wanted) {
  static const std::vector<std::int64_t> extents = {1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 32, 60};
  static const std::vector<std::int64_t> strides = {0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 100};
  Iter out{random.of(extents), random.of(strides), *Axis::find(random.of(wanted.axes))};
  if (number(out.extent) > most) out.extent = random.in(1, most);
  if (wanted.negative && random.chance(10)) out.stride = -out.stride;
  return out;
}

inline TileLayout random_layout(Random& random, const Wanted& wanted = {}) {
  std::vector<Iter> shard, replica;
  std::vector<Offset> offset;
  std::int64_t room = wanted.elements;
  for (std::int64_t n = random.in(0, 6); n > 0; --n) {
    // Often what would merge with its neighbour, so that normal forms have something to do.
    Iter next = random_iter(random, room, wanted);
    if (!shard.empty() && random.chance(30)) {
      const Iter& last = shard.front();
      next.axis = last.axis, next.stride = last.stride * last.extent;
    }
    room /= number(next.extent);
    shard.insert(shard.begin(), next);
  }
  room = wanted.copies;
  for (std::int64_t n = random.chance(40) ? random.in(1, 3) : 0; n > 0; --n) {
    replica.push_back(random_iter(random, room, wanted));
    room /= number(replica.back().extent);
  }
  for (std::int64_t n = random.chance(40) ? random.in(1, 3) : 0; n > 0; --n)
    offset.push_back({*Axis::find(random.of(wanted.axes)), random.in(wanted.negative ? -5 : 0, 70)});
  return must(TileLayout::make(std::move(shard), std::move(replica), std::move(offset)));
}

// A shape of that many elements, with dimensions of extent 1.
inline std::vector<std::int64_t> random_shape(Random& random, std::int64_t elements) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(random.in(1, 4)), 1);
  for (std::int64_t p = 2; elements > 1; ++p)
    for (; elements % p == 0; elements /= p)
      out[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(out.size()) - 1))] *= p;
  return out;
}
// A layout and a shape that it is grouped by: dimensions of up to two iters.
struct Shaped {
  TileLayout layout;
  std::vector<std::int64_t> shape;
};
inline Shaped random_shaped(Random& random, std::size_t dimensions, const Wanted& wanted) {
  std::vector<Iter> shard;
  std::vector<std::int64_t> shape;
  std::int64_t room = wanted.elements;
  for (std::size_t d = 0; d < dimensions; ++d) {
    shape.push_back(1);
    for (std::int64_t n = random.in(0, 2); n > 0; --n) {
      shard.push_back(random_iter(random, room, wanted));
      shape.back() *= number(shard.back().extent);
      room /= number(shard.back().extent);
    }
  }
  const TileLayout rest = random_layout(random, wanted);
  return {must(TileLayout::make(std::move(shard), rest.replica(), rest.offset())), std::move(shape)};
}

}  // namespace kir::layout
