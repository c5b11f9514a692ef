// From obligations to verdicts: a witness launch, a cheap search for misbehaving executions, the decision procedure, and the
// replay of its models.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "core/base/check.h"
#include "smt/launches.h"
#include "smt/minimise.h"
#include "smt/replay.h"
#include "smt/replay_law.h"
#include "smt/run.h"
#include "smt/tell.h"

namespace kir::smt {
namespace {

using proof::Verdict;

constexpr std::int64_t kMaxViewBytes = 8 << 20, kMaxReplayBytes = 256 << 20;
constexpr std::uint64_t kWitnessResource = 4'000'000;

std::string text_of(const Symbols& symbols) {
  std::string s;
  for (const auto& [name, v] : symbols) s += fmt::format("{}{} = {}", s.empty() ? "" : ", ", name, v);
  return s.empty() ? "no symbols" : s;
}

class Judge {
 public:
  Judge(const Kernel& kernel, const PhysicalProgram* program, const RunOptions& options, Outcome& outcome)
      : kernel_(kernel), program_(program), options_(options), out_(outcome) {}

  void run() {
    witness_ = find_witness(kernel_.abi, kWitnessResource);
    if (witness_.found == Witness::Found::contradictory) {
      out_.malformed = witness_.reason;
      out_.verdict = Verdict::unknown;
      out_.exit_code = 2;
      return;
    }
    if (witness_.found == Witness::Found::launch) {
      out_.witness = text_of(witness_.symbols);
    } else {
      proof::Obligation o;
      o.kind = proof::ObligationKind::reachable;
      o.key = kernel_.id() + "/witness-launch";
      o.sentence = "some launch satisfies all preconditions";
      o.range = kernel_.range;
      o.preset = proof::Obligation::Preset{Verdict::unknown, witness_.reason};
      out_.ledger.add(std::move(o));
    }
    search();
    out_.decisions = decide(out_.ledger, options_.decide);
    out_.counterexample_of.assign(out_.decisions.size(), Outcome::kNone);
    replay_models();
    refute_by_evaluation();
    attribute();
    tell_found();
    settle();
    for (std::size_t i = 0; i < out_.decisions.size(); ++i)
      if (const std::size_t c = out_.counterexample_of[i];
          c != Outcome::kNone && out_.decisions[i].verdict == Verdict::refuted && out_.decisions[i].reason.empty())
        out_.decisions[i].reason = fmt::format("counterexample {}: {}", c + 1, one_line(out_.counterexamples[c]));
  }

 private:
  struct Found {
    Trial trial;
    Recipe recipe;
    std::size_t counterexample;  // index into the outcome's
    bool attributed = false;
  };

  static bool of_kir(const Trial& t) { return t.what == Misbehaviour::kir_error || t.what == Misbehaviour::overlapping_view; }

  // Small launches with telling contents. At most one find per kind of misbehaviour and place.
  void search() {
    launches_ = small_launches(kernel_.abi, witness_, std::max(4, options_.replay_attempts / 4));
    constexpr Contents kContents[] = {Contents::exact, Contents::special, Contents::large, Contents::ordinary};
    TrialLimits limits{200'000, 2'000'000};
    for (int i = 0; i < options_.replay_attempts && !launches_.empty(); ++i) {
      const Symbols& s = launches_[static_cast<std::size_t>(i) % launches_.size()];
      Contents contents = kContents[(static_cast<std::size_t>(i) / launches_.size()) % 4];
      try_at({s, contents, static_cast<std::uint64_t>(i), i % 3 == 1, kMaxViewBytes}, limits);
    }
  }

  // Index into found_ of the launch's trial, when it misbehaved.
  std::optional<std::size_t> try_at(const LaunchRecipe& recipe, const TrialLimits& limits) {
    auto args = make_args(kernel_.abi, recipe);
    if (!args) return {};
    Trial t = try_launch(kernel_, program_, *args, limits);
    return record(std::move(t), recipe);
  }

  // Index into found_, one per kind of misbehaviour and place.
  std::optional<std::size_t> record(Trial t, Recipe recipe) {
    if (!t.found() || (t.what == Misbehaviour::refused && options_.derive.allow_restrictions)) return {};
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (same_failure(found_[i].trial, t)) return i;
    out_.counterexamples.emplace_back();  // told when all are found
    found_.push_back({std::move(t), std::move(recipe), out_.counterexamples.size() - 1});
    return found_.size() - 1;
  }

  void tell_found() {
    for (const Found& f : found_)
      out_.counterexamples[f.counterexample] =
          tell(kernel_, program_, minimise(kernel_, program_, f.recipe, f.trial, launches_, options_.minimise));
  }

  void refute(std::size_t obligation, std::size_t found) {
    proof::Decision& d = out_.decisions[obligation];
    d.verdict = Verdict::refuted;
    d.reason.clear();  // the counterexample says it
    out_.counterexample_of[obligation] = found_[found].counterexample;
    found_[found].attributed = true;
  }

  static bool parse(const std::string& text, std::int64_t& out) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
  }

