// A set that is mostly small: the first N members lie in the object and are searched one by one, more go to a hash table.
// Members are cheap to copy and have a default.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_set>

namespace kir {

template <class T, std::size_t N = 16>
class SmallSet {
 public:
  bool insert(T member) {  // false: it was there
    if (in_few(member)) return false;
    if (count_ == N) return many_.insert(member).second;
    few_[count_++] = member;
    return true;
  }
  bool contains(T member) const { return in_few(member) || (count_ == N && many_.contains(member)); }

 private:
  bool in_few(T member) const { return std::find(few_.begin(), few_.begin() + count_, member) != few_.begin() + count_; }

  std::array<T, N> few_{};
  std::size_t count_ = 0;
  std::unordered_set<T> many_;
};

}  // namespace kir
