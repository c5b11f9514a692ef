#include "core/text/body_printer.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/ir/op_table.h"
#include "core/text/type_name.h"

namespace kir::text {
namespace {

std::string ints(const IntList& list) { return fmt::format("{}", fmt::join(list, ", ")); }

}  // namespace

std::string BodyPrinter::value(ValueId v) const {
  bool bare = !physical_ || body_.type(v).is(TypeKind::view);
  return bare ? names_[v.index] : "%" + names_[v.index];
}

std::string BodyPrinter::expr(Expr e) const {
  return to_string(e, [this](Expr leaf) { return leaf.is(ExprKind::value) ? value(leaf.value()) : std::string(); });
}

std::string BodyPrinter::type(const Type& t) const {
  return type_name(t, [this](Expr leaf) { return leaf.is(ExprKind::value) ? value(leaf.value()) : std::string(); });
}

std::string BodyPrinter::list(std::span<const ValueId> values) const {
  std::string s;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i) s += ", ";
    s += value(values[i]);
  }
  return s;
}

std::string BodyPrinter::exprs(const ExprList& list) const {
  std::string s;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i) s += ", ";
    s += expr(list[i]);
  }
  return s;
}

std::string BodyPrinter::binder(ValueId v) const { return physical_ ? value(v) + ": " + type(body_.type(v)) : value(v); }

std::string BodyPrinter::domain(const Op& o, const Region& region, bool parenthesised) const {
  const ExprList& ranges = o.attrs.get<ExprList>(AttrKey::ranges);
  std::string s;
  for (std::size_t i = 0; i < region.args.size(); ++i)
    s += fmt::format("{}{} in {}..{}", i ? ", " : "", binder(region.args[i]), expr(ranges[2 * i]), expr(ranges[2 * i + 1]));
  return parenthesised ? "(" + s + ")" : s;
}

std::string BodyPrinter::carries(const Op& o, RegionId region, std::size_t skip) const {
  if (o.operands.empty()) return {};
  std::string s = " carry (";
  for (std::size_t i = 0; i < o.operands.size(); ++i) {
    ValueId a = body_.region(region).args[i + skip];
    s += fmt::format("{}{}: {} = {}", i ? ", " : "", value(a), type(body_.type(a)), value(o.operands[i]));
  }
  return s + ")";
}

// The part after the operation's name of load and store up to "where".
std::string BodyPrinter::access(const Op& o) const {
  std::size_t rank = body_.type(o.operands[0]).rank();
  return value(o.operands[0]) + "[" + list(std::span(o.operands).subspan(1, rank)) + "]";
}

