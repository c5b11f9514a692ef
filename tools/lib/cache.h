// The cache of decided obligations and of whole validations (docs/cache.md), as the tools' options choose it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "core/base/content_store.h"

namespace kir::tools {

struct CacheOptions {
  std::string folder;  // "" for none
  std::string mode = "read-write";
  std::uint64_t limit = ContentStore::kDefaultLimit;
  bool off = false;
};

void add_cache_options(CLI::App& app, CacheOptions& options);

// Null when there is none. A damaged entry is told on standard error. Throws StoreError.
std::unique_ptr<ContentStore> open_cache(const CacheOptions& options);

// The exit code of `run`. A cache that cannot be written is told with what to do about it, and 2: not a verdict.
int with_cache_errors(const std::function<int()>& run);

}  // namespace kir::tools
