// Memory of one interpreted launch: the contents of views and buffers, and a shadow of them that knows which accesses came
// before.
//
// Races: instance_order.h tells whether an access of some stamp is unordered with the present. Two unordered accesses of one
// element race when one of them writes and one is plain. In a nest without acquire and release being unordered carries over:
// an access unordered with the later of two unordered ones is unordered with the earlier too. So it suffices to keep, of
// each element, the last plain writer and one access of each other kind, replaced only by one that comes after it, as in the
// SP-bags algorithm of Feng and Leiserson. With acquire and release (`follow_releases`) all unordered ones are kept. Either
// way a race is reported if and only if the execution that runs has one. O(depth) per access, or O(accesses kept) where a
// plain access meets atomics.
//
// A view is dense (a Tensor) or sparse: contents by a function of (seed, address), written cells in a map. Buffers are dense.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/interp/index_code.h"
#include "core/interp/instance_order.h"
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

// The coordinates of an element; empty where the strides do not tell them one by one, the largest first.
std::optional<std::vector<std::int64_t>> coordinates_of(std::int64_t address, std::span<const std::int64_t> shape,
                                                        std::span<const std::int64_t> strides);

class Memory {
 public:
  // Adds the views of the ABI in order. One of the tensor and the sparse contents is given for each.
  void add_view(const ViewParam& p, ViewExtent extent, TensorPtr tensor);
  void add_sparse_view(const ViewParam& p, ViewExtent extent, SparseContents contents, std::optional<std::size_t> same_as);
  // A view without elements, of memory that each execution of a buffer makes anew: uninitialised, row-major.
  std::size_t add_buffer(DType t);
  void make_buffer(std::size_t view, std::vector<std::int64_t> shape);

  // The tensor of a view began uninitialised; the elements that have contents by now. Kept by reference.
  void set_contents(const Tensor& tensor, std::vector<bool>& has);
  void note_contents();  // adds what was stored since

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
  // One atomic access is a read, a write, or a read and then a write, which `continues` what was released there.
  AccessFault atomic_read(std::size_t view, std::int64_t address, OpId op, std::uint64_t& word, RaceWitness& witness);
  void acquire(std::size_t view, std::int64_t address);  // between the read and the write
  AccessFault atomic_write(std::size_t view, std::int64_t address, OpId op, std::uint64_t word, bool releases, bool continues,
                           RaceWitness& witness);
  // A plain read and write by one member of an operation that merges the values of its members, which are the innermost
  // instances: it does not race with theirs. The write follows with `merge_write`, without another access in between.
  AccessFault merge_read(std::size_t view, std::int64_t address, OpId op, std::uint64_t& word, RaceWitness& witness);
  void merge_write(std::size_t view, std::int64_t address, std::uint64_t word);

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

  void set_detect_races(bool on) { detect_ = on; }
  void set_follow_releases(bool on) { follow_ = on; }
  // What happens-before cost since the last call, beside the accesses themselves: it counts as steps.
  std::uint64_t take_work() { return std::exchange(work_, 0) + order_.take_work(); }
  // No more instances, releases or unordered accesses can be kept apart.
  bool exhausted() const { return order_.exhausted() || kept_ > kMaxKept; }
  InstanceOrder& order() { return order_; }
  const InstanceOrder& order() const { return order_; }

 private:
  struct Past {               // an earlier access
    std::uint32_t stamp = 0;  // 0: never
    OpId op;
  };
  struct Shadow {
    Past write, read;  // plain ones
  };
  // Of an element that atomics have touched, or plain readers that are unordered and all matter.
  struct AtomicShadow {
    Past write, read;
    std::vector<Past> more_writes, more_reads, more_plain_reads;  // unordered with those kept elsewhere
    InstanceOrder::Set released = 0;                              // what an acquire of the present contents takes over
  };
  struct Resource {
    TensorPtr tensor;      // dense
    bool written = false;  // some view of it can be stored to: it has a shadow
    bool skipped = false;
    DType dtype = DType::f32;
    SparseContents sparse;
    std::vector<Shadow> shadow;  // dense, by address
    std::unordered_map<std::int64_t, Shadow> sparse_shadow;
    std::unordered_map<std::int64_t, AtomicShadow> atomics;
    std::vector<double> radius;
    std::vector<bool>* contents = nullptr;  // by address; none: all
  };

  void append(const ViewParam& p, ViewExtent extent, std::size_t resource);
  Shadow& shadow(Resource& r, std::int64_t address) {
    return r.tensor ? r.shadow[static_cast<std::size_t>(address)] : r.sparse_shadow[address];
  }
  AtomicShadow* atomics(Resource& r, std::int64_t address) {
    if (r.atomics.empty()) return nullptr;
    auto it = r.atomics.find(address);
    return it == r.atomics.end() ? nullptr : &it->second;
  }
  bool races(const Past& a, bool write, RaceWitness& witness) const;
  bool races(const Past& a, std::span<const Past> more, bool write, RaceWitness& witness);
  bool races_with_plain(const Shadow& s, const AtomicShadow* a, RaceWitness& witness);
  void forget(AtomicShadow& a);
  void note(Past& kept, std::vector<Past>& more, OpId op);
  // Whether the element has contents.
  AccessFault readable(const View& v, const Resource& r, std::int64_t address, bool stored) const;
  std::uint64_t get(const View& v, const Resource& r, std::int64_t address) const;
  void put(const View& v, Resource& r, std::int64_t address, std::uint64_t word);

  std::vector<View> views_;
  std::vector<Resource> resources_;
  InstanceOrder order_;
  bool detect_ = true;
  bool follow_ = false;
  std::uint64_t work_ = 0;
  static constexpr std::size_t kMaxKept = std::size_t{1} << 26;
  std::size_t kept_ = 0;  // in the lists of all AtomicShadows
  bool tracking_ = false;
};

}  // namespace kir
