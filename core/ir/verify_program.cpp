// The structural rules of physical programs, beside those of verify.cpp that speak of both vocabularies (V-01 to V-07 of the
// ABI, V-08 to V-34 of the body, read with the physical types).
//
//   W-01  threads and pack lie in 1..=1024, so does their product; pack is 1 unless threads is 1.
//   W-02  Definitions have distinct names that are no symbols; each is an integer over symbols and earlier definitions.
//   W-03  Every group has one segment and every segment a group with as many coordinates; length, offset and grid are
//         definitions, lengths and offsets in the order of the segments, the grid last; bounds are launch-visible.
//   W-04  A dispatch arm has a truth value as guard and one integer for each coordinate of its group, over launch-visible
//         integers and the work id.
//   W-05  The work id is the last argument of the root region, of type i64 or i32; the root region has no operations.
//   W-06  Groups have distinct names; their arguments have type i64 or i32 and launch-visible bounds.
//   W-07  Layouts have distinct names; their positions lie on the axes m and tid, with 0 <= tid < threads.
//   W-08  A fragment has positive constant extents, at most 2^30 elements, and a known layout of just its size.
//   W-09  Fragments inside an integer expression have the result's shape and layout; pos(k) names an axis of the result.
//   W-10  splat makes a fragment of a scalar of its element type.
//   W-11  tile_reduce: a fragment, ascending axes, a combine, identity and initial value of its element type; the result has
//         the remaining axes without layout, or is a scalar.
//   W-12  vec is 1, 2, 4, 8 or 16.
//   W-13  A buffer inside a loop has the scope iteration, another one private; its capacity is launch-visible and may be left
//         out where its extents are.
//   W-14  A scan has a region for the result of each member, which takes its coordinates and states; only the final states are
//         results. The region of a region_scan that emits hands nothing on, and only the final state is a result.
//   W-15  A buffer of the workspace has a name of its own and launch-visible extents, and is a view among the root region's
//         arguments, before the work id.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/ir/verify.h"
#include "core/ir/verify_body.h"
#include "core/pir/program.h"
#include "core/text/words.h"

namespace kir {
namespace {

class ProgramVerifier {
 public:
  ProgramVerifier(const PhysicalProgram& p, Diagnostics& diagnostics) : p_(p), diagnostics_(diagnostics) {}

  bool run() {
    std::size_t before = diagnostics_.error_count();
    if (!is_valid_name(p_.name)) error("V-01", {}, fmt::format("'{}' is no name for a program", p_.name));
    if (p_.implements.find_first_of("\"\n") != std::string::npos)
      error("V-01", {}, "what the program implements is named without quotes and line ends");
    verify_abi(p_.abi, {}, {}, diagnostics_);
    launch();
    layouts();
    VerifyContext context{.body = &p_.body,
                          .abi = &p_.abi,
                          .physical = true,
                          .symbols = {},
                          .layouts = &p_.layouts,
                          .workspace = p_.workspace,
                          .whole = {}};
    for (const SymbolInfo& s : p_.abi.symbols) context.symbols.insert(s.name);
    BodyVerifier body(context, diagnostics_);
    if (!body.container()) return false;
    definitions(body, context);
    segments(body);
    if (!work_id() || !workspace(body, context)) return false;
    for (ValueId v : p_.body.region(p_.root).args) {
      body.type(p_.body.type(v), p_.body.value(v).range);
      body.show(v);
    }
    arms(body);
    body.hide(p_.work);
    groups(body);
    return diagnostics_.error_count() == before;
  }

 private:
  void launch() {
    const LaunchShape& l = p_.launch;
    bool fits = l.threads >= 1 && l.threads <= 1024 && l.pack >= 1 && l.pack <= 1024 && l.threads * l.pack <= 1024;
    if (!fits)
      error("W-01", {}, fmt::format("threads {} and pack {} are not 1 to 1024 threads in a block", l.threads, l.pack));
    else if (l.threads > 1 && l.pack != 1)
      error("W-01", {}, "a program instance of several threads is a block: pack is 1");
  }

