#include "lowering/claims.h"

#include <fmt/format.h>

#include <set>

#include "core/base/check.h"
#include "core/ir/op_table.h"

namespace kir::lowering {

using proof::ObligationKind;

namespace {

// Sentences go into certificates, which do not depend on folders.
std::string base_name(const std::string& place) {
  std::size_t slash = place.rfind('/');
  return slash == std::string::npos ? place : place.substr(slash + 1);
}

std::string plain(Expr e) {
  return to_string(e, [](Expr leaf) { return leaf.is(ExprKind::variable) ? leaf.name() : std::string(); });
}

}  // namespace

Claims::Claims(const KernelFacts& facts, const SpacePlan& space, proof::Ledger& ledger)
    : facts_(facts), space_(space), ledger_(ledger) {
  ExprPool& p = pool();
  const Abi& abi = facts.kernel().abi;
  for (Expr e : abi.where) preconditions_.push_back(p.import(e, {}));
  std::set<Expr> seen;
  for (const ViewParam& v : abi.views)
    for (Expr e : v.shape) {
      Expr extent = p.import(e, {});
      if (extent.is(ExprKind::constant) || !seen.insert(extent).second) continue;
      preconditions_.push_back(less_equal(p.constant(0), extent));
    }
  for (std::size_t g = 0; g < space.segments.size(); ++g) {
    const SegmentPlan& s = space.segments[g];
    SegmentTerms t;
    for (std::size_t k = 0; k < s.axes.size(); ++k) {
      t.lo.push_back(p.import(s.lo[k], {}));
      Expr extent = p.import(s.extent[k], {});
      if (!extent.is(ExprKind::symbol) && !extent.is(ExprKind::constant)) {
        extent = p.fresh(fmt::format("extent_{}", s.axes[k]));
        t.facts.push_back(less_equal(p.constant(0), extent));
      }
      t.extent.push_back(extent);
      t.axis.push_back(p.fresh(s.axes[k]));
      Expr from_lo = t.lo[k].is_constant(0) ? t.axis[k] : t.axis[k] - t.lo[k];
      t.member.push_back(less_equal(p.constant(0), from_lo));
      t.member.push_back(less(from_lo, extent));
    }
    t.length = product(t.extent, p);
    t.offset = p.fresh(s.offset_name);
    terms_.push_back(std::move(t));
  }
}

void Claims::add(ObligationKind kind, std::string key, std::string sentence, std::vector<Expr> hypotheses, Expr goal, OpId op) {
  std::vector<Expr> all = preconditions_;
  all.insert(all.end(), hypotheses.begin(), hypotheses.end());
  ledger_.add({.kind = kind,
               .key = "lowering:" + key,
               .sentence = std::move(sentence),
               .side = proof::Side::lowering,
               .range = op ? facts_.body().op(op).range : SourceRange{},
               .hypotheses = std::move(all),
               .goal = goal});
}

void Claims::space() {
  for (std::size_t g = 0; g < terms_.size(); ++g) lengths(g);
  partition();
  for (std::size_t g = 0; g < terms_.size(); ++g) bijection(g);
}

void Claims::lengths(std::size_t g) {
  ExprPool& p = pool();
  const SegmentPlan& s = space_.segments[g];
  for (std::size_t k = 0; k < s.axes.size(); ++k) {
    Expr extent = p.import(s.extent[k], {}), lo = p.import(s.lo[k], {}), hi = p.import(s.hi[k], {});
    add(ObligationKind::launch_extent, fmt::format("launch-extent:{}:{}", s.group, s.axes[k]),
        fmt::format("factor {} of {} is the number of members of axis {} of {}", to_string(extent), s.length_name, s.axes[k],
                    s.group),
        {}, equal(extent, max(p.constant(0), hi - lo)));
  }
  // The product of non-negative factors, one at a time.
  for (std::size_t k = 1; k < s.axes.size(); ++k) {
    Expr before = p.fresh("product"), factor = p.fresh("factor");
    add(ObligationKind::launch_extent, fmt::format("launch-extent:{}:nonnegative:{}", s.group, k),
        fmt::format("{} is at least 0: factor {} keeps the sign", s.length_name, k),
        {less_equal(p.constant(0), before), less_equal(p.constant(0), factor)}, less_equal(p.constant(0), before * factor));
  }
}

void Claims::partition() {
  ExprPool& p = pool();
  if (terms_.empty()) return;
  std::vector<Expr> hypotheses, begin, end;
  Expr running = p.constant(0);
  for (const SegmentPlan& s : space_.segments) {
    Expr length = p.fresh(s.length_name);
    hypotheses.push_back(less_equal(p.constant(0), length));
    begin.push_back(running);
    running = running.is_constant(0) ? length : running + length;
    end.push_back(running);
  }
  Expr w = p.fresh("w");
  auto guard = [&](std::size_t g) { return both(less_equal(begin[g], w), less(w, end[g])); };
  std::vector<Expr> guards;
  for (std::size_t g = 0; g < begin.size(); ++g) guards.push_back(guard(g));
  auto with = [&](std::initializer_list<Expr> more) {
    std::vector<Expr> all = hypotheses;
    all.insert(all.end(), more);
    return all;
  };
  add(ObligationKind::segment_partition, "segment-partition:cover", "each work id below the total belongs to a segment",
      with({less_equal(p.constant(0), w), less(w, running)}), p.any_of(guards));
  add(ObligationKind::segment_partition, "segment-partition:padding",
      "a work id at or above the total belongs to none, so padding runs nothing", with({less_equal(running, w)}),
      negation(p.any_of(guards)));
  for (std::size_t g = 0; g < begin.size(); ++g)
    for (std::size_t h = g + 1; h < begin.size(); ++h)
      add(ObligationKind::segment_partition,
          fmt::format("segment-partition:{}:{}", space_.segments[g].group, space_.segments[h].group),
          fmt::format("no work id belongs to both {} and {}", space_.segments[g].group, space_.segments[h].group),
          with({guards[g]}), negation(guards[h]));
  add(ObligationKind::launch_extent, "launch-extent:grid",
      fmt::format("{} blocks of {} programs hold all work ids", space_.grid_name, space_.pack), hypotheses,
      less_equal(running, ceildiv(running, p.constant(space_.pack)) * space_.pack));
}

void Claims::bijection(std::size_t g) {
  ExprPool& p = pool();
  const SegmentPlan& s = space_.segments[g];
  const SegmentTerms& t = terms_[g];
  Expr w = p.fresh("w");
  std::vector<Expr> in_segment = t.facts;
  in_segment.push_back(less_equal(t.offset, w));
  in_segment.push_back(less(w, t.offset + t.length));
  std::vector<Expr> at = decode(t.lo, t.extent, w - t.offset);
  for (std::size_t k = 0; k < at.size(); ++k) {
    Expr from_lo = t.lo[k].is_constant(0) ? at[k] : at[k] - t.lo[k];
    add(ObligationKind::decode_bijection, fmt::format("decode-bijection:{}:range:{}", s.group, s.axes[k]),
        fmt::format("axis {} decoded from a work id of {} is inside its range", s.axes[k], s.group), in_segment,
        both(less_equal(p.constant(0), from_lo), less(from_lo, t.extent[k])));
  }
  round_trip(g, w, in_segment, at);
  std::vector<Expr> member = t.facts;
  member.insert(member.end(), t.member.begin(), t.member.end());
  Expr number = flatten(t.lo, t.extent, t.axis, p);
  std::vector<Expr> back = decode(t.lo, t.extent, number);
  for (std::size_t k = 0; k < back.size(); ++k)
    add(ObligationKind::decode_bijection, fmt::format("decode-bijection:{}:decode-flatten:{}", s.group, s.axes[k]),
        fmt::format("decoding the work id of a member of {} gives back its axis {}", s.group, s.axes[k]), member,
        equal(back[k], t.axis[k]));
}

// flatten(decode(w)) == w. With more than two axes the digits are taken one at a time: with P the product of the extents
// below, (z div P) mod e is z div P less e times z div (e P), and the sum of the digits times their P telescopes to z.
void Claims::round_trip(std::size_t g, Expr w, const std::vector<Expr>& in_segment, const std::vector<Expr>& at) {
  ExprPool& p = pool();
  const SegmentPlan& s = space_.segments[g];
  const SegmentTerms& t = terms_[g];
  const std::string key = fmt::format("decode-bijection:{}:flatten-decode", s.group);
  if (t.extent.size() <= 2) {
    add(ObligationKind::decode_bijection, key,
        fmt::format("flattening the decoded coordinates gives back the work id of {}", s.group), in_segment,
        equal(t.offset + flatten(t.lo, t.extent, at, p), w));
    return;
  }
  const std::size_t n = t.extent.size();
  std::vector<Expr> below(n + 1, p.constant(1)), quotient;
  for (std::size_t k = 0; k < n; ++k) below[k] = product(std::span(t.extent).subspan(k), p);
  for (std::size_t k = 0; k <= n; ++k) quotient.push_back(p.fresh(fmt::format("q{}", k)));
  Expr sum = quotient[1] * below[1];
  for (std::size_t k = 1; k < n; ++k) {
    Expr z = p.fresh("z"), e = p.fresh(fmt::format("extent_{}", s.axes[k])), step = p.fresh("below");
    add(ObligationKind::decode_bijection, fmt::format("{}:digit:{}", key, s.axes[k]),
        fmt::format("the digit of axis {} of {} is what dividing by its extent leaves", s.axes[k], s.group),
        {less_equal(p.constant(0), z), less(p.constant(0), e), less(p.constant(0), step)},
        equal(floordiv(floordiv(z, step), e), floordiv(z, e * step)));
    Expr digit = quotient[k + 1] - t.extent[k] * quotient[k];
    sum = sum + (k + 1 < n ? digit * below[k + 1] : digit);
  }
  add(ObligationKind::decode_bijection, key,
      fmt::format("the digits of a work id of {} times their weights add up to it", s.group), t.facts, equal(sum, quotient[n]));
}

void Claims::enter_group(std::size_t group, const GroupPlan& plan, std::span<const ValueId> args) {
  ExprPool& p = pool();
  group_ = group;
  const SegmentTerms& t = terms_[group];
  group_hypotheses_ = t.facts;
  group_hypotheses_.insert(group_hypotheses_.end(), t.member.begin(), t.member.end());
  for (std::size_t k = 0; k < args.size(); ++k) {
    for (ValueId arg : plan.workset.axes[k].args) spec_[arg] = t.axis[k];
    Expr decoded = p.fresh(fmt::format("decoded_{}", space_.segments[group].axes[k]));
    phys_[args[k]] = decoded;
    group_hypotheses_.push_back(equal(decoded, t.axis[k]));
  }
}

Expr Claims::spec(ValueId kir, Sort sort) {
  auto it = spec_.find(kir);
  if (it != spec_.end() && it->second.sort() == sort) return it->second;
  return spec_[kir] = pool().fresh(facts_.name(kir), sort);
}

Expr Claims::phys(ValueId physical, Sort sort) {
  auto it = phys_.find(physical);
  if (it != phys_.end() && it->second.sort() == sort) return it->second;
  return phys_[physical] = pool().fresh(fmt::format("v{}", physical.index), sort);
}

void Claims::define(ValueId physical, Expr value) {
  phys_[physical] = pool().import(value, [&](Expr l) { return l.is(ExprKind::value) ? phys(l.value(), l.sort()) : Expr(); });
}

void Claims::define_spec(ValueId kir, Expr value) { spec_[kir] = spec(value); }

Expr Claims::spec(Expr kir) {
  return pool().import(kir, [&](Expr l) { return l.is(ExprKind::value) ? spec(l.value(), l.sort()) : Expr(); });
}

void Claims::share(ValueId kir, ValueId physical, Sort sort) {
  spec_[kir] = phys_[physical] = pool().fresh(facts_.name(kir), sort);
}

void Claims::access(OpId op, std::string_view verb, std::string_view view, std::span<const Expr> spec_at,
                    std::span<const ValueId> physical_at, ValueId kir_where, ValueId physical_where) {
  ExprPool& p = pool();
  const SegmentPlan& s = space_.segments[group_];
  const std::string place = base_name(facts_.where(op));
  const std::string key = fmt::format("{}:{}:{}", s.group, op.index, serial_++);
  KIR_CHECK(spec_at.size() == physical_at.size(), "an access has one coordinate per axis on both sides");
  std::vector<Expr> equal_axes;
  for (std::size_t d = 0; d < spec_at.size(); ++d) equal_axes.push_back(equal(phys(physical_at[d]), spec_at[d]));
  add(ObligationKind::relation_equal, "relation-equal:" + key,
      fmt::format("{} {} at {}: the physical coordinates, with the decode of {}, are those of the kernel", verb, view, place,
                  s.group),
      group_hypotheses_, p.all_of(equal_axes), op);
  if (kir_where) {
    add(ObligationKind::predicate_subset, "predicate-subset:" + key,
        fmt::format("{} {} at {}: a member is active in the program only where the kernel's predicate holds", verb, view,
                    place),
        group_hypotheses_, implies(phys(physical_where, Sort::boolean), spec(kir_where, Sort::boolean)), op);
  }
  if (verb == "store") {
    const SegmentTerms& t = terms_[group_];
    Expr number = flatten(t.lo, t.extent, t.axis, p);
    std::vector<Expr> found = decode(t.lo, t.extent, number);
    std::vector<Expr> goal = {less_equal(p.constant(0), number), less(number, t.length)};
    for (std::size_t k = 0; k < found.size(); ++k) goal.push_back(equal(found[k], t.axis[k]));
    std::vector<Expr> member = t.facts;
    member.insert(member.end(), t.member.begin(), t.member.end());
    add(ObligationKind::coverage, "coverage:" + key,
        fmt::format("store {} at {}: each member has one work id, {} + {}", view, place, s.offset_name, plain(number)), member,
        p.all_of(goal), op);
  }
}

}  // namespace kir::lowering
