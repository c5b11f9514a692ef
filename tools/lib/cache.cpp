#include "tools/lib/cache.h"

#include <fmt/format.h>

#include <cstdio>

#include "tools/lib/command_line.h"

namespace kir::tools {

void add_cache_options(CLI::App& app, CacheOptions& options) {
  app.add_option("--cache", options.folder, "a folder that keeps what was proven, for any number of runs at once")
      ->envname("KIR_CACHE_DIR");
  app.add_option("--cache-mode", options.mode, "read-write or read-only")
      ->check(CLI::IsMember({"read-write", "read-only"}))
      ->capture_default_str();
  app.add_option("--cache-limit", options.limit,
                 "bytes the cache may take (K, M, G); the entries that were not used longest go")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("1G");
  app.add_flag("--no-cache", options.off, "decide everything, whatever $KIR_CACHE_DIR says");
}

std::unique_ptr<ContentStore> open_cache(const CacheOptions& options) {
  if (options.off || options.folder.empty()) return nullptr;
  const auto mode = options.mode == "read-only" ? ContentStore::Mode::read_only : ContentStore::Mode::read_write;
  return std::make_unique<ContentStore>(
      options.folder, mode, options.limit, [](const std::string& path, const std::string& why) {
        fmt::print(stderr, "note: cache entry {} is damaged ({}); decided again\n", path, why);
      });
}

int with_cache_errors(const std::function<int()>& run) {
  try {
    return run();
  } catch (const StoreError& e) {
    fmt::print(stderr,
               "error: the cache cannot be used: {}\n"
               "  hint: make room, choose another folder (--cache DIR), or run with --cache-mode read-only or --no-cache\n",
               e.what());
    return kExitUsage;
  }
}

}  // namespace kir::tools
