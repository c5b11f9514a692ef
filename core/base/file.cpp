#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/base/sha256.h"

namespace kir {
namespace {

namespace fs = std::filesystem;

// Keeps errno's reason; errno is read first, formatting may change it.
bool failed(const std::string& path, std::string* error) {
  const int why = errno;
  *error = fmt::format("{}: {}", path, std::strerror(why));
  return false;
}

}  // namespace

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string file_stem(std::string_view id) {
  constexpr std::size_t kMaxStem = 160;
  std::string out;
  for (char c : id) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  if (out.size() > kMaxStem || id.find('-') != std::string_view::npos)
    out = fmt::format("{}-{}", out.substr(0, kMaxStem), sha256_hex(id).substr(0, 12));
  return out;
}

std::optional<std::string> read_file(const std::string& path, std::size_t max_bytes, std::string* error) {
  std::error_code code;
  if (fs::is_directory(path, code)) {
    *error = fmt::format("{}: is a directory", path);
    return {};
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    failed(path, error);
    return {};
  }
  std::string text;
  char buffer[1 << 16];
  while (std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, n);
    if (text.size() > max_bytes) {
      *error = fmt::format("{}: more than {} bytes", path, max_bytes);
      return {};
    }
  }
  if (std::ferror(file.get())) {
    *error = fmt::format("{}: cannot be read", path);
    return {};
  }
  return text;
}

std::optional<StagedFile> StagedFile::write(const std::string& path, std::initializer_list<std::string_view> parts,
                                            std::string* error) {
  std::error_code code;
  const fs::file_status there = fs::status(path, code);
  if (fs::is_directory(there)) {
    *error = fmt::format("{}: is a directory", path);
    return {};
  }
  StagedFile out;
  out.target_ = path;
  if (fs::is_symlink(fs::symlink_status(path, code)))
    if (fs::path named = fs::weakly_canonical(path, code); !code) out.target_ = named.string();
  const bool in_place = fs::exists(there) && !fs::is_regular_file(there);
  std::string written = path;
  int file = in_place ? ::open(path.c_str(), O_WRONLY) : -1;
  for (int k = 0; !in_place && file < 0; ++k) {  // a killed process may have left such a name
    written = fmt::format("{}.{}.{}.tmp", out.target_, getpid(), k);
    file = ::open(written.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) {
    failed(path, error);
    return {};
  }
  if (!in_place) out.temporary_ = written;
  bool good = true;
  for (std::string_view p : parts) good = good && (write_all(file, p) || failed(path, error));
  if (::close(file) != 0 && good) good = failed(path, error);
  return good ? std::optional(std::move(out)) : std::nullopt;
}

bool StagedFile::commit(std::string* error) {
  if (temporary_.empty()) return true;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failed(target_, error);
  temporary_.clear();
  return true;
}

StagedFile::~StagedFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool write_file(const std::string& path, std::string_view contents, std::string* error) {
  std::optional<StagedFile> file = StagedFile::write(path, {contents}, error);
  return file && file->commit(error);
}

std::optional<StagedFolder> StagedFolder::make(const std::string& path, std::string* error) {
  std::error_code code;
  fs::path target = fs::weakly_canonical(fs::absolute(path, code), code);  // a link stays, its folder is replaced
  if (!target.has_filename()) target = target.parent_path();
  fs::create_directories(target.parent_path(), code);
  StagedFolder out;
  out.target_ = target.string();
  std::string name = out.target_ + ".new-XXXXXX";
  if (!::mkdtemp(name.data())) {
    failed(out.target_, error);
    return {};
  }
  out.temporary_ = name;
  ::chmod(name.c_str(), 0755);
  return out;
}

bool StagedFolder::commit(std::string* error) {
  std::error_code code;
  const bool exists = fs::exists(fs::symlink_status(target_, code));
  const unsigned flags = exists ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), flags) == 0) {
    if (!exists) temporary_.clear();
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS) return failed(target_, error);
  // A file system without these modes: the old folder steps aside first.
  std::string aside = target_ + ".old-XXXXXX";
  if (exists && (!::mkdtemp(aside.data()) || ::rename(target_.c_str(), aside.c_str()) != 0)) return failed(target_, error);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    failed(target_, error);
    if (exists) ::rename(aside.c_str(), target_.c_str());
    return false;
  }
  temporary_ = exists ? aside : "";
  return true;
}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

}  // namespace kir
