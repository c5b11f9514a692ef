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
//   R11 each `while` runs as long as one of the KIR, at a point that the KIR reaches (loop-matched)
//   R12 atomics are paired like stores, each kind for itself; what one finds is what its partner finds (load-stable); those
//       that the KIR orders are of one instance and in that order (order-kept); the scope holds all that meet (atomic-scope)
//   R10 small launches are not refused (resource-limit), no program position reads what was never written or decides by an
//       arbitrary value (initialization, inactive-unused)
// R5 with R7 and R8 gives equal final contents by induction over the execution order of an instance; R6 makes instances
// independent. docs/validation.md has the proof.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/ir/op_table.h"
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
  for (Term t : {e.store ? e.value : nullptr, e.expected})
    if (t) p.body.push_back(t);
  p.coordinates = e.coordinates;
  p.allocation = e.allocation;
  return p;
}

// The bindings under which the path of an event is the point.
bool is_point_of(const Path& event, const Path& point, TermPool::Substitution& bindings) {
  if (event.size() != point.size()) return false;
  for (std::size_t i = 0; i < event.size(); ++i) {
    const bool is_static = event[i].binder == Expr();
    if (is_static != (point[i].binder == Expr()) || (is_static && event[i].position != point[i].position)) return false;
    if (!is_static) bindings.exprs.emplace(event[i].binder.node(), point[i].binder);
  }
  return true;
}

// What must hold for two points to be one; nothing when they are of different places.
std::optional<std::vector<Expr>> same_point(const Path& a, const Path& b) {
  std::vector<Expr> out;
  if (a.size() != b.size()) return std::nullopt;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_static = a[i].binder == Expr();
    if (is_static != (b[i].binder == Expr()) || (is_static && a[i].position != b[i].position)) return std::nullopt;
    if (!is_static && !(a[i].binder == b[i].binder)) out.push_back(equal(a[i].binder, b[i].binder));
  }
  return out;
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
  for (const Event& e : events)
    if (!e.atomic.empty() && e.sharing == Sharing::system && e.scope != AtomicScope::system)
      preset(ObligationKind::atomic_scope, Verdict::unsupported,
             fmt::format("atomics of {} reach all that share it", physical_.memories[e.memory].name),
             fmt::format("scope({}) for an atomic that the system shares", name(e.scope)), e.range);
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
      if (!a.atomic.empty() && !b.atomic.empty()) {
        atomic_scope(a, b, work, std::move(meet));
        continue;
      }
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