std::string BodyPrinter::rhs(const Op& o, int indent) const {
  std::string head(row(o.kind).name);
  const Attrs& a = o.attrs;
  auto block = [&](std::size_t i) {
    std::string s;
    region(o.regions[i], indent, s);
    return s;
  };
  auto vec = [&] {
    const std::int64_t* v = a.find<std::int64_t>(AttrKey::vector);
    return v ? fmt::format(" vec {}", *v) : std::string();
  };
  switch (o.kind) {
    case OpKind::constant: return head + " " + literal_text(a.get<Scalar>(AttrKey::literal));
    case OpKind::index: return head + " " + expr(a.get<Expr>(AttrKey::expr));
    case OpKind::cmp: return fmt::format("cmp.{} {}", name(a.get<CmpPredicate>(AttrKey::predicate)), list(o.operands));
    case OpKind::convert: return fmt::format("convert.{} {}", name(a.get<ConvertMode>(AttrKey::mode)), list(o.operands));
    case OpKind::load: {
      std::size_t rank = body_.type(o.operands[0]).rank();
      std::string s = head + " " + access(o);
      if (o.operands.size() > rank + 1) s += " where " + value(o.operands[rank + 1]);
      if (o.operands.size() > rank + 2) s += " fill " + value(o.operands[rank + 2]);
      return s + vec();
    }
    case OpKind::store: {
      std::size_t rank = body_.type(o.operands[0]).rank();
      std::string s = fmt::format("{} {} = {}", head, access(o), value(o.operands[rank + 1]));
      if (o.operands.size() > rank + 2) s += " where " + value(o.operands[rank + 2]);
      return s + vec();
    }
    case OpKind::elem:
    case OpKind::assume_in_bounds: return head + " " + access(o);
    case OpKind::tensor: return fmt::format("{} {} {}", head, domain(o, body_.region(o.regions[0]), true), block(0));
    case OpKind::view: {
      const ExprList& extents = a.get<ExprList>(AttrKey::extents);
      const Region& r = body_.region(o.regions[0]);
      std::string s = fmt::format("{} {} (", head, value(o.operands[0]));
      for (std::size_t i = 0; i < r.args.size(); ++i)
        s += fmt::format("{}{} in 0..{}", i ? ", " : "", value(r.args[i]), expr(extents[i]));
      return s + ") " + block(0);
    }
    case OpKind::transpose:
      return fmt::format("{} {} perm({})", head, value(o.operands[0]), ints(a.get<IntList>(AttrKey::axes)));
    case OpKind::slice: {
      const ExprList& ranges = a.get<ExprList>(AttrKey::ranges);
      std::string s = fmt::format("{} {} [", head, value(o.operands[0]));
      for (std::size_t i = 0; i < ranges.size(); i += 2)
        s += fmt::format("{}{}..{}", i ? ", " : "", expr(ranges[i]), expr(ranges[i + 1]));
      return s + "]";
    }
    case OpKind::broadcast:
      return fmt::format("{} {} axes({}) to [{}]", head, value(o.operands[0]), ints(a.get<IntList>(AttrKey::axes)),
                         exprs(a.get<ExprList>(AttrKey::extents)));
    case OpKind::parallel: return fmt::format("{} {} {}", head, domain(o, body_.region(o.regions[0]), false), block(0));
    case OpKind::for_loop: {
      const ExprList& ranges = a.get<ExprList>(AttrKey::ranges);
      std::string s =
          fmt::format("{} {} in {}..{}", head, binder(body_.region(o.regions[0]).args[0]), expr(ranges[0]), expr(ranges[1]));
      if (const Expr* step = a.find<Expr>(AttrKey::step)) s += " step " + expr(*step);
      s += carries(o, o.regions[0], 1);
      for (std::size_t i = o.operands.size(); i < o.results.size(); ++i)
        s += fmt::format("{}{}", i == o.operands.size() ? " collect (" : ", ", name(body_.type(o.results[i]).dtype));
      return s + (o.results.size() > o.operands.size() ? ") " : " ") + block(0);
    }
    case OpKind::while_loop: {
      std::string when = block(0), body = block(1);
      return fmt::format("{}{} when {} do {}", head, carries(o, o.regions[0], 0), when, body);
    }
    case OpKind::if_else: {
      std::string s = fmt::format("{} {} {}", head, value(o.operands[0]), block(0));
      const Region& other = body_.region(o.regions[1]);
      bool empty = other.ops.size() == 1 && body_.op(other.ops[0]).operands.empty() && !body_.op(other.ops[0]).origin;
      return empty ? s : s + " else " + block(1);
    }
    case OpKind::reduce: return reduce(o, indent);
    case OpKind::tile_reduce: {
      std::string s = fmt::format("{} {} axes({}) order({}){}", head, value(o.operands[0]), ints(a.get<IntList>(AttrKey::axes)),
                                  name(a.get<Order>(AttrKey::order)), identity(o));
      if (o.operands.size() > 1) s += " init (" + value(o.operands[1]) + ")";
      return s + " combine " + combine(o.regions[0], indent);
    }

    case OpKind::buffer: return buffer(o, indent);
    case OpKind::scatter: return scatter(o, indent);
    case OpKind::histogram: return histogram(o, indent);
    case OpKind::atomic_load:
    case OpKind::atomic_store:
    case OpKind::atomic_rmw:
    case OpKind::atomic_cas: return atomic(o);

    // tensors and random numbers
    case OpKind::reshape:
      return fmt::format("{} {} to [{}]", head, value(o.operands[0]), exprs(a.get<ExprList>(AttrKey::extents)));
    case OpKind::concat: return fmt::format("{} axis({}) {}", head, a.get<std::int64_t>(AttrKey::axis), list(o.operands));
    case OpKind::iota:
      return fmt::format("{} axis({}) to [{}]", head, a.get<std::int64_t>(AttrKey::axis),
                         exprs(a.get<ExprList>(AttrKey::extents)));
    case OpKind::gather:
      return fmt::format("{} {} {} {}", head, value(o.operands[0]), domain(o, body_.region(o.regions[0]), true), block(0));
    case OpKind::part: {
      const ExprList& range = a.get<ExprList>(AttrKey::ranges);
      return fmt::format("{} {}.{} [{}..{}]", head, value(o.operands[0]), a.get<std::int64_t>(AttrKey::axis), expr(range[0]),
                         expr(range[1]));
    }

    case OpKind::arg_reduce: return arg_reduce(o, indent);
    case OpKind::scan: return scan(o, indent);
    case OpKind::contract: return contract(o, indent);

    // folds and scans over regions
    case OpKind::region_fold:
    case OpKind::region_scan: return segments(o, indent);

    case OpKind::philox4x32_10:
    case OpKind::yield:
    case OpKind::next:
    case OpKind::break_loop:
    case OpKind::continue_loop:
    case OpKind::splat:
    case OpKind::assume:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::neg:
    case OpKind::abs:
    case OpKind::div:
    case OpKind::fma:
    case OpKind::min_nan:
    case OpKind::max_nan:
    case OpKind::min_num:
    case OpKind::max_num:
    case OpKind::sqrt:
    case OpKind::floor:
    case OpKind::ceil:
    case OpKind::trunc:
    case OpKind::round_even:
    case OpKind::exp:
    case OpKind::exp2:
    case OpKind::log:
    case OpKind::log2:
    case OpKind::rsqrt:
    case OpKind::sin:
    case OpKind::cos:
    case OpKind::tanh:
    case OpKind::erf:
    case OpKind::divt:
    case OpKind::remt:
    case OpKind::divf:
    case OpKind::remf:
    case OpKind::divu:
    case OpKind::remu:
    case OpKind::min_s:
    case OpKind::max_s:
    case OpKind::min_u:
    case OpKind::max_u:
    case OpKind::bit_and:
    case OpKind::bit_or:
    case OpKind::bit_xor:
    case OpKind::bit_not:
    case OpKind::shl:
    case OpKind::shrl:
    case OpKind::shra:
    case OpKind::select: return o.operands.empty() ? head : head + " " + list(o.operands);
  }
  KIR_UNREACHABLE("operation kind");
}

