// The refinement obligations of a physical program against its KIR.
//
// For each alias case:
//   R1  the ABIs agree: views, scalars and symbols by name and type, shapes and strides under the KIR's preconditions
//   R2  what the program demands beyond the KIR (dims ranges, where, alignment) follows from the KIR  (precondition-implied)
//   R3  the program's own claims: bounds, overflow, divisors, launch extents, decode ranges, assumes
//   R4  segments: dispatch guards are disjoint and each is exactly its segment's range
//   R5  stores of each memory class are paired with the KIR's (match.h, M8): covered once, same coordinates, same values
//   R6  stores of different program instances never meet (ownership-disjoint); no instance plainly accesses what another
//       writes (read-write-independence); with several threads per program, accesses that meet are of one thread
//       (barrier-separation: there is no barrier in this vocabulary yet)
//   R7  stores that meet inside one instance keep the KIR's order (order-kept)
//   R8  loads of written memory see the same stores as the KIR's loads (load-stable); see M3
//   R9  layouts are injective and stay inside the program's threads; a block fits the device
//   R10 small launches are not refused (resource-limit), no program position reads what was never written or decides by an
//       arbitrary value (initialization, inactive-unused)
// R5 with R7 and R8 gives equal final contents by induction over the execution order of an instance; R6 makes instances
// independent. docs/validation.md has the proof.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "proof/data.h"
#include "proof/match.h"
#include "proof/path.h"
#include "proof/refinement.h"

