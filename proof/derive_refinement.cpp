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
// R5 with R7 and R8 gives equal final contents by induction over the execution order of an instance; R6 makes instances
// independent. docs/validation.md has the proof.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "proof/derive.h"
#include "proof/match.h"
#include "proof/path.h"
#include "proof/validate.h"

namespace kir::proof {
namespace {

class Refinement {
 public:
  Refinement(const Kernel& kernel, const PhysicalProgram& program, const AliasCase& alias, const DeriveOptions& options,
             TermPool& terms, Ledger& ledger)
      : kernel_(kernel),
        program_(program),
        alias_(alias),
        options_(options),
        terms_(terms),
        pool_(terms.exprs()),
        ledger_(ledger),
        prefix_(kernel.id() + (alias.text.empty() ? "" : "/" + alias.text) + "/refine"),
        note_(alias.text.empty() ? "" : " (" + alias.text + ")") {}

  void run() {
    if (!abi_agrees()) return;
    kir_ = denote(kernel_, alias_, terms_);
    physical_ = denote(program_, kernel_.abi, alias_, terms_);
    restrictions();
    add_claims(physical_.claims, physical_.base, physical_.equations, Side::physical, size_preconditions(kernel_.abi, pool_),
               prefix_, alias_.text, terms_, ledger_);
    layouts();
    segments();
    independence();
    stores();
  }