void BodyPrinter::op(const Op& o, int indent, std::string& out) const {
  out.append(static_cast<std::size_t>(indent), ' ');
  if (!o.results.empty()) {
    // A physical program writes (%a: T, %b: T) = ..., KIR let (a: T, b: T) = ...
    if (!physical_) out += "let ";
    if (o.results.size() > 1) out += "(";
    for (std::size_t i = 0; i < o.results.size(); ++i) {
      if (i) out += ", ";
      out += value(o.results[i]);
      out += ": ";
      out += type(body_.type(o.results[i]));
    }
    if (o.results.size() > 1) out += ")";
    out += " = ";
  }
  out += rhs(o, indent);
  if (physical_ && origins_ && o.origin) out += fmt::format(" !{}", o.origin.index);
  out += "\n";
}

void BodyPrinter::region(RegionId r, int indent, std::string& out) const {
  out += "{\n";
  for (OpId id : body_.region(r).ops) {
    const Op& o = body_.op(id);
    const bool end = o.kind == OpKind::yield || o.kind == OpKind::next;
    if (end && o.operands.empty() && !(physical_ && origins_ && o.origin)) continue;  // bare ends are not printed
    op(o, indent + 2, out);
  }
  out.append(static_cast<std::size_t>(indent), ' ');
  out += "}";
}

std::string BodyPrinter::view_shape(const ViewParam& v) const { return fmt::format("{}[{}]", name(v.dtype), exprs(v.shape)); }

std::string BodyPrinter::strides(const ViewParam& v) const {
  return v.explicit_strides ? fmt::format(" strides({})", exprs(v.strides)) : std::string();
}

std::string BodyPrinter::aliases(const Abi& abi) const {
  std::string s;
  for (const AliasFact& f : abi.aliases)
    s += fmt::format("{}{}({}, {})", s.empty() ? "" : ", ", f.kind == AliasKind::same ? "same" : "may_alias",
                     abi.views[f.a].name, abi.views[f.b].name);
  return s.empty() ? s : "alias { " + s + " }";
}

std::string BodyPrinter::head(const Abi& abi) const {
  std::string out = "(";
  for (std::size_t i = 0; i < abi.params.size(); ++i) {
    const Abi::Param& p = abi.params[i];
    out += fmt::format("{}{}: ", i ? ", " : "", abi.name_of(p));
    switch (p.kind) {
      case Abi::ParamKind::view: {
        const ViewParam& v = abi.views[p.index];
        out += fmt::format("{} {}{}", name(v.access), view_shape(v), strides(v));
        if (v.align) out += fmt::format(" align {}", v.align);
        break;
      }
      case Abi::ParamKind::scalar: out += name(abi.scalars[p.index].dtype); break;
      case Abi::ParamKind::symbol: out += "index"; break;
    }
  }
  out += ")";
  const std::string alias = aliases(abi), where = relations(abi);
  if (!alias.empty()) out += "\n  " + alias;
  if (!where.empty()) out += "\n  " + where;
  return out + (alias.empty() && where.empty() ? " " : "\n");
}

std::string BodyPrinter::relations(const Abi& abi) const {
  std::string s = exprs(abi.where);
  for (const DataFact& f : abi.data) s += (s.empty() ? "" : ", ") + data_text(abi, f);
  return s.empty() ? s : "where " + s;
}

}  // namespace kir::text
