// The canonical form of the memory effects.
#include <fmt/format.h>

#include "core/base/check.h"
#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"
#include "core/text/body_printer.h"

namespace kir::text {

std::string BodyPrinter::atomic(const Op& o) const {
  const MemoryAccess access = as_access(body_, o);
  std::string s(row(o.kind).name);
  if (const AtomicOp* op = o.attrs.find<AtomicOp>(AttrKey::atomic_op)) s += fmt::format(".{}", name(*op));
  s += " " + this->access(o);
  for (ValueId v : access.values) s += (o.kind == OpKind::atomic_store ? " = " : ", ") + value(v);
  if (access.where) s += " where " + value(access.where);
  if (access.fill) s += " fill " + value(access.fill);
  s += fmt::format(" order({}", name(o.attrs.get<MemoryOrder>(AttrKey::memory_order)));
  if (const MemoryOrder* failed = o.attrs.find<MemoryOrder>(AttrKey::failure_order)) s += fmt::format(", {}", name(*failed));
  s += fmt::format(") share({})", name(o.attrs.get<Sharing>(AttrKey::sharing)));
  const AtomicScope* scope = o.attrs.find<AtomicScope>(AttrKey::atomic_scope);
  return scope ? s + fmt::format(" scope({})", name(*scope)) : s;
}

std::string BodyPrinter::buffer(const Op& o, int indent) const {
  std::string s = fmt::format("buffer [{}]", exprs(o.attrs.get<ExprList>(AttrKey::extents)));
  if (const BufferScope* scope = o.attrs.find<BufferScope>(AttrKey::scope)) s += fmt::format(" scope({})", name(*scope));
  if (const Expr* capacity = o.attrs.find<Expr>(AttrKey::capacity)) s += fmt::format(" capacity ({})", expr(*capacity));
  if (o.regions.empty()) return s;
  s += " init (";
  for (std::size_t i = 0; i < body_.region(o.regions[0]).args.size(); ++i)
    s += (i ? ", " : "") + binder(body_.region(o.regions[0]).args[i]);
  s += ") ";
  region(o.regions[0], indent, s);
  return s;
}

std::string BodyPrinter::scatter(const Op& o, int indent) const {
  std::string s = fmt::format("scatter {}", name(o.attrs.get<Collision>(AttrKey::collision)));
  if (const Order* order = o.attrs.find<Order>(AttrKey::order)) s += fmt::format(" order({})", name(*order));
  s += fmt::format(" {} {} ", list(o.operands), domain(o, body_.region(o.regions[0]), true));
  region(o.regions[0], indent, s);
  return o.regions.size() > 1 ? s + " combine " + combine(o.regions[1], indent) : s;
}

std::string BodyPrinter::histogram(const Op& o, int indent) const {
  std::string s = fmt::format("histogram {} {} ", list(o.operands), domain(o, body_.region(o.regions[0]), true));
  region(o.regions[0], indent, s);
  return s + fmt::format(" out_of_range({})", name(o.attrs.get<OutOfRange>(AttrKey::out_of_range)));
}

}  // namespace kir::text
