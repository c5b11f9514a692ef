// Byte strings in a folder, each under a key that says what it was made of (a SHA-256). Any number of processes share one
// folder at once; each may be killed at any time.
//
//   FOLDER/kir-store-1/<first two digits of the key>/<key>
//       "kir-store 1 <key> <SHA-256 of key and bytes> <number of bytes>\n", then the bytes
//
// What get gives was put, whole, under this key: an entry is complete when it appears (written under a temporary name and
// renamed), and whatever a crash, a disk or a person did to it since is noticed by its digest. No fsync: an entry that a power
// failure tore is such an entry. Against someone who makes entries on purpose a digest is no help; who may write to the folder
// is trusted like the program itself.
//
// Errors: what cannot be read is absent or damaged, and so is made anew; what cannot be written (a full disk, a quota, no
// permission) throws StoreError.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kir {

class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// May be used by several threads at once.
class ContentStore {
 public:
  enum class Mode : std::uint8_t { read_write, read_only };
  // Called for the first sight of each damaged entry, by one thread at a time.
  using OnDamage = std::function<void(const std::string& path, const std::string& why)>;

  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;
  static constexpr unsigned kShards = 256;
  // An entry takes whole pages of the limit. One that takes more than the share of its shard (limit / kShards) is not kept.
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kMaxEntry = std::uint64_t{64} << 20;

  // read_write makes the folder where there is none; read_only demands it, and changes nothing in it, not even times.
  ContentStore(std::string folder, Mode mode, std::uint64_t limit_bytes = kDefaultLimit, OnDamage on_damage = {});

  // `key`: 64 lower-case hex digits. A hit makes the entry the youngest of its shard; a damaged entry is removed (read_write).
  std::optional<std::string> get(const std::string& key);
  // Then the oldest entries of the shard go until it keeps its share of the limit. O(entries of the shard).
  void put(const std::string& key, std::string_view bytes);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t damaged() const { return damaged_; }

 private:
  std::optional<std::string> damage(const std::string& key, const std::string& why);
  std::string shard_path(const std::string& key) const;
  bool try_put(const std::string& key, std::string_view header, std::string_view bytes);
  void trim(int shard, const std::string& path) const;

  std::string root_;
  Mode mode_;
  std::uint64_t shard_limit_;
  OnDamage on_damage_;
  std::atomic<std::uint64_t> hits_{0}, damaged_{0};
  std::mutex lock_;
  std::set<std::string> told_;  // keys
};

}  // namespace kir
