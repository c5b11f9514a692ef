#include "core/base/content_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/netstrings.h"
#include "core/base/sha256.h"

namespace kir {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t kAbandoned = 3600;  // seconds after which nobody still writes a temporary file
constexpr std::string_view kTemporary = ".tmp";
constexpr int kAttempts = 8;

[[noreturn]] void fail(const std::string& path, int why) { throw StoreError(fmt::format("{}: {}", path, std::strerror(why))); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool is_key(std::string_view name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string header(const std::string& key, std::string_view bytes) {
  return fmt::format("kir-store 1 {} {} {}\n", key, sha256_hex(join_netstrings({key, bytes})), bytes.size());
}

// Empty when the file has another number of bytes.
std::optional<std::string> read_exactly(int file, std::size_t size) {
  std::string out(size + 1, '\0');  // one more, to see that there is none
  std::size_t got = 0;
  while (got < out.size()) {
    const ssize_t n = ::read(file, out.data() + got, out.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return {};
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  if (got != size) return {};
  out.resize(size);
  return out;
}

std::uint64_t pages(std::uint64_t bytes) {
  return (bytes + ContentStore::kPage - 1) / ContentStore::kPage * ContentStore::kPage;
}

int open_folder(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

}  // namespace

ContentStore::ContentStore(std::string folder, Mode mode, std::uint64_t limit_bytes, OnDamage on_damage)
    : root_((fs::path(folder) / "kir-store-1").string()),
      mode_(mode),
      shard_limit_(std::min(limit_bytes / kShards, kMaxEntry)),
      on_damage_(std::move(on_damage)) {
  std::error_code code;
  if (mode_ == Mode::read_write) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {  // someone may be deleting the folder
      fs::create_directories(root_, code);
      if (code != std::errc::no_such_file_or_directory) break;
    }
    if (code) fail(root_, code.value());
  } else if (!fs::is_directory(folder, code)) {
    fail(folder, code ? code.value() : ENOTDIR);
  }
}

std::string ContentStore::shard_path(const std::string& key) const {
  KIR_CHECK(is_key(key), "a key is 64 hex digits, not '{}'", key);
  return root_ + "/" + key.substr(0, 2);
}

std::optional<std::string> ContentStore::damage(const std::string& key, const std::string& why) {
  const std::string path = fmt::format("{}/{}", shard_path(key), key);
  if (mode_ == Mode::read_write && ::unlink(path.c_str()) != 0) ::rmdir(path.c_str());
  std::lock_guard guard(lock_);
  if (told_.insert(key).second) {
    ++damaged_;
    if (on_damage_) on_damage_(path, why);
  }
  return {};
}

std::optional<std::string> ContentStore::get(const std::string& key) {
  const Descriptor shard(open_folder(shard_path(key)));
  if (!shard.open()) return errno == ENOENT ? std::nullopt : damage(key, std::strerror(errno));
  const Descriptor file(::openat(shard.number(), key.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.open()) {
    if (errno == ENOENT || errno == EMFILE || errno == ENFILE || errno == ENOMEM) return {};
    return damage(key, errno == ELOOP ? "it is a symbolic link" : std::strerror(errno));
  }
  struct stat status;
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return damage(key, "it is not a file");
  if (static_cast<std::uint64_t>(status.st_size) > kMaxEntry) return damage(key, "it is too large");
  std::optional<std::string> text = read_exactly(file.number(), static_cast<std::size_t>(status.st_size));
  if (!text) return damage(key, "it cannot be read");
  const std::size_t line = text->find('\n');
  if (line == std::string::npos) return damage(key, "it has no header");
  std::string bytes = text->substr(line + 1);
  if (std::string_view(*text).substr(0, line + 1) != header(key, bytes))
    return damage(key, "its header does not fit its name and its contents");
  if (mode_ == Mode::read_write) ::futimens(file.number(), nullptr);  // of another user: it stays as old as it is
  ++hits_;
  return bytes;
}

void ContentStore::put(const std::string& key, std::string_view bytes) {
  if (mode_ == Mode::read_only) return;
  const std::string head = header(key, bytes);
  if (pages(head.size() + bytes.size()) > shard_limit_) return;
  // Someone may be deleting the folder: it is made again, some times.
  for (int attempt = 0; attempt < kAttempts; ++attempt)
    if (try_put(key, head, bytes)) return;
  fail(shard_path(key), ENOENT);
}

// False when a folder was gone.
bool ContentStore::try_put(const std::string& key, std::string_view head, std::string_view bytes) {
  const std::string path = shard_path(key);
  std::error_code code;
  if (::mkdir(path.c_str(), 0777) != 0 && errno == ENOENT) fs::create_directories(path, code);
  const Descriptor shard(open_folder(path));
  if (!shard.open() && errno == ENOENT && !code) return false;
  if (!shard.open()) fail(path, code ? code.value() : errno);

  std::random_device random;
  std::string name;
  int opened = -1;
  do {
    name = fmt::format("{:08x}{:08x}{}", random(), random(), kTemporary);
    opened = ::openat(shard.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (opened < 0 && errno == EEXIST);
  if (opened < 0 && errno == ENOENT) return false;
  if (opened < 0) fail(path, errno);
  Descriptor file(opened);
  const bool complete = write_all(file.number(), head) && write_all(file.number(), bytes) && file.close();
  if (!complete || ::renameat(shard.number(), name.c_str(), shard.number(), key.c_str()) != 0) {
    const int why = errno;
    ::unlinkat(shard.number(), name.c_str(), 0);
    if (complete && why == ENOENT) return false;
    fail(fmt::format("{}/{}", path, key), why);
  }
  trim(shard.number(), path);
  return true;
}

void ContentStore::trim(int shard, const std::string& path) const {
  struct Entry {
    std::int64_t seconds, nanoseconds;
    std::string name;
    std::uint64_t size;
    auto age() const { return std::tie(seconds, nanoseconds, name); }
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(::openat(shard, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                             &::closedir);
  if (!folder) {
    if (errno == ENOENT) return;
    fail(path, errno);
  }
  const std::time_t now = std::time(nullptr);
  while (const dirent* e = ::readdir(folder.get())) {
    const std::string name = e->d_name;
    const bool temporary = name.ends_with(kTemporary);
    struct stat status;
    if ((!temporary && !is_key(name)) || ::fstatat(shard, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (temporary) {
      if (status.st_mtim.tv_sec < now - kAbandoned) ::unlinkat(shard, name.c_str(), 0);
      continue;
    }
    entries.push_back({status.st_mtim.tv_sec, status.st_mtim.tv_nsec, name, pages(static_cast<std::uint64_t>(status.st_size))});
    total += entries.back().size;
  }
  if (total <= shard_limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.age() < b.age(); });
  int why = 0;
  for (const Entry& e : entries) {
    if (total <= shard_limit_) return;
    if (::unlinkat(shard, e.name.c_str(), 0) == 0 || errno == ENOENT)
      total -= e.size;
    else
      why = errno;
  }
  if (total > shard_limit_) fail(path, why);
}

}  // namespace kir
