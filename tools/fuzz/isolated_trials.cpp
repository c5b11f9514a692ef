#include "tools/fuzz/isolated_trials.h"

#include <nlohmann/json.hpp>

namespace kir::fuzz {
namespace {

using Json = nlohmann::json;

std::string to_line(const TrialResult& r) {
  Json features = Json::array();
  for (const auto& [f, n] : r.features) features.push_back({f.operation, f.around, f.axes, n});
  return Json{{"verdict", static_cast<int>(r.verdict)},
              {"reason", r.reason},
              {"detail", r.detail},
              {"compared", r.compared},
              {"undecided", r.undecided},
              {"features", std::move(features)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

TrialResult from_line(const std::string& line) {
  const Json j = Json::parse(line);
  TrialResult r;
  r.verdict = static_cast<Verdict>(j["verdict"].get<int>());
  r.reason = j["reason"];
  r.detail = j["detail"];
  r.compared = j["compared"];
  r.undecided = j["undecided"];
  for (const Json& f : j["features"]) r.features[{f[0].get<std::string>(), f[1].get<std::string>(), f[2].get<int>()}] = f[3];
  return r;
}

}  // namespace

void run_trials(std::uint64_t count, const std::function<Choices::Words(std::uint64_t)>& words, const TrialOptions& options,
                const Isolation& isolation, const std::function<bool(std::uint64_t, TrialResult&&)>& done) {
  run_isolated(
      count, [&](std::uint64_t i) { return to_line(run_trial(words(i), options)); }, isolation,
      [&](std::uint64_t i, Answer&& answer) {
        if (answer.how == Answer::How::done) return done(i, from_line(answer.text));
        TrialResult r;
        r.verdict = answer.how == Answer::How::hung ? Verdict::hung : Verdict::crashed;
        r.reason = std::move(answer.text);
        return done(i, std::move(r));
      });
}

}  // namespace kir::fuzz
