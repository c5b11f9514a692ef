// The order of instances against a model that keeps, for each event, the set of all events before it.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/interp/instance_order.h"

namespace kir {
namespace {

class Model {
 public:
  explicit Model(std::uint32_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 3; ++i) parallel(0);
    access();
  }
  int checks() const { return checks_; }

 private:
  using Events = std::vector<bool>;
  static constexpr int kPlaces = 3;

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  static void unite(Events& into, const Events& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i]) into[i] = true;
  }

  void access() {
    for (std::size_t e = 0; e < stamps_.size(); ++e, ++checks_) {
      const bool before = e < known_.size() && known_[e];
      ASSERT_EQ(order_.unordered(stamps_[e]).has_value(), !before) << "event " << e << " seen from event " << stamps_.size();
    }
    known_.resize(stamps_.size() + 1);
    known_[stamps_.size()] = true;
    stamps_.push_back(order_.now());
  }

  void parallel(int depth) {
    const Events fork = known_;
    Events joined = known_;
    order_.enter_parallel();
    const int instances = pick(4);
    for (int i = 0; i < instances; ++i) {
      known_ = fork;
      order_.start_instance();
      for (int k = pick(7); k > 0; --k) step(depth);
      unite(joined, known_);
    }
    order_.leave_parallel();
    known_ = joined;
  }

  void step(int depth) {
    const std::size_t place = static_cast<std::size_t>(pick(kPlaces));
    switch (pick(depth < 3 ? 6 : 5)) {
      case 0:
      case 1: return access();
      case 2:  // a store, or a read-modify-write that continues what was released before
      case 3: {
        const bool continues = pick(2) != 0;
        if (!continues) events_[place].clear();
        unite(events_[place], known_);
        sets_[place] = order_.release(continues ? sets_[place] : 0);
        return;
      }
      case 4: unite(known_, events_[place]); return order_.acquire(sets_[place]);
      default: return parallel(depth + 1);
    }
  }

  std::mt19937 random_;
  InstanceOrder order_;
  std::vector<std::uint32_t> stamps_;
  Events known_;
  Events events_[kPlaces];
  InstanceOrder::Set sets_[kPlaces] = {};
  int checks_ = 0;
};

// shows: K9.4
TEST(InstanceOrder, IsThatOfTheModel) {
  int checks = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    Model m(seed);
    m.run();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    checks += m.checks();
  }
  EXPECT_GT(checks, 10000);
}

// Each instance takes over from the one before it: what is known grows, the cost of a step does not.
TEST(InstanceOrder, LongChainsAreCheap) {
  InstanceOrder order;
  order.enter_parallel();
  InstanceOrder::Set at = 0;
  std::vector<std::uint32_t> before, after;
  for (int i = 0; i < 100000; ++i) {
    order.start_instance();
    order.acquire(at);
    before.push_back(order.now());
    at = order.release(at);
    after.push_back(order.now());
  }
  EXPECT_FALSE(order.unordered(before[0]));
  EXPECT_FALSE(order.unordered(before[99000]));
  EXPECT_TRUE(order.unordered(after[0]));
  EXPECT_TRUE(order.unordered(after[99000]));
  EXPECT_LT(order.take_work(), 1000000u);
}

}  // namespace
}  // namespace kir
