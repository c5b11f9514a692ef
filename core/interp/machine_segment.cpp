// Folds and scans over segments. The value is that of single members from left to right. Under the licence `tree` other
// cuts, bracketings and ways to the state before a segment are permitted; some are run too, and what they give must agree.
//
// How far two permitted executions may differ is not known beforehand, so each run has running error bounds against
// exact arithmetic (BoundRules with roundings counted). If the laws that the licence states hold over the real numbers, two
// runs differ by the sum of their bounds at most; integers are equal. A larger difference is no rounding: it breaks a law. So
// does a finite value against an infinity or NaN; of two values that are not finite nothing is said.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/check.h"
#include "core/interp/bound_arithmetic.h"
#include "core/interp/bound_rules.h"
#include "core/interp/machine.h"
#include "core/ir/op_table.h"
#include "core/numeric/float_format.h"

namespace kir {

class SegmentRun {
 public:
  SegmentRun(Machine& m, const Instr& i)
      : m_(m), op_(i.op), plan_(m.code_.segments[i.plan]), scan_(i.kind == InstrKind::region_scan) {}
  bool run();

 private:
  struct Cell {
    std::uint64_t word = 0;
    Taint taint = 0;
    double radius = 0;
  };
  using Cells = std::vector<Cell>;
  struct Range {
    Integer low, high;
  };
  // A permitted way to the result.
  struct Way {
    enum Kind : std::uint8_t { singles, whole, one_cut, random } cut = singles;
    bool prefixes = false;    // the state before a segment from the combined summaries of all earlier ones
    bool bracketing = false;  // summaries are combined in a random bracketing
    unsigned odds = 1;        // random: one cut in so many places
    std::uint64_t seed = 0;
  };
  struct Outcome {
    Cells cells;                      // results of a fold, final state of a scan
    std::vector<TensorValue> slices;  // of a scan
    std::vector<Range> segments;      // the first ones
    std::int64_t segment_count = 0;
  };
  static constexpr std::size_t kShownSegments = 8;

  bool active_members();
  bool empty();
  bool follow(const Way& way, Outcome& out);
  bool segment(const Range& s, const Way& way, std::mt19937_64& random, Outcome& out);
  bool summarize(const Range& s, Cells& out);
  bool emit(const Range& s, Outcome& out);
  bool enter(const CellRegion& r, const Range& s);
  bool run_cells(const CellRegion& r, const Cells& first, const Cells& second, Cells& out);
  bool collapse(bool all, std::mt19937_64* random);
  bool check_licence(Outcome& value);
  bool attempt(const Way& way, Outcome& out, bool& decided);
  bool compare(const Outcome& a, const Outcome& b);
  bool agree(DType t, const Cell& a, const Cell& b, const std::string& what, const Outcome& other);
  double wider(DType t, const Cell& a, const Cell& b) const;
  void widen(DType t, Cell& value, const Cell& a, const Cell* b) const;
  static Cell cell_of(const TensorValue& t, std::size_t e) {
    return {t.words[e], t.taint[e], t.radius.empty() ? 0 : t.radius[e]};
  }
  Cells read(const std::vector<Slot>& slots) const;
  void write(std::span<const Slot> slots, const Cells& cells);
  void put(Outcome&& value);
  DType type_of(Slot s) const { return m_.body_.type(ValueId(s)).dtype; }

