// Whole files and folders. What is written goes to a temporary name in the same folder and is renamed, so that a reader sees
// the old contents or the new, never a part. A caller that has several things to write stages all of them, which is where
// writing can fail, and commits then. Messages name the path and the system's reason.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace kir {

// Empty with *error set: not readable, or more than max_bytes.
std::optional<std::string> read_file(const std::string& path, std::size_t max_bytes, std::string* error);

// A file complete under a temporary name, or a path that is neither file nor folder (a device, a pipe): such a thing is not
// replaced, it is written to, at once. A symbolic link stays, the file that it names is replaced.
class StagedFile {
 public:
  // The parts one after the other. Empty with *error set; nothing is left behind then.
  static std::optional<StagedFile> write(const std::string& path, std::initializer_list<std::string_view> parts,
                                         std::string* error);
  bool commit(std::string* error);

  StagedFile(StagedFile&& other) noexcept : target_(std::move(other.target_)), temporary_(std::move(other.temporary_)) {
    other.temporary_.clear();
  }
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile();  // removes what was not committed

 private:
  StagedFile() = default;
  std::string target_, temporary_;  // temporary_: "" when there is nothing to rename
};

bool write_file(const std::string& path, std::string_view contents, std::string* error);

// To an open descriptor, however often the system takes a part; false, with errno's reason, when it takes no more.
bool write_all(int descriptor, std::string_view bytes);

// A folder that is filled beside its place.
class StagedFolder {
 public:
  // Makes missing folders above it. Empty with *error set.
  static std::optional<StagedFolder> make(const std::string& path, std::string* error);
  const std::string& path() const { return temporary_; }  // where to write
  // Takes the place of a folder that is there, in one step where the file system has one; that folder is deleted.
  bool commit(std::string* error);

  StagedFolder(StagedFolder&& other) noexcept : target_(std::move(other.target_)), temporary_(std::move(other.temporary_)) {
    other.temporary_.clear();
  }
  StagedFolder& operator=(StagedFolder&&) = delete;
  ~StagedFolder();  // removes what was not committed, or was replaced

 private:
  StagedFolder() = default;
  std::string target_, temporary_;
};

// A file name for the id of a kernel: "clamp<T = f32>" becomes "clamp-T-f32". Different ids have different names: what the
// replacement would lose (a sign, the rest of a long id) is told by a digest.
std::string file_stem(std::string_view id);

}  // namespace kir