namespace kir::proof {
namespace {

Piece piece_of(const Event& e) {
  Piece p;
  for (const Binder& b : e.binders) p.binders.push_back(b.range);
  p.guards = e.guards;
  p.path = e.path;
  p.body = {e.value};
  p.coordinates = e.coordinates;
  p.allocation = e.allocation;
  return p;
}

}  // namespace

void Refinement::run() {
  const std::size_t first = ledger_.obligations.size();
  derive();
  std::vector<Fact> facts = kir_.data;
  facts.insert(facts.end(), kir_.assumed.begin(), kir_.assumed.end());
  know_data(first, facts, terms_, ledger_);
}

void Refinement::derive() {
  if (!abi_agrees()) return;
  kir_ = denote(kernel_, alias_, terms_);
  physical_ = denote(program_, kernel_.abi, alias_, terms_);
  restrictions();
  add_claims(physical_.claims, physical_.base, physical_.equations, Side::physical, size_preconditions(kernel_.abi, pool_),
             prefix_, alias_.text, terms_, ledger_);
  initialized_reads(physical_, Side::physical, prefix_, terms_, ledger_);
  decided_uses(physical_, Side::physical, prefix_, terms_, ledger_);
  capacity();
  layouts();
  segments();
  independence();
  stores();
}

void Refinement::add(ObligationKind kind, std::string sentence, std::vector<Expr> hypotheses, Expr goal, SourceRange range) {
  Obligation o;
  o.kind = kind;
  o.key = fmt::format("{}/{}/{}", prefix_, name(kind), next_++);
  o.sentence = std::move(sentence) + note_;
  o.side = Side::physical;
  o.range = range;
  o.hypotheses = std::move(hypotheses);
  o.goal = goal;
  ledger_.add(std::move(o));
}

void Refinement::preset(ObligationKind kind, Verdict verdict, std::string sentence, std::string reason, SourceRange range) {
  add(kind, std::move(sentence), {}, pool_.boolean(false), range);
  ledger_.obligations.back().preset = Obligation::Preset{verdict, std::move(reason)};
}

// R6
void Refinement::independence() {
  const auto& events = physical_.events;
  for (std::size_t i = 0; i < events.size(); ++i)
    for (std::size_t j = i; j < events.size(); ++j) {
      const Event &a = events[i], &b = events[j];
      if (a.memory != b.memory || (!a.store && !b.store)) continue;
      EventCopy other = copy(b, 0, terms_);
      Expr work = other.binders[0].range.var;
      std::vector<Expr> meet = physical_.base;
      append(meet, context(a.binders, a.guards));
      append(meet, context(other.binders, other.guards));
      for (std::size_t k = 0; k < a.coordinates.size(); ++k) meet.push_back(equal(a.coordinates[k], other.coordinates[k]));
      for (std::size_t k = 0; k < std::min(a.allocation.size(), b.allocation.size()); ++k)
        meet.push_back(equal(a.allocation[k], other.allocation[k]));
      const std::string& memory = physical_.memories[a.memory].name;
      bool both = a.store && b.store;
      // A buffer is of one instance: the program id is first among what tells its allocations apart.
      if (a.allocation.empty() || b.allocation.empty())
        add(both ? ObligationKind::ownership_disjoint : ObligationKind::read_write_independence,
            both ? fmt::format("no element of {} is written by two program instances", memory)
                 : fmt::format("no program instance reads what another writes in {}", memory),
            meet, equal(physical_.work, work), b.range);
      if (both && i == j) lanes(a, other, meet);
      if (program_.launch.threads > 1) {
        std::vector<Expr> same = meet;
        same.push_back(equal(physical_.work, work));
        const bool known = a.thread != Expr() && other.thread != Expr();
        Expr goal = known ? equal(a.thread, other.thread) : pool_.boolean(false);
        add(ObligationKind::barrier_separation, fmt::format("accesses to {} that meet are of one thread", memory), same, goal,
            b.range);
      }
    }
}

// The elements of one store are unordered: no two may be one element of the view.
void Refinement::lanes(const Event& a, const EventCopy& other, std::vector<Expr> meet) {
  std::vector<Expr> same;
  for (std::size_t k = 0; k < a.binders.size(); ++k) {
    Expr here = equal(a.binders[k].range.var, other.binders[k].range.var);
    (a.binders[k].kind == BinderKind::lane ? same : meet).push_back(here);
  }
  if (!same.empty())
    add(ObligationKind::ownership_disjoint,
        fmt::format("no element of {} is written by two positions of one store", physical_.memories[a.memory].name),
        std::move(meet), pool_.all_of(same), a.range);
}

// R5, R7, R8
void Refinement::stores() {
  std::vector<Obligation> owed;
  std::vector<PendingLoad> pending;
  Matcher matcher(terms_, owed, pending);
  struct StorePair {
    std::size_t memory;
    Piece kir, physical;
    TermPool::Substitution to_kir;
    SourceRange range;
  };
  std::vector<StorePair> pairs;
  // Buffers are paired in order; what is told by its stores needs no partner, and a wrong pair proves nothing.
  auto paired = [&](std::size_t m) {
    if (m >= std::min(kir_.memories.size(), physical_.memories.size())) return false;
    const MemoryClass &k = kir_.memories[m], &p = physical_.memories[m];
    return !k.is_buffer() || (!k.told && !p.told && k.dtype == p.dtype);
  };
  for (std::size_t m = 0; m < kir_.memories.size(); ++m) {
    if (!paired(m)) continue;
    std::vector<Piece> ks, ps;
    std::vector<SourceRange> ranges;
    for (const Event& e : kir_.events)
      if (e.store && e.memory == m) ks.push_back(piece_of(e));
    for (const Event& e : physical_.events)
      if (e.store && e.memory == m) {
        ps.push_back(piece_of(e));
        ranges.push_back(e.range);
      }
    if (ks.empty() && ps.empty()) continue;
    MatchSite site{fmt::format("store to {}{}", kir_.memories[m].name, note_),
                   fmt::format("{}/store/{}", prefix_, kir_.memories[m].name), ranges.empty() ? SourceRange{} : ranges[0]};
    auto found = matcher.match_pieces(ks, ps, physical_.base, true, site, Matcher::Remainder::unreachable);
    if (!found) {
      std::string reason = matcher.why().empty() ? "no store of the program matches a store of the KIR" : matcher.why();
      preset(ObligationKind::value_equal, Verdict::unsupported,
             fmt::format("the values stored to {} are the KIR's", kir_.memories[m].name), std::move(reason), site.range);
      continue;
    }
    for (const Pairing& f : *found) {
      matcher.learn(ks[f.kir], f);
      pairs.push_back({m, ks[f.kir], ps[f.physical], f.to_kir, ranges[f.physical]});
    }
  }
  for (Obligation& o : owed) ledger_.add(std::move(o));

  auto open = [&](const Piece& p, TermPool::Substitution& s) {
    Piece out = p;
    for (Interval& b : out.binders) {
      Expr v = pool_.fresh(b.var.name() + "'");
      b.lo = terms_.substitute(b.lo, s);
      b.hi = terms_.substitute(b.hi, s);
      s.exprs.emplace(b.var.node(), v);
      b.var = v;
    }
    for (Expr& g : out.guards) g = terms_.substitute(g, s);
    for (Expr& c : out.coordinates) c = terms_.substitute(c, s);
    for (Expr& a : out.allocation) a = terms_.substitute(a, s);
    out.path = terms_.substitute(out.path, s);
    return out;
  };
  auto domain = [&](const Piece& p, std::vector<Expr>& to) {
    for (const Interval& b : p.binders) {
      to.push_back(less_equal(b.lo, b.var));
      to.push_back(less(b.var, b.hi));
    }
    append(to, p.guards);
  };
  auto to_kir = [&](const StorePair& p, const TermPool::Substitution& opened) {
    TermPool::Substitution to;
    for (const auto& [k, v] : p.to_kir.exprs) to.exprs.emplace(k, terms_.substitute(v, opened));
    return to;
  };
  auto kir_path = [&](const StorePair& p, const TermPool::Substitution& opened) {
    return terms_.substitute(p.kir.path, to_kir(p, opened));
  };
  auto kir_allocation = [&](const StorePair& p, const TermPool::Substitution& opened) {
    const TermPool::Substitution to = to_kir(p, opened);
    std::vector<Expr> out = p.kir.allocation;
    for (Expr& a : out) a = terms_.substitute(a, to);
    return out;
  };
  auto one_allocation = [&](std::span<const Expr> a, std::span<const Expr> b) {
    std::vector<Expr> same;
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
      if (!(a[k] == b[k])) same.push_back(equal(a[k], b[k]));
    return pool_.all_of(same);
  };
  // Two accesses of a buffer are of one allocation exactly when the KIR's are. `h`: both happen.
  auto allocations_agree = [&](std::size_t memory, const std::vector<Expr>& h, Expr physical, Expr kir, SourceRange range) {
    if (!(physical == kir))
      add(ObligationKind::relation_equal,
          fmt::format("accesses of {} are of one allocation exactly when the KIR's are", kir_.memories[memory].name), h,
          equal(physical, kir), range);
  };

  // R7
  for (const StorePair& a : pairs)
    for (const StorePair& b : pairs) {
      if (a.memory != b.memory) continue;
      TermPool::Substitution sa, sb;
      Piece pa = open(a.physical, sa), pb = open(b.physical, sb);
      std::vector<Expr> h = physical_.base;
      domain(pa, h);
      domain(pb, h);
      for (std::size_t k = 0; k < pa.coordinates.size(); ++k) h.push_back(equal(pa.coordinates[k], pb.coordinates[k]));
      if (kir_.memories[a.memory].is_buffer()) {
        Expr meet = one_allocation(pa.allocation, pb.allocation);
        allocations_agree(a.memory, h, meet, one_allocation(kir_allocation(a, sa), kir_allocation(b, sb)), b.range);
        h.push_back(meet);
      }
      Expr first = before(pa.path, pb.path, pool_);
      if (first.is_false()) continue;
      h.push_back(first);
      add(ObligationKind::order_kept, fmt::format("stores that meet in {} keep the KIR's order", kir_.memories[a.memory].name),
          h, before(kir_path(a, sa), kir_path(b, sb), pool_), b.range);
    }

  // R8
  for (const PendingLoad& l : pending) {
    if (!paired(l.memory))
      preset(ObligationKind::load_stable, Verdict::unsupported, fmt::format("{}: the load is of the KIR's memory", l.site.what),
             "no rule pairs these buffers", l.site.range);
    for (const StorePair& s : pairs) {
      if (s.memory != l.memory) continue;
      TermPool::Substitution opened;
      Piece p = open(s.physical, opened);
      std::vector<Expr> h = l.context;
      domain(p, h);
      for (std::size_t k = 0; k < p.coordinates.size() && k < l.coordinates.size(); ++k)
        h.push_back(equal(p.coordinates[k], l.coordinates[k]));
      if (kir_.memories[l.memory].is_buffer()) {
        Expr meet = one_allocation(p.allocation, l.physical_allocation);
        allocations_agree(l.memory, h, meet, one_allocation(kir_allocation(s, opened), l.kir_allocation), l.site.range);
        h.push_back(meet);
      }
      Expr precedes = before(p.path, l.physical_point, pool_), kir_precedes = before(kir_path(s, opened), l.kir_point, pool_);
      // Across instances nothing meets (R6, and kir-race-free on the other side).
      if (precedes == kir_precedes) continue;
      add(ObligationKind::load_stable,
          fmt::format("{}: the load of {} sees the same stores as in the KIR", l.site.what, kir_.memories[l.memory].name), h,
          equal(precedes, kir_precedes), l.site.range);
    }
  }
}

void derive_refinement(const Kernel& kernel, const PhysicalProgram& program, const DeriveOptions& options, Ledger& ledger) {
  TermPool terms(*ledger.pool);
  for (const AliasCase& c : alias_cases(kernel.abi)) Refinement(kernel, program, c, options, terms, ledger).run();
}

}  // namespace kir::proof
