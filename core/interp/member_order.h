// The order in which unordered members run.
#pragma once

#include <cstdint>
#include <numeric>

namespace kir {

// The k-th of n members in the order of a seed: 0 ascending, else a permutation k -> (a * k + b) mod n with a coprime to n.
class MemberOrder {
 public:
  MemberOrder(std::int64_t n, std::uint64_t seed, std::uint64_t event) : n_(n) {
    if (seed == 0 || n < 2) return;
    std::uint64_t r = (seed ^ (event << 20)) * 0x9E3779B97F4A7C15ull;
    r ^= r >> 31;
    a_ = static_cast<std::int64_t>(r % static_cast<std::uint64_t>(n));
    while (std::gcd(a_, n) != 1) a_ = a_ + 1 < n ? a_ + 1 : 1;
    b_ = static_cast<std::int64_t>((r >> 7) % static_cast<std::uint64_t>(n));
  }
  std::int64_t operator()(std::int64_t k) const {
    return a_ == 1 && b_ == 0 ? k : static_cast<std::int64_t>((static_cast<__int128>(a_) * k + b_) % n_);
  }

 private:
  std::int64_t n_, a_ = 1, b_ = 0;
};

}  // namespace kir
