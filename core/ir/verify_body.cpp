#include "core/ir/verify_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/loop_exit.h"
#include "core/pir/program.h"
#include "core/text/type_name.h"

namespace kir {
namespace {

constexpr int kMaxNesting = 1000;

}  // namespace

BodyVerifier::BodyVerifier(const VerifyContext& context, Diagnostics& diagnostics)
    : context_(context), body_(*context.body), diagnostics_(diagnostics), visible_(context.body->value_count()) {}

void BodyVerifier::error(const char* rule, SourceRange range, std::string message, std::string hint) {
  diagnostics_.error(rule, range.empty() ? context_.whole : range, std::move(message), std::move(hint));
}

void BodyVerifier::error(const char* rule, const Op& o, std::string message, std::string hint) {
  const std::string_view operation = row(o.kind).name;
  diagnostics_.error(rule, o.range.empty() ? context_.whole : o.range, fmt::format("{}: {}", operation, message),
                     std::move(hint), std::string(operation));
}

std::string BodyVerifier::text(const Type& t) const {
  return text::type_name(t, [this](Expr leaf) {
    return leaf.is(ExprKind::value) && leaf.value().index < body_.value_count() ? body_.value(leaf.value()).name
                                                                                : std::string();
  });
}

std::vector<Type> BodyVerifier::types(std::span<const ValueId> values) const {
  std::vector<Type> out;
  for (ValueId v : values) out.push_back(body_.type(v));
  return out;
}

bool BodyVerifier::container() {
  auto bad = [&](const char* what) {
    error("V-33", SourceRange{}, fmt::format("the body is inconsistent: {}", what));
    return false;
  };
  std::vector<char> seen(body_.op_count() + body_.region_count() + body_.value_count());
  const std::span op_seen(seen.data(), body_.op_count()), region_seen(op_seen.data() + op_seen.size(), body_.region_count()),
      value_seen(region_seen.data() + region_seen.size(), body_.value_count());
  for (std::uint32_t r = 0; r < body_.region_count(); ++r) {
    const Region& region = body_.region(RegionId(r));
    if (region.parent && region.parent.index >= body_.op_count()) return bad("a region's owner is missing");
    for (std::size_t i = 0; i < region.args.size(); ++i) {
      ValueId a = region.args[i];
      if (a.index >= body_.value_count()) return bad("a region argument is missing");
      const Value& v = body_.value(a);
      if (v.op || v.region != RegionId(r) || v.position != i || value_seen[a.index]++)
        return bad("a region argument has two owners");
    }
    for (OpId o : region.ops) {
      if (o.index >= body_.op_count() || body_.op(o).parent != RegionId(r) || op_seen[o.index]++)
        return bad("an operation has two owners");
    }
  }
  for (std::uint32_t i = 0; i < body_.op_count(); ++i) {
    const Op& o = body_.op(OpId(i));
    if (!op_seen[i]) return bad("an operation is in no region");
    if (static_cast<int>(o.kind) >= kOpKindCount) return bad("an unknown kind of operation");
    for (std::size_t k = 0; k < o.results.size(); ++k) {
      ValueId r = o.results[k];
      if (r.index >= body_.value_count()) return bad("a result is missing");
      const Value& v = body_.value(r);
      if (v.op != OpId(i) || v.position != k || value_seen[r.index]++) return bad("a result has two owners");
    }
    for (ValueId v : o.operands)
      if (v.index >= body_.value_count()) return bad("an operand is missing");
    for (RegionId r : o.regions)
      if (r.index >= body_.region_count() || body_.region(r).parent != OpId(i) || region_seen[r.index]++)
        return bad("a region has two owners");
  }
  return true;
}

void BodyVerifier::root(RegionId r) { region(r, OpKind::yield, Contents::statements, 0); }

bool BodyVerifier::is_terminated(RegionId r, OpKind terminator) const {
  const Region& region = body_.region(r);
  return !region.ops.empty() && body_.op(region.ops.back()).kind == terminator;
}

void BodyVerifier::region(RegionId r, OpKind terminator, Contents allowed, int depth) {
  const Region& region = body_.region(r);
  if (depth > kMaxNesting) return error("V-33", SourceRange{}, fmt::format("regions nest deeper than {} levels", kMaxNesting));
  for (ValueId a : region.args) {
    type(body_.type(a), body_.value(a).range);
    define(a);
  }
  const bool branch = region.parent && body_.op(region.parent).kind == OpKind::if_else;
  if (!is_terminated(r, terminator) && !(branch && leaves_loop(body_, r))) {
    const std::string what = fmt::format("a region does not end in '{}'", row(terminator).name);
    region.parent ? error("V-16", body_.op(region.parent), what) : error("V-16", SourceRange{}, what);
  }
  for (std::size_t i = 0; i < region.ops.size(); ++i) {
    const Op& o = body_.op(region.ops[i]);
    if (row(o.kind).terminator && i + 1 < region.ops.size())
      error("V-16", o, "stands before the end of its region");
    else
      op(region.ops[i], allowed, depth);
  }
  if (!region.parent && !region.ops.empty()) {
    const Op& last = body_.op(region.ops.back());
    if (row(last.kind).terminator && !last.operands.empty()) error("V-16", last, "the end of a root region hands nothing on");
  }
  for (OpId id : region.ops)
    for (ValueId v : body_.op(id).results) visible_[v.index] = false;
  if (region.parent)
    for (ValueId a : region.args) visible_[a.index] = false;
}

void BodyVerifier::op(OpId id, Contents allowed, int depth) {
  const Op& o = body_.op(id);
  const OpRow& r = row(o.kind);
  auto vocabulary = static_cast<std::uint8_t>(context_.physical ? Vocabulary::physical : Vocabulary::kir);
  bool known = (static_cast<std::uint8_t>(r.vocabulary) & vocabulary) != 0;
  if (!known)
    error("V-09", o, context_.physical ? "not an operation of physical programs" : "an operation of physical programs only");
  switch (allowed) {
    case Contents::statements: break;
    case Contents::pure:
    case Contents::results:
      if (r.effect) error("V-29", o, "this region computes a value: it writes nothing, holds no atomics and makes no buffers");
      break;
    case Contents::pointwise:
      if (!is_pointwise(o.kind) && o.kind != OpKind::if_else && !r.terminator)
        error("V-29", o, "a combine holds only pointwise operations and ifs over them");
      break;
    case Contents::coordinates:
      if (o.kind != OpKind::index && o.kind != OpKind::yield)
        error("V-28", o, "the block of a view holds only 'index' operations");
      break;
  }
  bool seen = true;
  for (ValueId v : o.operands)
    if (!visible_[v.index]) {
      const std::string& name = body_.value(v).name;
      error(
          "V-15", o,
          name.empty() ? "a value is used where it is not visible" : fmt::format("'{}' is used where it is not visible", name));
      seen = false;
    } else if (!usable(v, o.range)) {
      seen = false;
    }
  bool sound = counts(o) && attributes(o) && seen && known;
  if (sound) attribute_expressions(o);
  const bool segmented = r.family == Family::region;
  if (segmented) open_segments(o);
  for (std::size_t i = 0; i < o.regions.size() && i < static_cast<std::size_t>(r.regions.count); ++i) {
    const RegionRule& rule = r.regions[i];
    const bool open = rule.contents == Contents::statements || (rule.contents == Contents::results && context_.physical);
    region(o.regions[i], rule.terminator, open ? allowed : rule.contents, depth + 1);
  }
  if (segmented) close_segments();
  if (sound) operation(id, o);
  for (ValueId v : o.results) {
    type(body_.type(v), o.range);
    define(v);
  }
}

bool BodyVerifier::counts(const Op& o) {
  const OpRow& r = row(o.kind);
  auto count = [&](const char* what, std::size_t wanted, std::size_t is) {
    if (is == wanted) return true;
    error("V-10", o, fmt::format("has {} {}{} instead of {}", is, what, is == 1 ? "" : "s", wanted));
    return false;
  };
  bool ok = (r.operands < 0 || count("operand", static_cast<std::size_t>(r.operands), o.operands.size())) &&
            (o.regions.size() == static_cast<std::size_t>(r.regions.required) ||
             count("region", static_cast<std::size_t>(r.regions.count), o.regions.size()));
  if (r.result == ResultRule::none) return ok && count("result", 0, o.results.size());
  if (r.result != ResultRule::regions) return ok && count("result", 1, o.results.size());
  return ok;
}

bool BodyVerifier::attributes(const Op& o) {
  bool ok = true;
  const AttrRules& rules = row(o.kind).attributes;
  for (const AttrRule& r : rules) {
    auto it = o.attrs.all().find(r.key);
    bool missing = it == o.attrs.all().end();
    if (missing && r.use == AttrUse::required)
      error("V-11", o, fmt::format("the attribute '{}' is missing", name(r.key)));
    else if (!missing && it->second.index() != attr_kind(r.key))
      error("V-11", o, fmt::format("the attribute '{}' is of another kind", name(r.key)));
    else
      continue;
    ok = false;
  }
  for (const auto& [key, value] : o.attrs.all())
    if (std::none_of(rules.begin(), rules.end(),
                     [&](const AttrRule& r) { return r.key == key && (r.use != AttrUse::physical || context_.physical); })) {
      error("V-11", o, fmt::format("does not take the attribute '{}'", name(key)));
      ok = false;
    }
  return ok;
}

void BodyVerifier::attribute_expressions(const Op& o) {
  for (const auto& [key, value] : o.attrs.all()) {
    if (const Expr* e = std::get_if<Expr>(&value)) {
      Sort sort = Sort::integer;
      if (key == AttrKey::expr && *e != Expr()) sort = e->sort();
      expression(*e, sort, true, o.range);
    } else if (const ExprList* list = std::get_if<ExprList>(&value)) {
      for (std::size_t i = 0; i < list->size(); ++i)
        if (!names_segment(o, key, *list, i)) expression((*list)[i], Sort::integer, true, o.range);
    }
  }
}

bool BodyVerifier::expression(Expr e, Sort sort, bool values, SourceRange range, const char* rule) {
  auto bad = [&](std::string message) {
    error(rule, range, std::move(message));
    return false;
  };
  if (e == Expr()) return bad("an integer expression is missing");
  if (e.sort() != sort)
    return bad(sort == Sort::integer ? "an integer is expected, not a truth value" : "a truth value is expected");
  auto leaf_ok = [&](Expr leaf) {
    switch (leaf.kind()) {
      case ExprKind::symbol:
        return context_.symbols.contains(leaf.name()) || bad(fmt::format("there is no symbol '{}'", leaf.name()));
      case ExprKind::value: {
        if (!values) return bad("only launch-visible integers may stand here, no values");
        ValueId v = leaf.value();
        if (v.index >= body_.value_count() || !visible_[v.index])
          return bad(v.index < body_.value_count() && !body_.value(v).name.empty()
                         ? fmt::format("'{}' is used where it is not visible", body_.value(v).name)
                         : std::string("a value is used where it is not visible"));
        if (!usable(v, range)) return false;
        const Type& t = body_.type(v);
        bool fits = context_.physical ? is_data(t) && (t.dtype == DType::i32 || t.dtype == DType::i64) : t.is(TypeKind::index);
        return (fits && leaf.sort() == Sort::integer) ||
               bad(fmt::format("a value of type {} cannot stand in an integer expression", text(t)));
      }
      case ExprKind::position:
        return (context_.physical && values) || bad("pos(k) stands only in fragments of a physical program");
      default: return bad("a variable of a formula stands in the text of a program");
    }
  };
  switch (e.kind()) {  // the common single leaves, without the walk
    case ExprKind::constant: return true;
    case ExprKind::symbol:
    case ExprKind::value: return leaf_ok(e);
    default: break;
  }
  for (Expr leaf : leaves(e))
    if (!leaf_ok(leaf)) return false;
  return true;
}

void BodyVerifier::type(const Type& t, SourceRange range) {
  bool physical = context_.physical;
  switch (t.kind) {
    case TypeKind::none: return error("V-32", range, "a value without a type");
    case TypeKind::scalar:
      if (!t.shape.empty() || !t.layout.empty()) error("V-32", range, "a scalar has neither shape nor layout");
      return;
    case TypeKind::index:
      if (physical) error("V-32", range, "a physical program has no type index");
      return;
    case TypeKind::tensor:
      if (physical) error("V-32", range, "a physical program has no tensor values");
      [[fallthrough]];
    case TypeKind::view:
      if (t.rank() > kMaxRank) error("V-32", range, fmt::format("{} axes; at most {} are possible", t.rank(), kMaxRank));
      for (Expr e : t.shape)
        if (!is_segment_extent(e)) expression(e, Sort::integer, true, range, "V-32");
      return;
    case TypeKind::fragment: break;
  }
  if (!physical) return error("V-32", range, "fragments belong to physical programs");
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;
  std::int64_t elements = 1;
  if (t.shape.empty() || t.rank() > kMaxRank) return error("W-08", range, "a fragment has 1 to 32 axes");
  for (Expr e : t.shape) {
    if (e == Expr() || !e.is(ExprKind::constant) || e.number() < 1 || e.number() > kMaxElements)
      return error("W-08", range, "the extents of a fragment are positive constants");
    elements *= e.number();
    if (elements > kMaxElements) return error("W-08", range, "a fragment has more than 2^30 elements");
  }
  if (t.layout.empty()) return;
  auto layout = std::find_if(context_.layouts->begin(), context_.layouts->end(),
                             [&](const NamedLayout& l) { return l.name == t.layout; });
  if (layout == context_.layouts->end()) return error("W-08", range, fmt::format("there is no layout '@{}'", t.layout));
  if (!layout->layout.size().is(elements))
    error("W-08", range,
          fmt::format("layout '@{}' has {} positions, the fragment {}", t.layout, layout->layout.size().text(), elements));
}

}  // namespace kir
