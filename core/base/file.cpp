#include "core/base/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <system_error>

namespace kir {

std::optional<std::string> read_file(const std::string& path, std::size_t max_bytes, std::string* error) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    *error = fmt::format("{}: is a directory", path);
    return {};
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    *error = fmt::format("{}: {}", path, std::strerror(errno));
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

bool write_file(const std::string& path, std::string_view contents, std::string* error) {
  std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    out.close();
    if (!out) {
      *error = fmt::format("{}: cannot be written", path);
      std::remove(temporary.c_str());
      return false;
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    *error = fmt::format("{}: {}", path, std::strerror(errno));
    std::remove(temporary.c_str());
    return false;
  }
  return true;
}

int exit_code_of(const std::function<int()>& run) {
  const char* trouble = nullptr;
  try {
    const int code = run();
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return code;
    trouble = "standard output cannot be written";
  } catch (const std::system_error&) {  // thrown by fmt::print
    trouble = "standard output cannot be written";
  } catch (const std::bad_alloc&) {
    trouble = "out of memory";
  }
  std::fprintf(stderr, "error: %s\n", trouble);
  return 2;
}

}  // namespace kir
