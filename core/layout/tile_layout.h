// Tile layouts over named axes (the second founding document): shard D, replica R, offset O. A layout maps each element, by
// its row-major linear position x, to the set of places
//
//     L(x) = { D(x) + r + O | r in R },    D(x)[a] = sum of c_k * s_k over the shard iters k on axis a,
//
// where the digits c_k are those of x in the mixed radix of the shard extents, the last iter fastest, and r goes over all
// combinations of the replica iters. A layout admits each shape whose size is the product of the shard extents.
#pragma once

#include <compare>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "core/layout/axis.h"
#include "core/layout/size.h"

namespace kir::layout {

// What went wrong, in one sentence for the user.
template <class T>
using Result = tl::expected<T, std::string>;
using Error = tl::unexpected<std::string>;

struct Iter {
  Size extent = 1;
  Size stride = 1;
  Axis axis = Axis::memory();
  friend bool operator==(const Iter&, const Iter&) = default;
};

struct Offset {
  Axis axis = Axis::memory();
  Size value;
  friend bool operator==(const Offset&, const Offset&) = default;
};

// A place: one integer an axis. Axes ascend, zeros are left out, so equal places compare equal.
class Place {
 public:
  std::int64_t operator[](Axis a) const;  // 0 where absent
  void add(Axis a, std::int64_t by);
  const std::vector<std::pair<Axis, std::int64_t>>& coordinates() const { return coordinates_; }
  friend bool operator==(const Place&, const Place&) = default;
  // By the coordinates in the order of the axes, absent ones as 0.
  friend std::strong_ordering operator<=>(const Place& a, const Place& b);

 private:
  std::vector<std::pair<Axis, std::int64_t>> coordinates_;
};
std::string to_string(const Place& p);  // "laneid 4, warpid 5"; "origin" when empty

using Shape = std::vector<Size>;

// Valid by construction: extents at least 1 for all symbols; the number of elements, the number of copies and, for each axis,
// the furthest place fit 63 bits (where constant; symbolic ones are checked when bound). So the forward map of a layout without
// symbols never overflows.
class TileLayout {
 public:
  // The offset may name an axis more than once (the values add up) and in any order; zeros are dropped.
  static Result<TileLayout> make(std::vector<Iter> shard, std::vector<Iter> replica = {}, std::vector<Offset> offset = {});
  TileLayout() = default;  // one element at the origin

  const std::vector<Iter>& shard() const { return shard_; }      // first: slowest
  const std::vector<Iter>& replica() const { return replica_; }  // a multiset; kept as written
  const std::vector<Offset>& offset() const { return offset_; }  // axes ascend, no zeros
  Size offset_on(Axis a) const;

  bool is_constant() const;
  std::vector<std::string> symbols() const;
  std::vector<Axis> axes() const;  // those of any iter or offset, ascending

  Size size() const;        // elements: product of the shard extents
  Size copies() const;      // product of the replica extents
  Size size(Axis a) const;  // product of the extents of the shard iters on a
  // One more than the furthest place on a: 1 + offset + what the shard and replica iters of positive stride reach. overflowed()
  // where a symbolic stride may have either sign. The document's footprint is [low, high] of reach().
  Size span(Axis a) const;
  Size span() const;  // over the memory axes: 1 + the sum of all reaches and offsets on them
  struct Reach {
    std::int64_t low = 0, high = 0;  // inclusive
    friend bool operator==(const Reach&, const Reach&) = default;
  };
  Reach reach(Axis a) const;  // of all places; no symbols

  Result<TileLayout> bind(const Binding& binding) const;  // error: a value below 1, an overflow
  friend bool operator==(const TileLayout&, const TileLayout&) = default;

 private:
  std::vector<Iter> shard_, replica_;
  std::vector<Offset> offset_;
};

// The forward map, in the document's four steps. The layout has no symbols (KIR_CHECK); errors are the user's.
inline constexpr std::int64_t kMaxCopies = std::int64_t{1}
                                           << 20;      // more are never enumerated: places() needs, apply() checks it
bool admits(const TileLayout& l, const Shape& shape);  // symbolic: equal as polynomials
Result<std::int64_t> flatten(const std::vector<std::int64_t>& coordinate, const std::vector<std::int64_t>& shape);
std::vector<std::int64_t> split(const TileLayout& l, std::int64_t flat);  // one digit a shard iter; flat is taken modulo size()
Place base_place(const TileLayout& l, std::int64_t flat);                 // D(x) + O
std::vector<Place> places(const TileLayout& l, std::int64_t flat);        // L(x): each place once, ascending
Result<std::vector<Place>> apply(const TileLayout& l, const std::vector<std::int64_t>& coordinate,
                                 const std::vector<std::int64_t>& shape);  // with admission and bounds checked

// The scopes that the thread axes span; none without thread axes. Error: they do not connect (a gap as between "laneid" and
// "wgid", or an overlap: "tid" and "laneid" both count the threads of a warp). The sides of one grid go together.
struct ScopeSpan {
  Scope inner, outer;
};
Result<std::optional<ScopeSpan>> scope_of(const TileLayout& l);

}  // namespace kir::layout
