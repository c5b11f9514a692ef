// Loads and stores of ABI views and buffers.
//
// Addresses are 64-bit: base + byte size * sum of coordinate * stride. Nothing is read or written where the predicate is
// false, and the address is computed only where it is true. A masked load without a fill gives 0 there.
//
// In a program of several threads a store of a scalar is done by thread 0, one of a fragment by each element's thread. The
// program's meaning is sequential, so threads must not overtake each other on memory they share: barriers stand before and
// after a store unless no other access of the group can touch what it writes from another thread (store_needs_barrier).
// Control flow is uniform, hence every thread reaches them.
#include "core/base/check.h"
#include "emit/emitter.h"

namespace kir::emit {

void Emitter::when(llvm::Value* condition, const std::function<void()>& then) {
  if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(condition); c && c->isOne()) return then();
  llvm::BasicBlock* inside = new_block("active");
  llvm::BasicBlock* after = new_block("after");
  b_.CreateCondBr(condition, inside, after);
  b_.SetInsertPoint(inside);
  then();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

llvm::Value* Emitter::element_address(ValueId view, std::span<const ValueId> coordinates, const Lane* lane) {
  const Storage storage = storage_of(view);
  KIR_CHECK(storage.strides.size() == coordinates.size(), "an access with one coordinate for each axis");
  llvm::Value* offset = b_.getInt64(0);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    llvm::Value* c = b_.CreateSExtOrTrunc(lane_value(coordinates[i], lane), b_.getInt64Ty());
    offset = b_.CreateAdd(offset, b_.CreateMul(c, storage.strides[i]));
  }
  llvm::Value* bytes = b_.CreateMul(offset, b_.getInt64(static_cast<std::uint64_t>(byte_size(storage.dtype))));
  return b_.CreatePtrAdd(scalar(view), bytes);
}

llvm::Value* Emitter::load_element(const Storage& from, llvm::Value* address) {
  llvm::LoadInst* load =
      b_.CreateAlignedLoad(memory_type(from.dtype), address, llvm::Align(static_cast<std::uint64_t>(byte_size(from.dtype))));
  if (from.constant) load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return from_memory(from.dtype, load);
}

void Emitter::emit_load(const Op& op) {
  LoadView access = as_load(body_, op);
  const Storage from = storage_of(access.view);
  const Type& type = body_.type(op.results[0]);
  define(op.results[0], map_lanes(type, op.range, [&](const Lane& lane) -> llvm::Value* {
           const Lane* at = type.is(TypeKind::fragment) ? &lane : nullptr;
           auto read = [&] { return load_element(from, element_address(access.view, access.coordinates, at)); };
           if (!access.where) return read();
           llvm::Value* fill = access.fill ? lane_value(access.fill, at) : llvm::Constant::getNullValue(value_type(type.dtype));
           llvm::Value* active = lane_value(access.where, at);
           llvm::BasicBlock* skipped = b_.GetInsertBlock();
           llvm::BasicBlock* inside = new_block("active");
           llvm::BasicBlock* after = new_block("loaded");
           b_.CreateCondBr(active, inside, after);
           b_.SetInsertPoint(inside);
           llvm::Value* value = read();
           llvm::BasicBlock* loaded = b_.GetInsertBlock();
           b_.CreateBr(after);
           b_.SetInsertPoint(after);
           llvm::PHINode* phi = b_.CreatePHI(value->getType(), 2);
           phi->addIncoming(fill, skipped);
           phi->addIncoming(value, loaded);
           return phi;
         }));
}

