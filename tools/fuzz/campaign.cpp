#include "tools/fuzz/campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/base/file.h"
#include "tools/fuzz/sealed_json.h"
#include "tools/fuzz/shrink.h"

namespace kir::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxState = std::size_t{64} << 20;

// What the results of a campaign depend on, besides its seeds.
Json signature(const CampaignOptions& o) {
  return {{"first", o.first},
          {"outputs", o.trial.profile.outputs},
          {"depth", o.trial.profile.depth},
          {"expression", o.trial.profile.expression},
          {"floats", o.trial.profile.floats},
          {"licences", o.trial.profile.licences},
          {"largest_extent", o.trial.largest_extent},
          {"launches", o.trial.launches},
          {"host", o.trial.host},
          {"max_steps", o.trial.max_steps},
          {"rlimit", o.trial.rlimit},
          {"prove_every", o.prove_every}};
}

Json to_json(const CampaignOptions& options, const Campaign& c) {
  Json verdicts = Json::array(), features = Json::array(), failures = Json::array();
  for (const auto& [key, n] : c.verdicts) verdicts.push_back({static_cast<int>(key.first), key.second, n});
  for (const auto& [f, n] : c.features) features.push_back({f.operation, f.around, f.axes, n});
  for (const Failure& f : c.failures)
    failures.push_back({{"seed", f.seed},
                        {"verdict", static_cast<int>(f.verdict)},
                        {"reason", f.reason},
                        {"detail", f.detail},
                        {"file", f.file}});
  return {{"options", signature(options)}, {"next", c.next},      {"launches", c.launches},
          {"undecided", c.undecided},      {"proven", c.proven},  {"verdicts", verdicts},
          {"features", features},          {"failures", failures}};
}

// Numbers of a state, which anything may have written.
std::uint64_t count_of(const Json& j) {
  if (!j.is_number_unsigned()) throw std::runtime_error("a number is none, or negative");
  return j.get<std::uint64_t>();
}
Verdict verdict_of(const Json& j) {
  const std::uint64_t v = count_of(j);
  if (v > static_cast<std::uint64_t>(Verdict::hung)) throw std::runtime_error("a verdict is unknown");
  return static_cast<Verdict>(v);
}

// Throws when it is no campaign that began with this seed.
Campaign from_json(const Json& j, std::uint64_t first) {
  Campaign c;
  c.next = count_of(j.at("next"));
  c.launches = count_of(j.at("launches"));
  c.undecided = count_of(j.at("undecided"));
  c.proven = count_of(j.at("proven"));
  std::uint64_t trials = 0, failed = 0;
  for (const Json& v : j.at("verdicts")) {
    const Verdict verdict = verdict_of(v.at(0));
    const std::uint64_t n = count_of(v.at(2));
    trials += c.verdicts[{verdict, v.at(1).get<std::string>()}] = n;
    failed += is_failure(verdict) ? n : 0;
  }
  for (const Json& f : j.at("features"))
    c.features[{f.at(0).get<std::string>(), f.at(1).get<std::string>(), f.at(2).get<int>()}] = count_of(f.at(3));
  for (const Json& f : j.at("failures"))
    c.failures.push_back({count_of(f.at("seed")), verdict_of(f.at("verdict")), f.at("reason"), f.at("detail"), f.at("file")});
  if (c.next < first || trials != c.next - first) throw std::runtime_error("its trials are not those before the next seed");
  if (failed != c.failures.size()) throw std::runtime_error("its failures are not those that it counts");
  return c;
}

class Run {
 public:
  Run(const CampaignOptions& options, const std::function<bool(const Campaign&)>& progress, std::string* error)
      : options_(options), progress_(progress), error_(error) {}

  std::optional<Campaign> run() {
    campaign_.next = options_.first;
    if (!resume() || !has_folder()) return std::nullopt;
    saved_ = began_;
    const std::uint64_t end = options_.first + options_.count;
    while (going_ && ok_ && campaign_.next < end) {
      // Proven trials are few and slow: runs of trials with the same options go to the processes together.
      const bool prove = options_.prove_every != 0 && campaign_.next % options_.prove_every == 0;
      std::uint64_t count = 1;
      if (!prove) {
        count = end - campaign_.next;
        if (options_.prove_every != 0) count = std::min(count, options_.prove_every - campaign_.next % options_.prove_every);
      }
      TrialOptions trial = options_.trial;
      trial.prove = prove;
      const std::uint64_t first = campaign_.next;
      run_trials(
          count, [&](std::uint64_t i) { return words_of(first + i); }, trial, options_.isolation,
          [&](std::uint64_t i, TrialResult&& r) {
            take(first + i, std::move(r), trial);
            return go_on();
          });
    }
    save();
    if (!ok_) return std::nullopt;
    return std::move(campaign_);
  }

