#include "emit/workspace.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/memory_access.h"

namespace kir::emit {
namespace {

constexpr std::int64_t kMostLocalBytes = 4096;  // of one buffer
constexpr std::int64_t kMostLocalBytesTogether = 16384;

Expr elements_of(std::span<const Expr> extents, ExprPool& pool) {
  Expr out = pool.constant(1);
  std::int64_t known = 1;
  bool constant = true;
  for (Expr e : extents) {
    constant =
        constant && e.is(ExprKind::constant) && !__builtin_mul_overflow(known, std::max<std::int64_t>(e.number(), 0), &known);
    out = out * max(pool.constant(0), e);
  }
  return constant ? pool.constant(known) : out;
}

// The number of elements that the buffer may have.
Expr capacity_of(const Op& buffer, ExprPool& pool) {
  if (const Expr* stated = buffer.attrs.find<Expr>(AttrKey::capacity)) return *stated;
  return elements_of(buffer.attrs.get<ExprList>(AttrKey::extents), pool);
}

class Planning {
 public:
  explicit Planning(const PhysicalProgram& p) : p_(p), pool_(*p.pool) {}

  Workspace run() {
    for (ValueId v : p_.workspace) {
      const Type& t = p_.body.type(v);
      out_.size.shared.push_back(elements_of(t.shape, pool_) * byte_size(t.dtype));
    }
    for (std::uint32_t i = 0; i < p_.body.op_count(); ++i)
      if (const Op& op = p_.body.op(OpId(i)); is_atomic(op.kind)) atomic_.insert(op.operands[0]);
    for (const Group& g : p_.groups) {
      end_ = Expr();
      region(g.region);
      if (end_) out_.size.slice = out_.size.slice ? max(out_.size.slice, end_) : end_;
    }
    return std::move(out_);
  }

 private:
  void region(RegionId r) {
    for (OpId id : p_.body.region(r).ops) {
      const Op& op = p_.body.op(id);
      if (op.kind == OpKind::buffer) place(op);
      for (RegionId inner : op.regions) region(inner);
    }
  }

  void place(const Op& op) {
    const std::int64_t size = byte_size(p_.body.type(op.results[0]).dtype);
    const Expr elements = capacity_of(op, pool_);
    Workspace::Place at;
    if (!atomic_.contains(op.results[0]) && elements.is(ExprKind::constant) && elements.number() <= kMostLocalBytes / size &&
        local_ + elements.number() * size <= kMostLocalBytesTogether) {
      at.local = true;
      at.elements = elements.number();
      local_ += at.elements * size;
    } else {
      at.offset = end_ ? end_ : pool_.constant(0);
      const Expr bytes = ceildiv(elements * size, pool_.constant(runtime::kWorkspaceAlignment)) * runtime::kWorkspaceAlignment;
      end_ = end_ ? end_ + bytes : bytes;
    }
    out_.places.emplace(op.results[0], at);
  }

  const PhysicalProgram& p_;
  ExprPool& pool_;
  Workspace out_;
  std::unordered_set<ValueId> atomic_;  // accessed by atomics
  Expr end_;                            // of what lies in the slice, in this group
  std::int64_t local_ = 0;
};

}  // namespace

Workspace plan_workspace(const PhysicalProgram& program) { return Planning(program).run(); }

}  // namespace kir::emit
