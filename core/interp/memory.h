// Memory of one interpreted launch: the views' contents, and a shadow of them that knows which accesses came before.
//
// Races. Execution is depth first: the instances of a `parallel` run one after the other, and a clock ticks at each start
// of an instance and at each end of a `parallel`. At any time the earlier accesses that are unordered with the current one
// are those of finished sibling instances, at some level of the nest that is being executed: accesses stamped at or after the
// beginning of that level's `parallel` and before the beginning of its current instance. So a stamp tells whether an
// access races with the current one, and it suffices to keep the last writer and one reader of each element (the reader
// is replaced only by one that comes after it), as in the SP-bags algorithm of Feng and Leiserson: a race is reported
// if and only if the execution has one. O(depth) per access.
//
// A view is dense (a Tensor) or sparse: contents by a function of (seed, address), written cells in a map.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/interp/index_code.h"
#include "core/interp/launch_args.h"
#include "core/ir/abi.h"

namespace kir {

enum class AccessFault : std::uint8_t { none, race, uninitialized, skipped };

// Where the unordered earlier access of a race was: op, and the level and start stamp of its instance.
struct RaceWitness {
  OpId op;
  bool write = false;
  std::size_t level = 0;
  std::uint32_t stamp = 0;
};

struct SparseContents {
  std::uint64_t seed = 0;
  bool special = false;
  std::unordered_map<std::int64_t, std::uint64_t> cells;  // given contents, by address
};

class Memory {
 public:
  // Adds the views of the ABI in order. One of the tensor and the sparse contents is given for each.
  void add_view(const ViewParam& p, ViewExtent extent, TensorPtr tensor);
  void add_sparse_view(const ViewParam& p, ViewExtent extent, SparseContents contents, std::optional<std::size_t> same_as);

  struct View {
    std::vector<std::int64_t> shape, strides;
    DType dtype = DType::f32;
    int bytes = 4;
    bool out = false;           // elements need a store before a load
    std::byte* data = nullptr;  // dense
    std::size_t resource = 0;
  };
  const View& view(std::size_t i) const { return views_[i]; }
  std::size_t view_count() const { return views_.size(); }

  // Addresses are element offsets, inside the view.
  AccessFault load(std::size_t view, std::int64_t address, OpId op, std::uint64_t& word, RaceWitness& witness);
  AccessFault store(std::size_t view, std::int64_t address, OpId op, std::uint64_t word, RaceWitness& witness);

  // The largest difference that permitted executions can show at an element; kept only when bounds are tracked.
  void track_radius();
  bool tracks_radius() const { return tracking_; }
  double radius(std::size_t view, std::int64_t address) const;
  const std::vector<double>& radii(std::size_t view) const { return resources_[views_[view].resource].radius; }
  void set_radius(std::size_t view, std::int64_t address, double radius);

  // Elements of a sparse view that were stored to.
  std::map<std::int64_t, std::uint64_t> written(std::size_t view) const;

  // A replay left out stores to this view: what is not written since has unknown contents.
  void mark_skipped(std::size_t view) { resources_[views_[view].resource].skipped = true; }

  // Nesting of unordered instances.
  void set_detect_races(bool on) { detect_ = on; }
  void enter_parallel();
  std::uint32_t start_instance();  // the stamp of its beginning
  void leave_parallel();
  std::size_t depth() const { return levels_.size(); }
  std::uint32_t parallel_start(std::size_t level) const { return levels_[level].parallel; }
  bool clock_exhausted() const { return now_ > 0xfffffff0u; }

 private:
  struct Shadow {
    std::uint32_t write = 0, read = 0;  // stamps; 0: never
    OpId write_op, read_op;
  };
  struct Resource {
    TensorPtr tensor;      // dense
    bool written = false;  // some view of it can be stored to: it has a shadow
    bool skipped = false;
    DType dtype = DType::f32;
    SparseContents sparse;
    std::vector<Shadow> shadow;  // dense, by address
    std::unordered_map<std::int64_t, Shadow> sparse_shadow;
    std::vector<double> radius;
  };
  struct Level {
    std::uint32_t parallel = 0;  // stamp of its beginning
    std::uint32_t instance = 0;  // stamp of the current instance's beginning
  };

  void append(const ViewParam& p, ViewExtent extent, std::size_t resource);
  Shadow& shadow(Resource& r, std::int64_t address) {
    return r.tensor ? r.shadow[static_cast<std::size_t>(address)] : r.sparse_shadow[address];
  }
  // The level at which an access of that stamp is unordered with the present, or none.
  std::optional<std::size_t> unordered(std::uint32_t stamp) const {
    for (std::size_t i = 0; i < levels_.size() && stamp >= levels_[i].parallel; ++i)
      if (stamp < levels_[i].instance) return i;
    return std::nullopt;
  }
  bool races(std::uint32_t stamp, OpId op, bool write, RaceWitness& witness) const;

  std::vector<View> views_;
  std::vector<Resource> resources_;
  std::vector<Level> levels_;
  std::uint32_t now_ = 1;
  bool detect_ = true;
  bool tracking_ = false;
};

}  // namespace kir