// Atomics that meet are one step for each other: in the scope that the program names lie all that meet.
void Refinement::atomic_scope(const Event& a, const Event& b, Expr other, std::vector<Expr> meet) {
  if (std::min(a.scope, b.scope) != AtomicScope::cta) return;
  auto block = [&](Expr w) { return program_.launch.pack == 1 ? w : floordiv(w, pool_.constant(program_.launch.pack)); };
  add(ObligationKind::atomic_scope, fmt::format("atomics of {} that meet are of one block", physical_.memories[a.memory].name),
      std::move(meet), equal(block(physical_.work), block(other)), b.range);
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
    std::string atomic;
    bool writes, ordered;
  };
  std::vector<StorePair> pairs;
  // Buffers are paired in order; what is told by its stores needs no partner, and a wrong pair proves nothing.
  auto paired = [&](std::size_t m) {
    if (m >= std::min(kir_.memories.size(), physical_.memories.size())) return false;
    const MemoryClass &k = kir_.memories[m], &p = physical_.memories[m];
    return !k.is_buffer() || (!k.told && !p.told && k.dtype == p.dtype);
  };
  // Stores, and each kind of atomic, for themselves.
  std::set<std::pair<std::size_t, std::string>> kinds;
  for (const auto* events : {&kir_.events, &physical_.events})
    for (const Event& e : *events)
      if (paired(e.memory) && (e.store || !e.atomic.empty())) kinds.emplace(e.memory, e.atomic);
  struct Kind {
    std::size_t memory;
    std::vector<Piece> kir, physical;
    std::vector<const Event*> from;
    MatchSite site;
    std::optional<std::vector<Pairing>> found;
  };
  std::vector<Kind> all;
  for (const auto& [m, atomic] : kinds) {
    Kind kind{.memory = m};
    auto is = [&](const Event& e) { return e.memory == m && e.atomic == atomic && (e.store || !e.atomic.empty()); };
    for (const Event& e : kir_.events)
      if (is(e)) kind.kir.push_back(piece_of(e));
    for (const Event& e : physical_.events)
      if (is(e)) {
        kind.physical.push_back(piece_of(e));
        kind.from.push_back(&e);
      }
    const std::string what = atomic.empty() ? "store to" : atomic.substr(0, atomic.find(' ')) + " of";
    const std::string& memory = kir_.memories[m].name;
    kind.site = {fmt::format("{} {}{}", what, memory, note_),
                 fmt::format("{}/{}/{}", prefix_, atomic.empty() ? "store" : atomic, memory),
                 kind.from.empty() ? SourceRange{} : kind.from[0]->range};
    all.push_back(std::move(kind));
  }
  auto pair = [&](Kind& kind, Matcher::Remainder remainder) {
    kind.found = matcher.match_pieces(kind.kir, kind.physical, physical_.base, true, kind.site, remainder);
    return kind.found.has_value();
  };
  // What tells its points first: others take up what it found.
  for (Kind& kind : all) matcher.attempt([&] { return pair(kind, Matcher::Remainder::refused); });
  for (Kind& kind : all) {
    if (!kind.found && !pair(kind, Matcher::Remainder::unreachable)) {
      std::string reason = matcher.why().empty() ? "no store of the program matches a store of the KIR" : matcher.why();
      preset(ObligationKind::value_equal, Verdict::unsupported,
             fmt::format("the values stored to {} are the KIR's", kir_.memories[kind.memory].name), std::move(reason),
             kind.site.range);
      continue;
    }
    for (const Pairing& f : *kind.found) {
      const Event& e = *kind.from[f.physical];
      pairs.push_back(
          {kind.memory, kind.kir[f.kir], kind.physical[f.physical], f.to_kir, e.range, e.atomic, e.store, e.ordered});
    }
  }
  termination(matcher);
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

  // R7. Two loads of an element whose contents nothing changes have no order.
  auto changes = [&](std::size_t memory) {
    return std::ranges::any_of(kir_.events, [&](const Event& e) {
      return e.memory == memory && (e.store || (!e.atomic.empty() && e.sharing == Sharing::system));
    });
  };
  for (const StorePair& a : pairs)
    for (const StorePair& b : pairs) {
      const bool ordered = a.ordered || b.ordered, atomic = !a.atomic.empty() || !b.atomic.empty();
      if (!ordered && (a.memory != b.memory || !changes(a.memory))) continue;
      TermPool::Substitution sa, sb;
      Piece pa = open(a.physical, sa), pb = open(b.physical, sb);
      std::vector<Expr> h = physical_.base;
      domain(pa, h);
      domain(pb, h);
      if (!ordered) {
        for (std::size_t k = 0; k < pa.coordinates.size(); ++k) h.push_back(equal(pa.coordinates[k], pb.coordinates[k]));
        if (kir_.memories[a.memory].is_buffer()) {
          Expr meet = one_allocation(pa.allocation, pb.allocation);
          allocations_agree(a.memory, h, meet, one_allocation(kir_allocation(a, sa), kir_allocation(b, sb)), b.range);
          h.push_back(meet);
        }
      }
      // Of atomics, what the KIR orders is of one instance and in that order.
      const Expr kept = before(pa.path, pb.path, pool_), meant = before(kir_path(a, sa), kir_path(b, sb), pool_);
      h.push_back(atomic ? meant : kept);
      if (h.back().is_false()) continue;
      const std::string& memory = kir_.memories[a.memory].name;
      add(ObligationKind::order_kept,
          atomic ? fmt::format("an atomic of {} comes before or after what the KIR says", memory)
                 : fmt::format("stores that meet in {} keep the KIR's order", memory),
          h, atomic ? kept : meant, b.range);
    }

  // R8
  for (const PendingLoad& l : pending) {
    if (!paired(l.memory))
      preset(ObligationKind::load_stable, Verdict::unsupported, fmt::format("{}: the load is of the KIR's memory", l.site.what),
             "no rule pairs these buffers", l.site.range);
    for (const StorePair& s : pairs) {
      if (!l.atomic.empty() || s.memory != l.memory || !s.writes) continue;
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

  // What another agent publishes is seen by plain loads behind an acquire: nothing here says where those stand.
  auto published = [&](const Event& e) { return e.ordered && e.sharing == Sharing::system; };
  auto reads_shared = [&](const Event& e) {
    const std::vector<std::size_t>& views = kir_.memories[e.memory].views;
    return !e.store && e.atomic.empty() &&
           std::any_of(views.begin(), views.end(), [&](std::size_t v) { return kernel_.abi.views[v].access != Access::in; });
  };
  if (std::any_of(kir_.events.begin(), kir_.events.end(), published) &&
      std::any_of(kir_.events.begin(), kir_.events.end(), reads_shared))
    preset(ObligationKind::order_kept, Verdict::unsupported, "loads stay behind what acquires for them",
           "an atomic that the system shares acquires or releases, and a view that is written is loaded", {});

  // R12
  for (const PendingLoad& l : pending) {
    if (l.atomic.empty()) continue;
    std::vector<Expr> ways;
    for (const StorePair& s : pairs) {
      if (s.memory != l.memory || s.atomic != l.atomic) continue;
      TermPool::Substitution here;
      if (!is_point_of(s.physical.path, l.physical_point, here)) continue;
      if (auto same = same_point(kir_path(s, here), l.kir_point)) ways.push_back(pool_.all_of(*same));
    }
    add(ObligationKind::load_stable,
        fmt::format("{}: what the atomic of {} finds is what its partner finds", l.site.what, kir_.memories[l.memory].name),
        l.context, pool_.any_of(ways), l.site.range);
  }
}

// R11
void Refinement::termination(Matcher& matcher) {
  auto piece = [](const EndlessLoop& l) {
    Piece p;
    for (const Binder& b : l.binders) p.binders.push_back(b.range);
    p.guards = l.guards;
    p.body = {l.running};
    return p;
  };
  std::vector<Piece> loops;
  for (const EndlessLoop& l : kir_.endless) loops.push_back(piece(l));
  for (const EndlessLoop& l : physical_.endless) {
    MatchSite site{"the end of a while", fmt::format("{}/end/{}", prefix_, next_), l.range};
    if (!matcher.match_pieces(loops, {piece(l)}, physical_.base, true, site, Matcher::Remainder::repeated))
      preset(ObligationKind::loop_matched, Verdict::unsupported, "the while ends because one of the KIR does",
             matcher.why().empty() ? "the KIR has no such loop" : matcher.why(), l.range);
  }
}

void derive_refinement(const Kernel& kernel, const PhysicalProgram& program, const DeriveOptions& options, Ledger& ledger) {
  TermPool terms(*ledger.pool);
  for (const AliasCase& c : alias_cases(kernel.abi)) Refinement(kernel, program, c, options, terms, ledger).run();
}

}  // namespace kir::proof