void Emitter::emit_store(const Op& op) {
  StoreView access = as_store(body_, op);
  const DType dtype = body_.type(access.view).dtype;
  // The access is as wide as its widest part: a scalar value may be stored at fragment coordinates.
  const Type* shape = &body_.type(access.value);
  for (ValueId c : access.coordinates)
    if (body_.type(c).is(TypeKind::fragment)) shape = &body_.type(c);
  if (access.where && body_.type(access.where).is(TypeKind::fragment)) shape = &body_.type(access.where);
  const bool barriers = threads() > 1 && store_needs_barrier(op);
  if (barriers) provider_.barrier(b_);
  auto write = [&](const Lane* lane, llvm::Value* elected) {
    llvm::Value* active = access.where ? lane_value(access.where, lane) : b_.getInt1(true);
    if (elected) active = b_.CreateAnd(active, elected);
    when(active, [&] {
      llvm::Value* value = to_memory(dtype, lane_value(access.value, lane));
      b_.CreateAlignedStore(value, element_address(access.view, access.coordinates, lane),
                            llvm::Align(static_cast<std::uint64_t>(byte_size(dtype))));
    });
  };
  if (shape->is(TypeKind::fragment))
    each_lane(*shape, op.range, [&](const Lane& lane) { write(&lane, nullptr); });
  else
    write(nullptr, threads() > 1 ? b_.CreateICmpEQ(provider_.thread_index(b_), b_.getInt32(0)) : nullptr);
  if (barriers) provider_.barrier(b_);
}

std::size_t Emitter::alias_class(std::size_t view) const {
  std::vector<std::size_t> root(program_.abi.views.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const AliasFact& f : program_.abi.aliases) {
      std::size_t low = std::min(root[f.a], root[f.b]);
      changed = changed || root[f.a] != low || root[f.b] != low;
      root[f.a] = root[f.b] = low;
    }
  }
  return root[view];
}

// No barrier is needed when this store is the only access of its group to its alias class and a thread never writes what
// another thread wrote before: outside of loops; for a scalar, which is always thread 0's; and for a fragment in one loop
// over t whose coordinate is c * t + pos(0) with c at least the fragment's length, since no element repeats then.
bool Emitter::store_needs_barrier(const Op& op) {
  StoreView access = as_store(body_, op);
  auto class_of = [&](ValueId v) {
    const ViewParam* view =
        program_.abi.find_view(v);  // else of the workspace: other buffers have no code with several threads
    return view ? alias_class(static_cast<std::size_t>(view - program_.abi.views.data())) : program_.abi.views.size() + v.index;
  };
  const std::size_t mine = class_of(access.view);
  std::size_t accesses = 0;
  std::function<void(RegionId)> walk = [&](RegionId r) {
    for (OpId id : body_.region(r).ops) {
      const Op& o = body_.op(id);
      if ((o.kind == OpKind::load || o.kind == OpKind::store) && class_of(o.operands[0]) == mine) ++accesses;
      for (RegionId inner : o.regions) walk(inner);
    }
  };
  walk(program_.groups[*group_].region);
  if (accesses > 1) return true;
  bool spread = body_.type(access.value).is(TypeKind::fragment);
  for (ValueId c : access.coordinates) spread = spread || body_.type(c).is(TypeKind::fragment);
  if (access.where) spread = spread || body_.type(access.where).is(TypeKind::fragment);
  if (!spread || loop_depth_ == 0) return false;
  if (loop_depth_ > 1) return true;
  for (ValueId c : access.coordinates) {
    const Value& value = body_.value(c);
    if (!value.op || body_.op(value.op).kind != OpKind::index) continue;
    Expr e = body_.op(value.op).attrs.get<Expr>(AttrKey::expr);
    if (!e.is(ExprKind::add)) continue;
    Expr scaled = e.kid(0), position = e.kid(1);
    if (scaled.is(ExprKind::position)) std::swap(scaled, position);
    if (!position.is(ExprKind::position) || position.number() != 0 || !scaled.is(ExprKind::mul)) continue;
    Expr factor = scaled.kid(0), counter = scaled.kid(1);
    if (!factor.is(ExprKind::constant)) std::swap(factor, counter);
    if (!factor.is(ExprKind::constant) || !counter.is(ExprKind::value)) continue;
    const Value& t = body_.value(counter.value());
    const bool is_counter = t.region && t.position == 0 && body_.region(t.region).parent &&
                            body_.op(body_.region(t.region).parent).kind == OpKind::for_loop;
    const Shape* shape = shape_of(value.type, op.range);
    if (is_counter && shape && shape->extents.size() == 1 && factor.number() >= shape->elements) return false;
  }
  return true;
}

}  // namespace kir::emit
