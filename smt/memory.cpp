#include "smt/memory.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/content_store.h"
#include "core/base/netstrings.h"
#include "core/base/sha256.h"

namespace kir::smt {
namespace {

constexpr double kWorthKeeping = 2;  // milliseconds: what is decided sooner costs less than its file

}  // namespace

std::string deciding_options(const DecideOptions& options) {
  // Each new option is either said below or, like these, without influence.
  const auto& [jobs, rlimit, second_solver, variant, progress, store] = options;
  static_cast<void>(jobs), static_cast<void>(progress), static_cast<void>(store);
  return fmt::format("rlimit {} variant {} second solver {}", rlimit, variant,
                     second_solver ? second_solver->version + " " + second_solver->digest : "none");
}

Memory::Memory(const DecideOptions& options) : Memory(options, options.store != nullptr ? this_engine() : Engine()) {}

Memory::Memory(const DecideOptions& options, const Engine& engine)
    : store_(options.store),
      prefix_(join_netstrings(
          {"kir decision 2", engine.sources, engine.solver, engine.solver_library, deciding_options(options)})) {}

std::string Memory::key(const std::string& canonical) const {
  std::string all = prefix_;
  append_netstring(all, canonical);
  return sha256_hex(all);
}

std::optional<proof::Decision> Memory::recall(const std::string& canonical) const {
  if (store_ == nullptr) return {};
  const std::optional<std::string> text = store_->get(key(canonical));
  const auto parts = text ? split_netstrings(*text) : std::nullopt;
  if (!parts || parts->size() != 4) return {};
  const std::string& resource = (*parts)[1];
  proof::Decision d;
  d.verdict = proof::Verdict::proved;
  d.tier = (*parts)[0];
  const auto [end, error] = std::from_chars(resource.data(), resource.data() + resource.size(), d.resource);
  if (error != std::errc() || end != resource.data() + resource.size()) return {};
  const auto premise = proof::premise_named((*parts)[2]);
  const auto cross_check = proof::cross_check_named((*parts)[3]);
  if (!premise || !cross_check) return {};
  d.premise = *premise;
  d.cross_check = *cross_check;
  return d;
}

void Memory::keep(const std::string& canonical, const proof::Decision& decision) const {
  if (store_ == nullptr || decision.verdict != proof::Verdict::proved || decision.runaway ||
      decision.milliseconds < kWorthKeeping)
    return;
  store_->put(key(canonical), join_netstrings({decision.tier, std::to_string(decision.resource), proof::name(decision.premise),
                                               proof::name(decision.cross_check)}));
}

}  // namespace kir::smt