 private:
  void add(ObligationKind kind, std::string sentence, std::vector<Expr> hypotheses, Expr goal, SourceRange range) {
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

  void preset(ObligationKind kind, Verdict verdict, std::string sentence, std::string reason, SourceRange range) {
    add(kind, std::move(sentence), {}, pool_.boolean(false), range);
    ledger_.obligations.back().preset = Obligation::Preset{verdict, std::move(reason)};
  }

  // R1
  bool abi_agrees() {
    const Abi &k = kernel_.abi, &p = program_.abi;
    bool ok = true;
    auto refuse = [&](std::string reason, SourceRange range) {
      preset(ObligationKind::effect_paired, Verdict::unsupported, "the program's ABI is the kernel's", std::move(reason),
             range);
      ok = false;
    };
    std::vector<Expr> base = launch_preconditions(k, alias_, true, pool_);
    auto shape_equal = [&](const char* what, const std::string& view, Expr a, Expr b, SourceRange range) {
      Expr x = pool_.import(a, {}), y = pool_.import(b, {});
      if (!(x == y))
        add(ObligationKind::precondition_implied, fmt::format("{} of {} is the kernel's", what, view), base, equal(x, y),
            range);
    };
    for (const SymbolInfo& s : p.symbols)
      if (!k.find_symbol(s.name))
        refuse(fmt::format("dims {} is no symbol of the kernel (symbols are matched by name)", s.name), s.range);
    for (const SymbolInfo& s : k.symbols)
      if (!p.find_symbol(s.name)) refuse(fmt::format("the kernel's symbol {} is missing in dims", s.name), {});
    for (const ScalarParam& s : p.scalars) {
      auto it = std::find_if(k.scalars.begin(), k.scalars.end(), [&](const ScalarParam& x) { return x.name == s.name; });
      if (it == k.scalars.end() || it->dtype != s.dtype) refuse(fmt::format("scalar {} is not the kernel's", s.name), s.range);
    }
    for (const ScalarParam& s : k.scalars)
      if (std::none_of(p.scalars.begin(), p.scalars.end(), [&](const ScalarParam& x) { return x.name == s.name; }))
        refuse(fmt::format("the kernel's scalar {} is missing", s.name), {});
    for (const Definition& d : program_.definitions)
      if (k.find_symbol(d.name)) refuse(fmt::format("definition {} hides a symbol of the kernel", d.name), d.range);
    for (const ViewParam& v : k.views)
      if (std::none_of(p.views.begin(), p.views.end(), [&](const ViewParam& x) { return x.name == v.name; }))
        refuse(fmt::format("the kernel's view {} is missing", v.name), {});
    for (const ViewParam& v : p.views) {
      auto it = std::find_if(k.views.begin(), k.views.end(), [&](const ViewParam& x) { return x.name == v.name; });
      if (it == k.views.end()) {
        refuse(fmt::format("view {} is not of the kernel", v.name), v.range);
        continue;
      }
      if (it->dtype != v.dtype || it->rank() != v.rank() || it->access != v.access) {
        refuse(fmt::format("view {} differs from the kernel's in element type, rank or access", v.name), v.range);
        continue;
      }
      for (std::size_t i = 0; i < v.rank(); ++i) {
        shape_equal("the extent", v.name, it->shape[i], v.shape[i], v.range);
        shape_equal("the stride", v.name, it->strides[i], v.strides[i], v.range);
      }
    }
    // Facts on aliasing that the program states are claims: each must be one that the kernel states.
    for (const AliasFact& f : p.aliases) {
      auto is = [&](const AliasFact& g) {
        auto same_pair = (k.views[g.a].name == p.views[f.a].name && k.views[g.b].name == p.views[f.b].name) ||
                         (k.views[g.a].name == p.views[f.b].name && k.views[g.b].name == p.views[f.a].name);
        return same_pair && (g.kind == f.kind || f.kind == AliasKind::may_alias);
      };
      if (std::none_of(k.aliases.begin(), k.aliases.end(), is))
        refuse("the program states an alias fact that the kernel does not", f.range);
    }
    // And a pair that may alias in the kernel must be said to in the program, since its launcher refuses overlap otherwise.
    for (const AliasFact& g : k.aliases) {
      auto is = [&](const AliasFact& f) {
        return (k.views[g.a].name == p.views[f.a].name && k.views[g.b].name == p.views[f.b].name) ||
               (k.views[g.a].name == p.views[f.b].name && k.views[g.b].name == p.views[f.a].name);
      };
      if (std::none_of(p.aliases.begin(), p.aliases.end(), is)) refuse("the program lacks an alias fact of the kernel", {});
    }
    return ok;
  }

  // R2
  void restrictions() {
    std::vector<Expr> base = launch_preconditions(kernel_.abi, alias_, true, pool_);
    auto demand = [&](std::string what, Expr e, SourceRange range) {
      if (options_.allow_restrictions) {
        ledger_.assume("restriction", fmt::format("RESTRICTED: {} (the launcher refuses the rest)", what));
        physical_.base.push_back(e);
        physical_.equations.push_back(e);
      } else {
        add(ObligationKind::precondition_implied, fmt::format("the program's demand `{}` follows from the kernel", what), base,
            e, range);
      }
    };
    for (const SymbolInfo& s : program_.abi.symbols) {
      Expr x = pool_.symbol(s.name);
      if (s.lo && !s.lo.is_constant(INT64_MIN))
        demand(fmt::format("{} >= {}", s.name, to_string(s.lo)), less_equal(pool_.import(s.lo, {}), x), s.range);
      if (s.hi && !s.hi.is_constant(INT64_MAX))
        demand(fmt::format("{} <= {}", s.name, to_string(s.hi)), less_equal(x, pool_.import(s.hi, {})), s.range);
    }
    for (std::size_t i = 0; i < program_.abi.where.size(); ++i) {
      SourceRange range = i < program_.abi.where_ranges.size() ? program_.abi.where_ranges[i] : SourceRange{};
      demand(to_string(program_.abi.where[i]), pool_.import(program_.abi.where[i], {}), range);
    }
    for (const ViewParam& v : program_.abi.views)
      for (const ViewParam& w : kernel_.abi.views) {
        if (v.name != w.name) continue;
        std::int64_t natural = byte_size(v.dtype), want = v.align ? v.align : natural, have = w.align ? w.align : natural;
        if (want <= have) continue;
        if (options_.allow_restrictions)
          ledger_.assume("restriction",
                         fmt::format("RESTRICTED: {} is aligned to {} bytes (the launcher refuses the rest)", v.name, want));
        else
          preset(ObligationKind::alignment, Verdict::unsupported, fmt::format("{} is aligned to {} bytes", v.name, want),
                 fmt::format("the kernel promises {} bytes; --allow-restrictions accepts it", have), v.range);
      }
    ledger_.assume("precondition", "each view spans less than 2^63 bytes (checked by the launcher)");
    ledger_.assume("provider", "a definition above 2^63-1 or a grid above 2^31-1 is refused by the launcher");
  }

  // R9: layouts by exact enumeration
  void layouts() {
    if (program_.launch.threads * program_.launch.pack > 1024 || program_.launch.threads < 1 || program_.launch.pack < 1)
      preset(ObligationKind::resource_limit, Verdict::unsupported, "a block fits the device", "threads * pack is above 1024",
             {});
    for (const NamedLayout& l : program_.layouts) {
      constexpr std::int64_t kMaxPoints = std::int64_t{1} << 20;
      std::string sentence =
          fmt::format("layout @{} gives each element a register of its own in a thread of the program", l.name);
      if (l.layout.size() > kMaxPoints || !l.layout.replica.empty()) {
        preset(ObligationKind::layout_injective, Verdict::unsupported, sentence, "more than 2^20 elements, or replicas", {});
        continue;
      }
      std::map<Layout::Coordinate, std::int64_t> seen;
      std::string fault;
      for (std::int64_t i = 0; i < l.layout.size() && fault.empty(); ++i) {
        Layout::Coordinate at = l.layout.apply(i);
        if (auto t = at.find("tid"); t != at.end() && (t->second < 0 || t->second >= program_.launch.threads))
          fault = fmt::format("element {} is of thread {} of {}", i, t->second, program_.launch.threads);
        auto [it, fresh] = seen.emplace(std::move(at), i);
        if (!fresh) fault = fmt::format("elements {} and {} share one register", it->second, i);
      }
      if (fault.empty())
        add(ObligationKind::layout_injective, sentence, {}, pool_.boolean(true), {});
      else
        preset(ObligationKind::layout_injective, Verdict::refuted, sentence, fault, {});
    }
  }

  // R4
  void segments() {
    Interval ids{physical_.work, pool_.constant(0), pool_.symbol(program_.launch.grid) * program_.launch.pack};
    std::vector<Expr> at = physical_.base;
    at.push_back(less_equal(ids.lo, ids.var));
    at.push_back(less(ids.var, ids.hi));
    auto guard = [&](const DispatchArm& arm) {
      return pool_.import(arm.guard, [&](Expr l) { return l.is(ExprKind::value) ? physical_.work : Expr(); });
    };
    for (std::size_t i = 0; i < program_.arms.size(); ++i) {
      const DispatchArm& arm = program_.arms[i];
      const Group& group = program_.groups[arm.group];
      for (std::size_t j = i + 1; j < program_.arms.size(); ++j)
        add(ObligationKind::segment_partition,
            fmt::format("a program id belongs to at most one of {} and {}", group.name,
                        program_.groups[program_.arms[j].group].name),
            at, negation(both(guard(arm), guard(program_.arms[j]))), program_.arms[j].range);
      for (const Segment& s : program_.segments) {
        if (s.group != group.name) continue;
        Expr inside = both(less_equal(pool_.symbol(s.offset), physical_.work),
                           less(physical_.work, pool_.symbol(s.offset) + pool_.symbol(s.length)));
        add(ObligationKind::segment_partition,
            fmt::format("{} runs exactly for the ids of its segment; padding ids run nothing", group.name), at,
            equal(guard(arm), inside), arm.range);
      }
    }
  }

  // R6
  void independence() {
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
        const std::string& memory = physical_.memories[a.memory].name;
        bool both = a.store && b.store;
        add(both ? ObligationKind::ownership_disjoint : ObligationKind::read_write_independence,
            both ? fmt::format("no element of {} is written by two program instances", memory)
                 : fmt::format("no program instance reads what another writes in {}", memory),
            meet, equal(physical_.work, work), b.range);
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

  static Piece piece_of(const Event& e) {
    Piece p;
    for (const Binder& b : e.binders) p.binders.push_back(b.range);
    p.guards = e.guards;
    p.path = e.path;
    p.body = {e.value};
    p.coordinates = e.coordinates;
    return p;
  }

  // R5, R7, R8
  void stores() {
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
    for (std::size_t m = 0; m < kir_.memories.size(); ++m) {
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
      for (const Pairing& f : *found) pairs.push_back({m, ks[f.kir], ps[f.physical], f.to_kir, ranges[f.physical]});
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
    auto kir_path = [&](const StorePair& p, const TermPool::Substitution& opened) {
      TermPool::Substitution to;
      for (const auto& [k, v] : p.to_kir.exprs) to.exprs.emplace(k, terms_.substitute(v, opened));
      return terms_.substitute(p.kir.path, to);
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
        Expr first = before(pa.path, pb.path, pool_);
        if (first.is_false()) continue;
        h.push_back(first);
        add(ObligationKind::order_kept,
            fmt::format("stores that meet in {} keep the KIR's order", kir_.memories[a.memory].name), h,
            before(kir_path(a, sa), kir_path(b, sb), pool_), b.range);
      }

    // R8
    for (const PendingLoad& l : pending)
      for (const StorePair& s : pairs) {
        if (s.memory != l.memory) continue;
        TermPool::Substitution opened;
        Piece p = open(s.physical, opened);
        std::vector<Expr> h = l.context;
        domain(p, h);
        for (std::size_t k = 0; k < p.coordinates.size() && k < l.coordinates.size(); ++k)
          h.push_back(equal(p.coordinates[k], l.coordinates[k]));
        Expr precedes = before(p.path, l.physical_point, pool_), kir_precedes = before(kir_path(s, opened), l.kir_point, pool_);
        // Across instances nothing meets (R6, and kir-race-free on the other side).
        if (precedes == kir_precedes) continue;
        add(ObligationKind::load_stable,
            fmt::format("{}: the load of {} sees the same stores as in the KIR", l.site.what, kir_.memories[l.memory].name), h,
            equal(precedes, kir_precedes), l.site.range);
      }
  }

  const Kernel& kernel_;
  const PhysicalProgram& program_;
  const AliasCase& alias_;
  const DeriveOptions& options_;
  TermPool& terms_;
  ExprPool& pool_;
  Ledger& ledger_;
  std::string prefix_, note_;
  Denotation kir_;
  PhysicalDenotation physical_;
  std::size_t next_ = 0;
};

}  // namespace

void derive_refinement(const Kernel& kernel, const PhysicalProgram& program, const DeriveOptions& options, Ledger& ledger) {
  TermPool terms(*ledger.pool);
  for (const AliasCase& c : alias_cases(kernel.abi)) Refinement(kernel, program, c, options, terms, ledger).run();
}

}  // namespace kir::proof