  std::optional<Symbols> symbols_of(const std::vector<proof::Binding>& model) const {
    Symbols s = witness_.symbols;
    for (const SymbolInfo& info : kernel_.abi.symbols) s.emplace(info.name, 1);
    for (const proof::Binding& b : model)
      if (auto it = s.find(b.leaf); it != s.end() && !parse(b.value, it->second)) return {};
    return s;
  }

  static std::string model_text(const proof::Decision& d) {
    std::string s;
    for (const proof::Binding& b : d.model)
      if (!b.value.empty()) s += fmt::format("{}{} = {}", s.empty() ? "" : ", ", b.leaf, b.value);
    return s;
  }

  void replay_models() {
    for (std::size_t i = 0; i < out_.decisions.size(); ++i) {
      proof::Decision& d = out_.decisions[i];
      const proof::Obligation& o = out_.ledger.obligations[i];
      if (d.verdict != Verdict::refuted || d.tier == "preset") continue;
      std::string refused;  // why the point could not be tried
      auto s = symbols_of(d.model);
      bool possible = s && preconditions_hold(kernel_.abi, *s);
      if (possible)
        for (std::size_t f : trials_at(*s))
          if (explains(found_[f].trial, o)) {
            refute(i, f);
            break;
          }
      if (d.verdict == Verdict::refuted && out_.counterexample_of[i] != Outcome::kNone) continue;
      if (possible) {
        Trial t = try_point(kernel_, program_, o.side != proof::Side::kir, *s, d.model, TrialLimits{});
        bool answered = t.what != Misbehaviour::not_run;
        if (!answered && d.reason.empty() && !t.reason.empty()) refused = t.reason;
        auto f = record(std::move(t), PointRecipe{*s, d.model, o.side != proof::Side::kir});
        if (f && explains(found_[*f].trial, o)) {
          refute(i, *f);
          continue;
        }
        if (!answered && o.concrete && d.reason.empty()) {
          evaluated(i);
          continue;
        }
      }
      pending_.push_back(i);
      d.verdict = Verdict::unknown;
      const std::string& why = d.reason.empty() ? refused : d.reason;
      d.reason = fmt::format("a model of the negation ({}) did not replay{}", model_text(d), why.empty() ? "" : ": " + why);
    }
  }

  void refute_by_evaluation() {
    for (std::size_t i = 0; i < out_.decisions.size(); ++i) {
      const proof::Obligation& o = out_.ledger.obligations[i];
      // What was evaluated element by element (a layout) is refuted already.
      std::optional<std::string> finding =
          o.preset && o.preset->verdict == Verdict::refuted ? std::optional(o.preset->reason) : std::nullopt;
      if (o.law) finding = replay_law(kernel_, *o.law);
      if (!finding) continue;
      Counterexample c;
      c.run = o.law ? Counterexample::Run::combine : Counterexample::Run::evaluated;
      c.finding = std::move(*finding);
      refute_by(i, std::move(c));
    }
  }

  void refute_by(std::size_t i, Counterexample c) {
    out_.counterexamples.push_back(std::move(c));
    out_.counterexample_of[i] = out_.counterexamples.size() - 1;
    out_.decisions[i].verdict = Verdict::refuted;
    out_.decisions[i].reason.clear();
  }

  // What goes wrong at these sizes, with different contents.
  const std::vector<std::size_t>& trials_at(const Symbols& symbols) {
    auto [it, fresh] = trials_.emplace(symbols, std::vector<std::size_t>());
    if (!fresh) return it->second;
    constexpr Contents kContents[] = {Contents::exact, Contents::special, Contents::large};
    for (int k = 0; k < 6; ++k)
      if (auto f = try_at(
              {symbols, kContents[k % 3], std::uint64_t{1000} + static_cast<std::uint64_t>(k), k % 2 == 1, kMaxReplayBytes},
              TrialLimits{}))
        it->second.push_back(*f);
    return it->second;
  }

  // No interpreter could run the instance to an answer, but the obligation speaks of one operation at one point and of nothing
  // that memory holds, and the decision procedure evaluated it there.
  void evaluated(std::size_t i) {
    const proof::Obligation& o = out_.ledger.obligations[i];
    proof::Decision& d = out_.decisions[i];
    d.model = minimise_model(
        o, d.model,
        [&](const std::vector<proof::Binding>& m) {
          const auto s = symbols_of(m);
          return s && preconditions_hold(kernel_.abi, *s);
        },
        options_.minimise);
    const Symbols symbols = *symbols_of(d.model);
    Counterexample c;
    c.run = Counterexample::Run::evaluated;
    for (const SymbolInfo& s : kernel_.abi.symbols) c.sizes.push_back({s.name, symbols.at(s.name)});
    for (const proof::Binding& b : d.model)
      if (std::int64_t n = 0; !symbols.contains(b.leaf) && parse(b.value, n)) c.point.push_back({b.leaf, n});
    c.finding = fmt::format("this does not hold: {}", o.sentence);
    refute_by(i, std::move(c));
  }