  void layouts() {
    const layout::Axis thread = *layout::Axis::find("tid");
    std::set<std::string> seen;
    for (const NamedLayout& l : p_.layouts) {
      if (!text::is_identifier(l.name) || !seen.insert(l.name).second)
        error("W-07", {}, fmt::format("'@{}' is no name for a layout, or one used twice", l.name));
      for (const layout::Axis a : l.layout.axes())
        if (a != layout::Axis::memory() && a != thread)
          error("W-07", {}, fmt::format("layout '@{}' has an axis beside m and tid: {}", l.name, a.name()));
      if (const std::vector<std::string> symbols = l.layout.symbols(); !symbols.empty()) {
        error("W-07", {},
              fmt::format("layout '@{}' has the symbol {}: the layouts of a program are numbers", l.name, symbols[0]));
        continue;
      }
      const layout::TileLayout::Reach threads = l.layout.reach(thread);
      if (threads.low < 0 || threads.high >= p_.launch.threads)
        error("W-07", {},
              fmt::format("layout '@{}' reaches threads {}..={} of {}", l.name, threads.low, threads.high, p_.launch.threads));
    }
  }

  void definitions(BodyVerifier& body, VerifyContext& context) {
    for (const Definition& d : p_.definitions) {
      if (!is_valid_name(d.name)) error("W-02", d.range, fmt::format("'{}' is no name for a definition", d.name));
      body.expression(d.value, Sort::integer, false, d.range, "W-02");
      bool fresh = context.symbols.insert(d.name) && !p_.abi.find_symbol(d.name);
      auto same = [&](const auto& param) { return param.name == d.name; };
      fresh = fresh && std::none_of(p_.abi.views.begin(), p_.abi.views.end(), same);
      if (!fresh) error("W-02", d.range, fmt::format("the name '{}' is used twice", d.name));
    }
  }

  void segments(BodyVerifier& body) {
    std::vector<std::string> order;
    for (const Segment& s : p_.segments) {
      order.push_back(s.length);
      order.push_back(s.offset);
      if (s.lo.size() != s.axes.size() || s.hi.size() != s.axes.size()) {
        error("W-03", s.range, "a segment has one range for each axis");
        continue;
      }
      for (const std::string& a : s.axes)
        if (!text::is_identifier(a)) error("W-03", s.range, fmt::format("'{}' is no name for an axis", a));
      if (std::set<std::string>(s.axes.begin(), s.axes.end()).size() != s.axes.size())
        error("W-03", s.range, "two axes have one name");
      for (std::size_t i = 0; i < s.lo.size(); ++i) {
        body.expression(s.lo[i], Sort::integer, false, s.range, "W-03");
        body.expression(s.hi[i], Sort::integer, false, s.range, "W-03");
      }
      auto group = std::find_if(p_.groups.begin(), p_.groups.end(), [&](const Group& g) { return g.name == s.group; });
      if (group == p_.groups.end())
        error("W-03", s.range, fmt::format("there is no group '{}'", s.group));
      else if (group->lo.size() != s.axes.size())
        error("W-03", s.range,
              fmt::format("the segment has {} axes, its group {} coordinates", s.axes.size(), group->lo.size()));
    }
    for (const Group& g : p_.groups) {
      auto mine = std::count_if(p_.segments.begin(), p_.segments.end(), [&](const Segment& s) { return s.group == g.name; });
      if (mine != 1) error("W-03", g.range, fmt::format("the group '{}' has {} segments instead of 1", g.name, mine));
    }
    order.push_back(p_.launch.grid);
    bool fits = order.size() == p_.definitions.size();
    for (std::size_t i = 0; fits && i < order.size(); ++i) fits = p_.definitions[i].name == order[i];
    if (!fits) error("W-03", {}, "the definitions are not the lengths and offsets of the segments in order, then the grid");
  }

  bool work_id() {
    if (!verify_root_arguments(p_.abi, p_.body, p_.root, p_.workspace.size() + 1, {}, diagnostics_)) return false;
    const Region& root = p_.body.region(p_.root);
    if (root.args.empty() || root.args.back() != p_.work) {
      error("W-05", {}, "the work id is not the last argument of the root region");
      return false;
    }
    const Type& t = p_.body.type(p_.work);
    if (!t.is_scalar(DType::i64) && !t.is_scalar(DType::i32))
      error("W-05", p_.body.value(p_.work).range, "the work id is i64 or i32");
    if (!root.ops.empty()) error("W-05", {}, "the root region of a physical program has no operations");
    return true;
  }

