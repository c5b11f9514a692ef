// Entries are whole or absent, whatever happens to the folder.
#include "core/base/content_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "core/base/netstrings.h"
#include "core/base/sha256.h"
#include "tests/temporary_folder.h"

namespace kir {
namespace {

namespace fs = std::filesystem;
using Mode = ContentStore::Mode;

std::string key_of(int n) { return sha256_hex(std::to_string(n)); }
// Keys of one shard, in the order of their names.
std::string neighbour(int n) { return fmt::format("00{:062x}", n); }

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

fs::path file_of(const fs::path& folder, const std::string& key) {
  for (const auto& e : fs::recursive_directory_iterator(folder))
    if (e.path().filename() == key) return e.path();
  return {};
}

void set_age(const fs::path& path, int seconds) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

// Every name below with its size and its time.
std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> snapshot(const fs::path& folder) {
  std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> out;
  for (const auto& e : fs::recursive_directory_iterator(folder))
    out[e.path()] = {e.is_regular_file() ? e.file_size() : 0, e.last_write_time()};
  return out;
}

class ContentStoreTest : public ::testing::Test {
 protected:
  ContentStore open(Mode mode = Mode::read_write, std::uint64_t limit = ContentStore::kDefaultLimit) {
    return {folder_.path() / "store", mode, limit, [this](const std::string& path, const std::string& why) {
              told_.push_back(fs::path(path).filename().string() + ": " + why);
            }};
  }
  fs::path file(const std::string& key) const { return file_of(folder_.path(), key); }

