// Structure: types, parts of structured operations and buffers, operations that are none of physical programs.
#include <algorithm>

#include "core/ir/memory_access.h"
#include "core/ir/op_table.h"
#include "tools/mutants/damages.h"
#include "tools/mutants/mutator.h"

namespace kir::mutants {

using namespace damage;
using lowering::OpEdit;

void Mutator::retype(OpId id, const Op& o) {
  const Type& t = b_.type(o.results[0]);
  if (!t.is(TypeKind::scalar)) return;
  DType other = DType::i64;
  switch (t.dtype) {
    case DType::i64: other = DType::i32; break;
    case DType::f32: other = DType::f64; break;
    case DType::f64: other = DType::f32; break;
    case DType::f16: other = DType::bf16; break;
    case DType::bf16: other = DType::f16; break;
    default: break;
  }
  add(kType, id, [&](OpEdit& e) { e.types[0].dtype = other; });
  if (form() == Form::kir) return;
  add(kNoType, id, [&](OpEdit& e) { e.types[0] = Type::index(); });
  if (o.kind == OpKind::load) add(kForeign, id, [](OpEdit& e) { e.kind = OpKind::elem; });
}

void Mutator::leave_out(const Damage& d, OpId id, AttrKey left_out) {
  add(d, id, [&](OpEdit& e) {
    Attrs left;
    for (const auto& [key, attr] : e.attrs.all())
      if (key != left_out) left.set(key, attr);
    e.attrs = std::move(left);
  });
}

void Mutator::parts(OpId id, const Op& o) {
  const OpRow& r = row(o.kind);
  const bool segmented = r.family == Family::region, atomic = is_atomic(o.kind);
  const bool structured = segmented || r.family == Family::reduce || r.family == Family::scan || r.family == Family::contract ||
                          r.family == Family::control || o.kind == OpKind::tile_reduce;
  if (!structured && !atomic) return;
  const Damage& d = atomic ? kAtomicPart : segmented ? kSegmentPart : kPart;
  for (const AttrRule& a : r.attributes)
    if (a.use == AttrUse::required && o.attrs.has(a.key)) leave_out(d, id, a.key);
  if (atomic || o.regions.empty()) return;
  const bool members = r.family != Family::scan && static_cast<int>(o.regions.size()) > r.regions.required;
  add(members ? kMembers : d, id, [](OpEdit& e) { e.regions.pop_back(); });
  if (o.regions.size() > 1) add(d, id, [](OpEdit& e) { e.regions.erase(e.regions.begin()); });
  if (o.operands.size() > 1) add(d, id, [](OpEdit& e) { e.operands.pop_back(); });
}

// One of the branches in the place of the other, or of both.
void Mutator::branches(OpId id, const Op& o) {
  // The condition's negation is no value of the body: another condition in its place.
  if (!inside_segments(id)) replace_operand(id, o, 0, kPredicate);
  if (o.regions.size() != 2) return;
  add(kBranch, id, [](OpEdit& e) { std::swap(e.regions[0], e.regions[1]); });
  add(kBranch, id, [](OpEdit& e) { e.regions[1] = e.regions[0]; });
  add(kBranch, id, [](OpEdit& e) { e.regions[0] = e.regions[1]; });
}

// Its initial value, extents, scope and capacity. Other made views and tensors have extents alone.
void Mutator::buffer(OpId id, const Op& o) {
  if (o.kind == OpKind::buffer) {
    if (!o.regions.empty()) add(kInitial, id, [](OpEdit& e) { e.regions.clear(); });
    for (const auto& [key, attr] : o.attrs.all()) leave_out(kBufferPart, id, key);
  }
  if (const BufferScope* s = o.attrs.find<BufferScope>(AttrKey::scope))
    add(kBufferScope, id, [other = *s == BufferScope::program ? BufferScope::iteration : BufferScope::program](OpEdit& e) {
      e.attrs.set(AttrKey::scope, other);
    });
  const ExprList& extents = o.attrs.get<ExprList>(AttrKey::extents);
  const Damage& d = o.kind == OpKind::buffer ? kExtent : kBounds;
  for (std::size_t k = 0; k < extents.size(); ++k)
    for (std::int64_t by : {-1, 1}) {
      ExprList changed = extents;
      changed[k] = changed[k] + by;
      add(d, id, [&](OpEdit& e) {
        e.attrs.set(AttrKey::extents, changed);
        e.types[0].shape = changed;
      });
    }
  if (const Expr* capacity = o.attrs.find<Expr>(AttrKey::capacity)) {
    const Expr less = *capacity - 1;
    add(kExtent, id, [&](OpEdit& e) { e.attrs.set(AttrKey::capacity, less); });
  }
}

void Mutator::segments(OpId id, const Op& o) {
  for (std::size_t i = 0; i + 1 < o.regions.size(); ++i)
    add(kSegmentRegion, id, [i](OpEdit& e) { std::swap(e.regions[i], e.regions[i + 1]); });
  if (o.kind == OpKind::region_scan)
    for (std::size_t i = 0; i < o.operands.size(); ++i) replace_operand(id, o, i, kCapture);
}

}  // namespace kir::mutants