 private:
  bool resume() {
    std::error_code code;
    if (options_.state.empty() || !std::filesystem::exists(options_.state, code)) return true;
    auto text = read_file(options_.state, kMaxState, error_);
    if (!text) return false;
    bool damaged = false;
    const std::optional<Json> state = fuzz::unsealed(*text, &damaged);
    if (!state || !state->contains("options")) {
      *error_ = options_.state + " is no state of a campaign";
      return false;
    }
    if (damaged) {
      *error_ = options_.state + " is damaged: its digest is another one";
      return false;
    }
    const Json& j = *state;
    if (j["options"] != signature(options_)) {
      *error_ = options_.state + " is of a campaign with other options; give it another name, or delete it";
      return false;
    }
    try {
      campaign_ = from_json(j, options_.first);
    } catch (const std::exception& e) {
      *error_ = options_.state + " is damaged: " + e.what();
      return false;
    }
    return true;
  }

  // Found out now, not when the first failure is to be kept.
  bool has_folder() {
    std::error_code code;
    if (options_.folder.empty()) return true;
    std::filesystem::create_directories(options_.folder, code);
    if (!code && std::filesystem::is_directory(options_.folder, code)) return true;
    *error_ = options_.folder + ": " + (code ? code.message() : "is no folder");
    return false;
  }

  bool go_on() {
    const std::chrono::duration<double> spent = Clock::now() - began_;
    going_ = going_ && progress_(campaign_) && (options_.seconds <= 0 || spent.count() < options_.seconds);
    return going_ && ok_;
  }

  void save() {
    saved_ = Clock::now();
    if (options_.state.empty() || !ok_) return;
    ok_ = write_file(options_.state, fuzz::sealed(to_json(options_, campaign_), 1), error_);
  }

  void take(std::uint64_t seed, TrialResult&& r, const TrialOptions& trial) {
    campaign_.next = seed + 1;
    const std::uint64_t seen = ++campaign_.verdicts[{r.verdict, r.reason}];
    campaign_.launches += static_cast<std::uint64_t>(r.compared);
    campaign_.undecided += static_cast<std::uint64_t>(r.undecided);
    campaign_.proven += trial.prove && r.verdict == Verdict::agrees;
    for (const auto& [key, n] : r.features) campaign_.features[key] += static_cast<std::uint64_t>(n);
    if (is_failure(r.verdict)) {
      campaign_.failures.push_back({seed, r.verdict, r.reason, r.detail, ""});
      if (!options_.folder.empty() && seen <= static_cast<std::uint64_t>(options_.most_failures)) keep(seed, r, trial);
    }
    if (is_failure(r.verdict) || Clock::now() - saved_ > std::chrono::seconds(10)) save();
  }

  void keep(std::uint64_t seed, const TrialResult& r, const TrialOptions& trial) {
    const Shrunk small = shrink(words_of(seed), r, trial, options_.isolation,
                                trial.prove ? options_.shrink_budget / 20 : options_.shrink_budget, [&] { return !go_on(); });
    Choices choices(small.words);
    std::string comment = fmt::format("// {} ({}), seed {}.\n", name(r.verdict), r.reason, seed);
    std::string detail = small.result.detail.empty() ? r.detail : small.result.detail;
    for (std::size_t at = 0; at < detail.size();) {
      const std::size_t end = std::min(detail.find('\n', at), detail.size());
      comment += "// " + detail.substr(at, end - at) + "\n";
      at = end + 1;
    }
    std::string kind(name(r.verdict));
    std::replace(kind.begin(), kind.end(), ' ', '-');
    Failure& f = campaign_.failures.back();
    f.file = fmt::format("{}/{}-{}.kir", options_.folder, kind, seed);
    ok_ = ok_ && write_file(f.file, comment + write_kernel(choices, trial.profile), error_);
  }

  const CampaignOptions& options_;
  const std::function<bool(const Campaign&)>& progress_;
  std::string* error_;
  Campaign campaign_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point saved_;
  bool ok_ = true, going_ = true;
};

}  // namespace

std::uint64_t Campaign::trials() const {
  std::uint64_t n = 0;
  for (const auto& [key, count] : verdicts) n += count;
  return n;
}

std::optional<Campaign> run_campaign(const CampaignOptions& options, const std::function<bool(const Campaign&)>& progress,
                                     std::string* error) {
  return Run(options, progress, error).run();
}

}  // namespace kir::fuzz