  testing::TemporaryFolder folder_;
  std::vector<std::string> told_;
};

TEST_F(ContentStoreTest, gives_what_was_put_and_nothing_else) {
  std::vector<std::string> values{"", "one", std::string("a\nb\0c\xff", 6), std::string(300'000, 'x')};
  {
    ContentStore store = open();
    for (int i = 0; i < 4; ++i) store.put(key_of(i), values[i]);
    store.put(key_of(1), "another");
  }
  values[1] = "another";
  ContentStore later = open(Mode::read_only);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(later.get(key_of(i)), values[i]) << i;
  EXPECT_EQ(later.get(key_of(4)), std::nullopt);
  EXPECT_EQ(later.hits(), 4u);
  EXPECT_EQ(later.damaged(), 0u);
  EXPECT_TRUE(told_.empty());
}

// Each byte of key, digest, length and contents; each shorter text, and a longer one.
TEST_F(ContentStoreTest, a_flipped_byte_or_another_length_is_no_hit) {
  ContentStore store = open();
  store.put(key_of(1), "the value");
  const fs::path path = file(key_of(1));
  const std::string good = read(path);
  std::vector<std::string> bad{good + "x", good + good};
  for (std::size_t i = 0; i < good.size(); ++i) {
    bad.push_back(good.substr(0, i));
    for (int bit : {0, 5}) {
      bad.push_back(good);
      bad.back()[i] = static_cast<char>(bad.back()[i] ^ (1 << bit));
    }
  }
  for (const std::string& text : bad) {
    write(path, text);
    ContentStore reader = open(Mode::read_only);
    ASSERT_EQ(reader.get(key_of(1)), std::nullopt) << text;
    ASSERT_EQ(reader.damaged(), 1u);
  }
  EXPECT_EQ(told_.size(), bad.size());
  EXPECT_EQ(store.get(key_of(1)), std::nullopt);
  EXPECT_FALSE(fs::exists(path));  // so that it is told once
  EXPECT_EQ(store.get(key_of(1)), std::nullopt);
  EXPECT_EQ(store.damaged(), 1u);
  store.put(key_of(1), "the value");
  EXPECT_EQ(store.get(key_of(1)), "the value");
}

TEST_F(ContentStoreTest, an_entry_under_the_name_of_another_is_refused) {
  ContentStore store = open();
  store.put(neighbour(1), "one");
  store.put(neighbour(2), "two");
  const std::string one = read(file(neighbour(1)));
  fs::copy_file(file(neighbour(1)), file(neighbour(2)), fs::copy_options::overwrite_existing);
  EXPECT_EQ(store.get(neighbour(2)), std::nullopt);
  // Its header rewritten as well: the digest is of the key, too.
  std::string renamed = one;
  renamed.replace(renamed.find(neighbour(1)), 64, neighbour(2));
  write(file(neighbour(1)).parent_path() / neighbour(2), renamed);
  ContentStore again = open();
  EXPECT_EQ(again.get(neighbour(2)), std::nullopt);
  EXPECT_EQ(again.get(neighbour(1)), "one");
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(ContentStoreTest, what_is_no_file_is_no_entry) {
  ContentStore store = open();
  for (int i = 0; i < 5; ++i) store.put(neighbour(i), "value");
  const fs::path shard = file(neighbour(0)).parent_path();
  for (int i = 0; i < 4; ++i) fs::remove(shard / neighbour(i));
  write(folder_.path() / "mine", read(shard / neighbour(4)));
  fs::create_symlink(folder_.path() / "mine", shard / neighbour(0));
  fs::create_directory(shard / neighbour(1));
  ASSERT_EQ(mkfifo((shard / neighbour(2)).c_str(), 0600), 0);
  write(shard / neighbour(3), "kir-store 1 ");
  fs::resize_file(shard / neighbour(3), std::uintmax_t{1} << 40);
  fs::permissions(shard / neighbour(4), fs::perms::none);  // nothing to root
  for (int i = 0; i < 4; ++i) EXPECT_EQ(store.get(neighbour(i)), std::nullopt) << i;
  EXPECT_EQ(store.damaged(), 4u);
  EXPECT_EQ(store.get(neighbour(4)).has_value(), geteuid() == 0);
  for (int i = 0; i < 5; ++i) {
    store.put(neighbour(i), "anew");
    EXPECT_EQ(store.get(neighbour(i)), "anew") << i;
  }
  EXPECT_NE(read(folder_.path() / "mine").find("value"), std::string::npos);  // what a link named is as it was
}

TEST_F(ContentStoreTest, read_only_changes_nothing) {
  {
    ContentStore store = open();
    for (int i = 0; i < 3; ++i) store.put(key_of(i), "value");
  }
  write(file(key_of(0)), "damage");
  set_age(file(key_of(1)), 1000);
  const auto before = snapshot(folder_.path());
  ContentStore store = open(Mode::read_only, 1);
  EXPECT_EQ(store.get(key_of(0)), std::nullopt);
  EXPECT_EQ(store.get(key_of(1)), "value");
  store.put(key_of(0), "value");
  store.put(key_of(7), "value");
  EXPECT_EQ(store.get(key_of(7)), std::nullopt);
  EXPECT_EQ(snapshot(folder_.path()), before);
  EXPECT_EQ(told_.size(), 1u);
  EXPECT_THROW(ContentStore(folder_.path() / "none", Mode::read_only), StoreError);
  EXPECT_FALSE(fs::exists(folder_.path() / "none"));
}

TEST_F(ContentStoreTest, the_limit_is_kept_and_the_oldest_go) {
  constexpr std::uint64_t kEntries = 8;
  ContentStore store = open(Mode::read_write, kEntries * ContentStore::kPage * ContentStore::kShards);
  for (int i = 0; i < 8; ++i) {
    store.put(neighbour(i), "value");
    set_age(file(neighbour(i)), 1000 - i);
  }
  EXPECT_TRUE(store.get(neighbour(0)));  // young again
  for (int i = 8; i < 12; ++i) {
    store.put(neighbour(i), "value");
    std::uint64_t entries = 0;
    for (const auto& e : fs::directory_iterator(file(neighbour(i)).parent_path())) entries += e.is_regular_file();
    EXPECT_EQ(entries, kEntries);
  }
  for (int i = 0; i < 12; ++i) EXPECT_EQ(store.get(neighbour(i)).has_value(), i == 0 || i > 4) << i;
  // One that takes more than its shard may is not kept, and drives nothing out.
  store.put(neighbour(20), std::string(kEntries * ContentStore::kPage, 'x'));
  EXPECT_EQ(store.get(neighbour(20)), std::nullopt);
  EXPECT_TRUE(store.get(neighbour(11)));
  // Seven pages drive seven entries out.
  store.put(neighbour(21), std::string(7 * ContentStore::kPage - 200, 'x'));
  std::uint64_t left = 0;
  for (int i = 0; i < 12; ++i) left += store.get(neighbour(i)).has_value();
  EXPECT_EQ(left, 1u);
  EXPECT_TRUE(store.get(neighbour(21)));
  EXPECT_EQ(store.damaged(), 0u);
}

TEST_F(ContentStoreTest, what_a_killed_process_left_goes_and_foreign_files_stay) {
  ContentStore store = open(Mode::read_write, ContentStore::kPage * ContentStore::kShards);
  store.put(neighbour(1), "value");
  const fs::path shard = file(neighbour(1)).parent_path();
  for (const char* name : {"old.tmp", "young.tmp", "notes.txt"}) write(shard / name, "x");
  set_age(shard / "old.tmp", 2 * 3600);
  set_age(shard / "notes.txt", 2 * 3600);
  store.put(neighbour(2), "value");
  EXPECT_FALSE(fs::exists(shard / "old.tmp"));
  EXPECT_TRUE(fs::exists(shard / "young.tmp"));
  EXPECT_TRUE(fs::exists(shard / "notes.txt"));
}

TEST_F(ContentStoreTest, the_folder_may_be_deleted_while_it_is_opened) {
  const std::string folder = folder_.path() / "deleted";
  std::atomic<bool> done{false};
  std::thread deletes([&] {
    while (!done) {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  });
  for (int i = 0; i < 500; ++i) EXPECT_NO_THROW(ContentStore(folder, Mode::read_write));
  done = true;
  deletes.join();
}

TEST_F(ContentStoreTest, what_cannot_be_written_is_an_error) {
  ContentStore store = open();
  store.put(neighbour(1), "value");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 200;  // a write stops in the middle, as on a full disk
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(store.put(neighbour(2), std::string(1000, 'x')), StoreError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(store.get(neighbour(2)), std::nullopt);
  EXPECT_EQ(std::distance(fs::directory_iterator(file(neighbour(1)).parent_path()), {}), 1);  // nothing is left behind
  EXPECT_EQ(store.get(neighbour(1)), "value");

  write(folder_.path() / "file", "x");
  EXPECT_THROW(ContentStore(folder_.path() / "file", Mode::read_write), StoreError);
  EXPECT_THROW(ContentStore(folder_.path() / "file", Mode::read_only), StoreError);
  EXPECT_THROW(ContentStore("/proc/nothing", Mode::read_write), StoreError);
  const fs::path shard = file(neighbour(1)).parent_path();
  fs::remove_all(shard);
  fs::create_directory_symlink(folder_.path(), shard);
  EXPECT_EQ(store.get(neighbour(1)), std::nullopt);
  EXPECT_THROW(store.put(neighbour(1), "value"), StoreError);
}

TEST_F(ContentStoreTest, a_folder_that_is_deleted_meanwhile_is_made_again) {
  ContentStore store = open();
  store.put(key_of(1), "value");
  fs::remove_all(folder_.path() / "store");
  EXPECT_EQ(store.get(key_of(1)), std::nullopt);
  store.put(key_of(1), "value");
  EXPECT_EQ(store.get(key_of(1)), "value");
}

TEST_F(ContentStoreTest, writers_that_are_killed_leave_whole_entries) {
  constexpr int kWriters = 8, kKeys = 40;
  const auto value = [](int k) { return std::string(static_cast<std::size_t>(k) * 997, static_cast<char>('a' + k % 26)); };
  open();  // the folder
  for (int round = 0; round < 5; ++round) {
    std::vector<pid_t> children;
    for (int w = 0; w < kWriters; ++w) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        ContentStore store(folder_.path() / "store", Mode::read_write, 40 * ContentStore::kPage * ContentStore::kShards);
        for (int k = w;; k = (k + 7) % kKeys) {
          store.put(neighbour(k), value(k));
          const auto got = store.get(neighbour((k * 3) % kKeys));
          if ((got && *got != value((k * 3) % kKeys)) || store.damaged() != 0) _exit(1);
        }
      }
      children.push_back(child);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    for (pid_t child : children) kill(child, SIGKILL);
    for (pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_TRUE(WIFSIGNALED(status)) << "a reader saw a wrong value";
    }
    ContentStore store = open();
    int there = 0;
    for (int k = 0; k < kKeys; ++k) {
      const auto got = store.get(neighbour(k));
      if (!got) continue;
      ++there;
      EXPECT_EQ(*got, value(k));
    }
    EXPECT_GT(there, 0);
    EXPECT_EQ(store.damaged(), 0u);
  }
}

TEST(Netstrings, lists_and_texts_are_one_to_one) {
  EXPECT_EQ(join_netstrings({"ab", "", "c:,"}), "2:ab,0:,3:c:,,");
  const auto back = split_netstrings("2:ab,0:,3:c:,,");
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, (std::vector<std::string>{"ab", "", "c:,"}));
  EXPECT_EQ(split_netstrings("")->size(), 0u);
  EXPECT_NE(join_netstrings({"ab", "c"}), join_netstrings({"a", "bc"}));
  for (const char* bad :
       {"2:ab", "2:a,", "3:ab,", ":,", "x", "-1:,", "99999999999999999999:,", "18446744073709551615:,", "1:ab,"})
    EXPECT_FALSE(split_netstrings(bad)) << bad;
}

}  // namespace
}  // namespace kir