  // Without it the arguments between the ABI and the work id mean nothing.
  bool workspace(BodyVerifier& body, const VerifyContext& context) {
    std::set<std::string_view> names;
    const std::vector<ValueId>& args = p_.body.region(p_.root).args;
    const std::size_t first = args.size() - 1 - p_.workspace.size();
    for (std::size_t k = 0; k < p_.workspace.size(); ++k) {
      const ValueId v = p_.workspace[k];
      if (args[first + k] != v || !p_.body.type(v).is(TypeKind::view)) {
        error("W-15", {}, fmt::format("argument {} of the root region is no buffer of the workspace", first + k));
        return false;
      }
      const Value& buffer = p_.body.value(v);
      auto same = [&](const auto& param) { return param.name == buffer.name; };
      if (!is_valid_name(buffer.name))
        error("W-15", buffer.range, fmt::format("'{}' is no name for a buffer", buffer.name));
      else if (context.symbols.contains(buffer.name) || !names.insert(buffer.name).second ||
               std::ranges::any_of(p_.abi.views, same) || std::ranges::any_of(p_.abi.scalars, same))
        error("W-15", buffer.range, fmt::format("the name '{}' is used twice", buffer.name));
      for (Expr e : buffer.type.shape) body.expression(e, Sort::integer, false, buffer.range, "W-15");
    }
    return true;
  }

  void arms(BodyVerifier& body) {
    auto leaves_fit = [&](Expr e, SourceRange range) {
      if (e == Expr()) return;
      for (Expr leaf : leaves(e))
        if ((leaf.is(ExprKind::value) && leaf.value() != p_.work) || leaf.is(ExprKind::position))
          return error("W-04", range, "the dispatch reads only launch-visible integers and the work id");
    };
    for (const DispatchArm& a : p_.arms) {
      if (a.group >= p_.groups.size()) {
        error("W-04", a.range, "an arm leads to no group");
        continue;
      }
      body.expression(a.guard, Sort::boolean, true, a.range, "W-04");
      leaves_fit(a.guard, a.range);
      if (a.coordinates.size() != p_.groups[a.group].lo.size())
        error("W-04", a.range,
              fmt::format("{} coordinates for a group with {}", a.coordinates.size(), p_.groups[a.group].lo.size()));
      for (Expr c : a.coordinates) {
        body.expression(c, Sort::integer, true, a.range, "W-04");
        leaves_fit(c, a.range);
      }
    }
  }

  void groups(BodyVerifier& body) {
    std::set<std::string> names;
    std::set<std::uint32_t> regions{p_.root.index};
    for (const Group& g : p_.groups) {
      if (!is_valid_name(g.name) || !names.insert(g.name).second)
        error("W-06", g.range, fmt::format("'{}' is no name for a group, or one used twice", g.name));
      if (!g.region || g.region.index >= p_.body.region_count() || p_.body.region(g.region).parent ||
          !regions.insert(g.region.index).second) {
        error("W-06", g.range, fmt::format("the group '{}' has no root region of its own", g.name));
        continue;
      }
      const std::vector<ValueId>& args = p_.body.region(g.region).args;
      if (args.size() != g.lo.size() || args.size() != g.hi.size()) {
        error("W-06", g.range, "a group has one range for each coordinate");
        continue;
      }
      for (std::size_t i = 0; i < args.size(); ++i) {
        const Type& t = p_.body.type(args[i]);
        if (!t.is_scalar(DType::i64) && !t.is_scalar(DType::i32))
          error("W-06", g.range, "a coordinate of a group is i64 or i32");
        body.expression(g.lo[i], Sort::integer, false, g.range, "W-06");
        body.expression(g.hi[i], Sort::integer, false, g.range, "W-06");
      }
      body.root(g.region);
      for (ValueId v : args) body.hide(v);
    }
  }

  void error(const char* rule, SourceRange range, std::string message, std::string hint = {}) {
    diagnostics_.error(rule, range, std::move(message), std::move(hint));
  }

  const PhysicalProgram& p_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool verify(const PhysicalProgram& program, Diagnostics& diagnostics) { return ProgramVerifier(program, diagnostics).run(); }

}  // namespace kir