  // What the search found belongs to the obligations that it shows to be false.
  void attribute() {
    for (std::size_t i : pending_) {
      const proof::Obligation& o = out_.ledger.obligations[i];
      for (bool place : {true, false})
        for (std::size_t f = 0; f < found_.size() && out_.decisions[i].verdict != Verdict::refuted; ++f)
          if (explains(found_[f].trial, o) && (!place || same_place(found_[f].trial, o))) refute(i, f);
      if (out_.decisions[i].verdict == Verdict::refuted || o.otherwise_unsupported.empty()) continue;
      out_.decisions[i].verdict = Verdict::unsupported;
      out_.decisions[i].reason = o.otherwise_unsupported;
    }
    for (std::size_t f = 0; f < found_.size(); ++f) {
      if (found_[f].attributed) continue;
      // What was not decided, first where kind and place agree, then where the kind does, then on the same side.
      for (int strictness : {2, 1, 0}) {
        for (std::size_t i = 0; i < out_.decisions.size() && !found_[f].attributed; ++i) {
          const proof::Obligation& o = out_.ledger.obligations[i];
          if (out_.decisions[i].verdict == Verdict::proved || out_.decisions[i].verdict == Verdict::refuted) continue;
          bool kind = explains(found_[f].trial, o), place = same_place(found_[f].trial, o);
          bool side = of_kir(found_[f].trial) == (o.side == proof::Side::kir);
          if (strictness == 2 ? kind && place : strictness == 1 ? kind : side) refute(i, f);
        }
        if (found_[f].attributed) break;
      }
    }
  }

  void settle() {
    int code = 0;
    Verdict verdict = Verdict::proved;
    auto take = [&](Verdict v) {
      int c = proof::exit_code(v);
      if (proof::combine_exit_codes(code, c) == c && c != code) {
        code = c;
        verdict = v;
      }
    };
    for (const proof::Decision& d : out_.decisions) take(d.verdict);
    if (out_.decisions.empty()) take(Verdict::missing);
    auto any = [&](auto&& is) {
      return std::any_of(out_.decisions.begin(), out_.decisions.end(), [&](const auto& d) { return is(d.verdict); });
    };
    const bool refuted = any([](Verdict v) { return v == Verdict::refuted; });
    const bool open = any([](Verdict v) { return v != Verdict::proved; });
    for (const Found& f : found_) {
      if (f.attributed) continue;
      // An assume of the kernel is taken for granted by the proofs, so no obligation speaks of it.
      bool assumption = f.trial.what == Misbehaviour::kir_error && f.trial.error->kind == RuntimeErrorKind::failed_assume;
      if (refuted && !assumption) continue;
      // Where everything is proved, yet an execution misbehaves, the validator itself is at fault.
      Verdict v = assumption || open ? Verdict::refuted : Verdict::inconsistent;
      proof::Obligation o;
      o.kind = of_kir(f.trial) ? proof::ObligationKind::kir_safe : proof::ObligationKind::effect_paired;
      o.key = fmt::format("{}/execution/{}", kernel_.id(), f.counterexample);
      o.sentence = assumption ? "the assume holds"
                   : open     ? "the program does what the kernel says"
                              : "no execution contradicts what was proved";
      o.side = of_kir(f.trial) ? proof::Side::kir : proof::Side::physical;
      if (f.trial.error) o.range = f.trial.error->range;
      const std::string story = one_line(out_.counterexamples[f.counterexample]);
      o.preset = proof::Obligation::Preset{v, story};
      proof::Decision d;
      d.verdict = v;
      d.tier = "execution";
      d.reason = assumption ? story : "all obligations are proved, but " + story;
      out_.ledger.add(std::move(o));
      out_.decisions.push_back(d);
      out_.counterexample_of.push_back(f.counterexample);
      take(v);
    }
    out_.verdict = verdict;
    out_.exit_code = code;
  }

  const Kernel& kernel_;
  const PhysicalProgram* program_;
  const RunOptions& options_;
  Outcome& out_;
  Witness witness_;
  std::vector<Symbols> launches_;  // small ones
  std::vector<Found> found_;
  std::map<Symbols, std::vector<std::size_t>> trials_;
  std::vector<std::size_t> pending_;  // with a model that did not replay on its own sizes
};

}  // namespace

Outcome judge(const Kernel& kernel, const PhysicalProgram* program, proof::Ledger ledger, const RunOptions& options) {
  Outcome outcome;
  outcome.ledger = std::move(ledger);
  Judge(kernel, program, options, outcome).run();
  return outcome;
}

}  // namespace kir::smt