  Machine& m_;
  const OpId op_;
  const SegmentPlan& plan_;
  const bool scan_;
  std::vector<Range> runs_;  // maximal ranges of active members
  Integer members_ = 0;
  std::vector<std::vector<std::int64_t>> rest_;  // of each slice: the extents after the first
  // During one run:
  std::vector<Cells> summaries_;  // not combined yet
  Cells state_, initial_;
};

bool Machine::region_fold(const Instr& i) { return SegmentRun(*this, i).run(); }
bool Machine::region_scan(const Instr& i) { return SegmentRun(*this, i).run(); }

bool SegmentRun::run() {
  if (!active_members()) return false;
  if (scan_) initial_ = read(plan_.init);
  for (const SegmentPlan::Slice& s : plan_.slices) {
    rest_.emplace_back();
    for (std::uint32_t e : s.rest) {
      Integer extent = 0;
      if (!m_.evaluate(e, op_, extent)) return false;
      rest_.back().push_back(static_cast<std::int64_t>(std::clamp<Integer>(extent, 0, INT64_MAX)));
    }
  }
  if (members_ == 0 && !scan_) return empty();
  Outcome value;
  const bool whole = plan_.physical && plan_.order != Order::strict;
  if (!follow({.cut = whole ? Way::whole : Way::singles}, value)) return false;
  if (!plan_.physical && plan_.order != Order::strict && members_ > 1 && !check_licence(value)) return false;
  put(std::move(value));
  return true;
}

bool SegmentRun::active_members() {
  Integer low = 0, high = 0;
  if (!m_.evaluate(plan_.low, op_, low) || !m_.evaluate(plan_.high, op_, high)) return false;
  if (!plan_.where.region) {
    if (low < high) runs_.push_back({low, high});
    members_ = distance(low, high);
    return true;
  }
  for (Integer j = low; j < high; ++j) {
    m_.set_integer(plan_.where.arguments[0], j);
    if (!m_.count_step(op_) || !m_.run_region(plan_.where.region)) return false;
    const Slot active = plan_.where.yields[0];
    if (!m_.check_observed(m_.taint_[active], op_, "the predicate of a member")) return false;
    if (!m_.words_[active]) continue;
    ++members_;
    if (!runs_.empty() && runs_.back().high == j)
      ++runs_.back().high;
    else
      runs_.push_back({j, j + 1});
  }
  return true;
}

bool SegmentRun::empty() {
  if (plan_.identity.empty())
    return m_.fail(RuntimeErrorKind::empty_reduction, op_, "a fold over no active member has no identity");
  Outcome out;
  for (const Scalar& s : plan_.identity) out.cells.push_back({s.bits, 0, 0});
  put(std::move(out));
  return true;
}

SegmentRun::Cells SegmentRun::read(const std::vector<Slot>& slots) const {
  Cells out;
  for (Slot s : slots) out.push_back({m_.words_[s], m_.taint_[s], m_.radius_[s]});
  return out;
}

void SegmentRun::write(std::span<const Slot> slots, const Cells& cells) {
  KIR_CHECK(slots.size() == cells.size(), "components of a summary or state");
  for (std::size_t k = 0; k < cells.size(); ++k) {
    m_.words_[slots[k]] = cells[k].word;
    m_.taint_[slots[k]] = cells[k].taint;
    m_.radius_[slots[k]] = cells[k].radius;
  }
}

bool SegmentRun::enter(const CellRegion& r, const Range& s) {
  m_.set_integer(r.arguments[0], s.low);
  m_.set_integer(r.arguments[1], s.high);
  return m_.count_step(op_) && m_.run_region(r.region);
}

bool SegmentRun::summarize(const Range& s, Cells& out) {
  if (!enter(plan_.summarize, s)) return false;
  out = read(plan_.summarize.yields);
  return true;
}

bool SegmentRun::run_cells(const CellRegion& r, const Cells& first, const Cells& second, Cells& out) {
  const std::span<const Slot> slots(r.arguments);
  write(slots.first(first.size()), first);
  write(slots.subspan(first.size()), second);
  if (!m_.count_step(op_) || !m_.run_region(r.region)) return false;
  out = read(r.yields);
  return true;
}

// Combines the last summaries; a random number of them when not all.
bool SegmentRun::collapse(bool all, std::mt19937_64* random) {
  while (summaries_.size() > 1 && (all || !random || (*random)() % 2 == 0)) {
    Cells& left = summaries_[summaries_.size() - 2];
    Cells out;
    if (!run_cells(plan_.combine, left, summaries_.back(), out)) return false;
    left = std::move(out);
    summaries_.pop_back();
  }
  return true;
}

bool SegmentRun::emit(const Range& s, Outcome& out) {
  write(std::span(plan_.emit.arguments).subspan(2), state_);
  if (!enter(plan_.emit, s)) return false;
  for (std::size_t k = 0; k < plan_.slices.size(); ++k) {
    const SegmentPlan::Slice& slice = plan_.slices[k];
    if (!m_.move(slice.emitted, op_)) return false;
    const TensorValue* t = m_.tensors_[slice.result].get();
    if (!t) return m_.fail(RuntimeErrorKind::unsupported, op_, "a tensor without a value");
    const bool fits = !t->shape.empty() && t->shape[0] == s.high - s.low &&
                      std::equal(t->shape.begin() + 1, t->shape.end(), rest_[k].begin(), rest_[k].end());
    KIR_CHECK(fits, "a slice has the extents of its type");
    if (!m_.count_step(op_, t->words.size())) return false;
    TensorValue& to = out.slices[k];
    to.words.insert(to.words.end(), t->words.begin(), t->words.end());
    to.taint.insert(to.taint.end(), t->taint.begin(), t->taint.end());
    if (m_.bounds_) {
      to.radius.insert(to.radius.end(), t->radius.begin(), t->radius.end());
      to.radius.resize(to.words.size());
    }
    m_.tensors_[slice.result] = nullptr;
  }
  return true;
}

bool SegmentRun::segment(const Range& s, const Way& way, std::mt19937_64& random, Outcome& out) {
  if (out.segments.size() < kShownSegments) out.segments.push_back(s);
  ++out.segment_count;
  Cells summary;
  if (scan_ && !emit(s, out)) return false;
  if (!summarize(s, summary)) return false;
  if (scan_ && !way.prefixes) return run_cells(plan_.apply, summary, state_, state_);
  summaries_.push_back(std::move(summary));
  if (!collapse(false, way.bracketing ? &random : nullptr)) return false;
  return !scan_ || run_cells(plan_.apply, summaries_[0], initial_, state_);
}

bool SegmentRun::follow(const Way& way, Outcome& out) {
  std::mt19937_64 random(way.seed + static_cast<std::uint64_t>(members_));
  const Integer cut_at =
      way.cut == Way::one_cut ? 1 + static_cast<Integer>(random() % static_cast<std::uint64_t>(members_ - 1)) : 0;
  summaries_.clear();
  state_ = initial_;
  out.slices.resize(plan_.slices.size());
  for (std::size_t k = 0; k < plan_.slices.size(); ++k) {
    TensorValue& t = out.slices[k];
    t.shape.push_back(static_cast<std::int64_t>(std::min<Integer>(members_, INT64_MAX)));
    t.shape.insert(t.shape.end(), rest_[k].begin(), rest_[k].end());
    t.low.assign(t.shape.size(), 0);
  }
  Integer before = 0;  // active members before the current place
  for (const Range& r : runs_) {
    Integer begin = r.low;
    for (Integer j = r.low + 1; j <= r.high; ++j) {
      ++before;
      const bool cut = j == r.high || way.cut == Way::singles || (way.cut == Way::one_cut && before == cut_at) ||
                       (way.cut == Way::random && random() % way.odds == 0);
      if (!cut) continue;
      if (!segment({begin, j}, way, random, out)) return false;
      begin = j;
    }
  }
  if (!scan_ && !collapse(true, nullptr)) return false;
  out.cells = scan_ ? state_ : summaries_[0];
  return true;
}

void SegmentRun::put(Outcome&& value) {
  write(plan_.results, value.cells);
  for (std::size_t k = 0; k < plan_.slices.size(); ++k)
    m_.tensors_[plan_.slices[k].result] = std::make_shared<TensorValue>(std::move(value.slices[k]));
}

// One run; not decided when control depends on values that permitted executions round differently.
bool SegmentRun::attempt(const Way& way, Outcome& out, bool& decided) {
  const std::size_t folds = m_.bounds_->open_folds();
  decided = follow(way, out);
  if (decided) return true;
  if (!m_.undecided_) return false;
  m_.undecided_ = false;
  m_.error_.reset();
  m_.bounds_->close_folds(folds);
  return true;
}

bool SegmentRun::check_licence(Outcome& value) {
  static constexpr Way kFoldWays[] = {{.cut = Way::whole},
                                      {.cut = Way::singles, .bracketing = true, .seed = 1},
                                      {.cut = Way::one_cut, .seed = 2},
                                      {.cut = Way::random, .odds = 2, .seed = 3},
                                      {.cut = Way::random, .bracketing = true, .odds = 2, .seed = 4},
                                      {.cut = Way::random, .bracketing = true, .odds = 8, .seed = 5}};
  static constexpr Way kScanWays[] = {{.cut = Way::whole},
                                      {.cut = Way::singles, .prefixes = true},
                                      {.cut = Way::one_cut, .seed = 2},
                                      {.cut = Way::random, .odds = 2, .seed = 3},
                                      {.cut = Way::random, .prefixes = true, .odds = 2, .seed = 4},
                                      {.cut = Way::random, .prefixes = true, .odds = 8, .seed = 5}};
  BoundRules own(m_);
  BoundRules* const outer = std::exchange(m_.bounds_, m_.bounds_ ? m_.bounds_ : &own);
  const bool counted = m_.bounds_->count_roundings(true);
  const auto leave = [&](bool ok) {
    m_.bounds_->count_roundings(counted);
    m_.bounds_ = outer;
    return ok;
  };
  m_.bounds_->note_sample(static_cast<std::uint64_t>(members_));
  bool sound = true;  // every way was decided
  Outcome singles;
  if (!attempt({}, singles, sound)) return leave(false);
  Outcome widest = singles;
  for (const Way& way : scan_ ? kScanWays : kFoldWays) {
    Outcome other;
    bool decided = false;
    if (!attempt(way, other, decided)) return leave(false);
    if (decided && sound && !compare(singles, other)) return leave(false);
    sound = sound && decided;
    if (!outer || !sound) continue;
    for (std::size_t k = 0; k < widest.cells.size(); ++k)
      widest.cells[k].radius = wider(type_of(plan_.results[k]), widest.cells[k], other.cells[k]);
    for (std::size_t k = 0; k < widest.slices.size(); ++k)
      for (std::size_t e = 0; e < widest.slices[k].words.size(); ++e)
        widest.slices[k].radius[e] =
            wider(type_of(plan_.slices[k].result), cell_of(widest.slices[k], e), cell_of(other.slices[k], e));
  }
  if (outer) {
    for (std::size_t k = 0; k < value.cells.size(); ++k)
      widen(type_of(plan_.results[k]), value.cells[k], sound ? singles.cells[k] : Cell{}, sound ? &widest.cells[k] : nullptr);
    for (std::size_t k = 0; k < value.slices.size(); ++k) {
      TensorValue& t = value.slices[k];
      for (std::size_t e = 0; e < t.words.size(); ++e) {
        Cell c = cell_of(t, e);
        const Cell wide = sound ? cell_of(widest.slices[k], e) : Cell{};
        widen(type_of(plan_.slices[k].result), c, sound ? cell_of(singles.slices[k], e) : Cell{}, sound ? &wide : nullptr);
        t.radius[e] = c.radius;
        t.taint[e] = c.taint;
      }
    }
  }
  return leave(true);
}

// The radius of one of two values; without bound where they differ and are not finite. That zeros differ in their signs is no
// error of rounding: they are within a radius that tells nothing else apart.
double SegmentRun::wider(DType t, const Cell& a, const Cell& b) const {
  const bool compared = a.word == b.word || !is_float(t) ||
                        (std::isfinite(format_to_double(t, a.word)) && std::isfinite(format_to_double(t, b.word))) ||
                        (std::isnan(format_to_double(t, a.word)) && std::isnan(format_to_double(t, b.word)));
  const bool zeros = a.word != b.word && is_float(t) && format_to_double(t, a.word) == format_to_double(t, b.word);
  return compared ? std::max({a.radius, b.radius, zeros ? smallest(t) : 0}) : HUGE_VAL;
}

// What other permitted executions may give: within the bounds of the ways that were run.
void SegmentRun::widen(DType t, Cell& value, const Cell& a, const Cell* b) const {
  if (!is_float(t)) {
    if (!b || a.taint || b->taint) value.taint |= kUndecided;
    return;
  }
  value.radius = b ? std::max(value.radius, a.radius + b->radius) : HUGE_VAL;
}

bool SegmentRun::compare(const Outcome& a, const Outcome& b) {
  for (std::size_t k = 0; k < a.cells.size(); ++k)
    if (!agree(type_of(plan_.results[k]), a.cells[k], b.cells[k], m_.value_name(plan_.results[k]), b)) return false;
  for (std::size_t k = 0; k < a.slices.size(); ++k) {
    const TensorValue& t = a.slices[k];
    for (std::size_t e = 0; e < t.words.size(); ++e) {
      auto name = [&] {
        std::vector<std::int64_t> at(t.shape.size());
        std::int64_t rest = static_cast<std::int64_t>(e);
        for (std::size_t axis = at.size(); axis-- > 0; rest /= t.shape[axis]) at[axis] = rest % t.shape[axis];
        return fmt::format("{}[{}]", m_.value_name(plan_.slices[k].result), fmt::join(at, ", "));
      };
      const Cell x = cell_of(t, e), y = cell_of(b.slices[k], e);
      if (x.word == y.word) continue;
      if (!agree(type_of(plan_.slices[k].result), x, y, name(), b)) return false;
    }
  }
  return true;
}

bool SegmentRun::agree(DType t, const Cell& a, const Cell& b, const std::string& what, const Outcome& other) {
  if (a.word == b.word || a.taint || b.taint) return true;
  std::string apart;
  if (is_float(t)) {
    const double x = format_to_double(t, a.word), y = format_to_double(t, b.word), bound = a.radius + b.radius;
    if (x == y || !std::isfinite(bound) || (!std::isfinite(x) && !std::isfinite(y))) return true;
    if (std::fabs(x - y) <= bound) return true;  // false where one is an infinity or NaN, which a finite bound makes certain
    if (std::isfinite(x) && std::isfinite(y)) apart = fmt::format(", more than {:.3g} apart", bound);
  }
  std::string cut;
  for (const Range& s : other.segments) cut += fmt::format("[{}..{}] ", to_string(s.low), to_string(s.high));
  if (other.segment_count > static_cast<std::int64_t>(other.segments.size()))
    cut += fmt::format("... ({} segments) ", other.segment_count);
  return m_.fail(RuntimeErrorKind::violated_licence, op_,
                 fmt::format("the segments {}give {} = {}, single members {}{}: order({}) does not hold", cut, what,
                             literal_text({t, b.word}), literal_text({t, a.word}), apart, name(plan_.order)));
}

}  // namespace kir
