#include "tools/mutants/campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/base/file.h"
#include "core/text/text.h"
#include "tools/fuzz/sealed_json.h"

namespace kir::mutants {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxState = std::size_t{256} << 20;
constexpr std::chrono::seconds kSaveEvery{10};

std::string dump(const Json& j, int indent) { return j.dump(indent, ' ', false, Json::error_handler_t::replace); }

Json to_json(const Result& r) {
  Json kinds = Json::array();
  if (!r.judgement) return {{"place", r.place}, {"failure", r.failure}};
  for (proof::ObligationKind k : r.judgement->kinds) kinds.push_back(static_cast<int>(k));
  return {{"place", r.place},
          {"verdict", static_cast<int>(r.judgement->verdict)},
          {"runs", static_cast<int>(r.judgement->runs)},
          {"reason", r.judgement->reason},
          {"kinds", std::move(kinds)},
          {"refused_by", r.judgement->refused_by},
          {"run", r.judgement->run}};
}

// Numbers of a state, which anything may have written.
template <class Enum>
Enum one_of(const Json& j, Enum last) {
  if (!j.is_number_unsigned() || j.get<std::uint64_t>() > static_cast<std::uint64_t>(last))
    throw std::runtime_error("a number is none that is known");
  return static_cast<Enum>(j.get<std::uint64_t>());
}

Result from_json(const Json& j) {
  Result r;
  r.place = j.at("place");
  if (j.contains("failure")) {
    r.failure = j.at("failure");
    return r;
  }
  Judgement& out = r.judgement.emplace();
  out.verdict = one_of(j.at("verdict"), Verdict::proved);
  out.runs = one_of(j.at("runs"), Runs::not_reached);
  out.reason = j.at("reason");
  for (const Json& k : j.at("kinds")) out.kinds.push_back(one_of(k, proof::ObligationKind::assumed));
  out.refused_by = j.at("refused_by").get<std::vector<std::string>>();
  out.run = j.at("run");
  return r;
}

// What results depend on, besides the choice of mutants.
Json signature(const CampaignOptions& o) {
  return {{"build", o.build},
          {"seed", o.judge.draw.seed},
          {"draws", o.judge.draw.draws},
          {"max_steps", o.judge.draw.max_steps},
          {"launches", o.judge.launches},
          {"rlimit", o.judge.rlimit}};
}

class Run {
 public:
  Run(const std::vector<Subject>& subjects, const std::vector<Choice>& choices, const CampaignOptions& options,
      const std::function<bool(const Result&)>& done, std::string* error)
      : subjects_(subjects), choices_(choices), options_(options), done_(done), error_(error) {
    for (const Subject& s : subjects)
      prefixes_.push_back(fmt::format("{} {:.16} {:.16}", s.name, content_hash(*s.kernel), content_hash(*s.program)));
  }

  std::optional<std::size_t> run() {
    if (!resume()) return std::nullopt;
    std::vector<Choice> open;  // without a result
    const auto want = [&](const Choice& c) {
      if (!results_.contains(key(c))) open.push_back(c);
    };
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (i == 0 || choices_[i].subject != choices_[i - 1].subject) want(undamaged(choices_[i].subject));
      want(choices_[i]);
    }
    deliver();
    if (going_ && ok_)
      fuzz::run_isolated(
          open.size(), [&](std::uint64_t i) { return judge(open[i]); }, options_.isolation,
          [&](std::uint64_t i, fuzz::Answer&& answer) {
            take(open[i], answer);
            return going_ && ok_;
          });
    save();
    return ok_ ? std::optional(delivered_) : std::nullopt;
  }

 private:
  static constexpr std::size_t kUndamaged = SIZE_MAX;  // the number of what is no mutant
  static Choice undamaged(std::size_t subject) { return {.subject = subject, .number = kUndamaged, .damage = {}}; }
  std::string key(const Choice& c) const {
    return c.number == kUndamaged ? prefixes_[c.subject] + " undamaged"
                                  : fmt::format("{} {} {}", prefixes_[c.subject], name(c.form), c.number);
  }

  // In a process of its own, which goes through the mutants of one kernel after the other.
  std::string judge(const Choice& c) {
    const Subject& s = subjects_[c.subject];
    if (!judge_ || judged_ != c.subject) {
      judge_ = std::make_unique<Judge>(s.kernel, s.program, options_.judge);
      mutants_.clear();
      judged_ = c.subject;
    }
    if (c.number == kUndamaged) return dump({{"place", ""}, {"failure", judge_->fault()}}, -1);
    auto [it, fresh] = mutants_.try_emplace(c.form);
    if (fresh) it->second = c.form == Form::physical ? mutants_of(*s.program) : mutants_of(*s.kernel);
    const Mutant& m = it->second[c.number];
    Result r;
    r.place = m.place;
    r.judgement = judge_->judge(m);
    return dump(to_json(r), -1);
  }

  void take(const Choice& c, const fuzz::Answer& answer) {
    Json result;
    switch (answer.how) {
      case fuzz::Answer::How::done: result = Json::parse(answer.text); break;
      case fuzz::Answer::How::crashed: result = {{"place", ""}, {"failure", "crashed: " + answer.text}}; break;
      case fuzz::Answer::How::hung: result = {{"place", ""}, {"failure", "cut off: " + answer.text}}; break;
    }
    results_[key(c)] = std::move(result);
    if (Clock::now() - saved_ > kSaveEvery) save();
    deliver();
  }

  // What has a result, up to the first choice that has none.
  void deliver() {
    for (; going_ && ok_ && delivered_ < choices_.size(); ++delivered_) {
      const Choice& c = choices_[delivered_];
      auto control = results_.find(key(undamaged(c.subject)));
      if (control == results_.end()) return;
      if (const Result r = from_json(control->second); !r.failure.empty()) {
        *error_ = fmt::format("{}: the undamaged program has a fault: {}", subjects_[c.subject].name, r.failure);
        ok_ = false;
        return;
      }
      auto it = results_.find(key(c));
      if (it == results_.end()) return;
      Result r = from_json(it->second);
      r.choice = c;
      going_ = done_(r);
    }
  }

  bool resume() {
    std::error_code code;
    if (options_.state.empty() || !std::filesystem::exists(options_.state, code)) return true;
    auto text = read_file(options_.state, kMaxState, error_);
    if (!text) return false;
    bool damaged = false;
    const std::optional<Json> state = fuzz::unsealed(*text, &damaged);
    if (!state || !state->contains("options") || !state->contains("results")) {
      *error_ = options_.state + " is no state of a campaign";
      return false;
    }
    if (damaged) {
      *error_ = options_.state + " is damaged: its digest is another one";
      return false;
    }
    const Json& j = *state;
    if (j["options"] != signature(options_)) {
      *error_ = options_.state + " is of another build or of other options; give it another name, or delete it";
      return false;
    }
    try {
      for (const auto& [k, result] : j["results"].items()) {
        from_json(result);
        results_[k] = result;
      }
    } catch (const std::exception& e) {
      *error_ = options_.state + " is damaged: " + e.what();
      return false;
    }
    return true;
  }

  void save() {
    saved_ = Clock::now();
    if (options_.state.empty() || !ok_) return;
    Json results = Json::object();
    for (const auto& [k, result] : results_) results[k] = result;
    ok_ = write_file(options_.state, fuzz::sealed({{"options", signature(options_)}, {"results", std::move(results)}}, 0),
                     error_);
  }

  const std::vector<Subject>& subjects_;
  const std::vector<Choice>& choices_;
  const CampaignOptions& options_;
  const std::function<bool(const Result&)>& done_;
  std::string* error_;
  std::vector<std::string> prefixes_;  // of keys: the subject and what it holds
  std::map<std::string, Json> results_;
  std::size_t delivered_ = 0;
  bool ok_ = true, going_ = true;
  Clock::time_point saved_ = Clock::now();
  // Of the process that judges:
  std::unique_ptr<Judge> judge_;
  std::size_t judged_ = 0;
  std::map<Form, std::vector<Mutant>> mutants_;
};

}  // namespace

std::optional<std::size_t> run_campaign(const std::vector<Subject>& subjects, const std::vector<Choice>& choices,
                                        const CampaignOptions& options, const std::function<bool(const Result&)>& done,
                                        std::string* error) {
  return Run(subjects, choices, options, done, error).run();
}

}  // namespace kir::mutants
